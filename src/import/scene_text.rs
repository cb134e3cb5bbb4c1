//! A runway as the text of a scene file.
//!
//! # Conventions
//! World as in [`crate::scene`]: x = 0, z = 0 at the landing threshold, x along the landing direction, y to the left, z up.
//! The ground is a plane through there, with the slope of the runway along x. Thirds are thirds of the pavement, counted in the landing direction. (Reports that are not
//! addressed to a landing aircraft may list them from the lower runway designator instead.)

use super::colors::{self, hexadecimal};
use super::condition::{ConditionCode, pressure_warning};
use super::{RunwayRow, Surface};
use crate::scene::Color;

/// Width of a paved shoulder \[m\], each side.
const SHOULDER: f64 = 7.5;
/// From the edge of the runway to the nearest wall of the house \[m\].
const HOUSE_DISTANCE: f64 = 60.0;
/// Distance of the house beyond the landing threshold \[m\], or half of what is left of a short runway.
const HOUSE_STATION: f64 = 300.0;
/// Half the length of the house along its ridge \[m\], and half its width along the runway.
const HOUSE_HALF_LENGTH: f64 = 4.0;
const HOUSE_HALF_WIDTH: f64 = 3.0;
/// The steepest slope that a runway may have from end to end by ICAO Annex 14, that of the shortest ones (from memory:
/// unverified).
const STEEPEST_BY_STANDARD: f64 = 0.02;

/// Request for a runway scene.
#[derive(Clone, Debug, PartialEq)]
pub struct RunwayRequest {
    /// The airport's identifier, such as LSZH.
    pub airport: String,
    /// The runway in the landing direction, such as 14.
    pub runway: String,
    /// One code for each third, in the landing direction.
    pub condition_codes: [ConditionCode; 3],
    /// Tyre pressure \[Pa\], positive: codes 5 and 2 depend on it.
    pub tyre_pressure: f64,
    /// Whether to put a house beside the runway.
    pub house: bool,
}

/// The text of a scene file, with notes for its user.
#[must_use]
pub fn scene_text(row: &RunwayRow, request: &RunwayRequest) -> (String, Vec<String>) {
    let text = [head(row, request), runway_table(row), materials(row, request), shapes(row, request)].concat();
    (text, warnings(row, request))
}

fn warnings(row: &RunwayRow, request: &RunwayRequest) -> Vec<String> {
    let name = one_line(&format!("{}: runway {} of {}", row.source, row.runway, row.airport));
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
    match row.slope {
        None => warnings.push(format!("{name}: the elevation of an end is missing; the runway is taken as level")),
        Some(slope) if slope.abs() > STEEPEST_BY_STANDARD => warnings.push(format!(
            "{name}: its elevations make a slope of {:.1} %, more than the {:.0} % that standards allow; are they right?",
            100.0 * slope,
            100.0 * STEEPEST_BY_STANDARD
        )),
        Some(_) => {}
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
         # From {}: {}. Surface: {}.\n\
         # x = 0 is the landing threshold, x points along the landing direction, y to the left, z up. Metres.\n",
        one_line(&row.runway),
        one_line(&row.airport),
        row.data,
        one_line(&row.source),
        row.surface
    );
    if let Some(elevation) = row.elevation {
        text.push_str(&format!(
            "# The landing threshold lies {elevation:.0} m above the sea: standard air has {:.3} kg/m3 there.\n",
            standard_density(elevation)
        ));
    }
    let slope = slope(row);
    if slope != 0.0 {
        let (way, height) = (if slope > 0.0 { "rises" } else { "falls" }, (slope * row.length).abs());
        text.push_str(&format!(
            "# The pavement {way} by {height:.1} m from end to end, and the ground with it: z = {slope} x.\n"
        ));
    }
    if request.condition_codes.iter().any(|code| code.depends_on_pressure()) {
        text.push_str(&format!("# Tyre pressure: {:.0} kPa.\n", request.tyre_pressure / 1000.0));
    }
    text.push_str("default_material = \"grass\"\n\n");
    text
}

fn runway_table(row: &RunwayRow) -> String {
    let slope = slope(row);
    format!(
        "[runway]\nlength = {}\nwidth = {}\ndisplaced_threshold = {}\n{}{}\n",
        metres(row.length),
        metres(row.width),
        metres(row.displaced_threshold),
        row.elevation.map_or_else(String::new, |elevation| format!("elevation = {}\n", metres(elevation))),
        if slope == 0.0 { String::new() } else { format!("slope = {slope}\n") }
    )
}

/// The slope of runway and ground, to what makes a tenth of a millimetre on the longest runways; level where it is not known.
fn slope(row: &RunwayRow) -> f64 {
    // Adding zero turns -0 into 0.
    (row.slope.unwrap_or(0.0) * 1e8).round() / 1e8 + 0.0
}

fn materials(row: &RunwayRow, request: &RunwayRequest) -> String {
    let mut text = "# Friction of a zone is the wheel braking coefficient of its code. It holds what a working\n\
         # anti-skid reaches on average, so a vehicle's own anti_skid should be close to 1. Colours are assumed.\n"
        .to_owned();
    for (zone, code) in (1..).zip(request.condition_codes) {
        let by_speed = code.braking(request.tyre_pressure);
        let at_rest = by_speed.first().map_or(0.0, |&(_, friction)| friction);
        text.push_str(&format!(
            "# Code {}, {}.\n[materials.{}]\nstatic_friction = {at_rest:.4}\ndynamic_friction = {at_rest:.4}\n\
             color = \"{}\"\n",
            code.number(),
            code.description(),
            zone_material(zone, code),
            hexadecimal(colors::of_zone(&row.surface, code))
        ));
        if by_speed.len() > 1 {
            text.push_str(&friction_table(&by_speed));
        }
        text.push('\n');
    }
    if row.surface.is_paved() {
        text.push_str(&plain_material(
            "shoulder",
            "Asphalt shoulder, wet or dry: assumed.",
            [0.6, 0.5],
            colors::SHOULDER,
        ));
    }
    text.push_str(&plain_material(
        "grass",
        "Grass, damp: assumed, without drag on rolling wheels (rolling_resistance).",
        [0.4, 0.3],
        colors::GRASS,
    ));
    if request.house {
        text.push_str(&plain_material("masonry", "Walls and roof of the house: assumed.", [0.6, 0.5], colors::MASONRY));
    }
    text
}

fn plain_material(name: &str, comment: &str, [at_rest, sliding]: [f64; 2], color: Color) -> String {
    format!(
        "# {comment}\n[materials.{name}]\nstatic_friction = {at_rest}\ndynamic_friction = {sliding}\ncolor = \"{}\"\n\n",
        hexadecimal(color)
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
    let mut text = format!(
        "[shapes.ground]\nhalf_space = {{ normal = [{}, 0, 1], offset = 0 }}\n\n\
         # Paint reaches through the ground: prisms without top and bottom.\n",
        -slope(row) + 0.0
    );
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
    let slope = slope(row);
    let faces = [
        ([0, -1, 0], 4.0),
        ([0, 1, 0], 4.0),
        ([1, 0, 0], HOUSE_HALF_WIDTH),
        ([-1, 0, 0], HOUSE_HALF_WIDTH),
        ([1, 0, 1], 7.0),
        ([-1, 0, 1], 7.0),
        // On a slope it stands as deep in the ground as its lower wall needs.
        ([0, 0, -1], HOUSE_HALF_WIDTH * slope.abs()),
    ]
    .map(|(normal, offset)| format!("    {},\n", half_space(normal, offset)))
    .concat();
    format!(
        "# A house of 6 m by 8 m, 7 m to the ridge.\n[shapes.house]\nintersection = [\n{faces}]\n\n\
         [shapes.standing_house]\ntranslate = [{}, {}, {}]\nof = {{ use = \"house\" }}\n\n\
         [shapes.masonry_house]\nmaterial = \"masonry\"\nof = {{ use = \"standing_house\" }}\n\n\
         [scene]\nunion = [{{ use = \"{ground}\" }}, {{ use = \"masonry_house\" }}]\n",
        metres(x),
        metres(y),
        metres(slope * x)
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

/// Density \[kg/m^3\] of the standard atmosphere (ISO 2533) at a height \[m\] within the troposphere.
fn standard_density(height: f64) -> f64 {
    // Temperature falls by 6.5 K/km from 288.15 K; the exponent is g / (R 6.5 K/km) - 1.
    1.225 * (1.0 - 0.0065 * height / 288.15).max(0.0).powf(4.255_88)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use glam::DVec3;

    use super::super::{DEFAULT_TYRE_PRESSURE, parse_condition_codes, read_runway};
    use super::*;
    use crate::document::Document;
    use crate::query::{Ray, RayStatus};
    use crate::reference::Tracer;
    use crate::scene::Scene;

    /// Lengths are written to the micrometre.
    const ROUNDING: f64 = 1e-6;
    const FOOT: f64 = 0.3048;

    fn request(airport: &str, runway: &str, codes: &str, house: bool) -> RunwayRequest {
        RunwayRequest {
            airport: airport.to_owned(),
            runway: runway.to_owned(),
            condition_codes: parse_condition_codes(codes).unwrap(),
            tyre_pressure: DEFAULT_TYRE_PRESSURE,
            house,
        }
    }

    fn row(request: &RunwayRequest) -> RunwayRow {
        let table = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/runways.csv"));
        read_runway(table, &request.airport, &request.runway).unwrap()
    }

    fn import(airport: &str, runway: &str, codes: &str, house: bool) -> (Scene, Vec<String>) {
        let request = request(airport, runway, codes, house);
        let (text, warnings) = scene_text(&row(&request), &request);
        let document = Document::parse("scene.toml", &text).unwrap();
        (Scene::from_document(&document).unwrap(), warnings)
    }

    /// The material that a vertical ray meets on the ground, which must lie in the runway's plane.
    fn material(scene: &Scene, x: f64, y: f64) -> String {
        let middle = DVec3::new(x, y, scene.ground_plane().below(x));
        let ray = Ray::segment(middle + 0.5 * DVec3::Z, middle - 0.5 * DVec3::Z);
        let entry = Tracer::new(scene).entry_point(&ray);
        assert_eq!(entry.status, RayStatus::Hit);
        assert!((entry.lambda - 0.5).abs() < ROUNDING, "the ground is the runway's plane");
        entry.material.map_or_else(String::new, |id| scene.material(id).name.clone())
    }

    #[test]
    fn a_runway_has_its_sizes_and_three_zones_with_shoulders_in_grass() {
        let (scene, warnings) = import("LSZH", "14", "5/4/3", false);
        assert!(warnings.is_empty(), "{warnings:?}");
        let runway = scene.runway().unwrap();
        let (length, displaced, edge) = (10827.0 * FOOT, 492.0 * FOOT, 98.5 * FOOT);
        assert!((runway.length - length).abs() < ROUNDING);
        assert!((runway.width - 2.0 * edge).abs() < ROUNDING);
        assert!((runway.displaced_threshold - displaced).abs() < ROUNDING);
        // A centimetre to each side of every border.
        let start = -displaced;
        let borders = [start, start + length / 3.0, start + 2.0 * length / 3.0, start + length];
        let names = ["grass", "zone1_rwycc5", "zone2_rwycc4", "zone3_rwycc3", "grass"];
        for (index, border) in borders.into_iter().enumerate() {
            for y in [0.0, edge - 0.01, -edge + 0.01] {
                assert_eq!(material(&scene, border - 0.01, y), names[index]);
                assert_eq!(material(&scene, border + 0.01, y), names[index + 1]);
            }
        }
        for side in [-1.0, 1.0] {
            assert_eq!(material(&scene, 500.0, side * (edge + 0.01)), "shoulder");
            assert_eq!(material(&scene, 500.0, side * (edge + 7.49)), "shoulder");
            assert_eq!(material(&scene, 500.0, side * (edge + 7.51)), "grass");
        }
    }

    #[test]
    fn the_example_scenes_are_what_the_importer_writes() {
        for (airport, runway, codes, psi, file) in
            [("LSZH", "14", "5/5/3", 1.5, "lszh14_wet.toml"), ("YBCG", "17", "5/5/5", 0.35, "ybcg17_wet.toml")]
        {
            let mut request = request(airport, runway, codes, false);
            request.tyre_pressure = psi * DEFAULT_TYRE_PRESSURE;
            let (text, _) = scene_text(&row(&request), &request);
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/scenes").join(file);
            assert_eq!(text, std::fs::read_to_string(path).unwrap(), "{file}");
        }
    }

    #[test]
    fn a_runway_rises_or_falls_as_its_elevations_do_and_the_ground_with_it() {
        for (airport, runway, feet, length) in
            [("SLLP", "10", 204.0, 13123.0), ("SLLP", "28", -204.0, 13123.0), ("YBCG", "17", -4.0, 1909.0)]
        {
            let (scene, warnings) = import(airport, runway, "6/6/6", true);
            assert!(warnings.is_empty(), "{warnings:?}");
            let (plane, runway) = (scene.ground_plane(), *scene.runway().unwrap());
            let rise = plane.below(runway.end()) - plane.below(-runway.displaced_threshold);
            println!("{airport}: {}, {rise:.4} m", runway.rise());
            // The slope is written to 1e-8.
            assert!((rise - feet * FOOT).abs() < 1e-8 * runway.length, "{rise} m");
            assert!((plane.slope - feet / length).abs() < 1e-8);
            for x in [-500.0, 0.0, 300.0, 5000.0] {
                for y in [-300.0, 0.0, 20.0] {
                    material(&scene, x, y);
                }
            }
            // Both walls of the house reach the ground.
            let (x, y) = (300.0_f64.min(0.5 * runway.end()), 0.5 * runway.width + 64.0);
            for wall in [-2.99, 2.99] {
                let at = |height: f64| DVec3::new(x + wall, y, plane.below(x + wall) + height);
                assert!([0.01, 2.0].iter().all(|&height| scene.contains(scene.root(), at(height))), "{airport} {wall}");
            }
        }
        let (level, _) = import("LSZH", "14", "6/6/6", true);
        assert_eq!(level.ground_plane().slope, 0.0);
    }

    #[test]
    fn a_missing_elevation_and_a_steep_slope_are_warned_of() {
        let request = request("LSZH", "14", "6/6/6", false);
        let of = |slope: Option<f64>| scene_text(&RunwayRow { slope, ..row(&request) }, &request);
        let (text, warnings) = of(None);
        assert!(warnings.len() == 1 && warnings[0].contains("taken as level"), "{warnings:?}");
        assert_eq!(text, of(Some(0.0)).0);
        assert!(of(Some(0.0199)).1.is_empty());
        let (_, warnings) = of(Some(-0.0312));
        assert!(warnings.len() == 1 && warnings[0].contains("a slope of -3.1 %"), "{warnings:?}");
    }

    #[test]
    fn no_seam_opens_between_zones() {
        let (scene, _) = import("LSZH", "14", "5/4/3", false);
        let start = -492.0 * FOOT;
        let length = 10827.0 * FOOT;
        for third in [1.0, 2.0] {
            let border = start + third * length / 3.0;
            for offset in [-1e-7, 0.0, 1e-7] {
                assert!(material(&scene, border + offset, 0.0).starts_with("zone"));
            }
        }
    }

    #[test]
    fn friction_of_a_zone_follows_its_code() {
        let (scene, _) = import("LSZH", "14", "5/2/3", false);
        let find = |name: &str| scene.materials().iter().find(|material| material.name == name).unwrap();
        // The text has four digits.
        let digits = 5e-5;
        let wet = find("zone1_rwycc5");
        let at_100_kt = 100.0 * 1852.0 / 3600.0;
        assert!((wet.dynamic_friction_at(at_100_kt) - 0.8 * 0.2753).abs() < digits);
        assert!(wet.static_friction >= wet.dynamic_friction_at(0.0));
        let slush = find("zone2_rwycc2");
        assert!((slush.dynamic_friction_at(0.765 * at_100_kt + 0.001) - 0.05).abs() < digits);
        assert!((slush.dynamic_friction_at(0.5 * at_100_kt) - 0.16).abs() < digits);
        let medium = find("zone3_rwycc3");
        assert!(medium.dynamic_friction_by_speed.is_empty());
        assert!((medium.dynamic_friction - 0.16).abs() < digits);
    }

    #[test]
    fn the_house_stands_60_m_left_of_the_edge_with_a_floor() {
        let (scene, _) = import("LSZH", "14", "5/5/5", true);
        assert_eq!(scene.leaves().len(), 1 + 7);
        let wall = 98.5 * FOOT + 60.0;
        let inside = |x: f64, y: f64, z: f64| scene.contains(scene.root(), DVec3::new(x, y, z));
        assert!(inside(300.0, wall + 0.01, 1.0) && !inside(300.0, wall - 0.01, 1.0));
        assert!(inside(300.0, wall + 4.0, 6.99) && !inside(300.0, wall + 4.0, 7.01), "the ridge");
        assert!(inside(302.99, wall + 4.0, 3.9) && !inside(302.99, wall + 4.0, 4.1), "the eaves");
        let (plain, _) = import("LSZH", "14", "5/5/5", false);
        assert_eq!(plain.leaves().len(), 1);
    }

    #[test]
    fn every_row_that_can_be_read_gives_a_scene() {
        for (airport, runway) in [
            ("BIRK", "06"),
            ("BIRK", "24"),
            ("BIRK", "13"),
            ("CYVR", "XX"),
            ("KBOS", "33R"),
            ("LSZH", "01H"),
            ("LSZH", "28"),
            ("LSZH", "34"),
            ("NZSP", "02T"),
            ("PHNL", "04W"),
            ("SLLP", "10L"),
            ("YBCG", "17"),
        ] {
            for codes in ["6/6/6", "1/2/3", "4/5/6"] {
                import(airport, runway, codes, true);
            }
        }
    }

    #[test]
    fn closed_unpaved_and_unknown_surfaces_are_warned_of() {
        for (airport, runway, words) in [
            ("BIRK", "06", "is closed"),
            ("LSZH", "01H", "surface is grass"),
            ("SLLP", "10L", "surface is graded earth"),
            ("PHNL", "04W", "solid ground"),
            ("NZSP", "02T", "surface is snow"),
        ] {
            let (_, warnings) = import(airport, runway, "6/6/6", false);
            // Two of these runways have no elevations.
            let level = warnings.iter().filter(|warning| warning.contains("taken as level")).count();
            assert!(
                warnings.len() == 1 + level && level == usize::from(["01H", "04W"].contains(&runway)),
                "{warnings:?}"
            );
            assert!(warnings[0].contains(words) && warnings[0].contains("runways.csv, line"), "{warnings:?}");
        }
    }

    #[test]
    fn an_unknown_surface_cannot_break_the_text() {
        let request = request("LSZH", "14", "6/6/6", false);
        let mut row = row(&request);
        row.surface = Surface::Unknown("gum\nevil = 1".to_owned());
        row.runway = "14\nevil = 1".to_owned();
        let (text, warnings) = scene_text(&row, &request);
        assert!(Scene::from_document(&Document::parse("scene.toml", &text).unwrap()).is_ok());
        assert!(warnings.iter().all(|warning| !warning.contains('\n')));
        assert!(warnings[0].contains("`gum evil = 1`"), "{warnings:?}");
    }

    #[test]
    fn a_tyre_pressure_beyond_the_regulation_is_warned_of_where_it_matters() {
        let mut wet = request("LSZH", "14", "5/5/5", false);
        wet.tyre_pressure = 0.35 * DEFAULT_TYRE_PRESSURE;
        assert!(scene_text(&row(&wet), &wet).1[0].contains("those for 50 psi"));
        let dry = RunwayRequest { condition_codes: parse_condition_codes("6/4/1").unwrap(), ..wet };
        assert!(scene_text(&row(&dry), &dry).1.is_empty());
    }

    #[test]
    fn standard_air_thins_as_the_standard_says() {
        // ISO 2533: 1.1673 kg/m3 at 500 m, 1.0065 at 2000 m.
        assert!((standard_density(500.0) - 1.1673).abs() < 5e-5);
        assert!((standard_density(2000.0) - 1.0065).abs() < 5e-5);
    }
}
