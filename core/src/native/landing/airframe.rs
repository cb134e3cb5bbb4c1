//! Aircraft by the physics of their own files: the words of their routine, over eight rows.
//!
//! # Conventions
//! As in [`crate::airframe`]. The numbers of a step are those of [`Airframe::given`], with the same operations.

use std::sync::OnceLock;

use super::body::{Bodies, Loads};
use super::pilot::Controls;
use crate::air_forces::{DOWNWARDS, FOOT, Flight, POUND};
use crate::airframe::{Airframe, Atmosphere, Commands};
use crate::elementary::{atan2, hypot};
use crate::function::{Expression, FromStart, Routine, Words};
use crate::native::words::Rows;
use crate::query::{Input, LandingInputs, LandingJob};
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};

/// Numbers of a flight that change from step to step; those after them are of the landing.
const CHANGING: usize = 18;
/// Where the velocity over the ground is among them, the acceleration, and bank and pitch.
const GROUND: [usize; 3] = [3, 4, 5];
const ACCELERATION: [usize; 3] = [12, 13, 14];
const ANGLES: [usize; 2] = [15, 16];
/// Where commands begin.
const COMMANDS: usize = DOWN - Commands::NAMES.len();
/// Where the direction downwards begins.
const DOWN: usize = TIME_STEP - DOWNWARDS.len();
/// Where the time step is.
const TIME_STEP: usize = Airframe::GIVEN - 1;

/// The words of a job's aircraft.
pub(super) struct Programs<'a> {
    airframe: &'a Airframe,
    step: f64,
    /// For landings on which, from the start on, the same stands still as on the first one, flaps, say, and the same are twins.
    usual: OnceLock<Program>,
    /// For any landing.
    any: OnceLock<Program>,
}

/// What makes the numbers of a step.
struct Program {
    /// Kept numbers that stay as they are, and these.
    still: Vec<(usize, f64)>,
    /// Kept numbers that are the same as others after every step.
    twins: Vec<[usize; 2]>,
    /// What a landing has for all of its steps.
    fixed: Vec<(usize, Expression<usize>)>,
    /// Makes the others.
    words: Words,
    reads: Reads,
}

/// Which of the numbers of a step are read: these take long to make, and few aircraft read them.
struct Reads {
    ground: bool,
    acceleration: bool,
    angles: bool,
}

impl<'a> Programs<'a> {
    /// None for vehicles without physics of their own.
    pub fn new(job: &'a LandingJob) -> Option<Self> {
        let airframe = job.vehicle.airframe.as_deref()?;
        Some(Self { airframe, step: job.step, usual: OnceLock::new(), any: OnceLock::new() })
    }

    fn usual(&self, kept: &[f64]) -> &Program {
        self.usual.get_or_init(|| {
            let FromStart { routine, still, twins } =
                self.airframe.routine().from_start(&[(TIME_STEP, self.step)], kept);
            let still = still.into_iter().map(|own| (own, kept[own])).collect();
            Program::new(&routine, (still, twins), self.airframe)
        })
    }

    fn any(&self) -> &Program {
        self.any.get_or_init(|| Program::new(self.airframe.routine(), Default::default(), self.airframe))
    }
}

impl Program {
    fn new(routine: &Routine, (still, twins): (Vec<(usize, f64)>, Vec<[usize; 2]>), airframe: &Airframe) -> Self {
        let of_landing: Vec<usize> = (CHANGING..COMMANDS).chain([TIME_STEP]).collect();
        let is_fixed = routine.fixed_by(&of_landing);
        let (fixed, changing): (Vec<_>, Vec<_>) = routine.made().partition(|&(place, _)| is_fixed[place]);
        let loads = airframe.load_places();
        let wanted = loads.into_iter().chain(routine.left_from());
        let reads = |places: &[usize]| places.iter().any(|&place| routine.reads(place) || loads.contains(&place));
        Self {
            still,
            twins,
            words: Words::compile(changing, wanted, routine.width()),
            fixed: fixed.into_iter().map(|(place, expression)| (place, expression.clone())).collect(),
            reads: Reads { ground: reads(&GROUND), acceleration: reads(&ACCELERATION), angles: reads(&ANGLES) },
        }
    }

    /// Whether a landing that starts with these kept numbers is made by this.
    fn takes(&self, kept: &[f64]) -> bool {
        let still = |&(own, number): &(usize, f64)| kept[own].to_bits() == number.to_bits();
        let are_twins = |&[own, first]: &[usize; 2]| kept[own].to_bits() == kept[first].to_bits();
        self.still.iter().all(still) && self.twins.iter().all(are_twins)
    }
}

/// Eight airframes of one aircraft.
pub(super) struct Airframes<'a, S: Simd> {
    simd: S,
    programs: Option<&'a Programs<'a>>,
    /// What makes their numbers, and the numbers, as soon as one of them is flown.
    flown: Option<(&'a Program, Rows<S>)>,
    /// What the step leaves to the next, before it is taken over.
    left: Vec<F64x8<S>>,
}

/// Eight flights in a step.
pub(super) struct Flying<'a, S: Simd> {
    pub bodies: &'a Bodies<S>,
    /// Velocity of the air, world \[m/s\].
    pub air: DVec3x8<S>,
    /// Angular velocity of the air, body axes \[rad/s\].
    pub air_rate: DVec3x8<S>,
    /// Linear acceleration at the end of the last step, world \[m/s^2\].
    pub acceleration: DVec3x8<S>,
    /// Heights above the ground \[m\].
    pub height: F64x8<S>,
    pub controls: &'a Controls<S>,
    /// Where a main wheel has touched.
    pub on_ground: Mask8<S>,
}

impl<'a, S: Simd> Airframes<'a, S> {
    pub fn new(simd: S, programs: Option<&'a Programs<'a>>) -> Self {
        let kept = programs.map_or(0, |programs| programs.airframe.routine().kept().len());
        Self { simd, programs, flown: None, left: vec![F64x8::zero(simd); kept] }
    }

    /// Puts a landing into a lane, with what the step before has left.
    pub fn set(&mut self, lane: usize, kept: &[f64], atmosphere: Atmosphere, inputs: &LandingInputs) {
        let Some(Programs { airframe, step, .. }) = self.programs else { return };
        let Atmosphere { density, temperature, pressure, sound } = atmosphere;
        let mass = inputs.get(Input::Mass);
        let arm = airframe.description().air_forces.reference_point;
        let of_landing = Flight { density, sound, temperature, pressure, mass, arm, ..Flight::default() };
        let given = Airframe::given(&of_landing, of_landing.downwards(), &Commands::default(), *step);
        let mut row = vec![0.0; airframe.routine().width()];
        row.iter_mut().zip(given.iter().chain(kept)).for_each(|(place, number)| *place = *number);
        let Some((program, rows)) = self.flown_with(kept) else { return };
        for (place, expression) in &program.fixed {
            row[*place] = expression.value(&row);
        }
        let mut numbers = rows.numbers();
        row.into_iter().enumerate().for_each(|(place, number)| numbers.set_lane(lane, place, number));
    }

    /// What makes a landing that starts with these kept numbers as well as those that are under way.
    fn flown_with(&mut self, kept: &[f64]) -> Option<&mut (&'a Program, Rows<S>)> {
        let programs = self.programs?;
        let (program, mut rows) = self.flown.take().unwrap_or_else(|| {
            let usual = programs.usual(kept);
            (usual, Rows::new(self.simd, &usual.words))
        });
        let flown = if program.takes(kept) {
            (program, rows)
        } else {
            let any = programs.any();
            let mut moved = Rows::new(self.simd, &any.words);
            let (mut there, here) = (moved.numbers(), rows.numbers());
            (0..programs.airframe.routine().width()).for_each(|place| there.set(place, here.get(place)));
            (any, moved)
        };
        Some(self.flown.insert(flown))
    }

    /// What the last step of a lane has left.
    pub fn kept(&self, lane: usize) -> Vec<f64> {
        let of = |rows: &Rows<S>| (0..self.left.len()).map(|own| rows.of_lane(lane, Airframe::GIVEN + own)).collect();
        self.flown.as_ref().map_or(Vec::new(), |(_, rows)| of(rows))
    }

    /// Loads in a step; in these lanes it is taken.
    #[inline(always)]
    pub fn step(&mut self, flying: &Flying<'_, S>, lanes: Mask8<S>) -> Loads<S> {
        let Bodies { to_world, velocity, rate, .. } = flying.bodies;
        let ground = to_world.transposed_times(*velocity);
        let air = to_world.transposed_times(*velocity - flying.air);
        let nose = to_world.x_axis;
        let foot = flying.height.like(FOOT);
        let Controls { elevator, aileron, rudder, spoilers, brake, thrust, .. } = *flying.controls;
        let commands = [elevator, aileron, rudder, spoilers, thrust, brake, flying.on_ground.as_numbers()];
        let (Some((program, rows)), Some(programs)) = (&mut self.flown, self.programs) else {
            return Loads::zero(self.simd);
        };
        let mut numbers = rows.numbers();
        numbers.set_vector(0, air / foot);
        if program.reads.ground {
            numbers.set_vector(GROUND[0], ground / foot);
        }
        numbers.set_vector(6, *rate);
        numbers.set_vector(9, *rate - flying.air_rate);
        if program.reads.acceleration {
            let acceleration = to_world.transposed_times(flying.acceleration) - rate.cross(ground);
            numbers.set_vector(ACCELERATION[0], acceleration / foot);
        }
        if program.reads.angles {
            let [bank, pitch] = ANGLES;
            numbers.set(bank, atan2(-to_world.y_axis.z, -to_world.z_axis.z));
            numbers.set(pitch, atan2(nose.z, hypot(nose.x, nose.y)));
        }
        numbers.set(17, flying.height / foot);
        for (place, command) in commands.iter().enumerate() {
            numbers.set(COMMANDS + place, *command);
        }
        numbers.set_vector(DOWN, -DVec3x8::new(nose.z, to_world.y_axis.z, to_world.z_axis.z));
        rows.run(&program.words);
        let mut numbers = rows.numbers();
        for (left, place) in self.left.iter_mut().zip(programs.airframe.routine().left_from()) {
            *left = numbers.get(place);
        }
        for own in 0..self.left.len() {
            let place = Airframe::GIVEN + own;
            numbers.set(place, lanes.select(self.left[own], numbers.get(place)));
        }
        let [x, y, z, l, m, n] = programs.airframe.load_places();
        Loads {
            force: DVec3x8::new(numbers.get(x), numbers.get(y), numbers.get(z)) * foot.like(POUND),
            moment: DVec3x8::new(numbers.get(l), numbers.get(m), numbers.get(n)) * foot.like(POUND * FOOT),
        }
    }
}
