// The autoland, or the pilot's flare, at work: laws of the vehicle applied until touchdown.
//
// # Conventions
// As in the vehicle's documentation: heights are those of the lowest main wheel above the ground, in the attitude of
// the trimmed glide.

// Of the lowest main wheel [m].
fn wheel_height(body: Body) -> f32 {
    return height_above_ground(body.position) - landing_wheel_depth();
}

// Glide path or steady descent, then the exponential of the flare: whichever asks for the lower sink rate [m/s], against
// the horizon. The height above rising ground falls faster along the path, and by what the ground rises in the flare.
fn sink_rate_asked(body: Body, speed: f32) -> f32 {
    let law = vehicle.autoland;
    let height = wheel_height(body);
    let beyond = (frame_origin.x - law.gate) + body.position.x;
    let path = law.gate_height - beyond * (landing_glide_tangent() + vehicle.slope);
    let glide = landing_descent() + speed * landing_glide_tangent() + law.glide_gain * (height - path);
    let rise = vehicle.slope * body.velocity.x;
    let flare = law.touchdown_sink_rate + height / law.flare_time - rise;
    return min(glide, flare);
}

// The elevator [rad] for a pitch angle that lets the path follow the sink rate asked for.
fn elevator_asked(body: Body, speed: f32) -> f32 {
    let law = vehicle.autoland;
    let asked = sink_rate_asked(body, speed);
    let error = -body.velocity.z - asked;
    let integral = state_sink_integral() + law.sink_integral_gain * error;
    set_state_sink_integral(clamp(integral, -law.sink_integral_limit, law.sink_integral_limit));
    let path = asked * landing_angle_per_sink_rate();
    let pitch = landing_angle_of_attack() - path + law.sink_gain * error + state_sink_integral();
    let correction = law.pitch_gain * (clamp(pitch, law.least_pitch, law.greatest_pitch) - pitch_of(body));
    return landing_trim() - correction + law.pitch_damping * body.rate.y;
}

// The thrust asked for [N]: what holds the airspeed, retarded to idle near the ground.
fn thrust_asked(body: Body, airspeed: f32) -> f32 {
    let law = vehicle.autoland;
    let idle = vehicle.thrust_idle;
    let held = clamp(
        landing_trim_thrust() + law.speed_gain * (landing_target_airspeed() - airspeed),
        idle,
        law.greatest_thrust,
    );
    return idle + (held - idle) * clamp(wheel_height(body) / law.retard_height, 0.0, 1.0);
}

// The bank angle asked for [rad].
fn bank_asked(body: Body) -> f32 {
    let law = vehicle.autoland;
    let asked = law.bank_per_offset * lateral_of(body.position) + law.bank_per_drift * body.velocity.y;
    return clamp(asked, -law.bank_limit, law.bank_limit);
}

// The heading asked for [rad]: the wind correction angle, and less of it near the ground.
fn heading_asked(body: Body) -> f32 {
    let above = clamp(wheel_height(body) / vehicle.autoland.decrab_height, 0.0, 1.0);
    return landing_heading() * (1.0 - landing_decrab() * (1.0 - above));
}
