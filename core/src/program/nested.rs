//! Programs converted back to nested sets, with bounding boxes.

use super::walk::Test;
use super::{Expression, Instruction, Op, Program};
use crate::scene::{BoundingBox, HalfSpace, Scene, Solid};

/// Number of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SetId(u32);

/// What a set is made of.
#[derive(Debug)]
pub(super) enum Set {
    Nothing,
    Everything,
    /// A cell or a curved solid, its (first) leaf and the rank of its border.
    Solid {
        test: Test,
        leaf: u32,
        rank: u32,
    },
    /// At least two, in the order of the words.
    Union(Vec<SetId>),
    /// At least two, in the order of the words.
    Intersection(Vec<SetId>),
}

/// The sets of a program. Words join two sets at a time; unions of unions are one here, and so are intersections.
#[derive(Debug)]
pub(super) struct Nested<'a> {
    program: &'a Program,
    scene: &'a Scene,
    sets: Vec<(Set, BoundingBox)>,
}

impl<'a> Nested<'a> {
    pub fn new(program: &'a Program, scene: &'a Scene) -> Self {
        Self { program, scene, sets: Vec::new() }
    }

    /// Reads an expression.
    pub fn read(&mut self, expression: Expression) -> SetId {
        let mut stack: Vec<SetId> = Vec::with_capacity(self.program.stack_depth());
        for instruction in self.program.instructions(expression) {
            let set = match instruction.op {
                Op::Nothing => self.push(Set::Nothing, BoundingBox::EMPTY),
                Op::Everything => self.push(Set::Everything, BoundingBox::WHOLE),
                Op::Union | Op::Intersection => {
                    let (right, left) = (stack.pop(), stack.pop());
                    match (left, right) {
                        (Some(left), Some(right)) => self.join(instruction.op, left, right),
                        // Programs are compiled here alone, and have two.
                        _ => self.push(Set::Nothing, BoundingBox::EMPTY),
                    }
                }
                _ => self.solid(&instruction),
            };
            stack.push(set);
        }
        stack.pop().unwrap_or_else(|| self.push(Set::Nothing, BoundingBox::EMPTY))
    }

    /// A set; its place here is empty afterwards.
    pub fn take(&mut self, id: SetId) -> Set {
        std::mem::replace(&mut self.sets[id.0 as usize].0, Set::Nothing)
    }

    /// A box around a set.
    pub fn bounds(&self, id: SetId) -> BoundingBox {
        self.sets[id.0 as usize].1
    }

    /// True for a single curved solid.
    pub fn is_curved(&self, id: SetId) -> bool {
        matches!(self.sets[id.0 as usize].0, Set::Solid { test: Test::Curved { .. }, .. })
    }

    fn push(&mut self, set: Set, bounds: BoundingBox) -> SetId {
        self.sets.push((set, bounds));
        SetId(self.sets.len() as u32 - 1)
    }

    fn solid(&mut self, instruction: &Instruction) -> SetId {
        let Instruction { op, count, leaf, rank, .. } = *instruction;
        let (test, bounds) = if op == Op::Cell {
            let half_spaces: Vec<HalfSpace> =
                (leaf..leaf + count).filter_map(|leaf| half_space(&self.scene.leaf(leaf).solid)).collect();
            let bounds = BoundingBox::of_cell(&half_spaces);
            (Test::Cell(half_spaces), bounds)
        } else {
            let leaf = self.scene.leaf(leaf);
            let test = Test::Curved { solid: leaf.solid.clone(), complemented: leaf.complemented };
            (test, BoundingBox::of_leaf(leaf))
        };
        self.push(Set::Solid { test, leaf, rank }, bounds)
    }

    fn join(&mut self, op: Op, left: SetId, right: SetId) -> SetId {
        let both = [left, right].map(|id| self.bounds(id));
        let bounds = if op == Op::Union { BoundingBox::of_union(both) } else { BoundingBox::of_intersection(both) };
        match (op, &mut self.sets[left.0 as usize]) {
            (Op::Union, (Set::Union(members), around)) | (Op::Intersection, (Set::Intersection(members), around)) => {
                members.push(right);
                *around = bounds;
                left
            }
            (Op::Union, _) => self.push(Set::Union(vec![left, right]), bounds),
            (_, _) => self.push(Set::Intersection(vec![left, right]), bounds),
        }
    }
}

fn half_space(solid: &Solid) -> Option<HalfSpace> {
    if let Solid::HalfSpace(half_space) = solid { Some(*half_space) } else { None }
}
