//! The kernels on a GPU or Mesa's software adapter, and the judges of every engine, which must see what is wrong.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]

#[path = "../support/mod.rs"]
mod support;

mod air_forces;
mod airframes;
mod box_validation;
mod deck_validation;
mod ellipsoid_validation;
mod ellipsoids;
mod encounter_validation;
mod entry_points;
mod golden_wheels;
mod ground_reactions;
mod landing_validation;
mod landings;
mod lcp_validation;
mod loop_limit;
mod neighbors;
mod oriented_validation;
mod particles;
mod runs;
mod steps;
mod validation;
mod world_validation;
