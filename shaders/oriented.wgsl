// Job `oriented`: the collision configuration by matrices, whose columns are words (docs/oriented.md).

@group(0) @binding(0) var<storage, read> surfaces_before: array<Surface>;
@group(0) @binding(1) var<storage, read> surfaces: array<Surface>;
@group(0) @binding(2) var<storage, read> items: array<Initiator>;
@group(0) @binding(3) var<storage, read_write> answers: array<Configuration>;

// Separation of a point from a surface, positive outside.
fn separation(surface: Surface, point: vec2<f32>) -> f32 {
    return dot(surface.normal, point) - surface.offset;
}

// Of surfaces that lost separation in a step the one whose separation, interpolated linearly over it, vanished last.
fn last_to_vanish(item: Initiator, lost: u32) -> u32 {
    var last = 0u;
    var latest = -FAR;
    for (var i = 0u; i < item.count; i++) {
        if ((lost >> i) & 1u) == 0u {
            continue;
        }
        let before = separation(surfaces_before[item.first + i], item.before);
        let after = separation(surfaces[item.first + i], item.point);
        // Rounding may leave nothing of either.
        let share = before / max(before - after, 1.0 / FAR);
        if last == 0u || share > latest {
            last = 1u << i;
            latest = share;
        }
    }
    return last;
}

// C(t) from C(t0): what is retained, per surface, and what is new.
fn collisions(before: u32, full: u32, held: u32, lost: u32) -> u32 {
    let had = select(0u, 0xffffffffu, before != 0u);
    return (before & (full | held)) | (lost & full & ~had);
}

fn configuration(item: Initiator) -> Configuration {
    if item.count == 0u {
        return Configuration(0u, 0u, 0u, 0u, OUTSIDE);
    }
    var penetration = 0u;
    var range = 0u;
    var nearest = 0u;
    var greatest = -FAR;
    for (var i = 0u; i < item.count; i++) {
        let surface = surfaces[item.first + i];
        let apart = separation(surface, item.point);
        let along = dot(vec2<f32>(surface.normal.y, -surface.normal.x), item.point);
        penetration |= select(0u, 1u << i, apart <= 0.0);
        range |= select(0u, 1u << i, surface.start <= along && along <= surface.end);
        if apart > greatest {
            greatest = apart;
            nearest = i;
        }
    }
    let is_full = penetration == 0xffffffffu >> (32u - item.count);
    let full = select(0u, 0xffffffffu, is_full);
    let lost = penetration & ~item.penetration;
    let held = range & ~(penetration ^ item.penetration) & penetration;
    var last = lost;
    if is_full && countOneBits(lost) > 1u {
        last = last_to_vanish(item, lost);
    }
    return Configuration(
        penetration,
        range,
        collisions(item.collision, full, held, lost),
        collisions(item.collision_last, full, held, last),
        select(OUTSIDE, FIRST_SURFACE + nearest, is_full),
    );
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&items) {
        return;
    }
    answers[id.x] = configuration(items[id.x]);
}
