//! Where results may go.

use std::path::Path;

use touchdown::study::RunDirectory;

use super::Failure;

/// Refuses a file for results that is one of those read, or one of a run's own.
pub fn refuse_overwriting(option: &str, out: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    refuse_of_run(option, out)?;
    // A file that does not exist yet, or cannot be looked at, is none of those that are read.
    let Ok(out_file) = out.canonicalize() else { return Ok(()) };
    let is_read = |input: &&&Path| input.canonicalize().is_ok_and(|input| input == out_file);
    match inputs.iter().find(is_read) {
        None => Ok(()),
        Some(input) => Err(Failure::bad_input(format!(
            "{option} {}: would overwrite {}, which is read; choose another file",
            out.display(),
            input.display()
        ))),
    }
}

/// Refuses a file for results that a run keeps for itself: its study, parts, summary and what belongs to them.
pub fn refuse_of_run(option: &str, out: &Path) -> Result<(), Failure> {
    match RunDirectory::owner_of(out) {
        None => Ok(()),
        Some(run) => Err(Failure::bad_input(format!(
            "{option} {}: that is a file of the run in {}, which it keeps for itself; choose another place",
            out.display(),
            run.display()
        ))),
    }
}
