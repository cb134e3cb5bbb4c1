//! Code for one scene: its walk in WGSL, stop by stop, with inline constants.
//!
//! An interpreter must fetch each stop and its constants; generated code has them built in. Targets of a walk point
//! forwards, never backwards, so the stops in numerical order, each guarded by a test whether the walk has reached it,
//! are the same walk:
//!
//! ```wgsl
//! if at == 3u {
//!     at = select(outside, inside, is_within(search, interval, ...));
//! }
//! ```
//!
//! The constants are those of [`SceneWire`], bit for bit. Boxes are omitted: they only save time.
//!
//! # Conventions
//! As in `shaders/scene.wgsl`.

use std::fmt::Write as _;

use super::shader::{WALK, unrolled_search};
use super::wire::{
    STOP_COMPLEMENTED, STOP_COUNT_SHIFT, STOP_EXACT, STOP_STRETCHED, STRETCHED_CONSTANTS, SceneWire, StopKind,
};

/// Scenes that weigh more keep the interpreter: 32 houses of six walls, 32 balls, 24 cylinders with caps.
///
/// Measured on llvmpipe (Mesa 22.3, LLVM 15, two cores; long rays), interpreter and own code in million rays/s, and what
/// the code takes to compile:
///
/// | scene | interpreter | own code | compiled in |
/// | --- | --- | --- | --- |
/// | 1 house | 33 | 100 | 0.04 s |
/// | 16 houses | 3.7 | 24 | 0.15 s |
/// | 36 houses | 1.8 | 13 | 0.34 s |
/// | 256 houses | 0.26 | 2.2 | 4.6 s |
/// | 8 balls | 5.5 | 35 | 0.10 s |
/// | 32 balls | 2.4 | 10 | 0.30 s |
/// | 256 balls | 0.93 | 2.4 | 10 s |
/// | 100 leaves, nested differences | 5.7 | 4.5 | 1.3 s |
/// | 137 leaves, nested differences | 3.9 | 1.5 | 3.6 s |
///
/// Compile times grow with the square of the size, and a walk through nested differences comes past few of its stops
/// where the code computes all of them. Whole landings on a ground take 0.56 of the time, among 16 houses 0.60.
const MAX_WEIGHT: usize = 192;

/// How a kernel finds the entry point of a ray.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchForm {
    /// By interpreting the stops of a walk, for any scene.
    Interpreted,
    /// By code generated for the scene.
    Unrolled,
    /// By interpreting the words of the program with a stack, for any scene.
    Words,
}

impl SearchForm {
    /// Name for reports and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Interpreted => "interpreted",
            Self::Unrolled => "unrolled",
            Self::Words => "words",
        }
    }
}

/// The search for first points, in the form that kernels for a scene take.
#[derive(Debug)]
pub(super) struct Search {
    pub source: String,
    pub form: SearchForm,
}

impl Search {
    /// The faster form for a scene.
    pub fn new(wire: &SceneWire) -> Self {
        let weight: usize = own_stops(wire).map(|(_, stop)| weight(stop)).sum();
        if weight > MAX_WEIGHT { Self::interpreted() } else { Self::unrolled(wire) }
    }

    pub fn interpreted() -> Self {
        Self { source: WALK.to_owned(), form: SearchForm::Interpreted }
    }

    pub fn unrolled(wire: &SceneWire) -> Self {
        Self { source: unrolled_search(&walk_once(wire)), form: SearchForm::Unrolled }
    }
}

/// The stops of the scene's own walk, with their numbers: those of paint regions stand before its start.
fn own_stops(wire: &SceneWire) -> impl Iterator<Item = (u32, [u32; 4])> + '_ {
    (0..).zip(wire.stops.iter().copied()).skip(wire.head.start as usize)
}

fn kind(stop: [u32; 4]) -> StopKind {
    StopKind::ALL[(stop[0] & 7) as usize]
}

/// What a stop's code takes to compile, in half spaces; measured.
fn weight(stop: [u32; 4]) -> usize {
    match kind(stop) {
        StopKind::Cell => (stop[0] >> STOP_COUNT_SHIFT) as usize,
        StopKind::Ball => 6,
        StopKind::Cylinder | StopKind::Cone => 8,
        StopKind::Capsule => 20,
        StopKind::Box => 0,
    }
}

/// The function `walk_once` of `shaders/unrolled.wgsl`.
fn walk_once(wire: &SceneWire) -> String {
    let start = past_boxes(wire, wire.head.start);
    let mut text = format!(
        "fn walk_once(search: ptr<function, Search>) -> bool {{
    let x1 = (*search).x1;
    let x2 = (*search).x2;
    var at = {start}u;
"
    );
    for (number, stop) in own_stops(wire) {
        write_stop(&mut text, wire, number, stop);
    }
    text.push_str("    return at == TARGET_INSIDE;\n}\n");
    text
}

/// Constants of a curved solid that is not stretched, four numbers each.
fn words(kind: StopKind) -> u32 {
    match kind {
        StopKind::Cell | StopKind::Box => 0,
        StopKind::Ball => 1,
        StopKind::Cylinder | StopKind::Capsule => 2,
        StopKind::Cone => 3,
    }
}

/// Where a walk that enters every box goes on.
fn past_boxes(wire: &SceneWire, target: u32) -> u32 {
    match wire.stops.get(target as usize) {
        Some(stop) if kind(*stop) == StopKind::Box => past_boxes(wire, stop[2]),
        _ => target,
    }
}

fn write_stop(text: &mut String, wire: &SceneWire, number: u32, stop: [u32; 4]) {
    let [head, at, inside, outside] = stop;
    let constants = |index: u32| vector(wire.constants[(at + index) as usize]);
    let mut planes = String::new();
    let interval = match kind(stop) {
        StopKind::Box => return,
        StopKind::Cell => {
            // One statement for each half space: expressions may be nested only so deep.
            for index in 0..head >> STOP_COUNT_SHIFT {
                let plane = constants(index);
                let _ = writeln!(
                    planes,
                    "        interval = within_plane(interval, {index}u, plane_interval({plane}, x1, x2));"
                );
            }
            "everywhere()".to_owned()
        }
        curved => {
            let stretched = head & STOP_STRETCHED != 0;
            let base = if stretched { STRETCHED_CONSTANTS } else { 0 };
            let word = |index: u32| if index < words(curved) { constants(base + index) } else { vector([0.0; 4]) };
            let line = if stretched {
                let columns = [1, 2, 3].map(|index| format!("{}.xyz", constants(index))).join(", ");
                format!("stretched_line({}, mat3x3<f32>({columns}), {}, x1, x2)", constants(0), word(0))
            } else {
                format!("line_past({}, x1, x2)", word(0))
            };
            let numbers = format!("Curved({}, {}, {})", word(0), word(1), word(2));
            format!("curved_interval({}, {numbers}, {line})", curved.name())
        }
    };
    let rank = wire.tables[(wire.head.ranks_at + number) as usize];
    let (complemented, exact) = (head & STOP_COMPLEMENTED != 0, head & STOP_EXACT != 0);
    let [inside, outside] = [inside, outside].map(|target| past_boxes(wire, target));
    // Writing to a string does not fail.
    let _ = write!(
        text,
        "    if at == {number}u {{
        var interval = {interval};
{planes}        let within = is_within(search, interval, {number}u, {rank}u, {complemented}, {exact});
        at = select({outside}u, {inside}u, within);
    }}
"
    );
}

/// Four numbers, exactly.
fn vector(values: [f32; 4]) -> String {
    let [x, y, z, w] = values;
    format!("vec4<f32>({x:e}f, {y:e}f, {z:e}f, {w:e}f)")
}

#[cfg(test)]
pub(super) mod tests;
