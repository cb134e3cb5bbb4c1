//! `touchdown lcp`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use touchdown::friction::{AnyProblem, FrictionProblem, FrictionSolution, nsgs, read_any_problem};
use touchdown::lcp::{
    Problem, Relaxation, Solution, Status, SweepError, coloured_gauss_seidel, colours, enumerate, gauss_seidel, jacobi,
    lemke, relaxation,
};
use touchdown::table::write_atomically;

use super::Failure;
use super::failure::Code;
use super::interrupt::stop_on_interrupt;
use super::place::refuse_overwriting;
use super::text::{number, print, print_file};

/// Operations on complementarity problems.
#[derive(Debug, Subcommand)]
pub enum LcpVerb {
    Solve(Solve),
}

impl LcpVerb {
    pub fn run(&self) -> Result<Code, Failure> {
        match self {
            Self::Solve(verb) => verb.run(),
        }
    }
}

/// Solve a linear complementarity problem, w = M z + q, w >= 0, z >= 0, w . z = 0, or contacts with Coulomb friction
///
/// Reads { "matrix": [[..], ..], "vector": [..] } from a .json file (or the same from .toml), M by rows, and from any
/// other file the format of Siconos, dense or sparse-block, M by columns.
///
/// Frictional contact problems, u = W r + q with Coulomb's law at each contact, are read from documents that also have
/// "dimension" (2 or 3: components per contact, normal first) and "friction" (a coefficient per contact), and from
/// Siconos files that begin with dimension, contacts and storage. They are solved by nsgs only; the output is status,
/// r, u, residual (as defined by Siconos), iterations and `newton_steps` (0 if sweeps were enough), with status
/// `solved` or `not_converged`.
///
/// Writes JSON with status, z, w, residual and iterations. The residual is the largest |min(z[i], w[i])|. The status is
/// `solved`, `ray` (Lemke's method terminated on a ray: for positive semidefinite M there is no solution, otherwise
/// inconclusive), `not_converged` (100,000 pivots or 10,000 sweeps were not enough), `diverged` (iterates grow without
/// bound), `inaccurate` (rounding hides the solution) or `no_solution`. For unsolved problems z is the last iterate.
/// coloured adds `colours`, their number. jacobi adds `omega` and `omega_bound`, below which it converges (null if unknown); enumerate adds `solutions` (the
/// first 1000), of which z is one, `is_complete` (whether those are all) and `singular_sets`.
///
/// The exit code is 0 for `solved`, 1 for `no_solution`, and 6 otherwise.
#[derive(Debug, Args)]
pub struct Solve {
    /// File with the problem
    problem: PathBuf,
    /// Solver [default: lemke, or nsgs with friction]
    #[arg(long, value_enum)]
    solver: Option<Solver>,
    /// File for the solution [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Solver {
    /// Lemke's method with lexicographic ratio test; any M
    Lemke,
    /// Projected Gauss-Seidel; M with a positive diagonal, guaranteed for symmetric positive semidefinite M
    Pgs,
    /// The same, unknowns that do not couple at once, on all cores
    Coloured,
    /// Projected Jacobi, relaxed by half the bound below which it converges; same M
    Jacobi,
    /// All solutions, up to 1000, of problems with up to 20 unknowns; any M
    Enumerate,
    /// Contacts with friction: nonsmooth Gauss-Seidel, with Newton's method where that stalls
    Nsgs,
}

/// Result of a solver: its status, the text for the file, and a one-line summary.
struct Found {
    status: Status,
    json: String,
    line: String,
}

impl Found {
    fn new(status: Status, written: &impl Serialize, line: String) -> Self {
        // Problems and solutions contain finite numbers only.
        let json = serde_json::to_string_pretty(written).map(|json| json + "\n").unwrap_or_default();
        Self { status, json, line }
    }
}

/// Output document.
#[derive(Debug, Default, Serialize)]
struct Written {
    status: &'static str,
    z: Option<Vec<f64>>,
    w: Option<Vec<f64>>,
    residual: Option<f64>,
    iterations: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    colours: Option<usize>,
    #[serde(flatten)]
    relaxation: Option<WrittenRelaxation>,
    #[serde(flatten)]
    enumeration: Option<WrittenEnumeration>,
}

/// Output document of frictional contact problems.
#[derive(Debug, Serialize)]
struct WrittenFriction {
    status: &'static str,
    r: Vec<f64>,
    u: Vec<f64>,
    residual: f64,
    iterations: u64,
    newton_steps: u64,
}

#[derive(Debug, Serialize)]
struct WrittenRelaxation {
    omega: f64,
    omega_bound: Option<f64>,
}

#[derive(Debug, Serialize)]
struct WrittenEnumeration {
    solutions: Vec<WrittenSolution>,
    is_complete: bool,
    singular_sets: u64,
}

#[derive(Debug, Serialize)]
struct WrittenSolution {
    z: Vec<f64>,
    w: Vec<f64>,
    residual: f64,
}

impl Solve {
    fn run(&self) -> Result<Code, Failure> {
        if let Some(out) = &self.out {
            refuse_overwriting("--out", out, &[&self.problem])?;
        }
        let problem = read_any_problem(&self.problem)?;
        // A long solve is cut short after the grace period of an interrupt.
        let _ = stop_on_interrupt();
        let found = match &problem {
            AnyProblem::Linear(problem) => self.solver.unwrap_or(Solver::Lemke).solve(problem),
            AnyProblem::Friction(problem) => self.solver.unwrap_or(Solver::Nsgs).solve_friction(problem),
        };
        let Found { status, json, line } =
            found.map_err(|what| Failure::bad_input(format!("{}: {what}", self.problem.display())))?;
        match &self.out {
            None => print_file(&json)?,
            Some(out) => {
                write_atomically(out, json.as_bytes())?;
                print(&line)?;
            }
        }
        Ok(match status {
            Status::Solved => Code::Done,
            Status::NoSolution => Code::CriterionFailed,
            Status::Ray | Status::NotConverged | Status::Diverged | Status::Inaccurate => Code::Undecided,
        })
    }
}

impl Solver {
    fn solve_friction(self, problem: &FrictionProblem) -> Result<Found, String> {
        if self != Self::Nsgs {
            return Err("has friction, which nsgs alone solves: take --solver nsgs".to_owned());
        }
        let found = nsgs(problem, &vec![0.0; problem.rows().unknowns()]).map_err(|error| error.to_string())?;
        let FrictionSolution { status, r, u, residual, iterations, newton_steps } = found;
        let name = status.name();
        let mut line = format!("{name}, {iterations} iterations, residual {}", number(residual));
        if newton_steps > 0 {
            line += &format!(", {newton_steps} steps of Newton's method");
        }
        let written = WrittenFriction { status: name, r, u, residual, iterations, newton_steps };
        Ok(Found::new(status, &written, line + "\n"))
    }

    fn solve(self, problem: &Problem) -> Result<Found, String> {
        let zeros = vec![0.0; problem.unknowns()];
        let text = |error: SweepError| error.to_string();
        let (status, written) = match self {
            Self::Lemke => Written::new(lemke(problem)),
            Self::Pgs => Written::new(gauss_seidel(problem, &zeros).map_err(text)?),
            Self::Coloured => {
                let colours = colours(problem);
                let solution = coloured_gauss_seidel(problem, &colours, &zeros).map_err(text)?;
                let (status, written) = Written::new(solution);
                (status, Written { colours: Some(colours.len()), ..written })
            }
            Self::Jacobi => {
                let Relaxation { omega, bound } = relaxation(problem).map_err(text)?;
                let (status, written) = Written::new(jacobi(problem, omega, &zeros).map_err(text)?);
                let relaxation = Some(WrittenRelaxation { omega, omega_bound: bound });
                (status, Written { relaxation, ..written })
            }
            Self::Enumerate => {
                let found = enumerate(problem).map_err(|error| error.to_string())?;
                let first = found.solutions.first().cloned().map(|first| Written::new(first).1).unwrap_or_default();
                let of_solution = |Solution { z, w, residual, .. }| WrittenSolution { z, w, residual };
                let solutions = found.solutions.into_iter().map(of_solution).collect();
                let enumeration = Some(WrittenEnumeration {
                    solutions,
                    is_complete: found.is_complete,
                    singular_sets: found.singular_sets,
                });
                let (status, iterations) = (found.status.name(), found.sets);
                (found.status, Written { status, iterations, enumeration, ..first })
            }
            Self::Nsgs => {
                let solvers = "lemke, pgs, coloured, jacobi or enumerate";
                return Err(format!("is without friction, and nsgs is for contacts with it: take --solver {solvers}"));
            }
        };
        Ok(Found::new(status, &written, written.line()))
    }
}

impl Written {
    fn new(solution: Solution) -> (Status, Self) {
        let Solution { status, z, w, residual, iterations } = solution;
        let written = Self {
            status: status.name(),
            z: Some(z),
            w: Some(w),
            residual: Some(residual),
            iterations,
            ..Self::default()
        };
        (status, written)
    }

    /// One line with what the reader of the file wants to know first.
    fn line(&self) -> String {
        let mut line = self.status.to_owned();
        if let Some(enumeration) = &self.enumeration {
            line += &format!(", {} solutions", enumeration.solutions.len());
        }
        line += &format!(", {} iterations", self.iterations);
        if let Some(residual) = self.residual {
            line += &format!(", residual {}", number(residual));
        }
        if let Some(colours) = self.colours {
            line += &format!(", {colours} colours");
        }
        if let Some(WrittenRelaxation { omega, omega_bound }) = &self.relaxation {
            let bound =
                omega_bound.map_or_else(|| "no bound known".to_owned(), |bound| format!("below {}", number(bound)));
            line += &format!(", omega {} ({bound})", number(*omega));
        }
        line + "\n"
    }
}
