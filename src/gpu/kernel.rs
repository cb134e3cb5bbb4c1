//! Kernels: compiled shaders and their dispatch.

use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindingResource, CommandEncoder, ComputePipelineDescriptor,
};

use super::GpuError;
use super::device::Device;
use super::shader::WORKGROUP;

/// A compiled shader with the entry point `main` and one group of bindings.
#[derive(Debug)]
pub(super) struct Kernel {
    label: String,
    pipeline: wgpu::ComputePipeline,
    /// Items of a workgroup.
    workgroup: u32,
    /// Says which fault a kernel has that is broken on purpose.
    #[cfg(test)]
    fault: Option<BindGroup>,
}

impl Kernel {
    /// Compiles a shader.
    pub fn new(device: &Device, label: &str, source: &str) -> Result<Self, GpuError> {
        device.try_to(label, || {
            let module = device.inner.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(label),
                source: wgpu::ShaderSource::Wgsl(source.into()),
            });
            let pipeline = device.inner.create_compute_pipeline(&ComputePipelineDescriptor {
                label: Some(label),
                layout: None,
                module: &module,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            });
            Self {
                label: label.to_owned(),
                pipeline,
                workgroup: WORKGROUP,
                #[cfg(test)]
                fault: None,
            }
        })
    }

    /// One whose workgroups are not of the usual size.
    pub fn in_workgroups_of(self, workgroup: u32) -> Self {
        Self { workgroup, ..self }
    }

    /// One with a group of bindings that says which fault it has, in place of `faults::GROUP`.
    #[cfg(test)]
    pub fn with_fault(self, group: impl FnOnce(&wgpu::BindGroupLayout) -> BindGroup) -> Self {
        let fault = group(&self.pipeline.get_bind_group_layout(super::faults::GROUP));
        Self { fault: Some(fault), ..self }
    }

    /// Records one run over this many items, with the bindings in numerical order.
    pub fn dispatch(
        &self,
        device: &Device,
        encoder: &mut CommandEncoder,
        bindings: &[BindingResource<'_>],
        items: u32,
    ) {
        let group = self.group(device, bindings);
        self.record(encoder, &group, items);
    }

    /// The bindings, in numerical order, for runs that share them.
    pub fn group(&self, device: &Device, bindings: &[BindingResource<'_>]) -> BindGroup {
        let entries: Vec<BindGroupEntry<'_>> = (0..)
            .zip(bindings)
            .map(|(binding, resource)| BindGroupEntry { binding, resource: resource.clone() })
            .collect();
        device.inner.create_bind_group(&BindGroupDescriptor {
            label: Some(&self.label),
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &entries,
        })
    }

    /// Records one run over this many items with an existing bind group.
    pub fn record(&self, encoder: &mut CommandEncoder, group: &BindGroup, items: u32) {
        self.record_together(encoder, [(group, items)]);
    }

    /// Records several runs, of which none waits for another unless they share what is written.
    pub fn record_together<'g>(
        &self,
        encoder: &mut CommandEncoder,
        runs: impl IntoIterator<Item = (&'g BindGroup, u32)>,
    ) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        #[cfg(test)]
        if let Some(fault) = &self.fault {
            pass.set_bind_group(super::faults::GROUP, fault, &[]);
        }
        for (group, items) in runs {
            pass.set_bind_group(0, group, &[]);
            pass.dispatch_workgroups(items.div_ceil(self.workgroup), 1, 1);
        }
    }
}
