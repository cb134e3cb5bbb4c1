//! Rays in columns.
//!
//! Nothing stands between the columns and the memory that the device copies from and to: 64 bytes of a ray are read and
//! 32 written, 8 of its answer and 16 of the ray are read and 41 written. Rows are taken in blocks that compilers make vectors
//! of; what needs a closer look goes the way of single rays.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;

use super::{RaySearch, decode};
use crate::columns::{EntryPointColumns, EntryPointRows, NONE, RayColumns};
use crate::gpu::buffer::{BLOCK, Outgoing, fault};
use crate::gpu::wire::{EntryPointWire, MAX_LENGTH, RayStatusWord, RayWire};
use crate::gpu::{GpuError, Session};
use crate::job::Job;
use crate::parallel;
use crate::query::{EntryPoints, RayStatus};
use crate::scene::{LIMITS, Scene, Solid};

/// Rows per task of a thread: enough to make scheduling free.
const ROWS_PER_TASK: usize = 8192;

/// Rays in columns in a scene, with all that their answers need.
pub struct ColumnCodec<'a> {
    scene: &'a Scene,
    origin: DVec3,
    rays: RayColumns<'a>,
    /// No coordinate so far from the origin \[m\] is beyond what a ray may have.
    reach: f64,
    /// What hits of each leaf are, then what a miss is.
    answers: Vec<Answer>,
}

/// What all rays have that end alike.
#[derive(Clone, Copy)]
struct Answer {
    status: RayStatus,
    normal: [f64; 3],
    leaf: u32,
    material: u32,
    /// Not all have the same: the leaf is curved, or painted.
    differs: bool,
}

impl<'a> ColumnCodec<'a> {
    /// Rays in a scene whose lengths are sent relative to `origin` \[m\].
    pub fn new(scene: &'a Scene, origin: DVec3, rays: RayColumns<'a>) -> Self {
        let mut answers: Vec<Answer> = (0..)
            .zip(scene.leaves())
            .map(|(number, leaf)| {
                let is_face = matches!(leaf.solid, Solid::HalfSpace(_));
                Answer {
                    status: RayStatus::Hit,
                    normal: leaf.normal(DVec3::ZERO).into(),
                    leaf: number,
                    material: scene.material_at(number, DVec3::ZERO).map_or(NONE, |material| material.0),
                    differs: !is_face || !scene.is_of_one_material(number),
                }
            })
            .collect();
        answers.push(Answer { status: RayStatus::Miss, normal: [0.0; 3], leaf: NONE, material: NONE, differs: false });
        let reach = MAX_LENGTH.min(LIMITS.magnitude - origin.abs().max_element());
        Self { scene, origin, rays, reach, answers }
    }

    /// Writes `count` rays from this one on.
    pub fn pack(&self, first: usize, count: usize, to: &Outgoing<'_>) -> Result<(), GpuError> {
        to.write_blocks(count, |number, block| self.pack_block(first + number, block))
    }

    fn pack_block(&self, first: usize, block: &mut [RayWire]) {
        let count = block.len();
        let columns = self.rays.columns().map(|column| &column[first..first + count]);
        let [x, y, z] = self.origin.to_array();
        let mut narrow = [[0.0_f32; BLOCK]; 8];
        let mut is_within = true;
        for ((column, origin), narrow) in columns.iter().zip([x, y, z, x, y, z, 0.0, 0.0]).zip(&mut narrow) {
            for (place, number) in narrow.iter_mut().zip(*column) {
                let relative = number - origin;
                is_within &= relative.abs() <= self.reach;
                *place = relative as f32;
            }
        }
        let [.., lambda1, lambda2] = columns;
        is_within &= lambda1.iter().zip(lambda2).fold(true, |all, (lambda1, lambda2)| all & (lambda1 <= lambda2));
        let [x1, y1, z1, x2, y2, z2, from, until] = &narrow;
        for (row, place) in block.iter_mut().enumerate() {
            *place = RayWire {
                x1: [x1[row], y1[row], z1[row]],
                lambda1: from[row],
                x2: [x2[row], y2[row], z2[row]],
                lambda2: until[row],
            };
        }
        if !is_within {
            for (place, number) in block.iter_mut().zip(first..) {
                *place = RayWire::new(&self.rays.ray(number), self.origin).unwrap_or(RayWire::NONE);
            }
        }
    }

    /// Puts answers in the rows of the rays from this one on; the first without one is the error.
    pub fn decode(&self, first: usize, answers: &[EntryPointWire], rows: EntryPointRows<'_>) -> Result<(), usize> {
        let unanswered = AtomicUsize::new(usize::MAX);
        parallel::for_each_part(rows.parts(ROWS_PER_TASK), |task, rows| {
            let mut at = task * ROWS_PER_TASK;
            for answers in answers[at..at + rows.len()].chunks(BLOCK) {
                let from = at - task * ROWS_PER_TASK;
                if let Err(number) = self.decode_block(first + at, answers, rows, from) {
                    unanswered.fetch_min(number, Ordering::Relaxed);
                }
                at += answers.len();
            }
        });
        match unanswered.into_inner() {
            usize::MAX => Ok(()),
            first => Err(first),
        }
    }

    /// The same for a block of rays, whose rows begin at `from`.
    fn decode_block(
        &self,
        first: usize,
        answers: &[EntryPointWire],
        rows: &mut EntryPointRows<'_>,
        from: usize,
    ) -> Result<(), usize> {
        let here = from..from + answers.len();
        let [.., lambda1, lambda2] = self.rays.columns().map(|column| &column[first..first + answers.len()]);
        let (status, lambda) = (&mut rows.status[here.clone()], &mut rows.lambda[here.clone()]);
        let [x, y, z] = rows.normal.each_mut().map(|column| &mut column[here.clone()]);
        let (leaf, material) = (&mut rows.leaf[here.clone()], &mut rows.material[here]);
        let missed = self.answers.len() - 1;
        let (mut closer, mut count) = ([0_u8; BLOCK], 0);
        for (row, wire) in answers.iter().enumerate() {
            let (word, number) = wire.parts();
            let is_hit = word == RayStatusWord::Hit as u32;
            let is_known = is_hit & ((number as usize) < missed) | (word == RayStatusWord::Miss as u32);
            let answer = &self.answers[if is_hit { (number as usize).min(missed) } else { missed }];
            let widened = f64::from(wire.lambda).max(lambda1[row]).min(lambda2[row]);
            status[row] = answer.status;
            lambda[row] = if is_hit { widened } else { 0.0 };
            [x[row], y[row], z[row]] = answer.normal;
            leaf[row] = answer.leaf;
            material[row] = answer.material;
            closer[count % BLOCK] = row as u8;
            count += usize::from(!is_known | answer.differs | !wire.lambda.is_finite());
        }
        for &row in &closer[..count] {
            let (row, number) = (usize::from(row), first + usize::from(row));
            let entry = decode(self.scene, self.origin, &self.rays.ray(number), &answers[row]).ok_or(number)?;
            rows.put(from + row, entry);
        }
        Ok(())
    }
}

/// Entry points of rays in columns, `chunk` at a time.
pub fn fill(
    session: &mut Session,
    (search, codec): (&RaySearch, &ColumnCodec<'_>),
    chunk: usize,
    answers: &mut EntryPointColumns,
) -> Result<(), GpuError> {
    let count = codec.rays.len();
    answers.resize(count);
    let mut left = Some(answers.rows());
    let mut unanswered = None;
    session.slots.run::<RayWire, EntryPointWire>(
        &session.device,
        &search.job(),
        count,
        chunk,
        |range, to| codec.pack(range.start, range.len(), to),
        |range, answers| {
            if let Some((rows, others)) = left.take().map(|left| left.split_at(range.len())) {
                left = Some(others);
                unanswered = unanswered.or(codec.decode(range.start, answers, rows).err());
            }
        },
    )?;
    match unanswered {
        None => Ok(()),
        Some(ray) => Err(fault(&session.device, EntryPoints::NAME, &format!("ray {ray} got no answer"))),
    }
}
