//! Sobol' indices of an event, from counts alone.
//!
//! For an event of probability p, let q be the probability that it happens in the second of two rows given that it
//! happens in the first, where the rows share some inputs and the others are redrawn. Then the fraction of the
//! indicator's variance due to the shared inputs and their interactions is (q - p) / (1 - p). For the *first order* of
//! an input the rows are B and A with that input from B; for its *total* they are A and the same mixed row, which share
//! all other inputs, and the total is the remaining fraction: (1 - q) / (1 - p).
//!
//! The two rows of a pair are exchangeable. So each pair with the event in either row has it in both with probability r
//! = q / (2 - q), independently of the others: bounds on r are Clopper and Pearson's, and so are those on p, from rows
//! A and B. The error of each interval end is at most the sum of the errors of the two bounds it combines.
//! Bootstrapping the base points does not achieve this: it cannot represent events that were not seen, and covered in
//! 40 to 62 % of cases with fewer than 50 of them.

use super::indices::{BasePoint, CONFIDENCE, Index, Indices};
use crate::study::statistics::{clopper_pearson_lower, clopper_pearson_upper};

/// With fewer events in rows A and B, or fewer trials without, intervals are nearly uninformative, and no index is
/// reported.
pub(super) const MIN_EVENTS: u64 = 10;
/// Fraction of an end's error probability spent on p, which is known far better than q.
const SHARE_OF_PROBABILITY: f64 = 0.1;

/// Pairs of rows with the event in one of the two, and in both.
#[derive(Clone, Copy, Default)]
struct Pairs {
    one: u64,
    both: u64,
}

impl Pairs {
    fn of(pairs: impl Iterator<Item = (bool, bool)>) -> Self {
        pairs.fold(Self::default(), |Self { one, both }, (first, second)| Self {
            one: one + u64::from(first != second),
            both: both + u64::from(first && second),
        })
    }

    /// The fraction of the variance due to what the rows share, for the probability within its bounds.
    fn common(self, probability: Index, confidence: f64) -> Index {
        let either = self.one + self.both;
        let again = |r: f64| 2.0 * r / (1.0 + r);
        let share = |q: f64, p: f64| ((q - p) / (1.0 - p)).clamp(0.0, 1.0);
        if either == 0 {
            return Index { estimate: 0.0, lower: 0.0, upper: 1.0 };
        }
        Index {
            estimate: share(again(self.both as f64 / either as f64), probability.estimate),
            lower: share(again(clopper_pearson_lower(self.both, either, confidence)), probability.upper),
            upper: share(again(clopper_pearson_upper(self.both, either, confidence)), probability.lower),
        }
    }
}

/// The indices of each input for an event indicated by outcomes of 1 and 0; `None` if it, or its complement, is too
/// rare among rows A and B.
#[must_use]
pub fn event_indices(points: &[BasePoint], inputs: usize) -> Option<Vec<Indices>> {
    let is = |outcome: Option<f64>| outcome.is_some_and(|outcome| outcome > 0.5);
    let rows = 2 * points.len() as u64;
    let events = points.iter().map(|point| u64::from(is(point.a)) + u64::from(is(point.b))).sum::<u64>();
    // An event and its complement have the same indices, and pairs of the rarer one are more informative.
    let rarer = events.min(rows - events);
    let happened = |outcome: Option<f64>| is(outcome) == (rarer == events);
    if rarer < MIN_EVENTS {
        return None;
    }
    let doubt = 0.5 * (1.0 - CONFIDENCE);
    let of_probability = 1.0 - SHARE_OF_PROBABILITY * doubt;
    let of_pairs = 1.0 - (1.0 - SHARE_OF_PROBABILITY) * doubt;
    let probability = Index {
        estimate: rarer as f64 / rows as f64,
        lower: clopper_pearson_lower(rarer, rows, of_probability),
        upper: clopper_pearson_upper(rarer, rows, of_probability),
    };
    let of_input = |input: usize| {
        let mixed = |point: &BasePoint| happened(point.mixed[input]);
        let own = Pairs::of(points.iter().map(|point| (happened(point.b), mixed(point))));
        let others = Pairs::of(points.iter().map(|point| (happened(point.a), mixed(point))));
        let Index { estimate, lower, upper } = others.common(probability, of_pairs);
        Indices {
            first: Some(own.common(probability, of_pairs)),
            total: Some(Index { estimate: 1.0 - estimate, lower: 1.0 - upper, upper: 1.0 - lower }),
            left_out: 0,
        }
    };
    Some((0..inputs).map(of_input).collect())
}

#[cfg(test)]
#[allow(clippy::print_stdout, reason = "a test prints what it measured")]
mod tests {
    use super::*;
    use crate::random::uniform;

    /// An event of independent uniforms: all below their thresholds (a product), or any of them (a union of rare
    /// branches).
    struct Known {
        shares: &'static [f64],
        all: bool,
    }

    impl Known {
        fn happened(&self, row: &[f64]) -> bool {
            let mut below = row.iter().zip(self.shares).map(|(u, share)| u < share);
            if self.all { below.all(|below| below) } else { below.any(|below| below) }
        }

        /// (p, first orders, totals): given one input, or all others, a product's probability is either zero or a
        /// constant; any of them is the absence of a product of absences.
        fn indices(&self) -> (f64, Vec<(f64, f64)>) {
            let share = |share: f64| if self.all { share } else { 1.0 - share };
            let p: f64 = self.shares.iter().map(|&s| share(s)).product();
            let of = |s: &f64| {
                let s = share(*s);
                let (first, others) = (p * p * (1.0 / s - 1.0), p * p * (s / p - 1.0));
                let variance = p * (1.0 - p);
                (first / variance, 1.0 - others / variance)
            };
            (if self.all { p } else { 1.0 - p }, self.shares.iter().map(of).collect())
        }

        fn points(&self, count: u64, seed: u64) -> Vec<BasePoint> {
            let inputs = self.shares.len();
            let outcome = |row: &[f64]| Some(f64::from(u8::from(self.happened(row))));
            let row = |item: u64| -> Vec<f64> { (0..inputs as u32).map(|input| uniform(seed, item, input)).collect() };
            let point = |number: u64| {
                let (a, b) = (row(number), row(count + number));
                let mixed = |input: usize| {
                    let mut mixed = a.clone();
                    mixed[input] = b[input];
                    outcome(&mixed)
                };
                BasePoint { a: outcome(&a), b: outcome(&b), mixed: (0..inputs).map(mixed).collect() }
            };
            (0..count).map(point).collect()
        }
    }

    /// Decisive inputs, idle ones (share 1 of a product, 0 of a sum) and between, for 11 to 700 events in 2048 trials.
    #[test]
    fn intervals_hold_the_indices_of_known_events_few_and_many() {
        const POINTS: u64 = 1024;
        let cases = [
            ("product, 20 events", Known { shares: &[0.1, 0.1, 1.0], all: true }),
            ("one input, 20 events", Known { shares: &[0.01, 0.99, 1.0], all: true }),
            ("product of four, 30 events", Known { shares: &[0.2, 0.3, 0.4, 0.6], all: true }),
            ("sum, 20 events", Known { shares: &[0.008, 0.002, 0.0], all: false }),
            ("sum, 45 events", Known { shares: &[0.01, 0.01, 0.002], all: false }),
            ("product, 80 events", Known { shares: &[0.2, 0.2, 0.98], all: true }),
            ("product, 700 events", Known { shares: &[0.5, 0.7, 0.99], all: true }),
            ("sum, 1900 events", Known { shares: &[0.8, 0.6, 0.1], all: false }),
        ];
        for (name, known) in cases {
            let (p, indices) = known.indices();
            let mut held = vec![[0_u32; 2]; indices.len()];
            let (mut stated, mut width) = (0, 0.0);
            for seed in 0..200 {
                let Some(found) = event_indices(&known.points(POINTS, seed), indices.len()) else { continue };
                stated += 1;
                for ((held, found), &(first, total)) in held.iter_mut().zip(found).zip(&indices) {
                    for (held, (index, truth)) in held.iter_mut().zip([(found.first, first), (found.total, total)]) {
                        let index = index.unwrap();
                        // Ends of 0 and 1 are exact, the truth rounded.
                        *held += u32::from(index.lower <= truth + 1e-12 && truth <= index.upper + 1e-12);
                        assert!(index.lower >= 0.0 && index.upper <= 1.0);
                        assert!(index.lower <= index.estimate && index.estimate <= index.upper, "{index:?}");
                        width += index.upper - index.lower;
                    }
                }
            }
            let width = width / f64::from(2 * stated) / indices.len() as f64;
            println!("{name} (p {p:.4}): of {stated} stated, mean width {width:.2}, hold {held:?}");
            let least = 93 * stated / 100;
            assert!(stated >= 150 && held.iter().flatten().all(|&held| held >= least), "{name}: {held:?}");
        }
    }

    #[test]
    fn too_few_events_have_no_indices_and_absences_have_those_of_the_event() {
        let known = Known { shares: &[0.1, 0.1], all: true };
        assert_eq!(event_indices(&known.points(128, 1), 2), None);
        let points = known.points(2048, 1);
        let opposite = |outcome: Option<f64>| outcome.map(|outcome| 1.0 - outcome);
        let absences: Vec<BasePoint> = points
            .iter()
            .map(|point| BasePoint {
                a: opposite(point.a),
                b: opposite(point.b),
                mixed: point.mixed.iter().map(|&outcome| opposite(outcome)).collect(),
            })
            .collect();
        let found = event_indices(&points, 2);
        assert!(found.is_some());
        assert_eq!(event_indices(&absences, 2), found);
    }
}
