//! Contacts of whole packings.

use crate::support::engines::GPU;
use crate::support::random::{Random, test_seed};
use glam::{DQuat, DVec3, IVec3};
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::native::Native;
use touchdown::packing::{
    Bodies, BodyContact, ContactBlock, Contacts, Domain, LeafContact, Obstacles, Packing, Selection, Tilts,
};
use touchdown::query::{ContactStatus, Ellipsoid, EllipsoidPair, EllipsoidPairs};
use touchdown::reference::Reference;
use touchdown::scene::{Scene, Shape};

/// Bodies in a box of side 10 and around it, of many sizes, with ids in no order.
fn bodies(count: usize, random: &mut Random) -> Vec<(i64, Ellipsoid)> {
    let body = |number: usize, random: &mut Random| {
        let center = DVec3::from_array([(); 3].map(|()| random.between(-2.0, 12.0)));
        let size = random.between(-1.5f64, 0.7).exp();
        let semi_axes = size * DVec3::new(1.0, random.between(0.1, 1.0), random.between(0.1, 1.0));
        ((number as i64 * 7919) % 100_003 - 50_000, Ellipsoid { center, semi_axes, rotation: random.rotation() })
    };
    (0..count).map(|number| body(number, random)).collect()
}

fn found(engine: &dyn Engine, bodies: &[(i64, Ellipsoid)], domain: Domain, selection: Selection) -> Vec<BodyContact> {
    let packing = Packing::new(Bodies::new(bodies.to_vec()).unwrap(), domain).unwrap();
    Contacts::new(&packing, engine, selection).unwrap().flat_map(|block| block.unwrap().contacts).collect()
}

/// All pairs and all images that may be near, asked one by one.
fn by_all_pairs(engine: &dyn Engine, bodies: &[(i64, Ellipsoid)], domain: Domain) -> Vec<(i64, i64, [i32; 3])> {
    let mut bodies = bodies.to_vec();
    bodies.sort_by_key(|body| body.0);
    let images = |axis: usize| domain.period(axis).map_or(0..=0, |_| -3..=3);
    let (mut keys, mut pairs) = (Vec::new(), Vec::new());
    for (place, &(id_a, a)) in bodies.iter().enumerate() {
        for &(id_b, b) in &bodies[place..] {
            for x in images(0) {
                for y in images(1) {
                    for z in images(2) {
                        if id_a < id_b || [x, y, z] > [0; 3] {
                            let center = domain.image(b.center, IVec3::new(x, y, z));
                            keys.push((id_a, id_b, [x, y, z]));
                            pairs.push(EllipsoidPair::new(a, Ellipsoid { center, ..b }));
                        }
                    }
                }
            }
        }
    }
    let contacts = engine.compute::<EllipsoidPairs>((), &pairs).unwrap();
    keys.into_iter().zip(contacts).filter(|(_, contact)| contact.f <= 1.0).map(|(key, _)| key).collect()
}

fn keys(contacts: &[BodyContact]) -> Vec<(i64, i64, [i32; 3])> {
    contacts.iter().map(|contact| (contact.id_a, contact.id_b, contact.image)).collect()
}

#[test]
fn contacts_are_those_of_all_pairs_in_open_and_periodic_spaces() {
    let engine = Native::new(0).unwrap();
    let mut random = Random::new(test_seed(), 11);
    let right = Tilts::default();
    for (periods, tilts) in [
        ([None; 3], right),
        ([Some(10.0); 3], right),
        ([Some(10.0), None, Some(6.0)], right),
        ([Some(10.0); 3], Tilts { xy: 4.5, xz: -3.0, yz: 2.5 }),
        ([Some(10.0), Some(8.0), None], Tilts { xy: -9.0, ..right }),
    ] {
        let domain = Domain::tilted(periods, tilts).unwrap();
        let bodies = bodies(if tilts == right { 300 } else { 200 }, &mut random);
        let contacts = found(&engine, &bodies, domain, Selection::Overlapping);
        println!("{periods:?} {tilts:?}: {} contacts", contacts.len());
        assert!(contacts.len() > 100);
        assert_eq!(keys(&contacts), by_all_pairs(&engine, &bodies, domain));
    }
}

#[test]
fn contacts_do_not_depend_on_the_order_of_bodies_on_threads_or_on_what_was_found_before() {
    let mut random = Random::new(test_seed(), 12);
    let domain = Domain::tilted([Some(10.0); 3], Tilts { xy: 4.0, xz: 1.5, yz: -2.0 }).unwrap();
    let mut bodies = bodies(3000, &mut random);
    let engine = Native::new(0).unwrap();
    let contacts = found(&engine, &bodies, domain, Selection::Within(0.05));
    bodies.reverse();
    bodies.rotate_left(1234);
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let engine = Native::new(1).unwrap();
    let again = one_thread.install(|| found(&engine, &bodies, domain, Selection::Within(0.05)));
    assert_eq!(contacts, again);
    // Many blocks.
    let packing = Packing::new(Bodies::new(bodies).unwrap(), domain).unwrap();
    let blocks: Vec<_> = Contacts::new(&packing, &engine, Selection::Overlapping).unwrap().collect();
    assert!(blocks.len() > 1, "{}", blocks.len());
    assert_eq!(blocks.last().unwrap().as_ref().unwrap().bodies_done, 3000);
}

#[test]
fn a_crowd_comes_in_blocks_of_bounded_size() {
    // Lone bodies first, so that many are searched at once when the crowd begins.
    let lone = (0..4000).map(|id| (id, Ellipsoid::ball(DVec3::new(10.0 * id as f64, 50.0, 0.0), 1.0)));
    let mut random = Random::new(test_seed(), 15);
    let crowd = (4000..5500).map(|id| (id, Ellipsoid::ball(0.1 * random.direction(), 1.0)));
    let bodies = Bodies::new(lone.chain(crowd).collect()).unwrap();
    let packing = Packing::new(bodies, Domain::OPEN).unwrap();
    let engine = Native::new(0).unwrap();
    let blocks: Vec<ContactBlock> =
        Contacts::new(&packing, &engine, Selection::Overlapping).unwrap().map(Result::unwrap).collect();
    assert!(blocks.iter().all(|block| block.candidates <= 1 << 17));
    assert!(blocks.is_sorted_by_key(|block| block.bodies_done) && blocks.last().unwrap().bodies_done == 5500);
    let contacts: Vec<BodyContact> = blocks.into_iter().flat_map(|block| block.contacts).collect();
    assert_eq!(contacts.len(), 1500 * 1499 / 2);
    assert!(keys(&contacts).is_sorted());
}

#[test]
fn contacts_of_a_device_are_those_of_the_processor_but_for_rounding_in_the_same_order() {
    let mut random = Random::new(test_seed(), 14);
    let domain = Domain::tilted([Some(10.0), None, Some(10.0)], Tilts { xz: 4.0, ..Tilts::default() }).unwrap();
    let bodies = bodies(3000, &mut random);
    let packing = Packing::new(Bodies::new(bodies).unwrap(), domain).unwrap();
    let blocks = |engine: &dyn Engine| -> Vec<_> {
        Contacts::new(&packing, engine, Selection::Within(0.05)).unwrap().map(Result::unwrap).collect()
    };
    let (processor, device) = (blocks(&Native::new(0).unwrap()), blocks(&*GPU));
    let asked = |blocks: &[ContactBlock]| -> Vec<_> {
        blocks.iter().map(|block| (block.bodies_done, block.candidates)).collect()
    };
    assert_eq!(asked(&processor), asked(&device));
    let contacts = |blocks: Vec<ContactBlock>| -> Vec<BodyContact> {
        blocks.into_iter().flat_map(|block| block.contacts).collect()
    };
    let (processor, device) = (contacts(processor), contacts(device));
    let (here, there) = (keys(&processor), keys(&device));
    assert!(here.len() > 10_000 && here.is_sorted() && there.is_sorted());
    let only = |contacts: &[BodyContact], others: &[(i64, i64, [i32; 3])]| -> Vec<f64> {
        let keys = keys(contacts).into_iter().zip(contacts).filter(|(key, _)| others.binary_search(key).is_err());
        keys.map(|(_, contact)| contact.contact.separation - 0.05).collect()
    };
    let differ = [only(&processor, &there), only(&device, &here)].concat();
    println!("{} contacts, {} of one engine only", here.len(), differ.len());
    // Semi-axes of up to 2 m at an aspect of up to 10: some tens of roundings of 6e-8 each, ten times as large.
    assert!(differ.iter().all(|beyond| beyond.abs() < 1e-4), "{differ:?}");
}

#[test]
fn within_a_distance_are_all_whose_true_distance_is_at_most_that() {
    let engine = Reference::new(0).unwrap();
    let mut random = Random::new(test_seed(), 13);
    let mut bodies = bodies(200, &mut random);
    // Discs, of which the separation tells least.
    for (_, ellipsoid) in bodies.iter_mut().step_by(2) {
        ellipsoid.semi_axes = DVec3::new(1.0, 1.0, 0.01);
    }
    let distance = 0.4;
    let contacts = found(&engine, &bodies, Domain::OPEN, Selection::Within(distance));
    let found = keys(&contacts);
    assert!(found.is_sorted());
    let (mut near, mut parted) = (0, 0);
    for (place, &(id, ellipsoid)) in bodies.iter().enumerate() {
        for &(other_id, other) in &bodies[..place] {
            let (a, b) =
                if id < other_id { ((id, ellipsoid), (other_id, other)) } else { ((other_id, other), (id, ellipsoid)) };
            let true_distance = EllipsoidPair::new(a.1, b.1).signed_distance().distance;
            if true_distance <= distance {
                assert!(found.binary_search(&(a.0, b.0, [0; 3])).is_ok(), "{a:?} {b:?}: {true_distance} m");
                near += 1;
                parted += usize::from(true_distance > 0.0);
            }
        }
    }
    println!("{near} pairs within {distance} m, {parted} of them apart, {} told", found.len());
    assert!(parted > 50 && found.len() < 2 * near, "{near} {parted} {}", found.len());
    assert!(contacts.iter().all(|contact| contact.contact.separation <= distance));
}

#[test]
fn concentric_bodies_are_contacts() {
    let engine = Reference::new(1).unwrap();
    let bodies = [(1, Ellipsoid::ball(DVec3::ONE, 1.0)), (2, Ellipsoid::ball(DVec3::ONE, 2.0))];
    let contacts = found(&engine, &bodies, Domain::OPEN, Selection::Overlapping);
    assert_eq!(keys(&contacts), [(1, 2, [0; 3])]);
    assert_eq!(contacts[0].contact.status, ContactStatus::Degenerate);
    assert!((contacts[0].contact.separation + 3.0).abs() < 1e-12, "{:?}", contacts[0]);
}

#[test]
fn bodies_touch_the_half_spaces_and_balls_of_a_scene() {
    let engine = Native::new(1).unwrap();
    let scene = |shape: &Shape| Scene::new(shape, Vec::new(), None, None).unwrap();
    let ground = Shape::half_space(2.0 * DVec3::Z, 0.0);
    let boulder = Shape::sphere(DVec3::new(5.0, 0.0, 0.0), 1.0);
    let obstacles = Obstacles::of(&scene(&Shape::union([ground.clone(), boulder.clone()]))).unwrap();
    let at = |x: f64, z: f64| Ellipsoid {
        center: DVec3::new(x, 0.0, z),
        semi_axes: DVec3::new(2.0, 1.0, 0.5),
        rotation: DQuat::IDENTITY,
    };
    let bodies = Bodies::new(vec![(1, at(0.0, 0.4)), (2, at(0.0, 0.6)), (3, at(2.5, 0.0)), (4, at(1.9, 9.0))]).unwrap();
    let contacts = |selection| -> Vec<LeafContact> {
        let blocks = obstacles.contacts(&engine, &bodies, selection).unwrap();
        blocks.flat_map(|block| block.unwrap().contacts).collect()
    };
    let pairs =
        |contacts: &[LeafContact]| contacts.iter().map(|contact| (contact.id, contact.leaf)).collect::<Vec<_>>();
    let touching = contacts(Selection::Overlapping);
    assert_eq!(pairs(&touching), [(1, 0), (3, 0), (3, 1)]);
    let expected = [(-0.1, -DVec3::Z), (-0.5, -DVec3::Z), (-0.5, DVec3::X)];
    for (contact, (separation, normal)) in touching.iter().zip(expected) {
        assert!((contact.contact.separation - separation).abs() < 1e-12, "{contact:?}");
        assert!((contact.contact.normal - normal).length() < 1e-12, "{contact:?}");
    }
    assert_eq!(pairs(&contacts(Selection::Within(0.2))), [(1, 0), (2, 0), (3, 0), (3, 1)]);

    // Sizes that no pair may have, wherever the two are.
    let boulders = Shape::union([Shape::sphere(DVec3::ZERO, 2e-7), boulder.clone(), Shape::sphere(DVec3::ZERO, 1e9)]);
    let boulders = Obstacles::of(&scene(&boulders)).unwrap();
    for (radius, words) in [
        (1.0, "body 7 has a semi-axis of 1e0 m and the ball of leaf 2 a radius of 1e9 m: neither may be more than 1e8"),
        (15.0, ""),
        (
            25.0,
            "body 7 has a semi-axis of 2.5e1 m and the ball of leaf 0 a radius of 2e-7 m: neither may be more than 1e8",
        ),
    ] {
        let bodies = Bodies::new(vec![(7, Ellipsoid::ball(1e3 * DVec3::X, radius))]).unwrap();
        let error = boulders.contacts(&engine, &bodies, Selection::Overlapping).err();
        let error = error.map_or_else(String::new, |error| error.to_string());
        assert!(error.starts_with(words) && error.is_empty() == words.is_empty(), "{radius}: {error}");
    }

    for (shape, words) in [
        (Shape::intersection([ground.clone(), boulder.clone()]), "an intersection"),
        (Shape::cuboid(DVec3::ZERO, DVec3::ONE, DQuat::IDENTITY), "an intersection of 6 half spaces"),
        (Shape::union([ground.clone(), Shape::cylinder(DVec3::ZERO, DVec3::Z, 1.0)]), "another solid as leaf 1"),
        (Shape::union([ground.clone(), boulder.clone().complement()]), "another solid as leaf 1"),
        (Shape::sphere(DVec3::ZERO, 0.0), "a ball of radius 0 m as leaf 0"),
        (Shape::Everything, "everything"),
    ] {
        let error = Obstacles::of(&scene(&shape)).unwrap_err().to_string();
        assert!(error.ends_with(words), "{error}");
    }
}
