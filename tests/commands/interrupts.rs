//! Verbs that stream tables, interrupted: they say so, and nothing is left of what they began to write.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Enough that reading and answering them takes seconds.
const ROWS: usize = 1_000_000;

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Waits for the table that is not finished.
fn wait_until_writing(directory: &Path, child: &mut Child) {
    let started = Instant::now();
    while !names(directory).iter().any(|name| name.contains(".partial")) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it wrote anything");
        assert!(started.elapsed() < Duration::from_secs(120), "it does not write");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What becomes of a command that is interrupted while it writes.
fn interrupted(files: &[(&str, &str)], line: &str) {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(directory.path().join(name), text).unwrap();
    }
    let before = names(directory.path());
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchdown"));
    command.args(line.split_whitespace()).current_dir(directory.path()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    wait_until_writing(directory.path(), &mut child);
    let told = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(told.success());
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{line}: {errors}");
    assert!(errors.contains("interrupted; nothing is written"), "{line}: {errors}");
    assert_eq!(names(directory.path()), before, "{line} leaves something behind");
}

#[test]
fn box_normals_leave_nothing() {
    let table = "l1,l2,l3,radius,qw,qx,qy,qz,rx,ry,rz\n".to_owned() + &"5,3,2.9,0.3,1,0,0,0,1,1,1\n".repeat(ROWS);
    interrupted(&[("c.csv", &table)], "box-normals --contacts c.csv --out o.csv --engine reference");
}

#[test]
fn oriented_collisions_leave_nothing() {
    let (mut targets, mut places) = ("step,target,vertex,x,y\n".to_owned(), "step,initiator,x,y\n".to_owned());
    for step in 0..ROWS / 4 {
        targets += &format!("{step},0,0,0,0\n{step},0,1,0,1\n{step},0,2,1,0\n");
        places += &format!("{step},0,0.2,0.2\n");
    }
    let line = "oriented --targets t.csv --initiators i.csv --out o.csv --engine reference";
    interrupted(&[("t.csv", &targets), ("i.csv", &places)], line);
}

#[test]
fn particles_leave_nothing() {
    let table = "x,v,h,m,g,gamma,steps\n".to_owned() + &"1,-1,0.1,1,9.8,0.5,9\n".repeat(ROWS);
    interrupted(&[("p.csv", &table)], "particle --items p.csv --out o.csv --engine reference");
}

#[test]
fn encounters_leave_nothing() {
    let header = "a_x,a_y,a_yaw,a_speed,b_x,b_y,b_yaw,b_speed,length,width,height,radius,mass,yaw_inertia,restitution,friction\n";
    let table = header.to_owned() + &"0,0,0,29.1,7,-2,0,26.8,5,3,2.9,0.3,1573,2782,0.5,0\n".repeat(ROWS);
    interrupted(&[("e.csv", &table)], "encounters --items e.csv --out o.csv --engine reference");
}

const GROUND: &str = "default_material = \"m\"\n[materials.m]\nstatic_friction = 0.8\ndynamic_friction = 0.6\n\
                      [scene]\nhalf_space = { normal = [0, 0, 1], offset = 0 }\n";

#[test]
fn raycast_leaves_nothing() {
    let table = "x1,y1,z1,x2,y2,z2\n".to_owned() + &"0.5,0,9,0,1,-1\n".repeat(ROWS);
    interrupted(
        &[("scene.toml", GROUND), ("r.csv", &table)],
        "raycast --scene scene.toml --rays r.csv --out o.csv --engine reference",
    );
}

#[test]
fn wheels_leave_nothing() {
    let wheel = "k_xy = -2e4\nk_z = -4e4\nd_xy = -1e3\nd_z = -3e3\nz_min = 0.35\nz_zero = 0.7\nz_max = 0.7\n";
    let mut table = "wheel,step,bx,by,bz,qw,qx,qy,qz,vx,vy,vz,brake\n".to_owned();
    for wheel in 0..ROWS / 10 {
        (0..10).for_each(|step| table += &format!("{wheel},{step},0,0,0.5,0,1,0,0,60,0,-1,0\n"));
    }
    interrupted(
        &[("scene.toml", GROUND), ("wheel.toml", wheel), ("f.csv", &table)],
        "wheels --scene scene.toml --wheel wheel.toml --frames f.csv --step 0.001 --out o.csv --engine reference",
    );
}
