//! Job `lcp` on a device: 304 bytes per problem, 48 per solution.
//!
//! # Conventions
//! As in [`crate::query::LcpItem`]. Problems are scaled on the host, by powers of 2, so that only the conversion to f32
//! rounds.

use super::items::ClosedForm;
use super::shader::{float, unsigned};
use super::wire::{Structure, on_device};
use crate::query::{
    LCP_CORRECTIONS, LCP_LARGEST, LCP_SOLVED, LCP_ZERO, LcpAnswer, LcpItem, LcpItems, LcpStatus, MAX_LCP_PIVOTS,
    MAX_LCP_UNKNOWNS,
};

on_device! {
    /// A problem. Rows of the matrix are two vectors each; what does not count is zero.
    LcpWire {
        matrix: [[f32; 4]; 2 * MAX_LCP_UNKNOWNS],
        vector: [[f32; 4]; 2],
        unknowns: u32,
        unused: u32,
        unused_too: u32,
        nor_this: u32,
    }
}

on_device! {
    /// Its solution. Zero is no answer: buffers are cleared before a run.
    LcpAnswerWire {
        z: [[f32; 4]; 2],
        status: u32,
        pivots: u32,
        unused: u32,
        unused_too: u32,
    }
}

impl ClosedForm for LcpItems {
    type Wire = LcpWire;
    type AnswerWire = LcpAnswerWire;
    const FUNCTION: &'static str = "lcp";

    fn library() -> String {
        let epsilon = f64::from(f32::EPSILON);
        [
            &unsigned("SIZE", MAX_LCP_UNKNOWNS as u32),
            &unsigned("MAX_PIVOTS", MAX_LCP_PIVOTS),
            &unsigned("CORRECTIONS", LCP_CORRECTIONS as u32),
            &unsigned("LCP_SOLVED_STATUS", LcpStatus::Solved as u32),
            &unsigned("LCP_RAY_STATUS", LcpStatus::Ray as u32),
            &unsigned("LCP_NOT_CONVERGED_STATUS", LcpStatus::NotConverged as u32),
            &unsigned("LCP_INACCURATE_STATUS", LcpStatus::Inaccurate as u32),
            &float("LCP_ZERO", LCP_ZERO * epsilon),
            &float("LCP_SOLVED", LCP_SOLVED * epsilon),
            &float("LCP_LARGEST", LCP_LARGEST),
            &LcpWire::declaration(),
            &LcpAnswerWire::declaration(),
            include_str!("../../shaders/lcp.wgsl"),
        ]
        .concat()
    }

    /// One that is not valid is replaced: its answer is known.
    fn pack(item: &LcpItem) -> LcpWire {
        let replaced = LcpItem { unknowns: 1, matrix: Default::default(), vector: Default::default() };
        let (scaled, _) = if item.is_valid() { item.scaled() } else { (replaced, 1.0) };
        let half = |entries: &[f64; MAX_LCP_UNKNOWNS], half: usize| -> [f32; 4] {
            std::array::from_fn(|index| entries[4 * half + index] as f32)
        };
        LcpWire {
            matrix: std::array::from_fn(|index| half(&scaled.matrix[index / 2], index % 2)),
            vector: std::array::from_fn(|index| half(&scaled.vector, index)),
            unknowns: scaled.unknowns as u32,
            unused: 0,
            unused_too: 0,
            nor_this: 0,
        }
    }

    fn decode(item: &LcpItem, answer: &LcpAnswerWire) -> Option<LcpAnswer> {
        if !item.is_valid() {
            return Some(LcpAnswer::none(LcpStatus::BadInput, 0));
        }
        let status = LcpStatus::OF_VALID.into_iter().find(|&status| status as u32 == answer.status)?;
        if status != LcpStatus::Solved {
            return Some(LcpAnswer::none(status, answer.pivots));
        }
        let (_, unit) = item.scaled();
        let z = std::array::from_fn(|index| f64::from(answer.z[index / 4][index % 4]));
        let is_allowed = z.iter().all(|z: &f64| z.is_finite() && *z >= 0.0) && answer.pivots <= MAX_LCP_PIVOTS;
        is_allowed.then(|| LcpAnswer::solved(item, z.map(|z| z * unit), answer.pivots))
    }
}

#[cfg(test)]
mod tests {
    //! Kernels that are broken on purpose.

    use super::*;
    use crate::gpu::faults::see_all;
    use crate::gpu::items::source;
    use crate::gpu::items::tests::assert_valid;
    use crate::gpu::{Gpu, GpuOptions};
    use crate::reference::Reference;
    use crate::validation::lcp::{Class, LcpProblems};
    use crate::validation::{Agreement, validate_drawn};

    #[test]
    fn the_kernel_is_valid_without_a_driver() {
        assert_valid::<LcpItems>();
    }

    #[test]
    fn broken_kernels_of_problems_are_called_wrong() {
        let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
        let gpu = Gpu::open(GpuOptions { adapter: Some(adapter), ..GpuOptions::default() }).unwrap();
        let judge = Reference::new(0).unwrap();
        let wrong = |class| match validate_drawn::<LcpProblems>(&judge, &gpu, (class, 1), 2_000, &mut |_| {}) {
            Ok(report) => report.tally.count(Agreement::Wrong),
            // A z that is no number is no answer.
            Err(error) if error.to_string().contains("got no answer") => 2_000,
            Err(error) => panic!("{error}"),
        };
        let faults = [
            // Another row leaves.
            ("return of_row < of_best", "return of_row > of_best", Class::Definite),
            ("entering] > LCP_ZERO", "entering] > -1.0", Class::Arbitrary),
            ("<= vector_entry(&item, leaving)", ">= vector_entry(&item, leaving)", Class::Definite),
            // Tableaus that are others.
            ("- factor * tableau[head + column]", "- 0.9999 * factor * tableau[head + column]", Class::Skewed),
            ("= -matrix_entry(item, row, column)", "= -matrix_entry(item, column, row)", Class::Skewed),
            // A solution that is none.
            ("max(z[index], 0.0)", "1.001 * max(z[index], 0.0)", Class::Sizes),
            (
                "select(left - SIZE, left + SIZE, left < SIZE)",
                "select(left - SIZE, left, left < SIZE)",
                Class::Arbitrary,
            ),
            ("pivots <= MAX_PIVOTS", "pivots <= 3u", Class::Contacts),
        ];
        see_all(&gpu, |_| [source::<LcpItems>()], &faults, wrong);
    }
}
