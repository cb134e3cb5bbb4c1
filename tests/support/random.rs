//! Random numbers for tests: `SplitMix64` (Steele, Lea and Flood 2014), the same on every machine.
#![allow(dead_code, reason = "each test file uses its own part")]

use glam::{DQuat, DVec3};

/// The seed of every test, unless the environment names another.
const DEFAULT_SEED: u64 = 20_260_101;
/// The environment variable that names another.
const SEED_VARIABLE: &str = "TOUCHDOWN_TEST_SEED";

pub fn test_seed() -> u64 {
    std::env::var(SEED_VARIABLE).map_or(DEFAULT_SEED, |text| text.parse().unwrap())
}

pub struct Random(u64);

impl Random {
    /// Numbers of a seed; different streams of it do not meet.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut mixed = Self(seed);
        let offset = mixed.bits();
        Self(offset ^ Self(stream).bits())
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Evenly between `low` and `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.bits() >> 11) as f64 / (1u64 << 53) as f64;
        low + (high - low) * unit
    }

    /// One of 0..count.
    pub fn index(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.between(0.0, 1.0) < probability
    }

    /// A vector in the cube with this half edge.
    pub fn in_cube(&mut self, half_edge: f64) -> DVec3 {
        DVec3::new(
            self.between(-half_edge, half_edge),
            self.between(-half_edge, half_edge),
            self.between(-half_edge, half_edge),
        )
    }

    /// A direction, evenly over the sphere.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.in_cube(1.0);
            let squared = v.length_squared();
            if squared > 1e-4 && squared <= 1.0 {
                return v / squared.sqrt();
            }
        }
    }

    pub fn rotation(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.direction(), self.between(-3.0, 3.0))
    }
}
