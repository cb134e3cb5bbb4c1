//! Walks in f64: what a device does, where it can be looked at.

use glam::DVec3;

use super::{BoundingBox, Layer, Stop, Target, Test, Visits, Walk};
use crate::query::{EntryPoint, Ray, RayStatus};
use crate::scene::{HalfSpace, Interval, MaterialId, Scene, Solid};

/// Boxes are taken this much larger, relative to the coordinates at play, so that rounding never hides what is inside.
const MARGIN: f64 = 1e-12;

/// The nearest place where a ray enters one of the leaves that failed.
#[derive(Clone, Copy, Debug)]
struct Nearest {
    lambda: f64,
    leaf: u32,
    exact: bool,
}

/// Finds entry points by walking.
#[derive(Clone, Copy, Debug)]
pub struct Walker<'a> {
    walk: &'a Walk,
    scene: &'a Scene,
}

impl<'a> Walker<'a> {
    /// A walker of a scene by its walk.
    #[must_use]
    pub fn new(walk: &'a Walk, scene: &'a Scene) -> Self {
        Self { walk, scene }
    }

    /// The first point of the ray in the scene.
    #[must_use]
    pub fn entry_point(&self, ray: &Ray) -> EntryPoint {
        if !ray.is_valid() {
            return EntryPoint::none(RayStatus::BadInput);
        }
        match self.first_inside(ray, |_| ()) {
            None => EntryPoint::none(RayStatus::Miss),
            Some((lambda, None)) => {
                let point = ray.at(lambda);
                EntryPoint::start_inside(self.scene, point, lambda, MARGIN * point.abs().max_element())
            }
            Some((lambda, Some(leaf))) => {
                let point = ray.at(lambda);
                let normal = self.scene.leaf(leaf).normal(point);
                let material = self.material(leaf, point);
                EntryPoint { status: RayStatus::Hit, lambda, normal, leaf: Some(leaf), material }
            }
        }
    }

    /// What the search for a valid ray's first point looks at.
    #[must_use]
    pub fn visits_of_ray(&self, ray: &Ray) -> Visits {
        let mut visits = Visits::default();
        self.first_inside(ray, |stop| visits.count(stop));
        visits
    }

    /// What the search for the material of a leaf's border looks at, at a point of it.
    #[must_use]
    pub fn visits_of_material(&self, leaf: u32, point: DVec3) -> Visits {
        let mut visits = Visits::default();
        self.layer(leaf, point, |stop| visits.count(stop));
        visits
    }

    /// Lambda, and the leaf whose border is met there; no leaf when the ray starts inside. `see` is shown every stop.
    fn first_inside(&self, ray: &Ray, mut see: impl FnMut(&Stop)) -> Option<(f64, Option<u32>)> {
        let (mut lambda, mut met) = (ray.lambda1, None);
        loop {
            let mut nearest: Option<Nearest> = None;
            let mut target = self.walk.start;
            while let Target::Stop(number) = target {
                let stop = &self.walk.stops[number as usize];
                see(stop);
                let until = nearest.map_or(ray.lambda2, |nearest| nearest.lambda);
                target = match look(stop, ray, lambda, until) {
                    Look::Inside => stop.inside,
                    Look::Outside(entry) => {
                        // Of two borders in one place the first in the scene counts, whatever the order of the walk.
                        let sooner = |(lambda, leaf), other: Nearest| {
                            lambda < other.lambda || (lambda == other.lambda && leaf < other.leaf)
                        };
                        if let Some((lambda, leaf)) = entry
                            && lambda <= ray.lambda2
                            && nearest.is_none_or(|nearest| sooner((lambda, leaf), nearest))
                        {
                            nearest = Some(Nearest { lambda, leaf, exact: stop.exact });
                        }
                        stop.outside
                    }
                };
            }
            if target == Target::Inside {
                return Some((lambda, met));
            }
            let next = nearest?;
            (lambda, met) = (next.lambda, Some(next.leaf));
            if next.exact {
                return Some((lambda, met));
            }
        }
    }

    fn material(&self, leaf: u32, point: DVec3) -> Option<MaterialId> {
        self.layer(leaf, point, |_| ()).map_or(self.walk.default_material, |layer| Some(layer.material))
    }

    /// The outermost layer over a leaf that applies at a point. `see` is shown every stop.
    fn layer(&self, leaf: u32, point: DVec3, mut see: impl FnMut(&Stop)) -> Option<&Layer> {
        let range = self.walk.coatings[leaf as usize].clone();
        self.walk.layers[range.start as usize..range.end as usize]
            .iter()
            .find(|layer| layer.region.is_none_or(|region| self.contains(region, point, &mut see)))
    }

    /// Membership of a point in the set whose walk starts at `target`. `see` is shown every stop.
    fn contains(&self, mut target: Target, point: DVec3, mut see: impl FnMut(&Stop)) -> bool {
        while let Target::Stop(number) = target {
            let stop = &self.walk.stops[number as usize];
            see(stop);
            let inside = match &stop.test {
                Test::Cell(half_spaces) => half_spaces.iter().all(|half_space| half_space.distance(point) <= 0.0),
                Test::Curved { solid, complemented: false } => solid.distance(point) <= 0.0,
                Test::Curved { solid, complemented: true } => solid.distance(point) >= 0.0,
                Test::Bounds(bounds) => {
                    let margin = MARGIN * bounds.reach().max(point.abs().max_element());
                    point.cmpge(bounds.min - margin).all() && point.cmple(bounds.max + margin).all()
                }
            };
            target = if inside { stop.inside } else { stop.outside };
        }
        target == Target::Inside
    }
}

/// What a stop sees of a ray at lambda.
enum Look {
    /// Inside, or a box that the ray meets before the nearest entry known.
    Inside,
    /// Outside; where the ray enters next, and by which leaf.
    Outside(Option<(f64, u32)>),
}

fn look(stop: &Stop, ray: &Ray, lambda: f64, until: f64) -> Look {
    match &stop.test {
        Test::Cell(half_spaces) => look_at_cell(half_spaces, stop.leaf, ray, lambda),
        Test::Curved { solid, complemented } => look_at_curved(solid, *complemented, stop.leaf, ray, lambda),
        Test::Bounds(bounds) if meets(bounds, ray, lambda, until) => Look::Inside,
        Test::Bounds(_) => Look::Outside(None),
    }
}

fn look_at_cell(half_spaces: &[HalfSpace], first_leaf: u32, ray: &Ray, lambda: f64) -> Look {
    let (mut enter, mut deciding, mut exit) = (f64::NEG_INFINITY, first_leaf, f64::INFINITY);
    for (leaf, half_space) in (first_leaf..).zip(half_spaces) {
        let inside = half_space.interval(ray.x1, ray.x2);
        deciding = if inside.enter > enter { leaf } else { deciding };
        enter = enter.max(inside.enter);
        exit = exit.min(inside.exit);
    }
    if lambda > exit || enter > exit {
        Look::Outside(None)
    } else if lambda < enter {
        Look::Outside(Some((enter, deciding)))
    } else {
        Look::Inside
    }
}

fn look_at_curved(solid: &Solid, complemented: bool, leaf: u32, ray: &Ray, lambda: f64) -> Look {
    let inside = solid.interval(ray.x1, ray.x2);
    let Interval { enter, exit, flat } = inside;
    match complemented {
        true if lambda > enter && lambda < exit && !flat => Look::Outside(exit.is_finite().then_some((exit, leaf))),
        false if lambda > exit || inside.is_empty() => Look::Outside(None),
        false if lambda < enter => Look::Outside(Some((enter, leaf))),
        _ => Look::Inside,
    }
}

/// True when the ray is in the box somewhere from `from` to `until`.
fn meets(bounds: &BoundingBox, ray: &Ray, from: f64, until: f64) -> bool {
    let margin = MARGIN * ray.x1.abs().max(ray.x2.abs()).max_element().max(bounds.reach());
    let (mut first, mut last) = (from, until);
    for axis in 0..3 {
        let (x1, x2) = (ray.x1[axis], ray.x2[axis]);
        let (low, high) = (bounds.min[axis] - margin - x1, bounds.max[axis] + margin - x1);
        let slope = x2 - x1;
        if slope == 0.0 {
            if low > 0.0 || high < 0.0 {
                return false;
            }
        } else {
            let (a, b) = (low / slope, high / slope);
            first = first.max(a.min(b));
            last = last.min(a.max(b));
        }
    }
    first <= last
}
