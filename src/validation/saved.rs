//! Files of findings: JSON, one object per finding, whose `job` says what else it holds.

use serde::Serialize;

use super::{
    Agreement, BoxClass, BoxFinding, BoxItem, Deviation, Disagreement, EllipsoidClass, EllipsoidFinding, EllipsoidItem,
    Finding, Item, Job, Judgement, LandingItem, ParticleClass, ParticleFinding, ParticleItem, Parting, RayFinding,
    RayItem, Recording, SceneClass, StepItem, StepJudgement, WheelItem, study_names,
};
use crate::document::{Document, DocumentError, Field, Table, Unit};
use crate::engine::EngineIdentity;
use crate::query::{EntryPoint, Ray, RayStatus};

#[derive(Serialize)]
struct File<'a> {
    engine: &'a str,
    adapter: &'a str,
    version: &'a str,
    findings: Vec<Record<'a>>,
}

#[derive(Serialize)]
struct Record<'a> {
    job: &'static str,
    verdict: &'static str,
    #[serde(flatten)]
    found: Found<'a>,
}

/// What a job's findings hold: first what makes the item, then what came of it. Numbers that JSON cannot hold are left
/// out.
#[derive(Serialize)]
#[serde(untagged)]
enum Found<'a> {
    Ray(Box<RayFound>),
    Wheel {
        class: &'static str,
        seed: u64,
        wheel: u64,
        step: u64,
        #[serde(flatten)]
        judgement: StepRecord<'a>,
    },
    Step {
        study: &'static str,
        landing: u64,
        step: u64,
        #[serde(flatten)]
        judgement: StepRecord<'a>,
    },
    Contact {
        class: &'static str,
        seed: u64,
        item: u64,
        made_to_touch: bool,
        why: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        bound: Option<f64>,
    },
    Landing {
        study: &'static str,
        landing: u64,
        truth: &'static str,
        answer: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        parting_step: Option<u64>,
        decision: &'a str,
        wrong_steps: u64,
    },
    Recording {
        study: &'static str,
        landing: u64,
        misrecorded: &'a [String],
    },
}

#[derive(Serialize)]
struct RayFound {
    class: &'static str,
    seed: u64,
    item: u64,
    made_to_touch: bool,
    ray: RayRecord,
    why: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<f64>,
    truth: EntryPointRecord,
    answer: EntryPointRecord,
}

#[derive(Serialize)]
struct StepRecord<'a> {
    why: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_over_bound: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    margin: Option<f64>,
}

#[derive(Serialize)]
struct RayRecord {
    x1: [f64; 3],
    x2: [f64; 3],
    lambda1: f64,
    lambda2: f64,
}

#[derive(Serialize)]
struct EntryPointRecord {
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    lambda: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    normal: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    leaf: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    material: Option<u32>,
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

impl Found<'_> {
    fn contact(
        class: &'static str,
        (seed, item): (u64, u64),
        made_to_touch: bool,
        why: &'static str,
        deviation: Option<Deviation>,
    ) -> Self {
        let error = deviation.map(|deviation| deviation.error).and_then(finite);
        let bound = deviation.map(|deviation| deviation.bound).and_then(finite);
        Self::Contact { class, seed, item, made_to_touch, why, error, bound }
    }
}

impl<'a> From<&'a Finding> for Record<'a> {
    fn from(finding: &'a Finding) -> Self {
        let found = match finding {
            Finding::Ray(finding) => Found::Ray(Box::new(finding.into())),
            Finding::Wheel(WheelItem { class, seed, wheel, step }, judgement) => Found::Wheel {
                class: class.name(),
                seed: *seed,
                wheel: *wheel,
                step: *step,
                judgement: judgement.into(),
            },
            Finding::Step(StepItem { study, landing, step }, judgement) => {
                Found::Step { study, landing: *landing, step: *step, judgement: judgement.into() }
            }
            Finding::Box(BoxFinding { item: BoxItem { class, seed, number }, why, deviation, .. }) => {
                Found::contact(class.name(), (*seed, *number), finding.made_to_touch(), why, *deviation)
            }
            Finding::Ellipsoid(EllipsoidFinding { item, why, deviation, .. }) => {
                let EllipsoidItem { class, seed, number } = item;
                Found::contact(class.name(), (*seed, *number), finding.made_to_touch(), why, *deviation)
            }
            Finding::Particle(ParticleFinding {
                item: ParticleItem { class, seed, number }, why, deviation, ..
            }) => Found::contact(class.name(), (*seed, *number), finding.made_to_touch(), why, *deviation),
            Finding::Landing(disagreement) => {
                let Disagreement { item, truth, answer, step, decision, wrong_steps, .. } = disagreement;
                Found::Landing {
                    study: item.study,
                    landing: item.landing,
                    truth: truth.name(),
                    answer: answer.name(),
                    parting_step: *step,
                    decision,
                    wrong_steps: *wrong_steps,
                }
            }
            Finding::Recording(Recording { item, wrong, .. }) => {
                Found::Recording { study: item.study, landing: item.landing, misrecorded: wrong }
            }
        };
        Self { job: finding.item().job().name(), verdict: finding.verdict().name(), found }
    }
}

impl From<&RayFinding> for RayFound {
    fn from(finding: &RayFinding) -> Self {
        let RayFinding { item, truth, answer, judgement } = finding;
        let RayItem { class, seed, number, made_to_touch, ray } = *item;
        let Judgement { verdict: _, why, error, bound } = *judgement;
        let Ray { x1, x2, lambda1, lambda2 } = ray;
        Self {
            class: class.name(),
            seed,
            item: number,
            made_to_touch,
            ray: RayRecord { x1: x1.to_array(), x2: x2.to_array(), lambda1, lambda2 },
            why,
            error: error.and_then(finite),
            bound: bound.and_then(finite),
            truth: truth.into(),
            answer: answer.into(),
        }
    }
}

impl<'a> From<&'a StepJudgement> for StepRecord<'a> {
    fn from(judgement: &'a StepJudgement) -> Self {
        let StepJudgement { verdict: _, why, ratio, parting } = judgement;
        let (decision, margin) = match parting {
            Some(Parting { decision, margin }) => (Some(decision.as_str()), *margin),
            None => (None, None),
        };
        Self { why, error_over_bound: ratio.and_then(finite), decision, margin }
    }
}

impl From<&EntryPoint> for EntryPointRecord {
    fn from(entry: &EntryPoint) -> Self {
        let EntryPoint { status, lambda, normal, leaf, material } = *entry;
        let hit = status == RayStatus::Hit;
        Self {
            status: format!("{status:?}"),
            lambda: finite(lambda).filter(|_| hit),
            normal: Some(normal.to_array()).filter(|_| hit && normal.is_finite()),
            leaf,
            material: material.map(|material| material.0),
        }
    }
}

impl Finding {
    /// Findings about an engine as JSON text.
    #[must_use]
    pub fn to_json(findings: &[Self], identity: &EngineIdentity) -> String {
        let EngineIdentity { engine, adapter, version } = identity;
        let findings = findings.iter().map(Record::from).collect();
        // Maps with string keys and finite numbers always have a JSON form.
        serde_json::to_string_pretty(&File { engine, adapter, version, findings })
            .map(|json| json + "\n")
            .unwrap_or_default()
    }
}

/// Reads the items of a file of findings, each with the verdict of then.
///
/// # Errors
/// When something that is needed to compute an item again is missing or is none of what this program knows.
pub fn saved_items(document: &Document) -> Result<Vec<(Item, Agreement)>, DocumentError> {
    document.root().required("findings")?.array()?.iter().map(saved_item).collect()
}

fn saved_item(field: &Field<'_>) -> Result<(Item, Agreement), DocumentError> {
    let table = field.table()?;
    let number = |key| table.required(key)?.unsigned();
    let class = || table.required("class")?.choice(&SceneClass::ALL.map(|class| (class.name(), class)));
    let study = || {
        let names: Vec<(&'static str, &'static str)> = study_names().into_iter().map(|name| (name, name)).collect();
        table.required("study")?.choice(&names)
    };
    let item = match table.required("job")?.choice(&Job::ALL.map(|job| (job.name(), job)))? {
        Job::Rays => Item::Ray(RayItem {
            class: class()?,
            seed: number("seed")?,
            number: number("item")?,
            made_to_touch: table.required("made_to_touch")?.boolean()?,
            ray: saved_ray(&table.required_table("ray")?)?,
        }),
        Job::Wheels => Item::Wheel(WheelItem {
            class: class()?,
            seed: number("seed")?,
            wheel: number("wheel")?,
            step: number("step")?,
        }),
        Job::Steps => Item::Step(StepItem { study: study()?, landing: number("landing")?, step: number("step")? }),
        Job::BoxNormals => Item::Box(BoxItem {
            class: table.required("class")?.choice(&BoxClass::ALL.map(|class| (class.name(), class)))?,
            seed: number("seed")?,
            number: number("item")?,
        }),
        Job::Ellipsoids => Item::Ellipsoid(EllipsoidItem {
            class: table.required("class")?.choice(&EllipsoidClass::ALL.map(|class| (class.name(), class)))?,
            seed: number("seed")?,
            number: number("item")?,
        }),
        Job::Particles => Item::Particle(ParticleItem {
            class: table.required("class")?.choice(&ParticleClass::ALL.map(|class| (class.name(), class)))?,
            seed: number("seed")?,
            number: number("item")?,
        }),
        Job::Landings => Item::Landing(LandingItem { study: study()?, landing: number("landing")? }),
    };
    Ok((item, table.required("verdict")?.choice(&Agreement::ALL.map(|verdict| (verdict.name(), verdict)))?))
}

fn saved_ray(table: &Table<'_>) -> Result<Ray, DocumentError> {
    let point = |key| table.required(key)?.vector(Unit::Length).map(glam::DVec3::from_array);
    let number = |key| table.required(key)?.number(Unit::One);
    Ok(Ray { x1: point("x1")?, x2: point("x2")?, lambda1: number("lambda1")?, lambda2: number("lambda2")? })
}
