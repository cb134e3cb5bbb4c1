//! The adapter that tests run on.
#![allow(dead_code, reason = "each test file uses its own part")]

use touchdown::gpu::{Gpu, GpuOptions, Searches};

/// The adapter named by `TOUCHDOWN_ADAPTER`, else Mesa's software adapter.
pub fn adapter() -> String {
    std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned())
}

/// Opens it: a machine without it fails its tests.
pub fn open_with(chunk: Option<usize>, slice: Option<u32>) -> Gpu {
    opened(GpuOptions { adapter: Some(adapter()), chunk, slice, ..GpuOptions::default() })
}

/// Opens it for searches by the words of programs.
pub fn open_for_words() -> Gpu {
    opened(GpuOptions { adapter: Some(adapter()), searches: Searches::Words, ..GpuOptions::default() })
}

fn opened(options: GpuOptions) -> Gpu {
    Gpu::open(options).unwrap_or_else(|error| panic!("no adapter to test on: {error}"))
}

pub fn open() -> Gpu {
    open_with(None, None)
}
