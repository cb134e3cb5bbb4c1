//! How tight the judge is, and what it calls what.

use super::*;
use crate::validation::item::Class as _;
use crate::world::Partner;

/// Judges what is made of the judge's answers to some items of each class.
fn verdicts(change: impl Fn(&mut WorldStepped)) -> [u32; Agreement::ALL.len()] {
    let mut counts = [0; Agreement::ALL.len()];
    for &class in Class::CLASSES {
        let world = draw::world_of(class);
        for number in 0..25 {
            let item = draw::drawn(&DrawnItem::<BallWorldSteps> { class, seed: 3, number }).item;
            let truth = item.stepped(world);
            assert!(truth.is_valid, "{}: item {number}", class.name());
            if truth.contacts.iter().all(|contact| contact.impulse.length() < 1e-3) {
                continue;
            }
            let mut answer = truth.clone();
            change(&mut answer);
            counts[judge_step(world, &item, &truth, &answer).0 as usize] += 1;
        }
    }
    counts
}

#[test]
fn bounds_are_far_below_what_they_bound() {
    let unchanged = verdicts(|_| {});
    let total: u32 = unchanged.iter().sum();
    println!("{total} with contacts; as they are {unchanged:?}");
    assert!(total > 80 && unchanged[Agreement::Wrong as usize] == 0);
    for (what, change) in [
        ("place", (|answer| answer.motions[0].position.x += 1e-5) as fn(&mut WorldStepped)),
        ("velocity", |answer| answer.motions[0].velocity.z += 1e-3),
        ("spin", |answer| answer.motions[1].spin.y += 2e-2),
        ("impulse", |answer| answer.contacts[0].impulse.z += 1e-3),
        ("another contact", |answer| answer.contacts[0].partner = Partner::Wall(7)),
        ("no contact", |answer| answer.contacts.clear()),
        ("depth", |answer| answer.depth += 1e-5),
        ("gone", |answer| answer.present[0] = !answer.present[0]),
        ("solved", |answer| answer.is_solved = !answer.is_solved),
        ("invalid", |answer| answer.is_valid = false),
    ] {
        let wrong = verdicts(change)[Agreement::Wrong as usize];
        println!("{what}: {wrong} of {total} are called wrong");
        assert!(wrong > total * 7 / 10, "{what}: {wrong} of {total}");
    }
}

/// The text of the bounds is that of a step: its values are the judge's.
#[test]
fn the_values_of_bounds_are_those_of_the_judge() {
    for &class in Class::CLASSES {
        let world = draw::world_of(class);
        let balls = Balls::of(world).unwrap();
        let (mut largest, mut contacts, mut undetermined) = (0.0_f64, 0, 0);
        for number in 0..200 {
            let item = draw::drawn(&DrawnItem::<BallWorldSteps> { class, seed: 5, number }).item;
            let truth = item.stepped(world);
            contacts += truth.contacts.len();
            match follow(world, &balls, (&item, &truth), &[]) {
                Ok(followed) => {
                    assert_eq!(followed.otherwise, None, "{}: item {number}", class.name());
                    largest = largest.max(followed.worst.ratio());
                    let worst = followed.worst;
                    assert!(worst.ratio() < 1e-4, "{}: item {number}, {worst:?}", class.name());
                }
                Err(why) => {
                    println!("{}: item {number}, {}", class.name(), why.0);
                    undetermined += 1;
                }
            }
        }
        println!("{}: {contacts} contacts, values differ by at most {largest:.1e} of the bound", class.name());
        assert!(contacts > 40 && undetermined < 20, "{}: {contacts} {undetermined}", class.name());
    }
}
