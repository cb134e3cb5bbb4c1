// Jobs `deck_landing` and `deck_step`: skids on a moving deck, as src/deck explains it (docs/deck_landings.md).
//
// World axes, in which places are a multiple of the grid (base) and a rest; deck axes from the deck's middle; body axes from the centre
// of gravity. x to starboard, y up, angles with starboard up. Directions are unit vectors (cosine, sine).

@group(0) @binding(0) var<storage, read> shared_data: DeckShared;
@group(0) @binding(1) var<storage, read> items: array<DeckItem>;
@group(0) @binding(2) var<storage, read_write> answers: array<DeckState>;

struct Pose {
    base: vec2<f32>,
    rest: vec2<f32>,
    velocity: vec2<f32>,
    roll: f32,
    roll_rate: f32,
}

struct Surface {
    normal: vec2<f32>,
    along: vec2<f32>,
    start: vec2<f32>,
    end: vec2<f32>,
}

// An initiator by a surface at the end of a step without a force on it, across and along it, and what forces change in that: across by
// across, across by along, along by along.
struct Approach {
    place: vec2<f32>,
    velocity: vec2<f32>,
    give: vec3<f32>,
    push: vec3<f32>,
}

struct Forces {
    outwards: f32,
    along: f32,
    pebble: f32,
    stands: bool,
}

// What is the same for all initiators in a step.
struct Moment {
    body: vec2<f32>,
    deck: vec2<f32>,
    pose: Pose,
    // Centre of gravity from the deck's middle: multiple of the grid, and rest.
    base: vec2<f32>,
    rest: vec2<f32>,
    // Velocity that lift and gravity give in a step.
    fall: vec2<f32>,
}

fn turned_by(turn: vec2<f32>, v: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(turn.x * v.x - turn.y * v.y, turn.y * v.x + turn.x * v.y);
}

fn turned_back(turn: vec2<f32>, v: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(turn.x * v.x + turn.y * v.y, turn.x * v.y - turn.y * v.x);
}

fn left_of(v: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(-v.y, v.x);
}

fn cross_of(a: vec2<f32>, b: vec2<f32>) -> f32 {
    return a.x * b.y - a.y * b.x;
}

fn direction_of(angle: f32) -> vec2<f32> {
    let both = sine_cosine(angle);
    return vec2<f32>(both.y, both.x);
}

fn surface_of(number: u32) -> Surface {
    let row = shared_data.surfaces[2u * number];
    return Surface(row.xy, vec2<f32>(row.y, -row.x), row.zw, shared_data.surfaces[2u * number + 1u].xy);
}

// Sway, heave and roll between two samples, by the cubic with their rates.
fn pose_at(item: u32, index: u32, fraction: u32) -> Pose {
    let is_over = index >= items[item].last_sample;
    let before = select(index, items[item].last_sample - 1u, is_over);
    let u = select(f32(fraction) * FRACTION, 1.0, is_over);
    let h = items[item].interval;
    let from_place = items[item].samples[2u * before];
    let from_rate = items[item].samples[2u * before + 1u];
    let to_place = items[item].samples[2u * before + 2u];
    let to_rate = items[item].samples[2u * before + 3u];
    let moved = (to_place.xy - from_place.xy) + (to_place.zw - from_place.zw);
    let by = vec3<f32>(moved, to_rate.z - from_rate.z);
    let v = vec3<f32>(from_rate.xy, from_rate.w);
    let w = vec3<f32>(to_rate.xy, to_rate.w);
    let a = u * u * (3.0 - 2.0 * u);
    let b = u * (1.0 - u);
    let value = a * by + (h * b) * ((1.0 - u) * v - u * w);
    let rate = (6.0 * b / h) * by + ((1.0 - u) * (1.0 - 3.0 * u)) * v - (u * (2.0 - 3.0 * u)) * w;
    return Pose(from_place.xy, from_place.zw + value.xy, rate.xy, from_rate.z + value.z, rate.z);
}

// Place of an initiator in the body's axes, from the gear's coordinates.
fn bent_arm(state: ptr<function, DeckState>, initiator: u32) -> vec2<f32> {
    var arm = shared_data.arms[initiator].xy;
    for (var mode = 0u; mode < MODES; mode++) {
        let pair = (*state).modes[mode / 2u];
        arm += select(pair.x, pair.z, (mode & 1u) != 0u) * shared_data.shapes[mode * INITIATORS + initiator].xy;
    }
    return arm;
}

// Coordinate and rate of a mode, and what they gain in a step without a force.
fn free_mode(state: ptr<function, DeckState>, mode: u32) -> vec4<f32> {
    let pair = (*state).modes[mode / 2u];
    let own = select(pair.xy, pair.zw, (mode & 1u) != 0u);
    let by = shared_data.propagations[2u * mode];
    let less = shared_data.propagations[2u * mode + 1u];
    return vec4<f32>(own, less.z * own.x + by.y * own.y, by.z * own.x + less.w * own.y);
}

// The share of the energy to the tipping point that is missing while it stands on one side; FAR where it does not, as above what touches.
fn rollover_margin(item: u32, state: ptr<function, DeckState>, touching: u32, centre: vec2<f32>, rate: f32) -> f32 {
    var pivot = vec2<f32>(0.0);
    var has_pivot = false;
    for (var initiator = 0u; initiator < INITIATORS; initiator++) {
        if ((touching >> initiator) & 1u) == 0u {
            continue;
        }
        let place = (*state).initiators[initiator].xy;
        if has_pivot && (centre.x - pivot.x) * (centre.x - place.x) <= 0.0 {
            return FAR;
        }
        pivot = place;
        has_pivot = true;
    }
    let arm = centre - pivot;
    if !has_pivot || arm.x == 0.0 {
        return FAR;
    }
    var is_held = false;
    for (var initiator = 0u; initiator < INITIATORS; initiator++) {
        is_held = is_held || (centre.x - (*state).initiators[initiator].x) * arm.x < 0.0;
    }
    if !is_held {
        return -1.0;
    }
    let towards = max(select(rate, -rate, arm.x < 0.0), 0.0);
    let square = dot(arm, arm);
    let length = sqrt(square);
    // Two forms of the same, none of which loses digits.
    let rise = select(length - arm.y, arm.x * arm.x / (length + arm.y), arm.y > 0.0);
    let barrier = items[item].mass * GRAVITY * rise;
    let about_pivot = items[item].inertia + items[item].mass * square;
    return 1.0 - 0.5 * about_pivot * (towards * towards) / max(barrier, 1.0 / FAR);
}

fn stress_of(state: ptr<function, DeckState>) -> f32 {
    var greatest = 0.0;
    for (var end = 0u; end < ENDS; end++) {
        var sums = vec2<f32>(0.0);
        for (var mode = 0u; mode < MODES; mode++) {
            let pair = (*state).modes[mode / 2u];
            sums += select(pair.x, pair.z, (mode & 1u) != 0u) * shared_data.stresses[end * MODES + mode].xy;
        }
        greatest = max(greatest, abs(sums.x) + abs(sums.y));
    }
    return greatest;
}

// What is kept of a moment; `onto` is the velocity of the first initiator that touches.
fn look(item: u32, state: ptr<function, DeckState>, now: Moment, touching: u32, onto: f32, loads: array<f32, INITIATORS>) {
    let number = (*state).done + 1u;
    if (*state).touchdown == 0u {
        if touching == 0u {
            return;
        }
        (*state).touchdown = number;
        (*state).touchdown_speed = onto;
    }
    if touching != 0u {
        (*state).free_since = 0u;
        (*state).has_bounced = 0u;
        (*state).stress = max((*state).stress, stress_of(state));
    } else {
        if (*state).free_since == 0u {
            (*state).free_since = number;
        }
        if (*state).has_bounced == 0u && number + 1u - (*state).free_since >= shared_data.bounce_steps {
            (*state).has_bounced = 1u;
            (*state).bounces += 1u;
        }
    }
    var distance = FAR;
    for (var initiator = 0u; initiator < INITIATORS; initiator++) {
        let row = (*state).initiators[initiator];
        (*state).initiators[initiator].z = max(row.z, loads[initiator]);
        distance = min(distance, min(row.x - shared_data.edges.x, shared_data.edges.y - row.x));
    }
    (*state).edge_distance = min((*state).edge_distance, distance);
    let roll = abs(angle_of(cross_of(now.deck, now.body), dot(now.deck, now.body)));
    (*state).largest_roll = max((*state).largest_roll, roll);
    let centre = turned_back(now.deck, now.base + now.rest);
    let margin = rollover_margin(item, state, touching, centre, (*state).roll_rate - now.pose.roll_rate);
    (*state).rollover_margin = min((*state).rollover_margin, margin);
    if roll > shared_data.rollover_angle || distance < 0.0 {
        (*state).over = 1u;
    }
}

// One step from a place between samples of the deck's motion.
fn do_step(item: u32, state: ptr<function, DeckState>, index: u32, fraction: u32) {
    let h = shared_data.step;
    let pose = pose_at(item, index, fraction);
    let body = direction_of((*state).roll);
    let weightless = GRAVITY * ((*state).lift * left_of(body) - vec2<f32>(0.0, 1.0));
    let base = (*state).base - pose.base;
    let now = Moment(body, direction_of(pose.roll), pose, base, (*state).rest - pose.rest, h * weightless);
    var force = vec2<f32>(0.0);
    var torque = 0.0;
    var pushes: array<f32, MODES>;
    var loads: array<f32, INITIATORS>;
    var touching = 0u;
    var first_onto = 0.0;
    var slipped = 0.0;
    for (var initiator = 0u; initiator < INITIATORS; initiator++) {
        let arm = turned_by(body, bent_arm(state, initiator));
        let place = turned_back(now.deck, now.base + (now.rest + arm));
        let before = (*state).initiators[initiator].xy;
        (*state).initiators[initiator].x = place.x;
        (*state).initiators[initiator].y = place.y;
        var on_deck = vec2<f32>(0.0);
        var onto = 0.0;
        for (var piece = 0u; piece < PIECES; piece++) {
            let slot = initiator * PIECES + piece;
            let old = (*state).contacts[slot];
            var found = old.xy;
            if (*state).done != 0u {
                found = next_contact(piece, old.xy, before, place);
            }
            if found.y == 0u {
                (*state).contacts[slot] = vec4<u32>(found, old.zw);
                continue;
            }
            let surface = surface_of(u32(shared_data.pieces[piece].x) + found.y - 1u);
            let is_new = found.y != old.y;
            let old_pebble = select(bitcast<f32>(old.w), dot(surface.along, place - surface.start), is_new);
            let approach = approach_of(item, state, now, surface, initiator, arm);
            let forces = contact_forces(approach, items[item].friction, old_pebble, is_new || old.z != 0u);
            slipped += abs(forces.pebble - old_pebble) / f32(INITIATORS);
            (*state).contacts[slot] =
                vec4<u32>(found, select(0u, 1u, forces.stands), bitcast<u32>(forces.pebble));
            on_deck += forces.outwards * surface.normal + forces.along * surface.along;
            loads[initiator] += forces.outwards;
            // Before the step, in which it falls on.
            onto = dot(turned_back(now.deck, now.fall), surface.normal) - approach.velocity.x;
            touching |= 1u << initiator;
        }
        if ((touching >> initiator) & 1u) != 0u && (touching & ((1u << initiator) - 1u)) == 0u {
            first_onto = onto;
        }
        let push = turned_by(now.deck, on_deck);
        force += push;
        torque += cross_of(arm, push);
        let own = turned_back(body, push);
        for (var mode = 0u; mode < MODES; mode++) {
            pushes[mode] += dot(shared_data.shapes[mode * INITIATORS + initiator].xy, own);
        }
    }
    let had_touched = (*state).touchdown != 0u;
    (*state).slide += slipped;
    if (*state).done >= shared_data.late_from {
        (*state).late_slide += slipped;
    }
    look(item, state, now, touching, first_onto, loads);
    if touching != 0u || had_touched {
        (*state).lift *= shared_data.lift_factor;
    }
    advance(item, state, body, force, torque, pushes);
}

fn advance(
    item: u32,
    state: ptr<function, DeckState>,
    body: vec2<f32>,
    force: vec2<f32>,
    torque: f32,
    pushes: array<f32, MODES>,
) {
    let h = shared_data.step;
    let weightless = GRAVITY * ((*state).lift * left_of(body) - vec2<f32>(0.0, 1.0));
    let gained = h * (force / items[item].mass + weightless);
    let rest = (*state).rest + h * ((*state).velocity + 0.5 * gained);
    let whole = round(rest * CELLS) * GRID;
    (*state).base += whole;
    (*state).rest = rest - whole;
    (*state).velocity += gained;
    let turn = h * (torque / items[item].inertia);
    (*state).roll += h * ((*state).roll_rate + 0.5 * turn);
    (*state).roll_rate += turn;
    // Each number for itself: a maximum may pass over what is none.
    var is_bounded = all(abs(vec3<f32>((*state).velocity, (*state).roll_rate)) < vec3<f32>(FAR));
    for (var mode = 0u; mode < MODES; mode++) {
        let own = free_mode(state, mode);
        let by = shared_data.propagations[2u * mode + 1u];
        let next = vec2<f32>(own.x + (own.z + by.x * pushes[mode]), own.y + (own.w + by.y * pushes[mode]));
        let pair = (*state).modes[mode / 2u];
        (*state).modes[mode / 2u] = select(vec4<f32>(next, pair.zw), vec4<f32>(pair.xy, next), (mode & 1u) != 0u);
        is_bounded &= all(abs(next) < vec2<f32>(FAR));
    }
    (*state).done += 1u;
    // Nothing that grows beyond all bounds comes back.
    if !is_bounded {
        (*state).over = 1u;
    }
}

// A sum of fractions: both words, and what is carried.
fn added(a: vec2<u32>, b: vec2<u32>) -> vec3<u32> {
    let low = a.y + b.y;
    let carry = select(0u, 1u, low < a.y);
    let high = a.x + b.x;
    let over = select(0u, 1u, high < a.x);
    let whole = high + carry;
    return vec3<u32>(whole, low, over + select(0u, 1u, whole < high));
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&items) {
        return;
    }
    var state = items[id.x].state;
    var index = items[id.x].sample;
    var fraction = items[id.x].fraction;
    let slice = items[id.x].slice;
    for (var step = 0u; step < slice && state.over == 0u; step++) {
        do_step(id.x, &state, index, fraction.x);
        let next = added(fraction, items[id.x].step_fraction);
        fraction = next.xy;
        index += items[id.x].step_samples + next.z;
    }
    answers[id.x] = state;
}
