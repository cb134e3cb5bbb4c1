//! Planar beams of tubes by finite elements.
//!
//! An element between two nodes has the displacements (x, z) and the rotation of both, cubic bending (Euler and Bernoulli) and
//! linear extension, with the consistent mass matrix of the same shapes (Przemieniecki, "Theory of Matrix Structural Analysis",
//! 1968, sections 5.6 and 11.3).
//!
//! # Conventions
//! x to the right, z up; rotations from x towards z, counter-clockwise. SI units.

use glam::DVec2;

use super::matrix::Matrix;

/// Displacements of a node: x, z and rotation.
pub const NODE_FREEDOMS: usize = 3;

/// A round tube, or several side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tube {
    /// Outer diameter \[m\].
    pub diameter: f64,
    /// Thickness of the wall \[m\].
    pub wall: f64,
    /// How many stand one behind the other and share the load.
    pub count: f64,
    /// Young's modulus \[Pa\].
    pub elasticity: f64,
    /// Density \[kg/m3\].
    pub density: f64,
    /// Stress at which it yields \[Pa\].
    pub yield_stress: f64,
}

impl Tube {
    /// Cross section of all tubes \[m2\].
    #[must_use]
    pub fn area(&self) -> f64 {
        let inner = self.diameter - 2.0 * self.wall;
        0.25 * std::f64::consts::PI * (self.diameter.powi(2) - inner.powi(2)) * self.count
    }

    /// Second moment of the area of all tubes \[m4\].
    #[must_use]
    pub fn second_moment(&self) -> f64 {
        let inner = self.diameter - 2.0 * self.wall;
        std::f64::consts::PI / 64.0 * (self.diameter.powi(4) - inner.powi(4)) * self.count
    }
}

/// A frame of beams.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Nodes, where they are without load \[m\].
    pub nodes: Vec<DVec2>,
    /// Elements: numbers of their nodes, and their tubes.
    pub elements: Vec<([usize; 2], Tube)>,
    /// Freedoms that are held, by node and number (0 x, 1 z, 2 rotation).
    pub held: Vec<(usize, usize)>,
}

impl Frame {
    /// How many freedoms all nodes have.
    #[must_use]
    pub fn all_freedoms(&self) -> usize {
        NODE_FREEDOMS * self.nodes.len()
    }

    /// The freedoms that are not held.
    #[must_use]
    pub fn freedoms(&self) -> Vec<usize> {
        let held = |freedom: &usize| self.held.contains(&(freedom / NODE_FREEDOMS, freedom % NODE_FREEDOMS));
        (0..self.all_freedoms()).filter(|freedom| !held(freedom)).collect()
    }

    /// Stiffness and mass of the freedoms that are not held.
    #[must_use]
    pub fn matrices(&self) -> (Matrix, Matrix) {
        let size = self.all_freedoms();
        let (mut stiffness, mut mass) = (Matrix::zero(size), Matrix::zero(size));
        for (ends, tube) in &self.elements {
            let (turn, length) = self.turn(*ends);
            let places: Vec<usize> =
                ends.iter().flat_map(|&node| (0..NODE_FREEDOMS).map(move |own| NODE_FREEDOMS * node + own)).collect();
            let turned = |own: [[f64; 6]; 6]| turned(own, turn);
            for (whole, own) in
                [(&mut stiffness, turned(stiffness_of(tube, length))), (&mut mass, turned(mass_of(tube, length)))]
            {
                for (row, &to_row) in places.iter().enumerate() {
                    for (column, &to_column) in places.iter().enumerate() {
                        whole[(to_row, to_column)] += own[row][column];
                    }
                }
            }
        }
        let free = self.freedoms();
        (stiffness.part(&free), mass.part(&free))
    }

    /// Displacements of all freedoms under forces on all of them; `None` of a frame that is not held.
    #[must_use]
    pub fn deflection(&self, forces: &[f64]) -> Option<Vec<f64>> {
        let free = self.freedoms();
        let (stiffness, _) = self.matrices();
        let loads: Vec<f64> = free.iter().map(|&freedom| forces[freedom]).collect();
        let solved = stiffness.cholesky()?.solve(&loads);
        let mut all = vec![0.0; self.all_freedoms()];
        free.iter().zip(solved).for_each(|(&freedom, value)| all[freedom] = value);
        Some(all)
    }

    /// Mass of all elements \[kg\].
    #[must_use]
    pub fn mass(&self) -> f64 {
        self.elements.iter().map(|(ends, tube)| tube.density * tube.area() * self.turn(*ends).1).sum()
    }

    /// The stress of largest magnitude at the ends of each element under displacements of all freedoms, as linear functions:
    /// for each element end (extension, bending) by freedom; the stress is |extension| + |bending| \[Pa\].
    #[must_use]
    pub fn stresses(&self) -> Vec<[Vec<f64>; 2]> {
        let mut rows = Vec::new();
        for (ends, tube) in &self.elements {
            let (turn, length) = self.turn(*ends);
            let own = stiffness_of(tube, length);
            let row_of = |row: usize, factor: f64| {
                // Along the element's axes, then along those of the frame.
                let mut all = vec![0.0; self.all_freedoms()];
                for (end, &node) in ends.iter().enumerate() {
                    let [along, across, rotation] =
                        [0, 1, 2].map(|own_freedom| factor * own[row][3 * end + own_freedom]);
                    all[3 * node] += along * turn.x - across * turn.y;
                    all[3 * node + 1] += along * turn.y + across * turn.x;
                    all[3 * node + 2] += rotation;
                }
                all
            };
            let by_force = tube.area().recip();
            let by_moment = 0.5 * tube.diameter / tube.second_moment();
            rows.push([row_of(0, by_force), row_of(2, by_moment)]);
            rows.push([row_of(3, by_force), row_of(5, by_moment)]);
        }
        rows
    }

    /// Direction and length of an element.
    fn turn(&self, [from, to]: [usize; 2]) -> (DVec2, f64) {
        let along = self.nodes[to] - self.nodes[from];
        (along / along.length(), along.length())
    }
}

/// A matrix along an element as one along the frame's axes.
fn turned(own: [[f64; 6]; 6], turn: DVec2) -> [[f64; 6]; 6] {
    // own = T whole; T turns each node's displacement into the element's axes.
    let columns = own.map(|row| turned_row(row, turn));
    let mut result = [[0.0; 6]; 6];
    for column in 0..6 {
        let turned = turned_row(columns.map(|row| row[column]), turn);
        for row in 0..6 {
            result[row][column] = turned[row];
        }
    }
    result
}

fn turned_row(row: [f64; 6], turn: DVec2) -> [f64; 6] {
    let node = |first: usize| {
        let (along, across) = (row[first], row[first + 1]);
        [along * turn.x - across * turn.y, along * turn.y + across * turn.x, row[first + 2]]
    };
    let ([a, b, c], [d, e, f]) = (node(0), node(3));
    [a, b, c, d, e, f]
}

fn stiffness_of(tube: &Tube, length: f64) -> [[f64; 6]; 6] {
    let l = length;
    let extension = tube.elasticity * tube.area() / l;
    let bending = tube.elasticity * tube.second_moment() / l.powi(3);
    let [a, b, c, d] = [12.0, 6.0 * l, 4.0 * l * l, 2.0 * l * l].map(|share| share * bending);
    let e = extension;
    [
        [e, 0.0, 0.0, -e, 0.0, 0.0],
        [0.0, a, b, 0.0, -a, b],
        [0.0, b, c, 0.0, -b, d],
        [-e, 0.0, 0.0, e, 0.0, 0.0],
        [0.0, -a, -b, 0.0, a, -b],
        [0.0, b, d, 0.0, -b, c],
    ]
}

fn mass_of(tube: &Tube, length: f64) -> [[f64; 6]; 6] {
    let l = length;
    let unit = tube.density * tube.area() * l / 420.0;
    let rows = [
        [140.0, 0.0, 0.0, 70.0, 0.0, 0.0],
        [0.0, 156.0, 22.0 * l, 0.0, 54.0, -13.0 * l],
        [0.0, 22.0 * l, 4.0 * l * l, 0.0, 13.0 * l, -3.0 * l * l],
        [70.0, 0.0, 0.0, 140.0, 0.0, 0.0],
        [0.0, 54.0, 13.0 * l, 0.0, 156.0, -22.0 * l],
        [0.0, -13.0 * l, -3.0 * l * l, 0.0, -22.0 * l, 4.0 * l * l],
    ];
    rows.map(|row| row.map(|share| share * unit))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and prints what it measured")]
mod tests {
    use super::super::modes::modes;
    use super::*;

    const TUBE: Tube =
        Tube { diameter: 0.09, wall: 0.008, count: 2.0, elasticity: 71.7e9, density: 2810.0, yield_stress: 4.5e8 };

    /// Elements along a way of so many equal pieces between corners.
    fn frame(corners: &[DVec2], pieces: usize, held: Vec<(usize, usize)>) -> Frame {
        let mut nodes = vec![corners[0]];
        for pair in corners.windows(2) {
            nodes.extend((1..=pieces).map(|piece| pair[0] + (pair[1] - pair[0]) * piece as f64 / pieces as f64));
        }
        let elements = (1..nodes.len()).map(|node| ([node - 1, node], TUBE)).collect();
        Frame { nodes, elements, held }
    }

    const CLAMP: [(usize, usize); 3] = [(0, 0), (0, 1), (0, 2)];

    #[test]
    fn a_cantilever_bends_and_swings_as_its_closed_form() {
        let (length, load) = (1.3, 4000.0);
        let (ei, along) = (TUBE.elasticity * TUBE.second_moment(), TUBE.density * TUBE.area());
        for direction in [DVec2::X, DVec2::new(0.6, -0.8)] {
            let frame = frame(&[DVec2::ZERO, direction * length], 5, CLAMP.to_vec());
            let across = direction.perp();
            let mut forces = vec![0.0; frame.all_freedoms()];
            let tip = frame.nodes.len() - 1;
            (forces[3 * tip], forces[3 * tip + 1]) = (load * across.x, load * across.y);
            let found = frame.deflection(&forces).unwrap();
            let deflection = DVec2::new(found[3 * tip], found[3 * tip + 1]).dot(across);
            let exact = load * length.powi(3) / (3.0 * ei);
            let rotation = load * length.powi(2) / (2.0 * ei);
            println!(
                "cantilever: deflection {deflection:e}, exact {exact:e}; rotation {:e}, {rotation:e}",
                found[3 * tip + 2]
            );
            assert!((deflection / exact - 1.0).abs() < 1e-6 && (found[3 * tip + 2] / rotation - 1.0).abs() < 1e-6);
            let stresses = frame.stresses();
            let bending: f64 = stresses[0][1].iter().zip(&found).map(|(row, value)| row * value).sum();
            let expected = load * length * 0.5 * TUBE.diameter / TUBE.second_moment();
            println!("stress at the clamp {bending:e}, exact {expected:e}");
            assert!((bending.abs() / expected - 1.0).abs() < 1e-6);
            // Roots of cos x cosh x = -1.
            for (mode, root) in [(0, 1.875_104_068_711_961), (1, 4.694_091_132_974_175)] {
                let exact = f64::powi(root / length, 2) * (ei / along).sqrt();
                let found = modes(&frame, 4).unwrap()[mode].frequency;
                println!("cantilever, frequency {mode}: {found} rad/s, exact {exact}");
                assert!((found / exact - 1.0).abs() < 0.005);
            }
        }
    }

    /// A portal with clamped feet under a horizontal load P at its beam. Without extension, by slope and deflection, it sways by
    /// `P h^3 (2 + 3 k) / (12 E I (1 + 6 k))` with k the ratio of the stiffness I / length of the beam to that of a leg.
    #[test]
    fn a_portal_sways_as_its_closed_form() {
        // Slender tubes stretch by 5e-7 of what they bend.
        let (height, span, load) = (1.0, 1.6, 5000.0);
        let corners = [DVec2::ZERO, DVec2::new(0.0, height), DVec2::new(span, height), DVec2::new(span, 0.0)];
        let mut portal = frame(&corners, 3, CLAMP.to_vec());
        let last = portal.nodes.len() - 1;
        portal.held.extend([(last, 0), (last, 1), (last, 2)]);
        let slender = Tube { diameter: 0.002, wall: 0.0009, ..TUBE };
        portal.elements.iter_mut().for_each(|(_, tube)| *tube = slender);
        let mut forces = vec![0.0; portal.all_freedoms()];
        let small = 1e-3 * load;
        (forces[3 * 3], forces[3 * 6]) = (0.5 * small, 0.5 * small);
        let found = portal.deflection(&forces).unwrap()[3 * 3];
        let k = height / span;
        let ei = slender.elasticity * slender.second_moment();
        let exact = small * height.powi(3) * (2.0 + 3.0 * k) / (12.0 * ei * (1.0 + 6.0 * k));
        println!("portal: sway {found:e}, exact {exact:e}, ratio - 1 = {:e}", found / exact - 1.0);
        assert!((found / exact - 1.0).abs() < 1e-6);
    }
}
