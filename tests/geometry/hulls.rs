//! Hulls in files: a scene beside a mesh, and studies whose run directories hold it.

use std::fs;
use std::path::{Path, PathBuf};

use glam::DVec3;
use touchdown::query::{Ray, RayStatus};
use touchdown::reference::Tracer;
use touchdown::scene::Scene;
use touchdown::study::Study;
use touchdown::validation::LandingStudy;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn height(scene: &Scene, x: f64, y: f64) -> Option<f64> {
    let ray = Ray::segment(DVec3::new(x, y, 20.0), DVec3::new(x, y, -20.0));
    let entry = Tracer::new(scene).entry_point(&ray);
    (entry.status == RayStatus::Hit).then(|| ray.at(entry.lambda).z)
}

#[test]
fn a_scene_of_all_kinds_has_the_heights_computed_by_hand() {
    let scene = Scene::read(&data("hulls/scene.toml")).unwrap();
    for (x, y, expected) in [
        (0.0, 1.0, 3.5),   // half way up the roof of the house
        (10.0, 1.0, 6.0),  // half way up the roof of the silo
        (-10.0, 3.0, 2.0), // on the tank
        (0.0, -10.0, 2.0), // on the shed
        (18.0, 0.0, 2.0),  // on the ramp, which is z = 1 - x/2 two metres before its edge
        (0.0, 20.0, -1.0), // at the bottom of the crater
        (3.0_f64.sqrt(), 20.0, 0.0),
        (100.0, 100.0, 0.0),
        (-17.0, 11.0, 6.0), // on the roof of the sheared silo, 3 m beside where it stood
    ] {
        let found = height(&scene, x, y).unwrap();
        // Lambdas of 40 m long rays.
        assert!((found - expected).abs() < 100.0 * f64::EPSILON * 40.0, "{x} {y}: {found}");
    }
}

#[test]
fn a_concave_mesh_is_told_of_in_every_verb_that_reads_the_scene() {
    let folder = tempfile::tempdir().unwrap();
    // An L of three unit squares, 3 m high: half a square of three and a half is not in it.
    let obj = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 3\nv 2 0 3\nv 2 1 3\nv 1 1 3\nv 1 2 3\nv 0 2 3\n\
               f 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\nf 4 3 2 1 6 5\nf 10 11 12 7 8 9\n";
    fs::write(folder.path().join("angle.obj"), obj).unwrap();
    let path = study_with_a_hull(folder.path());
    fs::rename(folder.path().join("angle.obj"), folder.path().join("meshes/angle.obj")).unwrap();
    let scene = folder.path().join("scenes/scene.toml");
    assert!(Scene::read(&scene).unwrap().warnings().is_empty(), "the house is convex");
    let text = fs::read_to_string(&scene).unwrap();
    let line = 1 + text.lines().position(|line| line.contains("house.stl")).unwrap();
    fs::write(&scene, text.replace("house.stl", "angle.obj")).unwrap();
    let warning = format!(
        "scene.toml:{line}: shapes.mesh.polyhedron.file: the mesh \"../meshes/angle.obj\" is concave, and its convex hull \
         stands for it: 14.3 % of the hull's volume is not in the mesh"
    );
    let found = Scene::read(&scene).unwrap();
    assert_eq!(found.warnings().iter().map(|it| it.without_directory().to_string()).collect::<Vec<_>>(), [warning]);
    assert_eq!(LandingStudy::of(Study::read(&path).unwrap()).unwrap().job.scene.warnings().len(), 1);
    for line in [
        "scene show scenes/scene.toml",
        "render scenes/scene.toml --out picture.png --size 8x8 --from 0,0,9 --at 9,0,0 --engine native",
        "study check study.toml --engine native",
    ] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_touchdown"));
        let output = command.args(line.split_whitespace()).current_dir(folder.path()).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(errors.matches("warning: scenes/scene.toml:").count(), 1, "{line}: {errors}");
        assert!(errors.contains("14.3 % of the hull's volume") && output.status.success(), "{line}: {errors}");
    }
}

/// A study in a folder, its scene in another and the scene's mesh in a third.
fn study_with_a_hull(folder: &Path) -> PathBuf {
    for name in ["scenes", "meshes"] {
        fs::create_dir(folder.join(name)).unwrap();
    }
    let study = fs::read_to_string(data("tricycle/study.toml")).unwrap();
    fs::write(folder.join("study.toml"), study.replace("scene.toml", "scenes/scene.toml")).unwrap();
    fs::copy(data("tricycle/vehicle.toml"), folder.join("vehicle.toml")).unwrap();
    fs::copy(data("hulls/house.stl"), folder.join("meshes/house.stl")).unwrap();
    let scene = fs::read_to_string(data("tricycle/scene.toml")).unwrap();
    assert!(scene.contains("[scene]"));
    let around = "[shapes.mesh]\npolyhedron = { file = '../meshes/house.stl' }\n[scene]";
    fs::write(folder.join("scenes/scene.toml"), scene.replace("[scene]", around)).unwrap();
    folder.join("study.toml")
}

#[test]
fn a_run_directory_holds_the_hulls_of_its_scene() {
    let (folder, run) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = study_with_a_hull(folder.path());
    let study = LandingStudy::of(Study::read(&path).unwrap()).unwrap();
    study.study.store(run.path()).unwrap();
    drop(folder);
    let stored = LandingStudy::of(Study::read_stored(run.path()).unwrap()).unwrap();
    assert_eq!((stored.job.scene == study.job.scene, stored.study.hash()), (true, study.study.hash()));
    // Another mesh is another study.
    let other = tempfile::tempdir().unwrap();
    let path = study_with_a_hull(other.path());
    let mesh = other.path().join("meshes/house.stl");
    let taller = fs::read_to_string(&mesh).unwrap().replace("4.000000e+00", "5.000000e+00");
    fs::write(&mesh, taller).unwrap();
    assert_ne!(Study::read(&path).unwrap().hash(), study.study.hash());
    fs::remove_file(&mesh).unwrap();
    let error = Study::read(&path).unwrap_err().to_string();
    assert!(error.contains("scenes/scene.toml:") && error.contains("shapes.mesh.polyhedron.file"), "{error}");
}
