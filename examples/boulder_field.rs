//! Writes `scenes/boulder_field.toml`: craters and 2,000 boulders on level ground.
//!
//!     cargo run --example boulder_field > examples/scenes/boulder_field.toml
//!
//! # Conventions
//! Metres, z up; x = 0, y = 0 is the aiming point.

#![allow(clippy::print_stdout, reason = "its output is the file")]

use std::f64::consts::{SQRT_2, TAU};
use std::fmt::Write;

const BOULDERS: usize = 2000;
const CRATERS: usize = 14;
/// Half the side of the field [m].
const HALF_SIDE: f64 = 110.0;
/// Longest semi-axes [m] of the smallest and the largest boulder.
const MIN: f64 = 0.3;
const MAX: f64 = 4.5;
/// Boulders with a longer axis than this are as many as its power by this exponent: assumed, in the range that is counted
/// on small bodies and around lunar craters (-2 to -4).
const EXPONENT: f64 = -2.4;
/// Axes of fragments of impact experiments are about as 2 to the root of 2 to 1 (Fujiwara et al. 1978).
const AXES: [f64; 3] = [1.0, SQRT_2 / 2.0, 0.5];

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

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

/// A bowl: what a ball takes out of the ground.
struct Crater {
    x: f64,
    y: f64,
    radius: f64,
}

impl Crater {
    /// Fresh simple craters are about a fifth as deep as wide (Pike 1977); these have lost half of that.
    fn depth(&self) -> f64 {
        0.2 * self.radius
    }

    fn ball_radius(&self) -> f64 {
        (self.radius * self.radius + self.depth() * self.depth()) / (2.0 * self.depth())
    }

    /// Height of the ground \[m\]: negative in the bowl, 0 around it.
    fn ground(&self, x: f64, y: f64) -> f64 {
        let across = (x - self.x).powi(2) + (y - self.y).powi(2);
        let ball = self.ball_radius();
        if across >= self.radius * self.radius { 0.0 } else { ball - self.depth() - (ball * ball - across).sqrt() }
    }
}

/// The text of the scene file.
pub fn scene() -> String {
    let mut draws = Draws(1);
    // One large crater to look at, the others anywhere but at the aiming point.
    let mut craters = vec![Crater { x: 38.0, y: 26.0, radius: 19.0 }];
    while craters.len() < CRATERS {
        let (x, y) = (draws.between(-HALF_SIDE, HALF_SIDE), draws.between(-HALF_SIDE, HALF_SIDE));
        let radius = 3.0 * draws.between(0.08, 1.0).powf(-0.6);
        let apart = |other: &Crater| (x - other.x).hypot(y - other.y) > radius + other.radius + 2.0;
        if x.hypot(y) > radius + 6.0 && craters.iter().all(apart) {
            craters.push(Crater { x, y, radius });
        }
    }
    let mut text = format!(
        "# {BOULDERS} boulders and {CRATERS} craters on level ground of {0} m by {0} m, made by\n\
         #     cargo run --example boulder_field > examples/scenes/boulder_field.toml\n\
         # which says where its figures are from. x = 0, y = 0 is the aiming point; z up. Metres.\n\
         default_material = \"regolith\"\n\n\
         # Loose soil under a pad, bare rock: assumed.\n\
         [materials.regolith]\nstatic_friction = 0.6\ndynamic_friction = 0.5\ncolor = \"#9a8468\"\n\n\
         [materials.rock]\nstatic_friction = 0.8\ndynamic_friction = 0.7\ncolor = \"#c4b296\"\n\n\
         [camera]\nfrom = [-84, -66, 24]\nat = [6, 6, -2]\nfov_deg = 35\n\n\
         [shapes.ground]\ndifference = [\n    {{ half_space = {{ normal = [0, 0, 1], offset = 0 }} }},\n",
        2.0 * HALF_SIDE
    );
    for crater in &craters {
        let height = crater.ball_radius() - crater.depth();
        let _ = writeln!(
            text,
            "    {{ sphere = {{ center = [{:.2}, {:.2}, {height:.3}], radius = {:.3} }} }},",
            crater.x,
            crater.y,
            crater.ball_radius()
        );
    }
    text.push_str("]\n\n[shapes.boulders]\nunion = [\n");
    for _ in 0..BOULDERS {
        text.push_str(&boulder(&mut draws, &craters));
    }
    text.push_str(
        "]\n\n[scene]\nunion = [{ use = \"ground\" }, { material = \"rock\", of = { use = \"boulders\" } }]\n",
    );
    text
}

fn boulder(draws: &mut Draws, craters: &[Crater]) -> String {
    // Inverse of the cumulative count between the two sizes.
    let (most, least) = (MIN.powf(EXPONENT), MAX.powf(EXPONENT));
    let longest = (least + (most - least) * draws.next()).powf(1.0 / EXPONENT);
    let (x, y) = (draws.between(-HALF_SIDE, HALF_SIDE), draws.between(-HALF_SIDE, HALF_SIDE));
    let ground: f64 = craters.iter().map(|crater| crater.ground(x, y)).sum();
    let axes = AXES.map(|axis| longest * axis * draws.between(0.85, 1.15));
    // Turned about an axis that leans from the vertical by up to 17 degrees: it lies on its broad side, more or less.
    let (direction, lean, angle) = (TAU * draws.next(), draws.between(0.0, 0.3), draws.between(0.0, 360.0));
    let z = ground + axes[2] * draws.between(0.0, 0.6);
    format!(
        "    {{ ellipsoid = {{ center = [{x:.1}, {y:.1}, {z:.2}], axes = [{:.2}, {:.2}, {:.2}], \
         rotate = {{ axis = [{:.2}, {:.2}, 1], angle_deg = {angle:.0} }} }} }},\n",
        axes[0],
        axes[1],
        axes[2],
        lean * direction.cos(),
        lean * direction.sin()
    )
}

#[allow(dead_code, reason = "tests take the text alone")]
fn main() {
    print!("{}", scene());
}
