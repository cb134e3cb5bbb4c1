// Job `overlaps`: which boxes of a tree each box meets.
//
// A tree is walked depth first without a stack: eight boxes that follow each other have the box around them at an eighth
// of their place one level up. Levels are filled up with boxes that meet nothing.

// Where each level of each tree begins among the boxes.
@group(0) @binding(0) var<storage, read> levels: array<u32>;
@group(0) @binding(1) var<storage, read> boxes: array<TreeBox>;
@group(0) @binding(2) var<storage, read> queries: array<OverlapQuery>;
@group(0) @binding(3) var<storage, read_write> answers: array<QueryAnswer>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&queries) {
        return;
    }
    let query = queries[id.x];
    var level = query.level;
    var place = query.place;
    var count = 0u;
    var status = QUERY_UNFINISHED;
    for (var round = 0u; round < ROUNDS && count < MAX_PLACES; round++) {
        let bounds = boxes[levels[query.levels_at + level] + place];
        if all(query.least <= bounds.greatest) && all(bounds.least <= query.greatest) {
            if level > 0u {
                level -= 1u;
                place *= CHILDREN;
                continue;
            }
            if bounds.number >= query.least_number {
                answers[id.x].places[count] = place;
                count += 1u;
            }
        }
        // Behind the last of eight boxes comes the one behind that around them, which may be a last one too.
        place += 1u;
        let up = min(countTrailingZeros(place) / CHILDREN_BITS, query.top - level);
        place >>= up * CHILDREN_BITS;
        level += up;
        if level == query.top {
            status = QUERY_FINISHED;
            break;
        }
    }
    answers[id.x].status = status;
    answers[id.x].level = level;
    answers[id.x].place = place;
    answers[id.x].count = count;
}
