//! Benchmark results, in machine-readable form.
//!
//! Constant data come first: program, machine, adapter and the limits of its driver. Names carry units.

use serde::Serialize;

use super::operations::Operations;
use super::work::Work;
use crate::gpu::{Adapter, Rates, SearchForm, Stages};
use crate::program::walk::Visits;

/// All measurements of one run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of this program.
    pub version: &'static str,
    /// The CPU.
    pub processor: Processor,
    /// The adapter, if one was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adapter: Option<AdapterFacts>,
    /// Minimum time of each measurement.
    pub seconds_per_figure: f64,
    /// One entry per job, scene and engine.
    pub cases: Vec<Figures>,
}

/// The CPU that the CPU engines run on.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Processor {
    /// Architecture.
    pub architecture: &'static str,
    /// Operating system.
    pub system: &'static str,
    /// Threads of the reference.
    pub threads: usize,
}

/// An adapter and its capabilities.
#[derive(Clone, Debug, Serialize)]
pub struct AdapterFacts {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: &'static str,
    /// Driver and its version.
    pub driver: String,
    /// The graphics API it is reached through.
    pub interface: String,
    /// Largest buffer that a kernel can be given.
    pub largest_buffer_bytes: u64,
    /// Workgroups of the largest dispatch.
    pub largest_dispatch_workgroups: u32,
    /// Memory rate of a kernel that reads and writes.
    pub memory_bytes_per_second: f64,
    /// Rate of f32 additions and multiplications.
    pub arithmetic_operations_per_second: f64,
    /// Transfer rate to the device.
    pub upload_bytes_per_second: f64,
    /// Transfer rate from the device.
    pub download_bytes_per_second: f64,
    /// Duration of an empty kernel, one of many in a submission.
    pub empty_dispatch_seconds: f64,
    /// Latency of a submission with one such kernel.
    pub empty_submission_seconds: f64,
}

impl AdapterFacts {
    /// Known and measured data of an adapter.
    #[must_use]
    pub fn new(adapter: &Adapter, rates: &Rates) -> Self {
        let Rates { memory, arithmetic, upload, download, dispatch, submission } = *rates;
        Self {
            name: adapter.name.clone(),
            kind: adapter.kind.name(),
            driver: adapter.driver.clone(),
            interface: adapter.interface.clone(),
            largest_buffer_bytes: adapter.largest_binding(),
            largest_dispatch_workgroups: adapter.largest_dispatch(),
            memory_bytes_per_second: memory,
            arithmetic_operations_per_second: arithmetic,
            upload_bytes_per_second: upload,
            download_bytes_per_second: download,
            empty_dispatch_seconds: dispatch,
            empty_submission_seconds: submission,
        }
    }
}

/// One job in one scene on one engine.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// The job: `rays`, `rays in columns`, `ellipsoids`, `oriented`, `lcp`, `encounters`, `wheels` or `landings`.
    pub job: &'static str,
    /// What an item is.
    pub item: &'static str,
    /// The scene.
    pub scene: &'static str,
    /// The engine.
    pub engine: String,
    /// Items of each call.
    pub items_per_call: u64,
    /// Calls.
    pub calls: u64,
    /// All calls together.
    pub seconds: f64,
    /// Items of whole calls, from f64 to f64.
    pub items_per_second: f64,
    /// Steps of landings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<StepFigures>,
    /// Work of an item on a kernel.
    pub work: WorkFigures,
    /// The stages on a device, one at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stages: Option<StageFigures>,
    /// Limits from the device's rates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
}

/// Steps of landings.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StepFigures {
    /// Steps of a landing.
    pub steps_per_item: f64,
    /// Of these, steps with a wheel on the ground.
    pub contact_steps_per_item: f64,
    /// Steps of vehicles.
    pub vehicle_steps_per_second: f64,
    /// Steps of vehicles with a wheel on the ground.
    pub contact_steps_per_second: f64,
}

/// Work of an item, or of a landing step, on a kernel: averages of a sample.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WorkFigures {
    /// Unit: `ray`, `pair`, `initiator`, `problem`, `encounter`, `wheel step` or `vehicle step`.
    pub of_one: &'static str,
    /// Cells visited.
    pub cells: f64,
    /// Half spaces in them.
    pub half_spaces: f64,
    /// Balls visited.
    pub balls: f64,
    /// Infinite cylinders visited.
    pub cylinders: f64,
    /// Capped cylinders visited.
    pub short_cylinders: f64,
    /// Other curved solids visited: cones, capsules and stretched ones.
    pub others: f64,
    /// Boxes visited.
    pub boxes: f64,
    /// Sums and differences.
    pub additions: f64,
    /// Products.
    pub multiplications: f64,
    /// Quotients and roots.
    pub divisions: f64,
    /// Comparisons, minima, maxima and selections.
    pub comparisons: f64,
    /// Total.
    pub operations: f64,
}

impl WorkFigures {
    pub(super) fn new(of_one: &'static str, work: &Work) -> Self {
        let share = |count: u64| count as f64 / work.items as f64;
        let operations = work.operations * (1.0 / work.items as f64);
        let Operations { additions, multiplications, divisions, comparisons } = operations;
        let Visits { cells, half_spaces, balls, cylinders, short_cylinders, others, boxes } = work.visits;
        Self {
            of_one,
            cells: share(cells),
            half_spaces: share(half_spaces),
            balls: share(balls),
            cylinders: share(cylinders),
            short_cylinders: share(short_cylinders),
            others: share(others),
            boxes: share(boxes),
            additions,
            multiplications,
            divisions,
            comparisons,
            operations: operations.total(),
        }
    }
}

/// The stages of a chunk on a device.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StageFigures {
    /// How the kernel finds entry points, if it does: `interpreted`, or `unrolled` if generated for the scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<&'static str>,
    /// Items of the chunk; of landings their steps.
    pub items: u64,
    /// Packing items to wire structures, on the CPU.
    pub pack_seconds: f64,
    /// Upload.
    pub upload_seconds: f64,
    /// The kernel alone.
    pub kernel_seconds: f64,
    /// Download.
    pub download_seconds: f64,
    /// Decoding wire structures to answers, on the CPU.
    pub decode_seconds: f64,
    /// Items per second of the kernel alone.
    pub kernel_items_per_second: f64,
    /// Bytes sent per item.
    pub upload_bytes_per_item: f64,
    /// Bytes received per item.
    pub download_bytes_per_item: f64,
    /// Bytes read and written by the kernel per item, without the scene.
    pub kernel_bytes_per_item: f64,
}

impl From<&Stages> for StageFigures {
    fn from(stages: &Stages) -> Self {
        let Stages { search, items, bytes_up, bytes_down, bytes_of_kernel, pack, upload, kernel, download, decode } =
            *stages;
        let for_each = |bytes: u64| bytes as f64 / items as f64;
        Self {
            search: search.map(SearchForm::name),
            items,
            pack_seconds: pack.seconds(),
            upload_seconds: upload.seconds(),
            kernel_seconds: kernel.seconds(),
            download_seconds: download.seconds(),
            decode_seconds: decode.seconds(),
            kernel_items_per_second: items as f64 / kernel.seconds(),
            upload_bytes_per_item: for_each(bytes_up),
            download_bytes_per_item: for_each(bytes_down),
            kernel_bytes_per_item: for_each(bytes_of_kernel),
        }
    }
}

/// What limits a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Binding {
    /// The bytes of its items.
    Memory,
    /// Its operations.
    Arithmetic,
}

impl Binding {
    /// Name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Arithmetic => "arithmetic",
        }
    }
}

/// Throughput limits of a job from the device's rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// From the bytes read and written by the kernel.
    pub memory_items_per_second: f64,
    /// From its operations.
    pub arithmetic_items_per_second: f64,
    /// From the bytes transferred, each direction separately: for whole calls.
    pub link_items_per_second: f64,
    /// Whether memory or arithmetic is the lower limit.
    pub binding: Binding,
    /// The kernel's rate as a fraction of that limit.
    pub share_reached: f64,
}

impl Limit {
    pub(super) fn new(rates: &Rates, stages: &StageFigures, operations: f64) -> Self {
        let memory = rates.memory / stages.kernel_bytes_per_item;
        let arithmetic = rates.arithmetic / operations;
        let (binding, lower) =
            if memory < arithmetic { (Binding::Memory, memory) } else { (Binding::Arithmetic, arithmetic) };
        Self {
            memory_items_per_second: memory,
            arithmetic_items_per_second: arithmetic,
            link_items_per_second: (rates.upload / stages.upload_bytes_per_item)
                .min(rates.download / stages.download_bytes_per_item),
            binding,
            share_reached: stages.kernel_items_per_second / lower,
        }
    }
}

impl Report {
    /// As JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Maps with string keys and finite numbers always have a JSON form.
        serde_json::to_string_pretty(self).map(|json| json + "\n").unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_of_an_item_has_the_visits_of_every_kind_of_solid() {
        let visits =
            Visits { cells: 2, half_spaces: 4, balls: 6, cylinders: 8, short_cylinders: 10, others: 12, boxes: 14 };
        let figures = WorkFigures::new("ray", &Work { items: 2, visits, operations: Operations::default() });
        let kinds = serde_json::to_value(figures).unwrap();
        let kinds = ["cells", "half_spaces", "balls", "cylinders", "short_cylinders", "others", "boxes"]
            .map(|kind| kinds[kind].as_f64());
        assert_eq!(kinds, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0].map(Some));
    }
}
