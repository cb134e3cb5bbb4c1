//! What is tried again after a failure of memory or device, and with how many items at a time.

use super::GpuError;

/// Minimum size of a chunk after halving.
const MIN_CHUNK: usize = 1 << 10;

/// The tries of one call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retries {
    chunk: usize,
    /// Losses of the device since something was finished.
    losses: u32,
}

impl Retries {
    /// None yet, of a call with at most this many items on the device at a time.
    pub fn new(chunk: usize) -> Self {
        Self { chunk, losses: 0 }
    }

    /// Items on the device at a time.
    pub fn chunk(self) -> usize {
        self.chunk
    }

    /// Whether the call is to go on after a failure, before which it has finished something or not. A device that is lost once may
    /// have been lost to something else; one that is lost again may have had too much at a time.
    pub fn go_on_after(&mut self, error: &GpuError, has_advanced: bool) -> bool {
        if has_advanced {
            self.losses = 0;
        }
        let is_first_loss = matches!(error, GpuError::Lost { .. }) && self.losses == 0;
        self.losses += u32::from(matches!(error, GpuError::Lost { .. }));
        if is_first_loss {
            return true;
        }
        let goes_on = error.may_pass() && self.chunk > MIN_CHUNK;
        if goes_on {
            self.chunk /= 2;
        }
        goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost() -> GpuError {
        GpuError::Lost { adapter: "a test".to_owned(), cause: "a test".to_owned() }
    }

    fn out_of_memory() -> GpuError {
        GpuError::OutOfMemory { adapter: "a test".to_owned(), cause: "a test".to_owned() }
    }

    #[test]
    fn a_lost_device_is_tried_once_more_with_any_chunk_and_then_with_less() {
        let mut few = Retries::new(10);
        assert_eq!([few.go_on_after(&lost(), false), few.go_on_after(&lost(), false)], [true, false]);
        assert_eq!(few.chunk(), 10);
        let mut many = Retries::new(2 * MIN_CHUNK);
        let chunks = [(); 3].map(|()| many.go_on_after(&lost(), false).then_some(many.chunk()));
        assert_eq!(chunks, [Some(2 * MIN_CHUNK), Some(MIN_CHUNK), None]);
    }

    #[test]
    fn losses_between_which_something_was_finished_do_not_add_up() {
        let mut retries = Retries::new(10);
        assert!((0..100).all(|_| retries.go_on_after(&lost(), true)));
    }

    #[test]
    fn memory_that_does_not_suffice_is_asked_for_less_and_other_failures_end_the_call() {
        let mut retries = Retries::new(4 * MIN_CHUNK);
        let goes_on = [(); 3].map(|()| retries.go_on_after(&out_of_memory(), true));
        assert_eq!((goes_on, retries.chunk()), ([true, true, false], MIN_CHUNK));
        assert!(!Retries::new(4 * MIN_CHUNK).go_on_after(&GpuError::NoAdapter, true));
    }
}
