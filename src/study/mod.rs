//! Studies: inputs sampled by counter, landings in chunks, criteria with honest intervals.

pub mod sampling;
pub mod statistics;
