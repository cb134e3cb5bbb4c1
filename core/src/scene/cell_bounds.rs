//! Boxes around cells, by linear programming.
//!
//! How far a cell, where all `n_j.x <= d_j`, reaches along a direction c is bounded by any shares `y_j >= 0` whose sum of
//! `y_j n_j` is c: then c.x is at most the sum of `y_j d_j`. Three half spaces are enough for the least bound, fewer where
//! their normals hold c in their plane or line, and every such choice is a bound whatever the others are. So nothing depends
//! on finding corners: rounding leaves a rest r, what c is more than the sum, which adds r.x at most, and the box is widened
//! by that.
//!
//! A cell may be endless along some axes. The bounds of the others then come from half spaces whose normals do not lean
//! that way at all, since no rest may meet an endless coordinate.
//!
//! # Conventions
//! As in [`crate::scene`]; normals are unit vectors here. A side is an axis and whether it is the upper: x-, x+, y-, ...

use glam::DVec3;

use super::{BoundingBox, HalfSpace};

/// Of more half spaces than this the ones that face most directions are combined, and the others cut what is found.
const COMBINED: usize = 32;
/// Rests up to this are allowed: with three of them a coordinate is bounded by itself and still finite.
const MAX_REST: f64 = 1e-9;
/// Below this sine of an angle or determinant, normals are held to be in one line or plane.
const PARALLEL: f64 = 1e-12;
/// Shares above minus this count as zero.
const NEGATIVE: f64 = -1e-12;
/// Exchanges of half spaces while a bound is cut; it is valid after any number.
const MAX_EXCHANGES: usize = 64;

#[derive(Clone, Copy)]
struct Plane {
    normal: DVec3,
    offset: f64,
}

/// An upper bound on the extent of a cell to a side, and its basis.
#[derive(Clone, Copy)]
struct Bound {
    reach: f64,
    rest: f64,
    /// The half spaces, where there are three of them.
    basis: Option<[usize; 3]>,
}

/// The box around a cell; infinite along the axes that it has no bounds along.
pub(super) fn cell_bounds(half_spaces: &[HalfSpace]) -> BoundingBox {
    let unit = |half_space: &HalfSpace| {
        let length = half_space.normal.length();
        Plane { normal: half_space.normal / length, offset: half_space.offset / length }
    };
    let planes: Vec<Plane> = half_spaces.iter().map(unit).collect();
    let mut endless = [false; 3];
    loop {
        let level = |plane: &&Plane| (0..3).all(|axis| !endless[axis] || plane.normal[axis] == 0.0);
        let usable: Vec<Plane> = planes.iter().filter(level).copied().collect();
        let sides = sides(&usable);
        let open = [0, 1, 2].map(|axis| sides[2 * axis].is_none() || sides[2 * axis + 1].is_none());
        if open == endless {
            return around(&sides, endless);
        }
        // Open axes stay open: there are fewer half spaces in every round.
        endless = open;
    }
}

fn around(sides: &[Option<Bound>; 6], endless: [bool; 3]) -> BoundingBox {
    let closed = || (0..6).filter(|side| !endless[side / 2]).filter_map(|side| Some((side, sides[side]?)));
    let size = closed().map(|(_, bound)| bound.reach.abs()).fold(0.0, f64::max);
    let mut bounds = BoundingBox::WHOLE;
    for (side, bound) in closed() {
        let reach = bound.reach + 4.0 * (bound.rest + f64::EPSILON) * size;
        let (axis, upper) = (side / 2, side % 2 == 1);
        if upper { bounds.max[axis] = reach } else { bounds.min[axis] = -reach }
    }
    bounds
}

/// The unit vector to a side.
fn direction(side: usize) -> DVec3 {
    let axis = DVec3::AXES[side / 2];
    if side % 2 == 1 { axis } else { -axis }
}

fn sides(planes: &[Plane]) -> [Option<Bound>; 6] {
    let combined = if planes.len() > COMBINED { spread(planes) } else { (0..planes.len()).collect() };
    let mut sides = [None; 6];
    for (index, &a) in combined.iter().enumerate() {
        offer(&mut sides, planes, &[a], [planes[a].normal, DVec3::ZERO, DVec3::ZERO]);
        for (next, &b) in combined.iter().enumerate().skip(index + 1) {
            offer_pair(&mut sides, planes, [a, b]);
            for &c in &combined[next + 1..] {
                if let Some(duals) = duals(planes, [a, b, c]) {
                    offer(&mut sides, planes, &[a, b, c], duals);
                }
            }
        }
    }
    if planes.len() > COMBINED {
        for (side, bound) in sides.iter_mut().enumerate() {
            *bound = bound.map(|bound| cut(bound, direction(side), planes));
        }
    }
    sides
}

/// The half spaces whose normals are nearest to 26 directions that stand evenly.
fn spread(planes: &[Plane]) -> Vec<usize> {
    let places =
        (0..27).map(|number| DVec3::new(f64::from(number % 3), f64::from(number / 3 % 3), f64::from(number / 9)));
    let directions = places.map(|place| (place - DVec3::ONE).normalize_or_zero());
    let nearest = |direction: DVec3| {
        let along = |&plane: &usize| planes[plane].normal.dot(direction);
        (0..planes.len()).max_by(|a, b| along(a).total_cmp(&along(b)))
    };
    let mut chosen: Vec<usize> = directions.filter_map(nearest).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// The vectors that give the share of each of three normals in a direction.
fn duals(planes: &[Plane], basis: [usize; 3]) -> Option<[DVec3; 3]> {
    let [a, b, c] = basis.map(|plane| planes[plane].normal);
    let across = b.cross(c);
    let determinant = a.dot(across);
    (determinant.abs() > PARALLEL).then(|| [across, c.cross(a), a.cross(b)].map(|dual| dual / determinant))
}

fn offer_pair(sides: &mut [Option<Bound>; 6], planes: &[Plane], pair: [usize; 2]) {
    let [a, b] = pair.map(|plane| planes[plane].normal);
    let (cosine, sine) = (a.dot(b), a.cross(b).length());
    if sine > PARALLEL {
        let squared = sine * sine;
        offer(sides, planes, &pair, [(a - cosine * b) / squared, (b - cosine * a) / squared, DVec3::ZERO]);
    }
}

/// What some half spaces say about each side, where that is more than what is known.
fn offer(sides: &mut [Option<Bound>; 6], planes: &[Plane], members: &[usize], duals: [DVec3; 3]) {
    for (side, known) in sides.iter_mut().enumerate() {
        let direction = direction(side);
        let shares = duals.map(|dual| dual.dot(direction));
        if let Some(bound) = bound(planes, members, shares, direction)
            && known.is_none_or(|known| bound.reach < known.reach)
        {
            *known = Some(bound);
        }
    }
}

/// The bound along a direction that these shares of half spaces give, if they do.
fn bound(planes: &[Plane], members: &[usize], shares: [f64; 3], direction: DVec3) -> Option<Bound> {
    if shares.iter().any(|&share| share < NEGATIVE) {
        return None;
    }
    let (mut rest, mut reach, mut rounding) = (direction, 0.0, 0.0);
    for (&member, share) in members.iter().zip(shares) {
        let (Plane { normal, offset }, share) = (planes[member], share.max(0.0));
        rest -= share * normal;
        reach += share * offset;
        rounding += (share * offset).abs();
    }
    let rest = rest.abs().max_element();
    let basis = <[usize; 3]>::try_from(members).ok();
    (rest <= MAX_REST).then_some(Bound { reach: reach + 4.0 * f64::EPSILON * rounding, rest, basis })
}

/// Cuts a bound by half spaces beyond which its corner stands, one exchanged for another at a time (the dual simplex
/// method).
fn cut(mut best: Bound, direction: DVec3, planes: &[Plane]) -> Bound {
    for _ in 0..MAX_EXCHANGES {
        let Some((basis, duals)) = best.basis.and_then(|basis| Some((basis, duals(planes, basis)?))) else {
            return best;
        };
        let corner: DVec3 = basis.iter().zip(duals).map(|(&plane, dual)| planes[plane].offset * dual).sum();
        let beyond = |&plane: &usize| planes[plane].normal.dot(corner) - planes[plane].offset;
        let Some(enters) = (0..planes.len()).max_by(|a, b| beyond(a).total_cmp(&beyond(b))) else {
            return best;
        };
        let slowest = |member: usize| {
            let rate = duals[member].dot(planes[enters].normal);
            if rate > PARALLEL { duals[member].dot(direction).max(0.0) / rate } else { f64::INFINITY }
        };
        let Some(leaves) = (0..3).min_by(|&a, &b| slowest(a).total_cmp(&slowest(b))) else {
            return best;
        };
        let mut exchanged = basis;
        exchanged[leaves] = enters;
        let next = self::duals(planes, exchanged)
            .and_then(|duals| bound(planes, &exchanged, duals.map(|dual| dual.dot(direction)), direction));
        match next {
            Some(next) if next.reach < best.reach => best = next,
            _ => return best,
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn faces(points: &[(DVec3, f64)]) -> Vec<HalfSpace> {
        points.iter().map(|&(normal, offset)| HalfSpace { normal, offset }).collect()
    }

    /// A regular prism about the z axis, turned, without top or bottom.
    fn prism(sides: u32, turn: f64) -> Vec<HalfSpace> {
        let angle = |side| turn + std::f64::consts::TAU * f64::from(side) / f64::from(sides);
        let face = |side| (DVec3::new(angle(side).cos(), angle(side).sin(), 0.0), 1.0);
        faces(&(0..sides).map(face).collect::<Vec<_>>())
    }

    #[test]
    fn prisms_are_endless_along_their_axis_alone() {
        for (sides, turn, reach) in [(4, 0.0, 1.0), (4, 0.3, 0.3_f64.cos() + 0.3_f64.sin()), (100, 0.0, 1.0)] {
            let bounds = cell_bounds(&prism(sides, turn));
            for axis in 0..2 {
                assert!((bounds.max[axis] - reach).abs() < 1e-12, "{sides} {turn}: {bounds:?}");
                assert!((bounds.min[axis] + reach).abs() < 1e-12, "{sides} {turn}: {bounds:?}");
            }
            assert_eq!((bounds.min.z, bounds.max.z), (f64::NEG_INFINITY, f64::INFINITY));
        }
    }

    #[test]
    fn what_leans_a_little_is_endless_along_all_that_it_leans_to() {
        // Far up, the leaning prism leaves every box about its foot.
        let lean = 1e-10 * DVec3::Z;
        let leaning = [(DVec3::X + lean, 1.0), (DVec3::NEG_X - lean, 1.0), (DVec3::Y, 1.0), (DVec3::NEG_Y, 1.0)];
        let leaning = faces(&leaning);
        let bounds = cell_bounds(&leaning);
        assert!(
            bounds.min.x.is_infinite() && bounds.min.z.is_infinite() && bounds.max.y < 1.1 && bounds.min.y > -1.1,
            "{bounds:?}"
        );
    }

    #[test]
    fn slabs_wedges_and_half_spaces_are_endless_where_they_are_open() {
        let slab = faces(&[(2.0 * DVec3::Z, 2.0), (DVec3::NEG_Z, 1.0), (DVec3::X, 1.0)]);
        let bounds = cell_bounds(&slab);
        assert!((bounds.max.z - 1.0).abs() < 1e-12 && (bounds.min.z + 1.0).abs() < 1e-12, "{bounds:?}");
        assert_eq!((bounds.min.x, bounds.max.y), (f64::NEG_INFINITY, f64::INFINITY));
        let wedge = faces(&[(DVec3::new(1.0, 0.0, 1.0), 1.0), (DVec3::new(-1.0, 0.0, 1.0), 1.0)]);
        assert_eq!(cell_bounds(&wedge), BoundingBox::WHOLE);
        assert_eq!(cell_bounds(&faces(&[(DVec3::Z, 0.0)])), BoundingBox::WHOLE);
        assert_eq!(cell_bounds(&[]), BoundingBox::WHOLE);
    }

    #[test]
    fn faces_that_are_nearly_parallel_bound_what_they_meet_in() {
        let crowned = [(2e-5, 0.0, 1.0), (-2e-5, 0.0, 1.0), (0.0, 2e-5, 1.0), (0.0, -2e-5, 1.0)];
        let mut cell: Vec<(DVec3, f64)> = crowned.map(|(x, y, z)| (DVec3::new(x, y, z), 0.0)).into();
        cell.push((DVec3::NEG_Z, 1.0));
        // A pyramid of height 1 whose base reaches 50 km to all sides.
        let bounds = cell_bounds(&faces(&cell));
        assert!(bounds.max.x >= 5e4 && bounds.max.x < 5.001e4 && bounds.max.z < 1e-3, "{bounds:?}");
    }

    fn unit() -> impl Strategy<Value = DVec3> {
        (-1.0..1.0, -1.0..1.0, -1.0..1.0)
            .prop_map(|(x, y, z)| DVec3::new(x, y, z).normalize_or_zero())
            .prop_filter("a direction", |v| v.length() > 0.5)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        /// Against points found by walking from inside to the nearest face: the box holds them all, and where many
        /// directions are looked at some come near to each of its faces that is met at a corner.
        #[test]
        fn a_box_holds_the_cell_and_touches_it(
            normals in prop::collection::vec((unit(), 0.5..2.0), 4..80),
            center in unit(),
            ways in prop::collection::vec(unit(), 300),
        ) {
            let center = 100.0 * center;
            let cell: Vec<HalfSpace> = normals
                .iter()
                .map(|&(normal, height)| HalfSpace { normal: 3.0 * normal, offset: 3.0 * (normal.dot(center) + height) })
                .collect();
            let bounds = cell_bounds(&cell);
            let mut touched = BoundingBox::EMPTY;
            for way in ways.into_iter().chain(DVec3::AXES).chain(DVec3::AXES.map(|axis| -axis)) {
                let exits = cell.iter().map(|face| face.interval(center, center + way).exit);
                let exit = exits.fold(f64::INFINITY, f64::min).min(1e6);
                let point = center + exit * way;
                prop_assert!(point.cmpge(bounds.min).all() && point.cmple(bounds.max).all(), "{point} {bounds:?}");
                touched = touched.join(BoundingBox { min: point, max: point });
            }
            for axis in 0..3 {
                let size = touched.max[axis] - touched.min[axis];
                // Corners stand out of what 300 directions find, the less the more faces there are.
                if bounds.max[axis].is_finite() && normals.len() > 40 && size < 10.0 {
                    prop_assert!(bounds.max[axis] - touched.max[axis] < 1.0 * size, "{touched:?} {bounds:?}");
                }
            }
        }
    }
}
