//! Engines that answer as the reference does but for what a test changes.
#![allow(unused_macros, unused_imports, reason = "each test file uses its own part")]

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::ops::RangeInclusive;

use touchdown::engine::{Engine, EngineError, EngineIdentity};
use touchdown::job::{Compute, Computes, Job};
use touchdown::query::{LandingInputs, LandingJob, LandingOutcome, LandingState, Observer};
use touchdown::reference::Reference;

/// Answers of a job; they may ask the reference.
type Answers<J> = Box<
    dyn Fn(&Reference, <J as Job>::Shared<'_>, &[<J as Job>::Item]) -> Vec<<J as Job>::Answer> + Send + Sync + 'static,
>;

/// The reference, some of whose jobs are answered otherwise.
pub struct Altered {
    reference: Reference,
    /// [`Answers`] by the type of their job.
    answers: HashMap<TypeId, Box<dyn Any + Send + Sync>>,
}

impl Altered {
    /// The reference as it is.
    pub fn new() -> Self {
        Self { reference: Reference::new(0).unwrap(), answers: HashMap::new() }
    }

    /// With other answers to a job.
    pub fn answering<J: Job>(
        mut self,
        answers: impl Fn(&Reference, J::Shared<'_>, &[J::Item]) -> Vec<J::Answer> + Send + Sync + 'static,
    ) -> Self {
        let answers: Answers<J> = Box::new(answers);
        self.answers.insert(TypeId::of::<J>(), Box::new(answers));
        self
    }
}

impl<J: Job> Computes<J> for Altered
where
    Reference: Computes<J>,
{
    fn answers(&self, shared: J::Shared<'_>, items: &[J::Item]) -> Result<Vec<J::Answer>, EngineError> {
        let altered = self.answers.get(&TypeId::of::<J>()).and_then(|answers| answers.downcast_ref::<Answers<J>>());
        match altered {
            Some(answers) => Ok(answers(&self.reference, shared, items)),
            None => self.reference.compute::<J>(shared, items),
        }
    }
}

impl Engine for Altered {
    fn identity(&self) -> EngineIdentity {
        self.reference.identity()
    }

    fn landing_batch(&self) -> RangeInclusive<usize> {
        self.reference.landing_batch()
    }

    fn landings(&self, job: &LandingJob, inputs: &[LandingInputs]) -> Result<Vec<LandingOutcome>, EngineError> {
        self.reference.landings(job, inputs)
    }

    fn step_landings(
        &self,
        job: &LandingJob,
        items: &[(LandingInputs, LandingState)],
    ) -> Result<Vec<LandingState>, EngineError> {
        self.reference.step_landings(job, items)
    }

    fn trace_landing(
        &self,
        job: &LandingJob,
        inputs: &LandingInputs,
        observer: &mut dyn Observer,
    ) -> Result<LandingOutcome, EngineError> {
        self.reference.trace_landing(job, inputs, observer)
    }
}

/// Every job of items as the engine in a field of another computes it.
macro_rules! computes_as {
    ($engine:ident . $field:ident : $inner:ty) => {
        impl<J: touchdown::job::Job> touchdown::job::Computes<J> for $engine
        where
            $inner: touchdown::job::Computes<J>,
        {
            fn answers(
                &self,
                shared: J::Shared<'_>,
                items: &[J::Item],
            ) -> Result<Vec<J::Answer>, touchdown::engine::EngineError> {
                touchdown::job::Compute::compute::<J>(&self.$field, shared, items)
            }
        }
    };
}

pub(crate) use computes_as;
