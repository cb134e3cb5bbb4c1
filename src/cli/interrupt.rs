//! A clean end on Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::Code;
use super::text::complain;

/// Set by Ctrl-C or a request to terminate.
pub fn stop_on_interrupt() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    if let Err(error) = ctrlc::set_handler(move || seen.store(true, Ordering::Relaxed)) {
        complain(&format!("warning: Ctrl-C will not wait for a clean end: {error}\n"));
    }
    stop
}

/// The code of a run that was asked to stop, having written nothing.
pub fn stopped(stop: &AtomicBool) -> Option<Code> {
    stop.load(Ordering::Relaxed).then(interrupted)
}

/// The code of a run that was stopped, having written nothing.
pub fn interrupted() -> Code {
    complain("interrupted; nothing is written\n");
    Code::Interrupted
}
