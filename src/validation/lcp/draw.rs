//! Random problems.

use glam::DVec3;

use super::{Class, LcpProblems};
use crate::query::{LcpItem, MAX_LCP_UNKNOWNS};
use crate::validation::answered::Drawn;
use crate::validation::drawn::DrawnItem;
use crate::validation::draws::{Draws, Purpose};

const SIZE: usize = MAX_LCP_UNKNOWNS;
type Matrix = [[f64; SIZE]; SIZE];

/// The question of an item.
pub(super) fn drawn(item: &DrawnItem<LcpProblems>) -> Drawn<LcpItem> {
    let DrawnItem { class, seed, number } = *item;
    let mut draws = Draws::new(seed, Purpose::Lcp, number);
    let n = 1 + draws.index(SIZE);
    let mut vector: [f64; SIZE] = std::array::from_fn(|_| draws.between(-1.0, 1.0));
    let mut made_to_touch = class == Class::Ties;
    let matrix = match class {
        Class::Definite => definite(&mut draws, n),
        Class::Skewed => {
            let (mut matrix, skew) = (definite(&mut draws, n), arbitrary(&mut draws));
            for (row, entries) in matrix.iter_mut().enumerate() {
                entries
                    .iter_mut()
                    .enumerate()
                    .for_each(|(column, entry)| *entry += skew[row][column] - skew[column][row]);
            }
            matrix
        }
        Class::Contacts => {
            let contacts = Contacts::new(&mut draws, n);
            (vector, made_to_touch) = (contacts.speeds(), contacts.are_too_many());
            contacts.matrix()
        }
        Class::Arbitrary => arbitrary(&mut draws),
        Class::Sizes => {
            let (of_matrix, of_vector) = (draws.power_of_ten(-30.0, 30.0), draws.power_of_ten(-30.0, 30.0));
            vector = vector.map(|entry| entry * of_vector);
            definite(&mut draws, n).map(|row| row.map(|entry| entry * of_matrix))
        }
        Class::Ties => {
            let mut whole = || draws.between(-2.0, 3.0).floor();
            vector = std::array::from_fn(|_| whole());
            std::array::from_fn(|_| std::array::from_fn(|_| whole()))
        }
    };
    Drawn { item: LcpItem { unknowns: n, matrix, vector }, made_to_touch }
}

fn arbitrary(draws: &mut Draws) -> Matrix {
    std::array::from_fn(|_| std::array::from_fn(|_| draws.between(-1.0, 1.0)))
}

/// Symmetric and positive definite, with a condition of up to some hundreds.
fn definite(draws: &mut Draws, n: usize) -> Matrix {
    let (factor, shift) = (arbitrary(draws), draws.power_of_ten(-1.5, 0.5));
    std::array::from_fn(|row| {
        std::array::from_fn(|column| {
            let product: f64 = (0..n).map(|k| factor[row][k] * factor[column][k]).sum();
            product + if row == column { shift } else { 0.0 }
        })
    })
}

/// Bodies, and what of each is along a contact: of its velocity and of its angular velocity.
const MAX_BODIES: usize = 5;
type Row = [[DVec3; 2]; MAX_BODIES];

/// Contacts without friction between up to five bodies and the floor.
struct Contacts {
    inverse_masses: Vec<f64>,
    velocities: Vec<[DVec3; 2]>,
    rows: Vec<Row>,
    /// The bodies of each, a bit each.
    bodies: Vec<u32>,
}

impl Contacts {
    fn new(draws: &mut Draws, n: usize) -> Self {
        let count = 1 + draws.index(MAX_BODIES);
        let inverse_masses = (0..count).map(|_| draws.power_of_ten(-0.7, 0.7)).collect();
        let velocities = (0..count).map(|_| [0, 1].map(|_| draws.in_cube(1.0))).collect();
        let (mut rows, mut bodies) = (Vec::new(), Vec::new());
        for _ in 0..n {
            let normal = draws.direction();
            let [first, second] = [0, 1].map(|_| draws.index(count));
            let mut row = [[DVec3::ZERO; 2]; MAX_BODIES];
            row[second] = [normal, draws.in_cube(1.0).cross(normal)];
            // A body against itself is one against the floor.
            if first != second {
                row[first] = [-normal, draws.in_cube(1.0).cross(-normal)];
            }
            rows.push(row);
            bodies.push(1 << first | 1 << second);
        }
        Self { inverse_masses, velocities, rows, bodies }
    }

    /// J m^-1 J^T, of bodies that turn as balls do.
    fn matrix(&self) -> Matrix {
        let mut matrix = Matrix::default();
        for (i, a) in self.rows.iter().enumerate() {
            for (j, b) in self.rows.iter().enumerate() {
                let product = |body: usize| a[body][0].dot(b[body][0]) + 2.5 * a[body][1].dot(b[body][1]);
                let of_body = |(body, inverse_mass): (usize, &f64)| inverse_mass * product(body);
                matrix[i][j] = self.inverse_masses.iter().enumerate().map(of_body).sum();
            }
        }
        matrix
    }

    /// J v.
    fn speeds(&self) -> [f64; SIZE] {
        let mut speeds = [0.0; SIZE];
        for (speed, row) in speeds.iter_mut().zip(&self.rows) {
            *speed = row.iter().zip(&self.velocities).map(|(row, v)| row[0].dot(v[0]) + row[1].dot(v[1])).sum();
        }
        speeds
    }

    /// Whether some bodies have more contacts than freedom: the matrix is singular then, and rounding decides which of
    /// them are needed.
    fn are_too_many(&self) -> bool {
        (0..1u32 << self.velocities.len()).any(|some| {
            let among_them = self.bodies.iter().filter(|&&bodies| bodies & !some == 0).count();
            among_them > 6 * some.count_ones() as usize
        })
    }
}
