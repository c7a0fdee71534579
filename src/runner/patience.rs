//! How long to wait before a request that the target turned away is sent again.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::message::Response;

/// How often a request that was turned away is sent again.
pub(super) const MOST_RETRIES: u32 = 4;

/// The longest first pause where the target does not say how long to wait; each further one may be twice as long.
const LONGEST_FIRST: Duration = Duration::from_millis(500);

/// Draws the pauses of a run. The same seed draws the same pauses, however the cases of the run are scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    seed: u64,
    most: Duration,
}

impl Patience {
    /// No pause is longer than `most`.
    pub fn new(seed: u64, most: Duration) -> Self {
        Self { seed, most }
    }

    /// How long to wait before a request is sent again that was turned away so many times: as long as the target asks
    /// for; else somewhere between nothing and a time that doubles with every refusal, so that those who were turned
    /// away together do not come back together. `None` where the target asks for more than can be waited.
    ///
    /// `request` is unlike for any two requests of the run.
    pub(super) fn pause(&self, response: &Response, request: &str, refusals: u32) -> Option<Duration> {
        match retry_after(response) {
            Some(asked) if asked > self.most => None,
            Some(asked) => Some(asked),
            None => Some(self.drawn(request, refusals)),
        }
    }

    /// How long to wait before a request is sent again that reached nobody so many times.
    pub(super) fn pause_unreached(&self, request: &str, failures: u32) -> Duration {
        self.drawn(request, failures)
    }

    fn drawn(&self, request: &str, refusals: u32) -> Duration {
        let longest = LONGEST_FIRST.saturating_mul(2u32.saturating_pow(refusals.saturating_sub(1))).min(self.most);
        let mut random = StdRng::seed_from_u64(self.seed ^ digest(request) ^ u64::from(refusals));
        longest.mul_f64(random.random::<f64>())
    }
}

/// A number that tells texts apart (FNV-1a); it stays the same from one version of the program to the next.
fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// How long the target asks to wait (`Retry-After`, RFC 9110 section 10.2.3): seconds or a date.
fn retry_after(response: &Response) -> Option<Duration> {
    let written = response.header("retry-after").map(str::trim)?;
    if let Ok(seconds) = written.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(written).ok()?;
    Some(date.duration_since(std::time::SystemTime::now()).unwrap_or_default())
}

/// Whether an answer turns a request away before it was looked at.
pub(super) fn turns_away(response: &Response) -> bool {
    matches!(response.status, 429 | 502 | 503 | 504)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asking(headers: &[(&str, &str)]) -> Response {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Response { status: 503, headers, ..Response::default() }
    }

    fn asked(value: &str) -> Option<Duration> {
        retry_after(&asking(&[("retry-after", value)]))
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        assert_eq!(asked("7"), Some(Duration::from_secs(7)));
        assert_eq!(asked("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO));
        assert!(asked("Fri, 06 Nov 2099 08:49:37 GMT").unwrap() > Duration::from_secs(3600));
        assert_eq!(asked("soon"), None);
    }

    #[test]
    fn the_target_decides_how_long_to_wait_within_bounds() {
        let patience = Patience::new(1, Duration::from_secs(10));
        let pause = |seconds| patience.pause(&asking(&[("retry-after", seconds)]), "a", 1);
        assert_eq!(pause("10"), Some(Duration::from_secs(10)));
        assert_eq!(pause("11"), None, "longer than can be waited");
    }

    #[test]
    fn pauses_grow_are_spread_over_their_whole_length_and_follow_the_seed() {
        let pauses = |seed, refusals| -> Vec<Duration> {
            let patience = Patience::new(seed, Duration::from_secs(3));
            (0..200).filter_map(|number| patience.pause(&asking(&[]), &format!("case {number}"), refusals)).collect()
        };
        for (refusals, longest) in [(1, 500), (2, 1000), (3, 2000), (4, 3000), (99, 3000)] {
            let drawn = pauses(7, refusals);
            let longest = Duration::from_millis(longest);
            assert!(drawn.iter().all(|pause| *pause <= longest), "{refusals}");
            assert!(drawn.iter().any(|pause| *pause > longest * 9 / 10), "{refusals}");
            assert!(drawn.iter().any(|pause| *pause < longest / 10), "{refusals}");
        }
        assert_eq!(pauses(7, 1), pauses(7, 1));
        assert_ne!(pauses(7, 1), pauses(8, 1));
        assert_ne!(pauses(7, 1), pauses(7, 2));
    }
}
