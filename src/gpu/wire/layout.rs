//! The test of what is laid out by hand: the arrays for each wheel and structural point that follow what is declared.

use super::landing::{Reaction, StateHead, StateLayout, WheelMemory};
use super::structure::tests::layout_of;
use super::vehicle::{VehicleHead, VehicleWheel, VehicleWire};
use super::wheel::StrutWire;
use crate::vehicle::GroundReactions;

#[test]
fn parts_for_each_wheel_and_point_stand_where_the_kernel_looks_for_them() {
    for (wheels, points, kept, ground_reactions) in [
        (1, 0, 0, GroundReactions::Pebble),
        (3, 1, 1, GroundReactions::Jsbsim),
        (4, 5, 0, GroundReactions::Pebble),
        (16, 64, 130, GroundReactions::Jsbsim),
    ] {
        let layout = StateLayout { wheels, points, kept, ground_reactions };
        let source = VehicleWire::structures(layout) + &layout.structures();
        let last = |name: &str, count: usize| {
            let (mut places, span) = layout_of(&source, name);
            (places.split_off(places.len() - count), span)
        };
        let named = |name: &str, place: usize| (name.to_owned(), place);

        // Head, clearances, what an airframe keeps, filled up, wheels, reactions.
        let reacts = ground_reactions == GroundReactions::Jsbsim;
        let reactions = layout.bytes() - if reacts { layout.wheels * size_of::<Reaction>() } else { 0 };
        let wheels = reactions - layout.wheels * size_of::<WheelMemory>();
        let clear = size_of::<StateHead>();
        let mut state = vec![named("clear", clear), named("wheels", wheels)];
        if reacts {
            state.push(named("reactions", reactions));
        }
        if layout.kept > 0 {
            state.insert(1, named("kept", clear + 4 * layout.placed_points()));
        }
        assert_eq!(last("LandingState", state.len()), (state, layout.bytes()), "{layout:?}");

        // Head, wheels, struts, points, one behind the other.
        let wheels = size_of::<VehicleHead>();
        let struts = wheels + layout.wheels * size_of::<VehicleWheel>();
        let points = struts + layout.wheels * size_of::<StrutWire>();
        let vehicle = vec![named("wheels", wheels), named("struts", struts), named("points", points)];
        assert_eq!(last("Vehicle", 3), (vehicle, points + layout.placed_points() * 16), "{layout:?}");
    }
}
