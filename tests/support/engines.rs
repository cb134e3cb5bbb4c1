//! All engines, each opened once.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::sync::LazyLock;

use touchdown::engine::Engine;
use touchdown::gpu::Gpu;
use touchdown::native::Native;
use touchdown::reference::Reference;

use super::gpu;

pub static REFERENCE: LazyLock<Reference> = LazyLock::new(|| Reference::new(1).unwrap());
static NATIVE: LazyLock<Native> = LazyLock::new(|| Native::new(1).unwrap());
/// Opened once: it keeps what it has compiled.
pub static GPU: LazyLock<Gpu> = LazyLock::new(gpu::open);

/// Every engine, and how exact it is.
pub fn engines() -> [(&'static dyn Engine, f64); 3] {
    [(&*REFERENCE, 1e-12), (&*NATIVE, 1e-12), (&*GPU, 1e-5)]
}

/// Those that compute in f64.
pub fn f64_engines() -> [&'static dyn Engine; 2] {
    [&*REFERENCE, &*NATIVE]
}
