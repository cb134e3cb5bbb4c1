// Heights above the ground: the plane of the runway.
//
// # Conventions
// World axes. As in the documentation of `scene::GroundPlane`. Places are in the landing's frame.

// Height of a place above the ground [m]. Frame and place apart: neither difference loses to the length of the runway.
fn height_above_ground(place: vec3<f32>) -> f32 {
    let of_frame = (frame_origin.z - vehicle.ground) - vehicle.slope * frame_origin.x;
    return of_frame + (place.z - vehicle.slope * place.x);
}

// Rate at which the height above the ground falls at a speed [m/s].
fn sink_rate_of(velocity: vec3<f32>) -> f32 {
    return vehicle.slope * velocity.x - velocity.z;
}
