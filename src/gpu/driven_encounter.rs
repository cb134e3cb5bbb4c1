//! Jobs `driven_encounter` and `driven_step` on a device: 304 bytes for what is sent, 208 for what returns.
//!
//! A dispatch makes a number of steps that no driver cuts short or takes for a hang; encounters with more steps continue in
//! the next one, from where the last has left them.
//!
//! # Conventions
//! As in [`crate::encounter::driven`], whose units are made here in f64, so that only narrowing rounds.

use super::buffer::ItemJob;
use super::items::{ClosedForm, Codec, source};
use super::shader::{float, unsigned};
use super::wire::{Structure, on_device};
use super::{Gpu, GpuError, Session};
use crate::encounter::driven::{
    BAND, COURSE_NUMBERS, Course, DRIVE_NUMBERS, Drive, DrivenFrame, LANDING_RESIDUAL, LANDINGS, OUT_OF_REACH,
    most_steps,
};
use crate::encounter::{FAR, SAME_NORMALS, SCALING_RESIDUAL, SCALING_ROUNDS};
use crate::engine::EngineError;
use crate::job::{Computes, Job};
use crate::query::{
    DrivenAnswer, DrivenEncounter, DrivenEncounters, DrivenStep, DrivenStepAnswer, DrivenSteps, EncounterStatus,
    StepContacts,
};

/// Maximum number of steps of a dispatch: well under a second of work on any GPU at the largest chunk, and with all loops in a
/// step few enough rounds for drivers that count them together.
const MAX_SLICE: u32 = 64;
/// Where the course begins among the numbers that are sent.
const COURSE_AT: usize = DRIVE_NUMBERS.next_multiple_of(4);
/// Rows of four numbers that are sent, and that return.
const ROWS: [usize; 2] = [(COURSE_AT + COURSE_NUMBERS) / 4, COURSE_NUMBERS / 4];
/// Stands where an answer has been written.
const DONE: u32 = 0x600d;

on_device! {
    /// What holds during an encounter, and how far it has come.
    DrivenWire {
        numbers: [[f32; 4]; ROWS[0]],
        /// First, how many steps to make.
        steps: [u32; 4],
    }
}

on_device! {
    /// How far it has come. Zero is no answer: buffers are cleared before a run.
    DrivenAnswerWire {
        numbers: [[f32; 4]; ROWS[1]],
        /// What was decided in the last step, how many steps were made, and that they were.
        contacts: [u32; 4],
    }
}

/// Towards the device.
fn packed(drive: &Drive<f64>, course: &Course<f64>, steps: u32) -> DrivenWire {
    let mut numbers = [0.0; ROWS[0] * 4];
    numbers[..DRIVE_NUMBERS].copy_from_slice(&drive.numbers());
    numbers[COURSE_AT..].copy_from_slice(&course.numbers());
    let row = |row: usize| std::array::from_fn(|column| numbers[4 * row + column] as f32);
    DrivenWire { numbers: std::array::from_fn(row), steps: [steps, 0, 0, 0] }
}

/// How far the encounter has come, what was decided in the last step, and how many were made.
fn unpacked(answer: &DrivenAnswerWire) -> Option<(Course<f64>, StepContacts, u32)> {
    let [contacts, steps, done, _] = answer.contacts;
    let numbers = std::array::from_fn(|number| f64::from(answer.numbers[number / 4][number % 4]));
    let is_allowed = done == DONE && numbers.iter().all(|number: &f64| number.is_finite());
    is_allowed.then(|| (Course::of_numbers(numbers), StepContacts(contacts), steps))
}

impl ClosedForm for DrivenSteps {
    type Wire = DrivenWire;
    type AnswerWire = DrivenAnswerWire;
    const FUNCTION: &'static str = "driven";

    fn library() -> String {
        let bits = StepContacts::NAMES.iter().enumerate();
        let bits =
            bits.map(|(bit, name)| unsigned(&format!("STEP_{}", name.replace(' ', "_").to_uppercase()), 1 << bit));
        [
            &bits.collect::<String>(),
            &unsigned("STEP_DONE", DONE),
            &unsigned("COURSE_AT", COURSE_AT as u32),
            &unsigned("SCALING_ROUNDS", SCALING_ROUNDS),
            &unsigned("LANDINGS", LANDINGS),
            &float("SCALING_RESIDUAL", SCALING_RESIDUAL * f64::from(f32::EPSILON)),
            &float("LANDING_RESIDUAL", LANDING_RESIDUAL * f64::from(f32::EPSILON)),
            &float("SAME_NORMALS", SAME_NORMALS),
            &float("NEVER", FAR),
            &float("SIXTH", 1.0 / 6.0),
            &float("TOUCHING", 1.0 + BAND),
            &float("REACH_BAND", 1.0 + 2.0 * BAND),
            &float("OUT_OF_REACH", OUT_OF_REACH),
            &DrivenWire::declaration(),
            &DrivenAnswerWire::declaration(),
            include_str!("../../shaders/vehicle_contact.wgsl"),
            include_str!("../../shaders/driven_encounter.wgsl"),
        ]
        .concat()
    }

    fn pack(item: &DrivenStep) -> DrivenWire {
        packed(&item.drive, &item.course, 1)
    }

    fn decode(_: &DrivenStep, answer: &DrivenAnswerWire) -> Option<DrivenStepAnswer> {
        let (course, contacts, _) = unpacked(answer)?;
        Some(DrivenStepAnswer { course, contacts })
    }
}

/// An encounter on its way.
struct Run {
    /// Which it is.
    item: usize,
    drive: Drive<f64>,
    course: Course<f64>,
    /// Steps that it may still take.
    left: u32,
}

impl Run {
    fn has_ended(&self) -> bool {
        // As the device compares them.
        self.course.time >= f64::from(self.drive.until as f32) || self.course.fault > 0.0
    }

    /// What has become of it.
    fn answer(&self, item: &DrivenEncounter) -> DrivenAnswer {
        let mut course = self.course;
        if self.has_ended() {
            course.time = course.time.max(self.drive.until);
        }
        DrivenFrame::new(item).0.answer(item, &course)
    }
}

impl Computes<DrivenEncounters> for Gpu {
    fn answers(&self, (): (), items: &[DrivenEncounter]) -> Result<Vec<DrivenAnswer>, EngineError> {
        self.run(items.len(), |session, chunk| {
            let mut answers = vec![DrivenAnswer::none(EncounterStatus::BadInput); items.len()];
            let valid = items.iter().enumerate().filter(|(_, item)| item.fault().is_none());
            let mut runs: Vec<Run> = valid
                .map(|(number, item)| {
                    let (_, drive, course) = DrivenFrame::new(item);
                    Run { item: number, drive, course, left: most_steps(&drive) }
                })
                .collect();
            while !runs.is_empty() {
                slice(session, &mut runs, chunk)?;
                runs.retain(|run| {
                    let goes_on = !run.has_ended() && run.left > 0;
                    if !goes_on {
                        answers[run.item] = run.answer(&items[run.item]);
                    }
                    goes_on
                });
            }
            Ok(answers)
        })
    }
}

/// Some steps of each.
fn slice(session: &mut Session, runs: &mut [Run], chunk: usize) -> Result<(), GpuError> {
    let most = session.device.rounds.min(MAX_SLICE);
    let kernel = session.kernel(DrivenEncounters::NAME, source::<DrivenSteps>())?;
    let codec = Codec {
        pack: |run: &Run| packed(&run.drive, &run.course, run.left.min(most)),
        decode: |_: &Run, answer: &DrivenAnswerWire| unpacked(answer),
    };
    let job = ItemJob { name: DrivenEncounters::NAME, kernel: &kernel, shared: Vec::new() };
    let answers = codec.run(&session.device, &mut session.slots, &job, runs, chunk)?;
    for (run, (course, _, steps)) in runs.iter_mut().zip(answers) {
        run.course = course;
        run.left -= steps.min(run.left);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    //! Kernels that are broken on purpose.

    use super::*;
    use crate::gpu::GpuOptions;
    use crate::gpu::faults::see_all;
    use crate::gpu::items::tests::assert_valid;
    use crate::reference::Reference;
    use crate::validation::driven_encounters::{Class, DrivenVehicles};
    use crate::validation::{Agreement, validate_drawn};

    #[test]
    fn the_kernel_is_valid_without_a_driver() {
        assert_valid::<DrivenSteps>();
    }

    #[test]
    fn broken_kernels_of_driven_encounters_are_called_wrong() {
        let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
        let gpu = Gpu::open(GpuOptions { adapter: Some(adapter), ..GpuOptions::default() }).unwrap();
        let judge = Reference::new(0).unwrap();
        let wrong = |class| match validate_drawn::<DrivenVehicles>(&judge, &gpu, (class, 1), 2_000, &mut |_| {}) {
            Ok(report) => report.tally.count(Agreement::Wrong),
            // A number that is none is no answer.
            Err(error) if error.to_string().contains("got no answer") => 2_000,
            Err(error) => panic!("{error}"),
        };
        let faults = [
            ("gear.creep * gear.creep", "0.9 * gear.creep * gear.creep", Class::Driving),
            ("+ yaw_rate * arm.x)", "+ 0.999 * yaw_rate * arm.x)", Class::Driving),
            ("(wheel & 1u) == 0u", "(wheel & 1u) == 1u", Class::Driving),
            ("wheel_direction(gear, heading, wheel), of_wheel", "heading, of_wheel", Class::Driving),
            ("0.5 * (lags * lags)", "0.499 * (lags * lags)", Class::Driving),
            ("(1.0 + 0.5 * lags) * left", "left", Class::Driving),
            ("start.yaw_rate + time * (drive", "start.yaw_rate + 0.99 * time * (drive", Class::Driving),
            ("start.apart + (b.way - a.way)", "start.apart + b.way", Class::Driving),
            ("touch.square > TOUCHING", "touch.square > 1.0", Class::Touching),
            ("l * rest * (rest * by.own.x", "l * rest * (l * by.own.x", Class::Touching),
            ("round < SCALING_ROUNDS", "round < 1u", Class::Touching),
            ("drive.by_boxes && boxes_pass(drive, now)", "false", Class::Touching),
            ("* (sine * sine);", "* sine;", Class::Touching),
            ("(1.0 + restitution)", "(1.0 + 0.999 * restitution)", Class::Touching),
            ("now.a.velocity - impulse", "now.a.velocity - 0.999 * impulse", Class::Touching),
            ("cross_of(touch.arm_b, impulse)", "cross_of(touch.arm_a, impulse)", Class::Touching),
            ("(*record).impacts < 1.0", "true", Class::Touching),
            ("max((*record).largest, size.x)", "size.x", Class::Touching),
            ("(*record).peaks = peaks_of((*record).peaks, next)", "", Class::Driving),
            ("after.square <= 1.0", "false", Class::Landing),
            ("drive, next).square) - 1.0", "drive, next).square) - 1.001", Class::Landing),
            ("round < LANDINGS", "round < 1u", Class::Landing),
        ];
        see_all(&gpu, |_| [source::<DrivenSteps>()], &faults, wrong);
    }
}
