// Job `lcp`: Lemke's pivots with the lexicographic ratio test, as src/reference/lcp.rs explains them. Problems are scaled.

const COVER: u32 = 2u * SIZE;
const CONSTANT: u32 = 2u * SIZE + 1u;
const COLUMNS: u32 = 2u * SIZE + 2u;

// Of the invocation's problem: its tableau row by row, and the variable of each row.
var<private> tableau: array<f32, SIZE * COLUMNS>;
var<private> basis: array<u32, SIZE>;

fn matrix_entry(item: ptr<function, LcpWire>, row: u32, column: u32) -> f32 {
    return (*item).matrix[2u * row + column / 4u][column % 4u];
}

fn vector_entry(item: ptr<function, LcpWire>, row: u32) -> f32 {
    return (*item).vector[row / 4u][row % 4u];
}

fn fill(item: ptr<function, LcpWire>, unknowns: u32) {
    for (var row = 0u; row < unknowns; row++) {
        let start = row * COLUMNS;
        for (var column = 0u; column < SIZE; column++) {
            tableau[start + column] = select(0.0, 1.0, column == row);
            tableau[start + SIZE + column] = -matrix_entry(item, row, column);
        }
        tableau[start + COVER] = -1.0;
        tableau[start + CONSTANT] = vector_entry(item, row);
        basis[row] = row;
    }
}

// Whether a row leaves before another.
fn is_before(row: u32, best: u32, entering: u32, unknowns: u32) -> bool {
    let a = row * COLUMNS;
    let b = best * COLUMNS;
    // Ratios times both divisors, which are positive.
    let of_row = tableau[a + CONSTANT] * tableau[b + entering];
    let of_best = tableau[b + CONSTANT] * tableau[a + entering];
    if of_row != of_best {
        return of_row < of_best;
    }
    if basis[row] == COVER || basis[best] == COVER {
        return basis[row] == COVER;
    }
    for (var column = 0u; column < unknowns; column++) {
        let of_row = tableau[a + column] * tableau[b + entering];
        let of_best = tableau[b + column] * tableau[a + entering];
        if of_row != of_best {
            return of_row < of_best;
        }
    }
    return false;
}

// The row that leaves for a variable; as many as there are on a ray.
fn leaving_row(entering: u32, unknowns: u32) -> u32 {
    var best = unknowns;
    for (var row = 0u; row < unknowns; row++) {
        if tableau[row * COLUMNS + entering] > LCP_ZERO {
            if best == unknowns || is_before(row, best, entering, unknowns) {
                best = row;
            }
        }
    }
    return best;
}

// Exchanges the variable of a row for another; the largest magnitude of the new tableau.
fn pivot(leaving: u32, entering: u32, unknowns: u32) -> f32 {
    let head = leaving * COLUMNS;
    let divisor = tableau[head + entering];
    var largest = 0.0;
    for (var column = 0u; column < COLUMNS; column++) {
        let entry = select(tableau[head + column] / divisor, 1.0, column == entering);
        tableau[head + column] = entry;
        largest = max(largest, abs(entry));
    }
    for (var row = 0u; row < unknowns; row++) {
        if row == leaving {
            continue;
        }
        let start = row * COLUMNS;
        let factor = tableau[start + entering];
        for (var column = 0u; column < COLUMNS; column++) {
            let entry = tableau[start + column] - factor * tableau[head + column];
            tableau[start + column] = entry;
            largest = max(largest, select(abs(entry), 0.0, column == entering));
        }
        tableau[start + entering] = 0.0;
    }
    basis[leaving] = entering;
    return largest;
}

// w = M z + q of a row.
fn slack(item: ptr<function, LcpWire>, z: ptr<function, array<f32, SIZE>>, row: u32) -> f32 {
    var sum = vector_entry(item, row);
    for (var column = 0u; column < SIZE; column++) {
        sum += matrix_entry(item, row, column) * (*z)[column];
    }
    return sum;
}

// z, corrected by what the equations as they were given leave.
fn solution(item: ptr<function, LcpWire>, unknowns: u32) -> array<f32, SIZE> {
    var z = array<f32, SIZE>();
    var is_basic = array<bool, SIZE>();
    for (var row = 0u; row < unknowns; row++) {
        let variable = basis[row];
        if variable < SIZE {
            is_basic[variable] = true;
        } else {
            z[variable - SIZE] = tableau[row * COLUMNS + CONSTANT];
        }
    }
    for (var correction = 0u; correction < CORRECTIONS; correction++) {
        var w = array<f32, SIZE>();
        for (var row = 0u; row < unknowns; row++) {
            // Equations with a w of their own hold whatever z is.
            if !is_basic[row] {
                w[row] = slack(item, &z, row);
            }
        }
        for (var row = 0u; row < unknowns; row++) {
            if basis[row] >= SIZE {
                for (var column = 0u; column < unknowns; column++) {
                    z[basis[row] - SIZE] += tableau[row * COLUMNS + column] * w[column];
                }
            }
        }
    }
    for (var index = 0u; index < SIZE; index++) {
        z[index] = max(z[index], 0.0);
    }
    return z;
}

fn solves(item: ptr<function, LcpWire>, z: ptr<function, array<f32, SIZE>>, unknowns: u32) -> bool {
    for (var row = 0u; row < unknowns; row++) {
        var terms = abs(vector_entry(item, row));
        for (var column = 0u; column < SIZE; column++) {
            terms += abs(matrix_entry(item, row, column) * (*z)[column]);
        }
        let w = slack(item, z, row);
        let least = -LCP_SOLVED * terms;
        if w < least || ((*z)[row] > 0.0 && w > -least) {
            return false;
        }
    }
    return true;
}

fn without_solution(status: u32, pivots: u32) -> LcpAnswerWire {
    return LcpAnswerWire(array<vec4<f32>, 2>(), status, pivots, 0u, 0u);
}

fn lcp(given: LcpWire) -> LcpAnswerWire {
    var item = given;
    let unknowns = item.unknowns;
    var leaving = 0u;
    for (var row = 1u; row < unknowns; row++) {
        // Of equal ones the last: lexicographically the least.
        if vector_entry(&item, row) <= vector_entry(&item, leaving) {
            leaving = row;
        }
    }
    if vector_entry(&item, leaving) >= 0.0 {
        return without_solution(LCP_SOLVED_STATUS, 0u);
    }
    fill(&item, unknowns);
    var entering = COVER;
    for (var pivots = 1u; pivots <= MAX_PIVOTS; pivots++) {
        let left = basis[leaving];
        if pivot(leaving, entering, unknowns) > LCP_LARGEST {
            return without_solution(LCP_INACCURATE_STATUS, pivots);
        }
        if left == COVER {
            var z = solution(&item, unknowns);
            if !solves(&item, &z, unknowns) {
                return without_solution(LCP_INACCURATE_STATUS, pivots);
            }
            let halves = array<vec4<f32>, 2>(vec4<f32>(z[0], z[1], z[2], z[3]), vec4<f32>(z[4], z[5], z[6], z[7]));
            return LcpAnswerWire(halves, LCP_SOLVED_STATUS, pivots, 0u, 0u);
        }
        entering = select(left - SIZE, left + SIZE, left < SIZE);
        leaving = leaving_row(entering, unknowns);
        if leaving == unknowns {
            return without_solution(LCP_RAY_STATUS, pivots);
        }
    }
    return without_solution(LCP_NOT_CONVERGED_STATUS, MAX_PIVOTS);
}
