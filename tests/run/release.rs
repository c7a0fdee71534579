//! How races are released: as the target permits, as the user says, and never otherwise.

use idemspec::history::{Protocol, Release};
use idemspec::journal;

use crate::support::{Run, run};

/// The releases of all races of a run, and the versions of HTTP that their copies spoke.
fn releases(run: &Run) -> Vec<(Release, Protocol)> {
    let history = journal::read(&run.journal).unwrap().history;
    let mut releases = Vec::new();
    for case in history.cases.values() {
        for race in &case.races {
            let ends = race.attempts.iter().filter_map(|id| case.attempt(*id)?.end.as_ref());
            releases.extend(ends.filter_map(|end| Some((race.release, end.protocol?))));
        }
    }
    releases
}

#[test]
fn a_race_is_released_as_the_target_permits_or_as_the_user_says() {
    let last_byte = (Release::LastByte, Protocol::Http1);
    let catalogue: [(&[&str], (Release, Protocol)); 5] = [
        (&[], last_byte),
        (&["--sync", "last-byte"], last_byte),
        (&["--http2"], (Release::SinglePacket, Protocol::Http2)),
        (&["--http2", "--sync", "single-packet"], (Release::SinglePacket, Protocol::Http2)),
        (&["--http2", "--sync", "none"], (Release::Unsynchronised, Protocol::Http2)),
    ];
    for (arguments, expected) in catalogue {
        let run = run(&[&["--only", "in-flight"], arguments].concat());
        run.assert_code(0);
        let releases = releases(&run);
        assert!(releases.len() > 100 && releases.iter().all(|release| *release == expected), "{arguments:?}");
    }
}

#[test]
fn a_hole_is_found_in_a_single_packet() {
    let run = run(&["--http2", "--defect", "check-then-act=20ms", "--only", "in-flight"]);
    run.assert_code(1);
}

#[test]
fn a_release_that_cannot_be_had_is_said_before_anything_is_sent() {
    let catalogue: [(&[&str], &str); 3] = [
        (&["--sync", "single-packet"], "--http2 for a target that speaks it without TLS"),
        (&["--sync", "single-packet", "--http1"], "--http1 rules it out"),
        (&["--sync", "last-byte", "--http2"], "leave one of them out"),
    ];
    for (arguments, says) in catalogue {
        let run = run(arguments);
        run.assert_code(2);
        assert!(run.stderr.contains(says), "{}", run.stderr);
        assert!(!run.journal.exists(), "nothing was begun");
    }
}
