//! The command line program.

mod cli;

fn main() -> std::process::ExitCode {
    keep_mesa_quiet();
    cli::main()
}

/// Mesa adds a layer to every Vulkan program that asks the desktop for its preferred device, and complains on standard
/// error where there is no desktop. We choose the device ourselves.
#[expect(unsafe_code, reason = "the environment is changed before any thread but this one runs")]
fn keep_mesa_quiet() {
    // SAFETY: nothing else runs yet that could read the environment at the same time.
    unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
}
