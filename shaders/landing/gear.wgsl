// The gear in a step of a landing: finer steps of wheels and body alone, as the reference describes them.

// What a wheel is about in a step: it does not touch; it does, and its spring hardly moves; it gets into contact, or its
// spring moves.
const PACE_ALOFT = 0u;
const PACE_CALM = 1u;
const PACE_LIVELY = 2u;

const NO_ONSET = Onset(false, 1.0, 0.0, 0.0);

// How a wheel gets into contact in a sub-step.
struct Onset {
    happens: bool,
    // Share of the sub-step from the contact to its end.
    share: f32,
    // From the middle of the sub-step to the contact, and to the middle of what is left [s].
    contact: f32,
    middle: f32,
}

struct Substep {
    // [s]
    length: f32,
    // Before the first one: wheels in the air look for ground as far down as they may come in the step.
    only_looks: bool,
    // Wheels that touched before the step look for ground.
    is_last: bool,
}

// What a wheel does in a sub-step.
struct Push {
    load: Load,
    // Share of the sub-step for which it works.
    share: f32,
    // It gets into contact, and is pressed.
    is_new: bool,
    pace: u32,
}

// The moment at which a wheel gets into contact.
struct FirstTouch {
    // Share of the sub-step from then to its end.
    share: f32,
    // Cosine of the angle between the surface's normal and the wheel's axis upwards.
    slope: f32,
    // Away from the surface [m/s], as the acceleration before the sub-step foretells it.
    speed: f32,
    // The wheel's force for each newton of normal force.
    strength: f32,
    // The surface's unit normal.
    up: vec3<f32>,
    load: Load,
}

// Of the wheels that get into contact in the sub-step under way.
var<private> touches_first: array<FirstTouch, WHEELS>;

// Moves the body from the start of a step to its end: under a load that holds, and under the wheels'.
fn advance_gear(before: Body, middle: Body, held: Load, seen: ptr<function, WheelsSeen>) -> Body {
    var body = before;
    var substeps = 1u;
    rounds += 1u;
    // The first pass looks at the middle of the step.
    for (var pass_number = 0u; pass_number <= substeps; pass_number++) {
        rounds += 1u;
        let substep = Substep(
            vehicle.time_step / f32(substeps), pass_number == 0u, pass_number == substeps && pass_number != 0u
        );
        var place = middle;
        if substeps > 1u {
            place = ahead(body, 0.5 * substep.length);
        }
        // What works in the sub-step, and what works at its end: not the same where a wheel has just touched.
        var mean = held;
        var last = held;
        var pace = PACE_ALOFT;
        var new_wheels = 0u;
        rounds += 1u;
        for (var index = 0u; index < WHEELS; index++) {
            rounds += 1u;
            let push = advance_wheel(index, place, substep, seen);
            new_wheels |= select(0u, 1u << index, push.is_new);
            mean = sum(mean, Load(push.share * push.load.force, push.share * push.load.moment));
            last = sum(last, push.load);
            pace = max(pace, push.pace);
        }
        if substep.only_looks {
            substeps = select(1u, vehicle.calm_substeps, pace == PACE_CALM);
            substeps = select(substeps, vehicle.lively_substeps, pace == PACE_LIVELY);
            continue;
        }
        if new_wheels != 0u {
            record_first_touches(place, substep.length, new_wheels);
        }
        let worked = acceleration_of(place, mean);
        let felt = acceleration_of(place, last);
        place.velocity = body.velocity + substep.length * worked.linear;
        place.rate = body.rate + substep.length * worked.angular;
        body = drifted(place, 0.5 * substep.length);
        state.acceleration = felt.linear;
        state.angular_acceleration = felt.angular;
    }
    return body;
}

fn advance_wheel(index: u32, body: Body, substep: Substep, seen: ptr<function, WheelsSeen>) -> Push {
    let wheel = vehicle.wheels[index];
    let last = state.wheels[index];
    var contact = WheelContact(last.pebble, last.status & ((1u << STATE_BITS) - 1u), last.normal, last.material, last.leaf);
    let touches = contact.state == WHEEL_SLIPPING || contact.state == WHEEL_STANDING;
    let frame = wheel_frame(wheel, last, body);
    let rate = body.to_world * body.rate;
    var flags = select(last.status & (OVER_MAX_FORCE | GROUND_KNOWN | GROUND_OLD), 0u, substep.only_looks);
    let ground = Footing(
        substep.only_looks || (substep.is_last && (flags & GROUND_OLD) != 0u),
        last.pebble,
        last.normal,
        last.material,
        last.leaf,
    );
    var onset = NO_ONSET;
    if contact.state == WHEEL_FREE && (flags & GROUND_KNOWN) != 0u {
        onset = onset_of(wheel.parameters, ground, frame, rate, substep.length);
    }
    let shift = onset.middle * frame.velocity;
    let acceleration =
        state.acceleration + body.to_world * cross(state.angular_acceleration, wheel.position);

    let looks = substep.only_looks && contact.state == WHEEL_FREE;
    let rolls = !substep.only_looks && (touches || onset.happens);
    var step = without_force(contact, frame.origin);
    if looks || rolls {
        let deepest = wheel.parameters.z_max + substep.length * length(frame.velocity);
        let moved = later(frame, acceleration, onset.middle);
        step = step_wheel(ground, wheel.parameters, contact, moved, landing.friction_scale, deepest, looks, true);
    }
    if substep.only_looks {
        return has_looked(index, wheel.parameters, step.contact, body, frame, rate, touches);
    }

    let strength = length(step.force);
    let is_new = onset.happens && step.normal_force > 0.0;
    if is_new {
        let first = later(frame, acceleration, onset.contact);
        let up = normalize(step.contact.normal);
        touches_first[index] = FirstTouch(
            onset.share, -dot(up, frame.to_world[2]), dot(up, first.velocity), strength / step.normal_force, up, Load()
        );
    }
    // Of one that gets into contact, the force at that moment counts and not that in the middle of what is left.
    let peak = select(strength, 0.0, is_new && onset.share < 1.0);
    flags |= select(0u, OVER_MAX_FORCE, step.over_max_force);
    step.over_max_force = (flags & OVER_MAX_FORCE) != 0u;
    // What is below a wheel that takes off stays known for the rest of the step.
    contact = step.contact;
    if contact.state != WHEEL_SLIPPING && contact.state != WHEEL_STANDING {
        contact = WheelContact(last.pebble, step.contact.state, last.normal, last.material, last.leaf);
    }
    state.wheels[index] = WheelMemory(
        contact.pebble,
        contact.leaf,
        contact.normal,
        contact.material,
        step.force,
        step.normal_force,
        step.application,
        step.compression,
        step.friction,
        contact.state | u32(step.clip_case - CLIP_NOT_COMPUTED) << STATE_BITS | flags,
        max(last.peak_force, peak),
        max(last.peak_compression, step.compression),
    );
    if substep.is_last {
        see(seen, step, strength, wheel.main != 0u);
    }
    let force = step.force * body.to_world;
    let arm = (step.application - shift - body.position) * body.to_world;
    let load = Load(force, cross(arm, force));
    if is_new {
        touches_first[index].load = load;
    }
    return Push(load, onset.share, is_new, PACE_ALOFT);
}

// Takes down the forces at the moments at which wheels get into contact in a sub-step: those that did so before have
// pushed the body by then.
fn record_first_touches(middle: Body, length: f32, new_wheels: u32) {
    rounds += 1u;
    for (var index = 0u; index < WHEELS; index++) {
        rounds += 1u;
        let touch = touches_first[index];
        if (new_wheels & 1u << index) == 0u || touch.share >= 1.0 {
            continue;
        }
        var pushed = Load(vec3<f32>(0.0), vec3<f32>(0.0));
        rounds += 1u;
        for (var other = 0u; other < WHEELS; other++) {
            rounds += 1u;
            if (new_wheels & 1u << other) == 0u {
                continue;
            }
            let earlier = max(touches_first[other].share - touch.share, 0.0);
            let load = touches_first[other].load;
            pushed = sum(pushed, Load(earlier * load.force, earlier * load.moment));
        }
        let change = length * push_at(vehicle.wheels[index].position, middle, pushed);
        let first =
            force_at_first_touch(vehicle.wheels[index].parameters, touch.slope, touch.speed + dot(touch.up, change));
        let peak = touch.strength * max(first, 0.0);
        state.wheels[index].peak_force = max(state.wheels[index].peak_force, peak);
    }
}

// Takes in what a wheel has below it before the first sub-step: a free one that found ground knows it, and stays free.
fn has_looked(
    index: u32,
    parameters: WheelParameters,
    contact: WheelContact,
    body: Body,
    frame: WheelFrame,
    rate: vec3<f32>,
    touches: bool,
) -> Push {
    let found = contact.state == WHEEL_STANDING && !touches;
    let flags = select(0u, GROUND_KNOWN, found) | select(0u, GROUND_KNOWN | GROUND_OLD, touches);
    state.wheels[index].pebble = contact.pebble;
    state.wheels[index].leaf = contact.leaf;
    state.wheels[index].normal = contact.normal;
    state.wheels[index].material = contact.material;
    state.wheels[index].status = select(contact.state, WHEEL_FREE, found) | flags;
    var pace = PACE_ALOFT;
    if touches {
        let closing = dot(contact.normal, body.velocity + cross(rate, contact.pebble - body.position));
        let is_lively = closing * closing > LIVELY_SPEED * LIVELY_SPEED * dot(contact.normal, contact.normal);
        pace = select(PACE_CALM, PACE_LIVELY, is_lively);
    } else if found {
        let ground = Footing(false, contact.pebble, contact.normal, contact.material, contact.leaf);
        let onset = onset_of(parameters, ground, frame, rate, vehicle.time_step);
        pace = select(PACE_ALOFT, PACE_LIVELY, onset.happens);
    }
    return Push(Load(vec3<f32>(0.0), vec3<f32>(0.0)), 0.0, false, pace);
}

// When a wheel above its ground gets into contact in a sub-step in whose middle it has this frame.
fn onset_of(parameters: WheelParameters, ground: Footing, frame: WheelFrame, rate: vec3<f32>, span: f32) -> Onset {
    let axis = frame.to_world[2];
    let slope = dot(ground.normal, axis);
    if slope >= 0.0 {
        return NO_ONSET;
    }
    // Where the axis meets the plane, and how fast the wheel gets there.
    let z = dot(ground.normal, ground.place - frame.origin) / slope;
    let closing = dot(ground.normal, frame.velocity + cross(rate, z * axis)) / slope;
    let gap_at_end = z - parameters.z_max - 0.5 * span * closing;
    if gap_at_end >= 0.0 {
        return NO_ONSET;
    }
    let closed = closing * span;
    // A gap that is closed already, though the wheel took itself to be in the air, has no moment of contact.
    if closed <= -gap_at_end {
        return Onset(true, 1.0, -0.5 * span, 0.0);
    }
    let share = -gap_at_end / closed;
    return Onset(true, share, (0.5 - share) * span, 0.5 * (1.0 - share) * span);
}

// The frame some time later, or earlier: moved, not turned.
fn later(frame: WheelFrame, acceleration: vec3<f32>, time: f32) -> WheelFrame {
    var moved = frame;
    moved.origin += time * frame.velocity;
    moved.velocity += time * acceleration;
    return moved;
}
