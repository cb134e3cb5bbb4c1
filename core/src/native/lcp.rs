//! Job `lcp`: the pivots of the reference, eight problems at a time. Each lane selects its own row and variable to
//! exchange; the costly part of a pivot, the elimination in all other rows, is done in all lanes at once. A lane whose
//! problem has ended takes the next one: some take ten pivots and some none.
//!
//! # Conventions
//! As in [`crate::query::LcpItem`].

use super::{Native, by_tasks};
use crate::engine::EngineError;
use crate::job::Computes;
use crate::lanes::{LANES, Vectorized};
use crate::query::{
    LCP_CORRECTIONS, LCP_LARGEST, LCP_SOLVED, LCP_ZERO, LcpAnswer, LcpItem, LcpItems, LcpStatus, MAX_LCP_PIVOTS,
    MAX_LCP_UNKNOWNS,
};
use crate::simd::{F64x8, InRegisters, Mask8, Simd, at_full_width, in_registers};

/// Problems that one thread takes at a time: enough that sharing them out costs nothing.
const ITEMS_PER_TASK: usize = 1024;

const SIZE: usize = MAX_LCP_UNKNOWNS;
/// The covering variable z0; below stand w, and then z.
const COVER: usize = 2 * SIZE;
const CONSTANT: usize = 2 * SIZE + 1;
const COLUMNS: usize = 2 * SIZE + 2;

/// One number of each lane.
type Numbers = [f64; LANES];

impl Computes<LcpItems> for Native {
    fn answers(&self, (): (), items: &[LcpItem]) -> Result<Vec<LcpAnswer>, EngineError> {
        let unanswered = LcpAnswer::none(LcpStatus::BadInput, 0);
        Ok(self.pool.install(|| {
            by_tasks(ITEMS_PER_TASK, items, unanswered, |items, answers| {
                in_registers(Problems { items, answers });
            })
        }))
    }
}

/// Problems of one task, and a place for each answer, which says that its problem is not valid.
struct Problems<'a> {
    items: &'a [LcpItem],
    answers: &'a mut [LcpAnswer],
}

impl InRegisters for Problems<'_> {
    type Output = ();

    fn run<S: Simd>(self, simd: S) {
        let mut tableaus = Tableaus { rows: [[[0.0; LANES]; COLUMNS]; SIZE], lanes: [Lane::IDLE; LANES] };
        let mut left = 0..self.items.len();
        loop {
            for lane in 0..LANES {
                while !tableaus.lanes[lane].is_busy
                    && let Some(place) = left.next()
                {
                    tableaus.start(lane, place, &self.items[place], &mut self.answers[place]);
                }
            }
            if tableaus.lanes.iter().all(|lane| !lane.is_busy) {
                return;
            }
            for (lane, largest) in tableaus.pivot(simd).into_iter().enumerate() {
                let Lane { is_busy, place, .. } = tableaus.lanes[lane];
                if is_busy {
                    tableaus.go_on(lane, largest, &self.items[place], &mut self.answers[place]);
                }
            }
        }
    }
}

/// What a lane is about.
#[derive(Clone, Copy)]
struct Lane {
    is_busy: bool,
    /// Which problem it is, of the task, and the problem as scaled.
    place: usize,
    item: LcpItem,
    /// What its z are multiples of.
    unit: f64,
    /// The row and the variable to exchange, and the variable that the latest exchange has taken out.
    leaving: usize,
    entering: usize,
    left: usize,
    pivots: u32,
    /// The variable of each row.
    basis: [usize; SIZE],
}

impl Lane {
    const IDLE: Self = Self {
        is_busy: false,
        place: 0,
        item: LcpItem { unknowns: 0, matrix: [[0.0; SIZE]; SIZE], vector: [0.0; SIZE] },
        unit: 1.0,
        leaving: 0,
        entering: COVER,
        left: COVER,
        pivots: 0,
        basis: [0; SIZE],
    };
}

/// Stands where a lane exchanges nothing.
const NO_ROW: f64 = SIZE as f64;

/// What each lane exchanges.
struct Exchange {
    /// The row that leaves.
    leaving: Numbers,
    /// Its entry of the variable that enters.
    divisors: Numbers,
    /// The entry of each row.
    factors: [Numbers; SIZE],
}

/// An exchange in all lanes; gives the largest magnitude of each new tableau.
struct Elimination<'a, S> {
    simd: S,
    rows: &'a mut [[Numbers; COLUMNS]; SIZE],
    exchange: &'a Exchange,
}

impl<S: Simd> Vectorized for Elimination<'_, S> {
    type Output = Numbers;

    // In the column that enters the row that leaves becomes x / x, which is 1, and others x - x 1, which is 0.
    #[inline(always)]
    fn run(self) -> Numbers {
        let Self { simd, rows, exchange } = self;
        let leaving = F64x8::from_array(simd, exchange.leaving);
        let divisors = F64x8::from_array(simd, exchange.divisors);
        let mut leaves = [Mask8::none(simd); SIZE];
        for (row, leaves) in leaves.iter_mut().enumerate() {
            *leaves = leaving.eq(F64x8::splat(simd, row as f64));
        }
        let mut heads = [F64x8::zero(simd); COLUMNS];
        for (row, leaves) in rows.iter().zip(&leaves) {
            for (head, &entries) in heads.iter_mut().zip(row) {
                *head = leaves.select(F64x8::from_array(simd, entries), *head);
            }
        }
        for head in &mut heads {
            *head = *head / divisors;
        }
        let mut largest = F64x8::zero(simd);
        for ((row, &factors), leaves) in rows.iter_mut().zip(&exchange.factors).zip(&leaves) {
            let factors = F64x8::from_array(simd, factors);
            for (entries, &head) in row.iter_mut().zip(&heads) {
                let others = F64x8::from_array(simd, *entries) - factors * head;
                let new = leaves.select(head, others);
                // What is no number does not count.
                largest = new.abs().max(largest);
                *entries = new.to_array();
            }
        }
        largest.to_array()
    }
}

struct Tableaus {
    rows: [[Numbers; COLUMNS]; SIZE],
    lanes: [Lane; LANES],
}

impl Tableaus {
    /// Fills a lane, unless its answer is known.
    fn start(&mut self, lane: usize, place: usize, item: &LcpItem, answer: &mut LcpAnswer) {
        if !item.is_valid() {
            return;
        }
        let (item, unit) = item.scaled();
        let mut leaving = 0;
        for row in 1..item.unknowns {
            // Of equal ones the last: lexicographically the least.
            if item.vector[row] <= item.vector[leaving] {
                leaving = row;
            }
        }
        if item.vector[leaving] >= 0.0 {
            *answer = LcpAnswer::solved(&item, [0.0; SIZE], 0);
            return;
        }
        for (i, row) in self.rows.iter_mut().enumerate() {
            // Rows that do not count are zero, and stay so.
            let one = if i < item.unknowns { 1.0 } else { 0.0 };
            for column in 0..SIZE {
                row[column][lane] = if column == i { one } else { 0.0 };
                row[SIZE + column][lane] = -item.matrix[i][column];
            }
            row[COVER][lane] = -one;
            row[CONSTANT][lane] = item.vector[i];
        }
        let basis = std::array::from_fn(|row| row);
        self.lanes[lane] = Lane { is_busy: true, place, item, unit, leaving, basis, ..Lane::IDLE };
    }

    /// Exchanges a variable of each busy lane; the largest magnitude of each new tableau.
    fn pivot<S: Simd>(&mut self, simd: S) -> Numbers {
        let mut exchange = Exchange { leaving: [NO_ROW; LANES], divisors: [1.0; LANES], factors: [[0.0; LANES]; SIZE] };
        for (lane, of_lane) in self.lanes.iter_mut().enumerate().filter(|(_, of_lane)| of_lane.is_busy) {
            exchange.leaving[lane] = of_lane.leaving as f64;
            exchange.divisors[lane] = self.rows[of_lane.leaving][of_lane.entering][lane];
            for (factors, row) in exchange.factors.iter_mut().zip(&self.rows) {
                factors[lane] = row[of_lane.entering][lane];
            }
            of_lane.left = std::mem::replace(&mut of_lane.basis[of_lane.leaving], of_lane.entering);
            of_lane.pivots += 1;
        }
        at_full_width(simd, Elimination { simd, rows: &mut self.rows, exchange: &exchange })
    }

    /// Ends a lane, or picks what it exchanges next: the complement of what has left enters.
    fn go_on(&mut self, lane: usize, largest: f64, item: &LcpItem, answer: &mut LcpAnswer) {
        let of_lane = &self.lanes[lane];
        let pivots = of_lane.pivots;
        let next = match of_lane.left {
            _ if largest > LCP_LARGEST => Err(LcpAnswer::none(LcpStatus::Inaccurate, pivots)),
            COVER => Err(match self.solution(lane) {
                Some(z) => LcpAnswer::solved(item, z.map(|z| z * of_lane.unit), pivots),
                None => LcpAnswer::none(LcpStatus::Inaccurate, pivots),
            }),
            left => {
                let entering = if left < SIZE { left + SIZE } else { left - SIZE };
                let row = self.leaving(lane, entering);
                row.map(|leaving| (leaving, entering)).ok_or(LcpAnswer::none(LcpStatus::Ray, pivots))
            }
        };
        let of_lane = &mut self.lanes[lane];
        match next {
            Ok((leaving, entering)) if pivots < MAX_LCP_PIVOTS => {
                (of_lane.leaving, of_lane.entering) = (leaving, entering);
            }
            Ok(_) => (of_lane.is_busy, *answer) = (false, LcpAnswer::none(LcpStatus::NotConverged, pivots)),
            Err(ended) => (of_lane.is_busy, *answer) = (false, ended),
        }
    }

    /// The row that leaves for a variable: of the least ratio, of z0 among equal ones, otherwise the lexicographically
    /// least.
    fn leaving(&self, lane: usize, entering: usize) -> Option<usize> {
        let mut best: Option<usize> = None;
        for row in 0..self.lanes[lane].item.unknowns {
            if self.rows[row][entering][lane] > LCP_ZERO * f64::EPSILON
                && best.is_none_or(|best| self.is_before(lane, row, best, entering))
            {
                best = Some(row);
            }
        }
        best
    }

    fn is_before(&self, lane: usize, row: usize, best: usize, entering: usize) -> bool {
        let (a, b) = (&self.rows[row], &self.rows[best]);
        let pair = |column: usize| (a[column][lane] * b[entering][lane], b[column][lane] * a[entering][lane]);
        let (of_row, of_best) = pair(CONSTANT);
        if of_row != of_best {
            return of_row < of_best;
        }
        let Lane { item, basis, .. } = &self.lanes[lane];
        if basis[row] == COVER || basis[best] == COVER {
            return basis[row] == COVER;
        }
        let different = (0..item.unknowns).map(pair).find(|(of_row, of_best)| of_row != of_best);
        different.is_some_and(|(of_row, of_best)| of_row < of_best)
    }

    /// z, corrected by what the equations as they were given leave; `None` where it is not a solution after all.
    fn solution(&self, lane: usize) -> Option<[f64; SIZE]> {
        let Lane { item, basis, .. } = &self.lanes[lane];
        let mut z = [0.0; SIZE];
        let mut is_basic = [false; SIZE];
        for row in 0..item.unknowns {
            match basis[row].checked_sub(SIZE) {
                Some(index) => z[index] = self.rows[row][CONSTANT][lane],
                None => is_basic[basis[row]] = true,
            }
        }
        for _ in 0..LCP_CORRECTIONS {
            let w = item.slacks(&z);
            for (row, variable) in basis.iter().enumerate().take(item.unknowns) {
                let Some(index) = variable.checked_sub(SIZE) else { continue };
                for column in 0..item.unknowns {
                    if !is_basic[column] {
                        z[index] += self.rows[row][column][lane] * w[column];
                    }
                }
            }
        }
        let z = z.map(|z| z.max(0.0));
        let w = item.slacks(&z);
        for row in 0..item.unknowns {
            let terms: f64 = item.matrix[row].iter().zip(&z).map(|(entry, z)| (entry * z).abs()).sum();
            let least = -LCP_SOLVED * f64::EPSILON * (terms + item.vector[row].abs());
            if w[row] < least || (z[row] > 0.0 && w[row] > -least) {
                return None;
            }
        }
        Some(z)
    }
}
