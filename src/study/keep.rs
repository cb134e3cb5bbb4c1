//! Which trials have a row in their part.

use std::fmt;
use std::str::FromStr;

/// Which trials have a row. Sums cover all trials in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// All.
    #[default]
    All,
    /// Those that are invalid or the event of a criterion.
    Failures,
    /// The failures, and every Nth trial, from the first.
    Sample(u64),
}

impl Keep {
    /// Whether a trial has a row.
    #[must_use]
    pub fn keeps(self, trial: u64, failed: bool) -> bool {
        match self {
            Self::All => true,
            Self::Failures => failed,
            Self::Sample(every) => failed || trial.is_multiple_of(every),
        }
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => formatter.write_str("all"),
            Self::Failures => formatter.write_str("failures"),
            Self::Sample(every) => write!(formatter, "sample:{every}"),
        }
    }
}

/// A text that is no valid choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be all, failures or sample:N with a whole number N of at least 1")]
pub struct KeepError;

impl FromStr for Keep {
    type Err = KeepError;

    fn from_str(text: &str) -> Result<Self, KeepError> {
        match text {
            "all" => Ok(Self::All),
            "failures" => Ok(Self::Failures),
            _ => {
                let every = text.strip_prefix("sample:").and_then(|every| every.parse().ok());
                every.filter(|&every| every > 0).map(Self::Sample).ok_or(KeepError)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_as_they_are_written_and_nothing_else_is() {
        for keep in [Keep::All, Keep::Failures, Keep::Sample(1), Keep::Sample(1000)] {
            assert_eq!(keep.to_string().parse(), Ok(keep));
        }
        for text in ["", "none", "sample:", "sample:0", "sample:-1", "sample:1.5", "All"] {
            assert_eq!(text.parse::<Keep>(), Err(KeepError), "{text}");
        }
    }

    #[test]
    fn failures_are_always_kept() {
        for keep in [Keep::All, Keep::Failures, Keep::Sample(10)] {
            assert!(keep.keeps(7, true));
        }
        assert_eq!([0, 7, 10].map(|trial| Keep::Sample(10).keeps(trial, false)), [true, false, true]);
        assert!(Keep::All.keeps(7, false) && !Keep::Failures.keeps(0, false));
    }
}
