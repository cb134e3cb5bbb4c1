//! Evidence on the probability of an event, by sampling method.

use super::packed::{Packer, Unpacker};
use super::sampling::Method;
use super::statistics::{DefendedTally, ReplicateBounds, WeightError, WeightedTally, replicate_bounds};
use super::{Criterion, CriterionSummary, Look, Outlook, Tally};
use crate::model::Nouns;
use crate::study::statistics::Verdict;

/// Counts of one event, as the sampling method requires. Integers only: independent of order and batching.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// Independent trials.
    Plain(Tally),
    /// Trials that are independent only across replicates.
    Replicated {
        /// What a replicate is called in messages.
        replicate: &'static str,
        /// Tally of each replicate.
        replicates: Vec<Tally>,
    },
    /// Independent trials with unbounded weights, of a distribution or of a table.
    Weighted(WeightedTally),
    /// Independent trials with weights, a fraction of them drawn from the study's own distributions.
    Defended(DefendedTally),
}

/// Bounds on a probability, and how they were obtained.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// One-sided lower bound.
    pub lower: f64,
    /// One-sided upper bound.
    pub upper: f64,
    /// Method, in words.
    pub made_by: String,
    /// False if the bounds are not reliable enough to decide.
    pub trusted: bool,
}

impl Evidence {
    /// Evidence of no trials.
    #[must_use]
    pub fn new(method: &Method) -> Self {
        let replicated =
            |replicate, count: u32| Self::Replicated { replicate, replicates: vec![Tally::default(); count as usize] };
        match method {
            // Only the plain draws from which chains start.
            Method::Plain | Method::Subset(_) => Self::Plain(Tally::default()),
            Method::Table(design) if !design.is_weighted() => Self::Plain(Tally::default()),
            Method::LatinHypercube(hypercubes) => replicated("Latin hypercubes", hypercubes.replicates),
            Method::Sobol(nets) => replicated("scrambles", nets.replicates()),
            Method::Importance(importance) if importance.unshifted > 0.0 => {
                Self::Defended(DefendedTally::new(importance.unshifted))
            }
            Method::Importance(_) => Self::Weighted(WeightedTally::default()),
            Method::Table(design) => Self::Weighted(WeightedTally::normalized(design.mean_square_weight())),
        }
    }

    /// Counts one trial.
    ///
    /// # Errors
    /// When the weight is too large to be counted.
    pub fn add(&mut self, trial: u64, weight: f64, happened: bool) -> Result<(), WeightError> {
        match self {
            Self::Plain(tally) => tally.add(happened),
            Self::Replicated { replicates, .. } => {
                let replicate = trial % replicates.len() as u64;
                replicates[replicate as usize].add(happened);
            }
            Self::Weighted(tally) => tally.add(happened, weight)?,
            Self::Defended(tally) => tally.add(happened, weight)?,
        }
        Ok(())
    }

    /// Adds the counts of another batch with the same method.
    pub fn merge(&mut self, other: &Self) {
        match (self, other) {
            (Self::Plain(mine), Self::Plain(other)) => mine.merge(*other),
            (Self::Replicated { replicates: mine, .. }, Self::Replicated { replicates: others, .. }) => {
                mine.iter_mut().zip(others).for_each(|(mine, other)| mine.merge(*other));
            }
            (Self::Weighted(mine), Self::Weighted(other)) => mine.merge(other),
            (Self::Defended(mine), Self::Defended(other)) => mine.merge(other),
            // A study has one method.
            (Self::Plain(_) | Self::Replicated { .. } | Self::Weighted(_) | Self::Defended(_), _) => {}
        }
    }

    /// The same events among this many trials in total, assumed independent: replicates keep their own.
    pub(crate) fn among(mut self, trials: u64) -> Self {
        match &mut self {
            Self::Plain(tally) => tally.trials = trials,
            Self::Weighted(tally) => tally.draws = trials,
            Self::Defended(tally) => tally.set_draws(trials),
            Self::Replicated { .. } => {}
        }
        self
    }

    /// Number of trials and events.
    #[must_use]
    pub fn tally(&self) -> Tally {
        match self {
            Self::Plain(tally) => *tally,
            Self::Replicated { replicates, .. } => {
                let mut all = Tally::default();
                replicates.iter().for_each(|tally| all.merge(*tally));
                all
            }
            Self::Weighted(_) | Self::Defended(_) => {
                let WeightedTally { events, draws, .. } = self.weighted().unwrap_or_default();
                Tally { events, trials: draws }
            }
        }
    }

    /// All trials with their weights, if they have any.
    pub(super) fn weighted(&self) -> Option<WeightedTally> {
        match self {
            Self::Plain(_) | Self::Replicated { .. } => None,
            Self::Weighted(tally) => Some(*tally),
            Self::Defended(tally) => Some(tally.all()),
        }
    }

    /// Point estimate of the probability; requires at least one trial.
    #[must_use]
    pub fn estimate(&self) -> f64 {
        self.weighted().map_or_else(
            || {
                let Tally { events, trials } = self.tally();
                events as f64 / trials as f64
            },
            |tally| tally.estimate(),
        )
    }

    /// One-sided bounds, each at this confidence; requires at least one trial.
    #[must_use]
    pub fn bounds(&self, confidence: f64) -> Bounds {
        self.bounds_of("trials", confidence)
    }

    /// The same, with the name of the trials for messages.
    fn bounds_of(&self, many: &str, confidence: f64) -> Bounds {
        match self {
            Self::Plain(tally) => {
                let (lower, upper) = tally.bounds(confidence);
                Bounds { lower, upper, made_by: "Clopper-Pearson".to_owned(), trusted: true }
            }
            Self::Replicated { replicate, replicates } => {
                let counts: Vec<(u64, u64)> = replicates.iter().map(|tally| (tally.events, tally.trials)).collect();
                let (lower, upper, way) = replicate_bounds(&counts, confidence);
                let all = format!("{} {replicate}", replicates.len());
                let made_by = match way {
                    ReplicateBounds::StudentT => format!("Student t over {all}"),
                    ReplicateBounds::LastEvent => {
                        format!("Clopper-Pearson over {all}, which differ by one event at most")
                    }
                    ReplicateBounds::TooFew => {
                        format!("Clopper-Pearson, as of independent {many}: too rare for Student t over {all}")
                    }
                };
                Bounds { lower, upper, made_by, trusted: true }
            }
            Self::Weighted(tally) => {
                let bounds = tally.bounds(confidence);
                let effective = tally.effective_events();
                let made_by = if tally.events == 0 {
                    format!("no event among weighted {many}, which bounds nothing")
                } else if bounds.trusted {
                    format!("Student t of weighted {many}, {effective:.0} effective events")
                } else {
                    format!("Student t of weighted {many}, not to be trusted: only {effective:.1} effective events")
                };
                Bounds { lower: bounds.lower, upper: bounds.upper, made_by, trusted: bounds.trusted }
            }
            Self::Defended(tally) => {
                let bounds = tally.bounds(confidence);
                let mut made_by =
                    format!("Student t of weighted {many}, {:.0} effective events", tally.all().effective_events());
                if !bounds.as_one {
                    made_by += &format!(
                        "; upwards with what Clopper-Pearson leaves to weights from 1 on, of which {} events were seen",
                        tally.heavy_events()
                    );
                }
                Bounds { lower: bounds.lower, upper: bounds.upper, made_by, trusted: true }
            }
        }
    }

    /// Summary for a criterion after this many parts, at an interim look or before it; requires at least one trial.
    /// Before the look the criterion is undecided.
    #[must_use]
    pub fn summary(&self, nouns: Nouns, criterion: &Criterion, look: &Look, parts: u64) -> CriterionSummary {
        let confidence = look.confidence(criterion.confidence);
        let Bounds { lower, upper, made_by, trusted } = self.bounds_of(nouns.many, confidence);
        let at_look = if look.looks > 1 {
            format!(", at {:.4} % for look {} of {}", 100.0 * confidence, look.number, look.looks)
        } else {
            String::new()
        };
        let weighted = self.weighted();
        let verdict = if trusted && look.is_due(parts) {
            Verdict::of_bounds(lower, upper, criterion.probability)
        } else {
            Verdict::Undecided
        };
        let at_the_end = Look { number: look.looks, ..*look }.confidence(criterion.confidence);
        let outlook = || Outlook::of(self, nouns, criterion.probability, at_the_end);
        CriterionSummary {
            name: criterion.name.clone(),
            event: criterion.description.clone(),
            probability: criterion.probability,
            confidence: criterion.confidence,
            look_confidence: confidence,
            events: self.tally().events,
            estimate: self.estimate(),
            lower,
            upper,
            bounds: made_by + &at_look,
            is_trusted: trusted,
            effective_events: weighted.map(|tally| tally.effective_events()),
            largest_weight_share: weighted.map(|tally| tally.largest_share()),
            source: criterion.source.clone(),
            subset: None,
            tail: None,
            replicate_events: self.replicate_events(),
            outlook: (verdict == Verdict::Undecided).then(outlook).flatten(),
            verdict,
        }
    }

    /// Events of each replicate, if there are replicates.
    fn replicate_events(&self) -> Option<Vec<u64>> {
        match self {
            Self::Replicated { replicates, .. } => Some(replicates.iter().map(|tally| tally.events).collect()),
            Self::Plain(_) | Self::Weighted(_) | Self::Defended(_) => None,
        }
    }

    /// Serializes the evidence.
    pub(super) fn pack(&self, packer: &mut Packer) {
        match self {
            Self::Plain(tally) => tally.pack(packer),
            Self::Replicated { replicates, .. } => replicates.iter().for_each(|tally| tally.pack(packer)),
            Self::Weighted(tally) => tally.pack(packer),
            Self::Defended(tally) => tally.pack(packer),
        }
    }

    /// Inverse of [`pack`](Self::pack) for this method; `None` for impossible evidence.
    pub(super) fn unpack(unpacker: &mut Unpacker<'_>, method: &Method) -> Option<Self> {
        let mut evidence = Self::new(method);
        match &mut evidence {
            Self::Plain(tally) => *tally = Tally::unpack(unpacker)?,
            Self::Replicated { replicates, .. } => {
                for tally in replicates {
                    *tally = Tally::unpack(unpacker)?;
                }
            }
            Self::Weighted(tally) => *tally = tally.unpack(unpacker)?,
            Self::Defended(tally) => *tally = DefendedTally::unpack(unpacker, tally.unshifted())?,
        }
        Some(evidence)
    }
}
