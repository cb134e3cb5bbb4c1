//! Job `ellipsoid`: contacts of ellipsoids, by the f64 formulas shared by the CPU engines.

use super::Reference;
use crate::ellipsoid_contact::{pair_contact, wall_contact};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::query::{EllipsoidContact, EllipsoidPair, EllipsoidPairs, EllipsoidWall, EllipsoidWalls, WallContact};

/// Pairs that one thread takes at a time.
const PAIRS_PER_TASK: usize = 256;

impl Computes<EllipsoidPairs> for Reference {
    fn answers(&self, (): (), pairs: &[EllipsoidPair]) -> Result<Vec<EllipsoidContact>, EngineError> {
        Ok(self.each(PAIRS_PER_TASK, pairs, pair_contact))
    }
}

impl Computes<EllipsoidWalls> for Reference {
    fn answers(&self, (): (), walls: &[EllipsoidWall]) -> Result<Vec<WallContact>, EngineError> {
        Ok(self.each(PAIRS_PER_TASK, walls, wall_contact))
    }
}
