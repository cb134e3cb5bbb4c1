//! What was measured, for people's programs.
//!
//! What does not depend on the day comes first: program, machine, adapter and what its driver allows. Names carry units.

use serde::Serialize;

use super::operations::Operations;
use super::work::Work;
use crate::gpu::{Adapter, Rates, SearchForm, Stages};

/// All measurements of one run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of this program.
    pub version: &'static str,
    /// The processor.
    pub processor: Processor,
    /// The adapter, where one was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adapter: Option<AdapterFacts>,
    /// How long each figure was measured for, at least.
    pub seconds_per_figure: f64,
    /// One entry for each job, scene and engine.
    pub cases: Vec<Figures>,
}

/// The processor that the reference runs on.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Processor {
    /// Architecture.
    pub architecture: &'static str,
    /// Operating system.
    pub system: &'static str,
    /// Threads of the reference.
    pub threads: usize,
}

/// An adapter and what it can do.
#[derive(Clone, Debug, Serialize)]
pub struct AdapterFacts {
    /// Its name.
    pub name: String,
    /// What computes behind it.
    pub kind: &'static str,
    /// Driver and its version.
    pub driver: String,
    /// The system's interface it is reached by.
    pub interface: String,
    /// Largest buffer that a kernel can be given.
    pub largest_buffer_bytes: u64,
    /// Workgroups of the largest dispatch.
    pub largest_dispatch_workgroups: u32,
    /// Bytes that a kernel reads and writes.
    pub memory_bytes_per_second: f64,
    /// Additions and multiplications in f32.
    pub arithmetic_operations_per_second: f64,
    /// Bytes to the device.
    pub upload_bytes_per_second: f64,
    /// Bytes from the device.
    pub download_bytes_per_second: f64,
    /// A kernel that does nothing, one of many in a submission.
    pub empty_dispatch_seconds: f64,
    /// A submission with one such kernel, until its end is known.
    pub empty_submission_seconds: f64,
}

impl AdapterFacts {
    /// What is known and measured of an adapter.
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
    /// The job: `rays`, `ellipsoids`, `wheels` or `landings`.
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
    /// What an item makes a kernel do.
    pub work: WorkFigures,
    /// The stages on a device, one at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stages: Option<StageFigures>,
    /// What the device's rates allow.
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

/// What an item, or a step of a landing, makes a kernel do: averages of a sample.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WorkFigures {
    /// Of what: `ray`, `pair`, `wheel step` or `vehicle step`.
    pub of_one: &'static str,
    /// Cells looked at.
    pub cells: f64,
    /// Half spaces in them.
    pub half_spaces: f64,
    /// Balls looked at.
    pub balls: f64,
    /// Infinite cylinders looked at.
    pub cylinders: f64,
    /// Cylinders with caps looked at.
    pub short_cylinders: f64,
    /// Boxes looked at.
    pub boxes: f64,
    /// Sums and differences.
    pub additions: f64,
    /// Products.
    pub multiplications: f64,
    /// Quotients and roots.
    pub divisions: f64,
    /// Comparisons, minima, maxima and selections.
    pub comparisons: f64,
    /// All of these.
    pub operations: f64,
}

impl WorkFigures {
    pub(super) fn new(of_one: &'static str, work: &Work) -> Self {
        let share = |count: u64| count as f64 / work.items as f64;
        let operations = work.operations * (1.0 / work.items as f64);
        let Operations { additions, multiplications, divisions, comparisons } = operations;
        Self {
            of_one,
            cells: share(work.visits.cells),
            half_spaces: share(work.visits.half_spaces),
            balls: share(work.visits.balls),
            cylinders: share(work.visits.cylinders),
            short_cylinders: share(work.visits.short_cylinders),
            boxes: share(work.visits.boxes),
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
    /// How the kernel searches for first points, where it does: `interpreted`, or `unrolled` where it was made for the
    /// scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<&'static str>,
    /// Items of the chunk; of landings their steps.
    pub items: u64,
    /// Items to wire structures, on the processor.
    pub pack_seconds: f64,
    /// To the device.
    pub upload_seconds: f64,
    /// The kernel alone.
    pub kernel_seconds: f64,
    /// From the device.
    pub download_seconds: f64,
    /// Wire structures to answers, on the processor.
    pub decode_seconds: f64,
    /// Items of the kernel alone.
    pub kernel_items_per_second: f64,
    /// Sent for an item.
    pub upload_bytes_per_item: f64,
    /// Received for an item.
    pub download_bytes_per_item: f64,
    /// Read and written by the kernel for an item, the scene aside.
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

/// What keeps a kernel from being faster.
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

/// How fast a device's own rates would let a job be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// By the bytes that the kernel reads and writes.
    pub memory_items_per_second: f64,
    /// By its operations.
    pub arithmetic_items_per_second: f64,
    /// By the bytes that cross between processor and device, each way on its own: for whole calls.
    pub link_items_per_second: f64,
    /// Which of memory and arithmetic is the lower.
    pub binding: Binding,
    /// The kernel's rate over the lower of them.
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
