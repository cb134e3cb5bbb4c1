//! `touchdown render --bodies` as it is called.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn touchdown(directory: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchdown"));
    command.args(line.split_whitespace()).current_dir(directory).output().unwrap()
}

/// Three balls in a row: 1 and 2 touch, 3 is half a metre farther on.
const DUMP: &str = "\
ITEM: TIMESTEP
50
ITEM: NUMBER OF ATOMS
3
ITEM: BOX BOUNDS ff ff ff
0 9
0 9
0 9
ITEM: ATOMS id x y z radius
1 1 1 1 1
2 3 1 1 1
3 5.5 1 1 1
";

const RENDER: &str =
    "render --bodies p.dump --contacts c.csv --out o.png --size 96x64 --engine native --mode materials";

/// The picture of the dump with these contacts.
fn picture(directory: &Path, contacts: &str) -> Vec<u8> {
    fs::write(directory.join("c.csv"), contacts).unwrap();
    let output = touchdown(directory, RENDER);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read(directory.join("o.png")).unwrap()
}

#[test]
fn colours_tell_how_many_bodies_touch_one_not_how_many_are_near() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("p.dump"), DUMP).unwrap();
    let found = |within: &str| {
        let line = format!("ellipsoids --bodies p.dump --out found.csv --engine native {within}");
        assert_eq!(touchdown(directory, &line).status.code(), Some(0));
        fs::read_to_string(directory.join("found.csv")).unwrap()
    };
    let (touching, near) = (found(""), found("--within 1"));
    assert_eq!((touching.lines().count(), near.lines().count()), (2, 3));
    assert!(picture(directory, &touching) == picture(directory, &near));
    // Concentric pairs have no F that says so, and pairs without a status are contacts.
    let alone = "id_a,id_b,px,py,pz\n1,2,2,1,1\n";
    assert!(picture(directory, &touching) == picture(directory, alone));
    let nothing = picture(directory, "id_a,id_b,status,f,px,py,pz\n2,3,not converged,,,,\n");
    let concentric = picture(directory, "id_a,id_b,status,f,px,py,pz\n2,3,degenerate,0,,,\n");
    assert!(nothing != concentric && nothing == picture(directory, "id_a,id_b,px,py,pz\n"));
}

#[test]
fn contacts_of_other_timesteps_alone_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("p.dump"), DUMP).unwrap();
    let row = |step: i64| format!("{step},1,2,2,1,1\n");
    let header = "timestep,id_a,id_b,px,py,pz\n";
    picture(directory, &format!("{header}{}{}", row(60), row(50)));
    picture(directory, header);
    fs::remove_file(directory.join("o.png")).unwrap();
    fs::write(directory.join("c.csv"), format!("{header}{}{}", row(60), row(70))).unwrap();
    let output = touchdown(directory, RENDER);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    let words = "c.csv: column timestep: every row is of another timestep, such as 70; 50 is shown";
    assert!(errors.contains(words), "{errors}");
    assert!(!directory.join("o.png").exists());
}
