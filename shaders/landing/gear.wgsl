// The gear in a step of a landing, by pebbles: finer steps of wheels and body alone, as the reference describes them.

const NO_ONSET = Onset(false, 1.0, 0.0);

// How a wheel gets into contact in a sub-step.
struct Onset {
    happens: bool,
    // Share of the sub-step from the contact to its end.
    share: f32,
    // From the middle of the sub-step to the middle of what is left [s].
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

// The moment at which a wheel gets into contact.
struct FirstTouch {
    // Cosine of the angle between the surface's normal and the wheel's axis upwards.
    slope: f32,
    // Away from the surface [m/s], as the acceleration before the sub-step foretells it.
    speed: f32,
    // The wheel's force for each newton of normal force.
    strength: f32,
    // The surface's unit normal.
    up: vec3<f32>,
}

// Moves the body from the start of a step to its end: under a load that holds, and under the wheels'.
fn advance_gear(held: Load) -> Body {
    var body = body_of_state();
    var substeps = 1u;
    rounds += 1u;
    // The first pass looks at the middle of the step.
    for (var pass_number = 0u; pass_number <= substeps; pass_number++) {
        rounds += 1u;
        let substep = Substep(
            vehicle.time_step / f32(substeps), pass_number == 0u, pass_number == substeps && pass_number != 0u
        );
        // There with the speeds of the start.
        let place = drifted(body, 0.5 * substep.length);
        var new_wheels = 0u;
        rounds += 1u;
        // The loop that is long holds little: what wheels come to is gathered from what they remember.
        for (var index = 0u; index < WHEELS; index++) {
            rounds += 1u;
            number = afresh(number);
            new_wheels |= select(0u, 1u << index, advance_wheel(index, sped_up(place, 0.5 * substep.length), substep));
        }
        var middle = sped_up(place, 0.5 * substep.length);
        if substep.only_looks {
            substeps = substeps_asked(middle);
            number = afresh(number);
            body = body_of_state();
            continue;
        }
        // What works in the sub-step, and what works at its end: not the same where a wheel has just touched.
        var mean = held;
        var last = held;
        rounds += 1u;
        for (var index = 0u; index < WHEELS; index++) {
            rounds += 1u;
            let share = share_of(index, new_wheels);
            let load = load_of(index, middle, share, substep.length);
            mean = sum(mean, Load(share * load.force, share * load.moment));
            last = sum(last, load);
        }
        if new_wheels != 0u {
            record_first_touches(middle, substep.length, new_wheels);
        }
        let worked = acceleration_of(middle, mean);
        let felt = acceleration_of(middle, last);
        set_state_acceleration(felt.linear);
        set_state_angular_acceleration(felt.angular);
        middle.velocity = velocity_after(place.velocity, substep.length * worked.linear);
        middle.rate = place.rate + substep.length * worked.angular;
        body = drifted(middle, 0.5 * substep.length);
    }
    // Not carried through the loop.
    body.to_world = matrix_of(body.orientation);
    return body;
}

// A wheel in a sub-step; true when it gets into contact, and is pressed.
fn advance_wheel(index: u32, body: Body, substep: Substep) -> bool {
    let last = contact_of(index);
    let touches = touches_ground(last.state);
    var marks = 0u;
    if !substep.only_looks {
        marks = wheel_status(index) & (OVER_MAX_FORCE | GROUND_KNOWN | GROUND_OLD);
    }
    let in_scene = substep.only_looks || (substep.is_last && (marks & GROUND_OLD) != 0u);
    var onset = NO_ONSET;
    if last.state == WHEEL_FREE && (marks & GROUND_KNOWN) != 0u {
        onset = onset_of(index, body, last, substep.length);
    }
    let looks = substep.only_looks && last.state == WHEEL_FREE;
    let rolls = !substep.only_looks && (touches || onset.happens);
    let frame = wheel_frame(index, body);
    var step = without_force(last, frame.origin, CLIP_NOT_COMPUTED);
    if looks || rolls {
        let deepest = vehicle.wheels[index].parameters.z_max + substep.length * length(frame.velocity);
        let moved = later(frame, acceleration_at(vehicle.wheels[index].position, body), onset.middle);
        let scale = landing_friction_scale();
        step = step_wheel(in_scene, index, last, moved, scale, deepest, looks, true);
    }
    if substep.only_looks {
        remember_ground(index, step.contact, touches);
        return false;
    }

    let is_new = onset.happens && step.normal_force > 0.0;
    // Of one that gets into contact, the force at that moment counts and not that in the middle of what is left.
    let peak = select(length(step.force), 0.0, is_new && onset.share < 1.0);
    marks |= select(0u, OVER_MAX_FORCE, step.over_max_force);
    // What is below a wheel that takes off stays known for the rest of the step.
    if touches_ground(step.contact.state) {
        remember_contact(index, step.contact);
    }
    set_wheel_force(index, step.force);
    set_wheel_normal_force(index, step.normal_force);
    // Of one that touches, the pebble's place; where it is new, its share stands here until the end of the sub-step.
    set_wheel_application(index, select(step.application, vec3<f32>(onset.share), is_new));
    set_wheel_compression(index, step.compression);
    set_wheel_friction(index, step.friction);
    set_wheel_status(index, step.contact.state | (u32(step.clip_case - CLIP_NOT_COMPUTED) << STATE_BITS) | marks);
    set_wheel_peak_force(index, max(wheel_peak_force(index), peak));
    set_wheel_peak_compression(index, max(wheel_peak_compression(index), step.compression));
    return is_new;
}

// Share of the sub-step for which a wheel works.
fn share_of(index: u32, new_wheels: u32) -> f32 {
    if (new_wheels & (1u << index)) == 0u {
        return 1.0;
    }
    return wheel_application(index).x;
}

// Of a wheel on the body in the middle of a sub-step of this length.
fn load_of(index: u32, middle: Body, share: f32, length_of_substep: f32) -> Load {
    // Of one that touches, the place of the pebble.
    let application = select(wheel_application(index), wheel_pebble(index), touches_ground(state_of(index)));
    let shift = 0.5 * (1.0 - share) * length_of_substep * wheel_velocity(index, middle);
    let force = wheel_force(index) * middle.to_world;
    let arm = (application - shift - middle.position) * middle.to_world;
    return Load(force, cross(arm, force));
}

// The moment at which a wheel got into contact in the sub-step of this length and middle, from what it remembers.
fn first_touch(index: u32, middle: Body, share: f32, length_of_substep: f32) -> FirstTouch {
    let up = normalize(wheel_normal(index));
    let faster = acceleration_at(vehicle.wheels[index].position, middle);
    let first = wheel_velocity(index, middle) + (0.5 - share) * length_of_substep * faster;
    return FirstTouch(
        -dot(up, middle.to_world[2]), dot(up, first), length(wheel_force(index)) / wheel_normal_force(index), up
    );
}

// Takes down the forces at the moments at which wheels get into contact in a sub-step: those that did so before have
// pushed the body by then.
fn record_first_touches(middle: Body, length_of_substep: f32, new_wheels: u32) {
    rounds += 1u;
    for (var index = 0u; index < WHEELS; index++) {
        rounds += 1u;
        let share = share_of(index, new_wheels);
        // Wheels that are not new work for the whole sub-step.
        if share >= 1.0 {
            continue;
        }
        let touch = first_touch(index, middle, share, length_of_substep);
        var pushed = Load(vec3<f32>(0.0), vec3<f32>(0.0));
        rounds += 1u;
        for (var other = 0u; other < WHEELS; other++) {
            rounds += 1u;
            if (new_wheels & (1u << other)) == 0u {
                continue;
            }
            let share_of_other = share_of(other, new_wheels);
            let load = load_of(other, middle, share_of_other, length_of_substep);
            let earlier = max(share_of_other - share, 0.0);
            pushed = sum(pushed, Load(earlier * load.force, earlier * load.moment));
        }
        let change = length_of_substep * push_at(vehicle.wheels[index].position, middle, pushed);
        let first =
            force_at_first_touch(vehicle.wheels[index].parameters, touch.slope, touch.speed + dot(touch.up, change));
        var most = FAR;
        if vehicle.wheels[index].parameters.clamp_to_max_force == 1u {
            most = greatest_force(wheel_material(index));
        }
        let peak = touch.strength * clamp(first, 0.0, most);
        set_wheel_peak_force(index, max(wheel_peak_force(index), peak));
    }
    rounds += 1u;
    for (var index = 0u; index < WHEELS; index++) {
        rounds += 1u;
        if (new_wheels & (1u << index)) != 0u {
            set_wheel_application(index, wheel_pebble(index));
        }
    }
}

// Takes in what a wheel has below it before the first sub-step: a free one that found ground knows it, and stays free.
fn remember_ground(index: u32, contact: WheelContact, touches: bool) {
    let found = contact.state == WHEEL_STANDING && !touches;
    if !touches {
        remember_contact(index, contact);
    }
    let marks = select(0u, GROUND_KNOWN, found) | select(0u, GROUND_KNOWN | GROUND_OLD, touches);
    set_wheel_status(index, select(contact.state, WHEEL_FREE, found) | marks);
}

fn pace_of(index: u32, middle: Body) -> u32 {
    let ground = contact_of(index);
    if touches_ground(ground.state) {
        let rate = middle.to_world * middle.rate;
        let closing = dot(ground.normal, middle.velocity + cross(rate, ground.pebble - middle.position));
        let is_lively = closing * closing > LIVELY_SPEED * LIVELY_SPEED * dot(ground.normal, ground.normal);
        return select(PACE_CALM, PACE_LIVELY, is_lively);
    }
    if (wheel_status(index) & GROUND_KNOWN) == 0u {
        return PACE_ALOFT;
    }
    let onset = onset_of(index, middle, ground, vehicle.time_step);
    return select(PACE_ALOFT, PACE_LIVELY, onset.happens);
}

// When a wheel above its ground gets into contact in a sub-step in whose middle the body is here.
fn onset_of(index: u32, middle: Body, ground: WheelContact, span: f32) -> Onset {
    let axis = middle.to_world[2];
    let slope = dot(ground.normal, axis);
    if slope >= 0.0 {
        return NO_ONSET;
    }
    // Where the axis meets the plane, and how fast the wheel gets there.
    let z = dot(ground.normal, ground.pebble - wheel_place(index, middle)) / slope;
    let rate = middle.to_world * middle.rate;
    let closing = dot(ground.normal, wheel_velocity(index, middle) + cross(rate, z * axis)) / slope;
    let gap_at_end = z - vehicle.wheels[index].parameters.z_max - 0.5 * span * closing;
    if gap_at_end >= 0.0 {
        return NO_ONSET;
    }
    let closed = closing * span;
    // A gap that is closed already, though the wheel took itself to be in the air, has no moment of contact.
    if closed <= -gap_at_end {
        return Onset(true, 1.0, 0.0);
    }
    let share = -gap_at_end / closed;
    return Onset(true, share, 0.5 * (1.0 - share) * span);
}

// The frame some time later, or earlier: moved, not turned.
fn later(frame: WheelFrame, faster: vec3<f32>, time: f32) -> WheelFrame {
    var moved = frame;
    moved.origin += time * frame.velocity;
    moved.velocity += time * faster;
    return moved;
}

// The wheel's frame as the body carries, the pilot steers and the anti-skid brakes it.
fn wheel_frame(index: u32, body: Body) -> WheelFrame {
    let wheel = vehicle.wheels[index];
    let limit = wheel.steering * state_controls_steering_authority();
    let angle = clamp(state_controls_steering(), -limit, limit);
    var to_world = body.to_world;
    // Most wheels are fixed.
    if angle != 0.0 {
        let turn = sine_cosine(angle);
        to_world[0] = turn.y * body.to_world[0] + turn.x * body.to_world[1];
        to_world[1] = turn.y * body.to_world[1] - turn.x * body.to_world[0];
    }
    let velocity = wheel_velocity(index, body);
    let braking = braking_strength(index, velocity);
    return WheelFrame(wheel_place(index, body), braking.x, velocity, braking.y, to_world);
}

// B of a wheel without load [N], and what each newton of load adds to it. The anti-skid keeps brake and rolling
// resistance together below the friction that the wheel had in the step before.
fn braking_strength(index: u32, velocity: vec3<f32>) -> vec2<f32> {
    let wheel = vehicle.wheels[index];
    if wheel.brake >= FAR {
        return vec2<f32>(FAR, 0.0);
    }
    let asked = vec2<f32>(wheel.brake, wheel.brake_friction) * state_controls_brake();
    if (landing_traits() & ANTI_SKID) == 0u {
        return asked;
    }
    let resistance = rolling_resistance(
        wheel.parameters,
        wheel_material(index),
        wheel_normal(index),
        velocity,
    );
    let share = max(vehicle.pilot.anti_skid * wheel_friction(index) - resistance, 0.0);
    return min(asked, share * vec2<f32>(wheel_normal_force(index), 1.0));
}
