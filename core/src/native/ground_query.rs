//! Ground queries of eight wheels in scenes of a few convex cells: ground, shoulders, a house beside the runway.
//!
//! All of it in registers, since steps of landings query little else. Lanes that cannot be answered here are left to
//! [`SurfaceFinder`]: those that start inside, or run along a surface to within rounding; and all of them in scenes
//! with curved solids or boxes.
//!
//! # Conventions
//! As in [`crate::query::EntryPoint`]; crossings are those of [`HalfSpace::interval`], operation by operation.

use super::cell::ROUNDING;
use super::index::{Part, SceneIndex};
use super::surface::{NONE, Surface, SurfaceFinder};
use crate::lanes::{LANES, Lanes3, Mask, Vectorized, vectorized};
use crate::scene::{HalfSpace, LIMITS, Material, Node, Scene};
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};

/// [`NONE`] among numbers, which hold every u32.
pub(super) const NO_NUMBER: f64 = NONE as f64;

/// Half spaces of the layers of a coating that are looked at in lanes; where there are more the scene is asked point by
/// point.
const MAX_HALF_SPACES: usize = 32;

/// What wheels roll on: a scene's surfaces and what they are made of.
pub(super) struct Ground<'a> {
    pub finder: SurfaceFinder<'a>,
    pub materials: &'a [Material],
    scene: &'a Scene,
    /// The members of the outermost union, where all of them are cells and none has a box.
    cells: Vec<Vec<Face>>,
    /// Coatings of the faces.
    coatings: Vec<Coating>,
}

/// A half space of a cell, with numbers as lanes hold them.
struct Face {
    half_space: HalfSpace,
    leaf: f64,
    coating: f64,
}

/// What faces are made of.
struct Coating {
    /// As lanes hold it.
    number: f64,
    /// Materials and the cells where they apply, outermost first, where that are few.
    layers: Option<Vec<(f64, Vec<HalfSpace>)>>,
    default: f64,
}

/// What the wheels find below them.
pub(super) struct Found<S: Simd> {
    pub hit: Mask8<S>,
    pub lambda: F64x8<S>,
    pub normal: DVec3x8<S>,
    /// [`NO_NUMBER`] where the segment starts inside.
    pub leaf: F64x8<S>,
    /// [`NO_NUMBER`] where no material is named.
    pub material: F64x8<S>,
}

impl<'a> Ground<'a> {
    pub fn new(index: &'a SceneIndex) -> Self {
        let scene = index.scene();
        let cell = |part: &Part| match part {
            Part::Cell(cell) => Some((cell.first_leaf..).zip(index.half_spaces(*cell)).map(|(leaf, half_space)| {
                Face { half_space: *half_space, leaf: f64::from(leaf), coating: f64::from(scene.leaf(leaf).coating) }
            })),
            _ => None,
        };
        let members = if index.top.is_small() { index.top.members.as_slice() } else { &[] };
        let cells: Option<Vec<Vec<Face>>> = members.iter().map(|part| cell(part).map(Iterator::collect)).collect();
        let cells = cells.unwrap_or_default();
        let mut numbers: Vec<u32> = cells.iter().flatten().map(|face| face.coating as u32).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let coatings: Vec<Coating> = numbers.into_iter().map(|number| Coating::new(scene, number)).collect();
        Self { finder: SurfaceFinder::new(index), materials: scene.materials(), scene, cells, coatings }
    }

    /// Entry points of the segments from `x1` to `x2`, in the selected lanes; the others miss.
    #[inline(always)]
    pub fn find<S: Simd>(&self, x1: DVec3x8<S>, x2: DVec3x8<S>, lanes: Mask8<S>) -> Found<S> {
        if self.cells.is_empty() {
            return self.ask([x1, x2], lanes);
        }
        let mut found = Found::nothing(x1.x);
        let (zero, one) = (x1.x.like(0.0), x1.x.like(1.0));
        let mut coating = zero.like(NO_NUMBER);
        let limit = zero.like(LIMITS.magnitude);
        let valid = lanes & x1.is_within(limit) & x2.is_within(limit);
        let mut open = lanes & !valid;
        for cell in &self.cells {
            let (mut enter, mut exit) = (zero.like(f64::NEG_INFINITY), zero.like(f64::INFINITY));
            let (mut leaf, mut coat, mut normal) = (zero, zero, x1);
            for face in cell {
                let Crossing { enter: first, exit: last, doubtful } = Crossing::new(&face.half_space, x1, x2);
                open = open | (doubtful & lanes);
                let later = first.gt(enter);
                enter = later.select(first, enter);
                leaf = later.select(zero.like(face.leaf), leaf);
                coat = later.select(zero.like(face.coating), coat);
                normal = later.select3(DVec3x8::splat(zero.simd(), face.half_space.normal), normal);
                exit = last.min(exit);
            }
            let from_outside = enter.gt(zero);
            open = open | (valid & !from_outside & exit.ge(zero));
            let nearer = valid & from_outside & enter.le(exit) & enter.le(one) & enter.lt(found.lambda);
            found.hit = found.hit | nearer;
            found.lambda = nearer.select(enter, found.lambda);
            found.leaf = nearer.select(leaf, found.leaf);
            coating = nearer.select(coat, coating);
            found.normal = nearer.select3(normal, found.normal);
        }
        let point = x1 + (x2 - x1) * found.lambda;
        for coat in &self.coatings {
            let coated = found.hit & coating.eq(zero.like(coat.number));
            if coated.any() {
                found.material = coated.select(self.material(coat, point, coated), found.material);
            }
        }
        if open.any() { self.ask([x1, x2], open).or(open, &found) } else { found }
    }

    /// The material of a coating at points, in the selected lanes.
    #[inline(always)]
    fn material<S: Simd>(&self, coating: &Coating, point: DVec3x8<S>, lanes: Mask8<S>) -> F64x8<S> {
        let Some(layers) = &coating.layers else { return self.material_by_lane(coating.number as u32, point, lanes) };
        let mut material = point.x.like(coating.default);
        let mut bare = lanes;
        for (number, half_spaces) in layers {
            let mut covered = bare;
            for half_space in half_spaces {
                covered = covered & distance(half_space, &point).le(point.x.like(0.0));
            }
            material = covered.select(point.x.like(*number), material);
            bare = bare & !covered;
            if !bare.any() {
                break;
            }
        }
        material
    }

    /// The same, lane by lane: the scene knows which of many layers are near a point.
    fn material_by_lane<S: Simd>(&self, coating: u32, point: DVec3x8<S>, lanes: Mask8<S>) -> F64x8<S> {
        let mut materials = [NONE; LANES];
        let points = point.to_lanes();
        for lane in lanes.lanes() {
            let material = self.scene.material_of(coating, points.get(lane));
            materials[lane] = material.map_or(NONE, |material| material.0);
        }
        numbers(point.x.simd(), materials)
    }

    /// Evaluates each lane separately. The ends of the segments are values, which go to memory only for those that ask.
    #[inline(never)]
    fn ask<S: Simd>(&self, [x1, x2]: [DVec3x8<S>; 2], lanes: Mask8<S>) -> Found<S> {
        let simd = x1.x.simd();
        let (x1, x2, lanes) = (x1.to_lanes(), x2.to_lanes(), lanes.to_mask());
        let surface = vectorized(Ask { finder: &self.finder, x1: &x1, x2: &x2, lanes });
        Found {
            hit: Mask8::from_mask(simd, surface.hit),
            lambda: F64x8::from_array(simd, surface.lambda.0),
            normal: DVec3x8::from_lanes(simd, &surface.normal),
            leaf: numbers(simd, surface.leaf),
            material: numbers(simd, surface.material),
        }
    }
}

/// A question to the finder, which is no part of the step's own code: few steps ask it.
struct Ask<'f, 'a> {
    finder: &'f SurfaceFinder<'a>,
    x1: &'f Lanes3,
    x2: &'f Lanes3,
    lanes: Mask,
}

impl Vectorized for Ask<'_, '_> {
    type Output = Surface;
    #[inline(always)]
    fn run(self) -> Surface {
        self.finder.find(self.x1, self.x2, self.lanes)
    }
}

/// Words as numbers.
#[inline(always)]
pub(super) fn numbers<S: Simd>(simd: S, words: [u32; LANES]) -> F64x8<S> {
    let mut numbers = [0.0; LANES];
    for lane in 0..LANES {
        numbers[lane] = f64::from(words[lane]);
    }
    F64x8::from_array(simd, numbers)
}

impl Coating {
    fn new(scene: &Scene, number: u32) -> Self {
        let half_spaces = |region| match scene.node(region) {
            Node::Everything => Some(Vec::new()),
            Node::Cell(cell) => Some(cell.half_spaces.clone()),
            _ => None,
        };
        let layers = scene.coatings()[number as usize]
            .iter()
            .map(|layer| Some((f64::from(layer.material.0), layer.region.map_or(Some(Vec::new()), half_spaces)?)))
            .collect::<Option<Vec<_>>>()
            .filter(|layers| layers.iter().map(|(_, half_spaces)| half_spaces.len()).sum::<usize>() <= MAX_HALF_SPACES);
        let default = scene.default_material().map_or(NO_NUMBER, |material| f64::from(material.0));
        Self { number: f64::from(number), layers, default }
    }
}

impl<S: Simd> Found<S> {
    #[inline(always)]
    fn nothing(like: F64x8<S>) -> Self {
        let (zero, none) = (like.like(0.0), like.like(NO_NUMBER));
        Self {
            hit: Mask8::none(like.simd()),
            lambda: like.like(f64::INFINITY),
            normal: DVec3x8::new(zero, zero, zero),
            leaf: none,
            material: none,
        }
    }

    /// These in some lanes, others in the rest.
    #[inline(always)]
    fn or(self, lanes: Mask8<S>, others: &Self) -> Self {
        Self {
            hit: (lanes & self.hit) | (!lanes & others.hit),
            lambda: lanes.select(self.lambda, others.lambda),
            normal: lanes.select3(self.normal, others.normal),
            leaf: lanes.select(self.leaf, others.leaf),
            material: lanes.select(self.material, others.material),
        }
    }
}

/// x.n - d.
#[inline(always)]
fn distance<S: Simd>(half_space: &HalfSpace, point: &DVec3x8<S>) -> F64x8<S> {
    point.dot(DVec3x8::splat(point.x.simd(), half_space.normal)) - half_space.offset
}

/// Where lines are inside a half space: lambda in [enter, exit], nowhere when `enter > exit`.
struct Crossing<S: Simd> {
    enter: F64x8<S>,
    exit: F64x8<S>,
    /// Lines along the border of which rounding leaves open on which side they are.
    doubtful: Mask8<S>,
}

impl<S: Simd> Crossing<S> {
    #[inline(always)]
    fn new(half_space: &HalfSpace, x1: DVec3x8<S>, x2: DVec3x8<S>) -> Self {
        let zero = x1.x.like(0.0);
        let (infinity, mu1) = (zero.like(f64::INFINITY), distance(half_space, &x1));
        let slope = distance(half_space, &x2) - mu1;
        let crossing = -mu1 / slope;
        let mut enter = slope.lt(zero).select(crossing, -infinity);
        let exit = slope.gt(zero).select(crossing, infinity);
        let parallel = slope.eq(zero);
        let mut doubtful = zero.gt(zero);
        if parallel.any() {
            let normal = DVec3x8::splat(zero.simd(), half_space.normal.abs());
            let terms = DVec3x8::new(x1.x.abs(), x1.y.abs(), x1.z.abs()).dot(normal) + half_space.offset.abs();
            doubtful = parallel & mu1.abs().le(terms * ROUNDING);
            enter = (parallel & mu1.gt(zero)).select(infinity, enter);
        }
        Self { enter, exit, doubtful }
    }
}
