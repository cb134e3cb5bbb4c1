// What the models of the gear share: where wheels are, what they remember, and how finely a step is divided.

// What a wheel is about in a step: it does not touch; it does, and its spring hardly moves; it gets into contact, or its
// spring moves.
const PACE_ALOFT = 0u;
const PACE_CALM = 1u;
const PACE_LIVELY = 2u;

fn wheel_place(index: u32, body: Body) -> vec3<f32> {
    return body.position + body.to_world * vehicle.wheels[index].position;
}

fn wheel_velocity(index: u32, body: Body) -> vec3<f32> {
    return body.velocity + body.to_world * cross(body.rate, vehicle.wheels[index].position);
}

fn state_of(index: u32) -> u32 {
    return wheel_status(index) & ((1u << STATE_BITS) - 1u);
}

// What a wheel touches, or has below it.
fn contact_of(index: u32) -> WheelContact {
    return WheelContact(
        wheel_pebble(index),
        state_of(index),
        wheel_normal(index),
        wheel_material(index),
        wheel_leaf(index),
    );
}

fn remember_contact(index: u32, contact: WheelContact) {
    set_wheel_pebble(index, contact.pebble);
    set_wheel_leaf(index, contact.leaf);
    set_wheel_normal(index, contact.normal);
    set_wheel_material(index, contact.material);
}

// How many sub-steps a step has, in whose middle the body is here, after the wheels have looked.
fn substeps_asked(middle: Body) -> u32 {
    var pace = PACE_ALOFT;
    rounds += 1u;
    for (var index = 0u; index < WHEELS; index++) {
        rounds += 1u;
        pace = max(pace, pace_of(index, middle));
    }
    let few = select(1u, vehicle.calm_substeps, pace == PACE_CALM);
    return select(few, vehicle.lively_substeps, pace == PACE_LIVELY);
}
