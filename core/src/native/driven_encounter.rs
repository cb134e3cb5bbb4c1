//! Jobs `driven_encounter` and `driven_step`: the reference's own text, eight encounters at a time.
//!
//! # Conventions
//! As in [`crate::query::DrivenEncounter`].

use super::{Native, by_tasks};
use crate::encounter::driven::{
    COURSE_NUMBERS, Course, DRIVE_NUMBERS, Drive, DrivenFrame, Searched, followed, most_steps, step,
};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::lanes::{LANES, Vectorized};
use crate::query::{
    DrivenAnswer, DrivenEncounter, DrivenEncounters, DrivenStep, DrivenStepAnswer, DrivenSteps, EncounterStatus,
    StepContacts,
};
use crate::simd::{F64x8, InRegisters, Mask8, Simd, at_full_width, in_registers};

/// Encounters that one thread takes at a time: each has hundreds of steps.
const ITEMS_PER_TASK: usize = 32;
/// Single steps that one thread takes at a time.
const STEPS_PER_TASK: usize = 1024;

impl Computes<DrivenEncounters> for Native {
    fn answers(&self, (): (), items: &[DrivenEncounter]) -> Result<Vec<DrivenAnswer>, EngineError> {
        let bad = DrivenAnswer::none(EncounterStatus::BadInput);
        let task = |items: &[DrivenEncounter], answers: &mut [DrivenAnswer]| in_registers(Items { items, answers });
        Ok(self.pool.install(|| by_tasks(ITEMS_PER_TASK, items, bad, task)))
    }
}

impl Computes<DrivenSteps> for Native {
    fn answers(&self, (): (), items: &[DrivenStep]) -> Result<Vec<DrivenStepAnswer>, EngineError> {
        let Some(first) = items.first() else { return Ok(Vec::new()) };
        let none = DrivenStepAnswer { course: first.course, contacts: StepContacts(0) };
        let task = |items: &[DrivenStep], answers: &mut [DrivenStepAnswer]| in_registers(Steps { items, answers });
        Ok(self.pool.install(|| by_tasks(STEPS_PER_TASK, items, none, task)))
    }
}

/// Encounters of one task, and a place for each answer, which says that its encounter is not valid.
struct Items<'a> {
    items: &'a [DrivenEncounter],
    answers: &'a mut [DrivenAnswer],
}

impl InRegisters for Items<'_> {
    type Output = ();
    fn run<S: Simd>(self, simd: S) {
        for (items, answers) in self.items.chunks(LANES).zip(self.answers.chunks_mut(LANES)) {
            let valid: Vec<usize> = (0..items.len()).filter(|&lane| items[lane].fault().is_none()).collect();
            let Some(&any) = valid.first() else { continue };
            // A lane without an encounter of its own repeats one that has.
            let framed: [(DrivenFrame, Drive<f64>, Course<f64>); LANES] =
                std::array::from_fn(|lane| DrivenFrame::new(&items[if valid.contains(&lane) { lane } else { any }]));
            let drives = framed.map(|(_, drive, _)| drive);
            let courses = framed.map(|(.., course)| course);
            let most = drives.map(|drive| most_steps(&drive));
            let ended = at_full_width(simd, Followed { simd, drives: &drives, courses: &courses, most: &most });
            for lane in valid {
                answers[lane] = framed[lane].0.answer(&items[lane], &ended[lane]);
            }
        }
    }
}

/// Steps of one task, and a place for each answer.
struct Steps<'a> {
    items: &'a [DrivenStep],
    answers: &'a mut [DrivenStepAnswer],
}

impl InRegisters for Steps<'_> {
    type Output = ();
    fn run<S: Simd>(self, simd: S) {
        for (items, answers) in self.items.chunks(LANES).zip(self.answers.chunks_mut(LANES)) {
            let of_lane = |lane: usize| items.get(lane).unwrap_or(&items[0]);
            let drives: [Drive<f64>; LANES] = std::array::from_fn(|lane| of_lane(lane).drive);
            let courses: [Course<f64>; LANES] = std::array::from_fn(|lane| of_lane(lane).course);
            let stepped = at_full_width(simd, Stepped { simd, drives: &drives, courses: &courses });
            answers.copy_from_slice(&stepped[..answers.len()]);
        }
    }
}

/// Drives in lanes.
#[inline(always)]
fn drives_in_lanes<S: Simd>(simd: S, drives: &[Drive<f64>; LANES]) -> Drive<F64x8<S>> {
    let columns = drives.map(|drive| drive.numbers());
    let rows: [[f64; LANES]; DRIVE_NUMBERS] = std::array::from_fn(|number| columns.map(|column| column[number]));
    Drive::of_numbers(rows.map(|row| F64x8::from_array(simd, row)))
}

/// Courses in lanes.
#[inline(always)]
fn courses_in_lanes<S: Simd>(simd: S, courses: &[Course<f64>; LANES]) -> Course<F64x8<S>> {
    let columns = courses.map(|course| course.numbers());
    let rows: [[f64; LANES]; COURSE_NUMBERS] = std::array::from_fn(|number| columns.map(|column| column[number]));
    Course::of_numbers(rows.map(|row| F64x8::from_array(simd, row)))
}

/// Courses out of lanes.
#[inline(always)]
fn courses_of<S: Simd>(course: &Course<F64x8<S>>) -> [Course<f64>; LANES] {
    let rows = course.numbers().map(F64x8::to_array);
    std::array::from_fn(|lane| Course::of_numbers(rows.map(|row| row[lane])))
}

/// Eight encounters until the last has ended.
struct Followed<'a, S> {
    simd: S,
    drives: &'a [Drive<f64>; LANES],
    courses: &'a [Course<f64>; LANES],
    most: &'a [u32; LANES],
}

impl<S: Simd> Vectorized for Followed<'_, S> {
    type Output = [Course<f64>; LANES];
    #[inline(always)]
    fn run(self) -> [Course<f64>; LANES] {
        let drive = drives_in_lanes(self.simd, self.drives);
        let most = F64x8::from_array(self.simd, self.most.map(f64::from));
        courses_of(&followed(&drive, courses_in_lanes(self.simd, self.courses), most))
    }
}

/// A step of eight.
struct Stepped<'a, S> {
    simd: S,
    drives: &'a [Drive<f64>; LANES],
    courses: &'a [Course<f64>; LANES],
}

impl<S: Simd> Vectorized for Stepped<'_, S> {
    type Output = [DrivenStepAnswer; LANES];
    #[inline(always)]
    fn run(self) -> [DrivenStepAnswer; LANES] {
        let drive = drives_in_lanes(self.simd, self.drives);
        let (course, contacts) = step(&drive, &courses_in_lanes(self.simd, self.courses), &Searched);
        let (courses, decisions) = (courses_of(&course), contacts.decisions().map(Mask8::to_array));
        std::array::from_fn(|lane| DrivenStepAnswer {
            course: courses[lane],
            contacts: StepContacts::new(decisions.map(|decision| decision[lane])),
        })
    }
}
