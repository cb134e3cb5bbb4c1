//! The test of what is laid out by hand: the arrays for each wheel and structural point that follow what is declared.

use super::landing::{StateHead, StateLayout, WheelMemory};
use super::structure::tests::layout_of;
use super::vehicle::{VehicleHead, VehicleWheel, VehicleWire};
use super::wheel::StrutWire;

#[test]
fn parts_for_each_wheel_and_point_stand_where_the_kernel_looks_for_them() {
    for layout in [
        StateLayout { wheels: 1, points: 0, kept: 0 },
        StateLayout { wheels: 3, points: 1, kept: 1 },
        StateLayout { wheels: 4, points: 5, kept: 0 },
        StateLayout { wheels: 16, points: 64, kept: 130 },
    ] {
        let source = VehicleWire::structures(layout) + &layout.structures();
        let last = |name: &str, count: usize| {
            let (mut places, span) = layout_of(&source, name);
            (places.split_off(places.len() - count), span)
        };
        let named = |name: &str, place: usize| (name.to_owned(), place);

        // Head, clearances, what an airframe keeps, filled up, wheels.
        let wheels = layout.bytes() - layout.wheels * size_of::<WheelMemory>();
        let clear = size_of::<StateHead>();
        let mut state = vec![named("clear", clear), named("wheels", wheels)];
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
