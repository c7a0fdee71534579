//! The clock, as it is seen and moved from outside.

use std::time::{Duration, SystemTime};

use crate::client::{Answer, read};
use crate::fixture::{Fixture, ORDER, SLOW, contract};

fn date(answer: &Answer) -> SystemTime {
    httpdate::parse_http_date(answer.header("date").unwrap()).unwrap()
}

fn seconds_between(earlier: SystemTime, later: SystemTime) -> u64 {
    later.duration_since(earlier).unwrap().as_secs()
}

fn advance(target: &Fixture, body: &str) -> Answer {
    let moved = target.send("POST", "/clock", &[], Some(body));
    assert_eq!(moved.status, 200, "{body}");
    moved
}

#[test]
fn every_answer_bears_the_date_of_the_clock() {
    let target = Fixture::sound();
    let answers = |target: &Fixture| {
        [
            target.send("GET", "/clock", &[], None),
            target.send("GET", "/orders", &[], None),
            target.order("k", ORDER),
            target.send("GET", "/nowhere", &[], None),
            target.send("DELETE", "/orders/99", &[], None),
        ]
    };
    let before = answers(&target);
    let apart = SystemTime::now().duration_since(date(&before[0])).unwrap();
    assert!(apart < Duration::from_secs(60), "{apart:?}");
    let moved = advance(&target, r#"{"advance":"25h"}"#);
    assert!((90_000..90_060).contains(&seconds_between(date(&before[0]), date(&moved))));
    for (before, after) in before.iter().zip(answers(&target)) {
        assert!((90_000..90_060).contains(&seconds_between(date(before), date(&after))), "{before:?} {after:?}");
        assert_eq!(after.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("date")).count(), 1);
    }
}

#[test]
fn the_clock_tells_what_it_shows() {
    let target = Fixture::sound();
    advance(&target, r#"{"advance":"1h"}"#);
    let shown = target.send("GET", "/clock", &[], None);
    assert!((3_600_000..3_700_000).contains(&shown.json()["elapsed_ms"].as_u64().unwrap()), "{shown:?}");
    let now = shown.json()["now"].as_str().unwrap().to_owned();
    let now = humantime::parse_rfc3339(&now).unwrap();
    let apart = now.max(date(&shown)).duration_since(now.min(date(&shown))).unwrap();
    assert!(apart <= Duration::from_secs(1), "{shown:?}");
}

#[test]
fn seconds_are_a_number_or_text() {
    let target = Fixture::sound();
    let mut shown = 0;
    for (body, seconds) in [
        (r#"{"advance_seconds":90000}"#, 90_000),
        (r#"{"advance_seconds":"90000"}"#, 90_000),
        (r#"{"advance_seconds":"0.5"}"#, 0),
        (r#"{"advance_seconds":1.5}"#, 1),
    ] {
        let after = advance(&target, body).json()["elapsed_ms"].as_u64().unwrap();
        assert!((seconds * 1000..seconds * 1000 + 60_000).contains(&(after - shown)), "{body}");
        shown = after;
    }
    for body in [
        "{}",
        r#"{"advance_seconds":-1}"#,
        r#"{"advance_seconds":"NaN"}"#,
        r#"{"advance_seconds":"inf"}"#,
        r#"{"advance_seconds":"1e300"}"#,
        r#"{"advance_seconds":"a day"}"#,
        r#"{"advance_seconds":[1]}"#,
        r#"{"advance":"1h","advance_seconds":3600}"#,
        r#"{"retreat":"1h"}"#,
    ] {
        assert_eq!(target.send("POST", "/clock", &[], Some(body)).status, 400, "{body}");
    }
    assert!(target.send("GET", "/clock", &[], None).json()["elapsed_ms"].as_u64().unwrap() - shown < 60_000);
}

#[test]
fn a_moved_clock_expires_keys_and_disturbs_nothing_else() {
    let target = Fixture::start(contract(), Duration::from_millis(40), &[]);
    let old = target.order("old", ORDER);
    let mut running = target.begin("running", SLOW);
    advance(&target, r#"{"advance":"23h"}"#);
    assert_eq!(target.order("old", ORDER).body, old.body, "not yet a day old");
    assert_eq!(target.order("running", SLOW).code(), "in-flight");
    let finished = read(&mut running);
    assert_eq!((finished.status, finished.replayed()), (201, false));
    assert_eq!(target.order("running", SLOW).body, finished.body);
    let young = target.order("young", ORDER);
    advance(&target, r#"{"advance":"1h"}"#);
    assert!(!target.order("old", ORDER).replayed(), "a day old");
    assert_eq!(target.order("young", ORDER).body, young.body, "an hour old");
}
