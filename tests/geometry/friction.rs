//! Contacts with friction: the problems of Siconos, and bodies without friction against Lemke's pivots.

use std::fs;
use std::path::{Path, PathBuf};

use glam::{DMat3, DVec3};
use touchdown::friction::{
    AnyProblem, BodyContact, BodyMass, BodyVelocity, ContactSolver, FrictionProblem, Stopping, TOLERANCE, nsgs,
    read_any_problem,
};
use touchdown::lcp::{Problem, Status, lemke};

use crate::support::random::{Random, test_seed};

fn manifest(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// All problems of Siconos with their names.
fn siconos() -> Vec<(String, FrictionProblem)> {
    let directory = fs::read_dir(manifest("tests/data/siconos/fc3d")).unwrap();
    let mut files: Vec<PathBuf> = directory.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |file: PathBuf| {
        let AnyProblem::Friction(problem) = read_any_problem(&file).unwrap() else { panic!("{file:?}") };
        (file.file_stem().unwrap().to_str().unwrap().to_owned(), problem)
    };
    files.into_iter().map(read).collect()
}

/// The largest violation of Coulomb's law as it is written, over the sizes of q and of q / W.
fn violation(problem: &FrictionProblem, r: &[f64], u: &[f64]) -> f64 {
    let largest = |entries: &[f64]| entries.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let speed = largest(problem.rows().vector());
    let impulse = speed / largest(problem.rows().matrix());
    let d = problem.dimension();
    let mut worst = 0.0f64;
    for ((r, u), friction) in r.chunks_exact(d).zip(u.chunks_exact(d)).zip(problem.friction()) {
        let r: Vec<f64> = r.iter().map(|r| r / impulse).collect();
        let u: Vec<f64> = u.iter().map(|u| u / speed).collect();
        let length = |x: &[f64]| x[1..].iter().map(|x| x * x).sum::<f64>().sqrt();
        let (slip, force) = (length(&u), length(&r));
        worst = worst.max(-r[0]).max(-u[0]).max(r[0] * u[0]).max(force - friction * r[0]);
        for (r_tangential, u_tangential) in r[1..].iter().zip(&u[1..]) {
            worst = worst.max((slip * r_tangential + friction * r[0] * u_tangential).abs());
        }
    }
    worst
}

#[test]
fn all_problems_of_siconos_are_solved_as_the_table_says() {
    let published = fs::read_to_string(manifest("docs/lcp.md")).unwrap();
    let problems = siconos();
    assert_eq!(problems.len(), 22);
    for (name, problem) in problems {
        let found = nsgs(&problem, &vec![0.0; problem.rows().unknowns()]).unwrap();
        assert_eq!((found.status, &found.u), (Status::Solved, &problem.velocities(&found.r)), "{name}");
        assert!(found.residual <= 1e-8 && found.residual == problem.residual(&found.r), "{name}: {found:?}");
        // Impulses reach some tens of q / W, times what a solution may leave.
        let violation = violation(&problem, &found.r, &found.u);
        assert!(violation <= 100.0 * TOLERANCE, "{name}: {violation:e}");
        let finish = if found.newton_steps == 0 { "no".to_owned() } else { found.newton_steps.to_string() };
        let row = format!(
            "| {name} | {} | {} | {}, {} ({:.0e}) | {finish} |",
            problem.dimension(),
            problem.contacts(),
            found.status.name(),
            found.iterations,
            found.residual
        );
        println!("{row} law {violation:.0e}");
        assert!(published.contains(&row), "docs/lcp.md lacks: {row}");
        // From there it is one already.
        assert_eq!(nsgs(&problem, &found.r).unwrap().iterations, 0, "{name}");
    }
}

/// A heap: up to 12 balls, each on some of those before it or on the floor, without friction.
fn heap(random: &mut Random) -> (Vec<BodyMass>, Vec<BodyVelocity>, Vec<BodyContact>) {
    let balls = 1 + random.index(12);
    let mut masses = vec![BodyMass::FIXED];
    let mut velocities = vec![BodyVelocity::default()];
    let mut contacts = Vec::new();
    for ball in 1..=balls {
        let inverse_inertia = DMat3::from_diagonal(DVec3::splat(random.between(1.0, 9.0)));
        masses.push(BodyMass { inverse_mass: random.between(0.2, 5.0), inverse_inertia });
        velocities.push(BodyVelocity { linear: random.in_cube(1.0) - DVec3::Z, angular: random.in_cube(1.0) });
        for _ in 0..1 + random.index(3) {
            let normal = (random.in_cube(0.8) + DVec3::Z).normalize();
            contacts.push(BodyContact {
                bodies: [random.index(ball), ball],
                arms: [random.in_cube(0.5), random.in_cube(0.5)],
                normal,
                friction: 0.0,
                bias: normal * random.between(-0.1, 0.1),
                impulse: DVec3::ZERO,
            });
        }
    }
    (masses, velocities, contacts)
}

/// M and q of contacts without friction.
fn linear(masses: &[BodyMass], velocities: &[BodyVelocity], contacts: &[BodyContact]) -> Problem {
    let speed = |contact: &BodyContact, velocities: &[BodyVelocity]| {
        let [first, second] = [0, 1].map(|side| velocities[contact.bodies[side]].at(contact.arms[side]));
        contact.normal.dot(second - first)
    };
    let n = contacts.len();
    let mut matrix = vec![0.0; n * n];
    for (column, contact) in contacts.iter().enumerate() {
        // What a unit impulse at this contact does.
        let mut after = vec![BodyVelocity::default(); masses.len()];
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let (body, impulse) = (contact.bodies[side], sign * contact.normal);
            after[body].linear += masses[body].inverse_mass * impulse;
            after[body].angular += masses[body].inverse_inertia * contact.arms[side].cross(impulse);
        }
        for (row, contact) in contacts.iter().enumerate() {
            matrix[row * n + column] = speed(contact, &after);
        }
    }
    let vector = contacts.iter().map(|contact| speed(contact, velocities) + contact.bias.dot(contact.normal));
    Problem::new(matrix, vector.collect()).unwrap()
}

#[test]
fn bodies_without_friction_move_as_lemkes_pivots_have_it() {
    let mut random = Random::new(test_seed(), 31);
    let mut solver = ContactSolver::default();
    let (mut worst, mut sweeps, mut solved) = (0.0f64, 0, 0);
    for _ in 0..200 {
        let (masses, velocities, mut contacts) = heap(&mut random);
        let problem = linear(&masses, &velocities, &contacts);
        let expected = lemke(&problem);
        let mut after = velocities.clone();
        let stopping = Stopping { sweeps: 100_000, tolerance: 1e-11 };
        let outcome = solver.solve(&masses, &mut after, &mut contacts, stopping).unwrap();
        sweeps = sweeps.max(outcome.sweeps);
        if expected.status != Status::Solved || outcome.status != Status::Solved {
            // Bodies that cannot part: where biases ask for speeds that no impulse makes.
            assert_ne!(expected.status, Status::Solved, "{outcome:?}");
            continue;
        }
        solved += 1;
        let found: Vec<f64> = contacts.iter().map(|contact| contact.impulse.dot(contact.normal)).collect();
        let w = problem.slacks(&found);
        // Of several impulses w is the same.
        for (found, expected) in w.iter().zip(&expected.w) {
            worst = worst.max((found - expected).abs());
        }
        let tangential = |contact: &BodyContact| contact.impulse.cross(contact.normal).length();
        assert!(contacts.iter().all(|contact| tangential(contact) <= 1e-15 * contact.impulse.length()));
    }
    println!("{solved} heaps, w off by at most {worst:e}, at most {sweeps} sweeps");
    assert!(solved >= 190 && worst <= 1e-8, "{solved} {worst:e}");
}
