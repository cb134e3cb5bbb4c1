//! Bodies and their contacts as a scene to render.

use std::path::Path;

use glam::DVec3;
use touchdown::packing::{Bodies, ColumnNames, Marker, read_bodies, scene_of};
use touchdown::scene::Scene;
use touchdown::table::{ColumnKind, TableReader, Wanted, is_table};

use super::Failure;
use super::ellipsoids::{no_dump, open_dump};

/// The bodies of a table, or of the first snapshot of a dump, and their contacts.
pub fn scene(bodies: &Path, columns: &ColumnNames, contacts: Option<&Path>) -> Result<Scene, Failure> {
    let (timestep, all) = if is_table(bodies) {
        (None, read_bodies(bodies, columns)?)
    } else {
        let first = open_dump(bodies, columns)?.next().transpose().map_err(no_dump)?;
        first.map_or((None, Bodies::default()), |snapshot| (Some(snapshot.timestep), snapshot.bodies))
    };
    let markers = contacts.map(|file| markers(file, timestep, &all)).transpose()?;
    scene_of(&all, markers.as_deref()).map_err(|error| Failure::bad_input(format!("{}: {error}", bodies.display())))
}

/// The contacts in a table written by `touchdown ellipsoids --bodies`: pairs that touch.
fn markers(file: &Path, timestep: Option<i64>, bodies: &Bodies) -> Result<Vec<Marker>, Failure> {
    let mut wanted: Vec<Wanted> = ["id_a", "id_b"].map(|name| Wanted::required(name, ColumnKind::Integer)).into();
    wanted.push(Wanted::optional("timestep", ColumnKind::Integer));
    wanted.extend([Wanted::optional("status", ColumnKind::Text), Wanted::optional("f", ColumnKind::Number)]);
    let point = |name| Wanted { required_column: true, ..Wanted::optional(name, ColumnKind::Number) };
    wanted.extend(["px", "py", "pz"].map(point));
    let mut markers = Vec::new();
    // Number of rows, and a timestep that other rows have.
    let (mut rows, mut other) = (0, None);
    for chunk in TableReader::open(file, &wanted)? {
        let chunk = chunk?;
        let (a, b, steps) = (chunk.integers(0)?, chunk.integers(1)?, chunk.integers(2)?);
        let (statuses, f) = (chunk.texts(3)?, chunk.numbers(4)?);
        let (x, y, z) = (chunk.numbers(5)?, chunk.numbers(6)?, chunk.numbers(7)?);
        for row in 0..chunk.len() {
            if steps[row].is_some() && steps[row] != timestep {
                other = steps[row];
                continue;
            }
            rows += 1;
            if !touches(statuses[row].as_deref(), f[row]) {
                continue;
            }
            let ids = [a[row].unwrap_or(0), b[row].unwrap_or(0)];
            if let Some(id) = ids.iter().find(|id| bodies.ids().binary_search(id).is_err()) {
                let number = chunk.first_row + row as u64;
                return Err(Failure::bad_input(format!(
                    "{}: row {number} (the first is 0): there is no body {id}",
                    file.display()
                )));
            }
            let point = x[row].zip(y[row]).zip(z[row]).map(|((x, y), z)| DVec3::new(x, y, z));
            markers.push(Marker { ids, point });
        }
    }
    if let Some(other) = other.filter(|_| rows == 0) {
        let shown = timestep.map_or_else(|| "a table of bodies has none".to_owned(), |step| format!("{step} is shown"));
        return Err(Failure::bad_input(format!(
            "{}: column timestep: every row is of another timestep, such as {other}; {shown}",
            file.display()
        )));
    }
    Ok(markers)
}

/// Whether a row is a contact: within a search distance most pairs do not touch. A table of ids alone has contacts
/// only.
fn touches(status: Option<&str>, f: Option<f64>) -> bool {
    match (status, f) {
        (Some("degenerate"), _) | (None, None) => true,
        (Some("ok") | None, Some(f)) => f <= 1.0,
        (Some(_), _) => false,
    }
}
