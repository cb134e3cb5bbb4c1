//! Curved leaves against formulas of their own: where lines enter and leave, what is flat, distances.
//!
//! `TOUCHDOWN_TEST_SEED` changes the random solids and lines.

use std::sync::Arc;

use crate::support::brute_force::leaf_distance;
use crate::support::random::{Random, test_seed};
use crate::support::random_solid::{KINDS, ROUNDINGS, SOLIDS, allowed, random_line, random_solid, scales};
use glam::{DQuat, DVec3};
use touchdown::native::SceneIndex;
use touchdown::program::walk::{Walk, Walker};
use touchdown::program::{Interpreter, Program};
use touchdown::query::{EntryPoint, Ray, RayStatus};
use touchdown::reference::Tracer;
use touchdown::scene::{Capsule, Cone, Cylinder, Interval, Scene, Shape, Solid, Sphere, Stretched};

/// The least distance along a line in a range of lambda, and where: the distance is convex.
fn least(solid: &Solid, ray: &Ray, mut range: [f64; 2]) -> (f64, f64) {
    let at = |lambda: f64| leaf_distance(solid, ray.x1 + lambda * (ray.x2 - ray.x1));
    for _ in 0..150 {
        let [low, high] = range;
        let (left, right) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
        if at(left) <= at(right) { range[1] = right } else { range[0] = left }
    }
    (at(range[0]), range[0])
}

#[test]
fn lines_enter_and_leave_at_the_border_and_are_inside_between() {
    let mut random = Random::new(test_seed(), 1 << 44);
    let (mut ends, mut empty, mut largest) = (0, 0, [0.0_f64; KINDS]);
    for number in 0..SOLIDS {
        let kind = number % KINDS;
        let solid = random_solid(&mut random, kind);
        let ray = random_line(&mut random, &solid);
        let Interval { enter, exit, .. } = solid.interval(&ray.x1, &ray.x2);
        let distance = |lambda: f64| leaf_distance(&solid, ray.x1 + lambda * (ray.x2 - ray.x1));
        let about = || format!("{number}: [{enter}, {exit}] {solid:?} {ray:?}");
        assert!(!enter.is_nan() && !exit.is_nan(), "{}", about());
        // Of no interest beyond: a line of 1 mm is looked at up to 1 km.
        let far = 1e6;
        if enter > exit {
            empty += 1;
            let (value, at) = least(&solid, &ray, [-far, far]);
            assert!(value >= -allowed(&solid, &ray, at), "{value:e} inside at {at}; {}", about());
            continue;
        }
        for end in [enter, exit].into_iter().filter(|end| end.abs() <= far) {
            let off = distance(end).abs() / allowed(&solid, &ray, end);
            assert!(off <= 1.0, "{off} at {end}; {}", about());
            largest[kind] = largest[kind].max(off);
            ends += 1;
        }
        let (low, high) = (enter.max(-far), exit.min(far));
        for share in [0.001, 0.2, 0.5, 0.9, 0.999] {
            let lambda = low + share * (high - low);
            if low < high {
                assert!(distance(lambda) <= allowed(&solid, &ray, lambda), "{lambda}; {}", about());
            }
        }
        for lambda in [low - 1e-6, low - 0.3, high + 1e-6, high + 0.3, high + 100.0] {
            if (lambda < enter || lambda > exit) && lambda.abs() < far {
                assert!(distance(lambda) >= -allowed(&solid, &ray, lambda), "{lambda}; {}", about());
            }
        }
    }
    println!("{ends} ends, {empty} lines outside; largest displacement over what is allowed, by kind: {largest:.3?}");
    assert!(ends > SOLIDS / 2 && empty > SOLIDS / 50);
    // A bound that nothing comes near would let faults pass.
    assert!(largest.iter().all(|&share| share > 0.01), "{largest:?}");
}

#[test]
fn a_point_hit_is_inside_and_one_before_is_not() {
    let mut random = Random::new(test_seed(), 2 << 44);
    for number in 0..SOLIDS {
        let solid = random_solid(&mut random, number % KINDS);
        let ray = random_line(&mut random, &solid);
        let Interval { enter, exit, flat } = solid.interval(&ray.x1, &ray.x2);
        if enter.is_finite() && enter.abs() < 1e3 && enter < exit && !flat {
            let factor = if let Solid::Stretched(stretched) = &solid { stretched.least_stretch } else { 1.0 };
            let within = factor * allowed(&solid, &ray, enter);
            assert!(solid.distance(ray.at(enter)) <= within, "{number} {solid:?} {ray:?}");
            let middle = 0.5 * (enter + exit.min(1e3));
            assert!(
                solid.distance(ray.at(middle)) <= factor * allowed(&solid, &ray, middle),
                "{number} {solid:?} {ray:?}"
            );
            assert!(solid.distance(ray.at(enter - 0.1)) >= -within, "{number} {solid:?} {ray:?}");
        }
    }
}

/// A solid of whole numbers along an axis of the world: planes of its caps and lines of its side are met exactly.
fn whole_solid(random: &mut Random) -> Solid {
    let mut whole = |least: f64, most: f64| random.between(least - 0.5, most + 0.5).round();
    let place = DVec3::new(whole(-2.0, 2.0), whole(-2.0, 2.0), whole(-2.0, 2.0));
    let (radius, height) = (whole(0.0, 2.0), whole(1.0, 3.0));
    let axis = DVec3::AXES[random.index(3)];
    match random.index(5) {
        0 => Solid::Cylinder(Cylinder { center: place, axis, radius, half_height: Some(height) }),
        1 => Solid::Cone(Cone::frustum(place, axis, height, radius, radius + height)),
        2 => Solid::Cone(Cone { base: place, axis, radius: 0.0, slope: 1.0, height: None }),
        3 => Solid::Sphere(Sphere { center: place, radius }),
        _ => Solid::Capsule(Capsule { from: place, to: place + height * axis, radius }),
    }
}

#[test]
fn a_line_that_is_called_flat_lies_in_the_border_and_one_in_a_mantle_is_called_so() {
    let mut random = Random::new(test_seed(), 9 << 44);
    let (mut flat, mut standing) = ([0; 5], 0);
    for number in 0..10 * SOLIDS {
        let solid = whole_solid(&mut random);
        let mut point = || DVec3::from_array([0; 3].map(|_| random.between(-5.5, 5.5).round()));
        let (x1, other) = (point(), point());
        let direction = match random.index(4) {
            0 => other,
            1 => DVec3::ZERO,
            _ => DVec3::AXES[random.index(3)],
        };
        let ray = Ray::segment(x1, x1 + direction);
        let inside = solid.interval(&ray.x1, &ray.x2);
        let middle = 0.5 * (inside.enter.max(-1e3) + inside.exit.min(1e3));
        let distance = || leaf_distance(&solid, ray.at(middle));
        if inside.flat {
            let off = distance().abs() / allowed(&solid, &ray, middle);
            assert!(off <= 1.0, "{number}: {off} {solid:?} {ray:?} {inside:?}");
            flat[match solid {
                Solid::Cylinder(_) => 0,
                Solid::Cone(Cone { height: Some(_), .. }) => 1,
                Solid::Cone(_) => 2,
                Solid::Sphere(_) => 3,
                _ => 4,
            }] += 1;
            standing += usize::from(direction == DVec3::ZERO);
        } else if inside.enter + 1e-6 < inside.exit && matches!(solid, Solid::Cylinder(_) | Solid::Capsule(_)) {
            // Longer than a touch.
            assert!(distance() != 0.0, "{number}: {solid:?} {ray:?} {inside:?}");
        }
    }
    println!("{flat:?} flat, {standing} of them standing");
    assert!(flat.iter().all(|&count| count > 50) && standing > 1000, "{flat:?} {standing}");
}

/// The answers of all engines that compute in f64, which are one.
fn entry_point(scene: &Scene, ray: &Ray) -> EntryPoint {
    let entry = Tracer::new(scene).entry_point(ray);
    let (program, walk, index) = (Program::compile(scene), Walk::compile(scene), SceneIndex::new(scene));
    let mut native = [EntryPoint::none(RayStatus::BadInput); 9];
    index.entry_points(&[*ray; 9], &mut native);
    assert_eq!(Interpreter::new(&program).entry_point(ray), entry, "{ray:?}");
    assert_eq!(Walker::new(&walk, scene).entry_point(ray), entry, "{ray:?}");
    assert_eq!(native, [entry; 9], "{ray:?}");
    entry
}

#[test]
fn rays_in_the_plane_of_a_capsules_cap_are_inside_of_it() {
    let capsule = || Shape::Solid(Solid::Capsule(Capsule { from: -2.0 * DVec3::X, to: 2.0 * DVec3::X, radius: 1.0 }));
    let scene = |shape: &Shape| Scene::new(shape, Vec::new(), None, None).unwrap();
    let ground = Shape::half_space(DVec3::Z, 0.0);
    let groove = scene(&Shape::Difference(vec![Arc::new(ground), Arc::new(capsule())]));
    let down = Ray::segment(DVec3::new(2.0, 0.0, -0.5), DVec3::new(2.0, 0.0, -5.0));
    // From half a metre above the bottom of the groove, over 4.5 m.
    let bottom = entry_point(&groove, &down);
    assert_eq!((bottom.status, bottom.leaf, bottom.normal), (RayStatus::Hit, Some(1), DVec3::Z));
    assert!((bottom.lambda - 0.5 / 4.5).abs() < 4.0 * f64::EPSILON, "{bottom:?}");
    let standing = Ray::segment(down.x1, down.x1);
    assert_eq!(entry_point(&groove, &standing).status, RayStatus::Miss);
    // In the capsule itself both start inside.
    let rod = scene(&capsule());
    for ray in [down, standing] {
        let start = entry_point(&rod, &ray);
        assert_eq!(start, EntryPoint { status: RayStatus::Hit, lambda: 0.0, ..start }, "{ray:?}");
        assert_eq!((start.leaf, start.normal), (None, DVec3::ZERO), "{ray:?}");
    }
    // A line along the shaft lies in the border.
    let along = entry_point(&rod, &Ray::segment(DVec3::new(-1.0, 0.0, 1.0), DVec3::new(1.0, 0.0, 1.0)));
    assert_eq!((along.lambda, along.leaf, along.normal), (0.0, Some(0), DVec3::Z));
}

#[test]
fn no_point_is_nearer_to_the_border_than_its_distance() {
    let mut random = Random::new(test_seed(), 3 << 44);
    for number in 0..SOLIDS {
        let solid = random_solid(&mut random, number % KINDS);
        let point = solid.reference_point() + 10f64.powf(random.between(-2.0, 2.0)) * random.direction();
        let distance = solid.distance(point);
        let (own, factor) = scales(&solid);
        let rounding = ROUNDINGS * factor * (own + 1e3) * 10.0;
        for _ in 0..8 {
            let other = leaf_distance(&solid, point + distance.abs() * random.direction());
            let same_side = if distance > 0.0 { other >= -rounding } else { other <= rounding };
            assert!(same_side, "{number}: {distance} {other} {point} {solid:?}");
        }
    }
}

#[test]
fn leaves_stay_small() {
    // Millions of leaves stand in memory, and every ray looks at some.
    assert!(size_of::<Solid>() <= 88, "{}", size_of::<Solid>());
    let rotation = DQuat::from_rotation_x(1.0);
    assert!(matches!(Stretched::ellipsoid(DVec3::ZERO, DVec3::ONE, rotation).base, Solid::Sphere(_)));
}
