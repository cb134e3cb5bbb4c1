// Job `box_normal`: the normal of each box where its contact vector pierces it.

@group(0) @binding(0) var<storage, read> boxes: array<Box>;
@group(0) @binding(1) var<storage, read_write> answers: array<BoxAnswer>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&boxes) {
        return;
    }
    let pierced = pierce(boxes[id.x]);
    if pierced.is_sharp {
        answers[id.x] = BoxAnswer(vec3<f32>(), BOX_DEGENERATE | pierced.faces << BOX_STATUS_BITS);
        return;
    }
    answers[id.x] = BoxAnswer(pierced.normal, BOX_OK | pierced.faces << BOX_STATUS_BITS);
}
