use std::collections::BTreeSet;

use super::html;
use crate::contract::{Requirement, Standing};
use crate::history::*;
use crate::oracle::{Finding, Judgement};
use crate::report::Judged;
use crate::report::fixtures::*;

const CASE: &str = "lost-response[lose=response]";

fn violated() -> (History, Vec<Finding>) {
    let findings = vec![
        finding(Requirement::KeyFresh, CASE, Judgement::Holds),
        finding(Requirement::ReplaySingleEffect, CASE, Judgement::Violated),
        Finding { source: Some("seed".into()), ..finding(Requirement::ReplayAfterSuccess, CASE, Judgement::Violated) },
    ];
    (history(doubled(CASE)), findings)
}

/// Does something with a page about this.
fn page<T>(history: &History, findings: &[Finding], look: impl FnOnce(&str, &Judged<'_>) -> T) -> T {
    with_judged(&contract(), history, findings, None, |judged| look(&html(&[judged]).unwrap(), judged))
}

/// The page as markup, without its script and its style: those are no markup.
fn markup(page: &str) -> String {
    let mut markup = page.to_owned();
    for part in ["style", "script"] {
        let (begin, end) = (markup.find(&format!("<{part}>")).unwrap(), markup.find(&format!("</{part}>")).unwrap());
        markup.replace_range(begin..end + part.len() + 3, "");
    }
    markup
}

/// Looks at every element of a page.
fn elements<T>(page: &str, look: impl FnOnce(&[roxmltree::Node<'_, '_>]) -> T) -> T {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let markup = markup(page);
    let document = roxmltree::Document::parse_with_options(&markup, options).unwrap();
    look(&document.descendants().filter(roxmltree::Node::is_element).collect::<Vec<_>>())
}

#[test]
fn every_name_is_given_once_and_every_link_leads_somewhere() {
    let (history, findings) = violated();
    page(&history, &findings, |page, _| {
        elements(page, |elements| {
            let names: Vec<&str> = elements.iter().filter_map(|element| element.attribute("id")).collect();
            let set: BTreeSet<&str> = names.iter().copied().collect();
            assert_eq!(names.len(), set.len(), "{names:?}");
            let inner = elements.iter().filter_map(|element| element.attribute("href")?.strip_prefix('#'));
            let lost: Vec<&str> = inner.filter(|name| !set.contains(name)).collect();
            assert!(lost.is_empty(), "{lost:?}");
            assert!(set.contains("r1-replay.single-effect") && set.contains("r1-c1-2"), "{set:?}");
        });
    });
}

#[test]
fn the_page_needs_nothing_but_itself() {
    let (history, findings) = violated();
    page(&history, &findings, |page, _| {
        let plain = page.replace("&#x27;", "'");
        assert!(plain.contains("default-src 'none'") && plain.contains("script-src 'sha256-"), "{page}");
        elements(page, |elements| {
            for element in elements {
                for attribute in element.attributes() {
                    let is_link = element.tag_name().name() == "a";
                    let (name, value) = (attribute.name(), attribute.value());
                    assert!(!["src", "srcset", "style", "background", "action"].contains(&name), "{name}");
                    assert!(!name.starts_with("on"), "{name}={value}");
                    let own = value.starts_with('#') || value == "data:,";
                    assert!(name != "href" || is_link || own, "{name}={value}");
                }
            }
        });
        for part in [super::template::STYLE, super::template::SCRIPT] {
            for away in ["http:", "https:", "//", "url(", "@import", "fetch(", "XMLHttp", "innerHTML"] {
                let comment = part.lines().filter(|line| !line.trim_start().starts_with("//"));
                assert!(!comment.collect::<String>().contains(away), "{away}");
            }
        }
    });
}

#[test]
fn what_a_target_says_is_text() {
    let hostile = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\u{202e}&amp;";
    let mut sent = start(1);
    sent.request.headers.push(("x-own".into(), hostile.into()));
    sent.request.target = format!("/orders?{hostile}");
    let answered = Outcome::Answered(answer(201, hostile));
    let kinds = [
        case_started("lost-response"),
        EventKind::AttemptStarted(sent),
        EventKind::AttemptEnded(AttemptEnd { identity: Some(hostile.into()), ..end(1, answered) }),
        EventKind::Counted(count(1, &[hostile])),
        EventKind::CaseEnded(CaseEnding::Completed),
    ];
    let events = kinds.into_iter().zip(0..).map(|(kind, at)| event(at * 4, Some(CASE), kind)).collect();
    let mut history = history(events);
    let run = history.run.as_mut().unwrap();
    run.base_url = format!("javascript:alert(1)//{hostile}");
    run.document["title"] = hostile.into();
    run.document["sources"]["seed"] = serde_json::json!({"title": hostile, "url": "javascript:alert(1)"});
    let wrong = Finding {
        seen: hostile.into(),
        promise: hostile.into(),
        acceptable: vec![hostile.into()],
        source: Some("seed".into()),
        ..finding(Requirement::ReplaySingleEffect, CASE, Judgement::Violated)
    };
    page(&history, &[wrong], |page, _| {
        assert!(!page.contains('\u{202e}'));
        elements(page, |elements| {
            let odd: Vec<_> =
                elements.iter().filter(|one| ["script", "img"].contains(&one.tag_name().name())).collect();
            assert!(odd.is_empty(), "{odd:?}");
            let links = elements.iter().filter_map(|element| element.attribute("href"));
            let led: Vec<&str> = links.filter(|href| href.contains("javascript")).collect();
            assert!(led.is_empty(), "{led:?}");
        });
    });
}

#[test]
fn every_requirement_stands_on_the_page_once_with_its_verdict_and_why() {
    let (history, findings) = violated();
    page(&history, &findings, |page, judged| {
        elements(page, |elements| {
            let rows: Vec<(&str, &str, String)> = elements
                .iter()
                .filter_map(|row| {
                    let text: String = row.descendants().filter_map(|node| node.text()).collect();
                    Some((row.attribute("data-requirement")?, row.attribute("data-verdict")?, text))
                })
                .collect();
            assert_eq!(rows.len(), Requirement::ALL.len());
            for line in judged.checklist.requirements() {
                let (_, verdict, text) = rows.iter().find(|(id, _, _)| *id == line.requirement.id()).unwrap();
                assert_eq!(*verdict, line.verdict.word());
                assert!(text.contains(&line.label()), "{text}");
                let has_source = matches!(line.standing, Standing::Declared { source: Some(_), .. });
                assert!(!has_source || text.contains("How we retry"), "{text}");
            }
            let untested = rows.iter().find(|(id, _, _)| *id == "conflict.changed-parameters").unwrap();
            assert!(untested.2.contains("the profile does not offer `parameters.changed`"), "{untested:?}");
        });
    });
}

#[test]
fn a_violation_tells_what_was_promised_where_and_what_was_seen() {
    let (history, findings) = violated();
    page(&history, &findings, |page, _| {
        elements(page, |elements| {
            let is_violation = |class: &str| class.split(' ').any(|one| one == "violation");
            let violations: Vec<_> =
                elements.iter().filter(|one| one.attribute("class").is_some_and(is_violation)).collect();
            assert_eq!(violations.len(), 2);
            let text: Vec<String> =
                violations.iter().map(|one| one.descendants().filter_map(|node| node.text()).collect()).collect();
            let told =
                ["replay.single-effect", "as the contract says", "the effect count rose from 1 to 2", "#1 #2", CASE];
            for part in told {
                assert!(text[0].contains(part), "{part}: {}", text[0]);
            }
            let drawn = |at: usize| violations[at].descendants().filter(|node| node.has_tag_name("svg")).count() > 0;
            assert_eq!([drawn(0), drawn(1)], [true, false], "a case is drawn once");
            let links: Vec<&str> = violations[1].descendants().filter_map(|node| node.attribute("href")).collect();
            assert_eq!(links, ["https://orders.example/retries", "#r1-c1"]);
        });
    });
}

#[test]
fn the_same_run_makes_the_same_page() {
    let (history, findings) = violated();
    let twice = [(); 2].map(|()| page(&history, &findings, |page, _| page.to_owned()));
    assert_eq!(twice[0], twice[1]);
}

#[test]
fn several_runs_share_a_page() {
    let (history, findings) = violated();
    let sound = vec![finding(Requirement::KeyFresh, CASE, Judgement::Holds)];
    let contract = contract();
    with_judged(&contract, &history, &findings, None, |first| {
        with_judged(&contract, &history, &sound, None, |second| {
            let page = html(&[first, second]).unwrap();
            elements(&page, |elements| {
                let names: Vec<&str> = elements.iter().filter_map(|element| element.attribute("id")).collect();
                assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len());
                assert!(names.contains(&"r1-c1-1") && names.contains(&"r2-c1-1"), "{names:?}");
                let matrix = elements.iter().find(|one| one.attribute("class") == Some("checklist matrix")).unwrap();
                assert_eq!(matrix.descendants().filter(|node| node.has_tag_name("tr")).count(), 3);
            });
        });
    });
}

#[test]
fn a_page_has_room_for_so_much_and_says_what_is_left_out() {
    let many = |case: String| {
        let attempts = (1..=60).flat_map(|number| {
            let at = u64::from(number) * 10;
            let answered = EventKind::AttemptEnded(end(number, Outcome::Answered(answer(201, "{}"))));
            [(at, EventKind::AttemptStarted(start(number))), (at + 4, answered)]
        });
        let events = std::iter::once((0, case_started("lost-response"))).chain(attempts);
        events.map(|(at, kind)| event(at, Some(&case), kind)).collect::<Vec<_>>()
    };
    let history = history((10..40).flat_map(|number| many(format!("case-{number}"))).collect());
    let wrong = finding(Requirement::ReplaySingleEffect, "case-39", Judgement::Violated);
    page(&history, &[wrong], |page, _| {
        assert!(page.contains("4 further cases are left out"), "1500 of 29 × 60 attempts have room");
        assert!(
            page.contains("case-39") && page.contains(r#"id="r1-c30-60""#),
            "what is wrong is never left out first"
        );
    });
}
