//! Functions that are evaluated in their order, step after step.

use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

use super::{Expression, Function, Words};

/// A function reads what nothing makes.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{function} reads {property}, which is neither given nor known")]
pub struct UnknownProperty {
    /// Name of the function.
    pub function: String,
    /// Name of the property.
    pub property: String,
}

/// Functions that are no routine.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RoutineFault {
    /// One reads what nothing makes.
    #[error(transparent)]
    Unknown(#[from] UnknownProperty),
    /// Their words may need this many numbers, more than a row of [`Words`] has.
    #[error("the functions are too long: with all that is made on the way they may need {0} numbers, and at most {max} fit", max = Words::MAX_WIDTH)]
    TooLong(usize),
}

/// A number that a step leaves to the next one.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// Name of the property.
    pub name: String,
    /// What the first step finds.
    pub at_start: f64,
    /// Place of its last value in the row.
    from: usize,
}

/// Functions over a row of numbers: given ones, those that the step before has left, then what the functions make, in their order.
///
/// A property that is read before it is made in a step has the value of the step before. Several functions may make one property:
/// each reads what those before it have made.
///
/// ```
/// # use touchdown_core as touchdown;
/// use touchdown::function::{Expression, Function, Routine};
///
/// // A lag: each step covers a tenth of the way to what is asked for.
/// let expression = Expression::of("thrust") + (Expression::of("asked") - "thrust") * 0.1;
/// let lag = Function { name: "thrust".to_owned(), expression };
/// let routine = Routine::new(&[lag], &["asked".to_owned()], &|_| 0.0, &|_| None)?;
///
/// let mut kept = routine.at_start();
/// for step in 1..=3 {
///     let row = routine.row(&[100.0], &kept);
///     kept = routine.left(&row);
///     assert!((kept[0] - 100.0 * (1.0 - 0.9_f64.powi(step))).abs() < 1e-12);
/// }
/// # Ok::<(), touchdown::function::RoutineFault>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Routine {
    given: Vec<String>,
    kept: Vec<Kept>,
    made: Vec<Expression<usize>>,
    places: BTreeMap<String, usize>,
}

/// A routine from a start on, made shorter by what then stays as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct FromStart {
    /// Makes the same, to the bits.
    pub routine: Routine,
    /// Kept numbers that never change.
    pub still: Vec<usize>,
    /// Kept numbers that are the same as earlier ones after every step, each with the earlier one: those of two engines, say.
    pub twins: Vec<[usize; 2]>,
}

impl Routine {
    /// Resolves what functions read: what has been made before in the step, given properties, what is made later and therefore left
    /// by the step before, and at last what `derived` makes a formula of. `at_start` tells what the first step finds of a property
    /// that is left to it.
    ///
    /// # Errors
    /// If a function reads a property that nothing makes, or all of them are longer than rows of words can be.
    pub fn new(
        functions: &[Function<String>],
        given: &[String],
        at_start: &dyn Fn(&str) -> f64,
        derived: &dyn Fn(&str) -> Option<Expression<String>>,
    ) -> Result<Self, RoutineFault> {
        let places = given.iter().enumerate().map(|(number, name)| (canonical(name), Place::Given(number)));
        let mut builder = Builder {
            derived,
            places: places.collect(),
            to_make: functions.iter().map(|function| canonical(&function.name)).collect(),
            kept: Vec::new(),
            made: Vec::new(),
            derived_from: BTreeMap::new(),
        };
        for function in functions {
            builder.make(&function.name, &function.expression, &function.name)?;
            builder.forget_what_followed_from(&canonical(&function.name));
        }
        let routine = builder.routine(given, at_start);
        let numbers = Words::width_at_most(routine.made.iter(), routine.width());
        if numbers > Words::MAX_WIDTH { Err(RoutineFault::TooLong(numbers)) } else { Ok(routine) }
    }

    /// Names of the given numbers, with which a row begins.
    #[must_use]
    pub fn given(&self) -> &[String] {
        &self.given
    }

    /// The numbers that a step leaves to the next one; in a row they follow those that are given.
    #[must_use]
    pub fn kept(&self) -> &[Kept] {
        &self.kept
    }

    /// What the first step finds of them.
    #[must_use]
    pub fn at_start(&self) -> Vec<f64> {
        self.kept.iter().map(|kept| kept.at_start).collect()
    }

    /// What is made in a step, in its order, each with its place in the row.
    pub fn made(&self) -> impl Iterator<Item = (usize, &Expression<usize>)> {
        self.made.iter().enumerate().map(|(number, expression)| (self.first_made() + number, expression))
    }

    /// The same without what these places do not need, neither in a step nor in those after it.
    #[must_use]
    pub fn only(&self, places: &[usize]) -> Self {
        let mut needed = vec![false; self.width()];
        let mut asked = places.to_vec();
        while let Some(place) = asked.pop() {
            if std::mem::replace(&mut needed[place], true) {
                continue;
            }
            if let Some(made) = place.checked_sub(self.first_made()) {
                self.made[made].properties(&mut |&read| asked.push(read));
            } else if let Some(kept) = place.checked_sub(self.given.len()) {
                asked.push(self.kept[kept].from);
            }
        }
        // Given numbers stay where they are.
        needed[..self.given.len()].fill(true);
        let places: Vec<usize> =
            needed.iter().scan(0, |next, &needed| Some(std::mem::replace(next, *next + usize::from(needed)))).collect();
        let is_needed = |place: usize| needed[place];
        let moved = |expression: &Expression<usize>| {
            let Ok(expression) = expression.resolve(&mut |&place| Ok::<_, std::convert::Infallible>(places[place]));
            expression
        };
        let kept = self.kept.iter().enumerate().filter(|&(number, _)| is_needed(self.given.len() + number));
        Self {
            given: self.given.clone(),
            kept: kept.map(|(_, kept)| Kept { from: places[kept.from], ..kept.clone() }).collect(),
            made: self.made().filter(|&(place, _)| is_needed(place)).map(|(_, expression)| moved(expression)).collect(),
            places: self
                .places
                .iter()
                .filter(|&(_, &place)| is_needed(place))
                .map(|(name, &place)| (name.clone(), places[place]))
                .collect(),
        }
    }

    /// The same for steps of which these given numbers are these and the first finds these kept ones: whatever is then the same in every
    /// step is a number, and what is made alike twice is read where it is made first. Rows have the same bits.
    ///
    /// # Panics
    /// With another number of kept numbers.
    #[must_use]
    pub fn from_start(&self, given: &[(usize, f64)], kept: &[f64]) -> FromStart {
        assert_eq!(kept.len(), self.kept.len(), "kept numbers");
        let mut still: Vec<usize> = (0..kept.len()).collect();
        // Those that would change if all of these stayed are not among them, and so on until all do stay.
        loop {
            let mut known: Vec<Option<f64>> = vec![None; self.width()];
            given.iter().for_each(|&(place, number)| known[place] = Some(number));
            still.iter().for_each(|&own| known[self.given.len() + own] = Some(kept[own]));
            let mut made = Vec::with_capacity(self.made.len());
            for (place, expression) in self.made() {
                let expression = expression.with_known(&known);
                if let Expression::Value(number) = expression {
                    known[place] = Some(number);
                }
                made.push(expression);
            }
            let stays =
                |own: &usize| known[self.kept[*own].from].is_some_and(|left| left.to_bits() == kept[*own].to_bits());
            let stay: Vec<usize> = still.iter().copied().filter(stays).collect();
            if stay.len() == still.len() {
                let (routine, twins) = Self { made, ..self.clone() }.with_twins(kept);
                return FromStart { routine, still, twins };
            }
            still = stay;
        }
    }

    /// The same, where the first step finds these kept numbers, with what is made alike read where it is made first; and its twins.
    fn with_twins(self, kept: &[f64]) -> (Self, Vec<[usize; 2]>) {
        let first_kept = self.given.len();
        let firsts = |alike: &dyn Fn(usize, usize) -> bool| -> Vec<usize> {
            (0..kept.len()).map(|own| (0..own).find(|&earlier| alike(earlier, own)).unwrap_or(own)).collect()
        };
        // Those that would part if all of these stayed together are no twins, and so on until all do.
        let mut first = firsts(&|earlier, own| kept[earlier].to_bits() == kept[own].to_bits());
        loop {
            let mut read_at: Vec<usize> = (0..self.width()).collect();
            first.iter().enumerate().for_each(|(own, &first)| read_at[first_kept + own] = first_kept + first);
            let mut made: Vec<Expression<usize>> = Vec::with_capacity(self.made.len());
            for (place, expression) in self.made() {
                let Ok(expression) = expression.resolve(&mut |&read| Ok::<_, std::convert::Infallible>(read_at[read]));
                if let Some(earlier) = made.iter().position(|earlier| earlier.is_same(&expression)) {
                    read_at[place] = self.first_made() + earlier;
                }
                made.push(expression);
            }
            let left = |own: usize| read_at[self.kept[own].from];
            let together = firsts(&|earlier, own| first[earlier] == first[own] && left(earlier) == left(own));
            if together == first {
                let twins = first.iter().enumerate().filter(|&(own, &first)| own != first);
                return (Self { made, ..self }, twins.map(|(own, &first)| [own, first]).collect());
            }
            first = together;
        }
    }

    /// Whether a function reads a place of the row, or it is left to the next step.
    #[must_use]
    pub fn reads(&self, place: usize) -> bool {
        let mut reads = self.kept.iter().any(|kept| kept.from == place);
        self.made.iter().for_each(|expression| expression.properties(&mut |&read| reads |= read == place));
        reads
    }

    /// What is made of these given numbers alone, or of numbers alone: the same in every step in which they are.
    #[must_use]
    pub fn fixed_by(&self, given: &[usize]) -> Vec<bool> {
        let mut is_fixed = vec![false; self.width()];
        given.iter().for_each(|&place| is_fixed[place] = true);
        for (place, expression) in self.made() {
            let mut all = true;
            expression.properties(&mut |&read| all &= is_fixed[read]);
            is_fixed[place] = all;
        }
        is_fixed
    }

    /// How many numbers of a row stand before those that are made.
    #[must_use]
    pub fn first_made(&self) -> usize {
        self.given.len() + self.kept.len()
    }

    /// How many numbers a row has.
    #[must_use]
    pub fn width(&self) -> usize {
        self.first_made() + self.made.len()
    }

    /// Where a row has the last value of a property; none if nothing has read or made it.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        self.places.get(&canonical(name)).copied()
    }

    /// The row of a step.
    ///
    /// # Panics
    /// With another number of given or kept numbers.
    #[must_use]
    pub fn row(&self, given: &[f64], kept: &[f64]) -> Vec<f64> {
        assert_eq!([given.len(), kept.len()], [self.given.len(), self.kept.len()], "given and kept numbers");
        let mut row = [given, kept].concat();
        row.reserve(self.made.len());
        for expression in &self.made {
            row.push(expression.value(&row));
        }
        row
    }

    /// What a full row leaves to the next step.
    #[must_use]
    pub fn left(&self, row: &[f64]) -> Vec<f64> {
        self.left_from().map(|place| row[place]).collect()
    }

    /// The places of what is left to the next step.
    pub fn left_from(&self) -> impl Iterator<Item = usize> {
        self.kept.iter().map(|kept| kept.from)
    }
}

/// JSBSim's name of a property: the first of several needs no number.
pub fn canonical(name: &str) -> String {
    name.replace("[0]", "")
}

/// A place of a row whose parts are not complete yet.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Given(usize),
    Kept(usize),
    Made(usize),
}

struct Builder<'a> {
    derived: &'a dyn Fn(&str) -> Option<Expression<String>>,
    places: BTreeMap<String, Place>,
    to_make: BTreeSet<String>,
    kept: Vec<String>,
    made: Vec<Expression<Place>>,
    /// Of derived properties, what their formulas read.
    derived_from: BTreeMap<String, Vec<String>>,
}

impl Builder<'_> {
    /// Makes a property; one that only repeats what has been made has its place.
    fn make(&mut self, name: &str, formula: &Expression<String>, reader: &str) -> Result<Place, UnknownProperty> {
        let expression = formula.replace(&mut |name: &String| {
            let place = self.read(name, reader)?;
            Ok(match place {
                // What has one value always is that value wherever it is read.
                Place::Made(number) if let Expression::Value(value) = self.made[number] => Expression::Value(value),
                _ => Expression::Property(place),
            })
        })?;
        let place = match expression {
            Expression::Property(place) => place,
            _ => Place::Made(self.made.iter().position(|made| made.is_same(&expression)).unwrap_or_else(|| {
                self.made.push(expression);
                self.made.len() - 1
            })),
        };
        self.places.insert(canonical(name), place);
        Ok(place)
    }

    fn read(&mut self, name: &str, reader: &str) -> Result<Place, UnknownProperty> {
        let name = canonical(name);
        if let Some(&place) = self.places.get(&name) {
            return Ok(place);
        }
        if self.to_make.contains(&name) {
            let place = Place::Kept(self.kept.len());
            self.kept.push(name.clone());
            self.places.insert(name, place);
            return Ok(place);
        }
        let Some(formula) = (self.derived)(&name) else {
            return Err(UnknownProperty { function: reader.to_owned(), property: name });
        };
        let mut from = Vec::new();
        formula.properties(&mut |read: &String| from.push(canonical(read)));
        let place = self.make(&name, &formula, reader)?;
        self.derived_from.insert(name, from);
        Ok(place)
    }

    /// What is derived from a property is derived anew when that has been made anew.
    fn forget_what_followed_from(&mut self, name: &str) {
        let follows = |(_, from): &(&String, &Vec<String>)| from.iter().any(|read| read == name);
        let followers: Vec<String> = self.derived_from.iter().filter(follows).map(|(own, _)| own.clone()).collect();
        for follower in followers {
            self.derived_from.remove(&follower);
            self.places.remove(&follower);
            self.forget_what_followed_from(&follower);
        }
    }

    fn routine(self, given: &[String], at_start: &dyn Fn(&str) -> f64) -> Routine {
        let Self { places, kept, made, .. } = self;
        let place = |place: Place| match place {
            Place::Given(number) => number,
            Place::Kept(number) => given.len() + number,
            Place::Made(number) => given.len() + kept.len() + number,
        };
        let resolved = |expression: &Expression<Place>| {
            let Ok(expression) = expression.resolve(&mut |&own| Ok::<_, std::convert::Infallible>(place(own)));
            expression
        };
        Routine {
            given: given.to_vec(),
            made: made.iter().map(resolved).collect(),
            kept: kept
                .iter()
                .map(|name| Kept { name: name.clone(), at_start: at_start(name), from: place(places[name]) })
                .collect(),
            places: places.into_iter().map(|(name, own)| (name, place(own))).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::function::Operation;
    use crate::function::drawn::{expression, number};

    fn function(name: &str, expression: impl Into<Expression<String>>) -> Function<String> {
        Function { name: name.to_owned(), expression: expression.into() }
    }

    #[test]
    fn functions_are_refused_whose_words_might_not_find_their_places() {
        // Each has three parts, for which words may need twelve numbers, and a place of its own.
        let functions = |count: usize| -> Vec<_> {
            (0..count)
                .map(|number| function(&format!("f{number}"), Expression::of("x") + (number + 1) as f64))
                .collect()
        };
        let routine = |count: usize| Routine::new(&functions(count), &["x".to_owned()], &|_| 0.0, &|_| None);
        let most = (Words::MAX_WIDTH - 3) / 13;
        let longest = routine(most).unwrap();
        let words = Words::compile(longest.made(), longest.first_made()..longest.width(), longest.width());
        assert!(words.width() <= Words::MAX_WIDTH && words.count() > most - 2);
        assert_eq!(routine(most + 1).unwrap_err(), RoutineFault::TooLong(3 + 13 * (most + 1)));
        assert!(routine(most + 1).unwrap_err().to_string().ends_with("at most 65536 fit"));
    }

    #[test]
    fn what_is_made_later_is_of_the_step_before_and_what_is_made_twice_is_seen_in_order() {
        let functions = [
            function("old", "x"),
            function("x", Expression::of("x") + 1.0),
            function("between", "x"),
            function("x", Expression::of("x") * 2.0),
        ];
        let routine = Routine::new(&functions, &[], &|_| 3.0, &|_| None).unwrap();
        let row = routine.row(&[], &routine.at_start());
        let of = |name: &str| row[routine.place(name).unwrap()];
        assert_eq!([of("old"), of("between"), of("x")], [3.0, 4.0, 8.0]);
        assert_eq!(routine.left(&row), [8.0]);
    }

    #[test]
    fn what_is_derived_follows_from_the_last_value() {
        let derived = |name: &str| (name == "twice").then(|| Expression::of("x") * 2.0);
        let functions = [function("before", "twice"), function("x", 5.0), function("after", "twice")];
        let routine = Routine::new(&functions, &["x".to_owned()], &|_| 0.0, &derived).unwrap();
        let row = routine.row(&[1.0], &[]);
        assert_eq!(["before", "after"].map(|name| row[routine.place(name).unwrap()]), [2.0, 10.0]);
    }

    #[test]
    fn what_no_output_needs_is_left_out_and_numbers_of_numbers_are_numbers() {
        let functions = [
            function("c", Expression::of("two") * 3.0),
            function("unused", Expression::of("unused") + "given"),
            function("sum", Expression::of("sum") + Expression::of("given") * "c"),
        ];
        let derived = |name: &str| (name == "two").then_some(Expression::Value(2.0));
        let all = Routine::new(&functions, &["given".to_owned()], &|_| 1.0, &derived).unwrap();
        let few = all.only(&[all.place("sum").unwrap()]);
        assert_eq!([all.kept().len(), few.kept().len()], [2, 1]);
        let by_six = Expression::Operation(Operation::Product, vec![Expression::Property(0), Expression::Value(6.0)]);
        let sum = Expression::Operation(Operation::Sum, vec![Expression::Property(1), by_six]);
        assert_eq!(few.made().collect::<Vec<_>>(), [(2, &sum)]);
        assert_eq!(few.left(&few.row(&[10.0], &few.at_start())), [61.0]);
    }

    #[test]
    fn what_stays_from_the_start_on_is_a_number() {
        // Flaps go towards 1, and have arrived; what waits for them, too. A counter never stays.
        let flaps = (Expression::of("flaps") + "rate").less(1.0).choose(Expression::of("flaps") + "rate", 1.0);
        let functions = [
            function("flaps", flaps),
            function("waits", Expression::of("flaps").less(1.0).choose("counter", "waits")),
            function("counter", Expression::of("counter") + "rate"),
            function("sum", Expression::of("flaps") * 3.0 + "counter"),
        ];
        let routine = Routine::new(&functions, &["rate".to_owned()], &|_| 0.0, &|_| None).unwrap();
        let (names, kept) = (["flaps", "waits", "counter"], [1.0, 7.0, 5.0]);
        let start: Vec<f64> =
            routine.kept().iter().map(|own| kept[names.iter().position(|name| *name == own.name).unwrap()]).collect();
        let FromStart { routine: short, still, twins } = routine.from_start(&[(0, 0.25)], &start);
        assert_eq!(twins, Vec::<[usize; 2]>::new());
        assert_eq!(still.iter().map(|&own| routine.kept()[own].name.as_str()).collect::<Vec<_>>(), ["flaps", "waits"]);
        let changing = short.made().filter(|(_, made)| !matches!(made, Expression::Value(_))).count();
        assert_eq!(changing, 2, "counter and sum");
        assert_eq!(short.row(&[0.25], &start), routine.row(&[0.25], &start));
        // On their way they are no numbers.
        let under_way: Vec<f64> = start.iter().map(|&number| if number == 1.0 { 0.5 } else { number }).collect();
        assert_eq!(routine.from_start(&[(0, 0.25)], &under_way).still, Vec::<usize>::new());
    }

    #[test]
    fn what_is_shortened_makes_the_same_bits_of_quotients_zeros_and_what_is_infinite() {
        // The rate of an error, as a controller takes it; what flaps that are up multiply; and what nothing is added to.
        let functions = [
            function("rate", (Expression::of("x") - "before") / Expression::of("dt")),
            function("before", "x"),
            function("of flaps", Expression::of("flaps") * "x"),
            function("flaps", "flaps"),
            function("with flaps", Expression::of("x") + "flaps"),
            function("less flaps", Expression::of("x") - "flaps"),
            function("more", Expression::of("flaps") + 0.1 + "x"),
        ];
        let given = ["x".to_owned(), "dt".to_owned()];
        let bits = |row: &[f64]| row.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        for flaps in [0.0, -0.0, 0.25] {
            let at_start = |name: &str| if name == "flaps" { flaps } else { 0.0 };
            let routine = Routine::new(&functions, &given, &at_start, &|_| None).unwrap();
            let short = routine.from_start(&[(1, 0.005)], &routine.at_start());
            assert_eq!(short.still.len(), 1, "flaps");
            let mut kept = routine.at_start();
            for x in (0..100).map(|step| f64::from(step * step % 17) * 0.3).chain([-0.0, 0.0, f64::INFINITY, -1.0]) {
                let row = routine.row(&[x, 0.005], &kept);
                assert_eq!(bits(&short.routine.row(&[x, 0.005], &kept)), bits(&row), "x {x}, flaps {flaps}");
                kept = routine.left(&row);
            }
        }
    }

    proptest! {
        #[test]
        fn a_routine_from_a_start_on_makes_the_bits_of_the_whole_one(
            expressions in prop::collection::vec(expression(), 3),
            dt in number(),
            kept in prop::collection::vec(number(), 2),
            changing in prop::collection::vec(number(), 4),
        ) {
            // The three properties are one that changes, one that does not, and one that a step leaves to the next.
            let function = |number: usize, name: &str| {
                let Ok(expression) = expressions[number]
                    .resolve(&mut |&place| Ok::<_, std::convert::Infallible>(["x", "dt", "kept"][place].to_owned()));
                function(name, expression)
            };
            let functions = [
                function(0, "first"),
                function(1, "kept"),
                Function { name: "still".to_owned(), expression: Expression::of("still") },
                Function { name: "of all".to_owned(), expression: Expression::of("still") * "first" + "kept" },
                function(2, "last"),
            ];
            let names = ["x".to_owned(), "dt".to_owned()];
            let at_start = |name: &str| kept[usize::from(name == "still")];
            let routine = Routine::new(&functions, &names, &at_start, &|_| None).unwrap();
            let start = routine.at_start();
            let short = routine.from_start(&[(1, dt)], &start).routine;
            let mut kept = start;
            for x in changing {
                let [found, row] = [&short, &routine].map(|routine| routine.row(&[x, dt], &kept));
                for (found, number) in found.iter().zip(&row) {
                    let same = found.to_bits() == number.to_bits() || found.is_nan() && number.is_nan();
                    prop_assert!(same, "{found} instead of {number}");
                }
                kept = routine.left(&row);
            }
        }
    }

    #[test]
    fn engines_that_start_alike_and_run_alike_are_twins_and_others_are_not() {
        // Two shafts for each of three engines. The last engine has more friction, which its second shaft shows one step later.
        let mut functions = Vec::new();
        for (engine, friction) in [(1, 0.5), (2, 0.5), (3, 0.25)] {
            let (fast, slow) = (format!("fast {engine}"), format!("slow {engine}"));
            let slowed = Expression::of(&slow) * 0.75 + Expression::of(&fast) * 0.25;
            functions.push(function(&slow, slowed));
            functions.push(function(&fast, Expression::of(&fast) * friction + "throttle"));
            functions.push(function(&format!("thrust {engine}"), Expression::of(&slow) * 10.0 + Expression::of(&fast)));
        }
        functions.push(function("all", Expression::of("thrust 1") + "thrust 2" + "thrust 3"));
        let routine = Routine::new(&functions, &["throttle".to_owned()], &|_| 1.0, &|_| None).unwrap();
        let names = |twins: &[[usize; 2]]| -> Vec<[String; 2]> {
            twins.iter().map(|twin| twin.map(|own| routine.kept()[own].name.clone())).collect()
        };
        let twins_of = |kept: &[f64]| routine.from_start(&[], kept);
        let FromStart { routine: short, twins, .. } = twins_of(&routine.at_start());
        assert_eq!(names(&twins), [["slow 2", "slow 1"], ["fast 2", "fast 1"]].map(|twin| twin.map(str::to_owned)));
        let mut kept = routine.at_start();
        for step in 0..50 {
            let throttle = [f64::from(step % 7)];
            assert_eq!(short.row(&throttle, &kept), routine.row(&throttle, &kept));
            kept = routine.left(&routine.row(&throttle, &kept));
            assert!(twins.iter().all(|&[own, first]| kept[own].to_bits() == kept[first].to_bits()));
        }
        // One shaft that starts otherwise parts its engine from the first.
        let mut other = routine.at_start();
        other[routine.kept().iter().position(|own| own.name == "slow 2").unwrap()] = 2.0;
        assert_eq!(names(&twins_of(&other).twins), [["fast 2", "fast 1"]].map(|twin| twin.map(str::to_owned)));
    }

    #[test]
    fn an_unknown_property_is_named_with_its_reader() {
        let error = Routine::new(&[function("f", "nothing[0]")], &[], &|_| 0.0, &|_| None).unwrap_err();
        assert_eq!(error, UnknownProperty { function: "f".to_owned(), property: "nothing".to_owned() }.into());
    }
}
