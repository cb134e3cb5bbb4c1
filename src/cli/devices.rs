//! `touchdown devices`.

use clap::Args;
use touchdown::gpu::{Adapter, adapters};

use super::Failure;
use super::engine::{Auto, auto, open};
use super::failure::Code;
use super::text::{columns, print};

/// List GPUs, and show which engine `auto` selects
///
/// Lists the adapters of this machine and shows which engine `--engine auto` selects, and why.
#[derive(Debug, Args)]
pub struct Devices {
    /// GPU to use, by number or part of its name
    #[arg(long, env = "TOUCHDOWN_ADAPTER", value_name = "NAME|N")]
    adapter: Option<String>,
}

impl Devices {
    pub fn run(&self) -> Result<Code, Failure> {
        let all = adapters();
        let header = ["number", "name", "kind", "driver", "interface", "largest buffer", "largest dispatch"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        rows.extend(all.iter().map(row));
        print(&columns(&rows))?;
        let asked = self.adapter.as_deref().filter(|adapter| !adapter.is_empty());
        print(&match auto(&all, asked) {
            // As `--engine auto` does: an adapter that is listed but cannot be opened is not selected.
            Ok(Auto::Gpu(number)) => match open(asked) {
                Ok(_) => format!("\n--engine auto takes the GPU {}: {}\n", all[number].name, all[number].kind.name()),
                Err(why) => format!("\n--engine auto takes native, on the processor: {why}\n"),
            },
            Ok(Auto::Native(why)) => format!("\n--engine auto takes native, on the processor: {why}\n"),
            Err(why) => format!("\n--engine auto fails: {why}\n"),
        })?;
        Ok(Code::Done)
    }
}

fn row(adapter: &Adapter) -> Vec<String> {
    vec![
        adapter.number.to_string(),
        adapter.name.clone(),
        adapter.kind.name().to_owned(),
        adapter.driver.clone(),
        adapter.interface.clone(),
        format!("{} MiB", adapter.largest_binding() >> 20),
        format!("{} workgroups", adapter.largest_dispatch()),
    ]
}
