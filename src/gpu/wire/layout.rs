//! How states are laid out: the arrays for each wheel and structural point follow what is declared.

use std::ops::Range;

use bytemuck::Zeroable;
use glam::DVec3;

use super::landing::{
    ControlsWire, Flag, GustsWire, LandingWire, Reaction, Slice, StateHead, StateView, TouchdownWire, WheelMemory, wide,
};
use super::side_by_side::{Known, LANES, Woven};
use super::{Structure, array_of, narrowed};
use crate::query::LandingState;
use crate::vehicle::{GroundReactions, Vehicle};

/// How the states of a vehicle's landings are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gpu) struct StateLayout {
    pub wheels: usize,
    pub points: usize,
    /// Numbers that a step of an airframe leaves to the next.
    pub kept: usize,
    /// Each wheel has room for a [`Reaction`] by JSBSim's.
    pub ground_reactions: GroundReactions,
}

impl StateLayout {
    pub fn new(vehicle: &Vehicle) -> Self {
        let kept = vehicle.airframe.as_ref().map_or(0, |airframe| airframe.routine().kept().len());
        let ground_reactions = vehicle.ground_reactions;
        Self { wheels: vehicle.wheels.len(), points: vehicle.structure.len(), kept, ground_reactions }
    }

    /// Number of structural points on a device: empty arrays are not allowed there.
    pub fn placed_points(self) -> usize {
        self.points.max(1)
    }

    /// Words of the clearances and of what an airframe keeps: wheels are aligned to 16 bytes.
    fn clear_words(self) -> usize {
        (self.placed_points() + self.kept).next_multiple_of(4)
    }

    /// Where among them the airframe's are.
    fn kept_words(self) -> Range<usize> {
        self.placed_points()..self.placed_points() + self.kept
    }

    /// Words of the wheels' memories.
    fn wheel_words(self) -> usize {
        self.wheels * size_of::<WheelMemory>() / 4
    }

    /// Words of the reactions, which mean something within a step alone.
    fn reaction_words(self) -> usize {
        match self.ground_reactions {
            GroundReactions::Pebble => 0,
            GroundReactions::Jsbsim => self.wheels * size_of::<Reaction>() / 4,
        }
    }

    /// The arrays behind the head of a state: name, type, first word.
    fn arrays(self) -> Vec<(&'static str, String, usize)> {
        let head = size_of::<StateHead>() / 4;
        let wheels = head + self.clear_words();
        // How far each structural point may still travel before it has to be looked at again [m].
        let clear = ("clear", array_of::<f32>(self.placed_points()), head);
        let kept = (self.kept > 0).then(|| ("kept", array_of::<f32>(self.kept), head + self.placed_points()));
        let memories = ("wheels", array_of::<WheelMemory>(self.wheels), wheels);
        let reactions = ("reactions", array_of::<Reaction>(self.wheels), wheels + self.wheel_words());
        let reactions = (self.reaction_words() > 0).then_some(reactions);
        [Some(clear), kept, Some(memories), reactions].into_iter().flatten().collect()
    }

    /// What the kernel of landings takes and gives beside the vehicle.
    pub fn structures(self) -> String {
        let parts = [GustsWire::declaration(), ControlsWire::declaration(), TouchdownWire::declaration()].concat();
        let arrays: Vec<_> = self.arrays().into_iter().map(|(name, kind, _)| (name, kind)).collect();
        let state = StateHead::declaration_with(&arrays);
        let wheel = WheelMemory::declaration() + &Reaction::declaration();
        [LandingWire::declaration(), parts, wheel, state, Slice::declaration()].concat()
    }

    /// The functions by which a kernel of this source reads and writes states, and reads what differs from landing to landing.
    pub fn functions(self, source: &str) -> String {
        let states = Woven {
            buffer: "states",
            structures: vec![
                Known::new::<StateHead>(&self.arrays()),
                Known::new::<GustsWire>(&[]),
                Known::new::<ControlsWire>(&[]),
                Known::new::<TouchdownWire>(&[]),
                Known::new::<WheelMemory>(&[]),
                Known::new::<Reaction>(&[]),
            ],
        };
        let landings = Woven { buffer: "landings", structures: vec![Known::new::<LandingWire>(&[])] };
        let elements =
            [("wheels", "wheel"), ("reactions", "reaction"), ("clear", "state_clear"), ("kept", "state_kept")];
        let sizes =
            [("LANES", LANES), ("STATES_QUADS", self.words() / 4), ("LANDINGS_QUADS", size_of::<LandingWire>() / 16)];
        let sizes: String = sizes.map(|(name, size)| format!("const {name}: u32 = {size}u;\n")).concat();
        sizes
            + &states.functions("state", "LandingState", &elements, source)
            + &landings.functions("landing", "Landing", &[], source)
    }

    /// Size of a state in words.
    pub fn words(self) -> usize {
        size_of::<StateHead>() / 4 + self.clear_words() + self.wheel_words() + self.reaction_words()
    }

    /// Size of a state \[bytes\].
    pub fn bytes(self) -> usize {
        4 * self.words()
    }

    /// Lays a state out in so many words; nothing is known of what the structure is clear of. `None` when it is beyond
    /// what a device holds.
    pub fn encode(self, state: &LandingState, origin: DVec3, words: &mut [u32]) -> Option<()> {
        let head = StateHead::new(state, origin)?;
        let (head_words, rest) = words.split_at_mut(size_of::<StateHead>() / 4);
        head_words.copy_from_slice(bytemuck::cast_slice(bytemuck::bytes_of(&head)));
        let (clear, rest) = rest.split_at_mut(self.clear_words());
        let (wheels, reactions) = rest.split_at_mut(self.wheel_words());
        clear.fill(0);
        reactions.fill(0);
        let kept = clear[self.kept_words()].iter_mut().zip(&state.airframe);
        kept.for_each(|(word, &kept)| *word = narrowed(kept).to_bits());
        let frame = origin + wide(head.frame);
        for (memory, wheel) in bytemuck::cast_slice_mut(wheels).iter_mut().zip(&state.wheels) {
            *memory = WheelMemory::new(wheel, frame);
        }
        Some(())
    }

    /// Lays out the end of a landing that cannot be flown.
    pub fn encode_invalid(self, words: &mut [u32]) {
        words.fill(0);
        let head = StateHead { flags: Flag::ENDED | Flag::INVALID, ..StateHead::zeroed() };
        words[..size_of::<StateHead>() / 4].copy_from_slice(bytemuck::cast_slice(bytemuck::bytes_of(&head)));
    }

    /// The parts of a state with this many words.
    pub fn view(self, words: &[u32]) -> StateView<'_> {
        let (head, rest) = words.split_at(size_of::<StateHead>() / 4);
        StateView {
            head: *bytemuck::from_bytes(bytemuck::cast_slice(head)),
            kept: bytemuck::cast_slice(&rest[self.kept_words()]),
            wheels: bytemuck::cast_slice(&rest[self.clear_words()..][..self.wheel_words()]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::wire::structure::tests::layout_of;
    use crate::gpu::wire::vehicle::{VehicleHead, VehicleWheel, VehicleWire};
    use crate::gpu::wire::wheel::StrutWire;

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
}
