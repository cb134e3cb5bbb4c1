//! What engines are asked: an item is its place in a row of random numbers, enough to compute it again anywhere.

use std::fmt;

use super::{BoxClass, EllipsoidClass, ParticleClass, SceneClass};
use crate::query::Ray;

/// The jobs that engines are judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// Where rays first meet a scene.
    Rays,
    /// Steps of wheels that are led over a scene.
    Wheels,
    /// Single steps from the middle of landings.
    Steps,
    /// Normals of rounded boxes.
    BoxNormals,
    /// Contacts of ellipsoids.
    Ellipsoids,
    /// Particles above a plane.
    Particles,
    /// Whole landings.
    Landings,
}

impl Job {
    /// All jobs.
    pub const ALL: [Self; 7] =
        [Self::Rays, Self::Wheels, Self::Steps, Self::BoxNormals, Self::Ellipsoids, Self::Particles, Self::Landings];

    /// Name for reports and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rays => "rays",
            Self::Wheels => "wheels",
            Self::Steps => "steps",
            Self::BoxNormals => "box-normals",
            Self::Ellipsoids => "ellipsoids",
            Self::Particles => "particles",
            Self::Landings => "landings",
        }
    }
}

/// An item of any job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Item {
    /// A ray in a scene.
    Ray(RayItem),
    /// A step of a wheel.
    Wheel(WheelItem),
    /// A step of a landing.
    Step(StepItem),
    /// A rounded box, or two.
    Box(BoxItem),
    /// Two ellipsoids, or one and a wall.
    Ellipsoid(EllipsoidItem),
    /// A particle above a plane.
    Particle(ParticleItem),
    /// A whole landing.
    Landing(LandingItem),
}

/// An item of the job `rays`: a ray in a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayItem {
    /// Class of the scene.
    pub class: SceneClass,
    /// The seed of scene and item.
    pub seed: u64,
    /// The item's number; it also tells the variant of the scene.
    pub number: u64,
    /// Made to touch a border, where rounding alone decides.
    pub made_to_touch: bool,
    /// The ray.
    pub ray: Ray,
}

/// An item of the job `wheels`: a step of a wheel that is led over a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WheelItem {
    /// Class of the scene.
    pub class: SceneClass,
    /// The seed of scene, springs and frames.
    pub seed: u64,
    /// The wheel's number; it also tells the variant of the scene, and the springs.
    pub wheel: u64,
    /// Its step, counted from 0.
    pub step: u64,
}

/// An item of the job `steps`: a step from a state of a landing as the judge flies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepItem {
    /// The study, one of [`study_names`](super::study_names).
    pub study: &'static str,
    /// The landing's number in it.
    pub landing: u64,
    /// Steps done before this one.
    pub step: u64,
}

/// An item of the job `box-normals`: a box with a contact vector, or a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxItem {
    /// What kind of boxes.
    pub class: BoxClass,
    /// The seed that it is drawn from.
    pub seed: u64,
    /// The item's number.
    pub number: u64,
}

/// An item of the job `ellipsoids`: a pair, or an ellipsoid and a wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EllipsoidItem {
    /// What kind of question.
    pub class: EllipsoidClass,
    /// The seed that it is drawn from.
    pub seed: u64,
    /// The item's number.
    pub number: u64,
}

/// An item of the job `particles`: a particle above a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParticleItem {
    /// What kind of particle.
    pub class: ParticleClass,
    /// The seed that it is drawn from.
    pub seed: u64,
    /// The item's number.
    pub number: u64,
}

/// An item of the job `landings`: a landing of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LandingItem {
    /// The study, one of [`study_names`](super::study_names).
    pub study: &'static str,
    /// The landing's number in it.
    pub landing: u64,
}

impl RayItem {
    /// Which scene of its class the item is about.
    #[must_use]
    pub fn variant(&self) -> u64 {
        self.number / self.class.items_per_scene()
    }
}

impl Item {
    /// Its job.
    #[must_use]
    pub fn job(&self) -> Job {
        match self {
            Self::Ray(_) => Job::Rays,
            Self::Wheel(_) => Job::Wheels,
            Self::Step(_) => Job::Steps,
            Self::Box(_) => Job::BoxNormals,
            Self::Ellipsoid(_) => Job::Ellipsoids,
            Self::Particle(_) => Job::Particles,
            Self::Landing(_) => Job::Landings,
        }
    }

    /// Which it is in its class of scenes or its study.
    #[must_use]
    pub fn place(&self) -> String {
        match self {
            Self::Ray(RayItem { number, .. }) => format!("ray {number}"),
            Self::Wheel(WheelItem { wheel, step, .. }) => format!("wheel {wheel}, step {step}"),
            Self::Step(StepItem { landing, step, .. }) => format!("landing {landing}, step {step}"),
            Self::Box(BoxItem { number, .. }) => format!("box {number}"),
            Self::Ellipsoid(EllipsoidItem { number, .. }) => format!("pair {number}"),
            Self::Particle(ParticleItem { number, .. }) => format!("particle {number}"),
            Self::Landing(LandingItem { landing, .. }) => format!("landing {landing}"),
        }
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (job, place) = (self.job().name(), self.place());
        match self {
            Self::Ray(RayItem { class, seed, .. }) | Self::Wheel(WheelItem { class, seed, .. }) => {
                write!(f, "{job}, {}, seed {seed}, {place}", class.name())
            }
            Self::Box(BoxItem { class, seed, .. }) => write!(f, "{job}, {}, seed {seed}, {place}", class.name()),
            Self::Ellipsoid(EllipsoidItem { class, seed, .. }) => {
                write!(f, "{job}, {}, seed {seed}, {place}", class.name())
            }
            Self::Particle(ParticleItem { class, seed, .. }) => {
                write!(f, "{job}, {}, seed {seed}, {place}", class.name())
            }
            Self::Step(StepItem { study, .. }) | Self::Landing(LandingItem { study, .. }) => {
                write!(f, "{job}, {study}, {place}")
            }
        }
    }
}
