// A particle above a plane, stepped by complementarity (docs/theory/complementarity.md).
//
// Everything is a length in a unit of the particle's own: its height, the way `h v` that its speed makes in a step, and
// `h^2 g`, by which gravity shortens that way from step to step. What the plane adds to it, its push, is `h^2 N / m`.

// Does one step; gives what held at its start: height, travel, predicted gap and push.
fn advance(particle: Particle, state: ptr<function, ParticleState>) -> vec4<f32> {
    let x = (*state).position;
    let w = (*state).travel;
    let gap = x + w - particle.gap_drop;
    let was_in_contact = (*state).contacts & 1u;
    (*state).contacts = was_in_contact << 1u;
    var push = 0.0;
    if gap < 0.0 {
        var travel: f32;
        if EXACT_RESTITUTION {
            travel = particle.restitution * sqrt(w * w + 2.0 * particle.drop * x);
            push = travel - w + particle.drop;
        } else {
            travel = 0.0 - (particle.restitution * w + particle.inverse_gamma * x);
            push = particle.inverse_gamma * -gap;
        }
        (*state).position = 0.0;
        (*state).travel = travel;
        (*state).contacts |= 1u;
        if (*state).contact_steps == 0u {
            (*state).first_contact_step = (*state).done;
        }
        (*state).contact_steps += 1u;
        (*state).bounces += 1u - was_in_contact;
        (*state).peak_push = max((*state).peak_push, push);
    } else {
        (*state).position = gap;
        (*state).travel = w - particle.drop;
        if (*state).contact_steps > 0u {
            (*state).rebound_height = max((*state).rebound_height, gap);
        }
    }
    (*state).done += 1u;
    return vec4(x, w, gap, push);
}
