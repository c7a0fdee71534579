//! Which part of a run a job does.

use std::str::FromStr;

/// One of several shards, written like `2/4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardNumber {
    /// Which one, from 1.
    pub number: u16,
    /// Of how many.
    pub of: u16,
}

impl FromStr for ShardNumber {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let parts = written.split_once('/').and_then(|(number, of)| number.parse().ok().zip(of.parse().ok()));
        match parts {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            Some((_, of)) if of > 0 => Err(format!("shards are numbered from 1/{of} to {of}/{of}")),
            Some(_) | None => Err("a shard is written like 2/4: the second of four".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_numbered_from_one() {
        let shard = |written: &str| written.parse::<ShardNumber>();
        assert_eq!(shard("2/4"), Ok(ShardNumber { number: 2, of: 4 }));
        assert_eq!(shard("1/1"), Ok(ShardNumber { number: 1, of: 1 }));
        assert!(shard("0/4").unwrap_err().contains("from 1/4 to 4/4") && shard("5/4").is_err());
        assert!(["", "2", "2/", "a/b", "1/0", "-1/4", "1/99999"].iter().all(|written| shard(written).is_err()));
    }
}
