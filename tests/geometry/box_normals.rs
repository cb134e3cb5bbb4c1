//! Normals of rounded boxes: the golden cases on every engine, what the model promises, and the verb.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter; Mesa's llvmpipe where it is not set.

use crate::support::engines::{GPU, engines, f64_engines};
use crate::support::{flag, list, number, quaternion, read_json, text, vector};
use glam::{BVec3, DMat3, DQuat, DVec3};
use proptest::prelude::*;
use serde_json::Value;
use touchdown::deformation::current_ellipsoid;
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::query::{
    BoxNormal, BoxNormals, BoxPair, BoxPairNormal, BoxPairs, BoxPoint, BoxRegion, BoxStatus, RoundedBox,
};
use touchdown::reference::Reference;

fn reference() -> Reference {
    Reference::new(1).unwrap()
}

fn normal(point: BoxPoint) -> BoxNormal {
    reference().compute::<BoxNormals>((), &[point]).unwrap()[0]
}

fn pair_normal(bodies: [BoxPoint; 2]) -> BoxPairNormal {
    reference().compute::<BoxPairs>((), &[BoxPair { bodies }]).unwrap()[0]
}

fn body(case: &Value) -> BoxPoint {
    let radius = number(&case["R"]);
    let body = if case.get("F").is_some() {
        let rows = list(&case["F"]);
        let gradient = DMat3::from_cols(vector(&rows[0]), vector(&rows[1]), vector(&rows[2])).transpose();
        RoundedBox::of_ellipsoid(&current_ellipsoid(vector(&case["SA"]), &gradient).unwrap(), radius)
    } else {
        RoundedBox { sides: vector(&case["L"]), radius, rotation: quaternion(&case["q"]) }
    };
    BoxPoint { body, contact: vector(&case["r"]) }
}

/// Every golden case by an engine: how many are right to a tolerance of the normal, of those that are not ill-conditioned.
fn check_golden(engine: &dyn Engine, tolerance: impl Fn(&[BoxPoint]) -> f64) {
    let cases = read_json("contacts/box_normals.json");
    let (mut right, mut skipped, mut worst) = (0, 0, 0.0_f64);
    for case in list(&cases["cases"]) {
        if flag(&case["ill_conditioned"]) {
            skipped += 1;
            continue;
        }
        let (input, expected) = (&case["input"], &case["expected"]);
        let (status, found, part, expected, expected_part, bodies) = if input.get("body1").is_some() {
            let pair = BoxPair { bodies: [body(&input["body1"]), body(&input["body2"])] };
            let answer = engine.compute::<BoxPairs>((), &[pair]).unwrap()[0];
            let (n1, part) = (vector(&expected["n1"]), text(&expected["case"]));
            (answer.status, answer.normal, answer.case.name(), n1, part, pair.bodies.to_vec())
        } else {
            let point = body(input);
            let answer = engine.compute::<BoxNormals>((), &[point]).unwrap()[0];
            let (n, part) = (vector(&expected["normal"]), text(&expected["region"]));
            (answer.status, answer.normal, answer.region.name(), n, part, vec![point])
        };
        let error = (found - expected).length();
        assert_eq!((status, part), (BoxStatus::Ok, expected_part), "{}", case["id"]);
        assert!(error <= tolerance(&bodies), "{}: {error:e} of {:e}", case["id"], tolerance(&bodies));
        worst = worst.max(error);
        right += 1;
    }
    println!("{}: {right} right, {skipped} ill-conditioned, largest error {worst:e}", engine.identity().engine);
    assert_eq!((right, skipped), (148, 12));
}

/// Roundings of unit u: the pierced point is off by some 32 u of itself, and by as much again for each time that it is
/// farther than the nearest face, over the radius (`validation::box_bound`). Pairs that are not near to cancel add up.
fn tolerance(bodies: &[BoxPoint], u: f64) -> f64 {
    let of_body = |point: &BoxPoint| {
        let half = 0.5 * point.body.sides;
        let lean = half.length() / half.min_element();
        u * (1.0 + lean) * (40.0 * half.length() / point.body.radius + 80.0)
    };
    2.0 * bodies.iter().map(of_body).sum::<f64>()
}

#[test]
fn every_engine_gives_the_golden_normals() {
    for engine in f64_engines() {
        check_golden(engine, |bodies| tolerance(bodies, 0.5 * f64::EPSILON));
    }
    check_golden(&*GPU, |bodies| tolerance(bodies, 0.5 * f64::from(f32::EPSILON)));
}

#[test]
fn a_deformation_gives_the_golden_ellipsoid_and_box() {
    let cases = read_json("contacts/box_normals.json");
    let mut compared = 0;
    for case in list(&cases["cases"]).iter().filter(|case| case["category"] == "deformed") {
        let (sides, expected) = (body(&case["input"]).body.sides, &case["expected"]);
        let axes = DMat3::from_quat(body(&case["input"]).body.rotation);
        // One-sided rotations keep all places; a handful of roundings are left.
        assert!(((sides - vector(&expected["L"])) / sides).abs().max_element() < 1e-14, "{}", case["id"]);
        for (axis, magnitudes) in [axes.x_axis, axes.y_axis, axes.z_axis].iter().zip(list(&expected["abs_axes"])) {
            // Axes of lengths that differ by a tenth and more turn by ten roundings.
            assert!((axis.abs() - vector(magnitudes)).length() < 1e-13, "{}: {axis}", case["id"]);
        }
        compared += 1;
    }
    assert_eq!(compared, 20);
}

/// A vehicle's box with contact vectors in any direction.
fn any_point() -> impl Strategy<Value = BoxPoint> {
    let sides = (1.0..6.0, 1.0..6.0, 1.0..6.0).prop_map(|(x, y, z)| DVec3::new(x, y, z));
    let rotation = prop::array::uniform4(-1.0..1.0_f64)
        .prop_filter("a rotation", |q| q.iter().map(|q| q * q).sum::<f64>() > 0.01)
        .prop_map(DQuat::from_array);
    let contact = (-1.0..1.0, -1.0..1.0, -1.0..1.0).prop_map(|(x, y, z)| DVec3::new(x, y, z));
    let contact = contact.prop_filter("a direction", |contact| contact.length() > 0.1);
    (sides, 0.02..1.0_f64, rotation, contact).prop_map(|(sides, share, rotation, contact)| {
        let radius = 0.5 * share * sides.min_element();
        BoxPoint { body: RoundedBox { sides, radius, rotation }, contact }
    })
}

/// Coordinates in the box's own axes.
fn local(point: &BoxPoint, vector: DVec3) -> DVec3 {
    DMat3::from_quat(point.body.rotation.normalize()).transpose() * vector
}

/// Where the contact vector pierces the box, in its own axes: by bisection of the distance from the inner box.
fn pierced(point: &BoxPoint) -> DVec3 {
    let inner = 0.5 * point.body.sides - point.body.radius;
    let way = local(point, point.contact);
    let distance = |t: f64| ((t * way).abs() - inner).max(DVec3::ZERO).length();
    let (mut low, mut high) = (0.0, 2.0 * point.body.sides.length() / way.length());
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if distance(middle) < point.body.radius { low = middle } else { high = middle }
    }
    0.5 * (low + high) * way
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn the_normal_is_what_the_pierced_point_leaves_of_the_inner_box(point in any_point()) {
        let found = normal(point);
        prop_assert_eq!(found.status, BoxStatus::Ok);
        let inner = 0.5 * point.body.sides - point.body.radius;
        let place = pierced(&point);
        let rest = place - place.clamp(-inner, inner);
        let n = local(&point, found.normal);
        prop_assert!((rest - point.body.radius * n).length() < 1e-12 * place.length(), "{} {}", rest, n);
        prop_assert!((found.normal.length() - 1.0).abs() < 1e-14);
        // Turning leaves some 1e-16 where there is nothing.
        prop_assert_eq!(found.region as usize, n.to_array().iter().filter(|n| n.abs() > 1e-14).count());
    }

    #[test]
    fn the_normal_does_not_jump_where_regions_change(point in any_point(), turn in (-1.0..1.0, -1.0..1.0, -1.0..1.0)) {
        // A ray that is turned by w pierces within w |p| (1 + |p|/h), and the normal moves by no more than that over R.
        const W: f64 = 1e-6;
        let turned = DQuat::from_scaled_axis(W * DVec3::from(turn)) * point.contact;
        let other = BoxPoint { contact: turned, ..point };
        let (place, w) = (pierced(&point).length(), W * DVec3::from(turn).length());
        let lean = place / (0.5 * point.body.sides.min_element());
        let allowed = w * place * (1.0 + lean) / point.body.radius;
        let moved = (normal(point).normal - normal(other).normal).length();
        prop_assert!(moved <= allowed + 1e-13 * place / point.body.radius * (1.0 + lean), "{} of {}", moved, allowed);
    }

    #[test]
    fn mirrors_and_exchanged_axes_mirror_and_exchange_the_normal(point in any_point(), mirror in 0..8_u32, shift in 0..3_usize) {
        let upright = BoxPoint { body: RoundedBox { rotation: DQuat::IDENTITY, ..point.body }, ..point };
        let plain = normal(upright).normal;
        let signs = DVec3::select(
            BVec3::new(mirror & 1 > 0, mirror & 2 > 0, mirror & 4 > 0), DVec3::NEG_ONE, DVec3::ONE);
        let shifted = |v: DVec3| DVec3::new(v[shift], v[(shift + 1) % 3], v[(shift + 2) % 3]);
        let body = RoundedBox { sides: shifted(upright.body.sides), ..upright.body };
        let other = normal(BoxPoint { body, contact: shifted(signs * upright.contact) }).normal;
        // Sums come in another order.
        prop_assert!((other - shifted(signs * plain)).length() < 1e-12, "{} {}", other, plain);
    }

    #[test]
    fn exchanged_bodies_turn_the_normal_round(one in any_point(), two in any_point()) {
        let (forth, back) = (pair_normal([one, two]), pair_normal([two, one]));
        prop_assert_eq!(forth.status, BoxStatus::Ok);
        prop_assert_eq!(forth.normal, -back.normal);
    }

    #[test]
    fn the_normal_depends_neither_on_the_length_of_the_contact_vector_nor_on_the_size(point in any_point(), power in -80..80_i32) {
        // Powers of two do not round.
        let (size, way) = (2f64.powi(power), 2f64.powi(-power));
        let body = RoundedBox { sides: size * point.body.sides, radius: size * point.body.radius, ..point.body };
        prop_assert_eq!(normal(BoxPoint { body, contact: way * point.contact }), normal(point));
    }
}

/// A vehicle of the report that docs/theory/vehicle-boxes.md follows about its centre, turned about z \[rad\].
fn vehicle(yaw: f64, contact: DVec3) -> BoxPoint {
    let body = RoundedBox { sides: DVec3::new(5.0, 3.0, 2.9), radius: 0.3, rotation: DQuat::from_rotation_z(yaw) };
    BoxPoint { body, contact }
}

#[test]
fn vehicles_of_the_first_example_push_along_the_road() {
    // The ellipsoid's normal at this offset points aside, the box's along x: what turns the vehicles the other way.
    let ellipsoid = touchdown::query::SIDES_OVER_SEMI_AXES.recip() * DVec3::new(5.0, 3.0, 2.9);
    let one = DVec3::new(2.6, -0.9, 0.0);
    let of_ellipsoid = (one / (ellipsoid * ellipsoid)).normalize();
    assert!(of_ellipsoid.y < -0.5, "{of_ellipsoid}");
    let found = pair_normal([vehicle(0.0, one), vehicle(0.0, -one)]);
    assert_eq!((found.status, found.case.name()), (BoxStatus::Ok, "face-face"));
    assert_eq!(found.normal, DVec3::X);
}

#[test]
fn of_two_faces_the_one_met_closer_to_its_middle_counts_and_the_second_on_a_tie() {
    let turned = DQuat::from_rotation_z(0.2);
    let (middle, aside) = (DVec3::new(2.5, 0.0, 0.0), DVec3::new(2.5, 0.8, 0.0));
    let first = pair_normal([vehicle(0.0, middle), vehicle(0.2, -(turned * aside))]);
    let second = pair_normal([vehicle(0.0, aside), vehicle(0.2, -(turned * middle))]);
    assert_eq!(first.normal, DVec3::X);
    assert!((second.normal - turned * DVec3::X).length() < 1e-15);
    // The third coordinate counts as the second does.
    let above = DVec3::new(2.5, 0.0, 1.0);
    assert!(
        (pair_normal([vehicle(0.0, above), vehicle(0.2, -(turned * aside))]).normal - turned * DVec3::X).length()
            < 1e-15
    );
    let small = |angle: f64| DVec3::new(2.5, 2.5 * angle, 0.0);
    assert_eq!(pair_normal([vehicle(0.0, small(1e-10)), vehicle(0.0, -small(2e-10))]).normal, DVec3::X);
    let tie = pair_normal([vehicle(0.0, aside), vehicle(0.0, DVec3::new(-2.5, 0.8, 0.0))]);
    assert_eq!(tie.normal, DVec3::X);
    let tie = pair_normal([vehicle(0.0, aside), vehicle(0.0, DVec3::new(0.0, 1.5, 0.48))]);
    assert_eq!(tie.normal, -DVec3::Y);
}

#[test]
fn sharp_edges_have_no_normal_and_sharp_faces_have() {
    for (engine, _) in engines() {
        let sharp = |contact| {
            let body = RoundedBox { sides: DVec3::new(4.0, 2.0, 1.0), radius: 0.0, rotation: DQuat::IDENTITY };
            engine.compute::<BoxNormals>((), &[BoxPoint { body, contact }]).unwrap()[0]
        };
        assert_eq!(sharp(DVec3::new(2.0, 1.0, 0.0)), BoxNormal::none(BoxStatus::Degenerate, BoxRegion::Edge));
        assert_eq!(sharp(DVec3::new(2.0, -1.0, 0.5)), BoxNormal::none(BoxStatus::Degenerate, BoxRegion::Corner));
        let face = sharp(DVec3::new(2.0, 1.0001, 0.0));
        assert_eq!(face, BoxNormal { status: BoxStatus::Ok, normal: DVec3::Y, region: BoxRegion::Face });
    }
}

#[test]
fn corners_that_point_the_same_way_have_no_common_normal() {
    let corner = vehicle(0.3, DVec3::new(2.0, 2.0, 1.5));
    for (engine, _) in engines() {
        let found = engine.compute::<BoxPairs>((), &[BoxPair { bodies: [corner, corner] }]).unwrap()[0];
        assert_eq!(
            (found.status, found.normal, found.case.name()),
            (BoxStatus::Degenerate, DVec3::ZERO, "corner-corner")
        );
    }
}

#[test]
fn corners_that_rounding_alone_parts_have_no_common_normal() {
    // One body given with quaternions of several lengths.
    let turned = |factor: f64, across: DVec3| {
        let rotation = DQuat::from_xyzw(1.0, 2.0, 3.0, 4.0);
        let body = RoundedBox { sides: DVec3::new(5.0, 3.0, 2.9), radius: 0.3, rotation: rotation * factor };
        BoxPoint { body, contact: rotation.normalize() * (DVec3::new(2.4, 1.4, 1.35) + across) }
    };
    let factors = [1.0, 0.7, 0.3, 1.1, 3.0, 0.1];
    let bodies = factors.iter().flat_map(|&one| factors.map(|two| [one, two])).collect::<Vec<_>>();
    let pairs = |across: DVec3| -> Vec<BoxPair> {
        let pair = |&[one, two]: &[f64; 2]| BoxPair { bodies: [turned(one, DVec3::ZERO), turned(two, across)] };
        bodies.iter().map(pair).collect()
    };
    for (engine, _) in engines() {
        for found in engine.compute::<BoxPairs>((), &pairs(DVec3::ZERO)).unwrap() {
            assert_eq!((found.status, found.case.name()), (BoxStatus::Degenerate, "corner-corner"));
        }
        // A millimetre away the difference has a direction again, on every engine.
        for found in engine.compute::<BoxPairs>((), &pairs(DVec3::new(0.0, 1e-3, 0.0))).unwrap() {
            assert_eq!((found.status, found.case.name()), (BoxStatus::Ok, "corner-corner"));
        }
    }
}

#[test]
fn bodies_that_cannot_be_are_bad_input_on_every_engine_and_leave_their_neighbours_alone() {
    let good = vehicle(0.3, DVec3::new(2.0, 2.0, 1.5));
    let body = good.body;
    let bad = [
        BoxPoint { body: RoundedBox { radius: 1.4501, ..body }, ..good },
        BoxPoint { body: RoundedBox { radius: -1e-9, ..body }, ..good },
        BoxPoint { body: RoundedBox { sides: DVec3::new(5.0, f64::NAN, 2.9), ..body }, ..good },
        BoxPoint { body: RoundedBox { sides: DVec3::new(5.0, 1e-8, 2.9), radius: 0.0, ..body }, ..good },
        BoxPoint { body: RoundedBox { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..body }, ..good },
        BoxPoint { contact: DVec3::ZERO, ..good },
        BoxPoint { contact: DVec3::new(f64::INFINITY, 0.0, 0.0), ..good },
    ];
    for (engine, _) in engines() {
        let alone = engine.compute::<BoxNormals>((), &[good]).unwrap()[0];
        for bad in bad {
            let answers = engine.compute::<BoxNormals>((), &[good, bad, good]).unwrap();
            assert_eq!(answers, [alone, BoxNormal::none(BoxStatus::BadInput, BoxRegion::Face), alone]);
            let pairs = engine
                .compute::<BoxPairs>((), &[BoxPair { bodies: [bad, good] }, BoxPair { bodies: [good, bad] }])
                .unwrap();
            assert!(pairs.iter().all(|pair| pair.status == BoxStatus::BadInput && pair.normal == DVec3::ZERO));
        }
        assert!(
            engine.compute::<BoxNormals>((), &[]).unwrap().is_empty()
                && engine.compute::<BoxPairs>((), &[]).unwrap().is_empty()
        );
    }
}
