//! What is kept of an item: enough to compute it again, and what came of it.

use serde::Serialize;

use super::{Judgement, SceneClass, Verdict};
use crate::document::{Document, DocumentError, Field, Unit};
use crate::engine::EngineIdentity;
use crate::query::{EntryPoint, Ray, RayStatus};

/// One item, both answers to it, and the verdict.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What the item asks.
    pub item: Item,
    /// The judge's answer.
    pub truth: EntryPoint,
    /// The candidate's.
    pub answer: EntryPoint,
    /// What it comes to.
    pub judgement: Judgement,
}

/// An item of the job `rays`: a ray in a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Item {
    /// Class of the scene.
    pub class: SceneClass,
    /// The seed of scene and item.
    pub seed: u64,
    /// The item's number; it also tells the variant of the scene.
    pub number: u64,
    /// Made to touch a border, where rounding alone decides.
    pub made_to_touch: bool,
    /// The ray.
    pub ray: Ray,
}

/// The name of the job in files.
const JOB: &str = "rays";

impl Item {
    /// Which scene of its class the item is about.
    #[must_use]
    pub fn variant(&self) -> u64 {
        self.number / self.class.items_per_scene()
    }
}

#[derive(Serialize)]
struct File<'a> {
    engine: &'a str,
    adapter: &'a str,
    version: &'a str,
    findings: Vec<FindingRecord>,
}

#[derive(Serialize)]
struct FindingRecord {
    job: &'static str,
    class: &'static str,
    seed: u64,
    item: u64,
    made_to_touch: bool,
    verdict: &'static str,
    why: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<f64>,
    ray: RayRecord,
    truth: EntryPointRecord,
    answer: EntryPointRecord,
}

#[derive(Serialize)]
struct RayRecord {
    x1: [f64; 3],
    x2: [f64; 3],
    lambda1: f64,
    lambda2: f64,
}

/// Numbers that JSON cannot hold are left out.
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

impl From<&Finding> for FindingRecord {
    fn from(finding: &Finding) -> Self {
        let Finding { item, truth, answer, judgement } = finding;
        let Item { class, seed, number, made_to_touch, ray } = *item;
        let Judgement { verdict, why, error, bound } = *judgement;
        let Ray { x1, x2, lambda1, lambda2 } = ray;
        Self {
            job: JOB,
            class: class.name(),
            seed,
            item: number,
            made_to_touch,
            verdict: verdict.name(),
            why,
            error: error.and_then(finite),
            bound: bound.and_then(finite),
            ray: RayRecord { x1: x1.to_array(), x2: x2.to_array(), lambda1, lambda2 },
            truth: truth.into(),
            answer: answer.into(),
        }
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
    pub fn to_json(findings: &[&Self], identity: &EngineIdentity) -> String {
        let EngineIdentity { engine, adapter, version } = identity;
        let findings = findings.iter().map(|&finding| finding.into()).collect();
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
pub fn saved_items(document: &Document) -> Result<Vec<(Item, Verdict)>, DocumentError> {
    document.root().required("findings")?.array()?.iter().map(saved_item).collect()
}

fn saved_item(field: &Field<'_>) -> Result<(Item, Verdict), DocumentError> {
    let table = field.table()?;
    table.required("job")?.choice(&[(JOB, ())])?;
    let ray = table.required_table("ray")?;
    let point = |key| ray.required(key)?.vector(Unit::Length).map(glam::DVec3::from_array);
    let number = |key| ray.required(key)?.number(Unit::One);
    let item = Item {
        class: table.required("class")?.choice(&SceneClass::ALL.map(|class| (class.name(), class)))?,
        seed: table.required("seed")?.unsigned()?,
        number: table.required("item")?.unsigned()?,
        made_to_touch: table.required("made_to_touch")?.boolean()?,
        ray: Ray { x1: point("x1")?, x2: point("x2")?, lambda1: number("lambda1")?, lambda2: number("lambda2")? },
    };
    Ok((item, table.required("verdict")?.choice(&Verdict::ALL.map(|verdict| (verdict.name(), verdict)))?))
}
