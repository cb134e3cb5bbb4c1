//! The test that every structure here has the layout of its twin in the shaders.

use std::mem::offset_of;

use naga::proc::Layouter;
use naga::{Module, TypeInner};

use super::SceneHead;
use super::bvh::{OverlapQueryWire, QueryAnswer, TreeBox};
use super::landing::{ControlsWire, GustsWire, LandingWire, Slice, StateHead, StateLayout, TouchdownWire, WheelMemory};
use super::particle::{ParticleRows, ParticleState, ParticleWire};
use super::program::ProgramHead;
use super::vehicle::{AerodynamicsWire, AutolandWire, PilotWire, VehicleHead, VehicleWheel};
use super::wheel::{PrescribedFrame, PrescribedWheel, StrutWire, WheelParametersWire, WheelResult, WheelRun};
use crate::gpu::device::Loops;
use crate::gpu::particle::{source, trace_source};
use crate::gpu::shader::{WALK, entry_point_source, landing_source, overlaps_source, postfix_source, wheel_source};
use crate::query::Restitution;

/// Name, offset and size of a member.
type Member = (String, u32, u32);

/// A structure of either side. Members called `unused` fill gaps and are not compared.
#[derive(Debug, PartialEq)]
struct Layout {
    span: u32,
    members: Vec<Member>,
}

fn is_used(member: &Member) -> bool {
    !member.0.starts_with("unused")
}

/// A structure of a shader.
fn of_shader(module: &Module, name: &str) -> Layout {
    let mut layouter = Layouter::default();
    layouter.update(module.to_ctx()).unwrap();
    let types = module.types.iter().filter(|(_, ty)| ty.name.as_deref() == Some(name));
    let [(_, ty)] = types.collect::<Vec<_>>()[..] else { panic!("{name} is not in the shader once") };
    let TypeInner::Struct { members, span } = &ty.inner else { panic!("{name} is no structure") };
    let member = |member: &naga::StructMember| (member.name.clone().unwrap(), member.offset, layouter[member.ty].size);
    Layout { span: *span, members: members.iter().map(member).filter(is_used).collect() }
}

fn size_of_field<T, F>(_: impl Fn(&T) -> &F) -> u32 {
    size_of::<F>() as u32
}

/// The layout of a structure; fails to compile when a field is not named.
macro_rules! layout {
    ($structure:ident { $($field:ident),+ }) => {{
        let $structure { $($field: _),+ } = bytemuck::Zeroable::zeroed();
        let members = [$((
            stringify!($field).to_owned(),
            offset_of!($structure, $field) as u32,
            size_of_field(|wire: &$structure| &wire.$field),
        )),+];
        Layout { span: size_of::<$structure>() as u32, members: members.into_iter().filter(is_used).collect() }
    }};
}

fn parsed(source: &str) -> Module {
    naga::front::wgsl::parse_str(source).unwrap()
}

#[test]
fn structures_that_cross_have_the_layout_of_their_twins() {
    let (rays, words, wheels) = (
        parsed(&entry_point_source(WALK, Loops::Whole)),
        parsed(&postfix_source(3)),
        parsed(&wheel_source(Loops::Whole)),
    );
    let landings = parsed(&landing_source(StateLayout { wheels: 3, points: 5 }, WALK, Loops::Whole));
    let same = |module: &Module, name: &str, layout: Layout| {
        assert!(!layout.members.is_empty());
        assert_eq!(of_shader(module, name), layout, "{name}");
    };
    let scene_head = || {
        layout!(SceneHead {
            start,
            coatings_at,
            layers_at,
            materials_at,
            default_material,
            rounds,
            curves_at,
            ranks_at
        })
    };
    for module in [&rays, &wheels, &landings] {
        same(module, "SceneHead", scene_head());
    }
    same(&words, "ProgramHead", layout!(ProgramHead { instructions, rounds, unused }));
    same(
        &wheels,
        "WheelParameters",
        layout!(WheelParametersWire {
            k_xy,
            k_z,
            d_xy,
            d_z,
            z_min,
            z_zero,
            z_max,
            rolling_resistance,
            clamp_to_max_force,
            d_z_square,
            d_z_rebound,
            d_z_square_rebound,
            first_strut_line,
            strut_lines,
            displacement_drag,
            tyre_width,
            tyre_deflection,
            caster
        }),
    );
    same(&wheels, "PrescribedWheel", layout!(PrescribedWheel { strut, parameters, unused }));
    same(
        &wheels,
        "WheelRun",
        layout!(WheelRun { pebble, state, normal, material, frame_origin, leaf, first, count, done, unused }),
    );
    same(
        &wheels,
        "PrescribedFrame",
        layout!(PrescribedFrame { frame_origin, brake, origin, brake_friction, orientation, velocity, unused }),
    );
    same(
        &wheels,
        "WheelResult",
        layout!(WheelResult { pebble, state, force, leaf, normal_force, compression, friction, status }),
    );
    same(
        &landings,
        "Aerodynamics",
        layout!(AerodynamicsWire {
            area,
            span,
            chord,
            wing_height,
            lift_cost,
            downwash_moment,
            ground_effect,
            angle_limit,
            lift_zero,
            lift_alpha,
            lift_pitch_rate,
            lift_elevator,
            drag_zero,
            drag_induced,
            spoiler_lift,
            spoiler_drag,
            side_beta,
            side_rudder,
            roll_beta,
            roll_roll_rate,
            roll_yaw_rate,
            roll_aileron,
            roll_rudder,
            pitch_zero,
            pitch_alpha,
            pitch_pitch_rate,
            pitch_elevator,
            yaw_beta,
            yaw_roll_rate,
            yaw_yaw_rate,
            yaw_aileron,
            yaw_rudder
        }),
    );
    same(
        &landings,
        "Pilot",
        layout!(PilotWire {
            pitch_gain,
            pitch_damping,
            bank_gain,
            roll_damping,
            anti_skid,
            lateral_gain,
            heading_gain,
            yaw_damping,
            full_steering_speed,
            surface_limit,
            level,
            unused
        }),
    );
    same(
        &landings,
        "Wheel",
        layout!(VehicleWheel { position, brake, brake_friction, steering, main, unused, parameters, unused1 }),
    );
    same(
        &landings,
        "Landing",
        layout!(LandingWire {
            wind,
            mass,
            friction_scale,
            air_density,
            trim,
            pitch,
            heading,
            derotation_rate,
            brake_level,
            target_deceleration,
            reverse_level,
            delays,
            traits,
            noise,
            shear,
            decay,
            decay_vertical,
            cascade,
            cascade_vertical,
            gain_along,
            gain_across,
            gain_vertical,
            target_airspeed,
            glide_tangent,
            wheel_depth,
            angle_of_attack,
            trim_thrust,
            angle_per_sink_rate,
            decrab,
            descent,
            unused0,
            unused1,
            unused2
        }),
    );
    same(
        &landings,
        "Autoland",
        layout!(AutolandWire {
            gate_height,
            gate,
            glide_gain,
            touchdown_sink_rate,
            flare_time,
            sink_gain,
            sink_integral_gain,
            sink_integral_limit,
            least_pitch,
            greatest_pitch,
            pitch_gain,
            pitch_damping,
            speed_gain,
            greatest_thrust,
            retard_height,
            engine_share,
            bank_per_offset,
            bank_per_drift,
            bank_limit,
            decrab_height,
            unused0,
            unused1,
            unused2,
            unused3
        }),
    );
    same(&landings, "Gusts", layout!(GustsWire { along, across, across_drive, vertical, vertical_drive }));
    same(
        &landings,
        "Controls",
        layout!(ControlsWire { elevator, aileron, rudder, spoilers, steering, steering_authority, brake, thrust }),
    );
    same(
        &landings,
        "Touchdown",
        layout!(TouchdownWire { distance, lateral, sink_rate, ground_speed, pitch, bank, crab, center_of_gravity }),
    );
    same(
        &landings,
        "WheelMemory",
        layout!(WheelMemory {
            pebble,
            leaf,
            normal,
            material,
            force,
            normal_force,
            application,
            compression,
            friction,
            status,
            peak_force,
            peak_compression
        }),
    );
    same(&landings, "Slice", layout!(Slice { steps, unused }));
}

#[test]
fn structures_of_hierarchies_have_the_layout_of_their_twins() {
    let overlaps = parsed(&overlaps_source(1));
    assert_eq!(of_shader(&overlaps, "TreeBox"), layout!(TreeBox { least, number, greatest, unused }));
    let query = layout!(OverlapQueryWire { least, levels_at, greatest, least_number, level, place, top, unused });
    assert_eq!(of_shader(&overlaps, "OverlapQuery"), query);
    assert_eq!(of_shader(&overlaps, "QueryAnswer"), layout!(QueryAnswer { status, level, place, count, places }));
}

#[test]
fn structures_of_particles_have_the_layout_of_their_twins() {
    let (outcomes, rows) = (parsed(&source(Restitution::Nominal, 7)), parsed(&trace_source(Restitution::Exact, 32)));
    for module in [&outcomes, &rows] {
        let state = layout!(ParticleState {
            position,
            travel,
            done,
            contact_steps,
            bounces,
            first_contact_step,
            contacts,
            peak_push,
            rebound_height
        });
        assert_eq!(of_shader(module, "ParticleState"), state);
        let particle = layout!(ParticleWire { state, drop, gap_drop, restitution, inverse_gamma, steps });
        assert_eq!(of_shader(module, "Particle"), particle);
    }
    assert_eq!(of_shader(&rows, "ParticleRows"), layout!(ParticleRows { state, unused, rows }));
}

#[test]
fn structures_with_parts_for_each_wheel_and_point_have_the_layout_of_their_twins() {
    for layout in [
        StateLayout { wheels: 1, points: 0 },
        StateLayout { wheels: 3, points: 1 },
        StateLayout { wheels: 4, points: 5 },
        StateLayout { wheels: 16, points: 64 },
    ] {
        let module = parsed(&landing_source(layout, WALK, Loops::Whole));
        let (wheels, points) = (layout.wheels as u32, layout.points.max(1) as u32);

        let mut state = layout!(StateHead {
            frame,
            step,
            position,
            touchdown_step,
            orientation,
            velocity,
            flags,
            rate,
            struck,
            acceleration,
            thrust,
            angular_acceleration,
            sink_integral,
            controls,
            last_speed,
            pitch_at_touchdown,
            runway_end_speed,
            bounces,
            touchdown,
            largest_lateral,
            contact_steps,
            force_limit_steps,
            steps_in_air,
            steps_at_rest,
            steps_in_state,
            gusts,
            unused0,
            unused1,
            unused2
        });
        let memory = size_of::<WheelMemory>() as u32;
        state.members.push(("clear".to_owned(), state.span, 4 * points));
        state.span = layout.bytes() as u32;
        state.members.push(("wheels".to_owned(), state.span - wheels * memory, wheels * memory));
        assert_eq!(of_shader(&module, "LandingState"), state, "{layout:?}");

        let mut vehicle = layout!(VehicleHead {
            inertia,
            inverse_inertia,
            aerodynamics,
            pilot,
            autoland,
            mass,
            gravity,
            time_step,
            reach,
            thrust_idle,
            thrust_reverse,
            reverse_cutoff,
            thrust_line,
            runway_end,
            centreline,
            half_width,
            ground,
            step_limit,
            bounce_steps,
            rest_steps,
            calm_substeps,
            lively_substeps,
            slope,
            unused0,
            unused1
        });
        for (name, size) in [
            ("wheels", wheels * size_of::<VehicleWheel>() as u32),
            ("struts", wheels * size_of::<StrutWire>() as u32),
            ("points", points * 16),
        ] {
            vehicle.members.push((name.to_owned(), vehicle.span, size));
            vehicle.span += size;
        }
        assert_eq!(of_shader(&module, "Vehicle"), vehicle, "{layout:?}");
    }
}
