//! The command line program: [`touchdown::cli`].

fn main() -> std::process::ExitCode {
    keep_mesa_quiet();
    touchdown::cli::main(std::env::args_os()).into()
}

/// Mesa adds a layer to every Vulkan program that queries the desktop for its preferred device, and complains on
/// standard error if there is no desktop. We choose the device ourselves.
#[expect(unsafe_code, reason = "the environment is changed before any thread but this one runs")]
fn keep_mesa_quiet() {
    // SAFETY: no other thread exists yet that could read the environment.
    unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
}
