// Copies a buffer: as fast as kernels can read and write the device's memory.

@group(0) @binding(0) var<storage, read> source: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> copied: array<vec4<u32>>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    for (var index = id.x; index < arrayLength(&source); index += WORKGROUP * workgroups.x) {
        copied[index] = source[index];
    }
}
