// Watches a landing step by step and makes its outcome.

// What the wheels of a step come to together.
struct WheelsSeen {
    // Their forces are those of wheels.
    sane: bool,
    any_touches: bool,
    any_broken: bool,
    // Also true of one that has broken.
    main_has_touched: bool,
    // One touches beside the runway.
    any_beside: bool,
    over_max_force: u32,
    in_state: vec4<u32>,
    // x of the hindmost main wheel that touches or has broken.
    hindmost: f32,
}

// The wheels after a step.
fn wheels_seen() -> WheelsSeen {
    var seen = WheelsSeen(true, false, false, false, false, 0u, vec4<u32>(0u), FAR);
    rounds += 1u;
    for (var index = 0u; index < WHEELS; index++) {
        rounds += 1u;
        see(&seen, index);
    }
    return seen;
}

// Adds a wheel.
fn see(seen: ptr<function, WheelsSeen>, index: u32) {
    let memory = &states[number].wheels[index];
    let wheel_state = state_of(index);
    let broken = wheel_state == WHEEL_BROKEN;
    let touches = touches_ground(wheel_state);
    let force = (*memory).force;
    // Components first: the square of one that is not bounded may overflow.
    (*seen).sane &= is_bounded(force, MAX_FORCE) && length(force) <= MAX_FORCE;
    (*seen).any_touches |= touches;
    (*seen).any_broken |= broken;
    (*seen).over_max_force += select(0u, 1u, ((*memory).status & OVER_MAX_FORCE) != 0u);
    (*seen).in_state += select(
        vec4<u32>(0u),
        vec4<u32>(1u),
        vec4<u32>(WHEEL_BROKEN, WHEEL_FREE, WHEEL_SLIPPING, WHEEL_STANDING) == vec4<u32>(wheel_state),
    );
    let pebble = (*memory).pebble;
    let on_length = pebble.x <= vehicle.runway_end - frame_origin.x;
    (*seen).any_beside |= touches && on_length && abs(lateral_of(pebble)) > vehicle.half_width;
    if vehicle.wheels[index].main != 0u && wheel_state != WHEEL_FREE {
        (*seen).main_has_touched = true;
        (*seen).hindmost = min((*seen).hindmost, select(pebble.x, (*memory).application.x, broken));
    }
}

// Takes in a step.
fn record(before: Body, after: Body, seen: WheelsSeen) {
    if states[number].touchdown_step == states[number].step {
        record_touchdown(before, seen.hindmost);
    }
    states[number].contact_steps += select(0u, 1u, seen.any_touches);
    states[number].force_limit_steps += seen.over_max_force;
    record_runway_end(after);
    if states[number].touchdown_step != 0u {
        states[number].steps_in_state += seen.in_state;
        record_roll(after, seen);
    }
    // A broken wheel or a touching structural point ends the landing, whatever else happened.
    if seen.any_broken || states[number].struck != 0u {
        flags |= LANDING_ENDED;
    }
}

// Of several wheels in one step the hindmost decides.
fn record_touchdown(before: Body, hindmost: f32) {
    states[number].touchdown = Touchdown(
        vec2<f32>(frame_origin.x, hindmost),
        vec2<f32>(frame_origin.y, before.position.y),
        sink_rate_of(before.velocity),
        length(before.velocity.xy),
        pitch_of(before),
        bank_of(before),
        crab_of(before),
        before.position.x,
    );
}

// Rolling or in the air: who is past the end before touching down, or from the start on, has overrun as well.
fn record_runway_end(after: Body) {
    let is_past = after.position.x > vehicle.runway_end - frame_origin.x;
    if is_past && (flags & LANDING_PASSED_END) == 0u {
        flags |= LANDING_PASSED_END;
        states[number].runway_end_speed = length(after.velocity.xy);
    }
}

fn record_roll(after: Body, seen: WheelsSeen) {
    let largest = (states[number].largest_lateral.x - vehicle.centreline) + states[number].largest_lateral.y;
    if states[number].touchdown_step == states[number].step || abs(lateral_of(after.position)) > abs(largest) {
        states[number].largest_lateral = vec2<f32>(frame_origin.y, after.position.y);
    }
    states[number].steps_in_air = select(states[number].steps_in_air + 1u, 0u, seen.main_has_touched);
    states[number].bounces += select(0u, 1u, states[number].steps_in_air == vehicle.bounce_steps);
    flags |= select(0u, LANDING_VEERED_OFF, seen.any_beside);
    let at_rest = length(after.velocity) < REST_SPEED && length(after.rate) < REST_RATE;
    states[number].steps_at_rest = select(0u, states[number].steps_at_rest + 1u, at_rest);
    if states[number].steps_at_rest >= vehicle.rest_steps {
        flags |= LANDING_STOPPED | LANDING_ENDED;
    }
}
