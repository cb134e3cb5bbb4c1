//! Landings of a stream on their way through a device.

use std::collections::{BTreeMap, VecDeque};

use super::MAX_FLYING;
use crate::engine::LandingStream;
use crate::query::{LandingInputs, LandingOutcome};

/// Landings that have been begun and not been given back, at most: those whose outcomes wait for one that takes longer.
const MAX_WAITING: usize = 4 * MAX_FLYING;

/// The landings that a stream has given out and not got back, in their order. They are kept until then, and can be begun
/// again.
///
/// ```text
/// landings   | ended | under way | ended | under way | not begun |
///            ^ given back as far as the first that is under way   ^ pulled from the stream
/// ```
pub(in crate::gpu) struct Queue<'a> {
    stream: &'a mut dyn LandingStream,
    landings: VecDeque<LandingInputs>,
    /// How many of them have been begun.
    begun: usize,
    /// Number of the first of them, counted from where all were begun again.
    first: usize,
    /// Outcomes of some of them, by the number of the first of a chunk.
    ended: BTreeMap<usize, Vec<LandingOutcome>>,
    /// The stream has no more.
    is_over: bool,
    /// How many have been given back.
    given_back: usize,
}

impl<'a> Queue<'a> {
    /// None of a stream's landings.
    pub fn new(stream: &'a mut dyn LandingStream) -> Self {
        let (landings, ended) = (VecDeque::new(), BTreeMap::new());
        Self { stream, landings, begun: 0, first: 0, ended, is_over: false, given_back: 0 }
    }

    /// How many outcomes the stream has got.
    pub fn given_back(&self) -> usize {
        self.given_back
    }

    /// Those that have not been given back are given out again, and numbered from 0.
    pub fn begin_again(&mut self) {
        self.ended.clear();
        (self.begun, self.first) = (0, 0);
    }

    /// The landings of a chunk; none at the end, or where too many wait for the first.
    pub fn next(&mut self, chunk: usize) -> Option<Vec<LandingInputs>> {
        if self.begun + chunk > MAX_WAITING.max(chunk) {
            return None;
        }
        while self.landings.len() < self.begun + chunk && !self.is_over {
            let next = self.stream.next(self.begun + chunk - self.landings.len());
            self.is_over = next.is_empty();
            self.landings.extend(next);
        }
        let next: Vec<LandingInputs> = self.landings.iter().skip(self.begun).take(chunk).copied().collect();
        self.begun += next.len();
        (!next.is_empty()).then_some(next)
    }

    /// Takes the outcomes of a chunk, of which the first landing has this number, and gives back what is next.
    pub fn take(&mut self, first: usize, outcomes: Vec<LandingOutcome>) {
        self.ended.insert(first, outcomes);
        while let Some(outcomes) = self.ended.remove(&self.first) {
            self.first += outcomes.len();
            self.begun -= outcomes.len();
            self.given_back += outcomes.len();
            self.landings.drain(..outcomes.len());
            self.stream.take(outcomes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Input;
    use crate::random::NoiseKey;

    /// So many landings, a few at a time, and the numbers of steps in the outcomes that came back.
    struct Numbered {
        ahead: std::ops::Range<u64>,
        back: Vec<u64>,
    }

    impl LandingStream for Numbered {
        fn next(&mut self, count: usize) -> Vec<LandingInputs> {
            let landing = |item| LandingInputs::of_values(&vec![0.0; Input::ALL.len()], NoiseKey { seed: 0, item });
            self.ahead.by_ref().take(count.min(3)).map(landing).collect()
        }

        fn take(&mut self, outcomes: Vec<LandingOutcome>) {
            self.back.extend(outcomes.iter().map(|outcome| outcome.steps));
        }
    }

    fn numbers(landings: Option<Vec<LandingInputs>>) -> Vec<u64> {
        landings.into_iter().flatten().map(|landing| landing.noise.item).collect()
    }

    fn outcomes(numbers: &[u64]) -> Vec<LandingOutcome> {
        numbers.iter().map(|&steps| LandingOutcome { steps, ..LandingOutcome::invalid(0, 0.01) }).collect()
    }

    #[test]
    fn chunks_that_end_in_any_order_are_given_back_in_theirs() {
        let mut stream = Numbered { ahead: 0..10, back: Vec::new() };
        let mut queue = Queue::new(&mut stream);
        assert_eq!(numbers(queue.next(4)), [0, 1, 2, 3]);
        assert_eq!(numbers(queue.next(4)), [4, 5, 6, 7]);
        queue.take(4, outcomes(&[4, 5, 6, 7]));
        assert_eq!(numbers(queue.next(4)), [8, 9]);
        assert!(queue.next(4).is_none());
        queue.take(0, outcomes(&[0, 1, 2, 3]));
        queue.take(8, outcomes(&[8, 9]));
        assert!(queue.next(4).is_none());
        assert_eq!(stream.back, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn what_was_not_given_back_is_begun_again_and_nothing_else() {
        let mut stream = Numbered { ahead: 0..10, back: Vec::new() };
        let mut queue = Queue::new(&mut stream);
        for first in [0, 2, 4] {
            assert_eq!(numbers(queue.next(2)), [first, first + 1]);
        }
        queue.take(0, outcomes(&[0, 1]));
        queue.take(4, outcomes(&[4, 5]));
        queue.begin_again();
        assert_eq!(numbers(queue.next(5)), [2, 3, 4, 5, 6]);
        queue.take(0, outcomes(&[2, 3, 4, 5, 6]));
        assert_eq!(numbers(queue.next(5)), [7, 8, 9]);
        queue.take(5, outcomes(&[7, 8, 9]));
        assert_eq!(stream.back, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn no_more_are_begun_than_may_wait_for_the_first() {
        let mut stream = Numbered { ahead: 0..u64::MAX, back: Vec::new() };
        let mut queue = Queue::new(&mut stream);
        let chunk = MAX_WAITING / 2;
        let first = numbers(queue.next(chunk));
        let second = numbers(queue.next(chunk));
        assert!(queue.next(chunk).is_none());
        queue.take(chunk, outcomes(&second));
        assert!(queue.next(chunk).is_none());
        queue.take(0, outcomes(&first));
        assert_eq!(numbers(queue.next(1)), [MAX_WAITING as u64]);
    }
}
