//! What is kept of an item: enough to compute it again, and what came of it.

use super::{
    Agreement, BoxFinding, Disagreement, EllipsoidFinding, Item, Judgement, ParticleFinding, RayItem, Recording,
    StepItem, StepJudgement, WheelItem,
};
use crate::query::EntryPoint;

/// An item and what it comes to.
#[derive(Clone, Debug)]
pub enum Finding {
    /// Of a ray.
    Ray(RayFinding),
    /// Of a step of a wheel.
    Wheel(WheelItem, StepJudgement),
    /// Of a step of a landing.
    Step(StepItem, StepJudgement),
    /// Of a rounded box, or two.
    Box(BoxFinding),
    /// Of a pair of ellipsoids, or one and a wall.
    Ellipsoid(EllipsoidFinding),
    /// Of a particle above a plane.
    Particle(ParticleFinding),
    /// Of a landing whose class differs.
    Landing(Disagreement),
    /// Of what is recorded of a landing.
    Recording(Recording),
}

/// A ray, both answers to it, and the verdict.
#[derive(Clone, Debug)]
pub struct RayFinding {
    /// What the item asks.
    pub item: RayItem,
    /// The judge's answer.
    pub truth: EntryPoint,
    /// The candidate's.
    pub answer: EntryPoint,
    /// What it comes to.
    pub judgement: Judgement,
}

impl Finding {
    /// The item.
    #[must_use]
    pub fn item(&self) -> Item {
        match self {
            Self::Ray(finding) => Item::Ray(finding.item),
            Self::Wheel(item, _) => Item::Wheel(*item),
            Self::Step(item, _) => Item::Step(*item),
            Self::Box(finding) => Item::Box(finding.item),
            Self::Ellipsoid(finding) => Item::Ellipsoid(finding.item),
            Self::Particle(finding) => Item::Particle(finding.item),
            Self::Landing(disagreement) => Item::Landing(disagreement.item),
            Self::Recording(recording) => Item::Landing(recording.item),
        }
    }

    /// The verdict; that on a landing whose class differs is either ambiguous or wrong.
    #[must_use]
    pub fn verdict(&self) -> Agreement {
        match self {
            Self::Ray(finding) => finding.judgement.verdict,
            Self::Wheel(_, judgement) | Self::Step(_, judgement) => judgement.verdict,
            Self::Box(finding) => finding.verdict,
            Self::Ellipsoid(finding) => finding.verdict,
            Self::Particle(finding) => finding.verdict,
            Self::Landing(disagreement) if disagreement.is_explained() => Agreement::Ambiguous,
            Self::Landing(_) => Agreement::Wrong,
            Self::Recording(recording) => recording.verdict(),
        }
    }

    /// The largest error as a share of its bound, where there is one.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        match self {
            Self::Ray(finding) => finding.judgement.ratio(),
            Self::Wheel(_, judgement) | Self::Step(_, judgement) => judgement.ratio,
            Self::Box(BoxFinding { deviation, .. })
            | Self::Ellipsoid(EllipsoidFinding { deviation, .. })
            | Self::Particle(ParticleFinding { deviation, .. }) => deviation.map(|deviation| deviation.ratio()),
            Self::Landing(disagreement) => Some(disagreement.largest_ratio),
            Self::Recording(recording) => Some(recording.largest.0),
        }
    }

    /// What the largest error is an error of.
    #[must_use]
    pub fn what(&self) -> &'static str {
        match self {
            Self::Ray(_) => "lambda",
            Self::Wheel(_, judgement) | Self::Step(_, judgement) => judgement.why,
            Self::Box(BoxFinding { why, .. })
            | Self::Ellipsoid(EllipsoidFinding { why, .. })
            | Self::Particle(ParticleFinding { why, .. }) => why,
            Self::Landing(_) => "a step",
            Self::Recording(recording) => recording.largest.1,
        }
    }

    /// True for items that were made to touch a border or a seam, where rounding alone decides.
    #[must_use]
    pub fn made_to_touch(&self) -> bool {
        match self {
            Self::Ray(finding) => finding.item.made_to_touch,
            Self::Box(finding) => finding.made_to_touch,
            Self::Ellipsoid(finding) => finding.made_to_touch(),
            Self::Particle(finding) => finding.made_to_touch,
            Self::Wheel(..) | Self::Step(..) | Self::Landing(_) | Self::Recording(_) => false,
        }
    }
}
