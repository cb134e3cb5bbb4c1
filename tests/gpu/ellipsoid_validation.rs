//! Judging contacts of ellipsoids item by item: the native engine is equal, the GPU within the bound of each item, and a
//! contact that is off by a little more is wrong.
//!
//! `TOUCHDOWN_TEST_SEED` changes the pairs, `TOUCHDOWN_ADAPTER` names the adapter.

use crate::support::altered::Altered;
use crate::support::engines::GPU;
use crate::support::random::test_seed;
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::native::Native;
use touchdown::query::{EllipsoidContact, EllipsoidPairs, EllipsoidWalls, WallContact};
use touchdown::reference::Reference;
use touchdown::validation::{Agreement, Class, DrawnReport, EllipsoidClass, Ellipsoids, validate_drawn};

/// Rounds of Newton's method that docs/theory/ellipsoids.md allows.
const MAX_ROUNDS: usize = 24;

fn validated(what: &str, candidate: &dyn Engine, items: u64) -> Vec<(EllipsoidClass, DrawnReport)> {
    println!(
        "{what}, {items} items per class: match, within bound, ambiguous by chance, by touch, wrong, error/bound; rounds"
    );
    let judge = Reference::new(0).unwrap();
    let judged = |&class: &EllipsoidClass| {
        let report = validate_drawn::<Ellipsoids>(&judge, candidate, (class, test_seed()), items, &mut |_| {}).unwrap();
        let tally = &report.tally;
        println!(
            "  {:<18}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9.4}   {} {} {}",
            class.name(),
            tally.count(Agreement::Match),
            tally.count(Agreement::WithinBound),
            tally.ambiguous_by_chance(),
            tally.ambiguous_touching(),
            tally.count(Agreement::Wrong),
            tally.largest_ratio(),
            report.rounds_of(0.5),
            report.rounds_of(0.99),
            report.rounds_of(1.0),
        );
        (class, report)
    };
    EllipsoidClass::CLASSES.iter().map(judged).collect()
}

#[test]
fn the_native_engine_gives_the_bits_of_the_reference() {
    for (class, report) in validated("native", &Native::new(0).unwrap(), 50_000) {
        assert_eq!(report.tally.count(Agreement::Match), 50_000, "{}: {:?}", class.name(), report.tally.worst());
        assert!(report.rounds_of(1.0) <= MAX_ROUNDS, "{}", class.name());
    }
}

#[test]
fn the_gpu_passes() {
    for (class, report) in validated("gpu", &*GPU, 10_000) {
        assert!(report.tally.passes(), "{}: {:?}", class.name(), report.tally.worst());
        assert!(report.rounds_of(1.0) <= MAX_ROUNDS, "{}", class.name());
    }
}

/// The reference, whose answers are changed.
fn faulty(contact: fn(EllipsoidContact) -> EllipsoidContact, wall: fn(WallContact) -> WallContact) -> Altered {
    Altered::new()
        .answering::<EllipsoidPairs>(move |reference, (), pairs| {
            reference.compute::<EllipsoidPairs>((), pairs).unwrap().into_iter().map(contact).collect()
        })
        .answering::<EllipsoidWalls>(move |reference, (), walls| {
            reference.compute::<EllipsoidWalls>((), walls).unwrap().into_iter().map(wall).collect()
        })
}

/// How many of 2000 answers of a class are wrong.
fn wrong(class: EllipsoidClass, candidate: &Altered) -> u64 {
    let judge = Reference::new(0).unwrap();
    let report = validate_drawn::<Ellipsoids>(&judge, candidate, (class, test_seed()), 2000, &mut |_| {}).unwrap();
    report.tally.count(Agreement::Wrong)
}

#[test]
fn contacts_that_are_off_by_more_than_f32_are_wrong() {
    type Contact = fn(EllipsoidContact) -> EllipsoidContact;
    let same: Contact = |contact| contact;
    let same_wall: fn(WallContact) -> WallContact = |wall| wall;
    // Round bodies: their bounds are some 2e-6 to 1e-5. A ten-thousandth is beyond them all, a ten-millionth within.
    let faults: [(&str, Contact); 6] = [
        ("F", |contact| EllipsoidContact { f: contact.f * 1.0001, ..contact }),
        ("normal", |contact| EllipsoidContact { normal: contact.normal.rotate_x(1e-3).rotate_y(1e-3), ..contact }),
        ("point", |contact| EllipsoidContact {
            point: contact.point + 1e-4 * contact.separation.abs() * contact.normal,
            ..contact
        }),
        ("separation", |contact| EllipsoidContact { separation: contact.separation * 1.001, ..contact }),
        ("Lambda", |contact| EllipsoidContact { lambda: contact.lambda + 1e-4, ..contact }),
        ("status", |contact| EllipsoidContact::none(contact.status)),
    ];
    for (what, fault) in faults {
        let found = wrong(EllipsoidClass::Round, &faulty(fault, same_wall));
        println!("{what}: {found} of 2000 wrong");
        assert!(found > 1000, "{what}: {found}");
    }
    let slightly: Contact =
        |contact| EllipsoidContact { f: contact.f * (1.0 + 1e-7), lambda: contact.lambda + 1e-7, ..contact };
    assert_eq!(wrong(EllipsoidClass::Round, &faulty(slightly, same_wall)), 0);
    let deeper = |wall: WallContact| WallContact { separation: wall.separation * 1.01, ..wall };
    assert!(wrong(EllipsoidClass::Walls, &faulty(same, deeper)) > 1000);
    assert_eq!(wrong(EllipsoidClass::Walls, &faulty(same, same_wall)), 0);
}
