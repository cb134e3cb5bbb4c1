//! What touchdown simulates, and its engines for processors.
//!
//! `touchdown` is the library to use: it hands on the modules that are for everyone. This package is compiled to be fast, in
//! tests too; what stands above it, studies and the program, is compiled to be built soon. What `touchdown` does not hand
//! on may change with any version.

pub mod air_forces;
pub mod airframe;
pub mod bvh;
pub mod columns;
pub mod deck;
pub mod deformation;
pub mod document;
pub mod elementary;
pub mod ellipsoid_contact;
pub mod encounter;
pub mod engine;
pub mod flight;
pub mod flight_controls;
pub mod friction;
pub mod function;
pub mod integrator;
pub mod job;
pub mod lanes;
pub mod lcp;
pub mod native;
pub mod normal;
pub mod oriented;
pub mod packing;
pub mod parallel;
pub mod picture;
pub mod program;
pub mod propulsion;
pub mod query;
pub mod random;
pub mod reference;
pub mod scene;
pub mod simd;
pub mod table;
pub mod vehicle;
pub mod world;
