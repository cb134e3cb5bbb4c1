//! touchdown: landing, contact and collision studies by the million.

pub mod document;
pub mod engine;
pub mod import;
pub mod program;
pub mod query;
pub mod reference;
pub mod scene;
pub mod study;
pub mod table;
pub mod vehicle;
