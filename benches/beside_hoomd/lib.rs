//! Benchmarks beside hoomd-geometry; there is nothing here but those.
