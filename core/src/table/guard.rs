//! Decoders that panic on damaged input.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is decoding a file, so that a panic now is caught and becomes a
/// [`TableError`](super::TableError).
///
/// The Parquet decoder panics on some kinds of damage (a negative offset in the footer is one). A panic hook can use
/// this to leave such panics unreported; the error follows.
#[must_use]
pub fn panic_becomes_error() -> bool {
    GUARDED.try_with(Cell::get).unwrap_or(false)
}

/// The result of `decode`, or the message of its panic.
pub(super) fn guarded<T>(decode: impl FnOnce() -> T) -> Result<T, String> {
    GUARDED.set(true);
    let result = catch_unwind(AssertUnwindSafe(decode));
    GUARDED.set(false);
    result.map_err(|panic| {
        let reason = panic.downcast_ref::<String>().map(String::as_str);
        let reason = reason.or_else(|| panic.downcast_ref::<&str>().copied());
        // An error is one line.
        reason.unwrap_or("the decoder gave up").replace('\n', " ")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_message_and_is_announced_only_while_guarded() {
        assert!(!panic_becomes_error());
        assert_eq!(guarded(panic_becomes_error), Ok(true));
        let reason = guarded(|| -> bool {
            assert!(panic_becomes_error());
            panic!("offset {}", -3)
        });
        assert_eq!(reason, Err("offset -3".to_owned()));
        assert!(!panic_becomes_error());
        assert_eq!(guarded(|| std::thread::spawn(panic_becomes_error).join().unwrap()), Ok(false));
    }
}
