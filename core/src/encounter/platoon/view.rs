//! A drive seen from above: outlines where the vehicles meet, the contact point, its normal, and the tracks.

use glam::DVec2;

use super::car::Pose;
use super::{Drive, Platoon, Sample};
use crate::picture::Drawing;
use crate::query::SIDES_OVER_SEMI_AXES;
use crate::scene::Color;

/// Half of the length and the height of what is seen, in lengths of the longest vehicle.
const HALF: DVec2 = DVec2::new(3.0, 1.5);
/// Points of an ellipse, and of a quarter of a rounded edge.
const POINTS: [u32; 2] = [96, 12];
/// Vehicles are shown at other times too, so long after the impact \[s\].
const GHOSTS: [f64; 4] = [-0.5, -0.25, 0.25, 0.5];

const COLORS: [Color; 6] = [
    Color([0x1f, 0x6f, 0xb4]),
    Color([0xc8, 0x50, 0x1e]),
    Color([0x2c, 0x8a, 0x4b]),
    Color([0x86, 0x4f, 0xa8]),
    Color([0x8a, 0x6d, 0x1f]),
    Color([0x3b, 0x8f, 0x94]),
];
const BLACK: Color = Color([0x20, 0x20, 0x20]);
const CONTACT: Color = Color([0xd0, 0x10, 0x30]);

/// A colour mixed with white.
fn pale(Color(color): Color) -> Color {
    Color(color.map(|byte| byte / 4 + 191))
}

/// The drive seen from above, about its first impact, or where two vehicles come nearest.
#[must_use]
pub fn top_view(platoon: &Platoon, drive: &Drive, title: &str) -> Drawing {
    let cars = platoon.cars();
    let first = drive.impacts.first();
    let (time, poses, center) = match first {
        Some(impact) => {
            let sample = drive.samples.iter().find(|sample| sample.time == impact.time);
            let poses = sample.map(|sample| sample.poses.clone()).unwrap_or_default();
            (impact.time, poses, impact.collision.point)
        }
        None => {
            let Some(nearest) = drive.samples.iter().min_by(|a, b| nearness(a).total_cmp(&nearness(b))) else {
                return Drawing::new(title, DVec2::ZERO, DVec2::ONE);
            };
            let middle = nearest.poses.iter().map(|pose| pose.position.truncate()).sum::<DVec2>();
            (nearest.time, nearest.poses.clone(), middle / nearest.poses.len() as f64)
        }
    };
    let longest = cars.iter().flat_map(|car| car.model.sides).fold(0.0, f64::max);
    let (low, high) = (center - longest * HALF, center + longest * HALF);
    let mut drawing = Drawing::new(title, low, high);
    for number in 0..cars.len() {
        let color = COLORS[number % COLORS.len()];
        for sample in GHOSTS.into_iter().filter_map(|after| near(drive, time + after)) {
            drawing.outline(rounded_box(&sample.poses[number], platoon.law.radius.value), pale(color), 1);
        }
        let track = drive.samples.iter().map(|sample| sample.poses[number].position.truncate());
        let margin = DVec2::splat(longest);
        let seen = track.filter(|place| place.cmpge(low - margin).all() && place.cmple(high + margin).all());
        drawing.line(seen.collect(), color, 1);
        if let Some(pose) = poses.get(number) {
            drawing.outline(ellipse(pose), color, 1);
            drawing.outline(rounded_box(pose, platoon.law.radius.value), color, 3);
            drawing.text(pose.position.truncate(), &(number + 1).to_string(), color);
        }
    }
    let mut lines = vec![title.to_owned(), format!("t = {time:.4} s")];
    if let Some(impact) = first {
        let collision = &impact.collision;
        drawing.cross(collision.point, 0.06 * longest, CONTACT, 3);
        drawing.arrow(collision.point, collision.point + 0.35 * longest * collision.normal, CONTACT, 3);
        let [a, b] = impact.after.map(|pose| pose.yaw_rate);
        lines
            .push(format!("normal impulse {:.1} N s, yaw rates after {a:+.4} and {b:+.4} rad/s", collision.impulse[0]));
    } else {
        lines.push("no impact; where two vehicles come nearest".to_owned());
    }
    let step = DVec2::new(0.0, -0.05 * (high.y - low.y));
    let corner = DVec2::new(low.x + 0.01 * (high.x - low.x), high.y + 0.4 * step.y);
    for (number, line) in lines.iter().enumerate() {
        drawing.text(corner + number as f64 * step, line, BLACK);
    }
    drawing
}

/// Least distance of two centres.
fn nearness(sample: &Sample) -> f64 {
    let places: Vec<DVec2> = sample.poses.iter().map(|pose| pose.position.truncate()).collect();
    let mut least = f64::INFINITY;
    for (number, place) in places.iter().enumerate() {
        least = places[..number].iter().map(|other| other.distance(*place)).fold(least, f64::min);
    }
    least
}

/// The first sample at or after a time.
fn near(drive: &Drive, time: f64) -> Option<&Sample> {
    drive.samples.iter().find(|sample| sample.time >= time).filter(|_| time >= 0.0)
}

fn in_world(pose: &Pose, local: DVec2) -> DVec2 {
    pose.position.truncate() + pose.heading().rotate(local)
}

fn ellipse(pose: &Pose) -> Vec<DVec2> {
    let [length, width, _] = pose.sides;
    let semi_axes = DVec2::new(length, width) / SIDES_OVER_SEMI_AXES;
    let at = |number: u32| DVec2::from_angle(std::f64::consts::TAU * f64::from(number) / f64::from(POINTS[0]));
    (0..POINTS[0]).map(|number| in_world(pose, semi_axes * at(number))).collect()
}

fn rounded_box(pose: &Pose, radius: f64) -> Vec<DVec2> {
    let [length, width, _] = pose.sides;
    let core = 0.5 * DVec2::new(length, width) - radius;
    let corner = |number: u32| {
        let signs = [DVec2::ONE, DVec2::new(-1.0, 1.0), DVec2::NEG_ONE, DVec2::new(1.0, -1.0)][number as usize];
        let quarter = std::f64::consts::FRAC_PI_2;
        (0..=POINTS[1]).map(move |point| {
            let angle = quarter * (f64::from(number) + f64::from(point) / f64::from(POINTS[1]));
            signs * core + radius * DVec2::from_angle(angle)
        })
    };
    (0..4).flat_map(corner).map(|local| in_world(pose, local)).collect()
}
