//! Work on the threads of the current pool.
//!
//! All goes through the one call of rayon in [`for_each`]. Adaptors of rayon are compiled anew for each closure, which
//! was a seventh of this library's code; they are for what is no list of answers, and stand in [`on_threads`]. Tasks are
//! numbered and of fixed size, and answers stand in the order of their items, whatever the number of threads.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Does numbered tasks, each on its own.
pub fn for_each(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    on_threads(|| (0..tasks).into_par_iter().with_max_len(1).for_each(task));
}

/// Work that calls rayon, where rayon has threads. A forked process has none of its parent's, and waits for ever for those
/// of the parent's global pool: here it gets a pool of its own.
pub fn on_threads<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    match pool_of_fork() {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// The pool that a forked process has instead of the global one, which its parent has used.
fn pool_of_fork() -> Option<Arc<ThreadPool>> {
    static USER_OF_GLOBAL_POOL: OnceLock<u32> = OnceLock::new();
    static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let process = process::id();
    if rayon::current_thread_index().is_some() || *USER_OF_GLOBAL_POOL.get_or_init(|| process) == process {
        return None;
    }
    let mut known = lock(&POOL);
    if let Some((_, pool)) = known.as_ref().filter(|(owner, _)| *owner == process) {
        return Some(Arc::clone(pool));
    }
    let built = ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).build();
    // As rayon does where its global pool cannot start.
    let pool = Arc::new(built.unwrap_or_else(|cause| panic!("the threads of a forked process cannot start: {cause}")));
    // That of a forked parent has no threads to end.
    if let Some((_, of_parent)) = known.replace((process, Arc::clone(&pool))) {
        std::mem::forget(of_parent);
    }
    Some(pool)
}

/// The answers to the numbers from 0, in order, written where they stay; each thread takes so many at a time that
/// scheduling costs nothing.
pub fn map_numbers<R: Send>(count: usize, per_task: usize, answer: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let mut answers = Vec::with_capacity(count);
    let answered = extend(&mut answers, count, per_task, |number| Some(answer(number)));
    debug_assert!(answered.is_ok());
    answers
}

/// Puts the answers to the numbers from 0 behind those that there are, as [`map_numbers`] does.
///
/// # Errors
/// The first number without an answer; then nothing is added, and what the answers own is never given back.
#[expect(unsafe_code, reason = "answers that need no first value are written once, by any thread")]
pub fn extend<R: Send>(
    answers: &mut Vec<R>,
    count: usize,
    per_task: usize,
    answer: impl Fn(usize) -> Option<R> + Sync,
) -> Result<(), usize> {
    let before = answers.len();
    answers.reserve(count);
    let unanswered = AtomicUsize::new(usize::MAX);
    fill(&mut answers.spare_capacity_mut()[..count], per_task, |first, places| {
        for (number, place) in (first..).zip(places) {
            match answer(number) {
                Some(answer) => {
                    place.write(answer);
                }
                None => {
                    unanswered.fetch_min(number, Ordering::Relaxed);
                    return;
                }
            }
        }
    });
    match unanswered.into_inner() {
        usize::MAX => {
            // SAFETY: there is room for `count` more, and `fill` has given each of these places to one task and returns
            // when all tasks have ended: none has left a place without its answer. When one panics it does not return,
            // and no answer is looked at.
            unsafe { answers.set_len(before + count) };
            Ok(())
        }
        first => Err(first),
    }
}

/// Answers to the numbers from 0, in order, from a task that gets the first of several numbers and where their answers
/// stay. What `unanswered` is stands there before; the thread that answers is the first to write there.
#[expect(unsafe_code, reason = "each place is first written by the thread that answers")]
pub fn answers<R: Clone + Send + Sync>(
    count: usize,
    per_task: usize,
    unanswered: &R,
    task: impl Fn(usize, &mut [R]) + Sync,
) -> Vec<R> {
    let mut answers = Vec::with_capacity(count);
    fill(&mut answers.spare_capacity_mut()[..count], per_task, |first, places: &mut [MaybeUninit<R>]| {
        for place in &mut *places {
            place.write(unanswered.clone());
        }
        // SAFETY: each was just written.
        task(first, unsafe { &mut *(std::ptr::from_mut(places) as *mut [R]) });
    });
    // SAFETY: there is room for `count`, and `fill` has given each of these places to one task and returns when all tasks
    // have ended. When one panics it does not return, and no answer is looked at.
    unsafe { answers.set_len(count) };
    answers
}

/// The answers to items, in order; each thread takes so many at a time that scheduling costs nothing.
pub fn map<T: Sync, R: Send>(items: &[T], per_task: usize, answer: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map_numbers(items.len(), per_task, |number| answer(&items[number]))
}

/// What each range of so many numbers gives, one after the other.
pub fn flat_map_ranges<R: Send>(
    count: usize,
    per_task: usize,
    of_range: impl Fn(Range<usize>) -> Vec<R> + Sync,
) -> Vec<R> {
    let parts: Vec<Mutex<Vec<R>>> = (0..count.div_ceil(per_task)).map(|_| Mutex::default()).collect();
    for_each(parts.len(), &|task| {
        let first = task * per_task;
        *lock(&parts[task]) = of_range(first..count.min(first + per_task));
    });
    parts.into_iter().flat_map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Writes answers in place, so many at a time: a function gets the number of the first and their places.
fn fill<R: Send>(answers: &mut [R], per_task: usize, task: impl Fn(usize, &mut [R]) + Sync) {
    for_each_part(answers.chunks_mut(per_task), |number, places| task(number * per_task, places));
}

/// Gives each part to one task, with its number.
pub fn for_each_part<P: Send>(parts: impl Iterator<Item = P>, task: impl Fn(usize, &mut P) + Sync) {
    let parts: Vec<Mutex<P>> = parts.map(Mutex::new).collect();
    for_each(parts.len(), &|number| task(number, &mut lock(&parts[number])));
}

/// Each task has a part of its own: nobody waits, and a panic ends all.
fn lock<T>(part: &Mutex<T>) -> MutexGuard<'_, T> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_stand_in_the_order_of_their_items() {
        for count in [0, 1, 7, 8, 9, 1000] {
            let items: Vec<usize> = (0..count).collect();
            let squares: Vec<usize> = items.iter().map(|item| item * item).collect();
            for per_task in [1, 8, 64, 5000] {
                assert_eq!(map(&items, per_task, |item| item * item), squares);
                assert_eq!(map_numbers(count, per_task, |number| number * number), squares);
                let filled = answers(count, per_task, &usize::MAX, |first, places| {
                    // The last of a task stays unanswered.
                    let (_, others) = places.split_last_mut().unwrap();
                    (first..).zip(others).for_each(|(number, place)| *place = number * number);
                });
                let is_last = |number: usize| number % per_task == per_task - 1 || number == count - 1;
                let expected = squares.iter().enumerate();
                let expected = expected.map(|(number, &square)| if is_last(number) { usize::MAX } else { square });
                assert!(filled.into_iter().eq(expected));
            }
        }
    }

    #[test]
    fn answers_are_put_behind_others_up_to_the_first_that_is_missing() {
        let mut numbers = vec![7];
        assert_eq!(extend(&mut numbers, 100, 8, Some), Ok(()));
        assert!(numbers.len() == 101 && numbers[0] == 7 && numbers[1..].iter().copied().eq(0..100));
        let before = numbers.clone();
        assert_eq!(extend(&mut numbers, 100, 8, |number| (number < 60).then_some(number)), Err(60));
        assert_eq!(numbers, before);
    }

    #[test]
    fn ranges_may_give_more_or_less_than_their_numbers() {
        let repeated = flat_map_ranges(10, 3, |range| range.flat_map(|number| vec![number; number]).collect());
        let expected: Vec<usize> = (0..10).flat_map(|number| vec![number; number]).collect();
        assert_eq!(repeated, expected);
        assert!(flat_map_ranges(10, 3, |_| Vec::<u8>::new()).is_empty());
    }
}
