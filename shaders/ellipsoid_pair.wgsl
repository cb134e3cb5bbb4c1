// Job `ellipsoid`, pairs: the contact function of Perram and Wertheim. The engines on the processor have the derivation
// and the same steps; here the frame's numbers are f32.

// Two rows are at right angles when the square of their product is at most this share of that of their lengths.
const RIGHT_ANGLE = 1e-12;
// Turns of all pairs of rows, at most.
const SWEEPS = 12u;
// Rounds of Newton's method, at most.
const ROUNDS = 40u;
// The search ends when a round moves the logarithm of z by less: what is left is of the order of the square.
const MIN_STEP = 1e-4;
// It also ends where the two sides of the equation are as equal as some 16 roundings on either let them be: between discs
// many z make them so, and steps that are made of rounding would go on.
const ROUNDING = 2e-6;
// A round moves it by no more: as far as the approximate exponential rises.
const MAX_STEP = 6.0;
// A guess that is off by more in the logarithm of z, as the first round sees it, is worse than none.
const POOR_GUESS = 1.0;
// Centres nearer than this, in units of A's radius between them, coincide.
const CONCENTRIC = 1e-30;

// Coordinates in which A is the unit ball.
struct BallFrame {
    // Rows that are turned towards right angles to each other.
    rows: array<vec3<f32>, 3>,
    // The frame's axes along those of A.
    turn: array<vec3<f32>, 3>,
    // The other centre, in units of its greatest coordinate before turning.
    center: vec3<f32>,
    unit: f32,
}

struct Sums {
    m: vec3<f32>,
    p: f32,
    q: f32,
    t: f32,
}

// A rotation by the smaller of the two angles that make two rows perpendicular: cosine, sine; sine 0 where they are.
fn rotation(first: vec3<f32>, second: vec3<f32>) -> vec2<f32> {
    let ii = dot(first, first);
    let kk = dot(second, second);
    let ik = dot(first, second);
    if ik * ik <= RIGHT_ANGLE * ii * kk {
        return vec2<f32>(1.0, 0.0);
    }
    let difference = kk - ii;
    let root = sqrt(difference * difference + 4.0 * ik * ik);
    let tangent = 2.0 * ik / (difference + select(root, -root, difference < 0.0));
    let cosine = inverseSqrt(1.0 + tangent * tangent);
    return vec2<f32>(cosine, cosine * tangent);
}

fn turned(a: vec3<f32>, b: vec3<f32>, r: vec2<f32>) -> array<vec3<f32>, 2> {
    return array<vec3<f32>, 2>(a * r.x - b * r.y, a * r.y + b * r.x);
}

fn diagonalize(frame: ptr<function, BallFrame>) {
    var r = array<vec3<f32>, 3>((*frame).rows[0], (*frame).rows[1], (*frame).rows[2]);
    var w = array<vec3<f32>, 3>((*frame).turn[0], (*frame).turn[1], (*frame).turn[2]);
    var c = (*frame).center;
    for (var sweep = 0u; sweep < SWEEPS; sweep++) {
        let first = rotation(r[0], r[1]);
        var rows = turned(r[0], r[1], first);
        var turns = turned(w[0], w[1], first);
        r[0] = rows[0];
        r[1] = rows[1];
        w[0] = turns[0];
        w[1] = turns[1];
        c = vec3<f32>(c.x * first.x - c.y * first.y, c.x * first.y + c.y * first.x, c.z);

        let second = rotation(r[0], r[2]);
        rows = turned(r[0], r[2], second);
        turns = turned(w[0], w[2], second);
        r[0] = rows[0];
        r[2] = rows[1];
        w[0] = turns[0];
        w[2] = turns[1];
        c = vec3<f32>(c.x * second.x - c.z * second.y, c.y, c.x * second.y + c.z * second.x);

        let third = rotation(r[1], r[2]);
        rows = turned(r[1], r[2], third);
        turns = turned(w[1], w[2], third);
        r[1] = rows[0];
        r[2] = rows[1];
        w[1] = turns[0];
        w[2] = turns[1];
        c = vec3<f32>(c.x, c.y * third.x - c.z * third.y, c.y * third.y + c.z * third.x);
        if first.y == 0.0 && second.y == 0.0 && third.y == 0.0 {
            break;
        }
    }
    (*frame).rows = r;
    (*frame).turn = w;
    (*frame).center = c;
}

fn sums_at(z: f32, squares: vec3<f32>, center: vec3<f32>) -> Sums {
    let shrink = 1.0 / (1.0 + z * squares);
    let m = center * shrink;
    let on_other = squares * m * m;
    return Sums(m, dot(m, m), on_other.x + on_other.y + on_other.z, dot(on_other, shrink));
}

// The natural logarithm near 1 of the square root of a number: exact at 1, of the right sign everywhere.
fn half_logarithm(number: f32) -> f32 {
    let y = sqrt(sqrt(number));
    let s = (y - 1.0) / (y + 1.0);
    return 4.0 * s * (15.0 - 4.0 * s * s) / (15.0 - 9.0 * s * s);
}

// The exponential near 0, positive and rising up to MAX_STEP on either side.
fn exponential(number: f32) -> f32 {
    let quarter = 0.25 * number;
    let even = 1.0 + quarter * quarter / 3.0;
    let root = (even + quarter) / (even - quarter);
    return root * root;
}

// The contact of a pair.
fn ellipsoid_pair(pair: PairWire) -> PairAnswer {
    let a = axes_of(pair.orientation_a);
    let b = axes_of(pair.orientation_b);
    let half = pair.semi_axes_a;
    let relative = transpose(b) * a;
    var frame: BallFrame;
    for (var k = 0u; k < 3u; k++) {
        frame.rows[k] = relative[k] * pair.semi_axes_b / half[k];
    }
    frame.turn = array<vec3<f32>, 3>(vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(0.0, 1.0, 0.0), vec3<f32>(0.0, 0.0, 1.0));
    let center = (transpose(a) * pair.between) / half;
    frame.unit = max(max(abs(center.x), abs(center.y)), abs(center.z));
    if frame.unit <= CONCENTRIC {
        return PairAnswer(vec3<f32>(), 0.0, vec3<f32>(), 0.0, 0.0, CONTACT_CONCENTRIC, 0u, 0u);
    }
    frame.center = center / frame.unit;
    diagonalize(&frame);

    let e = vec3<f32>(
        dot(frame.rows[0], frame.rows[0]), dot(frame.rows[1], frame.rows[1]), dot(frame.rows[2], frame.rows[2]));
    let c = frame.center;
    var low = (1.0 - MIN_STEP) / sqrt(max(max(e.x, e.y), e.z));
    var high = (1.0 + MIN_STEP) / sqrt(min(min(e.x, e.y), e.z));
    let likely = sqrt(dot(c * c, 1.0 / e) / dot(c, c));
    var z = likely;
    if pair.guess > 0.0 {
        z = pair.guess / (1.0 - pair.guess);
    }
    z = clamp(z, low, high);
    var status = CONTACT_NOT_CONVERGED;
    var rounds = 0u;
    while rounds < ROUNDS {
        rounds++;
        let s = sums_at(z, e, c);
        let ratio = s.p / (z * z * s.q);
        if ratio >= 1.0 {
            low = z;
        }
        if ratio <= 1.0 {
            high = z;
        }
        let slope = s.t / s.q + z * s.t / s.p;
        let over = half_logarithm(ratio);
        let step = clamp(over / slope, -MAX_STEP, MAX_STEP);
        let next = z * exponential(step);
        // Before the guard: rounding makes the last steps leave the bracket.
        if abs(step) < MIN_STEP || abs(over) < ROUNDING {
            z = next;
            status = CONTACT_FOUND;
            break;
        }
        z = select(sqrt(low) * sqrt(high), next, next > low && next < high);
        // From a guess that turns out a poor one the way is long.
        if rounds == 1u && pair.guess > 0.0 && abs(step) > POOR_GUESS {
            z = clamp(likely, low, high);
        }
    }

    let s = sums_at(z, e, c);
    let width_a = sqrt(s.p);
    let both = width_a + sqrt(s.q);
    let apart = frame.unit * dot(c, s.m);
    let in_a = frame.turn[0] * s.m.x + frame.turn[1] * s.m.y + frame.turn[2] * s.m.z;
    let gradient = in_a / half;
    let to_unit = inverseSqrt(dot(gradient, gradient));
    return PairAnswer(
        a * (gradient * to_unit), apart / both,
        a * (in_a * half * frame.unit), width_a / both,
        (apart - both) * to_unit, status, rounds, 0u);
}
