//! Curves of the air forces of an aircraft over the angle of attack, as an SVG file.

use glam::DVec3;

use super::plot::{Axis, Plot, label};
use crate::air_forces::{AirForces, Description, Flight};
use crate::elementary::sin_cos;

/// Colours by class, for programs that know no style sheet of a page around the picture.
const STYLE: &str = "text{font:12px sans-serif;fill:#1c2126;text-anchor:middle}path{fill:none}\
.tick,.axis{fill:#5d6670}.y{text-anchor:end}.row{text-anchor:start}.title{text-anchor:start;font-weight:600}\
.grid{stroke:#e6eaee}.frame{stroke:#5d6670}.curve{stroke:#1d629c;stroke-width:2}";

/// Size of each frame \[px\].
const SIZE: (f64, f64) = (560.0, 200.0);
/// Room above a frame for its title.
const ABOVE: f64 = 28.0;
/// Angles of attack \[deg\], and how many.
const ANGLES: (f64, f64, usize) = (-10.0, 20.0, 121);
/// Airspeed \[m/s\] and height \[m\] of all of them.
const FLIGHT: (f64, f64) = (70.0, 500.0);

/// Coefficients of lift, drag and pitching moment about the centre of gravity over the angle of attack: steady, in standard air at
/// sea level, at 70 m/s and 500 m above the ground, with all given properties 0. Values that are none are left out; none at all
/// without a wing.
#[must_use]
pub fn air_force_curves(description: &Description, forces: &AirForces) -> Option<String> {
    let sizes = description.sizes;
    let pressure = 0.5 * 1.225 * FLIGHT.0 * FLIGHT.0 * sizes.area;
    if !(pressure > 0.0 && sizes.chord > 0.0) {
        return None;
    }
    let (from, to, count) = ANGLES;
    let angles = (0..count).map(|number| from + (to - from) * number as f64 / (count - 1) as f64);
    let points: Vec<(f64, [f64; 3])> = angles
        .map(|angle| {
            let [lift, drag, moment] = steady(description, forces, angle.to_radians());
            (angle, [lift / pressure, drag / pressure, moment / (pressure * sizes.chord)])
        })
        .collect();
    let names = ["lift coefficient", "drag coefficient", "pitching moment coefficient about the centre of gravity"];
    let (mut contents, mut width, mut top) = (format!("<style>{STYLE}</style>"), 0.0_f64, 8.0);
    for (number, name) in names.into_iter().enumerate() {
        let curve: Vec<(f64, f64)> = points.iter().map(|(angle, of)| (*angle, of[number])).collect();
        let curve: Vec<(f64, f64)> = curve.into_iter().filter(|(_, value)| value.is_finite()).collect();
        let ends = curve.iter().fold((0.0_f64, 0.0_f64), |(low, high), (_, value)| (low.min(*value), high.max(*value)));
        let ends = if ends.0 == ends.1 { (-1.0, 1.0) } else { ends };
        let x = Axis::between(from, to, "angle of attack", "deg");
        let mut plot = Plot::new(x, Axis::linear(ends.0, ends.1, ""), SIZE.0, SIZE.1);
        plot.line("curve", &curve);
        let size = plot.size();
        contents.push_str(&label("title", 12.0, top + 14.0, name));
        let place = format!("<svg x=\"0\" y=\"{}\" width=\"{}\" height=\"{}\" ", top + ABOVE, size.0, size.1);
        contents.push_str(&plot.finish(name, "Over the angle of attack").replacen("<svg ", &place, 1));
        width = width.max(size.0);
        top += ABOVE + size.1 + 14.0;
    }
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{top}\" viewBox=\"0 0 {width} {top}\">\
         <title>Air forces over the angle of attack</title><rect width=\"{width}\" height=\"{top}\" fill=\"#ffffff\"/>{contents}</svg>\n"
    ))
}

/// Lift, drag \[N\] and pitching moment \[N m\] at an angle of attack \[rad\].
fn steady(description: &Description, forces: &AirForces, alpha: f64) -> [f64; 3] {
    let (sine, cosine) = sin_cos(alpha);
    let velocity = FLIGHT.0 * DVec3::new(cosine, 0.0, sine);
    let mut flight = Flight {
        air_velocity: velocity,
        ground_velocity: velocity,
        pitch: alpha,
        height: FLIGHT.1,
        density: 1.225,
        sound: 340.294,
        temperature: 288.15,
        pressure: 101_325.0,
        mass: 1.0,
        arm: description.reference_point,
        given: vec![0.0; forces.given().len()],
        ..Flight::default()
    };
    // The first lift stands for that of the step before.
    flight.memory.lift = flight.lift(forces.loads(&forces.row(&flight))[0]);
    let [force, moment] = forces.loads(&forces.row(&flight));
    [flight.lift(force), -(cosine * force.x + sine * force.z), moment.y]
}
