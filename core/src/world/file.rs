//! World files.

use std::collections::BTreeSet;
use std::path::Path;

use glam::{DQuat, DVec3, UVec3};

use super::definition::{
    Body, Bounds, Contacts, Law, MAX_BODIES, MAX_WORLD_NUMBER, MAX_WORLD_STEPS, MAX_WORLD_SWEEPS, OF_WORLD, Resolution,
    WORLD_SIZES, WORLD_STEPS, Wall, World,
};
use super::error::Subject;
use super::ground::GroundOptions;
use super::hull::hull_body;
use super::motion::Motion;
use super::shape::BodyShape;
use super::start::WorldStart;
use crate::document::{Document, DocumentError, Field, Table, Unit};
use crate::scene::{Scene, read_limited};

/// Reads the scene that a field names.
pub type ReadScene<'a> = &'a mut dyn FnMut(&Field<'_>) -> Result<Scene, DocumentError>;

/// Largest density \[kg/m^3\].
const MAX_DENSITY: f64 = 1e6;
/// Maximum number of points of a hull: each corner may be a contact.
const MAX_CORNERS: usize = 64;

impl World {
    /// Reads a world file; see [`from_document`](Self::from_document).
    ///
    /// # Errors
    /// If the file cannot be read or parsed, and as [`from_document`](Self::from_document).
    pub fn read(path: &Path) -> Result<Self, DocumentError> {
        Self::from_document(&Document::read(path)?)
    }

    /// Reads a world from a document, and the scene that it names from beside it: `docs/worlds.md` lists the keys.
    ///
    /// # Errors
    /// If a value is missing, out of range or unknown, or if bodies overlap or are outside the bounds initially.
    pub fn from_document(document: &Document) -> Result<Self, DocumentError> {
        let beside = document.path().parent().unwrap_or(Path::new("")).to_owned();
        Self::from_document_and_scene(document, &mut |field| {
            let path = beside.join(field.string()?);
            let bytes = read_limited(&path).map_err(|error| field.error(format!("{}: {error}", path.display())))?;
            Scene::from_document(&Document::from_bytes(&path, &bytes)?)
        })
    }

    /// Reads a world from a document; `scene` reads the scene that a field names.
    ///
    /// # Errors
    /// As [`from_document`](Self::from_document).
    pub fn from_document_and_scene(document: &Document, scene: ReadScene<'_>) -> Result<Self, DocumentError> {
        document.read_whole(|root| Self::from_root(root, scene))
    }

    fn from_root(root: &Table<'_>, scene: ReadScene<'_>) -> Result<Self, DocumentError> {
        let usual = Self::default();
        let step =
            root.optional_or("step", usual.step, |field| field.in_range(Unit::Time, WORLD_STEPS[0], WORLD_STEPS[1]))?;
        let ground = root.optional_table("ground")?;
        let mut world = Self {
            gravity: root.optional_or("gravity", usual.gravity, |field| vector(&field, Unit::Acceleration))?,
            step,
            steps: root.optional_or("duration", usual.steps, |field| steps(&field, step))?,
            contacts: root.optional_or("contacts", usual.contacts, |field| field.choice(&Contacts::ALL))?,
            resolution: root.optional_or("resolution", usual.resolution, |field| field.choice(&Resolution::ALL))?,
            sweeps: root.optional("sweeps").map(|field| sweeps(&field)).transpose()?,
            law: law(root)?,
            restitution: restitution(root)?.unwrap_or(usual.restitution),
            friction: friction(root)?.unwrap_or(usual.friction),
            damping: root
                .optional_or("damping", usual.damping, |field| field.in_range(Unit::Rate, 0.0, MAX_WORLD_NUMBER))?,
            rest_speed: root.optional_or("rest_speed", usual.rest_speed, |field| field.not_negative(Unit::Speed))?,
            walls: list(root, "walls")?.iter().map(wall).collect::<Result<_, _>>()?,
            bounds: root.optional_table("bounds")?.as_ref().map(bounds).transpose()?,
            obstacles: Vec::new(),
            bodies: bodies(root)?,
        };
        root.finish()?;
        if let Some(table) = ground {
            let named = table.required("scene")?;
            let options = GroundOptions {
                tolerance: table
                    .optional("tolerance")
                    .map(|field| field.in_range(Unit::Length, WORLD_SIZES[0], WORLD_SIZES[1]))
                    .transpose()?,
                restitution: restitution(&table)?,
                friction: friction(&table)?,
            };
            table.finish()?;
            let added = world.add_ground(&scene(&named)?, &options);
            added.map_err(|error| named.error(error.to_string()))?;
        }
        names(root, &world)?;
        let check = world.check().and_then(|()| WorldStart::of(&world).check(&world));
        check.map_err(|error| match error.subject() {
            Some(Subject::Keys(keys)) => at_keys(root, keys, &error.to_string()),
            Some(Subject::Thing(name)) => at_name(root, name, error.to_string()),
            None => root.error(error.to_string()),
        })?;
        Ok(world)
    }
}

fn law(root: &Table<'_>) -> Result<Law, DocumentError> {
    const LAWS: [(&str, u8); 3] = [("rigid", 0), ("penalty", 1), ("viscoelastic", 2)];
    Ok(match root.optional_or("law", 0, |field| field.choice(&LAWS))? {
        1 => Law::Penalty { stiffness: root.required("stiffness")?.positive(Unit::Stiffness)? },
        2 => Law::ViscoElastic { contact_time: root.required("contact_time")?.positive(Unit::Time)? },
        _ => Law::Rigid,
    })
}

fn list<'a>(root: &Table<'a>, key: &'static str) -> Result<Vec<Field<'a>>, DocumentError> {
    root.optional_or(key, Vec::new(), |field| field.array())
}

fn vector(field: &Field<'_>, unit: Unit) -> Result<DVec3, DocumentError> {
    let vector = DVec3::from_array(field.vector(unit)?);
    if vector.abs().max_element() <= MAX_WORLD_NUMBER {
        Ok(vector)
    } else {
        Err(field.refused(format!("must be at most {MAX_WORLD_NUMBER} {} in each coordinate", unit.symbol())))
    }
}

fn steps(field: &Field<'_>, step: f64) -> Result<u32, DocumentError> {
    let steps = (field.positive(Unit::Time)? / step).round();
    if (1.0..=f64::from(MAX_WORLD_STEPS)).contains(&steps) {
        Ok(steps as u32)
    } else {
        Err(field.refused(format!("must be from 1 to {MAX_WORLD_STEPS} steps of {step} s")))
    }
}

fn sweeps(field: &Field<'_>) -> Result<u32, DocumentError> {
    let count = field.unsigned().ok().and_then(|count| u32::try_from(count).ok());
    let refused = || field.refused(format!("must be a whole number from 1 to {MAX_WORLD_SWEEPS}"));
    count.filter(|count| (1..=MAX_WORLD_SWEEPS).contains(count)).ok_or_else(refused)
}

fn restitution(table: &Table<'_>) -> Result<Option<f64>, DocumentError> {
    table.optional("restitution").map(|field| field.in_range(Unit::One, 0.0, 1.0)).transpose()
}

fn friction(table: &Table<'_>) -> Result<Option<f64>, DocumentError> {
    let most = crate::friction::MAX_FRICTION;
    table.optional("friction").map(|field| field.in_range(Unit::One, 0.0, most)).transpose()
}

fn wall(field: &Field<'_>) -> Result<Wall, DocumentError> {
    let table = field.table()?;
    let (name, normal) = (table.required("name")?.string()?, table.required("normal")?);
    let direction = vector(&normal, Unit::One)?;
    if direction.length() < 1e-9 {
        return Err(normal.refused("must have a length above 1e-9"));
    }
    let through = table.optional_or("through", DVec3::ZERO, |field| vector(&field, Unit::Length))?;
    let wall =
        Wall { restitution: restitution(&table)?, friction: friction(&table)?, ..Wall::new(name, direction, through) };
    table.finish()?;
    Ok(wall)
}

fn bounds(table: &Table<'_>) -> Result<Bounds, DocumentError> {
    let corner = |key| vector(&table.required(key)?, Unit::Length);
    let bounds = Bounds { min: corner("min")?, max: corner("max")? };
    table.finish()?;
    Ok(bounds)
}

fn bodies(root: &Table<'_>) -> Result<Vec<Body>, DocumentError> {
    let mut bodies = Vec::new();
    let field = root.required("bodies")?;
    for entry in field.array()? {
        let table = entry.table()?;
        let (body, copies, spacing) = (body(&table)?, copies(&table)?, spacing(&table)?);
        table.finish()?;
        let count = copies.element_product() as usize;
        if bodies.len() + count > MAX_BODIES {
            let so_far = bodies.len() + count;
            return Err(entry.error(format!(
                "{so_far} bodies: a world has at most {MAX_BODIES}, since it is one thread's work that looks at every pair \
                 of bodies in every step"
            )));
        }
        for number in 0..copies.element_product() {
            let place = UVec3::new(number % copies.x, number / copies.x % copies.y, number / (copies.x * copies.y));
            let mut copy = body.clone();
            copy.motion.position += place.as_dvec3() * spacing;
            if count > 1 {
                copy.name = format!("{}.{}", body.name, number + 1);
            }
            bodies.push(copy);
        }
    }
    Ok(bodies)
}

fn body(table: &Table<'_>) -> Result<Body, DocumentError> {
    let (shape, axes) = shape(table)?;
    let mass = match table.one_of(&["mass", "density"])? {
        ("mass", field) => field.in_range(Unit::Mass, WORLD_SIZES[0], WORLD_SIZES[1])?,
        (_, field) => {
            let mass = field.in_range(Unit::Density, 0.0, MAX_DENSITY)? * shape.volume();
            let is_mass = (WORLD_SIZES[0]..=WORLD_SIZES[1]).contains(&mass);
            let [least, most] = WORLD_SIZES;
            let why = || field.refused(format!("makes a mass of {mass} kg, which must be from {least} to {most} kg"));
            is_mass.then_some(mass).ok_or_else(why)?
        }
    };
    let of = |key, unit| table.optional_or(key, DVec3::ZERO, |field| vector(&field, unit));
    Ok(Body {
        name: table.required("name")?.string()?.to_owned(),
        shape,
        mass,
        motion: Motion {
            position: vector(&table.required("position")?, Unit::Length)?,
            orientation: table.optional_or("orientation", DQuat::IDENTITY, |field| rotation(&field))? * axes,
            velocity: of("velocity", Unit::Speed)?,
            spin: of("spin", Unit::AngularRate)?,
        },
        restitution: restitution(table)?,
        friction: friction(table)?,
    })
}

/// The shape, and the rotation of its principal axes relative to those of the file.
fn shape(table: &Table<'_>) -> Result<(BodyShape, DQuat), DocumentError> {
    let [least, most] = WORLD_SIZES;
    let (kind, field) = table.one_of(&["sphere", "box", "ellipsoid", "hull"])?;
    let inner = field.table()?;
    let sizes = |key| {
        let field = inner.required(key)?;
        let sizes = vector(&field, Unit::Length)?;
        let is_size = sizes.to_array().iter().all(|size| (2.0 * least..=most).contains(size));
        is_size.then_some(sizes).ok_or_else(|| field.refused(format!("must be from {} to {most} m each", 2.0 * least)))
    };
    let shape = match kind {
        "sphere" => BodyShape::Sphere { radius: inner.required("radius")?.in_range(Unit::Length, least, most)? },
        "box" => BodyShape::Box { half: 0.5 * sizes("size")? },
        "ellipsoid" => BodyShape::Ellipsoid { semi_axes: sizes("semi_axes")? },
        _ => {
            let hull = hull(&inner.required("points")?)?;
            inner.finish()?;
            return Ok(hull);
        }
    };
    inner.finish()?;
    Ok((shape, DQuat::IDENTITY))
}

fn hull(field: &Field<'_>) -> Result<(BodyShape, DQuat), DocumentError> {
    let points: Vec<DVec3> =
        field.array()?.iter().map(|point| vector(point, Unit::Length)).collect::<Result<_, _>>()?;
    if !(4..=MAX_CORNERS).contains(&points.len()) {
        return Err(field.error(format!("{} points: must be from 4 to {MAX_CORNERS}", points.len())));
    }
    let hull = hull_body(&points).map_err(|error| field.error(error.to_string()))?;
    Ok((hull.shape, hull.rotation))
}

/// A quaternion, w first, of any length that has a direction.
fn rotation(field: &Field<'_>) -> Result<DQuat, DocumentError> {
    let wrong = || field.refused("must be an array of four numbers w, x, y, z, not all 0");
    let [w, x, y, z] = field.numbers(Unit::One)?[..] else { return Err(wrong()) };
    let rotation = DQuat::from_xyzw(x, y, z, w);
    let length = rotation.length();
    if (1e-6..=1e6).contains(&length) { Ok(rotation.normalize()) } else { Err(wrong()) }
}

fn copies(table: &Table<'_>) -> Result<UVec3, DocumentError> {
    table.optional_or("copies", UVec3::ONE, |field| {
        let wrong = || field.refused(format!("must be an array of three whole numbers from 1 to {MAX_BODIES}"));
        let [x, y, z] = field.array()?[..] else { return Err(wrong()) };
        let count = |field: Field<'_>| {
            let count = field.unsigned().ok().and_then(|count| u32::try_from(count).ok());
            count.filter(|count| (1..=MAX_BODIES as u32).contains(count)).ok_or_else(wrong)
        };
        Ok(UVec3::new(count(x)?, count(y)?, count(z)?))
    })
}

fn spacing(table: &Table<'_>) -> Result<DVec3, DocumentError> {
    table.optional_or("spacing", DVec3::ZERO, |field| vector(&field, Unit::Length))
}

/// Names become columns of tables, and tell who touched whom.
fn names(root: &Table<'_>, world: &World) -> Result<(), DocumentError> {
    let mut known = BTreeSet::new();
    let names = world
        .walls
        .iter()
        .map(|wall| &wall.name)
        .chain(world.obstacles.iter().map(|one| &one.name))
        .chain(world.bodies.iter().map(|body| &body.name));
    for name in names {
        let is_word = !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || "_-.".contains(letter));
        if !is_word {
            return Err(at_name(root, name, format!("the name `{name}` must be of letters, digits, _, - and .")));
        }
        if !known.insert(name) {
            return Err(at_name(root, name, format!("there are two things of the name `{name}`; names must differ")));
        }
    }
    Ok(())
}

/// A fault of what has this name: where the file says it last, or where copies are made of which it is one.
fn at_name(root: &Table<'_>, name: &str, message: String) -> DocumentError {
    let said = |entry: &Field<'_>| entry.table().ok()?.required("name").ok()?.string().ok().map(str::to_owned);
    let entries: Vec<Field<'_>> =
        ["walls", "bodies"].into_iter().filter_map(|key| list(root, key).ok()).flatten().collect();
    let of_copies = name.rsplit_once('.').map_or(name, |(original, _)| original);
    let place = [name, of_copies].into_iter().find_map(|name| {
        let is_named = |entry: &&Field<'_>| said(entry).is_some_and(|said| said == name);
        entries.iter().rfind(is_named)
    });
    match place {
        Some(entry) => entry.error(message),
        None if name.starts_with("ground.") => at_keys(root, &["ground"], &message),
        None => root.error(message),
    }
}

/// A fault of the world's own values, at the first of these keys that the file has: its place says its name.
fn at_keys(root: &Table<'_>, keys: &[&'static str], message: &str) -> DocumentError {
    let Some((key, field)) = keys.iter().find_map(|key| Some((*key, root.optional(key)?))) else {
        return root.error(message);
    };
    let own = message.strip_prefix(OF_WORLD).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(message);
    let value = own.strip_prefix(key).map_or(own, |rest| rest.trim_start_matches([':', ' ']));
    field.error(value)
}
