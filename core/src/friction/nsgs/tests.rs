use glam::DVec3;

use super::*;
use crate::friction::cone::tangential_length;
use crate::friction::drawn::Random;

/// A state that Coulomb's law allows: apart, sticking or sliding.
fn state(random: &mut Random, friction: f64) -> (DVec3, DVec3) {
    let (kind, drawn) = (random.next(), random.vector());
    let normal = drawn.x.abs();
    let tangential = DVec3::new(0.0, drawn.y, drawn.z);
    let along = tangential / tangential_length(drawn);
    if kind > 0.3 {
        (DVec3::ZERO, normal * DVec3::X + tangential)
    } else if kind > -0.3 && friction > 0.0 {
        (normal * (DVec3::X + friction * random.next().abs() * along), DVec3::ZERO)
    } else {
        (normal * (DVec3::X + friction * along), -random.next().abs() * tangential)
    }
}

/// Contacts with a solution, q = u - W r; of mechanisms with less freedom than contacts take away, so that W is
/// singular, and of masses from 1 to 10,000.
fn drawn(random: &mut Random) -> FrictionProblem {
    let whole = |random: &mut Random, least: usize, most: usize| {
        least + (random.next().abs() * (most + 1 - least) as f64) as usize
    };
    let (contacts, freedom) = (whole(random, 2, 9), whole(random, 4, 11));
    let n = 3 * contacts;
    let jacobian: Vec<f64> = (0..n * freedom).map(|_| random.next()).collect();
    let inverse_masses: Vec<f64> = (0..freedom).map(|_| 10f64.powf(2.0 * random.next())).collect();
    let row = |row: usize| &jacobian[row * freedom..][..freedom];
    let entry = |place: usize| -> f64 {
        let rows = row(place / n).iter().zip(row(place % n));
        rows.zip(&inverse_masses).map(|((a, b), inverse_mass)| a * b * inverse_mass).sum()
    };
    let matrix: Vec<f64> = (0..n * n).map(entry).collect();
    let friction: Vec<f64> =
        (0..contacts).map(|_| if random.next() > 0.6 { 0.0 } else { random.next().abs() }).collect();
    let states: Vec<(DVec3, DVec3)> = friction.iter().map(|&friction| state(random, friction)).collect();
    let r: Vec<f64> = states.iter().flat_map(|state| state.0.to_array()).collect();
    let u = states.iter().flat_map(|state| state.1.to_array());
    let q = u.zip(matrix.chunks_exact(n)).map(|(u, row)| u - row.iter().zip(&r).map(|(w, r)| w * r).sum::<f64>());
    let vector = q.collect();
    FrictionProblem::new(3, matrix, vector, friction).unwrap()
}

#[test]
fn newtons_method_solves_most_problems_on_which_sweeps_stall() {
    let mut random = Random(7);
    let (mut by_sweeps, mut by_newton, mut left) = (0, 0, 0);
    for _ in 0..300 {
        let problem = drawn(&mut random);
        let found = nsgs(&problem, &vec![0.0; problem.rows().unknowns()]).unwrap();
        // The measures of residuals differ by units, of 1e-2 to 1e2 here.
        assert!(found.status != Status::Solved || found.residual <= 1e-7, "{found:?}");
        match (found.status, found.newton_steps) {
            (Status::Solved, 0) => by_sweeps += 1,
            (Status::Solved, _) => by_newton += 1,
            _ => left += 1,
        }
    }
    println!("{by_sweeps} by sweeps, {by_newton} by Newton's method, {left} not solved");
    assert!(by_sweeps >= 80 && by_newton >= 100 && left <= 60);
}

#[test]
fn what_sweeps_cannot_take_is_refused_by_name() {
    let problem = |matrix: &[f64]| FrictionProblem::new(2, matrix.to_vec(), vec![-1.0, 1.0], vec![0.5]).unwrap();
    let refusal = |matrix: &[f64], start: &[f64]| nsgs(&problem(matrix), start).unwrap_err().to_string();
    let right = [1.0, 0.0, 0.0, 1.0];
    assert_eq!(refusal(&right, &[0.0]), "a start of 1 entries: must be 2, as many as there are unknowns");
    assert_eq!(refusal(&right, &[0.0, f64::NAN]), "start[1]: NaN is not allowed: must be finite");
    for matrix in [[0.0; 4], [1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, -1.0]] {
        let expected = "contact 0: the symmetric part of its block of the matrix is not positive definite";
        assert!(refusal(&matrix, &[0.0; 2]).starts_with(expected), "{matrix:?}");
    }
    let found = nsgs(&problem(&right), &[1.0, -0.5]).unwrap();
    assert_eq!((found.status, found.iterations, found.r), (Status::Solved, 0, vec![1.0, -0.5]));
}
