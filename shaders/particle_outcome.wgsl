// Job `particle`: what the steps of each particle come to, PARTICLE_SLICE of them at a time.

@group(0) @binding(0) var<storage, read> particles: array<Particle>;
@group(0) @binding(1) var<storage, read_write> answers: array<ParticleState>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&particles) {
        return;
    }
    let particle = particles[id.x];
    var state = particle.state;
    let end = min(particle.steps, state.done + PARTICLE_SLICE);
    while state.done < end {
        advance(particle, &state);
    }
    answers[id.x] = state;
}
