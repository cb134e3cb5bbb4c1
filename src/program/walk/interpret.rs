//! Walks in f64: what a device does, where it can be looked at.

use glam::DVec3;

use super::bounds::MARGIN;
use super::{BoundingBox, LAST_RANK, Layer, Stop, Target, Test, Visits, Walk};
use crate::query::{EntryPoint, Ray, RayStatus};
use crate::scene::{HalfSpace, Interval, MaterialId, Scene, Solid};

/// How far a search has come along a ray: to lambda, and over the borders there up to a rank.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Crossing {
    lambda: f64,
    rank: u32,
}

/// The nearest border at which a ray enters one of the leaves that failed.
#[derive(Clone, Copy, Debug)]
struct Nearest {
    crossing: Crossing,
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
        // What begins with the ray has been crossed, whatever its rank.
        let mut reached = Crossing { lambda: ray.lambda1, rank: LAST_RANK };
        let mut met = None;
        loop {
            let mut nearest: Option<Nearest> = None;
            let mut target = self.walk.start;
            while let Target::Stop(number) = target {
                let stop = &self.walk.stops[number as usize];
                see(stop);
                let until = nearest.map_or(ray.lambda2, |nearest| nearest.crossing.lambda);
                target = match look(stop, ray, reached, until) {
                    Look::Inside => stop.inside,
                    Look::Outside(entry) => {
                        if let Some((lambda, leaf)) = entry
                            && lambda <= ray.lambda2
                            && let crossing = (Crossing { lambda, rank: stop.rank })
                            && nearest.is_none_or(|nearest| crossing < nearest.crossing)
                        {
                            nearest = Some(Nearest { crossing, leaf, exact: stop.exact });
                        }
                        stop.outside
                    }
                };
            }
            if target == Target::Inside {
                return Some((reached.lambda, met));
            }
            let next = nearest?;
            (reached, met) = (next.crossing, Some(next.leaf));
            if next.exact {
                return Some((reached.lambda, met));
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
                    let BoundingBox { min, max } = bounds.widened(point.abs().max_element());
                    point.cmpge(min).all() && point.cmple(max).all()
                }
            };
            target = if inside { stop.inside } else { stop.outside };
        }
        target == Target::Inside
    }
}

/// What a stop sees of a ray that has been followed up to a crossing.
enum Look {
    /// Inside, or a box that the ray meets before the nearest entry known.
    Inside,
    /// Outside; where the ray enters next, and by which leaf.
    Outside(Option<(f64, u32)>),
}

fn look(stop: &Stop, ray: &Ray, reached: Crossing, until: f64) -> Look {
    match &stop.test {
        Test::Cell(half_spaces) => look_at_cell(half_spaces, stop, ray, reached),
        Test::Curved { solid, complemented } => look_at_curved(solid, *complemented, stop, ray, reached),
        Test::Bounds(bounds) if meets(bounds, ray, reached.lambda, until) => Look::Inside,
        Test::Bounds(_) => Look::Outside(None),
    }
}

fn look_at_cell(half_spaces: &[HalfSpace], stop: &Stop, ray: &Ray, reached: Crossing) -> Look {
    let (mut enter, mut deciding, mut exit) = (f64::NEG_INFINITY, stop.leaf, f64::INFINITY);
    for (leaf, half_space) in (stop.leaf..).zip(half_spaces) {
        let inside = half_space.interval(ray.x1, ray.x2);
        deciding = if inside.enter > enter { leaf } else { deciding };
        enter = enter.max(inside.enter);
        exit = exit.min(inside.exit);
    }
    if reached.lambda > exit || enter > exit {
        Look::Outside(None)
    } else if reached < (Crossing { lambda: enter, rank: stop.rank }) {
        Look::Outside(Some((enter, deciding)))
    } else {
        Look::Inside
    }
}

fn look_at_curved(solid: &Solid, complemented: bool, stop: &Stop, ray: &Ray, reached: Crossing) -> Look {
    let inside = solid.interval(ray.x1, ray.x2);
    let Interval { enter, exit, flat } = inside;
    let is_ahead = |lambda| reached < Crossing { lambda, rank: stop.rank };
    match complemented {
        true if reached.lambda > enter && is_ahead(exit) && !flat => {
            Look::Outside(exit.is_finite().then_some((exit, stop.leaf)))
        }
        false if reached.lambda > exit || inside.is_empty() => Look::Outside(None),
        false if is_ahead(enter) => Look::Outside(Some((enter, stop.leaf))),
        _ => Look::Inside,
    }
}

/// True when the ray is in the box somewhere from `from` to `until`.
fn meets(bounds: &BoundingBox, ray: &Ray, from: f64, until: f64) -> bool {
    let BoundingBox { min, max } = bounds.widened(ray.x1.abs().max(ray.x2.abs()).max_element());
    let (mut first, mut last) = (from, until);
    for axis in 0..3 {
        let (x1, x2) = (ray.x1[axis], ray.x2[axis]);
        let (low, high) = (min[axis] - x1, max[axis] - x1);
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
