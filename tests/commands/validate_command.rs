//! `touchdown validate` as it is called.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter; Mesa's llvmpipe where it is not set.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use touchdown::validation::{CHECKS, Check, SceneClass, study_names};

fn validate(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchdown"));
    command.arg("validate").args(arguments).output().unwrap()
}

fn on_gpu(arguments: &[&str]) -> Output {
    let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
    validate(&[&["--engine", "gpu", "--adapter", &adapter], arguments].concat())
}

/// What it prints, once it has ended well.
fn printed(output: &Output) -> String {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{text}\n{errors}");
    println!("{text}");
    text
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn all_jobs_are_judged_and_what_is_saved_is_replayed() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("findings.json");
    let text = printed(&on_gpu(&["--items", "200", "--save", path(&file)]));
    for class in SceneClass::ALL {
        assert!(text.contains(&format!("rays, {} ", class.name())), "{}", class.name());
        assert!(text.contains(&format!("wheels, {} ", class.name())), "{}", class.name());
    }
    for study in study_names() {
        assert!(text.contains(&format!("steps, {study} ")), "{study}");
        assert!(text.contains(&format!("\n  {study} ")), "landings of {study}");
    }
    assert!(text.contains("whole landings") && text.ends_with("the engines agree\n") && !text.contains("FAILS"));

    let again = printed(&on_gpu(&["--replay", path(&file)]));
    let verdicts = |name: &str| -> Vec<String> {
        again.lines().filter_map(|line| line.trim().strip_prefix(name)).map(|rest| rest.trim().to_owned()).collect()
    };
    let (now, then) = (verdicts("verdict   "), verdicts("verdict then"));
    // The worst of each class and study, the same on the same engine; landings only where one ends differently.
    assert!(then.len() >= 2 * SceneClass::ALL.len() + study_names().len());
    assert_eq!(now.len(), then.len());
    for (now, then) in now.iter().zip(&then) {
        assert!(now.starts_with(then.as_str()), "{now} after {then}");
    }
}

#[test]
fn a_landing_a_step_and_a_wheel_are_replayed_with_every_number() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("items.json");
    fs::write(
        &file,
        r#"{"findings": [
            {"job": "wheels", "verdict": "wrong", "class": "village", "seed": 18446744073709551615, "wheel": 5000, "step": 3},
            {"job": "steps", "verdict": "wrong", "study": "737", "landing": 3, "step": 900},
            {"job": "landings", "verdict": "wrong", "study": "lander", "landing": 12}
        ]}"#,
    )
    .unwrap();
    let text = printed(&on_gpu(&["--replay", path(&file)]));
    for words in [
        "wheels, village, seed 18446744073709551615, wheel 5000, step 3",
        "steps, 737, landing 3, step 900",
        "landings, lander, landing 12",
        "orientation w",
        "wheel 2: normal force of a wheel [N]",
        "peak_force",
        "verdict then  wrong",
    ] {
        assert!(text.contains(words), "{words}");
    }
}

#[test]
fn one_job_is_judged_alone() {
    let jobs = CHECKS.map(Check::name);
    for job in jobs.into_iter().filter(|&job| job != "landings") {
        let text = printed(&on_gpu(&["--items", "50", "--job", job]));
        for other in jobs {
            let named = text.contains(&format!("\n  {other}, ")) || text.contains(&format!("whole {other}"));
            assert_eq!(named, other == job, "{other} beside {job}");
        }
    }
}

#[test]
fn items_that_do_not_exist_are_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("items.json");
    for (item, words) in [
        (r#""job": "wheels", "class": "house", "seed": 1, "wheel": 0, "step": 4"#, "wheel 0 has steps 0 to 3"),
        (r#""job": "steps", "study": "c172", "landing": 0, "step": 999999999"#, "and no step 999999999"),
        (r#""job": "landings", "study": "c173", "landing": 0"#, "did you mean \"c172\"?"),
        (r#""job": "flights""#, "must be one of"),
    ] {
        fs::write(&file, format!(r#"{{"findings": [{{"verdict": "wrong", {item}}}]}}"#)).unwrap();
        let output = on_gpu(&["--replay", path(&file)]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(words), "{errors}");
    }
}

#[test]
fn the_judge_is_not_judged_by_itself() {
    let output = validate(&["--engine", "reference", "--items", "50"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("cannot be judged by itself"), "{errors}");
}
