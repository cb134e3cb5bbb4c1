// Linear aerodynamic derivatives, for flow from every side and down to none, and what the ground changes in them.
//
// # Conventions
// As in the vehicle's documentation, where the formulas are: the speed through the air is (u, v, w), its part in the plane
// of symmetry (u, w).

// The direction of a flow.
struct Flow {
    // Angle of attack [rad], from ahead or from behind.
    alpha: f32,
    // Sideslip [rad].
    beta: f32,
    // 1 from ahead, -1 from behind, 0 at a right angle.
    facing: f32,
}

fn flow_of(velocity: vec3<f32>, in_plane: f32) -> Flow {
    let limit = vehicle.aerodynamics.angle_limit;
    let from_ahead = angle_of(velocity.z, velocity.x);
    let turned = abs(from_ahead);
    let alpha = min(min(turned, HALF_TURN - turned), limit);
    let fading = 0.5 * HALF_TURN - min(limit, HALF_TURN / 3.0);
    return Flow(
        select(alpha, -alpha, from_ahead < 0.0),
        clamp(angle_of(velocity.y, in_plane), -limit, limit),
        clamp((0.5 * HALF_TURN - turned) / fading, -1.0, 1.0),
    );
}

// What the wing's height above the ground changes: factors of lift and of induced drag, pitching moment lost per lift.
struct GroundEffect {
    lift: f32,
    induced_drag: f32,
    downwash: f32,
}

fn ground_effect_at(wing_height: f32) -> GroundEffect {
    let a = vehicle.aerodynamics;
    let ratio = clamp(wing_height / a.span, 0.0, 1.0);
    let share = a.ground_effect * max((1.0 - 1.32 * ratio) / (1.05 + 7.4 * ratio), 0.0);
    return GroundEffect(1.0 / (1.0 - share * a.lift_cost), 1.0 - share, share * a.downwash_moment);
}

fn wing_above_ground(body: Body) -> f32 {
    return height_above_ground(body.position) - vehicle.aerodynamics.wing_height * body.to_world[2].z;
}

// A rate over a length in a flow of this speed: the angle at which its end meets the flow.
fn dimensionless(rate: f32, length: f32, speed: f32) -> f32 {
    let limit = vehicle.aerodynamics.angle_limit;
    return clamp(rate * length / (2.0 * max(speed, SLOWEST_FLOW)), -limit, limit);
}

// Of air and engines.
fn held_load(body: Body, air: vec3<f32>) -> Load {
    return sum(air_load(body, air), engine_load());
}

fn engine_load() -> Load {
    let thrust = state_controls_thrust();
    return Load(vec3<f32>(thrust, 0.0, 0.0), vec3<f32>(0.0, vehicle.thrust_line * thrust, 0.0));
}

fn air_load(body: Body, air: vec3<f32>) -> Load {
    let a = vehicle.aerodynamics;
    if (landing_traits() & AERODYNAMIC) == 0u {
        return Load(vec3<f32>(0.0), vec3<f32>(0.0));
    }
    let controls = state_controls();
    let velocity = (body.velocity - air) * body.to_world;
    let speed = length(velocity);
    let in_plane = length(velocity.xz);
    let flow = flow_of(velocity, in_plane);
    let facing = flow.facing;
    let near = ground_effect_at(wing_above_ground(body));
    let rate = body.rate - state_gusts_rotation();
    let roll_rate = dimensionless(rate.x, a.span, speed);
    let pitch_rate = dimensionless(rate.y, a.chord, in_plane);
    let yaw_rate = dimensionless(rate.z, a.span, speed);

    let wing = near.lift * (a.lift_alpha * flow.alpha + facing * (a.lift_zero - a.spoiler_lift * controls.spoilers));
    let lift = facing * (wing + facing * a.lift_elevator * controls.elevator + a.lift_pitch_rate * pitch_rate);
    let lifting = in_plane * lift;
    let drag = speed * (a.drag_zero + a.spoiler_drag * controls.spoilers)
        + in_plane * (near.induced_drag * a.drag_induced * lift * lift);
    let all = speed * speed;
    let plane = in_plane * in_plane;
    let deflected = speed * in_plane * facing;
    let side = all * a.side_beta * flow.beta + deflected * a.side_rudder * controls.rudder;
    let force = vec3<f32>(lifting * velocity.z, side, -lifting * velocity.x) - drag * velocity;

    let roll = all * (a.roll_beta * flow.beta + a.roll_roll_rate * roll_rate + a.roll_yaw_rate * yaw_rate)
        + deflected * (a.roll_aileron * controls.aileron + a.roll_rudder * controls.rudder);
    let pitch = plane
        * (a.pitch_alpha * flow.alpha
            + a.pitch_pitch_rate * pitch_rate
            + facing * (a.pitch_zero + a.pitch_elevator * controls.elevator)
            - near.downwash * max(facing, 0.0) * wing);
    let yaw = all * (a.yaw_beta * flow.beta + a.yaw_roll_rate * roll_rate + a.yaw_yaw_rate * yaw_rate)
        + deflected * (a.yaw_aileron * controls.aileron + a.yaw_rudder * controls.rudder);
    let moment = vec3<f32>(roll * a.span, pitch * a.chord, yaw * a.span);
    let half = 0.5 * landing_air_density() * a.area;
    return Load(half * force, half * moment);
}
