//! touchdown: landing, contact and collision studies by the million.
//!
//! ```text
//! scene.toml --> Scene (tree of solids, materials) --> Program (postfix words) --> Walk (decisions, no stack) --> gpu
//!                  |                                      |
//! study.toml --> Study (model, inputs, criteria)          Interpreter, Walker (oracles)
//!                  |
//!                samples by counter --> Engine --> outcomes --> parts (rows) --> Summary (bounds, verdicts)
//!                                                                   |
//!                                                                 report (one HTML file)
//! ```
//!
//! Data flow in one direction only. [`engine::Engine`] computes every [`job::Job`]; [`query`] defines the items and
//! answers of jobs; [`model`] defines what studies simulate, landings above all, as an open set that users extend.
//! [`mod@reference`] is the f64 engine that judges all others, [`native`] reproduces its results bit for bit, eight
//! items at a time, and [`gpu`] is the f32 engine for millions of items. Engines are independent of each other, and
//! studies depend on their model only.
//! [`mod@bvh`] builds bounding-volume hierarchies of packings, in which engines search for overlaps.
//! [`mod@integrator`] integrates ordinary differential equations with adaptive steps and locates the zeros of event
//! functions.
//! [`mod@lcp`] solves linear complementarity problems, the form of frictionless rigid contact, and [`friction`]
//! contacts with Coulomb friction; [`mod@world`] steps rigid bodies with both. [`mod@encounter`] lets
//! vehicles collide, and [`mod@deck`] lands skids on moving decks. [`mod@function`] evaluates functions of aircraft files, and
//! [`mod@air_forces`] makes forces of them, [`mod@flight_controls`] positions of surfaces and [`mod@propulsion`] engines,
//! which together are an [`mod@airframe`]. [`validation`] judges one engine by
//! another, [`benchmark`] measures throughput, [`picture`] renders scenes through an engine, [`report`] presents runs.
//!
//! What is simulated and the engines for processors are modules of the package `touchdown-core`, handed on from here.
//!
//! # Conventions
//! SI units and radians. World: right-handed, z up; on a runway x points along the landing direction from the landing
//! threshold, y to the left. Body and wheel frames: X forward, Y right, Z down.
//!
//! # Example
//! Where does a falling point first meet a house without a floor?
//! ```
//! use glam::DVec3;
//! use touchdown::job::Compute;
//! use touchdown::query::{EntryPoints, Ray, RayStatus};
//! use touchdown::reference::Reference;
//! use touchdown::scene::{Scene, Shape};
//!
//! let wall = |x: f64, y: f64, z: f64, offset| Shape::half_space(DVec3::new(x, y, z), offset);
//! let house = Shape::intersection([
//!     wall(0.0, -1.0, 0.0, 4.0),
//!     wall(0.0, 1.0, 0.0, 4.0),
//!     wall(1.0, 0.0, 1.0, 7.0),
//!     wall(-1.0, 0.0, 1.0, 7.0),
//! ]);
//! let scene = Scene::new(&house, Vec::new(), None, None)?;
//!
//! let ray = Ray::segment(DVec3::new(1.0, 0.0, 10.0), DVec3::new(1.0, 0.0, 2.0));
//! let entry = Reference::new(1)?.compute::<EntryPoints>(&scene, &[ray])?[0];
//! assert_eq!(entry.status, RayStatus::Hit);
//! assert_eq!(ray.at(entry.lambda), DVec3::new(1.0, 0.0, 6.0));
//! assert_eq!(entry.normal, DVec3::new(1.0, 0.0, 1.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(
    not(all(feature = "gpu", feature = "report")),
    allow(dead_code, unused_imports, reason = "what devices and reports alone use")
)]

// The command line uses the library by its name, as any program does.
#[cfg(feature = "cli")]
extern crate self as touchdown;

#[doc(inline)]
pub use touchdown_core::{
    air_forces, airframe, bvh, columns, deck, deformation, document, encounter, engine, flight, flight_controls,
    friction, function, integrator, job, lcp, native, oriented, packing, picture, program, propulsion, query, random,
    reference, scene, table, vehicle, world,
};
// For our own use.
use touchdown_core::{elementary, ellipsoid_contact, normal, parallel};

#[cfg(feature = "gpu")]
pub mod benchmark;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod import;
pub mod model;
#[cfg(feature = "report")]
pub mod report;
pub mod shown;
pub mod study;
pub mod validation;
