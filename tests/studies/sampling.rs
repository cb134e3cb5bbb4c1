//! Ways to sample: do the stated intervals hold what they promise, and are they worth it?
//!
//! Print with `cargo test --test studies sampling -- --nocapture`.

use touchdown::random::uniform;
use touchdown::study::sampling::{LatinHypercubes, Method, SobolNets};
use touchdown::study::statistics::{ReplicateBounds, clopper_pearson_lower, clopper_pearson_upper, replicate_bounds};

const REPETITIONS: u64 = 500;
/// Of two one-sided bounds that together hold in 95 %.
const CONFIDENCE: f64 = 0.975;
/// 92 %. Were the coverage 95 %, fewer would hold in one of a thousand tries.
const MIN: u64 = 460;

/// An event among uniform numbers, with its probability.
struct Problem {
    name: &'static str,
    inputs: usize,
    probability: f64,
    happened: fn(&[f64]) -> bool,
}

/// Probabilities in closed form: an edge of one input, a box, a sum of two, a corner under a hyperbola, a sphere, and a
/// sum of ten by Irwin and Hall: at 3.5, sum of (-1)^k binomial(10, k) (3.5 - k)^10 / 10! over k up to 3.
const PROBLEMS: &[Problem] = &[
    Problem { name: "edge", inputs: 2, probability: 0.3, happened: |u| u[0] < 0.3 },
    Problem {
        name: "box",
        inputs: 3,
        probability: 0.7 * 0.6 * 0.5,
        happened: |u| u[0] < 0.7 && u[1] < 0.6 && u[2] > 0.5,
    },
    Problem { name: "sum of two", inputs: 2, probability: 0.125, happened: |u| u[0] + u[1] < 0.5 },
    Problem {
        name: "hyperbola",
        inputs: 2,
        // 0.05 (1 - ln 0.05)
        probability: 0.199_786_613_677_699_56,
        happened: |u| u[0] * u[1] < 0.05,
    },
    Problem {
        name: "ball",
        inputs: 3,
        // pi / 6 of the cube.
        probability: std::f64::consts::FRAC_PI_6,
        happened: |u| u.iter().map(|x| (x - 0.5).powi(2)).sum::<f64>() < 0.25,
    },
    Problem {
        name: "sum of ten",
        inputs: 10,
        probability: 0.050_452_522_398_933_53,
        happened: |u| u.iter().sum::<f64>() < 3.5,
    },
    // Few events: Irwin and Hall once more, and a triangle.
    Problem {
        name: "half-space of ten",
        inputs: 10,
        probability: 0.006074872102056231,
        happened: |u| u.iter().sum::<f64>() < 2.75,
    },
    Problem { name: "half-space of two", inputs: 2, probability: 0.0128, happened: |u| u[0] + u[1] < 0.16 },
    Problem { name: "rare corner", inputs: 2, probability: 0.0004, happened: |u| u[0] < 0.02 && u[1] < 0.02 },
];

/// The most inputs of a problem.
const INPUTS: u32 = 10;

/// Events and landings of each problem in each replicate. All problems see the same points, of which those with fewer inputs
/// see the first coordinates: drawing is what takes the time.
fn events(method: &Method, replicates: u64, seed: u64, landings: u64) -> Vec<Vec<(u64, u64)>> {
    let mut counts = vec![vec![(0, 0); replicates as usize]; PROBLEMS.len()];
    for landing in 0..landings {
        let (uniforms, _) = method.draw(seed, landing, 0..INPUTS);
        for (counts, problem) in counts.iter_mut().zip(PROBLEMS) {
            let count = &mut counts[(landing % replicates) as usize];
            count.0 += u64::from((problem.happened)(&uniforms[..problem.inputs]));
            count.1 += 1;
        }
    }
    counts
}

/// What repetitions come to of a problem.
#[derive(Clone, Copy, Default)]
struct Coverage {
    held: u64,
    width: f64,
    by_student: u64,
}

fn check_coverage(name: &str, replicates: u32, landings: u64, asked: u64, method: &Method) {
    let mut found = vec![Coverage::default(); PROBLEMS.len()];
    for seed in 0..REPETITIONS {
        let counts = events(method, u64::from(replicates), seed, asked);
        for ((found, problem), counts) in found.iter_mut().zip(PROBLEMS).zip(&counts) {
            let (lower, upper, how) = replicate_bounds(counts, CONFIDENCE);
            found.held += u64::from(lower <= problem.probability && problem.probability <= upper);
            found.width += (upper - lower) / REPETITIONS as f64;
            found.by_student += u64::from(how == ReplicateBounds::StudentT);
        }
    }
    for (Coverage { held, width, by_student }, problem) in found.into_iter().zip(PROBLEMS) {
        let p = problem.probability;
        let plain = 2.0 * 1.96 * (p * (1.0 - p) / asked as f64).sqrt();
        println!(
            "{name}, {replicates} replicates, {asked} of {landings}, {}: {held} of {REPETITIONS} hold, {by_student} by \
             Student, mean width {width:.2e}, {:.2} of plain sampling's",
            problem.name,
            width / plain
        );
        assert!(held >= MIN, "{name}, {}: {held}", problem.name);
    }
}

#[test]
fn intervals_of_latin_hypercubes_hold_the_truth() {
    for (replicates, landings, asked) in [(16, 2048, 2048), (8, 1000, 1000), (16, 16_000, 2503)] {
        let hypercubes = LatinHypercubes { replicates, strata: landings / u64::from(replicates) };
        check_coverage("Latin hypercubes", replicates, landings, asked, &Method::LatinHypercube(hypercubes));
    }
}

#[test]
fn intervals_of_scrambled_nets_hold_the_truth() {
    for (replicates, landings, asked) in [(16, 2048, 2048), (8, 1000, 1000), (16, 16_384, 2503)] {
        let nets = SobolNets::new(replicates, INPUTS as usize);
        check_coverage("Sobol points", replicates, landings, asked, &Method::Sobol(nets));
    }
}

/// By simulation, beside the exact sums of the unit tests: at least the confidence, but for chance. Each bound fails in
/// at most 2.5 % of 4000 draws, that is 100, with standard deviation 9.9; four of them more.
#[test]
fn bounds_of_clopper_and_pearson_hold_at_least_as_often_as_they_say() {
    const DRAWS: u64 = 4000;
    for (trials, probability) in [(50, 0.5), (200, 0.1), (1000, 0.01), (1000, 0.001), (3000, 0.0001)] {
        let (mut above, mut below) = (0, 0);
        for seed in 0..DRAWS {
            let events = (0..trials).filter(|&item| uniform(seed, item, 1) < probability).count() as u64;
            above += u64::from(clopper_pearson_lower(events, trials, CONFIDENCE) > probability);
            below += u64::from(clopper_pearson_upper(events, trials, CONFIDENCE) < probability);
        }
        println!("{trials} trials at {probability}: {above} and {below} of {DRAWS} bounds fail");
        assert!(above <= 140 && below <= 140, "{trials} {probability}: {above} {below}");
    }
}
