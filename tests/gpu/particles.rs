//! Particles on a GPU: round numbers to the last bit, the golden cases step by step, slices and chunks.
//!
//! `TOUCHDOWN_TEST_SEED` changes the particles that are judged, `TOUCHDOWN_ADAPTER` names the adapter.

use crate::support::engines::GPU;
use crate::support::judged::gpu_passes;
use crate::support::{gpu, list, number, read_json};
use touchdown::job::Compute;
use touchdown::query::{Particle, ParticleOutcome, ParticleStep, ParticleTraces, Particles, Restitution};
use touchdown::reference::Reference;
use touchdown::validation::particles::FallingParticles;

/// All of its numbers are short: 3.5, 6, 7.5, 8, 7.5, 6, 3.5 and 0, which is no contact; the ninth step turns -4 into 4.
const PERIODIC: Particle =
    Particle { position: 0.0, velocity: 4.0, step: 1.0, mass: 1.0, gravity: 1.0, gamma: 0.5, steps: 10_000 };

#[test]
fn a_run_of_many_slices_is_the_same_as_that_of_the_reference() {
    let gpu = &*GPU;
    for restitution in Restitution::ALL {
        let items = [PERIODIC, Particle { steps: 1, ..PERIODIC }, Particle { mass: 0.0, ..PERIODIC }, PERIODIC];
        let judge = Reference::new(1).unwrap();
        assert_eq!(
            gpu.compute::<Particles>(restitution, &items).unwrap(),
            judge.compute::<Particles>(restitution, &items).unwrap()
        );
        let traces = gpu.compute::<ParticleTraces>(restitution, &items).unwrap();
        assert_eq!(traces, judge.compute::<ParticleTraces>(restitution, &items).unwrap());
        assert_eq!(traces.iter().map(Vec::len).collect::<Vec<_>>(), [10_000, 1, 0, 10_000]);
    }
    assert!(gpu.compute::<Particles>(Restitution::Nominal, &[]).unwrap().is_empty());
}

/// Many particles with other numbers of steps.
fn many() -> Vec<Particle> {
    let particle = |index: u32| Particle {
        position: 0.01 * f64::from(index % 50),
        velocity: 0.1 * f64::from(index % 7) - 0.3,
        step: 0.02,
        mass: 2.0,
        gravity: 9.81,
        gamma: 0.5 + 0.01 * f64::from(index % 51),
        steps: 1 + 13 * index % 97,
    };
    (0..300).map(particle).collect()
}

#[test]
fn results_depend_neither_on_chunks_nor_on_neighbours() {
    let (whole, small) = (&*GPU, gpu::open_with(Some(7), None));
    for restitution in Restitution::ALL {
        let outcomes = whole.compute::<Particles>(restitution, &many()).unwrap();
        assert_eq!(outcomes, small.compute::<Particles>(restitution, &many()).unwrap());
        let alone: Vec<ParticleOutcome> =
            many().iter().take(20).map(|item| whole.compute::<Particles>(restitution, &[*item]).unwrap()[0]).collect();
        assert_eq!(outcomes[..20], alone);
        let traces = whole.compute::<ParticleTraces>(restitution, &many()).unwrap();
        assert_eq!(traces, small.compute::<ParticleTraces>(restitution, &many()).unwrap());
    }
}

#[test]
fn the_golden_cases_come_out_step_by_step_to_f32() {
    let cases = read_json("contacts/table_1d.json");
    let (gpu, u) = (&*GPU, 0.5 * f64::from(f32::EPSILON));
    let mut compared = 0;
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
        let Particle { step: h, mass: m, gravity: g, gamma, .. } = particle;
        let rows = gpu.compute::<ParticleTraces>(Restitution::Nominal, &[particle]).unwrap().remove(0);
        let expected = list(&case["expected"]["rows"]);
        assert_eq!(rows.len(), expected.len());
        // What a row and its predecessor allow: a dozen roundings of the largest lengths of the step, over gamma. From
        // row to row that may grow, so each step starts from the device's own row.
        let contacts: Vec<bool> = expected.iter().map(|row| number(&list(row)[2]) < 0.0).collect();
        for (pair, contact) in rows.windows(2).zip(contacts) {
            let ParticleStep { position: x, velocity: v, gap, force } = pair[0];
            let allowed = 12.0 * u * (x + (h * v).abs() + h * h * g) / gamma;
            let close = |a: f64, b: f64| (a - b).abs() <= allowed;
            assert_eq!(gap < 0.0, contact, "{}", case["id"]);
            assert!(close(gap, x + h * v - gamma * h * h * g));
            assert!(close(h * h * force / m, (-gap / gamma).max(0.0)));
            assert!(close(h * pair[1].velocity, h * v + h * h * force / m - h * h * g), "{}: {pair:?}", case["id"]);
            assert_eq!(pair[1].position, gap.max(0.0));
            compared += 1;
        }
        for (found, expected) in rows.iter().take(1).zip(expected) {
            assert!((found.position - number(&list(expected)[0])).abs() <= u * found.position);
            assert!((found.velocity - number(&list(expected)[1])).abs() <= u * found.velocity.abs());
        }
    }
    assert_eq!(compared, 337 - 21);
}

#[test]
fn the_gpu_passes() {
    gpu_passes::<FallingParticles>(20_000);
}
