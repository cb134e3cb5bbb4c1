//! Settings of subset simulation, and the numbering of its samples.

/// Settings of subset simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Samples of a level in each replicate; a multiple of `chain_length`.
    pub samples: u64,
    /// Samples of a chain, including its seed: the inverse of the level probability.
    pub chain_length: u64,
    /// Independent runs.
    pub replicates: u64,
    /// A replicate whose probability drops below this gives up.
    pub smallest: f64,
}

/// Position of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Level, 0 for plain draws.
    pub level: usize,
    /// Step of the chains within the level.
    pub step: u64,
    /// Replicate.
    pub replicate: u64,
    /// Chain of the replicate; at level 0 the draw.
    pub chain: u64,
}

/// Relative rounding of products and logarithms of level probabilities.
const ROUNDING: f64 = 1e-9;

impl Settings {
    /// Chains of a replicate: the maximum that survives a level.
    #[must_use]
    pub fn chains(&self) -> u64 {
        self.samples / self.chain_length
    }

    /// Fraction of the samples that survives a level.
    #[must_use]
    pub fn level_probability(&self) -> f64 {
        1.0 / self.chain_length as f64
    }

    /// Whether a probability is too small to continue.
    #[must_use]
    pub fn is_too_small(&self, probability: f64) -> bool {
        probability < self.smallest * (1.0 - ROUNDING)
    }

    /// Levels needed to reach an event of a probability; each multiplies it by the level probability or less.
    #[must_use]
    pub fn levels_for(&self, probability: f64) -> u64 {
        let levels = (probability.ln() / self.level_probability().ln() + ROUNDING).floor();
        // A probability above that of a level needs only the first one.
        levels.max(0.0) as u64 + 1
    }

    /// Maximum number of levels of a replicate.
    #[must_use]
    pub fn levels_at_most(&self) -> u64 {
        self.levels_for(self.smallest)
    }

    /// Steps of the chains in a level: seeds exist already.
    #[must_use]
    pub fn steps(&self, level: usize) -> u64 {
        if level == 0 { 1 } else { self.chain_length - 1 }
    }

    /// Points of one replicate in one step.
    #[must_use]
    pub fn width(&self, level: usize) -> u64 {
        if level == 0 { self.samples } else { self.chains() }
    }

    /// Evaluations in this many levels of all replicates.
    #[must_use]
    pub fn samples_of_levels(&self, levels: u64) -> u64 {
        let later = self.chains() * (self.chain_length - 1);
        self.replicates * (self.samples + (levels.max(1) - 1) * later)
    }

    /// Maximum number of evaluations; this many numbers are reserved.
    #[must_use]
    pub fn samples_at_most(&self) -> u64 {
        self.samples_of_levels(self.levels_at_most())
    }

    /// The number of a sample: by level, step, replicate, chain.
    #[must_use]
    pub fn number(&self, slot: Slot) -> u64 {
        let before = if slot.level == 0 { 0 } else { self.samples_of_levels(slot.level as u64) };
        before + (slot.step * self.replicates + slot.replicate) * self.width(slot.level) + slot.chain
    }

    /// The sample with a number.
    #[must_use]
    pub fn slot(&self, number: u64) -> Slot {
        let first_level = self.samples_of_levels(1);
        let level = if number < first_level {
            0
        } else {
            1 + (number - first_level) / (self.samples_of_levels(2) - first_level)
        } as usize;
        let within = number - if level == 0 { 0 } else { self.samples_of_levels(level as u64) };
        let width = self.width(level);
        Slot {
            level,
            step: within / (width * self.replicates),
            replicate: within / width % self.replicates,
            chain: within % width,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: Settings = Settings { samples: 60, chain_length: 5, replicates: 8, smallest: 1e-3 };

    #[test]
    fn every_number_is_one_slot_and_levels_follow_each_other() {
        for number in 0..SETTINGS.samples_at_most() {
            let slot = SETTINGS.slot(number);
            assert_eq!(SETTINGS.number(slot), number, "{slot:?}");
            assert!(slot.replicate < 8 && slot.chain < SETTINGS.width(slot.level), "{slot:?}");
            assert!(slot.step < SETTINGS.steps(slot.level), "{slot:?}");
        }
        let last = SETTINGS.slot(SETTINGS.samples_at_most() - 1);
        assert_eq!(last.level as u64 + 1, SETTINGS.levels_at_most());
    }

    #[test]
    fn the_last_level_is_the_first_whose_survivors_are_too_few() {
        // 0.2^4 = 1.6e-3 is still followed, 0.2^5 is not: levels 0 to 4.
        assert_eq!(SETTINGS.levels_at_most(), 5);
        let tenths = Settings { chain_length: 10, smallest: 1e-9, ..SETTINGS };
        assert_eq!(tenths.levels_at_most(), 10, "1e-9 itself is followed");
        assert_eq!((tenths.levels_for(0.5), tenths.levels_for(0.05)), (1, 2));
    }
}
