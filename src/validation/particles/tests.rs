//! How tight the judge is, and what it calls what.

use super::item::Class as _;
use super::*;
use crate::native::Native;
use crate::reference::Reference;
use crate::validation::validate_drawn;

/// A particle, its bound, rows and outcome.
fn asked(particle: Particle, restitution: Restitution) -> (ParticleBound, Vec<ParticleStep>, ParticleOutcome) {
    let judge = Reference::new(1).unwrap();
    let rows = judge.compute::<ParticleTraces>(restitution, &[particle]).unwrap().remove(0);
    (ParticleBound::new(&particle, restitution), rows, judge.compute::<Particles>(restitution, &[particle]).unwrap()[0])
}

const FALLING: Particle =
    Particle { position: 1.0, velocity: -1.0, step: 0.1, mass: 2.0, gravity: 9.8, gamma: 0.5, steps: 7 };

/// The verdict on the judge's own answers, changed.
fn verdict_on(
    restitution: Restitution,
    particle: Particle,
    change: impl Fn(&mut Vec<ParticleStep>, &mut ParticleOutcome),
) -> Agreement {
    let (bound, rows, truth) = asked(particle, restitution);
    let (mut changed_rows, mut answer) = (rows.clone(), truth);
    change(&mut changed_rows, &mut answer);
    judged(&bound, (&rows, &truth), (&changed_rows, &answer)).0
}

#[test]
fn what_f32_may_do_passes_and_more_does_not() {
    for restitution in Restitution::ALL {
        let verdict = |change: &dyn Fn(&mut Vec<ParticleStep>, &mut ParticleOutcome)| {
            verdict_on(restitution, FALLING, |rows, answer| change(rows, answer))
        };
        assert_eq!(verdict(&|_, _| {}), Agreement::Match);
        // Behind the last row stands no other that must begin there.
        assert_eq!(verdict(&|rows, _| rows[6].gap *= 1.0 + 1e-7), Agreement::WithinBound);
        assert_eq!(verdict(&|rows, _| rows[1].gap *= 1.0 + 1e-7), Agreement::Wrong);
        for change in [
            (|_, answer| answer.velocity *= 1.0 + 1e-3) as fn(&mut Vec<ParticleStep>, &mut ParticleOutcome),
            |_, answer| answer.position += 1e-3,
            |_, answer| answer.peak_force *= 1.001,
            |_, answer| answer.energy_ratio = Some(answer.energy_ratio.unwrap() + 1e-3),
            |_, answer| answer.energy_ratio = None,
            |_, answer| answer.rebound_height = answer.rebound_height.map(|height| height + 1e-3),
            |_, answer| answer.contact_steps += 1,
            |_, answer| answer.bounces += 1,
            |_, answer| answer.first_contact_step = Some(2),
            |_, answer| answer.first_contact_step = None,
            |_, answer| answer.class = crate::query::ParticleClass::Resting,
            |_, answer| *answer = ParticleOutcome::invalid(),
            |rows, _| rows[0].velocity *= 1.0 + 1e-6,
            |rows, _| rows[3].force *= 1.0 + 1e-5,
            |rows, _| rows[4].position = 1e-12,
            |rows, _| rows[2].force = 1e-12,
            |rows, _| rows[2].gap = f64::NAN,
            |rows, _| rows.truncate(6),
        ] {
            assert_eq!(verdict(&change), Agreement::Wrong);
        }
    }
}

#[test]
fn a_touch_within_rounding_may_be_counted_otherwise() {
    // The first step ends at the plane to the last place: 0.5 - 0.45 - 0.05.
    let touching =
        Particle { position: 0.5, velocity: -4.5, step: 0.1, gravity: 10.0, gamma: 0.5, mass: 1.0, steps: 3 };
    let (bound, rows, truth) = asked(touching, Restitution::Nominal);
    let known = Known::of(&bound, &rows);
    assert_eq!((known.unclear, known.first_possible, known.first_sure), (1, Some(0), Some(1)));
    let first = if truth.first_contact_step == Some(0) { 1 } else { 0 };
    let counted = |step, contacts| {
        verdict_on(Restitution::Nominal, touching, |_, answer| {
            (answer.first_contact_step, answer.contact_steps) = (Some(step), contacts);
        })
    };
    let contacts = if first == 0 { truth.contact_steps + 1 } else { truth.contact_steps - 1 };
    assert_eq!(counted(first, contacts), Agreement::Ambiguous);
    assert_eq!(counted(2, contacts), Agreement::Wrong);
    assert_eq!(counted(first, truth.contact_steps + 2), Agreement::Wrong);
}

#[test]
fn bounds_stay_far_below_what_they_bound() {
    for &class in <Class as item::Class>::CLASSES {
        let items: Vec<draw::Drawn> =
            (0..2_000).map(|number| draw::drawn(&DrawnItem { class, seed: 3, number })).collect();
        assert!(items.iter().all(|drawn| drawn.particle.is_valid()), "{}", class.name());
        let (mut tight, mut known, mut contacts) = (0, 0, 0);
        for drawn in &items {
            let (bound, rows, truth) = asked(drawn.particle, class.restitution());
            contacts += u32::from(truth.contact_steps > 0);
            let size = rows.iter().map(|row| row.position.max(bound.state(row).way.abs())).fold(0.0, f64::max);
            if let Some(end) = Known::of(&bound, &rows).end {
                known += 1;
                tight += u32::from(end.height.max(end.way) <= 1e-3 * size);
            }
        }
        println!("{}: {contacts} touch, {known} known to the end, {tight} of them to a thousandth", class.name());
        assert!(contacts >= 1_000, "{}", class.name());
        assert!(known >= 1_700 && tight >= 1_600, "{}: {known} {tight}", class.name());
    }
}

#[test]
fn the_native_engine_has_the_bits_of_the_reference_in_every_class() {
    let (judge, native) = (Reference::new(0).unwrap(), Native::new(0).unwrap());
    for &class in <Class as item::Class>::CLASSES {
        let tally = validate_drawn::<FallingParticles>(&judge, &native, (class, 1), 2_000, &mut |_| {}).unwrap().tally;
        assert_eq!(tally.count(Agreement::Match), 2_000, "{}: {:?}", class.name(), tally.worst());
    }
}
