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

fn cell_interval(at: u32, count: u32, x1: vec3<f32>, x2: vec3<f32>) -> Interval {
    var all = everywhere();
    for (var index = 0u; index < count; index++) {
        let plane = constants[at + index];
        let inside = half_space_interval(plane.xyz, plane_offset(plane), x1, x2);
        all.plane = select(all.plane, index, inside.enter > all.enter);
        all.enter = max(all.enter, inside.enter);
        all.exit = min(all.exit, inside.exit);
    }
    return all;
}

fn leaf_interval(stop: vec4<u32>, x1: vec3<f32>, x2: vec3<f32>) -> Interval {
    let kind = stop_kind(stop.x);
    if kind == STOP_CELL {
        return cell_interval(stop.y, stop.x >> 8u, x1, x2);
    }
    let center = constants[stop.y];
    let offset = from_center(x1, center.xyz);
    if kind == STOP_BALL {
        return ball_interval(offset, x2 - x1, center.w);
    }
    let axis = constants[stop.y + 1u];
    return cylinder_interval(axis.xyz, center.w, axis.w, offset, x2 - x1);
}

// What the boxes need to know of a ray.
struct Slope {
    // One over the direction; large where a coordinate does not change.
    inverse: vec3<f32>,
    // Boxes are taken this much larger [m]: a face computed in binary32 is off by a few units in the last place of the
    // largest coordinate, and 16 of them are enough.
    margin: f32,
}

fn slope_of(x1: vec3<f32>, x2: vec3<f32>) -> Slope {
    let direction = x2 - x1;
    let still = abs(direction) < vec3<f32>(LEAST_SLOPE);
    let largest = max(abs(x1), abs(x2));
    return Slope(
        select(1.0 / select(direction, vec3<f32>(1.0), still), vec3<f32>(1e18), still),
        max(largest.x, max(largest.y, largest.z)) * 16.0 * UNIT_ROUNDOFF,
    );
}

// True when the ray is in the box somewhere from `first` to `last`.
fn meets_box(at: u32, x1: vec3<f32>, slope: Slope, first: f32, last: f32) -> bool {
    let low = from_center(x1, constants[at].xyz);
    let high = from_center(x1, constants[at + 1u].xyz);
    // Boxes carry their own rounding in the fourth constant.
    let faces = max(abs(low), abs(high));
    // Far along the ray the distance of a face from its start rounds as well, each by itself: some are boundless.
    let margin = vec3<f32>(slope.margin + constants[at].w) + 16.0 * UNIT_ROUNDOFF * faces;
    let a = (-low - margin) * slope.inverse;
    let b = (-high + margin) * slope.inverse;
    let near = min(a, b);
    let far = max(a, b);
    return max(first, max(near.x, max(near.y, near.z))) <= min(last, min(far.x, min(far.y, far.z)));
}

// Of two borders in one place the one that is first in the scene counts, whatever the order of the walk (errata 000.10).
fn comes_first(stop: u32, plane: u32, other_stop: u32, other_plane: u32) -> bool {
    return tables[stop] + plane < tables[other_stop] + other_plane;
}

fn first_entry(x1: vec3<f32>, x2: vec3<f32>, lambda1: f32, lambda2: f32) -> Entry {
    let slope = slope_of(x1, x2);
    // A driver may cut the loop in silence: what has not ended by itself has not converged.
    var found = Entry(RAY_NOT_CONVERGED, lambda1, NO_STOP, 0u);
    // The nearest place at which one of the failed leaves is entered.
    var nearest = FAR;
    var nearest_stop = NO_STOP;
    var nearest_plane = 0u;
    var nearest_exact = false;
    var at = scene.start;
    rounds += 1u;
    loop {
        if at == TARGET_INSIDE {
            found.status = RAY_HIT;
            break;
        }
        if at == TARGET_OUTSIDE {
            if nearest > lambda2 {
                found.status = RAY_MISS;
                break;
            }
            found = Entry(RAY_NOT_CONVERGED, nearest, nearest_stop, nearest_plane);
            if nearest_exact {
                found.status = RAY_HIT;
                break;
            }
            nearest = FAR;
            at = scene.start;
        }
        if rounds >= scene.rounds {
            break;
        }
        let stop = stops[at];
        let kind = stop_kind(stop.x);
        if kind == STOP_BOX {
            rounds += 1u;
            let met = meets_box(stop.y, x1, slope, found.lambda, min(nearest, lambda2));
            at = select(stop.w, stop.z, met);
            continue;
        }
        rounds += 2u + (stop.x >> 8u);
        let interval = leaf_interval(stop, x1, x2);
        let within = found.lambda >= interval.enter && found.lambda <= interval.exit;
        let complemented = (stop.x & STOP_COMPLEMENTED) != 0u;
        // The closed complement keeps both ends of the interval.
        let strictly_within = found.lambda > interval.enter && found.lambda < interval.exit;
        if select(within, !strictly_within, complemented) {
            at = stop.z;
            continue;
        }
        let empty = interval.enter > interval.exit;
        let ahead = select(interval.enter, interval.exit, complemented);
        if !empty && ahead > found.lambda && ahead <= lambda2
            && (ahead < nearest || (ahead == nearest && comes_first(at, interval.plane, nearest_stop, nearest_plane))) {
            nearest = ahead;
            nearest_stop = at;
            nearest_plane = interval.plane;
            nearest_exact = (stop.x & STOP_EXACT) != 0u;
        }
        at = stop.w;
    }
    if rounds >= scene.rounds || found.status == RAY_NOT_CONVERGED {
        // Whoever asked learns it from the rounds as well.
        rounds = max(rounds, scene.rounds);
        found.status = RAY_NOT_CONVERGED;
    }
    return found;
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
