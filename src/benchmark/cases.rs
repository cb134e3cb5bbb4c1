//! Benchmark cases: scenes, rays, wheels and landings, built in code so that the program alone is enough.
//!
//! # Conventions
//! As in [`crate::query`]. Every item is a function of its index.

use std::f64::consts::TAU;

use glam::{DQuat, DVec2, DVec3};

use super::airplane::light_airplane;
use crate::parallel;
use crate::query::{
    ContactModel, ConvexTarget, Ellipsoid, EllipsoidPair, Encounter, InitiatorMotion, Input, LandingInputs, LandingJob,
    LcpItem, MAX_LCP_UNKNOWNS, MAX_TARGET_SURFACES, OrientedConfiguration, Ray, TargetError, Weather, WheelFrame,
    WheelParameters,
};
use crate::random::uniform;
use crate::scene::{Scene, SceneError};
use crate::validation::SceneClass;

/// The seed of scenes and items.
const SEED: u64 = 1;
/// Which scene of a class: the first nested difference of the seed holds nothing.
const VARIANT: u64 = 1;
/// Step of wheels and landings \[s\].
const STEP: f64 = 0.005;

/// Frames of each wheel.
pub const FRAMES: usize = 32;
/// Speed of wheels along the runway \[m/s\].
const ROLLING_SPEED: f64 = 30.0;
/// How far wheels are compressed \[m\].
const COMPRESSION: f64 = 0.05;

/// Items by their numbers.
fn numbered<T: Send>(count: usize, item: impl Fn(u64) -> T + Sync) -> Vec<T> {
    /// Enough that sharing them out costs nothing.
    const ITEMS_PER_TASK: usize = 1024;
    parallel::map_numbers(count, ITEMS_PER_TASK, |number| item(number as u64))
}

/// Long rays between random points of a scene's region.
#[derive(Clone, Debug)]
pub struct Rays {
    class: SceneClass,
    /// The scene.
    pub scene: Scene,
}

impl Rays {
    /// Rays in a scene of a class.
    ///
    /// # Errors
    /// When the scene cannot be made.
    pub fn new(class: SceneClass) -> Result<Self, SceneError> {
        Ok(Self { class, scene: class.scene(SEED, VARIANT)? })
    }

    /// The scene's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.class.name()
    }

    /// The first `count` rays.
    #[must_use]
    pub fn items(&self, count: usize) -> Vec<Ray> {
        let [low, high] = self.class.region();
        let point = |item, first| {
            let share = DVec3::from_array([0u32, 1, 2].map(|axis| uniform(SEED, item, first + axis)));
            low + share * (high - low)
        };
        numbered(count, |item| Ray::segment(point(item, 0), point(item, 3)))
    }
}

/// Rays in columns, from the top of a scene's region: they start in the open, as those of cameras and sensors do.
#[derive(Clone, Debug)]
pub struct RaysInColumns(pub Rays);

impl RaysInColumns {
    /// The first `count` rays.
    #[must_use]
    pub fn items(&self, count: usize) -> Vec<Ray> {
        let [_, high] = self.0.class.region();
        let from_the_top = |ray: &Ray| Ray { x1: ray.x1.with_z(high.z), ..*ray };
        self.0.items(count).iter().map(from_the_top).collect()
    }
}

/// Pairs of ellipsoids with semi-axes of up to 5 to 1, some of which overlap.
#[derive(Clone, Copy, Debug)]
pub struct Pairs;

impl Pairs {
    /// Longest semi-axis over the shortest, at most.
    const ASPECT: f64 = 5.0;

    /// The first `count` pairs.
    #[must_use]
    pub fn items(&self, count: usize) -> Vec<EllipsoidPair> {
        let body = |item, first: u32| {
            let share = |variable| uniform(SEED, item, first + variable);
            let three = |first| DVec3::new(share(first), share(first + 1), share(first + 2));
            // Evenly over all rotations (Shoemake 1992).
            let [u, v, w] = three(0).to_array();
            let (a, b) = ((1.0 - u).sqrt(), u.sqrt());
            let (v, w) = (TAU * v, TAU * w);
            Ellipsoid {
                center: 2.0 * three(3),
                semi_axes: three(6).map(|exponent| Self::ASPECT.powf(-exponent)),
                rotation: DQuat::from_xyzw(a * v.sin(), a * v.cos(), b * w.sin(), b * w.cos()),
            }
        };
        numbered(count, |item| EllipsoidPair::new(body(item, 0), body(item, 9)))
    }
}

/// Points passing a regular polygon that translates and rotates.
#[derive(Clone, Copy, Debug)]
pub struct Collisions {
    /// What the target is.
    pub name: &'static str,
    /// Surfaces of the target.
    pub surfaces: usize,
}

impl Collisions {
    /// With a typical polygon.
    pub const OCTAGON: Self = Self { name: "octagon", surfaces: 8 };
    /// With the maximum number of surfaces.
    pub const LARGEST: Self = Self { name: "32 surfaces", surfaces: MAX_TARGET_SURFACES };

    /// The target at the reference time and at the current one.
    ///
    /// # Errors
    /// Never: its vertices are clockwise on a circle.
    pub fn targets(&self) -> Result<[ConvexTarget; 2], TargetError> {
        let polygon = |center: DVec2, turn: f64| {
            let angle = |vertex: usize| turn - TAU * vertex as f64 / self.surfaces as f64;
            ConvexTarget::new((0..self.surfaces).map(|vertex| center + DVec2::from_angle(angle(vertex))).collect())
        };
        Ok([polygon(DVec2::ZERO, 0.0)?, polygon(DVec2::new(0.1, 0.0), 0.1)?])
    }

    /// The first `count` initiators: a third of them inside.
    #[must_use]
    pub fn items(&self, count: usize) -> Vec<InitiatorMotion> {
        let motion = |item| {
            let place = |first| DVec2::new(uniform(SEED, item, first), uniform(SEED, item, first + 1)) * 3.0 - 1.5;
            // As if it had been beyond the first two surfaces before.
            let penetration = (u32::MAX >> (MAX_TARGET_SURFACES - self.surfaces)) & !0b11;
            let before = OrientedConfiguration { penetration, ..Default::default() };
            InitiatorMotion { target: 0, from: place(0), to: place(2), reference: Some(before) }
        };
        numbered(count, motion)
    }
}

/// Linear complementarity problems of eight unknowns with a symmetric and positive definite matrix.
#[derive(Clone, Copy, Debug)]
pub struct Problems;

impl Problems {
    /// Unknowns of each.
    pub const UNKNOWNS: usize = MAX_LCP_UNKNOWNS;

    /// The first `count` problems: G G^T + I and q, with entries uniform between -1 and 1.
    #[must_use]
    pub fn items(&self, count: usize) -> Vec<LcpItem> {
        const N: usize = Problems::UNKNOWNS;
        let problem = |item| {
            let entry = |variable: usize| 2.0 * uniform(SEED, item, variable as u32) - 1.0;
            let factor: [[f64; N]; N] =
                std::array::from_fn(|row| std::array::from_fn(|column| entry(row * N + column)));
            let product = |row: usize, column: usize| -> f64 {
                factor[row].iter().zip(&factor[column]).map(|(a, b)| a * b).sum::<f64>() + f64::from(row == column)
            };
            let matrix = std::array::from_fn(|row| std::array::from_fn(|column| product(row, column)));
            LcpItem { unknowns: N, matrix, vector: std::array::from_fn(|row| entry(N * N + row)) }
        };
        numbered(count, problem)
    }
}

/// Vehicles of the report's dimensions that meet as boxes, in any direction.
#[derive(Clone, Copy, Debug)]
pub struct Meetings;

impl Meetings {
    /// The first `count` encounters: some four in five end with a contact.
    #[must_use]
    pub fn items(&self, count: usize) -> Vec<Encounter> {
        let encounter = |item| {
            let between = |variable, low: f64, high: f64| low + (high - low) * uniform(SEED, item, variable);
            let (heading, aside) = (between(0, -0.5, 0.5), between(1, -3.0, 3.0));
            let numbers = [
                0.0,
                0.0,
                0.0,
                between(2, 25.0, 35.0),
                between(3, 8.0, 15.0),
                aside,
                heading,
                between(4, 5.0, 20.0),
                5.0,
                3.0,
                2.9,
                0.3,
                1573.0,
                2782.0,
                between(5, 0.0, 1.0),
                between(6, 0.0, 0.8),
            ];
            Encounter::of_numbers(numbers, ContactModel::Box)
        };
        numbered(count, encounter)
    }
}

/// Wheels of the light airplane that roll along the runway without brakes.
#[derive(Clone, Debug)]
pub struct Wheels {
    /// The scene.
    pub scene: Scene,
    /// A main wheel.
    pub parameters: WheelParameters,
}

impl Wheels {
    /// Wheels on the runway.
    ///
    /// # Errors
    /// When the scene cannot be made.
    pub fn new() -> Result<Self, SceneError> {
        let main = light_airplane().wheels[1].parameters;
        Ok(Self { scene: SceneClass::Runway.scene(SEED, VARIANT)?, parameters: main })
    }

    /// The frames of the first `count` wheels, a fixed number of each.
    #[must_use]
    pub fn items(&self, count: usize) -> Vec<Vec<WheelFrame>> {
        // Half a turn about x: Z down.
        let orientation = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
        let velocity = ROLLING_SPEED * DVec3::X;
        numbered(count, |wheel| {
            // Clear of the lights beside the pavement, and with room ahead.
            let (x, y) = (2900.0 * uniform(SEED, wheel, 0), 40.0 * (uniform(SEED, wheel, 1) - 0.5));
            let start = DVec3::new(x, y, self.parameters.z_max - COMPRESSION);
            let frame = |index| WheelFrame {
                origin: start + STEP * f64::from(index) * velocity,
                orientation,
                velocity,
                brake: 0.0,
                brake_friction: 0.0,
            };
            (0..FRAMES as u32).map(frame).collect()
        })
    }
}

/// Landings of the light airplane on the runway.
#[derive(Clone, Debug)]
pub struct Landings {
    /// Vehicle and scene.
    pub job: LandingJob,
}

impl Landings {
    /// Landings on the runway.
    ///
    /// # Errors
    /// When the scene cannot be made.
    pub fn new() -> Result<Self, SceneError> {
        let scene = SceneClass::Runway.scene(SEED, VARIANT)?;
        Ok(Self {
            job: LandingJob {
                vehicle: light_airplane(),
                scene,
                weather: Weather::default(),
                gravity: 9.80665,
                step: STEP,
                time_limit: 120.0,
            },
        })
    }

    /// The first `count` landings: each with its own weight, speed, attitude, wind and braking.
    #[must_use]
    pub fn items(&self, count: usize) -> Vec<LandingInputs> {
        let degree = TAU / 360.0;
        let ranges = [
            (Input::Mass, 850.0, 1043.0),
            (Input::Airspeed, 25.0, 30.0),
            (Input::SinkRate, 0.2, 1.2),
            (Input::LateralOffset, -2.0, 2.0),
            (Input::Pitch, 4.5 * degree, 7.5 * degree),
            (Input::Bank, -2.0 * degree, 2.0 * degree),
            (Input::Crosswind, -3.0, 3.0),
            (Input::BrakeLevel, 0.2, 0.5),
        ];
        let nominal = LandingInputs::nominal(&self.job.vehicle);
        let varied = |item| {
            let mut inputs = nominal;
            for (input, low, high) in ranges {
                inputs.set(input, low + (high - low) * uniform(SEED, item, input as u32));
            }
            inputs
        };
        (0..count as u64).map(varied).collect()
    }
}
