//! The air of landings: standard atmosphere, discrete gusts and winds of tables, by their closed forms and in lanes; and what
//! study files say of them.

use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::path::PathBuf;

use glam::DVec3;
use touchdown::airframe::Atmosphere;
use touchdown::engine::Engine;
use touchdown::flight::{DiscreteGust, LandingPlan};
use touchdown::model::LandingModel;
use touchdown::native::Native;
use touchdown::query::{Gusts, Input, LandingInputs, LandingJob, LandingState, Weather, WindTable};
use touchdown::reference::Reference;
use touchdown::scene::{MaterialId, Runway, Scene, Shape};
use touchdown::study::Study;

use crate::support::airframe::{autoland_job, both};
use crate::support::flights::calm;

#[test]
fn the_standard_atmosphere_has_its_published_digits() {
    // U.S. Standard Atmosphere, 1976, table I: height above sea level [m], temperature [K], pressure [Pa], density [kg/m3]; table
    // III: speed of sound [m/s].
    for (height, temperature, pressure, density, sound) in [
        (0.0, 288.150, 1.013_25e5, 1.2250, 340.29),
        (1000.0, 281.651, 8.9876e4, 1.1117, 336.43),
        (2000.0, 275.154, 7.9501e4, 1.0066, 332.53),
        (3000.0, 268.659, 7.0121e4, 0.909_25, 328.58),
        (4000.0, 262.166, 6.1660e4, 0.819_35, 324.59),
    ] {
        let air = Atmosphere::standard(height, 0.0, 101_325.0);
        println!("{height} m: {air:?}");
        // Half a unit in the last digit that is printed.
        assert!((air.temperature - temperature).abs() < 5.1e-4);
        assert!((air.pressure - pressure).abs() < 0.51);
        assert!((air.density - density).abs() < if density > 1.0 { 5.1e-5 } else { 5.1e-6 });
        assert!((air.sound - sound).abs() < 5.1e-3);
    }
}

#[test]
fn a_pressure_is_that_of_the_altimeter_and_a_temperature_changes_the_density_alone() {
    // At sea level it is the pressure itself.
    let low = Atmosphere::standard(0.0, 10.0, 98_000.0);
    assert!((low.pressure / 98_000.0 - 1.0).abs() < 1e-14);
    assert!((low.density - 98_000.0 / (287.052_87 * 298.15)).abs() < 1e-12);
    // An altimeter shows the elevation: the height in the standard atmosphere at which the pressure is the same, plus the one of
    // the setting, are apart by the elevation; here by bisection.
    let height_of = |pressure: f64| {
        let (mut low, mut high) = (-2000.0, 9000.0);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if Atmosphere::standard(middle, 0.0, 101_325.0).pressure > pressure { low = middle } else { high = middle }
        }
        low
    };
    let geopotential = |height: f64| 6_356_766.0 * height / (6_356_766.0 + height);
    let high = Atmosphere::standard(1500.0, -20.0, 100_300.0);
    let shown = geopotential(height_of(high.pressure)) - geopotential(height_of(100_300.0));
    assert!((shown - geopotential(1500.0)).abs() < 1e-6, "{shown}");
    let warm = Atmosphere::standard(1500.0, 30.0, 100_300.0);
    assert!(
        warm.pressure == high.pressure
            && (warm.density / high.density - high.temperature / warm.temperature).abs() < 1e-14
    );
    assert!((warm.sound / high.sound).powi(2) / (warm.temperature / high.temperature) - 1.0 < 1e-14);
}

#[test]
fn a_discrete_gust_is_one_minus_a_cosine_along_the_way() {
    let job = autoland_job();
    let changes = [
        (Input::Airspeed, 60.0),
        (Input::GustHeadwind, 5.0),
        (Input::GustCrosswind, -3.0),
        (Input::GustUpdraft, 2.0),
        (Input::GustGradientDistance, 45.0),
        (Input::GustTime, 2.0),
    ];
    let inputs = calm(&job, &changes);
    let plan = LandingPlan::new(&job, &inputs);
    let gust = DiscreteGust::new(&inputs).unwrap();
    // It takes 1.5 s.
    for number in 0..=100 {
        let time = 1.8 + 0.02 * f64::from(number);
        let way = 60.0 * (time - 2.0);
        let share = if (0.0..=90.0).contains(&way) { 0.5 * (1.0 - (PI * way / 45.0).cos()) } else { 0.0 };
        let expected = share * DVec3::new(-5.0, -3.0, 2.0);
        assert!(gust.at(time).distance(expected) < 1e-14 * 10.0, "{time}");
        assert!(plan.air(&job.weather, 30.0, time, &Gusts::NONE).distance(plan.wind + expected) < 1e-13);
    }
    assert_eq!(gust.at(2.75), DVec3::new(-5.0, -3.0, 2.0));
    assert_eq!(DiscreteGust::new(&calm(&job, &[(Input::GustTime, 1.0)])), None);
    assert!(LandingPlan::new(&job, &calm(&job, &[])).is_steady);
}

#[test]
fn winds_of_tables_are_linear_between_rows_and_held_beyond() {
    let table = WindTable::new(vec![10.0, 20.0, 50.0], vec![DVec3::X, DVec3::new(3.0, 1.0, 0.0), DVec3::Z]).unwrap();
    for (point, wind) in [
        (-5.0, DVec3::X),
        (10.0, DVec3::X),
        (15.0, DVec3::new(2.0, 0.5, 0.0)),
        (20.0, DVec3::new(3.0, 1.0, 0.0)),
        (35.0, DVec3::new(1.5, 0.5, 0.5)),
        (50.0, DVec3::Z),
        (1e9, DVec3::Z),
    ] {
        assert_eq!(table.at(point), wind, "{point}");
    }
    for (points, winds) in [(vec![], 0), (vec![1.0, 1.0], 2), (vec![2.0, 1.0], 2), (vec![1.0], 2), (vec![f64::NAN], 1)]
    {
        assert_eq!(WindTable::new(points, vec![DVec3::X; winds]), None);
    }
    let mut job = autoland_job();
    job.weather = Weather { profile: Some(table.clone()), history: Some(table), ..Weather::default() };
    let inputs = calm(&job, &[(Input::Headwind, 2.0)]);
    let plan = LandingPlan::new(&job, &inputs);
    let air = plan.air(&job.weather, 15.0, 35.0, &Gusts::NONE);
    assert!(air.distance(DVec3::new(-2.0 + 2.0 + 1.5, 1.0, 0.5)) < 1e-15, "{air}");
    // The airspeed at the start refers to the wind there: that of the input, of the profile and of the time 0.
    let start = LandingState::at_start(&job, &inputs).motion;
    let level_height = start.position.z;
    let wind = plan.air(&job.weather, level_height, 0.0, &Gusts::NONE);
    let airspeed = (start.velocity - wind).length();
    // The height is that in a level attitude there, which changes this wind by centimetres per second.
    assert!((airspeed - inputs.get(Input::Airspeed)).abs() < 0.05, "{airspeed}");
}

/// All of the air at once, on a runway 1500 m above the sea.
fn rough(job: LandingJob) -> (LandingJob, Vec<LandingInputs>) {
    let runway = Runway { elevation: 1500.0, ..*job.scene.runway().unwrap() };
    let ground = Shape::half_space(DVec3::Z, 0.0);
    let scene = Scene::new(&ground, job.scene.materials().to_vec(), Some(MaterialId(0)), Some(runway)).unwrap();
    let profile = WindTable::new(
        vec![0.0, 20.0, 60.0],
        vec![DVec3::ZERO, DVec3::new(-2.0, 1.0, 0.0), DVec3::new(-6.0, 3.0, 0.0)],
    );
    let history = WindTable::new(vec![0.0, 3.0, 9.0], vec![DVec3::ZERO, DVec3::new(1.0, 0.5, -0.5), DVec3::ZERO]);
    let job = LandingJob { scene, weather: Weather { standard_atmosphere: true, profile, history }, ..job };
    let inputs = (0..20).map(|number| {
        let share = f64::from(number) / 20.0;
        let mut inputs = calm(
            &job,
            &[
                (Input::TemperatureOffset, 30.0 * share),
                (Input::Qnh, 99_000.0 + 3000.0 * share),
                (Input::Turbulence, 0.8),
                (Input::TurbulenceVertical, 0.4),
                (Input::RotaryTurbulence, 2.0 * share),
                (Input::GustUpdraft, 3.0 * share - 1.0),
                (Input::GustCrosswind, 2.0 - 4.0 * share),
                (Input::GustTime, 6.0 * share - 1.0),
            ],
        );
        inputs.noise.item = number as u64;
        inputs
    });
    let inputs = inputs.collect();
    (job, inputs)
}

#[test]
fn landings_in_rough_air_have_the_same_bits_in_lanes() {
    let job = autoland_job();
    for (name, vehicle) in ["derivatives", "functions"].into_iter().zip(both(&job.vehicle)) {
        let (job, inputs) = rough(LandingJob { vehicle, ..job.clone() });
        let expected = Reference::new(2).unwrap().landings(&job, &inputs).unwrap();
        let found = Native::new(2).unwrap().landings(&job, &inputs).unwrap();
        assert_eq!(found, expected, "{name}");
        assert!(expected.iter().all(|outcome| outcome.touchdown.is_some()));
        // Each of them matters.
        let distance = |job: &LandingJob, inputs: LandingInputs| {
            Native::new(1).unwrap().landings(job, &[inputs]).unwrap()[0].touchdown.unwrap().distance
        };
        let whole = distance(&job, inputs[13]);
        for input in
            [Input::TemperatureOffset, Input::Qnh, Input::RotaryTurbulence, Input::GustUpdraft, Input::GustCrosswind]
        {
            let mut other = inputs[13];
            other.set(input, LandingInputs::nominal(&job.vehicle).get(input));
            assert!(distance(&job, other) != whole, "{name}: {}", input.name());
        }
        let without = |change: fn(&mut Weather)| {
            let mut other = job.clone();
            change(&mut other.weather);
            distance(&other, inputs[13])
        };
        assert!(
            without(|weather| weather.profile = None) != whole && without(|weather| weather.history = None) != whole
        );
        assert!(without(|weather| weather.standard_atmosphere = false) != whole);
    }
}

/// A study of the tricycle with more lines and tables.
fn study(lines: &str, tables: &[(&str, &str)]) -> Result<LandingJob, String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/validation/studies");
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let mut files: BTreeMap<String, Vec<u8>> =
        tables.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
    files.insert("vehicle.toml".to_owned(), read("endings_vehicle.toml"));
    let scene = String::from_utf8(read("endings_scene.toml"))
        .unwrap()
        .replace("width = 10", "width = 10\nelevation = '500 ft'");
    files.insert("scene.toml".to_owned(), scene.into_bytes());
    let text = format!("vehicle = 'vehicle.toml'\nscene = 'scene.toml'\nlandings = 10\nseed = 1\n{lines}\n");
    let study = Study::in_memory("study.toml", &text, files).map_err(|error| error.to_string())?;
    Ok(study.model.downcast::<LandingModel>().unwrap().job().clone())
}

#[test]
fn study_files_name_tables_with_units_and_the_atmosphere() {
    let profile = "height [ft],crosswind [kt],other\n0,0,a\n\n100,10,b\n";
    let history = "time,headwind,updraft [ft/s]\n0,1,0\n2.5,2,10\n";
    let lines = "wind_profile = 'profile.csv'\nwind_history = 'history.csv'\nstandard_atmosphere = true\n\
                 [inputs.qnh]\ndistribution = 'constant'\nvalue = '1030 hPa'";
    let job = study(lines, &[("profile.csv", profile), ("history.csv", history)]).unwrap();
    let Weather { standard_atmosphere, profile, history } = &job.weather;
    assert!(*standard_atmosphere && (job.scene.runway().unwrap().elevation - 152.4).abs() < 1e-12);
    let top = profile.as_ref().unwrap().at(30.48);
    assert!(top.distance(DVec3::new(0.0, 10.0 * 1852.0 / 3600.0, 0.0)) < 1e-12, "{top}");
    assert_eq!(history.as_ref().unwrap().at(2.5), DVec3::new(-2.0, 0.0, 3.048));
    assert_eq!(study("", &[]).unwrap().weather, Weather::default());
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let density = "[inputs.air_density]\ndistribution = 'constant'\nvalue = 1.2";
    let both = format!("standard_atmosphere = true\n{density}");
    let refused = |lines: &str, table: &str| study(lines, &[("w.csv", table)]).unwrap_err();
    for (lines, table, words) in [
        (
            both.as_str(),
            "",
            "study.toml:6:1: inputs.air_density: with `standard_atmosphere = true` the density follows",
        ),
        (
            "[inputs.qnh]\ndistribution = 'constant'\nvalue = 1e5",
            "",
            "`qnh` has a meaning with `standard_atmosphere = true` only",
        ),
        (
            "[inputs.temperature_offset]\ndistribution = 'constant'\nvalue = '10 K'",
            "",
            "`temperature_offset` has a meaning with",
        ),
        ("wind_profile = 'none.csv'", "", "none.csv"),
        ("wind_profile = 'w.csv'", "height,headwind\n0,1\n\n0,2\n", "w.csv:4: column height: 0 must be above 0"),
        ("wind_profile = 'w.csv'", "height,headwind\n0,1\n5,x\n", "w.csv:3: column headwind: \"x\""),
        ("wind_profile = 'w.csv'", "height,headwind\n0,1\n5,\n", "w.csv:3: column headwind"),
        (
            "wind_profile = 'w.csv'",
            "height [kg],headwind\n0,1\n",
            "w.csv:1: column height [kg]: its unit must be one of m, km",
        ),
        (
            "wind_profile = 'w.csv'",
            "time,headwind\n0,1\n",
            "w.csv:1: there is no column height; columns: time, headwind",
        ),
        ("wind_profile = 'w.csv'", "height,headwind,headwind [kt]\n0,1,2\n", "w.csv:1: column headwind is there twice"),
        ("wind_history = 'w.csv'", "time,wind\n0,1\n", "none of the columns headwind, crosswind, updraft"),
        ("wind_history = 'w.csv'", "time,headwind\n", "w.csv: has no rows"),
    ] {
        let error = refused(lines, table);
        assert!(error.contains(words), "{lines}\n{table}\n{error}");
    }
    let mut inputs = LandingInputs::nominal(&autoland_job().vehicle);
    for (input, value) in [
        (Input::TemperatureOffset, 101.0),
        (Input::Qnh, 1013.25),
        (Input::RotaryTurbulence, -1.0),
        (Input::GustGradientDistance, 0.0),
        (Input::GustTime, f64::NAN),
    ] {
        let usual = inputs.get(input);
        inputs.set(input, value);
        assert!(!inputs.is_valid(), "{}", input.name());
        inputs.set(input, usual);
    }
    assert!(inputs.is_valid());
}
