//! Solvers of linear complementarity problems: golden cases, the problems of Siconos, and random ones against enumeration.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use touchdown::lcp::{
    MAX_SOLUTIONS, MAX_SWEEPS, Problem, Solution, Status, TOLERANCE, coloured_gauss_seidel, colours, enumerate,
    gauss_seidel, jacobi, lemke, read_problem, relaxation,
};

use crate::support::random::{Random, test_seed};
use crate::support::{flag, list, number, read_json, text};

/// The dense problems of Siconos, and those of them that are there in blocks too.
const DENSE: [&str; 17] = [
    "CPS_1",
    "CPS_2",
    "CPS_3",
    "CPS_4",
    "CPS_4bis",
    "CPS_5",
    "Pang_isolated_sol",
    "Pang_isolated_sol_perturbed",
    "deudeu",
    "enum_fails",
    "exp_murty",
    "exp_murty2",
    "inf_sol_perturbed",
    "mmc",
    "ortiz",
    "tobenna",
    "trivial",
];
const IN_BLOCKS: [&str; 3] = ["deudeu", "ortiz", "trivial"];

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/siconos").join(name)
}

fn siconos(name: &str) -> Problem {
    read_problem(&data(&format!("lcp_{name}.dat"))).unwrap()
}

fn problem(matrix: &[f64], vector: &[f64]) -> Problem {
    Problem::new(matrix.to_vec(), vector.to_vec()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    list(value).iter().map(number).collect()
}

/// The largest difference of entries, over the largest entry of the second where that is above 1.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let largest = |numbers: &mut dyn Iterator<Item = f64>| numbers.fold(0.0, |largest: f64, x| largest.max(x.abs()));
    largest(&mut a.iter().zip(b).map(|(a, b)| a - b)) / largest(&mut b.iter().copied()).max(1.0)
}

/// Sweeps from zeros, Jacobi's with its own factor; `None` where they cannot be made.
fn by_sweeps(problem: &Problem) -> Option<[Solution; 2]> {
    let zeros = vec![0.0; problem.unknowns()];
    let omega = relaxation(problem).ok()?.omega;
    Some([gauss_seidel(problem, &zeros).unwrap(), jacobi(problem, omega, &zeros).unwrap()])
}

/// Pivots and enumeration are exact but for some n roundings times the condition, which is below 1e3 here. Sweeps end at
/// 1e-10 of the scaled problem, and what is left is as many times that.
#[test]
fn every_solver_gives_the_golden_cases() {
    let cases = read_json("contacts/lcp.json");
    let (mut compared, mut left) = (0, Vec::new());
    for case in list(&cases["cases"]) {
        let (input, expected) = (&case["input"], &case["expected"]);
        let matrix: Vec<f64> = list(&input["A"]).iter().flat_map(numbers).collect();
        let problem = problem(&matrix, &numbers(&input["b"]));
        let (z, w) = (numbers(&expected["z"]), numbers(&expected["w"]));
        // The cases' own rule.
        let loose = if flag(&case["ill_conditioned"]) { 1e3 } else { 1.0 };
        let [by_gauss_seidel, by_jacobi] = by_sweeps(&problem).unwrap();
        let mut solutions =
            vec![("lemke", lemke(&problem), 1e-12), ("pgs", by_gauss_seidel, 1e-7), ("jacobi", by_jacobi, 1e-7)];
        solutions.extend(enumerate(&problem).unwrap().solutions.into_iter().map(|found| ("enumerate", found, 1e-12)));
        for (solver, found, tolerance) in solutions {
            if found.status != Status::Solved {
                left.push(format!("{} {solver} {}", text(&case["id"]), found.status.name()));
                continue;
            }
            let id = text(&case["id"]);
            assert!(distance(&found.w, &w) <= loose * tolerance, "{id} {solver}: {:e}", distance(&found.w, &w));
            if flag(&expected["z_unique"]) {
                assert!(distance(&found.z, &z) <= loose * tolerance, "{id} {solver}: {:e}", distance(&found.z, &z));
            }
            compared += 1;
        }
    }
    println!("{compared} solutions; not found: {left:?}");
    // An ill-conditioned one: the error shrinks by some 1e-4 a sweep.
    assert_eq!((list(&cases["cases"]).len(), left), (30, vec!["lcp-0013 jacobi not_converged".to_owned()]));
}

/// Exact solutions of a problem, and how many bases are singular, as the table has them.
struct Exact {
    solutions: Vec<Vec<f64>>,
    singular: u64,
}

fn exact(name: &str) -> Option<Exact> {
    let mut reader = csv_rows(&data("lcp_solutions.csv"));
    let header = reader.remove(0);
    let column = |name: &str| header.iter().position(|column| column == name).unwrap();
    let rows: Vec<Vec<String>> = reader.into_iter().filter(|row| row[0] == format!("lcp_{name}.dat")).collect();
    let singular = rows.first()?[column("n_singular_bases")].parse().unwrap();
    let z = |row: &Vec<String>| row[column("z_float")].split_whitespace().map(|z| z.parse().unwrap()).collect();
    let solutions: Vec<Vec<f64>> = rows.iter().map(z).filter(|z: &Vec<f64>| !z.is_empty()).collect();
    assert_eq!(solutions.len().to_string(), rows[0][column("n_basic_solutions")]);
    Some(Exact { solutions, singular })
}

fn csv_rows(path: &Path) -> Vec<Vec<String>> {
    fs::read_to_string(path).unwrap().lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn enumeration_finds_the_exact_solutions_of_siconos_and_no_others() {
    let mut compared = 0;
    for name in DENSE {
        let Some(exact) = exact(name) else { continue };
        let found = enumerate(&siconos(name)).unwrap();
        let expected = if exact.solutions.is_empty() { Status::NoSolution } else { Status::Solved };
        assert_eq!((found.status, found.singular_sets), (expected, exact.singular), "{name}");
        assert_eq!(found.solutions.len(), exact.solutions.len(), "{name}");
        for z in &exact.solutions {
            // Relative: the solutions of enum_fails are some 1e-5.
            let size = z.iter().fold(0.0, |largest: f64, z| largest.max(*z));
            let near = |found: &&Solution| distance(&found.z, z) <= 1e-12 * size;
            let found = found.solutions.iter().find(near).unwrap_or_else(|| panic!("{name}: {z:?}"));
            assert_eq!(found.status, Status::Solved);
        }
        compared += 1;
    }
    assert_eq!(compared, 15);
}

/// Triangular matrices have one solution, found row by row, here of whole numbers; with rows of very different sizes, in any order,
/// rounding must not hide it.
#[test]
fn enumeration_finds_the_one_solution_of_triangular_problems_of_any_condition() {
    let mut random = Random::new(test_seed(), 23);
    let mut whole = |most: i64| (random.between(-1.0, 1.0) * most as f64).round();
    let mut positive = 0;
    for _ in 0..2000 {
        let sizes: [f64; 3] = std::array::from_fn(|_| 2f64.powi(-26 * (whole(1).abs() as i32)));
        let (mut z, mut matrix, mut vector) = ([0.0; 3], [0.0; 9], [0.0; 3]);
        for row in 0..3 {
            vector[row] = whole(3);
            let mut rest = vector[row] / sizes[row];
            for column in 0..row {
                let entry = whole(3);
                matrix[3 * row + column] = entry * sizes[row];
                rest += entry * z[column];
            }
            matrix[3 * row + row] = sizes[row];
            z[row] = f64::max(-rest, 0.0);
        }
        let shift = whole(1).abs() as usize;
        let place = |row: usize| (row + shift) % 3;
        let turned: Vec<f64> = (0..9).map(|entry| matrix[3 * place(entry / 3) + place(entry % 3)]).collect();
        let [vector, z] = [vector, z].map(|numbers| std::array::from_fn::<f64, 3, _>(|row| numbers[place(row)]));
        let found = enumerate(&problem(&turned, &vector)).unwrap();
        assert_eq!((found.status, found.solutions.len()), (Status::Solved, 1), "{turned:?} {vector:?} {z:?}");
        let near = |(found, expected): (&f64, &f64)| (found - expected).abs() <= 1e-14 * expected.abs();
        assert!(found.solutions[0].z.iter().zip(&z).all(near), "{:?} {z:?}", found.solutions[0].z);
        positive += usize::from(z.iter().any(|z| *z > 1e7));
    }
    assert!(positive > 200, "{positive} have large solutions");
    // A close neighbour of a singular one, with another solution of some 4e9, whose w is lost in rounding.
    let close = problem(&[1.0, -1.0 - 3.0 * 2f64.powi(-30), -1.0 + 2f64.powi(-29), 1.0], &[3.0, 1.0 - 2f64.powi(-29)]);
    let found = enumerate(&close).unwrap();
    assert_eq!((found.solutions.len(), found.is_complete, &*found.solutions[0].z), (1, false, &[0.0, 0.0][..]));
}

#[test]
fn lemke_solves_the_problems_of_siconos_that_it_can() {
    for name in DENSE {
        let problem = siconos(name);
        let found = lemke(&problem);
        println!("{name}: {} after {} pivots, residual {:e}", found.status.name(), found.iterations, found.residual);
        let expected = match name {
            // A game whose ray is at hand after one pivot, and the problem without a solution.
            "CPS_3" | "Pang_isolated_sol_perturbed" => Status::Ray,
            _ => Status::Solved,
        };
        assert_eq!(found.status, expected, "{name}");
        if expected == Status::Solved {
            assert!(found.residual <= 1e-10, "{name}: {:e}", found.residual);
            assert!(found.z.iter().all(|z| *z >= 0.0), "{name}");
            assert!(distance(&found.w, &problem.slacks(&found.z)) <= 1e-12, "{name}");
            let is_known = |exact: Exact| exact.solutions.iter().any(|z| distance(z, &found.z) <= 1e-12);
            assert!(exact(name).is_none_or(is_known), "{name}: {:?}", found.z);
        } else {
            assert!(found.residual >= 1e-4, "{name}: {:e}", found.residual);
        }
        if name == "exp_murty2" {
            // The worst case of Murty: 2^6 pivots.
            assert_eq!(found.iterations, 64);
        }
    }
}

#[test]
fn blocks_are_read_as_the_same_problems_and_rows_are_not_columns() {
    for name in IN_BLOCKS {
        assert_eq!(siconos(&format!("{name}_block")), siconos(name), "{name}");
    }
    let right = siconos("Pang_isolated_sol");
    assert_eq!(lemke(&right).z, [1.0, 0.0, 0.0]);
    let transposed: Vec<f64> = (0..9).map(|place| right.matrix()[place % 3 * 3 + place / 3]).collect();
    let wrong = enumerate(&problem(&transposed, right.vector())).unwrap();
    assert_eq!(wrong.status, Status::NoSolution);
}

/// What sweeps do with the problems of Siconos: rows of a table in the documentation.
#[test]
fn what_sweeps_can_and_cannot_do_is_as_published() {
    let published = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/lcp.md")).unwrap();
    for name in DENSE {
        let problem = siconos(name);
        let cell = |found: &Solution| format!("{}, {} ({:.0e})", found.status.name(), found.iterations, found.residual);
        let pivots = cell(&lemke(&problem));
        let counted = match enumerate(&problem) {
            Ok(found) => format!("{}, {}", found.status.name(), found.solutions.len()),
            Err(_) => "too large".to_owned(),
        };
        let swept = match by_sweeps(&problem) {
            None => "zero on the diagonal | zero on the diagonal | -".to_owned(),
            Some([by_gauss_seidel, by_jacobi]) => {
                let bound = relaxation(&problem).unwrap().bound;
                let bound = bound.map_or_else(|| "none".to_owned(), |bound| format!("{bound:.3}"));
                format!("{} | {} | {bound}", cell(&by_gauss_seidel), cell(&by_jacobi))
            }
        };
        let row = format!("| {name} | {} | {pivots} | {counted} | {swept} |", problem.unknowns());
        println!("{row}");
        assert!(published.contains(&row), "docs/lcp.md lacks: {row}");
    }
}

/// Kinds of random problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One solution.
    PMatrix,
    /// Positive semidefinite and singular; solvable where it is feasible.
    Semidefinite,
    /// Small whole numbers, rows and constants that repeat, zeros.
    Degenerate,
}

fn random_problem(random: &mut Random, kind: Kind) -> Problem {
    let n = 1 + random.index(12);
    let mut square =
        |entry: &mut dyn FnMut(&mut Random) -> f64| -> Vec<f64> { (0..n * n).map(|_| entry(random)).collect() };
    let mut normal = |random: &mut Random| random.between(-1.0, 1.0);
    let matrix = match kind {
        Kind::Degenerate => {
            let mut matrix = square(&mut |random| random.index(4) as f64 - 1.0);
            // A row again, or a game: zero blocks on the diagonal.
            if n > 1 && random.chance(0.5) {
                matrix.copy_within(0..n, n);
            }
            if random.chance(0.3) {
                (0..n * n)
                    .filter(|place| (place / n < n / 2) == (place % n < n / 2))
                    .for_each(|place| matrix[place] = 0.0);
            }
            matrix
        }
        Kind::PMatrix | Kind::Semidefinite => {
            let (factor, skew) = (square(&mut normal), square(&mut normal));
            let rank = if kind == Kind::PMatrix { n } else { random.index(n) };
            let is_skewed = random.chance(0.5);
            let shift = if kind == Kind::PMatrix { 0.1 } else { 0.0 };
            let entry = |place: usize| {
                let (row, column) = (place / n, place % n);
                let product: f64 = (0..rank).map(|k| factor[row * n + k] * factor[column * n + k]).sum();
                let skew = if is_skewed { skew[place] - skew[column * n + row] } else { 0.0 };
                product + skew + if row == column { shift } else { 0.0 }
            };
            (0..n * n).map(entry).collect()
        }
    };
    let mut vector: Vec<f64> = match kind {
        Kind::Degenerate => (0..n).map(|_| random.index(4) as f64 - 2.0).collect(),
        _ => (0..n).map(|_| normal(random)).collect(),
    };
    if kind == Kind::Semidefinite && random.chance(0.7) {
        // Feasible: w - M z of numbers that are not negative, many of them zero.
        let mut half = || -> Vec<f64> { (0..n).map(|_| random.between(-1.0, 1.0).max(0.0)).collect() };
        let (z, w) = (half(), half());
        let product = problem(&matrix, &vec![0.0; n]).slacks(&z);
        vector = w.iter().zip(product).map(|(w, product)| w - product).collect();
    }
    problem(&matrix, &vector)
}

/// Whether the roundings of w alone, of sums of n terms, can exceed a quarter of the tolerance: of numbers of about 1,
/// where z is 1e5 and more, as it may be where a matrix is singular but for little.
fn is_hidden_by_rounding(problem: &Problem, z: &[f64]) -> bool {
    let terms = |row: usize| problem.row(row).iter().zip(z).map(|(entry, z)| (entry * z).abs()).sum::<f64>();
    let rounding = (0..z.len()).map(terms).fold(0.0, f64::max) * z.len() as f64 * f64::EPSILON;
    rounding > 0.25 * TOLERANCE
}

#[test]
fn lemkes_solutions_of_random_problems_are_among_those_of_enumeration() {
    const PROBLEMS: usize = 10_000;
    let mut random = Random::new(test_seed(), 17);
    let (mut counts, mut hidden, mut open) = (BTreeMap::<String, usize>::new(), 0, 0);
    for item in 0..PROBLEMS {
        let kind = [Kind::PMatrix, Kind::Semidefinite, Kind::Degenerate][item % 3];
        let problem = random_problem(&mut random, kind);
        let (found, all) = (lemke(&problem), enumerate(&problem).unwrap());
        let outcome = format!("{kind:?}: lemke {}, enumeration {}", found.status.name(), all.status.name());
        let shown = || format!("{outcome} of {problem:?}: {found:?}, {:?}", all.solutions);
        if [found.status, all.status].contains(&Status::Inaccurate) {
            let is_hidden = found.status != Status::Inaccurate || is_hidden_by_rounding(&problem, &found.z);
            assert!(kind == Kind::Semidefinite && is_hidden, "{}", shown());
            // What rounding of M makes is a solution to enumeration, which takes entries as they are; to pivots M is singular.
            *if found.status == Status::Ray { &mut open } else { &mut hidden } += 1;
            continue;
        }
        if found.status == Status::Solved {
            // Conditions of singular matrices' bases have no bound; those drawn here are below 1e6.
            let is_found = all.solutions.iter().any(|one| distance(&found.z, &one.z) <= 1e-8);
            assert!(is_found, "{}", shown());
        }
        match kind {
            Kind::PMatrix => assert_eq!((found.status, all.solutions.len()), (Status::Solved, 1), "{}", shown()),
            // Lemke's algorithm processes them: a ray is the proof that there is no solution.
            Kind::Semidefinite => {
                let expected = if all.status == Status::Solved { Status::Solved } else { Status::Ray };
                assert_eq!(found.status, expected, "{}", shown());
            }
            Kind::Degenerate => assert!(matches!(found.status, Status::Solved | Status::Ray), "{}", shown()),
        }
        *counts.entry(outcome).or_default() += 1;
    }
    for (outcome, count) in &counts {
        println!("{count:5} {outcome}");
    }
    println!("{hidden:5} hidden by rounding, {open} left open by enumeration");
    assert!(counts.values().all(|count| *count >= 50) && hidden <= 5 && open <= 250, "{counts:?}, {hidden}, {open}");
    assert_eq!(counts.values().sum::<usize>() + hidden + open, PROBLEMS);
}

/// Lemke's pivots in whole numbers: the tableau times the determinant of the basis (Edmonds 1967), without roundings.
fn exact_pivots(matrix: &[i128], vector: &[i128]) -> (Status, u64) {
    let n = vector.len();
    if vector.iter().all(|q| *q >= 0) {
        return (Status::Solved, 0);
    }
    let row = |i: usize| -> Vec<i128> {
        let w = (0..n).map(|j| i128::from(i == j));
        w.chain(matrix[i * n..(i + 1) * n].iter().map(|entry| -entry)).chain([-1, vector[i]]).collect()
    };
    let mut tableau: Vec<Vec<i128>> = (0..n).map(row).collect();
    let (mut basis, mut determinant): (Vec<usize>, i128) = ((0..n).collect(), 1);
    let least = *vector.iter().min().unwrap();
    let (mut leaving, mut entering) = (vector.iter().rposition(|q| *q == least).unwrap(), 2 * n);
    for pivots in 1.. {
        let (head, pivot) = (tableau[leaving].clone(), tableau[leaving][entering]);
        for (i, row) in tableau.iter_mut().enumerate().filter(|(i, _)| *i != leaving) {
            let factor = row[entering];
            row.iter_mut().zip(&head).for_each(|(x, h)| *x = (*x * pivot - factor * h) / determinant);
            assert!(row[basis[i]] == pivot);
        }
        // Entries are those of the tableau times this, which may be negative.
        determinant = pivot;
        if determinant < 0 {
            tableau.iter_mut().flatten().for_each(|x| *x = -*x);
            determinant = -determinant;
        }
        let left = std::mem::replace(&mut basis[leaving], entering);
        if left == 2 * n {
            return (Status::Solved, pivots);
        }
        entering = if left < n { left + n } else { left - n };
        let mut rows: Vec<usize> = (0..n).filter(|&i| tableau[i][entering] > 0).collect();
        for column in std::iter::once(2 * n + 1).chain(0..n) {
            let compare = |&a: &usize, &b: &usize| {
                (tableau[a][column] * tableau[b][entering]).cmp(&(tableau[b][column] * tableau[a][entering]))
            };
            let Some(least) = rows.iter().copied().min_by(compare) else { return (Status::Ray, pivots) };
            rows.retain(|row| compare(row, &least).is_eq());
            if let Some(&row) = rows.iter().find(|&&row| column == 2 * n + 1 && basis[row] == 2 * n) {
                rows = vec![row];
            }
        }
        leaving = rows[0];
    }
    unreachable!("pivots are counted without end")
}

#[test]
fn lemkes_pivots_are_those_of_whole_numbers_without_roundings() {
    let mut random = Random::new(test_seed(), 18);
    let (mut most, mut rays) = (0, 0);
    for _ in 0..3000 {
        let n = 2 + random.index(13);
        let mut whole =
            |count: usize, least: i128| -> Vec<i128> { (0..count).map(|_| random.index(4) as i128 + least).collect() };
        let (matrix, vector) = (whole(n * n, -1), whole(n, -2));
        let as_f64 = |numbers: &[i128]| numbers.iter().map(|x| *x as f64).collect::<Vec<f64>>();
        let found = lemke(&problem(&as_f64(&matrix), &as_f64(&vector)));
        let expected = exact_pivots(&matrix, &vector);
        assert_eq!((found.status, found.iterations), expected, "{matrix:?} {vector:?}");
        most = most.max(found.iterations);
        rays += u64::from(found.status == Status::Ray);
    }
    println!("up to {most} pivots, {rays} rays");
    assert!(most >= 25 && (300..2700).contains(&rays));
}

#[test]
fn singular_sets_are_looked_into() {
    // Every regular set fails; z = (1, anything) on singular ones.
    let found = enumerate(&problem(&[0.0, 0.0, 1.0, 0.0], &[0.0, -1.0])).unwrap();
    assert_eq!((found.status, found.sets, found.singular_sets), (Status::Solved, 4, 3));
    assert_eq!((found.solutions.len(), found.solutions[0].z[0], found.solutions[0].residual), (1, 1.0, 0.0));
    // w = -1 whatever z is.
    let found = enumerate(&problem(&[0.0], &[-1.0])).unwrap();
    assert_eq!((found.status, found.solutions.len()), (Status::NoSolution, 0));
    // Small entries are not zeros.
    let found = enumerate(&problem(&[1.0, 0.0, 0.0, 1e-20], &[-1.0, -1.0])).unwrap();
    assert_eq!((found.solutions.len(), &found.solutions[0].z[..]), (1, &[1.0, 1e20][..]));
    assert_eq!(lemke(&problem(&[1.0, 0.0, 0.0, 1e-20], &[-1.0, -1.0])).z, [1.0, 1e20]);
    let many = problem(&[0.0; 21 * 21], &[0.0; 21]);
    let refusal = enumerate(&many).unwrap_err().to_string();
    assert!(refusal.starts_with("21 unknowns: enumeration takes at most 20, since it looks at 2^n sets"), "{refusal}");
}

/// Rows and columns of very different sizes: what is small beside the largest entry is no zero.
#[test]
fn enumeration_finds_solutions_of_problems_with_entries_of_very_different_sizes() {
    for (matrix, vector, z) in [
        ([2e-4, 2e-9, 0.0, 0.0, 2e-5, 200.0, 1.0, 1e9, 2e-14], [-2e-8, 1e-8, -1.0], [1e-4, 0.0, 4.9995e13]),
        ([0.0, 1e10, 1e-7, 1e11, 2e9, 2e10, -1e10, -1e4, 2.0], [-10.0, -2e-8, 2e6], [0.0202, 0.0, 1e8]),
    ] {
        let problem = problem(&matrix, &vector);
        let found = enumerate(&problem).unwrap();
        assert_eq!((found.status, found.solutions.len(), found.is_complete), (Status::Solved, 1, true), "{matrix:?}");
        for found in [&found.solutions[0], &lemke(&problem)] {
            let near = |(found, z): (&f64, &f64)| (found - z).abs() <= 1e-12 * z;
            assert!(found.z.iter().zip(&z).all(near), "{:?} instead of {z:?}", found.z);
        }
    }
}

/// Matrices that are singular but for the last digit of an entry: as they are there is a solution, of some 1e15 and more.
#[test]
fn what_the_last_digits_decide_has_no_verdict() {
    for (matrix, vector) in [
        ([1.0, -99_999_999.999_999_99, -99_999_999.999_999_99, 1e16], [-1e6, 3.0]),
        ([1e-8, -1.0, -1.0, 1e8], [-1e6, 1.0]),
    ] {
        let found = enumerate(&problem(&matrix, &vector)).unwrap();
        assert_eq!(
            (found.status, found.singular_sets, found.is_complete),
            (Status::Inaccurate, 1, false),
            "{matrix:?}"
        );
    }
    // Singular to the last digit.
    let found = enumerate(&problem(&[2f64.powi(-26), -1.0, -1.0, 2f64.powi(26)], &[-1e6, 1.0])).unwrap();
    assert_eq!((found.status, found.singular_sets, found.is_complete), (Status::NoSolution, 1, true));
}

/// z is rounded to 1e-16 of itself, which some 1e14 times as large terms of w make 1e-3 of the constants; f64 may add it up to zero.
#[test]
fn what_cancels_in_w_is_not_taken_for_a_solution() {
    let large = problem(&[1.0001e12, -99.9999, -99.9999, 1.000_000_01e-8], &[1.0, -1.0]);
    let (found, all) = (lemke(&large), enumerate(&large).unwrap());
    assert_eq!((found.status, all.status, all.is_complete), (Status::Inaccurate, Status::Inaccurate, false));
    assert!(large.slacks(&found.z).iter().all(|w| w.abs() < 1e-10) && found.residual > 1e-4, "{found:?}");
    // Sweeps end where they see nothing to do.
    let large = problem(&[2e-25, 0.0, -2e5, 2e24], &[-2e17, 0.0]);
    let found = gauss_seidel(&large, &[0.0; 2]).unwrap();
    assert_eq!((found.status, large.slacks(&found.z)), (Status::Inaccurate, vec![0.0; 2]));
    assert!(found.iterations < 10, "{found:?}");
    // Where nothing is rounded terms of any size cancel to nothing.
    let exact = problem(&[1.0, -2f64.powi(60), 0.0, 1.0], &[0.0, -1.0]);
    let found = lemke(&exact);
    assert_eq!((found.status, &found.z[..], &found.w[..]), (Status::Solved, &[2f64.powi(60), 1.0][..], &[0.0; 2][..]));
}

#[test]
fn units_change_nothing() {
    let mut random = Random::new(test_seed(), 19);
    for _ in 0..100 {
        let plain = random_problem(&mut random, Kind::PMatrix);
        let expected = by_sweeps(&plain).unwrap();
        for (of_matrix, of_vector) in [(2f64.powi(100), 2f64.powi(-150)), (2f64.powi(-90), 2f64.powi(120))] {
            let scaled = |numbers: &[f64], unit: f64| numbers.iter().map(|x| x * unit).collect::<Vec<f64>>();
            let other = problem(&scaled(plain.matrix(), of_matrix), &scaled(plain.vector(), of_vector));
            let of_z = of_vector / of_matrix;
            let is_same = |one: &Solution, found: &Solution| {
                (found.status, found.iterations) == (one.status, one.iterations) && found.z == scaled(&one.z, of_z)
            };
            assert!(is_same(&lemke(&plain), &lemke(&other)));
            let found = by_sweeps(&other).unwrap();
            assert!(expected.iter().zip(&found).all(|(one, found)| is_same(one, found)));
        }
    }
}

/// n contacts of one body with normals that are nearly parallel: ones, and a little more on the diagonal.
fn nearly_parallel(n: usize) -> Problem {
    let entry = |place: usize| if place / n == place % n { 1.01 } else { 1.0 };
    problem(&(0..n * n).map(entry).collect::<Vec<f64>>(), &vec![-1.0; n])
}

#[test]
fn jacobi_converges_below_its_bound_and_oscillates_above() {
    for n in [3, 4, 8] {
        let problem = nearly_parallel(n);
        let zeros = vec![0.0; n];
        let relaxed = relaxation(&problem).unwrap();
        let (bound, largest) = (relaxed.bound.unwrap(), (n as f64 + 0.01) / 1.01);
        assert!(bound * largest <= 2.0 && bound * largest > 1.97, "{n}: {bound}");
        assert_eq!(relaxed.omega, 0.5 * bound);
        for (omega, expected) in [
            (relaxed.omega, Status::Solved),
            (0.99 * bound, Status::Solved),
            (1.02 * bound, Status::NotConverged),
            // What is usual.
            (1.0, Status::NotConverged),
        ] {
            assert_eq!(jacobi(&problem, omega, &zeros).unwrap().status, expected, "{n}: {omega}");
        }
    }
    // Not symmetric: below the bound every problem converges.
    let mut random = Random::new(test_seed(), 20);
    let mut skewed = 0;
    for _ in 0..300 {
        let problem = random_problem(&mut random, Kind::PMatrix);
        let bound = relaxation(&problem).unwrap().bound.unwrap();
        let n = problem.unknowns();
        let found = jacobi(&problem, 0.9 * bound, &vec![0.0; n]).unwrap();
        // Slow where mu is far below L, but always nearer.
        let later = jacobi(&problem, 0.9 * bound, &found.z).unwrap();
        assert!(later.status == Status::Solved || later.residual < 0.9 * found.residual, "{problem:?} {bound}");
        skewed += usize::from(n > 1 && problem.row(0)[1] != problem.row(1)[0]);
    }
    assert!(skewed > 100);
    for (matrix, expected) in [
        // Not semidefinite, and semidefinite but neither symmetric nor definite.
        (vec![1.0, 2.0, 2.0, 1.0], None),
        (vec![1.0, 2.0, 0.0, 1.0], None),
        // Symmetric up to a rounding.
        (vec![1.0, 0.1 + 0.2, 0.3, 1.0], Some(2.0 / 1.3)),
    ] {
        let bound = relaxation(&problem(&matrix, &[1.0, 1.0])).unwrap().bound;
        assert_eq!(bound.is_some(), expected.is_some(), "{matrix:?}");
        assert!(bound.zip(expected).is_none_or(|(found, expected)| found <= expected && found > 0.98 * expected));
    }
}

#[test]
fn sweeps_go_on_from_a_guess_and_refuse_what_they_cannot_take() {
    let mut random = Random::new(test_seed(), 21);
    let (mut from_zeros, mut from_before) = (0, 0);
    for _ in 0..200 {
        // Diagonally dominant, so that a sweep takes away half of the error and more.
        let n = 2 + random.index(11);
        let mut entry = |place: usize| if place / n == place % n { 2.0 } else { random.between(-1.0, 1.0) / n as f64 };
        let matrix: Vec<f64> = (0..n * n).map(&mut entry).collect();
        let first = problem(&matrix, &(0..n).map(|_| random.between(-1.0, 1.0)).collect::<Vec<f64>>());
        let before = lemke(&first).z;
        // A step later: three of ten digits are known.
        let vector: Vec<f64> = first.vector().iter().map(|q| q + random.between(-1e-3, 1e-3)).collect();
        let next = problem(first.matrix(), &vector);
        from_zeros += gauss_seidel(&next, &vec![0.0; n]).unwrap().iterations;
        from_before += gauss_seidel(&next, &before).unwrap().iterations;
        let there = gauss_seidel(&first, &before).unwrap();
        assert_eq!((there.status, there.iterations, there.z), (Status::Solved, 0, before));
    }
    println!("{from_zeros} sweeps from zeros, {from_before} from the solution before");
    assert!(20 * from_before < 17 * from_zeros);
    let simple = problem(&[2.0, 0.0, 0.0, 2.0], &[-2.0, 2.0]);
    assert_eq!(gauss_seidel(&simple, &[-5.0, -5.0]).unwrap().z, [1.0, 0.0]);
    assert_eq!(jacobi(&simple, 1.0, &[-5.0, 7.0]).unwrap().z, [1.0, 0.0]);
    // z is not negative, even where no sweep is made.
    assert_eq!(gauss_seidel(&simple, &[1.0, -1e-13]).unwrap().z, [1.0, 0.0]);
    let refusal = |start: &[f64]| gauss_seidel(&simple, start).unwrap_err().to_string();
    assert_eq!(refusal(&[0.0]), "a start of 1 entries: must be 2, as many as there are unknowns");
    assert_eq!(refusal(&[0.0, f64::NAN]), "start[1]: NaN is not allowed: must be finite");
    for omega in [0.0, -1.0, 2.5, f64::NAN] {
        let refusal = jacobi(&simple, omega, &[0.0; 2]).unwrap_err().to_string();
        assert!(refusal.starts_with("omega: ") && refusal.ends_with("must be above 0 and at most 2"), "{refusal}");
    }
    let refusal = gauss_seidel(&siconos("CPS_2"), &[0.0; 3]).unwrap_err().to_string();
    assert!(refusal.starts_with("matrix[0][0]: 0e0 is not allowed: sweeps divide by the diagonal"), "{refusal}");
    assert_eq!(relaxation(&siconos("CPS_2")).unwrap_err().to_string(), refusal);
}

#[test]
fn what_has_no_limit_ends() {
    // w = z1 - 3 z2 - 1 and the same the other way round: no solution, and both grow for ever.
    let hopeless = problem(&[1.0, -3.0, -3.0, 1.0], &[-1.0, -1.0]);
    let [by_gauss_seidel, by_jacobi] = by_sweeps(&hopeless).unwrap();
    assert_eq!((by_gauss_seidel.status, by_jacobi.status), (Status::Diverged, Status::Diverged));
    let found = [&by_gauss_seidel, &by_jacobi];
    assert!(found.iter().all(|found| found.z.iter().chain(&found.w).all(|x| x.is_finite())));
    assert_eq!(lemke(&hopeless).status, Status::Ray);
    assert_eq!(enumerate(&hopeless).unwrap().status, Status::NoSolution);
    // Slow, not hopeless.
    let slow = problem(&[1.0, 0.99999, 0.99999, 1.0], &[-1.0, -1.00001]);
    let found = jacobi(&slow, 1e-4, &[0.0; 2]).unwrap();
    assert_eq!((found.status, found.iterations), (Status::NotConverged, MAX_SWEEPS));
    // Numbers at the ends of what is allowed.
    let large = problem(&[1e60, 0.0, 0.0, 1e-60], &[-1e-60, -1e-60]);
    assert_eq!(lemke(&large).status, Status::Solved);
    assert_eq!(lemke(&problem(&[0.0], &[0.0])).status, Status::Solved);
    assert_eq!(lemke(&problem(&[0.0], &[-1.0])).status, Status::Ray);
}

#[test]
fn of_very_many_solutions_the_first_are_listed() {
    // w = 1 - z: each unknown is 0 or 1 for itself.
    let entry =
        |n: usize| (0..n * n).map(|place| if place / n == place % n { -1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let [few, many] = [9, 20].map(|n| enumerate(&problem(&entry(n), &vec![1.0; n])).unwrap());
    assert_eq!((few.solutions.len(), few.is_complete, few.sets), (512, true, 512));
    assert_eq!((many.solutions.len(), many.is_complete, many.sets), (MAX_SOLUTIONS, false, 1001));
}

#[test]
fn enumeration_says_where_there_are_more_solutions_than_it_lists() {
    let of = |matrix: &[f64], vector: &[f64]| {
        let found = enumerate(&problem(matrix, vector)).unwrap();
        assert_eq!(found.status, Status::Solved);
        (found.solutions.len(), found.is_complete)
    };
    // z1 + z2 = 1, and one point of that with z = 0 alone.
    assert_eq!(of(&[1.0; 4], &[-1.0, -1.0]), (2, false));
    assert_eq!(of(&[1.0; 4], &[0.0, 0.0]), (1, true));
    // Both are pressed by one force, and the second has room: the set of both is singular, and has no solution of its own.
    assert_eq!(of(&[1.0; 4], &[-1.0, -0.5]), (1, true));
    // w = 0 for whatever z: a ray.
    assert_eq!(of(&[0.0], &[0.0]), (1, false));
    assert_eq!(of(&[1.0, -1.0, -1.0, 1.0], &[0.0, 0.0]), (1, false));
    // One more unknown that stands for itself changes neither.
    assert_eq!(of(&[1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 2.0], &[-1.0, -1.0, -2.0]), (2, false));
    assert_eq!(of(&[1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 2.0], &[-1.0, -0.5, -2.0]), (1, true));
}

#[test]
fn colours_are_gauss_seidel_in_their_order_on_any_number_of_threads() {
    // A chain of balls that are pressed together: contact k couples with its neighbours.
    let (n, mut random) = (300, Random::new(test_seed(), 77));
    let mut matrix = vec![0.0; n * n];
    let mut vector: Vec<f64> = (0..n).map(|_| random.between(-1.0, 0.5)).collect();
    for row in 0..n {
        matrix[row * n + row] = 2.5;
        for other in [row.wrapping_sub(1), row + 1].into_iter().filter(|&other| other < n) {
            matrix[row * n + other] = -1.0;
        }
    }
    let chain = problem(&matrix, &vector);
    let colours = colours(&chain);
    assert_eq!(colours.len(), 2, "odd and even ones");
    let order: Vec<usize> = colours.iter().flatten().copied().collect();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| coloured_gauss_seidel(&chain, &colours, &vec![0.0; n]).unwrap())
    };
    let (one, three) = (on(1), on(3));
    assert_eq!((one.status, &one), (Status::Solved, &three));
    // The same problem with its unknowns in that order.
    let mut ordered = vec![0.0; n * n];
    for (row, &of_row) in order.iter().enumerate() {
        for (column, &of_column) in order.iter().enumerate() {
            ordered[row * n + column] = matrix[of_row * n + of_column];
        }
    }
    vector = order.iter().map(|&unknown| vector[unknown]).collect();
    let plain = gauss_seidel(&problem(&ordered, &vector), &vec![0.0; n]).unwrap();
    let found: Vec<f64> = order.iter().map(|&unknown| one.z[unknown]).collect();
    assert_eq!(plain.iterations, one.iterations);
    // Sums of a row run in another order.
    assert!(distance(&found, &plain.z) < 1e-14);
    assert!(distance(&one.z, &lemke(&chain).z) < 1e-8);
}
