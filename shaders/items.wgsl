// One answer for each item, by the function `answer` of a job from `Item` to `Answer`.

@group(0) @binding(0) var<storage, read> items: array<Item>;
@group(0) @binding(1) var<storage, read_write> answers: array<Answer>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&items) {
        return;
    }
    answers[id.x] = answer(items[id.x]);
}
