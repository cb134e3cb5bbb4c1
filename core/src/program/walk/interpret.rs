//! Walks in f64: what a device does, in testable form.

use glam::DVec3;

use super::{Layer, Stop, Target, Test, Visits, Walk};
use crate::program::Crossing;
use crate::query::{EntryPoint, Ray, RayStatus};
use crate::scene::{BOUNDS_MARGIN, BoundingBox, HalfSpace, Interval, MaterialId, Scene, Solid};

/// A border of a leaf that is entered there.
#[derive(Clone, Copy, Debug)]
struct Border {
    crossing: Crossing,
    leaf: u32,
    exact: bool,
}

/// How a walk ends.
enum End {
    /// Inside; on the way there the border at lambda of the greatest rank.
    Inside(Option<Border>),
    /// Outside; the nearest border ahead.
    Outside(Option<Border>),
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
                EntryPoint::start_inside(self.scene, point, lambda, BOUNDS_MARGIN * point.abs().max_element())
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
            match self.walk(ray, Crossing::behind(lambda), &mut see) {
                End::Inside(last) => {
                    return Some((lambda, met.map(|met| self.first_crossed(ray, met, last, &mut see))));
                }
                End::Outside(next) => {
                    let border = next?;
                    lambda = border.crossing.lambda;
                    if border.exact {
                        return Some((lambda, Some(border.leaf)));
                    }
                    met = Some(border);
                }
            }
        }
    }

    /// Of the borders at one lambda the first whose crossing brings the ray into the set: `met` or one of a greater rank,
    /// at most that of `last`.
    fn first_crossed(&self, ray: &Ray, met: Border, last: Option<Border>, mut see: impl FnMut(&Stop)) -> u32 {
        let (mut least, mut named) = (met.crossing.rank, last.unwrap_or(met));
        while least < named.crossing.rank {
            let half = Crossing { rank: least + (named.crossing.rank - least) / 2, ..met.crossing };
            match self.walk(ray, half, &mut see) {
                End::Inside(Some(border)) => named = border,
                End::Outside(Some(next)) if next.crossing.lambda == half.lambda => least = next.crossing.rank,
                End::Inside(None) | End::Outside(_) => break,
            }
        }
        named.leaf
    }

    /// One walk for a ray that has been followed up to a crossing.
    fn walk(&self, ray: &Ray, reached: Crossing, mut see: impl FnMut(&Stop)) -> End {
        let (mut nearest, mut last): (Option<Border>, Option<Border>) = (None, None);
        let mut target = self.walk.start;
        while let Target::Stop(number) = target {
            let stop = &self.walk.stops[number as usize];
            see(stop);
            let until = nearest.map_or(ray.lambda2, |nearest| nearest.crossing.lambda);
            let border = |(lambda, leaf)| {
                let crossing = Crossing { lambda, rank: stop.rank };
                Border { crossing, leaf, exact: stop.exact }
            };
            target = match look(stop, ray, reached, until) {
                Outcome::Inside(entered) => {
                    if let Some(border) = entered.map(|leaf| border((reached.lambda, leaf)))
                        && last.is_none_or(|last| border.crossing > last.crossing)
                    {
                        last = Some(border);
                    }
                    stop.inside
                }
                Outcome::Outside(entry) => {
                    if let Some(border) = entry.map(border)
                        && border.crossing.lambda <= ray.lambda2
                        && nearest.is_none_or(|nearest| border.crossing < nearest.crossing)
                    {
                        nearest = Some(border);
                    }
                    stop.outside
                }
            };
        }
        if target == Target::Inside { End::Inside(last) } else { End::Outside(nearest) }
    }

    fn material(&self, leaf: u32, point: DVec3) -> Option<MaterialId> {
        self.layer(leaf, point, |_| ()).map_or(self.walk.default_material, |layer| Some(layer.material))
    }

    /// The outermost layer over a leaf that applies at a point. `see` is shown every stop.
    fn layer(&self, leaf: u32, point: DVec3, mut see: impl FnMut(&Stop)) -> Option<&Layer> {
        let first = self.walk.coatings[leaf as usize].start;
        let near = self.scene.paint().numbers_near(self.scene.leaf(leaf).coating, point);
        near.iter()
            .map(|number| &self.walk.layers[(first + number) as usize])
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
enum Outcome {
    /// Inside, or a box that the ray meets before the nearest entry known; the leaf if the ray enters it just there.
    Inside(Option<u32>),
    /// Outside; where the ray enters next, and by which leaf.
    Outside(Option<(f64, u32)>),
}

fn look(stop: &Stop, ray: &Ray, reached: Crossing, until: f64) -> Outcome {
    match &stop.test {
        Test::Cell(half_spaces) => look_at_cell(half_spaces, stop, ray, reached),
        Test::Curved { solid, complemented } => look_at_curved(solid, *complemented, stop, ray, reached),
        Test::Bounds(bounds) if meets(bounds, ray, reached.lambda, until) => Outcome::Inside(None),
        Test::Bounds(_) => Outcome::Outside(None),
    }
}

fn look_at_cell(half_spaces: &[HalfSpace], stop: &Stop, ray: &Ray, reached: Crossing) -> Outcome {
    let (mut enter, mut deciding, mut exit) = (f64::NEG_INFINITY, stop.leaf, f64::INFINITY);
    for (leaf, half_space) in (stop.leaf..).zip(half_spaces) {
        let inside = half_space.interval(ray.x1, ray.x2);
        deciding = if inside.enter > enter { leaf } else { deciding };
        enter = enter.max(inside.enter);
        exit = exit.min(inside.exit);
    }
    if reached.lambda > exit || enter > exit {
        Outcome::Outside(None)
    } else if reached < (Crossing { lambda: enter, rank: stop.rank }) {
        Outcome::Outside(Some((enter, deciding)))
    } else {
        Outcome::Inside((reached.lambda == enter).then_some(deciding))
    }
}

fn look_at_curved(solid: &Solid, complemented: bool, stop: &Stop, ray: &Ray, reached: Crossing) -> Outcome {
    let inside = solid.interval(&ray.x1, &ray.x2);
    let Interval { enter, exit, flat } = inside;
    let is_ahead = |lambda| reached < Crossing { lambda, rank: stop.rank };
    let entered = |lambda| Outcome::Inside((reached.lambda == lambda).then_some(stop.leaf));
    match complemented {
        true if reached.lambda <= enter || flat => Outcome::Inside(None),
        true if is_ahead(exit) => Outcome::Outside(exit.is_finite().then_some((exit, stop.leaf))),
        true => entered(exit),
        false if reached.lambda > exit || inside.is_empty() => Outcome::Outside(None),
        false if is_ahead(enter) => Outcome::Outside(Some((enter, stop.leaf))),
        false => entered(enter),
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
