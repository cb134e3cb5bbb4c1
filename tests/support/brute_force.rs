//! Entry points by brute force: every crossing of every leaf with the line, in order, and membership between them by
//! the Boolean meaning of the shape as it was written. Shares no code with the library's scenes.
//!
//! A crossing is known to within [`TOUCH`] in distance from its leaf, so on the ray it is a window; windows that
//! overlap merge. Between windows membership is certain. What happens inside a window of one leaf follows from both
//! sides of it; where several leaves meet within a window, or a curved leaf is only touched, the set may have a point
//! there that both sides do not show.
#![allow(dead_code, reason = "each test file uses its own part")]

use glam::{DMat3, DVec3};
use touchdown::query::Ray;
use touchdown::scene::{MaterialId, Shape, Solid};

/// Distance from a border within which a point may count as on either side of it [m]. Places below 50 m and rotations
/// carry errors of some 1e-14 m, so this has a margin of five digits.
pub const TOUCH: f64 = 1e-9;

/// Membership with a doubt near borders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    No,
    Doubtful,
    Yes,
}

impl Inside {
    fn not(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Doubtful => Self::Doubtful,
            Self::Yes => Self::No,
        }
    }

    fn and(self, other: Self) -> Self {
        if self == Self::No || other == Self::No {
            Self::No
        } else if self == Self::Yes && other == Self::Yes {
            Self::Yes
        } else {
            Self::Doubtful
        }
    }

    fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }
}

/// Where a shape stands: `x_world` = linear `x_local` + translation.
#[derive(Clone, Copy)]
struct Place {
    linear: DMat3,
    inverse: DMat3,
    translation: DVec3,
}

impl Place {
    const WORLD: Self = Self { linear: DMat3::IDENTITY, inverse: DMat3::IDENTITY, translation: DVec3::ZERO };

    fn inner(&self, linear: DMat3, translation: DVec3) -> Self {
        let linear_of_both = self.linear * linear;
        Self {
            linear: linear_of_both,
            inverse: linear_of_both.inverse(),
            translation: self.translation + self.linear * translation,
        }
    }

    fn local(&self, point: DVec3) -> DVec3 {
        self.inverse * (point - self.translation)
    }

    /// [`TOUCH`] in local coordinates, at least.
    fn touch(&self) -> f64 {
        let squares: f64 = self.inverse.to_cols_array().iter().map(|number| number * number).sum();
        TOUCH * squares.sqrt()
    }

    /// A stretched solid is its base in a place of its own.
    fn of<'s>(&self, solid: &'s Solid) -> (&'s Solid, Self) {
        match solid {
            Solid::Stretched(stretched) => (&stretched.base, self.inner(stretched.from_local, stretched.center)),
            other => (other, *self),
        }
    }
}

/// Signed distance of a world point from the border of a leaf [m]; for a stretched one in its local coordinates.
pub fn leaf_distance(solid: &Solid, point: DVec3) -> f64 {
    let (solid, place) = Place::WORLD.of(solid);
    distance(solid, place.local(point))
}

/// Signed distance of a local point from a solid [m]: a convex function of the point.
fn distance(solid: &Solid, point: DVec3) -> f64 {
    match solid {
        Solid::HalfSpace(h) => (h.normal.dot(point) - h.offset) / h.normal.length(),
        Solid::Sphere(s) => point.distance(s.center) - s.radius,
        Solid::Cylinder(c) => {
            let offset = point - c.center;
            let side = offset.cross(c.axis).length() - c.radius;
            c.half_height.map_or(side, |half| side.max(offset.dot(c.axis).abs() - half))
        }
        Solid::Cone(c) => {
            let offset = point - c.base;
            let along = offset.dot(c.axis);
            let side = (offset.cross(c.axis).length() - c.radius - c.slope * along) * c.slope.atan().cos();
            c.height.map_or(side, |height| side.max((along - 0.5 * height).abs() - 0.5 * height))
        }
        Solid::Capsule(c) => {
            let (along, length) = ((c.to - c.from).normalize_or_zero(), c.from.distance(c.to));
            let nearest = match (point - c.from).dot(along) {
                t if t <= 0.0 => point.distance(c.from),
                t if t >= length => point.distance(c.to),
                _ => (point - c.from).cross(along).length(),
            };
            nearest - c.radius
        }
        Solid::Stretched(_) => unreachable!("its base stands in a place of its own"),
    }
}

/// Membership of a world point in a shape as it was written.
fn membership(shape: &Shape, place: &Place, point: DVec3) -> Inside {
    let all = |children: &mut dyn Iterator<Item = Inside>| children.fold(Inside::Yes, Inside::and);
    match shape {
        Shape::Solid(solid) => {
            let (solid, place) = place.of(solid);
            match distance(solid, place.local(point)) {
                d if d < -place.touch() => Inside::Yes,
                d if d > place.touch() => Inside::No,
                _ => Inside::Doubtful,
            }
        }
        Shape::Everything => Inside::Yes,
        Shape::Nothing => Inside::No,
        Shape::Union(of) => of.iter().map(|child| membership(child, place, point)).fold(Inside::No, Inside::or),
        Shape::Intersection(of) => all(&mut of.iter().map(|child| membership(child, place, point))),
        Shape::Difference(of) => all(&mut of.iter().enumerate().map(|(index, child)| {
            let inside = membership(child, place, point);
            if index == 0 { inside } else { inside.not() }
        })),
        Shape::Complement(of) => membership(of, place, point).not(),
        Shape::Transform { rotation, translation, of } => {
            membership(of, &place.inner(DMat3::from_quat(*rotation), *translation), point)
        }
        Shape::Map { linear, translation, of } => membership(of, &place.inner(*linear, *translation), point),
        Shape::Material { of, .. } | Shape::Paint { of, .. } => membership(of, place, point),
    }
}

/// A layer of material above a leaf: everywhere, or inside a region.
#[derive(Clone)]
struct Layer<'a> {
    material: MaterialId,
    region: Option<(&'a Shape, Place)>,
}

struct Leaf<'a> {
    solid: &'a Solid,
    place: Place,
    complemented: bool,
    /// Outermost first.
    layers: Vec<Layer<'a>>,
}

/// What the brute force knows about a point where it says the ray may enter.
pub struct Window {
    pub low: f64,
    pub high: f64,
    /// The leaves whose borders cross here.
    pub leaves: Vec<usize>,
    /// A curved leaf is only touched here.
    touching: bool,
}

impl Window {
    pub fn contains(&self, lambda: f64) -> bool {
        self.low <= lambda && lambda <= self.high
    }

    /// The set may have a point here although both sides are outside.
    pub fn may_hold_a_point(&self) -> bool {
        self.touching || self.leaves.len() > 1
    }
}

/// What a ray meets, as far as it is certain.
pub struct Truth {
    /// The windows before the first certain inside, and the one that leads into it, in order.
    pub windows: Vec<Window>,
    /// `Some(lambda1)` when the ray certainly starts inside; `Some` of the last window's end when it leads inside.
    pub first_inside: Option<f64>,
    /// A place between windows where membership was not certain (the ray runs in a border).
    pub doubtful: bool,
}

pub struct BruteForce<'a> {
    shape: &'a Shape,
    leaves: Vec<Leaf<'a>>,
}

impl<'a> BruteForce<'a> {
    pub fn new(shape: &'a Shape) -> Self {
        let mut leaves = Vec::new();
        collect(shape, Place::WORLD, false, &[], &mut leaves);
        Self { shape, leaves }
    }

    pub fn truth(&self, ray: &Ray) -> Truth {
        let windows = merged(self.crossings(ray));
        let mut truth = Truth { windows: Vec::new(), first_inside: None, doubtful: false };
        let mut from = ray.lambda1;
        for window in windows {
            if window.low > from && self.look_between(ray, from, window.low.min(ray.lambda2), &mut truth) {
                return truth;
            }
            if window.low > ray.lambda2 {
                return truth;
            }
            from = from.max(window.high);
            if window.high >= ray.lambda1 {
                truth.windows.push(window);
            }
        }
        if from <= ray.lambda2 {
            self.look_between(ray, from, ray.lambda2, &mut truth);
        }
        truth
    }

    /// Membership between two windows; true when it is certainly inside.
    fn look_between(&self, ray: &Ray, from: f64, to: f64, truth: &mut Truth) -> bool {
        match membership(self.shape, &Place::WORLD, ray.at(0.5 * (from + to))) {
            Inside::Yes => truth.first_inside = Some(from),
            Inside::Doubtful => truth.doubtful = true,
            Inside::No => {}
        }
        truth.first_inside.is_some()
    }

    /// The outward unit normal of a leaf of the shape at a world point.
    pub fn normal(&self, leaf: usize, point: DVec3) -> DVec3 {
        let Leaf { solid, place, complemented, .. } = &self.leaves[leaf];
        let local = place.local(point);
        let outward = match solid {
            Solid::HalfSpace(h) => h.normal,
            Solid::Sphere(s) => local - s.center,
            Solid::Cone(_) | Solid::Capsule(_) => gradient(solid, local),
            Solid::Stretched(_) => unreachable!("its base stands in a place of its own"),
            Solid::Cylinder(c) => {
                let offset = local - c.center;
                let along = c.axis * offset.dot(c.axis);
                let on_cap = c.half_height.is_some_and(|half| (along.length() - half).abs() <= 10.0 * TOUCH);
                if on_cap { along } else { offset - along }
            }
        };
        let world = (place.inverse.transpose() * outward).normalize_or_zero();
        if *complemented { -world } else { world }
    }

    /// What a leaf is made of at a world point; `None` when a region's border is too near to say.
    pub fn material(&self, leaf: usize, point: DVec3, default: MaterialId) -> Option<MaterialId> {
        for layer in &self.leaves[leaf].layers {
            let applies = layer.region.map_or(Inside::Yes, |(region, place)| membership(region, &place, point));
            match applies {
                Inside::Yes => return Some(layer.material),
                Inside::Doubtful => return None,
                Inside::No => {}
            }
        }
        Some(default)
    }

    fn crossings(&self, ray: &Ray) -> Vec<Window> {
        let mut windows = Vec::new();
        for (number, leaf) in self.leaves.iter().enumerate() {
            let (x1, x2) = (leaf.place.local(ray.x1), leaf.place.local(ray.x2));
            let mut add = |crossing: Crossing| {
                windows.push(Window {
                    low: crossing.lambda - crossing.half_width,
                    high: crossing.lambda + crossing.half_width,
                    leaves: vec![number],
                    touching: crossing.touching,
                });
            };
            let touch = leaf.place.touch();
            match leaf.solid {
                Solid::HalfSpace(h) => plane(h.normal, h.offset, x1, x2, touch).into_iter().for_each(&mut add),
                Solid::Sphere(s) => quadric(x1 - s.center, x2 - x1, s.radius, touch).into_iter().for_each(&mut add),
                Solid::Cylinder(c) => {
                    let across = |v: DVec3| v - c.axis * v.dot(c.axis);
                    quadric(across(x1 - c.center), across(x2 - x1), c.radius, touch).into_iter().for_each(&mut add);
                    for (cap, half) in [c.axis, -c.axis].into_iter().filter_map(|cap| Some((cap, c.half_height?))) {
                        plane(cap, cap.dot(c.center) + half, x1, x2, touch).into_iter().for_each(&mut add);
                    }
                }
                Solid::Cone(_) | Solid::Capsule(_) => {
                    let along = |lambda: f64| distance(leaf.solid, x1 + lambda * (x2 - x1));
                    let range = [ray.lambda1 - 1.0, ray.lambda2 + 1.0];
                    convex(along, range, 2.0 * touch).into_iter().for_each(&mut add);
                }
                Solid::Stretched(_) => unreachable!("its base stands in a place of its own"),
            }
        }
        windows
    }
}

struct Crossing {
    lambda: f64,
    half_width: f64,
    touching: bool,
}

fn plane(normal: DVec3, offset: f64, x1: DVec3, x2: DVec3, touch: f64) -> Option<Crossing> {
    let length = normal.length();
    let rate = normal.dot(x2 - x1) / length;
    let lambda = -(normal.dot(x1) - offset) / length / rate;
    let half_width = touch / rate.abs();
    (lambda.is_finite() && half_width.is_finite()).then_some(Crossing { lambda, half_width, touching: false })
}

/// Crossings of |offset + lambda direction| = radius.
fn quadric(offset: DVec3, direction: DVec3, radius: f64, touch: f64) -> Vec<Crossing> {
    let speed = direction.length();
    let middle = -offset.dot(direction) / (speed * speed);
    if !middle.is_finite() {
        return Vec::new();
    }
    let nearest = (offset + middle * direction).length();
    if nearest > radius + touch {
        return Vec::new();
    }
    // Half the chord as it would be if the nearest distance were smaller by the uncertainty.
    let longest = ((radius - nearest + touch) * (radius + nearest + touch)).sqrt() / speed;
    if nearest > radius - touch {
        return vec![Crossing { lambda: middle, half_width: 2.0 * longest, touching: true }];
    }
    let half_chord = ((radius - nearest) * (radius + nearest)).sqrt() / speed;
    let shortest = ((radius - nearest - touch) * (radius + nearest - touch)).max(0.0).sqrt() / speed;
    let half_width = 2.0 * (longest - half_chord).max(half_chord - shortest);
    [-half_chord, half_chord].map(|chord| Crossing { lambda: middle + chord, half_width, touching: false }).into()
}

/// Where a convex function of lambda is zero, by bisection on both sides of its minimum; windows reach to where it is
/// `touch` above and below.
fn convex(function: impl Fn(f64) -> f64, range: [f64; 2], touch: f64) -> Vec<Crossing> {
    let [mut low, mut high] = range;
    for _ in 0..120 {
        let (left, right) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
        if function(left) <= function(right) { high = right } else { low = left }
    }
    let least = 0.5 * (low + high);
    if function(least) > touch {
        return Vec::new();
    }
    // From outside, where the function is above the level, to the minimum, where it is not; the end if it never is.
    let meets = |level: f64, from: f64| {
        let (mut above, mut below) = (from, least);
        for _ in 0..80 {
            let middle = 0.5 * (above + below);
            if function(middle) > level { above = middle } else { below = middle }
        }
        above
    };
    let window = |ends: [f64; 2], touching: bool| Crossing {
        lambda: 0.5 * (ends[0] + ends[1]),
        half_width: 0.5 * (ends[1] - ends[0]).abs(),
        touching,
    };
    if function(least) > -touch {
        return vec![window(range.map(|end| meets(touch, end)), true)];
    }
    let crossed = range.into_iter().filter(|&end| function(end) > -touch);
    crossed.map(|end| window([meets(touch, end), meets(-touch, end)], false)).collect()
}

/// The gradient of a solid's distance.
fn gradient(solid: &Solid, point: DVec3) -> DVec3 {
    const STEP: f64 = 1e-6;
    DVec3::from_array(
        DVec3::AXES
            .map(|axis| (distance(solid, point + STEP * axis) - distance(solid, point - STEP * axis)) / (2.0 * STEP)),
    )
}

/// Windows in order, overlapping ones joined.
fn merged(mut windows: Vec<Window>) -> Vec<Window> {
    windows.sort_by(|a, b| a.low.total_cmp(&b.low));
    let mut joined: Vec<Window> = Vec::new();
    for window in windows {
        match joined.last_mut() {
            Some(last) if window.low <= last.high => {
                last.high = last.high.max(window.high);
                last.touching |= window.touching;
                last.leaves.extend(window.leaves);
            }
            _ => joined.push(window),
        }
    }
    joined
}

/// All leaves, depth first and left to right; paint regions do not count.
fn collect<'a>(shape: &'a Shape, place: Place, complemented: bool, layers: &[Layer<'a>], leaves: &mut Vec<Leaf<'a>>) {
    let with = |layer: Layer<'a>| layers.iter().cloned().chain([layer]).collect::<Vec<_>>();
    match shape {
        Shape::Solid(solid) => {
            let (solid, place) = place.of(solid);
            leaves.push(Leaf { solid, place, complemented, layers: layers.to_vec() });
        }
        Shape::Everything | Shape::Nothing => {}
        Shape::Union(of) | Shape::Intersection(of) => {
            of.iter().for_each(|child| collect(child, place, complemented, layers, leaves));
        }
        Shape::Difference(of) => {
            for (index, child) in of.iter().enumerate() {
                collect(child, place, complemented ^ (index > 0), layers, leaves);
            }
        }
        Shape::Complement(of) => collect(of, place, !complemented, layers, leaves),
        Shape::Transform { rotation, translation, of } => {
            collect(of, place.inner(DMat3::from_quat(*rotation), *translation), complemented, layers, leaves);
        }
        Shape::Map { linear, translation, of } => {
            collect(of, place.inner(*linear, *translation), complemented, layers, leaves);
        }
        Shape::Material { material, of } => {
            let layers = with(Layer { material: *material, region: None });
            collect(of, place, complemented, &layers, leaves);
        }
        Shape::Paint { material, region, of } => {
            let layers = with(Layer { material: *material, region: Some((region, place)) });
            collect(of, place, complemented, &layers, leaves);
        }
    }
}
