//! `touchdown devices`.

use clap::Args;
use touchdown::gpu::{Adapter, adapters, choose};

use super::Failure;
use super::failure::Code;
use super::text::{columns, print};

/// Lists the adapters of this machine and says which engine `--engine auto` takes, and why.
#[derive(Debug, Args)]
pub struct Devices {}

impl Devices {
    #[expect(clippy::unused_self, reason = "verbs are run alike")]
    pub fn run(&self) -> Result<Code, Failure> {
        let all = adapters();
        let header = ["number", "name", "kind", "driver", "interface", "largest buffer", "largest dispatch"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        rows.extend(all.iter().map(row));
        print(&columns(&rows))?;
        print(&match choose(&all, None) {
            Ok(number) => format!("\n--engine auto takes the GPU {}: {}\n", all[number].name, all[number].kind.name()),
            Err(why) => format!("\n--engine auto takes the reference on the processor: {why}\n"),
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
