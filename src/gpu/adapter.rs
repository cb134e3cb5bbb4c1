//! GPU adapters of this machine, and the selection of one.

use wgpu::{Backends, DeviceType, Instance, InstanceDescriptor, InstanceFlags};

use super::GpuError;

/// Kind of device behind an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdapterKind {
    /// A GPU with its own memory.
    Discrete,
    /// A GPU that shares memory with the CPU.
    Integrated,
    /// A GPU assigned to a virtual machine.
    Virtual,
    /// The CPU.
    Software,
    /// Not reported by the driver.
    Unknown,
}

impl AdapterKind {
    /// Name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Discrete => "discrete GPU",
            Self::Integrated => "integrated GPU",
            Self::Virtual => "virtual GPU",
            Self::Software => "software",
            Self::Unknown => "unknown",
        }
    }

    /// Preference in automatic selection; `None` is never selected.
    fn rank(self) -> Option<u8> {
        match self {
            Self::Discrete => Some(3),
            Self::Virtual => Some(2),
            Self::Integrated => Some(1),
            Self::Software | Self::Unknown => None,
        }
    }
}

/// An adapter of this machine.
#[derive(Debug)]
pub struct Adapter {
    /// Its index in the list of adapters.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: AdapterKind,
    /// Driver and its version.
    pub driver: String,
    /// The graphics API it is reached through.
    pub interface: String,
    pub(super) inner: wgpu::Adapter,
}

impl Adapter {
    /// Name, driver and API, which determine the bits of a result.
    #[must_use]
    pub fn identity(&self) -> String {
        format!("{}, {}, {}", self.name, self.driver, self.interface)
    }

    /// Largest buffer binding of a kernel \[bytes\].
    #[must_use]
    pub fn largest_binding(&self) -> u64 {
        self.inner.limits().max_storage_buffer_binding_size
    }

    /// Maximum number of workgroups per dispatch.
    #[must_use]
    pub fn largest_dispatch(&self) -> u32 {
        self.inner.limits().max_compute_workgroups_per_dimension
    }
}

/// All adapters of this machine. The same device may be listed once for each API that reaches it.
#[must_use]
pub fn adapters() -> Vec<Adapter> {
    let backends = Backends::VULKAN | Backends::METAL | Backends::DX12;
    // Which line of its source each instruction comes from serves debuggers; a build for tests spends a while on finding it.
    let flags = InstanceFlags::from_build_config().difference(InstanceFlags::DEBUG);
    let descriptor = InstanceDescriptor { backends, flags, ..InstanceDescriptor::new_without_display_handle() };
    let instance = Instance::new(descriptor);
    pollster::block_on(instance.enumerate_adapters(backends))
        .into_iter()
        .enumerate()
        .map(|(number, inner)| {
            let info = inner.get_info();
            Adapter {
                number,
                kind: match info.device_type {
                    DeviceType::DiscreteGpu => AdapterKind::Discrete,
                    DeviceType::IntegratedGpu => AdapterKind::Integrated,
                    DeviceType::VirtualGpu => AdapterKind::Virtual,
                    DeviceType::Cpu => AdapterKind::Software,
                    DeviceType::Other => AdapterKind::Unknown,
                },
                driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
                interface: info.backend.to_string(),
                name: info.name,
                inner,
            }
        })
        .collect()
}

/// The index of the selected adapter: by number, or by case-insensitive part of its name if it is no number, else the best GPU.
///
/// # Errors
/// If there is none, or only a software adapter that was not named.
pub fn choose(adapters: &[Adapter], asked: Option<&str>) -> Result<usize, GpuError> {
    let names = || {
        let names: Vec<String> =
            adapters.iter().map(|adapter| format!("{} {}", adapter.number, adapter.name)).collect();
        names.join(", ")
    };
    if adapters.is_empty() {
        return Err(GpuError::NoAdapter);
    }
    if let Some(asked) = asked {
        return asked_for(asked, adapters.iter().map(|adapter| adapter.name.as_str()))
            .ok_or_else(|| GpuError::UnknownAdapter { asked: asked.to_owned(), names: names() });
    }
    // The first in case of ties: `max_by_key` would return the last.
    adapters
        .iter()
        .rev()
        .filter_map(|adapter| Some((adapter.kind.rank()?, adapter.number)))
        .max_by_key(|&(rank, _)| rank)
        .map(|(_, number)| number)
        .ok_or_else(|| GpuError::OnlySoftware { names: names() })
}

/// The index of the adapter that is asked for among these names. A number is never part of a name: many names have digits.
fn asked_for<'a>(asked: &str, mut names: impl ExactSizeIterator<Item = &'a str>) -> Option<usize> {
    match asked.parse::<usize>() {
        Ok(number) => (number < names.len()).then_some(number),
        Err(_) => names.position(|name| name.to_lowercase().contains(&asked.to_lowercase())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_no_adapter_has_is_not_looked_for_in_their_names() {
        let names = ["llvmpipe (LLVM 15.0.6, 256 bits)", "NVIDIA GeForce RTX 4090"];
        let found =
            ["0", "1", "2", "4090", "rtx 4090", "llvm", "radeon"].map(|asked| asked_for(asked, names.into_iter()));
        assert_eq!(found, [Some(0), Some(1), None, None, Some(1), Some(0), None]);
    }
}
