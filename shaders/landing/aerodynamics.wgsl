// Linear aerodynamic derivatives.
//
// # Conventions
// As in the vehicle's documentation: rates made dimensionless with chord / (2 V) for pitch and span / (2 V) for roll
// and yaw; lift and drag in wind axes, the side force along body Y.

struct Aerodynamics {
    // Zero in a vacuum.
    area: f32,
    span: f32,
    chord: f32,
    angle_limit: f32,
    lift_zero: f32,
    lift_alpha: f32,
    lift_pitch_rate: f32,
    lift_elevator: f32,
    drag_zero: f32,
    drag_induced: f32,
    spoiler_lift: f32,
    spoiler_drag: f32,
    side_beta: f32,
    side_rudder: f32,
    roll_beta: f32,
    roll_roll_rate: f32,
    roll_yaw_rate: f32,
    roll_aileron: f32,
    roll_rudder: f32,
    pitch_zero: f32,
    pitch_alpha: f32,
    pitch_pitch_rate: f32,
    pitch_elevator: f32,
    yaw_beta: f32,
    yaw_roll_rate: f32,
    yaw_yaw_rate: f32,
    yaw_aileron: f32,
    yaw_rudder: f32,
}

fn air_load(body: Body, air: vec3<f32>) -> Load {
    let a = vehicle.aerodynamics;
    let controls = state.controls;
    let velocity = (body.velocity - air) * body.to_world;
    let speed = length(velocity);
    if speed < SLOWEST_FLOW || a.area == 0.0 {
        return Load(vec3<f32>(0.0), vec3<f32>(0.0));
    }
    let in_plane = length(velocity.xz);
    // A tailwind is taken as from ahead.
    let ahead = abs(velocity.x);
    let alpha = clamp(angle_of(velocity.z, ahead), -a.angle_limit, a.angle_limit);
    let beta = clamp(angle_of(velocity.y, in_plane), -a.angle_limit, a.angle_limit);
    // In a straight sideways flow lift has no direction and stays vertical.
    let upwards = in_plane > 0.0;
    let lift_direction = select(
        vec3<f32>(0.0, 0.0, -1.0),
        vec3<f32>(velocity.z, 0.0, -ahead) / select(1.0, in_plane, upwards),
        upwards,
    );
    let rates = body.rate * vec3<f32>(a.span, a.chord, a.span) / (2.0 * speed);
    let pressure_area = 0.5 * landing.air_density * speed * speed * a.area;

    let lift = a.lift_zero
        + a.lift_alpha * alpha
        + a.lift_pitch_rate * rates.y
        + a.lift_elevator * controls.elevator
        - a.spoiler_lift * controls.spoilers;
    let drag = a.drag_zero + a.drag_induced * lift * lift + a.spoiler_drag * controls.spoilers;
    let side = a.side_beta * beta + a.side_rudder * controls.rudder;
    let roll = a.roll_beta * beta
        + a.roll_roll_rate * rates.x
        + a.roll_yaw_rate * rates.z
        + a.roll_aileron * controls.aileron
        + a.roll_rudder * controls.rudder;
    let pitch = a.pitch_zero
        + a.pitch_alpha * alpha
        + a.pitch_pitch_rate * rates.y
        + a.pitch_elevator * controls.elevator;
    let yaw = a.yaw_beta * beta
        + a.yaw_roll_rate * rates.x
        + a.yaw_yaw_rate * rates.z
        + a.yaw_aileron * controls.aileron
        + a.yaw_rudder * controls.rudder;

    let force = lift_direction * lift - velocity / speed * drag + vec3<f32>(0.0, side, 0.0);
    let moment = vec3<f32>(roll * a.span, pitch * a.chord, yaw * a.span);
    return Load(pressure_area * force, pressure_area * moment);
}
