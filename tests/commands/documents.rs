//! The README and the pages of `docs`: what they show can be read, and where they point there is something.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use touchdown::document::Document;
use touchdown::scene::Scene;
use touchdown::study::Study;
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
