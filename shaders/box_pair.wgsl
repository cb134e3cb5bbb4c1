// Job `box_normal` for pairs: the direction of the force on the second box from the first (errata 003.4).

struct BoxPair {
    one: Box,
    two: Box,
}

@group(0) @binding(0) var<storage, read> pairs: array<BoxPair>;
@group(0) @binding(1) var<storage, read_write> answers: array<BoxAnswer>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&pairs) {
        return;
    }
    let one = pierce(pairs[id.x].one);
    let two = pierce(pairs[id.x].two);
    let on_face1 = one.faces == 1u;
    let on_face2 = two.faces == 1u;
    // The number of the case: edges and corners of the first box count 2, of the second 1.
    let case_number = select(2u, 0u, on_face1) + select(1u, 0u, on_face2);
    var normal = -two.normal;
    if on_face1 && (!on_face2 || one.slope < two.slope) {
        normal = one.normal;
    }
    var has_none = one.is_sharp || two.is_sharp;
    if !on_face1 && !on_face2 {
        let difference = one.normal - two.normal;
        let size = length(difference);
        has_none = has_none || size <= SAME_NORMALS;
        normal = difference / select(size, 1.0, has_none);
    }
    if has_none {
        answers[id.x] = BoxAnswer(vec3<f32>(), BOX_DEGENERATE | case_number << BOX_STATUS_BITS);
        return;
    }
    answers[id.x] = BoxAnswer(normal, BOX_OK | case_number << BOX_STATUS_BITS);
}
