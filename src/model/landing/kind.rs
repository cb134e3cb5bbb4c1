//! Landings in study files: the vehicle, the scene, and what all landings share.

use std::sync::Arc;

use glam::DVec3;

use super::LandingModel;
use crate::document::{DocumentError, Field, Table, Unit};
use crate::model::{Files, MeasuredColumn, Model, ModelKind};
use crate::query::{LandingJob, Weather, WindTable};
use crate::scene::Scene;
use crate::vehicle::Vehicle;

/// Default time step \[s\].
const DEFAULT_STEP: f64 = 0.005;
/// Maximum time step \[s\]: above, pilot and air are not resolved.
const MAX_STEP: f64 = 0.1;
/// Default time limit \[s\]; a landing still in progress then is unfinished.
const DEFAULT_TIME_LIMIT: f64 = 120.0;
/// Maximum time limit \[s\].
const MAX_TIME_LIMIT: f64 = 3600.0;
/// Standard gravity \[m/s^2\].
const STANDARD_GRAVITY: f64 = 9.80665;

/// Reads landing models.
#[derive(Debug)]
pub struct LandingKind;

/// Its only instance.
pub static KIND: LandingKind = LandingKind;

impl ModelKind for LandingKind {
    fn name(&self) -> &'static str {
        "landing"
    }

    fn read(&self, root: &Table<'_>, files: &mut dyn Files) -> Result<Arc<dyn Model>, DocumentError> {
        let (vehicle_file, scene_file) = (root.required("vehicle")?, root.required("scene")?);
        let mut vehicle = Vehicle::from_document(&files.document(&vehicle_file)?)?;
        choose_laws(root, &mut vehicle)?;
        root.optional("ground_reactions").map_or(Ok(()), |field| vehicle.choose_ground_reactions(&field))?;
        let scene = files.scene(&scene_file)?;
        check_materials(&scene_file, &scene)?;
        Ok(Arc::new(LandingModel::new(LandingJob {
            vehicle,
            scene,
            weather: weather(root, files)?,
            gravity: root.optional_or("gravity", STANDARD_GRAVITY, |field| field.not_negative(Unit::Acceleration))?,
            step: root.optional_or("step", DEFAULT_STEP, |field| field.in_range(Unit::Time, 1e-5, MAX_STEP))?,
            time_limit: root.optional_or("time_limit", DEFAULT_TIME_LIMIT, |field| {
                field.in_range(Unit::Time, MAX_STEP, MAX_TIME_LIMIT)
            })?,
        })))
    }
}

/// `standard_atmosphere`, `wind_profile` and `wind_history`.
fn weather(root: &Table<'_>, files: &mut dyn Files) -> Result<Weather, DocumentError> {
    let mut table = |key: &'static str, by: &'static str, unit: Unit| {
        root.optional(key).map(|field| wind_table(&field, files, by, unit)).transpose()
    };
    Ok(Weather {
        profile: table("wind_profile", "height", Unit::Length)?,
        history: table("wind_history", "time", Unit::Time)?,
        standard_atmosphere: root.optional_or("standard_atmosphere", false, |field| field.boolean())?,
    })
}

/// A wind over `by`, from the table that a field names.
fn wind_table(
    field: &Field<'_>,
    files: &mut dyn Files,
    by: &'static str,
    unit: Unit,
) -> Result<WindTable, DocumentError> {
    let speed = |name| MeasuredColumn { name, unit: Unit::Speed, required: false };
    let columns =
        [MeasuredColumn { name: by, unit, required: true }, speed("headwind"), speed("crosswind"), speed("updraft")];
    let mut measured = files.measured(field, &columns)?;
    let points = std::mem::take(&mut measured[0]);
    let winds = &measured[1..];
    if winds.iter().all(Vec::is_empty) {
        return Err(field.error("the table has none of the columns headwind, crosswind, updraft"));
    }
    // Towards the end of the runway, to the left, upwards.
    let of = |part: usize, row: usize| winds[part].get(row).copied().unwrap_or(0.0);
    let winds = (0..points.len()).map(|row| DVec3::new(-of(0, row), of(1, row), of(2, row))).collect();
    WindTable::new(points, winds)
        .ok_or_else(|| field.error(format!("the table has more than {} rows", WindTable::MAX_POINTS)))
}

/// `autoland` and `flare`: the vehicle's own, or none.
fn choose_laws(root: &Table<'_>, vehicle: &mut Vehicle) -> Result<(), DocumentError> {
    vehicle.autoland = chosen(root, "autoland", vehicle.autoland, &vehicle.name)?;
    vehicle.flare = chosen(root, "flare", vehicle.flare, &vehicle.name)?;
    match root.optional("flare").filter(|_| vehicle.autoland.is_some() && vehicle.flare.is_some()) {
        Some(field) => Err(field.error("`autoland` and `flare` cannot both be true: one of them flies")),
        None => Ok(()),
    }
}

/// A table of the vehicle's file, if the study selects it.
fn chosen<T>(root: &Table<'_>, key: &'static str, own: Option<T>, vehicle: &str) -> Result<Option<T>, DocumentError> {
    let Some(field) = root.optional(key) else {
        return Ok(None);
    };
    if !field.boolean()? {
        return Ok(None);
    }
    own.map(Some).ok_or_else(|| field.error(format!("the vehicle `{vehicle}` has no [{key}] in its file")))
}

fn check_materials(field: &Field<'_>, scene: &Scene) -> Result<(), DocumentError> {
    scene.first_bare_leaf().map_or(Ok(()), |leaf| {
        Err(field.error(format!(
            "leaf {leaf} of the scene has no material everywhere; name a default_material in the scene"
        )))
    })
}
