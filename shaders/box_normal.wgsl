// Job `box_normal`: boxes with rounded edges (docs/theory/vehicle-boxes.md), as src/reference/box_normal.rs explains them.
// Lengths are in a unit of about the longest side, contact vectors in one of their own.

// Where a contact vector pierces its box.
struct Pierced {
    normal: vec3<f32>,
    // Faces that the place lies between: 1 on a face, 2 on an edge, 3 on a corner.
    faces: u32,
    // Square of the tangent of the angle at the centre between contact vector and normal, of a face.
    slope: f32,
    // A sharp edge or corner: it has no normal.
    is_sharp: bool,
}

// Where the line through a point in this direction leaves the unit ball.
fn rounded(outside: vec3<f32>, direction: vec3<f32>) -> vec3<f32> {
    let square = dot(direction, direction);
    let foot = outside - direction * (dot(outside, direction) / square);
    let half_chord = sqrt(max(1.0 - dot(foot, foot), 0.0) / square);
    let normal = max(foot + direction * half_chord, vec3<f32>());
    return normal / length(normal);
}

fn pierce(body: BoxWire) -> Pierced {
    let zero = vec3<f32>();
    let one = vec3<f32>(1.0);
    let to_world = matrix_of(body.rotation);
    // A row before a matrix is the transposed matrix before a column.
    let local = body.contact * to_world;

    // Where the ray leaves the sharp box, and how deep below each of its faces; not at all on the one that it leaves by.
    let reached = abs(local) / body.half;
    let reach = max(max(reached.x, reached.y), reached.z);
    let leaving = abs(local) / reach;
    let depth = select(max(body.half - leaving, zero), zero, reached == vec3<f32>(reach));
    let sharp = body.radius == 0.0;
    let radius = vec3<f32>(body.radius);
    // Never divided by 0, in the lane that is not taken either.
    let rounding = (radius - min(depth, radius)) / select(body.radius, 1.0, sharp);
    var beyond = select(rounding, select(zero, one, depth == zero), vec3<bool>(sharp));

    // On its way back from a corner the ray may leave the reach of one face before it comes to the rounding.
    if all(beyond > zero) {
        let back = beyond / leaving;
        let first = min(min(back.x, back.y), back.z);
        let there = beyond - leaving * first;
        if dot(there, there) > 1.0 {
            beyond = select(beyond, zero, back == vec3<f32>(first));
        }
    }
    let is_active = beyond > zero;
    let counts = select(vec3<u32>(), vec3<u32>(1u), is_active);
    let faces = counts.x + counts.y + counts.z;
    // A quotient need not be 1 where it should be.
    var normal = select(zero, one, is_active);
    if faces > 1u {
        normal = rounded(beyond, select(zero, leaving, is_active));
    }
    let beside = select(leaving, zero, is_active);
    let along = dot(leaving, select(zero, one, is_active));
    let mirrored_back = select(normal, -normal, local < zero);
    return Pierced(to_world * mirrored_back, faces, dot(beside, beside) / (along * along), sharp && faces > 1u);
}

// The normal of a box where its contact vector pierces it.
fn box_normal(item: BoxWire) -> BoxAnswer {
    let pierced = pierce(item);
    if pierced.is_sharp {
        return BoxAnswer(vec3<f32>(), BOX_DEGENERATE | (pierced.faces << BOX_STATUS_BITS));
    }
    return BoxAnswer(pierced.normal, BOX_OK | (pierced.faces << BOX_STATUS_BITS));
}

// The direction of the force on the second box of a pair from the first (docs/theory/vehicle-boxes.md, 4).
fn box_pair(pair: BoxPairWire) -> BoxAnswer {
    let one = pierce(pair.one);
    let two = pierce(pair.two);
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
        return BoxAnswer(vec3<f32>(), BOX_DEGENERATE | (case_number << BOX_STATUS_BITS));
    }
    return BoxAnswer(normal, BOX_OK | (case_number << BOX_STATUS_BITS));
}
