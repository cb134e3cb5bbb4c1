//! Subset simulation on limit states of which the probability is known: stated intervals cover it.

use std::convert::Infallible;

use rayon::prelude::*;
use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};
use touchdown::document::Unit;
use touchdown::model::Input;
use touchdown::random::uniform;
use touchdown::study::SampledInput;
use touchdown::study::sampling::{Copula, Distribution};
use touchdown::study::subset::{Ending, Estimate, LimitState, Point, Replicate, Settings, Unseen, simulate};

/// Repetitions of each problem.
const REPETITIONS: u64 = 200;
/// One-sided, so that both bounds together are an interval at 95 %.
const CONFIDENCE: f64 = 0.975;
/// Repetitions that the interval must cover. With a true coverage of 0.95 fewer than 184 of 200 have probability 2.3 %,
/// and seeds are fixed.
const MIN_COVERED: u64 = 184;

/// Response of the normals z, with the noise's own key.
type Response<'a> = dyn Fn(&Point, u64) -> f64 + Sync + 'a;

struct Known<'a> {
    dimension: usize,
    noise_key: u64,
    response: &'a Response<'a>,
    asked: usize,
}

impl LimitState for Known<'_> {
    type Error = Infallible;

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn responses(&mut self, _: usize, points: &[Point]) -> Result<Vec<f64>, Infallible> {
        self.asked += points.len();
        Ok(points.iter().map(|point| (self.response)(point, self.noise_key)).collect())
    }
}

/// A problem with its answer.
struct Problem<'a> {
    name: String,
    settings: Settings,
    dimension: usize,
    probability: f64,
    response: Box<Response<'a>>,
}

/// What repetitions of a problem came to.
struct Coverage {
    covered: u64,
    below: u64,
    above: u64,
    trusted: u64,
    most_evaluations: usize,
}

fn replicates(problem: &Problem<'_>, repetition: u64) -> (Vec<Replicate>, usize) {
    let mut known =
        Known { dimension: problem.dimension, noise_key: !repetition, response: &*problem.response, asked: 0 };
    let Ok(replicates) = simulate(&problem.settings, repetition, 0, &mut known);
    (replicates, known.asked)
}

fn repeat(problem: &Problem<'_>) -> Coverage {
    let started = std::time::Instant::now();
    let runs: Vec<(Estimate, Vec<f64>, usize)> = (0..REPETITIONS)
        .into_par_iter()
        .map(|repetition| {
            let (replicates, asked) = replicates(problem, repetition);
            assert_eq!(replicates.iter().map(Replicate::evaluations).sum::<u64>(), asked as u64);
            let estimates = replicates.iter().map(Replicate::estimate).collect();
            (Estimate::of(&replicates, CONFIDENCE), estimates, asked)
        })
        .collect();
    let truth = problem.probability;
    let count = |holds: &dyn Fn(&Estimate) -> bool| runs.iter().filter(|(estimate, ..)| holds(estimate)).count() as u64;
    let all: Vec<f64> = runs.iter().flat_map(|(_, estimates, _)| estimates.iter().map(|p| p / truth)).collect();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let deviation = (all.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / all.len() as f64).sqrt();
    let width = runs.iter().map(|(estimate, ..)| (estimate.upper - estimate.lower) / truth).sum::<f64>();
    let coverage = Coverage {
        covered: count(&|estimate| (estimate.lower..=estimate.upper).contains(&truth)),
        below: count(&|estimate| truth < estimate.lower),
        above: count(&|estimate| truth > estimate.upper),
        trusted: count(&|estimate| estimate.is_trusted),
        most_evaluations: runs.iter().map(|(.., asked)| *asked).max().unwrap(),
    };
    println!(
        "{:42} {:9.3e}: {} of {REPETITIONS} intervals cover it ({} too high, {} too low), mean {:.3} of it, variation {:.2}, \
         width {:.2}, {} trusted, at most {} evaluations, {:.1} s",
        problem.name,
        truth,
        coverage.covered,
        coverage.below,
        coverage.above,
        mean,
        deviation / mean,
        width / REPETITIONS as f64,
        coverage.trusted,
        coverage.most_evaluations,
        started.elapsed().as_secs_f64()
    );
    coverage
}

fn assert_covered(problem: &Problem<'_>) {
    let coverage = repeat(problem);
    assert!(coverage.covered >= MIN_COVERED, "{}: {}", problem.name, coverage.covered);
}

/// 16 replicates of so many samples a level.
fn settings(samples: u64) -> Settings {
    Settings { samples, chain_length: 10, replicates: 16, smallest: 1e-10 }
}

fn standard_normal() -> Normal {
    Normal::new(0.0, 1.0).unwrap()
}

/// A plane at the distance that has the probability beyond it.
fn linear<'a>(dimension: usize, probability: f64, settings: Settings) -> Problem<'a> {
    let distance = -standard_normal().inverse_cdf(probability);
    let root = (dimension as f64).sqrt();
    Problem {
        name: format!("plane, {dimension} inputs"),
        settings,
        dimension,
        probability: standard_normal().sf(distance),
        response: Box::new(move |point, _| point.z.iter().sum::<f64>() / root - distance),
    }
}

/// Everything outside a ball: as far from a plane as can be.
fn outside_a_ball<'a>(dimension: usize, squared_radius: f64, settings: Settings) -> Problem<'a> {
    Problem {
        name: format!("outside a ball, {dimension} inputs"),
        settings,
        dimension,
        probability: ChiSquared::new(dimension as f64).unwrap().sf(squared_radius),
        response: Box::new(move |point, _| point.z.iter().map(|z| z * z).sum::<f64>() - squared_radius),
    }
}

/// z0 above distance + bend z1^2.
fn beyond_a_parabola<'a>(distance: f64, bend: f64, settings: Settings) -> Problem<'a> {
    // The trapezoidal rule converges exponentially for a smooth integrand that vanishes at both ends.
    const STEP: f64 = 1e-3;
    let density = |z: f64| (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
    let beyond = |z: f64| density(z) * standard_normal().sf(distance + bend * z * z);
    let probability = (-15_000..=15_000).map(|node| STEP * beyond(f64::from(node) * STEP)).sum();
    Problem {
        name: format!("beyond a parabola, bend {bend}"),
        settings,
        dimension: 2,
        probability,
        response: Box::new(move |point, _| point.z[0] - distance - bend * point.z[1] * point.z[1]),
    }
}

#[test]
fn intervals_cover_a_plane_at_1e_9() {
    assert_covered(&linear(2, 1e-9, settings(1000)));
}

/// Many inputs cost as many times more, and a ball is the harder of their limit states: one case has 20.
#[test]
fn intervals_cover_what_is_outside_a_ball_and_beyond_parabolas() {
    assert_covered(&outside_a_ball(20, 54.0, settings(300)));
    assert_covered(&beyond_a_parabola(4.5, 0.3, settings(500)));
    assert_covered(&beyond_a_parabola(6.0, -0.2, settings(600)));
}

#[test]
fn intervals_cover_events_that_come_in_steps_or_without_nearness() {
    // Whole numbers only, as bounces are: floor(2 z) above 8 is z of at least 4.5.
    assert_covered(&Problem {
        name: "steps of half a standard deviation".to_owned(),
        settings: settings(500),
        dimension: 1,
        probability: standard_normal().sf(4.5),
        response: Box::new(|point, _| (2.0 * point.z[0]).floor() - 8.5),
    });
    for probability in [0.02, 2e-3] {
        let distance = -standard_normal().inverse_cdf(probability);
        assert_covered(&Problem {
            name: "an island on a plain".to_owned(),
            settings: settings(500),
            dimension: 2,
            probability,
            response: Box::new(move |point, _| if point.z[0] > distance { f64::INFINITY } else { f64::NEG_INFINITY }),
        });
    }
}

#[test]
fn intervals_cover_an_event_that_is_not_rare() {
    assert_covered(&linear(2, 0.3, settings(200)));
    let problem = Problem { probability: 1.0, response: Box::new(|_, _| 1.0), ..linear(2, 0.5, settings(200)) };
    let estimate = Estimate::of(&replicates(&problem, 1).0, CONFIDENCE);
    // Clopper and Pearson's lower bound without a miss is (1 - confidence)^(1/n).
    assert_eq!((estimate.probability, estimate.upper), (1.0, 1.0));
    assert!((estimate.lower - 0.025_f64.powf(1.0 / 3200.0)).abs() < 1e-9, "{}", estimate.lower);
}

/// A share of the response's variance is noise, which chains cannot move by small steps.
fn noisy<'a>(share: f64) -> Problem<'a> {
    let distance = -standard_normal().inverse_cdf(1e-5);
    Problem {
        name: format!("plane, {} % of the variance noise", 100.0 * share),
        settings: settings(600),
        dimension: 2,
        probability: 1e-5,
        response: Box::new(move |point, noise_key| {
            let noise = standard_normal().inverse_cdf(uniform(noise_key, point.noise, 0));
            (1.0 - share).sqrt() * (point.z[0] + point.z[1]) / 2_f64.sqrt() + share.sqrt() * noise - distance
        }),
    }
}

#[test]
fn noise_is_one_component_more() {
    assert_covered(&noisy(0.3));
    let coverage = repeat(&noisy(0.8));
    assert!(coverage.trusted < REPETITIONS / 10, "where noise decides, no verdict is given: {}", coverage.trusted);
}

#[test]
fn what_cannot_be_reached_is_less_than_something_honest() {
    // A response with an end: nothing is above 5.
    let ends = |limit: f64| Problem {
        name: "a response with an end".to_owned(),
        settings: settings(200),
        dimension: 2,
        probability: 0.0,
        response: Box::new(move |point, _| 5.0_f64.min(point.z[0]) - limit),
    };
    let (stuck, _) = replicates(&ends(6.0), 1);
    assert!(stuck.iter().all(|replicate| replicate.ending() == Some(Ending::Stuck)));
    let estimate = Estimate::of(&stuck, CONFIDENCE);
    assert_eq!((estimate.probability, estimate.lower), (0.0, 0.0));
    // Their way ends at P(z = 5 or more) = 2.9e-7 and short of the event; of another way 3200 plain draws tell.
    println!("stuck: {estimate:?}");
    let of_plain_draws = 1.0 - 0.025_f64.powf(1.0 / 3200.0);
    assert!((estimate.upper - of_plain_draws).abs() < 1e-9, "{estimate:?}");

    let far = Problem { probability: 0.0, ..linear(2, 1e-30, settings(200)) };
    let (given_up, _) = replicates(&far, 1);
    assert!(given_up.iter().all(|replicate| replicate.ending() == Some(Ending::GaveUp)));
    let estimate = Estimate::of(&given_up, CONFIDENCE);
    assert!((1e-10 * (1.0 - 1e-9)..1e-9).contains(&estimate.upper), "{estimate:?}");

    let never = Problem { response: Box::new(|_, _| f64::NEG_INFINITY), ..linear(2, 0.5, settings(200)) };
    let estimate = Estimate::of(&replicates(&never, 1).0, CONFIDENCE);
    // No event in 3200 plain draws.
    assert!((estimate.upper - (1.0 - 0.025_f64.powf(1.0 / 3200.0))).abs() < 1e-9, "{estimate:?}");
}

/// A height h of |mean + deviation z| brings 10 h - 1.2 h^2 near to -1 where it is small, but below only where it is large.
fn two_ways<'a>(deviation: f64, samples: u64) -> Problem<'a> {
    let mean = 3.0;
    let root = (10.0 + (100.0_f64 + 4.8).sqrt()) / 2.4;
    let normal = standard_normal();
    Problem {
        name: format!("the way that looks shorter ends short, deviation {deviation}, {samples} samples"),
        settings: settings(samples),
        dimension: 1,
        probability: normal.sf((root - mean) / deviation) + normal.sf((root + mean) / deviation),
        response: Box::new(move |point, _| {
            let height = (mean + deviation * point.z[0]).abs();
            1.2 * height * height - 10.0 * height - 1.0
        }),
    }
}

#[test]
fn an_event_that_another_way_leads_to_is_not_met() {
    // Of 1e-4, 1.5e-5 and 1e-6: all, some or none of the replicates find the way.
    for (deviation, samples) in [(1.46, 300), (1.3, 1000), (1.3, 300), (1.143, 300)] {
        let problem = two_ways(deviation, samples);
        let estimates = (0..40).map(|repetition| Estimate::of(&replicates(&problem, repetition).0, 0.95));
        let met: Vec<Estimate> =
            estimates.filter(|estimate| estimate.is_trusted && estimate.upper <= problem.probability).collect();
        println!("{}, {:.2e}: wrongly met {} of 40 times", problem.name, problem.probability, met.len());
        // One in twenty may; more than five has a probability of 1.4 %.
        assert!(met.len() <= 5, "{}: {met:?}", problem.name);
    }
}

#[test]
fn levels_that_end_short_of_an_event_leave_it_to_the_plain_draws() {
    // Nearer to a corner of inputs the response rises to -1 and no farther.
    let corner = |inputs: usize, chain_length: u64| Problem {
        name: format!("a corner of {inputs} inputs"),
        settings: Settings { chain_length, ..settings(300) },
        dimension: inputs,
        probability: 0.0,
        response: Box::new(|point, _| -1.0 - point.z.iter().map(|z| z.abs()).sum::<f64>()),
    };
    let of_plain_draws = 1.0 - 0.05_f64.powf(1.0 / 4800.0);
    for (inputs, chain_length) in [(1, 10), (2, 10), (2, 5), (2, 2), (4, 10), (4, 15)] {
        let estimate = Estimate::of(&replicates(&corner(inputs, chain_length), 1).0, 0.95);
        assert!(estimate.bounds.contains("their levels end short of it"), "{inputs} {chain_length}: {estimate:?}");
        assert!((estimate.upper - of_plain_draws).abs() < 1e-9, "{estimate:?}");
    }
    // Those of a plane go on; where they give up soon, plain draws tell more.
    for (smallest, upper) in [(1e-10, 1e-10), (1e-5, 1e-5), (1e-2, of_plain_draws), (0.1, of_plain_draws)] {
        let problem = linear(2, 1e-30, Settings { smallest, ..settings(300) });
        let estimate = Estimate::of(&replicates(&problem, 1).0, 0.95);
        assert!((0.9 * upper..=10.0 * upper).contains(&estimate.upper), "{smallest}: {estimate:?}");
    }
}

#[test]
fn few_replicates_that_find_the_way_decide_nothing_however_many_there_are() {
    let mut undecided = 0;
    for number in [16, 64, 128] {
        let mut problem = two_ways(1.3, 200);
        problem.settings.replicates = number;
        for repetition in 0..10 {
            let (replicates, _) = replicates(&problem, repetition);
            let finders = replicates.iter().filter(|replicate| replicate.estimate() > 0.0).count();
            let estimate = Estimate::of(&replicates, 0.95);
            if (1..replicates.len()).contains(&finders) {
                assert!(!estimate.is_trusted, "{finders} of {number}: {estimate:?}");
                undecided += 1;
            }
        }
    }
    assert!(undecided >= 20, "{undecided}");
}

/// Share of 200 repetitions by the project's rule, 93 %, for a nominal 95 %.
const MIN_OF_FEW_SAMPLES: u64 = 186;

/// Two distant places, one as likely as the other.
fn two_modes<'a>(distance: f64, settings: Settings) -> Problem<'a> {
    let one = standard_normal().sf(distance);
    Problem {
        name: "beyond either of two planes".to_owned(),
        settings,
        dimension: 2,
        probability: 2.0 * one - one * one,
        response: Box::new(move |point, _| point.z[0].max(point.z[1]) - distance),
    }
}

#[test]
fn intervals_of_few_samples_cover_planes_rings_and_two_modes_and_take_less_than_100_000_evaluations() {
    let few = Settings { replicates: 8, ..settings(500) };
    for problem in [
        linear(2, 1e-4, settings(500)),
        // All directions of two inputs: 1e-5 and 1e-7.
        outside_a_ball(2, 23.026, settings(500)),
        outside_a_ball(2, 32.236, settings(500)),
        outside_a_ball(2, 23.026, few),
        two_modes(4.4, settings(500)),
    ] {
        let coverage = repeat(&problem);
        let name = &problem.name;
        assert!(coverage.covered >= MIN_OF_FEW_SAMPLES, "{name}: {}", coverage.covered);
        assert!(coverage.most_evaluations <= 100_000, "{name}: {}", coverage.most_evaluations);
    }
}

fn sampled(number: usize, distribution: Distribution) -> SampledInput {
    let input = Input { name: "input", unit: Unit::One, description: "" };
    SampledInput { number, input, distribution, limit: None }
}

/// How many of 200 repetitions are met at 95 %, where a value of this weight has 80 % of an event that is allowed as often
/// as it is; without and with an allowance for values too rare to be seen.
fn wrongly_met(weight: f64) -> [u64; 2] {
    const PROBABILITY: f64 = 1e-5;
    let beyond = |probability: f64| -standard_normal().inverse_cdf(probability);
    let (branch, near, far) =
        (beyond(weight), beyond(0.8 * PROBABILITY / weight), beyond(0.2 * PROBABILITY / (1.0 - weight)));
    let problem = Problem {
        name: format!("a value of weight {weight} with 80 % of the event"),
        settings: settings(500),
        dimension: 2,
        probability: PROBABILITY,
        response: Box::new(move |point, _| point.z[1] - if point.z[0] > branch { near } else { far }),
    };
    let inputs = [
        sampled(0, Distribution::choice(&[0.0, 1.0], &[1.0 - weight, weight]).unwrap()),
        sampled(1, Distribution::normal(0.0, 1.0).unwrap()),
    ];
    let unseen = Unseen::of(&inputs, &Copula::new(2, &[]).unwrap(), 500 * 16);
    let met: Vec<[bool; 2]> = (0..REPETITIONS)
        .into_par_iter()
        .map(|repetition| {
            let estimate = Estimate::of(&replicates(&problem, repetition).0, 0.95);
            let beside = estimate.clone().beside(unseen.as_ref());
            [estimate, beside].map(|estimate| estimate.is_trusted && estimate.upper <= PROBABILITY)
        })
        .collect();
    let count = |way: usize| met.iter().filter(|met| met[way]).count() as u64;
    println!("{}: met {} of {REPETITIONS} times, {} with what is unseen", problem.name, count(0), count(1));
    [count(0), count(1)]
}

#[test]
fn what_a_rare_value_leads_to_is_not_met_unseen() {
    // Draws expected: 0.8 and 52 of 8000; from 50 on nothing is allowed for.
    let [without, with] = wrongly_met(1e-4);
    assert!(without > 50 && with == 0, "{without} {with}");
    let [without, with] = wrongly_met(6.5e-3);
    assert_eq!(without, with, "seen");
    assert!(with <= 10, "{with}");
}
