//! Selection of the engine for a command.

use std::error::Error;

use clap::{Args, ValueEnum};
use touchdown::engine::{Engine, EngineError, EngineIdentity};
use touchdown::gpu::{Adapter, AdapterKind, Gpu, GpuError, GpuOptions, Searches, adapters, choose};
use touchdown::model::Model;
use touchdown::native::Native;
use touchdown::reference::Reference;

use super::Failure;
use super::text::complain;

/// Trials under way at a time below which `auto` selects no GPU: each takes as long there as all do, some 50 us for a step of
/// a landing, in which eight threads beside it do as many steps (benches/results/2026-11-27-h200.md).
const MIN_ON_GPU: u64 = 1024;

/// Options of every command that computes.
#[derive(Clone, Debug, Args)]
pub struct EngineOptions {
    /// Engine: `auto` selects a GPU if there is one and the work is not too little for it, else the fastest on the CPU
    #[arg(long, value_enum, default_value_t = EngineName::Auto)]
    engine: EngineName,
    /// GPU to use, by number or part of its name as listed by `touchdown devices`
    #[arg(long, env = "TOUCHDOWN_ADAPTER", value_name = "NAME|N")]
    adapter: Option<String>,
    /// Threads; 0 means one per core. Results do not depend on it
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: u16,
    #[arg(skip)]
    search: SearchName,
}

/// Option of commands that trace rays through scenes.
#[derive(Clone, Copy, Debug, Args)]
pub struct SearchOption {
    /// How a GPU traces rays through scenes
    #[arg(long, value_enum, default_value_t = SearchName::Walks)]
    search: SearchName,
}

/// How a GPU traces rays through scenes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum SearchName {
    /// With walks, compiled from the scene's program
    #[default]
    Walks,
    /// By interpreting the scene's program with a stack: slower, and sharing nothing with walks but the solids
    Words,
}

/// Engines by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EngineName {
    /// Fastest engine of this machine
    Auto,
    /// f64 on the CPU, written for clarity: the judge of all others
    Reference,
    /// f64 on the CPU, eight items at a time: the same results, faster
    Native,
    /// f32 on a GPU; a software adapter must be named with --adapter
    Gpu,
}

/// Engines to compare.
pub struct Engines {
    pub reference: Option<Reference>,
    pub native: Option<Native>,
    /// The GPU and its adapter, or why there is none.
    pub gpu: Result<(Adapter, Gpu), String>,
}

impl EngineOptions {
    /// The engine with this name (`auto`, `reference`, `native`, `gpu`) on this adapter, with this number of threads; 0
    /// means one per core.
    ///
    /// # Errors
    /// What is allowed, if there is no engine with this name.
    pub fn new(engine: &str, adapter: Option<String>, threads: u16) -> Result<Self, String> {
        let engine = EngineName::from_str(engine, false)
            .map_err(|_| format!("there is no engine `{engine}`; known: auto, reference, native, gpu"))?;
        Ok(Self { engine, adapter, threads, search: SearchName::default() })
    }

    /// The same engines with the requested search.
    #[must_use]
    pub fn searching(&self, option: SearchOption) -> Self {
        Self { search: option.search, ..self.clone() }
    }

    /// The requested engine; a search by words requires the GPU.
    pub fn searching_engine(&self, option: SearchOption) -> Result<Box<dyn Engine>, Failure> {
        let engine = self.searching(option).engine()?;
        let name = engine.identity().engine;
        if option.search == SearchName::Words && name != "gpu" {
            return Err(Failure::bad_input(format!(
                "--search words: engine {name} has one search only; name a GPU by --engine gpu, or a software adapter by \
                 --engine gpu --adapter llvmpipe"
            )));
        }
        Ok(engine)
    }

    /// The requested engine.
    pub fn engine(&self) -> Result<Box<dyn Engine>, EngineError> {
        match self.engine {
            EngineName::Gpu => self.gpu(),
            // A study that may run on the CPU does not fail because a GPU cannot be opened.
            EngineName::Auto => match auto(&adapters(), self.asked())? {
                Auto::Gpu(_) => self.gpu().or_else(|error| {
                    complain(&format!("warning: {error}; going on with --engine native\n"));
                    Ok(Box::new(self.native()?) as Box<dyn Engine>)
                }),
                Auto::Native(_) => Ok(Box::new(self.native()?)),
            },
            EngineName::Native => Ok(Box::new(self.native()?)),
            EngineName::Reference => Ok(Box::new(self.reference()?)),
        }
    }

    /// The requested engine for trials of which so many can be under way at a time; `auto` selects only engines that compute
    /// the model, and no GPU for a few unless it is named.
    pub fn engine_for(&self, model: &dyn Model, at_a_time: u64) -> Result<Box<dyn Engine>, EngineError> {
        match self.engine {
            EngineName::Auto if !model.has_kernels() || (at_a_time < MIN_ON_GPU && self.asked().is_none()) => {
                Ok(Box::new(self.native()?))
            }
            _ => self.engine(),
        }
    }

    /// The requested engine; `auto` selects the one with this identity, on the same adapter.
    pub fn engine_of(&self, identity: Option<&EngineIdentity>) -> Result<Box<dyn Engine>, EngineError> {
        let named = |engine| identity.filter(|identity| self.engine == EngineName::Auto && identity.engine == engine);
        if named("reference").is_some() {
            return Ok(Box::new(self.reference()?));
        }
        if named("native").is_some() {
            return Ok(Box::new(self.native()?));
        }
        match named("gpu") {
            None => self.engine(),
            Some(identity) => {
                // The same device with another driver is a better match than another device.
                let all = adapters();
                let same = all.iter().find(|adapter| identity.adapter == adapter.identity());
                let made_it = same
                    .or_else(|| all.iter().find(|adapter| identity.adapter.starts_with(&format!("{},", adapter.name))));
                let adapter = self.asked().map(str::to_owned).or(made_it.map(|adapter| adapter.number.to_string()));
                Ok(Box::new(Gpu::open(GpuOptions { adapter, ..GpuOptions::default() })?))
            }
        }
    }

    /// The engine that judges others.
    pub fn reference(&self) -> Result<Reference, EngineError> {
        Reference::new(usize::from(self.threads))
    }

    fn native(&self) -> Result<Native, EngineError> {
        Native::new(usize::from(self.threads))
    }

    /// All engines with `auto`, else the requested one.
    pub fn engines(&self) -> Result<Engines, EngineError> {
        let asked = |name| self.engine == EngineName::Auto || self.engine == name;
        let reference = asked(EngineName::Reference).then(|| self.reference()).transpose()?;
        let native = asked(EngineName::Native).then(|| self.native()).transpose()?;
        let mut all = adapters();
        let gpu = match (self.engine, choose(&all, self.asked())) {
            (EngineName::Reference | EngineName::Native, _) => Err("not asked for".to_owned()),
            (_, Ok(number)) => Ok((all.swap_remove(number), self.open_gpu()?)),
            // Without a GPU, the CPU engines are all there are.
            (EngineName::Auto, Err(why @ (GpuError::NoAdapter | GpuError::OnlySoftware { .. }))) => {
                Err(why.to_string())
            }
            (_, Err(why)) => return Err(why.into()),
        };
        Ok(Engines { reference, native, gpu })
    }

    fn gpu(&self) -> Result<Box<dyn Engine>, EngineError> {
        Ok(Box::new(self.open_gpu()?))
    }

    fn open_gpu(&self) -> Result<Gpu, GpuError> {
        let searches = match self.search {
            SearchName::Walks => Searches::Walks,
            SearchName::Words => Searches::Words,
        };
        Gpu::open(GpuOptions { adapter: self.asked().map(str::to_owned), searches, ..GpuOptions::default() })
    }

    /// Starts the threads for all work outside the engine, unless the process has them already.
    pub fn start_threads(&self) -> Result<(), EngineError> {
        let threads = self.threads();
        match rayon::ThreadPoolBuilder::new().num_threads(threads).build_global() {
            // Only the system's own refusal has a source.
            Err(cause) if cause.source().is_some() => Err(EngineError::Threads { threads, cause: cause.to_string() }),
            _ => Ok(()),
        }
    }

    /// Number of threads of the CPU engines.
    pub fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => usize::from(threads),
        }
    }

    /// Adapter requested by --adapter or the environment.
    fn asked(&self) -> Option<&str> {
        self.adapter.as_deref().filter(|adapter| !adapter.is_empty())
    }
}

/// What a table of results says of the engine that made it.
pub fn made_by(engine: &dyn Engine) -> Vec<(String, String)> {
    let EngineIdentity { version, engine, .. } = engine.identity();
    vec![("touchdown.version".to_owned(), version), ("touchdown.engine".to_owned(), engine)]
}

/// The requested GPU.
pub fn open(asked: Option<&str>) -> Result<Gpu, GpuError> {
    Gpu::open(GpuOptions { adapter: asked.map(str::to_owned), ..GpuOptions::default() })
}

/// Selection of `--engine auto`.
pub enum Auto {
    /// Index of the adapter in the list.
    Gpu(usize),
    /// The native engine, with the reason.
    Native(String),
}

/// Selection of `--engine auto` given these adapters and a requested one. A software adapter is slower than the native
/// engine and is never selected, even if named.
pub fn auto(all: &[Adapter], asked: Option<&str>) -> Result<Auto, GpuError> {
    match choose(all, asked) {
        Ok(number) => Ok(match all[number].kind {
            AdapterKind::Software => {
                Auto::Native(format!("{} is a software adapter, which only --engine gpu takes", all[number].name))
            }
            AdapterKind::Unknown => {
                Auto::Native(format!("{} does not say that it is a GPU; only --engine gpu takes it", all[number].name))
            }
            AdapterKind::Discrete | AdapterKind::Integrated | AdapterKind::Virtual => Auto::Gpu(number),
        }),
        Err(why @ (GpuError::NoAdapter | GpuError::OnlySoftware { .. })) => Ok(Auto::Native(why.to_string())),
        Err(why) => Err(why),
    }
}
