// The scene: walks over its leaves (see the program's documentation of walks), materials, clearance.
//
// # Conventions
// Points are in the job's frame: world coordinates less the scene's origin less `frame_origin`. Lambda along
// x1 + lambda (x2 - x1). A stop's words: what is tested and how, where its constants begin, where to go on inside and
// outside.

struct SceneHead {
    start: u32,
    coatings_at: u32,
    layers_at: u32,
    materials_at: u32,
    default_material: u32,
    rounds: u32,
    curves_at: u32,
    unused: u32,
}

@group(0) @binding(0) var<uniform> scene: SceneHead;
@group(0) @binding(1) var<storage, read> stops: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> constants: array<vec4<f32>>;
// Number of each stop's first leaf, then coatings, layers, and each material's curve of friction by speed.
@group(0) @binding(3) var<storage, read> tables: array<u32>;

// Where the job's frame stands in the scene [m].
var<private> frame_origin: vec3<f32>;
// Rounds of loops that this item has run. A loop of n rounds counts n + 1: drivers count the one that ends it as well.
var<private> rounds: u32;

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

fn placed_ball_interval(ball: vec4<f32>, x1: vec3<f32>, x2: vec3<f32>) -> Interval {
    return ball_interval(from_center(x1, ball.xyz), x2 - x1, ball.w);
}

// By two words of constants: centre and radius, axis and half height.
fn placed_cylinder_interval(base: vec4<f32>, axis: vec4<f32>, x1: vec3<f32>, x2: vec3<f32>) -> Interval {
    return cylinder_interval(axis.xyz, base.w, axis.w, from_center(x1, base.xyz), x2 - x1);
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
    let center = constants[stop.y];
    let offset = from_center(x, center.xyz);
    if kind == STOP_BALL {
        distance = length(offset) - center.w;
    } else {
        let axis = constants[stop.y + 1u];
        distance = cylinder_distance(axis.xyz, center.w, axis.w, offset);
    }
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
    loop {
        if at == TARGET_INSIDE {
            return 0.0;
        }
        if at == TARGET_OUTSIDE {
            return nearest;
        }
        if rounds >= scene.rounds {
            return 0.0;
        }
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
    return 0.0;
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

// The normal of the border met: a unit vector out of the leaf.
fn normal_of(entry: Entry, x: vec3<f32>) -> vec3<f32> {
    let stop = stops[entry.stop];
    let kind = stop_kind(stop.x);
    if kind == STOP_CELL {
        return constants[stop.y + entry.plane].xyz;
    }
    let center = constants[stop.y];
    let offset = from_center(x, center.xyz);
    var outward = offset;
    if kind == STOP_CYLINDER {
        let axis = constants[stop.y + 1u];
        let along = dot(offset, axis.xyz);
        outward = across(axis.xyz, offset);
        let side = length(outward) - center.w;
        if axis.w >= 0.0 && abs(along) - axis.w >= side {
            outward = axis.xyz * sign(along);
        }
    }
    // At the centre of a ball of radius 0 every direction is as good as another.
    let size = length(outward);
    let unit = select(vec3<f32>(0.0, 0.0, 1.0), outward / max(size, 1e-30), size > 0.0);
    return select(unit, -unit, (stop.x & STOP_COMPLEMENTED) != 0u);
}

// The material of a leaf's border at a point of it: the outermost layer that applies, else the default.
fn material_of(leaf: u32, x: vec3<f32>) -> u32 {
    let first = tables[scene.coatings_at + 2u * leaf];
    let count = tables[scene.coatings_at + 2u * leaf + 1u];
    rounds += 1u;
    for (var layer = first; layer < first + count; layer++) {
        rounds += 1u;
        let region = tables[scene.layers_at + 2u * layer + 1u];
        if region == TARGET_EVERYWHERE || contains(region, x) {
            return tables[scene.layers_at + 2u * layer];
        }
    }
    return scene.default_material;
}
