//! Many ellipsoids in one space: who touches whom.
//!
//! ```text
//! dump or table --> Bodies, Domain --> Packing (boxes in trees) --> Engine (boxes that meet) --> neighbors
//!                                                                                                   |
//!                                                    Contacts, in the order of ids <-- Engine (contacts)
//! ```
//!
//! A pair that touches is never lost: boxes and supports are judged with a margin for rounding, and every image of a body
//! in a periodic space is looked at, a body's own included. Contacts come in blocks, so memory beside the bodies stays
//! bounded; their order, and every bit of them, depends on the set of bodies alone: not on their order in a file, on
//! threads or on blocks. Which pairs an engine is asked about is the same for every engine.
//!
//! # Conventions
//! World coordinates in metres. Of a pair the body with the lower id is A and stands where it was given; B is moved by a
//! whole number of lattice vectors, its image. Normals point from A to B, separations are negative on overlap. A body
//! touches an image of itself as a pair of twice its id, once: with the image whose first number other than 0 is positive.

mod bodies;
mod columns;
mod contacts;
mod domain;
mod dump;
mod error;
mod fault;
mod neighbors;
mod obstacles;
mod outline;
mod scene;
mod table;

pub use bodies::Bodies;
pub use columns::{BodiesFile, ColumnNames, ColumnNamesError};
pub use contacts::{BodyContact, ContactBlock, Contacts, Selection};
pub use domain::{Domain, MAX_PERIODS, MAX_TILT, Tilts};
pub use dump::{DumpError, DumpProblem, DumpReader, Snapshot};
pub use error::PackingError;
pub use fault::{ELLIPSOID_FIELDS, Fault};
pub use neighbors::{Neighbor, Packing};
pub use obstacles::{LeafBlock, LeafContact, Obstacles, ObstaclesError};
pub use scene::{Marker, scene_of};
pub use table::{BodiesError, ellipsoid_columns, ellipsoids, read_bodies};
