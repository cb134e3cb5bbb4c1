//! `touchdown scene show`.

use std::path::{Path, PathBuf};

use clap::Args;
use touchdown::program::Program;
use touchdown::reference::Reference;
use touchdown::scene::Scene;
use touchdown::study::Study;

use super::Failure;
use super::failure::Code;
use super::starts::doubt_lines;
use super::text::{complain, print, warn};

/// Reads a scene and prints the warnings about its file.
pub fn read_scene(file: &Path) -> Result<Scene, Failure> {
    let scene = Scene::read(file)?;
    tell_warnings(&scene);
    Ok(scene)
}

/// Prints the warnings about the files of a study and its scene.
pub fn tell_study_warnings(study: &Study) {
    for warning in study.warnings() {
        warn(warning);
    }
    study.model.scene().into_iter().for_each(tell_warnings);
}

/// Prints the warnings about the model of a study whose trials are to be computed, and about its ground.
pub fn tell_model_warnings(study: &Study) -> Result<(), Failure> {
    for warning in study.model.warnings() {
        warn(&warning);
    }
    // A device would compile a kernel for these few rays.
    let examination = study.model.examination(&Reference::new(1)?)?;
    complain(&doubt_lines(study));
    examination.lines().filter(|line| !line.is_empty()).for_each(|line| complain(&format!("{line}\n")));
    Ok(())
}

/// Prints the warnings about the file of a scene.
pub fn tell_warnings(scene: &Scene) {
    for warning in scene.warnings() {
        warn(warning);
    }
}

/// Print a scene's tree, leaves, program and stack depth
///
/// Prints the expanded tree of a scene with leaf numbers and materials, then the words of its program.
#[derive(Debug, Args)]
pub struct Show {
    /// Scene file
    file: PathBuf,
}

impl Show {
    pub fn run(&self) -> Result<Code, Failure> {
        let scene = read_scene(&self.file)?;
        let program = Program::compile(&scene);
        print(&format!("tree\n{scene}\nprogram\n{program}\n"))?;
        print(&format!(
            "{} leaves, depth {} as written; {} words, {} constants, stack depth {}; {} materials\n",
            scene.leaves().len(),
            scene.depth(),
            program.words().len(),
            program.constants().len(),
            program.stack_depth(),
            scene.materials().len()
        ))?;
        if let Some(runway) = scene.runway() {
            print(&format!(
                "runway {} m long, {} m wide, threshold displaced by {} m, {}\n",
                runway.length,
                runway.width,
                runway.displaced_threshold,
                runway.rise()
            ))?;
        }
        Ok(Code::Done)
    }
}
