// Jobs `world` and `world_step`: balls and walls in a fixed number of sweeps, as src/world/balls explains it (docs/worlds.md).
//
// One invocation, one world. Units are a length near the largest radius, a mass near the largest mass, and a step: velocities are
// ways of a step, rims are ways of a ball's surface about its centre. Places are a multiple of the grid (base) and a rest.
// Everything that bodies and contacts have lies in `vectors` and `words`, number by number and there world by world, so that
// neighbouring invocations read neighbouring numbers.

@group(0) @binding(0) var<storage, read> shared_data: BallShared;
@group(0) @binding(1) var<storage, read_write> vectors: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> words: array<u32>;
@group(0) @binding(3) var<storage, read> items: array<BallWorld>;
@group(0) @binding(4) var<storage, read_write> answers: array<BallWorld>;

// Of bodies; the one after the last is all that is fixed. The fourth number of the first four is that of the wire; of the others
// the inverse mass.
const BASE = 0u;
const REST = 1u;
const VELOCITY = 2u;
const RIM = 3u;
const MOVING = 4u;
const AFTER = 5u;
const AFTER_RIM = 6u;
// Of pairs. Before the second half of a step: normal and gap; friction remembered and half of the push remembered; push, share,
// mobility. After it: normal and friction; tangential impulse and push; bias, share, mobility.
const NORMAL = 0u;
const RUB = 1u;
const PUSH = 2u;
const PAIRS_AT = 7u * (BODIES + 1u);
const MEMORY_AT = PAIRS_AT + 3u * ROWS;

// How the world has ended.
const NOT_OVER = 0u;

var<private> lane: u32;
var<private> lanes: u32;
// Bit by bit, whether bodies are within the bounds.
var<private> present: vec2<u32>;
// Pairs of this step, and contacts of the step before and how many of them searches have passed.
var<private> rows: u32;
var<private> remembered: u32;
var<private> merged: u32;
var<private> is_full: bool;
// Deepest penetration at the start of the step.
var<private> depth: f32;

fn of_body(number: u32, body: u32) -> vec4<f32> {
    return vectors[(number * (BODIES + 1u) + body) * lanes + lane];
}

fn set_body(number: u32, body: u32, value: vec4<f32>) {
    vectors[(number * (BODIES + 1u) + body) * lanes + lane] = value;
}

fn of_row(number: u32, row: u32) -> vec4<f32> {
    return vectors[(PAIRS_AT + number * ROWS + row) * lanes + lane];
}

fn set_row(number: u32, row: u32, value: vec4<f32>) {
    vectors[(PAIRS_AT + number * ROWS + row) * lanes + lane] = value;
}

fn is_present(body: u32) -> bool {
    return ((select(present.x, present.y, body >= 32u) >> (body & 31u)) & 1u) != 0u;
}

// First, second, what was decided, and key of a pair, in a word.
fn pair_word(first: u32, second: u32, decided: u32, key: u32) -> u32 {
    return first | (second << 7u) | (decided << 14u) | (key << 18u);
}

fn first_of(word: u32) -> u32 {
    return word & 127u;
}

fn second_of(word: u32) -> u32 {
    return (word >> 7u) & 127u;
}

fn free_motion() {
    for (var body = 0u; body < BODIES; body++) {
        let velocity = of_body(VELOCITY, body).xyz;
        let rim = of_body(RIM, body);
        let after = (velocity + shared_data.gravity) * shared_data.left;
        set_body(AFTER, body, vec4<f32>(after, rim.w));
        set_body(AFTER_RIM, body, vec4<f32>(rim.xyz * shared_data.left, 0.0));
        set_body(MOVING, body, vec4<f32>(0.5 * (velocity + after), rim.w));
    }
}

// Takes a pair down, with what is remembered of it.
fn flag_pair(first: u32, second: u32, key: u32, decided: u32, normal: vec3<f32>, gap: f32, share: f32) {
    if rows >= ROWS {
        is_full = true;
        return;
    }
    while merged < remembered && words[(ROWS + merged) * lanes + lane] < key {
        merged++;
    }
    var old = vec3<f32>(0.0);
    if merged < remembered && words[(ROWS + merged) * lanes + lane] == key {
        old = vectors[(MEMORY_AT + merged) * lanes + lane].xyz;
    }
    words[rows * lanes + lane] = pair_word(first, second, decided, key);
    set_row(NORMAL, rows, vec4<f32>(normal, gap));
    set_row(RUB, rows, vec4<f32>(old, 0.0));
    set_row(PUSH, rows, vec4<f32>(0.0, share, 0.0, 0.0));
    rows++;
}

fn search_walls() {
    for (var body = 0u; body < BODIES; body++) {
        if !is_present(body) {
            continue;
        }
        let base = of_body(BASE, body).xyz;
        let rest = of_body(REST, body).xyz;
        let moving = of_body(MOVING, body).xyz;
        let radius = shared_data.radii[body].x;
        for (var wall = 0u; wall < WALLS; wall++) {
            let plane = shared_data.walls[wall];
            let gap = (dot(plane.xyz, base) - plane.w) + dot(plane.xyz, rest) - radius;
            depth = max(depth, -gap);
            let way = dot(plane.xyz, moving);
            if gap + way < SLACK * radius {
                var share = 0.0;
                if gap > 0.0 {
                    share = 1.0;
                    if way < 0.0 {
                        share = min(gap / -way, 1.0);
                    }
                }
                flag_pair(BODIES, body, body * WALLS + wall, select(0u, APART, gap > 0.0), plane.xyz, gap, share);
            }
        }
    }
}

// Where two balls touch on their way, or are closest.
fn search_pair(first: u32, second: u32) {
    let reach = shared_data.radii[first].x + shared_data.radii[second].x;
    let slack = 0.5 * SLACK * reach;
    let outer = reach + slack;
    let apart = of_body(BASE, second).xyz - of_body(BASE, first).xyz;
    let offset = apart + (of_body(REST, second).xyz - of_body(REST, first).xyz);
    let way = of_body(MOVING, second).xyz - of_body(MOVING, first).xyz;
    let squared = dot(offset, offset);
    let ways = dot(way, way);
    // (a + b)^2 <= 2 (a^2 + b^2)
    if squared >= (ways + outer * outer) * 2.0 {
        return;
    }
    let distance = sqrt(squared);
    let gap = distance - reach;
    depth = max(depth, -gap);
    let closing = dot(offset, way);
    let constant = gap * (distance + reach);
    let discriminant = closing * closing - ways * constant;
    var root = 1.0;
    if closing < 0.0 && discriminant > 0.0 && gap > 0.0 {
        root = constant / (sqrt(discriminant) - closing);
    }
    let meets = root < 1.0;
    var nearest = 0.0;
    if ways > 0.0 {
        nearest = clamp(-closing / ways, 0.0, 1.0);
    }
    let is_close = gap <= slack;
    let when = select(select(nearest, root, meets), 0.0, is_close);
    let there = offset + when * way;
    let length = sqrt(dot(there, there));
    if !(is_close || length < outer) {
        return;
    }
    // Balls with one centre part upwards, as any direction is as good.
    var normal = vec3<f32>(0.0, 0.0, 1.0);
    if length > 0.0 {
        normal = there / length;
    }
    let share = select(select(1.0, root, meets), 0.0, gap <= 0.0);
    let decided = select(0u, APART, gap > 0.0) | select(0u, NEAR, is_close) | select(0u, MEETS, meets);
    let along = dot(normal, offset) - reach;
    flag_pair(first, second, BODIES * WALLS + first * BODIES + second, decided, normal, along, share);
}

fn search_pairs() {
    for (var first = 0u; first < BODIES; first++) {
        if !is_present(first) {
            continue;
        }
        for (var second = first + 1u; second < BODIES; second++) {
            if is_present(second) {
                search_pair(first, second);
            }
        }
    }
}

fn displace(word: u32, impulse: vec3<f32>) {
    let first = of_body(MOVING, first_of(word));
    set_body(MOVING, first_of(word), vec4<f32>(first.xyz - impulse * first.w, first.w));
    let second = of_body(MOVING, second_of(word));
    set_body(MOVING, second_of(word), vec4<f32>(second.xyz + impulse * second.w, second.w));
}

// Starts a pair's push from half of its impulse in the step before.
fn prepare(row: u32) {
    let word = words[row * lanes + lane];
    let normal = of_row(NORMAL, row).xyz;
    let mobility = 1.0 / (of_body(MOVING, first_of(word)).w + of_body(MOVING, second_of(word)).w);
    let half = 0.5 * of_row(RUB, row).xyz;
    let along = dot(half, normal);
    let push = max(along, 0.0);
    var rub = vec3<f32>(0.0);
    if along > 0.0 {
        rub = half - normal * along;
        displace(word, normal * along + rub);
    }
    set_row(RUB, row, vec4<f32>(rub, push));
    set_row(PUSH, row, vec4<f32>(push, of_row(PUSH, row).y, mobility, 0.0));
}

// How much of the remembered friction acts.
fn pressed(push: f32, half: f32) -> f32 {
    if half > 0.0 {
        return min(push / half, 1.0);
    }
    return 0.0;
}

// A relaxation of displacements.
fn move_apart(row: u32) {
    let word = words[row * lanes + lane];
    let touch = of_row(NORMAL, row);
    let memory = of_row(RUB, row);
    let own = of_row(PUSH, row);
    let speed = dot(touch.xyz, of_body(MOVING, second_of(word)).xyz - of_body(MOVING, first_of(word)).xyz);
    let wanted = max(own.x - (speed + touch.w) * own.z, 0.0);
    let share = pressed(wanted, memory.w) - pressed(own.x, memory.w);
    displace(word, touch.xyz * (wanted - own.x) + memory.xyz * share);
    set_row(PUSH, row, vec4<f32>(wanted, own.yzw));
}

// Leaves the pairs that push or have no gap left, with the laws of their velocities.
fn keep_closed() {
    var kept = 0u;
    for (var row = 0u; row < rows; row++) {
        let word = words[row * lanes + lane];
        let first = first_of(word);
        let second = second_of(word);
        let touch = of_row(NORMAL, row);
        let normal = touch.xyz;
        let gap = touch.w;
        let memory = of_row(RUB, row);
        let own = of_row(PUSH, row);
        let start = dot(normal, of_body(VELOCITY, second).xyz - of_body(VELOCITY, first).xyz);
        let end = dot(normal, of_body(AFTER, second).xyz - of_body(AFTER, first).xyz);
        let way = dot(normal, of_body(MOVING, second).xyz - of_body(MOVING, first).xyz);
        if !(own.x > 0.0 || gap + way <= 0.0) {
            continue;
        }
        // The speed of a fall through the gap.
        let speed = start + own.y * (end - start);
        let square = start * start - (end - start) * 2.0 * gap;
        let falls = speed < 0.0 && gap > 0.0 && square >= 0.0;
        let approach = select(speed, -sqrt(max(square, 0.0)), falls);
        var surface = vec2<f32>(0.0);
        if first == BODIES {
            surface = items[lane].walls[(word >> 18u) % WALLS_OR_ONE].xy;
        } else {
            surface = vec2<f32>(of_body(BASE, first).w, of_body(REST, first).w);
        }
        let bias = surface.x * of_body(BASE, second).w * approach;
        let friction = surface.y * of_body(REST, second).w;
        let twice = pressed(own.x, memory.w) * 2.0;
        words[kept * lanes + lane] = word | select(0u, FALLS << 14u, falls);
        set_row(NORMAL, kept, vec4<f32>(normal, friction));
        set_row(RUB, kept, vec4<f32>(memory.xyz * twice, memory.w * twice));
        set_row(PUSH, kept, vec4<f32>(bias, own.y, own.z, 0.0));
        kept++;
    }
    rows = kept;
}

// Applies an impulse. Friction turns the rims of both alike: of a ball, I / r^2 is 2/5 of its mass.
fn push_both(word: u32, normal: vec3<f32>, push: f32, rub: vec3<f32>) {
    let all = normal * push + rub;
    let turn = cross(normal, rub);
    let first = of_body(AFTER, first_of(word));
    set_body(AFTER, first_of(word), vec4<f32>(first.xyz - all * first.w, first.w));
    let first_rim = of_body(AFTER_RIM, first_of(word)).xyz - turn * (first.w * INERTIA_RATIO);
    set_body(AFTER_RIM, first_of(word), vec4<f32>(first_rim, 0.0));
    let second = of_body(AFTER, second_of(word));
    set_body(AFTER, second_of(word), vec4<f32>(second.xyz + all * second.w, second.w));
    let second_rim = of_body(AFTER_RIM, second_of(word)).xyz - turn * (second.w * INERTIA_RATIO);
    set_body(AFTER_RIM, second_of(word), vec4<f32>(second_rim, 0.0));
}

// The impulses that solve a contact alone: tangential and normal.
fn alone(row: u32, word: u32) -> vec4<f32> {
    let touch = of_row(NORMAL, row);
    let own = of_row(RUB, row);
    let law = of_row(PUSH, row);
    let normal = touch.xyz;
    let linear = of_body(AFTER, second_of(word)).xyz - of_body(AFTER, first_of(word)).xyz;
    let rims = of_body(AFTER_RIM, first_of(word)).xyz + of_body(AFTER_RIM, second_of(word)).xyz;
    let speed = dot(normal, linear);
    let velocity = linear - normal * speed - cross(rims, normal);
    let push = max(own.w - (speed + law.x) * law.z, 0.0);
    let sticking = own.xyz - velocity * (law.z * TANGENTIAL);
    let limit = touch.w * push;
    let square = dot(sticking, sticking);
    if square > limit * limit {
        return vec4<f32>(sticking * (limit / sqrt(square)), push);
    }
    return vec4<f32>(sticking, push);
}

// A relaxation of velocities.
fn push_apart(row: u32) {
    let word = words[row * lanes + lane];
    let own = of_row(RUB, row);
    let found = alone(row, word);
    push_both(word, of_row(NORMAL, row).xyz, found.w - own.w, found.xyz - own.xyz);
    set_row(RUB, row, found);
}

// Whether two touched at the start of the world.
fn touched_before(word: u32) -> bool {
    let first = first_of(word);
    let of_second = items[lane].touching[second_of(word)];
    if first == BODIES {
        let wall = (word >> 18u) % WALLS_OR_ONE;
        return ((select(of_second.x, of_second.y, wall >= 32u) >> (wall & 31u)) & 1u) != 0u;
    }
    return ((select(of_second.z, of_second.w, first >= 32u) >> (first & 31u)) & 1u) != 0u;
}

// Takes impulses down; the largest distance from the laws, as a squared way.
fn finish() -> f32 {
    var largest = 0.0;
    var touch_share = 2.0;
    var touch_key = 0u;
    for (var row = 0u; row < rows; row++) {
        let word = words[row * lanes + lane];
        let normal = of_row(NORMAL, row).xyz;
        let own = of_row(RUB, row);
        let found = alone(row, word);
        let change = normal * (found.w - own.w) + (found.xyz - own.xyz);
        let masses = of_body(AFTER, first_of(word)).w + of_body(AFTER, second_of(word)).w;
        largest = max(largest, dot(change, change) * (masses * masses));
        let impulse = normal * own.w + own.xyz;
        let share = of_row(PUSH, row).y;
        vectors[(MEMORY_AT + row) * lanes + lane] = vec4<f32>(impulse, share);
        words[(ROWS + row) * lanes + lane] = word >> 18u;
        let hard = sqrt(dot(impulse, impulse));
        let first = of_body(VELOCITY, first_of(word));
        set_body(VELOCITY, first_of(word), vec4<f32>(first.xyz, max(first.w, hard)));
        let second = of_body(VELOCITY, second_of(word));
        set_body(VELOCITY, second_of(word), vec4<f32>(second.xyz, max(second.w, hard)));
        if any(impulse != vec3<f32>(0.0)) && share < touch_share && !touched_before(word) {
            touch_share = share;
            touch_key = (word >> 18u) + 1u;
        }
    }
    remembered = rows;
    if answers[lane].touched == 0u && touch_key != 0u {
        answers[lane].touched = touch_key;
        answers[lane].touch_step = answers[lane].done;
        answers[lane].touch_share = touch_share;
    }
    return largest;
}

// Goes to the end of the step; the largest way of a ball's points. FAR where that is beyond
// all bounds.
fn go() -> f32 {
    var fastest = 0.0;
    for (var body = 0u; body < BODIES; body++) {
        if !is_present(body) {
            continue;
        }
        let velocity = of_body(AFTER, body).xyz;
        let rim = of_body(AFTER_RIM, body).xyz;
        let base = of_body(BASE, body);
        let rest = of_body(REST, body);
        let moved = rest.xyz + of_body(MOVING, body).xyz;
        let now = base.xyz + round(moved * CELLS) * GRID;
        // Far from the middle the grid is finer than f32.
        let left = moved - (now - base.xyz);
        set_body(BASE, body, vec4<f32>(now, base.w));
        set_body(REST, body, vec4<f32>(left, rest.w));
        set_body(VELOCITY, body, vec4<f32>(velocity, of_body(VELOCITY, body).w));
        set_body(RIM, body, vec4<f32>(rim, of_body(RIM, body).w));
        if BOUNDED {
            let above = (now - shared_data.least_base) + (left - shared_data.least_rest);
            let below = (shared_data.most_base - now) + (shared_data.most_rest - left);
            if any(above < vec3<f32>(0.0)) || any(below < vec3<f32>(0.0)) {
                let bit = 1u << (body & 31u);
                present = select(vec2<u32>(present.x & ~bit, present.y), vec2<u32>(present.x, present.y & ~bit), body >= 32u);
                continue;
            }
        }
        // Each number for itself: a maximum may pass over what is none.
        let is_bounded = all(abs(velocity) < vec3<f32>(FAR)) && all(abs(rim) < vec3<f32>(FAR));
        let speed = sqrt(dot(velocity, velocity)) + sqrt(dot(rim, rim));
        fastest = max(fastest, select(FAR, speed, is_bounded));
    }
    return fastest;
}

fn take_step() {
    rows = 0u;
    merged = 0u;
    depth = 0.0;
    free_motion();
    search_walls();
    search_pairs();
    if is_full {
        answers[lane].over = FULL;
        return;
    }
    for (var row = 0u; row < rows; row++) {
        prepare(row);
    }
    for (var sweep = 0u; sweep < SWEEPS; sweep++) {
        for (var place = 0u; place < rows; place++) {
            move_apart(select(place, rows - 1u - place, (sweep & 1u) != 0u));
        }
    }
    keep_closed();
    for (var row = 0u; row < rows; row++) {
        let own = of_row(RUB, row);
        push_both(words[row * lanes + lane], of_row(NORMAL, row).xyz, own.w, own.xyz);
    }
    for (var sweep = 0u; sweep < SWEEPS; sweep++) {
        for (var place = 0u; place < rows; place++) {
            push_apart(select(place, rows - 1u - place, (sweep & 1u) != 0u));
        }
    }
    // A start has no penetration but of rounding.
    if answers[lane].done > 0u {
        answers[lane].depth = max(answers[lane].depth, depth);
    }
    answers[lane].done += 1u;
    let largest = finish();
    let fastest = go();
    note(largest, fastest);
}

fn note(largest: f32, fastest: f32) {
    let done = answers[lane].done;
    let rough = (fastest + shared_data.pull) * ROUGH;
    let is_solved = largest <= rough * rough;
    let is_slow = fastest < shared_data.rest_speed;
    answers[lane].all_contacts += rows;
    answers[lane].unsolved += select(1u, 0u, is_solved);
    answers[lane].is_solved = select(0u, 1u, is_solved);
    answers[lane].is_slow = select(0u, 1u, is_slow);
    answers[lane].step_depth = depth;
    if !is_slow {
        answers[lane].slow_since = 0u;
    } else if answers[lane].slow_since == 0u {
        answers[lane].slow_since = done + 1u;
    }
    let since = answers[lane].slow_since;
    if (since != 0u && done + 1u - since >= shared_data.rest_steps) || all(present == vec2<u32>(0u)) {
        answers[lane].over = ENDED;
    }
    // Nothing that grows beyond all bounds comes back.
    if fastest >= FAR {
        answers[lane].over = LOST;
    }
}

// Head and bodies; the fixed one has no velocity and an infinite mass.
fn load() {
    answers[lane].done = items[lane].done;
    answers[lane].over = items[lane].over;
    answers[lane].all_contacts = items[lane].all_contacts;
    answers[lane].unsolved = items[lane].unsolved;
    answers[lane].slow_since = items[lane].slow_since;
    answers[lane].touched = items[lane].touched;
    answers[lane].touch_step = items[lane].touch_step;
    answers[lane].touch_share = items[lane].touch_share;
    answers[lane].depth = items[lane].depth;
    present = items[lane].present;
    remembered = min(items[lane].contacts, ROWS);
    for (var body = 0u; body < BODIES; body++) {
        for (var number = BASE; number <= RIM; number++) {
            set_body(number, body, items[lane].bodies[4u * body + number]);
        }
    }
    for (var number = BASE; number <= AFTER_RIM; number++) {
        set_body(number, BODIES, vec4<f32>(0.0));
    }
    for (var row = 0u; row < remembered; row++) {
        vectors[(MEMORY_AT + row) * lanes + lane] = items[lane].impulses[row];
        words[(ROWS + row) * lanes + lane] = items[lane].keys[row / 4u][row % 4u] & 0xffffu;
    }
}

fn store() {
    answers[lane].present = present;
    answers[lane].contacts = remembered;
    for (var body = 0u; body < BODIES; body++) {
        for (var number = BASE; number <= RIM; number++) {
            answers[lane].bodies[4u * body + number] = of_body(number, body);
        }
        answers[lane].touching[body] = items[lane].touching[body];
    }
    for (var wall = 0u; wall < WALLS; wall++) {
        answers[lane].walls[wall] = items[lane].walls[wall];
    }
    // What was decided stands with the pairs of the last step.
    for (var row = 0u; row < remembered; row++) {
        answers[lane].impulses[row] = vectors[(MEMORY_AT + row) * lanes + lane];
        let decided = (words[row * lanes + lane] >> 14u) & 15u;
        answers[lane].keys[row / 4u][row % 4u] = words[(ROWS + row) * lanes + lane] | (decided << 16u);
    }
    answers[lane].slice = ANSWERED;
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&items) {
        return;
    }
    lane = id.x;
    lanes = arrayLength(&items);
    load();
    let slice = items[lane].slice;
    for (var step = 0u; step < slice && answers[lane].over == NOT_OVER; step++) {
        take_step();
    }
    store();
}
