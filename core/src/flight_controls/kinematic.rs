//! Movements through detents in given times.

use super::component::Setting;
use super::lowering::{Formula, Lowering};
use super::output::within;
use crate::function::Operation;

/// Moves the property of a position to its input. A step may lead through several intervals, each with its own speed.
pub(super) fn kinematic(
    lowering: &mut Lowering,
    position: &str,
    input: Formula,
    scales: bool,
    detents: &[Setting],
) -> Formula {
    let [first, last] = [detents[0].position, detents[detents.len() - 1].position];
    let input = if scales && last != 1.0 { input * last } else { input };
    let target = lowering.keep("target", within(input, first.into(), last.into()));
    let start = lowering.keep("start", Formula::of(position));
    let intervals: Vec<Interval> = detents.windows(2).map(Interval::new).collect();
    if let [only] = &intervals[..] {
        return if only.time > 0.0 { only.way(lowering, &start, &target) } else { target };
    }
    let up = through(lowering, "up", intervals.iter(), &start, &target);
    let down = through(lowering, "down", intervals.iter().rev(), &start, &target);
    target.less(start).choose(down, up)
}

/// Between two detents.
struct Interval {
    low: f64,
    high: f64,
    /// \[s\].
    time: f64,
    /// \[1/s\].
    rate: f64,
}

impl Interval {
    fn new(ends: &[Setting]) -> Self {
        let [low, high] = [ends[0].position, ends[1].position];
        Self { low, high, time: ends[1].time, rate: (high - low) / ends[1].time }
    }

    /// As far to the target as a step leads at this speed.
    fn way(&self, lowering: &mut Lowering, from: &Formula, target: &Formula) -> Formula {
        let most = lowering.keep("most", lowering.dt.clone() * self.rate);
        within(target.clone(), from.clone() - most.clone(), from.clone() + most)
    }
}

/// Through intervals in one direction: where the movement is and what is left of the step after each of them.
fn through<'a>(
    lowering: &mut Lowering,
    way: &str,
    intervals: impl Iterator<Item = &'a Interval>,
    start: &Formula,
    target: &Formula,
) -> Formula {
    let is_up = way == "up";
    let (mut at, mut left) = (start.clone(), lowering.dt.clone());
    for (number, interval) in intervals.enumerate() {
        let is_here = if is_up { at.clone().less(interval.high) } else { Formula::from(interval.low).less(at.clone()) };
        let (new, rest) = if interval.time > 0.0 {
            let end = if is_up {
                Formula::made(Operation::Minimum, [target.clone(), interval.high.into()])
            } else {
                Formula::made(Operation::Maximum, [target.clone(), interval.low.into()])
            };
            let end = lowering.keep(&format!("{way} {number} end"), end);
            let needed = ((end.clone() - at.clone()) / interval.rate).by(Operation::Magnitude);
            let needed = lowering.keep(&format!("{way} {number} time"), needed);
            let part = left.clone() * if is_up { interval.rate } else { -interval.rate };
            let new = left.clone().less(needed.clone()).choose(at.clone() + part, end);
            let rest = Formula::made(Operation::Maximum, [left.clone() - needed, 0.0.into()]);
            (new, rest)
        } else {
            let has_time = Formula::from(0.0).less(left.clone());
            (has_time.clone().choose(target.clone(), at.clone()), has_time.choose(0.0, left.clone()))
        };
        let is_here = lowering.keep(&format!("{way} {number} is here"), is_here);
        at = lowering.keep(&format!("{way} {number}"), is_here.clone().choose(new, at));
        left = lowering.keep(&format!("{way} {number} left"), is_here.choose(rest, left));
    }
    at
}
