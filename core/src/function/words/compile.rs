//! From expressions to words, by way of what they make in common.

mod order;
mod together;

use std::collections::HashMap;
use std::f64::consts::PI;
use std::sync::Arc;

use super::{Code, Run, Word, Words};
use crate::function::{Expression, Operation, Table};

/// A number on the way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Node {
    /// One that the row has before.
    Given(usize),
    /// One that never changes, by its bits.
    Constant(u64),
    /// One that is made of others.
    Made(Code, Vec<usize>),
    /// What a table has, by the number of the table.
    Table(usize, Vec<usize>),
    /// The cosine, which is made with the sine.
    Cosine(usize),
}

impl Words {
    /// The words for expressions, each with its place in a row of this width; later ones may read the places of earlier ones. Of those
    /// places only the ones that are `wanted` have their numbers afterwards.
    ///
    /// # Panics
    /// If the row is wider than [`MAX_WIDTH`](Self::MAX_WIDTH), which it is for no [`Routine`](crate::function::Routine).
    #[must_use]
    pub fn compile<'a>(
        made: impl IntoIterator<Item = (usize, &'a Expression<usize>)>,
        wanted: impl IntoIterator<Item = usize>,
        width: usize,
    ) -> Self {
        let mut nodes = Nodes::default();
        for (place, expression) in made {
            let node = nodes.of(expression);
            nodes.places.insert(place, node);
        }
        let mut wanted: Vec<usize> = wanted.into_iter().filter(|place| nodes.places.contains_key(place)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        together::take_in(&mut nodes, &wanted);
        let words = Emitter::new(&nodes, &wanted, width).words(&wanted);
        assert!(words.width <= Self::MAX_WIDTH, "a row of {} numbers", words.width);
        words
    }
}

/// All numbers on the way, each once.
#[derive(Default)]
struct Nodes {
    nodes: Vec<Node>,
    /// Which of them are 0 or 1, whatever the row has.
    is_truth: Vec<bool>,
    known: HashMap<Node, usize>,
    /// The numbers of places that are made.
    places: HashMap<usize, usize>,
    tables: Vec<Arc<Table>>,
}

impl Nodes {
    fn add(&mut self, node: Node) -> usize {
        let next = self.nodes.len();
        let number = *self.known.entry(node.clone()).or_insert(next);
        if number == next {
            self.is_truth.push(self.makes_truth(&node));
            self.nodes.push(node);
        }
        number
    }

    fn constant(&mut self, value: f64) -> usize {
        self.add(Node::Constant(value.to_bits()))
    }

    fn made(&mut self, code: Code, of: impl Into<Vec<usize>>) -> usize {
        self.add(Node::Made(code, of.into()))
    }

    fn of(&mut self, expression: &Expression<usize>) -> usize {
        match expression {
            Expression::Value(value) => self.constant(*value),
            Expression::Property(place) => self.property(*place),
            Expression::Negative(place) => {
                let of = self.property(*place);
                self.made(Code::Negate, [of])
            }
            Expression::Table(table, by) => {
                let by = by.iter().map(|argument| self.of(argument)).collect();
                let known = self.tables.iter().position(|known| known.is_same(table));
                let number = known.unwrap_or_else(|| {
                    self.tables.push(table.clone());
                    self.tables.len() - 1
                });
                self.add(Node::Table(number, by))
            }
            Expression::Operation(operation, arguments) => {
                let of: Vec<usize> = arguments.iter().map(|argument| self.of(argument)).collect();
                self.operation(*operation, &of)
            }
        }
    }

    fn property(&mut self, place: usize) -> usize {
        match self.places.get(&place) {
            Some(&made) => made,
            None => self.add(Node::Given(place)),
        }
    }

    fn operation(&mut self, operation: Operation, of: &[usize]) -> usize {
        match operation {
            Operation::Sum => self.fold(Code::Add, of),
            Operation::Difference => self.fold(Code::Subtract, of),
            Operation::Product => self.fold(Code::Multiply, of),
            Operation::Minimum => self.fold(Code::Minimum, of),
            Operation::Maximum => self.fold(Code::Maximum, of),
            Operation::Quotient => self.made(Code::Divide, of),
            Operation::Less => self.made(Code::Less, of),
            Operation::LessOrEqual => self.made(Code::LessOrEqual, of),
            Operation::Greater => self.made(Code::Less, [of[1], of[0]]),
            Operation::GreaterOrEqual => self.made(Code::LessOrEqual, [of[1], of[0]]),
            Operation::Equal => self.made(Code::Equal, of),
            Operation::NotEqual => {
                let equal = self.made(Code::Equal, of);
                self.not(equal)
            }
            Operation::Radians => self.scaled(of[0], PI, 180.0),
            Operation::Degrees => self.scaled(of[0], 180.0, PI),
            Operation::SquareRoot => self.made(Code::SquareRoot, of),
            Operation::Magnitude => self.made(Code::Magnitude, of),
            Operation::Sine => self.made(Code::SineAndCosine, of),
            Operation::Cosine => {
                let sine = self.made(Code::SineAndCosine, of);
                self.add(Node::Cosine(sine))
            }
            Operation::ArcTangent2 => self.made(Code::ArcTangent2, of),
            Operation::IfThen => self.choice(of),
            // Among truths they are no more than this.
            Operation::And if self.all_truths(of) => self.fold(Code::Minimum, of),
            Operation::Or if self.all_truths(of) => self.fold(Code::Maximum, of),
            // What may be no truth is NaN then, and so is what is made of it.
            Operation::And => {
                let truths: Vec<usize> = of.iter().map(|&number| self.truth(number)).collect();
                self.fold(Code::Multiply, &truths)
            }
            Operation::Or => {
                let opposites: Vec<usize> = of.iter().map(|&number| self.opposite(number)).collect();
                let none = self.fold(Code::Multiply, &opposites);
                self.not(none)
            }
            Operation::Not => self.opposite(of[0]),
            _ => self.made(Code::Operation(operation), of),
        }
    }

    fn fold(&mut self, code: Code, of: &[usize]) -> usize {
        of[1..].iter().fold(of[0], |all, &one| self.made(code, [all, one]))
    }

    fn not(&mut self, truth: usize) -> usize {
        let one = self.constant(1.0);
        self.made(Code::Subtract, [one, truth])
    }

    /// 1 of what is true and 0 of what is false; NaN of what is neither.
    fn truth(&mut self, number: usize) -> usize {
        if self.all_truths(&[number]) {
            return number;
        }
        let [one, zero] = [1.0, 0.0].map(|value| self.constant(value));
        self.made(Code::IfThen, [number, one, zero])
    }

    /// 0 of what is true and 1 of what is false; NaN of what is neither.
    fn opposite(&mut self, number: usize) -> usize {
        let truth = self.truth(number);
        self.not(truth)
    }

    fn scaled(&mut self, number: usize, by: f64, over: f64) -> usize {
        let (by, over) = (self.constant(by), self.constant(over));
        let product = self.made(Code::Multiply, [number, by]);
        self.made(Code::Divide, [product, over])
    }

    /// Comparisons need not become numbers first.
    fn choice(&mut self, of: &[usize]) -> usize {
        let code = match &self.nodes[of[0]] {
            Node::Made(Code::Less, _) => Code::IfLess,
            Node::Made(Code::LessOrEqual, _) => Code::IfLessOrEqual,
            _ => return self.made(Code::IfThen, of),
        };
        let Node::Made(_, compared) = self.nodes[of[0]].clone() else { return of[0] };
        self.made(code, [compared[0], compared[1], of[1], of[2]])
    }

    /// Whether numbers are 0 or 1, whatever the row has.
    fn all_truths(&self, of: &[usize]) -> bool {
        of.iter().all(|&number| self.is_truth[number])
    }

    /// The same of one whose parts are there.
    fn makes_truth(&self, node: &Node) -> bool {
        match node {
            Node::Made(Code::Less | Code::LessOrEqual | Code::Equal, _) => true,
            Node::Made(Code::Minimum | Code::Maximum | Code::Multiply | Code::IfThen, of) => self.all_truths(of),
            Node::Made(Code::IfLess | Code::IfLessOrEqual, of) => self.all_truths(&of[2..]),
            // The opposite of a truth.
            Node::Made(Code::Subtract, of) => {
                self.nodes[of[0]] == Node::Constant(1.0_f64.to_bits()) && self.all_truths(&of[1..])
            }
            Node::Constant(bits) => [0.0_f64, 1.0].map(f64::to_bits).contains(bits),
            _ => false,
        }
    }

    /// The code of the word that makes a number, if a word does.
    fn code(&self, number: usize) -> Option<Code> {
        match &self.nodes[number] {
            Node::Made(code, _) => Some(*code),
            Node::Table(table, _) => Some(lookup_in(&self.tables[*table])),
            Node::Given(_) | Node::Constant(_) | Node::Cosine(_) => None,
        }
    }

    /// How often each number is read by those that are made for these places, which are read once more.
    fn reads(&self, wanted: &[usize]) -> Vec<usize> {
        let mut reads = vec![0; self.nodes.len()];
        let mut asked: Vec<usize> = wanted.iter().map(|place| self.places[place]).collect();
        while let Some(number) = asked.pop() {
            reads[number] += 1;
            if reads[number] == 1 {
                asked.extend(self.parts(number));
            }
        }
        reads
    }

    /// What a number is made of.
    fn parts(&self, number: usize) -> &[usize] {
        match &self.nodes[number] {
            Node::Given(_) | Node::Constant(_) => &[],
            Node::Made(_, of) | Node::Table(_, of) => of,
            Node::Cosine(of) => std::slice::from_ref(of),
        }
    }
}

/// What looks up a table.
fn lookup_in(table: &Table) -> Code {
    match table {
        Table::Line { .. } => Code::Line,
        Table::Grid { .. } => Code::Grid,
        Table::Blocks { .. } => Code::Blocks,
    }
}

/// Words in the making.
struct Emitter<'a> {
    nodes: &'a Nodes,
    /// How often each number is read yet.
    reads: Vec<usize>,
    /// Where each number is, once it is there.
    at: Vec<Option<u16>>,
    /// Numbers that have a place for good.
    own: HashMap<usize, usize>,
    /// Places of others that may be taken.
    free: Vec<u16>,
    words: Words,
}

impl<'a> Emitter<'a> {
    fn new(nodes: &'a Nodes, wanted: &[usize], width: usize) -> Self {
        let reads = nodes.reads(wanted);
        let own = wanted.iter().rev().map(|&place| (nodes.places[&place], place));
        let words = Words { width, ..Words::default() };
        Self { nodes, at: vec![None; reads.len()], reads, own: own.collect(), free: Vec::new(), words }
    }

    fn words(mut self, wanted: &[usize]) -> Words {
        for number in order::in_runs(self.nodes, &self.reads) {
            self.emit(number);
        }
        for &place in wanted {
            let at = self.at[self.nodes.places[&place]].unwrap_or_default();
            if at as usize != place {
                self.push(Code::Copy, place as u16, [at, 0, 0, 0]);
            }
        }
        self.words
    }

    fn emit(&mut self, number: usize) {
        match &self.nodes.nodes[number] {
            Node::Given(place) => self.at[number] = Some(*place as u16),
            Node::Constant(bits) => {
                let place = self.next();
                self.words.constants.push((place as usize, f64::from_bits(*bits)));
                self.at[number] = Some(place);
            }
            // It has its place since the sine was made; that has been read.
            Node::Cosine(sine) => self.read(*sine),
            Node::Made(Code::SineAndCosine, of) => {
                let angle = self.place(of[0]);
                self.read(of[0]);
                let cosine = self.nodes.known.get(&Node::Cosine(number)).copied().filter(|&own| self.reads[own] > 0);
                let sine_place = self.place_for(number);
                let cosine_place = if let Some(cosine) = cosine {
                    self.place_for(cosine)
                } else {
                    let place = self.take();
                    self.free.push(place);
                    place
                };
                self.push(Code::SineAndCosine, sine_place, [angle, cosine_place, 0, 0]);
            }
            Node::Made(code @ Code::Operation(_), of) => {
                let list = self.list(of);
                self.finish(*code, number, of, [list[0], list[1], 0, 0]);
            }
            Node::Made(code, of) => {
                let mut places = [0; 4];
                places.iter_mut().zip(of).for_each(|(place, &own)| *place = self.place(own));
                self.finish(*code, number, of, places);
            }
            Node::Table(table, of) => self.look_up(number, *table, of),
        }
    }

    fn look_up(&mut self, number: usize, table: usize, of: &[usize]) {
        let table = self.nodes.tables[table].clone();
        let words = &mut self.words;
        let code = lookup_in(&table);
        let lookups = match code {
            Code::Line => &mut words.lines,
            Code::Grid => &mut words.grids,
            _ => &mut words.blocks,
        };
        let lookup = lookups.len() as u16;
        lookups.push(table);
        let places = match code {
            Code::Line => [self.place(of[0]), lookup, 0, 0],
            Code::Grid => [self.place(of[0]), self.place(of[1]), lookup, 0],
            _ => {
                let [from, count] = self.list(of);
                [from, count, lookup, 0]
            }
        };
        self.finish(code, number, of, places);
    }

    /// A word that has read all it is made of before it writes.
    fn finish(&mut self, code: Code, number: usize, of: &[usize], places: [u16; 4]) {
        of.iter().for_each(|&part| self.read(part));
        let to = self.place_for(number);
        self.push(code, to, places);
    }

    fn push(&mut self, code: Code, to: u16, of: [u16; 4]) {
        self.words.words.push(Word { to, of });
        match self.words.runs.last_mut().filter(|run| run.code == code && run.length < u16::MAX) {
            Some(run) => run.length += 1,
            None => self.words.runs.push(Run { code, length: 1 }),
        }
    }

    fn list(&mut self, of: &[usize]) -> [u16; 2] {
        let from = self.words.lists.len() as u16;
        let places: Vec<u16> = of.iter().map(|&part| self.place(part)).collect();
        self.words.lists.extend(places);
        [from, of.len() as u16]
    }

    fn place(&self, number: usize) -> u16 {
        self.at[number].unwrap_or_default()
    }

    /// A number is read once more; one that nobody will read has no place any more. What is wanted is never read for the last time.
    fn read(&mut self, number: usize) {
        self.reads[number] -= 1;
        let is_passing = matches!(self.nodes.nodes[number], Node::Made(..) | Node::Table(..) | Node::Cosine(_));
        if self.reads[number] == 0 && is_passing {
            self.free.extend(self.at[number]);
        }
    }

    fn place_for(&mut self, number: usize) -> u16 {
        let own = self.own.get(&number).map(|&place| place as u16);
        let place = own.unwrap_or_else(|| self.take());
        self.at[number] = Some(place);
        place
    }

    fn take(&mut self) -> u16 {
        self.free.pop().unwrap_or_else(|| self.next())
    }

    fn next(&mut self) -> u16 {
        self.words.width += 1;
        (self.words.width - 1) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Words {
        /// Of each word.
        pub(super) fn codes(&self) -> Vec<Code> {
            self.runs().flat_map(|(code, words)| words.iter().map(move |_| code)).collect()
        }
    }

    fn operation(operation: Operation, of: impl Into<Vec<Expression<usize>>>) -> Expression<usize> {
        Expression::Operation(operation, of.into())
    }

    /// The codes of the words for what is made of a row of four.
    fn codes(made: &Expression<usize>) -> Vec<Code> {
        Words::compile([(4, made)], [4], 5).codes()
    }

    #[test]
    fn truths_are_made_eight_at_a_time() {
        let property = Expression::Property;
        let compared = |by: Operation| operation(by, [property(0), property(1)]);
        let [less, differ] = [Operation::Less, Operation::NotEqual].map(compared);
        let made = codes(&operation(Operation::And, [less.clone(), differ.clone()]));
        assert!(
            [Code::Equal, Code::Subtract, Code::Less, Code::Minimum].iter().all(|code| made.contains(code)),
            "{made:?}"
        );
        assert_eq!(made.len(), 4);
        let opposite = operation(Operation::Not, [operation(Operation::Or, [less.clone(), differ])]);
        let chosen = operation(Operation::IfThen, [less, opposite.clone(), opposite]);
        assert!(!codes(&operation(Operation::And, [chosen.clone(), chosen])).contains(&Code::IfThen));
        // What the row has may be no truth, and is looked at.
        for (connective, of) in [(Operation::And, 2), (Operation::Or, 2), (Operation::Not, 1)] {
            let made = codes(&operation(connective, [property(2), property(3)][..of].to_vec()));
            assert!(made.contains(&Code::IfThen) && !made.contains(&Code::Operation(connective)), "{made:?}");
        }
    }
}
