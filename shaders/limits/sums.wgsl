// Multiplies and adds, and nothing else: sixteen chains of numbers that do not wait for each other.

// From a buffer, so that no compiler knows them: a factor and a term.
@group(0) @binding(0) var<storage, read> numbers: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

fn four_times(x: vec4<f32>, factor: vec4<f32>, term: vec4<f32>) -> vec4<f32> {
    return fma(fma(fma(fma(x, factor, term), factor, term), factor, term), factor, term);
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&sums) {
        return;
    }
    let factor = vec4<f32>(numbers[0]);
    let term = vec4<f32>(numbers[1]);
    var a = vec4<f32>(0.0, 1.0, 2.0, 3.0) + f32(id.x);
    var b = a + 4.0;
    var c = a + 8.0;
    var d = a + 12.0;
    // OPERATIONS_PER_ROUND: four vectors of four, four times a multiplication and an addition.
    for (var round = 0u; round < ROUNDS; round++) {
        a = four_times(a, factor, term);
        b = four_times(b, factor, term);
        c = four_times(c, factor, term);
        d = four_times(d, factor, term);
    }
    let all = a + b + c + d;
    sums[id.x] = all.x + all.y + all.z + all.w;
}
