// Job `entry_point`: the first point of each ray in the scene.

@group(0) @binding(4) var<storage, read> rays: array<RayWire>;
@group(0) @binding(5) var<storage, read_write> entry_points: array<EntryPointWire>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&rays) {
        return;
    }
    // Bound whether the search reads them or not: the group has one layout.
    _ = &stops;
    _ = &constants;
    let ray = rays[id.x];
    let entry = first_entry(ray.x1, ray.x2, ray.lambda1, ray.lambda2);
    var status = select(entry.status, RAY_NOT_CONVERGED, loops_are_cut());
    if ray.lambda1 > ray.lambda2 {
        status = RAY_BAD_INPUT;
    }
    var leaf = LEAF_NONE;
    if status == RAY_HIT && entry.stop != NO_STOP {
        leaf = leaf_of(entry);
    }
    entry_points[id.x] = EntryPointWire(entry.lambda, status | (leaf << STATUS_BITS));
}
