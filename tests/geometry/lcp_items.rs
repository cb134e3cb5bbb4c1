//! Job `lcp`: small problems by the reference and the native engine, against Lemke's pivots with bounds of their rounding.

use std::collections::BTreeMap;
use std::path::Path;

use touchdown::job::Compute;
use touchdown::lcp::{Problem, Status, lemke, read_problem};
use touchdown::native::Native;
use touchdown::query::{LcpAnswer, LcpItem, LcpItems, LcpStatus, MAX_LCP_UNKNOWNS};
use touchdown::reference::Reference;

use crate::support::random::{Random, test_seed};

const SIZE: usize = MAX_LCP_UNKNOWNS;

fn item(problem: &Problem) -> LcpItem {
    let mut item = LcpItem { unknowns: problem.unknowns(), matrix: Default::default(), vector: Default::default() };
    for row in 0..problem.unknowns() {
        item.matrix[row][..problem.unknowns()].copy_from_slice(problem.row(row));
    }
    item.vector[..problem.unknowns()].copy_from_slice(problem.vector());
    item
}

fn problem(item: &LcpItem) -> Problem {
    Problem::new(item.rows().flatten().copied().collect(), item.vector[..item.unknowns].to_vec()).unwrap()
}

fn by_reference(items: &[LcpItem]) -> Vec<LcpAnswer> {
    Reference::new(0).unwrap().compute::<LcpItems>((), items).unwrap()
}

/// Kinds of random problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Definite,
    Arbitrary,
    WholeNumbers,
    /// Contacts of one body, up to eight where it has six freedoms.
    OneBody,
    /// Four corners of a box on the floor: three determine its motion.
    Box,
}

fn drawn(random: &mut Random, kind: Kind) -> LcpItem {
    let n = if kind == Kind::Box { 4 } else { 1 + random.index(SIZE) };
    let square = |entry: &mut dyn FnMut() -> f64| -> [[f64; SIZE]; SIZE] {
        std::array::from_fn(|_| std::array::from_fn(|_| entry()))
    };
    let mut between = || random.between(-1.0, 1.0);
    let (matrix, vector) = match kind {
        Kind::Arbitrary => (square(&mut between), std::array::from_fn(|_| between())),
        Kind::WholeNumbers => {
            let mut whole = || (2.5 * between()).round();
            (square(&mut whole), std::array::from_fn(|_| whole()))
        }
        Kind::Definite | Kind::OneBody | Kind::Box => {
            let mut rows = square(&mut between);
            let freedom = if kind == Kind::Definite { SIZE } else { 6 };
            if kind == Kind::Box {
                // Up, and turned by the corner about x and y.
                let [a, b, c, d] = [between(), between(), between(), between()].map(|x| 1.5 + x);
                for (row, [x, y]) in rows.iter_mut().zip([[a, c], [-b, c], [-b, -d], [a, -d]]) {
                    *row = [1.0, y, -x, 0.0, 0.0, 0.0, 0.0, 0.0];
                }
            }
            let velocity: [f64; SIZE] = std::array::from_fn(|_| between());
            let dot = |a: &[f64; SIZE], b: &[f64; SIZE]| -> f64 { (0..freedom).map(|k| a[k] * b[k]).sum() };
            let matrix = std::array::from_fn(|i| std::array::from_fn(|j| dot(&rows[i], &rows[j])));
            let speeds = std::array::from_fn(|i| dot(&rows[i], &velocity));
            (matrix, if kind == Kind::Definite { velocity } else { speeds })
        }
    };
    LcpItem { unknowns: n, matrix, vector }
}

#[test]
fn small_problems_end_as_lemkes_pivots_do() {
    let mut random = Random::new(test_seed(), 41);
    let mut counts = BTreeMap::<_, usize>::new();
    for kind in [Kind::Definite, Kind::Arbitrary, Kind::WholeNumbers, Kind::OneBody, Kind::Box] {
        let items: Vec<LcpItem> = (0..4000).map(|_| drawn(&mut random, kind)).collect();
        for (item, answer) in items.iter().zip(by_reference(&items)) {
            let expected = lemke(&problem(item));
            *counts.entry((kind, answer.status.name(), expected.status.name())).or_default() += 1;
            if answer.status == LcpStatus::Solved {
                // A solution whoever found it: residuals are some epsilons of terms of up to 1e5 with singular M.
                assert!(answer.residual <= 1e-9, "{item:?} {answer:?}");
            }
            if kind == Kind::Definite {
                let off =
                    expected.z.iter().zip(answer.z).fold(0.0, |off: f64, (a, b)| off.max((a - b).abs() / a.max(1.0)));
                assert!(answer.status == LcpStatus::Solved && off <= 1e-6, "{item:?} {answer:?} {expected:?}");
            }
        }
    }
    for (outcome, count) in &counts {
        println!("{count:5} {outcome:?}");
    }
    let of = |kind: Kind, which: &dyn Fn(&str, &str) -> bool| -> usize {
        counts.iter().filter(|((of, ours, theirs), _)| *of == kind && which(ours, theirs)).map(|(_, count)| count).sum()
    };
    // Ties of whole numbers, and pivots of singular M, are for rounding to decide where nobody bounds it.
    for (kind, most) in
        [(Kind::Definite, 0), (Kind::Arbitrary, 0), (Kind::Box, 0), (Kind::WholeNumbers, 10), (Kind::OneBody, 30)]
    {
        let others = of(kind, &|ours, theirs| ours != theirs);
        assert!(others <= most, "{kind:?}: {others}");
    }
}

#[test]
fn problems_of_siconos_end_as_lemkes_pivots_do() {
    let mut compared = 0;
    for name in
        ["CPS_1", "CPS_2", "CPS_3", "CPS_4", "CPS_4bis", "CPS_5", "Pang_isolated_sol", "deudeu", "exp_murty2", "ortiz"]
    {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/siconos/lcp_{name}.dat"));
        let problem = read_problem(&file).unwrap();
        let (answer, expected) = (by_reference(&[item(&problem)])[0], lemke(&problem));
        assert_eq!(answer.status.name(), expected.status.name(), "{name}");
        if name == "exp_murty2" {
            // The worst case of Murty: 2^6 pivots.
            assert_eq!(answer.pivots, 64);
        }
        if expected.status == Status::Solved {
            // Small whole numbers: off by some roundings.
            assert!(expected.z.iter().zip(answer.z).all(|(a, b)| (a - b).abs() <= 1e-13 * a.max(1.0)), "{name}");
        }
        compared += 1;
    }
    assert_eq!(compared, 10);
}

#[test]
fn native_problems_have_the_bits_of_the_reference() {
    let mut random = Random::new(test_seed(), 42);
    let kinds = [Kind::Definite, Kind::Arbitrary, Kind::WholeNumbers, Kind::OneBody, Kind::Box];
    let mut items: Vec<LcpItem> = (0..20_000).map(|number| drawn(&mut random, kinds[number % 5])).collect();
    for item in items.iter_mut().step_by(7) {
        match random.index(4) {
            0 => item.unknowns = 9 * random.index(2),
            1 => item.vector[0] = f64::NAN,
            2 => item.matrix[0][0] = f64::INFINITY,
            _ => item.vector = item.vector.map(|entry| entry * 1e-40),
        }
    }
    let expected = by_reference(&items);
    let found = Native::new(0).unwrap().compute::<LcpItems>((), &items).unwrap();
    let mut seen = BTreeMap::<&str, usize>::new();
    for ((item, found), expected) in items.iter().zip(&found).zip(&expected) {
        let bits = |answer: &LcpAnswer| (answer.z.map(f64::to_bits), answer.residual.to_bits());
        assert_eq!((found, bits(found)), (expected, bits(expected)), "{item:?}");
        *seen.entry(found.status.name()).or_default() += 1;
    }
    println!("{seen:?}");
    assert!(["solved", "ray", "bad_input"].iter().all(|status| seen[status] >= 1000), "{seen:?}");
}

#[test]
fn what_is_no_problem_has_a_status() {
    let valid = LcpItem { unknowns: 1, matrix: [[2.0; SIZE]; SIZE], vector: [-4.0; SIZE] };
    let with = |change: &dyn Fn(&mut LcpItem)| {
        let mut item = valid;
        change(&mut item);
        by_reference(&[item])[0]
    };
    let solved = with(&|_| {});
    assert_eq!((solved.status, solved.z[0], solved.residual, solved.pivots), (LcpStatus::Solved, 2.0, 0.0, 2));
    // What does not count may be anything.
    assert_eq!(with(&|item| (item.vector[1], item.matrix[0][1]) = (f64::NAN, f64::NAN)), solved);
    assert_eq!(with(&|item| item.vector[0] = 4.0).pivots, 0);
    for change in [
        &|item: &mut LcpItem| item.unknowns = 0,
        &|item: &mut LcpItem| item.unknowns = 9,
        &|item: &mut LcpItem| item.vector[0] = f64::NAN,
        &|item: &mut LcpItem| item.matrix[0][0] = 2e60,
        &|item: &mut LcpItem| item.matrix[0][0] = 1e-70,
    ] as [&dyn Fn(&mut LcpItem); 5]
    {
        assert_eq!(with(change), LcpAnswer::none(LcpStatus::BadInput, 0));
    }
}
