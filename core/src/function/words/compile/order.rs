//! The order of words: few and long runs of one code, which are evaluated without a decision between them.

use super::Nodes;
use crate::function::Code;

/// The numbers that are read, each after its parts. A run leaves as little of its code behind as can be: it is of that code of which the
/// largest share is ready among the numbers that follow from no other one of the code.
pub(super) fn in_runs(nodes: &Nodes, reads: &[usize]) -> Vec<usize> {
    let mut queue = Queue::new(nodes, reads);
    while let Some(code) = queue.best() {
        // What becomes ready for the same code meanwhile waits, so that words seldom read what has just been written.
        for number in std::mem::take(&mut queue.ready[code]) {
            queue.make(number);
        }
    }
    queue.order
}

struct Queue<'a> {
    nodes: &'a Nodes,
    /// The numbers that are read, parts before those that are made of them.
    all: Vec<usize>,
    /// Who reads a number, each time that it does.
    readers: Vec<Vec<usize>>,
    /// How many parts of a number are not made yet.
    missing: Vec<usize>,
    is_made: Vec<bool>,
    codes: Vec<Code>,
    /// For each of them the numbers whose parts are made.
    ready: Vec<Vec<usize>>,
    order: Vec<usize>,
}

impl<'a> Queue<'a> {
    fn new(nodes: &'a Nodes, reads: &[usize]) -> Self {
        let all = in_order(nodes, reads);
        let mut readers = vec![Vec::new(); reads.len()];
        let mut missing = vec![0; reads.len()];
        let mut codes: Vec<Code> = Vec::new();
        for &number in &all {
            missing[number] = nodes.parts(number).len();
            nodes.parts(number).iter().for_each(|&part| readers[part].push(number));
            codes.extend(nodes.code(number).filter(|code| !codes.contains(code)));
        }
        let begun: Vec<usize> = all.iter().copied().filter(|&number| missing[number] == 0).collect();
        let (is_made, ready) = (vec![false; reads.len()], vec![Vec::new(); codes.len()]);
        let mut queue = Self { nodes, all, readers, missing, is_made, codes, ready, order: Vec::new() };
        begun.into_iter().for_each(|number| queue.is_ready(number));
        queue
    }

    /// The place of the code to go on with: of those with the largest share that of which most is ready.
    fn best(&self) -> Option<usize> {
        let next = self.next();
        let share = |code: usize| self.ready[code].len() as f64 / next[code] as f64;
        let waiting = (0..self.codes.len()).filter(|&code| !self.ready[code].is_empty());
        waiting.max_by(|&a, &b| share(a).total_cmp(&share(b)).then(self.ready[a].len().cmp(&self.ready[b].len())))
    }

    /// How many numbers of each code follow from no other one of it that is still to be made.
    fn next(&self) -> Vec<usize> {
        let mut next = vec![0; self.codes.len()];
        // The codes of what is still to be made for a number, and of the number itself.
        let mut codes = vec![0_u128; self.is_made.len()];
        for &number in self.all.iter().filter(|&&number| !self.is_made[number]) {
            let before = self.nodes.parts(number).iter().fold(0, |all, &part| all | codes[part]);
            codes[number] = before;
            if let Some(code) = self.code(number) {
                next[code] += usize::from(before >> code & 1 == 0);
                codes[number] |= 1 << code;
            }
        }
        next
    }

    fn code(&self, number: usize) -> Option<usize> {
        let code = self.nodes.code(number)?;
        self.codes.iter().position(|&own| own == code)
    }

    /// A number whose parts are made waits for its word, or needs none.
    fn is_ready(&mut self, number: usize) {
        match self.code(number) {
            Some(code) => self.ready[code].push(number),
            None => self.make(number),
        }
    }

    fn make(&mut self, number: usize) {
        self.is_made[number] = true;
        self.order.push(number);
        for reader in std::mem::take(&mut self.readers[number]) {
            self.missing[reader] -= 1;
            if self.missing[reader] == 0 {
                self.is_ready(reader);
            }
        }
    }
}

/// The numbers that are read, parts before those that are made of them.
fn in_order(nodes: &Nodes, reads: &[usize]) -> Vec<usize> {
    let mut all = Vec::new();
    let mut is_there = vec![false; reads.len()];
    let mut asked: Vec<usize> = (0..reads.len()).rev().filter(|&number| reads[number] > 0).collect();
    while let Some(&number) = asked.last() {
        let before = all.len() + asked.len();
        if !is_there[number] {
            asked.extend(nodes.parts(number).iter().copied().filter(|&part| !is_there[part]));
        }
        if all.len() + asked.len() == before {
            asked.pop();
            if !std::mem::replace(&mut is_there[number], true) {
                all.push(number);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use crate::function::{Code, Expression, Operation, Words};

    #[test]
    fn a_code_waits_for_the_words_that_keep_more_of_it_from_being_ready() {
        let made = |operation, of: [usize; 2]| Expression::Operation(operation, of.map(Expression::Property).to_vec());
        let sum = |of| made(Operation::Sum, of);
        // Three sums are ready at first and two products are not yet made, but four more sums are of those.
        let all = [
            sum([0, 1]),
            sum([0, 2]),
            sum([1, 2]),
            made(Operation::Product, [0, 1]),
            made(Operation::Product, [0, 2]),
            sum([6, 0]),
            sum([6, 1]),
            sum([7, 0]),
            sum([7, 1]),
        ];
        let words = Words::compile((3..).zip(&all), 3..12, 12);
        let runs: Vec<(Code, usize)> = words.runs().map(|(code, words)| (code, words.len())).collect();
        assert_eq!(runs, [(Code::Multiply, 2), (Code::Add, 7)]);
    }
}
