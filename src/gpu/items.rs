//! Jobs with one answer per item: packed and decoded here on all threads, computed on the device chunk by chunk.

use bytemuck::Pod;

use super::buffer::{ItemJob, Outgoing, Slots, fault};
use super::device::Device;
use super::shader::{WORKGROUP, unsigned};
use super::wire::OnDevice;
use super::{Gpu, GpuError};
use crate::engine::EngineError;
use crate::job::{Computes, Job};
use crate::parallel;

const ITEMS: &str = include_str!("../../shaders/items.wgsl");
/// Items decoded per task of a thread: enough to make scheduling free.
const ITEMS_PER_TASK: usize = 4096;

/// A job whose items are self-contained, with its codec.
pub(super) trait ClosedForm: for<'a> Job<Shared<'a> = ()> {
    /// Wire form of an item.
    type Wire: OnDevice + Pod + Send;
    /// Wire form of an answer.
    type AnswerWire: OnDevice + Pod + Sync;
    /// Name of the WGSL function from an item to its answer.
    const FUNCTION: &'static str;

    /// Source of the kernel: constants, structures and functions.
    fn library() -> String;

    /// The wire form of an item; of any other item if this one cannot be sent.
    fn pack(item: &Self::Item) -> Self::Wire;

    /// The result of an item from its answer; `None` if the device wrote anything invalid.
    fn decode(item: &Self::Item, answer: &Self::AnswerWire) -> Option<Self::Answer>;
}

/// The source of a job's kernel.
pub(super) fn source<J: ClosedForm>() -> String {
    let (function, item, answer) = (J::FUNCTION, J::Wire::name(), J::AnswerWire::name());
    let of_job = format!(
        "alias Item = {item};\nalias Answer = {answer};\n\nfn answer(item: Item) -> Answer {{\n    return {function}(item);\n}}\n\n"
    );
    [&unsigned("WORKGROUP", WORKGROUP), &J::library(), of_job.as_str(), ITEMS].concat()
}

impl<J: ClosedForm> Computes<J> for Gpu {
    fn answers(&self, (): (), items: &[J::Item]) -> Result<Vec<J::Answer>, EngineError> {
        self.run(items.len(), |session, chunk| {
            let kernel = session.kernel(J::NAME, source::<J>())?;
            let job = ItemJob { name: J::NAME, kernel: &kernel, shared: Vec::new() };
            let codec = Codec { pack: J::pack, decode: J::decode };
            codec.run(&session.device, &mut session.slots, &job, items, chunk)
        })
    }
}

/// Codec of a job's items and answers.
pub(super) struct Codec<P, D> {
    /// The wire form of an item; of any other item if this one cannot be sent.
    pub pack: P,
    /// The result of an item from its answer; `None` if the device wrote anything invalid.
    pub decode: D,
}

impl<P, D> Codec<P, D> {
    /// Writes items in wire form.
    pub fn pack<T: Sync, I: Pod>(&self, items: &[T], to: &Outgoing<'_>) -> Result<(), GpuError>
    where
        P: Fn(&T) -> I + Sync,
    {
        let pack = &self.pack;
        to.write_numbers(items.len(), |number| pack(&items[number]))
    }

    /// Puts the results of items behind those before them; the first item without one is the error.
    pub fn decode<T: Sync, O: Sync, R: Send>(
        &self,
        items: &[T],
        answers: &[O],
        results: &mut Vec<R>,
    ) -> Result<(), usize>
    where
        D: Fn(&T, &O) -> Option<R> + Sync,
    {
        let decode = &self.decode;
        parallel::extend(results, items.len(), ITEMS_PER_TASK, |number| decode(&items[number], &answers[number]))
    }

    /// Runs a job over items, `chunk` at a time.
    pub fn run<T: Sync, I: Pod, O: Pod + Sync, R: Send>(
        &self,
        device: &Device,
        slots: &mut Slots,
        job: &ItemJob<'_>,
        items: &[T],
        chunk: usize,
    ) -> Result<Vec<R>, GpuError>
    where
        P: Fn(&T) -> I + Sync,
        D: Fn(&T, &O) -> Option<R> + Sync,
    {
        let mut results = Vec::with_capacity(items.len());
        let mut unanswered = None;
        slots.run::<I, O>(
            device,
            job,
            items.len(),
            chunk,
            |range, to| self.pack(&items[range], to),
            |range, answers| {
                if unanswered.is_none() {
                    let decoded = self.decode(&items[range.clone()], answers, &mut results);
                    unanswered = decoded.err().map(|number| range.start + number);
                }
            },
        )?;
        match unanswered {
            None => Ok(results),
            Some(item) => Err(fault(device, job.name, &format!("item {item} got no answer"))),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    use super::{ClosedForm, source};

    /// The kernel of a job is valid without a driver.
    pub fn assert_valid<J: ClosedForm>() {
        let source = source::<J>();
        let module = naga::front::wgsl::parse_str(&source)
            .unwrap_or_else(|error| panic!("{}: {}", J::NAME, error.emit_to_string(&source)));
        let checked = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
        assert!(checked.is_ok(), "{}: {}", J::NAME, checked.unwrap_err().emit_to_string(&source));
    }
}
