// The pilot at work: rules applied step by step.

const SPOILERS = 0u;
const BRAKES = 1u;
const REVERSE = 2u;

// What the pilot does in the step that starts in this state, and remembers in it.
fn decide(body: Body, air: vec3<f32>) -> Controls {
    let on_ground = state_touchdown_step() != 0u;
    let since = state_step() - state_touchdown_step();
    for (var action = 0u; action < 3u; action++) {
        rounds += 1u;
        flags |= select(0u, LANDING_BEGUN << action, on_ground && since >= landing_delays()[action]);
    }
    // From touchdown on the pilot lands.
    let guided = (landing_traits() & GUIDED) != 0u && !on_ground;
    let steering = steering_of(body, on_ground, guided);
    let speed = length(body.velocity.xy);
    let pedal = select(state_controls_brake(), pedal_at(speed), has_begun(BRAKES));
    set_state_last_speed(speed);
    return Controls(
        elevator_of(body, on_ground, since, guided, speed),
        aileron_of(body, guided),
        within_surface_limit(trimmed(-steering, landing_trim_rudder(), guided)),
        select(0.0, 1.0, has_begun(SPOILERS)),
        select(0.0, steering, on_ground),
        steering_authority(speed),
        pedal,
        thrust_of(body, length(body.velocity - air), guided),
    );
}

fn has_begun(action: u32) -> bool {
    return (flags & (LANDING_BEGUN << action)) != 0u;
}

// Holds the pitch angle, or flies as the autoland asks, until touchdown; then lowers the nose to the runway's own pitch.
fn elevator_of(body: Body, on_ground: bool, since: u32, guided: bool, speed: f32) -> f32 {
    if guided {
        return within_surface_limit(elevator_asked(body, speed));
    }
    let pitch = pitch_of(body);
    var wanted = landing_pitch();
    if on_ground {
        if (flags & LANDING_KNOWS_PITCH) == 0u {
            flags |= LANDING_KNOWS_PITCH;
            set_state_pitch_at_touchdown(pitch);
        }
        let at_touchdown = state_pitch_at_touchdown();
        let lowered = at_touchdown - landing_derotation_rate() * (f32(since) * vehicle.time_step);
        wanted = max(lowered, min(at_touchdown, vehicle.pilot.level));
    }
    let correction = vehicle.pilot.pitch_gain * (wanted - pitch);
    return within_surface_limit(landing_trim() - correction + vehicle.pilot.pitch_damping * body.rate.y);
}

// Holds the wings level, or as the autoland asks.
fn aileron_of(body: Body, guided: bool) -> f32 {
    var above = bank_of(body);
    if guided {
        above -= bank_asked(body);
    }
    let asked = -vehicle.pilot.bank_gain * above - vehicle.pilot.roll_damping * body.rate.x;
    return within_surface_limit(trimmed(asked, landing_trim_aileron(), guided));
}

// What is asked of a surface, from its trim on, until touchdown.
fn trimmed(asked: f32, trim: f32, guided: bool) -> f32 {
    return select(asked, asked + trim, guided && trim != 0.0);
}

// Angle asked of nose wheel and rudder [rad], positive to the right.
fn steering_of(body: Body, on_ground: bool, guided: bool) -> f32 {
    let intercept = vehicle.pilot.lateral_gain * lateral_of(body.position);
    var held = landing_heading();
    if guided {
        held = heading_asked(body);
    }
    let wanted = select(held, clamp(intercept, -MAX_INTERCEPT, MAX_INTERCEPT), on_ground);
    return vehicle.pilot.heading_gain * (wanted - heading_of(body)) - vehicle.pilot.yaw_damping * body.rate.z;
}

// Above full steering speed the limit falls with the square of speed: the same sideways acceleration.
fn steering_authority(speed: f32) -> f32 {
    let full = vehicle.pilot.full_steering_speed;
    if speed <= full {
        return 1.0;
    }
    let share = full / speed;
    return share * share;
}

// At the level, or adjusted to the target deceleration up to the level.
fn pedal_at(speed: f32) -> f32 {
    let target_deceleration = landing_target_deceleration();
    if target_deceleration <= 0.0 {
        return landing_brake_level();
    }
    let deceleration = (state_last_speed() - speed) / vehicle.time_step;
    let change = vehicle.time_step * PEDAL_RATE * (1.0 - deceleration / target_deceleration);
    return clamp(state_controls_brake() + change, 0.0, landing_brake_level());
}

fn thrust_of(body: Body, airspeed: f32, guided: bool) -> f32 {
    let reversed = has_begun(REVERSE) && airspeed >= vehicle.reverse_cutoff;
    var asked = select(vehicle.thrust_idle, -vehicle.thrust_reverse * landing_reverse_level(), reversed);
    if (landing_traits() & GUIDED) == 0u {
        return asked;
    }
    if guided {
        asked = thrust_asked(body, airspeed);
    }
    set_state_thrust(state_thrust() + vehicle.autoland.engine_share * (asked - state_thrust()));
    return state_thrust();
}

fn within_surface_limit(deflection: f32) -> f32 {
    return clamp(deflection, -vehicle.pilot.surface_limit, vehicle.pilot.surface_limit);
}
