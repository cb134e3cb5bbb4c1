//! What holds for every contact of ellipsoids, whatever computes it: symmetry, motion, geometry, and an independent way to
//! the same number.

use crate::support::ellipsoids::{largest_semi_axis, random_pair, random_rotation};
use crate::support::random::{Random, test_seed};
use glam::{DQuat, DVec3};
use touchdown::job::Compute;
use touchdown::query::{
    ContactStatus, Ellipsoid, EllipsoidContact, EllipsoidPair, EllipsoidPairs, EllipsoidWall, EllipsoidWalls,
};
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
    let contacts = Reference::new(0).unwrap().compute::<EllipsoidPairs>((), pairs).unwrap();
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
        // Those that become the contact as both grow.
        for (body, point) in [pair.a, pair.b].iter().zip(contact.surface_points(pair)) {
            let grown = body.center + contact.mu * (point - body.center);
            assert!((grown - contact.point).length() < ROUNDING, "{grown} of {}", contact.point);
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

/// A body of the shape that a number names, with semi-axes of up to `aspect` to 1.
fn shaped(random: &mut Random, shape: usize, aspect: f64, reach: f64) -> Ellipsoid {
    let thin = 1.0 / aspect;
    let mut any = || aspect.powf(-random.between(0.0, 1.0));
    let semi_axes = match shape {
        0 => DVec3::new(1.0, thin, thin),
        1 => DVec3::new(1.0, 1.0, thin),
        _ => DVec3::new(any(), any(), any()),
    };
    Ellipsoid { center: random.in_cube(reach), semi_axes, rotation: random_rotation(random) }
}

/// The gap between the tangent planes of a pair with a unit normal.
fn gap(pair: &EllipsoidPair, normal: DVec3) -> f64 {
    let width = |body: &Ellipsoid| (body.axes().transpose() * normal * body.semi_axes).length();
    (pair.b.center - pair.a.center).dot(normal) - width(&pair.a) - width(&pair.b)
}

/// Pairs for which the way from thick to thin bodies ends at the second best translation.
fn pairs_with_two_ways_out() -> [EllipsoidPair; 2] {
    let body = |center: [f64; 3], semi_axes: [f64; 3], [w, x, y, z]: [f64; 4]| Ellipsoid {
        center: center.into(),
        semi_axes: semi_axes.into(),
        rotation: DQuat::from_xyzw(x, y, z, w).normalize(),
    };
    [
        EllipsoidPair::new(
            body([0.0; 3], [4.7098, 0.65748, 24.228], [-0.116025, -0.082026, -0.038191, -0.989117]),
            body([2.36043, -0.206112, 0.834543], [5.04568, 1.41635, 2.07597], [0.50439, 0.46148, 0.728182, 0.048771]),
        ),
        EllipsoidPair::new(
            body([0.0; 3], [0.0321155, 0.609714, 14.6962], [0.317009, -0.94199, -0.100919, -0.04444]),
            body(
                [-0.172828, 0.0000695, -0.085563],
                [0.080845, 0.034821, 0.982877],
                [-0.763853, -0.041445, -0.644007, -0.008094],
            ),
        ),
    ]
}

#[test]
fn the_smallest_translation_is_found_where_several_separate_a_pair() {
    let [first, second] = pairs_with_two_ways_out();
    for (pair, normal) in [(&first, DVec3::new(0.354, 0.929, -0.108)), (&second, DVec3::new(0.0428, -0.795, -0.6051))] {
        let (exact, other) = (pair.signed_distance(), gap(pair, normal.normalize()));
        println!("{:.5} of {:.5} along a normal found by search", exact.distance, other);
        assert!(exact.distance >= other && exact.distance < 0.99 * other, "{exact:?}");
    }
    // Maxima lie on the great circles across long axes, where the gap has edges.
    let mut random = Random::new(test_seed(), 9);
    for number in 0..1500 {
        let mut body = |reach| shaped(&mut random, 2, 300.0, reach);
        let pair = EllipsoidPair::new(body(0.2), body(0.4));
        let exact = pair.signed_distance();
        let circle = |across: DVec3, point: usize| {
            let (u, v) = across.any_orthonormal_pair();
            let (sine, cosine) = (std::f64::consts::TAU * point as f64 / 512.0).sin_cos();
            u * cosine + v * sine
        };
        for axes in [pair.a.axes(), pair.b.axes()] {
            for (axis, point) in (0..3).flat_map(|axis| (0..512).map(move |point| (axis, point))) {
                let found = gap(&pair, circle(axes.col(axis), point));
                assert!(found <= exact.distance + 1e-12, "pair {number}, {pair:?}: {exact:?}, but {found}");
            }
        }
    }
}

#[test]
fn no_direction_that_is_tried_has_a_wider_gap_than_the_true_distance() {
    let mut random = Random::new(test_seed(), 8);
    for aspect in [10.0, 1e3, 1e5, 1e8] {
        let (mut overlaps, mut wider, mut worst) = (0, 0, 0.0f64);
        for number in 0..240 {
            let pair = EllipsoidPair::new(
                shaped(&mut random, number % 3, aspect, 0.2),
                shaped(&mut random, number / 3 % 3, aspect, 0.6),
            );
            let exact = pair.signed_distance();
            overlaps += usize::from(exact.distance < 0.0);
            assert!(exact.distance >= contacts(&[pair])[0].separation - 1e-12, "{pair:?}: {exact:?}");
            let gap = |normal: DVec3| gap(&pair, normal);
            // All around, then ever nearer to the best.
            let mut best = (exact.normal, exact.distance);
            for trial in 0..2000 {
                let step = random.direction() * 10f64.powf(-9.0 * random.between(0.0, 1.0));
                let normal = if trial < 500 { random.direction() } else { (best.0 + step).normalize() };
                if gap(normal) > best.1 {
                    best = (normal, gap(normal));
                }
            }
            wider += usize::from(best.1 > exact.distance + 1e-12);
            worst = worst.max(best.1 - exact.distance);
        }
        println!(
            "{aspect:e} to 1: {overlaps} of 240 overlap, {wider} with a wider gap among 2000 tried, by {worst:.1e}"
        );
        assert!(overlaps > 50);
        assert_eq!(wider, 0);
    }
}

#[test]
fn surface_points_are_on_the_surfaces_however_near_the_centres_are() {
    for apart in [1.0, 1e-6, 1.4e-12, 1.4e-15] {
        let at = |x: f64, radius| Ellipsoid::ball(DVec3::new(1.0 + x, 2.0, 3.0), radius);
        let pair = EllipsoidPair::new(at(0.0, 1.0), at(apart, 0.5));
        let [on_a, on_b] = contacts(&[pair])[0].surface_points(&pair);
        assert!(
            ((on_a - pair.a.center).length() - 1.0).abs() < 1e-14
                && ((on_b - pair.b.center).length() - 0.5).abs() < 1e-14
        );
    }
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
    let touch = Reference::new(1).unwrap().compute::<EllipsoidWalls>((), &[wall]).unwrap()[0];
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
            assert_eq!(
                engine.compute::<EllipsoidPairs>((), &[pair]).unwrap()[0],
                EllipsoidContact::none(ContactStatus::BadInput)
            );
        }
    }
    let guess = EllipsoidPair { guess: Some(1.0), ..EllipsoidPair::new(ball, Ellipsoid::ball(DVec3::Y, 1.0)) };
    assert_eq!(engine.compute::<EllipsoidPairs>((), &[guess]).unwrap()[0].status, ContactStatus::BadInput);

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
            let contact = engine.compute::<EllipsoidPairs>((), &[pair]).unwrap()[0];
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
