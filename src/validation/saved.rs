//! Files of findings: JSON, one object per finding, whose `job` determines its other fields.

use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{Agreement, CHECKS, Check, Finding, Item};
use crate::document::{Document, DocumentError, Field};
use crate::engine::EngineIdentity;

#[derive(Serialize)]
struct File<'a> {
    engine: &'a str,
    adapter: &'a str,
    version: &'a str,
    findings: Vec<Record<'a>>,
}

/// A finding: first what identifies the item, then the result.
struct Record<'a>(&'a Finding);

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(finding) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("job", finding.item.check())?;
        map.serialize_entry("verdict", finding.verdict.name())?;
        for (key, value) in finding.item.fields().into_iter().chain(finding.found.fields()) {
            map.serialize_entry(key, &value)?;
        }
        map.end()
    }
}

impl Finding {
    /// Findings about an engine as JSON text.
    #[must_use]
    pub fn to_json(findings: &[Self], identity: &EngineIdentity) -> String {
        let EngineIdentity { engine, adapter, version } = identity;
        let findings = findings.iter().map(Record).collect();
        // Maps with string keys and finite numbers always have a JSON form.
        serde_json::to_string_pretty(&File { engine, adapter, version, findings })
            .map(|json| json + "\n")
            .unwrap_or_default()
    }
}

/// An item of a file, and the verdict of then.
pub type SavedItem = (Arc<dyn Item>, Agreement);

/// Reads the items of a file of findings.
///
/// # Errors
/// When something that is needed to compute an item again is missing or is none of what this program knows.
pub fn saved_items(document: &Document) -> Result<Vec<SavedItem>, DocumentError> {
    document.root().required("findings")?.array()?.iter().map(saved_item).collect()
}

fn saved_item(field: &Field<'_>) -> Result<SavedItem, DocumentError> {
    let table = field.table()?;
    let check: &dyn Check = table.required("job")?.choice(&CHECKS.map(|check| (check.name(), check)))?;
    let item = check.read(&table)?;
    Ok((item, table.required("verdict")?.choice(&Agreement::ALL.map(|verdict| (verdict.name(), verdict)))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineIdentity;
    use crate::validation::steps::{Parting, StepJudgement};
    use crate::validation::{Deviation, DrawnItem, EllipsoidClass, Ellipsoids, SceneClass, WheelItem};

    /// As programs have written them since there are such files.
    const FILE: &str = r#"{
  "engine": "single",
  "adapter": "none",
  "version": "0",
  "findings": [
    {
      "job": "ellipsoids",
      "verdict": "ambiguous",
      "class": "near-tangent",
      "seed": 18446744073709551615,
      "item": 3,
      "made_to_touch": true,
      "why": "overlap",
      "error": 1e-7
    },
    {
      "job": "wheels",
      "verdict": "wrong",
      "class": "village",
      "seed": 1,
      "wheel": 2,
      "step": 3,
      "why": "another decision",
      "decision": "Free against Rolling",
      "margin": 0.25
    }
  ]
}
"#;

    #[test]
    fn files_keep_their_keys_and_give_back_their_items() {
        let (class, seed, number) = (EllipsoidClass::NearTangent, u64::MAX, 3);
        let deviation = Deviation::new("F", 1e-7, f64::INFINITY);
        let pair = DrawnItem::<Ellipsoids> { class, seed, number };
        let parting = Parting { decision: "Free against Rolling".to_owned(), margin: Some(0.25) };
        let step =
            StepJudgement { parting: Some(parting), ..StepJudgement::new(Agreement::Wrong, "another decision", None) };
        let findings = [
            Finding::measured(pair, true, (Agreement::Ambiguous, "overlap", Some(deviation))),
            Finding::of_step(WheelItem { class: SceneClass::Village, seed: 1, wheel: 2, step: 3 }, step),
        ];
        let [engine, adapter, version] = ["single", "none", "0"].map(str::to_owned);
        let json = Finding::to_json(&findings, &EngineIdentity { engine, adapter, version });
        assert_eq!(json, FILE);
        let saved = saved_items(&Document::parse("findings.json", &json).unwrap()).unwrap();
        assert_eq!(saved.len(), findings.len());
        for (finding, (item, verdict)) in findings.iter().zip(&saved) {
            assert_eq!((item.as_ref(), *verdict), (finding.item.as_ref(), finding.verdict));
        }
    }

    #[test]
    fn checks_have_names_of_their_own() {
        for (index, check) in CHECKS.iter().enumerate() {
            assert!(CHECKS[..index].iter().all(|other| other.name() != check.name()), "{check:?} twice");
            assert!(!check.groups().is_empty());
        }
    }
}
