//! Where rays come from and answers go to.

use super::eight::Rayx8;
use crate::lanes::Lanes;
use crate::query::EntryPoint;
use crate::simd::Simd;

/// Rays one after the other, or in columns; the place for the answer to each.
pub(super) trait Work {
    /// How many there are.
    fn count(&self) -> usize;
    /// Eight from `first` on; where there are fewer, the last goes along in the other lanes.
    fn eight<S: Simd>(&self, simd: S, first: usize) -> Rayx8<S>;
    /// Takes the answer to a ray.
    fn answer(&mut self, number: usize, answer: EntryPoint);
    /// Takes the answer to a ray: that of a face, but for lambda.
    fn answer_like(&mut self, number: usize, face: &EntryPoint, lambda: f64);
    /// Takes the answers to eight rays from `first` on: those of a face, but for lambda.
    fn answer_alike(&mut self, first: usize, face: &EntryPoint, lambda: &Lanes);
}
