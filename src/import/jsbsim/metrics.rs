//! Sizes that JSBSim has as properties and that are the same in every flight, beside those of the wing.

use super::JsbsimError;
use super::air_forces::{WING_AREA, WING_LENGTH};
use super::file::Sections;
use super::mass::MassBalance;
use super::xml::{ANGLE, FOOT};

/// Metres of an inch.
const INCH: f64 = 0.0254;

/// Properties with their numbers.
pub(super) fn numbers(sections: &Sections<'_>, balance: &MassBalance) -> Result<Vec<(&'static str, f64)>, JsbsimError> {
    let metrics = sections.get("metrics")?;
    let size = |tag, measure| {
        let found = metrics.and_then(|metrics| metrics.first(tag));
        found.map_or(Ok(0.0), |found| found.number(measure))
    };
    let incidence = size("wing_incidence", ANGLE)?;
    let [x, y, z] = (balance.center / INCH).to_array();
    Ok(vec![
        ("metrics/iw-rad", incidence.to_radians()),
        ("metrics/iw-deg", incidence),
        ("metrics/Sh-sqft", size("htailarea", WING_AREA)? / (FOOT * FOOT)),
        ("metrics/lh-ft", size("htailarm", WING_LENGTH)? / FOOT),
        ("metrics/Sv-sqft", size("vtailarea", WING_AREA)? / (FOOT * FOOT)),
        ("metrics/lv-ft", size("vtailarm", WING_LENGTH)? / FOOT),
        ("inertia/cg-x-in", x),
        ("inertia/cg-y-in", y),
        ("inertia/cg-z-in", z),
    ])
}
