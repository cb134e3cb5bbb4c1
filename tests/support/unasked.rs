//! Methods of an engine that a test never asks for.
#![allow(unused_macros, reason = "each test file uses its own part")]

/// Those of the named jobs: `unasked!(rays, wheels, landings)` inside of `impl Engine`.
macro_rules! unasked {
    ($($job:ident),+) => { $(unasked!(@ $job);)+ };
    (@ rays) => {
        fn entry_points(
            &self,
            _: &touchdown::scene::Scene,
            _: &[touchdown::query::Ray],
        ) -> Result<Vec<touchdown::query::EntryPoint>, touchdown::engine::EngineError> {
            unreachable!()
        }
    };
    (@ ellipsoids) => {
        fn ellipsoid_pairs(
            &self,
            _: &[touchdown::query::EllipsoidPair],
        ) -> Result<Vec<touchdown::query::EllipsoidContact>, touchdown::engine::EngineError> {
            unreachable!()
        }

        fn ellipsoid_walls(
            &self,
            _: &[touchdown::query::EllipsoidWall],
        ) -> Result<Vec<touchdown::query::WallContact>, touchdown::engine::EngineError> {
            unreachable!()
        }
    };
    (@ boxes) => {
        fn box_normals(
            &self,
            _: &[touchdown::query::BoxPoint],
        ) -> Result<Vec<touchdown::query::BoxNormal>, touchdown::engine::EngineError> {
            unreachable!()
        }

        fn box_pairs(
            &self,
            _: &[touchdown::query::BoxPair],
        ) -> Result<Vec<touchdown::query::BoxPairNormal>, touchdown::engine::EngineError> {
            unreachable!()
        }
    };
    (@ particles) => {
        fn particles(
            &self,
            _: touchdown::query::Restitution,
            _: &[touchdown::query::Particle],
        ) -> Result<Vec<touchdown::query::ParticleOutcome>, touchdown::engine::EngineError> {
            unreachable!()
        }

        fn trace_particles(
            &self,
            _: touchdown::query::Restitution,
            _: &[touchdown::query::Particle],
        ) -> Result<Vec<Vec<touchdown::query::ParticleStep>>, touchdown::engine::EngineError> {
            unreachable!()
        }
    };
    (@ wheels) => {
        fn wheels(
            &self,
            _: &touchdown::scene::Scene,
            _: &touchdown::query::WheelParameters,
            _: &[Vec<touchdown::query::WheelFrame>],
        ) -> Result<Vec<Vec<touchdown::query::WheelStep>>, touchdown::engine::EngineError> {
            unreachable!()
        }
    };
    (@ landings) => {
        fn landing_batch(&self) -> usize {
            1
        }

        fn landings(
            &self,
            _: &touchdown::query::LandingJob,
            _: &[touchdown::query::LandingInputs],
        ) -> Result<Vec<touchdown::query::LandingOutcome>, touchdown::engine::EngineError> {
            unreachable!()
        }

        fn step_landings(
            &self,
            _: &touchdown::query::LandingJob,
            _: &[(touchdown::query::LandingInputs, touchdown::query::LandingState)],
        ) -> Result<Vec<touchdown::query::LandingState>, touchdown::engine::EngineError> {
            unreachable!()
        }

        fn trace_landing(
            &self,
            _: &touchdown::query::LandingJob,
            _: &touchdown::query::LandingInputs,
            _: &mut dyn touchdown::query::Observer,
        ) -> Result<touchdown::query::LandingOutcome, touchdown::engine::EngineError> {
            unreachable!()
        }
    };
}

pub(crate) use unasked;
