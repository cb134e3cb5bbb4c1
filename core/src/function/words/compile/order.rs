//! The order of words: long runs of one code, which are evaluated without a decision between them.

use std::collections::VecDeque;

use super::Nodes;
use crate::function::Code;

/// The numbers that are read, each after its parts: of the codes for which numbers are ready that for which most are, until none is.
pub(super) fn in_runs(nodes: &Nodes, reads: &[usize]) -> Vec<usize> {
    let mut queue = Queue::new(nodes, reads);
    while let Some(code) = queue.most() {
        // What becomes ready for the same code meanwhile prolongs the run.
        while let Some(number) = queue.ready[code].1.pop_front() {
            queue.make(number);
        }
    }
    queue.order
}

struct Queue<'a> {
    nodes: &'a Nodes,
    /// Who reads a number, each time that it does.
    readers: Vec<Vec<usize>>,
    /// How many parts of a number are not made yet.
    missing: Vec<usize>,
    /// Numbers whose parts are made, by the code that makes them.
    ready: Vec<(Code, VecDeque<usize>)>,
    order: Vec<usize>,
}

impl<'a> Queue<'a> {
    fn new(nodes: &'a Nodes, reads: &[usize]) -> Self {
        let is_read: Vec<usize> = (0..reads.len()).filter(|&number| reads[number] > 0).collect();
        let mut readers = vec![Vec::new(); reads.len()];
        let mut missing = vec![0; reads.len()];
        for &number in &is_read {
            missing[number] = nodes.parts(number).len();
            nodes.parts(number).iter().for_each(|&part| readers[part].push(number));
        }
        let begun: Vec<usize> = is_read.into_iter().filter(|&number| missing[number] == 0).collect();
        let mut queue = Self { nodes, readers, missing, ready: Vec::new(), order: Vec::new() };
        begun.into_iter().for_each(|number| queue.is_ready(number));
        queue
    }

    /// The place of the code for which most is ready.
    fn most(&self) -> Option<usize> {
        let waiting = |&code: &usize| self.ready[code].1.len();
        (0..self.ready.len()).filter(|code| waiting(code) > 0).max_by_key(waiting)
    }

    /// A number whose parts are made waits for its word, or needs none.
    fn is_ready(&mut self, number: usize) {
        let Some(code) = self.nodes.code(number) else { return self.make(number) };
        match self.ready.iter_mut().find(|(own, _)| *own == code) {
            Some((_, ready)) => ready.push_back(number),
            None => self.ready.push((code, VecDeque::from([number]))),
        }
    }

    fn make(&mut self, number: usize) {
        self.order.push(number);
        for reader in std::mem::take(&mut self.readers[number]) {
            self.missing[reader] -= 1;
            if self.missing[reader] == 0 {
                self.is_ready(reader);
            }
        }
    }
}
