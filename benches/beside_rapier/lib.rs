//! Benchmarks beside rapier3d; there is nothing here but those.
