//! Flight controls: channels of components that make positions of surfaces of what pilots and autopilots command.
//!
//! ```text
//! XML --> FlightControls (channels of components) --functions--> Vec<Function<String>> --Routine--> rows, step after step
//! ```
//!
//! A component is a few functions. What it remembers is a property too, one that no file can name since its name has a blank, as
//! `fcs/yaw-damper output before`: a [`Routine`](crate::function::Routine) keeps it from step to step. So whatever evaluates
//! functions evaluates flight controls.
//!
//! # Conventions
//! Components are those of JSBSim, with its order, its first steps and its delays; x is the input and y the output. A step is JSBSim's
//! frame. Two steps come before time begins, as JSBSim runs its channels twice for an initial condition: channels that do not run in
//! every step run in both of them, and from then on in each n-th. All that is remembered begins with 0. A function that reads what is
//! made later in the step reads the value of the step before.

mod component;
mod condition;
mod filter;
mod kinematic;
mod lowering;
mod output;
mod pid;
mod scale;
mod servo;
mod ties;

pub use component::{
    Actuator, Case, Channel, Clip, Component, Delay, Filter, FlightControls, Integration, Law, Pid, Quantization,
    Sensor, Setting, SurfaceScale,
};
pub use lowering::{ControlFault, TimeStep};
pub(crate) use servo::AFTER_HYSTERESIS;

#[cfg(test)]
mod tests;
