//! Kernels that are broken on purpose, and what kernels do not hold.

use naga::valid::{Capabilities, ValidationFlags, Validator};

use super::*;
use crate::deck::DeckMotion;
use crate::gpu::GpuOptions;
use crate::gpu::faults::see_all;
use crate::job::Compute;
use crate::reference::Reference;
use crate::validation::deck_steps::{Class, DeckLandingSteps, landing_of};
use crate::validation::{Agreement, Class as _, validate_drawn};

fn open() -> Gpu {
    let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
    Gpu::open(GpuOptions { adapter: Some(adapter), ..GpuOptions::default() }).unwrap()
}

fn source_of(class: Class) -> String {
    source(&DeckSharedWire::new(landing_of(class)).unwrap())
}

#[test]
fn the_kernel_is_valid_without_a_driver() {
    for &class in Class::CLASSES {
        let source = source_of(class);
        let module =
            naga::front::wgsl::parse_str(&source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(&source)));
        let checked = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
        assert!(checked.is_ok(), "{}", checked.unwrap_err().emit_to_string(&source));
    }
}

#[test]
fn gears_with_more_parts_than_a_kernel_holds_are_refused() {
    let mut landing = landing_of(Class::Landing).clone();
    landing.gear.modes = vec![landing.gear.modes[0].clone(); 17];
    let start = DeckStart {
        motion: DeckMotion::at_rest(),
        sink_rate: 1.0,
        drift: 0.0,
        roll: 0.0,
        roll_rate: 0.0,
        offset: 0.0,
        friction: 0.5,
        mass: 1.0,
        lift: 1.0,
    };
    let error = open().compute::<DeckLandings>(&landing, &[start]).unwrap_err().to_string();
    println!("{error}");
    assert!(error.contains("17 modes of the gear") && error.contains("16 at most") && error.contains("native"));
}

#[test]
fn broken_kernels_of_landings_on_decks_are_called_wrong() {
    let gpu = open();
    let judge = Reference::new(0).unwrap();
    let wrong = |class| match validate_drawn::<DeckLandingSteps>(&judge, &gpu, (class, 1), 100, &mut |_| {}) {
        Ok(report) => report.tally.count(Agreement::Wrong),
        Err(error) => panic!("{error}"),
    };
    let faults = [
        ("turn.x * v.y - turn.y * v.x", "turn.x * v.y + turn.y * v.x", Class::Landing),
        ("(h * b) * ((1.0 - u) * v", "(h * b) * (v", Class::Landing),
        ("(1.0 - 3.0 * u)) * v", "(1.0 - 2.0 * u)) * v", Class::Landing),
        ("place - surface.start) <= 0.0)", "place - surface.start) <= 1e-3)", Class::Grazing),
        ("is_full || (is_beside", "is_full && (is_beside", Class::Anywhere),
        ("let lost = penetration & ~old.x", "let lost = 0u", Class::Landing),
        ("dot(turned_back(now.deck, now.fall), surface.normal)", "0.0", Class::Landing),
        ("- now.pose.roll_rate * left_of(from_deck)", "- 0.0 * left_of(from_deck)", Class::Landing),
        ("+ now.fall + turned_by", "+ turned_by", Class::AllModes),
        ("let cross = k * approach.give.y", "let cross = 0.9 * k * approach.give.y", Class::AllModes),
        ("0.5 * h * rigid_push", "h * rigid_push", Class::AllModes),
        ("+ c * approach.velocity.x)", ")", Class::Landing),
        ("select(1.0, shared_data.static_ratio, stood)", "1.0", Class::Anywhere),
        ("select(1.0, -1.0, select(free_along", "select(-1.0, 1.0, select(free_along", Class::Slipping),
        ("way + slips / grip", "way", Class::Slipping),
        ("abs(forces.pebble - old_pebble) / f32(INITIATORS)", "abs(forces.pebble - old_pebble)", Class::Slipping),
        ("less.z * own.x + by.y * own.y", "less.z * own.x", Class::Landing),
        ("(own.w + by.y * pushes[mode])", "own.w", Class::Landing),
        ("+ 0.5 * gained)", ")", Class::Landing),
        ("torque / items[item].inertia", "torque / items[item].mass", Class::Landing),
        ("(*state).rest = rest - whole", "(*state).rest = rest", Class::Landing),
        ("(*state).lift *= shared_data.lift_factor", "(*state).lift *= 1.0", Class::Landing),
        ("abs(sums.x) + abs(sums.y)", "max(abs(sums.x), abs(sums.y))", Class::Landing),
        ("min(row.x - shared_data.edges.x, shared_data.edges.y - row.x)", "row.x - shared_data.edges.x", Class::Edges),
        ("about_pivot = items[item].inertia + ", "about_pivot = ", Class::Slipping),
        ("max(row.z, loads[initiator])", "loads[initiator] * 0.99", Class::Landing),
    ];
    see_all(&gpu, |class| [source_of(class)], &faults, wrong);
}
