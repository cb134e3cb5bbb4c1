//! `touchdown scene show`.

use std::path::PathBuf;

use clap::Args;
use touchdown::program::Program;
use touchdown::scene::Scene;

use super::Failure;
use super::failure::Code;
use super::text::print;

/// Print a scene's tree, leaves, program words and stack depth
///
/// Prints the expanded tree of a scene with its leaves' numbers and materials, then the words of its program.
#[derive(Debug, Args)]
pub struct Show {
    /// Scene file
    file: PathBuf,
}

impl Show {
    pub fn run(&self) -> Result<Code, Failure> {
        let scene = Scene::read(&self.file)?;
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
