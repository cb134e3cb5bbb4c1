// Structural points swept through the scene.

// Rounding of places and distances as a share of the lengths in them, derived in the documentation of the job.
const STRUCTURE_ROUNDING = 64.0 * UNIT_ROUNDOFF;

// The first point, counted from 1, that meets the scene on its way from one pose to the next; 0 for none. A point that
// was `clear` away from the scene cannot touch it before it has travelled that far.
fn sweep(before: Body, after: Body) -> u32 {
    let place = abs(frame_origin) + abs(after.position);
    let size = place.x + place.y + place.z + vehicle.reach;
    // No point is farther from where it was: a turn moves it by the difference of the two matrices, whose norm is at most
    // Frobenius', times its distance from the centre.
    let turned = after.to_world - before.to_world;
    let turned_squared = dot(turned[0], turned[0]) + dot(turned[1], turned[1]) + dot(turned[2], turned[2]);
    let travel = length(after.position - before.position)
        + sqrt(turned_squared) * vehicle.reach
        + STRUCTURE_ROUNDING * size;
    var struck = 0u;
    rounds += 1u;
    for (var index = 0u; index < POINTS; index++) {
        rounds += 1u;
        set_state_clear(index, state_clear(index) - travel);
        if state_clear(index) > 0.0 {
            continue;
        }
        let point = vehicle.points[index].xyz;
        let from_place = before.position + before.to_world * point;
        let to_place = after.position + after.to_world * point;
        // Beyond `size` the rounding of the difference above would be larger than what it is allowed.
        set_state_clear(index, min(clearance_from(scene.start, to_place), size));
        if state_clear(index) <= travel && first_entry(from_place, to_place, 0.0, 1.0).status == RAY_HIT {
            struck = index + 1u;
            break;
        }
    }
    return struck;
}
