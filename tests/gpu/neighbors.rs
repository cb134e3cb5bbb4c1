//! Neighbours found by a device.

use std::time::Instant;

use glam::{DQuat, DVec3};
use touchdown::engine::Engine;
use touchdown::packing::{Bodies, Domain, Packing, Tilts};
use touchdown::query::Ellipsoid;
use touchdown::random::uniform;
use touchdown::reference::Reference;

use crate::support::engines::GPU;
use crate::support::gpu;

/// Ten thousand bodies with some ten neighbours each: of one size, of many, in crowds of one place.
fn crowd(kind: u64) -> Bodies {
    let count = 10_000;
    let side = f64::from(count as u32).cbrt();
    let body = |item: u64| {
        let draw = |variable| uniform(kind, item, variable);
        let center = side * DVec3::new(draw(0), draw(1), draw(2));
        let turn = DQuat::from_scaled_axis(3.0 * DVec3::new(draw(3), draw(4), draw(5)));
        let ellipsoid = |center, size: f64| Ellipsoid {
            center,
            semi_axes: size * DVec3::new(1.0, 0.5 + 0.5 * draw(6), 0.5),
            rotation: turn,
        };
        match kind {
            0 => Ellipsoid::ball(center.floor(), 0.5),
            1 => ellipsoid(center, 0.7),
            // Few are large: sizes as 1 over the square root of a number above 0.
            2 => ellipsoid(center, 0.3 / draw(7).sqrt().max(0.05)),
            _ => ellipsoid(5.0 * (center / 5.0).round(), 0.01 + draw(7)),
        }
    };
    Bodies::new((0..count).map(|item| (item as i64, body(item))).collect()).unwrap()
}

#[test]
fn a_device_finds_the_neighbours_that_the_processor_finds_in_the_same_order() {
    let (whole, in_parts) = (&*GPU, gpu::open_with(Some(777), None));
    let judge = Reference::new(0).unwrap();
    let right = Tilts::default();
    let leaning = Tilts { xy: 10.0, xz: -7.5, yz: 3.0 };
    for (kind, periods, tilts, distance) in [
        (0, [None; 3], right, 0.0),
        (0, [Some(22.0); 3], right, 0.1),
        (0, [Some(22.0); 3], leaning, 0.0),
        (1, [None; 3], right, 0.05),
        (1, [Some(21.6), None, Some(5.0)], right, 0.0),
        (2, [Some(21.6); 3], right, 0.0),
        (2, [Some(21.6), None, Some(21.6)], Tilts { xz: 100.0, ..right }, 0.0),
        (2, [None; 3], right, 0.2),
        (3, [None, Some(20.0), None], right, 0.0),
        (3, [None, Some(20.0), None], Tilts { xy: 10.0, ..right }, 0.0),
    ] {
        let packing = Packing::new(crowd(kind), Domain::tilted(periods, tilts).unwrap()).unwrap();
        let numbers: Vec<u32> = (0..10_000).rev().collect();
        let neighbors = |engine: &dyn Engine| {
            let started = Instant::now();
            (packing.neighbors(engine, &numbers, distance).unwrap(), started.elapsed())
        };
        let (expected, here) = neighbors(&judge);
        let (found, there) = neighbors(whole);
        println!("{kind} {periods:?} {tilts:?}: {} neighbours, {here:.0?} here, {there:.0?} there", expected.len());
        assert!(expected.len() > 10_000);
        assert!(found == expected);
        assert!(neighbors(&in_parts).0 == expected);
    }
}
