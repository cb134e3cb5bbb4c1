//! All engines, opened once; that of GPUs once for each test that runs beside others.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::ops::Deref;
use std::sync::{LazyLock, Mutex};

use touchdown::engine::Engine;
use touchdown::gpu::Gpu;
use touchdown::native::Native;
use touchdown::reference::Reference;

use super::gpu;

pub static REFERENCE: LazyLock<Reference> = LazyLock::new(|| Reference::new(1).unwrap());
static NATIVE: LazyLock<Native> = LazyLock::new(|| Native::new(1).unwrap());
pub static GPU: SideBySide =
    SideBySide { engines: [LazyLock::new(gpu::open), LazyLock::new(gpu::open)], threads: Mutex::new([0; 2]) };

/// Engines of the same kind for tests that run side by side, of which each waits for the other where they share one: a
/// thread stays with the engine that the fewest had when it came. They keep what they have compiled.
pub struct SideBySide {
    engines: [LazyLock<Gpu>; 2],
    /// How many threads have each.
    threads: Mutex<[usize; 2]>,
}

impl Deref for SideBySide {
    type Target = Gpu;

    fn deref(&self) -> &Gpu {
        thread_local!(static SEAT: Seat = Seat::take());
        SEAT.with(|seat| &*self.engines[seat.0])
    }
}

/// A thread's engine, given back when it ends.
struct Seat(usize);

impl Seat {
    fn take() -> Self {
        let mut threads = GPU.threads.lock().unwrap();
        let emptiest = usize::from(threads[1] < threads[0]);
        threads[emptiest] += 1;
        Self(emptiest)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        GPU.threads.lock().unwrap()[self.0] -= 1;
    }
}

/// Every engine, and how exact it is.
pub fn engines() -> [(&'static dyn Engine, f64); 3] {
    [(&*REFERENCE, 1e-12), (&*NATIVE, 1e-12), (&*GPU, 1e-5)]
}

/// Those that compute in f64.
pub fn f64_engines() -> [&'static dyn Engine; 2] {
    [&*REFERENCE, &*NATIVE]
}
