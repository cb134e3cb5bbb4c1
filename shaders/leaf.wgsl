// Where a line runs inside one convex solid.
//
// # Conventions
// Metres in the frame of the job. A line is given by its points at lambda 0 and 1. Normals are unit vectors and point
// out of the solid. The same numbers give the same bits in every pass: nothing here depends on the search's lambda.
// Functions return from no loop and no `if` within another: compilers may hold what such a function returns in
// registers, through all loops around its call.

// Lambda in [enter, exit] is inside; nothing is when enter > exit.
struct Interval {
    enter: f32,
    exit: f32,
    // Of a cell: the half space that decides `enter`.
    plane: u32,
}

// Below this slope [m] a line runs along a plane: lambdas would overflow.
const MIN_SLOPE = 1e-20;
// Below this squared length [m^2] a direction does not move a point: squares of the largest lengths over it would overflow.
const STANDSTILL = 1e-18;

fn nowhere() -> Interval {
    return Interval(FAR, -FAR, 0u);
}

fn everywhere() -> Interval {
    return Interval(-FAR, FAR, 0u);
}

fn everywhere_or_nowhere(inside: bool) -> Interval {
    return Interval(select(FAR, -FAR, inside), select(-FAR, FAR, inside), 0u);
}

// Where x.n - offset <= 0.
fn half_space_interval(normal: vec3<f32>, offset: f32, x1: vec3<f32>, x2: vec3<f32>) -> Interval {
    let mu1 = dot(normal, x1) - offset;
    let mu2 = dot(normal, x2) - offset;
    let slope = mu2 - mu1;
    let level = abs(slope) <= MIN_SLOPE;
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
        return everywhere_or_nowhere(distance <= radius);
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

// The smallest interval around both.
fn hull(a: Interval, b: Interval) -> Interval {
    return Interval(min(a.enter, b.enter), max(a.exit, b.exit), 0u);
}

// All points at most `radius` away from the segment along the axis to both sides of the origin of `offset`: the balls at
// its ends and the cylinder between them, whose union is convex.
fn capsule_interval(
    axis: vec3<f32>, radius: f32, half_length: f32, offset: vec3<f32>, direction: vec3<f32>
) -> Interval {
    let end = half_length * axis;
    let balls = hull(ball_interval(offset - end, direction, radius), ball_interval(offset + end, direction, radius));
    let shaft = cylinder_interval(axis, radius, half_length, offset, direction);
    if shaft.enter > shaft.exit {
        return balls;
    }
    return hull(balls, shaft);
}

fn capsule_distance(axis: vec3<f32>, radius: f32, half_length: f32, offset: vec3<f32>) -> f32 {
    return length(offset - clamp(dot(offset, axis), -half_length, half_length) * axis) - radius;
}

// A quotient of lengths or squares of them, at most FAR in magnitude.
fn bounded_quotient(a: f32, b: f32) -> f32 {
    return a / max(b, abs(a) / FAR);
}

// The side of a cone: where |p + lambda q| <= r + lambda s. Distances are taken across the side: p and q point away from
// the axis and are shortened by the cosine of half the opening angle.
fn cone_side_interval(p: vec3<f32>, q: vec3<f32>, r: f32, s: f32) -> Interval {
    let speed = length(q);
    let growth = abs(s);
    if max(speed, growth) * max(speed, growth) < STANDSTILL {
        return everywhere_or_nowhere(length(p) <= r);
    }
    if speed < growth {
        return steep_interval(p, q, r, s);
    }
    return shallow_interval(p, q, r, s);
}

// The line runs steeper than the side and stays inside once it is. With t from the height of the apex,
// -a t^2 + 2 b t + c <= 0, and the root on the side to which the cone opens counts.
fn steep_interval(p: vec3<f32>, q: vec3<f32>, r: f32, s: f32) -> Interval {
    let pivot = -r / s;
    let apex = p + pivot * q;
    let a = (abs(s) - length(q)) * (abs(s) + length(q));
    let b = sign(s) * dot(apex, q);
    let c = dot(apex, apex);
    let root = sqrt(b * b + a * c);
    var way = 0.0;
    if b >= 0.0 {
        way = bounded_quotient(b + root, a);
    } else {
        way = bounded_quotient(c, root - b);
    }
    if s > 0.0 {
        return Interval(pivot + way, FAR, 0u);
    }
    return Interval(-FAR, pivot - way, 0u);
}

// The line runs shallower than the side, or as steep. With t from its point nearest to the axis,
// a t^2 - 2 radius s t + (nearest^2 - radius^2) <= 0.
fn shallow_interval(p: vec3<f32>, q: vec3<f32>, r: f32, s: f32) -> Interval {
    let speed = length(q);
    let pivot = -dot(p, q) / (speed * speed);
    let nearest = length(p + pivot * q);
    let radius = r + pivot * s;
    let a = (speed - abs(s)) * (speed + abs(s));
    let wide = speed * radius;
    let narrow = sqrt(a) * nearest;
    // The other nappe has radii below 0.
    if radius < 0.0 || wide < narrow {
        return nowhere();
    }
    let middle = radius * s;
    let far = abs(middle) + sqrt((wide - narrow) * (wide + narrow));
    if far < 1.0 / FAR {
        return apex_interval(a, nearest, pivot, s);
    }
    let near_root = bounded_quotient((nearest - radius) * (nearest + radius), far);
    let far_root = bounded_quotient(far, a);
    if middle >= 0.0 {
        return Interval(pivot + near_root, pivot + far_root, 0u);
    }
    return Interval(pivot - far_root, pivot - near_root, 0u);
}

// Through the apex, on a generator or nowhere else.
fn apex_interval(a: f32, nearest: f32, pivot: f32, s: f32) -> Interval {
    if a > 0.0 {
        return Interval(pivot, pivot, 0u);
    }
    if nearest > 0.0 {
        return nowhere();
    }
    return Interval(select(-FAR, pivot, s > 0.0), select(pivot, FAR, s > 0.0), 0u);
}

// A cone about an axis from the middle of its base, which is the origin of `offset`; an infinite one has a negative height.
// `radius` is that of the base, shortened like all distances across the side; `angle` holds cosine and sine of half the
// opening angle, the sine negative where the cone grows narrower.
fn cone_interval(
    axis: vec3<f32>, radius: f32, height: f32, angle: vec2<f32>, offset: vec3<f32>, direction: vec3<f32>
) -> Interval {
    let side = cone_side_interval(
        angle.x * across(axis, offset),
        angle.x * across(axis, direction),
        radius + angle.y * dot(offset, axis),
        angle.y * dot(direction, axis),
    );
    if height < 0.0 {
        return side;
    }
    let top = half_space_interval(axis, height, offset, offset + direction);
    let bottom = half_space_interval(-axis, 0.0, offset, offset + direction);
    return intersect(side, intersect(top, bottom));
}

// Distance from the straight line that the side is turned from.
fn cone_side_distance(axis: vec3<f32>, radius: f32, angle: vec2<f32>, offset: vec3<f32>) -> f32 {
    return angle.x * length(across(axis, offset)) - (radius + angle.y * dot(offset, axis));
}

fn cone_distance(axis: vec3<f32>, radius: f32, height: f32, angle: vec2<f32>, offset: vec3<f32>) -> f32 {
    let side = cone_side_distance(axis, radius, angle, offset);
    if height < 0.0 {
        return side;
    }
    let along = dot(offset, axis);
    return max(side, max(along - height, -along));
}
