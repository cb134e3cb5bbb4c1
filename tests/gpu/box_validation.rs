//! Judging normals of boxes item by item: what f32 may do passes, faults do not.
//!
//! `TOUCHDOWN_TEST_SEED` changes the boxes, `TOUCHDOWN_ADAPTER` names the adapter.

use crate::support::altered::Altered;
use crate::support::judged::{gpu_passes, judged, native_is_equal};
use glam::DQuat;
use touchdown::job::Compute;
use touchdown::query::{
    BoxCase, BoxNormal, BoxNormals, BoxPair, BoxPairNormal, BoxPairs, BoxPoint, BoxRegion, RoundedBox,
};
use touchdown::reference::Reference;
use touchdown::validation::boxes::{Boxes, Class};
use touchdown::validation::{Agreement, Class as _};

#[test]
fn the_native_engine_gives_the_bits_of_the_reference() {
    native_is_equal::<Boxes>(5_000);
}

#[test]
fn the_gpu_passes() {
    gpu_passes::<Boxes>(20_000);
}

/// The reference, asked or answering otherwise.
fn faulty(
    question: fn(BoxPoint) -> BoxPoint,
    answer: fn(BoxNormal) -> BoxNormal,
    of_pair: fn(&BoxPair, &Reference, BoxPairNormal) -> BoxPairNormal,
) -> Altered {
    Altered::new()
        .answering::<BoxNormals>(move |reference, (), points| {
            let points: Vec<BoxPoint> = points.iter().copied().map(question).collect();
            reference.compute::<BoxNormals>((), &points).unwrap().into_iter().map(answer).collect()
        })
        .answering::<BoxPairs>(move |reference, (), pairs| {
            let asked = |pair: &BoxPair| BoxPair { bodies: pair.bodies.map(question) };
            let pairs: Vec<BoxPair> = pairs.iter().map(asked).collect();
            let answers = reference.compute::<BoxPairs>((), &pairs).unwrap();
            pairs.iter().zip(answers).map(|(pair, answer)| of_pair(pair, reference, answer)).collect()
        })
}

#[test]
fn faults_are_called_wrong() {
    let same: fn(BoxPoint) -> BoxPoint = |point| point;
    let kept: fn(BoxNormal) -> BoxNormal = |normal| normal;
    let pair_kept: fn(&BoxPair, &Reference, BoxPairNormal) -> BoxPairNormal = |_, _, answer| answer;
    let wider =
        |point: BoxPoint| BoxPoint { body: RoundedBox { radius: 0.99 * point.body.radius, ..point.body }, ..point };
    let turned = |point: BoxPoint| BoxPoint { contact: DQuat::from_rotation_x(2e-4) * point.contact, ..point };
    let backward = |point: BoxPoint| BoxPoint {
        body: RoundedBox { rotation: point.body.rotation.conjugate(), ..point.body },
        ..point
    };
    let long = |normal: BoxNormal| BoxNormal { normal: 1.00001 * normal.normal, ..normal };
    let flat = |normal: BoxNormal| BoxNormal { region: BoxRegion::Face, ..normal };
    // What the report's listing does with two corners (docs/theory/vehicle-boxes.md).
    let first_corner = |pair: &BoxPair, reference: &Reference, answer: BoxPairNormal| match answer.case {
        BoxCase::CornerCorner => BoxPairNormal {
            normal: reference.compute::<BoxNormals>((), &pair.bodies[..1]).unwrap()[0].normal,
            ..answer
        },
        _ => answer,
    };
    let always_first_face = |pair: &BoxPair, reference: &Reference, answer: BoxPairNormal| match answer.case {
        BoxCase::FaceFace => BoxPairNormal {
            normal: reference.compute::<BoxNormals>((), &pair.bodies[..1]).unwrap()[0].normal,
            ..answer
        },
        _ => answer,
    };
    let round = |_: &BoxPair, _: &Reference, answer: BoxPairNormal| BoxPairNormal { normal: -answer.normal, ..answer };
    let all = Class::CLASSES;
    let (seams, pairs) = (&[Class::Vehicles, Class::Seams][..], &[Class::Pairs][..]);
    for (name, candidate, classes) in [
        ("a radius too small by a hundredth", faulty(wider, kept, pair_kept), seams),
        ("a contact vector turned by 2e-4 rad", faulty(turned, kept, pair_kept), seams),
        ("axes the other way round", faulty(backward, kept, pair_kept), all),
        ("normals too long by 1e-5", faulty(same, long, pair_kept), &all[..5]),
        ("everything a face", faulty(same, flat, pair_kept), seams),
        ("the first of two corners", faulty(same, kept, first_corner), pairs),
        ("the first of two faces", faulty(same, kept, always_first_face), pairs),
        ("pairs the other way round", faulty(same, kept, round), pairs),
    ] {
        let tallies = judged::<Boxes>(name, &candidate, 5_000);
        for (class, tally) in tallies.iter().filter(|(class, _)| classes.contains(class)) {
            assert!(tally.count(Agreement::Wrong) > 0, "{name} in class {}", class.name());
        }
    }
}
