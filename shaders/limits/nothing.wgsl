// Does next to nothing: what it costs to start a kernel.

@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x == 0u {
        numbers[0] = 1u;
    }
}
