//! Vehicle files and wheel files.

mod airframe;
mod autoland;
mod flare;
mod function;

use std::f64::consts::{FRAC_PI_2, PI};
use std::path::Path;
use std::sync::Arc;

use autoland::Physics;
use glam::DVec3;

use super::{
    Aerodynamics, Approach, ContactFriction, GroundReactions, Inertia, MAX_STRUCTURE, MAX_WHEELS, Pilot,
    StructuralPoint, Thrust, Vehicle, Wheel,
};
use crate::document::{Document, DocumentError, Field, Table, Unit};
use crate::query::{Damper, MAX_STRUT_ROWS, Strut, Tyre, WheelParameters};

/// The default pilot.
const DEFAULT_PILOT: Pilot = Pilot {
    derotation_rate: 2.0 * PI / 180.0,
    pitch_gain: 1.0,
    pitch_damping: 0.5,
    bank_gain: 1.0,
    roll_damping: 0.3,
    spoiler_delay: 0.5,
    brake_delay: 1.0,
    brake_level: 0.5,
    target_deceleration: 0.0,
    anti_skid: 0.0,
    reverse_delay: 1.0,
    lateral_gain: 0.01,
    heading_gain: 2.0,
    yaw_damping: 1.0,
    full_steering_speed: 5.0,
};

/// Default height above the ground at the start of a landing \[m\].
const DEFAULT_HEIGHT: f64 = 0.3;

/// Largest distance of a wheel or a structural point from the origin \[m\].
const MAX_POSITION: f64 = 10_000.0;

/// Maximum number of tyres of a wheel.
const MAX_TYRES: i64 = 16;

const NO_THRUST: Thrust = Thrust { idle: 0.0, reverse: 0.0, reverse_cutoff: 0.0, line: 0.0 };

impl Vehicle {
    /// Reads a vehicle file; see [`from_document`](Self::from_document).
    ///
    /// # Errors
    /// If the file cannot be read or parsed, and as [`from_document`](Self::from_document).
    pub fn read(path: &Path) -> Result<Self, DocumentError> {
        Self::from_document(&Document::read(path)?)
    }

    /// Reads a vehicle from a document.
    ///
    /// Keys are field names, in tables named after the parts: `name`, `mass`, `[inertia]`, `[wheels.NAME]`,
    /// `[structure.NAME]`, `[aerodynamics]` and `[thrust]` or `[airframe]`, `[pilot]`, `[approach]`, `[autoland]`, `[flare]`. Exceptions:
    ///
    /// - the parameters of a wheel are given beside its `position`; `clamp_to_max_force` is a top-level key, for all
    ///   wheels;
    /// - `steering_deg`, `angle_limit_deg` and `surface_limit_deg` are in degrees;
    /// - `ground_reactions` is `"pebble"` (the default) or `"jsbsim"`, which needs `static_friction` of every wheel, its
    ///   own on ground of [`OWN_FRICTION_GROUND`](crate::query::OWN_FRICTION_GROUND); `dynamic_friction` of a pad that
    ///   moves is the same unless given;
    /// - `locked = true` instead of `brake` makes a pad that never yields, and `brake_friction` instead of it a
    ///   load-dependent brake: at full brake it resists with this fraction of the wheel's normal force;
    /// - `strut` instead of `k_z` is a table of rows `[compression, force]`, starting at compression 0 with a force of
    ///   0 or a preload, and with non-decreasing forces: linear between the rows, and extrapolated linearly beyond
    ///   them;
    /// - `caster = true` instead of `steering_deg` lets a wheel swivel freely, so that it rolls in any direction;
    /// - `tyre = { width = .., deflection = .., count = .. }` (deflection 0, count 1) enables the drag of water and
    ///   slush;
    /// - the damper `d_z` may be supplemented by `d_z_square` (0), whose force grows with the square of the velocity,
    ///   and both by `d_z_rebound` and `d_z_square_rebound` for rebound (default: those of compression);
    /// - `[airframe]` has the physics of the aircraft's own file, as functions and tables of properties: sizes and constants, and
    ///   the lists `commands`, `controls`, `engines` and `functions` in their order.
    ///
    /// Gains of the pilot are not negative: all of them are negative feedback.
    ///
    /// Required are `name`, `mass`, `xx`, `yy` and `zz` of the inertia, at least one wheel with `main = true`, the
    /// `position`, springs (or a strut), dampers and travel of every wheel, `airspeed` and `sink_rate` of the approach
    /// and, with aerodynamics, their dimensions and limits. By default the pilot lowers the nose at 2 deg/s, extends
    /// spoilers after 0.5 s, applies half brakes and reverse thrust after 1 s, and steers back to the centreline; the
    /// approach starts at x = 0, 0.3 m high, at a pitch of 0. An autoland or a flare must be complete, and needs
    /// aerodynamics or an airframe, whose commands from -1 to 1 and throttle from 0 to 1 they give in place of angles and thrust.
    /// `ground_effect` is true. Everything else is 0 or absent.
    ///
    /// # Errors
    /// At the first value that is missing, unknown, or not allowed.
    pub fn from_document(document: &Document) -> Result<Self, DocumentError> {
        document.read_whole(Self::from_root)
    }

    fn from_root(root: &Table<'_>) -> Result<Self, DocumentError> {
        let clamp_to_max_force = root.optional_or("clamp_to_max_force", false, |field| field.boolean())?;
        let aerodynamics = root.optional_table("aerodynamics")?.map(|table| aerodynamics(&table)).transpose()?;
        let thrust = root.optional_table("thrust")?.map_or(Ok(NO_THRUST), |table| thrust(&table))?;
        let airframe = root.optional_table("airframe")?;
        if airframe.is_some() {
            for key in ["aerodynamics", "thrust"] {
                let other = root.optional(key).map(|field| {
                    field.error(format!(
                        "`{key}` and `airframe` cannot stand together: an airframe has forces of its own"
                    ))
                });
                other.map_or(Ok(()), Err)?;
            }
        }
        let has_airframe = airframe.is_some();
        let airframe = airframe.map_or(Ok(None), |table| airframe::airframe(&table))?.map(Arc::new);
        let autoland = root.optional_table("autoland")?;
        let flare = root.optional_table("flare")?;
        let physics = Physics { aerodynamics: aerodynamics.as_ref(), thrust: &thrust, has_airframe };
        let mut vehicle = Self {
            name: root.required("name")?.string()?.to_owned(),
            mass: root.required("mass")?.positive(Unit::Mass)?,
            inertia: inertia(&root.required_table("inertia")?)?,
            wheels: wheels(&root.required_table("wheels")?, clamp_to_max_force)?,
            ground_reactions: GroundReactions::default(),
            structure: root.optional_table("structure")?.map_or(Ok(Vec::new()), |table| structure(&table))?,
            autoland: autoland.map(|table| autoland::autoland(&table, &physics)).transpose()?,
            flare: flare.map(|table| flare::flare(&table, &physics)).transpose()?,
            aerodynamics,
            airframe,
            thrust,
            pilot: root.optional_table("pilot")?.map_or(Ok(DEFAULT_PILOT), |table| pilot(&table))?,
            approach: approach(&root.required_table("approach")?)?,
        };
        root.optional("ground_reactions").map_or(Ok(()), |field| vehicle.choose_ground_reactions(&field))?;
        root.finish()?;
        Ok(vehicle)
    }

    /// Selects a model of ground reactions, which a field of a file names.
    ///
    /// # Errors
    /// If the name is not allowed, or a wheel lacks what the model needs.
    pub fn choose_ground_reactions(&mut self, field: &Field<'_>) -> Result<(), DocumentError> {
        let chosen = field.choice(&GroundReactions::NAMES)?;
        if let Some(wheel) = self.lacks_for(chosen) {
            return Err(field.error(format!(
                "`ground_reactions = \"{}\"` needs `static_friction` of every wheel: wheels.{} of `{}` has none",
                chosen.name(),
                wheel.name,
                self.name
            )));
        }
        self.ground_reactions = chosen;
        Ok(())
    }
}

/// Reads a wheel file: the parameters of a wheel at the top level, spelt as in a vehicle file. `rolling_resistance`
/// (0), `clamp_to_max_force` (false), `caster` (false), `tyre` (none) and the dampers other than `d_xy` and `d_z` are
/// optional.
///
/// # Errors
/// If the file cannot be read or parsed, and at the first value that is missing, unknown, or not allowed.
pub fn read_wheel(path: &Path) -> Result<WheelParameters, DocumentError> {
    wheel_from_document(&Document::read(path)?)
}

/// Reads the parameters of a wheel from a document; see [`read_wheel`].
///
/// # Errors
/// At the first value that is missing, unknown, or not allowed.
pub fn wheel_from_document(document: &Document) -> Result<WheelParameters, DocumentError> {
    document.read_whole(|root| {
        let clamp_to_max_force = root.optional_or("clamp_to_max_force", false, |field| field.boolean())?;
        let parameters = wheel_parameters(root, clamp_to_max_force)?;
        root.finish()?;
        Ok(parameters)
    })
}

fn inertia(table: &Table<'_>) -> Result<Inertia, DocumentError> {
    let moment = |key| table.required(key)?.positive(Unit::Inertia);
    let product = |key| table.optional_or(key, 0.0, |field| field.number(Unit::Inertia));
    let inertia = Inertia {
        xx: moment("xx")?,
        yy: moment("yy")?,
        zz: moment("zz")?,
        xy: product("xy")?,
        xz: product("xz")?,
        yz: product("yz")?,
    };
    table.finish()?;
    let defect = inertia.defect();
    table.must(defect.is_none(), || format!("no body has this inertia: {}", defect.unwrap_or_default()))?;
    Ok(inertia)
}

fn wheels(table: &Table<'_>, clamp_to_max_force: bool) -> Result<Vec<Wheel>, DocumentError> {
    let entries = at_most(table, MAX_WHEELS, "wheels")?;
    let read = |(name, field): (&str, Field<'_>)| wheel(name, &field.table()?, clamp_to_max_force);
    let wheels = entries.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
    table.must(!wheels.is_empty(), || "at least one wheel is required".to_owned())?;
    table.must(wheels.iter().any(|wheel| wheel.main), || "at least one wheel must have `main = true`".to_owned())?;
    Ok(wheels)
}

fn wheel(name: &str, table: &Table<'_>, clamp_to_max_force: bool) -> Result<Wheel, DocumentError> {
    let (brake, brake_friction) = brake(table)?;
    let steering = table.optional("steering_deg");
    let is_caster = table.optional_or("caster", false, |field| field.boolean())?;
    if let (Some(caster), Some(_)) = (table.optional("caster").filter(|_| is_caster), &steering) {
        return Err(caster.error("`caster` and `steering_deg` cannot stand together"));
    }
    let wheel = Wheel {
        name: name.to_owned(),
        position: position(table)?,
        parameters: wheel_parameters(table, clamp_to_max_force)?,
        main: table.optional_or("main", false, |field| field.boolean())?,
        brake,
        brake_friction,
        steering: steering.map_or(Ok(0.0), |field| {
            let angle = field.number_deg()?;
            if (0.0..=FRAC_PI_2).contains(&angle) { Ok(angle) } else { Err(field.refused("must be from 0 to 90 deg")) }
        })?,
        friction: contact_friction(table)?,
    };
    table.finish()?;
    Ok(wheel)
}

/// Friction of its own, if given: moving as at rest unless given too.
fn contact_friction(table: &Table<'_>) -> Result<Option<ContactFriction>, DocumentError> {
    let Some(field) = table.optional("static_friction") else {
        return table.optional("dynamic_friction").map_or(Ok(None), |field| {
            Err(field.error("`dynamic_friction` of a wheel needs `static_friction` beside it"))
        });
    };
    let at_rest = field.not_negative(Unit::One)?;
    let moving = table.optional_or("dynamic_friction", at_rest, |field| field.not_negative(Unit::One))?;
    Ok(Some(ContactFriction { at_rest, moving }))
}

/// Braking strength \[N\] and coefficient of a load-dependent brake, at full brake.
fn brake(table: &Table<'_>) -> Result<(f64, f64), DocumentError> {
    const KEYS: [&str; 3] = ["brake", "brake_friction", "locked"];
    let [brake, friction, locked] = KEYS.map(|key| table.optional(key));
    let is_locked = locked.map_or(Ok(false), |field| field.boolean())?;
    // `locked = false` stands beside a brake: it says nothing else.
    let locked = locked.filter(|_| is_locked);
    let given: Vec<_> =
        KEYS.into_iter().zip([&brake, &friction, &locked]).filter(|(_, field)| field.is_some()).collect();
    if let [(first, _), .., (last, Some(field))] = given[..] {
        return Err(field.error(format!("`{first}` and `{last}` cannot stand together")));
    }
    Ok((
        match locked {
            Some(_) => f64::INFINITY,
            None => brake.map_or(Ok(0.0), |field| field.not_negative(Unit::Force))?,
        },
        friction.map_or(Ok(0.0), |field| field.not_negative(Unit::One))?,
    ))
}

fn wheel_parameters(table: &Table<'_>, clamp_to_max_force: bool) -> Result<WheelParameters, DocumentError> {
    let [z_min, z_zero, z_max] = travel(table)?;
    let damping = Damper {
        linear: damper(table.required("d_z")?)?,
        square: table.optional_or("d_z_square", 0.0, square_damper)?,
    };
    let rebound = rebound(table, damping)?;
    let (k_z, strut) = match table.one_of(&["k_z", "strut"])? {
        ("strut", field) => (0.0, Some(strut(field)?)),
        (_, field) => (spring(field)?, None),
    };
    Ok(WheelParameters {
        k_xy: spring(table.required("k_xy")?)?,
        k_z,
        strut,
        d_xy: damper(table.required("d_xy")?)?,
        d_z: damping.linear,
        d_z_square: damping.square,
        rebound,
        z_min,
        z_zero,
        z_max,
        rolling_resistance: table.optional_or("rolling_resistance", 0.0, |field| field.not_negative(Unit::One))?,
        caster: table.optional_or("caster", false, |field| field.boolean())?,
        tyre: table.optional_table("tyre")?.map(|table| tyre(&table)).transpose()?,
        clamp_to_max_force,
    })
}

/// The rebound damper, if given; missing coefficients are those of compression.
fn rebound(table: &Table<'_>, compression: Damper) -> Result<Option<Damper>, DocumentError> {
    let (linear, square) = (table.optional("d_z_rebound"), table.optional("d_z_square_rebound"));
    if linear.is_none() && square.is_none() {
        return Ok(None);
    }
    Ok(Some(Damper {
        linear: linear.map_or(Ok(compression.linear), damper)?,
        square: square.map_or(Ok(compression.square), square_damper)?,
    }))
}

fn spring(field: Field<'_>) -> Result<f64, DocumentError> {
    let coefficient = field.number(Unit::Stiffness)?;
    field.must(coefficient < 0.0, || "must be below 0 N/m: springs push back".to_owned())?;
    Ok(coefficient)
}

/// Rows of compression \[m\] and force \[N\].
fn strut(field: Field<'_>) -> Result<Strut, DocumentError> {
    let mut rows = Vec::new();
    for row in field.array()? {
        let wrong = || row.refused("must be a pair [compression, force]");
        let pair = row.array().map_err(|_| wrong())?;
        let [compression, force] = pair[..] else {
            return Err(wrong());
        };
        rows.push((compression.number(Unit::Length)?, force.number(Unit::Force)?));
    }
    Strut::new(&rows).map_err(|error| match field.array().ok().and_then(|fields| fields.into_iter().nth(error.row)) {
        Some(row) => row.refused(error.why),
        None => field.refused(format!("must have 2 to {MAX_STRUT_ROWS} pairs [compression, force]")),
    })
}

fn damper(field: Field<'_>) -> Result<f64, DocumentError> {
    let coefficient = field.number(Unit::Damping)?;
    field.must(coefficient <= 0.0, || "must be at most 0 N s/m: dampers push back".to_owned())?;
    Ok(coefficient)
}

fn square_damper(field: Field<'_>) -> Result<f64, DocumentError> {
    let coefficient = field.number(Unit::SquareDamping)?;
    field.must(coefficient <= 0.0, || "must be at most 0 N s2/m2: dampers push back".to_owned())?;
    Ok(coefficient)
}

/// `z_min`, `z_zero` and `z_max` \[m\], in order.
fn travel(table: &Table<'_>) -> Result<[f64; 3], DocumentError> {
    let [min_field, zero_field, max_field] =
        [table.required("z_min")?, table.required("z_zero")?, table.required("z_max")?];
    let z_min = min_field.number(Unit::Length)?;
    let z_zero = zero_field.number(Unit::Length)?;
    let z_max = max_field.number(Unit::Length)?;
    zero_field.must(z_zero > z_min, || format!("must be above z_min = {z_min} m (Z points down)"))?;
    max_field.must(z_max >= z_zero, || format!("must be at least z_zero = {z_zero} m (Z points down)"))?;
    Ok([z_min, z_zero, z_max])
}

fn tyre(table: &Table<'_>) -> Result<Tyre, DocumentError> {
    let tyre = Tyre {
        width: table.required("width")?.positive(Unit::Length)?,
        deflection: table.optional_or("deflection", 0.0, |field| field.not_negative(Unit::Length))?,
        count: table.optional_or("count", 1, |field| match field.integer()? {
            count @ 1..=MAX_TYRES => Ok(count as u32),
            _ => Err(field.refused(format!("must be from 1 to {MAX_TYRES}"))),
        })?,
    };
    table.finish()?;
    Ok(tyre)
}

fn structure(table: &Table<'_>) -> Result<Vec<StructuralPoint>, DocumentError> {
    let read = |(name, field): (&str, Field<'_>)| {
        let point = field.table()?;
        let position = position(&point)?;
        point.finish()?;
        Ok(StructuralPoint { name: name.to_owned(), position })
    };
    at_most(table, MAX_STRUCTURE, "structural points")?.into_iter().map(read).collect()
}

fn aerodynamics(table: &Table<'_>) -> Result<Aerodynamics, DocumentError> {
    let derivative = |key| table.optional_or(key, 0.0, |field| field.number(Unit::One));
    let not_negative = |key| table.optional_or(key, 0.0, |field| field.not_negative(Unit::One));
    let aerodynamics = Aerodynamics {
        area: table.required("area")?.positive(Unit::Area)?,
        span: table.required("span")?.positive(Unit::Length)?,
        chord: table.required("chord")?.positive(Unit::Length)?,
        wing_height: table.optional_or("wing_height", 0.0, |field| field.number(Unit::Length))?,
        ground_effect: table.optional_or("ground_effect", true, |field| field.boolean())?,
        angle_limit: angle_limit(table.required("angle_limit_deg")?)?,
        surface_limit: angle_limit(table.required("surface_limit_deg")?)?,
        lift_zero: derivative("lift_zero")?,
        lift_alpha: derivative("lift_alpha")?,
        lift_pitch_rate: derivative("lift_pitch_rate")?,
        lift_elevator: derivative("lift_elevator")?,
        drag_zero: not_negative("drag_zero")?,
        drag_induced: not_negative("drag_induced")?,
        spoiler_lift: not_negative("spoiler_lift")?,
        spoiler_drag: not_negative("spoiler_drag")?,
        side_beta: derivative("side_beta")?,
        side_rudder: derivative("side_rudder")?,
        roll_beta: derivative("roll_beta")?,
        roll_roll_rate: derivative("roll_roll_rate")?,
        roll_yaw_rate: derivative("roll_yaw_rate")?,
        roll_aileron: derivative("roll_aileron")?,
        roll_rudder: derivative("roll_rudder")?,
        pitch_zero: derivative("pitch_zero")?,
        pitch_alpha: derivative("pitch_alpha")?,
        pitch_pitch_rate: derivative("pitch_pitch_rate")?,
        pitch_elevator: derivative("pitch_elevator")?,
        yaw_beta: derivative("yaw_beta")?,
        yaw_roll_rate: derivative("yaw_roll_rate")?,
        yaw_yaw_rate: derivative("yaw_yaw_rate")?,
        yaw_aileron: derivative("yaw_aileron")?,
        yaw_rudder: derivative("yaw_rudder")?,
    };
    table.finish()?;
    Ok(aerodynamics)
}

fn angle_limit(field: Field<'_>) -> Result<f64, DocumentError> {
    let angle = field.number_deg()?;
    if angle > 0.0 && angle <= FRAC_PI_2 { Ok(angle) } else { Err(field.refused("must be above 0 and at most 90 deg")) }
}

fn thrust(table: &Table<'_>) -> Result<Thrust, DocumentError> {
    let thrust = Thrust {
        // A windmilling propeller brakes, so idle thrust may be negative.
        idle: table.optional_or("idle", NO_THRUST.idle, |field| field.number(Unit::Force))?,
        reverse: table.optional_or("reverse", NO_THRUST.reverse, |field| field.not_negative(Unit::Force))?,
        reverse_cutoff: table
            .optional_or("reverse_cutoff", NO_THRUST.reverse_cutoff, |field| field.not_negative(Unit::Speed))?,
        line: table.optional_or("line", NO_THRUST.line, |field| field.number(Unit::Length))?,
    };
    table.finish()?;
    Ok(thrust)
}

fn pilot(table: &Table<'_>) -> Result<Pilot, DocumentError> {
    let default = DEFAULT_PILOT;
    // Signs are those of control surfaces and steering: a negative gain would be positive feedback.
    let gain = |key, default| table.optional_or(key, default, |field| field.not_negative(Unit::One));
    let fraction = |key, default| table.optional_or(key, default, |field| field.in_range(Unit::One, 0.0, 1.0));
    let not_negative = |key, default, unit| table.optional_or(key, default, |field| field.not_negative(unit));
    let pilot = Pilot {
        derotation_rate: not_negative("derotation_rate", default.derotation_rate, Unit::AngularRate)?,
        pitch_gain: gain("pitch_gain", default.pitch_gain)?,
        pitch_damping: gain("pitch_damping", default.pitch_damping)?,
        bank_gain: gain("bank_gain", default.bank_gain)?,
        roll_damping: gain("roll_damping", default.roll_damping)?,
        spoiler_delay: not_negative("spoiler_delay", default.spoiler_delay, Unit::Time)?,
        brake_delay: not_negative("brake_delay", default.brake_delay, Unit::Time)?,
        brake_level: fraction("brake_level", default.brake_level)?,
        target_deceleration: not_negative("target_deceleration", default.target_deceleration, Unit::Acceleration)?,
        anti_skid: fraction("anti_skid", default.anti_skid)?,
        reverse_delay: not_negative("reverse_delay", default.reverse_delay, Unit::Time)?,
        lateral_gain: gain("lateral_gain", default.lateral_gain)?,
        heading_gain: gain("heading_gain", default.heading_gain)?,
        yaw_damping: gain("yaw_damping", default.yaw_damping)?,
        full_steering_speed: not_negative("full_steering_speed", default.full_steering_speed, Unit::Speed)?,
    };
    table.finish()?;
    Ok(pilot)
}

fn approach(table: &Table<'_>) -> Result<Approach, DocumentError> {
    let approach = Approach {
        airspeed: table.required("airspeed")?.not_negative(Unit::Speed)?,
        sink_rate: table.required("sink_rate")?.not_negative(Unit::Speed)?,
        pitch: table.optional_or("pitch", 0.0, |field| field.number(Unit::Angle))?,
        start_distance: table.optional_or("start_distance", 0.0, |field| field.number(Unit::Length))?,
        height: table.optional_or("height", DEFAULT_HEIGHT, |field| field.not_negative(Unit::Length))?,
    };
    table.finish()?;
    Ok(approach)
}

fn position(table: &Table<'_>) -> Result<DVec3, DocumentError> {
    let field = table.required("position")?;
    let position = DVec3::from(field.vector(Unit::Length)?);
    if position.abs().max_element() <= MAX_POSITION {
        Ok(position)
    } else {
        Err(field.refused(format!("must be within {MAX_POSITION} m of the vehicle's origin")))
    }
}

/// The entries of a table of named things, in file order.
fn at_most<'a>(table: &Table<'a>, limit: usize, things: &str) -> Result<Vec<(&'a str, Field<'a>)>, DocumentError> {
    let entries: Vec<_> = table.entries().collect();
    match entries.get(limit) {
        None => Ok(entries),
        Some((_, first_beyond)) => {
            Err(first_beyond.error(format!("{} {things} are not allowed: at most {limit}", entries.len())))
        }
    }
}

#[cfg(test)]
mod tests;
