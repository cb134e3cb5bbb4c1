// What job `entry_point` takes and gives.

struct Ray {
    // Point at lambda = 0, and where the search starts.
    x1: vec3<f32>,
    lambda1: f32,
    // Point at lambda = 1, and where the search ends.
    x2: vec3<f32>,
    lambda2: f32,
}

struct EntryPoint {
    lambda: f32,
    // Status in the lowest bits, then the leaf; LEAF_NONE when the ray starts inside.
    status_and_leaf: u32,
}
