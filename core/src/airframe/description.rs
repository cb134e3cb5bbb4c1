//! What a file says of an aircraft's physics.

use crate::air_forces::Description;
use crate::function::Function;

/// The functions of an aircraft, in the order of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AirframeDescription {
    /// What the pilot's commands are called by the aircraft: functions of `pilot/elevator`, `pilot/aileron`, `pilot/rudder`,
    /// `pilot/spoilers`, `pilot/throttle`, `pilot/brake` and `pilot/on-ground`.
    pub commands: Vec<Function<String>>,
    /// From commands to positions of surfaces.
    pub controls: Vec<Function<String>>,
    /// From throttles to `engines x-lbs`, `engines y-lbs`, `engines z-lbs` along the body axes and `engines l-lbsft`, `engines m-lbsft`, `engines n-lbsft`
    /// about the centre of gravity; none for a glider.
    pub engines: Vec<Function<String>>,
    /// The air forces, with the sizes, and with the properties that have one value always.
    pub air_forces: Description,
    /// What the first step finds of properties that one step leaves to the next; the others are 0.
    pub at_start: Vec<(String, f64)>,
}

impl AirframeDescription {
    /// All functions, in the order of their evaluation save for those of air forces, which have one of their own
    /// ([`Description::in_order`]).
    pub fn functions(&self) -> impl Iterator<Item = &Function<String>> {
        let Self { commands, controls, engines, air_forces, at_start: _ } = self;
        let air_forces = air_forces.functions.iter().map(|function| &function.function);
        [commands, controls, engines].into_iter().flatten().chain(air_forces)
    }
}
