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
    let wheel_state = state_of(index);
    let broken = wheel_state == WHEEL_BROKEN;
    let touches = touches_ground(wheel_state);
    let force = wheel_force(index);
    // Components first: the square of one that is not bounded may overflow.
    (*seen).sane &= is_bounded(force, MAX_FORCE) && length(force) <= MAX_FORCE;
    (*seen).any_touches |= touches;
    (*seen).any_broken |= broken;
    (*seen).over_max_force += select(0u, 1u, (wheel_status(index) & OVER_MAX_FORCE) != 0u);
    (*seen).in_state += select(
        vec4<u32>(0u),
        vec4<u32>(1u),
        vec4<u32>(WHEEL_BROKEN, WHEEL_FREE, WHEEL_SLIPPING, WHEEL_STANDING) == vec4<u32>(wheel_state),
    );
    let pebble = wheel_pebble(index);
    let on_length = pebble.x <= vehicle.runway_end - frame_origin.x;
    (*seen).any_beside |= touches && on_length && abs(lateral_of(pebble)) > vehicle.half_width;
    if vehicle.wheels[index].main != 0u && wheel_state != WHEEL_FREE {
        (*seen).main_has_touched = true;
        (*seen).hindmost = min((*seen).hindmost, select(pebble.x, wheel_application(index).x, broken));
    }
}

// Takes in a step.
fn record(before: Body, after: Body, seen: WheelsSeen) {
    if state_touchdown_step() == state_step() {
        record_touchdown(before, seen.hindmost);
    }
    set_state_contact_steps(state_contact_steps() + select(0u, 1u, seen.any_touches));
    set_state_force_limit_steps(state_force_limit_steps() + seen.over_max_force);
    record_runway_end(after);
    if state_touchdown_step() != 0u {
        set_state_steps_in_state(state_steps_in_state() + seen.in_state);
        record_roll(after, seen);
    }
    // A broken wheel or a touching structural point ends the landing, whatever else happened.
    if seen.any_broken || state_struck() != 0u {
        flags |= LANDING_ENDED;
    }
}

// Of several wheels in one step the hindmost decides.
fn record_touchdown(before: Body, hindmost: f32) {
    set_state_touchdown(Touchdown(
        vec2<f32>(frame_origin.x, hindmost),
        vec2<f32>(frame_origin.y, before.position.y),
        sink_rate_of(before.velocity),
        length(before.velocity.xy),
        pitch_of(before),
        bank_of(before),
        crab_of(before),
        before.position.x,
    ));
}

// Rolling or in the air: who is past the end before touching down, or from the start on, has overrun as well.
fn record_runway_end(after: Body) {
    let is_past = after.position.x > vehicle.runway_end - frame_origin.x;
    if is_past && (flags & LANDING_PASSED_END) == 0u {
        flags |= LANDING_PASSED_END;
        set_state_runway_end_speed(length(after.velocity.xy));
    }
}

fn record_roll(after: Body, seen: WheelsSeen) {
    let largest = (state_largest_lateral().x - vehicle.centreline) + state_largest_lateral().y;
    if state_touchdown_step() == state_step() || abs(lateral_of(after.position)) > abs(largest) {
        set_state_largest_lateral(vec2<f32>(frame_origin.y, after.position.y));
    }
    set_state_steps_in_air(select(state_steps_in_air() + 1u, 0u, seen.main_has_touched));
    set_state_bounces(state_bounces() + select(0u, 1u, state_steps_in_air() == vehicle.bounce_steps));
    flags |= select(0u, LANDING_VEERED_OFF, seen.any_beside);
    let is_slow = length(after.velocity) < REST_SPEED && length(after.rate) < REST_RATE;
    let at_rest = is_slow && stands_on_wheels(after.position.xy);
    set_state_steps_at_rest(select(0u, state_steps_at_rest() + 1u, at_rest));
    if state_steps_at_rest() >= vehicle.rest_steps {
        flags |= LANDING_STOPPED | LANDING_ENDED;
    }
}

// Whether a vehicle with its centre of gravity here can stand on the wheels that touch: it is above the inside of their polygon, for the
// arm to each has another within the half turn to its left. Of fewer than three wheels all must touch.
fn stands_on_wheels(centre: vec2<f32>) -> bool {
    var touching = 0u;
    var has_arm = false;
    var stands = true;
    rounds += 1u;
    for (var index = 0u; index < WHEELS; index++) {
        rounds += 1u;
        let arm = wheel_pebble(index).xy - centre;
        if !touches_ground(state_of(index)) {
            continue;
        }
        touching += 1u;
        // Right below.
        if all(arm == vec2<f32>(0.0)) {
            continue;
        }
        has_arm = true;
        var is_followed = false;
        rounds += 1u;
        for (var other = 0u; other < WHEELS; other++) {
            rounds += 1u;
            let next = wheel_pebble(other).xy - centre;
            is_followed |= touches_ground(state_of(other)) && arm.x * next.y - arm.y * next.x > 0.0;
        }
        stands &= is_followed;
    }
    if WHEELS < 3u {
        return touching == WHEELS;
    }
    return stands && has_arm;
}
