//! Shader sources, and the header with the constants shared with Rust.

use std::fmt::Write as _;

use super::device::{Device, Loops};
use super::landing::wind_source;
use super::wire::{
    CHILDREN_BITS, EntryPointWire, FRAME_CELL, Flag, GROUND_KNOWN, GROUND_OLD, LandingWire, MAX_PLACES, ProgramHead,
    QueryWord, RayStatusWord, RayWire, STATE_BITS, SceneHead, StateLayout, StopKind, Structure, Target, VehicleWire,
    overlap_structures, wheel_structures,
};
use crate::bvh::CHILDREN;
use crate::flight::Turbulence;
use crate::program::LAST_RANK;
use crate::program::Op;
use crate::query::ground_reactions::{
    MAX_FRICTION_SWEEPS, MIN_SLIP_SPEED, OWN_FRICTION_GROUND, SETTLED_FRICTION, SIDE_CURVATURE, SIDE_SHAPE,
    SIDE_STIFFNESS,
};
use crate::query::rules::{LIVELY_SPEED, MAX_FORCE, MAX_INTERCEPT, MAX_NUMBER, PEDAL_RATE, REST_RATE, REST_SPEED};
use crate::query::{ClipCase, MAX_STRUT_LINES, Weather, WheelState};
use crate::random::{KEY_STEPS, MULTIPLIERS};
use crate::vehicle::{GroundReactions, SLOWEST_FLOW};

/// Items of a workgroup.
pub(super) const WORKGROUP: u32 = 64;

/// How the landings of a workgroup go through their steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stride {
    /// Each by itself.
    Alone,
    /// Many in step: none begins a step before all have ended the last one. A step is more code than a multiprocessor keeps
    /// at hand; warps in the same part of it wait together for what comes next, and not each for its own.
    Together,
}

impl Stride {
    /// A processor has nothing to gain from lanes that wait, where a driver cuts loops short some would never come, and not
    /// every device allows workgroups so large.
    pub fn on(device: &Device) -> Self {
        let too_large = device.limits.max_compute_invocations_per_workgroup < Self::Together.workgroup();
        if device.is_software || device.loops == Loops::Limited || too_large { Self::Alone } else { Self::Together }
    }

    /// Landings of a workgroup.
    pub fn workgroup(self) -> u32 {
        match self {
            Self::Alone => WORKGROUP,
            Self::Together => 4 * WORKGROUP,
        }
    }

    fn constants(self) -> String {
        format!(
            "{}const IN_STEP: bool = {};\n",
            unsigned("LANDINGS_IN_GROUP", self.workgroup()),
            self == Self::Together
        )
    }
}

const LEAF: &str = include_str!("../../shaders/leaf.wgsl");
const SCENE: &str = include_str!("../../shaders/scene.wgsl");
/// The search by the words of a walk, for every scene.
pub(super) const WALK: &str = include_str!("../../shaders/walk.wgsl");
const UNROLLED: &str = include_str!("../../shaders/unrolled.wgsl");
const ENTRY_POINT: &str = include_str!("../../shaders/entry_point.wgsl");
const STRUT: &str = include_str!("../../shaders/strut.wgsl");
const SURFACE_DRAG: &str = include_str!("../../shaders/surface_drag.wgsl");
const WHEEL_STEP: &str = include_str!("../../shaders/wheel_step.wgsl");
const WHEEL: &str = include_str!("../../shaders/wheel.wgsl");
/// The matrix of a quaternion.
pub(super) const ROTATION: &str = include_str!("../../shaders/rotation.wgsl");
pub(super) const MATH: &str = include_str!("../../shaders/math.wgsl");
const LANDING: [&str; 10] = [
    include_str!("../../shaders/landing.wgsl"),
    ROTATION,
    include_str!("../../shaders/landing/body.wgsl"),
    include_str!("../../shaders/landing/wheels.wgsl"),
    include_str!("../../shaders/landing/ground.wgsl"),
    include_str!("../../shaders/landing/air.wgsl"),
    include_str!("../../shaders/landing/pilot.wgsl"),
    include_str!("../../shaders/landing/guidance.wgsl"),
    include_str!("../../shaders/landing/structure.wgsl"),
    include_str!("../../shaders/landing/recorder.wgsl"),
];
const GEAR: &str = include_str!("../../shaders/landing/gear.wgsl");
const GROUND_REACTIONS: &str = include_str!("../../shaders/landing/ground_reactions.wgsl");
/// Loads of air and engines by derivatives.
pub(super) const AERODYNAMICS: &str = include_str!("../../shaders/landing/aerodynamics.wgsl");
const POSTFIX: &str = include_str!("../../shaders/postfix.wgsl");
const OVERLAPS: &str = include_str!("../../shaders/overlaps.wgsl");
pub(super) const COPY: &str = include_str!("../../shaders/limits/copy.wgsl");
pub(super) const SUMS: &str = include_str!("../../shaders/limits/sums.wgsl");
pub(super) const NOTHING: &str = include_str!("../../shaders/limits/nothing.wgsl");
/// Additions and multiplications of a round of the kernel of sums.
pub(super) const OPERATIONS_PER_ROUND: u32 = 4 * 4 * 4 * 2;
const PROBE: &str = include_str!("../../shaders/probe.wgsl");

/// A constant.
pub(super) fn unsigned(name: &str, value: u32) -> String {
    format!("const {name}: u32 = {value}u;\n")
}

/// A constant.
pub(super) fn float(name: &str, value: f64) -> String {
    format!("const {name}: f32 = {value:e};\n")
}

/// Opcodes, statuses and sizes of jobs with scenes, from the Rust definitions.
fn header() -> String {
    let mut text = String::new();
    let mut define = |name: &str, value: u32| text += &unsigned(name, value);
    define("WORKGROUP", WORKGROUP);
    for kind in StopKind::ALL {
        define(kind.name(), kind as u32);
    }
    for status in RayStatusWord::ALL {
        define(status.name(), status as u32);
    }
    define("STOP_COMPLEMENTED", super::wire::STOP_COMPLEMENTED);
    define("STOP_EXACT", super::wire::STOP_EXACT);
    define("STOP_STRETCHED", super::wire::STOP_STRETCHED);
    define("STRETCHED_CONSTANTS", super::wire::STRETCHED_CONSTANTS);
    define("TARGET_INSIDE", Target::INSIDE);
    define("TARGET_OUTSIDE", Target::OUTSIDE);
    define("TARGET_EVERYWHERE", Target::EVERYWHERE);
    define("GRIDDED", super::wire::GRIDDED);
    define("GRID_WORDS", super::wire::GRID_WORDS);
    define("NO_STOP", super::wire::NO_STOP);
    define("LEAF_NONE", super::wire::LEAF_NONE);
    define("STATUS_BITS", super::wire::STATUS_BITS);
    define("LAST_RANK", LAST_RANK);
    for state in WheelState::ALL {
        define(&format!("WHEEL_{}", upper(&format!("{state:?}"))), state as u32);
    }
    define("MATERIAL_NONE", super::wire::MATERIAL_NONE);
    define("MAX_STRUT_LINES", MAX_STRUT_LINES as u32);
    define("OVER_MAX_FORCE", super::wire::OVER_MAX_FORCE);
    define("MATERIAL_SHIFT", super::wire::MATERIAL_SHIFT);
    for case in ClipCase::ALL {
        let _ = writeln!(text, "const CLIP_{}: i32 = {}i;", upper(&format!("{case:?}")), case as i8);
    }
    let _ = writeln!(text, "const FAR: f32 = {:e};", super::wire::FAR);
    // Half the distance from 1 to the next number.
    let _ = writeln!(text, "const UNIT_ROUNDOFF: f32 = {:e};", 0.5 * f32::EPSILON);
    text
}

/// `NotComputed` as `NOT_COMPUTED`.
pub(super) fn upper(name: &str) -> String {
    let mut text = String::new();
    for (index, letter) in name.char_indices() {
        if index > 0 && letter.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_uppercase());
    }
    text
}

/// What decides how a job looks at a scene: whether its points are relative to a frame of their own, and how the driver
/// runs loops.
fn looks(framed: bool, loops: Loops) -> String {
    format!("const FRAMED: bool = {framed};\nconst LOOPS_ARE_LIMITED: bool = {};\n", loops == Loops::Limited)
}

/// How a job looks at its scene.
fn scene() -> String {
    SceneHead::declaration() + SCENE
}

/// What job `entry_point` takes and gives.
fn rays() -> String {
    RayWire::declaration() + &EntryPointWire::declaration()
}

/// The search by a scene's own code.
pub(super) fn unrolled_search(walk_once: &str) -> String {
    [UNROLLED, walk_once].concat()
}

/// The kernel of job `entry_point` with this search.
pub(super) fn entry_point_source(search: &str, loops: Loops) -> String {
    [&header(), &looks(false, loops), LEAF, &scene(), search, &rays(), ENTRY_POINT].concat()
}

/// The kernel that reads the words of a program with a stack of this depth.
pub(super) fn postfix_source(stack_depth: usize) -> String {
    let mut operations = String::new();
    for operation in Op::ALL {
        let _ = writeln!(operations, "const OP_{}: u32 = {}u;", upper(&format!("{operation:?}")), operation as u32);
    }
    let stack = format!("const STACK_DEPTH: u32 = {}u;\n", stack_depth.max(1));
    [&header(), &operations, &stack, LEAF, &ProgramHead::declaration(), &rays(), POSTFIX].concat()
}

/// The kernel of job `overlaps`, with this many iterations per dispatch.
pub(super) fn overlaps_source(rounds: u32) -> String {
    let mut sizes = String::new();
    for (name, value) in [
        ("CHILDREN", CHILDREN as u32),
        ("CHILDREN_BITS", CHILDREN_BITS),
        ("MAX_PLACES", MAX_PLACES as u32),
        ("ROUNDS", rounds),
    ] {
        sizes += &unsigned(name, value);
    }
    for word in QueryWord::ALL {
        sizes += &unsigned(&format!("QUERY_{}", upper(&format!("{word:?}"))), word as u32);
    }
    [&header(), &sizes, &overlap_structures(), OVERLAPS].concat()
}

/// The kernel of job `wheel`.
pub(super) fn wheel_source(loops: Loops) -> String {
    let structures = wheel_structures();
    let (head, scene) = (header() + &looks(true, loops), scene());
    [&head, LEAF, &scene, WALK, STRUT, SURFACE_DRAG, &structures, WHEEL_STEP, ROTATION, WHEEL].concat()
}

/// What holds vehicles whose air forces are linear, in air without tables of wind.
pub(super) fn aerodynamics() -> String {
    wind_source(&Weather::default(), &mut Vec::new()) + AERODYNAMICS
}

/// The kernel of job `landing` for vehicles of this size, with this search, and what makes the loads of air and engines.
pub(super) fn landing_source(
    layout: StateLayout,
    search: &str,
    held: &str,
    (loops, stride): (Loops, Stride),
) -> String {
    let mut rules = String::new();
    for (name, value) in [("WHEELS", layout.wheels), ("POINTS", layout.points)] {
        let _ = writeln!(rules, "const {name}: u32 = {value}u;");
    }
    let words = [
        ("STATE_BITS", STATE_BITS),
        ("GROUND_KNOWN", GROUND_KNOWN),
        ("GROUND_OLD", GROUND_OLD),
        ("UNSTEADY_AIR", LandingWire::UNSTEADY_AIR),
        ("TURBULENT_AIR", LandingWire::TURBULENT_AIR),
        ("GUIDED", LandingWire::GUIDED),
        ("AERODYNAMIC", LandingWire::AERODYNAMIC),
        ("ANTI_SKID", LandingWire::ANTI_SKID),
        ("DISCRETE_GUST", LandingWire::DISCRETE_GUST),
        ("NOISE_VARIABLE", Turbulence::VARIABLE),
        ("MAX_FRICTION_SWEEPS", MAX_FRICTION_SWEEPS),
        ("PHILOX_MULTIPLIER_0", MULTIPLIERS[0]),
        ("PHILOX_MULTIPLIER_1", MULTIPLIERS[1]),
        ("PHILOX_KEY_STEP_0", KEY_STEPS[0]),
        ("PHILOX_KEY_STEP_1", KEY_STEPS[1]),
    ];
    for (name, value) in Flag::NAMES.into_iter().chain(words) {
        let _ = writeln!(rules, "const {name}: u32 = {value}u;");
    }
    for (name, value) in [
        ("FRAME_CELL", FRAME_CELL),
        ("MAX_FORCE", MAX_FORCE),
        ("MAX_NUMBER", MAX_NUMBER),
        ("MAX_INTERCEPT", MAX_INTERCEPT),
        ("PEDAL_RATE", PEDAL_RATE),
        ("LIVELY_SPEED", LIVELY_SPEED),
        ("REST_SPEED", REST_SPEED),
        ("REST_RATE", REST_RATE),
        ("SLOWEST_FLOW", SLOWEST_FLOW),
        ("OWN_FRICTION_GROUND", OWN_FRICTION_GROUND),
        ("MIN_SLIP_SPEED", MIN_SLIP_SPEED),
        ("SETTLED_FRICTION", SETTLED_FRICTION),
        ("SIDE_STIFFNESS", SIDE_STIFFNESS),
        ("SIDE_SHAPE", SIDE_SHAPE),
        ("SIDE_CURVATURE", SIDE_CURVATURE),
    ] {
        let _ = writeln!(rules, "const {name}: f32 = {value:e};");
    }
    let structures = VehicleWire::structures(layout) + &layout.structures();
    let scene = scene();
    let step = [LEAF, &scene, search, STRUT, SURFACE_DRAG, &structures, WHEEL_STEP, MATH];
    let gear = match layout.ground_reactions {
        GroundReactions::Pebble => GEAR,
        GroundReactions::Jsbsim => GROUND_REACTIONS,
    };
    let head = header() + &looks(true, loops) + &stride.constants() + &rules;
    let source: String = [head.as_str()].into_iter().chain(step).chain(LANDING).chain([gear, held]).collect();
    source.clone() + &layout.functions(&source)
}

/// The kernel that counts rounds of a loop.
pub(super) fn probe_source() -> String {
    header() + PROBE
}

/// A kernel that measures one limit of the device, with this many rounds of its loop.
pub(super) fn limits_source(kernel: &str, rounds: u32) -> String {
    header() + &format!("const ROUNDS: u32 = {rounds}u;\n") + kernel
}

#[cfg(test)]
mod tests {
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    use super::*;

    /// Every kernel in use.
    fn sources() -> Vec<(String, String)> {
        let mut sources = vec![
            ("postfix".to_owned(), postfix_source(7)),
            ("overlaps".to_owned(), overlaps_source(100)),
            ("probe".to_owned(), probe_source()),
        ];
        sources.extend([COPY, SUMS, NOTHING].map(|kernel| ("limits".to_owned(), limits_source(kernel, 1))));
        for restitution in crate::query::Restitution::ALL {
            let name = format!("particle, {}", restitution.name());
            sources.push((name.clone(), crate::gpu::particle::source(restitution, 100)));
            sources.push((name + ", traced", crate::gpu::particle::trace_source(restitution)));
        }
        sources.push(("oriented".to_owned(), crate::gpu::oriented::source()));
        for loops in [Loops::Whole, Loops::Limited] {
            sources.push((format!("entry_point, {loops:?}"), entry_point_source(WALK, loops)));
            sources.push((format!("wheel, {loops:?}"), wheel_source(loops)));
            for (wheels, points, ground_reactions) in
                [(1, 0, GroundReactions::Pebble), (16, 64, GroundReactions::Pebble), (3, 1, GroundReactions::Jsbsim)]
            {
                let layout = StateLayout { wheels, points, kept: 0, ground_reactions };
                for stride in [Stride::Alone, Stride::Together] {
                    let source = landing_source(layout, WALK, &aerodynamics(), (loops, stride));
                    sources.push((format!("landing {layout:?}, {loops:?}, {stride:?}"), source));
                }
            }
        }
        sources
    }

    #[test]
    fn every_kernel_is_valid_without_a_driver() {
        for (name, source) in sources() {
            let module = naga::front::wgsl::parse_str(&source)
                .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&source)));
            let checked = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
            assert!(checked.is_ok(), "{name}: {}", checked.unwrap_err().emit_to_string(&source));
        }
    }
}
