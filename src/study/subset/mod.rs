//! Subset simulation: probabilities of 1e-6 to 1e-9 from some ten thousand evaluations.
//!
//! S.-K. Au and J. L. Beck, "Estimation of small failure probabilities in high dimensions by subset simulation",
//! Probabilistic Engineering Mechanics 16 (2001). A rare event is the last of a chain of nested ones that are not rare:
//! P(event) = P(nearer than b1) P(nearer than b2 | nearer than b1) ...
//!
//! ```text
//! Settings, key --> simulate --> points --> LimitState --> responses --> thresholds, chains, points, ...
//!                      |
//!                   Replicate (one per independent run) --> Estimate (mean, bounds)
//! ```
//!
//! # Method
//! A level is a population of N samples of the inputs under the condition that the response is above the level's
//! threshold; at first there is none, and the samples are plain draws. Of these the N p0 nearest to the event survive and
//! start Markov chains that bring the population back to N under the new condition. In the space of standard normals a
//! proposal is z' = sqrt(1 - s^2) z + s xi with xi standard normal, which is taken when its response is above the
//! threshold (I. Papaioannou, W. Betz, K. Zwirglmaier and D. Straub, "MCMC algorithms for subset simulation",
//! Probabilistic Engineering Mechanics 41 (2015)). s is the same for all inputs and follows the share of proposals taken,
//! step by step; a scale of its own for each input, from the seeds, is left out: it makes s depend on the very samples
//! that it moves, and estimates at 20 inputs were off by a third.
//!
//! *Ties.* The threshold is the response of the best of the N (1 - p0) samples that die, and whoever is not strictly
//! above it dies with it; the level's factor is the share of those that really survive. With samples drawn independently
//! this makes the product of the factors free of bias, with ties and without (C.-E. Brehier et al., "Unbiasedness of some
//! generalized adaptive multilevel splitting algorithms", Annals of Applied Probability 26 (2016)). Where nobody is above,
//! the replicate is stuck on a plateau of equal responses and knows no more.
//!
//! *Noise.* What a trial meets on its way is one component more, without nearness: a proposal draws it afresh three times
//! in ten and keeps it else. As noise decides more of the event, fewer fresh draws are taken and the population comes to
//! descend from few of them. Measured on a linear limit state at 1e-5: with 30 % of the variance in the noise nothing
//! is lost, with 60 % replicates scatter five times as much and a stated 97.5 % becomes 89 %. Such scatter shows, and
//! [`Estimate`] does not decide on it.
//!
//! *Replicates.* Chains are correlated, so nothing within one run says how far it is off. Independent replicates do:
//! see [`Estimate`].
//!
//! *Branches.* A value of an input with a list of values can carry an event that no other value leads to. Those of which
//! the first level has too few draws count as if all their trials had the event: [`Unseen`].
//!
//! What else lies apart from everything nearer, an island that no level leads to, is found by plain draws only. No bound of
//! this method knows of it.
//!
//! All random numbers are functions of a key and the sample's number, so results depend on neither batches nor threads.

mod branches;
mod estimate;
mod level_file;
mod limit_state;
mod modes;
mod replicate;
mod run;
mod settings;
mod summary;

pub use branches::{Branch, Unseen};
pub use estimate::Estimate;
pub use modes::Mode;
pub use replicate::{Ending, Level, Point, Replicate};
pub(super) use run::{ByLevels, summary_of_run};
pub use settings::{Settings, Slot};
pub use summary::{EventInput, LevelSummary, SubsetSummary};

/// What is asked of points: the nearness of the event, as a continuous function where there is one.
pub trait LimitState {
    /// Why it can fail.
    type Error;

    /// How many standard normals a point has.
    fn dimension(&self) -> usize;

    /// The response of each point: above 0 where the event happens, and the greater the nearer. Infinite where the event
    /// happens, or does not, for a reason without nearness. The points are one step of all chains, all of one level.
    ///
    /// # Errors
    /// Its own.
    fn responses(&mut self, level: usize, points: &[Point]) -> Result<Vec<f64>, Self::Error>;

    /// Hears that all points of a level have been asked for.
    ///
    /// # Errors
    /// Its own.
    fn level_done(&mut self, level: usize, replicates: &[Replicate]) -> Result<(), Self::Error> {
        let _ = (level, replicates);
        Ok(())
    }
}

/// All replicates from the first level to their ends. `first` is the number of the first sample; the following
/// [`Settings::samples_at_most`] are this simulation's own.
///
/// # Errors
/// The limit state's.
pub fn simulate<L: LimitState>(
    settings: &Settings,
    key: u64,
    first: u64,
    limit_state: &mut L,
) -> Result<Vec<Replicate>, L::Error> {
    let numbers = replicate::Numbers { settings: *settings, key, first };
    let dimension = limit_state.dimension();
    let mut replicates: Vec<Replicate> =
        (0..settings.replicates).map(|number| Replicate::new(&numbers, number, dimension)).collect();
    for level in 0.. {
        for step in 0..settings.steps(level) {
            let points: Vec<Point> = replicates
                .iter()
                .filter(|replicate| replicate.is_running())
                .flat_map(|replicate| replicate.proposals(&numbers, step))
                .collect();
            let responses = limit_state.responses(level, &points)?;
            let mut answers = points.into_iter().zip(responses);
            for replicate in replicates.iter_mut().filter(|replicate| replicate.is_running()) {
                replicate.take(settings, step, &mut answers);
            }
        }
        limit_state.level_done(level, &replicates)?;
        for replicate in &mut replicates {
            replicate.end_level(&numbers);
        }
        if !replicates.iter().any(Replicate::is_running) {
            break;
        }
    }
    Ok(replicates)
}
