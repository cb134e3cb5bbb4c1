// Job `particle` step by step: the next PARTICLE_SLICE rows of each particle.

@group(0) @binding(0) var<storage, read> particles: array<Particle>;
@group(0) @binding(1) var<storage, read_write> answers: array<ParticleRows>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&particles) {
        return;
    }
    let particle = particles[id.x];
    var state = particle.state;
    let count = min(particle.steps - state.done, PARTICLE_SLICE);
    for (var row = 0u; row < count; row++) {
        answers[id.x].rows[row] = advance(particle, &state);
    }
    answers[id.x].state = state;
}
