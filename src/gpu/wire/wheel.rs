//! What job `wheel` exchanges with a device.

use bytemuck::{Pod, Zeroable};
use glam::DVec3;

use super::{FAR, Framed, LEAF_NONE, MATERIAL_NONE, number, world};
use crate::gpu::GpuError;
use crate::query::rules::MAX_NUMBER;
use crate::query::{
    ClipCase, DISPLACEMENT_DRAG_COEFFICIENT, MAX_STRUT_LINES, Strut, StrutLine, WheelContact, WheelFrame,
    WheelParameters, WheelState, WheelStep,
};
use crate::scene::{MaterialId, Scene};

/// Set above a clip case when the force passed the material's limit.
pub(in crate::gpu) const OVER_MAX_FORCE: u32 = 1 << 8;
/// Where the material stands in the status of a step.
pub(in crate::gpu) const MATERIAL_SHIFT: u32 = 9;

/// Springs, dampers and travel.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct WheelParametersWire {
    pub k_xy: f32,
    pub k_z: f32,
    pub d_xy: f32,
    pub d_z: f32,
    pub z_min: f32,
    pub z_zero: f32,
    pub z_max: f32,
    pub rolling_resistance: f32,
    pub clamp_to_max_force: u32,
    pub d_z_square: f32,
    pub d_z_rebound: f32,
    pub d_z_square_rebound: f32,
    pub first_strut_line: u32,
    pub strut_lines: u32,
    pub displacement_drag: f32,
    pub tyre_width: f32,
    pub tyre_deflection: f32,
    pub caster: u32,
}

/// The lines of a strut: compression \[m\] and force \[N\] where each begins, stiffness \[N/m\]; zeros beyond their number.
pub(in crate::gpu) type StrutWire = [[f32; 4]; MAX_STRUT_LINES];

/// What all wheels of job `wheel` share.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct PrescribedWheel {
    pub strut: StrutWire,
    pub parameters: WheelParametersWire,
    pub unused: [u32; 2],
}

impl PrescribedWheel {
    pub fn new(parameters: &WheelParameters) -> Result<Self, GpuError> {
        let what = "a parameter of a wheel";
        Ok(Self {
            strut: strut_wire(parameters, what)?,
            parameters: WheelParametersWire::new(parameters, 0, what)?,
            unused: [0; 2],
        })
    }
}

/// `what` names the wheel in an error.
pub(super) fn strut_wire(parameters: &WheelParameters, what: &str) -> Result<StrutWire, GpuError> {
    let mut wire = [[0.0; 4]; MAX_STRUT_LINES];
    let lines = parameters.strut.iter().flat_map(Strut::lines);
    for (wire, line) in wire.iter_mut().zip(lines) {
        let StrutLine { compression, force, slope } = *line;
        *wire = [number(compression, what)?, number(force, what)?, number(slope, what)?, 0.0];
    }
    Ok(wire)
}

impl WheelParametersWire {
    /// The wheel's strut stands from `first_strut_line` on; `what` names the wheel in an error.
    pub fn new(parameters: &WheelParameters, first_strut_line: u32, what: &str) -> Result<Self, GpuError> {
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
        let number = |value| number(value, what);
        Ok(Self {
            k_xy: number(k_xy)?,
            k_z: number(k_z)?,
            d_xy: number(d_xy)?,
            d_z: number(d_z)?,
            z_min: number(z_min)?,
            z_zero: number(z_zero)?,
            z_max: number(z_max)?,
            rolling_resistance: number(rolling_resistance)?,
            clamp_to_max_force: u32::from(clamp_to_max_force),
            d_z_square: number(d_z_square)?,
            d_z_rebound: number(rebound.linear)?,
            d_z_square_rebound: number(rebound.square)?,
            first_strut_line,
            strut_lines: strut.map_or(0, |strut| strut.lines().len() as u32),
            displacement_drag: tyre.map_or(0.0, |tyre| 0.5 * DISPLACEMENT_DRAG_COEFFICIENT * f64::from(tyre.count))
                as f32,
            tyre_width: number(tyre.map_or(0.0, |tyre| tyre.width))?,
            tyre_deflection: number(tyre.map_or(0.0, |tyre| tyre.deflection))?,
            caster: u32::from(caster),
        })
    }
}

/// A wheel between two slices, and which frames of a slice are its own.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct WheelRun {
    pub pebble: [f32; 3],
    pub state: u32,
    pub normal: [f32; 3],
    pub material: u32,
    pub frame_origin: [f32; 3],
    pub leaf: u32,
    pub first: u32,
    pub count: u32,
    pub done: u32,
    pub unused: u32,
}

impl WheelRun {
    /// A wheel in the air.
    pub fn free() -> Self {
        Self { state: WheelState::Free as u32, material: MATERIAL_NONE, leaf: LEAF_NONE, ..Self::zeroed() }
    }
}

/// Position and motion of a wheel frame.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct PrescribedFrame {
    pub frame_origin: [f32; 3],
    pub brake: f32,
    pub origin: [f32; 3],
    pub brake_friction: f32,
    pub orientation: [f32; 4],
    pub velocity: [f32; 3],
    pub unused: f32,
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
            orientation: [q.w, q.x, q.y, q.z],
            velocity: frame.velocity.as_vec3().to_array(),
            unused: 0.0,
        })
    }
}

/// The result of one step.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(in crate::gpu) struct WheelResult {
    pub pebble: [f32; 3],
    pub state: u32,
    pub force: [f32; 3],
    pub leaf: u32,
    pub normal_force: f32,
    pub compression: f32,
    pub friction: f32,
    pub status: u32,
}

impl WheelResult {
    /// The step in world coordinates; `None` when the device wrote nothing that it may.
    pub fn decode(
        &self,
        scene: &Scene,
        origin: DVec3,
        sent: &PrescribedFrame,
        frame: &WheelFrame,
    ) -> Option<WheelStep> {
        let clip_case = *ClipCase::ALL.get(((self.status & (OVER_MAX_FORCE - 1)) as usize).checked_sub(1)?)?;
        let state = *WheelState::ALL.get(self.state as usize)?;
        let leaf = (self.leaf != LEAF_NONE).then_some(self.leaf);
        let contact = match leaf {
            None => WheelContact { state, ..WheelContact::FREE },
            Some(leaf) if (leaf as usize) < scene.leaves().len() => {
                let pebble = world(origin, sent.frame_origin, self.pebble);
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
