// Two vehicles that touch, as src/encounter explains it: normals of boxes, and impulses.

// Where an arm pierces a box.
struct Side {
    normal: vec2<f32>,
    slope: f32,
    on_edge: bool,
}

fn cross_of(a: vec2<f32>, b: vec2<f32>) -> f32 {
    return a.x * b.y - a.y * b.x;
}

// A magnitude with the sign of another number.
fn with_sign(magnitude: f32, sign: f32) -> f32 {
    return select(abs(magnitude), -abs(magnitude), sign < 0.0);
}

// Half of a box's width across the x axis.
fn reach_of(heading: vec2<f32>, half: vec2<f32>, radius: f32) -> f32 {
    return (half.x - radius) * abs(heading.y) + (half.y - radius) * abs(heading.x) + radius;
}

fn pierced(heading: vec2<f32>, sides: vec2<f32>, radius: f32, arm: vec2<f32>) -> Side {
    let local = vec2<f32>(dot(heading, arm), cross_of(heading, arm));
    let along = abs(local.x);
    let across = abs(local.y);
    // The face that the arm leaves the sharp box by: front or rear, else a side.
    let by_front = across * sides.x <= along * sides.y;
    let half = select(sides.y, sides.x, by_front);
    let other = select(sides.x, sides.y, by_front);
    let slope = select(along, across, by_front) / select(across, along, by_front);
    // In radii, from the middle of the rounding.
    let outside = (slope * half - (other - radius)) / radius;
    let on_edge = outside > 0.0;
    let beyond = max(outside, 0.0);
    let square = 1.0 + slope * slope;
    let back = (1.0 + beyond * slope) / square;
    let foot = vec2<f32>(1.0 - back, beyond - slope * back);
    let half_chord = sqrt(max(1.0 - dot(foot, foot), 0.0) / square);
    let ahead = max(foot.x + half_chord, 0.0);
    let aside = max(foot.y + slope * half_chord, 0.0);
    let size = sqrt(ahead * ahead + aside * aside);
    let unit = select(vec2<f32>(1.0, 0.0), vec2<f32>(ahead, aside) / size, on_edge);
    let mirrored =
        vec2<f32>(with_sign(select(unit.y, unit.x, by_front), local.x), with_sign(select(unit.x, unit.y, by_front), local.y));
    let normal = vec2<f32>(
        heading.x * mirrored.x - heading.y * mirrored.y, heading.y * mirrored.x + heading.x * mirrored.y);
    return Side(normal, slope, on_edge);
}

// The normal of two boxes, and how long it was before it became a unit vector.
fn pair_normal(one: Side, two: Side) -> vec3<f32> {
    if one.on_edge && two.on_edge {
        let sum = one.normal - two.normal;
        let size = sqrt(dot(sum, sum));
        return vec3<f32>(sum / max(size, SAME_NORMALS), size);
    }
    // A face decides, that which is met closer to its middle where both are faces.
    let by_first = !one.on_edge && (two.on_edge || two.slope > one.slope);
    return vec3<f32>(select(-two.normal, one.normal, by_first), 1.0);
}

// The impulse on B along the normal and along the tangent; Routh's construction.
fn impulse_of(
    slenderness: f32, restitution: f32, friction: f32, arm_a: vec2<f32>, arm_b: vec2<f32>, normal: vec2<f32>,
    relative: vec2<f32>
) -> vec2<f32> {
    let tangent = vec2<f32>(-normal.y, normal.x);
    let a = vec2<f32>(cross_of(arm_a, normal), cross_of(arm_a, tangent));
    let b = vec2<f32>(cross_of(arm_b, normal), cross_of(arm_b, tangent));
    let along = 2.0 + (slenderness * (a.x * a.x) + slenderness * (b.x * b.x));
    let coupled = slenderness * (a.x * a.y) + slenderness * (b.x * b.y);
    let across = 2.0 + (slenderness * (a.y * a.y) + slenderness * (b.y * b.y));
    let approach = max(-dot(relative, normal), 0.0);
    let slip = dot(relative, tangent);

    let direction = with_sign(1.0, slip);
    let in_direction = coupled * direction;
    let slowing = friction * across - in_direction;
    let stops = slowing > 0.0;
    let stop = min(select(NEVER, abs(slip) / select(1.0, slowing, stops), stops), NEVER);
    let slipping = along - friction * in_direction;
    let sticks = abs(coupled) <= friction * across;
    let drift = select(-with_sign(friction, coupled), -coupled / across, sticks);
    let after = along + drift * coupled;
    let ends_slipping = approach <= slipping * stop;
    let done = select(stop, 0.0, ends_slipping);
    let left = approach - slipping * done;
    let compression = done + left / select(after, slipping, ends_slipping);
    let whole = compression * (1.0 + restitution);
    let tangential = drift * max(whole - stop, 0.0) - direction * friction * min(whole, stop);
    return select(vec2<f32>(), vec2<f32>(whole, tangential), approach > 0.0);
}

