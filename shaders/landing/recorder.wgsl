// Watches a landing step by step and makes its outcome.

struct Touchdown {
    // x of the contact, y of the centre of gravity: frame and place in it.
    distance: vec2<f32>,
    lateral: vec2<f32>,
    sink_rate: f32,
    ground_speed: f32,
    pitch: f32,
    bank: f32,
    crab: f32,
    unused: f32,
}

fn is_touching(index: u32) -> bool {
    return wheel_state(index) == WHEEL_SLIPPING || wheel_state(index) == WHEEL_STANDING;
}

fn is_main(index: u32) -> bool {
    return vehicle.wheels[index].main != 0u;
}

// Takes in a step from `before` to the state.
fn record(before: Body) {
    if state.touchdown_step == state.step {
        record_touchdown(before);
    }
    record_wheels();
    record_runway_end(before);
    if state.touchdown_step != 0u {
        record_roll();
    }
    record_failure();
}

fn record_touchdown(before: Body) {
    // Of several wheels in one step the hindmost.
    var hindmost = FAR;
    for (var index = 0u; index < WHEELS; index++) {
        rounds += 1u;
        if is_main(index) && wheel_state(index) != WHEEL_FREE {
            let broken = wheel_state(index) == WHEEL_BROKEN;
            hindmost = min(
                hindmost,
                select(state.wheels[index].pebble.x, state.wheels[index].application.x, broken),
            );
        }
    }
    state.touchdown = Touchdown(
        vec2<f32>(state.frame.x, hindmost),
        vec2<f32>(state.frame.y, before.position.y),
        -before.velocity.z,
        length(before.velocity.xy),
        pitch_of(before),
        bank_of(before),
        crab_of(before),
        0.0,
    );
}

fn record_wheels() {
    var any_touches = false;
    for (var index = 0u; index < WHEELS; index++) {
        rounds += 1u;
        any_touches |= is_touching(index);
        state.wheels[index].peak_force = max(state.wheels[index].peak_force, length(state.wheels[index].force));
        state.wheels[index].peak_compression =
            max(state.wheels[index].peak_compression, state.wheels[index].compression);
        if state.touchdown_step != 0u {
            state.steps_in_state += select(
                vec4<u32>(0u),
                vec4<u32>(1u),
                vec4<u32>(WHEEL_BROKEN, WHEEL_FREE, WHEEL_SLIPPING, WHEEL_STANDING)
                    == vec4<u32>(wheel_state(index)),
            );
        }
        state.force_limit_steps += select(0u, 1u, (state.wheels[index].status & OVER_MAX_FORCE) != 0u);
    }
    state.contact_steps += select(0u, 1u, any_touches);
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

fn record_roll() {
    let largest = (state.largest_lateral.x - vehicle.centreline) + state.largest_lateral.y;
    if state.touchdown_step == state.step || abs(lateral_of(state.position)) > abs(largest) {
        state.largest_lateral = vec2<f32>(state.frame.y, state.position.y);
    }
    record_bounce();
    record_runway_side();
    record_rest();
}

fn record_bounce() {
    var in_air = true;
    for (var index = 0u; index < WHEELS; index++) {
        rounds += 1u;
        in_air &= !is_main(index) || wheel_state(index) == WHEEL_FREE;
    }
    state.steps_in_air = select(0u, state.steps_in_air + 1u, in_air);
    state.bounces += select(0u, 1u, in_air && state.steps_in_air == vehicle.bounce_steps);
}

fn record_runway_side() {
    let end = vehicle.runway_end - state.frame.x;
    for (var index = 0u; index < WHEELS; index++) {
        rounds += 1u;
        let pebble = state.wheels[index].pebble;
        if is_touching(index) && pebble.x <= end && abs(lateral_of(pebble)) > vehicle.half_width {
            state.flags |= LANDING_VEERED_OFF;
        }
    }
}

fn record_rest() {
    let at_rest = length(state.velocity) < REST_SPEED && length(state.rate) < REST_RATE;
    state.steps_at_rest = select(0u, state.steps_at_rest + 1u, at_rest);
    if state.steps_at_rest >= vehicle.rest_steps {
        state.flags |= LANDING_STOPPED | LANDING_ENDED;
    }
}

// A broken wheel or a touching structural point ends the landing, whatever else happened.
fn record_failure() {
    var failed = state.struck != 0u;
    for (var index = 0u; index < WHEELS; index++) {
        rounds += 1u;
        failed |= wheel_state(index) == WHEEL_BROKEN;
    }
    state.flags |= select(0u, LANDING_ENDED, failed);
}
