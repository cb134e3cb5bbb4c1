//! Criteria on several events at once: what they count, what is refused, what a report shows of them.

use std::collections::BTreeMap;
use std::fs;

use touchdown::reference::Reference;
use touchdown::study::Study;

use crate::support::program::touchdown;

/// Particles that fall; high and hard are neither rare nor of the same particles.
const PARTICLES: &str = r#"
model = "particle"
particles = 2000
seed = 5
steps = 60

[inputs.position]
distribution = "uniform"
min = 0.5
max = 1.5

[inputs.gamma]
distribution = "uniform"
min = 0.55
max = 0.65

[inputs.step]
distribution = "constant"
value = 0.02

[inputs.mass]
distribution = "uniform"
min = 0.5
max = 1.5

[criteria.high]
quantity = "rebound_height"
above = 0.5
probability = 0.5

[criteria.hard]
quantity = "peak_force"
above = "300 N"
probability = 0.5
"#;

const COMBINED: &str = r#"
[criteria.either]
any_of = ["high", "hard"]
probability = 0.9

[criteria.both]
all_of = ["high", { quantity = "peak_force", above = "300 N" }]
probability = 0.9

[criteria.last]
any_of = ["both", { quantity = "rebound_height", below = 0.1 }, { quantity = "free" }]
probability = 0.9
"#;

fn study(criteria: &str) -> Result<Study, String> {
    Study::in_memory("study.toml", &format!("{PARTICLES}{criteria}"), BTreeMap::new())
        .map_err(|error| error.to_string())
}

#[test]
fn any_and_all_of_events_are_counted_trial_by_trial() {
    let directory = tempfile::tempdir().unwrap();
    let (path, out) = (directory.path().join("study.toml"), directory.path().join("run"));
    fs::write(&path, format!("{PARTICLES}{COMBINED}")).unwrap();
    let run = touchdown(&["study", "run", "--engine", "reference"]).arg(&path).arg("--out").arg(&out).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let summary: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(out.join("summary.json")).unwrap()).unwrap();
    let counted = |name: &str| {
        let mut criteria = summary["criteria"].as_array().unwrap().iter();
        criteria.find(|criterion| criterion["name"] == name).unwrap()["events"].as_u64().unwrap() as usize
    };

    let study = study(COMBINED).unwrap();
    let inputs: Vec<_> = (0..study.trials).map(|trial| study.inputs_of(trial)).collect();
    let outcomes = study.model.outcomes(&Reference::new(1).unwrap(), &inputs).unwrap();
    let value = |name: &str| {
        let number = study.quantities().iter().position(|quantity| quantity.name == name).unwrap();
        outcomes.iter().map(move |outcome| outcome.quantities[number].unwrap())
    };
    let pairs: Vec<(f64, f64)> = value("rebound_height").zip(value("peak_force")).collect();
    let count = |is: &dyn Fn(f64, f64) -> bool| pairs.iter().filter(|(height, force)| is(*height, *force)).count();
    let (high, hard) = (count(&|height, _| height > 0.5), count(&|_, force| force > 300.0));
    let (either, both) =
        (count(&|height, force| height > 0.5 || force > 300.0), count(&|height, force| height > 0.5 && force > 300.0));
    assert!(either > high.max(hard) && 0 < both && both < high.min(hard), "{high} {hard} {either} {both}");
    assert_eq!((counted("either"), counted("both")), (either, both));
    let low = count(&|height, force| height < 0.1 || height > 0.5 && force > 300.0);
    assert!(low > both && counted("last") == low, "criteria that combine may be combined");

    // Whoever looks for those to look at finds the first of them, and which limits are meant.
    let report = touchdown(&["study", "report"]).arg(&out).output().unwrap();
    assert!(report.status.success(), "{}", String::from_utf8_lossy(&report.stderr));
    let html = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(
        html.contains("high and peak_force above 300 N") && html.contains("both or rebound_height below 0.1 m or free")
    );
}

#[test]
fn wrong_combinations_are_refused_with_what_there_is() {
    let refused =
        |criterion: &str| study(&format!("\n[criteria.several]\n{criterion}\nprobability = 0.1\n")).unwrap_err();
    for (criterion, why) in [
        ("any_of = [\"high\", \"hadr\"]", "no criterion above this one `hadr`; did you mean `hard`"),
        ("any_of = [\"high\", \"several\"]", "no criterion above this one `several`"),
        ("all_of = [\"high\"]", "must have two entries or more"),
        ("all_of = [\"high\", { quantity = \"peak_force\" }]", "one of `above`, `below` is required"),
        ("all_of = [\"high\", { quantity = \"free\", above = 1 }]", "unknown key `above`"),
        ("quantity = \"free\"\nany_of = [\"high\", \"hard\"]", "cannot stand together"),
        ("probabilty = 0.1", "one of `quantity`, `any_of`, `all_of` is required"),
    ] {
        let said = refused(criterion);
        assert!(said.contains(why), "{criterion}: {said}");
    }
    let subset = PARTICLES.replace("particles = 2000\n", "") + COMBINED + "[sampling]\nmethod = \"subset\"\n";
    let said = Study::in_memory("study.toml", &subset, BTreeMap::new()).unwrap_err().to_string();
    assert!(said.contains("criterion either") && said.contains("several events"), "{said}");
}
