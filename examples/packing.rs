//! Writes a LAMMPS dump of ellipsoids in a periodic box: a cubic lattice, each body moved a little and turned at random.
//!
//!     cargo run --example packing -- 1000000 0.5 > packing.dump
//!
//! takes a number of bodies, which the next cube makes full, the part of the box that they fill where they do not overlap, and
//! optionally a seed. Ids are in no order, as in the dumps of simulations.
//!
//! # Conventions
//! Metres; the lattice's step is 1 m. Axes are as 1 : 1.5 : 2.

#![allow(clippy::print_stdout, reason = "its output is the file")]

use std::error::Error;
use std::f64::consts::PI;
use std::io::{BufWriter, Write, stdout};

/// Ratios of the axes.
const AXES: [f64; 3] = [1.0, 1.5, 2.0];
/// How far bodies are moved at most along each axis [m].
const SHIFT: f64 = 0.3;

/// Numbers from 0 to 1 by `SplitMix64` (Steele, Lea and Flood 2014).
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn symmetric(&mut self) -> f64 {
        2.0 * self.next() - 1.0
    }

    /// A unit quaternion, evenly over all rotations: a point of the ball in four dimensions, drawn out to its surface.
    fn rotation(&mut self) -> [f64; 4] {
        loop {
            let turn = [(); 4].map(|()| self.symmetric());
            let squared: f64 = turn.iter().map(|part| part * part).sum();
            if squared > 1e-4 && squared <= 1.0 {
                return turn.map(|part| part / squared.sqrt());
            }
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [count, fraction, seed @ ..] = &arguments[..] else { return Err("COUNT FRACTION [SEED] are needed".into()) };
    let (count, fraction): (f64, f64) = (count.parse()?, fraction.parse()?);
    if !((1.0..=1e9).contains(&count) && fraction > 0.0 && fraction <= 1.0) {
        return Err("COUNT must be from 1 to 1e9, FRACTION above 0 and at most 1".into());
    }
    let mut draws = Draws(seed.first().map_or(Ok(1), |seed| seed.parse())?);
    let side = count.cbrt().ceil() as usize;
    let count = side.pow(3);
    let scale = (fraction / (4.0 / 3.0 * PI * AXES.iter().product::<f64>())).cbrt();
    let diameters = AXES.map(|axis| 2.0 * scale * axis);
    let mut ids: Vec<usize> = (1..=count).collect();
    for place in (1..count).rev() {
        ids.swap(place, (draws.next() * (place + 1) as f64) as usize);
    }
    let mut out = BufWriter::new(stdout().lock());
    writeln!(out, "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n{count}\nITEM: BOX BOUNDS pp pp pp")?;
    writeln!(out, "0 {side}\n0 {side}\n0 {side}")?;
    writeln!(out, "ITEM: ATOMS id x y z shapex shapey shapez quatw quati quatj quatk")?;
    for (place, id) in ids.into_iter().enumerate() {
        let cell = [place % side, place / side % side, place / side / side];
        let [x, y, z] = cell.map(|cell| cell as f64 + 0.5 + SHIFT * draws.symmetric());
        let [a, b, c] = diameters;
        let [quat_w, quat_i, quat_j, quat_k] = draws.rotation();
        writeln!(
            out,
            "{id} {x:.9} {y:.9} {z:.9} {a:.9} {b:.9} {c:.9} {quat_w:.9} {quat_i:.9} {quat_j:.9} {quat_k:.9}"
        )?;
    }
    Ok(out.flush()?)
}
