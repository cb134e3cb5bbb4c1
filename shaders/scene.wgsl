// The scene: walks over its leaves (see the program's documentation of walks), materials, clearance.
//
// # Conventions
// Points are in the job's frame: world coordinates less the scene's origin less `frame_origin`. Lambda along
// x1 + lambda (x2 - x1). A stop's words: what is tested and how, where its constants begin, where to go on inside and
// outside.

@group(0) @binding(0) var<uniform> scene: SceneHead;
@group(0) @binding(1) var<storage, read> stops: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> constants: array<vec4<f32>>;
// Number of each stop's first leaf, then grids over layers, coatings, layers, each material's curve of friction by speed, and each stop's
// rank: of borders that are met in one place the one with the least is crossed first.
@group(0) @binding(3) var<storage, read> tables: array<u32>;

// Where the job's frame stands in the scene [m].
var<private> frame_origin: vec3<f32>;
// Rounds of loops that this item has run. A loop of n rounds counts n + 1: drivers count the one that ends it as well.
var<private> rounds: u32;

// The same number, but no compiler knows: what hangs on it is read and computed again where it is used, instead of once
// before a loop, to be held in registers throughout.
fn afresh(number: u32) -> u32 {
    // Rounds stay far below this bit.
    return number ^ (rounds & 0x80000000u);
}

fn place_afresh(x: vec3<f32>) -> vec3<f32> {
    return bitcast<vec3<f32>>(bitcast<vec3<u32>>(x) ^ vec3<u32>(rounds & 0x80000000u));
}

// True when the driver has begun to stop loops in silence. It counts rounds of the items that run side by side together,
// also where an item has none, so that an item's own count cannot know; but from then on every loop runs one round only.
fn loops_are_cut() -> bool {
    if !LOOPS_ARE_LIMITED {
        return false;
    }
    // Two, which no compiler sees: with a number that it knew there would be no loop.
    let asked = min(rounds + 1u, 2u);
    var counted = 0u;
    for (var round = 0u; round < asked; round++) {
        counted++;
    }
    return counted < asked;
}

// The first point of a ray in the scene.
struct Entry {
    status: u32,
    lambda: f32,
    // Whose border is met: a stop and, in a cell, the half space; NO_STOP when the ray starts inside.
    stop: u32,
    plane: u32,
}

fn stop_kind(head: u32) -> u32 {
    return head & 7u;
}

// Offset of a half space from the frame's origin [m].
fn plane_offset(plane: vec4<f32>) -> f32 {
    if FRAMED {
        return plane.w - dot(plane.xyz, frame_origin);
    }
    return plane.w;
}

// A point relative to a centre that is stored in the scene's coordinates.
fn from_center(x: vec3<f32>, center: vec3<f32>) -> vec3<f32> {
    if FRAMED {
        return x - (center - frame_origin);
    }
    return x - center;
}

fn plane_interval(plane: vec4<f32>, x1: vec3<f32>, x2: vec3<f32>) -> Interval {
    return half_space_interval(plane.xyz, plane_offset(plane), x1, x2);
}

// The part of a cell's interval that is in its next half space as well.
fn within_plane(all: Interval, index: u32, inside: Interval) -> Interval {
    return Interval(
        max(all.enter, inside.enter),
        min(all.exit, inside.exit),
        select(all.plane, index, inside.enter > all.enter),
    );
}

// A line as a curved leaf sees it: its point at lambda 0 relative to the leaf's reference point, and its direction.
struct Line {
    offset: vec3<f32>,
    direction: vec3<f32>,
}

fn line_past(center: vec4<f32>, x1: vec3<f32>, x2: vec3<f32>) -> Line {
    return Line(from_center(x1, center.xyz), x2 - x1);
}

// A stretched leaf sees it in local coordinates: `origin` is where these have their origin, `reference` the leaf's
// reference point in them.
fn stretched_line(
    origin: vec4<f32>, to_local: mat3x3<f32>, reference: vec4<f32>, x1: vec3<f32>, x2: vec3<f32>
) -> Line {
    return Line(to_local * from_center(x1, origin.xyz) - reference.xyz, to_local * (x2 - x1));
}

// A curved leaf's constants, as far as its kind has them: reference point and radius, axis and height, angle.
struct Curved {
    base: vec4<f32>,
    axis: vec4<f32>,
    angle: vec4<f32>,
}

fn is_stretched(stop: vec4<u32>) -> bool {
    return (stop.x & STOP_STRETCHED) != 0u;
}

// The matrix to local coordinates stands behind their origin.
fn to_local_of(stop: vec4<u32>) -> mat3x3<f32> {
    return mat3x3<f32>(constants[stop.y + 1u].xyz, constants[stop.y + 2u].xyz, constants[stop.y + 3u].xyz);
}

fn curved_of(stop: vec4<u32>) -> Curved {
    let at = stop.y + select(0u, STRETCHED_CONSTANTS, is_stretched(stop));
    let kind = stop_kind(stop.x);
    var curved = Curved(constants[at], vec4<f32>(0.0), vec4<f32>(0.0));
    if kind != STOP_BALL {
        curved.axis = constants[at + 1u];
    }
    if kind == STOP_CONE {
        curved.angle = constants[at + 2u];
    }
    return curved;
}

fn curved_interval(kind: u32, curved: Curved, line: Line) -> Interval {
    let radius = curved.base.w;
    let axis = curved.axis.xyz;
    let height = curved.axis.w;
    if kind == STOP_BALL {
        return ball_interval(line.offset, line.direction, radius);
    }
    if kind == STOP_CYLINDER {
        return cylinder_interval(axis, radius, height, line.offset, line.direction);
    }
    if kind == STOP_CONE {
        return cone_interval(axis, radius, height, curved.angle.xy, line.offset, line.direction);
    }
    return capsule_interval(axis, radius, height, line.offset, line.direction);
}

// Negative inside; less than in the world where the leaf is stretched.
fn curved_distance(kind: u32, curved: Curved, offset: vec3<f32>) -> f32 {
    let radius = curved.base.w;
    let axis = curved.axis.xyz;
    let height = curved.axis.w;
    if kind == STOP_BALL {
        return length(offset) - radius;
    }
    if kind == STOP_CYLINDER {
        return cylinder_distance(axis, radius, height, offset);
    }
    if kind == STOP_CONE {
        return cone_distance(axis, radius, height, curved.angle.xy, offset);
    }
    return capsule_distance(axis, radius, height, offset);
}

// A point as a curved leaf sees it.
fn offset_from(stop: vec4<u32>, curved: Curved, x: vec3<f32>) -> vec3<f32> {
    let offset = from_center(x, constants[stop.y].xyz);
    if is_stretched(stop) {
        return to_local_of(stop) * offset - curved.base.xyz;
    }
    return offset;
}

// Signed distance of a point from a leaf [m]: negative inside, never more than the true distance outside.
fn leaf_distance(stop: vec4<u32>, x: vec3<f32>) -> f32 {
    let kind = stop_kind(stop.x);
    var distance = -FAR;
    if kind == STOP_CELL {
        for (var index = 0u; index < (stop.x >> 8u); index++) {
            let plane = constants[stop.y + index];
            distance = max(distance, dot(plane.xyz, x) - plane_offset(plane));
        }
        return distance;
    }
    let curved = curved_of(stop);
    distance = curved_distance(kind, curved, offset_from(stop, curved, x));
    return select(distance, -distance, (stop.x & STOP_COMPLEMENTED) != 0u);
}

// Distance of a point from a box [m]; zero inside.
fn box_distance(at: u32, x: vec3<f32>) -> f32 {
    let below = -from_center(x, constants[at].xyz);
    let above = from_center(x, constants[at + 1u].xyz);
    return length(max(max(below, above), vec3<f32>(0.0)));
}

// A lower bound of the distance [m] from a point to the set whose walk starts at `start`; zero when it may be inside.
fn clearance_from(start: u32, x: vec3<f32>) -> f32 {
    var nearest = FAR;
    var at = start;
    rounds += 1u;
    while at != TARGET_INSIDE && at != TARGET_OUTSIDE && rounds < scene.rounds {
        let stop = stops[at];
        if stop_kind(stop.x) == STOP_BOX {
            rounds += 1u;
            at = select(stop.w, stop.z, box_distance(stop.y, x) < nearest);
            continue;
        }
        rounds += 2u + (stop.x >> 8u);
        let distance = leaf_distance(stop, x);
        if distance > 0.0 {
            nearest = min(nearest, distance);
            at = stop.w;
        } else {
            at = stop.z;
        }
    }
    return select(0.0, nearest, at == TARGET_OUTSIDE);
}

// Membership of a point in the set whose walk starts at `start`.
fn contains(start: u32, x: vec3<f32>) -> bool {
    var at = start;
    rounds += 1u;
    loop {
        if at == TARGET_INSIDE || at == TARGET_OUTSIDE || rounds >= scene.rounds {
            break;
        }
        let stop = stops[at];
        rounds += 2u + (stop.x >> 8u);
        var inside = false;
        if stop_kind(stop.x) == STOP_BOX {
            inside = box_distance(stop.y, x) <= constants[stop.y].w;
        } else {
            inside = leaf_distance(stop, x) <= 0.0;
        }
        at = select(stop.w, stop.z, inside);
    }
    return at == TARGET_INSIDE;
}

fn leaf_of(entry: Entry) -> u32 {
    return tables[entry.stop] + entry.plane;
}

// A vector out of a curved leaf, across its border.
fn outward_of(kind: u32, curved: Curved, offset: vec3<f32>) -> vec3<f32> {
    let axis = curved.axis.xyz;
    let height = curved.axis.w;
    let along = dot(offset, axis);
    if kind == STOP_BALL {
        return offset;
    }
    if kind == STOP_CAPSULE {
        return offset - clamp(along, -height, height) * axis;
    }
    let radial = across(axis, offset);
    if kind == STOP_CYLINDER {
        let on_end = height >= 0.0 && abs(along) - height >= length(radial) - curved.base.w;
        return select(radial, axis * sign(along), on_end);
    }
    let side = cone_side_distance(axis, curved.base.w, curved.angle.xy, offset);
    if height >= 0.0 && along - height >= max(side, -along) {
        return axis;
    }
    if height >= 0.0 && -along >= side {
        return -axis;
    }
    return curved.angle.x * radial / max(length(radial), 1e-30) - curved.angle.y * axis;
}

// The normal of the border met: a unit vector out of the leaf.
fn normal_of(entry: Entry, x: vec3<f32>) -> vec3<f32> {
    let stop = stops[entry.stop];
    let kind = stop_kind(stop.x);
    if kind == STOP_CELL {
        return constants[stop.y + entry.plane].xyz;
    }
    let curved = curved_of(stop);
    var outward = outward_of(kind, curved, offset_from(stop, curved, x));
    if is_stretched(stop) {
        // Normals go with the transposed inverse.
        outward = outward * to_local_of(stop);
    }
    // At the centre of a ball of radius 0 every direction is as good as another.
    let size = length(outward);
    let unit = select(vec3<f32>(0.0, 0.0, 1.0), outward / max(size, 1e-30), size > 0.0);
    return select(unit, -unit, (stop.x & STOP_COMPLEMENTED) != 0u);
}

// The first of the layers over a leaf that may apply at a point, and behind the last.
fn layers_near(leaf: u32, x: vec3<f32>) -> vec2<u32> {
    let first = tables[scene.coatings_at + 2u * leaf];
    let count = tables[scene.coatings_at + 2u * leaf + 1u];
    if count != GRIDDED {
        return vec2<u32>(first, first + count);
    }
    let place = frame_origin.xy + x.xy;
    let low = bitcast<vec2<f32>>(vec2<u32>(tables[first], tables[first + 1u]));
    let high = bitcast<vec2<f32>>(vec2<u32>(tables[first + 2u], tables[first + 3u]));
    let density = bitcast<vec2<f32>>(vec2<u32>(tables[first + 4u], tables[first + 5u]));
    let size = vec2<u32>(tables[first + 6u], tables[first + 7u]);
    // What is outside stands behind all cells.
    var cell = size.x * size.y;
    if all(place >= low) && all(place <= high) {
        let at = min(vec2<u32>((place - low) * density), size - 1u);
        cell = at.y * size.x + at.x;
    }
    let starts = first + GRID_WORDS;
    return vec2<u32>(tables[starts + cell], tables[starts + cell + 1u]);
}

// The material of a leaf's border at a point of it: the outermost layer that applies, else the default.
fn material_of(leaf: u32, x: vec3<f32>) -> u32 {
    let layers = layers_near(leaf, x);
    var material = scene.default_material;
    rounds += 1u;
    for (var layer = layers.x; layer < layers.y; layer++) {
        rounds += 1u;
        let region = tables[scene.layers_at + 2u * layer + 1u];
        if region == TARGET_EVERYWHERE || contains(region, x) {
            material = tables[scene.layers_at + 2u * layer];
            break;
        }
    }
    return material;
}
