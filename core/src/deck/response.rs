//! How a ship answers to waves: tabulated response amplitudes.

use super::sea::Wave;
use crate::elementary::sin_cos;

/// Motions of a deck: sway, heave, roll.
pub const MOTIONS: usize = 3;
/// Gravity \[m/s2\].
pub const GRAVITY: f64 = 9.806_65;

/// A complex number: in phase with the wave's crest, and a quarter of a period ahead.
pub type Phasor = [f64; 2];

/// Sway, heave and roll of the deck's middle per metre of a wave's amplitude, over speed, heading and frequency.
///
/// # Conventions
/// Headings are from where the waves come relative to the course: 0 from astern, pi from ahead, pi/2 from port. Beyond pi the other
/// side is mirrored. Sway to starboard, heave up, roll with starboard up. What is beyond the table is as at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Responses {
    /// Speeds \[m/s\], ascending.
    pub speeds: Vec<f64>,
    /// Headings from 0 to pi \[rad\], ascending.
    pub headings: Vec<f64>,
    /// Circular frequencies of waves, as one sees them who stands still \[rad/s\], ascending.
    pub frequencies: Vec<f64>,
    /// By speed, heading and frequency, this last one fastest: \[m/m\], \[m/m\], \[rad/m\].
    pub values: Vec<[Phasor; MOTIONS]>,
}

/// An oscillation of the deck.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Oscillation {
    /// Circular frequency of the encounter, negative where the ship overtakes the wave \[rad/s\].
    pub frequency: f64,
    /// Sway, heave \[m\] and roll \[rad\] at time 0 as phasors: the motion is Re of it times exp(i w t).
    pub phasors: [Phasor; MOTIONS],
}

impl Responses {
    /// What a ship with this speed and heading does in a wave.
    #[must_use]
    pub fn oscillation(&self, wave: &Wave, speed: f64, heading: f64) -> Oscillation {
        let turned = heading.rem_euclid(std::f64::consts::TAU);
        let is_mirrored = turned > std::f64::consts::PI;
        let folded = if is_mirrored { std::f64::consts::TAU - turned } else { turned };
        let mut phasors = self.at(speed, folded, wave.frequency);
        if is_mirrored {
            for motion in [0, 2] {
                phasors[motion] = phasors[motion].map(|part| -part);
            }
        }
        let (sine, cosine) = sin_cos(wave.phase);
        let turned = |[real, imaginary]: Phasor| {
            [real * cosine - imaginary * sine, real * sine + imaginary * cosine].map(|part| part * wave.amplitude)
        };
        let along = wave.frequency * wave.frequency * speed / GRAVITY * sin_cos(folded).1;
        Oscillation { frequency: wave.frequency - along, phasors: phasors.map(turned) }
    }

    /// Linear between the table's places.
    #[must_use]
    pub fn at(&self, speed: f64, heading: f64, frequency: f64) -> [Phasor; MOTIONS] {
        let places = [place(&self.speeds, speed), place(&self.headings, heading), place(&self.frequencies, frequency)];
        let mut sum = [[0.0; 2]; MOTIONS];
        for corner in 0..8 {
            let mut weight = 1.0;
            let mut index = 0;
            for (axis, (size, (low, share))) in
                [self.speeds.len(), self.headings.len(), self.frequencies.len()].into_iter().zip(places).enumerate()
            {
                let is_upper = corner >> axis & 1 == 1;
                weight *= if is_upper { share } else { 1.0 - share };
                index = index * size + (low + usize::from(is_upper)).min(size - 1);
            }
            for (sum, value) in sum.iter_mut().flatten().zip(self.values[index].iter().flatten()) {
                *sum += weight * value;
            }
        }
        sum
    }
}

/// The place before a value, and how far towards the next one it is.
fn place(axis: &[f64], value: f64) -> (usize, f64) {
    if axis.len() == 1 {
        return (0, 0.0);
    }
    let low = axis[1..axis.len() - 1].iter().filter(|node| **node <= value).count();
    (low, ((value - axis[low]) / (axis[low + 1] - axis[low])).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_linear_between_their_places_and_mirrored_beyond_astern_and_ahead() {
        let (speeds, headings, frequencies) =
            (vec![0.0, 10.0], vec![0.0, 1.0, std::f64::consts::PI], vec![0.2, 0.5, 1.0]);
        let value = |speed: f64, heading: f64, frequency: f64| {
            [[speed + heading, 1.0], [frequency, speed], [heading - frequency, 2.0]]
        };
        let values = speeds
            .iter()
            .flat_map(|&speed| headings.iter().map(move |&heading| (speed, heading)))
            .flat_map(|(speed, heading)| frequencies.iter().map(move |&frequency| value(speed, heading, frequency)))
            .collect();
        let responses =
            Responses { speeds: speeds.clone(), headings: headings.clone(), frequencies: frequencies.clone(), values };
        for (speed, heading, frequency) in [(3.0, 0.4, 0.3), (10.0, 2.0, 0.9), (0.0, 0.0, 0.2)] {
            let found = responses.at(speed, heading, frequency);
            for (found, expected) in found.iter().flatten().zip(value(speed, heading, frequency).iter().flatten()) {
                assert!((found - expected).abs() < 1e-12);
            }
        }
        let wave = Wave { amplitude: 2.0, frequency: 0.5, phase: 0.0 };
        let [port, starboard] = [1.0, -1.0].map(|heading| responses.oscillation(&wave, 5.0, heading));
        assert_eq!(port.frequency, 0.5 - 0.25 * 5.0 / GRAVITY * 1.0_f64.cos());
        assert_eq!(port.phasors[1], starboard.phasors[1]);
        assert_eq!(port.phasors[0].map(|part| -part), starboard.phasors[0]);
        assert_eq!(port.phasors[0], [2.0 * 6.0, 2.0]);
    }
}
