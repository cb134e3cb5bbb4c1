use std::f64::consts::TAU;

use super::*;

/// A mass on a spring of frequency 1: (place, velocity).
struct Oscillator;

impl System for Oscillator {
    fn rates(&self, _time: f64, state: &[f64], rates: &mut [f64]) {
        (rates[0], rates[1]) = (state[1], -state[0]);
    }
}

/// Tolerances that no step fails.
const ANY: f64 = 1e6;

fn fixed(length: f64, state: Vec<f64>) -> Integrator {
    let tolerances = Tolerances::uniform(0.0, ANY, state.len());
    let mut integrator = Integrator::new(0.0, state, tolerances).unwrap().with_longest_step(length);
    integrator.next = Some(length);
    integrator
}

/// The greatest errors of an oscillation at the ends of steps, and within them.
fn errors(steps: u32) -> [f64; 2] {
    let mut integrator = fixed(TAU / f64::from(steps), vec![1.0, 0.0]);
    let (mut at_ends, mut within) = (0.0f64, 0.0f64);
    for _ in 0..steps {
        let step = integrator.propose(&Oscillator, 100.0).unwrap();
        let start = step.at(step.from());
        for share in 1..8 {
            // The exact way from the begin of this step: what the polynomial alone adds.
            let time = step.from() + step.length() * f64::from(share) / 8.0;
            let (sin, cos) = (time - step.from()).sin_cos();
            within = within.max((step.component(0, time) - (start[0] * cos + start[1] * sin)).abs());
        }
        integrator.accept(&step, step.to());
        at_ends = at_ends.max((integrator.state()[0] - integrator.time().cos()).abs());
    }
    [at_ends, within]
}

#[test]
fn errors_fall_with_the_fifth_power_of_the_step() {
    let [coarse, fine] = [40, 80].map(errors);
    let orders: [f64; 2] = std::array::from_fn(|which| (coarse[which] / fine[which]).log2());
    println!("orders {orders:?}, errors {fine:?}");
    // Globally of order 5, and so is each step's own polynomial, whose order is 4. The next term of an expansion in steps of
    // 0.16 and 0.08 is some 0.1 of the leading one.
    assert!(orders.iter().all(|order| (order - 5.0).abs() < 0.25));
}

#[test]
fn an_oscillation_keeps_to_its_tolerance_for_a_hundred_periods() {
    let mut worst = Vec::new();
    for tolerance in [1e-6, 1e-9] {
        let tolerances = Tolerances::uniform(0.0, tolerance, 2);
        let mut integrator = Integrator::new(0.0, vec![1.0, 0.0], tolerances).unwrap();
        let (mut error, mut steps) = (0.0f64, 0u32);
        while integrator.time() < 100.0 * TAU {
            let step = integrator.propose(&Oscillator, 100.0 * TAU).unwrap();
            integrator.accept(&step, step.to());
            error = error.max((integrator.state()[0] - integrator.time().cos()).abs());
            steps += 1;
        }
        println!("tolerance {tolerance:e}: {steps} steps, {} rejected, error {error:e}", integrator.rejected());
        // Errors of steps add up.
        assert!(error <= f64::from(steps) * tolerance);
        worst.push(error);
    }
    assert!(worst[0] > 100.0 * worst[1]);
}

#[test]
fn rates_are_within_the_limit_that_the_polynomial_tells() {
    let mut integrator = fixed(1.3, vec![0.3, 0.8]);
    let step = integrator.propose(&Oscillator, 10.0).unwrap();
    let sample = |k: u32| step.component(0, step.from() + step.length() * f64::from(k) / 1000.0);
    let steepest = (0..1000).map(|k| (sample(k + 1) - sample(k)).abs() * 1000.0 / step.length()).fold(0.0, f64::max);
    println!("steepest {steepest}, limit {}", step.rate_limit(0));
    assert!(steepest <= step.rate_limit(0) && step.rate_limit(0) < 2.0 * steepest);

    // Both derivatives against differences, whose errors are of the order of the square of their steps.
    let at = |k: u32| step.from() + step.length() * f64::from(k) / 1000.0;
    let apart = step.length() / 1000.0;
    let mut fastest = 0.0f64;
    for k in 1..1000 {
        let rate = (sample(k + 1) - sample(k - 1)) / (2.0 * apart);
        assert!((step.rate(0, at(k)) - rate).abs() < 1e-5, "{k}: {} {rate}", step.rate(0, at(k)));
        fastest = fastest.max((step.rate(0, at(k + 1)) - step.rate(0, at(k - 1))).abs() / (2.0 * apart));
    }
    println!("fastest {fastest}, limit {}", step.acceleration_limit(0));
    assert!(fastest <= step.acceleration_limit(0) && step.acceleration_limit(0) < 2.0 * fastest);
}

/// Polynomials of time with known roots.
struct Products<'a>(&'a [&'a [f64]]);

impl Watch for Products<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn values(&self, numbers: &[usize], time: f64) -> Vec<f64> {
        numbers.iter().map(|&number| self.0[number].iter().map(|root| time - root).product()).collect()
    }
    fn rate_limit(&self, _number: usize) -> f64 {
        // Up to three factors, each of them within 1 of 0 over the unit interval.
        3.0
    }
}

/// Intervals are halved to 2^-12 for this resolution; the dip of 2.5e-9 lies within one of them.
const COARSE: f64 = 1e-3;
const SHALLOW: &[f64] = &[0.29985, 0.29995];

#[test]
fn the_first_of_many_roots_is_found_to_the_neighbouring_time() {
    for (roots, at, functions) in [
        (&[&[0.7][..], &[0.3], &[0.31, 0.32]][..], 0.3, &[1][..]),
        // A dip of 2.5e-5 below 0, between ends of one sign.
        (&[&[0.7], &[0.4, 0.41]], 0.4, &[1]),
        // Three roots.
        (&[&[0.2, 0.21, 0.9]], 0.2, &[0]),
        // A tie.
        (&[&[0.6], &[0.6]], 0.6, &[0, 1]),
        // Next to one another.
        (&[&[0.6 + 1e-15], &[0.6]], 0.6, &[1]),
        // A dip of 2.5e-9, too shallow alone, is found where it goes on at another's root.
        (&[&[0.2999], SHALLOW], SHALLOW[0], &[1]),
    ] {
        let change = first_change(&Products(roots), [0.0, 1.0], COARSE).unwrap();
        println!("{roots:?}: {change:?}");
        // 0 counts as negative: a function that falls has changed at its root, one that rises just after it.
        assert!(change.at >= at && change.at - at <= 2.0 * f64::EPSILON * at, "{change:?}");
        assert_eq!(change.functions, functions);
    }
    assert_eq!(first_change(&Products(&[&[-0.1], &[1.2]]), [0.0, 1.0], COARSE), None);
    assert_eq!(first_change(&Products(&[SHALLOW]), [0.0, 1.0], COARSE), None);
    assert!(first_change(&Products(&[SHALLOW]), [0.0, 1.0], 4e-9).is_some());
}

/// A decay that is a thousand times as fast from about time 1 on.
struct Decay;

/// How long that takes.
const ONSET: f64 = 0.01;

impl System for Decay {
    fn rates(&self, time: f64, state: &[f64], rates: &mut [f64]) {
        rates[0] = -state[0] * (1.0 + 999.0 / (1.0 + (-(time - 1.0) / ONSET).exp()));
    }
}

#[test]
fn steps_that_would_miss_a_sudden_change_are_rejected() {
    let mut integrator = Integrator::new(0.0, vec![1.0], Tolerances::uniform(0.0, 1e-6, 1)).unwrap();
    let (mut worst, mut steps) = (0.0f64, 0u32);
    while integrator.time() < 1.01 {
        let before = integrator.clone();
        let step = integrator.propose(&Decay, 1.01).unwrap();
        assert_eq!((before.time(), before.state()), (integrator.time(), integrator.state()));
        integrator.accept(&step, step.to());
        let time = integrator.time();
        let exact = (-time - 999.0 * ONSET * ((time - 1.0) / ONSET).exp().ln_1p()).exp();
        worst = worst.max((integrator.state()[0] - exact).abs());
        steps += 1;
    }
    println!("{steps} steps, {} rejected, error {worst:e}", integrator.rejected());
    assert!(integrator.rejected() > 5 && worst <= f64::from(steps) * 1e-6);
}

/// A state that is infinite at time 1.
struct Blowup;

impl System for Blowup {
    fn rates(&self, _time: f64, state: &[f64], rates: &mut [f64]) {
        rates[0] = state[0] * state[0];
    }
}

#[test]
fn what_cannot_go_on_is_said() {
    let mut integrator = Integrator::new(0.0, vec![1.0], Tolerances::uniform(1e-8, 1e-8, 1)).unwrap();
    let error = loop {
        match integrator.propose(&Blowup, 2.0) {
            Ok(step) => integrator.accept(&step, step.to()),
            Err(error) => break error,
        }
    };
    println!("{error}");
    assert!(matches!(error, IntegratorError::StepTooSmall { time, .. } if (time - 1.0).abs() < 1e-6));

    let bad = |state: f64, absolute: f64| Integrator::new(0.0, vec![state], Tolerances::uniform(0.0, absolute, 1));
    assert!(matches!(bad(f64::NAN, 1.0), Err(IntegratorError::NotFinite { component: 0, .. })));
    assert_eq!(bad(0.0, 0.0), Err(IntegratorError::Tolerance { value: 0.0 }));
    assert!(matches!(integrator.propose(&Blowup, 0.5), Err(IntegratorError::Backwards { .. })));
}

#[test]
fn a_start_that_is_no_time_and_a_limit_that_allows_no_step_are_refused() {
    let start = |time: f64| Integrator::new(time, vec![1.0], Tolerances::uniform(1e-8, 1e-8, 1));
    for time in [f64::NAN, f64::INFINITY] {
        let expected = format!("the start time is {time}; it must be finite");
        assert_eq!(start(time).unwrap_err().to_string(), expected);
    }
    for longest in [f64::NAN, 0.0, -1.0] {
        let mut limited = start(0.0).unwrap().with_longest_step(longest);
        let expected = format!("the longest step is {longest}; it must be above 0");
        assert_eq!(limited.propose(&Decay, 1.0).unwrap_err().to_string(), expected);
    }
    assert!(start(0.0).unwrap().with_longest_step(f64::INFINITY).propose(&Decay, 1.0).is_ok());
}
