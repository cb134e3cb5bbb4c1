//! Counter-based random inputs.
//!
//! Every random number is a pure function of (seed, item, variable): any item can be drawn alone, in any order, on any
//! machine, with the same inputs.
//!
//! ```text
//! (seed, item, variable) -- random --> uniform -- copula --> correlated uniform -- quantile --> value
//! ```
//!
//! ```
//! use touchdown::random::uniform;
//! use touchdown::study::sampling::{Copula, Distribution};
//!
//! let sink_rate = Distribution::truncated_normal(0.9, 0.4, 0.0, 4.0)?; // m/s
//! let pitch = Distribution::normal(0.07, 0.02)?; // rad
//! let copula = Copula::new(2, &[(0, 1, -0.4)])?;
//!
//! let (seed, item) = (7, 123_456);
//! let mut uniforms = [uniform(seed, item, 0), uniform(seed, item, 1)];
//! copula.apply(&mut uniforms);
//! let inputs = [sink_rate.quantile(uniforms[0]), pitch.quantile(uniforms[1])];
//! # assert!(inputs.iter().all(|value| value.is_finite()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod correlation;
mod design;
mod distribution;
mod importance;
mod latin_hypercube;
mod method;
mod permutation;
mod rank;
mod sobol_nets;

pub use correlation::{Copula, CopulaError};
pub use design::Design;
pub use distribution::{Distribution, DistributionError};
pub use importance::{Importance, Shift, Shifts};
pub use latin_hypercube::LatinHypercubes;
pub use method::Method;
pub use rank::Ranks;
pub use sobol_nets::SobolNets;

use crate::normal;
