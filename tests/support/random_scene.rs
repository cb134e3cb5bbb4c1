//! Random shapes, and rays that look for trouble in them.
#![allow(dead_code, reason = "each test file uses its own part")]

use glam::{DMat3, DQuat, DVec3};
use touchdown::query::{Ray, RayStatus};
use touchdown::reference::Tracer;
use touchdown::scene::{Cone, Cylinder, Material, MaterialId, Scene, Shape, Solid, SurfaceDrag};

use super::random::Random;

const DEEPEST: usize = 6;
/// With all kinds of leaves and transforms.
const DEEPEST_OF_ALL: usize = 12;
const MAX_LEAVES: usize = 30;
const MATERIALS: u32 = 4;
/// Solids stand within this distance of the origin [m], before transforms.
const REACH: f64 = 5.0;
/// One scene in this many stands on whole numbers, so that faces and corners coincide exactly.
const LATTICE_PERIOD: usize = 10;

pub fn materials() -> Vec<Material> {
    (0..MATERIALS)
        .map(|number| Material {
            name: format!("material {number}"),
            static_friction: 0.6,
            dynamic_friction: 0.5,
            max_force: 1e5,
            dynamic_friction_by_speed: Vec::new(),
            drag: SurfaceDrag::default(),
        })
        .collect()
}

pub fn scene_of(shape: &Shape) -> Scene {
    Scene::new(shape, materials(), Some(MaterialId(0)), None).unwrap()
}

/// The random shape of this number.
pub fn random_shape(random: &mut Random, number: usize) -> Shape {
    let lattice = number.is_multiple_of(LATTICE_PERIOD);
    let leaves = 1 + random.index(MAX_LEAVES);
    Grower { random, lattice, all_kinds: false }.node(DEEPEST, leaves)
}

/// The random shape of this number, also of the leaves and under the maps that only engines in f64 know.
pub fn random_shape_of_all_kinds(random: &mut Random, number: usize) -> Shape {
    let lattice = number.is_multiple_of(LATTICE_PERIOD);
    let leaves = 1 + random.index(MAX_LEAVES);
    Grower { random, lattice, all_kinds: true }.node(DEEPEST_OF_ALL, leaves)
}

struct Grower<'a> {
    random: &'a mut Random,
    lattice: bool,
    all_kinds: bool,
}

impl Grower<'_> {
    /// A tree of at most this depth and number of leaves.
    fn node(&mut self, depth: usize, leaves: usize) -> Shape {
        if depth <= 1 || (leaves == 1 && self.random.chance(0.6)) {
            return self.leaf();
        }
        if leaves > 1 && self.random.chance(0.75) {
            return self.group(depth, leaves);
        }
        let child = self.node(depth - 1, leaves);
        match self.random.index(4) {
            0 => child.complement(),
            1 => child.made_of(self.material()),
            2 => {
                let region = self.node(depth.min(3) - 1, 3);
                child.painted(self.material(), region)
            }
            _ => self.moved(child),
        }
    }

    fn group(&mut self, depth: usize, leaves: usize) -> Shape {
        let count = 2 + self.random.index(leaves.min(7) - 1);
        let children: Vec<Shape> = (0..count).map(|_| self.node(depth - 1, (leaves / count).max(1))).collect();
        match self.random.index(5) {
            0 | 1 => Shape::union(children),
            2 | 3 => Shape::intersection(children),
            _ => Shape::Difference(children.into_iter().map(Into::into).collect()),
        }
    }

    fn leaf(&mut self) -> Shape {
        if self.all_kinds && self.random.chance(0.6) {
            return self.new_leaf();
        }
        match self.random.index(20) {
            0 => Shape::Everything,
            1 => Shape::Nothing,
            2..=11 => {
                let (normal, distance) = (self.axis(), self.length(-3.0, 3.0));
                let scale = if self.lattice { 1.0 } else { self.random.between(0.1, 10.0) };
                Shape::half_space(scale * normal, scale * distance)
            }
            12..=15 => {
                let center = self.place();
                Shape::sphere(center, self.length(0.0, 4.0))
            }
            kind => Shape::Solid(Solid::Cylinder(Cylinder {
                center: self.place(),
                axis: self.axis(),
                radius: self.length(0.0, 3.0),
                half_height: (kind > 17).then(|| self.length(0.0, 4.0)),
            })),
        }
    }

    fn new_leaf(&mut self) -> Shape {
        let rotation = if self.lattice { DQuat::IDENTITY } else { self.random.rotation() };
        match self.random.index(6) {
            0 => {
                let axes = DVec3::from_array([0; 3].map(|_| self.length(0.3, 5.0).max(0.3)));
                Shape::ellipsoid(self.place(), axes, rotation)
            }
            1 => Shape::capsule(self.place(), self.place(), self.length(0.0, 3.0)),
            2 => {
                let angle = self.random.between(0.1, 1.4);
                let angle = if self.lattice { std::f64::consts::FRAC_PI_4 } else { angle };
                Shape::Solid(Solid::Cone(Cone::infinite(self.place(), self.axis(), angle)))
            }
            3 => {
                let half = DVec3::from_array([0; 3].map(|_| self.length(0.5, 4.0)));
                Shape::cuboid(self.place(), half, rotation)
            }
            _ => {
                let (radius, top_radius) = (self.length(0.0, 4.0), self.length(0.0, 4.0));
                let height = self.length(0.5, 5.0);
                Shape::Solid(Solid::Cone(Cone::frustum(self.place(), self.axis(), height, radius, top_radius)))
            }
        }
    }

    /// A map that scales, mirrors or shears.
    fn map(&mut self) -> DMat3 {
        if self.lattice {
            let factors = [-1.0, 1.0, 2.0];
            return DMat3::from_diagonal(DVec3::from_array([0; 3].map(|_| factors[self.random.index(3)])));
        }
        let stretch = DVec3::from_array([0; 3].map(|_| {
            let factor = self.random.between(0.5, 2.0);
            if self.random.chance(0.3) { -factor } else { factor }
        }));
        let turn = |random: &mut Random| DMat3::from_quat(random.rotation());
        turn(self.random) * DMat3::from_diagonal(stretch) * turn(self.random)
    }

    fn moved(&mut self, child: Shape) -> Shape {
        let translation = self.place();
        if self.all_kinds && self.random.chance(0.5) {
            let linear = if self.random.chance(0.2) { DMat3::from_diagonal(DVec3::splat(-1.5)) } else { self.map() };
            return child.mapped(linear, translation);
        }
        if self.lattice {
            return child.translated(translation);
        }
        let rotation: DQuat = self.random.rotation();
        child.rotated(rotation).translated(translation)
    }

    fn material(&mut self) -> MaterialId {
        MaterialId(self.random.index(MATERIALS as usize) as u32)
    }

    fn axis(&mut self) -> DVec3 {
        if self.lattice {
            let axis = DVec3::AXES[self.random.index(3)];
            return if self.random.chance(0.5) { axis } else { -axis };
        }
        self.random.direction()
    }

    fn place(&mut self) -> DVec3 {
        let place = self.random.in_cube(REACH);
        if self.lattice { place.round() } else { place }
    }

    fn length(&mut self, low: f64, high: f64) -> f64 {
        let length = self.random.between(low, high);
        if self.lattice { length.round() } else { length }
    }
}

/// A ray, and whether it was made to touch, to start on a border or to run in one.
pub struct TestRay {
    pub ray: Ray,
    pub degenerate: bool,
}

/// A ray of a random kind.
pub fn random_ray(random: &mut Random, tracer: &Tracer<'_>) -> TestRay {
    let general = Ray::segment(random.in_cube(12.0), random.in_cube(12.0));
    let plain = |ray| TestRay { ray, degenerate: false };
    let degenerate = |ray| TestRay { ray, degenerate: true };
    match random.index(20) {
        0..=8 => plain(general),
        9..=11 => {
            let lambda1 = random.between(-2.0, 2.0);
            let lambda2 = lambda1 + random.between(0.0, 3.0);
            plain(Ray { lambda1, lambda2, ..general })
        }
        12..=14 => plain(from_inside(random, tracer, general)),
        15 => plain(Ray { x2: general.x1, ..general }),
        16 => degenerate(Ray::segment(general.x1.round(), general.x2.round())),
        kind => degenerate(from_border(random, tracer, general, kind)),
    }
}

/// A ray that starts inside the scene, where a few trials find such a place.
fn from_inside(random: &mut Random, tracer: &Tracer<'_>, general: Ray) -> Ray {
    let scene = tracer.scene();
    let mut places = std::iter::repeat_with(|| random.in_cube(6.0)).take(20);
    let inside = places.find(|&place| scene.contains(scene.root(), place));
    Ray { x1: inside.unwrap_or(general.x1), ..general }
}

/// A ray that starts on a border, runs along one, or is a single point of one.
fn from_border(random: &mut Random, tracer: &Tracer<'_>, general: Ray, kind: usize) -> Ray {
    let entry = tracer.entry_point(&general);
    if entry.status != RayStatus::Hit || entry.leaf.is_none() {
        return general;
    }
    let place = general.at(entry.lambda);
    match kind {
        17 => Ray::segment(place, general.x1),
        18 => Ray::segment(place, place),
        _ => {
            let across = random.direction().cross(entry.normal.normalize());
            Ray::segment(place - 6.0 * across, place + 6.0 * across)
        }
    }
}
