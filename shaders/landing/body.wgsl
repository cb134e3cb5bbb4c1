// A rigid body in six degrees of freedom.

struct Body {
    position: vec3<f32>,
    orientation: vec4<f32>,
    velocity: vec3<f32>,
    rate: vec3<f32>,
    to_world: mat3x3<f32>,
}

// Force [N] and moment about the centre of gravity [N m], body axes.
struct Load {
    force: vec3<f32>,
    moment: vec3<f32>,
}

fn sum(a: Load, b: Load) -> Load {
    return Load(a.force + b.force, a.moment + b.moment);
}

fn body_of_state() -> Body {
    let orientation = state_orientation();
    return Body(
        state_position(), orientation, state_velocity(), state_rate(), matrix_of(orientation)
    );
}

fn product(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

// The rotation about this vector by its length [rad].
fn rotation_by(v: vec3<f32>) -> vec4<f32> {
    let angle = length(v);
    let turn = sine_cosine(0.5 * angle);
    // Small angles, zero among them, whose squares may vanish.
    if angle < 1e-9 {
        return vec4<f32>(0.5 * v, 1.0);
    }
    return vec4<f32>(turn.x / angle * v, turn.y);
}

// How the speeds of a body change: world and body axes.
struct Acceleration {
    linear: vec3<f32>,
    angular: vec3<f32>,
}

// Of a point of the body.
fn acceleration_at(point: vec3<f32>, body: Body) -> vec3<f32> {
    return state_acceleration() + body.to_world * cross(state_angular_acceleration(), point);
}

// The body after a time, if its speeds go on to change as they did last.
fn ahead(body: Body, time: f32) -> Body {
    return sped_up(drifted(body, time), time);
}

// A velocity and a change of it, with what rounding left out before; what it leaves out now is kept in the state.
fn velocity_after(velocity: vec3<f32>, by: vec3<f32>) -> vec3<f32> {
    let change = by + state_velocity_rest();
    // Compilers that take real numbers for exact would find that nothing is left out.
    let sum = place_afresh(velocity + change);
    set_state_velocity_rest(change - (sum - velocity));
    return sum;
}

// With the speeds that it then has, in its place.
fn sped_up(body: Body, time: f32) -> Body {
    var later = body;
    later.velocity += time * state_acceleration();
    later.rate += time * state_angular_acceleration();
    return later;
}

// The body after a time at the speeds it has.
fn drifted(body: Body, time: f32) -> Body {
    let orientation = normalize(product(body.orientation, rotation_by(time * body.rate)));
    return Body(body.position + time * body.velocity, orientation, body.velocity, body.rate, matrix_of(orientation));
}

// How a load alone changes the world speed of a point of the body, were the body at rest [m/s^2].
fn push_at(point: vec3<f32>, body: Body, load: Load) -> vec3<f32> {
    let angular = vehicle.inverse_inertia * (load.moment / (landing_mass() / vehicle.mass));
    return body.to_world * (load.force / landing_mass() + cross(angular, point));
}

// Newton's and Euler's equations, the latter in body axes.
fn acceleration_of(body: Body, load: Load) -> Acceleration {
    let gravity = vec3<f32>(0.0, 0.0, -vehicle.gravity);
    // The inertia scales with the mass.
    let scale = landing_mass() / vehicle.mass;
    let gyroscopic = cross(body.rate, vehicle.inertia * body.rate);
    return Acceleration(
        gravity + body.to_world * load.force / landing_mass(),
        vehicle.inverse_inertia * (load.moment / scale - gyroscopic),
    );
}

// Angle from the runway to the nose [rad], positive nose right.
fn heading_of(body: Body) -> f32 {
    let nose = body.to_world[0];
    return angle_of(-nose.y, nose.x);
}

// Nose up [rad].
fn pitch_of(body: Body) -> f32 {
    let nose = body.to_world[0];
    return angle_of(nose.z, length(nose.xy));
}

// Right wing down [rad].
fn bank_of(body: Body) -> f32 {
    return angle_of(-body.to_world[1].z, -body.to_world[2].z);
}

// Angle from the ground track to the nose [rad], positive nose right; 0 without a track.
fn crab_of(body: Body) -> f32 {
    let nose = body.to_world[0];
    let cross = body.velocity.x * nose.y - body.velocity.y * nose.x;
    return angle_of(-cross, dot(body.velocity.xy, nose.xy));
}

// Distance of a place from the centreline [m], positive to the left.
fn lateral_of(place: vec3<f32>) -> f32 {
    return (frame_origin.y - vehicle.centreline) + place.y;
}
