//! Contacts of given pairs.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use touchdown::job::Compute;

use touchdown::engine::Engine;
use touchdown::packing::{BodiesError, ellipsoid_columns, ellipsoids};
use touchdown::query::{EllipsoidPair, EllipsoidPairs, MAX_ASPECT};
use touchdown::table::{Chunk, TableReader, TableWriter};

use super::columns::{Extras, Touch, pair_columns, pair_values};
use crate::cli::Failure;
use crate::cli::engine::made_by;
use crate::cli::failure::Code;
use crate::cli::interrupt::stopped;

pub fn run(file: &Path, out: &Path, extras: Extras, engine: &dyn Engine, stop: &AtomicBool) -> Result<Code, Failure> {
    let mut writer = TableWriter::create(out, &pair_columns(extras), &made_by(engine))?;
    let wanted: Vec<_> = ["a_", "b_"].into_iter().flat_map(ellipsoid_columns).collect();
    for chunk in TableReader::open(file, &wanted)? {
        let pairs = pairs(file, &chunk?)?;
        let contacts = engine.compute::<EllipsoidPairs>((), &pairs)?;
        let touches: Vec<Touch> = pairs.into_iter().zip(contacts).collect();
        writer.write(&Chunk { first_row: 0, columns: pair_values(&touches, extras) })?;
        if let Some(code) = stopped(stop) {
            return Ok(code);
        }
    }
    writer.finish()?;
    Ok(Code::Done)
}

fn pairs(file: &Path, chunk: &Chunk) -> Result<Vec<EllipsoidPair>, Failure> {
    let [a, b] = [(0, "a_"), (10, "b_")].map(|(first, prefix)| {
        let ellipsoids = ellipsoids(chunk, first)?;
        BodiesError::refuse_faults(file, chunk, |field| format!("{prefix}{field}"), &ellipsoids)?;
        Ok::<_, BodiesError>(ellipsoids)
    });
    let pairs: Vec<EllipsoidPair> = a?.into_iter().zip(b?).map(|(a, b)| EllipsoidPair::new(a, b)).collect();
    match pairs.iter().position(|pair| !pair.is_valid()) {
        None => Ok(pairs),
        Some(row) => {
            let [a, b] = [pairs[row].a, pairs[row].b].map(|ellipsoid| ellipsoid.semi_axes);
            let (least, most) = (a.min(b).min_element(), a.max(b).max_element());
            Err(Failure::bad_input(format!(
                "{}: row {} (the first is 0): a semi-axis of {least:e} m beside one of {most:e} m: none may be more than \
                 {MAX_ASPECT:e} times another",
                file.display(),
                chunk.first_row + row as u64
            )))
        }
    }
}
