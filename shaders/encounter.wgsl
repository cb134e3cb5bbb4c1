// Job `encounter`: two vehicles that meet, as src/encounter explains it, in the frame of the relative motion.

// Of a vehicle's ellipse: P along x, x and y, and y.
struct Shape {
    xx: f32,
    xy: f32,
    yy: f32,
}

struct Tangent {
    normal: vec2<f32>,
    // From each centre to the contact point.
    arm_a: vec2<f32>,
    arm_b: vec2<f32>,
    place: f32,
    converged: bool,
}

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

fn shape_of(heading: vec2<f32>, semi_axes: vec2<f32>) -> Shape {
    let along = semi_axes.x * semi_axes.x;
    let across = semi_axes.y * semi_axes.y;
    let cc = heading.x * heading.x;
    let ss = heading.y * heading.y;
    return Shape(along * cc + across * ss, (along - across) * (heading.x * heading.y), along * ss + across * cc);
}

fn stretched(shape: Shape, normal: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(shape.xx * normal.x + shape.xy * normal.y, shape.xy * normal.x + shape.yy * normal.y);
}

fn arm_of(shape: Shape, normal: vec2<f32>) -> vec2<f32> {
    let to = stretched(shape, normal);
    return to / sqrt(dot(to, normal));
}

fn normal_at(s: f32) -> vec2<f32> {
    return vec2<f32>(-sqrt((1.0 - s) * (1.0 + s)), s);
}

// How far across the sum of a body reaches at s, and how fast that rises.
fn side_of(shape: Shape, square: f32, s: f32) -> vec2<f32> {
    let normal = normal_at(s);
    let to = stretched(shape, normal);
    let width = sqrt(dot(to, normal));
    return vec2<f32>(to.y / width, square / (width * width * width));
}

// The first place on the line at some offset where the ellipses touch.
fn tangent_at(a: Shape, b: Shape, semi_axes: vec2<f32>, offset: f32) -> Tangent {
    let tolerance = max(semi_axes.x, semi_axes.y) * RESIDUAL;
    let area = semi_axes.x * semi_axes.y;
    let square = area * area;
    var low = -1.0;
    var high = 1.0;
    var s = clamp(offset / (sqrt(a.yy) + sqrt(b.yy)), -1.0, 1.0);
    var converged = false;
    for (var round = 0u; round < ROUNDS; round++) {
        let side = side_of(a, square, s) + side_of(b, square, s);
        let missing = offset - side.x;
        converged = abs(missing) <= tolerance;
        if missing > 0.0 {
            low = s;
        }
        if missing < 0.0 {
            high = s;
        }
        let next = s + missing / side.y;
        if converged {
            s = clamp(next, -1.0, 1.0);
            break;
        }
        s = select((low + high) * 0.5, next, next > low && next < high);
    }
    let normal = normal_at(s);
    let of_a = arm_of(a, normal);
    let of_b = arm_of(b, normal);
    return Tangent(normal, of_a, -of_b, of_a.x + of_b.x, converged);
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

// The impulse on B along the normal and along the tangent; Routh's construction.
fn impulse_of(
    slenderness: f32, restitution: f32, friction: f32, arm_a: vec2<f32>, arm_b: vec2<f32>, normal: vec2<f32>
) -> vec2<f32> {
    let tangent = vec2<f32>(-normal.y, normal.x);
    let a = vec2<f32>(cross_of(arm_a, normal), cross_of(arm_a, tangent));
    let b = vec2<f32>(cross_of(arm_b, normal), cross_of(arm_b, tangent));
    let along = 2.0 + (slenderness * (a.x * a.x) + slenderness * (b.x * b.x));
    let coupled = slenderness * (a.x * a.y) + slenderness * (b.x * b.y);
    let across = 2.0 + (slenderness * (a.y * a.y) + slenderness * (b.y * b.y));
    // The relative velocity is (1, 0).
    let approach = max(-normal.x, 0.0);
    let slip = tangent.x;

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

fn encounter(item: EncounterWire) -> EncounterAnswerWire {
    let start = item.numbers[0].x;
    let offset = item.numbers[0].y;
    let heading_a = item.numbers[0].zw;
    let heading_b = item.numbers[1].xy;
    let semi_axes = item.numbers[1].zw;
    let half = item.numbers[2].xy;
    let radius = item.numbers[2].z;
    let by_boxes = item.numbers[3].z > 0.0;
    let a = shape_of(heading_a, semi_axes);
    let b = shape_of(heading_b, semi_axes);

    let distance = abs(offset);
    let boxes = reach_of(heading_a, half, radius) + reach_of(heading_b, half, radius);
    if distance > sqrt(a.yy) + sqrt(b.yy) || (by_boxes && distance > boxes) {
        return EncounterAnswerWire(vec2<f32>(), vec2<f32>(), vec2<f32>(), 0.0, ENCOUNTER_MISSED);
    }
    let first = tangent_at(a, b, semi_axes, offset);
    if !first.converged {
        return EncounterAnswerWire(vec2<f32>(), vec2<f32>(), vec2<f32>(), 0.0, ENCOUNTER_NOT_CONVERGED);
    }
    let way = first.place - start;
    if way < 0.0 {
        // The bodies are symmetric: where the last touch is, the first is on the other side.
        let last = -tangent_at(a, b, semi_axes, -offset).place;
        let status = select(ENCOUNTER_MISSED, ENCOUNTER_OVERLAP, last > start);
        return EncounterAnswerWire(vec2<f32>(), vec2<f32>(), vec2<f32>(), 0.0, status);
    }

    var normal = first.normal;
    var status = ENCOUNTER_CONTACT;
    if by_boxes {
        let one = pierced(heading_a, half, radius, first.arm_a);
        let two = pierced(heading_b, half, radius, first.arm_b);
        normal = select(-two.normal, one.normal, !one.on_edge && (two.on_edge || two.slope > one.slope));
        if one.on_edge && two.on_edge {
            let sum = one.normal - two.normal;
            let size = sqrt(dot(sum, sum));
            if size < SAME_NORMALS {
                return EncounterAnswerWire(vec2<f32>(), vec2<f32>(), vec2<f32>(), 0.0, ENCOUNTER_DEGENERATE);
            }
            normal = sum / size;
        }
        status |= select(0u, EDGE_OF_A, one.on_edge) | select(0u, EDGE_OF_B, two.on_edge);
    }
    let impulse = impulse_of(
        item.numbers[2].w, item.numbers[3].x, item.numbers[3].y, first.arm_a, first.arm_b, normal);
    return EncounterAnswerWire(first.arm_a, normal, impulse, way, status);
}
