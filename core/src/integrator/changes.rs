//! The first sign change among many functions of time.
//!
//! A function with a bounded rate, `|dg/dt| <= L`, has no root between two times if `|g1| + |g2| > L (t2 - t1)` and
//! both have the same sign. Other intervals are bisected, the earlier half first, so that two roots in one interval, a
//! dip, are found like one. A bound that falls with the length of the interval leaves fewer of them to bisect. If
//! L (t2 - t1) is within the resolution and the signs agree, the search stops: what it misses stays below half of the
//! resolution.

/// Functions of time, each with a bounded rate.
pub trait Watch {
    /// Number of functions.
    fn count(&self) -> usize;
    /// Values of some of them at a time.
    fn values(&self, numbers: &[usize], time: f64) -> Vec<f64>;
    /// Bound on the magnitude of its rate over the interval searched.
    fn rate_limit(&self, number: usize) -> f64;
    /// Bound on the magnitude of its rate over a part of the interval searched; by default that over all of it.
    fn rate_limit_within(&self, number: usize, _part: [f64; 2]) -> f64 {
        self.rate_limit(number)
    }
}

/// A sign change between two neighbouring times.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The first time after it: the far side of the root.
    pub at: f64,
    /// The functions whose sign then differs from that at the start of the interval, in order. More than one if their
    /// roots lie between the same neighbouring times.
    pub functions: Vec<usize>,
}

/// The first time in an interval at which a function has a different sign than at its start; 0 counts as negative. The
/// times before and after a root are neighbours in f64. Functions that change sign twice within the interval are
/// detected unless they stay within half the resolution (in their unit) of 0 in between. `None` if none changes.
#[must_use]
pub fn first_change<W: Watch + ?Sized>(watch: &W, [from, to]: [f64; 2], resolution: f64) -> Option<Change> {
    let all: Vec<usize> = (0..watch.count()).collect();
    let before = watch.values(&all, from);
    let known_at = |end: f64| -> Vec<Known> {
        let ends = all.iter().zip(&before).zip(watch.values(&all, end));
        ends.map(|((&number, &first), last)| Known { number, values: [first, last] }).collect()
    };
    let search = Search { watch, resolution };
    let (mut end, mut known) = (to, known_at(to));
    loop {
        let change = search.first([from, end], known)?;
        (end, known) = (change.at, known_at(change.at));
        // One left as too shallow may just then be beyond its root; that root comes first, and is searched now.
        if known.iter().filter(|known| known.changes()).count() == change.functions.len() {
            return Some(change);
        }
    }
}

/// Values of a function at both ends of an interval.
#[derive(Clone, Copy)]
struct Known {
    number: usize,
    values: [f64; 2],
}

impl Known {
    fn changes(&self) -> bool {
        is_negative(self.values[0]) != is_negative(self.values[1])
    }
}

fn is_negative(value: f64) -> bool {
    value <= 0.0
}

struct Search<'a, W: ?Sized> {
    watch: &'a W,
    resolution: f64,
}

impl<W: Watch + ?Sized> Search<'_, W> {
    /// The first change, given that nothing has changed at the start.
    fn first(&self, [low, high]: [f64; 2], mut known: Vec<Known>) -> Option<Change> {
        known.retain(|known| known.changes() || self.may_dip(known, [low, high]));
        if known.is_empty() {
            return None;
        }
        let middle = low + 0.5 * (high - low);
        if !(low < middle && middle < high) {
            known.retain(Known::changes);
            let functions: Vec<usize> = known.iter().map(|known| known.number).collect();
            return (!functions.is_empty()).then_some(Change { at: high, functions });
        }
        let numbers: Vec<usize> = known.iter().map(|known| known.number).collect();
        let halves = known.iter().zip(self.watch.values(&numbers, middle)).map(|(known, value)| {
            let Known { number, values: [first, last] } = *known;
            (Known { number, values: [first, value] }, Known { number, values: [value, last] })
        });
        let (earlier, later) = halves.unzip();
        self.first([low, middle], earlier).or_else(|| self.first([middle, high], later))
    }

    /// True if the function may reach 0 and return within the interval, by more than the resolution.
    fn may_dip(&self, known: &Known, [low, high]: [f64; 2]) -> bool {
        let reach = self.watch.rate_limit_within(known.number, [low, high]) * (high - low);
        reach > self.resolution && known.values[0].abs() + known.values[1].abs() <= reach
    }
}
