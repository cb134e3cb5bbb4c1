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
        let met = pair_normal(one, two);
        if met.z < SAME_NORMALS {
            return EncounterAnswerWire(vec2<f32>(), vec2<f32>(), vec2<f32>(), 0.0, ENCOUNTER_DEGENERATE);
        }
        normal = met.xy;
        status |= select(0u, EDGE_OF_A, one.on_edge) | select(0u, EDGE_OF_B, two.on_edge);
    }
    // The relative velocity is the unit of velocity, along x.
    let impulse = impulse_of(
        item.numbers[2].w, item.numbers[3].x, item.numbers[3].y, first.arm_a, first.arm_b, normal, vec2<f32>(1.0, 0.0));
    return EncounterAnswerWire(first.arm_a, normal, impulse, way, status);
}
