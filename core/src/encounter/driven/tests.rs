//! Against the platoon and constant speeds, conservation, and equal bits of both engines.

use glam::{DQuat, DVec2, DVec3};

use super::collision::energy;
use super::{Course, Drive, DrivenFrame, Searched, step};
use crate::elementary::sin_cos;
use crate::ellipsoid_contact::pair_contact;
use crate::encounter::{ContactFunction, common_scaling, encounter};
use crate::job::Compute;
use crate::native::Native;
use crate::query::{
    Chassis, ContactModel, Driven, DrivenEncounter, DrivenEncounters, DrivenStep, DrivenSteps, Ellipsoid,
    EllipsoidPair, Encounter, EncounterStatus, SIDES_OVER_SEMI_AXES,
};
use crate::random::uniform;
use crate::reference::Reference;

/// The report's car.
const CHASSIS: Chassis =
    Chassis { axles: [1.034, 1.491], half_track: 0.725, cornering_stiffness: 4e4, tyre_lag: 0.0016 };

/// The report's first example.
fn report(contact: ContactModel) -> DrivenEncounter {
    let driven = |x: f64, y: f64, speed| Driven { position: DVec2::new(x, y), yaw: 0.0, speed };
    let encounter = Encounter {
        vehicles: [driven(0.0, 0.0, 29.1), driven(7.0, -2.0, 26.8)],
        sides: [5.0, 3.0, 2.9],
        radius: 0.3,
        mass: 1573.0,
        yaw_inertia: 2782.0,
        restitution: 0.5,
        friction: 0.0,
        contact,
    };
    DrivenEncounter { encounter, chassis: CHASSIS, steering: [0.0; 2], step: 0.002, horizon: 2.0 }
}

/// Any encounter of a seed; steered and with friction where that is above 0.
fn any(seed: u64, number: u64, friction: f64) -> DrivenEncounter {
    let encounter = crate::encounter::tests::any(seed, number, friction);
    let mut variable = 100;
    let mut between = |low: f64, high: f64| {
        variable += 1;
        low + (high - low) * uniform(seed, number, variable)
    };
    let [length, width, _] = encounter.sides;
    let chassis = Chassis {
        axles: [between(0.2, 0.4) * length, between(0.2, 0.4) * length],
        half_track: between(0.3, 0.5) * width,
        cornering_stiffness: encounter.mass * between(0.0, 25.0),
        tyre_lag: between(1e-3, 0.1),
    };
    let steering = [between(-0.1, 0.1), between(-0.1, 0.1)].map(|angle| angle * friction);
    DrivenEncounter { encounter, chassis, steering, step: 0.001, horizon: 2.0 }
}

/// The same, on their way to each other.
fn aimed(seed: u64, number: u64, friction: f64) -> DrivenEncounter {
    let mut item = any(seed, number, friction);
    let between = |variable, low: f64, high: f64| low + (high - low) * uniform(seed, number, variable);
    let [a, b] = &mut item.encounter.vehicles;
    let velocity = |vehicle: &Driven| vehicle.speed * DVec2::from_angle(vehicle.yaw);
    let beside = DVec2::new(between(200, -1.5, 1.5), between(201, -1.5, 1.5));
    b.position = a.position + (velocity(a) - velocity(b)) * between(202, 0.2, 0.6) + beside;
    item
}

fn answers(items: &[DrivenEncounter]) -> Vec<crate::query::DrivenAnswer> {
    Native::new(2).unwrap().compute::<DrivenEncounters>((), items).unwrap()
}

#[test]
fn ellipses_under_a_common_factor_are_those_of_ellipsoids() {
    let mut worst = [0.0f64; 3];
    for number in 0..20_000 {
        let mut variable = 0;
        let mut between = |low: f64, high: f64| {
            variable += 1;
            low + (high - low) * uniform(5, number, variable)
        };
        let semi_axes = [between(0.5, 4.0), between(0.5, 4.0)];
        let yaws = [between(-4.0, 4.0), between(-4.0, 4.0)];
        let apart = [between(-6.0, 6.0), between(-6.0, 6.0)];
        let headings = yaws.map(|yaw| {
            let (sin, cos) = sin_cos(yaw);
            [cos, sin]
        });
        let found = common_scaling(&ContactFunction::new(headings, semi_axes, apart));
        assert!(found.converged);
        let body = |center: DVec3, yaw: f64| Ellipsoid {
            center,
            semi_axes: DVec3::new(semi_axes[0], semi_axes[1], 1.0),
            rotation: DQuat::from_rotation_z(yaw),
        };
        let b = DVec2::from_array(apart).extend(0.0);
        let expected = pair_contact(&EllipsoidPair::new(body(DVec3::ZERO, yaws[0]), body(b, yaws[1])));
        let arm = DVec2::from_array(found.arms[0]);
        let errors = [
            (found.square / expected.f - 1.0).abs(),
            (DVec2::from_array(found.normal) - expected.normal.truncate()).length(),
            (arm - expected.point.truncate()).length(),
        ];
        worst = [0, 1, 2].map(|k| worst[k].max(errors[k]));
        let between = DVec2::from_array(found.arms[0]) - DVec2::from_array(found.arms[1]);
        assert!((between - DVec2::from_array(apart)).length() < 1e-13 * 10.0);
    }
    println!("20,000 pairs of ellipses: factor, normal and point differ from those of ellipsoids by {worst:?}");
    // The search ends at 32 epsilons of F', which l scales by the ratio of the axes.
    assert!(worst.iter().all(|worst| *worst < 1e-11), "{worst:?}");
}

/// Cars that are 1e-4 of a size apart, within the band, and part along straight lines: whatever the normal of their boxes.
#[test]
fn cars_that_part_within_the_band_never_meet() {
    let parting = |number: u64| {
        let mut item = DrivenEncounter { steering: [0.0; 2], horizon: 0.5, ..any(17, number, 0.5) };
        item.chassis.cornering_stiffness = 0.0;
        item.encounter.contact = ContactModel::Box;
        let [a, b] = &mut item.encounter.vehicles;
        let headings = [a.yaw, b.yaw].map(|yaw| {
            let (sin, cos) = sin_cos(yaw);
            [cos, sin]
        });
        let semi_axes = [0, 1].map(|k| item.encounter.sides[k] / SIDES_OVER_SEMI_AXES);
        let apart = b.position - a.position;
        let square = common_scaling(&ContactFunction::new(headings, semi_axes, apart.to_array())).square;
        b.position = a.position + apart * (1.0001 / square.sqrt());
        let normal = DVec2::from_array(
            common_scaling(&ContactFunction::new(headings, semi_axes, (b.position - a.position).to_array())).normal,
        );
        let drift = b.speed * DVec2::from_array(headings[1]) - a.speed * DVec2::from_array(headings[0]);
        if drift.dot(normal) < 0.0 {
            (a.speed, b.speed) = (-a.speed, -b.speed);
        }
        item
    };
    let items: Vec<DrivenEncounter> = (0..2000).map(parting).collect();
    for (item, answer) in items.iter().zip(answers(&items)) {
        assert_eq!(answer.status, EncounterStatus::Missed, "{item:?} {answer:?}");
    }
}

#[test]
fn the_first_impact_is_that_at_constant_speeds() {
    let items: Vec<DrivenEncounter> =
        (0..1200).map(|number| DrivenEncounter { horizon: 0.8, ..aimed(1, number, 0.0) }).collect();
    let (mut met, mut early, mut grazes, mut worst) = (0, 0, 0, [0.0f64; 3]);
    for (item, answer) in items.iter().zip(answers(&items)) {
        assert_ne!(answer.status, EncounterStatus::BadInput, "{:?}", item.fault());
        let expected = encounter(&item.encounter);
        if expected.status == EncounterStatus::Overlap {
            assert_eq!(answer.status, EncounterStatus::Overlap);
        }
        if expected.status != EncounterStatus::Contact || expected.time > item.horizon {
            continue;
        }
        let approach = expected.impulse / item.encounter.mass;
        // A graze that begins and ends within a step is not seen, nor is one of boxes whose normal has them part.
        let Some(first) = answer.first.filter(|_| approach > 0.1) else {
            assert!(approach < 1.0, "{item:?} {expected:?} {answer:?}");
            grazes += 1;
            continue;
        };
        met += 1;
        // Within the band bodies touch a little earlier.
        if first.time < expected.time - 1e-6 {
            let way = (expected.time - first.time) * 80.0;
            assert!(way < 0.01, "{way}");
            early += 1;
            continue;
        }
        let errors = [
            (first.time - expected.time).abs() * 80.0,
            (first.normal - expected.normal).length(),
            (first.impulse / expected.impulse - 1.0).abs(),
        ];
        worst = [0, 1, 2].map(|k| worst[k].max(errors[k]));
    }
    println!(
        "{met} first impacts, {early} early in the band, {grazes} grazes; way, normal and impulse off by {worst:?}"
    );
    assert!(met > 500 && early < met / 10 && grazes < met / 10);
    // What false position leaves of a step of 8 cm in bodies of metres.
    assert!(worst.iter().all(|worst| *worst < 1e-3), "{worst:?}");
}

#[test]
fn the_report_as_the_platoon_drives_it() {
    for (contact, expected) in [(ContactModel::Ellipsoid, 0.443), (ContactModel::Box, -0.623)] {
        let answer = answers(&[report(contact)])[0];
        let first = answer.first.unwrap();
        let rates = first.after.map(|after| after.yaw_rate);
        println!(
            "{contact:?}: contact at {:.6} s, yaw rates {rates:.4?} rad/s, {} impacts, at 2 s headings {:.4} and {:.4}",
            first.time, answer.impacts, answer.end[0].yaw, answer.end[1].yaw
        );
        assert!((first.time - 0.76875640).abs() < 1e-6);
        assert!(rates.iter().all(|rate| (rate / expected - 1.0).abs() < 0.01), "{rates:?}");
    }
}

#[test]
fn impacts_keep_momentum_and_take_energy() {
    let (mut hits, mut worst, mut gained) = (0, [0.0f64; 2], 0.0f64);
    for number in 0..400 {
        let item = aimed(2, number, 1.0);
        let (_, drive, mut course) = DrivenFrame::new(&item);
        for _ in 0..900 {
            let (after, contacts) = step(&drive, &course, &Searched);
            if contacts.hits {
                hits += 1;
                // What the impact alone does: the same step of a length of nothing.
                let still = Drive { step: 1e-300, ..drive };
                let hit = step(&still, &course, &Searched).0;
                let (before, after) = (momenta(&drive, &course), momenta(&drive, &hit));
                let size = [0, 1].map(|k| momenta_size(&drive, &course)[k].max(momenta_size(&drive, &hit)[k]));
                worst[0] = worst[0].max((before.0 - after.0).length() / size[0]);
                worst[1] = worst[1].max((before.1 - after.1).abs() / size[1]);
                gained = gained.max((energy(&drive, &hit) - energy(&drive, &course)) / energy(&drive, &course));
            }
            course = after;
        }
    }
    println!(
        "{hits} impacts: momentum off by {:.1e}, angular by {:.1e}; energy grows by {gained:.1e} at most",
        worst[0], worst[1]
    );
    assert!(hits > 300);
    assert!(worst.iter().all(|worst| *worst < 1e-13) && gained < 1e-13);
}

/// Momentum, and angular momentum about the centre of A at the start.
fn momenta(drive: &Drive<f64>, course: &Course<f64>) -> (DVec2, f64) {
    let [a, b] = &course.motions;
    let (va, vb) = (DVec2::from_array(a.velocity), DVec2::from_array(b.velocity));
    let way = DVec2::from_array(course.way);
    let places = [way, way + DVec2::from_array(course.apart)];
    let spin = (a.yaw_rate + b.yaw_rate) / drive.slenderness;
    (va + vb, places[0].perp_dot(va) + places[1].perp_dot(vb) + spin)
}

fn momenta_size(drive: &Drive<f64>, course: &Course<f64>) -> [f64; 2] {
    let [a, b] = &course.motions;
    let speed = DVec2::from_array(a.velocity).length() + DVec2::from_array(b.velocity).length();
    let reach = DVec2::from_array(course.way).length() + DVec2::from_array(course.apart).length();
    [speed, speed * reach + (a.yaw_rate.abs() + b.yaw_rate.abs()) / drive.slenderness]
}

/// What tyres hold as springs that yield: |v| T f^2 / (2 C) each.
fn held(drive: &Drive<f64>, course: &Course<f64>) -> f64 {
    let mut sum = 0.0;
    for (motion, gear) in course.motions.iter().zip(&drive.gear) {
        let [x, y] = gear.axles;
        for (wheel, force) in motion.tyres.iter().enumerate() {
            let along = [x, x, -y, -y][wheel];
            let aside = [1.0, -1.0, 1.0, -1.0][wheel] * gear.half_track;
            let heading = DVec2::from_array(motion.heading);
            let arm = heading.rotate(DVec2::new(along, aside));
            let velocity = DVec2::from_array(motion.velocity) + motion.yaw_rate * arm.perp();
            let speed = (velocity.length_squared() + gear.creep * gear.creep).sqrt();
            if gear.stiffness > 0.0 {
                sum += 0.5 * speed * drive.lag * force * force / gear.stiffness;
            }
        }
    }
    sum
}

#[test]
fn tyres_take_energy_alone() {
    let (mut steps, mut gained, mut taken) = (0, 0.0f64, 0.0);
    for number in 0..400 {
        let item = any(3, number, 1.0);
        let (_, drive, mut course) = DrivenFrame::new(&item);
        // Far from each other, sliding and turning.
        course.apart = [1000.0, 0.0];
        for (k, motion) in course.motions.iter_mut().enumerate() {
            let part = |variable: u32| 2.0 * uniform(9, number, variable + 10 * k as u32) - 1.0;
            motion.velocity = [10.0 * part(1), 10.0 * part(2)];
            motion.yaw_rate = 3.0 * part(3);
        }
        course.fault = 0.0;
        let start = energy(&drive, &course);
        for _ in 0..500 {
            let before = energy(&drive, &course) + held(&drive, &course);
            course = step(&drive, &course, &Searched).0;
            let after = energy(&drive, &course) + held(&drive, &course);
            gained = gained.max((after - before) / before);
            steps += 1;
        }
        taken += 1.0 - energy(&drive, &course) / start;
    }
    println!(
        "{steps} steps on tyres: energy with what tyres hold grows by {gained:.1e} of it at most; drives lose {:.2} on average",
        taken / 400.0
    );
    assert!(gained < 1e-6);
    assert!(taken > 40.0);
}

#[test]
fn native_gives_the_bits_of_the_reference() {
    let (native, reference) = (Native::new(2).unwrap(), Reference::new(2).unwrap());
    let mut items: Vec<DrivenEncounter> = (0..300).map(|number| aimed(4, number, 1.0)).collect();
    for (number, item) in items.iter_mut().enumerate() {
        item.horizon = [0.3, 0.7, 1.0][number % 3];
    }
    items[17].step = f64::NAN;
    items[40].encounter.mass = -1.0;
    for (item, bad) in items[50..58].iter_mut().zip(0..) {
        item.steering = [2.0 + f64::from(bad), 0.0];
    }
    let expected = reference.compute::<DrivenEncounters>((), &items).unwrap();
    assert_eq!(native.compute::<DrivenEncounters>((), &items).unwrap(), expected);
    assert_eq!(expected.iter().filter(|answer| answer.status == EncounterStatus::BadInput).count(), 10);
    let contacts = expected.iter().filter(|answer| answer.status == EncounterStatus::Contact).count();
    println!("300 encounters, {contacts} with impacts: equal bits");
    assert!(contacts > 150);

    let mut steps = Vec::new();
    for item in items.iter().filter(|item| item.fault().is_none()).take(60) {
        let (_, drive, mut course) = DrivenFrame::new(item);
        for _ in 0..250 {
            steps.push(DrivenStep { drive, course });
            course = step(&drive, &course, &Searched).0;
        }
    }
    let expected = reference.compute::<DrivenSteps>((), &steps).unwrap();
    assert_eq!(native.compute::<DrivenSteps>((), &steps).unwrap(), expected);
}

#[test]
fn halving_the_step_quarters_the_error() {
    let at = |step: f64| {
        let items: Vec<DrivenEncounter> =
            (0..200).map(|number| DrivenEncounter { step, horizon: 1.0, ..any(6, number, 1.0) }).collect();
        answers(&items)
    };
    let (coarse, middle, fine) = (at(0.002), at(0.001), at(0.000_125));
    let mut ratios = Vec::new();
    for ((coarse, middle), fine) in coarse.iter().zip(&middle).zip(&fine) {
        // Each impact more or less is another way.
        if [coarse, middle, fine].iter().any(|answer| answer.status != EncounterStatus::Missed) {
            continue;
        }
        let error = |answer: &crate::query::DrivenAnswer| (answer.end[0].position - fine.end[0].position).length();
        ratios.push(error(coarse) / error(middle).max(1e-15));
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    println!(
        "{} encounters without contact: errors of steps of 2 ms over those of 1 ms, {median:.2} in the middle",
        ratios.len()
    );
    assert!(ratios.len() > 50 && (3.5..4.6).contains(&median));
}
