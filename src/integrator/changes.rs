//! Where the first of many functions of time changes its sign.
//!
//! A function that is bounded in its rate, `|dg/dt| <= L`, has no root between two times where `|g1| + |g2| > L (t2 - t1)`
//! and both have one sign. Other intervals are halved, the earlier half first, so that two roots in one interval, a dip, are
//! found like one. Where L (t2 - t1) is within the resolution and signs agree, the search goes no deeper: what it leaves is
//! below half of that.

/// Functions of time, each of them bounded in its rate.
pub trait Watch {
    /// How many there are.
    fn count(&self) -> usize;
    /// Some of them at a time.
    fn values(&self, numbers: &[usize], time: f64) -> Vec<f64>;
    /// No less than the magnitude of its rate over the interval that is searched.
    fn rate_limit(&self, number: usize) -> f64;
}

/// A change of signs between two neighbouring times.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The first time after it: the far side of the root.
    pub at: f64,
    /// The functions that have another sign then than at the begin of the interval, in their order. More than one where their
    /// roots are between the same neighbouring times.
    pub functions: Vec<usize>,
}

/// The first time in an interval at which a function has another sign than at its begin; 0 counts as negative. The times
/// before and after a root are neighbours in f64. Functions that change their sign twice within the interval are found
/// unless they stay within half the resolution (in their unit) of 0 in between. `None` where none changes.
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
        // One that was left as too shallow may be beyond its root just there; that root comes first, and is looked for now.
        if known.iter().filter(|known| known.changes()).count() == change.functions.len() {
            return Some(change);
        }
    }
}

/// A function at both ends of an interval.
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
    /// The first change, given that nothing has changed at the begin.
    fn first(&self, [low, high]: [f64; 2], mut known: Vec<Known>) -> Option<Change> {
        known.retain(|known| known.changes() || self.may_dip(known, high - low));
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

    /// True of what might reach 0 and come back, farther than the resolution tells.
    fn may_dip(&self, known: &Known, length: f64) -> bool {
        let reach = self.watch.rate_limit(known.number) * length;
        reach > self.resolution && known.values[0].abs() + known.values[1].abs() <= reach
    }
}
