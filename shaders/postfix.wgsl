// Job `entry_point` by the words of the program, read from left to right with a stack: slower than walks, and nothing in
// common with them but the leaves.
//
// # Conventions
// As in the program's documentation. Points are relative to the scene's origin. A search goes from crossing to crossing:
// to lambda, and over the borders there up to a rank.

// What an expression says of the ray from some crossing on: the least one at which it can begin, FAR for never.
struct Candidate {
    lambda: f32,
    rank: u32,
    leaf: u32,
}

fn is_before(a: Candidate, b: Candidate) -> bool {
    return a.lambda < b.lambda || (a.lambda == b.lambda && a.rank < b.rank);
}

fn later(a: Candidate, b: Candidate) -> Candidate {
    if is_before(a, b) {
        return b;
    }
    return a;
}

@group(0) @binding(0) var<uniform> program: ProgramHead;
// Operation and count, where the constants begin, first leaf, rank.
@group(0) @binding(1) var<storage, read> instructions: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> constants: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> rays: array<RayWire>;
@group(0) @binding(4) var<storage, read_write> entry_points: array<EntryPointWire>;

var<private> rounds: u32;

fn solid_interval(operation: u32, at: u32, count: u32, x1: vec3<f32>, x2: vec3<f32>) -> Interval {
    if operation == OP_CELL {
        var all = everywhere();
        for (var index = 0u; index < count; index++) {
            let plane = constants[at + index];
            let inside = half_space_interval(plane.xyz, plane.w, x1, x2);
            all.plane = select(all.plane, index, inside.enter > all.enter);
            all.enter = max(all.enter, inside.enter);
            all.exit = min(all.exit, inside.exit);
        }
        return all;
    }
    if operation == OP_STRETCHED {
        let to_local = mat3x3<f32>(constants[at + 1u].xyz, constants[at + 2u].xyz, constants[at + 3u].xyz);
        let base = at + STRETCHED_CONSTANTS;
        let offset = to_local * (x1 - constants[at].xyz) - constants[base].xyz;
        return curved_interval(count >> 1u, base, offset, to_local * (x2 - x1));
    }
    return curved_interval(operation, at, x1 - constants[at].xyz, x2 - x1);
}

fn curved_interval(operation: u32, at: u32, offset: vec3<f32>, direction: vec3<f32>) -> Interval {
    let radius = constants[at].w;
    if operation == OP_SPHERE {
        return ball_interval(offset, direction, radius);
    }
    let axis = constants[at + 1u];
    if operation == OP_CYLINDER || operation == OP_SHORT_CYLINDER {
        return cylinder_interval(axis.xyz, radius, axis.w, offset, direction);
    }
    if operation == OP_CAPSULE {
        return capsule_interval(axis.xyz, radius, axis.w, offset, direction);
    }
    return cone_interval(axis.xyz, radius, axis.w, constants[at + 2u].xy, offset, direction);
}

fn candidate_of(instruction: vec4<u32>, x1: vec3<f32>, x2: vec3<f32>, first: Candidate) -> Candidate {
    let operation = instruction.x & 255u;
    let count = instruction.x >> 8u;
    if operation == OP_NOTHING {
        return Candidate(FAR, 0u, LEAF_NONE);
    }
    if operation == OP_EVERYTHING {
        return first;
    }
    let inside = solid_interval(operation, instruction.y, count, x1, x2);
    let leaf = instruction.z + inside.plane;
    if operation != OP_CELL && (count & 1u) == 1u {
        // The closed complement keeps both ends of the interval.
        if first.lambda <= inside.enter {
            return first;
        }
        return later(first, Candidate(inside.exit, instruction.w, leaf));
    }
    if inside.enter > inside.exit || first.lambda > inside.exit {
        return Candidate(FAR, 0u, LEAF_NONE);
    }
    return later(first, Candidate(inside.enter, instruction.w, leaf));
}

// One pass: the least crossing from `first` on at which the scene can begin.
fn pass_from(x1: vec3<f32>, x2: vec3<f32>, first: Candidate) -> Candidate {
    var stack: array<Candidate, STACK_DEPTH>;
    var top = 0u;
    rounds += 2u;
    for (var index = 0u; index < program.instructions; index++) {
        let instruction = instructions[index];
        rounds += 2u + (instruction.x >> 8u);
        let operation = instruction.x & 255u;
        if operation == OP_UNION || operation == OP_INTERSECTION {
            top -= 1u;
            let left = stack[top - 1u];
            let right = stack[top];
            if select(is_before(left, right), is_before(right, left), operation == OP_UNION) {
                stack[top - 1u] = right;
            }
        } else {
            stack[top] = candidate_of(instruction, x1, x2, first);
            top += 1u;
        }
    }
    return stack[0];
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&rays) {
        return;
    }
    let ray = rays[id.x];
    // What begins where the ray does is behind it.
    var found = Candidate(ray.lambda1, LAST_RANK, LEAF_NONE);
    var status = RAY_NOT_CONVERGED;
    while rounds < program.rounds {
        let next = pass_from(ray.x1, ray.x2, found);
        if next.lambda > ray.lambda2 {
            status = RAY_MISS;
            break;
        }
        if !is_before(found, next) {
            status = RAY_HIT;
            break;
        }
        found = next;
    }
    if rounds >= program.rounds {
        status = RAY_NOT_CONVERGED;
    }
    if ray.lambda1 > ray.lambda2 {
        status = RAY_BAD_INPUT;
    }
    entry_points[id.x] = EntryPointWire(found.lambda, status | (found.leaf << STATUS_BITS));
}
