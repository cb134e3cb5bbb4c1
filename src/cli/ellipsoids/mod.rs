//! `touchdown ellipsoids`.

mod bodies;
mod columns;
mod pairs;
mod walls;

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use touchdown::packing::{ColumnNames, Domain, Tilts};

pub use self::bodies::{no_dump, open_dump};
use self::columns::Extras;
use super::Failure;
use super::engine::EngineOptions;
use super::failure::Code;
use super::interrupt::stop_on_interrupt;
use super::place::refuse_overwriting;

/// Contacts of ellipsoids: of pairs, with walls, or of all bodies of a packing
///
/// Computes contacts of ellipsoids (Perram and Wertheim): of given pairs, with walls, or between all bodies of a
/// packing.
///
/// An ellipsoid is x,y,z,s1,s2,s3,qw,qx,qy,qz: centre, semi-axes, and the quaternion that rotates its axes to world
/// axes. Tables are CSV or Parquet, by file name suffix.
///
/// Results have status (ok, degenerate, not converged, bad input), the contact function f = mu^2 (below 1: overlap),
/// mu, the factor by which both are scaled until they touch, lambda, the normal nx,ny,nz from A to B, the point
/// px,py,pz where the scaled ones touch, and the separation: the gap between the tangent planes with this normal,
/// negative on overlap, a lower bound of the distance. Undefined values are missing; for concentric ellipsoids
/// (degenerate) the normal is the direction of the smallest separating translation, and the separation its length.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").required(true).args(["pairs", "walls", "bodies"]))]
pub struct Ellipsoids {
    /// Table of pairs: the columns of two ellipsoids, prefixed by a_ and b_
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,
    /// Table of ellipsoids, each with a wall `plane_nx,plane_ny,plane_nz,plane_d`: the half space n.x <= d. Contact
    /// points are the deepest ones in the wall
    #[arg(long, value_name = "FILE")]
    walls: Option<PathBuf>,
    /// Bodies, of which all touching pairs are found: a LAMMPS text dump (shapex is a diameter), or a table with id and
    /// an ellipsoid; either may be gzip-compressed. In a pair, A has the lower id and its given position, B is shifted
    /// by `image_x,image_y,image_z` periods
    #[arg(long, value_name = "FILE")]
    bodies: Option<PathBuf>,
    /// Find contacts of the bodies with the leaves of this scene instead, a union of half spaces and balls; bodies are
    /// taken at their given positions, without periodic images
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pairs", "walls", "period", "surface_points", "exact"])]
    scene: Option<PathBuf>,
    /// Column names in the file of bodies, as KNOWN=NAME; known are those of the table, or of the dump (id; x,y,z,
    /// xu,yu,zu, xs,ys,zs or xsu,ysu,zsu; shapex,shapey,shapez with quatw,quati,quatj,quatk, or radius or diameter),
    /// for example `id=tag,x=c_place[1]`
    #[arg(long, value_name = "KNOWN=NAME,...", conflicts_with_all = ["pairs", "walls"])]
    columns: Option<ColumnNames>,
    /// Periods of the domain along x, y and z, `open` where it is not periodic; overrides those in a dump. In two
    /// dimensions z is open: bodies would touch their own images. For a triclinic cell the tilts xy, xz and yz follow:
    /// the period of y is tilted by xy along x, that of z by xz along x and by yz along y
    #[arg(long, value_name = "X,Y,Z[,XY,XZ,YZ]", value_parser = domain, conflicts_with_all = ["pairs", "walls"], allow_hyphen_values = true)]
    period: Option<Domain>,
    /// Find the pairs of bodies with a separation of at most this, in metres, instead of only those that touch; of pairs whose
    /// surfaces are farther apart than that, though their tangent planes are not, only some
    #[arg(long, value_name = "METRES", value_parser = distance, allow_negative_numbers = true, conflicts_with_all = ["pairs", "walls"])]
    within: Option<f64>,
    #[command(flatten)]
    extras: Extras,
    /// Table of contacts
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    engine: EngineOptions,
}

fn domain(text: &str) -> Result<Domain, String> {
    let wrong = || "must be three lengths in metres or the word open, such as 10,10,open, and may end in three tilts";
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let (periods, tilts) = parts.split_at_checked(3).ok_or_else(wrong)?;
    let period = |part: &&str| match *part {
        "open" => Some(None),
        number => number.parse::<f64>().ok().map(Some),
    };
    let periods: Option<Vec<_>> = periods.iter().map(period).collect();
    let tilts: Option<Vec<f64>> = tilts.iter().map(|part| part.parse().ok()).collect();
    let domain = match (periods.as_deref(), tilts.as_deref()) {
        (Some(&[x, y, z]), Some([])) => Domain::new([x, y, z]),
        (Some(&[x, y, z]), Some(&[xy, xz, yz])) => Domain::tilted([x, y, z], Tilts { xy, xz, yz }),
        _ => return Err(wrong().to_owned()),
    };
    domain.map_err(|error| error.to_string())
}

fn distance(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(distance) if (0.0..f64::INFINITY).contains(&distance) => Ok(distance),
        _ => Err("must be a distance in metres, not negative".to_owned()),
    }
}

impl Ellipsoids {
    pub fn run(&self) -> Result<Code, Failure> {
        let inputs = [&self.pairs, &self.walls, &self.bodies, &self.scene].into_iter().flatten();
        refuse_overwriting("--out", &self.out, &inputs.map(PathBuf::as_path).collect::<Vec<_>>())?;
        self.engine.start_threads()?;
        let engine = self.engine.engine()?;
        let stop = stop_on_interrupt();
        match (&self.pairs, &self.walls, &self.bodies) {
            (Some(pairs), _, _) => pairs::run(pairs, &self.out, self.extras, engine.as_ref(), &stop),
            (_, Some(walls), _) => walls::run(walls, &self.out, engine.as_ref(), &stop),
            (_, _, Some(file)) => bodies::run(self, file, engine.as_ref(), &stop),
            (None, None, None) => Err(Failure::bad_input("--pairs, --walls or --bodies is needed")),
        }
    }
}
