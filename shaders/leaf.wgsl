// Where a line runs inside one convex solid.
//
// # Conventions
// Metres in the frame of the job. A line is given by its points at lambda 0 and 1. Normals are unit vectors and point
// out of the solid. The same numbers give the same bits in every pass: nothing here depends on the search's lambda.

// Lambda in [enter, exit] is inside; nothing is when enter > exit.
struct Interval {
    enter: f32,
    exit: f32,
    // Of a cell: the half space that decides `enter`.
    plane: u32,
}

// Below this slope [m] a line runs along a plane: lambdas would overflow.
const LEAST_SLOPE = 1e-20;
// Below this squared length [m^2] a direction does not move a point: squares of the largest lengths over it would overflow.
const STANDSTILL = 1e-18;

fn nowhere() -> Interval {
    return Interval(FAR, -FAR, 0u);
}

fn everywhere() -> Interval {
    return Interval(-FAR, FAR, 0u);
}

// Where x.n - offset <= 0.
fn half_space_interval(normal: vec3<f32>, offset: f32, x1: vec3<f32>, x2: vec3<f32>) -> Interval {
    let mu1 = dot(normal, x1) - offset;
    let mu2 = dot(normal, x2) - offset;
    let slope = mu2 - mu1;
    let level = abs(slope) <= LEAST_SLOPE;
    let crossing = -mu1 / select(slope, 1.0, level);
    let enter = select(select(-FAR, crossing, slope < 0.0), select(-FAR, FAR, mu1 > 0.0), level);
    let exit = select(select(FAR, crossing, slope > 0.0), select(FAR, -FAR, mu1 > 0.0), level);
    return Interval(enter, exit, 0u);
}

// Where the point `offset + lambda direction` is at most `radius` from the origin.
fn ball_interval(offset: vec3<f32>, direction: vec3<f32>, radius: f32) -> Interval {
    let a = dot(direction, direction);
    let distance = length(offset);
    if a < STANDSTILL {
        if distance > radius {
            return nowhere();
        }
        return everywhere();
    }
    let middle = -dot(offset, direction) / a;
    // The squared half chord from the nearest point of the line: b^2 - a c would cancel far from the ball.
    let nearest = length(offset + middle * direction);
    let half_chord_squared = (radius - nearest) * (radius + nearest) / a;
    if half_chord_squared < 0.0 {
        return nowhere();
    }
    let half_chord = sqrt(half_chord_squared);
    let near = middle - half_chord;
    let far = middle + half_chord;
    // The root nearer to lambda = 0 loses digits by subtraction; the product of the roots restores them. Where the line
    // touches the ball about lambda = 0 the product is nothing but rounding, so the nearer root is held to be nearer.
    let product = (distance - radius) * (distance + radius) / a;
    if middle > 0.0 && far > 0.0 {
        return Interval(clamp(product / far, -far, far), far, 0u);
    }
    if middle < 0.0 && near < 0.0 {
        return Interval(near, clamp(product / near, near, -near), 0u);
    }
    return Interval(near, far, 0u);
}

fn intersect(a: Interval, b: Interval) -> Interval {
    return Interval(max(a.enter, b.enter), min(a.exit, b.exit), 0u);
}

fn across(axis: vec3<f32>, v: vec3<f32>) -> vec3<f32> {
    return v - axis * dot(v, axis);
}

// A cylinder about an axis through the origin of `offset` (the line's point at lambda 0); an infinite one has a negative
// half height.
fn cylinder_interval(
    axis: vec3<f32>, radius: f32, half_height: f32, offset: vec3<f32>, direction: vec3<f32>
) -> Interval {
    let side = ball_interval(across(axis, offset), across(axis, direction), radius);
    if half_height < 0.0 {
        return side;
    }
    let top = half_space_interval(axis, half_height, offset, offset + direction);
    let bottom = half_space_interval(-axis, half_height, offset, offset + direction);
    return intersect(side, intersect(top, bottom));
}

// Signed distance of a point from an upright or lying cylinder about the origin; negative inside.
fn cylinder_distance(axis: vec3<f32>, radius: f32, half_height: f32, offset: vec3<f32>) -> f32 {
    let side = length(across(axis, offset)) - radius;
    if half_height < 0.0 {
        return side;
    }
    return max(side, abs(dot(offset, axis)) - half_height);
}
