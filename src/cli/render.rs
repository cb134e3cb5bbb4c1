//! `touchdown render`.

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use glam::DVec3;
use touchdown::packing::ColumnNames;
use touchdown::picture::{Mode, Request, Size, framing_view, render, upright};
use touchdown::scene::View;
use touchdown::table::write_atomically;

use super::Failure;
use super::engine::EngineOptions;
use super::failure::Code;
use super::place::{refuse_other_ending, refuse_overwriting};
use super::progress::Meter;
use super::render_bodies;
use super::scene::read_scene;
use super::text::{complain, duration, scaled};

/// Render a scene as a picture
///
/// Traces one ray per pixel and writes a PNG file with a legend.
///
/// The view is given by --from, --at, --up and --fov, else by [camera] in the scene file, else it is from above and
/// shows everything bounded.
#[derive(Debug, Args)]
pub struct Render {
    /// Scene file
    #[arg(required_unless_present = "bodies")]
    scene: Option<PathBuf>,
    /// Render these bodies instead: a table, or the first snapshot of a dump, in the format of `touchdown ellipsoids`
    #[arg(long, value_name = "FILE", conflicts_with = "scene")]
    bodies: Option<PathBuf>,
    /// Column names in the file of bodies, as for `touchdown ellipsoids`
    #[arg(long, value_name = "KNOWN=NAME,...", requires = "bodies")]
    columns: Option<ColumnNames>,
    /// Contacts of the bodies, as written by `touchdown ellipsoids`: bodies are coloured by their number of contacts,
    /// contact points are drawn as small balls
    #[arg(long, value_name = "FILE", conflicts_with = "scene", requires = "bodies")]
    contacts: Option<PathBuf>,
    /// Picture to write
    #[arg(long, value_name = "PNG")]
    out: PathBuf,
    /// Position of the eye, in metres
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    from: Option<DVec3>,
    /// Point at the centre of the picture, in metres
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    at: Option<DVec3>,
    /// Upward direction in the picture [default: as in [camera] of the scene file, else 0,0,1; if the view is along
    /// that, 1,0,0, or 0,0,1 if the view is along x]
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    up: Option<DVec3>,
    /// Vertical field of view in degrees [default: 40]
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    fov: Option<f64>,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "1280x720")]
    size: Size,
    /// What the colours show
    #[arg(long, value_enum, default_value_t = ModeName::Shaded)]
    mode: ModeName,
    /// Each pixel is the mean of N x N rays, which smooths edges
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(Request::MAX_SAMPLES)))]
    samples: u32,
    #[command(flatten)]
    engine: EngineOptions,
}

/// Modes by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ModeName {
    /// Colours of materials under sun and sky, with shadows
    Shaded,
    /// Surface normals
    Normals,
    /// Distance from the eye
    Depth,
    /// Materials alone, each in its own colour
    Materials,
}

impl From<ModeName> for Mode {
    fn from(name: ModeName) -> Self {
        match name {
            ModeName::Shaded => Self::Shaded,
            ModeName::Normals => Self::Normals,
            ModeName::Depth => Self::Depth,
            ModeName::Materials => Self::Materials,
        }
    }
}

fn vector(text: &str) -> Result<DVec3, String> {
    let numbers = text.split(',').map(|part| part.trim().parse::<f64>().ok().filter(|number| number.is_finite()));
    match numbers.collect::<Option<Vec<f64>>>().as_deref() {
        Some(&[x, y, z]) => Ok(DVec3::new(x, y, z)),
        _ => Err("must be three numbers, such as -200,50,80".to_owned()),
    }
}

fn size(text: &str) -> Result<Size, String> {
    let sides = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    let allowed = 1..=Size::MAX;
    match sides {
        Some((width, height)) if allowed.contains(&width) && allowed.contains(&height) => Ok(Size { width, height }),
        _ => Err(format!("must be two sides of 1 to {} pixels, such as 1920x1080", Size::MAX)),
    }
}

impl Render {
    pub fn run(&self) -> Result<Code, Failure> {
        let inputs = [&self.scene, &self.bodies, &self.contacts].into_iter().flatten().map(PathBuf::as_path);
        refuse_overwriting("--out", &self.out, &inputs.clone().collect::<Vec<_>>())?;
        refuse_other_ending("--out", &self.out, "png")?;
        let scene = match (&self.scene, &self.bodies) {
            (_, Some(bodies)) => {
                let columns = self.columns.clone().unwrap_or_default();
                render_bodies::scene(bodies, &columns, self.contacts.as_deref())?
            }
            (Some(scene), None) => read_scene(scene)?,
            (None, None) => return Err(Failure::bad_input("a scene file or --bodies is needed")),
        };
        let engine = self.engine.engine()?;
        let title =
            inputs.clone().next().unwrap_or(&self.out).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let request = Request {
            title,
            view: self.view(&framing_view(&scene, self.size)),
            size: self.size,
            mode: self.mode.into(),
            samples: self.samples,
        };
        let started = Instant::now();
        let mut meter = Meter::new(self.size.pixels(), "pixels");
        let picture = render(engine.as_ref(), &scene, &request, &mut |done| meter.show(done, done, String::new));
        meter.finish();
        let picture = picture.map_err(|error| Failure::about(inputs.clone().next().unwrap_or(&self.out), error))?;
        write_atomically(&self.out, &picture.png()?)?;
        let (all, tracing) = (started.elapsed().as_secs_f64(), picture.tracing.as_secs_f64());
        complain(&format!(
            "{}: {}rays in {}, {}rays/s with engine {}; {} with colours and file\n",
            self.out.display(),
            scaled(picture.rays as f64),
            duration(tracing),
            scaled(picture.rays as f64 / tracing.max(1e-9)),
            engine.identity().engine,
            duration(all)
        ));
        Ok(Code::Done)
    }

    /// Overrides the scene's view with the options. If no eye is given, its direction from the point looked at is kept.
    fn view(&self, of_scene: &View) -> View {
        let at = self.at.unwrap_or(of_scene.at);
        let from = self.from.unwrap_or(of_scene.from + (at - of_scene.at));
        let field_of_view = self.fov.map_or(of_scene.field_of_view, f64::to_radians);
        let view = View { from, at, up: of_scene.up, field_of_view };
        match self.up {
            Some(up) => View { up, ..view },
            None => upright(view),
        }
    }
}
