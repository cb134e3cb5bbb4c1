//! Which engine a verb uses.

use clap::{Args, ValueEnum};
use touchdown::engine::{Engine, EngineError, EngineIdentity};
use touchdown::gpu::{Adapter, AdapterKind, Gpu, GpuError, GpuOptions, Searches, adapters, choose};
use touchdown::model::Model;
use touchdown::native::Native;
use touchdown::reference::Reference;

use super::Failure;
use super::text::complain;

/// Options of every verb that computes.
#[derive(Clone, Debug, Args)]
pub struct EngineOptions {
    /// Engine: `auto` takes a GPU where there is one, else the fastest on the processor
    #[arg(long, value_enum, default_value_t = EngineName::Auto)]
    engine: EngineName,
    /// GPU to use, by its number or a part of its name as `touchdown devices` lists them
    #[arg(long, env = "TOUCHDOWN_ADAPTER", value_name = "NAME|N")]
    adapter: Option<String>,
    /// Threads; 0 takes one per processor. Results do not depend on it
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: u16,
    #[arg(skip)]
    search: SearchName,
}

/// The option of verbs that search scenes along rays.
#[derive(Clone, Copy, Debug, Args)]
pub struct SearchOption {
    /// How a GPU searches scenes along rays
    #[arg(long, value_enum, default_value_t = SearchName::Walks)]
    search: SearchName,
}

/// How a GPU searches scenes along rays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum SearchName {
    /// By walks, lowered from the scene's words
    #[default]
    Walks,
    /// By the scene's words themselves, with a stack: slower, and with nothing in common with walks but the solids
    Words,
}

/// The engines by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EngineName {
    /// The fastest engine of this machine
    Auto,
    /// f64 on the processor, written for clarity: the judge of all others
    Reference,
    /// f64 on the processor, eight at a time: the same results, faster
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
    /// The same engine with searches as asked for.
    #[must_use]
    pub fn searching(&self, option: SearchOption) -> Self {
        Self { search: option.search, ..self.clone() }
    }

    /// The engine asked for, which is a GPU where it is asked to search by words.
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

    /// The engine asked for.
    pub fn engine(&self) -> Result<Box<dyn Engine>, EngineError> {
        match self.engine {
            EngineName::Gpu => self.gpu(),
            // A study that need not run on a GPU does not fail for one that cannot be opened.
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

    /// The engine asked for; `auto` takes none that does not compute the model.
    pub fn engine_for(&self, model: &dyn Model) -> Result<Box<dyn Engine>, EngineError> {
        match self.engine {
            EngineName::Auto if !model.has_kernels() => Ok(Box::new(self.native()?)),
            _ => self.engine(),
        }
    }

    /// The engine asked for; `auto` takes the one that computed something before, on the same adapter.
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
                // The same device with another driver is nearer than any other device.
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

    /// Every engine with `auto`, else the one asked for.
    pub fn engines(&self) -> Result<Engines, EngineError> {
        let asked = |name| self.engine == EngineName::Auto || self.engine == name;
        let reference = asked(EngineName::Reference).then(|| self.reference()).transpose()?;
        let native = asked(EngineName::Native).then(|| self.native()).transpose()?;
        let mut all = adapters();
        let gpu = match (self.engine, choose(&all, self.asked())) {
            (EngineName::Reference | EngineName::Native, _) => Err("not asked for".to_owned()),
            (_, Ok(number)) => Ok((all.swap_remove(number), self.open_gpu()?)),
            // Without a GPU those of the processor are every engine.
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

    /// Starts the threads of all work that is not the engine's.
    pub fn start_threads(&self) -> Result<(), EngineError> {
        let threads = self.threads();
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .map_err(|cause| EngineError::Threads { threads, cause: cause.to_string() })
    }

    /// Threads of the engines on the processor.
    pub fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => usize::from(threads),
        }
    }

    /// What was asked for by --adapter or the environment.
    fn asked(&self) -> Option<&str> {
        self.adapter.as_deref().filter(|adapter| !adapter.is_empty())
    }
}

/// The GPU that is asked for.
pub fn open(asked: Option<&str>) -> Result<Gpu, GpuError> {
    Gpu::open(GpuOptions { adapter: asked.map(str::to_owned), ..GpuOptions::default() })
}

/// What `--engine auto` takes.
pub enum Auto {
    /// The adapter with this number in the list.
    Gpu(usize),
    /// The native engine, and why.
    Native(String),
}

/// What `--engine auto` takes where these adapters are, and this one is asked for. A software adapter is slower than the
/// native engine: it is left alone even when it is named.
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
