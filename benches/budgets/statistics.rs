//! Medians and percentiles.

use std::time::Duration;

/// Measurements of one thing, in order of their size.
pub(crate) struct Sample(Vec<Duration>);

impl Sample {
    pub(crate) fn new(mut values: Vec<Duration>) -> Self {
        assert!(!values.is_empty(), "nothing was measured");
        values.sort_unstable();
        Self(values)
    }

    pub(crate) fn median(&self) -> Duration {
        self.percentile(50)
    }

    /// The smallest value that so many in a hundred do not exceed.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let rank = (self.0.len() * percent).div_ceil(100).max(1);
        self.0[rank - 1]
    }
}

/// A time in milliseconds.
pub(crate) fn milliseconds(time: Duration) -> String {
    let number = time.as_secs_f64() * 1e3;
    if number < 10.0 { format!("{number:.3} ms") } else { format!("{number:.1} ms") }
}
