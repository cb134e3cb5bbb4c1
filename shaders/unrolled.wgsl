// The search for a ray's first point by code made for one scene: the stops of the walk one after another, their
// constants among the instructions. `walk.wgsl` is its other form, for any scene; the steps are the same.
//
// `walk_once` stands before this, made from the scene.

// What a walk over the stops needs and finds.
struct Search {
    x1: vec3<f32>,
    x2: vec3<f32>,
    // Where on the ray the walk asks, and where the ray ends.
    lambda: f32,
    lambda2: f32,
    // The nearest place at which one of the failed leaves is entered: lambda, border, and its number in the scene.
    nearest: f32,
    stop: u32,
    plane: u32,
    leaf: u32,
    exact: bool,
}

// True inside a stop's leaf; outside the search notes where the ray enters it.
fn is_within(search: ptr<function, Search>, interval: Interval, stop: u32, leaf: u32, complemented: bool, exact: bool) -> bool {
    let lambda = (*search).lambda;
    let within = lambda >= interval.enter && lambda <= interval.exit;
    // The closed complement keeps both ends of the interval.
    let strictly_within = lambda > interval.enter && lambda < interval.exit;
    if select(within, !strictly_within, complemented) {
        return true;
    }
    let empty = interval.enter > interval.exit;
    let ahead = select(interval.enter, interval.exit, complemented);
    let number = leaf + interval.plane;
    let nearest = (*search).nearest;
    // Of two borders in one place the one that is first in the scene counts, whatever the order of the walk.
    if !empty && ahead > lambda && ahead <= (*search).lambda2
        && (ahead < nearest || (ahead == nearest && number < (*search).leaf)) {
        (*search).nearest = ahead;
        (*search).stop = stop;
        (*search).plane = interval.plane;
        (*search).leaf = number;
        (*search).exact = exact;
    }
    return false;
}

fn first_entry(x1: vec3<f32>, x2: vec3<f32>, lambda1: f32, lambda2: f32) -> Entry {
    var found = Entry(RAY_NOT_CONVERGED, lambda1, NO_STOP, 0u);
    rounds += 1u;
    while rounds < scene.rounds {
        rounds += 1u;
        var search = Search(x1, x2, found.lambda, lambda2, FAR, NO_STOP, 0u, LEAF_NONE, false);
        if walk_once(&search) {
            found.status = RAY_HIT;
            break;
        }
        if search.nearest > lambda2 {
            found.status = RAY_MISS;
            break;
        }
        found = Entry(RAY_NOT_CONVERGED, search.nearest, search.stop, search.plane);
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
