//! One independent replicate of subset simulation.

use super::settings::{Settings, Slot};
use crate::elementary::exp;
use crate::normal;
use crate::random::uniform;

/// Target acceptance rate: best for chains of this kind over a wide range of problems (Papaioannou et al. 2015, section
/// 4.3).
const AIMED_ACCEPTANCE: f64 = 0.44;
/// Initial scale of the proposals.
const FIRST_SCALE: f64 = 0.6;
/// Fraction of proposals that redraw the noise.
const FRESH_NOISE: f64 = 0.3;
/// Variables of the random counter that are not inputs.
const FRESH_NOISE_VARIABLE: u32 = 1 << 31;
const SHUFFLE_VARIABLE: u32 = FRESH_NOISE_VARIABLE + 1;

/// Argument of a limit state.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The sample's number.
    pub number: u64,
    /// Independent standard normals.
    pub z: Vec<f64>,
    /// Number of the sample whose noise it uses.
    pub noise: u64,
}

/// A point and its response.
#[derive(Clone, Debug, PartialEq)]
struct Sample {
    point: Point,
    response: f64,
}

/// How a replicate ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The fraction of events among the last samples is at least the level probability.
    Reached,
    /// The probability dropped below the smallest one of interest.
    GaveUp,
    /// The nearest samples all have the same response, and none is an event.
    Stuck,
}

/// A level of a replicate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Response above which a sample is in the level; minus infinity at level 0.
    pub threshold: f64,
    /// Estimated probability of the level.
    pub probability: f64,
    /// Proposals accepted so far.
    pub taken: u64,
}

/// Keys and sample numbering of a simulation.
pub(super) struct Numbers {
    pub settings: Settings,
    pub key: u64,
    pub first: u64,
}

impl Numbers {
    fn of(&self, slot: Slot) -> u64 {
        self.first + self.settings.number(slot)
    }

    fn normals(&self, number: u64, dimension: usize) -> Vec<f64> {
        (0..dimension as u32).map(|variable| normal::quantile(uniform(self.key, number, variable))).collect()
    }
}

/// One independent run.
#[derive(Clone, Debug)]
pub struct Replicate {
    number: u64,
    dimension: usize,
    ending: Option<Ending>,
    /// The previous levels, and the current one.
    before: Vec<Level>,
    current: Level,
    /// Scale s of the proposals.
    scale: f64,
    /// The population of the level so far.
    population: Vec<Sample>,
    /// Current states of the chains.
    chains: Vec<Sample>,
    evaluations: u64,
}

impl Replicate {
    pub(super) fn new(numbers: &Numbers, number: u64, dimension: usize) -> Self {
        Self {
            number,
            dimension,
            ending: None,
            before: Vec::new(),
            current: Level { threshold: f64::NEG_INFINITY, probability: 1.0, taken: 0 },
            scale: FIRST_SCALE,
            population: Vec::with_capacity(numbers.settings.samples as usize),
            chains: Vec::new(),
            evaluations: 0,
        }
    }

    /// Whether it is still running.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.ending.is_none()
    }

    /// How it ended; `None` while it is running.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Its level, counted from 0.
    #[must_use]
    pub fn level(&self) -> usize {
        self.before.len()
    }

    /// All its levels so far.
    pub fn levels(&self) -> impl Iterator<Item = &Level> {
        self.before.iter().chain(std::iter::once(&self.current))
    }

    /// Estimated probability of its current level.
    #[must_use]
    pub fn level_probability(&self) -> f64 {
        self.current.probability
    }

    /// Evaluations so far.
    #[must_use]
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// The samples of its last level with the event; a chain that stayed at a sample counts it again.
    pub fn events(&self) -> impl Iterator<Item = &Point> {
        self.population.iter().filter(|sample| sample.response > 0.0).map(|sample| &sample.point)
    }

    /// Number of these whose event has no distance.
    #[must_use]
    pub fn events_without_nearness(&self) -> usize {
        self.population.iter().filter(|sample| sample.response == f64::INFINITY).count()
    }

    /// Number of samples of its last level.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.population.len() as u64
    }

    /// Number of chains at the start of its level; none at level 0.
    pub(super) fn chains(&self) -> u64 {
        self.chains.len() as u64
    }

    /// Its estimate of the event's probability.
    #[must_use]
    pub fn estimate(&self) -> f64 {
        self.current.probability * self.events().count() as f64 / self.samples().max(1) as f64
    }

    /// The points of its next step.
    pub(super) fn proposals(&self, numbers: &Numbers, step: u64) -> impl Iterator<Item = Point> {
        let (level, replicate) = (self.level(), self.number);
        (0..numbers.settings.width(level)).map(move |chain| {
            let number = numbers.of(Slot { level, step, replicate, chain });
            let drawn = numbers.normals(number, self.dimension);
            let Some(Sample { point, .. }) = self.chains.get(chain as usize) else {
                return Point { number, z: drawn, noise: number };
            };
            let kept = (1.0 - self.scale * self.scale).sqrt();
            let z = point.z.iter().zip(drawn).map(|(z, xi)| kept * z + self.scale * xi).collect();
            let fresh = uniform(numbers.key, number, FRESH_NOISE_VARIABLE) < FRESH_NOISE;
            Point { number, z, noise: if fresh { number } else { point.noise } }
        })
    }

    /// Processes the responses to its proposals.
    pub(super) fn take(&mut self, settings: &Settings, step: u64, answers: &mut impl Iterator<Item = (Point, f64)>) {
        let width = settings.width(self.level()) as usize;
        self.evaluations += width as u64;
        let answers = answers.by_ref().take(width).map(|(point, response)| Sample { point, response });
        if self.level() == 0 {
            self.population.extend(answers);
            return;
        }
        let mut taken = 0;
        for (chain, proposal) in self.chains.iter_mut().zip(answers) {
            if proposal.response > self.current.threshold {
                *chain = proposal;
                taken += 1;
            }
            self.population.push(chain.clone());
        }
        self.current.taken += taken;
        // Stochastic approximation with decreasing steps, restarted at each level.
        let share = taken as f64 / width as f64;
        let change = (share - AIMED_ACCEPTANCE) / ((step + 1) as f64).sqrt();
        self.scale = (self.scale * exp(change)).min(1.0);
    }

    /// Ends, or proceeds to the next level.
    pub(super) fn end_level(&mut self, numbers: &Numbers) {
        if !self.is_running() {
            return;
        }
        let settings = &numbers.settings;
        let chains = settings.chains() as usize;
        if self.events().count() >= chains {
            self.ending = Some(Ending::Reached);
            return;
        }
        let mut responses: Vec<f64> = self.population.iter().map(|sample| sample.response).collect();
        responses.sort_unstable_by(f64::total_cmp);
        let threshold = responses[responses.len() - chains - 1];
        let survivors = responses.iter().filter(|&&response| response > threshold).count();
        let probability = self.current.probability * survivors as f64 / responses.len() as f64;
        if survivors == 0 {
            self.ending = Some(Ending::Stuck);
        } else if settings.is_too_small(probability) {
            self.ending = Some(Ending::GaveUp);
        } else {
            self.before.push(self.current);
            self.current = Level { threshold, probability, taken: 0 };
            self.start_chains(numbers);
        }
    }

    /// Survivors in random order start the chains; if ties left too few, several chains start from one. Each chain is
    /// in equilibrium from its seed on, so seeds belong to the population.
    fn start_chains(&mut self, numbers: &Numbers) {
        let (level, replicate) = (self.level(), self.number);
        let place =
            |chain| uniform(numbers.key, numbers.of(Slot { level, step: 0, replicate, chain }), SHUFFLE_VARIABLE);
        let survivors =
            std::mem::take(&mut self.population).into_iter().filter(|sample| sample.response > self.current.threshold);
        let mut seeds: Vec<(f64, Sample)> =
            survivors.enumerate().map(|(number, sample)| (place(number as u64), sample)).collect();
        seeds.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let chains = numbers.settings.chains() as usize;
        self.chains =
            seeds.into_iter().map(|(_, sample)| sample).collect::<Vec<_>>().into_iter().cycle().take(chains).collect();
        self.population.reserve(numbers.settings.samples as usize);
        self.population.extend(self.chains.iter().cloned());
    }
}
