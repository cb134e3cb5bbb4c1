//! The README and the pages of `docs`: what they show can be read, and where they point there is something.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use touchdown::document::{Document, Unit};
use touchdown::model::{Model, Quantity};
use touchdown::scene::Scene;
use touchdown::study::Study;
use touchdown::table::Column;
use touchdown::validation::LandingStudy;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text_of(page: &str) -> String {
    std::fs::read_to_string(root().join(page)).unwrap()
}

/// The blocks of TOML that a page shows.
fn shown(page: &str) -> Vec<String> {
    let text = text_of(page);
    text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// The pages of `docs`, by their paths from the root.
fn pages() -> Vec<String> {
    let of = |folder: &str| {
        let entries = std::fs::read_dir(root().join(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.ends_with(".md")).map(|name| format!("{folder}/{name}")).collect::<Vec<_>>()
    };
    [of("docs"), of("docs/theory")].concat()
}

/// Where a page points, of what lies in the repository.
fn targets(page: &str) -> Vec<PathBuf> {
    let text = text_of(page);
    let inside = text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap());
    let of_files = inside.filter(|target| !target.contains("://"));
    let folder = root().join(page).parent().unwrap().to_owned();
    of_files.map(|target| folder.join(target.split('#').next().unwrap())).collect()
}

#[test]
fn studies_that_pages_show_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("study.toml");
    let beside = |folder: &str| format!("\"{}/{folder}/", root().join("examples").display());
    let read = |text: &str| {
        let text = text.replace("\"aircraft/", &beside("aircraft")).replace("\"scenes/", &beside("scenes"));
        std::fs::write(&file, text).unwrap();
        LandingStudy::of(Study::read(&file).unwrap()).unwrap()
    };
    for (page, inputs) in [("README.md", 1), ("docs/studies.md", 2)] {
        let [study] = &shown(page)[..] else { panic!("{page} shows other files") };
        let study = read(study).study;
        assert_eq!((study.inputs.len(), study.criteria.len()), (inputs, 1), "{page}");
    }

    let text = &shown("docs/studies.md")[0];
    let [importance, auto] = &shown("docs/sampling.md")[..] else { panic!("other ways of sampling are shown") };
    assert!(read(&format!("{text}\n{importance}")).study.is_weighted());
    let found = r#"{"criteria": [{"subset": {"inputs": [{"name": "sink_rate", "shift": 2.5, "spread": 0.4}]}}]}"#;
    std::fs::write(directory.path().join("summary.json"), found).unwrap();
    assert!(read(&format!("{text}\n{}", auto.replace("../runs/c172_rare/", ""))).study.is_weighted());
    let [subset] = &shown("docs/rare-events.md")[..] else { panic!("other rare events are shown") };
    assert!(read(&format!("{}\n{subset}", text.replace("landings = 10000\n", ""))).study.subset().is_some());
}

#[test]
fn the_scene_that_a_page_shows_can_be_read() {
    let [scene] = &shown("docs/scenes.md")[..] else { panic!("other scenes are shown") };
    let scene = Scene::from_document(&Document::parse("scene.toml", scene).unwrap()).unwrap();
    assert_eq!(scene.leaves().len(), 4, "ground and house");
}

/// A table of names, units and meanings.
fn table<'a>(title: &str, rows: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> String {
    let lines: String = rows.map(|(name, unit, meaning)| format!("| `{name}` | {unit} | {meaning} |\n")).collect();
    format!("| {title} | unit | what |\n| --- | --- | --- |\n{lines}\n")
}

/// The columns of a model's traces; of those that each of several has, one's.
fn traced(model: &dyn Model) -> Vec<Column> {
    let mut columns = model.trace_columns();
    let mut seen = BTreeSet::new();
    columns.retain(|column| {
        let (name, of) = column.name.split_once('.').unwrap_or((&column.name, ""));
        seen.insert((name.to_owned(), of.is_empty()))
    });
    columns
}

/// What a model's inputs, quantities, classes and traces are, as its own lists say.
fn reference_of(model: &dyn Model, about: &str) -> String {
    let symbol = |unit: Unit| unit.symbol();
    let inputs = model.inputs().iter().map(|input| (input.name, symbol(input.unit), input.description));
    let meaning = |quantity: &Quantity| {
        let lack = if quantity.lack_is_good { "; better off without" } else { "" };
        quantity.description.clone() + lack
    };
    let meanings: Vec<String> = model.quantities().iter().map(meaning).collect();
    let quantities = model.quantities().iter().zip(&meanings);
    let quantities = quantities.map(|(quantity, meaning)| (&*quantity.name, symbol(quantity.unit), meaning.as_str()));
    let classes = model.classes().iter().map(|class| (class.name, "", class.description));
    let traced = traced(model);
    let traced = traced.iter().map(|column| (&*column.name, &*column.unit, &*column.description));
    let tables = [table("input", inputs), table("quantity", quantities), table("class", classes)].concat();
    format!("## {about}\n\n{tables}{}", table("column of `--trace`", traced))
}

/// Written anew where `TOUCHDOWN_WRITE_DOCS` is set.
#[test]
fn the_reference_of_inputs_and_outcomes_is_what_the_models_say() {
    let example = |name: &str| Study::read(&root().join("examples").join(name)).unwrap().model;
    let text = format!(
        "# Inputs and outcomes\n\nWhat studies of each model may vary and judge, and what `study replay --trace` writes of each step, as the \
         program's own lists\nhave it. Units are SI; study files also take strings with a unit. Some quantities are of each wheel: these \
         are those of the Cessna.\nSome columns are of each wheel, body, initiator or contact model, whose name stands behind the point: these \
         are the first one's.\n\n{}{}{}{}{}{}",
        reference_of(example("c172_flare.toml").as_ref(), "Landings"),
        reference_of(example("particle.toml").as_ref(), "Particles"),
        reference_of(example("spill.toml").as_ref(), "Worlds of rigid bodies"),
        reference_of(example("offset_collisions.toml").as_ref(), "Encounters of vehicles"),
        reference_of(example("offset_collisions_driven.toml").as_ref(), "Encounters of vehicles that drive"),
        reference_of(example("skid_on_frigate.toml").as_ref(), "Landings on decks"),
    );
    let text = text.trim_end().to_owned() + "\n";
    let page = root().join("docs/inputs-and-outcomes.md");
    if std::env::var_os("TOUCHDOWN_WRITE_DOCS").is_some() {
        std::fs::write(&page, &text).unwrap();
    }
    assert!(std::fs::read_to_string(page).unwrap() == text, "set TOUCHDOWN_WRITE_DOCS and look at what changes");
}

/// The keys that a reader of files asks for.
fn keys_of(sources: &[&str]) -> BTreeSet<String> {
    const CALLS: [&str; 7] = [
        "required(\"",
        "optional(\"",
        "optional_or(\"",
        "required_table(\"",
        "optional_table(\"",
        "gain(\"",
        "derivative(\"",
    ];
    let mut keys = BTreeSet::new();
    for source in sources {
        let text = text_of(source);
        for call in CALLS {
            keys.extend(text.split(call).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()));
        }
    }
    keys
}

#[test]
fn every_key_of_vehicle_and_scene_files_is_explained() {
    let vehicle =
        ["", "/airframe", "/autoland", "/flare", "/function"].map(|part| format!("core/src/vehicle/file{part}.rs"));
    let vehicle = vehicle.each_ref().map(String::as_str);
    let scene = [
        "core/src/scene/file/mod.rs",
        "core/src/scene/file/node.rs",
        "core/src/scene/file/solid.rs",
        "core/src/scene/file/camera.rs",
    ];
    for (sources, pages, fewest) in
        [(&vehicle[..], &["docs/vehicles.md", "docs/landings.md"][..], 70), (&scene[..], &["docs/scenes.md"][..], 30)]
    {
        let keys = keys_of(sources);
        assert!(keys.len() > fewest, "{keys:?}");
        let text: String = pages.iter().map(|page| text_of(page)).collect();
        let words: BTreeSet<&str> =
            text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').collect();
        for key in keys {
            assert!(words.contains(key.as_str()), "{pages:?} do not have {key}");
        }
    }
}

#[test]
fn every_page_is_in_the_summary() {
    let named: BTreeSet<PathBuf> = targets("docs/SUMMARY.md").into_iter().collect();
    let pages = pages().into_iter().filter(|page| page != "docs/SUMMARY.md").map(|page| root().join(page));
    assert_eq!(named, pages.collect());
}

#[test]
fn links_lead_somewhere() {
    let pages = pages();
    assert!(pages.len() > 15, "{pages:?}");
    for page in pages.iter().map(String::as_str).chain(["README.md"]) {
        for target in targets(page) {
            assert!(target.exists(), "{page}: {}", target.display());
        }
    }
}
