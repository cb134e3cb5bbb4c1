//! Long work beside Python: its lock is free, its signals are heard.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{Builder, scope};
use std::time::Duration;

use pyo3::prelude::*;

/// How often signals and progress are looked at.
const INTERVAL: Duration = Duration::from_millis(50);
/// Stack of the thread that works, in bytes: that of a program's first thread.
const STACK: usize = 8 << 20;

/// What work is told and tells.
#[derive(Debug, Default)]
pub struct Desk {
    /// Set when the work should stop at the next opportunity.
    pub stop: AtomicBool,
    /// Items done.
    pub done: AtomicU64,
}

/// The result of work on a thread of its own. A signal that raises an exception in Python, such as Ctrl-C, asks the work
/// to stop; so does an exception of `tick`, which is called with the number of items done. That exception is the result
/// then.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Desk) -> T + Send,
    mut tick: impl FnMut(u64) -> PyResult<()>,
) -> PyResult<T> {
    let desk = Desk::default();
    let (ended, bell) = (Mutex::new(false), Condvar::new());
    scope(|scope| {
        let worker = Builder::new().name("touchdown".to_owned()).stack_size(STACK).spawn_scoped(scope, || {
            // Rings at the end, also if the work panics.
            let _ring = Ring { ended: &ended, bell: &bell };
            work(&desk)
        })?;
        let mut raised = None;
        while !py.detach(|| wait(&ended, &bell)) {
            if raised.is_none() {
                raised = py.check_signals().and_then(|()| tick(desk.done.load(Ordering::Relaxed))).err();
                desk.stop.store(raised.is_some(), Ordering::Relaxed);
            }
        }
        let result = py.detach(|| worker.join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        match raised {
            Some(raised) => Err(raised),
            None => Ok(result),
        }
    })
}

/// The same for work that ends soon, or that nothing stops: signals are handled at its end.
pub fn uninterrupted<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    interruptible(py, |_| work(), |_| Ok(()))
}

struct Ring<'a> {
    ended: &'a Mutex<bool>,
    bell: &'a Condvar,
}

impl Drop for Ring<'_> {
    fn drop(&mut self) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.bell.notify_all();
    }
}

/// Waits for the end of the work, at most for the interval; true if it has ended.
fn wait(ended: &Mutex<bool>, bell: &Condvar) -> bool {
    let ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
    *bell.wait_timeout_while(ended, INTERVAL, |ended| !*ended).unwrap_or_else(PoisonError::into_inner).0
}
