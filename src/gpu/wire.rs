//! Wire formats: the only place where f64 becomes f32. Structures are declared once, for both sides (`structure`).
//!
//! # Conventions
//! Lengths in metres relative to the scene's origin ([`SceneWire::origin`]), subtracted in f64 before conversion. Half
//! spaces have unit normals.

mod ball_world;
mod bvh;
mod constants;
mod deck_landing;
mod ellipsoid;
mod landing;
mod layout;
mod oriented;
mod paint;
mod particle;
mod program;
mod side_by_side;
mod structure;
mod unbounded;
mod vehicle;
mod wheel;

use std::fmt::Display;

use glam::DVec3;

pub(super) use ball_world::{BallUnit, ENDED, FULL, Row, go_on, set_slice};
pub(super) use bvh::{
    CHILDREN_BITS, HierarchyPlan, MAX_PLACES, OverlapQueryWire, Position, QueryAnswer, QueryWord, TreeBox,
    overlap_structures,
};
pub(super) use constants::STRETCHED_CONSTANTS;
pub(super) use deck_landing::{DECK_GRID, DeckItemWire, DeckSharedWire, DeckStateWire, deck_structures};
pub(super) use ellipsoid::{ContactWord, PairAnswer, PairWire, Scale, WallAnswer, WallWire};
pub(super) use landing::{Flag, GROUND_KNOWN, GROUND_OLD, LandingWire, STATE_BITS, Slice, StateView};
pub(super) use layout::StateLayout;
pub(super) use oriented::{ConfigurationWire, FIRST_SURFACE, InitiatorWire, OUTSIDE, TargetsWire, oriented_structures};
pub(super) use paint::{GRID_WORDS, GRIDDED};
pub(super) use particle::{
    PARTICLE_ROWS, ParticleRows, ParticleState, ParticleUnit, ParticleWire, particle_structures,
};
pub(super) use program::{ProgramHead, ProgramWire};
pub(super) use side_by_side::{LANES, unweave, weave, words_of};
pub(super) use structure::{Field, Matrix, OnDevice, Structure, array_of, largest, on_device};
pub(super) use unbounded::{BEYOND, INFINITE, LEAST_UNDEFINED, UNDEFINED, narrowed, widened};
pub(super) use vehicle::VehicleWire;
pub(super) use wheel::{
    MATERIAL_SHIFT, OVER_MAX_FORCE, PrescribedFrame, PrescribedWheel, WheelResult, WheelRun, wheel_structures,
};

use self::constants::Constants;
use self::paint::PaintWire;
use super::GpuError;
use crate::program::walk::{self, Walk};
use crate::query::Ray;
use crate::scene::{Material, Scene};

/// Largest length that is sent to a device \[m\]: squares of it stay far below the largest f32.
pub(super) const MAX_LENGTH: f64 = 1e9;
/// Stands for infinity, which WGSL need not know: no length, lambda or force comes near.
pub(super) const FAR: f32 = 1e30;
/// Where the faces of a box stand that has none on a side \[m\]: beyond all points of rays, whose lambda of up to 1e9 takes
/// them 2e18 m far, and products with the inverse slopes of rays, at most 1e20, stay below the largest f32.
const BOUNDLESS: f64 = 3e18;
/// Largest number of a vehicle that is sent to a device, in SI units: far above what any has.
const MAX_PARAMETER: f64 = 1e12;
/// No material.
pub(super) const MATERIAL_NONE: u32 = u32::MAX;
/// Size of the cells in which frames stand \[m\]: coordinates in a frame stay small, and shifts by whole cells are exact.
pub(super) const FRAME_CELL: f64 = 16.0;

/// What a stop tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum StopKind {
    Cell = 0,
    Ball = 1,
    Cylinder = 2,
    Box = 3,
    Cone = 4,
    Capsule = 5,
}

impl StopKind {
    pub const ALL: [Self; 6] = [Self::Cell, Self::Ball, Self::Cylinder, Self::Box, Self::Cone, Self::Capsule];

    /// Name in the shaders.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cell => "STOP_CELL",
            Self::Ball => "STOP_BALL",
            Self::Cylinder => "STOP_CYLINDER",
            Self::Box => "STOP_BOX",
            Self::Cone => "STOP_CONE",
            Self::Capsule => "STOP_CAPSULE",
        }
    }
}

/// Bits of a stop's first word above its kind; the number of a cell's half spaces is stored above them.
pub(super) const STOP_COMPLEMENTED: u32 = 1 << 3;
pub(super) const STOP_EXACT: u32 = 1 << 4;
/// The leaf's solid is in stretched coordinates.
pub(super) const STOP_STRETCHED: u32 = 1 << 5;
pub(super) const STOP_COUNT_SHIFT: u32 = 8;

/// No border: the ray starts inside.
pub(super) const NO_STOP: u32 = u32::MAX;

/// How a ray ended, in the lowest bits of its answer. Zero is no answer: buffers are cleared before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum RayStatusWord {
    Miss = 1,
    Hit = 2,
    NotConverged = 3,
    /// The ray stands for one that could not be sent.
    BadInput = 4,
}

impl RayStatusWord {
    pub const ALL: [Self; 4] = [Self::Miss, Self::Hit, Self::NotConverged, Self::BadInput];

    /// Name in the shaders.
    pub fn name(self) -> &'static str {
        match self {
            Self::Miss => "RAY_MISS",
            Self::Hit => "RAY_HIT",
            Self::NotConverged => "RAY_NOT_CONVERGED",
            Self::BadInput => "RAY_BAD_INPUT",
        }
    }
}

/// Bits of the status; the leaf is stored above them.
pub(super) const STATUS_BITS: u32 = 3;
/// The leaf of a ray that starts inside.
pub(super) const LEAF_NONE: u32 = u32::MAX >> STATUS_BITS;

/// Where a walk goes on.
pub(super) struct Target;

impl Target {
    pub const INSIDE: u32 = u32::MAX;
    pub const OUTSIDE: u32 = u32::MAX - 1;
    pub const EVERYWHERE: u32 = u32::MAX - 2;

    fn word(target: walk::Target) -> u32 {
        match target {
            walk::Target::Stop(number) => number,
            walk::Target::Inside => Self::INSIDE,
            walk::Target::Outside => Self::OUTSIDE,
        }
    }
}

on_device! {
    /// Offsets of the parts of a scene in its buffers.
    SceneHead {
        start: u32,
        coatings_at: u32,
        layers_at: u32,
        materials_at: u32,
        default_material: u32,
        /// Rounds of loops that an item may run.
        rounds: u32,
        curves_at: u32,
        ranks_at: u32,
    }
}

/// A scene for a device.
#[derive(Clone, Debug)]
pub(super) struct SceneWire {
    /// The point that all lengths are relative to, world \[m\].
    pub origin: DVec3,
    pub head: SceneHead,
    pub stops: Vec<[u32; 4]>,
    pub constants: Vec<[f32; 4]>,
    pub tables: Vec<u32>,
}

impl SceneWire {
    /// Lays out a scene; `rounds` is the number of rounds of loops that an item may run.
    pub fn new(scene: &Scene, rounds: u32) -> Result<Self, GpuError> {
        let walk = Walk::compile(scene);
        let origin = crate::scene::center(scene);
        let mut constants = Constants { origin, values: Vec::new() };
        let mut stops = Vec::with_capacity(walk.stops().len());
        for stop in walk.stops() {
            stops.push(constants.stop(stop)?);
        }
        let mut tables: Vec<u32> = walk.stops().iter().map(|stop| stop.leaf).collect();
        let grids_at = tables.len() as u32;
        let paint = PaintWire::new(scene, &walk, origin, grids_at);
        tables.extend(paint.grids);
        let coatings_at = tables.len() as u32;
        tables.extend(paint.coatings);
        let layers_at = tables.len() as u32;
        tables.extend(paint.layers);
        let materials_at = constants.values.len() as u32;
        for material in scene.materials() {
            constants.values.extend(material_constants(material)?);
        }
        let curves_at = tables.len() as u32;
        for material in scene.materials() {
            for (rows, key) in [
                (&material.dynamic_friction_by_speed, "dynamic_friction_by_speed"),
                (&material.drag.rolling_resistance_by_speed, "rolling_resistance_by_speed"),
            ] {
                tables.extend([constants.values.len() as u32, rows.len() as u32]);
                let what = format!("a number of `{key}` of material `{}`", material.name);
                constants.values.extend(curve(rows, &what).collect::<Result<Vec<_>, _>>()?);
            }
        }
        let ranks_at = tables.len() as u32;
        tables.extend(walk.stops().iter().map(|stop| stop.rank));
        let head = SceneHead {
            start: Target::word(walk.start()),
            coatings_at,
            layers_at,
            materials_at,
            default_material: walk.default_material().map_or(MATERIAL_NONE, |material| material.0),
            rounds,
            curves_at,
            ranks_at,
        };
        Ok(Self { origin, head, stops, constants: constants.values, tables })
    }
}

/// A number of a vehicle, a wheel or a material; `what` names it in an error.
fn number(value: f64, what: impl Display) -> Result<f32, GpuError> {
    if value.abs() <= MAX_PARAMETER {
        Ok(value as f32)
    } else {
        Err(GpuError::OutOfRange { what: format!("{what} ({value:e})"), limit: MAX_PARAMETER, unit: "" })
    }
}

/// Static friction, dynamic friction, greatest force \[N\], rolling resistance; depth \[m\] and density \[kg/m^3\] of a
/// fluid on it.
fn material_constants(material: &Material) -> Result<[[f32; 4]; 2], GpuError> {
    let number = |value, key: &str| number(value, format_args!("`{key}` of material `{}`", material.name));
    let drag = &material.drag;
    let max_force = material.max_force.min(f64::from(FAR)) as f32;
    Ok([
        [
            number(material.static_friction, "static_friction")?,
            number(material.dynamic_friction, "dynamic_friction")?,
            max_force,
            number(drag.rolling_resistance, "rolling_resistance")?,
        ],
        [number(drag.fluid_depth, "fluid_depth")?, number(drag.fluid_density, "fluid_density")?, 0.0, 0.0],
    ])
}

/// Rows of speed \[m/s\], coefficient and its slope to the next row; level after the last. `what` names a number of them in an
/// error.
fn curve(rows: &[(f64, f64)], what: &str) -> impl Iterator<Item = Result<[f32; 4], GpuError>> {
    rows.iter().enumerate().map(move |(index, &(speed, value))| {
        let slope = rows.get(index + 1).map_or(0.0, |&(next_speed, next)| (next - value) / (next_speed - speed));
        let number = |value| number(value, what);
        Ok([number(speed)?, number(value)?, number(slope)?, 0.0])
    })
}

/// The power of two that is at most the largest coordinate, and more than half of it: dividing by it is exact.
pub(super) fn power_of_two_below(vector: DVec3) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    f64::from_bits(vector.abs().max_element().to_bits() & EXPONENT)
}

fn four(vector: DVec3, number: f64, what: &std::fmt::Arguments<'_>) -> Result<[f32; 4], GpuError> {
    let values = [vector.x, vector.y, vector.z, number];
    if let Some(value) = values.iter().find(|value| value.abs() > MAX_LENGTH) {
        return Err(GpuError::OutOfRange { what: format!("{what} ({value:e} m)"), limit: MAX_LENGTH, unit: "m" });
    }
    Ok(values.map(|value| value as f32))
}

/// A position: the frame's place in the scene in whole cells, and the point in the frame \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Framed {
    pub frame_origin: [f32; 3],
    pub local: [f32; 3],
}

impl Framed {
    /// `None` when it is beyond what a device holds.
    pub fn new(point: DVec3, origin: DVec3) -> Option<Self> {
        let relative = point - origin;
        let cell = (relative / FRAME_CELL).round() * FRAME_CELL;
        (relative.abs().max_element() <= MAX_LENGTH).then(|| Self {
            frame_origin: cell.as_vec3().to_array(),
            local: (relative - cell.as_vec3().as_dvec3()).as_vec3().to_array(),
        })
    }
}

/// The world place of a point in a frame \[m\].
pub(super) fn world(origin: DVec3, frame_origin: [f32; 3], local: [f32; 3]) -> DVec3 {
    let wide = |v: [f32; 3]| DVec3::from_array(v.map(f64::from));
    origin + wide(frame_origin) + wide(local)
}

on_device! {
    /// A ray, relative to the scene's origin.
    RayWire {
        /// Point at lambda = 0, and where the search starts.
        x1: [f32; 3],
        lambda1: f32,
        /// Point at lambda = 1, and where the search ends.
        x2: [f32; 3],
        lambda2: f32,
    }
}

impl RayWire {
    /// `None` for a ray that is not valid, or beyond what a device holds.
    pub fn new(ray: &Ray, origin: DVec3) -> Option<Self> {
        let (x1, x2) = (ray.x1 - origin, ray.x2 - origin);
        let largest = x1.abs().max(x2.abs()).max_element().max(ray.lambda1.abs()).max(ray.lambda2.abs());
        (ray.is_valid() && largest <= MAX_LENGTH).then(|| Self {
            x1: x1.as_vec3().to_array(),
            lambda1: ray.lambda1 as f32,
            x2: x2.as_vec3().to_array(),
            lambda2: ray.lambda2 as f32,
        })
    }

    /// In the place of a ray that cannot be sent: it ends before it begins.
    pub const NONE: Self = Self { x1: [0.0; 3], lambda1: 1.0, x2: [0.0; 3], lambda2: 0.0 };
}

on_device! {
    /// The answer to a ray.
    EntryPointWire {
        lambda: f32,
        /// Status in the lowest bits, then the leaf; none where the ray starts inside.
        status_and_leaf: u32,
    }
}

impl EntryPointWire {
    /// Word of the status, and number of the leaf.
    #[inline]
    pub fn parts(&self) -> (u32, u32) {
        (self.status_and_leaf & ((1 << STATUS_BITS) - 1), self.status_and_leaf >> STATUS_BITS)
    }

    /// Status and leaf, no leaf for a ray that starts inside; `None` when nothing was written.
    pub fn decode(&self) -> Option<(RayStatusWord, Option<u32>)> {
        let (word, leaf) = self.parts();
        let status = RayStatusWord::ALL.into_iter().find(|&status| status as u32 == word)?;
        Some((status, (leaf != LEAF_NONE).then_some(leaf)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{MaterialId, Shape, SurfaceDrag};

    #[test]
    fn what_is_too_large_is_named_with_its_number_and_the_limit() {
        let scene = |offset: f64, friction: f64| {
            let material = Material {
                name: "wet".to_owned(),
                static_friction: friction,
                dynamic_friction: 0.5,
                max_force: f64::INFINITY,
                dynamic_friction_by_speed: Vec::new(),
                drag: SurfaceDrag::default(),
            };
            let ground = Shape::union([Shape::sphere(DVec3::ZERO, 1.0), Shape::half_space(DVec3::Z, offset)]);
            let scene = Scene::new(&ground, vec![material], Some(MaterialId(0)), None).unwrap();
            SceneWire::new(&scene, 1).map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(scene(0.0, 0.8), Ok(()));
        for (offset, friction, words) in [
            (1e10, 0.8, ["the displacement of leaf 1 (1e10 m)", "1e9 m"]),
            (0.0, 1e13, ["`static_friction` of material `wet` (1e13)", "1e12"]),
        ] {
            let [what, limit] = words;
            let told = format!(
                "{what} is too large for the gpu engine, which holds at most {limit} there; use --engine native"
            );
            assert_eq!(scene(offset, friction), Err(told));
        }
    }

    #[test]
    fn what_stands_for_no_face_is_beyond_rays_and_does_not_overflow() {
        let leaf = include_str!("../../shaders/leaf.wgsl");
        let least = leaf.lines().find_map(|line| line.strip_prefix("const MIN_SLOPE = ")).unwrap();
        let inverse = 1.0 / least.trim_end_matches(';').parse::<f32>().unwrap();
        // The shader moves faces by 16 roundings of what they are away, and by less than any length.
        let face = (BOUNDLESS * (1.0 + 32.0 * f64::from(f32::EPSILON)) + 4.0 * MAX_LENGTH) as f32;
        assert!((face * inverse).is_finite(), "{face:e} times {inverse:e}");
        let farthest = MAX_LENGTH + MAX_LENGTH * (2.0 * MAX_LENGTH);
        assert!(BOUNDLESS * (1.0 - 32.0 * f64::from(f32::EPSILON)) > farthest);
    }

    #[test]
    fn units_are_powers_of_two_of_the_size() {
        for (size, expected) in [(1.0, 1.0), (5.0, 4.0), (0.75, 0.5), (1e60, 2f64.powi(199)), (3e-60, 2f64.powi(-198))]
        {
            assert_eq!(power_of_two_below(DVec3::new(0.1 * size, -size, 0.0)), expected, "{size}");
        }
    }
}
