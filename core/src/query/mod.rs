//! Items and answers of every job, in f64: the types shared by all engines.
//!
//! # Conventions
//! SI units and radians. World: right-handed, z up; on a runway x points along the landing direction from the landing
//! threshold and y to the left. Body and wheel frames: X forward, Y right, Z down. Quaternions turn body or wheel
//! coordinates into world coordinates. Forces act on the airframe and are given in world coordinates.

mod air_load;
mod box_normal;
mod deck_landing;
mod driven_encounter;
mod ellipsoid;
mod encounter;
mod entry_point;
pub mod ground_reactions;
mod inside;
mod landing;
mod lcp;
mod oriented;
mod particle;
mod strut;
mod tyre;
mod wheel;
mod world;

use crate::job::Computes;
pub use air_load::{AirLoad, AirLoadStatus, AirLoads};
pub use box_normal::SAME_NORMALS_EPSILONS;
pub use box_normal::{
    BoxCase, BoxNormal, BoxNormals, BoxPair, BoxPairNormal, BoxPairs, BoxPoint, BoxRegion, BoxStatus, RoundedBox,
    SIDES_OVER_SEMI_AXES,
};
pub use deck_landing::{DeckLandings, DeckSteps};
pub use driven_encounter::{
    Chassis, DrivenAnswer, DrivenEncounter, DrivenEncounters, DrivenImpact, DrivenState, DrivenStep, DrivenStepAnswer,
    DrivenSteps, MAX_DRIVEN_STEPS, StepContacts,
};
pub use ellipsoid::{
    ContactStatus, Ellipsoid, EllipsoidContact, EllipsoidPair, EllipsoidPairs, EllipsoidWall, EllipsoidWalls,
    MAX_ASPECT, SignedDistance, WallContact,
};
pub use encounter::{
    ContactModel, Driven, ENCOUNTER_FIELDS, Encounter, EncounterAnswer, EncounterFault, EncounterStatus, Encounters,
    MAX_VEHICLE_ASPECT, MIN_RELATIVE_SPEED, MetParts, PlanarMotion,
};
pub use entry_point::{EntryPoint, EntryPoints, Ray, RayStatus};
pub use ground_reactions::OWN_FRICTION_GROUND;
pub use landing::{
    Acceleration, Controls, Gusts, Input, LandingClass, LandingEvent, LandingInputs, LandingJob, LandingOutcome,
    LandingPart, LandingState, LandingStep, Motion, Observer, PilotState, Quantity, Stop, Touchdown, Weather,
    WheelOutcome, WindTable, quantities, rules, stands_on,
};
pub use landing::{WheelWatch, orientation};
pub use lcp::{LCP_CORRECTIONS, LCP_LARGEST, LCP_SOLVED, LCP_ZERO};
pub use lcp::{LcpAnswer, LcpItem, LcpItems, LcpStatus, MAX_LCP_PIVOTS, MAX_LCP_UNKNOWNS};
pub use oriented::{
    ConvexPolyhedron, ConvexTarget, FLATNESS, InitiatorMotion, MAX_PLANAR_COORDINATE, MAX_TARGET_SURFACES,
    MIN_SURFACE_LENGTH, Oriented, OrientedAnswer, OrientedConfiguration, OrientedStatus, OrientedTarget,
    PolyhedronError, Standing, TargetError, TargetMotions, TargetSurface, is_coordinate,
};
pub use particle::ParticleRecord;
pub use particle::{
    MAX_PARTICLE_NUMBER, MAX_PARTICLE_STEPS, MIN_GAMMA, MIN_PARTICLE_STEP, Particle, ParticleClass, ParticleOutcome,
    ParticleStep, ParticleTraces, Particles, Restitution,
};
pub use strut::MAX_STRUT_LINES;
pub use strut::{MAX_STRUT_ROWS, Strut, StrutError, StrutLine};
pub use tyre::{DISPLACEMENT_DRAG_COEFFICIENT, Tyre};
pub use wheel::{ClipCase, Damper, WheelContact, WheelFrame, WheelParameters, WheelState, WheelStep, Wheels};
pub use world::{WorldSteps, Worlds};

/// Declares the list of jobs: the trait of an engine that computes them all.
macro_rules! every_job {
    ($($job:ident),+ $(,)?) => {
        /// An engine that computes every item job of this crate.
        pub trait EveryJob: $(Computes<$job> +)+ {}

        impl<E: $(Computes<$job> +)+> EveryJob for E {}
    };
}

every_job! {
    EntryPoints,
    Wheels,
    EllipsoidPairs,
    EllipsoidWalls,
    BoxNormals,
    BoxPairs,
    Particles,
    ParticleTraces,
    Oriented,
    LcpItems,
    Worlds,
    Encounters,
    DrivenEncounters,
    DrivenSteps,
    DeckLandings,
    AirLoads,
    DeckSteps,
    WorldSteps,
}

/// Minimum length of a quaternion that defines a rotation.
pub const MIN_ROTATION: f64 = 1e-6;
