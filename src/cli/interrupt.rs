//! Ctrl-C and termination requests.
//!
//! The first request asks for a clean end. The work in progress may take long, for example a batch of landings on any
//! engine; so the program exits after [`GRACE`] regardless, and at once on a second request. Either way finished files
//! are kept and partial ones are removed, because files are published atomically.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use touchdown::table::discard_unfinished;

use super::failure::Code;
use super::text::complain;

/// Time allowed for a clean end.
const GRACE: Duration = Duration::from_millis(700);

static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Whether the interruption has been reported.
static TOLD: AtomicBool = AtomicBool::new(false);
/// What the message says is kept.
static LEFT: Mutex<&str> = Mutex::new("finished files are kept");

/// Installs the handler for Ctrl-C and termination requests, at program start.
pub fn listen() {
    let stop = Arc::clone(&STOP);
    let heard = ctrlc::set_handler(move || {
        if stop.swap(true, Ordering::Relaxed) {
            end();
        }
        thread::spawn(|| {
            thread::sleep(GRACE);
            end();
        });
    });
    if let Err(error) = heard {
        complain(&format!("warning: Ctrl-C will not wait for a clean end: {error}\n"));
    }
}

/// Exits immediately.
fn end() -> ! {
    discard_unfinished();
    tell();
    process::exit(Code::Interrupted as i32)
}

/// Flag set by Ctrl-C or a termination request, for a command that then leaves nothing behind.
pub fn stop_on_interrupt() -> Arc<AtomicBool> {
    stop_keeping("nothing is written")
}

/// The same for a command that keeps something, described by `left`.
pub fn stop_keeping(left: &'static str) -> Arc<AtomicBool> {
    *LEFT.lock().unwrap_or_else(PoisonError::into_inner) = left;
    Arc::clone(&STOP)
}

/// Exit code of a command that was asked to stop.
pub fn stopped(stop: &AtomicBool) -> Option<Code> {
    stop.load(Ordering::Relaxed).then(interrupted)
}

/// Exit code of an interrupted command.
pub fn interrupted() -> Code {
    tell();
    Code::Interrupted
}

fn tell() {
    if !TOLD.swap(true, Ordering::SeqCst) {
        let left = *LEFT.lock().unwrap_or_else(PoisonError::into_inner);
        complain(&format!("interrupted; {left}\n"));
    }
}
