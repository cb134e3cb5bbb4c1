//! Particles above a plane: the source's table, the golden cases, closed forms and what the model promises.

use crate::support::engines::{engines, f64_engines};
use crate::support::{list, number, read_json, text};
use proptest::prelude::*;
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::native::Native;
use touchdown::query::{
    Particle, ParticleClass, ParticleOutcome, ParticleStep, ParticleTraces, Particles, Restitution,
};
use touchdown::random::uniform;
use touchdown::reference::Reference;

fn reference() -> Reference {
    Reference::new(1).unwrap()
}

fn rows(restitution: Restitution, particle: Particle) -> Vec<ParticleStep> {
    reference().compute::<ParticleTraces>(restitution, &[particle]).unwrap().remove(0)
}

fn outcome(restitution: Restitution, particle: Particle) -> ParticleOutcome {
    reference().compute::<Particles>(restitution, &[particle]).unwrap()[0]
}

/// The example of docs/theory/complementarity.md's source.
const EXAMPLE: Particle =
    Particle { position: 1.0, velocity: -1.0, step: 0.1, mass: 1.0, gravity: 9.8, gamma: 0.5, steps: 9 };

#[test]
fn the_sources_table_comes_out_to_the_last_printed_digit() {
    let printed = [
        ["1.000", "-1.00", "0.851", "0"],
        ["0.851", "-1.98", "0.604", "0"],
        ["0.604", "-2.96", "0.259", "0"],
        ["0.259", "-3.94", "-0.184", "36.8"],
        ["0", "-1.24", "-0.173", "34.6"],
        ["0", "1.24", "0.075", "0"],
        ["0.075", "0.26", "0.052", "0"],
        ["0.052", "-0.72", "-0.069", "13.8"],
        ["0", "-0.32", "-0.081", "16.2"],
    ];
    for (engine, _) in engines() {
        let rows = engine.compute::<ParticleTraces>(Restitution::Nominal, &[EXAMPLE]).unwrap().remove(0);
        let found = rows.iter().map(|row| [row.position, row.velocity, row.gap, row.force]);
        for (found, printed) in found.zip(printed) {
            for (found, printed) in found.into_iter().zip(printed) {
                let digits = printed.split_once('.').map_or(0, |(_, digits)| digits.len());
                assert_eq!(format!("{found:.digits$}"), printed, "{found}");
                // A plain 0 is exact.
                assert!(printed != "0" || found == 0.0, "{found}");
            }
        }
        assert_eq!(rows.len(), printed.len());
    }
}

#[test]
fn the_golden_cases_come_out_to_1e_12() {
    let cases = read_json("contacts/table_1d.json");
    for engine in f64_engines() {
        let (mut compared, mut worst) = (0, 0.0_f64);
        for case in list(&cases["cases"]) {
            let input = |name: &str| number(&case["input"][name]);
            let particle = Particle {
                position: input("x"),
                velocity: input("v"),
                step: input("h"),
                mass: input("m"),
                gravity: input("g"),
                gamma: input("gamma"),
                steps: input("steps") as u32,
            };
            let rows = engine.compute::<ParticleTraces>(Restitution::Nominal, &[particle]).unwrap().remove(0);
            let expected = list(&case["expected"]["rows"]);
            assert_eq!(rows.len(), expected.len(), "{}", text(&case["id"]));
            for (row, expected) in rows.iter().zip(expected) {
                let found = [row.position, row.velocity, row.gap, row.force];
                for (found, expected) in found.into_iter().zip(list(expected).iter().map(number)) {
                    let error = (found - expected).abs() / (1.0 + expected.abs());
                    assert!(error <= 1e-12, "{}: {found} {expected}", text(&case["id"]));
                    worst = worst.max(error);
                    compared += 1;
                }
            }
        }
        println!("{}: {compared} numbers, largest error {worst:e}", engine.identity().engine);
        assert_eq!(compared, 4 * 337);
    }
}

#[test]
fn the_nominal_restitution_holds_from_the_plane_alone() {
    // Errata 001.4: the table's particle meets the plane at 3.94 m/s and leaves it at 1.24, 0.315 of it for a nominal 1.
    let table = rows(Restitution::Nominal, EXAMPLE);
    assert!((table[5].velocity / -table[3].velocity - 0.315).abs() < 5e-4);
    // Its second contact starts from the plane.
    assert_eq!(table[5].velocity, -table[4].velocity);
    // An exact one meets the plane with the speed that its energy gives it there, whatever is left of the step.
    let exact = rows(Restitution::Exact, EXAMPLE);
    let contact = exact.iter().position(|row| row.gap < 0.0).unwrap();
    let energy = |row: &ParticleStep| EXAMPLE.energy(row.position, row.velocity);
    assert!((energy(&exact[contact + 1]) - energy(&exact[0])).abs() < 1e-14 * energy(&exact[0]));
}

#[test]
fn an_elastic_particle_keeps_its_energy_to_rounding_where_restitution_is_exact() {
    let particle = Particle { velocity: 0.3, step: 0.0137, steps: 10_000, ..EXAMPLE };
    let start = particle.energy(particle.position, particle.velocity);
    // Half of v squared and g x round three times each step, with numbers of the size of the start's.
    let allowed = 8.0 * f64::from(particle.steps) * f64::EPSILON;
    for row in rows(Restitution::Exact, particle) {
        let error = particle.energy(row.position, row.velocity) / start - 1.0;
        assert!(error.abs() <= allowed, "{error:e}");
    }
    let outcome = outcome(Restitution::Exact, particle);
    assert!((outcome.energy_ratio.unwrap() - 1.0).abs() <= allowed && outcome.bounces > 50, "{outcome:?}");
    assert_eq!(outcome.contact_steps, outcome.bounces);
}

#[test]
fn the_apexes_of_exact_bounces_fall_by_the_square_of_the_restitution() {
    for restitution in [0.4, 0.8, 0.95] {
        let gamma = 1.0 / (1.0 + restitution);
        let particle = Particle { step: 1e-3, gamma, steps: 3000, ..EXAMPLE };
        let rows = rows(Restitution::Exact, particle);
        let is_launch = |pair: &&[ParticleStep]| pair[0].gap < 0.0 && pair[1].gap >= 0.0;
        let launches: Vec<f64> = rows.windows(2).filter(is_launch).map(|pair| pair[1].velocity).collect();
        let apexes: Vec<f64> = launches.iter().map(|speed| speed * speed / (2.0 * particle.gravity)).collect();
        assert!(apexes.len() >= 3, "{apexes:?}");
        for pair in apexes.windows(2) {
            let ratio = pair[1] / pair[0] / (restitution * restitution);
            // A flight's hundreds of roundings, each of the size of its energy.
            assert!((ratio - 1.0).abs() < 1e-12, "{ratio}");
        }
        // The highest row is within what a step misses at an apex: g h^2 / 8.
        let first = rows.iter().position(|row| row.gap < 0.0).unwrap();
        let highest = rows[first..].iter().map(|row| row.position).fold(0.0, f64::max);
        let missed = apexes[0] - highest;
        assert!((-1e-12..=particle.gravity * 1e-6 / 8.0).contains(&missed), "{missed:e}");
        assert_eq!(outcome(Restitution::Exact, particle).rebound_height, Some(highest));
    }
}

#[test]
fn an_inelastic_particle_comes_to_rest_with_its_weight_as_force() {
    for restitution in Restitution::ALL {
        let particle = Particle { gamma: 1.0, mass: 3.0, steps: 40, ..EXAMPLE };
        let rows = rows(restitution, particle);
        let first = rows.iter().position(|row| row.gap < 0.0).unwrap();
        for row in &rows[first + 2..] {
            assert_eq!([row.position, row.velocity], [0.0, 0.0]);
            assert!((row.force - 3.0 * 9.8).abs() < 1e-13, "{row:?}");
        }
        let outcome = outcome(restitution, particle);
        assert_eq!((outcome.class, outcome.bounces), (ParticleClass::Resting, 1));
        assert_eq!(outcome.energy_ratio, Some(0.0));
    }
}

#[test]
fn a_periodic_bounce_in_round_numbers_is_the_same_on_every_step() {
    // 3.5, 6, 7.5, 8, 7.5, 6, 3.5 and 0, which is no contact; the ninth step turns -4 into 4.
    let particle =
        Particle { position: 0.0, velocity: 4.0, step: 1.0, mass: 1.0, gravity: 1.0, gamma: 0.5, steps: 9 * 1000 };
    for (engine, _) in engines() {
        for restitution in Restitution::ALL {
            let found = engine.compute::<Particles>(restitution, &[particle]).unwrap()[0];
            let expected = ParticleOutcome {
                class: ParticleClass::Bouncing,
                position: 0.0,
                velocity: 4.0,
                contact_steps: 1000,
                bounces: 1000,
                peak_force: 9.0,
                first_contact_step: Some(8),
                rebound_height: Some(8.0),
                energy_ratio: Some(1.0),
            };
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn a_particle_that_stands_on_the_plane_without_gravity_is_free_and_has_no_energy_ratio() {
    let particle = Particle { position: 0.0, velocity: 0.0, gravity: 0.0, ..EXAMPLE };
    for (engine, _) in engines() {
        let found = engine.compute::<Particles>(Restitution::Nominal, &[particle]).unwrap()[0];
        assert_eq!((found.class, found.energy_ratio, found.peak_force), (ParticleClass::Free, None, 0.0));
        assert_eq!((found.first_contact_step, found.rebound_height), (None, None));
    }
}

#[test]
fn one_step_in_contact_is_no_rest() {
    let particle = Particle { position: 0.0, velocity: 0.0, steps: 1, ..EXAMPLE };
    assert_eq!(outcome(Restitution::Nominal, particle).class, ParticleClass::Bouncing);
    assert_eq!(outcome(Restitution::Nominal, Particle { steps: 2, ..particle }).class, ParticleClass::Resting);
}

/// A particle of any kind: a function of its number.
fn drawn(number: u64) -> Particle {
    let unit = |variable| uniform(71, number, variable);
    let size = |variable, range: f64| 10f64.powf(range * (2.0 * unit(variable) - 1.0));
    let range = if number.is_multiple_of(3) { 25.0 } else { 1.0 };
    let pick = |variable, choices: [f64; 4]| choices[(4.0 * unit(variable)) as usize];
    Particle {
        position: pick(0, [0.0, size(1, range), size(1, range), unit(1)]),
        velocity: pick(2, [0.0, -size(3, range), size(3, range), unit(3) - 0.5]),
        step: pick(4, [0.1, 1.0, size(5, range), unit(5) + 1e-3]),
        mass: size(6, range),
        gravity: pick(7, [0.0, 9.8, size(8, range), 1.0]),
        gamma: pick(9, [0.5, 1.0, 1.0 - 0.9 * unit(10), 0.5 + 0.5 * unit(10)]),
        steps: 1 + (40.0 * unit(11)) as u32,
    }
}

#[test]
fn the_native_engine_gives_the_bits_of_the_reference() {
    let mut items: Vec<Particle> = (0..20_000).map(drawn).collect();
    for index in (0..items.len()).step_by(97) {
        items[index].mass = -1.0;
    }
    let bits = |number: f64| if number == 0.0 { 0 } else { number.to_bits() };
    let (native, reference) = (Native::new(0).unwrap(), Reference::new(0).unwrap());
    for restitution in Restitution::ALL {
        let [traces, expected] = [&native as &dyn Engine, &reference]
            .map(|engine| engine.compute::<ParticleTraces>(restitution, &items).unwrap());
        for (rows, expected) in traces.iter().zip(&expected) {
            assert_eq!(rows.len(), expected.len());
            for (row, expected) in rows.iter().zip(expected) {
                let of = |row: &ParticleStep| [row.position, row.velocity, row.gap, row.force].map(bits);
                assert_eq!(of(row), of(expected));
            }
        }
        let found = native.compute::<Particles>(restitution, &items).unwrap();
        assert_eq!(found, reference.compute::<Particles>(restitution, &items).unwrap());
        let count = |class| found.iter().filter(|outcome| outcome.class == class).count();
        println!("{}: {:?}", restitution.name(), ParticleClass::ALL.map(|class| (class.name(), count(class))));
        assert!(ParticleClass::ALL.iter().all(|&class| count(class) > 100));
    }
}

/// What a particle's rows come to, counted again.
fn recount(particle: &Particle, rows: &[ParticleStep], end: &ParticleOutcome) -> ParticleOutcome {
    let contacts: Vec<bool> = rows.iter().map(|row| row.gap < 0.0).collect();
    let first = contacts.iter().position(|&contact| contact);
    let starts = (0..contacts.len()).filter(|&step| contacts[step] && (step == 0 || !contacts[step - 1]));
    let heights = rows.iter().map(|row| row.position).chain([end.position]).skip(first.unwrap_or(0) + 1);
    ParticleOutcome {
        class: match contacts[..] {
            [.., true, true] => ParticleClass::Resting,
            _ if first.is_some() => ParticleClass::Bouncing,
            _ => ParticleClass::Free,
        },
        position: end.position,
        velocity: end.velocity,
        contact_steps: contacts.iter().filter(|&&contact| contact).count() as u32,
        bounces: starts.count() as u32,
        peak_force: rows.iter().map(|row| row.force).fold(0.0, f64::max),
        first_contact_step: first.map(|step| step as u32),
        rebound_height: first.map(|_| heights.fold(0.0, f64::max)),
        energy_ratio: Some(particle.energy(particle.position, particle.velocity))
            .filter(|&start| start > 0.0)
            .map(|start| particle.energy(end.position, end.velocity) / start),
    }
}

#[test]
fn outcomes_are_what_the_rows_say() {
    let items: Vec<Particle> = (0..5_000).map(drawn).collect();
    for restitution in Restitution::ALL {
        let outcomes = reference().compute::<Particles>(restitution, &items).unwrap();
        let traces = reference().compute::<ParticleTraces>(restitution, &items).unwrap();
        for ((item, outcome), rows) in items.iter().zip(&outcomes).zip(&traces) {
            assert_eq!(*outcome, recount(item, rows, outcome), "{item:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn the_plane_is_not_crossed_and_pushes_only_what_it_touches(number: u64) {
        let particle = drawn(number);
        for restitution in Restitution::ALL {
            let rows = rows(restitution, particle);
            for pair in rows.windows(2) {
                prop_assert!(pair[0].position >= 0.0 && pair[0].force >= 0.0, "{:?}", pair);
                prop_assert_eq!(pair[1].position * pair[0].force, 0.0);
                prop_assert!((pair[0].force > 0.0) == (pair[0].gap < 0.0) || particle.gravity == 0.0, "{:?}", pair);
                prop_assert_eq!(pair[1].position, pair[0].gap.max(0.0));
            }
        }
    }

    #[test]
    fn mass_scales_the_force_alone(number: u64, power in -20..20_i32) {
        let particle = drawn(number);
        let factor = 2f64.powi(power);
        for restitution in Restitution::ALL {
            let heavier = rows(restitution, Particle { mass: factor * particle.mass, ..particle });
            for (row, heavier) in rows(restitution, particle).into_iter().zip(heavier) {
                prop_assert_eq!(ParticleStep { force: factor * row.force, ..row }, heavier);
            }
        }
    }

    #[test]
    fn nominal_steps_keep_the_sources_equations(number: u64) {
        // N and both updates as the source has them, to rounding of their largest terms.
        let particle = drawn(number);
        let Particle { step: h, mass: m, gravity: g, gamma, .. } = particle;
        for pair in rows(Restitution::Nominal, particle).windows(2) {
            let ParticleStep { position: x, velocity: v, gap, force } = pair[0];
            let size = x + (h * v).abs() + h * h * g;
            let push = h * h * force / m;
            let close = |a: f64, b: f64| (a - b).abs() <= 16.0 * f64::EPSILON * size / gamma;
            prop_assert!(close(gap, x + h * v - gamma * h * h * g));
            prop_assert!(close(h * pair[1].velocity, h * v + push - h * h * g), "{:?}", pair);
            prop_assert!(close(pair[1].position, x + h * (gamma * pair[1].velocity + (1.0 - gamma) * v)));
        }
    }
}

#[test]
fn particles_that_cannot_be_are_invalid_and_leave_their_neighbours_alone() {
    let good = EXAMPLE;
    let bad = [
        Particle { position: -1e-9, ..good },
        Particle { velocity: f64::NAN, ..good },
        Particle { velocity: -1.1e30, ..good },
        Particle { step: 0.0, ..good },
        Particle { mass: f64::INFINITY, ..good },
        Particle { gravity: -9.8, ..good },
        Particle { gamma: 0.0, ..good },
        Particle { gamma: 1.0 + 1e-15, ..good },
        Particle { steps: 0, ..good },
        Particle { steps: (1 << 20) + 1, ..good },
    ];
    for (engine, _) in engines() {
        for restitution in Restitution::ALL {
            let alone = engine.compute::<Particles>(restitution, &[good]).unwrap()[0];
            for bad in bad {
                let found = engine.compute::<Particles>(restitution, &[good, bad, good]).unwrap();
                assert_eq!(found, [alone, ParticleOutcome::invalid(), alone]);
                let traces = engine.compute::<ParticleTraces>(restitution, &[bad, good]).unwrap();
                assert_eq!([traces[0].len(), traces[1].len()], [0, 9]);
            }
            assert!(engine.compute::<Particles>(restitution, &[]).unwrap().is_empty());
        }
    }
}

#[test]
fn the_greatest_numbers_that_may_be_stay_finite() {
    // The largest speeds, pushes and heights that limits allow.
    let extreme = |step, gravity, gamma| Particle {
        position: 1e30,
        velocity: -1e30,
        step,
        mass: 1e30,
        gravity,
        gamma,
        steps: 2000,
    };
    let sizes = [1e-30, 1.0, 1e30];
    let items = sizes.map(|step| sizes.map(|gravity| [1e-6, 1.0].map(|gamma| extreme(step, gravity, gamma))));
    for particle in items.into_iter().flatten().flatten() {
        assert!(particle.is_valid());
        for restitution in Restitution::ALL {
            let outcome = outcome(restitution, particle);
            let numbers = [outcome.position, outcome.velocity, outcome.peak_force, outcome.energy_ratio.unwrap()];
            assert!(numbers.iter().all(|number| number.is_finite()), "{particle:?} {outcome:?}");
        }
    }
}
