//! Throughput of engines, and what limits it.
//!
//! ```text
//! case (scene, items by number) --> engine: whole calls             --> Figures --> Report
//!                               --> device: stages one at a time    -->
//!                               --> walks: visits --> operations    -->
//! ```
//!
//! Whole calls are what a user gets. On a device the stages of a job also run one at a time, and the device's own rates
//! are measured with kernels that only copy or only multiply and add: a job cannot be faster than the memory rate over
//! the bytes of an item, nor than the arithmetic rate over its operations ([`Operations`]).
//!
//! # Conventions
//! Times are wall-clock seconds. Rates are items per second.

mod airplane;
mod calls;
mod cases;
mod lanes;
mod list;
mod measure;
mod operations;
mod report;
mod work;

pub use cases::{Collisions, Landings, Meetings, Pairs, Problems, Rays, RaysInColumns, Wheels};
pub use lanes::{IdleLanes, LaneOrder, idle_lanes};
pub use list::{CASES, Case, Measured, Scenario};
pub use measure::Measurement;
pub use operations::Operations;
pub use report::{AdapterFacts, Binding, Figures, Limit, Processor, Report, StageFigures, StepFigures, WorkFigures};
