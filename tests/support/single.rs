//! An engine in f32 on the processor: the formulas of the library's solids written once more, over the tree of the
//! scene. It stands in for a device, as exact as IEEE 754 has it or as loose as WGSL allows, and may have a fault.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::altered::Altered;
use glam::DVec3;
use touchdown::query::{EntryPoint, EntryPoints, Ray, RayStatus};
use touchdown::scene::center;
use touchdown::scene::{Leaf, Node, NodeId, Scene, Solid};
use touchdown::validation::BackwardError;

/// A number that a device computes with.
pub trait Real:
    Copy
    + PartialOrd
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    fn narrow(number: f64) -> Self;
    fn wide(self) -> f64;
    fn sqrt(self) -> Self;
}

impl Real for f32 {
    fn narrow(number: f64) -> Self {
        number as Self
    }

    fn wide(self) -> f64 {
        f64::from(self)
    }

    fn sqrt(self) -> Self {
        self.sqrt()
    }
}

/// f32 with the loosest rounding that WGSL allows: up or down as the bits have it, quotients off by up to 2.5 units in
/// the last place, roots by 4.5.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Loose(f32);

/// A number in [-1, 1) that depends on all bits.
fn scatter(number: f64) -> f64 {
    let mut bits = number.to_bits();
    bits = (bits ^ (bits >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    f64::from((bits ^ (bits >> 32)) as u32 as i32) / 2f64.powi(31)
}

/// One of the two neighbours of an exact result.
fn up_or_down(exact: f64) -> Loose {
    let nearest = exact as f32;
    if f64::from(nearest) == exact || !nearest.is_finite() || !nearest.is_normal() {
        return Loose(nearest);
    }
    let other = if f64::from(nearest) < exact { nearest.next_up() } else { nearest.next_down() };
    Loose(if scatter(exact) < 0.0 { nearest } else { other })
}

/// A result that may be off by this many units in the last place.
fn off_by(exact: f64, units: f64) -> Loose {
    let nearest = exact as f32;
    let unit = f64::from(nearest.abs().next_up()) - f64::from(nearest.abs());
    // Half a unit is left for the narrowing.
    Loose((exact + scatter(exact) * (units - 0.5) * unit) as f32)
}

impl Add for Loose {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        up_or_down(f64::from(self.0) + f64::from(other.0))
    }
}

impl Sub for Loose {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        up_or_down(f64::from(self.0) - f64::from(other.0))
    }
}

impl Mul for Loose {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        up_or_down(f64::from(self.0) * f64::from(other.0))
    }
}

impl Div for Loose {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        off_by(f64::from(self.0) / f64::from(other.0), 2.5)
    }
}

impl Neg for Loose {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Real for Loose {
    fn narrow(number: f64) -> Self {
        Self(number as f32)
    }

    fn wide(self) -> f64 {
        f64::from(self.0)
    }

    fn sqrt(self) -> Self {
        off_by(f64::from(self.0).sqrt(), 4.5)
    }
}

type Vector<T> = [T; 3];

fn narrow<T: Real>(v: DVec3) -> Vector<T> {
    v.to_array().map(T::narrow)
}

fn dot<T: Real>(a: Vector<T>, b: Vector<T>) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn plus<T: Real>(a: Vector<T>, b: Vector<T>) -> Vector<T> {
    std::array::from_fn(|k| a[k] + b[k])
}

fn minus<T: Real>(a: Vector<T>, b: Vector<T>) -> Vector<T> {
    std::array::from_fn(|k| a[k] - b[k])
}

fn times<T: Real>(s: T, a: Vector<T>) -> Vector<T> {
    a.map(|x| s * x)
}

fn length<T: Real>(a: Vector<T>) -> T {
    dot(a, a).sqrt()
}

fn least<T: Real>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

fn greatest<T: Real>(a: T, b: T) -> T {
    if b > a { b } else { a }
}

/// Lambdas inside a solid.
#[derive(Clone, Copy)]
pub struct Span<T> {
    pub enter: T,
    pub exit: T,
    flat: bool,
}

fn span<T: Real>(enter: f64, exit: f64, flat: bool) -> Span<T> {
    Span { enter: T::narrow(enter), exit: T::narrow(exit), flat }
}

fn everywhere_or_nowhere<T: Real>(distance: T) -> Span<T> {
    let (sign, infinity) = (distance.wide(), f64::INFINITY);
    if sign > 0.0 { span(infinity, -infinity, false) } else { span(-infinity, infinity, sign == 0.0) }
}

impl<T: Real> Span<T> {
    fn hull(self, other: Self) -> Self {
        Self { enter: least(self.enter, other.enter), exit: greatest(self.exit, other.exit), flat: false }
    }

    fn and(self, other: Self) -> Self {
        Self {
            enter: greatest(self.enter, other.enter),
            exit: least(self.exit, other.exit),
            flat: self.flat || other.flat,
        }
    }
}

fn half_space<T: Real>(normal: Vector<T>, offset: T, x1: Vector<T>, x2: Vector<T>) -> Span<T> {
    let (mu1, mu2) = (dot(normal, x1) - offset, dot(normal, x2) - offset);
    let fall = mu1 - mu2;
    if fall.wide() == 0.0 {
        return everywhere_or_nowhere(mu1);
    }
    let crossing = mu1 / fall;
    let line: Span<T> = span(f64::NEG_INFINITY, f64::INFINITY, false);
    if fall.wide() > 0.0 { Span { enter: crossing, ..line } } else { Span { exit: crossing, ..line } }
}

fn ball<T: Real>(offset: Vector<T>, direction: Vector<T>, radius: T) -> Span<T> {
    let a = dot(direction, direction);
    let distance = length(offset);
    if a.wide() < 1e-30 {
        return everywhere_or_nowhere(distance - radius);
    }
    let middle = -dot(offset, direction) / a;
    let nearest = length(plus(offset, times(middle, direction)));
    let squared = (radius - nearest) * (radius + nearest) / a;
    if squared.wide() < 0.0 {
        return span(f64::INFINITY, f64::NEG_INFINITY, false);
    }
    let (near, far) = (middle - squared.sqrt(), middle + squared.sqrt());
    let product = (distance - radius) * (distance + radius) / a;
    let (mut enter, mut exit) = (near, far);
    if middle.wide() > 0.0 && far.wide() > 0.0 {
        enter = greatest(-far, least(product / far, far));
    } else if middle.wide() < 0.0 && near.wide() < 0.0 {
        exit = least(-near, greatest(product / near, near));
    }
    Span { enter, exit, flat: false }
}

/// Where a ray is inside a solid, all lengths narrowed relative to `origin`; `sign` is that of the z of normals.
pub fn inside<T: Real>(solid: &Solid, ray: &Ray, origin: DVec3, sign: f64) -> Span<T> {
    let (x1, x2) = (narrow::<T>(ray.x1 - origin), narrow::<T>(ray.x2 - origin));
    let direction = minus(x2, x1);
    match solid {
        Solid::HalfSpace(plane) => {
            let size = plane.normal.length();
            let normal = plane.normal / size;
            let offset = T::narrow(plane.offset / size - normal.dot(origin));
            half_space(narrow(normal * DVec3::new(1.0, 1.0, sign)), offset, x1, x2)
        }
        Solid::Stretched(stretched) => {
            let scale = stretched.least_stretch;
            let columns = (scale * stretched.to_local).to_cols_array_2d().map(|column| column.map(T::narrow));
            let to_local = |v: Vector<T>| {
                let [x, y, z] = [0, 1, 2].map(|k| times(v[k], columns[k]));
                plus(plus(x, y), z)
            };
            let offset = to_local(minus(x1, narrow(stretched.center - origin)));
            let base = &stretched.base;
            curved(base, scale, minus(offset, narrow(scale * middle(base))), to_local(direction))
        }
        solid => curved(solid, 1.0, minus(x1, narrow(middle(solid) - origin)), direction),
    }
}

/// What a curved solid's numbers are relative to here.
fn middle(solid: &Solid) -> DVec3 {
    match solid {
        Solid::Capsule(capsule) => 0.5 * (capsule.from + capsule.to),
        other => other.reference_point(),
    }
}

/// Where a line is inside a curved solid with all lengths times `scale`, from its place relative to the solid's middle.
fn curved<T: Real>(solid: &Solid, scale: f64, offset: Vector<T>, direction: Vector<T>) -> Span<T> {
    let length = |length: f64| T::narrow(scale * length);
    match solid {
        Solid::Sphere(sphere) => ball(offset, direction, length(sphere.radius)),
        Solid::Cylinder(cylinder) => {
            let ends = cylinder.half_height.map(|half| [length(half), length(half)]);
            let axis = narrow(cylinder.axis);
            let side = ball(across(axis, offset), across(axis, direction), length(cylinder.radius));
            between_caps(side, axis, ends, offset, direction)
        }
        Solid::Cone(cone) => {
            let [cosine, sine] = [1.0, cone.slope].map(|part| T::narrow(part / cone.slope.hypot(1.0)));
            let axis = narrow(cone.axis);
            let base_radius = length(cone.radius / cone.slope.hypot(1.0));
            let side = cone_side(
                times(cosine, across(axis, offset)),
                times(cosine, across(axis, direction)),
                base_radius + sine * dot(offset, axis),
                sine * dot(direction, axis),
            );
            between_caps(side, axis, cone.height.map(|height| [length(height), T::narrow(0.0)]), offset, direction)
        }
        Solid::Capsule(capsule) => {
            let half = 0.5 * (capsule.to - capsule.from);
            let (axis, radius, half) =
                (narrow(half.try_normalize().unwrap_or(DVec3::Z)), length(capsule.radius), length(half.length()));
            let end = times(half, axis);
            let side = ball(across(axis, offset), across(axis, direction), radius);
            let shaft = between_caps(side, axis, Some([half, half]), offset, direction);
            let balls = ball(minus(offset, end), direction, radius).hull(ball(plus(offset, end), direction, radius));
            if shaft.enter > shaft.exit { balls } else { balls.hull(shaft) }
        }
        Solid::HalfSpace(_) | Solid::Stretched(_) => unreachable!(),
    }
}

fn across<T: Real>(axis: Vector<T>, v: Vector<T>) -> Vector<T> {
    minus(v, times(dot(v, axis), axis))
}

/// The part of a span between caps at these heights above and below.
fn between_caps<T: Real>(
    side: Span<T>,
    axis: Vector<T>,
    caps: Option<[T; 2]>,
    offset: Vector<T>,
    direction: Vector<T>,
) -> Span<T> {
    caps.map_or(side, |[above, below]| {
        let end = plus(offset, direction);
        side.and(half_space(axis, above, offset, end)).and(half_space(axis.map(|x| -x), below, offset, end))
    })
}

/// Where |p + lambda q| <= r + lambda g.
fn cone_side<T: Real>(p: Vector<T>, q: Vector<T>, r: T, g: T) -> Span<T> {
    let speed = length(q);
    let growth = greatest(g, -g);
    let line: Span<T> = span(f64::NEG_INFINITY, f64::INFINITY, false);
    let nowhere = span(f64::INFINITY, f64::NEG_INFINITY, false);
    let nothing = T::narrow(0.0);
    if greatest(speed, growth).wide() < 1e-15 {
        return everywhere_or_nowhere(length(p) - r);
    }
    if speed < growth {
        let pivot = -r / g;
        let apex = plus(p, times(pivot, q));
        let a = (growth - speed) * (growth + speed);
        let b = if g > nothing { dot(apex, q) } else { -dot(apex, q) };
        let c = dot(apex, apex);
        let root = (b * b + a * c).sqrt();
        let way = if b >= nothing { (b + root) / a } else { c / (root - b) };
        return if g > nothing { Span { enter: pivot + way, ..line } } else { Span { exit: pivot - way, ..line } };
    }
    let pivot = -dot(p, q) / (speed * speed);
    let nearest = length(plus(p, times(pivot, q)));
    let radius = r + pivot * g;
    let a = (speed - growth) * (speed + growth);
    let (wide, narrow) = (speed * radius, a.sqrt() * nearest);
    if radius < nothing || wide < narrow {
        return nowhere;
    }
    let middle = radius * g;
    let far = greatest(middle, -middle) + ((wide - narrow) * (wide + narrow)).sqrt();
    if far.wide() < 1e-30 {
        return if a > nothing { Span { enter: pivot, exit: pivot, flat: false } } else { nowhere };
    }
    let near_root = (nearest - radius) * (nearest + radius) / far;
    let far_root = if a > nothing { far / a } else { T::narrow(f64::INFINITY) };
    if middle >= nothing {
        Span { enter: pivot + near_root, exit: pivot + far_root, flat: false }
    } else {
        Span { enter: pivot - far_root, exit: pivot - near_root, flat: false }
    }
}

/// What is wrong with an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// The z of normals has the wrong sign.
    NormalSign,
    /// `<=` stands where `>=` should where a search asks whether it is past an exit.
    ExitComparison,
    /// The scene's first leaf is forgotten.
    LeafLeftOut,
    /// Lambda is off by ten times its bound.
    LambdaOff,
}

/// The engine.
pub struct Single<T> {
    fault: Fault,
    number: std::marker::PhantomData<fn() -> T>,
}

impl<T: Real + 'static> Single<T> {
    /// The engine: its rays are answered so.
    pub fn engine(fault: Fault) -> Altered {
        let single = Self { fault, number: std::marker::PhantomData };
        Altered::new().answering::<EntryPoints>(move |_, scene, rays| {
            let origin = center(scene);
            rays.iter().map(|ray| single.entry_point(scene, origin, ray)).collect()
        })
    }
}

#[derive(Clone, Copy)]
struct Candidate<T> {
    lambda: T,
    leaf: Option<u32>,
    border: bool,
}

struct Search<'a, T> {
    scene: &'a Scene,
    spans: Vec<Span<T>>,
    fault: Fault,
}

impl<T: Real> Search<'_, T> {
    /// The first point of a node's set, from lambda `from` on.
    fn earliest(&self, node: NodeId, from: T) -> Option<Candidate<T>> {
        let nothing = |from: T| Candidate { lambda: from, leaf: None, border: false };
        match self.scene.node(node) {
            Node::Everything => Some(nothing(from)),
            Node::Nothing => None,
            Node::Leaf(number) => self.in_leaf(*number, from),
            Node::Cell(cell) => fixed_point(from, |from| {
                (cell.first_leaf..)
                    .take(cell.half_spaces.len())
                    .filter(|&number| !(self.fault == Fault::LeafLeftOut && number == 0))
                    .try_fold(nothing(from), |best, number| self.in_leaf(number, from).map(|next| later(best, next)))
            }),
            Node::Union(children) => {
                let all = children.iter().filter_map(|&child| self.earliest(child, from));
                all.reduce(|best, next| if next.lambda < best.lambda { next } else { best })
            }
            Node::Intersection(children) => fixed_point(from, |from| {
                let mut all = children.iter().map(|&child| self.earliest(child, from));
                all.try_fold(nothing(from), |best, next| next.map(|next| later(best, next)))
            }),
        }
    }

    fn in_leaf(&self, number: u32, from: T) -> Option<Candidate<T>> {
        let span = self.spans[number as usize];
        let lambda = if self.scene.leaf(number).complemented {
            if self.fault == Fault::LeafLeftOut && number == 0 {
                return None;
            }
            if from > span.enter && from < span.exit && !span.flat { span.exit } else { from }
        } else {
            let past = if self.fault == Fault::ExitComparison { from <= span.exit } else { from > span.exit };
            if past || span.enter > span.exit || (self.fault == Fault::LeafLeftOut && number == 0) {
                return None;
            }
            greatest(from, span.enter)
        };
        let within = lambda >= span.enter && lambda <= span.exit;
        let border = lambda == span.enter || lambda == span.exit || (span.flat && within);
        Some(Candidate { lambda, leaf: Some(number), border })
    }

    fn first(&self, from: T, until: T) -> Option<Candidate<T>> {
        self.earliest(self.scene.root(), from).filter(|found| found.lambda <= until)
    }
}

/// What the last pass gives that is beyond where it began, or the first.
fn fixed_point<T: Real>(from: T, pass: impl Fn(T) -> Option<Candidate<T>>) -> Option<Candidate<T>> {
    let mut found = pass(from)?;
    loop {
        let next = pass(found.lambda)?;
        if next.lambda == found.lambda {
            return Some(found);
        }
        found = next;
    }
}

fn later<T: Real>(a: Candidate<T>, b: Candidate<T>) -> Candidate<T> {
    let rank = |candidate: Candidate<T>| (candidate.border, candidate.leaf.is_some());
    if b.lambda > a.lambda || (b.lambda == a.lambda && rank(b) > rank(a)) { b } else { a }
}

impl<T: Real + 'static> Single<T> {
    fn entry_point(&self, scene: &Scene, origin: DVec3, ray: &Ray) -> EntryPoint {
        if !ray.is_valid() {
            return EntryPoint::none(RayStatus::BadInput);
        }
        let sign = if self.fault == Fault::NormalSign { -1.0 } else { 1.0 };
        let spans = scene.leaves().iter().map(|leaf| inside(&leaf.solid, ray, origin, sign)).collect();
        let search = Search { scene, spans, fault: self.fault };
        let Some(found) = search.first(T::narrow(ray.lambda1), T::narrow(ray.lambda2)) else {
            return EntryPoint::none(RayStatus::Miss);
        };
        let mut lambda = found.lambda.wide().clamp(ray.lambda1, ray.lambda2);
        let border = found.leaf.filter(|_| found.border).map(|number| (number, scene.leaf(number)));
        if self.fault == Fault::LambdaOff
            && let Some((_, Leaf { solid, .. })) = border
            && let Some(bound) = BackwardError::new(ray, origin).of_crossing(solid, lambda, lambda)
        {
            lambda += 10.0 * bound;
        }
        let point = ray.at(lambda);
        EntryPoint {
            status: RayStatus::Hit,
            lambda,
            normal: border.map_or(DVec3::ZERO, |(_, leaf)| leaf.normal(point)),
            leaf: border.map(|(number, _)| number),
            material: found.leaf.map_or(scene.default_material(), |number| scene.material_at(number, point)),
        }
    }
}
