//! Ways to sample the inputs.

/// How the inputs of a study are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Independent draws by counter.
    Plain,
}
