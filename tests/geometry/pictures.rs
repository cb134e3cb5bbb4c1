//! Pictures show what stands where, whatever the number of threads.

use std::collections::BTreeSet;
use std::io::Cursor;
use std::time::Instant;

use glam::DVec3;
use touchdown::document::Document;
use touchdown::engine::Engine;
use touchdown::native::Native;
use touchdown::picture::{Mode, Moment, Picture, Request, Size, flight, framing_view, palette_color, render};
use touchdown::query::{LandingEvent, LandingInputs, LandingStep, Observer};
use touchdown::reference::Reference;
use touchdown::scene::{Color, MaterialId, Scene, View};
use touchdown::validation::LandingStudy;

const GRASS: Option<MaterialId> = Some(MaterialId(0));
const ROCK: Option<MaterialId> = Some(MaterialId(1));

/// A ball of rock over level grass.
const BALL: &str = r##"
default_material = "grass"
[materials]
grass = { static_friction = 0.5, dynamic_friction = 0.4, color = "#80a040" }
rock = { static_friction = 0.8, dynamic_friction = 0.7 }
[scene]
union = [
    { half_space = { normal = [0, 0, 3], offset = 0 } },
    { material = "rock", of = { sphere = { center = [0, 0, 8], radius = 3 } } },
]
"##;

fn scene(text: &str) -> Scene {
    Scene::from_document(&Document::parse("scene.toml", text).unwrap()).unwrap()
}

fn request(mode: Mode, width: u32, height: u32) -> Request {
    let view = View {
        from: DVec3::new(-20.0, 5.0, 12.0),
        at: DVec3::new(0.0, 0.0, 8.0),
        up: DVec3::Z,
        field_of_view: View::FIELD_OF_VIEW,
    };
    Request { title: "ball.toml".to_owned(), view, size: Size { width, height }, mode, samples: 1 }
}

fn picture(scene: &Scene, request: &Request) -> Picture {
    render(&Reference::new(1).unwrap(), scene, request, &mut |_| {}).unwrap()
}

/// Every pixel of a picture against a formula of its own. The picture is so wide that it is made in two bands, and so low
/// that it has no legend.
#[test]
fn every_pixel_shows_the_material_that_its_ray_meets() {
    let request = request(Mode::Materials, 3500, 150);
    let picture = picture(&scene(BALL), &request);
    let (from, at) = (request.view.from, request.view.at);
    let forward = (at - from).normalize();
    let right = forward.cross(DVec3::Z).normalize();
    let tangent = (0.5 * request.view.field_of_view).tan();
    let mut counts = [0, 0, 0, 0];
    for row in 0..150 {
        for column in 0..3500 {
            let (across, down) = (f64::from(column) + 0.5, f64::from(row) + 0.5);
            let direction = forward
                + right * tangent * (3500.0 / 150.0) * (across / 1750.0 - 1.0)
                + right.cross(forward) * tangent * (1.0 - down / 75.0);
            let to_ball = DVec3::new(0.0, 0.0, 8.0) - from;
            let past = to_ball - direction * to_ball.dot(direction) / direction.length_squared();
            let (ball, level) = (past.length() - 3.0, direction.normalize().z);
            let expected = if ball.abs() < 1e-6 || level.abs() < 2e-2 {
                // On an edge, or so near to the horizon that rays end before the ground.
                counts[3] += 1;
                continue;
            } else if ball < 0.0 && to_ball.dot(direction) > 0.0 {
                counts[0] += 1;
                palette_color(ROCK)
            } else if level < 0.0 {
                counts[1] += 1;
                palette_color(GRASS)
            } else {
                counts[2] += 1;
                Color([0xf4, 0xf6, 0xf8])
            };
            assert_eq!(picture.pixel(column, row), Some(expected), "column {column}, row {row}");
        }
    }
    println!(
        "{} pixels of the ball, {} of the ground, {} of the sky, {} at edges",
        counts[0], counts[1], counts[2], counts[3]
    );
    assert!(counts[..3].iter().all(|&count| count > 500) && counts[3] < 200_000, "{counts:?}");
    assert_eq!((picture.pixel(3500, 0), picture.pixel(0, 150)), (None, None));
    assert_eq!(picture.rays, 525_000);
}

#[test]
fn the_number_of_threads_changes_no_byte_and_progress_reaches_the_end() {
    let scene = scene(BALL);
    for mode in [Mode::Shaded, Mode::Normals, Mode::Depth, Mode::Materials] {
        // 1.2 million rays: three bands.
        let request = Request { samples: 3, ..request(mode, 440, 300) };
        let files = [1, 3].map(|threads| {
            let mut steps = Vec::new();
            let engine = Reference::new(threads).unwrap();
            let file = render(&engine, &scene, &request, &mut |done| steps.push(done)).unwrap().png().unwrap();
            assert!(steps.len() == 3 && steps.is_sorted() && steps[2] == 440 * 300, "{steps:?}");
            file
        });
        assert!(files[0] == files[1], "{mode:?}");
    }
}

/// The brightness of a pixel, as bytes go.
fn brightness(color: Color) -> u32 {
    color.0.iter().map(|&byte| u32::from(byte)).sum()
}

#[test]
fn the_ball_casts_a_shadow_and_its_sides_differ() {
    let down = View { from: DVec3::new(0.0, 0.0, 60.0), at: DVec3::ZERO, up: DVec3::Y, field_of_view: 0.6 };
    let request = Request { view: down, ..request(Mode::Shaded, 150, 150) };
    let picture = picture(&scene(BALL), &request);
    // 36.6 m of ground in 150 pixels. The sun stands to the left and below in the picture, 35 degrees high; so the shadow
    // of the ball's centre falls some 11 m to the right, 2 to 4 m of them upwards.
    let at = |x: f64, y: f64| picture.pixel((75.0 + 4.1 * x) as u32, (75.0 - 4.1 * y) as u32).map(brightness).unwrap();
    let open = at(-12.0, -12.0);
    assert!(at(10.5, 3.3) * 4 < open * 3, "{} in the shadow, {open} in the open", at(10.5, 3.3));
    assert!(at(-12.0, 12.0).abs_diff(open) < 5, "no shadow there");
    assert!(at(-1.5, 0.0) > at(2.3, 0.5), "the ball's side towards the sun is brighter");
}

#[test]
fn near_is_bright_in_pictures_of_depth_and_normals_have_their_colors() {
    let down = View { from: DVec3::new(0.0, 0.0, 60.0), at: DVec3::ZERO, up: DVec3::Y, field_of_view: 0.6 };
    let of = |mode| picture(&scene(BALL), &Request { view: down, ..request(mode, 151, 151) });
    let depth = of(Mode::Depth);
    let [ball, middle, corner] = [(75, 75), (75, 140), (0, 0)].map(|(x, y)| brightness(depth.pixel(x, y).unwrap()));
    assert!(ball > middle && middle > corner, "{ball} {middle} {corner}");
    // The top of the ball faces up; so does the ground, whose normal is given three times as long.
    let normals = of(Mode::Normals);
    assert_eq!(normals.pixel(75, 75), Some(Color([128, 128, 255])));
    assert_eq!(normals.pixel(5, 5), Some(Color([128, 128, 255])));
}

#[test]
fn samples_smooth_edges_and_nothing_else() {
    let scene = scene(BALL);
    let colors = |samples| {
        let picture = picture(&scene, &Request { samples, ..request(Mode::Materials, 150, 120) });
        let pixels = (0..120).flat_map(|row| (0..150).map(move |column| (column, row)));
        pixels.filter_map(|(column, row)| picture.pixel(column, row)).collect::<BTreeSet<_>>()
    };
    assert_eq!(colors(1).len(), 3);
    assert!(colors(2).len() > 3 && colors(2).is_superset(&colors(1)));
}

#[test]
fn a_scene_without_materials_or_view_or_bounds_has_a_picture() {
    let bare = scene("[scene]\nhalf_space = { normal = [0, 0, 1], offset = 0 }");
    let size = Size { width: 320, height: 260 };
    for mode in [Mode::Shaded, Mode::Normals, Mode::Depth, Mode::Materials] {
        let request = Request { view: framing_view(&bare, size), ..request(mode, 320, 260) };
        let picture = picture(&bare, &request);
        let colors: BTreeSet<_> = (0..320).filter_map(|column| picture.pixel(column, 240)).collect();
        assert!(colors.len() >= 2, "ground and legend in {mode:?}");
    }
    let nothing = scene("[scene]\nnothing = true");
    let request = Request { view: framing_view(&nothing, size), ..request(Mode::Depth, 320, 260) };
    assert!(picture(&nothing, &request).pixel(0, 0).is_some());
}

#[test]
fn the_file_tells_what_it_shows() {
    let request = Request { title: "Flugplatz Zürich.toml".to_owned(), ..request(Mode::Shaded, 200, 160) };
    let picture = picture(&scene(BALL), &request);
    let reader = png::Decoder::new(Cursor::new(picture.png().unwrap())).read_info().unwrap();
    let texts: Vec<(String, String)> =
        reader.info().utf8_text.iter().map(|text| (text.keyword.clone(), text.get_text().unwrap())).collect();
    let of = |keyword: &str| texts.iter().find(|(key, _)| key == keyword).unwrap().1.clone();
    assert_eq!(of("Title"), request.title);
    assert!(of("Description").starts_with("shaded, from [-20, 5, 12] m at [0, 0, 8] m, "), "{}", of("Description"));
    assert_eq!(of("Software"), format!("touchdown {}", env!("CARGO_PKG_VERSION")));
    assert_eq!((reader.info().width, reader.info().height), (200, 160));
}

#[test]
fn pictures_that_cannot_be_made_are_refused() {
    let refusal = |request: &Request| {
        let error = render(&Reference::new(1).unwrap(), &scene(BALL), request, &mut |_| {}).unwrap_err();
        error.to_string()
    };
    let good = request(Mode::Shaded, 20, 20);
    let seen_from = |from: DVec3| Request { view: View { from, ..good.view }, ..good.clone() };
    assert!(refusal(&seen_from(DVec3::new(1.0, 0.0, 8.0))).contains("the eye at [1, 0, 8] m is inside"));
    assert!(refusal(&seen_from(DVec3::new(1.0, 0.0, -1.0))).contains("inside"));
    assert!(refusal(&seen_from(good.view.at)).contains("must be different points"));
    assert!(refusal(&Request { samples: 0, ..good.clone() }).contains("0 samples: must be from 1 to 8"));
    assert!(refusal(&Request { size: Size { width: 5, height: 0 }, ..good }).contains("5 x 0 pixels"));
}

#[test]
fn what_is_as_far_off_as_scenes_go_spoils_no_picture() {
    let far = BALL.replace("union = [", "union = [\n    { sphere = { center = [8e59, 0, 0], radius = 1e58 } },");
    let far = scene(&far);
    let near = request(Mode::Shaded, 40, 30);
    let farthest = View { from: DVec3::new(0.0, -1e59, 1e59), at: DVec3::ZERO, ..near.view };
    for view in [near.view, farthest] {
        let picture = picture(&far, &Request { view, ..near.clone() });
        assert!(picture.pixel(20, 25).is_some());
    }
    let view = View { from: DVec3::new(0.0, 0.0, 1.1e59), ..near.view };
    let error = render(&Reference::new(1).unwrap(), &far, &Request { view, ..near }, &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("coordinates must be numbers up to 1e59"), "{error}");
}

#[test]
fn a_view_and_colors_come_from_the_scene_file() {
    let size = Size { width: 4, height: 3 };
    let with = |camera: &str| {
        Scene::from_document(&Document::parse("scene.toml", &format!("{BALL}[camera]\n{camera}")).unwrap())
    };
    let given = with("from = [1, 2, '3 km']\nat = [0, 0, 0]\nup = [0, 1, 0]\nfov_deg = 90").unwrap();
    let expected = View {
        from: DVec3::new(1.0, 2.0, 3000.0),
        at: DVec3::ZERO,
        up: DVec3::Y,
        field_of_view: std::f64::consts::FRAC_PI_2,
    };
    assert_eq!(framing_view(&given, size), expected);
    assert_eq!(given.appearance().colors, [Some(Color([0x80, 0xa0, 0x40]))]);
    for (camera, words) in [
        ("from = [1, 2, 3]", "camera: key `at` is missing"),
        ("from = [1, 2, 3]\nat = [1, 2, 3]", "camera.at: [1, 2, 3] is not allowed: must be another point than `from`"),
        ("from = [1, 2, 3]\nat = [0, 0, 0]\nup = [0, 0, 0]", "camera.up: [0, 0, 0] is not allowed: must not be zero"),
        (
            "from = [1, 2, 3]\nat = [0, 0, 0]\nfov_deg = 151",
            "camera.fov_deg: 151 is not allowed: must be from 1 to 150",
        ),
        ("from = [1, 2, 3]\nat = [0, 0, 0]\nzoom = 2", "unknown key `zoom`"),
    ] {
        let message = with(camera).unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
    }
    let wrong = BALL.replace("#80a040", "green");
    let message = Scene::from_document(&Document::parse("scene.toml", &wrong).unwrap()).unwrap_err().to_string();
    assert!(message.contains("color: \"green\" is not allowed: must be a colour such as \"#6a8a3c\""), "{message}");
}

/// A vehicle that comes down, touches and rolls on, always in sight and never below the ground.
#[test]
fn a_landing_stands_in_its_scene_from_start_to_end() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tricycle/study.toml");
    let study = LandingStudy::of(touchdown::study::Study::read(&data).unwrap()).unwrap();
    let mut watch = Watch(Vec::new(), Vec::new());
    let inputs = LandingInputs::nominal(&study.job.vehicle);
    Native::new(1).unwrap().trace_landing(&study.job, &inputs, &mut watch).unwrap();
    let Watch(moments, places) = watch;
    let size = Size { width: 640, height: 360 };
    let shown = flight(&study.job.scene, &study.job.vehicle, &moments, size).unwrap().unwrap();
    let (first, last) = (places[0], *places.last().unwrap());
    for place in [first, last] {
        assert!(shown.scene.contains(shown.scene.root(), place), "the vehicle is at {place}");
        assert!(!study.job.scene.contains(study.job.scene.root(), place), "in the open");
    }
    let request = Request { view: shown.view, size, ..request(Mode::Materials, 1, 1) };
    let picture = picture(&shown.scene, &request);
    let before = study.job.scene.materials().len() as u32;
    let of = |added: u32| palette_color(Some(MaterialId(before + added)));
    let pixels = |color: Color| {
        let all = (0..size.height).flat_map(|row| (0..size.width).map(move |column| (column, row)));
        all.filter(|&(column, row)| picture.pixel(column, row) == Some(color)).count()
    };
    // Vehicle, way, wheels in the air and wheels that roll; the legend alone has some 130 of each.
    for added in [0, 1, 3, 4] {
        assert!(pixels(of(added)) > 200, "{added}: {}", pixels(of(added)));
    }
    assert!(flight(&study.job.scene, &study.job.vehicle, &[], size).unwrap().is_none());
}

/// Moments and places of a landing.
struct Watch(Vec<Moment>, Vec<DVec3>);

impl Observer for Watch {
    fn step(&mut self, step: &LandingStep<'_>) {
        self.0.push(Moment::of(step.state));
        self.1.push(step.state.motion.position);
    }

    fn event(&mut self, _: f64, _: LandingEvent) {}
}

/// Prints how long a picture of the airport takes: `cargo test --release --test geometry pictures -- --ignored --nocapture`.
/// `touchdown render` says the same of any scene.
#[test]
#[ignore = "a measurement, for release builds"]
fn how_long_the_airport_takes_in_full_hd() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/scenes/airport.toml");
    let scene = Scene::read(&file).unwrap();
    let size = Size { width: 1920, height: 1080 };
    let request = Request { view: framing_view(&scene, size), size, ..request(Mode::Shaded, 1, 1) };
    let start = Instant::now();
    let picture = render(&Native::new(0).unwrap(), &scene, &request, &mut |_| {}).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let rays = picture.rays as f64 / picture.tracing.as_secs_f64();
    println!("{} rays, {rays:.3e} rays/s, {seconds:.2} s in all", picture.rays);
}
