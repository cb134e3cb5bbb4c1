// What a surface resists a rolling wheel with.
//
// # Conventions
// As in `wheel_step`.

// Coefficient of rolling resistance of wheel and ground together, at the speed along the surface of this normal.
fn rolling_resistance(
    parameters: WheelParameters, material: u32, normal: vec3<f32>, velocity: vec3<f32>
) -> f32 {
    if material == MATERIAL_NONE {
        return parameters.rolling_resistance;
    }
    var of_ground = material_constants(material).w;
    let first = tables[scene.curves_at + 4u * material + 2u];
    let count = tables[scene.curves_at + 4u * material + 3u];
    if count > 0u {
        of_ground = coefficient_by_speed(first, count, length(across(normal, velocity)));
    }
    return parameters.rolling_resistance + of_ground;
}

// Of water or slush on a wheel with tyres, world [N], on the airframe: the displacement drag of AMC 25.1591.
fn displacement_drag(
    parameters: WheelParameters, material: u32, normal: vec3<f32>, velocity: vec3<f32>
) -> vec3<f32> {
    if material == MATERIAL_NONE {
        return vec3<f32>(0.0);
    }
    // Depth [m] and density [kg/m^3].
    let fluid = constants[scene.materials_at + 2u * material + 1u].xy;
    let width = parameters.tyre_width;
    let height = min(parameters.tyre_deflection + fluid.x, 0.5 * width);
    let chord = 2.0 * sqrt(height * (width - height));
    let along = across(normal, velocity);
    let coefficient = parameters.displacement_drag * fluid.y * fluid.x * chord;
    return -coefficient * length(along) * along;
}
