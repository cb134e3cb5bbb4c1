//! A runway as the text of a scene file.
//!
//! # Conventions
//! World as in [`crate::scene`]: x = 0 at the landing threshold, x along the landing direction, y to the left, z up;
//! the ground is z <= 0. Thirds are thirds of the pavement, counted in the landing direction. (Reports that are not
//! addressed to a landing aircraft may list them from the lower runway designator instead.)

use super::condition::{ConditionCode, pressure_warning};
use super::{RunwayRow, Surface};

/// Width of a paved shoulder [m], each side.
const SHOULDER: f64 = 7.5;
/// From the edge of the runway to the nearest wall of the house [m].
const HOUSE_DISTANCE: f64 = 60.0;
/// The house stands this far beyond the landing threshold [m], or at half of what is left of a short runway.
const HOUSE_STATION: f64 = 300.0;
/// Half the length of the house along its ridge [m].
const HOUSE_HALF_LENGTH: f64 = 4.0;

/// What is wanted of a runway.
#[derive(Clone, Debug, PartialEq)]
pub struct RunwayRequest {
    /// The airport's identifier, such as LSZH.
    pub airport: String,
    /// The runway in the landing direction, such as 14.
    pub runway: String,
    /// One code for each third, in the landing direction.
    pub condition_codes: [ConditionCode; 3],
    /// Tyre pressure [Pa], positive: codes 5 and 2 depend on it.
    pub tyre_pressure: f64,
    /// A house beside the runway.
    pub house: bool,
}

/// The text of a scene file, and what its user should know.
#[must_use]
pub fn scene_text(row: &RunwayRow, request: &RunwayRequest) -> (String, Vec<String>) {
    let text = [head(row, request), runway_table(row), materials(row, request), shapes(row, request)].concat();
    (text, warnings(row, request))
}

fn warnings(row: &RunwayRow, request: &RunwayRequest) -> Vec<String> {
    let name = format!("{}: runway {} of {}", row.source, row.runway, row.airport);
    let mut warnings = Vec::new();
    if row.closed {
        warnings.push(format!("{name} is closed"));
    }
    match &row.surface {
        Surface::Unknown(text) if text.is_empty() => {
            warnings.push(format!("{name}: surface is empty; the condition codes are for paved runways"));
        }
        Surface::Unknown(text) => warnings.push(format!(
            "{name}: surface `{}` is none that we know; the condition codes are for paved runways",
            one_line(text)
        )),
        Surface::Water => warnings.push(format!("{name}: its surface is water; the scene has solid ground")),
        surface if !surface.is_paved() => {
            warnings.push(format!("{name}: its surface is {surface}; the condition codes are for paved runways"));
        }
        _ => {}
    }
    if request.condition_codes.iter().any(|code| code.depends_on_pressure()) {
        warnings.extend(pressure_warning(request.tyre_pressure));
    }
    warnings
}

fn head(row: &RunwayRow, request: &RunwayRequest) -> String {
    let [first, second, third] = request.condition_codes.map(ConditionCode::number);
    let mut text = format!(
        "# Runway {} of {}, runway condition {first}/{second}/{third} by thirds in the landing direction.\n\
         # From OurAirports (public domain): {}. Surface: {}.\n\
         # x = 0 is the landing threshold, x points along the landing direction, y to the left, z up. Metres.\n",
        one_line(&row.runway),
        one_line(&row.airport),
        one_line(&row.source),
        row.surface
    );
    if let Some(elevation) = row.elevation {
        text.push_str(&format!(
            "# The landing end lies {elevation:.0} m above the sea: standard air has {:.3} kg/m3 there.\n",
            standard_density(elevation)
        ));
    }
    text.push_str("default_material = \"grass\"\n\n");
    text
}

fn runway_table(row: &RunwayRow) -> String {
    format!(
        "[runway]\nlength = {}\nwidth = {}\ndisplaced_threshold = {}\n\n",
        metres(row.length),
        metres(row.width),
        metres(row.displaced_threshold)
    )
}

fn materials(row: &RunwayRow, request: &RunwayRequest) -> String {
    let mut text = "# Friction of a zone is the wheel braking coefficient of its code. It holds what a working\n\
         # anti-skid reaches on average, so a vehicle's own anti_skid should be close to 1.\n"
        .to_owned();
    for (zone, code) in (1..).zip(request.condition_codes) {
        let by_speed = code.braking(request.tyre_pressure);
        let at_rest = by_speed.first().map_or(0.0, |&(_, friction)| friction);
        text.push_str(&format!(
            "# Code {}, {}.\n[materials.{}]\nstatic_friction = {at_rest:.4}\ndynamic_friction = {at_rest:.4}\n",
            code.number(),
            code.description(),
            zone_material(zone, code)
        ));
        if by_speed.len() > 1 {
            text.push_str(&friction_table(&by_speed));
        }
        text.push('\n');
    }
    if row.surface.is_paved() {
        text.push_str(&plain_material("shoulder", "Asphalt shoulder, wet or dry: assumed.", 0.6, 0.5));
    }
    text.push_str(&plain_material(
        "grass",
        "Grass, damp: assumed. Its drag on rolling wheels is not modelled.",
        0.4,
        0.3,
    ));
    if request.house {
        text.push_str(&plain_material("masonry", "Walls and roof of the house: assumed.", 0.6, 0.5));
    }
    text
}

fn plain_material(name: &str, comment: &str, static_friction: f64, dynamic_friction: f64) -> String {
    format!(
        "# {comment}\n[materials.{name}]\nstatic_friction = {static_friction}\ndynamic_friction = {dynamic_friction}\n\n"
    )
}

fn friction_table(rows: &[(f64, f64)]) -> String {
    let mut text = "# Speed over the ground [m/s], coefficient.\ndynamic_friction_by_speed = [\n".to_owned();
    for (speed, friction) in rows {
        text.push_str(&format!("    [{speed:.4}, {friction:.4}],\n"));
    }
    text.push_str("]\n");
    text
}

fn zone_material(zone: u32, code: ConditionCode) -> String {
    format!("zone{zone}_rwycc{}", code.number())
}

fn shapes(row: &RunwayRow, request: &RunwayRequest) -> String {
    let start = -row.displaced_threshold;
    let half_width = 0.5 * row.width;
    let mut text = "[shapes.ground]\nhalf_space = { normal = [0, 0, 1], offset = 0 }\n\n\
         # Paint reaches through the ground: prisms without top and bottom.\n"
        .to_owned();
    let mut painted = "ground".to_owned();
    let mut paint = |region: &str, material: &str, from: f64, to: f64, half_width: f64| {
        let next = format!("with_{region}");
        text.push_str(&format!(
            "[shapes.{region}]\nintersection = [\n    {},\n    {},\n    {},\n    {},\n]\n\n\
             [shapes.{next}]\npaint = \"{material}\"\nwhere = {{ use = \"{region}\" }}\nof = {{ use = \"{painted}\" }}\n\n",
            half_space([-1, 0, 0], -from),
            half_space([1, 0, 0], to),
            half_space([0, -1, 0], half_width),
            half_space([0, 1, 0], half_width),
        ));
        painted = next;
    };
    if row.surface.is_paved() {
        paint("shoulder", "shoulder", start, start + row.length, half_width + SHOULDER);
    }
    for (zone, code) in (1..).zip(request.condition_codes) {
        let third = |number: u32| start + row.length * f64::from(number) / 3.0;
        paint(&format!("zone{zone}"), &zone_material(zone, code), third(zone - 1), third(zone), half_width);
    }
    text.push_str(&root(row, request, &painted));
    text
}

fn root(row: &RunwayRow, request: &RunwayRequest, ground: &str) -> String {
    if !request.house {
        return format!("[scene]\nuse = \"{ground}\"\n");
    }
    let x = HOUSE_STATION.min(0.5 * (row.length - row.displaced_threshold));
    let y = 0.5 * row.width + HOUSE_DISTANCE + HOUSE_HALF_LENGTH;
    let faces = [
        ([0, -1, 0], 4.0),
        ([0, 1, 0], 4.0),
        ([1, 0, 0], 3.0),
        ([-1, 0, 0], 3.0),
        ([1, 0, 1], 7.0),
        ([-1, 0, 1], 7.0),
        ([0, 0, -1], 0.0),
    ]
    .map(|(normal, offset)| format!("    {},\n", half_space(normal, offset)))
    .concat();
    format!(
        "# A house of 6 m by 8 m, 7 m to the ridge.\n[shapes.house]\nintersection = [\n{faces}]\n\n\
         [shapes.standing_house]\ntranslate = [{}, {}, 0]\nof = {{ use = \"house\" }}\n\n\
         [shapes.masonry_house]\nmaterial = \"masonry\"\nof = {{ use = \"standing_house\" }}\n\n\
         [scene]\nunion = [{{ use = \"{ground}\" }}, {{ use = \"masonry_house\" }}]\n",
        metres(x),
        metres(y)
    )
}

fn half_space([x, y, z]: [i32; 3], offset: f64) -> String {
    format!("{{ half_space = {{ normal = [{x}, {y}, {z}], offset = {} }} }}", metres(offset))
}

/// A length to the micrometre: feet have four decimals in metres, what follows is rounding.
fn metres(length: f64) -> String {
    // Adding zero turns -0 into 0.
    format!("{}", (length * 1e6).round() / 1e6 + 0.0)
}

/// Text that cannot end a comment.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Density [kg/m^3] of the standard atmosphere (ISO 2533) at a height [m] within the troposphere.
fn standard_density(height: f64) -> f64 {
    // Temperature falls by 6.5 K/km from 288.15 K; the exponent is g / (R 6.5 K/km) - 1.
    1.225 * (1.0 - 0.0065 * height / 288.15).max(0.0).powf(4.255_88)
}
