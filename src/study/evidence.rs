//! What trials say about the probability of an event: by how they were sampled.

use super::packed::{Packer, Unpacker};
use super::sampling::Method;
use super::statistics::{DefendedTally, ReplicateBounds, WeightError, WeightedTally, replicate_bounds};
use super::{Criterion, CriterionSummary, Look, Outlook, Tally};
use crate::model::Nouns;
use crate::study::statistics::Verdict;

/// Counts of one event, as the sampling method needs them. Integers alone: any order and any cut gives the same.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// Independent trials.
    Plain(Tally),
    /// Trials that are independent only between replicates.
    Replicated {
        /// What a replicate is, for people.
        replicate: &'static str,
        /// The count of each.
        replicates: Vec<Tally>,
    },
    /// Independent trials with weights that nothing bounds.
    Weighted(WeightedTally),
    /// Independent trials with weights, a share of them drawn from the study's own distributions.
    Defended(DefendedTally),
}

/// Bounds of a probability and where they come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// One-sided lower bound.
    pub lower: f64,
    /// One-sided upper bound.
    pub upper: f64,
    /// How they were made.
    pub made_by: String,
    /// False when nothing can be decided by them.
    pub trusted: bool,
}

impl Evidence {
    /// Nothing yet.
    #[must_use]
    pub fn new(method: &Method) -> Self {
        let replicated =
            |replicate, count: u32| Self::Replicated { replicate, replicates: vec![Tally::default(); count as usize] };
        match method {
            // The trials that chains start from.
            Method::Plain | Method::Subset(_) => Self::Plain(Tally::default()),
            Method::Table(design) if !design.is_weighted() => Self::Plain(Tally::default()),
            Method::LatinHypercube(hypercubes) => replicated("Latin hypercubes", hypercubes.replicates),
            Method::Sobol(nets) => replicated("scrambles", nets.replicates()),
            Method::Importance(importance) if importance.unshifted > 0.0 => {
                Self::Defended(DefendedTally::new(importance.unshifted))
            }
            Method::Importance(_) | Method::Table(_) => Self::Weighted(WeightedTally::default()),
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

    /// Adds the trials of another count by the same method.
    pub fn merge(&mut self, other: &Self) {
        match (self, other) {
            (Self::Plain(mine), Self::Plain(other)) => mine.merge(*other),
            (Self::Replicated { replicates: mine, .. }, Self::Replicated { replicates: others, .. }) => {
                mine.iter_mut().zip(others).for_each(|(mine, other)| mine.merge(*other));
            }
            (Self::Weighted(mine), Self::Weighted(other)) => mine.merge(other),
            (Self::Defended(mine), Self::Defended(other)) => mine.merge(other),
            // One study has one method.
            (Self::Plain(_) | Self::Replicated { .. } | Self::Weighted(_) | Self::Defended(_), _) => {}
        }
    }

    /// These events among so many trials, which are independent: replicates keep the trials that they have.
    pub(crate) fn among(mut self, trials: u64) -> Self {
        match &mut self {
            Self::Plain(tally) => tally.trials = trials,
            Self::Weighted(tally) => tally.draws = trials,
            Self::Defended(tally) => tally.set_draws(trials),
            Self::Replicated { .. } => {}
        }
        self
    }

    /// Trials and those with the event.
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

    /// All trials with their weights, where they have some.
    pub(super) fn weighted(&self) -> Option<WeightedTally> {
        match self {
            Self::Plain(_) | Self::Replicated { .. } => None,
            Self::Weighted(tally) => Some(*tally),
            Self::Defended(tally) => Some(tally.all()),
        }
    }

    /// Estimate of the probability; there must be a trial.
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

    /// One-sided bounds, each at a confidence; there must be a trial.
    #[must_use]
    pub fn bounds(&self, confidence: f64) -> Bounds {
        self.bounds_of("trials", confidence)
    }

    /// The same, told of trials that are called so.
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

    /// What it comes to for a criterion after so many parts, at a look or before it; there must be a trial. Before the
    /// look the criterion is undecided.
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

    /// Events of each replicate, where there are some.
    fn replicate_events(&self) -> Option<Vec<u64>> {
        match self {
            Self::Replicated { replicates, .. } => Some(replicates.iter().map(|tally| tally.events).collect()),
            Self::Plain(_) | Self::Weighted(_) | Self::Defended(_) => None,
        }
    }

    /// Writes it down.
    pub(super) fn pack(&self, packer: &mut Packer) {
        match self {
            Self::Plain(tally) => tally.pack(packer),
            Self::Replicated { replicates, .. } => replicates.iter().for_each(|tally| tally.pack(packer)),
            Self::Weighted(tally) => tally.pack(packer),
            Self::Defended(tally) => tally.pack(packer),
        }
    }

    /// What [`pack`](Self::pack) wrote of this method; `None` when it is not possible.
    pub(super) fn unpack(unpacker: &mut Unpacker<'_>, method: &Method) -> Option<Self> {
        let mut evidence = Self::new(method);
        match &mut evidence {
            Self::Plain(tally) => *tally = Tally::unpack(unpacker)?,
            Self::Replicated { replicates, .. } => {
                for tally in replicates {
                    *tally = Tally::unpack(unpacker)?;
                }
            }
            Self::Weighted(tally) => *tally = WeightedTally::unpack(unpacker)?,
            Self::Defended(tally) => *tally = DefendedTally::unpack(unpacker, tally.unshifted())?,
        }
        Some(evidence)
    }
}
