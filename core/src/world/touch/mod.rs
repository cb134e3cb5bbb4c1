//! Contact geometry: at one instant, and during motions.
//!
//! # Conventions
//! Normals point from the first shape to the second. The gap along a normal is that between the supporting planes of
//! both shapes: a lower bound of their distance, negative on overlap.

mod boxes;
mod on_way;
mod pair;
mod polyhedra;
mod spheres;

pub(super) use on_way::{Met, meet_on_way, met};
pub(super) use pair::{facing, separation, separation_if_near};
pub(super) use spheres::{Touch, plane_at_end, plane_on_way, spheres_at_end, spheres_on_way};
