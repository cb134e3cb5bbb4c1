//! How landings depend on the length of the steps and the number of modes, and where their energy goes.

use glam::DVec2;
use rayon::prelude::*;

use super::tests::{example, short_study};
use super::*;
use crate::deck::{DeckState, GRAVITY, GearMode, Propagation, inverse, judge};
use crate::document::Document;

/// Where the energy of a landing by steps of one length went \[J\].
#[derive(Clone, Copy, Debug, Default)]
struct Audit {
    /// Kinetic energy relative to the mean place at the first touch.
    touchdown: f64,
    /// Kinetic, gravity's and the gear's at the start and now.
    start: f64,
    now: f64,
    lift: f64,
    /// Of the forces on the initiators, by the way that these really went.
    contact: f64,
    gear: f64,
    /// What forces of the step's end take beyond springs and dampers: half of stiffness times the square of each step's way.
    implicit: f64,
}

impl Audit {
    /// What is missing \[J\].
    fn gap(&self) -> f64 {
        (self.start + self.lift + self.contact - self.gear - self.now).abs()
    }

    /// What goes through: the touchdown, or what a heaving deck gives or takes where that is more \[J\].
    fn turnover(&self) -> f64 {
        self.touchdown.max(self.contact.abs())
    }
}

fn energy(landing: &DeckLanding, mass: f64, state: &DeckState) -> f64 {
    let body = mass * landing.mass * (GRAVITY * state.place.y + 0.5 * state.velocity.length_squared())
        + 0.5 * mass * landing.inertia * state.roll_rate.powi(2);
    let modes = landing.gear.modes.iter().zip(&state.modes);
    body + modes.map(|(mode, [q, p])| 0.5 * (p * p + (mode.frequency * q).powi(2))).sum::<f64>()
}

/// What a mode's damper takes in a step under a force: by Simpson's rule along its exact way, without any balance.
fn damped(mode: &GearMode, [q, p]: [f64; 2], force: f64, step: f64) -> f64 {
    const PARTS: usize = 64;
    let by = Propagation::new(mode, step / PARTS as f64);
    let (mut at, mut sum) = ([q, p], 0.0);
    for part in 0..=PARTS {
        let weight = if part % PARTS == 0 { 1.0 } else { [2.0, 4.0][part % 2] };
        sum += weight * at[1] * at[1];
        at = [by.a * at[0] + by.b * at[1] + by.e * force, by.c * at[0] + by.d * at[1] + by.g * force];
    }
    2.0 * mode.damping * mode.frequency * sum * step / (3.0 * PARTS as f64)
}

fn audited(landing: &DeckLanding, start: &DeckStart) -> Audit {
    let mut before = landing.initial(start);
    let mut audit = Audit { start: energy(landing, start.mass, &before), ..Audit::default() };
    let mass = start.mass * landing.mass;
    let place = |state: &DeckState, initiator: usize| {
        state.place + DVec2::from_angle(state.roll).rotate(landing.bent(&state.modes, initiator)[0])
    };
    run(landing, start, &mut |stepper, tally| {
        let after = stepper.state();
        if tally.has_touched() && audit.touchdown == 0.0 {
            audit.touchdown = 0.5 * mass * before.velocity.length_squared();
        }
        let body = DVec2::from_angle(before.roll);
        audit.lift += stepper.lift() * mass * GRAVITY * body.perp().dot(after.place - before.place);
        let deck = start.motion.pose(stepper.moment().time + landing.step);
        for (initiator, force) in stepper.forces().iter().enumerate() {
            let way = place(after, initiator) - place(&before, initiator);
            audit.contact += force.dot(way);
            if stepper.moment().loads[initiator].is_some_and(|load| load > 0.0) {
                let from_deck = place(after, initiator) - deck.place;
                let relative = way - landing.step * (deck.velocity + deck.roll_rate * from_deck.perp());
                let across = DVec2::from_angle(deck.roll).perp().dot(relative);
                audit.implicit += 0.5 * landing.law.stiffness * across * across;
            }
        }
        for (number, mode) in landing.gear.modes.iter().enumerate() {
            let push: f64 =
                stepper.forces().iter().zip(&mode.at).map(|(force, at)| at.dot(inverse(body, *force))).sum();
            audit.gear += damped(mode, before.modes[number], push, landing.step);
        }
        before = after.clone();
    });
    audit.now = energy(landing, start.mass, &before);
    audit
}

/// The energy that goes through contacts, lift and dampers is what body and gear lose: in the median to a few 1e-4 of what they touch down
/// with at the example's step, and better with shorter steps; always to a thousandth of what goes through.
#[test]
fn the_energy_of_steps_of_one_length_is_balanced_and_more_so_with_shorter_ones() {
    const TRIALS: u64 = 24;
    const FEWEST: usize = 20;
    let (study, aircraft) = (short_study("duration = 2"), aircraft());
    let model: &DeckLandingModel = study.model.downcast().unwrap();
    let mut medians = Vec::new();
    for step in [2e-3, 1e-3, 5e-4, 2.5e-4] {
        let of = &model.landing;
        let landing = aircraft.landing(of.deck.clone(), of.clearance, step, (2.0 / step) as u32);
        let audits: Vec<Audit> =
            (0..TRIALS).into_par_iter().map(|trial| audited(&landing, &model.start(&study.inputs_of(trial)))).collect();
        // Some may touch down later.
        let audits: Vec<Audit> = audits.into_iter().filter(|audit| audit.touchdown > 0.0).collect();
        assert!(audits.len() >= FEWEST, "{} of {TRIALS} touch down", audits.len());
        let mut gaps: Vec<f64> = audits.iter().map(|audit| audit.gap() / audit.touchdown).collect();
        gaps.sort_by(f64::total_cmp);
        let most = audits.iter().map(|audit| audit.gap() / audit.turnover()).fold(0.0, f64::max);
        let mean = |of: fn(&Audit) -> f64| audits.iter().map(of).sum::<f64>() / audits.len() as f64;
        println!(
            "step {step:.2e} s: missing {:.1e} of the touchdown in the median, {:.1e} of what goes through at most; mean of \
             touchdown {:.0} J, contacts {:.0} J, gear {:.0} J, taken by forces of the step's end {:.1} J",
            gaps[gaps.len() / 2],
            most,
            mean(|it| it.touchdown),
            mean(|it| it.contact),
            mean(|it| it.gear),
            mean(|it| it.implicit)
        );
        medians.push(gaps[gaps.len() / 2]);
        if step <= 1e-3 {
            assert!(most < 1e-3);
        }
    }
    assert!(medians.windows(2).all(|pair| pair[1] < 0.75 * pair[0]), "{medians:?}");
}

fn aircraft() -> Aircraft {
    aircraft_with(|text| text)
}

fn aircraft_with(change: impl Fn(String) -> String) -> Aircraft {
    let text = std::fs::read_to_string(example("aircraft/skid_helicopter.toml")).unwrap();
    Aircraft::read(&Document::parse("skid_helicopter.toml", &change(text)).unwrap().root()).unwrap()
}

/// Loads and stress of landings by the number of modes that the gear keeps, of 14.
#[test]
fn loads_and_stress_settle_with_the_number_of_modes() {
    const TRIALS: u64 = 32;
    const MODES: usize = 14;
    let study = short_study("duration = 2");
    let model: &DeckLandingModel = study.model.downcast().unwrap();
    let of = &model.landing;
    let found = |modes: usize| -> Vec<[f64; 3]> {
        let aircraft = aircraft_with(|text| text.replace("modes = 4 ", &format!("modes = {modes} ")));
        assert_eq!(aircraft.gear.modes.len(), modes);
        let landing = aircraft.landing(of.deck.clone(), of.clearance, of.step, of.steps);
        let outcome = |trial: u64| {
            let outcome = run(&landing, &model.start(&study.inputs_of(trial)), &mut |_, _| {});
            // Some may touch down later.
            outcome.touchdown_time?;
            Some([outcome.peak_loads.iter().copied().fold(0.0, f64::max), outcome.stress, outcome.largest_roll])
        };
        (0..TRIALS).into_par_iter().filter_map(outcome).collect()
    };
    let all = found(MODES);
    let mut errors = Vec::new();
    for modes in [1, 2, 3, 4, 6, 8, 10, 12, 14] {
        let outcomes = found(modes);
        assert_eq!(outcomes.len(), all.len(), "the same touch down");
        let mean = |part: usize| outcomes.iter().map(|it| it[part]).sum::<f64>() / outcomes.len() as f64;
        let error = |part: usize| {
            let mut errors: Vec<f64> =
                outcomes.iter().zip(&all).map(|(one, all)| (one[part] / all[part] - 1.0).abs()).collect();
            errors.sort_by(f64::total_cmp);
            errors[errors.len() / 2]
        };
        println!(
            "{modes:2} modes: load {:6.0} N, stress {:.4} of yield, roll {:.4} rad; median difference from all modes {:.1e}, {:.1e}, {:.1e}",
            mean(0),
            mean(1),
            mean(2),
            error(0),
            error(1),
            error(2)
        );
        errors.push((modes, error(1)));
    }
    let of = |modes: usize| errors.iter().find(|(number, _)| *number == modes).unwrap().1;
    assert!(of(4) < 0.05 && of(8) < of(2));
}

/// One of a thousand, see `a_thousand_landings_are_judged_by_adaptive_steps`, with steps and tolerances that shrink.
#[test]
#[ignore = "a look at one landing"]
fn a_landing_of_another_class_with_shorter_steps_and_smaller_tolerances() {
    let (study, aircraft) = (short_study("duration = 5"), aircraft());
    let model: &DeckLandingModel = study.model.downcast().unwrap();
    let of = &model.landing;
    for trial in [366] {
        let start = model.start(&study.inputs_of(trial));
        for step in [2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4, 5e-5, 2e-5, 1e-5] {
            let landing = aircraft.landing(of.deck.clone(), of.clearance, step, (5.0 / step).round() as u32);
            let mut touches = Vec::new();
            let mut last = false;
            let mut peak = (0.0, 0.0);
            let outcome = run(&landing, &start, &mut |stepper, _| {
                let moment = stepper.moment();
                let is = moment.loads.iter().any(Option::is_some);
                if is != last {
                    touches.push(format!("{:.3}", moment.time));
                    last = is;
                }
                if moment.stress > peak.1 {
                    peak = (moment.time, moment.stress);
                }
            });
            println!(
                "{trial} step {step:.0e}: {:?}, stress {:.4} at {:.4} s, roll {:.5}, {}",
                outcome.class,
                outcome.stress,
                peak.0,
                outcome.largest_roll,
                touches[..touches.len().min(12)].join(" ")
            );
        }
        for tolerance in [1e-5, 1e-6, 1e-7, 1e-8] {
            let (outcome, balance) = judge(&model.landing, &start, tolerance).unwrap();
            println!(
                "{trial} tolerance {tolerance:.0e}: {:?}, stress {:.4}, roll {:.5}, gap {:.1e}",
                outcome.class,
                outcome.stress,
                outcome.largest_roll,
                balance.gap()
            );
        }
    }
}
