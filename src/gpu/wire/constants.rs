//! Constants of leaves and boxes, in groups of four numbers.
//!
//! ```text
//! cell              for each half space: unit normal, offset
//! ball              centre, radius
//! cylinder          centre, radius; axis, half height or -1
//! cone              centre of the base, its radius times the cosine of half the opening angle; axis, height or -1;
//!                   cosine, sine
//! capsule           centre, radius; axis, half the length of its segment
//! stretched         local origin; three columns of the matrix to local coordinates; the base as above, not relative to
//!                   the scene's origin but in local coordinates
//! box               least coordinates, their rounding; greatest coordinates
//! ```
//!
//! Distances across a cone's side are used instead of radii and a slope: however flat it is, all of them are of the
//! order of the lengths involved. Local coordinates are scaled so that the smallest stretch of the inverse map is 1:
//! vectors are no longer in them than in the world, and a distance in them is a lower bound of that in the world.

use glam::{DMat3, DVec3};

use super::{BOUNDLESS, STOP_COMPLEMENTED, STOP_COUNT_SHIFT, STOP_EXACT, STOP_STRETCHED, StopKind, Target, four};
use crate::gpu::GpuError;
use crate::program::walk::{self, Test};
use crate::scene::{BoundingBox, HalfSpace, Solid, Stretched};

/// Constants of a stretched solid before those of its base.
pub(in crate::gpu) const STRETCHED_CONSTANTS: u32 = 4;

/// Constants on their way to a device.
pub(super) struct Constants {
    /// What places are relative to, world \[m\].
    pub origin: DVec3,
    pub values: Vec<[f32; 4]>,
}

impl Constants {
    /// A stop's words; its constants are appended.
    pub fn stop(&mut self, stop: &walk::Stop) -> Result<[u32; 4], GpuError> {
        let at = self.values.len() as u32;
        let (kind, flags, count) = match &stop.test {
            Test::Cell(half_spaces) => {
                for half_space in half_spaces {
                    let plane = self.plane(half_space, stop.leaf)?;
                    self.values.push(plane);
                }
                (StopKind::Cell, 0, half_spaces.len() as u32)
            }
            Test::Curved { solid, complemented } => {
                let (kind, stretched) = self.solid(solid, stop.leaf)?;
                (kind, stretched | if *complemented { STOP_COMPLEMENTED } else { 0 }, 0)
            }
            Test::Bounds(bounds) => {
                let relative = BoundingBox { min: bounds.min - self.origin, max: bounds.max - self.origin };
                // Narrowing moves a face by at most half a unit in the last place of its coordinate.
                self.faces(relative.min, relative.reach() * f64::from(f32::EPSILON))?;
                self.faces(relative.max, 0.0)?;
                (StopKind::Box, 0, 0)
            }
        };
        let exact = if stop.exact { STOP_EXACT } else { 0 };
        let head = kind as u32 | flags | exact | count << STOP_COUNT_SHIFT;
        Ok([head, at, Target::word(stop.inside), Target::word(stop.outside)])
    }

    /// A half space with a unit normal.
    fn plane(&self, half_space: &HalfSpace, leaf: u32) -> Result<[f32; 4], GpuError> {
        let size = half_space.normal.length();
        let normal = half_space.normal / size;
        let offset = half_space.offset / size - normal.dot(self.origin);
        four(normal, offset, &format_args!("the displacement of leaf {leaf}"))
    }

    /// A solid's constants; returns its kind, and whether it is in stretched coordinates.
    pub fn solid(&mut self, solid: &Solid, leaf: u32) -> Result<(StopKind, u32), GpuError> {
        match solid {
            Solid::HalfSpace(half_space) => {
                let plane = self.plane(half_space, leaf)?;
                self.values.push(plane);
                Ok((StopKind::Cell, 0))
            }
            Solid::Stretched(stretched) => {
                let Stretched { center, to_local, base, least_stretch, .. } = &**stretched;
                self.stretched(*center, *to_local, base, *least_stretch, leaf)
            }
            curved => Ok((self.curved(curved, self.origin, 1.0, leaf)?, 0)),
        }
    }

    /// A solid in stretched coordinates.
    pub fn stretched(
        &mut self,
        center: DVec3,
        to_local: DMat3,
        base: &Solid,
        least_stretch: f64,
        leaf: u32,
    ) -> Result<(StopKind, u32), GpuError> {
        let what = format!("leaf {leaf}");
        self.push(center - self.origin, 0.0, &what)?;
        let to_local = least_stretch * to_local;
        for column in [to_local.x_axis, to_local.y_axis, to_local.z_axis] {
            self.push(column, 0.0, &what)?;
        }
        Ok((self.curved(base, DVec3::ZERO, least_stretch, leaf)?, STOP_STRETCHED))
    }

    /// A curved solid relative to `origin`, with all lengths times `scale`.
    fn curved(&mut self, solid: &Solid, origin: DVec3, scale: f64, leaf: u32) -> Result<StopKind, GpuError> {
        let what = format!("leaf {leaf}");
        let place = |point: DVec3| scale * (point - origin);
        match solid {
            Solid::Sphere(ball) => {
                self.push(place(ball.center), scale * ball.radius, &what)?;
                Ok(StopKind::Ball)
            }
            Solid::Cylinder(cylinder) => {
                self.push(place(cylinder.center), scale * cylinder.radius, &what)?;
                self.push(cylinder.axis, cylinder.half_height.map_or(-1.0, |half| scale * half), &what)?;
                Ok(StopKind::Cylinder)
            }
            Solid::Cone(cone) => {
                let (cosine, sine) = (1.0 / cone.slope.hypot(1.0), cone.slope / cone.slope.hypot(1.0));
                self.push(place(cone.base), scale * cone.radius * cosine, &what)?;
                self.push(cone.axis, cone.height.map_or(-1.0, |height| scale * height), &what)?;
                self.push(DVec3::new(cosine, sine, 0.0), 0.0, &what)?;
                Ok(StopKind::Cone)
            }
            Solid::Capsule(capsule) => {
                let half = 0.5 * (capsule.to - capsule.from);
                self.push(place(capsule.from + half), scale * capsule.radius, &what)?;
                // Of a ball any axis does.
                self.push(half.try_normalize().unwrap_or(DVec3::Z), scale * half.length(), &what)?;
                Ok(StopKind::Capsule)
            }
            // Scenes have neither in stretched coordinates.
            Solid::HalfSpace(_) | Solid::Stretched(_) => Err(GpuError::StretchedTwice { leaf }),
        }
    }

    /// Three faces of a bounding box; where it has none, one beyond all points.
    fn faces(&mut self, faces: DVec3, number: f64) -> Result<(), GpuError> {
        let present = faces.is_finite_mask();
        let [x, y, z, w] = four(DVec3::select(present, faces, DVec3::ZERO), number, &format_args!("a bounding box"))?;
        let absent = DVec3::select(present, DVec3::ZERO, BOUNDLESS * faces.signum()).as_vec3();
        self.values.push([x + absent.x, y + absent.y, z + absent.z, w]);
        Ok(())
    }

    fn push(&mut self, vector: DVec3, number: f64, what: &str) -> Result<(), GpuError> {
        let values = four(vector, number, &format_args!("{what}"))?;
        self.values.push(values);
        Ok(())
    }
}
