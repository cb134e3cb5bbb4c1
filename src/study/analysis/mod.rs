//! What analyses of a study share: numbered trials in files that are each published as a whole, computed where they are missing,
//! and a result as JSON beside a table that carries its checksum.

mod compute;
mod files;
mod sealed;

pub(super) use compute::compute_missing;
pub(super) use files::{TrialFiles, TrialNames, verified_files};
pub(super) use sealed::{Seal, sealed_text};
