//! The work of an item on a kernel, counted by tracing in f64.

use super::cases::{Collisions, Landings, Meetings, Pairs, Problems, Rays, Wheels};
use super::operations::Operations;
use crate::ellipsoid_contact::pair_contact;
use crate::encounter::{Frame, search};
use crate::engine::EngineError;
use crate::job::Compute;
use crate::program::walk::{Visits, Walk, Walker};
use crate::query::{Encounter, EntryPoint, LcpItems, Ray, WheelFrame, WheelParameters};
use crate::reference::Reference;
use crate::scene::Scene;

/// Items that averages are taken over.
const SAMPLE: usize = 4096;

/// The work of a sample of items.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Work {
    /// Items of the sample.
    pub items: u64,
    /// What all of their rays and materials looked at.
    pub visits: Visits,
    /// All of their operations.
    pub operations: Operations,
}

impl Rays {
    pub(super) fn work(&self) -> Result<Work, EngineError> {
        let walk = Walk::compile(&self.scene);
        let walker = Walker::new(&walk, &self.scene);
        let visits = self.items(SAMPLE).iter().map(|ray| walker.visits_of_ray(ray)).sum();
        let items = SAMPLE as u64;
        Ok(Work { items, visits, operations: Operations::of_rays(items, &visits)? })
    }
}

impl Pairs {
    pub(super) fn work(&self) -> Result<Work, EngineError> {
        let rounds = self.items(SAMPLE).iter().map(|pair| u64::from(pair_contact(pair).iterations)).sum();
        let items = SAMPLE as u64;
        Ok(Work { items, visits: Visits::default(), operations: Operations::of_pairs(items, rounds)? })
    }
}

impl Collisions {
    pub(super) fn work(&self) -> Result<Work, EngineError> {
        let operations = Operations::of_initiator(self.surfaces)?;
        Ok(Work { items: 1, visits: Visits::default(), operations })
    }
}

impl Problems {
    pub(super) fn work(&self) -> Result<Work, EngineError> {
        let answers = Reference::new(0)?.compute::<LcpItems>((), &self.items(SAMPLE))?;
        let pivots = answers.iter().map(|answer| u64::from(answer.pivots)).sum();
        let items = SAMPLE as u64;
        let operations = Operations::of_problems(items, Self::UNKNOWNS, pivots)?;
        Ok(Work { items, visits: Visits::default(), operations })
    }
}

impl Meetings {
    pub(super) fn work(&self) -> Result<Work, EngineError> {
        let rounds = |encounter: &Encounter| {
            let (_, meeting) = Frame::new(encounter);
            search(&meeting.vehicles, meeting.offset, f64::from(f32::EPSILON)).rounds as u64
        };
        let items = SAMPLE as u64;
        let operations = Operations::of_encounters(items, self.items(SAMPLE).iter().map(rounds).sum())?;
        Ok(Work { items, visits: Visits::default(), operations })
    }
}

impl Wheels {
    /// Of a step.
    pub(super) fn work(&self) -> Result<Work, EngineError> {
        let runs = self.items(SAMPLE / super::cases::FRAMES);
        let frames: Vec<WheelFrame> = runs.into_iter().flatten().collect();
        let work = contacts(&self.scene, &self.parameters, &frames)?;
        let own = Operations::of_wheel_step()? * work.items;
        Ok(Work { operations: work.operations + own, ..work })
    }
}

impl Landings {
    /// Of a step, all wheels rolling calmly somewhere along the runway.
    pub(super) fn work(&self) -> Result<Work, EngineError> {
        let rolling = Wheels { scene: self.job.scene.clone(), parameters: self.job.vehicle.wheels[0].parameters };
        let vehicle = &self.job.vehicle;
        let (wheels, points) = (vehicle.wheels.len(), vehicle.structure.len());
        let substeps = vehicle.gear_substeps(self.job.step).calm;
        let frames: Vec<WheelFrame> = rolling.items(SAMPLE / super::cases::FRAMES).into_iter().flatten().collect();
        let work = contacts(&rolling.scene, &rolling.parameters, &frames)?;
        // Each wheel of a step is one of the sample.
        let steps = work.items / wheels as u64;
        let own = Operations::of_landing_step(wheels, points, substeps)? * steps;
        Ok(Work { items: steps, operations: work.operations + own, ..work })
    }
}

/// The rays and materials of wheels, in frames of their own.
fn contacts(scene: &Scene, parameters: &WheelParameters, frames: &[WheelFrame]) -> Result<Work, EngineError> {
    let walk = Walk::compile(scene);
    let walker = Walker::new(&walk, scene);
    let looks = frames.iter().map(|frame| {
        let at = |z| frame.origin + frame.orientation * (z * glam::DVec3::Z);
        let ray = Ray::segment(at(parameters.z_min), at(parameters.z_max));
        let material = match walker.entry_point(&ray) {
            EntryPoint { leaf: Some(leaf), lambda, .. } => walker.visits_of_material(leaf, ray.at(lambda)),
            EntryPoint { leaf: None, .. } => Visits::default(),
        };
        [walker.visits_of_ray(&ray), material]
    });
    let [rays, materials] = looks.fold([Visits::default(); 2], |[a, b], [c, d]| [a + c, b + d]);
    let items = frames.len() as u64;
    let operations = Operations::of_rays(items, &rays)?
        + Operations::of_points(&materials)?
        + Operations::of_frames(&(rays + materials))?;
    Ok(Work { items, visits: rays + materials, operations })
}
