//! Jet engines whose spools turn up and down at limited rates.

use super::formula::{Formula, both, smaller, sought, times};
use super::lowering::Lowering;
use crate::function::Expression;

/// A jet engine with one or two spools.
#[derive(Clone, Debug, PartialEq)]
pub struct Turbine {
    /// Static thrust at sea level without augmentation \[lbf\].
    pub military_thrust: f64,
    /// The same with augmentation \[lbf\].
    pub augmented_thrust: f64,
    /// Air past the core by air through it.
    pub bypass_ratio: f64,
    /// Share of the thrust that bleed air takes.
    pub bleed: f64,
    /// Speeds of the spools at idle \[%\].
    pub idle: [f64; 2],
    /// Speeds of the spools at full throttle \[%\].
    pub full: [f64; 2],
    /// How it is augmented.
    pub augmentation: Augmentation,
    /// Idle thrust by military thrust.
    pub idle_thrust: Expression<String>,
    /// Military thrust by the static one.
    pub military: Expression<String>,
    /// Augmented thrust by the static one; needed where it is augmented.
    pub augmented: Option<Expression<String>>,
    /// Rates at which spools turn up and down \[%/s\], for each spool, where the file gives them.
    pub rates: [[Option<Expression<String>>; 2]; 2],
}

/// How a turbine is augmented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Augmentation {
    /// Not at all.
    None,
    /// Fully from a throttle of 0.99 on, when the second spool turns at more than 97 %.
    AtFullThrottle,
    /// In proportion to the throttle above 1, fully at 2.
    AboveFullThrottle,
}

/// Names of the spools, and by how much faster they turn down than up.
const SPOOLS: [(&str, f64); 2] = [("n1", 2.4), ("n2", 3.0)];

impl Turbine {
    /// Adds the functions of spools; the thrust \[lbf\].
    pub(super) fn thrust(&self, lowering: &mut Lowering<'_>) -> Formula {
        let asked = lowering.control("throttle-pos-norm");
        let throttle = smaller(asked.clone(), 1.0);
        // The share of the way from idle to full throttle that the second spool has turned up.
        let [span, second_span] = [0, 1].map(|spool| self.full[spool] - self.idle[spool]);
        let share = |speed: Formula| (speed - self.idle[1]) / second_span;
        let missing = Formula::from(1.0) - smaller(1.0, share(lowering.of("n2")) + 0.1);
        let missing = lowering.make("spool missing", missing);
        let slow = missing.clone() * missing.clone() * missing * 3.0;
        let rate = Formula::from(90.0 / (self.bypass_ratio + 3.0)) / (slow + 2.0 - "atmosphere/sigma");
        let rate = lowering.make("spool rate", rate);
        for (number, (name, down)) in SPOOLS.into_iter().enumerate() {
            let speed = lowering.of(name);
            let target = times(throttle.clone(), [span, second_span][number].into()) + self.idle[number];
            let target = lowering.make(&format!("{name} asked"), target);
            let [given_up, given_down] = self.rates[number].clone();
            let up = given_up.unwrap_or_else(|| rate.clone());
            let down = given_down.unwrap_or_else(|| rate.clone() * down);
            lowering.starts(name, self.idle[number]);
            lowering.make(name, sought(&speed, &target, up, down));
        }
        let share = lowering.make("spool share", share(lowering.of("n2")));
        let idle = lowering.make("IdleThrust", self.idle_thrust.clone()) * self.military_thrust;
        let military = lowering.make("MilThrust", self.military.clone());
        let dry = idle.clone() + (Formula::from(self.military_thrust) - idle) * military * share.clone() * share;
        self.augmented(lowering, dry, &asked)
    }

    /// What bleed air and augmentation make of a thrust.
    fn augmented(&self, lowering: &mut Lowering<'_>, dry: Formula, asked: &Formula) -> Formula {
        let bled = times(dry.clone(), (1.0 - self.bleed).into());
        let Some(augmented) = self.augmented.clone().filter(|_| self.augmentation != Augmentation::None) else {
            return bled;
        };
        let full = lowering.make("AugThrust", augmented) * self.augmented_thrust;
        let burns = match self.augmentation {
            Augmentation::AboveFullThrottle => Formula::from(1.0).less(asked.clone()),
            _ => both(Formula::from(0.99).less(asked.clone()), Formula::from(97.0).less(lowering.of("n2"))),
        };
        // In a step after one with augmentation no bleed air is taken.
        let burnt = lowering.of("augmentation burns");
        let dry = lowering.make("dry thrust-lbs", if self.bleed == 0.0 { dry } else { burnt.choose(dry, bled) });
        let burns = lowering.make("augmentation burns", burns);
        match self.augmentation {
            Augmentation::AboveFullThrottle => {
                let above = smaller(asked.clone() - 1.0, 1.0);
                burns.choose(dry.clone() + (full - dry.clone()) * above, dry)
            }
            _ => burns.choose(full, dry),
        }
    }
}
