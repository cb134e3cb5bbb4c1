//! Output locations: where they are by default, and their checks.

use std::path::{Path, PathBuf};

use touchdown::study::RunDirectory;

use super::Failure;

/// The directory of what is made of a study file: `runs/NAME`, with an ending.
pub(super) fn default_directory(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.file_stem().unwrap_or_else(|| "study".as_ref()).to_owned();
    name.push(ending);
    Path::new("runs").join(name)
}

/// Refuses an output file that is one of the inputs, or belongs to a run.
pub fn refuse_overwriting(option: &str, out: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    refuse_of_run(option, out)?;
    // A file that does not exist yet, or cannot be accessed, is not one of the inputs.
    let Ok(out_file) = out.canonicalize() else { return Ok(()) };
    let is_read = |input: &&&Path| input.canonicalize().is_ok_and(|input| input == out_file);
    match inputs.iter().find(is_read) {
        None => Ok(()),
        Some(input) => Err(Failure::bad_input(format!(
            "{option} {}: would overwrite {}, which is an input; choose another file",
            out.display(),
            input.display()
        ))),
    }
}

/// Refuses a name of a picture that ends otherwise than pictures of this kind; one without an ending is as good as any.
pub fn refuse_other_ending(option: &str, out: &Path, ending: &str) -> Result<(), Failure> {
    match out.extension() {
        Some(other) if !other.eq_ignore_ascii_case(ending) => {
            Err(Failure::bad_input(format!("{option} {}: must end in .{ending}", out.display())))
        }
        _ => Ok(()),
    }
}

/// Refuses an output file that a run reserves: its study, parts, summary and associated files.
pub fn refuse_of_run(option: &str, out: &Path) -> Result<(), Failure> {
    match RunDirectory::owner_of(out) {
        None => Ok(()),
        Some(run) => Err(Failure::bad_input(format!(
            "{option} {}: this file belongs to the run in {}; choose another place",
            out.display(),
            run.display()
        ))),
    }
}
