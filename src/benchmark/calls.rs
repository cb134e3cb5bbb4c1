//! Whole calls, repeated.

use std::time::{Duration, Instant};

/// Calls of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Calls {
    /// Items of each.
    pub items: usize,
    /// How many there were.
    pub calls: u64,
    /// All of them together.
    pub total: Duration,
}

impl Calls {
    /// Items per second.
    pub fn rate(&self) -> f64 {
        self.items as f64 * self.calls as f64 / self.total.as_secs_f64()
    }
}

/// How long a call takes.
pub(super) fn clocked<E>(call: impl FnOnce() -> Result<(), E>) -> Result<Duration, E> {
    let start = Instant::now();
    call().map(|()| start.elapsed())
}

/// How much faster twice as many items go where the fewer do not fill an engine.
const GAIN: f64 = 1.25;

/// Repeats a call, which gives the time it took, for at least `time`, after one that does not count. Items are made anew,
/// twice as many, from `first` up to `largest`, until a call takes a quarter of `time` and more items are no faster.
pub(super) fn repeat<T, E>(
    time: Duration,
    (first, largest): (usize, usize),
    make: impl Fn(usize) -> T,
    mut call: impl FnMut(&T) -> Result<Duration, E>,
) -> Result<Calls, E> {
    let mut count = first.min(largest);
    let mut items = make(count);
    // The first call of all compiles kernels and sends the scene.
    call(&items)?;
    let mut fastest = 0.0;
    while count < largest {
        let taken = call(&items)?;
        let rate = count as f64 / taken.as_secs_f64().max(1e-9);
        if taken >= time / 4 && rate < GAIN * fastest {
            break;
        }
        fastest = rate;
        count = (2 * count).min(largest);
        items = make(count);
    }
    let mut calls = Calls { items: count, calls: 0, total: Duration::ZERO };
    while calls.calls == 0 || calls.total < time {
        calls.total += call(&items)?;
        calls.calls += 1;
    }
    Ok(calls)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Calls that take so long for each item, and how many there were.
    fn repeated(each: Duration, first: usize, largest: usize) -> (Calls, u64) {
        let mut made = 0;
        let call = |items: &Vec<usize>| {
            made += 1;
            Ok::<Duration, Infallible>(each * items.len() as u32)
        };
        let calls = repeat(Duration::from_millis(12), (first, largest), |count| (0..count).collect::<Vec<_>>(), call);
        (calls.unwrap(), made)
    }

    #[test]
    fn batches_grow_until_a_call_takes_a_quarter_of_the_time() {
        let (calls, made) = repeated(Duration::from_millis(1), 1, 1 << 20);
        // 1 and 2 items are done within 3 ms, 4 are not; three calls of 4 ms are 12 ms.
        assert_eq!(calls, Calls { items: 4, calls: 3, total: Duration::from_millis(12) });
        assert_eq!(made, 1 + 3 + 3, "one that does not count, three to find the size, three that count");
        assert!((calls.rate() - 1000.0).abs() < 1e-9);
    }

    #[test]
    fn batches_grow_while_a_call_takes_hardly_longer_for_more() {
        // 1000 items at a time, whatever they are.
        let mut calls = 0;
        let call = |items: &usize| {
            calls += 1;
            Ok::<Duration, Infallible>(Duration::from_millis(10) * items.div_ceil(1000) as u32)
        };
        let figures = repeat(Duration::from_millis(12), (10, 1 << 20), |count| count, call).unwrap();
        // 640 take no longer than 10 do, 1280 twice as long.
        assert_eq!(figures.items, 1280);
    }

    #[test]
    fn batches_do_not_grow_beyond_the_largest() {
        assert_eq!(repeated(Duration::from_micros(1), 3, 20).0.items, 20);
        let (calls, made) = repeated(Duration::from_millis(1), 20, 20);
        assert_eq!((calls.items, calls.calls, made), (20, 1, 2));
    }
}
