//! The log of a landing.

use touchdown::query::{LandingClass, LandingEvent, LandingOutcome, LandingStep, Motion, Observer};
use touchdown::study::Study;

use super::text::Shown;

/// Collects events as lines.
pub struct EventLog<'a> {
    study: &'a Study,
    lines: String,
    events: Vec<(f64, LandingEvent)>,
}

impl<'a> EventLog<'a> {
    pub fn new(study: &'a Study) -> Self {
        Self { study, lines: String::new(), events: Vec::new() }
    }

    /// The lines so far.
    pub fn text(&self) -> &str {
        &self.lines
    }

    fn words(&self, event: LandingEvent) -> String {
        let wheel = |index: usize| &self.study.job.vehicle.wheels[index].name;
        match event {
            LandingEvent::Touchdown => "touchdown".to_owned(),
            LandingEvent::Bounce => "bounce: all main wheels have left the ground".to_owned(),
            LandingEvent::WheelDown(index) => format!("wheel {} down", wheel(index)),
            LandingEvent::WheelUp(index) => format!("wheel {} up", wheel(index)),
            LandingEvent::ForceLimit(index) => format!("wheel {} passes the surface's maximum force", wheel(index)),
            LandingEvent::Spoilers => "spoilers out".to_owned(),
            LandingEvent::Brakes => "brakes on".to_owned(),
            LandingEvent::Reverse => "reverse thrust".to_owned(),
            LandingEvent::VeeredOff => "a wheel leaves the side of the runway".to_owned(),
            LandingEvent::RunwayEnd => "end of the runway".to_owned(),
            LandingEvent::End(class) => format!("end: {}", class.name()),
        }
    }

    fn line(&mut self, time: f64, event: LandingEvent, state: &str) {
        self.lines.push_str(&format!("  {time:8.3} s  {state}  {}\n", self.words(event)));
    }
}

/// Events come before their step's own call, which knows where the vehicle is.
impl Observer for EventLog<'_> {
    fn step(&mut self, step: &LandingStep<'_>) {
        let Motion { position, velocity, .. } = step.state.motion;
        let state = format!("x {:9.2} m  y {:7.2} m  {:6.2} m/s", position.x, position.y, velocity.length());
        for (time, event) in std::mem::take(&mut self.events) {
            self.line(time, event, &state);
        }
    }

    fn event(&mut self, time: f64, event: LandingEvent) {
        if matches!(event, LandingEvent::End(_)) {
            self.line(time, event, &" ".repeat(37));
        } else {
            self.events.push((time, event));
        }
    }
}

/// The numbers of one landing, a line each.
pub fn outcome_lines(study: &Study, outcome: &LandingOutcome) -> String {
    let mut text = format!("  {:<28} {}\n", "class", outcome.class.name());
    for quantity in study.quantities().iter().filter(|_| outcome.class != LandingClass::Invalid) {
        if let Some(value) = quantity.of(outcome) {
            let shown = Shown::of(quantity.unit.symbol());
            text.push_str(&format!("  {:<28} {} {}\n", quantity.name, shown.number(value), shown.symbol));
        }
    }
    text
}
