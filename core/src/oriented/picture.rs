//! Targets, paths and collisions as a picture (SVG).
//!
//! # Conventions
//! x to the right, y upwards. Targets of the last step are filled, those of earlier ones outlined. Where an initiator
//! collides, a full arrow shows the normal of the surface with the tie break, and a dashed one that of minimum translation
//! where it is another.

use std::fmt::Write as _;

use glam::DVec2;

use super::CollisionTracker;
use crate::query::{ConvexTarget, OrientedConfiguration};

/// The longer side of the picture, and the margin inside of it, in its own unit.
const SIZE: f64 = 800.0;
const MARGIN: f64 = 60.0;
/// Length of arrows.
const ARROW: f64 = 40.0;

const STYLE: &str = "\
<style>
  .before { fill: none; stroke: #c8ccd0; }
  .target { fill: #e4e8ec; stroke: #30363c; stroke-width: 2; }
  .path { fill: none; stroke: #2a6fb0; }
  .place { fill: #2a6fb0; }
  .collision { stroke: #c0392b; stroke-width: 3; fill: none; marker-end: url(#head); }
  .minimum { stroke: #8a6d1f; stroke-width: 2; stroke-dasharray: 5 4; fill: none; }
</style>
<marker id=\"head\" markerWidth=\"4\" markerHeight=\"4\" refX=\"3\" refY=\"2\" orient=\"auto\">
  <path d=\"M0,0 L4,2 L0,4 z\" fill=\"#c0392b\"/>
</marker>
";

/// The accepted steps of a tracker, to be looked at.
#[derive(Clone, Debug, Default)]
pub struct Scenes {
    steps: Vec<CollisionTracker>,
}

impl Scenes {
    /// Adds the last accepted step.
    pub fn add(&mut self, tracker: &CollisionTracker) {
        self.steps.push(tracker.clone());
    }

    /// The picture.
    #[must_use]
    pub fn svg(&self) -> String {
        let frame = Frame::around(&self.steps);
        let mut body = String::new();
        for (index, step) in self.steps.iter().enumerate() {
            let class = if index + 1 == self.steps.len() { "target" } else { "before" };
            for target in &step.targets {
                // Writing to a string does not fail.
                let _ = writeln!(body, "<polygon class=\"{class}\" points=\"{}\"/>", frame.points(target.vertices()));
            }
        }
        for initiator in 0..self.steps.first().map_or(0, |step| step.initiators.len()) {
            let path: Vec<DVec2> = self.steps.iter().map(|step| step.initiators[initiator]).collect();
            let _ = writeln!(body, "<polyline class=\"path\" points=\"{}\"/>", frame.points(&path));
            for place in path {
                let DVec2 { x, y } = frame.place(place);
                let _ = writeln!(body, "<circle class=\"place\" cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"3\"/>");
            }
        }
        for step in &self.steps {
            let pairs =
                step.targets.iter().flat_map(|target| step.initiators.iter().map(move |place| (target, *place)));
            for ((target, place), configuration) in pairs.zip(&step.configurations) {
                body += &arrows(&frame, target, place, configuration);
            }
        }
        let DVec2 { x: width, y: height } = frame.size();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\">\n<title>Collisions of \
             initiators with targets</title>\n{STYLE}<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n"
        )
    }
}

/// Where an initiator collides: the direction of the force, and that of minimum translation where it is another.
fn arrows(frame: &Frame, target: &ConvexTarget, place: DVec2, configuration: &OrientedConfiguration) -> String {
    let mut text = String::new();
    let collision = configuration.collision_last;
    let from = frame.place(place);
    let mut arrow = |class: &str, number: u32| {
        if let Some(surface) = target.surfaces().nth(number as usize) {
            // The picture's y goes down.
            let to = from + ARROW * surface.normal * DVec2::new(1.0, -1.0);
            let line = format!("M{:.2},{:.2} L{:.2},{:.2}", from.x, from.y, to.x, to.y);
            let _ = writeln!(text, "<path class=\"{class}\" d=\"{line}\"/>");
        }
    };
    if collision != 0 {
        arrow("collision", collision.trailing_zeros());
        if let Some(nearest) = configuration.minimum_translation.filter(|nearest| collision >> nearest & 1 == 0) {
            arrow("minimum", nearest);
        }
    }
    text
}

/// What part of the plane is seen.
struct Frame {
    low: DVec2,
    high: DVec2,
    /// Units of the picture per metre.
    scale: f64,
}

impl Frame {
    fn around(steps: &[CollisionTracker]) -> Self {
        let vertices = steps.iter().flat_map(|step| step.targets.iter().flat_map(ConvexTarget::vertices));
        let points = vertices.chain(steps.iter().flat_map(|step| &step.initiators));
        let bounds = points.fold(None, |bounds: Option<[DVec2; 2]>, &point| {
            Some(bounds.map_or([point; 2], |[low, high]| [low.min(point), high.max(point)]))
        });
        let [low, high] = bounds.unwrap_or([DVec2::ZERO, DVec2::ONE]);
        // Two points in one place would leave no scale.
        let extent = (high - low).max_element().max(f64::MIN_POSITIVE.sqrt());
        Self { low, high, scale: (SIZE - 2.0 * MARGIN) / extent }
    }

    /// Of the whole picture.
    fn size(&self) -> DVec2 {
        (self.high - self.low) * self.scale + 2.0 * MARGIN
    }

    fn place(&self, point: DVec2) -> DVec2 {
        DVec2::new(point.x - self.low.x, self.high.y - point.y) * self.scale + MARGIN
    }

    fn points(&self, points: &[DVec2]) -> String {
        let point = |point: &DVec2| {
            let DVec2 { x, y } = self.place(*point);
            format!("{x:.2},{y:.2}")
        };
        points.iter().map(point).collect::<Vec<_>>().join(" ")
    }
}
