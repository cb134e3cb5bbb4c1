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

fn nothing_seen() -> WheelsSeen {
    return WheelsSeen(true, false, false, false, false, 0u, vec4<u32>(0u), FAR);
}

// Adds a wheel; `strength` is the size of its force.
fn see(seen: ptr<function, WheelsSeen>, step: WheelStep, strength: f32, main: bool) {
    let wheel_state = step.contact.state;
    let broken = wheel_state == WHEEL_BROKEN;
    let touches = wheel_state == WHEEL_SLIPPING || wheel_state == WHEEL_STANDING;
    // Components first: the square of one that is not bounded may overflow.
    (*seen).sane &= is_bounded(step.force, MAX_FORCE) && strength <= MAX_FORCE;
    (*seen).any_touches |= touches;
    (*seen).any_broken |= broken;
    (*seen).over_max_force += select(0u, 1u, step.over_max_force);
    (*seen).in_state += select(
        vec4<u32>(0u),
        vec4<u32>(1u),
        vec4<u32>(WHEEL_BROKEN, WHEEL_FREE, WHEEL_SLIPPING, WHEEL_STANDING) == vec4<u32>(wheel_state),
    );
    let pebble = step.contact.pebble;
    let on_length = pebble.x <= vehicle.runway_end - state.frame.x;
    (*seen).any_beside |= touches && on_length && abs(lateral_of(pebble)) > vehicle.half_width;
    if main && wheel_state != WHEEL_FREE {
        (*seen).main_has_touched = true;
        (*seen).hindmost = min((*seen).hindmost, select(pebble.x, step.application.x, broken));
    }
}

// Takes in a step from `before` to the state.
fn record(before: Body, seen: WheelsSeen) {
    if state.touchdown_step == state.step {
        record_touchdown(before, seen.hindmost);
    }
    state.contact_steps += select(0u, 1u, seen.any_touches);
    state.force_limit_steps += seen.over_max_force;
    record_runway_end(before);
    if state.touchdown_step != 0u {
        state.steps_in_state += seen.in_state;
        record_roll(seen);
    }
    // A broken wheel or a touching structural point ends the landing, whatever else happened.
    if seen.any_broken || state.struck != 0u {
        state.flags |= LANDING_ENDED;
    }
}

// Of several wheels in one step the hindmost decides.
fn record_touchdown(before: Body, hindmost: f32) {
    state.touchdown = Touchdown(
        vec2<f32>(state.frame.x, hindmost),
        vec2<f32>(state.frame.y, before.position.y),
        sink_rate_of(before.velocity),
        length(before.velocity.xy),
        pitch_of(before),
        bank_of(before),
        crab_of(before),
        before.position.x,
    );
}

// Rolling or in the air: who passes the end before touching down has overrun as well.
fn record_runway_end(before: Body) {
    let end = vehicle.runway_end - state.frame.x;
    let passes = before.position.x <= end && state.position.x > end;
    if passes && (state.flags & LANDING_PASSED_END) == 0u {
        state.flags |= LANDING_PASSED_END;
        state.runway_end_speed = length(state.velocity.xy);
    }
}

fn record_roll(seen: WheelsSeen) {
    let largest = (state.largest_lateral.x - vehicle.centreline) + state.largest_lateral.y;
    if state.touchdown_step == state.step || abs(lateral_of(state.position)) > abs(largest) {
        state.largest_lateral = vec2<f32>(state.frame.y, state.position.y);
    }
    state.steps_in_air = select(state.steps_in_air + 1u, 0u, seen.main_has_touched);
    state.bounces += select(0u, 1u, state.steps_in_air == vehicle.bounce_steps);
    state.flags |= select(0u, LANDING_VEERED_OFF, seen.any_beside);
    let at_rest = length(state.velocity) < REST_SPEED && length(state.rate) < REST_RATE;
    state.steps_at_rest = select(0u, state.steps_at_rest + 1u, at_rest);
    if state.steps_at_rest >= vehicle.rest_steps {
        state.flags |= LANDING_STOPPED | LANDING_ENDED;
    }
}
