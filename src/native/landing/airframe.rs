//! Aircraft by the physics of their own files: the words of their routine, over eight rows.
//!
//! # Conventions
//! As in [`crate::airframe`]. The numbers of a step are those of [`Airframe::given`], with the same operations.

use super::body::{Bodies, Loads};
use super::pilot::Controls;
use crate::air_forces::{FOOT, Flight, POUND};
use crate::airframe::{Airframe, Atmosphere, Commands};
use crate::elementary::{atan2, hypot};
use crate::function::{Expression, Words};
use crate::native::words::run;
use crate::query::{Input, LandingInputs, LandingJob};
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};

/// Numbers of a flight that change from step to step; those after them are of the landing.
const CHANGING: usize = 15;
/// Where commands begin.
const COMMANDS: usize = Airframe::GIVEN - Commands::NAMES.len() - 1;

/// Eight airframes of one aircraft.
pub(super) struct Airframes<'a, S: Simd> {
    airframe: Option<&'a Airframe>,
    step: f64,
    /// What a landing has for all of its steps, of what is made.
    fixed: Vec<(usize, &'a Expression<usize>)>,
    /// Makes the others.
    words: Words,
    row: Vec<F64x8<S>>,
    stack: Vec<F64x8<S>>,
    /// What the step leaves to the next, before it is taken over.
    left: Vec<F64x8<S>>,
}

/// Eight flights in a step.
pub(super) struct Flying<'a, S: Simd> {
    pub bodies: &'a Bodies<S>,
    /// Velocity of the air, world \[m/s\].
    pub air: DVec3x8<S>,
    /// Linear acceleration at the end of the last step, world \[m/s^2\].
    pub acceleration: DVec3x8<S>,
    /// Heights above the ground \[m\].
    pub height: F64x8<S>,
    pub controls: &'a Controls<S>,
    /// Where a main wheel has touched.
    pub on_ground: Mask8<S>,
}

impl<'a, S: Simd> Airframes<'a, S> {
    pub fn new(simd: S, job: &'a LandingJob) -> Self {
        let airframe = job.vehicle.airframe.as_deref();
        let (mut fixed, mut changing) = (Vec::new(), Vec::new());
        if let Some(routine) = airframe.map(Airframe::routine) {
            let of_landing: Vec<usize> = (CHANGING..COMMANDS).chain([Airframe::GIVEN - 1]).collect();
            let is_fixed = routine.fixed_by(&of_landing);
            (fixed, changing) = routine.made().partition(|&(place, _)| is_fixed[place]);
        }
        let words = Words::compile(changing);
        let zeros = |count| vec![F64x8::zero(simd); count];
        let (width, kept) = airframe.map_or((0, 0), |all| (all.routine().width(), all.routine().kept().len()));
        Self {
            airframe,
            step: job.step,
            row: zeros(width),
            stack: zeros(words.depth() + 1),
            left: zeros(kept),
            fixed,
            words,
        }
    }

    /// Puts a landing into a lane, with what the step before has left.
    pub fn set(&mut self, lane: usize, kept: &[f64], inputs: &LandingInputs) {
        let Some(airframe) = self.airframe else { return };
        let Atmosphere { density, temperature, pressure, sound } =
            Atmosphere::of_density(inputs.get(Input::AirDensity));
        let mass = inputs.get(Input::Mass);
        let arm = airframe.description().air_forces.reference_point;
        let of_landing = Flight { density, sound, temperature, pressure, mass, arm, ..Flight::default() };
        let given = Airframe::given(&of_landing, &Commands::default(), self.step);
        let mut row = vec![0.0; self.row.len()];
        row.iter_mut().zip(given.iter().chain(kept)).for_each(|(place, number)| *place = *number);
        for &(place, expression) in &self.fixed {
            row[place] = expression.value(&row);
        }
        self.row.iter_mut().zip(row).for_each(|(place, number)| place.set(lane, number));
    }

    /// What the last step of a lane has left.
    pub fn kept(&self, lane: usize) -> Vec<f64> {
        self.row.iter().skip(Airframe::GIVEN).take(self.left.len()).map(|kept| kept.get(lane)).collect()
    }

    /// Loads in a step; in these lanes it is taken.
    #[inline(always)]
    pub fn step(&mut self, flying: &Flying<'_, S>, lanes: Mask8<S>) -> Loads<S> {
        let Bodies { to_world, velocity, rate, .. } = flying.bodies;
        let ground = to_world.transposed_times(*velocity);
        let air = to_world.transposed_times(*velocity - flying.air);
        let acceleration = to_world.transposed_times(flying.acceleration) - rate.cross(ground);
        let nose = to_world.x_axis;
        let foot = flying.height.like(FOOT);
        let changing: [F64x8<S>; CHANGING] = [
            air.x / foot,
            air.y / foot,
            air.z / foot,
            ground.x / foot,
            ground.y / foot,
            ground.z / foot,
            rate.x,
            rate.y,
            rate.z,
            acceleration.x / foot,
            acceleration.y / foot,
            acceleration.z / foot,
            atan2(-to_world.y_axis.z, -to_world.z_axis.z),
            atan2(nose.z, hypot(nose.x, nose.y)),
            flying.height / foot,
        ];
        self.row[..CHANGING].copy_from_slice(&changing);
        let Controls { elevator, aileron, rudder, spoilers, brake, thrust, .. } = *flying.controls;
        let commands = [elevator, aileron, rudder, spoilers, thrust, brake, flying.on_ground.as_numbers()];
        self.row[COMMANDS..][..commands.len()].copy_from_slice(&commands);
        run(foot.simd(), &self.words, &mut self.row, &mut self.stack);
        self.keep(lanes);
        let outputs = self.airframe.map_or([0; 6], Airframe::load_places);
        let of = |number: usize| self.row[outputs[number]];
        Loads {
            force: DVec3x8::new(of(0), of(1), of(2)) * foot.like(POUND),
            moment: DVec3x8::new(of(3), of(4), of(5)) * foot.like(POUND * FOOT),
        }
    }

    #[inline(always)]
    fn keep(&mut self, lanes: Mask8<S>) {
        let Some(airframe) = self.airframe else { return };
        for (left, place) in self.left.iter_mut().zip(airframe.routine().left_from()) {
            *left = self.row[place];
        }
        for (kept, left) in self.row[Airframe::GIVEN..].iter_mut().zip(&self.left) {
            *kept = lanes.select(*left, *kept);
        }
    }
}
