// Initiators on a moving deck: which surface they collide with, and what it does to them, as src/deck/contact.rs explains it.

// The surface of a piece with which an initiator collides after a step, plus one, and its penetration.
fn next_contact(piece: u32, old: vec2<u32>, before: vec2<f32>, place: vec2<f32>) -> vec2<u32> {
    let row = shared_data.pieces[piece];
    let first = u32(row.x);
    let count = u32(row.y);
    var penetration = 0u;
    for (var number = 0u; number < count; number++) {
        let surface = surface_of(first + number);
        penetration |= select(0u, 1u << number, dot(surface.normal, place - surface.start) <= 0.0);
    }
    let is_full = penetration == 0xffffffffu >> (32u - count);
    if old.y != 0u {
        let surface = surface_of(first + old.y - 1u);
        let is_beside = dot(surface.along, place - surface.start) >= 0.0 && dot(surface.along, place - surface.end) <= 0.0;
        let is_kept = is_full || (is_beside && ((penetration >> (old.y - 1u)) & 1u) != 0u);
        return vec2<u32>(penetration, select(0u, old.y, is_kept));
    }
    if !is_full {
        return vec2<u32>(penetration, 0u);
    }
    // Of surfaces that lost separation the one whose separation vanished last.
    let lost = penetration & ~old.x;
    var last = 0u;
    var latest = -FAR;
    for (var number = 0u; number < count; number++) {
        if ((lost >> number) & 1u) == 0u {
            continue;
        }
        let surface = surface_of(first + number);
        let apart = dot(surface.normal, before - surface.start);
        // Rounding may leave nothing of either.
        let share = apart / max(apart - dot(surface.normal, place - surface.start), 1.0 / FAR);
        if last == 0u || share > latest {
            last = number + 1u;
            latest = share;
        }
    }
    return vec2<u32>(penetration, last);
}

fn approach_of(
    item: u32,
    state: ptr<function, DeckState>,
    now: Moment,
    surface: Surface,
    initiator: u32,
    arm: vec2<f32>,
) -> Approach {
    let h = shared_data.step;
    let body_axes = array<vec2<f32>, 2>(
        turned_back(now.body, turned_by(now.deck, surface.normal)),
        turned_back(now.body, turned_by(now.deck, surface.along)),
    );
    let lever = vec2<f32>(
        cross_of(arm, turned_by(now.deck, surface.normal)),
        cross_of(arm, turned_by(now.deck, surface.along)),
    );
    let by_force = 1.0 / items[item].mass;
    let by_torque = 1.0 / items[item].inertia;
    let rigid_push = h * vec3<f32>(
        by_force + lever.x * lever.x * by_torque,
        lever.x * lever.y * by_torque,
        by_force + lever.y * lever.y * by_torque,
    );
    var push = rigid_push;
    var give = 0.5 * h * rigid_push;
    var bend = vec2<f32>(0.0);
    var bend_rate = vec2<f32>(0.0);
    for (var mode = 0u; mode < MODES; mode++) {
        let shape = shared_data.shapes[mode * INITIATORS + initiator].xy;
        let own = free_mode(state, mode);
        bend += own.z * shape;
        bend_rate += (own.y + own.w) * shape;
        let at = vec2<f32>(dot(shape, body_axes[0]), dot(shape, body_axes[1]));
        let squares = vec3<f32>(at.x * at.x, at.x * at.y, at.y * at.y);
        give += squares * shared_data.propagations[2u * mode + 1u].x;
        push += squares * shared_data.propagations[2u * mode + 1u].y;
    }
    let from_deck = now.base + (now.rest + arm);
    let rigid = ((*state).velocity - now.pose.velocity)
        + ((*state).roll_rate * left_of(arm) - now.pose.roll_rate * left_of(from_deck));
    let velocity = turned_back(now.deck, rigid + now.fall + turned_by(now.body, bend_rate));
    let way = turned_back(now.deck, h * (rigid + 0.5 * now.fall) + turned_by(now.body, bend));
    let place = (turned_back(now.deck, from_deck) - surface.start) + way;
    return Approach(
        vec2<f32>(dot(surface.normal, place), dot(surface.along, place)),
        vec2<f32>(dot(surface.normal, velocity), dot(surface.along, velocity)),
        give,
        push,
    );
}

// Those of springs and dampers at the step's end.
fn contact_forces(approach: Approach, friction: f32, old_pebble: f32, stood: bool) -> Forces {
    let k = shared_data.stiffness;
    let c = shared_data.damping;
    let grip = shared_data.grip_stiffness;
    let grip_damping = shared_data.grip_damping;
    let own = 1.0 + (k * approach.give.x + c * approach.push.x);
    let cross = k * approach.give.y + c * approach.push.y;
    let cross_along = grip * approach.give.y + grip_damping * approach.push.y;
    let own_along = 1.0 + (grip * approach.give.z + grip_damping * approach.push.z);
    let free = -(k * approach.place.x + c * approach.velocity.x);
    let free_along = -(grip * (approach.place.y - old_pebble) + grip_damping * approach.velocity.y);
    let determinant = own * own_along - cross * cross_along;
    var outwards = (free * own_along - cross * free_along) / determinant;
    let along = (own * free_along - cross_along * free) / determinant;
    let holds = friction * outwards * select(1.0, shared_data.static_ratio, stood);
    if outwards > 0.0 && abs(along) <= holds {
        return Forces(outwards, along, old_pebble, true);
    }
    // It slips. Friction that would press itself on is left out of the equation.
    let direction = select(1.0, -1.0, select(free_along, along, outwards > 0.0) < 0.0);
    let pressed = own + direction * friction * cross;
    outwards = max(free / select(own, pressed, pressed > 0.5 * own), 0.0);
    let slips = direction * friction * outwards;
    let way = approach.place.y + approach.give.y * outwards + approach.give.z * slips;
    return Forces(outwards, slips, way + slips / grip, false);
}
