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
    return states[number].wheels[index].status & ((1u << STATE_BITS) - 1u);
}

// What a wheel touches, or has below it.
fn contact_of(index: u32) -> WheelContact {
    return WheelContact(
        states[number].wheels[index].pebble,
        state_of(index),
        states[number].wheels[index].normal,
        states[number].wheels[index].material,
        states[number].wheels[index].leaf,
    );
}

fn remember_contact(index: u32, contact: WheelContact) {
    states[number].wheels[index].pebble = contact.pebble;
    states[number].wheels[index].leaf = contact.leaf;
    states[number].wheels[index].normal = contact.normal;
    states[number].wheels[index].material = contact.material;
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
