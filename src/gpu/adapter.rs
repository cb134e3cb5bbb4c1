//! Adapters of this machine, and which one is taken.

use wgpu::{Backends, DeviceType, Instance, InstanceDescriptor};

use super::GpuError;

/// What computes behind an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdapterKind {
    /// A GPU with its own memory.
    Discrete,
    /// A GPU that shares the processor's memory.
    Integrated,
    /// A GPU lent to a virtual machine.
    Virtual,
    /// The processor.
    Software,
    /// The driver does not say.
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

    /// Rank in the choice of an adapter that was not named; `None` is never chosen.
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
    /// Its number in the list of adapters.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// What computes behind it.
    pub kind: AdapterKind,
    /// Driver and its version.
    pub driver: String,
    /// The system's interface it is reached by.
    pub interface: String,
    pub(super) inner: wgpu::Adapter,
}

impl Adapter {
    /// Name, driver and interface: what decides the bits of a result.
    #[must_use]
    pub fn identity(&self) -> String {
        format!("{}, {}, {}", self.name, self.driver, self.interface)
    }

    /// Largest buffer that a kernel can be given \[bytes\].
    #[must_use]
    pub fn largest_binding(&self) -> u64 {
        self.inner.limits().max_storage_buffer_binding_size
    }

    /// Workgroups that one dispatch can have.
    #[must_use]
    pub fn largest_dispatch(&self) -> u32 {
        self.inner.limits().max_compute_workgroups_per_dimension
    }
}

/// All adapters of this machine. The same device may show up once for each interface that reaches it.
#[must_use]
pub fn adapters() -> Vec<Adapter> {
    let backends = Backends::VULKAN | Backends::METAL | Backends::DX12;
    let descriptor = InstanceDescriptor { backends, ..InstanceDescriptor::new_without_display_handle() };
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

/// The number of the adapter that is taken: by its number or a part of its name in any case, else the best GPU.
///
/// # Errors
/// When there is none, or only software that was not named.
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
        let by_number = asked.parse().ok().filter(|&number| number < adapters.len());
        let is_named = |adapter: &Adapter| adapter.name.to_lowercase().contains(&asked.to_lowercase());
        return by_number
            .or_else(|| adapters.iter().position(is_named))
            .ok_or_else(|| GpuError::UnknownAdapter { asked: asked.to_owned(), names: names() });
    }
    // Of equals the first: `max_by_key` would take the last.
    adapters
        .iter()
        .rev()
        .filter_map(|adapter| Some((adapter.kind.rank()?, adapter.number)))
        .max_by_key(|&(rank, _)| rank)
        .map(|(_, number)| number)
        .ok_or_else(|| GpuError::OnlySoftware { names: names() })
}
