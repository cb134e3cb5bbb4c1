//! Device errors, and what to do about them.

use thiserror::Error;

/// Why a GPU cannot be used, or could not finish.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GpuError {
    /// The system has no adapter at all.
    #[error(
        "no adapter found: install a Vulkan driver for your GPU (on Debian and Ubuntu mesa-vulkan-drivers also brings \
         the software adapter llvmpipe), or use --engine native"
    )]
    NoAdapter,
    /// There are only software adapters.
    #[error(
        "no GPU found, only software adapters ({names}), which compute on the processor as --engine native does; to \
         use one all the same, name it with --adapter"
    )]
    OnlySoftware {
        /// Their names.
        names: String,
    },
    /// No adapter has this name or number.
    #[error("no adapter is called `{asked}`; there are: {names}")]
    UnknownAdapter {
        /// The name or number given.
        asked: String,
        /// Numbers and names of all adapters.
        names: String,
    },
    /// The adapter does not provide a device.
    #[error("{adapter} could not be opened: {cause}; its driver may be too old or in use by another program")]
    Refused {
        /// The adapter's name.
        adapter: String,
        /// Message of the driver.
        cause: String,
    },
    /// A scene or a vehicle has numbers out of the range of f32.
    #[error(
        "{what} is too large for the gpu engine, which holds at most {limit:e}{}{unit} there; use --engine native",
        if unit.is_empty() { "" } else { " " }
    )]
    OutOfRange {
        /// What is too large, with its value where there is one.
        what: String,
        /// The limit.
        limit: f64,
        /// Its unit; empty where it is that of what is too large, in SI units.
        unit: &'static str,
    },
    /// A model has more parts than a kernel holds.
    #[error("{count} {what}; the gpu engine holds {limit} at most; use --engine native")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
    /// No kernel computes worlds of this kind.
    #[error(
        "{what} has no kernel: the gpu engine computes worlds of spheres and walls with `sweeps` in the world file; use \
         --engine native"
    )]
    WorldWithoutKernel {
        /// The key of the world file that asks for it, with its value.
        what: String,
    },
    /// A leaf is a half space or a stretched solid in stretched coordinates: impossible in valid scenes.
    #[error("leaf {leaf} is stretched twice")]
    StretchedTwice {
        /// Number of the leaf.
        leaf: u32,
    },
    /// A buffer would exceed the limit of the adapter.
    #[error("{what} needs {bytes} bytes in one buffer, {adapter} allows {allowed}; use --engine native")]
    BufferTooLarge {
        /// Its contents.
        what: &'static str,
        /// Its size.
        bytes: u64,
        /// The adapter's limit.
        allowed: u64,
        /// The adapter's name.
        adapter: String,
    },
    /// The device does not have enough memory, even for small batches.
    #[error("{adapter} is out of memory ({cause}); close other programs that use it, or use --engine native")]
    OutOfMemory {
        /// The adapter's name.
        adapter: String,
        /// Message of the driver.
        cause: String,
    },
    /// The device was lost and did not recover.
    #[error(
        "{adapter} was lost ({cause}): a watchdog, a driver update or a hardware fault; finished parts are kept, the \
         same command goes on from them"
    )]
    Lost {
        /// The adapter's name.
        adapter: String,
        /// Message of the driver.
        cause: String,
    },
    /// The driver silently stops long loops, and an item needed more iterations.
    #[error(
        "{adapter} stops the loops of an item after {limit} rounds without a word (Mesa before version 25 does); an \
         item of this {job} job needed more, so its result would be wrong; use another driver or --engine native"
    )]
    LoopLimit {
        /// The adapter's name.
        adapter: String,
        /// Guaranteed number of iterations.
        limit: u32,
        /// The job.
        job: &'static str,
    },
    /// An item needs more iterations than are made, lest the device hangs.
    #[error(
        "an item of this {job} job needs more than {limit} rounds of loops on {adapter}, which no kernel makes, lest the \
         device hangs; use --engine native"
    )]
    TooManyRounds {
        /// The adapter's name.
        adapter: String,
        /// Iterations of an item.
        limit: u32,
        /// The job.
        job: &'static str,
    },
    /// A kernel or a call was rejected: a bug in this program or in the driver.
    #[error("{adapter} rejected {what}: {cause}; please report this with the output of `touchdown devices`")]
    Fault {
        /// The adapter's name.
        adapter: String,
        /// What was rejected.
        what: String,
        /// Message of the driver.
        cause: String,
    },
}

impl GpuError {
    /// True if a smaller batch or a new device may succeed.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::OutOfMemory { .. } | Self::Lost { .. })
    }
}
