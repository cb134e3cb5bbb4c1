// Functions of aircraft files: operations whose built-in namesakes have no value everywhere, and tables, whose numbers are in
// `curves`.
//
// # Conventions
// Numbers from BEYOND on are infinite, and INFINITE stands for them. Whether a value is none goes along beside it, in a flag: the
// functions `no_...` say where an operation has no value, what the operations then give means nothing. Numbers that may be
// infinite are added, multiplied and divided by the functions `..._of`.

// What rounding may add to a number of about 1: beside the border of an operation's domain an argument counts as on it.
const ARGUMENT_ROUNDING: f32 = 1e-6;

fn is_infinite(x: f32) -> bool {
    return abs(x) >= BEYOND;
}

fn total_of(a: f32, b: f32) -> f32 {
    let larger = select(b, a, is_infinite(a));
    return select(a + b, select(INFINITE, -INFINITE, larger < 0.0), is_infinite(larger));
}

fn no_total(a: f32, b: f32) -> bool {
    return is_infinite(a) & is_infinite(b) & ((a < 0.0) != (b < 0.0));
}

fn product_of(a: f32, b: f32) -> f32 {
    let infinite = select(INFINITE, -INFINITE, (a < 0.0) != (b < 0.0));
    return select(a * b, infinite, is_infinite(a) | is_infinite(b));
}

fn no_product(a: f32, b: f32) -> bool {
    return (is_infinite(a) & (b == 0.0)) | (is_infinite(b) & (a == 0.0));
}

fn quotient_of(a: f32, b: f32) -> f32 {
    let infinite = select(INFINITE, -INFINITE, (a < 0.0) != (b < 0.0));
    let value = select(quotient(a, b), infinite, is_infinite(a) & (b != 0.0));
    return select(value, 0.0, is_infinite(b));
}

fn quotient(a: f32, b: f32) -> f32 {
    let by = select(b, 1.0, b == 0.0);
    return select(a / by, INFINITE, b == 0.0);
}

fn root(x: f32) -> f32 {
    return select(select(sqrt(max(x, 0.0)), INFINITE, is_infinite(x)), -INFINITE, x < 0.0);
}

// The built-in log2, exp2 and pow may be off by some 1e-5 of their value; these are off by some units in the last place, and
// a power by those times its exponent of 2.
fn binary_logarithm_of(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    var exponent = i32(bits >> 23u) - 127;
    var mantissa = bitcast<f32>((bits & 0x007fffffu) | 0x3f800000u);
    if mantissa > 1.41421356 {
        mantissa *= 0.5;
        exponent += 1;
    }
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let z = t * t;
    let series = (((z / 9.0 + 1.0 / 7.0) * z + 0.2) * z + 1.0 / 3.0) * z;
    return f32(exponent) + 2.88539008 * (t + t * series);
}

fn binary_exponential(x: f32) -> f32 {
    let held = clamp(x, -126.0, 127.0);
    let whole = round(held);
    let z = (held - whole) * 0.69314718;
    let series = 1.0 + z * (1.0 + z * (0.5 + z * (1.0 / 6.0 + z * (1.0 / 24.0 + z * (1.0 / 120.0 + z * (1.0 / 720.0))))));
    let scaled = series * bitcast<f32>(u32(i32(whole) + 127) << 23u);
    return select(select(scaled, INFINITE, x > 127.0), 0.0, x < -126.0);
}

fn exponential(x: f32) -> f32 {
    return binary_exponential(x * 1.44269504);
}

fn power(x: f32, y: f32) -> f32 {
    if y == 0.0 {
        return 1.0;
    }
    let is_odd = y == floor(y) && abs(y % 2.0) == 1.0;
    let sign = select(1.0, -1.0, is_odd && x < 0.0);
    if x == 0.0 {
        return select(INFINITE, 0.0, y > 0.0);
    }
    if is_infinite(x) {
        return sign * select(0.0, INFINITE, y > 0.0);
    }
    // An infinite exponent must not overflow.
    return sign * binary_exponential(clamp(y, -BEYOND, BEYOND) * binary_logarithm_of(abs(x)));
}

// Of a negative number only whole powers are numbers.
fn no_power(x: f32, y: f32) -> bool {
    return (x < 0.0) & (y != floor(y)) & !is_infinite(x);
}

// A logarithm by the binary one, `unit` for each 2.
fn logarithm(x: f32, unit: f32) -> f32 {
    let value = unit * binary_logarithm_of(max(x, 1e-37));
    return select(select(value, INFINITE, is_infinite(x)), -INFINITE, x <= 0.0);
}

fn binary_logarithm(x: f32) -> f32 {
    return logarithm(x, 1.0);
}

fn natural_logarithm(x: f32) -> f32 {
    return logarithm(x, 0.69314718);
}

fn decimal_logarithm(x: f32) -> f32 {
    return logarithm(x, 0.30103);
}

fn remainder(a: f32, b: f32) -> f32 {
    let by = select(b, 1.0, b == 0.0);
    return select(a % by, INFINITE, b == 0.0);
}

fn nearest(x: f32) -> f32 {
    return select(1.0, -1.0, x < 0.0) * floor(abs(x) + 0.5);
}

fn tangent(x: f32) -> f32 {
    let turn = sine_cosine(x);
    return quotient(turn.x, turn.y);
}

// Neither a sine nor a cosine.
fn no_arc(x: f32) -> bool {
    return abs(x) > 1.0 + ARGUMENT_ROUNDING;
}

fn arc_sine(x: f32) -> f32 {
    return angle_of(x, sqrt(max((1.0 - x) * (1.0 + x), 0.0)));
}

fn arc_cosine(x: f32) -> f32 {
    return angle_of(sqrt(max((1.0 - x) * (1.0 + x), 0.0)), x);
}

fn truth(is_true: bool) -> f32 {
    return select(0.0, 1.0, is_true);
}

fn is_true(x: f32) -> bool {
    return abs(x) >= 0.5;
}

// Neither 0 nor 1.
fn no_truth(x: f32) -> bool {
    return (abs(x) > ARGUMENT_ROUNDING) & (abs(x - 1.0) > ARGUMENT_ROUNDING);
}

// Of this many cases none is chosen.
fn no_case(x: f32, cases: f32) -> bool {
    return (x < -ARGUMENT_ROUNDING) | (x >= cases - 0.5);
}

// The cell of an argument among points, and its share of the way through it, held within.
struct Cell {
    number: u32,
    share: f32,
}

fn cell(points: u32, count: u32, x: f32) -> Cell {
    var low = 0u;
    var high = count - 1u;
    // Halves what is left: as many rounds as an index has bits.
    for (var round = 0u; round < 32u && high > low + 1u; round += 1u) {
        let middle = (low + high) / 2u;
        if curves[points + middle] < x {
            low = middle;
        } else {
            high = middle;
        }
    }
    if count < 2u {
        return Cell(0u, 0.0);
    }
    let begin = curves[points + low];
    let width = curves[points + low + 1u] - begin;
    // Of points that differ in f64 alone; only the first two and the last two can be found so, from outside.
    let is_jump = width <= 0.0;
    let share = clamp((x - begin) / select(width, 1.0, is_jump), 0.0, 1.0);
    return Cell(low, select(share, select(0.0, 1.0, x > begin), is_jump));
}

// At `place`: points, then a value for each.
fn on_line(place: u32, count: u32, x: f32) -> f32 {
    let at = cell(place, count, x);
    let values = place + count + at.number;
    let low = curves[values];
    // At the share 1 it is the next value itself.
    return select(low + at.share * (curves[min(values + 1u, place + 2u * count - 1u)] - low), low, at.share == 0.0);
}

// At `place`: points of rows, points of columns, then values row by row.
fn on_grid(place: u32, rows: u32, columns: u32, x: f32, y: f32) -> f32 {
    let row = cell(place, rows, x);
    let column = cell(place + rows, columns, y);
    let values = place + rows + columns;
    let next_row = min(row.number + 1u, rows - 1u);
    let next_column = min(column.number + 1u, columns - 1u);
    let first = values + row.number * columns;
    let second = values + next_row * columns;
    let left = row.share * curves[second + column.number] + (1.0 - row.share) * curves[first + column.number];
    let right = row.share * curves[second + next_column] + (1.0 - row.share) * curves[first + next_column];
    return left + column.share * (right - left);
}

// At `place`: points, then place, rows and columns of a grid for each.
fn on_blocks(place: u32, count: u32, x: f32, y: f32, z: f32) -> f32 {
    let at = cell(place, count, z);
    let head = place + count + 3u * at.number;
    let low = on_grid(u32(curves[head]), u32(curves[head + 1u]), u32(curves[head + 2u]), x, y);
    if at.share == 0.0 {
        return low;
    }
    let next = head + 3u;
    let high = on_grid(u32(curves[next]), u32(curves[next + 1u]), u32(curves[next + 2u]), x, y);
    return low + (high - low) * at.share;
}

// At `place`: points, then place and number of blocks for each, and a number that is not used.
fn on_blocks_of_blocks(place: u32, count: u32, x: f32, y: f32, z: f32, w: f32) -> f32 {
    let at = cell(place, count, w);
    let head = place + count + 3u * at.number;
    let low = on_blocks(u32(curves[head]), u32(curves[head + 1u]), x, y, z);
    if at.share == 0.0 {
        return low;
    }
    let next = head + 3u;
    let high = on_blocks(u32(curves[next]), u32(curves[next + 1u]), x, y, z);
    return low + (high - low) * at.share;
}
