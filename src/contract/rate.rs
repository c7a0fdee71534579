//! How often something may happen.

use std::fmt;
use std::time::Duration;

/// A number of requests in a length of time, written like `10/s`, `90/m`, or `10` for each second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    number: u32,
    each: Duration,
}

impl Rate {
    /// The time from one request to the next.
    pub fn interval(self) -> Duration {
        self.each / self.number
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.each == MINUTE { "m" } else { "s" };
        write!(formatter, "{}/{unit}", self.number)
    }
}

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

impl std::str::FromStr for Rate {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let (number, unit) = written.split_once('/').unwrap_or((written, "s"));
        let each = match unit.trim() {
            "s" => Some(SECOND),
            "m" => Some(MINUTE),
            _ => None,
        };
        let number = number.trim().parse().ok().filter(|number| *number > 0);
        number.zip(each).map(|(number, each)| Self { number, each }).ok_or_else(|| {
            format!(
                "`{written}` is not a number of requests in a time, such as `10/s`, `90/m`, or `10` for each second"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_written_as_they_are_read() {
        for (written, shown, interval) in [("10/s", "10/s", 100), ("90 / m", "90/m", 666), ("4", "4/s", 250)] {
            let rate: Rate = written.parse().unwrap();
            assert_eq!((rate.to_string().as_str(), rate.interval().as_millis()), (shown, interval));
        }
        for written in ["", "0", "-1/s", "ten", "1/h", "1/s/s"] {
            assert!(written.parse::<Rate>().unwrap_err().contains("such as `10/s`"), "{written}");
        }
    }
}
