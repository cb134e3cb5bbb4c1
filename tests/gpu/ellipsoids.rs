//! Ellipsoids on a GPU: the golden cases within what f32 allows, and everything that does not depend on rounding.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter; Mesa's llvmpipe where it is not set.

use crate::support::ellipsoids::{golden_pairs, golden_walls, largest_semi_axis, random_pair, reference_pairs};
use crate::support::engines::GPU;
use crate::support::gpu;
use crate::support::random::{Random, test_seed};
use glam::DVec3;
use touchdown::job::Compute;
use touchdown::query::{ContactStatus, Ellipsoid, EllipsoidPair, EllipsoidPairs, EllipsoidWall, EllipsoidWalls};
use touchdown::reference::Reference;

#[test]
fn golden_pairs_are_within_what_rounding_of_their_inputs_allows() {
    let golden: Vec<_> = golden_pairs().into_iter().filter(|golden| !golden.ill_conditioned).collect();
    let pairs: Vec<EllipsoidPair> = golden.iter().map(|golden| golden.pair).collect();
    let gpu = &*GPU;
    let contacts = gpu.compute::<EllipsoidPairs>((), &pairs).unwrap();
    let (mut worst, mut compared) = ([0.0f64; 4], 0);
    for (golden, found) in golden.iter().zip(contacts) {
        let Some(contact) = golden.contact else {
            assert_eq!(found.status, ContactStatus::Degenerate, "{}", golden.name);
            continue;
        };
        assert_eq!(found.status, ContactStatus::Ok, "{}", golden.name);
        let size = largest_semi_axis(&golden.pair);
        let errors = [
            (found.f / contact.f - 1.0).abs(),
            (found.normal - contact.normal).length(),
            (found.point - contact.point).length() / size,
            (found.separation - contact.separation).abs() / size,
        ];
        // The tolerance that the cases suggest for f32.
        let limits = golden.sensitivity.unwrap().map(|sensitivity| 20.0 * sensitivity + 1e-6);
        let shares: [f64; 4] = std::array::from_fn(|index| errors[index] / limits[index]);
        assert!(shares.iter().all(|&share| share <= 1.0), "{}: {errors:?} above {limits:?}", golden.name);
        worst = std::array::from_fn(|index| worst[index].max(shares[index]));
        compared += 1;
    }
    println!("{compared} pairs; shares of the tolerance of F, normal, point, separation: {worst:.2?}");
    assert!(compared > 250);
}

#[test]
fn contact_functions_of_the_reference_pairs_are_right_to_f32() {
    let golden = reference_pairs();
    let pairs: Vec<EllipsoidPair> = golden.iter().map(|golden| golden.pair).collect();
    let gpu = &*GPU;
    let contacts = gpu.compute::<EllipsoidPairs>((), &pairs).unwrap();
    let errors = golden.iter().zip(contacts).map(|(golden, found)| {
        assert_eq!(found.status, ContactStatus::Ok, "{}", golden.name);
        (found.f / golden.contact.unwrap().f - 1.0).abs()
    });
    let worst = errors.fold(0.0, f64::max);
    println!("434 pairs, greatest relative error of F {worst:.1e}");
    // Their inputs are exact in f32: what is left is the kernel's own rounding, some ten roundings of 6e-8 each way
    // for well-shaped bodies, more for the 40 of 10,000 to 1.
    assert!(worst < 1e-5, "{worst}");
}

#[test]
fn golden_walls_are_touched_within_rounding() {
    let golden = golden_walls();
    let walls: Vec<EllipsoidWall> = golden.iter().map(|golden| golden.wall).collect();
    let mut worst = 0.0f64;
    let gpu = &*GPU;
    for (golden, found) in golden.iter().zip(gpu.compute::<EllipsoidWalls>((), &walls).unwrap()) {
        let size = golden.wall.ellipsoid.semi_axes.max_element();
        // Some 20 roundings of 2^-24 in the width and, as it divides by the width, the point: the direction's part along a
        // long axis is off by 8 of them, which the ratio of that axis to the width makes as many times larger.
        let ratio = size / golden.wall.ellipsoid.semi_axes.min_element();
        let limit = 20.0 * 2f64.powi(-24) * size;
        let errors = [
            (found.separation - golden.contact.separation).abs() / limit,
            (found.point - golden.contact.point).length() / (limit * ratio),
        ];
        let error = errors[0].max(errors[1]);
        assert!(error <= 1.0, "{}: {errors:?}\nfound {found:?}\ninstead of {:?}", golden.name, golden.contact);
        assert!((found.normal - golden.contact.normal).length() < 1e-15, "{}", golden.name);
        worst = worst.max(error);
    }
    println!("100 walls, up to {worst:.2} of the bound");
}

#[test]
fn contacts_do_not_depend_on_how_pairs_are_cut_into_chunks() {
    let mut random = Random::new(test_seed(), 11);
    let pairs: Vec<EllipsoidPair> = (0..5000).map(|_| random_pair(&mut random, 100.0)).collect();
    let gpu = &*GPU;
    let whole = gpu.compute::<EllipsoidPairs>((), &pairs).unwrap();
    assert_eq!(gpu::open_with(Some(777), None).compute::<EllipsoidPairs>((), &pairs).unwrap(), whole);
    assert!(whole.iter().any(|contact| contact.f < 1.0) && whole.iter().any(|contact| contact.f > 1.0));
}

#[test]
fn what_f32_cannot_hold_is_answered_in_f64() {
    let ball = |x: f64, radius: f64| Ellipsoid::ball(DVec3::new(x, 0.0, 0.0), radius);
    let needle = Ellipsoid { semi_axes: DVec3::new(1e6, 1.0, 1.0), ..ball(0.0, 1.0) };
    let pairs = [
        EllipsoidPair::new(needle, ball(0.0, 1.0)),
        EllipsoidPair::new(needle, Ellipsoid { center: DVec3::new(0.0, 2.5, 0.0), ..ball(0.0, 1.0) }),
        EllipsoidPair::new(ball(0.0, 1e-40), ball(1e50, 1e-41)),
        EllipsoidPair::new(ball(0.0, 1.0), ball(f64::NAN, 1.0)),
        EllipsoidPair::new(ball(0.0, 1.0), ball(0.0, 0.0)),
    ];
    let gpu = &*GPU;
    let found = gpu.compute::<EllipsoidPairs>((), &pairs).unwrap();
    assert_eq!(found, Reference::new(1).unwrap().compute::<EllipsoidPairs>((), &pairs).unwrap());
    let statuses = [
        ContactStatus::Degenerate,
        ContactStatus::Ok,
        ContactStatus::Ok,
        ContactStatus::BadInput,
        ContactStatus::BadInput,
    ];
    assert_eq!(found.iter().map(|contact| contact.status).collect::<Vec<_>>(), statuses);
    let walls = [(needle, DVec3::Z), (ball(0.0, 1.0), DVec3::ZERO)].map(|(ellipsoid, normal)| EllipsoidWall {
        ellipsoid,
        normal,
        offset: 0.5,
    });
    let found = gpu.compute::<EllipsoidWalls>((), &walls).unwrap();
    assert_eq!(found, Reference::new(1).unwrap().compute::<EllipsoidWalls>((), &walls).unwrap());
    assert_eq!((found[0].separation, found[1].status), (-1.5, ContactStatus::BadInput));
}

/// How far F of a pair is moved by rounding its inputs to f32, relatively: each semi-axis, each coordinate of quaternions and of
/// the way between the centres by 2^-24 of itself, taken together as independent errors are.
fn rounding_of_inputs(pair: &EllipsoidPair) -> Vec<EllipsoidPair> {
    let grown = 1.0 + 2f64.powi(-24);
    let way = pair.b.center - pair.a.center;
    let mut moved = vec![*pair; 17];
    for axis in 0..3 {
        moved[axis].a.semi_axes[axis] *= grown;
        moved[3 + axis].b.semi_axes[axis] *= grown;
        moved[6 + axis].b.center[axis] += way[axis] * (grown - 1.0);
    }
    for coordinate in 0..4 {
        for (body, number) in [(0, 9 + coordinate), (1, 13 + coordinate)] {
            let pair = &mut moved[number];
            let ellipsoid = if body == 0 { &mut pair.a } else { &mut pair.b };
            let mut turned = ellipsoid.rotation.to_array();
            turned[coordinate] *= grown;
            ellipsoid.rotation = glam::DQuat::from_array(turned);
        }
    }
    moved
}

#[test]
fn contact_functions_of_thin_pairs_are_off_by_twenty_roundings_of_their_inputs_at_most() {
    const PAIRS: usize = 20_000;
    let seed = test_seed();
    let pairs: Vec<EllipsoidPair> =
        (0..PAIRS).map(|number| random_pair(&mut Random::new(seed, number as u64), 1000.0)).collect();
    let moved: Vec<EllipsoidPair> = pairs.iter().flat_map(rounding_of_inputs).collect();
    let reference = Reference::new(0).unwrap();
    let truth = reference.compute::<EllipsoidPairs>((), &pairs).unwrap();
    let moved = reference.compute::<EllipsoidPairs>((), &moved).unwrap();
    let gpu = &*GPU;
    let found = gpu.compute::<EllipsoidPairs>((), &pairs).unwrap();
    let (mut worst, mut over) = ((0.0, 0.0, 0.0), 0);
    for ((truth, moved), found) in truth.iter().zip(moved.chunks(17)).zip(found) {
        let squares: f64 = moved.iter().map(|moved| (moved.f / truth.f - 1.0).powi(2)).sum();
        let (error, limit) = ((found.f / truth.f - 1.0).abs(), 20.0 * squares.sqrt() + 1e-6);
        if error / limit > worst.0 {
            worst = (error / limit, error, limit);
        }
        over += usize::from(error > limit);
    }
    println!("TOUCHDOWN_TEST_SEED={seed}: {PAIRS} pairs, {over} over, worst {worst:?}");
    assert_eq!(over, 0);
}
