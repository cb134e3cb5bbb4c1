// Aircraft by functions of their own files: what a step gives to them. The function `held_load` is made for the aircraft; what
// a step leaves to the next is in the state.
//
// # Conventions
// Feet, slugs, pounds; names as in the reference.

struct Flown {
    air_velocity: vec3<f32>,
    ground_velocity: vec3<f32>,
    air_rate: vec3<f32>,
    acceleration: vec3<f32>,
    roll: f32,
    pitch: f32,
    height: f32,
}

fn flown(body: Body, air: vec3<f32>) -> Flown {
    let ground = body.velocity * body.to_world;
    let acceleration = state_acceleration() * body.to_world - cross(body.rate, ground);
    let nose = body.to_world[0];
    let bank = angle_of(-body.to_world[1].z, -body.to_world[2].z);
    return Flown(
        ((body.velocity - air) * body.to_world) / FOOT,
        ground / FOOT,
        body.rate - state_gusts_rotation(),
        acceleration / FOOT,
        bank,
        angle_of(nose.z, length(nose.xy)),
        height_above_ground(body.position) / FOOT,
    );
}

// Of force [lbf] and moment [lbf ft]. Where they are no numbers the landing is invalid: until the end of the step nothing holds it.
fn known_load(force: vec3<f32>, moment: vec3<f32>, is_undefined: bool) -> Load {
    let is_known = is_bounded(force, BEYOND) && is_bounded(moment, BEYOND) && !is_undefined;
    flags |= select(LANDING_INVALID, 0u, is_known);
    let none = vec3<f32>(0.0);
    return Load(select(none, POUND * force, is_known), select(none, (POUND * FOOT) * moment, is_known));
}
