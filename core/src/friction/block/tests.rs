use std::collections::BTreeMap;
use std::f64::consts::TAU;

use super::*;
use crate::friction::cone::{natural_map, tangential_length};
use crate::friction::drawn::Random;

/// Directions that are looked at.
const DIRECTIONS: usize = 8000;

/// A block of a body whose contact is far from its centre, of one that turns less easily, or one with a part that is
/// not symmetric; and, where the normal impulse depends on the tangential one more than friction allows in real
/// contacts, blocks of which g has several roots.
fn drawn(random: &mut Random) -> (DMat3, f64, DVec3) {
    let stretch = 10f64.powf(1.5 * random.next());
    let friction = if random.next() > 0.8 { 0.0 } else { 10f64.powf(random.next()) * 0.6 };
    let size = 10f64.powf(2.0 * random.next());
    if friction > 0.0 && random.next() > 0.0 {
        let angle = TAU * random.next();
        let along = DVec2::from_angle(angle) * (friction * (1.0 + 0.1 * random.next()));
        let coupling = DVec2::from_angle(angle + random.next()) * ((-1.0 - 0.4 * random.next()) / friction);
        let factor = DMat3::from_cols(DVec3::new(1.0, coupling.x, coupling.y), DVec3::Y * stretch, DVec3::Z);
        let matrix = factor * factor.transpose();
        return (matrix, friction, -size * (matrix * DVec3::new(1.0, along.x, along.y)));
    }
    let factor = DMat3::from_cols(random.vector(), stretch * random.vector(), random.vector());
    let mut matrix = factor * factor.transpose() + DMat3::from_diagonal(DVec3::splat(0.02));
    if random.next() > 0.6 {
        let [a, b, c] = random.vector().to_array();
        let skew = DMat3::from_cols(DVec3::new(0.0, a, b), DVec3::new(-a, 0.0, c), DVec3::new(-b, -c, 0.0));
        matrix += skew * (0.3 * matrix.x_axis.x);
    }
    (matrix, friction, size * random.vector())
}

/// Sliding solutions (lambda, r), found by going round all directions of the force.
fn by_directions(matrix: DMat3, friction: f64, q: DVec3) -> Vec<(f64, DVec3)> {
    // All times W_NN + mu W_NT . direction, where r_N has a pole.
    let at = |angle: f64| {
        let along = DVec3::new(0.0, angle.cos(), angle.sin());
        let cone = DVec3::X + friction * along;
        let factor = (matrix * cone).x;
        let u = matrix * (-q.x * cone) + q * factor;
        (factor, cone, u.y * along.z - u.z * along.y, u.dot(along))
    };
    let mut found = Vec::new();
    for step in 0..DIRECTIONS {
        let (mut low, mut high) = (step as f64 * TAU / DIRECTIONS as f64, (step + 1) as f64 * TAU / DIRECTIONS as f64);
        let is_negative = at(low).2 < 0.0;
        if is_negative == (at(high).2 < 0.0) {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if (at(middle).2 < 0.0) == is_negative { low = middle } else { high = middle }
        }
        let (factor, cone, _, along) = at(low);
        if factor > 0.0 && along < 0.0 {
            found.push((along / (friction * q.x), -q.x / factor * cone));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found
}

#[test]
fn local_solutions_are_exact_and_those_that_going_round_all_directions_finds() {
    let mut random = Random(1);
    let (mut counts, mut worst) = (BTreeMap::<&str, usize>::new(), 0.0f64);
    for _ in 0..10_000 {
        let (matrix, friction, q) = drawn(&mut random);
        let block = ContactBlock::new(matrix, friction).unwrap();
        let r = block.solve(q);
        let u = matrix * r + q;
        // Relative to the terms of u.
        let left = natural_map(r, u, friction, 1.0 / block.normal()).length() * block.normal()
            / (q.length()
                + r.abs().max_element() * matrix.to_cols_array().iter().fold(0.0, |a: f64, x| a.max(x.abs())));
        worst = worst.max(left);
        // Roundings, times the condition of up to 1e5 of sticking.
        assert!(left <= 1e-11, "{left:e}: {matrix:?} {friction} {q}");
        let stick = -(matrix.inverse() * q);
        let sticks = tangential_length(stick) <= friction * stick.x;
        let what = if r == DVec3::ZERO {
            assert!(q.x >= 0.0);
            "parts"
        } else if friction == 0.0 {
            assert_eq!((r.y, r.z), (0.0, 0.0));
            "without friction"
        } else if sticks {
            // The condition of up to 1e5, twice: this inverse is one of cofactors.
            assert!((r - stick).length() <= 1e-6 * stick.length(), "{r} {stick}");
            "sticks"
        } else {
            let all = by_directions(matrix, friction, q);
            let Some((_, largest)) = all.last() else { panic!("no sliding: {matrix:?} {friction} {q}") };
            assert!((r - *largest).length() <= 1e-9 * largest.length(), "{r} {all:?}: {matrix:?} {friction} {q}");
            assert!(!block.has_one_root || all.len() == 1, "{all:?}: {matrix:?} {friction} {q}");
            match (block.has_one_root, all.len()) {
                (true, _) => "slides, with one root alone",
                (false, 1) => "slides, with one root",
                (false, _) => "slides, with several roots",
            }
        };
        *counts.entry(what).or_default() += 1;
    }
    println!("{counts:?}, worst {worst:e}");
    assert!(counts.len() == 6 && counts.values().all(|count| *count >= 4), "{counts:?}");
}

#[test]
fn blocks_without_a_unique_stick_are_refused() {
    let with_diagonal = |x, y, z| ContactBlock::new(DMat3::from_diagonal(DVec3::new(x, y, z)), 0.5);
    assert!(with_diagonal(1.0, 1e-3, 1e3).is_some());
    for (x, y, z) in [(0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, -1.0), (1.0, 1.0, 1e-13), (f64::NAN, 1.0, 1.0)] {
        assert!(with_diagonal(x, y, z).is_none(), "{x} {y} {z}");
    }
    // x N = y T: of rank 2.
    let singular = DMat3::from_cols(DVec3::new(1.0, 1.0, 0.0), DVec3::new(1.0, 1.0, 0.0), DVec3::Z);
    assert!(ContactBlock::new(singular, 0.5).is_none());
}

#[test]
fn extreme_questions_have_answers() {
    let matrix = DMat3::from_cols(DVec3::new(2.0, 0.3, -0.2), DVec3::new(0.3, 1.0, 0.1), DVec3::new(-0.2, 0.1, 1.5));
    for friction in [1e-12, 1e-3, 1.0, 100.0] {
        let block = ContactBlock::new(matrix, friction).unwrap();
        for q in [
            DVec3::new(-1e-300, 1.0, 1.0),
            DVec3::new(-1e-30, 1.0, 0.0),
            DVec3::new(-1.0, 1e-30, 0.0),
            DVec3::new(-1.0, -0.15, 0.1),
            DVec3::new(-1.0, 1e12, -1e12),
            DVec3::new(-1e-12, 0.0, 0.0),
            DVec3::new(-0.0, 1.0, 0.0),
        ] {
            let (r, size) = (block.solve(q), q.length());
            let left = natural_map(r, matrix * r + q, friction, 0.5).length();
            // Some roundings of u_T, times mu.
            assert!(left <= 16.0 * f64::EPSILON * (1.0 + friction) * size, "{friction} {q}: {r} {left:e}");
            assert!(tangential_length(r) <= friction * r.x * (1.0 + 4.0 * f64::EPSILON), "{friction} {q}: {r}");
        }
    }
}
