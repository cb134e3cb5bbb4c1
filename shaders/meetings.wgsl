// Job `meetings`: which boxes of a tree each box meets.
//
// A tree is walked depth first without a stack: eight boxes that follow each other have the box around them at an eighth
// of their place one level up. Levels are filled up with boxes that meet nothing.

struct TreeBox {
    least: vec3<u32>,
    // Of a body.
    number: u32,
    greatest: vec3<u32>,
    unused: u32,
}

struct Lookup {
    least: vec3<u32>,
    // Where the tree's levels begin among those of all.
    levels_at: u32,
    greatest: vec3<u32>,
    least_number: u32,
    // The box to begin with.
    level: u32,
    place: u32,
    // The level of the one box around all.
    top: u32,
    unused: u32,
}

struct LookupAnswer {
    status: u32,
    // The box to go on with.
    level: u32,
    place: u32,
    count: u32,
    places: array<u32, MOST_PLACES>,
}

// Where each level of each tree begins among the boxes.
@group(0) @binding(0) var<storage, read> levels: array<u32>;
@group(0) @binding(1) var<storage, read> boxes: array<TreeBox>;
@group(0) @binding(2) var<storage, read> lookups: array<Lookup>;
@group(0) @binding(3) var<storage, read_write> answers: array<LookupAnswer>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&lookups) {
        return;
    }
    let lookup = lookups[id.x];
    var level = lookup.level;
    var place = lookup.place;
    var count = 0u;
    var status = LOOKUP_UNFINISHED;
    for (var round = 0u; round < ROUNDS && count < MOST_PLACES; round++) {
        let bounds = boxes[levels[lookup.levels_at + level] + place];
        if all(lookup.least <= bounds.greatest) && all(bounds.least <= lookup.greatest) {
            if level > 0u {
                level -= 1u;
                place *= CHILDREN;
                continue;
            }
            if bounds.number >= lookup.least_number {
                answers[id.x].places[count] = place;
                count += 1u;
            }
        }
        // Behind the last of eight boxes comes the one behind that around them, which may be a last one too.
        place += 1u;
        let up = min(countTrailingZeros(place) / CHILDREN_BITS, lookup.top - level);
        place >>= up * CHILDREN_BITS;
        level += up;
        if level == lookup.top {
            status = LOOKUP_FINISHED;
            break;
        }
    }
    answers[id.x].status = status;
    answers[id.x].level = level;
    answers[id.x].place = place;
    answers[id.x].count = count;
}
