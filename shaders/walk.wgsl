// The search for a ray's first point by the words of the walk, whatever the scene. `unrolled.wgsl` is its other form.

// What the boxes need to know of a ray.
struct Slope {
    // One over the direction; large where a coordinate does not change.
    inverse: vec3<f32>,
    // Boxes are taken this much larger [m]: a face computed in f32 is off by a few units in the last place of the
    // largest coordinate, and 16 of them are enough.
    margin: f32,
}

fn slope_of(x1: vec3<f32>, x2: vec3<f32>) -> Slope {
    let direction = x2 - x1;
    let still = abs(direction) < vec3<f32>(MIN_SLOPE);
    let largest = max(abs(x1), abs(x2));
    return Slope(
        select(1.0 / select(direction, vec3<f32>(1.0), still), vec3<f32>(1e18), still),
        max(largest.x, max(largest.y, largest.z)) * 16.0 * UNIT_ROUNDOFF,
    );
}

// True when the ray is in the box somewhere from `first` to `last`.
fn meets_box(least: vec4<f32>, greatest: vec4<f32>, x1: vec3<f32>, slope: Slope, first: f32, last: f32) -> bool {
    let low = from_center(x1, least.xyz);
    let high = from_center(x1, greatest.xyz);
    let faces = max(abs(low), abs(high));
    // Boxes carry their own rounding in the fourth constant. Far along the ray the distance of a face from its start
    // rounds as well, each by itself: some are boundless.
    let margin = vec3<f32>(slope.margin + least.w) + 16.0 * UNIT_ROUNDOFF * faces;
    let a = (-low - margin) * slope.inverse;
    let b = (-high + margin) * slope.inverse;
    let near = min(a, b);
    let far = max(a, b);
    return max(first, max(near.x, max(near.y, near.z))) <= min(last, min(far.x, min(far.y, far.z)));
}

fn leaf_interval(stop: vec4<u32>, x1: vec3<f32>, x2: vec3<f32>) -> Interval {
    let kind = stop_kind(stop.x);
    if kind == STOP_CELL {
        var all = everywhere();
        for (var index = 0u; index < (stop.x >> 8u); index++) {
            all = within_plane(all, index, plane_interval(constants[stop.y + index], x1, x2));
        }
        return all;
    }
    let curved = curved_of(stop);
    if is_stretched(stop) {
        return curved_interval(kind, curved, stretched_line(constants[stop.y], to_local_of(stop), curved.base, x1, x2));
    }
    return curved_interval(kind, curved, line_past(curved.base, x1, x2));
}

// When the border of a stop is crossed among those that are met in the same place.
fn rank_of(stop: u32) -> u32 {
    return tables[scene.ranks_at + stop];
}

fn first_entry(x1: vec3<f32>, x2: vec3<f32>, lambda1: f32, lambda2: f32) -> Entry {
    let slope = slope_of(x1, x2);
    // A driver may cut the loop in silence: what has not ended by itself has not converged.
    var found = Entry(RAY_NOT_CONVERGED, lambda1, NO_STOP, 0u);
    // The nearest place at which one of the failed leaves is entered.
    var nearest = FAR;
    var nearest_stop = NO_STOP;
    var nearest_plane = 0u;
    var nearest_exact = false;
    // Up to which rank the borders at lambda count as crossed, and the least that the search came to.
    var crossed = LAST_RANK;
    var least_rank = 0u;
    var named_rank = LAST_RANK;
    // Of the borders at lambda that the walk has crossed on its way the one of the greatest rank.
    var last_stop = NO_STOP;
    var last_plane = 0u;
    var last_rank = 0u;
    var at = scene.start;
    rounds += 1u;
    loop {
        if at == TARGET_INSIDE {
            if found.stop == NO_STOP || last_stop == NO_STOP {
                found.status = RAY_HIT;
                break;
            }
            found.stop = last_stop;
            found.plane = last_plane;
            named_rank = last_rank;
        } else if at == TARGET_OUTSIDE && crossed != LAST_RANK {
            least_rank = select(named_rank, rank_of(nearest_stop), nearest == found.lambda);
        }
        if at == TARGET_INSIDE || (at == TARGET_OUTSIDE && crossed != LAST_RANK) {
            if least_rank >= named_rank {
                found.status = RAY_HIT;
                break;
            }
            // Perhaps fewer are enough.
            crossed = least_rank + (named_rank - least_rank) / 2u;
            nearest = FAR;
            last_stop = NO_STOP;
            at = scene.start;
        } else if at == TARGET_OUTSIDE {
            if nearest > lambda2 {
                found.status = RAY_MISS;
                break;
            }
            found = Entry(RAY_NOT_CONVERGED, nearest, nearest_stop, nearest_plane);
            if nearest_exact {
                found.status = RAY_HIT;
                break;
            }
            least_rank = rank_of(nearest_stop);
            nearest = FAR;
            last_stop = NO_STOP;
            at = scene.start;
        }
        if rounds >= scene.rounds {
            break;
        }
        let stop = stops[at];
        let kind = stop_kind(stop.x);
        if kind == STOP_BOX {
            rounds += 1u;
            let until = min(nearest, lambda2);
            let met = meets_box(constants[stop.y], constants[stop.y + 1u], x1, slope, found.lambda, until);
            at = select(stop.w, stop.z, met);
            continue;
        }
        rounds += 2u + (stop.x >> 8u);
        let interval = leaf_interval(stop, x1, x2);
        let complemented = (stop.x & STOP_COMPLEMENTED) != 0u;
        let border = select(interval.enter, interval.exit, complemented);
        // Of the borders at lambda itself some may still be ahead.
        let ahead = border > found.lambda || (border == found.lambda && rank_of(at) > crossed);
        // The closed complement keeps both ends of the interval.
        let before = complemented && found.lambda <= interval.enter;
        if before || (!ahead && (complemented || found.lambda <= interval.exit)) {
            if !before && border == found.lambda && (last_stop == NO_STOP || rank_of(at) > last_rank) {
                last_stop = at;
                last_plane = interval.plane;
                last_rank = rank_of(at);
            }
            at = stop.z;
            continue;
        }
        let empty = interval.enter > interval.exit;
        if !empty && ahead && border <= lambda2
            && (border < nearest || (border == nearest && rank_of(at) < rank_of(nearest_stop))) {
            nearest = border;
            nearest_stop = at;
            nearest_plane = interval.plane;
            nearest_exact = (stop.x & STOP_EXACT) != 0u;
        }
        at = stop.w;
    }
    if rounds >= scene.rounds || found.status == RAY_NOT_CONVERGED {
        // Whoever asked learns it from the rounds as well.
        rounds = max(rounds, scene.rounds);
        found.status = RAY_NOT_CONVERGED;
    }
    return found;
}
