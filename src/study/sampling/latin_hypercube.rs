//! Latin hypercubes: each input's values are spread evenly over its distribution.
//!
//! Each replicate is a hypercube of its own: the unit interval of every input is divided into as many strata as the
//! replicate has trials, a random permutation assigns one to each trial, and the trial's uniform number is its position
//! in the stratum ("A comparison of three methods for selecting values of input variables", Technometrics 21, 1979).

use super::permutation::Permutation;
use crate::random::uniform;

/// Counter blocks from here on are reserved for the permutations of the replicates.
const FIRST_BLOCK: u32 = 1 << 24;

/// Latin hypercubes with equally many trials. Trial i is at position i / replicates in replicate i mod replicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatinHypercubes {
    /// Number of replicates.
    pub replicates: u32,
    /// Trials of each.
    pub strata: u64,
}

impl LatinHypercubes {
    /// The uniform number of one variable of a trial.
    #[must_use]
    pub fn uniform(&self, seed: u64, trial: u64, variable: u32) -> f64 {
        // Largest f64 below 1.
        const MAX: f64 = 1.0 - f64::EPSILON / 2.0;
        let replicates = u64::from(self.replicates);
        let block = FIRST_BLOCK + (trial % replicates) as u32;
        let permutation = Permutation { seed, variable, block, size: self.strata };
        let stratum = permutation.place(trial / replicates);
        ((stratum as f64 + uniform(seed, trial, variable)) / self.strata as f64).min(MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_stratum_has_one_trial_of_each_replicate(
            seed: u64, variable in 0..100_u32, replicates in 1..20_u32, strata in 1..200_u64
        ) {
            let hypercubes = LatinHypercubes { replicates, strata };
            for replicate in 0..u64::from(replicates) {
                let mut found: Vec<u64> = (0..strata)
                    .map(|index| hypercubes.uniform(seed, index * u64::from(replicates) + replicate, variable))
                    .map(|number| (number * strata as f64) as u64)
                    .collect();
                found.sort_unstable();
                prop_assert!(found.into_iter().eq(0..strata));
            }
        }
    }

    #[test]
    fn inputs_and_replicates_are_permuted_apart() {
        let hypercubes = LatinHypercubes { replicates: 2, strata: 1000 };
        let column = |replicate: u64, variable| -> Vec<f64> {
            (0..1000).map(|index| hypercubes.uniform(3, 2 * index + replicate, variable) - 0.5).collect()
        };
        let columns = [column(0, 0), column(0, 1), column(1, 0)];
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            let sum: f64 = columns[a].iter().zip(&columns[b]).map(|(a, b)| a * b).sum();
            // As of independent numbers: standard deviation 1/12 for each product; five standard errors.
            assert!((sum / 1000.0).abs() < 5.0 / 12.0 / 1000_f64.sqrt(), "{a} {b}: {sum}");
        }
    }
}
