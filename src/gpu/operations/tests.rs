use super::{CountError, CountedPath, Operations, Reading};

const SOURCE: &str = "
const FAST: bool = true;
var<private> numbers: array<u32, 4>;

fn lengths(v: vec3<f32>) -> f32 { return length(v) + sqrt(v.x); }
fn products(m: mat3x3<f32>, v: vec3<f32>) -> vec3<f32> { return m * v + v * m; }
fn scaled(v: vec4<f32>, s: f32) -> vec4<f32> { return v * s / s - v; }
fn bounded(v: vec2<f32>, limit: f32) -> vec2<f32> {
    return clamp(max(v, vec2<f32>(limit)), -abs(v), select(v, v.yx, v < v.yx));
}
fn crossed(a: vec3<f32>, b: vec3<f32>) -> f32 { return dot(cross(a, b), -b); }
fn whole(a: u32, b: u32) -> u32 { return select(a * b + 1u, max(a, b), a < b); }
fn constant(a: f32) -> f32 { return a * (2.0 / 3.0); }
fn never(a: f32) -> f32 { return a / a / a; }

fn branches(a: f32, which: u32) -> f32 {
    if FAST {
        switch which {
            case 0u, 1u: { return a * a; }
            case 2u: { return never(a); }
            default: {}
        }
        if which == 9u {
            return a + a + a + a;
        }
        return a - a - a;
    }
    return a * a * a * a * a * a;
}

fn rounds(a: f32, count: u32) -> f32 {
    var sum = a;
    for (var index = 0u; index < count; index++) {
        sum += constant(a);
        if sum > 9.0 {
            break;
        }
        for (var inner = 0u; inner < count; inner++) {
            if numbers[inner] == 7u {
                continue;
            }
            sum = sum / a;
        }
    }
    return sum;
}

fn sine(a: f32) -> f32 { return sin(a); }

@compute @workgroup_size(1)
fn main() { numbers[0] = u32(branches(f32(numbers[1]), numbers[2]) + 1.0); }
";

fn counted(function: &str, path: &CountedPath<'_>) -> Result<[f64; 4], CountError> {
    let Operations { additions, multiplications, divisions, comparisons } =
        Reading::new(SOURCE).unwrap().count(function, path)?;
    Ok([additions, multiplications, divisions, comparisons])
}

#[test]
fn operations_of_expressions_are_those_of_their_lanes() {
    for (function, expected) in [
        // Three squares, their sum and its root; another root, and a sum.
        ("lengths", [3.0, 3.0, 2.0, 0.0]),
        // Nine products and six sums each, and a sum of vectors.
        ("products", [15.0, 18.0, 0.0, 0.0]),
        ("scaled", [4.0, 4.0, 4.0, 0.0]),
        // Two lanes of max, two comparisons each of clamp, less and select.
        ("bounded", [0.0, 0.0, 0.0, 10.0]),
        ("crossed", [5.0, 9.0, 0.0, 0.0]),
        ("whole", [0.0; 4]),
        // The quotient is the compiler's.
        ("constant", [0.0, 1.0, 0.0, 0.0]),
    ] {
        assert_eq!(counted(function, &CountedPath::default()), Ok(expected), "{function}");
    }
}

#[test]
fn of_branches_the_costliest_is_counted_that_is_left() {
    // The last return is not come to; of the others three sums cost more than two quotients.
    assert_eq!(counted("branches", &CountedPath::default()), Ok([3.0, 0.0, 0.0, 0.0]));
    let never = CountedPath { never: &["never"], ..CountedPath::default() };
    assert_eq!(counted("branches", &never), Ok([3.0, 0.0, 0.0, 0.0]));
    // What is counted elsewhere is come to, and counts nothing.
    let elsewhere = CountedPath { elsewhere: &["never"], ..CountedPath::default() };
    assert_eq!(counted("branches", &elsewhere), Ok([0.0; 4]));
    assert_eq!(counted("main", &CountedPath::default()), Ok([4.0, 0.0, 0.0, 0.0]));
    assert_eq!(
        counted("main", &CountedPath { never: &["branches"], ..CountedPath::default() }),
        Err(CountError::NoPath("main".into()))
    );
}

#[test]
fn a_round_of_a_loop_counts_as_often_as_is_said() {
    // A sum, a product and a comparison; a quotient.
    assert_eq!(counted("rounds", &CountedPath::default()), Ok([1.0, 1.0, 1.0, 1.0]));
    let rounds = |of: &[u64]| counted("rounds", &CountedPath { rounds: &[("rounds", of)], ..CountedPath::default() });
    assert_eq!(rounds(&[5, 3]), Ok([5.0, 5.0, 15.0, 5.0]));
    assert_eq!(rounds(&[2, 0]), Ok([2.0, 2.0, 0.0, 2.0]));
    assert_eq!(rounds(&[0]), Ok([0.0; 4]));
}

#[test]
fn what_cannot_be_counted_is_refused() {
    assert_eq!(counted("no", &CountedPath::default()), Err(CountError::NoFunction("no".into())));
    let misspelt = CountedPath { never: &["nevr"], ..CountedPath::default() };
    assert_eq!(counted("branches", &misspelt), Err(CountError::NoFunction("nevr".into())));
    assert_eq!(counted("sine", &CountedPath::default()), Err(CountError::Unknown("Sin".into())));
    assert!(matches!(Reading::new("fn f() -> f32 { return 1u; }"), Err(CountError::Invalid(_))));
}
