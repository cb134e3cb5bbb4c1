//! Scenes, solids, boxes, ellipsoids and complementarity on the processor, against closed forms, golden cases and brute force.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]

#[path = "../support/mod.rs"]
mod support;

mod agreement;
mod box_normals;
mod coincident_borders;
mod ellipsoid_contacts;
mod friction;
mod golden_ellipsoids;
mod golden_phi;
mod hulls;
mod known_issues;
mod lcp;
mod many_solids;
mod native_entry_points;
mod oriented;
mod oriented_polyhedra;
mod oriented_steps;
mod packing;
mod particles;
mod pictures;
mod solid_images;
mod solids;
mod solids_by_hand;
mod worlds;
