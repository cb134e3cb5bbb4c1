//! Measuring one case after another.

use std::hint::black_box;
use std::time::Duration;

use super::calls::{Calls, clocked, repeat};
use super::cases::{Collisions, FRAMES, Landings, Meetings, Pairs, Problems, Rays, RaysInColumns, Wheels};
use super::report::{Figures, Limit, StageFigures, StepFigures, WorkFigures};
use super::work::Work;
use crate::columns::{EntryPointColumns, RayTable};
use crate::engine::{Engine, EngineError};
use crate::gpu::{Gpu, Rates, SearchForm, Stages};
use crate::job::Compute;
use crate::query::{self, EllipsoidPairs, Encounters, EntryPoints, LcpItems, Oriented, TargetMotions};

/// Rays, or pairs, of the smallest and of the largest call: from some that take no time to several chunks.
const ITEMS: (usize, usize) = (1 << 14, 1 << 22);
/// Initiators likewise: the answers of larger calls are new pages of memory each time, which take longer than what is measured.
const INITIATORS: (usize, usize) = (1 << 14, 1 << 19);
/// Wheels likewise.
const WHEELS: (usize, usize) = (1 << 8, 1 << 16);

/// What to measure on, and for how long.
#[derive(Clone, Copy)]
pub struct Measurement<'a> {
    /// The engine.
    pub engine: &'a dyn Engine,
    /// The same engine if it is a GPU, and its rates.
    pub gpu: Option<(&'a Gpu, &'a Rates)>,
    /// Minimum time for each figure.
    pub time: Duration,
}

/// What is measured, in words.
struct Subject {
    job: &'static str,
    item: &'static str,
    /// What the work is counted for.
    of_one: &'static str,
    scene: &'static str,
}

impl Measurement<'_> {
    /// Rays in a scene.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn rays(&self, rays: &Rays) -> Result<Figures, EngineError> {
        let calls = repeat(
            self.time,
            ITEMS,
            |count| rays.items(count),
            |items| {
                clocked(|| {
                    self.engine.compute::<EntryPoints>(&rays.scene, items).map(|entries| drop(black_box(entries)))
                })
            },
        )?;
        let subject = Subject { job: "rays", item: "ray", of_one: "ray", scene: rays.name() };
        self.figures(&subject, &calls, &rays.work()?, |gpu, items| {
            gpu.measure_entry_points(&rays.scene, &rays.items(items), self.time / 4)
        })
    }

    /// Rays in columns.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn rays_in_columns(&self, rays: &RaysInColumns) -> Result<Figures, EngineError> {
        let RaysInColumns(Rays { scene, .. }) = rays;
        let mut answers = EntryPointColumns::default();
        let calls = repeat(
            self.time,
            ITEMS,
            |count| RayTable::new(&rays.items(count)),
            |table| clocked(|| self.engine.entry_points_in_columns(scene, &table.columns(), &mut answers)),
        )?;
        let subject = Subject { job: "rays in columns", item: "ray", of_one: "ray", scene: rays.0.name() };
        self.figures(&subject, &calls, &rays.0.work()?, |gpu, items| {
            let table = RayTable::new(&rays.items(items));
            gpu.measure_entry_points_in_columns(scene, &table.columns(), self.time / 4)
        })
    }

    /// Pairs of ellipsoids.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn pairs(&self, pairs: &Pairs) -> Result<Figures, EngineError> {
        let calls = repeat(
            self.time,
            ITEMS,
            |count| pairs.items(count),
            |items| {
                clocked(|| self.engine.compute::<EllipsoidPairs>((), items).map(|contacts| drop(black_box(contacts))))
            },
        )?;
        let subject = Subject { job: "ellipsoids", item: "pair", of_one: "pair", scene: "-" };
        self.figures(&subject, &calls, &pairs.work()?, |gpu, items| {
            gpu.measure_ellipsoid_pairs(&pairs.items(items), self.time / 4)
        })
    }

    /// Points that collide with a target.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn collisions(&self, collisions: &Collisions) -> Result<Figures, EngineError> {
        let [reference, current] = collisions.targets().map_err(|error| EngineError::Device(Box::new(error)))?;
        let (reference, current) = ([reference], [current]);
        let targets = TargetMotions { reference: &reference, current: &current };
        let calls = repeat(
            self.time,
            INITIATORS,
            |count| collisions.items(count),
            |items| clocked(|| self.engine.compute::<Oriented>(targets, items).map(|answers| drop(black_box(answers)))),
        )?;
        let subject = Subject { job: "oriented", item: "initiator", of_one: "initiator", scene: collisions.name };
        self.figures(&subject, &calls, &collisions.work()?, |gpu, items| {
            gpu.measure_oriented(targets, &collisions.items(items), self.time / 4)
        })
    }

    /// Linear complementarity problems.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn problems(&self, problems: &Problems) -> Result<Figures, EngineError> {
        let calls = repeat(
            self.time,
            ITEMS,
            |count| problems.items(count),
            |items| clocked(|| self.engine.compute::<LcpItems>((), items).map(|answers| drop(black_box(answers)))),
        )?;
        let subject = Subject { job: "lcp", item: "problem", of_one: "problem", scene: "-" };
        self.figures(&subject, &calls, &problems.work()?, |gpu, items| {
            gpu.measure_lcp(&problems.items(items), self.time / 4)
        })
    }

    /// Encounters of vehicles.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn meetings(&self, meetings: &Meetings) -> Result<Figures, EngineError> {
        let calls = repeat(
            self.time,
            ITEMS,
            |count| meetings.items(count),
            |items| clocked(|| self.engine.compute::<Encounters>((), items).map(|answers| drop(black_box(answers)))),
        )?;
        let subject = Subject { job: "encounters", item: "encounter", of_one: "encounter", scene: "-" };
        self.figures(&subject, &calls, &meetings.work()?, |gpu, items| {
            gpu.measure_encounters(&meetings.items(items), self.time / 4)
        })
    }

    /// Steps of wheels.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn wheels(&self, wheels: &Wheels) -> Result<Figures, EngineError> {
        let Wheels { scene, parameters } = wheels;
        let calls = repeat(
            self.time,
            WHEELS,
            |count| wheels.items(count),
            |runs| {
                clocked(|| {
                    self.engine.compute::<query::Wheels>((scene, parameters), runs).map(|steps| drop(black_box(steps)))
                })
            },
        )?;
        let steps = Calls { items: calls.items * FRAMES, ..calls };
        let subject = Subject { job: "wheels", item: "wheel step", of_one: "wheel step", scene: "runway" };
        self.figures(&subject, &steps, &wheels.work()?, |gpu, items| {
            gpu.measure_wheels(scene, parameters, &wheels.items(items / FRAMES), self.time / 4)
        })
    }

    /// Whole landings: batches, of which studies make none on a device.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn landings(&self, landings: &Landings) -> Result<Figures, EngineError> {
        let (mut steps, mut contact_steps) = (0, 0);
        let (least, most) = self.engine.landing_batch().into_inner();
        let calls = repeat(
            self.time,
            (least, most),
            |count| landings.items(count),
            |inputs| {
                clocked(|| {
                    let outcomes = self.engine.landings(&landings.job, inputs)?;
                    steps = outcomes.iter().map(|outcome| outcome.steps).sum();
                    contact_steps = outcomes.iter().map(|outcome| outcome.contact_steps).sum();
                    Ok::<(), EngineError>(())
                })
            },
        )?;
        let of_each = |count: u64| count as f64 / calls.items as f64;
        let (steps_per_item, contact_steps_per_item) = (of_each(steps), of_each(contact_steps));
        let subject = Subject { job: "landings", item: "landing", of_one: "vehicle step", scene: "runway" };
        let figures = self.figures(&subject, &calls, &landings.work()?, |gpu, items| {
            gpu.measure_landings(&landings.job, &landings.items(items), self.time / 4)
        })?;
        let rate = figures.items_per_second;
        Ok(Figures {
            steps: Some(StepFigures {
                steps_per_item,
                contact_steps_per_item,
                vehicle_steps_per_second: rate * steps_per_item,
                contact_steps_per_second: rate * contact_steps_per_item,
            }),
            ..figures
        })
    }

    fn figures(
        &self,
        subject: &Subject,
        calls: &Calls,
        work: &Work,
        stages: impl FnOnce(&Gpu, usize) -> Result<Stages, EngineError>,
    ) -> Result<Figures, EngineError> {
        let work = WorkFigures::new(subject.of_one, work);
        let (stages, limit) = match self.gpu {
            None => (None, None),
            Some((gpu, rates)) => {
                let measured = stages(gpu, calls.items)?;
                let stages = StageFigures::from(&measured);
                // The work is counted on walks.
                let counted = measured.search != Some(SearchForm::Words);
                (Some(stages), counted.then(|| Limit::new(rates, &stages, work.operations)))
            }
        };
        Ok(Figures {
            job: subject.job,
            item: subject.item,
            scene: subject.scene,
            engine: self.engine.identity().engine,
            items_per_call: calls.items as u64,
            calls: calls.calls,
            seconds: calls.total.as_secs_f64(),
            items_per_second: calls.rate(),
            steps: None,
            work,
            stages,
            limit,
        })
    }
}
