//! The native engine: f64 in lanes of eight on all cores, with the instructions that the processor is found to have.
//!
//! Its lanes follow the formulas of [`crate::reference`] operation by operation, so it gives the same bytes as the
//! reference, and gives them on every machine of one architecture. What differs is the order in which things are looked
//! at: boxes tell which solids a ray cannot meet, and eight items are computed at once.

mod cell;
mod entry_point;
mod index;
mod packet;
mod paint;
mod search;
mod surface;
mod tree;

pub use index::SceneIndex;
