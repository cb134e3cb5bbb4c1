//! Which engine a verb uses.

use clap::{Args, ValueEnum};
use touchdown::engine::{Engine, EngineError, EngineIdentity};
use touchdown::gpu::{AdapterKind, Gpu, GpuError, GpuOptions, adapters, choose};
use touchdown::reference::Reference;

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
}

/// The engines by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EngineName {
    /// The fastest engine of this machine
    Auto,
    /// f64 on the processor, written for clarity: the judge of all others
    Reference,
    /// f32 on a GPU; a software adapter must be named with --adapter
    Gpu,
}

impl EngineOptions {
    /// The engine asked for.
    pub fn engine(&self) -> Result<Box<dyn Engine>, EngineError> {
        match self.engine {
            EngineName::Gpu => self.gpu(),
            EngineName::Auto if self.auto_takes_gpu() => self.gpu(),
            EngineName::Auto | EngineName::Reference => Ok(Box::new(self.reference()?)),
        }
    }

    /// The engine asked for; `auto` takes the one that computed something before, on the same adapter.
    pub fn engine_of(&self, identity: Option<&EngineIdentity>) -> Result<Box<dyn Engine>, EngineError> {
        let named = |engine| identity.filter(|identity| self.engine == EngineName::Auto && identity.engine == engine);
        if named("reference").is_some() {
            return Ok(Box::new(self.reference()?));
        }
        match named("gpu") {
            None => self.engine(),
            Some(identity) => {
                let made_it = adapters().into_iter().find(|adapter| identity.adapter.starts_with(&adapter.name));
                let adapter = self.adapter.clone().or(made_it.map(|adapter| adapter.number.to_string()));
                Ok(Box::new(Gpu::open(GpuOptions { adapter, ..GpuOptions::default() })?))
            }
        }
    }

    /// The engine that judges others.
    pub fn reference(&self) -> Result<Reference, EngineError> {
        Reference::new(usize::from(self.threads))
    }

    fn gpu(&self) -> Result<Box<dyn Engine>, EngineError> {
        Ok(Box::new(Gpu::open(GpuOptions { adapter: self.adapter.clone(), ..GpuOptions::default() })?))
    }

    /// A software adapter is slower than the reference: `auto` leaves it alone even when it is named.
    fn auto_takes_gpu(&self) -> bool {
        let all = adapters();
        let chosen: Result<usize, GpuError> = choose(&all, self.adapter.as_deref());
        chosen.is_ok_and(|number| !matches!(all[number].kind, AdapterKind::Software | AdapterKind::Unknown))
    }
}
