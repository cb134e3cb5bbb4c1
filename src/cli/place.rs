//! Where results may go.

use std::path::Path;

use super::Failure;

/// Refuses a file for results that is one of those read.
pub fn refuse_overwriting(option: &str, out: &Path, inputs: &[&Path]) -> Result<(), Failure> {
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

/// Refuses a file for results that would stand, or replace one, in a directory of other files.
pub fn refuse_inside(option: &str, out: &Path, directory: &Path) -> Result<(), Failure> {
    // The parent of a bare name is empty, which no system can look up.
    let parent = Path::new(".").join(out);
    let inside = match (parent.parent().map(Path::canonicalize), directory.canonicalize()) {
        (Some(Ok(parent)), Ok(directory)) => parent == directory,
        _ => false,
    };
    if inside {
        let message = format!("{option} {}: {} holds nothing but parts", out.display(), directory.display());
        return Err(Failure::bad_input(message + "; choose another place"));
    }
    Ok(())
}
