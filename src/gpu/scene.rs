//! A scene in device memory.

use wgpu::{BindingResource, BufferUsages};

use super::GpuError;
use super::buffer::Buffer;
use super::device::Device;
use super::unrolled::Search;
use super::wire::SceneWire;
use crate::scene::Scene;

/// The buffers of a scene, and the scene that they hold.
#[derive(Debug)]
pub(super) struct SceneBuffers {
    scene: Scene,
    pub wire: SceneWire,
    /// The search for first points, in the form that kernels for this scene take.
    pub search: Search,
    head: Buffer,
    stops: Buffer,
    constants: Buffer,
    tables: Buffer,
}

impl SceneBuffers {
    /// Sends a scene to a device.
    pub fn new(device: &Device, scene: &Scene) -> Result<Self, GpuError> {
        let wire = SceneWire::new(scene, device.rounds)?;
        let mut buffers = Self {
            search: Search::new(&wire),
            scene: scene.clone(),
            head: Buffer::new("the scene's head", BufferUsages::UNIFORM | BufferUsages::COPY_DST),
            stops: Buffer::storage("the scene's stops"),
            constants: Buffer::storage("the scene's constants"),
            tables: Buffer::storage("the scene's tables"),
            wire,
        };
        let wire = &buffers.wire;
        buffers.head.fill(device, &[wire.head])?;
        buffers.stops.fill(device, &wire.stops)?;
        buffers.constants.fill(device, &wire.constants)?;
        buffers.tables.fill(device, &wire.tables)?;
        Ok(buffers)
    }

    /// True when they hold this scene.
    pub fn hold(&self, scene: &Scene) -> bool {
        self.scene == *scene
    }

    /// The bindings 0 to 3 of every kernel that asks a scene.
    pub fn bindings(&self) -> Vec<BindingResource<'_>> {
        [&self.head, &self.stops, &self.constants, &self.tables].into_iter().filter_map(Buffer::binding).collect()
    }
}
