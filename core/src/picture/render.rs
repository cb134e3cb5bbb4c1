//! From rays to colours, band by band.

use std::time::{Duration, Instant};

use glam::{DVec3, Vec3};

use super::camera::Camera;
use super::canvas::Canvas;
use super::depth_scale::DepthScale;
use super::framing::reach;
use super::legend::{Legend, draw};
use super::{Mode, Picture, PictureError, Request, color, light};
use crate::engine::Engine;
use crate::job::Compute;
use crate::parallel;
use crate::query::{EntryPoint, EntryPoints, Ray, RayStatus};
use crate::scene::{Color, MaterialId, Scene};

/// Maximum number of rays per engine call: some 100 MB of rays and answers, and enough to keep threads and devices
/// busy.
const RAYS_PER_CALL: usize = 1 << 19;
/// Rays or pixels that one thread takes at a time: enough that sharing them out costs nothing.
const ITEMS_PER_TASK: usize = 4096;
/// Rays to the sun start this share of a pixel's size off the surface: too little to be seen, and far above the rounding
/// of any engine, which would have surfaces shade themselves.
const LIFT: f64 = 0.25;
/// What stands behind everything where light plays no part.
const BACKGROUND: Color = Color([0xf4, 0xf6, 0xf8]);

/// Renders a picture. `progress` receives the number of finished pixels.
///
/// # Errors
/// If the request is invalid, the eye is inside a solid, or the engine fails or cannot answer a ray.
pub fn render(
    engine: &dyn Engine,
    scene: &Scene,
    request: &Request,
    progress: &mut dyn FnMut(u64),
) -> Result<Picture, PictureError> {
    let Request { view, size, samples, mode, .. } = *request;
    if !(1..=Request::MAX_SAMPLES).contains(&samples) {
        return Err(PictureError::Samples { samples });
    }
    let camera = Camera::new(&view, size, reach(scene, &view))?;
    if scene.contains(scene.root(), view.from) {
        return Err(PictureError::Inside { from: view.from });
    }
    let mut painter = Painter {
        engine,
        scene,
        request,
        camera,
        toward_sun: camera.toward_sun(),
        surfaces: Surfaces::new(scene, mode),
        seen: vec![0; scene.materials().len() + 1],
        nearest: Vec::new(),
        bytes: Vec::with_capacity(3 * size.pixels() as usize),
        rays: 0,
        tracing: Duration::ZERO,
    };
    let rays_per_row = size.width as usize * (samples * samples) as usize;
    let rows_per_band = (RAYS_PER_CALL / rays_per_row).max(1) as u32;
    for first in (0..size.height).step_by(rows_per_band as usize) {
        let end = size.height.min(first + rows_per_band);
        painter.paint(first, end)?;
        progress(u64::from(end) * u64::from(size.width));
    }
    Ok(painter.finish())
}

/// What a ray met.
#[derive(Clone, Copy)]
struct Sight {
    /// From the eye \[m\].
    distance: f64,
    /// Where \[m\].
    point: DVec3,
    /// Unit vector.
    normal: DVec3,
    material: Option<MaterialId>,
}

/// A picture in the making.
struct Painter<'a> {
    engine: &'a dyn Engine,
    scene: &'a Scene,
    request: &'a Request,
    camera: Camera,
    toward_sun: DVec3,
    surfaces: Surfaces,
    /// Rays that met each material, by [`Surfaces::place`].
    seen: Vec<u64>,
    /// Distance of each pixel \[m\], negative for the sky; for [`Mode::Depth`] only, which knows its range at the end.
    nearest: Vec<f32>,
    bytes: Vec<u8>,
    rays: u64,
    tracing: Duration,
}

impl Painter<'_> {
    /// Paints the rows from `first` up to `end`.
    fn paint(&mut self, first: u32, end: u32) -> Result<(), PictureError> {
        let rays = self.rays_of(first, end);
        let entries = self.trace(&rays)?;
        if let Some(ray) = entries.iter().position(|entry| !matches!(entry.status, RayStatus::Hit | RayStatus::Miss)) {
            return Err(self.unanswered(first, ray));
        }
        let reach = self.camera.reach();
        let sight = |number: usize| {
            let (ray, entry) = (&rays[number], &entries[number]);
            (entry.status == RayStatus::Hit).then(|| Sight {
                distance: entry.lambda * reach,
                point: ray.at(entry.lambda),
                normal: entry.normal.normalize_or_zero(),
                material: entry.material,
            })
        };
        let sights: Vec<Option<Sight>> = parallel::map_numbers(rays.len(), ITEMS_PER_TASK, sight);
        for sight in sights.iter().flatten() {
            self.seen[Surfaces::place(sight.material)] += 1;
        }
        let in_sun = if self.request.mode == Mode::Shaded { self.in_sun(&sights)? } else { vec![false; sights.len()] };

        let samples = (self.request.samples * self.request.samples) as usize;
        if self.request.mode == Mode::Depth {
            let nearest = |pixel: &[Option<Sight>]| pixel.iter().flatten().map(|sight| sight.distance).reduce(f64::min);
            self.nearest.extend(sights.chunks(samples).map(|pixel| nearest(pixel).map_or(-1.0, |it| it as f32)));
            return Ok(());
        }
        // Each pixel alone, its samples in their order: its sum is the same on any number of threads.
        let pixel = |first: usize| {
            let samples = first..first + samples;
            let lights = samples.clone().map(|it| self.light(&rays[it], sights[it].as_ref(), in_sun[it]));
            color::color(lights.sum::<Vec3>() / samples.len() as f32).0
        };
        let pixels: Vec<[u8; 3]> =
            parallel::map_numbers(rays.len() / samples, ITEMS_PER_TASK, |number| pixel(number * samples));
        self.bytes.extend(pixels.as_flattened());
        Ok(())
    }

    /// All rays of some rows: row by row, pixel by pixel, sample by sample.
    fn rays_of(&self, first: u32, end: u32) -> Vec<Ray> {
        let Request { size, samples, .. } = *self.request;
        // The middle of sample `sample` of pixel `pixel`, from -1 to 1 over `pixels`.
        let place = |pixel: u32, sample: u32, pixels: u32| {
            let sample = (f64::from(sample) + 0.5) / f64::from(samples);
            2.0 * (f64::from(pixel) + sample) / f64::from(pixels) - 1.0
        };
        let per_row = size.width * samples * samples;
        let ray = |number: usize| {
            let (row, in_row) = (first + (number / per_row as usize) as u32, (number % per_row as usize) as u32);
            let (column, sample) = (in_row / (samples * samples), in_row % (samples * samples));
            let (down, across) = (sample / samples, sample % samples);
            self.camera.ray(place(column, across, size.width), -place(row, down, size.height))
        };
        let count = (end - first) as usize * per_row as usize;
        parallel::map_numbers(count, ITEMS_PER_TASK, ray)
    }

    fn trace(&mut self, rays: &[Ray]) -> Result<Vec<EntryPoint>, PictureError> {
        let start = Instant::now();
        let entries =
            self.engine.compute::<EntryPoints>(self.scene, rays).map_err(|source| PictureError::Engine { source })?;
        self.tracing += start.elapsed();
        self.rays += rays.len() as u64;
        Ok(entries)
    }

    fn unanswered(&self, first_row: u32, ray: usize) -> PictureError {
        let Request { size, samples, .. } = *self.request;
        let pixel = ray as u64 / u64::from(samples * samples);
        PictureError::Unanswered {
            column: pixel % u64::from(size.width),
            row: u64::from(first_row) + pixel / u64::from(size.width),
            engine: self.engine.identity().engine,
        }
    }

    /// Which of the surfaces seen stand in the sun. A ray without an answer is taken for one that nothing stops.
    fn in_sun(&mut self, sights: &[Option<Sight>]) -> Result<Vec<bool>, PictureError> {
        let sun = self.toward_sun;
        let mut in_sun: Vec<bool> =
            sights.iter().map(|sight| sight.is_some_and(|sight| sight.normal.dot(sun) > 0.0)).collect();
        let facing: Vec<usize> = (0..sights.len()).filter(|&index| in_sun[index]).collect();
        let rays: Vec<Ray> = facing
            .iter()
            .filter_map(|&index| sights[index])
            .map(|Sight { distance, point, normal, .. }| {
                let start = point + LIFT * self.camera.pixel_at(distance) * normal;
                Ray::segment(start, start + self.camera.reach() * sun)
            })
            .collect();
        for (index, entry) in facing.into_iter().zip(self.trace(&rays)?) {
            in_sun[index] = entry.status != RayStatus::Hit;
        }
        Ok(in_sun)
    }

    fn light(&self, ray: &Ray, sight: Option<&Sight>, in_sun: bool) -> Vec3 {
        match (self.request.mode, sight) {
            (Mode::Shaded, None) => light::of_sky((ray.x2 - ray.x1).normalize()),
            (Mode::Shaded, Some(sight)) => {
                let albedo = self.surfaces.lights[Surfaces::place(sight.material)];
                let lit = light::of_surface(albedo, sight.normal, self.toward_sun, in_sun);
                light::through_haze(lit, sight.distance / self.camera.reach())
            }
            (Mode::Normals, Some(sight)) => color::light(color::of_normal(sight.normal)),
            (Mode::Materials, Some(sight)) => self.surfaces.lights[Surfaces::place(sight.material)],
            (Mode::Depth, _) | (Mode::Normals | Mode::Materials, None) => color::light(BACKGROUND),
        }
    }

    /// Gives distances their colours, and adds the legend.
    fn finish(mut self) -> Picture {
        let range = self.nearest.iter().copied().filter(|&distance| distance >= 0.0).fold(None, |range, distance| {
            let (near, far) = range.unwrap_or((distance, distance));
            Some((distance.min(near), distance.max(far)))
        });
        let scale = DepthScale::new(range);
        self.bytes.extend(
            self.nearest.iter().flat_map(
                |&distance| {
                    if distance < 0.0 { BACKGROUND.0 } else { scale.color(distance).0 }
                },
            ),
        );
        let legend = match self.request.mode {
            Mode::Shaded | Mode::Materials => self.materials(),
            Mode::Normals => Legend::normals(),
            Mode::Depth => Legend::Depth(scale),
        };
        let mut canvas = Canvas { size: self.request.size, bytes: self.bytes };
        draw(&mut canvas, &self.request.title, &legend);
        Picture {
            request: self.request.clone(),
            engine: self.engine.identity(),
            bytes: canvas.bytes,
            rays: self.rays,
            tracing: self.tracing,
        }
    }

    /// The materials that were seen.
    fn materials(&self) -> Legend {
        let names = std::iter::once("no material").chain(self.scene.materials().iter().map(|it| it.name.as_str()));
        let all = names.zip(self.surfaces.colors.iter().zip(&self.seen));
        let seen = all.filter(|&(_, (_, &rays))| rays > 0);
        Legend::Swatches(seen.map(|(name, (&color, &rays))| (color, name.to_owned(), rays)).collect())
    }
}

/// The colours of all materials, that of none first.
struct Surfaces {
    colors: Vec<Color>,
    lights: Vec<Vec3>,
}

impl Surfaces {
    fn new(scene: &Scene, mode: Mode) -> Self {
        let materials = std::iter::once(None).chain((0..scene.materials().len() as u32).map(|it| Some(MaterialId(it))));
        let color = |material| match mode {
            Mode::Shaded => color::of_material(scene, material),
            Mode::Materials | Mode::Normals | Mode::Depth => color::of_number(material),
        };
        let colors: Vec<Color> = materials.map(color).collect();
        Self { lights: colors.iter().map(|&color| color::light(color)).collect(), colors }
    }

    fn place(material: Option<MaterialId>) -> usize {
        material.map_or(0, |MaterialId(number)| number as usize + 1)
    }
}
