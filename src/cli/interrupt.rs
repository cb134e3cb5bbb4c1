//! Ctrl-C and requests to terminate.
//!
//! The first one asks for a clean end. What is at work may be long at it: a batch of landings is, on whatever engine. So
//! after [`GRACE`] the program ends where it stands, as it does at once when asked again. Either way finished files are
//! kept and half-written ones are taken away, because every file appears as a whole.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use touchdown::table::discard_unfinished;

use super::failure::Code;
use super::text::complain;

/// How long a clean end may take.
const GRACE: Duration = Duration::from_millis(700);

static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Whether it was said that the program was interrupted.
static TOLD: AtomicBool = AtomicBool::new(false);
/// What is left then.
static LEFT: Mutex<&str> = Mutex::new("finished files are kept");

/// Listens to Ctrl-C and requests to terminate, from the beginning of the program on.
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

/// Ends the program where it stands.
fn end() -> ! {
    discard_unfinished();
    tell();
    process::exit(Code::Interrupted as i32)
}

/// Set by Ctrl-C or a request to terminate, for a verb that then leaves nothing.
pub fn stop_on_interrupt() -> Arc<AtomicBool> {
    stop_keeping("nothing is written")
}

/// The same for a verb that keeps something, which these words say.
pub fn stop_keeping(left: &'static str) -> Arc<AtomicBool> {
    *LEFT.lock().unwrap_or_else(PoisonError::into_inner) = left;
    Arc::clone(&STOP)
}

/// The code of a verb that was asked to stop.
pub fn stopped(stop: &AtomicBool) -> Option<Code> {
    stop.load(Ordering::Relaxed).then(interrupted)
}

/// The code of a verb that was stopped.
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
