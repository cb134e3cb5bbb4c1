//! Many ellipsoids in one domain: all contacts.
//!
//! ```text
//! dump or table --> Bodies, Domain --> Packing (boxes in trees) --> Engine (boxes that meet) --> neighbors
//!                                                                                                   |
//!                                                    Contacts, in the order of ids <-- Engine (contacts)
//! ```
//!
//! No touching pair is ever missed: boxes and supports are tested with a margin for rounding, and every image of a body
//! in a periodic domain is considered, including a body's own. Contacts come in blocks, so memory beside the bodies
//! stays bounded; their order, and every bit of them, depends on the set of bodies alone: not on their order in a file,
//! on threads or on blocks. The candidate pairs are the same for every engine.
//!
//! # Conventions
//! World coordinates in metres. In a pair the body with the lower id is A, at its given position; B is shifted by an
//! integer number of lattice vectors, its image. Normals point from A to B, separations are negative on overlap. A body
//! in contact with an image of itself is reported once, as a pair of equal ids: with the image whose first nonzero
//! index is positive.

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
