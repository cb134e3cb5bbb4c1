//! Golden cases, the report's examples, conservation, and the first contact by brute force.

use glam::{DQuat, DVec2, DVec3};
use serde_json::Value;

use super::{Frame, encounter};
use crate::ellipsoid_contact::pair_contact;
use crate::job::Compute;
use crate::native::Native;
use crate::query::{
    ContactModel, Driven, Ellipsoid, EllipsoidPair, Encounter, EncounterAnswer, EncounterStatus, Encounters,
    PlanarMotion, SIDES_OVER_SEMI_AXES,
};
use crate::random::uniform;
use crate::reference::Reference;

/// The report's vehicles, restitution 0.5 and no friction; the second is at (x, y), and both drive along x.
fn platoon(place: [f64; 2], speeds: [f64; 2], contact: ContactModel) -> Encounter {
    let driven = |position: DVec2, speed| Driven { position, yaw: 0.0, speed };
    Encounter {
        vehicles: [driven(DVec2::ZERO, speeds[0]), driven(DVec2::from_array(place), speeds[1])],
        sides: [5.0, 3.0, 2.9],
        radius: 0.3,
        mass: 1573.0,
        yaw_inertia: 2782.0,
        restitution: 0.5,
        friction: 0.0,
        contact,
    }
}

/// Any encounter of a seed; with friction where that is above 0.
pub(in crate::encounter) fn any(seed: u64, number: u64, friction: f64) -> Encounter {
    let mut variable = 0;
    let mut between = |low: f64, high: f64| {
        variable += 1;
        low + (high - low) * uniform(seed, number, variable)
    };
    let (length, width, height) = (between(2.0, 12.0), between(1.2, 3.0), between(1.2, 4.0));
    let mass = between(500.0, 5000.0);
    let numbers = [
        between(-5.0, 5.0),
        between(-5.0, 5.0),
        between(-4.0, 4.0),
        between(-10.0, 40.0),
        between(-20.0, 20.0),
        between(-20.0, 20.0),
        between(-4.0, 4.0),
        between(-10.0, 40.0),
        length,
        width,
        height,
        between(0.01, 0.5) * length.min(width).min(height),
        mass,
        between(0.05, 0.3) * mass * length * length,
        between(0.0, 1.0),
        friction * between(0.0, 1.0),
    ];
    Encounter::of_numbers(numbers, ContactModel::ALL[(number % 2) as usize])
}

fn velocity(vehicle: &Driven) -> DVec2 {
    vehicle.speed * DVec2::from_angle(vehicle.yaw)
}

#[test]
fn golden_vehicles() {
    let cases: Value = serde_json::from_str(include_str!("../../../tests/data/contacts/vehicles.json")).unwrap();
    let cases = cases["cases"].as_array().unwrap();
    let number = |value: &Value| value.as_f64().unwrap();
    let mut worst = 0.0f64;
    for case in cases {
        let (input, expected) = (&case["input"], &case["expected"]);
        let of = |vehicle: usize, key: &str| number(&input["vehicles"][vehicle][key]);
        let speeds = [0, 1].map(|vehicle| of(vehicle, "SPEED"));
        let item = |contact| platoon([of(1, "X"), of(1, "Y")], speeds, contact);
        let mut near = |what: &str, found: f64, expected: &Value| {
            let error = (found - number(expected)).abs();
            worst = worst.max(error);
            assert!(error <= 1e-13 * (1.0 + found.abs()), "{} {what}: {found} {expected}", case["id"]);
        };
        let sign = |answer: &EncounterAnswer| {
            let [a, b] = answer.after.map(|after| if after.yaw_rate == 0.0 { 0.0 } else { after.yaw_rate.signum() });
            assert_eq!(a, b, "both cars turn alike");
            a
        };

        let em = encounter(&item(ContactModel::Ellipsoid));
        assert_eq!(em.status, EncounterStatus::Contact);
        near("time", em.time, &expected["t_contact"]);
        let arm = em.point - DVec2::new(speeds[0] * em.time, 0.0);
        near("x of r1", arm.x, &expected["r1"][0]);
        near("y of r1", arm.y, &expected["r1"][1]);
        near("x of the normal", em.normal.x, &expected["em_normal"][0]);
        near("y of the normal", em.normal.y, &expected["em_normal"][1]);
        assert_eq!(sign(&em), number(&expected["em_yaw_sign"]));

        let bm = encounter(&item(ContactModel::Box));
        let passes = expected["bm_no_contact"].as_bool().unwrap();
        assert_eq!(bm.status == EncounterStatus::Missed, passes, "{}", case["id"]);
        if !passes {
            near("time", bm.time, &expected["t_contact"]);
            near("x of the normal", bm.normal.x, &expected["bm_normal"][0]);
            near("y of the normal", bm.normal.y, &expected["bm_normal"][1]);
            let region = expected["bm_region"].as_str().unwrap();
            assert_eq!(bm.parts.unwrap().name(), format!("{region}-{region}"));
            assert_eq!(sign(&bm), number(&expected["bm_yaw_sign"]));
        }
    }
    println!("{} golden cases of vehicles, the largest error {worst:.1e}", cases.len());
    assert_eq!(cases.len(), 12);
}

#[test]
fn the_examples_of_the_report() {
    let first = |contact| encounter(&platoon([7.0, -2.0], [29.1, 26.8], contact));
    for (contact, expected) in [(ContactModel::Ellipsoid, 0.443), (ContactModel::Box, -0.623)] {
        let answer = first(contact);
        let rates = answer.after.map(|after| after.yaw_rate);
        println!("example 1, {contact:?}: contact at {:.4} s, yaw rates {rates:.4?} rad/s", answer.time);
        assert!((answer.time - 0.769).abs() < 5e-4);
        assert!(rates.iter().all(|rate| (rate / expected - 1.0).abs() < 0.01), "{rates:?} {expected}");
    }
    let second = |contact| encounter(&platoon([6.0, 3.6], [29.1, 26.8], contact));
    let (em, bm) = (second(ContactModel::Ellipsoid), second(ContactModel::Box));
    println!("example 2: the ellipsoids touch at {:.4} s, the boxes {}", em.time, bm.status.name());
    assert_eq!((em.status, bm.status), (EncounterStatus::Contact, EncounterStatus::Missed));
}

/// Momentum, angular momentum about the contact point and energy of both vehicles.
fn conserved(item: &Encounter, answer: &EncounterAnswer, motions: [PlanarMotion; 2]) -> (DVec2, f64, f64) {
    let (mut momentum, mut angular, mut energy) = (DVec2::ZERO, 0.0, 0.0);
    for (vehicle, PlanarMotion { velocity: v, yaw_rate }) in item.vehicles.iter().zip(motions) {
        let arm = vehicle.position + velocity(vehicle) * answer.time - answer.point;
        momentum += item.mass * v;
        angular += item.mass * arm.perp_dot(v) + item.yaw_inertia * yaw_rate;
        energy += 0.5 * (item.mass * v.length_squared() + item.yaw_inertia * yaw_rate * yaw_rate);
    }
    (momentum, angular, energy)
}

#[test]
fn impacts_keep_momentum_and_never_gain_energy() {
    for (friction, word) in [(0.0, "without"), (2.0, "with")] {
        let (mut worst, mut gain, mut hits) = ([0.0f64; 2], f64::NEG_INFINITY, 0);
        for number in 0..100_000 {
            let item = any(1, number, friction);
            let answer = encounter(&item);
            if answer.status != EncounterStatus::Contact {
                continue;
            }
            hits += u32::from(answer.impulse > 0.0);
            let before = item.vehicles.map(|vehicle| PlanarMotion { velocity: velocity(&vehicle), yaw_rate: 0.0 });
            let (p0, l0, e0) = conserved(&item, &answer, before);
            let (p1, l1, e1) = conserved(&item, &answer, answer.after);
            let size = item.mass * before.iter().map(|motion| motion.velocity.length()).sum::<f64>();
            worst[0] = worst[0].max((p1 - p0).length() / size);
            // Places are known to some units in the last place of where the contact is.
            let place = item.sides[0] + answer.point.length();
            worst[1] = worst[1].max((l1 - l0).abs() / (size * place));
            gain = gain.max((e1 - e0) / e0);
        }
        println!(
            "100,000 encounters {word} friction, {hits} impacts: momentum kept to {:.1e}, angular momentum to {:.1e}; \
             the largest gain of energy {gain:.1e}",
            worst[0], worst[1]
        );
        assert!(hits > 5_000);
        assert!(worst.iter().all(|&worst| worst < 1e-14), "{worst:?}");
        assert!(gain < 1e-15, "{gain}");
    }
}

/// The ellipsoids of an encounter at some time.
fn ellipsoids(item: &Encounter, time: f64) -> EllipsoidPair {
    let [a, b] = item.vehicles.map(|vehicle| Ellipsoid {
        center: (vehicle.position + velocity(&vehicle) * time).extend(0.0),
        semi_axes: DVec3::from_array(item.sides) / SIDES_OVER_SEMI_AXES,
        rotation: DQuat::from_rotation_z(vehicle.yaw),
    });
    EllipsoidPair::new(a, b)
}

#[test]
fn the_first_contact_is_found_and_none_is_missed() {
    const STEPS: u32 = 200;
    let (mut counts, mut worst) = ([0; 3], [0.0f64; 3]);
    for number in 0..3_000 {
        let item = Encounter { contact: ContactModel::Ellipsoid, ..any(2, number, 0.0) };
        let answer = encounter(&item);
        let until = match answer.status {
            EncounterStatus::Contact => answer.time,
            EncounterStatus::Missed => 5.0,
            EncounterStatus::Overlap => {
                assert!(pair_contact(&ellipsoids(&item, 0.0)).f < 1.0);
                counts[2] += 1;
                continue;
            }
            EncounterStatus::BadInput => continue,
            status => panic!("{status:?}"),
        };
        for step in 0..STEPS {
            let time = until * f64::from(step) / f64::from(STEPS);
            assert!(pair_contact(&ellipsoids(&item, time)).mu > 1.0 - 1e-12, "{item:?} {answer:?} {time}");
        }
        if answer.status == EncounterStatus::Missed {
            counts[1] += 1;
            continue;
        }
        counts[0] += 1;
        let contact = pair_contact(&ellipsoids(&item, answer.time));
        for (worst, error) in worst.iter_mut().zip([
            contact.mu - 1.0,
            (contact.normal.truncate() - answer.normal).length(),
            (contact.point.truncate() - answer.point).length() / item.sides[0],
        ]) {
            *worst = worst.max(error.abs());
        }
    }
    println!("{counts:?} contacts, misses, overlaps; errors of mu, normal and point: {worst:.1?}");
    assert!(counts.iter().all(|&count| count > 100) && worst.iter().all(|&worst| worst < 1e-9), "{worst:?}");
}

#[test]
fn grazes_are_decided_within_rounding() {
    let at = |offset: f64| encounter(&platoon([20.0, offset], [30.0, 20.0], ContactModel::Ellipsoid)).status;
    // Twice the semi-axis across.
    let reach = 2.0 * 3.0 / SIDES_OVER_SEMI_AXES;
    for side in [-1.0, 1.0] {
        assert_eq!(at(side * (reach - 1e-14)), EncounterStatus::Contact);
        assert_eq!(at(side * (reach + 1e-14)), EncounterStatus::Missed);
    }
}

#[test]
fn the_impulse_is_what_steps_of_impulse_come_to() {
    // Normal impulse in small steps, with Coulomb's friction against the slip at each.
    const STEP: f64 = 1e-4;
    let mut worst = 0.0f64;
    let mut reversed = 0;
    for number in 0..2_000 {
        let item = any(3, number, 0.5);
        // Little inertia couples slip to the normal impulse.
        let item = Encounter { yaw_inertia: 0.2 * item.yaw_inertia, ..item };
        let answer = encounter(&item);
        if answer.status != EncounterStatus::Contact || answer.impulse == 0.0 {
            continue;
        }
        let tangent = answer.normal.perp();
        let arms = item.vehicles.map(|vehicle| answer.point - vehicle.position - velocity(&vehicle) * answer.time);
        let relative = velocity(&item.vehicles[1]) - velocity(&item.vehicles[0]);
        let unit = item.mass * relative.length();
        let sum = |one: DVec2, two: DVec2| {
            2.0 * one.dot(two) / item.mass
                + arms.iter().map(|arm| arm.perp_dot(one) * arm.perp_dot(two)).sum::<f64>() / item.yaw_inertia
        };
        let (along, coupled, across) =
            (sum(answer.normal, answer.normal), sum(answer.normal, tangent), sum(tangent, tangent));
        let [mut p, mut q] = [0.0; 2];
        let mut compressed = None;
        let slip = |p: f64, q: f64| relative.dot(tangent) + coupled * p + across * q;
        let first = slip(0.0, 0.0);
        while compressed.is_none_or(|until| p < until) {
            p += STEP * unit;
            // What stops the slip within this step, or as much as friction can.
            let stopping = -slip(p, q) / across;
            q += stopping.clamp(-item.friction * STEP * unit, item.friction * STEP * unit);
            if compressed.is_none() && relative.dot(answer.normal) + along * p + coupled * q >= 0.0 {
                compressed = Some((1.0 + item.restitution) * p);
            }
        }
        reversed += u32::from(first * slip(p, q) < -1e-3 * first * first);
        worst = worst.max(((p - answer.impulse) / unit).abs()).max(((q - answer.friction_impulse) / unit).abs());
    }
    println!("impulses differ from those of small steps by {worst:.1e}; {reversed} slips reverse");
    assert!(worst < 10.0 * STEP && reversed > 0, "{worst} {reversed}");
}

#[test]
fn native_is_the_reference_bit_by_bit() {
    let mut items: Vec<Encounter> = (0..20_003).map(|number| any(4, number, 1.0)).collect();
    items[17].radius = f64::NAN;
    items[18].vehicles[1] = items[18].vehicles[0];
    let truths = Reference::new(1).unwrap().compute::<Encounters>((), &items).unwrap();
    let answers = Native::new(2).unwrap().compute::<Encounters>((), &items).unwrap();
    assert!(truths == answers);
    assert_eq!(truths[17].status, EncounterStatus::BadInput);
    assert_eq!(truths[18].status, EncounterStatus::Overlap);
}

#[test]
fn vehicles_at_one_velocity_never_meet() {
    let status = |x: f64, contact| encounter(&platoon([x, 0.0], [20.0, 20.0], contact)).status;
    for contact in ContactModel::ALL {
        assert_eq!(status(7.0, contact), EncounterStatus::Missed);
        assert_eq!(status(1.0, contact), EncounterStatus::Overlap);
    }
    // Beside each other, the ellipsoids overlap where the boxes do not.
    let beside = encounter(&platoon([1.0, 3.6], [20.0, 20.0], ContactModel::Box));
    assert_eq!(beside.status, EncounterStatus::Missed);
}

#[test]
fn each_number_has_its_limits() {
    let good = any(5, 0, 1.0);
    assert_eq!(good.fault(), None);
    let Encounter { sides: [length, width, height], radius, .. } = good;
    let named = |item: Encounter| item.fault().map(|fault| fault.field);
    assert_eq!(named(Encounter { sides: [length, width, length / 17.0], ..good }), Some("height"));
    assert_eq!(named(Encounter { radius: 0.51 * length.min(width).min(height), ..good }), Some("radius"));
    assert_eq!(named(Encounter { radius: 0.0 * radius, ..good }), Some("radius"));
    assert_eq!(named(Encounter { restitution: 1.1, ..good }), Some("restitution"));
    assert_eq!(named(Encounter { friction: f64::NAN, ..good }), Some("friction"));
    assert_eq!(named(Encounter { mass: 0.0, ..good }), Some("mass"));
    let mut fast = good;
    fast.vehicles[1].speed = 1e5;
    assert_eq!(named(fast), Some("b_speed"));
}

#[test]
fn the_frame_has_the_relative_motion_along_x() {
    let item = any(6, 1, 0.0);
    let (_, meeting) = Frame::new(&item);
    let relative = velocity(&item.vehicles[1]) - velocity(&item.vehicles[0]);
    let between = item.vehicles[1].position - item.vehicles[0].position;
    let size = between.length();
    let unit = (size * size / (meeting.start * meeting.start + meeting.offset * meeting.offset)).sqrt();
    assert!((meeting.start * unit - between.dot(relative.normalize())).abs() < 1e-12 * size);
    assert!((meeting.offset * unit - relative.normalize().perp_dot(between)).abs() < 1e-12 * size);
}

#[test]
fn an_encounter_that_cannot_be_is_an_error_that_names_field_and_limits() {
    let encounter = Encounter { restitution: 1.5, ..platoon([7.0, -2.0], [29.1, 26.8], ContactModel::Box) };
    let error: Box<dyn std::error::Error> = Box::new(encounter.fault().unwrap());
    assert_eq!(error.to_string(), "restitution: 1.5e0 must be between 0e0 and 1e0");
}
