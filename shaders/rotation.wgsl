// The matrix of a unit quaternion (x, y, z, w): its columns are the axes of a body in the world.
fn matrix_of(q: vec4<f32>) -> mat3x3<f32> {
    let d = q.xyz + q.xyz;
    let xx = q.x * d.x;
    let yy = q.y * d.y;
    let zz = q.z * d.z;
    let xy = q.x * d.y;
    let xz = q.x * d.z;
    let yz = q.y * d.z;
    let w = q.w * d;
    return mat3x3<f32>(
        vec3<f32>(1.0 - (yy + zz), xy + w.z, xz - w.y),
        vec3<f32>(xy - w.z, 1.0 - (xx + zz), yz + w.x),
        vec3<f32>(xz + w.y, yz - w.x, 1.0 - (xx + yy)),
    );
}
