//! What holds for every contact of ellipsoids, whatever computes it: symmetry, motion, geometry, and an independent way to
//! the same number.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]

#[path = "support/ellipsoids.rs"]
mod ellipsoids;
#[path = "support/random.rs"]
mod random;
mod support;

use ellipsoids::{largest_semi_axis, random_pair, random_rotation};
use glam::{DQuat, DVec3};
use random::{Random, test_seed};
use touchdown::engine::Engine;
use touchdown::query::{ContactStatus, Ellipsoid, EllipsoidContact, EllipsoidPair, EllipsoidWall};
use touchdown::reference::Reference;

const PAIRS: usize = 20_000;
/// Longest semi-axis over the shortest, at most. Rounding of inputs moves contacts by its square, at most.
const ASPECT: f64 = 30.0;
/// Some hundred roundings of 1e-16, and what 30 to 1 makes of them.
const ROUNDING: f64 = 1e-10;

fn pairs(stream: u64) -> Vec<EllipsoidPair> {
    let mut random = Random::new(test_seed(), stream);
    (0..PAIRS).map(|_| random_pair(&mut random, ASPECT)).collect()
}

fn contacts(pairs: &[EllipsoidPair]) -> Vec<EllipsoidContact> {
    let contacts = Reference::new(0).unwrap().ellipsoid_pairs(pairs).unwrap();
    assert!(contacts.iter().all(|contact| contact.status == ContactStatus::Ok));
    contacts
}

fn greatest(errors: impl Iterator<Item = f64>) -> f64 {
    // NaN is greater than any.
    errors.fold(0.0, |greatest, error| if error <= greatest { greatest } else { error })
}

/// How far two contacts are apart, in sizes of the pair.
fn apart(a: &EllipsoidContact, b: &EllipsoidContact, pair: &EllipsoidPair) -> f64 {
    let size = largest_semi_axis(pair).max((pair.b.center - pair.a.center).length());
    let errors = [
        a.f / b.f - 1.0,
        a.lambda - b.lambda,
        (a.normal - b.normal).length(),
        (a.point - b.point).length() / size,
        (a.separation - b.separation) / size,
    ];
    greatest(errors.into_iter().map(f64::abs))
}

#[test]
fn swapping_the_bodies_mirrors_the_contact() {
    let pairs = pairs(1);
    let swapped: Vec<EllipsoidPair> = pairs.iter().map(|pair| EllipsoidPair::new(pair.b, pair.a)).collect();
    let mirrored = contacts(&swapped).into_iter().map(|contact| EllipsoidContact {
        lambda: 1.0 - contact.lambda,
        normal: -contact.normal,
        ..contact
    });
    let errors = contacts(&pairs).into_iter().zip(mirrored).zip(&pairs).map(|((a, b), pair)| apart(&a, &b, pair));
    let worst = greatest(errors);
    println!("{PAIRS} pairs swapped: greatest difference {worst:.1e}");
    assert!(worst < ROUNDING, "{worst}");
}

#[test]
fn moving_and_turning_both_bodies_moves_and_turns_the_contact() {
    let pairs = pairs(2);
    let mut random = Random::new(test_seed(), 3);
    let motions: Vec<(DQuat, DVec3)> =
        pairs.iter().map(|_| (random_rotation(&mut random), random.in_cube(10.0))).collect();
    let moved: Vec<EllipsoidPair> = pairs
        .iter()
        .zip(&motions)
        .map(|(pair, (turn, way))| {
            let of = |body: Ellipsoid| Ellipsoid {
                center: *turn * body.center + *way,
                rotation: *turn * body.rotation,
                ..body
            };
            EllipsoidPair::new(of(pair.a), of(pair.b))
        })
        .collect();
    let expected = contacts(&pairs).into_iter().zip(&motions).map(|(contact, (turn, way))| EllipsoidContact {
        normal: *turn * contact.normal,
        point: *turn * contact.point + *way,
        ..contact
    });
    let errors = contacts(&moved).into_iter().zip(expected).zip(&moved).map(|((a, b), pair)| apart(&a, &b, pair));
    let worst = greatest(errors);
    println!("{PAIRS} pairs moved: greatest difference {worst:.1e}");
    assert!(worst < ROUNDING, "{worst}");
}

#[test]
fn a_guess_changes_nothing_but_the_time() {
    let pairs = pairs(4);
    let without = contacts(&pairs);
    let guided: Vec<EllipsoidPair> = pairs
        .iter()
        .zip(&without)
        .map(|(pair, contact)| EllipsoidPair { guess: Some(contact.lambda), ..*pair })
        .collect();
    let with = contacts(&guided);
    let worst = greatest(with.iter().zip(&without).zip(&pairs).map(|((a, b), pair)| apart(a, b, pair)));
    let rounds = |contacts: &[EllipsoidContact]| contacts.iter().map(|contact| contact.iterations).sum::<u32>();
    println!(
        "{PAIRS} pairs: {} rounds, {} with the right guess; greatest difference {worst:.1e}",
        rounds(&without),
        rounds(&with)
    );
    assert!(worst < ROUNDING, "{worst}");
    assert!(rounds(&with) <= 2 * PAIRS as u32);
    let bad: Vec<EllipsoidPair> = pairs.iter().map(|pair| EllipsoidPair { guess: Some(1e-9), ..*pair }).collect();
    let worst = greatest(contacts(&bad).iter().zip(&without).zip(&pairs).map(|((a, b), pair)| apart(a, b, pair)));
    assert!(worst < ROUNDING, "{worst}");
}

#[test]
fn grown_by_the_factor_both_bodies_touch_in_the_point() {
    // Where each body's own equation has its border, and the border its normal.
    let on_border = |body: &Ellipsoid, contact: &EllipsoidContact, outward: DVec3| {
        let axes = body.axes();
        let local = axes.transpose() * (contact.point - body.center) / (contact.mu * body.semi_axes);
        let normal = (axes * (local / body.semi_axes)).normalize();
        (local.length() - 1.0).abs().max((normal - outward).length())
    };
    let pairs = pairs(5);
    let errors = contacts(&pairs).into_iter().zip(&pairs).map(|(contact, pair)| {
        on_border(&pair.a, &contact, contact.normal).max(on_border(&pair.b, &contact, -contact.normal))
    });
    let worst = greatest(errors);
    println!("{PAIRS} pairs: point and normal on both borders to {worst:.1e}");
    assert!(worst < ROUNDING, "{worst}");
    for (contact, pair) in contacts(&pairs[..100]).into_iter().zip(&pairs) {
        let [on_a, on_b] = contact.surface_points(pair);
        for (body, point) in [(&pair.a, on_a), (&pair.b, on_b)] {
            let local = body.axes().transpose() * (point - body.center) / body.semi_axes;
            assert!((local.length() - 1.0).abs() < ROUNDING);
        }
        let nearer = (pair.b.center - pair.a.center).normalize() * contact.closest_approach(pair);
        let moved = EllipsoidPair::new(pair.a, Ellipsoid { center: pair.a.center + nearer, ..pair.b });
        assert!((contacts(&[moved])[0].f - 1.0).abs() < ROUNDING);
    }
}

#[test]
fn the_factor_is_that_at_which_the_true_distance_vanishes() {
    // Another function of other formulas: the distance by climbing on the sphere.
    let pairs = &pairs(6)[..2000];
    let errors = contacts(pairs).into_iter().zip(pairs).map(|(contact, pair)| {
        let grown = |body: Ellipsoid| Ellipsoid { semi_axes: contact.mu * body.semi_axes, ..body };
        let pair = EllipsoidPair::new(grown(pair.a), grown(pair.b));
        let size = largest_semi_axis(&pair);
        let found = pair.signed_distance();
        (found.distance / size).abs()
    });
    let worst = greatest(errors);
    println!("2000 pairs grown by mu: true distance at most {worst:.1e} of their size");
    assert!(worst < ROUNDING, "{worst}");
}

#[test]
fn the_separation_is_a_lower_bound_of_the_true_distance() {
    let pairs = &pairs(7)[..5000];
    let mut overlaps = 0;
    for (contact, pair) in contacts(pairs).into_iter().zip(pairs) {
        let exact = pair.signed_distance();
        assert!(
            exact.distance >= contact.separation - 1e-12 * largest_semi_axis(pair),
            "{pair:?}: {exact:?}, {contact:?}"
        );
        assert_eq!(exact.distance < 0.0, contact.f < 1.0, "{pair:?}");
        overlaps += usize::from(contact.f < 1.0);
        // Moved by that much, they touch.
        let moved = Ellipsoid { center: pair.b.center - exact.distance * exact.normal, ..pair.b };
        let f = contacts(&[EllipsoidPair::new(pair.a, moved)])[0].f;
        assert!((f - 1.0).abs() < 1e-9, "{pair:?}: {exact:?}, F {f}");
    }
    println!("5000 pairs, {overlaps} overlap");
    assert!((500..4500).contains(&overlaps));
}

#[test]
fn overlapping_bodies_are_parted_by_no_shorter_way_that_is_tried() {
    let mut random = Random::new(test_seed(), 8);
    let (mut overlaps, mut shorter, mut worst) = (0, 0, 0.0f64);
    for pair in &pairs(9)[..1000] {
        let exact = pair.signed_distance();
        if exact.distance >= 0.0 {
            continue;
        }
        overlaps += 1;
        let width = |body: &Ellipsoid, normal: DVec3| (body.axes().transpose() * normal * body.semi_axes).length();
        let gap = |normal: DVec3| {
            (pair.b.center - pair.a.center).dot(normal) - width(&pair.a, normal) - width(&pair.b, normal)
        };
        let best = (0..2000).map(|_| gap(random.direction())).fold(f64::NEG_INFINITY, f64::max);
        shorter += usize::from(best > exact.distance + 1e-12);
        worst = worst.max(best - exact.distance);
    }
    println!("{overlaps} overlaps, {shorter} with a shorter way among 2000 tried, by {worst:.1e}");
    assert!(overlaps > 100);
    assert_eq!(shorter, 0);
}

#[test]
fn two_balls_and_a_wall_touch_as_school_has_it() {
    let ball = |x: f64, radius: f64| Ellipsoid::ball(DVec3::new(x, 1.0, -2.0), radius);
    let contact = contacts(&[EllipsoidPair::new(ball(0.0, 2.0), ball(4.0, 3.0))])[0];
    assert!((contact.mu - 0.8).abs() < 1e-15 && (contact.lambda - 0.4).abs() < 1e-15);
    assert!((contact.separation + 1.0).abs() < 1e-15);
    assert!((contact.point - DVec3::new(1.6, 1.0, -2.0)).length() < 1e-15);
    // A wall is the limit of a ball that grows.
    let body =
        Ellipsoid { semi_axes: DVec3::new(1.0, 2.0, 0.5), rotation: DQuat::from_rotation_x(0.7), ..ball(0.5, 1.0) };
    let wall = EllipsoidWall { ellipsoid: body, normal: DVec3::new(0.0, 0.0, 2.0), offset: -6.0 };
    let touch = Reference::new(1).unwrap().ellipsoid_walls(&[wall]).unwrap()[0];
    let radius = 1e7;
    let below = Ellipsoid::ball(DVec3::new(0.5, 1.0, -3.0 - radius), radius);
    let limit = contacts(&[EllipsoidPair::new(body, below)])[0];
    assert!((limit.normal - touch.normal).length() < 1e-6, "{} of {}", limit.normal, touch.normal);
    assert!((limit.separation - touch.separation).abs() < 1e-6, "{limit:?} of {touch:?}");
}

#[test]
fn hostile_bodies_are_bad_input_and_extreme_ones_are_answered() {
    let ball = Ellipsoid::ball(DVec3::X, 1.0);
    let bad = [
        Ellipsoid { semi_axes: DVec3::new(1.0, 0.0, 1.0), ..ball },
        Ellipsoid { semi_axes: DVec3::new(1.0, -1.0, 1.0), ..ball },
        Ellipsoid { semi_axes: DVec3::new(1.0, f64::NAN, 1.0), ..ball },
        Ellipsoid { semi_axes: DVec3::new(1.0, f64::INFINITY, 1.0), ..ball },
        Ellipsoid { semi_axes: DVec3::new(1.0, 1e-9, 1.0), ..ball },
        Ellipsoid { center: DVec3::new(f64::NAN, 0.0, 0.0), ..ball },
        Ellipsoid { center: DVec3::splat(1e61), ..ball },
        Ellipsoid { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..ball },
        Ellipsoid { rotation: DQuat::from_xyzw(0.0, f64::NAN, 0.0, 1.0), ..ball },
    ];
    let engine = Reference::new(1).unwrap();
    for body in bad {
        for pair in [EllipsoidPair::new(ball, body), EllipsoidPair::new(body, ball)] {
            assert_eq!(engine.ellipsoid_pairs(&[pair]).unwrap()[0], EllipsoidContact::none(ContactStatus::BadInput));
        }
    }
    let guess = EllipsoidPair { guess: Some(1.0), ..EllipsoidPair::new(ball, Ellipsoid::ball(DVec3::Y, 1.0)) };
    assert_eq!(engine.ellipsoid_pairs(&[guess]).unwrap()[0].status, ContactStatus::BadInput);

    let mut random = Random::new(test_seed(), 10);
    for _ in 0..20_000 {
        let unit = 10f64.powf(random.between(-50.0, 50.0));
        let mut body = |reach: f64| {
            let axes = DVec3::from_array([(); 3].map(|()| 10f64.powf(random.between(-8.0, 0.0))));
            Ellipsoid {
                center: unit * reach * random.in_cube(1.0),
                semi_axes: unit * axes,
                rotation: random_rotation(&mut random),
            }
        };
        let (a, b) = (body(1e-9), body(1e9));
        for pair in
            [EllipsoidPair::new(a, b), EllipsoidPair::new(a, Ellipsoid { center: a.center + 1e-12 * b.center, ..b })]
        {
            let contact = engine.ellipsoid_pairs(&[pair]).unwrap()[0];
            assert_eq!(contact.status, ContactStatus::Ok, "{pair:?}");
            let numbers = [contact.f, contact.mu, contact.lambda, contact.separation];
            assert!(
                numbers.iter().all(|number| number.is_finite()) && contact.point.is_finite(),
                "{pair:?}: {contact:?}"
            );
            assert!((contact.normal.length() - 1.0).abs() < 1e-12, "{pair:?}: {contact:?}");
        }
    }
}
