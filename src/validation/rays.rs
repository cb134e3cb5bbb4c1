//! Rays for validation: long and short ones, and critical ones.
//!
//! Most kinds start at a surface of the scene. To find one, each of their items first traces a long ray with the judge;
//! if that hits nothing the long ray itself is the item.
//!
//! # Conventions
//! As in [`crate::query::Ray`].

mod check;

use std::ops::Range;

use glam::DVec3;

pub(super) use self::check::Rays;
use super::draws::{Draws, Purpose};
use super::{Agreement, Agreements, EntryPointJudge, Judgement, SceneClass, UNEQUAL, ValidationError, equal};
use crate::engine::{Engine, EngineError};
use crate::job::Compute;
use crate::parallel;
use crate::query::{EntryPoint, EntryPoints, Ray, RayStatus};
use crate::scene::Scene;

/// Items per call of an engine: enough to keep a device busy.
const BATCH: u64 = 1 << 16;
/// Items that one thread judges at a time.
const ITEMS_PER_TASK: usize = 1024;
/// Length of rays such as wheels send \[m\].
const WHEEL_REACH: f64 = 0.3;

/// An item of the check `rays`: a ray in a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayItem {
    /// Class of the scene.
    pub class: SceneClass,
    /// The seed of scene and item.
    pub seed: u64,
    /// The item's number; it also tells the variant of the scene.
    pub number: u64,
    /// Constructed to touch a surface, where rounding alone decides.
    pub made_to_touch: bool,
    /// The ray.
    pub ray: Ray,
}

impl RayItem {
    /// Which scene of its class the item is about.
    #[must_use]
    pub fn variant(&self) -> u64 {
        self.number / self.class.items_per_scene()
    }
}

/// A ray, both answers to it, and the verdict.
#[derive(Clone, Debug)]
pub struct RayFinding {
    /// What the item asks.
    pub item: RayItem,
    /// The judge's answer.
    pub truth: EntryPoint,
    /// The candidate's.
    pub answer: EntryPoint,
    /// The verdict.
    pub judgement: Judgement,
}

/// Judges a candidate's answers to the first rays of a seed in a class of scenes; `advanced` receives the counts so
/// far.
///
/// # Errors
/// If an engine fails.
pub fn validate_rays(
    judge: &dyn Engine,
    candidate: &dyn Engine,
    (class, seed): (SceneClass, u64),
    items: u64,
    advanced: &mut dyn FnMut(&Agreements),
) -> Result<Agreements, ValidationError> {
    let mut tally = Agreements::default();
    let batch = BATCH.min(class.items_per_scene());
    let mut scene = class.scene(seed, 0)?;
    for first in (0..items).step_by(batch as usize) {
        if first > 0 && first.is_multiple_of(class.items_per_scene()) {
            scene = class.scene(seed, first / class.items_per_scene())?;
        }
        let items = random_items(judge, &scene, (class, seed), first..(first + batch).min(items))?;
        for finding in judge_rays(judge, candidate, &scene, &items)? {
            tally.add(finding.into());
        }
        advanced(&tally);
    }
    Ok(tally)
}

/// Both engines' answers to items of one scene, with verdicts.
///
/// # Errors
/// When an engine fails.
pub fn judge_rays(
    judge: &dyn Engine,
    candidate: &dyn Engine,
    scene: &Scene,
    items: &[RayItem],
) -> Result<Vec<RayFinding>, EngineError> {
    let rays: Vec<Ray> = items.iter().map(|item| item.ray).collect();
    let truths = judge.compute::<EntryPoints>(scene, &rays)?;
    let mut answers = candidate.compute::<EntryPoints>(scene, &rays)?;
    // An answer that is not given is no valid one.
    answers.resize(rays.len(), EntryPoint::none(RayStatus::BadInput));
    let entry_points = EntryPointJudge::new(judge, scene);
    let judgements: Vec<Option<Judgement>> = parallel::map_numbers(items.len(), ITEMS_PER_TASK, |number| {
        entry_points.judge_without_search(&items[number].ray, &truths[number], &answers[number])
    });
    // Searches run on the judge's own threads, few as they are: called from others they would pile up on their stacks.
    items
        .iter()
        .zip(truths.iter().zip(&answers))
        .zip(judgements)
        .map(|((&item, (&truth, &answer)), judgement)| {
            let judgement = match judgement {
                Some(judgement) => judgement,
                None => entry_points.judge(&item.ray, &truth, &answer)?,
            };
            let judgement = if candidate.promises_equality() && !equal(&truth, &answer) {
                Judgement::plain(Agreement::Wrong, UNEQUAL)
            } else {
                judgement
            };
            Ok(RayFinding { item, truth, answer, judgement })
        })
        .collect()
}

/// Kinds of rays.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Anywhere through the scene.
    Long,
    /// The same, searched in a part of the line that may begin and end beyond both points.
    Range,
    /// As short as a wheel's, about a border.
    Short,
    /// From inside.
    FromInside,
    /// Towards a point near a surface.
    Still,
    /// Along a surface, at a distance of 1e-7 to 1e-3 m.
    Graze,
    /// From a surface.
    FromBorder,
    /// To a point of a surface.
    StillOnBorder,
}

impl Kind {
    fn draw(draws: &mut Draws) -> Self {
        match draws.index(32) {
            0..=9 => Self::Long,
            10..=13 => Self::Range,
            14..=21 => Self::Short,
            22..=25 => Self::FromInside,
            26..=27 => Self::Still,
            28..=29 => Self::Graze,
            30 => Self::FromBorder,
            _ => Self::StillOnBorder,
        }
    }

    fn touches(self) -> bool {
        matches!(self, Self::Graze | Self::FromBorder | Self::StillOnBorder)
    }

    fn needs_border(self) -> bool {
        !matches!(self, Self::Long | Self::Range)
    }
}

/// An item that is not complete before its long ray has been answered.
struct Plan {
    number: u64,
    kind: Kind,
    draws: Draws,
    long: Ray,
}

fn random_items(
    judge: &dyn Engine,
    scene: &Scene,
    (class, seed): (SceneClass, u64),
    numbers: Range<u64>,
) -> Result<Vec<RayItem>, EngineError> {
    let region = class.region();
    let plans: Vec<Plan> = numbers
        .map(|number| {
            let mut draws = Draws::new(seed, Purpose::Ray, number);
            let kind = Kind::draw(&mut draws);
            let mut long = Ray::segment(draws.in_box(region), draws.in_box(region));
            if let Some(reach) = class.reach()
                && draws.index(8) == 0
            {
                let way = reach * (long.x2 - long.x1).normalize_or(DVec3::Z);
                long = Ray::segment(long.x1 - way, long.x2 + way);
            }
            Plan { number, kind, draws, long }
        })
        .collect();
    let probes: Vec<Ray> = plans.iter().filter(|plan| plan.kind.needs_border()).map(|plan| plan.long).collect();
    let mut borders = judge.compute::<EntryPoints>(scene, &probes)?.into_iter();
    let items = plans.into_iter().map(|mut plan| {
        let border = if plan.kind.needs_border() { borders.next() } else { None };
        let border = border.filter(|entry| entry.status == RayStatus::Hit && entry.leaf.is_some());
        let (ray, made_to_touch) = match border {
            Some(entry) => {
                (plan.ray_at(plan.long.at(entry.lambda), entry.normal.normalize(), region), plan.kind.touches())
            }
            None => (plan.ray_anywhere(), false),
        };
        RayItem { class, seed, number: plan.number, made_to_touch, ray }
    });
    Ok(items.collect())
}

impl Plan {
    fn ray_anywhere(&mut self) -> Ray {
        if self.kind != Kind::Range {
            return self.long;
        }
        let lambda1 = self.draws.between(-2.0, 2.0);
        Ray { lambda1, lambda2: lambda1 + self.draws.between(0.0, 3.0), ..self.long }
    }

    /// A ray about a point of a border with this unit normal, one in four searched beyond its points.
    fn ray_at(&mut self, point: DVec3, normal: DVec3, region: [DVec3; 2]) -> Ray {
        let ray = self.segment_at(point, normal, region);
        if self.draws.index(4) > 0 {
            return ray;
        }
        let lambda1 = self.draws.between(-1.0, 0.5);
        Ray { lambda1, lambda2: lambda1 + self.draws.between(0.0, 2.0), ..ray }
    }

    fn segment_at(&mut self, point: DVec3, normal: DVec3, region: [DVec3; 2]) -> Ray {
        let draws = &mut self.draws;
        match self.kind {
            Kind::Long | Kind::Range => self.long,
            Kind::Short => {
                let center = point + draws.in_cube(0.5 * WHEEL_REACH);
                let half = 0.5 * WHEEL_REACH * draws.direction();
                Ray::segment(center - half, center + half)
            }
            Kind::FromInside => Ray::segment(point - draws.power_of_ten(-3.0, 0.3) * normal, draws.in_box(region)),
            Kind::Still => {
                let place = point + draws.in_cube(WHEEL_REACH);
                Ray::segment(place, place)
            }
            Kind::Graze => {
                let along = draws.direction_across(normal);
                let tilt = if draws.index(2) == 0 { 0.0 } else { draws.sign() * draws.power_of_ten(-9.0, -3.0) };
                let direction = along + tilt * normal;
                let place = point + draws.sign() * draws.power_of_ten(-7.0, -3.0) * normal;
                let farthest = (region[1] - region[0]).length().log10() - 0.5;
                // Also from the point of touch itself, all but.
                let (back, ahead) = (draws.power_of_ten(-6.0, farthest), draws.power_of_ten(-1.0, farthest));
                Ray::segment(place - back * direction, place + ahead * direction)
            }
            Kind::FromBorder => Ray::segment(point, draws.in_box(region)),
            Kind::StillOnBorder => Ray::segment(point, point),
        }
    }
}
