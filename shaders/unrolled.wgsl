// The search for a ray's first point by code made for one scene: the stops of the walk one after another, their
// constants among the instructions. `walk.wgsl` is its other form, for any scene; the steps are the same.
//
// `walk_once` stands before this, made from the scene.

// What a walk over the stops needs and finds.
struct Search {
    x1: vec3<f32>,
    x2: vec3<f32>,
    // Where on the ray the walk asks, up to which rank the borders there have been crossed, and where the ray ends.
    lambda: f32,
    crossed: u32,
    lambda2: f32,
    // The nearest place at which one of the failed leaves is entered: lambda, border and its rank.
    nearest: f32,
    stop: u32,
    plane: u32,
    rank: u32,
    exact: bool,
    // Of the borders at lambda that the walk has crossed on its way the one of the greatest rank.
    last_stop: u32,
    last_plane: u32,
    last_rank: u32,
}

// True inside a stop's leaf; outside the search notes where the ray enters it.
fn is_within(search: ptr<function, Search>, interval: Interval, stop: u32, rank: u32, complemented: bool, exact: bool) -> bool {
    let lambda = (*search).lambda;
    let border = select(interval.enter, interval.exit, complemented);
    // Of the borders at lambda itself some may still be ahead.
    let ahead = border > lambda || (border == lambda && rank > (*search).crossed);
    // The closed complement keeps both ends of the interval.
    let before = complemented && lambda <= interval.enter;
    if before || (!ahead && (complemented || lambda <= interval.exit)) {
        if !before && border == lambda && ((*search).last_stop == NO_STOP || rank > (*search).last_rank) {
            (*search).last_stop = stop;
            (*search).last_plane = interval.plane;
            (*search).last_rank = rank;
        }
        return true;
    }
    let empty = interval.enter > interval.exit;
    let nearest = (*search).nearest;
    if !empty && ahead && border <= (*search).lambda2
        && (border < nearest || (border == nearest && rank < (*search).rank)) {
        (*search).nearest = border;
        (*search).stop = stop;
        (*search).plane = interval.plane;
        (*search).rank = rank;
        (*search).exact = exact;
    }
    return false;
}

fn first_entry(x1: vec3<f32>, x2: vec3<f32>, lambda1: f32, lambda2: f32) -> Entry {
    var found = Entry(RAY_NOT_CONVERGED, lambda1, NO_STOP, 0u);
    // Up to which rank the borders at lambda count as crossed, and the least that the search came to.
    var crossed = LAST_RANK;
    var least_rank = 0u;
    var named_rank = LAST_RANK;
    rounds += 1u;
    while rounds < scene.rounds {
        rounds += 1u;
        // Intervals are the same in every pass. Compilers would compute those of all stops before the first one, and run out of
        // registers.
        frame_origin = place_afresh(frame_origin);
        let x1_of_pass = place_afresh(x1);
        let x2_of_pass = place_afresh(x2);
        var search = Search(
            x1_of_pass, x2_of_pass, found.lambda, crossed, lambda2, FAR, NO_STOP, 0u, LAST_RANK, false, NO_STOP, 0u, 0u
        );
        let inside = walk_once(&search);
        if inside {
            if found.stop == NO_STOP || search.last_stop == NO_STOP {
                found.status = RAY_HIT;
                break;
            }
            found.stop = search.last_stop;
            found.plane = search.last_plane;
            named_rank = search.last_rank;
        } else if crossed != LAST_RANK {
            least_rank = select(named_rank, search.rank, search.nearest == found.lambda);
        }
        if inside || crossed != LAST_RANK {
            if least_rank >= named_rank {
                found.status = RAY_HIT;
                break;
            }
            // Perhaps fewer are enough.
            crossed = least_rank + (named_rank - least_rank) / 2u;
            continue;
        }
        if search.nearest > lambda2 {
            found.status = RAY_MISS;
            break;
        }
        found = Entry(RAY_NOT_CONVERGED, search.nearest, search.stop, search.plane);
        least_rank = search.rank;
        if search.exact {
            found.status = RAY_HIT;
            break;
        }
    }
    if rounds >= scene.rounds || found.status == RAY_NOT_CONVERGED {
        // Whoever asked learns it from the rounds as well.
        rounds = max(rounds, scene.rounds);
        found.status = RAY_NOT_CONVERGED;
    }
    return found;
}
