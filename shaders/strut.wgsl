// What a wheel's strut does: a spring along the wheel's Z axis, a damper along the surface's normal.
//
// # Conventions
// As in `wheel_step`: forces on the pebble, positive where they press the surface. The job's own `strut_line` gives a line
// of a strut: compression [m] and force [N] where it begins, stiffness [N/m].

// Force of the spring [N] with the pebble at z on the wheel's axis [m].
fn axial_force(parameters: WheelParameters, z: f32) -> f32 {
    if parameters.strut_lines == 0u {
        return parameters.k_z * (z - parameters.z_zero);
    }
    let compression = parameters.z_zero - z;
    // The last line that begins at or before it; the first also goes on below where it begins.
    var line = strut_line(parameters.first_strut_line);
    rounds += 1u;
    for (var index = 1u; index < parameters.strut_lines; index++) {
        rounds += 1u;
        let next = strut_line(parameters.first_strut_line + index);
        if compression < next.x {
            break;
        }
        line = next;
    }
    return line.y + line.z * (compression - line.x);
}

// Coefficient of the damper [N s/m] at the pebble's speed [m/s] into the surface, relative to the wheel frame: a wheel
// that is compressed has a negative one.
fn axial_damping(parameters: WheelParameters, speed: f32) -> f32 {
    let rebounds = speed > 0.0;
    let linear = select(parameters.d_z, parameters.d_z_rebound, rebounds);
    let square = select(parameters.d_z_square, parameters.d_z_square_rebound, rebounds);
    return linear + square * abs(speed);
}
