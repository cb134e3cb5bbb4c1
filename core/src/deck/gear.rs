//! A skid gear as modes: what its initiators do under forces, and how far its tubes are from yielding.

use glam::DVec2;
use thiserror::Error;

use super::beam::{Frame, NODE_FREEDOMS};
use super::modes::modes;
use crate::elementary::{direction, exp};

/// Why a frame is no gear.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum GearError {
    /// It moves without bending.
    #[error("the gear is not held: it can move as a whole; attach more of its nodes")]
    NotHeld,
    /// No mode is left.
    #[error("the gear has no modes: every node is held")]
    NoModes,
}

/// A mode of a gear.
#[derive(Clone, Debug, PartialEq)]
pub struct GearMode {
    /// Circular frequency without damping \[rad/s\].
    pub frequency: f64,
    /// Damping ratio, of Rayleigh's: (alpha / w + beta w) / 2.
    pub damping: f64,
    /// Displacement of each initiator for a modal coordinate of 1, in the body's axes \[1/sqrt(kg)\].
    pub at: Vec<DVec2>,
}

/// A gear.
#[derive(Clone, Debug, PartialEq)]
pub struct Gear {
    /// Initiators, in the body's axes from its centre of gravity \[m\].
    pub initiators: Vec<DVec2>,
    /// The lowest modes.
    pub modes: Vec<GearMode>,
    /// For each end of an element and mode: stress by extension and by bending, as shares of the yield stress.
    stresses: Vec<Vec<[f64; 2]>>,
}

impl Gear {
    /// From a frame, the numbers of its nodes that are initiators, how many modes it keeps, and Rayleigh's coefficients alpha
    /// \[1/s\] and beta \[s\].
    ///
    /// # Errors
    /// When the frame can move as a whole, or not at all.
    pub fn new(
        frame: &Frame,
        initiators: &[usize],
        most_modes: usize,
        [alpha, beta]: [f64; 2],
    ) -> Result<Self, GearError> {
        if frame.freedoms().is_empty() {
            return Err(GearError::NoModes);
        }
        let found = modes(frame, most_modes).ok_or(GearError::NotHeld)?;
        let rows = frame.stresses();
        let stress_of = |end: usize| {
            let yields = frame.elements[end / 2].1.yield_stress;
            let share =
                |row: &[f64], shape: &[f64]| row.iter().zip(shape).map(|(row, own)| row * own).sum::<f64>() / yields;
            found.iter().map(|mode| [share(&rows[end][0], &mode.shape), share(&rows[end][1], &mode.shape)]).collect()
        };
        let stresses = (0..rows.len()).map(stress_of).collect();
        let mode = |mode: &super::modes::Mode| GearMode {
            frequency: mode.frequency,
            damping: 0.5 * (alpha / mode.frequency + beta * mode.frequency),
            at: initiators
                .iter()
                .map(|&node| DVec2::new(mode.shape[NODE_FREEDOMS * node], mode.shape[NODE_FREEDOMS * node + 1]))
                .collect(),
        };
        let modes = found.iter().map(mode).collect();
        Ok(Self { initiators: initiators.iter().map(|&node| frame.nodes[node]).collect(), modes, stresses })
    }

    /// For each end of an element and mode: stress by extension and by bending, as shares of the yield stress.
    pub fn stresses(&self) -> &[Vec<[f64; 2]>] {
        &self.stresses
    }

    /// The greatest stress of all element ends as a share of what yields.
    #[must_use]
    pub fn stress_share(&self, coordinates: &[f64]) -> f64 {
        let mut greatest = 0.0;
        for end in &self.stresses {
            let (mut extension, mut bending) = (0.0, 0.0);
            for ([by_extension, by_bending], coordinate) in end.iter().zip(coordinates) {
                extension += by_extension * coordinate;
                bending += by_bending * coordinate;
            }
            greatest = f64::max(greatest, f64::abs(extension) + f64::abs(bending));
        }
        greatest
    }
}

/// The exact way of a mode over one step under a constant force: q' = a q + b p + e f, p' = c q + d p + g f.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Propagation {
    /// Coordinate by coordinate.
    pub a: f64,
    /// Coordinate by rate \[s\].
    pub b: f64,
    /// Rate by coordinate \[1/s\].
    pub c: f64,
    /// Rate by rate.
    pub d: f64,
    /// Coordinate by force \[s2\].
    pub e: f64,
    /// Rate by force \[s\].
    pub g: f64,
}

impl Propagation {
    /// Of a mode over a step \[s\]. Whatever the frequency, it is stable: a high mode follows its force, as a spring without mass.
    #[must_use]
    pub fn new(mode: &GearMode, step: f64) -> Self {
        let (w, decay) = (mode.frequency, mode.damping * mode.frequency);
        let under = w * w - decay * decay;
        // E cos and E sin / w_d, or their hyperbolic brothers where it is damped beyond swinging.
        let (cosine, sine) = if under > 0.0 {
            let swing = under.sqrt();
            let swung = direction(swing * step);
            let left = exp(-decay * step);
            (left * swung.x, left * swung.y / swing)
        } else {
            let apart = (-under).sqrt();
            let [slow, fast] = [apart - decay, -apart - decay].map(|root| exp(root * step));
            let sine = if apart * step < 1e-8 { step * slow } else { (slow - fast) / (2.0 * apart) };
            (0.5 * (slow + fast), sine)
        };
        let a = cosine + decay * sine;
        Self { a, b: sine, c: -w * w * sine, d: cosine - decay * sine, e: (1.0 - a) / (w * w), g: sine }
    }
}

#[cfg(test)]
#[allow(clippy::print_stdout, reason = "a test prints what it measured")]
mod tests {
    use super::*;

    /// A step of the exact way is a thousand of Euler's with a thousandth each, within their error.
    #[test]
    fn a_mode_goes_its_exact_way() {
        for (frequency, damping) in [(30.0, 0.02), (300.0, 0.3), (800.0, 1.0), (2000.0, 1.7), (80_000.0, 40.0)] {
            let mode = GearMode { frequency, damping, at: Vec::new() };
            let whole = Propagation::new(&mode, 1e-3);
            let half = Propagation::new(&mode, 5e-4);
            let force = 3.0 * frequency;
            let step = |by: Propagation, (q, p): (f64, f64)| {
                (by.a * q + by.b * p + by.e * force, by.c * q + by.d * p + by.g * force)
            };
            let start = (0.01, -0.2 * frequency / 30.0);
            let (one, two) = (step(whole, start), step(half, step(half, start)));
            println!("{frequency} rad/s, ratio {damping}: {one:?} {two:?}");
            let scale = start.0 + start.1.abs() / frequency + force / frequency.powi(2);
            assert!((one.0 - two.0).abs() < 1e-9 * scale && (one.1 - two.1).abs() < 1e-9 * scale * frequency);
            let rest = (0..100_000).fold(start, |state, _| step(whole, state));
            assert!(
                (rest.0 * frequency * frequency / force - 1.0).abs() < 1e-6,
                "it comes to rest where the spring has it"
            );
        }
    }
}
