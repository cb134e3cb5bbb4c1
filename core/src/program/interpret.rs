//! A plain interpreter of programs: the oracle for devices, and a path independent of the tree.
//!
//! # Conventions
//! As in [`crate::reference`]: the surface hit is that of the last pass that moved, or of the first pass.

use glam::{DMat3, DVec3};

use super::{Crossing, Expression, Instruction, Op, Program};
use crate::query::{EntryPoint, Ray, RayStatus};
use crate::scene::{Capsule, Cone, Cylinder, HalfSpace, Interval, MaterialId, Solid, Sphere};

#[derive(Clone, Copy, Debug)]
struct Candidate {
    at: Crossing,
    /// The leaf that decided; `None` in [`Op::Everything`].
    leaf: Option<LeafWords>,
    /// The leaf's surface is hit there.
    border: bool,
}

/// A leaf, and the location of its solid in the program.
#[derive(Clone, Copy, Debug)]
struct LeafWords {
    leaf: u32,
    solid: SolidWords,
    complemented: bool,
}

/// The words of a solid: what it is, and for a stretched one what it is made of.
#[derive(Clone, Copy, Debug)]
struct SolidWords {
    op: Op,
    base: Op,
    constants_at: u32,
}

impl SolidWords {
    fn half_space(constants_at: u32) -> Self {
        Self { op: Op::Cell, base: Op::Cell, constants_at }
    }

    fn curved(instruction: &Instruction) -> Self {
        let Instruction { op, constants_at, .. } = *instruction;
        Self { op, base: if op == Op::Stretched { instruction.base() } else { op }, constants_at }
    }
}

/// Constants of a stretched solid before those of its base.
const STRETCHED_CONSTANTS: u32 = 12;

/// Runs one program; keeps its stacks between rays.
#[derive(Debug)]
pub struct Interpreter<'a> {
    program: &'a Program,
    stack: Vec<Option<Candidate>>,
    membership: Vec<bool>,
}

impl<'a> Interpreter<'a> {
    /// An interpreter of a program.
    #[must_use]
    pub fn new(program: &'a Program) -> Self {
        let depth = program.stack_depth();
        Self { program, stack: Vec::with_capacity(depth), membership: Vec::with_capacity(depth) }
    }

    /// The first point of the ray in the scene.
    pub fn entry_point(&mut self, ray: &Ray) -> EntryPoint {
        if !ray.is_valid() {
            return EntryPoint::none(RayStatus::BadInput);
        }
        let Some(candidate) = self.first_inside(ray) else {
            return EntryPoint::none(RayStatus::Miss);
        };
        let point = ray.at(candidate.at.lambda);
        let border = candidate.leaf.filter(|_| candidate.border);
        EntryPoint {
            status: RayStatus::Hit,
            lambda: candidate.at.lambda,
            normal: border.map_or(DVec3::ZERO, |leaf| self.normal(leaf, point)),
            leaf: border.map(|leaf| leaf.leaf),
            material: match candidate.leaf {
                Some(leaf) => self.material(leaf.leaf, point),
                None => self.program.default_material.map(MaterialId),
            },
        }
    }

    fn first_inside(&mut self, ray: &Ray) -> Option<Candidate> {
        let mut best = self.pass(ray, Crossing::behind(ray.lambda1))?;
        loop {
            if best.at.lambda > ray.lambda2 {
                return None;
            }
            let next = self.pass(ray, best.at)?;
            if next.at == best.at {
                return Some(best);
            }
            best = next;
        }
    }

    /// One pass over the scene's words: m(S, from).
    fn pass(&mut self, ray: &Ray, from: Crossing) -> Option<Candidate> {
        let program = self.program;
        self.stack.clear();
        for instruction in program.instructions(program.root()) {
            let candidate = match instruction.op {
                Op::Nothing => None,
                Op::Everything => Some(Candidate { at: from, leaf: None, border: false }),
                Op::Cell => self.cell(&instruction, ray, from),
                Op::Sphere
                | Op::Cylinder
                | Op::ShortCylinder
                | Op::Cone
                | Op::ShortCone
                | Op::Capsule
                | Op::Stretched => self.curved(&instruction, ray, from),
                Op::Union | Op::Intersection => {
                    let right = self.stack.pop().flatten();
                    let left = self.stack.pop().flatten();
                    if instruction.op == Op::Union { union(left, right) } else { intersection(left, right) }
                }
            };
            self.stack.push(candidate);
        }
        self.stack.pop().flatten()
    }

    fn cell(&self, instruction: &Instruction, ray: &Ray, from: Crossing) -> Option<Candidate> {
        let mut best = Candidate { at: from, leaf: None, border: false };
        let mut exit = f64::INFINITY;
        for index in 0..instruction.count {
            let solid = SolidWords::half_space(instruction.constants_at + 4 * index);
            let inside = self.interval(solid, ray);
            exit = exit.min(inside.exit);
            let leaf = LeafWords { leaf: instruction.leaf + index, solid, complemented: false };
            best = later(best, within(&inside, from, leaf, instruction.rank)?);
        }
        (best.at.lambda <= exit).then_some(best)
    }

    fn curved(&self, instruction: &Instruction, ray: &Ray, from: Crossing) -> Option<Candidate> {
        let solid = SolidWords::curved(instruction);
        let inside = self.interval(solid, ray);
        let complemented = instruction.is_complemented();
        let leaf = LeafWords { leaf: instruction.leaf, solid, complemented };
        let rank = instruction.rank;
        if complemented { Some(without(&inside, from, leaf, rank)) } else { within(&inside, from, leaf, rank) }
    }

    fn interval(&self, solid: SolidWords, ray: &Ray) -> Interval {
        match self.stretch(solid) {
            None => self.solid(solid.op, solid.constants_at).interval(&ray.x1, &ray.x2),
            Some(local) => local.base.interval(&local.point(ray.x1), &local.point(ray.x2)),
        }
    }

    /// The local coordinates of a stretched solid, `None` for any other.
    fn stretch(&self, solid: SolidWords) -> Option<Local> {
        if solid.op != Op::Stretched {
            return None;
        }
        let c = &self.program.constants()[solid.constants_at as usize..];
        let vector = |at: usize| DVec3::new(c[at], c[at + 1], c[at + 2]);
        Some(Local {
            center: vector(0),
            to_local: DMat3::from_cols(vector(3), vector(6), vector(9)),
            base: self.solid(solid.base, solid.constants_at + STRETCHED_CONSTANTS),
        })
    }

    /// The solid that stands at these constants.
    fn solid(&self, op: Op, constants_at: u32) -> Solid {
        let c = &self.program.constants()[constants_at as usize..];
        let vector = |at: usize| DVec3::new(c[at], c[at + 1], c[at + 2]);
        match op {
            Op::Sphere => Solid::Sphere(Sphere { center: vector(0), radius: c[3] }),
            Op::Cylinder | Op::ShortCylinder => Solid::Cylinder(Cylinder {
                center: vector(0),
                axis: vector(3),
                radius: c[6],
                half_height: (op == Op::ShortCylinder).then(|| c[7]),
            }),
            Op::Cone | Op::ShortCone => Solid::Cone(Cone {
                base: vector(0),
                axis: vector(3),
                radius: c[6],
                slope: c[7],
                height: (op == Op::ShortCone).then(|| c[8]),
            }),
            Op::Capsule => Solid::Capsule(Capsule { from: vector(0), to: vector(3), radius: c[6] }),
            Op::Cell | Op::Nothing | Op::Everything | Op::Union | Op::Intersection | Op::Stretched => {
                Solid::HalfSpace(HalfSpace { normal: vector(0), offset: c[3] })
            }
        }
    }

    /// A signed number that is zero on the border and negative inside.
    fn distance(&self, solid: SolidWords, point: DVec3) -> f64 {
        match self.stretch(solid) {
            None => self.solid(solid.op, solid.constants_at).distance(point),
            Some(local) => local.base.distance(local.point(point)),
        }
    }

    fn normal(&self, leaf: LeafWords, point: DVec3) -> DVec3 {
        let normal = match self.stretch(leaf.solid) {
            None => self.solid(leaf.solid.op, leaf.solid.constants_at).normal(point),
            Some(local) => (local.to_local.transpose() * local.base.normal(local.point(point))).normalize(),
        };
        if leaf.complemented { -normal } else { normal }
    }

    fn material(&mut self, leaf: u32, point: DVec3) -> Option<MaterialId> {
        let program = self.program;
        let coating = program.leaf_coatings()[leaf as usize];
        let layers = &program.layers()[coating.first as usize..][..coating.layers as usize];
        layers
            .iter()
            .find(|layer| layer.region.is_none_or(|region| self.contains(region, point)))
            .map(|layer| layer.material)
            .or(program.default_material)
            .map(MaterialId)
    }

    /// Membership of a point in an expression, by the same words.
    fn contains(&mut self, expression: Expression, point: DVec3) -> bool {
        let program = self.program;
        self.membership.clear();
        for instruction in program.instructions(expression) {
            let inside = match instruction.op {
                Op::Nothing => false,
                Op::Everything => true,
                Op::Cell => (0..instruction.count)
                    .all(|index| self.solid(Op::Cell, instruction.constants_at + 4 * index).contains(point)),
                Op::Sphere
                | Op::Cylinder
                | Op::ShortCylinder
                | Op::Cone
                | Op::ShortCone
                | Op::Capsule
                | Op::Stretched => {
                    let distance = self.distance(SolidWords::curved(&instruction), point);
                    if instruction.is_complemented() { distance >= 0.0 } else { distance <= 0.0 }
                }
                Op::Union | Op::Intersection => {
                    let right = self.membership.pop().unwrap_or(false);
                    let left = self.membership.pop().unwrap_or(false);
                    if instruction.op == Op::Union { left || right } else { left && right }
                }
            };
            self.membership.push(inside);
        }
        self.membership.pop().unwrap_or(false)
    }
}

/// A solid in local coordinates.
struct Local {
    center: DVec3,
    to_local: DMat3,
    base: Solid,
}

impl Local {
    fn point(&self, point: DVec3) -> DVec3 {
        self.to_local * (point - self.center)
    }
}

fn within(inside: &Interval, from: Crossing, leaf: LeafWords, rank: u32) -> Option<Candidate> {
    if from.lambda > inside.exit {
        return None;
    }
    Some(Candidate::new(later_of(from, Crossing { lambda: inside.enter, rank }), inside, leaf))
}

/// The closed complement keeps both ends of the interval.
fn without(inside: &Interval, from: Crossing, leaf: LeafWords, rank: u32) -> Candidate {
    let within = from.lambda > inside.enter && !inside.flat;
    let at = if within { later_of(from, Crossing { lambda: inside.exit, rank }) } else { from };
    Candidate::new(at, inside, leaf)
}

fn later_of(a: Crossing, b: Crossing) -> Crossing {
    if b > a { b } else { a }
}

impl Candidate {
    fn new(at: Crossing, inside: &Interval, leaf: LeafWords) -> Self {
        Self { at, leaf: Some(leaf), border: inside.is_border(at.lambda) }
    }
}

fn union(left: Option<Candidate>, right: Option<Candidate>) -> Option<Candidate> {
    match (left, right) {
        (Some(left), Some(right)) => Some(if right.at < left.at { right } else { left }),
        (either, None) | (None, either) => either,
    }
}

fn intersection(left: Option<Candidate>, right: Option<Candidate>) -> Option<Candidate> {
    Some(later(left?, right?))
}

/// The later of two; on a tie the first that shows a border, else the first that has a leaf.
fn later(best: Candidate, candidate: Candidate) -> Candidate {
    let shows_more = (candidate.border, candidate.leaf.is_some()) > (best.border, best.leaf.is_some());
    if candidate.at > best.at || (candidate.at == best.at && shows_more) { candidate } else { best }
}
