//! What job `wheel` exchanges with a device.

use bytemuck::Zeroable;
use glam::DVec3;

use super::{FAR, Framed, LEAF_NONE, MATERIAL_NONE, Structure, number, on_device, world};
use crate::gpu::GpuError;
use crate::query::rules::MAX_NUMBER;
use crate::query::{
    ClipCase, DISPLACEMENT_DRAG_COEFFICIENT, MAX_STRUT_LINES, Strut, StrutLine, WheelContact, WheelFrame,
    WheelParameters, WheelState, WheelStep,
};
use crate::scene::{MaterialId, Scene};

/// Set above a clip case when the force passed the material's limit.
pub(in crate::gpu) const OVER_MAX_FORCE: u32 = 1 << 8;
/// Position of the material in the status of a step.
pub(in crate::gpu) const MATERIAL_SHIFT: u32 = 9;

on_device! {
    /// Springs, dampers and travel.
    WheelParametersWire as WheelParameters {
        k_xy: f32,
        k_z: f32,
        d_xy: f32,
        d_z: f32,
        z_min: f32,
        z_zero: f32,
        z_max: f32,
        rolling_resistance: f32,
        /// 1: the normal force is clamped to the material's greatest force.
        clamp_to_max_force: u32,
        /// Damper that grows with the square of the speed.
        d_z_square: f32,
        /// Dampers of rebound: of the speed, and of its square.
        d_z_rebound: f32,
        d_z_square_rebound: f32,
        /// Where the lines of its strut stand, and how many there are; none where the spring is linear.
        first_strut_line: u32,
        strut_lines: u32,
        /// Of its tyres: drag over the square of the speed, the density of the fluid, and the depth and width in it.
        displacement_drag: f32,
        /// Of one tyre \[m\].
        tyre_width: f32,
        /// Of one tyre \[m\].
        tyre_deflection: f32,
        /// 1: it swivels freely.
        caster: u32,
        /// By what share the axial spring is stiffer than the horizontal ones.
        axial_excess: f32,
        unused: u32,
    }
}

/// The lines of a strut: compression \[m\] and force \[N\] where each begins, stiffness \[N/m\]; zeros beyond their number.
pub(in crate::gpu) type StrutWire = [[f32; 4]; MAX_STRUT_LINES];

on_device! {
    /// What all wheels of job `wheel` share.
    PrescribedWheel {
        strut: StrutWire,
        parameters: WheelParametersWire,
    }
}

impl PrescribedWheel {
    pub fn new(parameters: &WheelParameters) -> Result<Self, GpuError> {
        let wheel = "the wheel";
        Ok(Self { strut: strut_wire(parameters, wheel)?, parameters: WheelParametersWire::new(parameters, 0, wheel)? })
    }
}

/// `wheel` names the wheel in an error.
pub(super) fn strut_wire(parameters: &WheelParameters, wheel: &str) -> Result<StrutWire, GpuError> {
    let mut wire = [[0.0; 4]; MAX_STRUT_LINES];
    let lines = parameters.strut.iter().flat_map(Strut::lines);
    for (wire, line) in wire.iter_mut().zip(lines) {
        let StrutLine { compression, force, slope } = *line;
        let number = |value| number(value, format_args!("a line of the strut of {wheel}"));
        *wire = [number(compression)?, number(force)?, number(slope)?, 0.0];
    }
    Ok(wire)
}

impl WheelParametersWire {
    /// The wheel's strut stands from `first_strut_line` on; `wheel` names it in an error.
    pub fn new(parameters: &WheelParameters, first_strut_line: u32, wheel: &str) -> Result<Self, GpuError> {
        let WheelParameters {
            k_xy,
            k_z,
            strut,
            d_xy,
            d_z,
            d_z_square,
            rebound: _,
            z_min,
            z_zero,
            z_max,
            rolling_resistance,
            caster,
            tyre,
            clamp_to_max_force,
        } = *parameters;
        let rebound = parameters.rebound_damper();
        let number = |value, key: &str| number(value, format_args!("{key} of {wheel}"));
        Ok(Self {
            k_xy: number(k_xy, "`k_xy`")?,
            k_z: number(k_z, "`k_z`")?,
            d_xy: number(d_xy, "`d_xy`")?,
            d_z: number(d_z, "`d_z`")?,
            z_min: number(z_min, "`z_min`")?,
            z_zero: number(z_zero, "`z_zero`")?,
            z_max: number(z_max, "`z_max`")?,
            rolling_resistance: number(rolling_resistance, "`rolling_resistance`")?,
            clamp_to_max_force: u32::from(clamp_to_max_force),
            d_z_square: number(d_z_square, "`d_z_square`")?,
            d_z_rebound: number(rebound.linear, "`d_z_rebound`")?,
            d_z_square_rebound: number(rebound.square, "`d_z_square_rebound`")?,
            first_strut_line,
            strut_lines: strut.map_or(0, |strut| strut.lines().len() as u32),
            displacement_drag: tyre.map_or(0.0, |tyre| 0.5 * DISPLACEMENT_DRAG_COEFFICIENT * f64::from(tyre.count))
                as f32,
            tyre_width: number(tyre.map_or(0.0, |tyre| tyre.width), "the width of the tyre")?,
            tyre_deflection: number(tyre.map_or(0.0, |tyre| tyre.deflection), "the deflection of the tyre")?,
            caster: u32::from(caster),
            axial_excess: number(parameters.axial_excess(), "the greatest vertical stiffness over `k_xy`")?,
            unused: 0,
        })
    }
}

on_device! {
    /// A wheel between two slices, and which frames of a slice are its own.
    WheelRun {
        pebble: [f32; 3],
        state: u32,
        normal: [f32; 3],
        material: u32,
        /// Position of the frame of the pebble.
        frame_origin: [f32; 3],
        leaf: u32,
        /// The first of its frames in this slice, and how many there are.
        first: u32,
        count: u32,
        /// Frames of this slice that were computed.
        done: u32,
        unused: u32,
    }
}

impl WheelRun {
    /// A wheel in the air.
    pub fn free() -> Self {
        Self { state: WheelState::Free as u32, material: MATERIAL_NONE, leaf: LEAF_NONE, ..Self::zeroed() }
    }
}

on_device! {
    /// Position and motion of a wheel frame.
    PrescribedFrame {
        /// Position of the frame of `origin` in the scene.
        frame_origin: [f32; 3],
        /// [`FAR`] for a pad that never yields.
        brake: f32,
        origin: [f32; 3],
        brake_friction: f32,
        /// Wheel to world: vector part, then the scalar.
        orientation: [f32; 4],
        velocity: [f32; 3],
        unused: f32,
    }
}

impl PrescribedFrame {
    /// `None` when it is beyond what a device holds. `origin` is the scene's.
    pub fn new(frame: &WheelFrame, origin: DVec3) -> Option<Self> {
        let Framed { frame_origin, local } = Framed::new(frame.origin, origin)?;
        let q = frame.orientation.as_quat();
        let largest = frame.velocity.abs().max_element().max(frame.brake_friction);
        (largest <= MAX_NUMBER).then(|| Self {
            frame_origin,
            brake: frame.brake.min(f64::from(FAR)) as f32,
            origin: local,
            brake_friction: frame.brake_friction as f32,
            orientation: q.to_array(),
            velocity: frame.velocity.as_vec3().to_array(),
            unused: 0.0,
        })
    }
}

on_device! {
    /// The result of one step.
    WheelResult {
        pebble: [f32; 3],
        state: u32,
        force: [f32; 3],
        leaf: u32,
        normal_force: f32,
        compression: f32,
        friction: f32,
        /// The clip case's number, never zero; above it [`OVER_MAX_FORCE`], then the material under the wheel.
        status: u32,
    }
}

/// What the kernel of job `wheel` takes and gives.
pub(in crate::gpu) fn wheel_structures() -> String {
    let frames = [PrescribedFrame::declaration(), WheelRun::declaration(), WheelResult::declaration()].concat();
    WheelParametersWire::declaration() + &PrescribedWheel::declaration() + &frames
}

impl WheelResult {
    /// The step in world coordinates; `None` when the device wrote nothing that it may.
    pub fn decode(&self, scene: &Scene, origin: DVec3, frame: &WheelFrame) -> Option<WheelStep> {
        let clip_case = *ClipCase::ALL.get(((self.status & (OVER_MAX_FORCE - 1)) as usize).checked_sub(1)?)?;
        let state = *WheelState::ALL.get(self.state as usize)?;
        let leaf = (self.leaf != LEAF_NONE).then_some(self.leaf);
        let contact = match leaf {
            None => WheelContact { state, ..WheelContact::FREE },
            Some(leaf) if (leaf as usize) < scene.leaves().len() => {
                let pebble = world(origin, Framed::new(frame.origin, origin)?.frame_origin, self.pebble);
                let material = self.status >> MATERIAL_SHIFT;
                let material = (material != MATERIAL_NONE >> MATERIAL_SHIFT).then_some(MaterialId(material));
                if material.is_some_and(|material| material.0 as usize >= scene.materials().len()) {
                    return None;
                }
                WheelContact { state, pebble, normal: scene.leaf(leaf).normal(pebble), material, leaf: Some(leaf) }
            }
            Some(_) => return None,
        };
        if ![self.force[0], self.force[1], self.force[2], self.normal_force].iter().all(|force| force.is_finite()) {
            return None;
        }
        // A force acts at the pebble's new place (R11); without one it would act at the frame's origin.
        let gives_force = contact.touches() && clip_case as i8 >= ClipCase::Inside as i8;
        let force = DVec3::from_array(self.force.map(f64::from));
        Some(WheelStep {
            contact,
            force,
            application: if gives_force { contact.pebble } else { frame.origin },
            normal_force: f64::from(self.normal_force),
            compression: f64::from(self.compression),
            friction: f64::from(self.friction),
            clip_case,
            over_max_force: self.status & OVER_MAX_FORCE != 0,
            peak_force: force.length(),
            peak_compression: f64::from(self.compression),
        })
    }
}
