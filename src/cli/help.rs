//! The long texts of `--help`.

pub(super) const LONG_ABOUT: &str = "Tells, with proof, whether an HTTP API is safe to retry.\n\n\
    idemspec loads a YAML profile of an API's idempotency contract, fires scenarios at a staging deployment, records \
    everything that went over the wire, and reports which clauses of a five-item checklist hold: key, retention, \
    replay, conflict, scope.";

pub(super) const AFTER_HELP: &str = "Try it, without an API of your own:\n  \
    idemspec run                                   probe the embedded reference API\n  \
    idemspec run --defect no-dedup                 see what a broken API looks like\n  \
    idemspec run stripe-v1 --mock                  probe a mock of Stripe's contract\n\n\
    Probe an API:\n  \
    idemspec run my-api.yaml --plan                say what would be sent, and send nothing\n  \
    idemspec run my-api.yaml --base-url http://staging.internal:8080\n  \
    idemspec resume .idemspec/….jsonl              go on with a run that was cut short, or that waits\n  \
    idemspec judge .idemspec/….jsonl               judge a recording again, and send nothing\n\n\
    Read and compare contracts, offline:\n  \
    idemspec list profiles                         the contracts that come with the program\n  \
    idemspec diff stripe-v1 paypal-orders          what breaks when a client for one talks to the other\n  \
    idemspec explain replay.single-effect          what a requirement asks, and how to put it right\n\n\
    Work on the client, or on this tool:\n  \
    idemspec serve stripe-v1 --port 8080           a mock to write clients against\n  \
    idemspec selftest                              would this tool notice?\n  \
    idemspec completions bash; idemspec man DIR    for your shell, and for man\n\n\
    Settings: the options of `run` are also IDEMSPEC_… in the environment (IDEMSPEC_MAX_WAIT=5m), and members\n\
    of the nearest idemspec.yaml above the working directory (max_wait: 5m). The command line comes first, then the\n\
    environment, then the file.\n\n\
    Exit status of `run`, `resume` and `judge`:\n  \
    0  every must that was exercised holds\n  \
    1  a must is violated, and no waiver forgives it\n  \
    2  bad arguments or files\n  \
    3  a must is inconclusive, or nothing holds, or (--strict) a clause is partial or a waiver is of no use\n  \
    4  nothing was selected\n  \
    130  interrupted; `idemspec resume` goes on";

pub(super) const RUN_HELP: &str = "Examples:\n  \
    idemspec run                                        the embedded reference API\n  \
    idemspec run reference --base-url http://127.0.0.1:8080\n  \
    idemspec run my-api.yaml --plan                     how many requests, and which cases\n  \
    idemspec run stripe-v1 --mock                       a mock of it: no credentials, nothing leaves the machine\n  \
    idemspec run stripe-v1 --mock --defect no-dedup     what a breach of that contract looks like\n  \
    idemspec run my-api.yaml --only conflict            what exercises the conflict clause\n  \
    idemspec run my-api.yaml --only replay.after-lost   what exercises any of the requirements that begin so\n  \
    idemspec run my-api.yaml --skip key-reuse --strict  for CI\n  \
    idemspec run my-api.yaml --waivers known.yaml       known deviations are shown, and do not fail\n  \
    idemspec run my-api.yaml --fail-on violated         what could not be decided does not fail\n  \
    idemspec run orders.yaml refunds.yaml               several profiles: one table, operation by clause\n  \
    idemspec run my-api.yaml --operation default,refunds\n  \
    idemspec run my-api.yaml --shard 2/4                the second of four jobs that share the work\n\n\
    The report goes to stdout, everything else to stderr. The journal holds every event of the run.";

pub(super) const RESUME_HELP: &str = "Examples:\n  \
    idemspec resume .idemspec/20261201T100000Z-1a2b3c4d.jsonl\n  \
    idemspec resume run.jsonl --max-wait 10m            wait longer for what is not yet due\n\n\
    The journal holds the profile, the keys and the plan of the run, and no secrets: those come from the environment, as \
    for `run`. What was done is not done again, and the same keys and bodies are sent. It may be another machine, and \
    another token of the same account.";

pub(super) const JUDGE_HELP: &str = "Examples:\n  \
    idemspec judge run.jsonl                            the same checklist as at the end of the run\n  \
    idemspec judge run.jsonl --profile stripe-v1        what another contract would say\n\n\
    Nothing is sent. What the other contract declares and the run did not exercise is untested.";

pub(super) const REPORT_HELP: &str = "Examples:\n  \
    idemspec report run.jsonl --report junit=junit.xml --report sarif=idemspec.sarif\n  \
    idemspec report run.jsonl --report markdown=- >> \"$GITHUB_STEP_SUMMARY\"\n  \
    idemspec report run.jsonl --report json=- | jq '.runs[0].result'\n  \
    idemspec report .idemspec/*.jsonl --report html=all.html     several runs on one page\n\n\
    Formats: json, junit, markdown, html, sarif, tap. The exit status is 0 once they are written, whatever they say: that of \
    the run is in them.";

pub(super) const CURL_HELP: &str = "Examples:\n  \
    idemspec curl run.jsonl key-reuse#2                         the attempt that the report shows as #2 of that case\n  \
    idemspec curl run.jsonl 'lost-response[lose=connection]'    all attempts of a case\n\n\
    Nothing is sent. Secrets stand as the names of their variables, such as \"$STRIPE_SECRET_KEY\".";
pub(super) const LINT_HELP: &str = "Examples:\n  \
    idemspec lint my-api.yaml                           the documentation checklist\n  \
    idemspec lint paypal-orders                         what PayPal's pages leave open\n  \
    idemspec lint my-api.yaml --format json\n  \
    idemspec lint my-api.yaml --deny undeclared --deny contradictory     for CI\n\n\
    Nothing is sent, and no variable of the environment is needed.\n\n\
    Exit status:\n  \
    0  nothing occurs that is denied\n  \
    1  something occurs that is denied\n  \
    2  bad arguments, or a profile that cannot be loaded";

pub(super) const INIT_HELP: &str = "Examples:\n  \
    idemspec init > my-api.yaml                         a template, with a comment at every decision\n  \
    idemspec init --output my-api.yaml\n  \
    idemspec init --like stripe-v1 --output my-api.yaml\n  \
    idemspec init --openapi openapi.yaml                which operations there are\n  \
    idemspec init --openapi openapi.yaml --operation createOrder --output orders.yaml\n  \
    idemspec init --openapi openapi.json --operation 'POST /orders' --output orders.yaml\n\n\
    The profile loads as it is. Wherever it says `decide`, something is guessed or missing that only somebody who knows the \
    API can say; `idemspec lint` names what is left open.";

pub(super) const COMPARE_HELP: &str = "Examples:\n  \
    idemspec run my-api.yaml --report json=new.json\n  \
    idemspec compare old.json new.json                  what got better, what got worse\n\n\
    Exit status:\n  \
    0  nothing got worse\n  \
    1  something got worse: what held does not any more, or something is violated that was not\n  \
    2  a file is no report, or one of another version\n\n\
    What is waived counts as violated. What one of the reports is not about is untested there.";

pub(super) const MERGE_HELP: &str = "Examples:\n  \
    idemspec run my-api.yaml --shard 1/2 --report json=1.json      in one job\n  \
    idemspec run my-api.yaml --shard 2/2 --report json=2.json      in another\n  \
    idemspec merge 1.json 2.json --strict --output whole.json\n\n\
    The verdicts and the exit status are those of a run that did everything. Shards that are missing, and reports of another \
    profile, version or seed, are refused.";

pub(super) const SERVE_HELP: &str = "Examples:\n  \
    idemspec serve --port 8080\n  \
    idemspec serve --port 8080 --defect double-effect\n  \
    idemspec serve stripe-v1 --lose-first 3 --error-rate 0.1 --seed 7\n  \
    idemspec serve --port 8443 --tls --write-cert cert.pem\n  \
    idemspec serve --port 8080 --replicas 3 --defect replicas-apart\n  \
    idemspec serve --port 8080 --data books.redb\n\n\
    It speaks HTTP/1.1 and HTTP/2: over TLS what the client prefers, without it HTTP/2 by prior knowledge.";

pub(super) const SELFTEST_HELP: &str = "Examples:\n  \
    idemspec selftest                                everything: a few minutes\n  \
    idemspec selftest --only no-dedup -v             one defect, and what shows it\n  \
    idemspec selftest --only C05,C13                 the defects of two classes of failure\n  \
    idemspec selftest --only sound                   the targets that keep their contract\n  \
    idemspec selftest --only check-then-act=5ms      a defect with a value\n  \
    idemspec selftest --profiles --only mollie       a mock of that profile, sound and broken\n\n\
    Exit status:\n  \
    0  every defect violates exactly what it declares, and no sound target is blamed\n  \
    1  something is not as expected\n  \
    2  bad arguments\n\n\
    A defect that is declared as not yet caught by any scenario is shown as such, and is no failure.";

pub(super) const DIFF_HELP: &str = "Examples:\n  \
    idemspec diff stripe-v1 paypal-orders                a client built for Stripe, talking to PayPal\n  \
    idemspec diff paypal-orders stripe-v1                and the other way round: not the same things break\n  \
    idemspec diff old.yaml new.yaml --exit-code          for CI: does a new version change a must?\n  \
    idemspec diff stripe-v1 my-api.yaml --format markdown\n\n\
    Nothing is sent.\n\n\
    Exit status:\n  \
    0  it was printed\n  \
    1  (--exit-code) the two differ in something that is a must for one of them\n  \
    2  bad arguments or files";

pub(super) const COMPLETIONS_HELP: &str = "Where shells look for them:\n  \
    idemspec completions bash > ~/.local/share/bash-completion/completions/idemspec\n  \
    idemspec completions zsh > ~/.zfunc/_idemspec               with ~/.zfunc in $fpath\n  \
    idemspec completions fish > ~/.config/fish/completions/idemspec.fish\n  \
    idemspec completions powershell >> $PROFILE";

pub(super) const MAN_HELP: &str = "Examples:\n  \
    idemspec man ~/.local/share/man/man1                then: man idemspec-run\n  \
    idemspec man pages && man -l pages/idemspec.1";
