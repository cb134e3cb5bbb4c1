//! The words of a program for a device.

use glam::{DMat3, DVec3};

use super::constants::Constants;
use super::on_device;
use crate::gpu::GpuError;
use crate::program::{Op, Program};
use crate::scene::{Capsule, Cone, Cylinder, HalfSpace, Solid, Sphere, Stretched};

on_device! {
    /// What a run over a program's words needs to know beside them.
    ProgramHead {
        instructions: u32,
        /// Rounds of loops that an item may run.
        rounds: u32,
        unused: [u32; 2],
    }
}

/// A program for a device.
#[derive(Clone, Debug)]
pub(in crate::gpu) struct ProgramWire {
    pub head: ProgramHead,
    /// Operation and count, where the constants begin, first leaf, rank.
    pub instructions: Vec<[u32; 4]>,
    pub constants: Vec<[f32; 4]>,
}

impl ProgramWire {
    /// Lays out the scene's words relative to `origin` \[m\].
    pub fn new(program: &Program, origin: DVec3, rounds: u32) -> Result<Self, GpuError> {
        let mut constants = Constants { origin, values: Vec::new() };
        let mut instructions = Vec::new();
        for instruction in program.instructions(program.root()) {
            let at = constants.values.len() as u32;
            let c = &program.constants()[instruction.constants_at as usize..];
            let vector = |at: usize| DVec3::new(c[at], c[at + 1], c[at + 2]);
            let leaf = instruction.leaf;
            match instruction.op {
                Op::Nothing | Op::Everything | Op::Union | Op::Intersection => {}
                Op::Cell => {
                    for index in 0..instruction.count {
                        let at = 4 * index as usize;
                        let half_space = HalfSpace { normal: vector(at), offset: c[at + 3] };
                        constants.solid(&Solid::HalfSpace(half_space), leaf + index)?;
                    }
                }
                Op::Stretched => {
                    let local: [f64; 9] = std::array::from_fn(|index| c[3 + index]);
                    let to_local = DMat3::from_cols_array(&local);
                    let base = curved(instruction.base(), &c[STRETCHED_NUMBERS..]);
                    let least_stretch = Stretched::least_stretch_of(to_local);
                    constants.stretched(vector(0), to_local, &base, least_stretch, leaf)?;
                }
                curved_op => {
                    constants.solid(&curved(curved_op, c), leaf)?;
                }
            }
            instructions.push([instruction.op as u32 | instruction.count << 8, at, leaf, instruction.rank]);
        }
        let head = ProgramHead { instructions: instructions.len() as u32, rounds, unused: [0; 2] };
        Ok(Self { head, instructions, constants: constants.values })
    }
}

/// Numbers of a stretched solid before those of its base.
const STRETCHED_NUMBERS: usize = 12;

/// The curved solid of an operation with these numbers.
fn curved(op: Op, c: &[f64]) -> Solid {
    let vector = |at: usize| DVec3::new(c[at], c[at + 1], c[at + 2]);
    match op {
        Op::Cylinder | Op::ShortCylinder => {
            let half_height = (op == Op::ShortCylinder).then(|| c[7]);
            Solid::Cylinder(Cylinder { center: vector(0), axis: vector(3), radius: c[6], half_height })
        }
        Op::Cone | Op::ShortCone => {
            let height = (op == Op::ShortCone).then(|| c[8]);
            Solid::Cone(Cone { base: vector(0), axis: vector(3), radius: c[6], slope: c[7], height })
        }
        Op::Capsule => Solid::Capsule(Capsule { from: vector(0), to: vector(3), radius: c[6] }),
        _ => Solid::Sphere(Sphere { center: vector(0), radius: c[3] }),
    }
}
