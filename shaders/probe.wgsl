// Counts the rounds of a loop: some drivers stop long loops without a word.

@group(0) @binding(0) var<storage, read_write> rounds: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&rounds) {
        return;
    }
    let asked = rounds[id.x];
    var counted = 0u;
    // Collatz steps: no compiler finds a closed form.
    var number = 27u;
    for (var round = 0u; round < asked; round++) {
        number = select(3u * number + 1u, number / 2u, number % 2u == 0u);
        counted += select(0u, 1u, number != 0u);
    }
    rounds[id.x] = counted;
}
