//! Worlds of balls whose steps are made elsewhere: in lanes, or on a device.

use glam::DVec3;

use crate::world::definition::World;
use crate::world::outcome::WorldOutcome;
use crate::world::run::Record;
use crate::world::start::WorldStart;
use crate::world::step::Stepper;

/// A world on its way, with what is noted of it.
pub struct BallRun<'a> {
    stepper: Stepper<'a>,
    /// What is noted of it.
    pub record: Record,
    /// At the start \[J\].
    energy: f64,
}

/// A ball at the end of its world.
pub struct BallsEnd {
    /// Of its centre \[m\].
    pub position: DVec3,
    /// Of its centre \[m/s\].
    pub velocity: DVec3,
    /// \[rad/s\], world axes.
    pub spin: DVec3,
    /// False of what has left the bounds.
    pub is_present: bool,
    /// Its largest impulse \[N s\].
    pub impulse: f64,
}

impl<'a> BallRun<'a> {
    /// `None` for a world that cannot start.
    pub fn new(world: &'a World, start: &WorldStart) -> Option<Self> {
        let stepper = Stepper::new(world, start).ok()?;
        let record = Record::new(world, &stepper);
        Some(Self { energy: stepper.energies().iter().sum(), stepper, record })
    }

    /// Square roots of restitution and friction of bodies, then of walls.
    pub fn surfaces(&self) -> &[[f64; 2]] {
        self.stepper.surfaces()
    }

    /// The outcome after so many steps, which leave its balls like this.
    pub fn ended(mut self, steps: u64, balls: impl Iterator<Item = BallsEnd>) -> WorldOutcome {
        let bodies = self.record.impulses.len();
        for ((number, ball), hardest) in balls.enumerate().zip(&mut self.record.impulses) {
            self.stepper.end(number, ball.position, ball.velocity, ball.spin, ball.is_present);
            *hardest = ball.impulse;
        }
        self.stepper.end_after(steps);
        self.record.note_gaps(&self.stepper);
        self.record.outcome(self.energy, &self.stepper).unwrap_or_else(|| WorldOutcome::invalid(bodies))
    }
}
