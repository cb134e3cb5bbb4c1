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

/// Repeats a call for at least `time`, after one that does not count. Items are made anew, twice as many, from `first` up
/// to `largest`, until a call takes a quarter of `time`.
pub(super) fn repeat<T, E>(
    time: Duration,
    (first, largest): (usize, usize),
    make: impl Fn(usize) -> Vec<T>,
    mut call: impl FnMut(&[T]) -> Result<(), E>,
) -> Result<Calls, E> {
    let mut timed = |items: &[T]| {
        let start = Instant::now();
        call(items).map(|()| start.elapsed())
    };
    let mut items = make(first.min(largest));
    // The first call of all compiles kernels and sends the scene.
    timed(&items)?;
    while items.len() < largest && timed(&items)? < time / 4 {
        items = make((2 * items.len()).min(largest));
    }
    let mut calls = Calls { items: items.len(), calls: 0, total: Duration::ZERO };
    while calls.calls == 0 || calls.total < time {
        calls.total += timed(&items)?;
        calls.calls += 1;
    }
    Ok(calls)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::thread::sleep;

    use super::*;

    #[test]
    fn batches_grow_until_a_call_is_long_enough_or_the_largest() {
        let quick = |_: &[usize]| Ok::<(), Infallible>(());
        let numbers = |count| (0..count).collect();
        assert_eq!(repeat(Duration::from_millis(5), (3, 20), numbers, quick).unwrap().items, 20);
        let slow = |items: &[usize]| {
            sleep(Duration::from_millis(items.len() as u64));
            Ok::<(), Infallible>(())
        };
        let calls = repeat(Duration::from_millis(12), (1, 1 << 20), numbers, slow).unwrap();
        assert_eq!(calls.items, 4, "a quarter of the time is 3 ms");
        assert!(calls.calls >= 1 && calls.total >= Duration::from_millis(12));
        assert!(calls.rate() <= 1000.0);
    }
}
