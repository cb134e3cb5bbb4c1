//! Models of cars, as files of the report have them.

use super::dat::{Block, DatError, DatFile, counted_blocks};
use super::pseudo_rigid::euler_tensor;

/// A car.
#[derive(Clone, Debug, PartialEq)]
pub struct CarModel {
    /// Its number in the file.
    pub number: usize,
    /// \[kg\]
    pub mass: f64,
    /// Principal moments of inertia along x, y and z, each below the sum of the others \[kg m^2\].
    pub inertia: [f64; 3],
    /// Young's modulus \[N/m^2\], Poisson's ratio, and the volume of what deforms \[m^3\].
    pub elasticity: [f64; 3],
    /// From the centre of mass to the front and to the rear axle \[m\].
    pub axles: [f64; 2],
    /// From the middle to the assembly points of either side \[m\].
    pub half_track: f64,
    /// From the centre of mass down to the front and to the rear assembly points \[m\].
    pub drops: [f64; 2],
    /// Length of a spring without load \[m\].
    pub spring_length: f64,
    /// Of each front and each rear spring \[N/m\].
    pub stiffness: [f64; 2],
    /// Of each front and each rear damper \[N s/m\].
    pub damping: [f64; 2],
    /// Time by which tyre forces lag behind the slip \[s\].
    pub tyre_lag: f64,
    /// Length, width and height of the box \[m\].
    pub sides: [f64; 3],
    /// Height of the centre of mass in equilibrium \[m\], as the file has it.
    pub height: f64,
    /// Directors in equilibrium, as the file has them.
    pub directors: [[f64; 3]; 3],
}

const WORDS: [&str; 4] = ["COSSERAT_POINT", "SUSPENSION", "CONTACT", "EQUILIBRIUM"];
const NAMES: [&str; 31] = [
    "MASS",
    "Ix",
    "Iy",
    "Iz",
    "E",
    "nu",
    "volume",
    "L1",
    "L2",
    "B",
    "H1",
    "H2",
    "spring_ref",
    "C1",
    "C2",
    "D1",
    "D2",
    "TYRE",
    "A1",
    "A2",
    "A3",
    "R3",
    "D11",
    "D12",
    "D13",
    "D21",
    "D22",
    "D23",
    "D31",
    "D32",
    "D33",
];

/// The models of a file.
///
/// # Errors
/// When a field is missing, unknown, given twice, or not what it may be.
pub fn models(file: &DatFile) -> Result<Vec<CarModel>, DatError> {
    let blocks = counted_blocks(file, "NUMBER_OF_MODELS", "MODEL")?;
    for (block, expected) in blocks.iter().zip(1..) {
        if block.number != expected {
            let what = format!("is {}; models are numbered 1, 2, ..., so {expected}", block.number);
            return Err(file.error(block.line, "MODEL", what));
        }
    }
    blocks.iter().map(model).collect()
}

fn model(block: &Block<'_>) -> Result<CarModel, DatError> {
    block.only(&NAMES, &WORDS)?;
    let (length, director) = ([1e-3, 1e3], [-2.0, 2.0]);
    let get = |name: &str, limits: [f64; 2]| block.number(name, limits);
    let sides = [get("A1", length)?, get("A2", length)?, get("A3", length)?];
    let mass = get("MASS", [1e-3, 1e9])?;
    let inertia = |name: &str| get(name, [1e-6 * mass, 1e6 * mass]);
    let inertia = [inertia("Ix")?, inertia("Iy")?, inertia("Iz")?];
    of_one_body(block, inertia)?;
    let row = |names: [&str; 3]| -> Result<[f64; 3], DatError> {
        Ok([get(names[0], director)?, get(names[1], director)?, get(names[2], director)?])
    };
    Ok(CarModel {
        number: block.number,
        mass,
        inertia,
        elasticity: [get("E", [1.0, 1e15])?, get("nu", [-0.99, 0.499])?, get("volume", [1e-9, 1e9])?],
        axles: [get("L1", length)?, get("L2", length)?],
        half_track: get("B", length)?,
        drops: [get("H1", [-1e3, 1e3])?, get("H2", [-1e3, 1e3])?],
        spring_length: get("spring_ref", length)?,
        stiffness: [get("C1", [1e-3, 1e12])?, get("C2", [1e-3, 1e12])?],
        damping: [get("D1", [0.0, 1e12])?, get("D2", [0.0, 1e12])?],
        tyre_lag: get("TYRE", [1e-6, 1e3])?,
        sides,
        height: get("R3", [-1e3, 1e3])?,
        directors: [row(["D11", "D12", "D13"])?, row(["D21", "D22", "D23"])?, row(["D31", "D32", "D33"])?],
    })
}

/// Refuses moments of inertia that no body has.
fn of_one_body(block: &Block<'_>, inertia: [f64; 3]) -> Result<(), DatError> {
    let euler = euler_tensor(inertia);
    for (axis, name) in ["Ix", "Iy", "Iz"].into_iter().enumerate() {
        if euler[axis] <= 0.0 {
            let (moment, others) = (inertia[axis], inertia[(axis + 1) % 3] + inertia[(axis + 2) % 3]);
            let what = format!("{moment:e} must be below {others:e}, the sum of the other two moments");
            return Err(block.error(name, what));
        }
    }
    Ok(())
}
