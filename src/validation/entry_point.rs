//! Job `entry_point`: the answer of one engine to a ray, judged by another.
//!
//! An engine whose rounding displaces surfaces by at most delta ([`BackwardError`]) searches a set between the scene
//! with every leaf eroded by delta, S-, and the scene with every leaf dilated, S+. So the first point it finds lies
//! between theirs (see [`Scene::dilated`]); it may miss the scene if S- is missed, and it may take the start for inside
//! if S+ contains it. The surface that it names is within delta of the point. Any answer consistent with this may be
//! due to rounding; any other is wrong.
//!
//! Matching lambdas need no such search: S- and S+ are built only for answers that name another surface, or differ from
//! the judge's by more than a displaced surface explains; for one ray at a time, each leaf moved by its own delta.
//!
//! # Conventions
//! As in [`crate::query::EntryPoint`].

use glam::DVec3;

use super::{Agreement, BackwardError};
use crate::engine::{Engine, EngineError};
use crate::job::Compute;
use crate::query::{EntryPoint, EntryPoints, Ray, RayStatus};
use crate::scene::center;
use crate::scene::{Leaf, MaterialId, Scene, Solid};

/// Lambdas match that differ by one unit in the last place of f32 at lambda = 1, or relative to larger lambdas.
const LAST_PLACE: f64 = f32::EPSILON as f64;
/// Relative error of a normal that was narrowed, normalised or scaled back in f32: eight roundings up or down.
const NORMAL_TOLERANCE: f64 = 8.0 * f32::EPSILON as f64;

/// Judges answers to rays in one scene.
#[derive(Clone, Copy)]
pub struct EntryPointJudge<'a> {
    engine: &'a dyn Engine,
    scene: &'a Scene,
    origin: DVec3,
}

/// The verdict on one answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Agreement,
    /// What is ambiguous or wrong; may be empty.
    pub why: &'static str,
    /// Difference of the lambdas of a surface that both engines name.
    pub error: Option<f64>,
    /// Its bound.
    pub bound: Option<f64>,
}

/// The range in which an engine with displaced surfaces may find the first point of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The first point of the scene with every leaf dilated.
    pub dilated: EntryPoint,
    /// The first point of the scene with every leaf eroded.
    pub eroded: EntryPoint,
}

impl Judgement {
    pub(super) fn plain(verdict: Agreement, why: &'static str) -> Self {
        Self { verdict, why, error: None, bound: None }
    }

    /// The error as a fraction of its bound.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        let (error, bound) = (self.error?, self.bound?);
        Some(if error == 0.0 { 0.0 } else { error / bound })
    }
}

impl<'a> EntryPointJudge<'a> {
    /// A judge of engines that convert coordinates to f32 relative to the centre of the scene's walk; `engine` computes
    /// in f64.
    #[must_use]
    pub fn new(engine: &'a dyn Engine, scene: &'a Scene) -> Self {
        Self { engine, scene, origin: center(scene) }
    }

    /// Judges an answer; `truth` is the judging engine's own.
    ///
    /// # Errors
    /// If the judging engine fails.
    pub fn judge(&self, ray: &Ray, truth: &EntryPoint, answer: &EntryPoint) -> Result<Judgement, EngineError> {
        match self.judge_without_search(ray, truth, answer) {
            Some(judgement) => Ok(judgement),
            None => self.case(ray, truth, answer).explained(),
        }
    }

    /// Judges an answer that either is the judging engine's or is none at all; `None` for others.
    #[must_use]
    pub fn judge_without_search(&self, ray: &Ray, truth: &EntryPoint, answer: &EntryPoint) -> Option<Judgement> {
        let plain = |verdict, why| Some(Judgement::plain(verdict, why));
        match (truth.status, answer.status) {
            (RayStatus::Miss, RayStatus::Miss) | (RayStatus::BadInput, RayStatus::BadInput) => {
                return plain(Agreement::Match, "");
            }
            (RayStatus::Hit, RayStatus::Hit | RayStatus::Miss) | (RayStatus::Miss, RayStatus::Hit) => {}
            _ => return plain(Agreement::Wrong, "status"),
        }
        let case = self.case(ray, truth, answer);
        if answer.status == RayStatus::Hit
            && let Some(fault) = case.fault()
        {
            return plain(Agreement::Wrong, fault);
        }
        if (truth.status, truth.leaf) == (answer.status, answer.leaf) { case.same_border() } else { None }
    }

    /// How far the answer's point is from the border that it names, and how far it may be \[m\].
    #[must_use]
    pub fn displacement(&self, ray: &Ray, answer: &EntryPoint) -> Option<(f64, f64)> {
        let solid = &self.scene.leaves().get(answer.leaf? as usize)?.solid;
        let bound = BackwardError::new(ray, self.origin).at(solid, answer.lambda);
        Some((border_distance(solid, ray.at(answer.lambda)), bound))
    }

    fn case<'b>(&'b self, ray: &'b Ray, truth: &'b EntryPoint, answer: &'b EntryPoint) -> Case<'b> {
        Case { judge: self, ray, rounding: BackwardError::new(ray, self.origin), truth, answer }
    }

    /// Where an engine with displaced borders may find the first point of a ray.
    ///
    /// # Errors
    /// When the judging engine fails.
    pub fn window(&self, ray: &Ray) -> Result<Window, EngineError> {
        let rounding = BackwardError::new(ray, self.origin);
        let first = |sign: f64| -> Result<EntryPoint, EngineError> {
            let moved = self.scene.dilated(|leaf| sign * rounding.over_range(&leaf.solid));
            let entries = self.engine.compute::<EntryPoints>(&moved, std::slice::from_ref(ray))?;
            Ok(entries.first().copied().unwrap_or(EntryPoint::none(RayStatus::BadInput)))
        };
        Ok(Window { dilated: first(1.0)?, eroded: first(-1.0)? })
    }
}

/// What a returned lambda may be off by beyond what displaced borders explain: the ends of a range are narrowed.
fn slack(lambda: f64) -> f64 {
    LAST_PLACE * lambda.abs().max(1.0)
}

/// One ray and both answers to it.
struct Case<'a> {
    judge: &'a EntryPointJudge<'a>,
    ray: &'a Ray,
    rounding: BackwardError,
    truth: &'a EntryPoint,
    answer: &'a EntryPoint,
}

impl Case<'_> {
    fn scene(&self) -> &Scene {
        self.judge.scene
    }

    /// The answer's point \[m\].
    fn point(&self) -> DVec3 {
        self.ray.at(self.answer.lambda)
    }

    /// What no hit can be like, whatever the scene.
    fn fault(&self) -> Option<&'static str> {
        let EntryPoint { status: _, lambda, normal, leaf, material } = *self.answer;
        let slack = slack(lambda);
        // False for NaN as well.
        let in_range = lambda >= self.ray.lambda1 - slack && lambda <= self.ray.lambda2 + slack;
        let at_start = lambda <= self.ray.lambda1 + slack;
        if !in_range || (leaf.is_none() && !at_start) {
            return Some("lambda");
        }
        if material.is_some_and(|MaterialId(number)| number as usize >= self.scene().materials().len()) {
            return Some("no such material");
        }
        match leaf {
            None => (normal != DVec3::ZERO).then_some("normal"),
            Some(number) => match self.scene().leaves().get(number as usize) {
                None => Some("no such leaf"),
                Some(leaf) => (!self.has_normal(leaf, normal)).then_some("normal"),
            },
        }
    }

    /// Whether a leaf has this normal at the answer's point, or so near to it that rounding may tell.
    fn has_normal(&self, leaf: &Leaf, normal: DVec3) -> bool {
        let point = self.point();
        let displaced = self.rounding.of_point(&leaf.solid, self.answer.lambda);
        let is = |expected: DVec3, turned: f64| {
            (normal - expected).length() <= NORMAL_TOLERANCE * expected.length() + 2.0 * turned
        };
        let expected = leaf.normal(point);
        match &leaf.solid {
            Solid::HalfSpace(_) => is(expected, 0.0),
            Solid::Sphere(ball) => is(expected, displaced / point.distance(ball.center)),
            Solid::Cylinder(cylinder) => {
                let offset = point - cylinder.center;
                let along = offset.dot(cylinder.axis);
                let across = offset - along * cylinder.axis;
                let turned = displaced / across.length();
                let side = across.length() - cylinder.radius;
                let at_rim =
                    cylinder.half_height.is_some_and(|half| (along.abs() - half - side).abs() <= 2.0 * displaced);
                let sign = if leaf.complemented { -1.0 } else { 1.0 };
                is(expected, turned)
                    || (at_rim && is(sign * across.normalize_or_zero(), turned))
                    || (at_rim && is(sign * along.signum() * cylinder.axis, 0.0))
            }
            // As if they were nowhere more curved than a ball of 1 m.
            Solid::Cone(_) | Solid::Capsule(_) | Solid::Stretched(_) => is(expected, displaced),
        }
    }

    /// Judges an answer that names the same border; `None` when it is too far from the judge's.
    fn same_border(&self) -> Option<Judgement> {
        let (error, bound) = self.error();
        let verdict = if error? <= slack(self.truth.lambda) {
            Agreement::Match
        } else if error <= bound {
            Agreement::WithinBound
        } else {
            return None;
        };
        let (verdict, why) = if self.answer.material == self.truth.material {
            (verdict, "")
        } else if self.has_possible_material() {
            (Agreement::Ambiguous, "material, near a region's border")
        } else {
            (Agreement::Wrong, "material")
        };
        Some(Judgement { verdict, why, error, bound })
    }

    /// Difference of the lambdas, where both name the same border or none, and what it may be at most.
    fn error(&self) -> (Option<f64>, Option<f64>) {
        if (self.truth.status, self.truth.leaf) != (self.answer.status, self.answer.leaf) {
            return (None, None);
        }
        let (truth, answer) = (self.truth.lambda, self.answer.lambda);
        let solid = self.truth.leaf.map(|number| &self.scene().leaf(number).solid);
        let bound = solid.and_then(|solid| self.rounding.of_crossing(solid, truth, answer));
        (Some((answer - truth).abs()), bound)
    }

    /// Whether displaced surfaces explain a different status, surface or position.
    fn explained(&self) -> Result<Judgement, EngineError> {
        let (error, bound) = self.error();
        let (verdict, why) = match self.objection(&self.judge.window(self.ray)?) {
            Some(why) => (Agreement::Wrong, why),
            None => (Agreement::Ambiguous, "near a border"),
        };
        Ok(Judgement { verdict, why, error, bound })
    }

    /// What displaced borders do not explain.
    fn objection(&self, Window { dilated, eroded }: &Window) -> Option<&'static str> {
        let (lambda, slack) = (self.answer.lambda, slack(self.answer.lambda));
        if self.answer.status == RayStatus::Miss {
            return (eroded.status != RayStatus::Miss).then_some("a hit is missed");
        }
        if dilated.status != RayStatus::Hit {
            return Some("a miss is hit");
        }
        if lambda < dilated.lambda - slack {
            return Some("before the scene");
        }
        if eroded.status == RayStatus::Hit && lambda > eroded.lambda + slack {
            return Some("inside the scene");
        }
        if let Some(number) = self.answer.leaf {
            let solid = &self.scene().leaf(number).solid;
            if border_distance(solid, self.point()) > self.rounding.at(solid, lambda) {
                return Some("far from the leaf's border");
            }
        }
        (!self.has_possible_material()).then_some("material")
    }

    /// Whether the answer's border may have its material at the answer's place.
    fn has_possible_material(&self) -> bool {
        let (scene, point, lambda) = (self.scene(), self.point(), self.answer.lambda);
        let displaced = |leaf: &Leaf| self.rounding.of_point(&leaf.solid, lambda);
        let Some(number) = self.answer.leaf else {
            // Which leaf speaks for a start inside depends on memberships alone; far from all borders they are certain.
            let near = |leaf: &Leaf| border_distance(&leaf.solid, point) <= displaced(leaf);
            return self.answer.material == self.truth.material || scene.all_leaves().iter().any(near);
        };
        let (outer, inner) = (scene.dilated(displaced), scene.dilated(|leaf| -displaced(leaf)));
        for layer in scene.coating(scene.leaf(number)) {
            let is_this = self.answer.material == Some(layer.material);
            let certain = layer.region.is_none_or(|region| inner.contains(region, point));
            if certain || (is_this && layer.region.is_some_and(|region| outer.contains(region, point))) {
                return is_this;
            }
        }
        self.answer.material == scene.default_material()
    }
}

/// Distance of a point from the border of a solid \[m\].
fn border_distance(solid: &Solid, point: DVec3) -> f64 {
    let scale = if let Solid::HalfSpace(half_space) = solid { half_space.normal.length() } else { 1.0 };
    (solid.distance(point) / scale).abs()
}
