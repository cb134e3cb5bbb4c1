//! touchdown: landing, contact and collision studies by the million.


pub mod document;

pub mod study;

pub mod table;
