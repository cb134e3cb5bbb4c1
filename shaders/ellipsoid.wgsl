// An ellipsoid on a device.
//
// # Conventions
// Lengths in a unit that the host chooses for each item, so that the longest semi-axis is near 1. Quaternions (x, y, z, w).

// A body's axes in the world: the columns. Of a quaternion of any length: what f32 leaves of a unit one is not quite that.
fn axes_of(q: vec4<f32>) -> mat3x3<f32> {
    let x = q.x * q;
    let y = q.y * q;
    let z = q.z * q;
    let factor = 2.0 / dot(q, q);
    return mat3x3<f32>(
        vec3<f32>(1.0 - factor * (y.y + z.z), factor * (x.y + z.w), factor * (x.z - y.w)),
        vec3<f32>(factor * (x.y - z.w), 1.0 - factor * (x.x + z.z), factor * (y.z + x.w)),
        vec3<f32>(factor * (x.z + y.w), factor * (y.z - x.w), 1.0 - factor * (x.x + y.y)),
    );
}
