//! Neighbours against looking at all pairs and all images.

use glam::DQuat;
use proptest::prelude::*;

use super::super::Tilts;
use super::*;
use crate::random::uniform;
use crate::reference::Reference;

/// The least factor by which two ellipsoids must grow to touch, by bisection for Lambda: where the contact function is
/// steepest both supports weigh the same (docs/theory/ellipsoids.md).
fn mu(pair: &EllipsoidPair) -> f64 {
    let squares = |ellipsoid: &Ellipsoid| {
        let turn = glam::DMat3::from_quat(ellipsoid.rotation.normalize());
        turn * glam::DMat3::from_diagonal(ellipsoid.semi_axes * ellipsoid.semi_axes) * turn.transpose()
    };
    let (p, q) = (squares(&pair.a), squares(&pair.b));
    let between = pair.b.center - pair.a.center;
    let (mut low, mut high, mut mu) = (0.0, 1.0, 0.0);
    for _ in 0..60 {
        let lambda = 0.5 * (low + high);
        let normal = (p * (1.0 - lambda) + q * lambda).inverse() * between;
        let (h_a, h_b) = (normal.dot(p * normal).sqrt(), normal.dot(q * normal).sqrt());
        mu = between.dot(normal) / (h_a + h_b);
        if (1.0 - lambda) * h_a > lambda * h_b { low = lambda } else { high = lambda }
    }
    if between == DVec3::ZERO { 0.0 } else { mu }
}

/// The images of a body that may be within a reach of a place that is so far from it: by the inverse of the lattice, since
/// the reach along the axis of a lattice vector is no more than it times the length of that row.
fn images(domain: &Domain, between: DVec3, reach: f64) -> Vec<[i32; 3]> {
    // Along an open axis any length serves, for it is not counted.
    let vectors = [0, 1, 2].map(|axis| match domain.period(axis) {
        Some(_) => domain.image(DVec3::ZERO, IVec3::AXES[axis]),
        None => DVec3::AXES[axis],
    });
    let rows = glam::DMat3::from_cols(vectors[0], vectors[1], vectors[2]).inverse().transpose();
    let along = |axis: usize, row: DVec3| match domain.period(axis) {
        None => 0..=0,
        Some(_) => {
            let (middle, most) = (row.dot(between), reach * row.length());
            (middle - most - 1.0).floor() as i32..=(middle + most + 1.0).ceil() as i32
        }
    };
    let mut images = Vec::new();
    for x in along(0, rows.x_axis) {
        for y in along(1, rows.y_axis) {
            images.extend(along(2, rows.z_axis).map(|z| [x, y, z]));
        }
    }
    images
}

/// All pairs in the form in which they are told, with images as far as any could be near.
fn all_pairs(bodies: &Bodies, domain: &Domain, distance: f64) -> Vec<Neighbor> {
    let ellipsoids = bodies.ellipsoids();
    let mut all = Vec::new();
    for a in 0..ellipsoids.len() {
        for b in a..ellipsoids.len() {
            let between = ellipsoids[a].center - ellipsoids[b].center;
            let reach = ellipsoids[a].semi_axes.max_element() + ellipsoids[b].semi_axes.max_element() + distance;
            let images = images(domain, between, reach).into_iter();
            let told = images.filter(|&image| a < b || image > [0; 3]);
            // What is farther than balls around them need not be asked about.
            let near = told.filter(|&image| domain.image(-between, IVec3::from_array(image)).length() < reach + 1.0);
            all.extend(near.map(|image| Neighbor { a: a as u32, b: b as u32, image }));
        }
    }
    all
}

fn found(packing: &Packing, distance: f64) -> Vec<Neighbor> {
    let numbers: Vec<u32> = (0..packing.bodies().len() as u32).collect();
    let mut found = packing.neighbors(&Reference::new(1).unwrap(), &numbers, distance).unwrap();
    found.sort_unstable();
    assert!(found.is_sorted_by(|a, b| a < b), "none twice");
    found
}

fn rotation() -> impl Strategy<Value = DQuat> {
    let turned = prop::array::uniform4(-1.0f64..1.0).prop_map(DQuat::from_array);
    prop_oneof![Just(DQuat::IDENTITY), turned.prop_filter("a rotation", |turn| turn.length() > 0.1)]
}

/// Grains, boulders, needles and discs.
fn semi_axes() -> impl Strategy<Value = DVec3> {
    let between = |low: f64, high: f64| (low.ln()..high.ln()).prop_map(f64::exp);
    prop_oneof![
        Just(DVec3::splat(0.5)),
        between(0.01, 2.0).prop_map(DVec3::splat),
        (between(0.05, 0.5), 0.2f64..1.0, 0.2f64..1.0).prop_map(|(s, t, u)| s * DVec3::new(1.0, t, u)),
        (between(0.3, 3.0), 1e-3f64..1e-2).prop_map(|(s, t)| s * DVec3::new(t, 1.0, t)),
        (between(0.3, 2.0), 1e-3f64..1e-2).prop_map(|(s, t)| s * DVec3::new(1.0, t, 1.0)),
    ]
}

/// Anywhere, or on whole numbers: on borders, touching, coincident.
fn center() -> impl Strategy<Value = DVec3> {
    prop_oneof![
        prop::array::uniform3(-6.0f64..6.0).prop_map(DVec3::from_array),
        prop::array::uniform3(-3i32..3).prop_map(|center| IVec3::from_array(center).as_dvec3()),
    ]
}

fn domain() -> impl Strategy<Value = Domain> {
    let period = prop_oneof![Just(None), Just(Some(3.0)), (2.0f64..9.0).prop_map(Some)];
    // Cells of right angles, of usual tilts, of whole ones, and of such as are sheared for long.
    let tilt = || prop_oneof![Just(0.0), -0.5f64..0.5, Just(-1.0), Just(2.0), -2.5f64..2.5];
    (prop::array::uniform3(period), prop::bool::ANY, tilt(), tilt(), tilt()).prop_map(
        |(periods, is_tilted, xy, xz, yz)| {
            let tilt = |share: f64, along: usize, of: usize| {
                let length = periods[along].unwrap_or(5.0);
                if is_tilted && periods[of].is_some() { share * length } else { 0.0 }
            };
            let tilts = Tilts { xy: tilt(xy, 0, 1), xz: tilt(xz, 0, 2), yz: tilt(yz, 1, 2) };
            Domain::tilted(periods, tilts).unwrap()
        },
    )
}

fn bodies(semi_axes: impl Strategy<Value = DVec3>, most: usize) -> impl Strategy<Value = Bodies> {
    let ellipsoid = (center(), semi_axes, rotation());
    let ellipsoid = ellipsoid.prop_map(|(center, semi_axes, rotation)| Ellipsoid { center, semi_axes, rotation });
    prop::collection::vec(ellipsoid, 0..most)
        .prop_map(|ellipsoids| Bodies::new((7..).zip(ellipsoids).collect()).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_pair_that_overlaps_is_lost_whatever_the_shapes_and_the_space(bodies in bodies(semi_axes(), 24), domain in domain()) {
        let packing = Packing::new(bodies.clone(), domain).unwrap();
        let found = found(&packing, 0.0);
        for neighbor in all_pairs(&bodies, &domain, 0.0) {
            // Aspects of up to 1e3 cost the bisection six digits of sixteen, twice.
            if mu(&packing.pair(neighbor)) <= 1.0 - 1e-4 {
                prop_assert!(found.binary_search(&neighbor).is_ok(), "{:?} is lost", neighbor);
            }
        }
    }

    #[test]
    fn of_balls_exactly_those_within_the_distance_are_found(
        bodies in bodies((0.1f64..1.5).prop_map(DVec3::splat), 24),
        domain in domain(),
        distance in prop_oneof![Just(0.0), 0.0f64..2.0],
    ) {
        let packing = Packing::new(bodies.clone(), domain).unwrap();
        let found = found(&packing, distance);
        for neighbor in all_pairs(&bodies, &domain, distance) {
            let EllipsoidPair { a, b, .. } = packing.pair(neighbor);
            let gap = (b.center - a.center).length() - a.semi_axes.x - b.semi_axes.x - distance;
            let is_found = found.binary_search(&neighbor).is_ok();
            // Rounding of numbers below 30 decides on what is nearer to the border than this.
            prop_assert!(gap.abs() < 1e-10 || is_found == (gap < 0.0), "{:?}: {}", neighbor, gap);
        }
    }
}

#[test]
fn balls_that_touch_exactly_are_found_across_any_border() {
    // A cubic lattice of balls that touch: three contacts for each.
    for side in [1usize, 2, 3, 4] {
        let balls = (0..side.pow(3)).map(|n| {
            let cell = DVec3::new((n % side) as f64, (n / side % side) as f64, (n / side / side) as f64);
            // Not where they would be looked for first.
            let moved = cell + DVec3::splat(0.3) - DVec3::new(((n % 5) * side) as f64, 0.0, 0.0);
            (n as i64, Ellipsoid::ball(moved, 0.5))
        });
        let bodies = Bodies::new(balls.collect()).unwrap();
        let count = bodies.len();
        let packing = Packing::new(bodies, Domain::new([Some(side as f64); 3]).unwrap()).unwrap();
        assert_eq!(found(&packing, 0.0).len(), 3 * count, "side {side}");
        // The 12 neighbours along the diagonals of faces count half as well.
        assert_eq!(found(&packing, 0.42).len(), 9 * count, "side {side}");
    }
}

#[test]
fn a_sheared_cell_of_the_same_lattice_has_the_same_pairs_in_the_same_places() {
    // B = b + 2 a and c - a + 3 B span, with a, the lattice that a, b and c do.
    let (x, y, z) = (4.0, 5.0, 3.0);
    let right = Domain::new([Some(x), Some(y), Some(z)]).unwrap();
    let sheared = Tilts { xy: 2.0 * x, xz: -x + 3.0 * 2.0 * x, yz: 3.0 * y };
    let sheared = Domain::tilted([Some(x), Some(y), Some(z)], sheared).unwrap();
    let mut count = 0;
    for kind in 0..40 {
        let body = |item: u64| {
            let draw = |variable| uniform(kind, item, variable);
            let center = 12.0 * DVec3::new(draw(0), draw(1), draw(2)) - 6.0;
            let turn = DQuat::from_scaled_axis(3.0 * DVec3::new(draw(3), draw(4), draw(5)));
            let semi_axes = (0.2 + draw(9)) * DVec3::new(1.0, 0.2 + 0.8 * draw(6), 0.2 + 0.8 * draw(7));
            // On a grid of 2^-20, so that the images of both cells are rounded not at all.
            let center = (center * 1_048_576.0).round() / 1_048_576.0;
            (item as i64, Ellipsoid { center, semi_axes, rotation: turn })
        };
        let bodies = Bodies::new((0..30).map(body).collect()).unwrap();
        // Where B stands; of images of a body itself one of two opposite ones is told, so both are listed.
        let places = |domain: Domain| {
            let packing = Packing::new(bodies.clone(), domain).unwrap();
            let place = |neighbor: Neighbor| {
                let EllipsoidPair { a, b, .. } = packing.pair(neighbor);
                let between = b.center - a.center;
                let is_same = neighbor.a == neighbor.b;
                let between = if is_same && between.to_array() < [0.0; 3] { -between } else { between };
                (neighbor.a, neighbor.b, between.to_array().map(|it| (it * 1_048_576.0) as i64))
            };
            let mut places: Vec<_> = found(&packing, 0.05).into_iter().map(place).collect();
            places.sort_unstable();
            places
        };
        let expected = places(right);
        count += expected.len();
        assert_eq!(places(sheared), expected, "{kind}");
    }
    println!("{count} pairs in both cells");
    assert!(count > 1000);
}

#[test]
fn a_body_touches_its_own_images_once() {
    let one = |radius| Bodies::new(vec![(3, Ellipsoid::ball(DVec3::new(0.1, 5.0, -7.0), radius))]).unwrap();
    let images = |radius, periods| -> Vec<[i32; 3]> {
        let packing = Packing::new(one(radius), Domain::new(periods).unwrap()).unwrap();
        found(&packing, 0.0).iter().map(|neighbor| neighbor.image).collect()
    };
    let along_x = [Some(1.0), None, None];
    assert_eq!(images(0.49, along_x), [[0; 3]; 0]);
    assert_eq!(images(0.51, along_x), [[1, 0, 0]]);
    assert_eq!(images(1.6, along_x), [[1, 0, 0], [2, 0, 0], [3, 0, 0]]);
    assert_eq!(images(0.51, [Some(1.0), None, Some(1.0)]), [[0, 0, 1], [1, 0, 0]]);
    assert_eq!(images(0.72, [Some(1.0), None, Some(1.0)]), [[0, 0, 1], [1, 0, -1], [1, 0, 0], [1, 0, 1]]);
}

#[test]
fn what_a_periodic_space_cannot_hold_is_refused() {
    let refused = |ellipsoid| {
        let bodies = Bodies::new(vec![(9, ellipsoid)]).unwrap();
        Packing::new(bodies, Domain::new([None, Some(1.0), None]).unwrap()).unwrap_err().to_string()
    };
    let wide = refused(Ellipsoid::ball(DVec3::ZERO, 5.0));
    assert!(wide.starts_with("body 9 reaches 5.0") && wide.contains("along y from its centre: at most 4 m"), "{wide}");
    let far = refused(Ellipsoid::ball(DVec3::new(0.0, -1e7, 0.0), 1.0));
    assert!(far.contains("-10000000 m along y: at most 1048576 periods"), "{far}");
    let packing = Packing::new(Bodies::default(), Domain::new([None, Some(1.0), None]).unwrap()).unwrap();
    for distance in [-1.0, 4.1, f64::NAN] {
        assert!(packing.check_distance(distance).is_err(), "{distance}");
    }
    packing.check_distance(4.0).unwrap();
}

#[test]
fn sizes_and_places_near_the_limits_of_numbers_are_no_exception() {
    for scale in [1e-51, 1e-20, 1.0, 1e20, 1e51] {
        let needle = Ellipsoid {
            center: scale * DVec3::new(1.0, 1.0, 2.5),
            semi_axes: scale * DVec3::new(1e-4, 2.0, 1e-4),
            rotation: DQuat::from_rotation_x(1.0),
        };
        let ball = |x: f64| Ellipsoid::ball(scale * DVec3::new(x, 0.0, 0.0), scale);
        let bodies = Bodies::new(vec![(1, ball(0.0)), (2, ball(1.9)), (3, needle), (4, ball(7.5e8))]).unwrap();
        let open = Packing::new(bodies.clone(), Domain::OPEN).unwrap();
        let pairs: Vec<[u32; 2]> = found(&open, 0.0).iter().map(|neighbor| [neighbor.a, neighbor.b]).collect();
        assert_eq!(pairs, [[0, 1]], "{scale}");
        let periodic = Packing::new(bodies, Domain::new([Some(1000.0 * scale), None, None]).unwrap()).unwrap();
        let pairs: Vec<_> =
            found(&periodic, 0.0).iter().map(|neighbor| (neighbor.a, neighbor.b, neighbor.image)).collect();
        assert_eq!(pairs, [(0, 1, [0; 3]), (0, 3, [-750_000, 0, 0]), (1, 3, [-750_000, 0, 0])], "{scale}");
    }
}
