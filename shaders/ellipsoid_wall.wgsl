// Job `ellipsoid`, walls: how wide each body is towards its wall, and its deepest point.

struct EllipsoidWall {
    orientation: vec4<f32>,
    semi_axes: vec3<f32>,
    unused0: u32,
    // Unit normal into the wall.
    into_wall: vec3<f32>,
    unused1: u32,
}

struct WallAnswer {
    // From the body's centre.
    deepest: vec3<f32>,
    // Zero is no answer.
    width: f32,
}

@group(0) @binding(0) var<storage, read> walls: array<EllipsoidWall>;
@group(0) @binding(1) var<storage, read_write> answers: array<WallAnswer>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&walls) {
        return;
    }
    let wall = walls[id.x];
    let axes = axes_of(wall.orientation);
    let stretched = (transpose(axes) * wall.into_wall) * wall.semi_axes;
    let width = sqrt(dot(stretched, stretched));
    answers[id.x] = WallAnswer(axes * (stretched / width * wall.semi_axes), width);
}
