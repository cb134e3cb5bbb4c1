//! Random inputs by counter.
