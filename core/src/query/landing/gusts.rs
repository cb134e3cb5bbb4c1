//! Gusts at one instant.

use glam::DVec3;

/// The gusts at a vehicle, with the states of their filters \[m/s\]; rotary gusts with them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gusts {
    /// Along the runway, towards its end.
    pub along: f64,
    /// Across the runway, to the left.
    pub across: f64,
    /// Driving state of the lateral gust.
    pub across_drive: f64,
    /// Upwards.
    pub vertical: f64,
    /// Driving state of the vertical gust.
    pub vertical_drive: f64,
    /// Rotation of the air about the body's X axis \[rad/s\].
    pub roll: f64,
    /// About its Y axis: the slope of the vertical gust along the way.
    pub pitch: f64,
    /// About its Z axis: the slope of the gust across.
    pub yaw: f64,
}

impl Gusts {
    /// Angular velocity of the air, body axes \[rad/s\].
    #[must_use]
    pub fn rotation(&self) -> DVec3 {
        DVec3::new(self.roll, self.pitch, self.yaw)
    }

    /// All numbers: speeds, then rates of rotation.
    #[must_use]
    pub fn numbers(&self) -> [f64; 8] {
        let Self { along, across, across_drive, vertical, vertical_drive, roll, pitch, yaw } = *self;
        [along, across, across_drive, vertical, vertical_drive, roll, pitch, yaw]
    }

    /// Of all numbers.
    #[must_use]
    pub fn of_numbers(numbers: [f64; 8]) -> Self {
        let [along, across, across_drive, vertical, vertical_drive, roll, pitch, yaw] = numbers;
        Self { along, across, across_drive, vertical, vertical_drive, roll, pitch, yaw }
    }
}
