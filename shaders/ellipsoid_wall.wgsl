// Job `ellipsoid`, walls: how wide each body is towards its wall, and its deepest point.

fn ellipsoid_wall(wall: WallWire) -> WallAnswer {
    let axes = axes_of(wall.orientation);
    let stretched = (transpose(axes) * wall.into_wall) * wall.semi_axes;
    let width = sqrt(dot(stretched, stretched));
    return WallAnswer(axes * (stretched / width * wall.semi_axes), width);
}
