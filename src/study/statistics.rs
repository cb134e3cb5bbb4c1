//! Exact, order-free statistics and exact intervals.
