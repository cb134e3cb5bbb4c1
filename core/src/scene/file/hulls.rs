//! Convex hulls from mesh files named in a scene.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use super::super::{Shape, Solid, hull};
use crate::document::{DocumentError, Field, MAXIMUM_SIZE};

/// Returns the contents of a file by its name in the scene.
pub type Files<'a> = dyn FnMut(&str) -> io::Result<Vec<u8>> + 'a;

/// Hulls by file name: nodes that name the same file share one.
pub(super) struct Hulls<'a> {
    files: RefCell<&'a mut Files<'a>>,
    read: RefCell<HashMap<String, Arc<Shape>>>,
    /// What is to be known of them.
    warnings: RefCell<Vec<(usize, String)>>,
}

impl<'a> Hulls<'a> {
    pub(super) fn new(files: &'a mut Files<'a>) -> Self {
        Self { files: RefCell::new(files), read: RefCell::default(), warnings: RefCell::default() }
    }

    /// The hull of the file named by a field.
    pub(super) fn read(&self, field: Field<'_>) -> Result<Arc<Shape>, DocumentError> {
        let name = field.string()?;
        if let Some(shape) = self.read.borrow().get(name) {
            return Ok(Arc::clone(shape));
        }
        let bytes =
            (self.files.borrow_mut())(name).map_err(|error| field.refused(format!("cannot be read: {error}")))?;
        let (half_spaces, concavity) = hull::of_file(name, &bytes).map_err(|error| field.refused(error.to_string()))?;
        if let Some(concavity) = concavity {
            let message = format!("the mesh {name:?} is concave, and its convex hull stands for it: {concavity}");
            self.warnings.borrow_mut().push((field.line_column().0, format!("{}: {message}", field.name())));
        }
        let faces = half_spaces.into_iter().map(|half_space| Shape::Solid(Solid::HalfSpace(half_space)));
        let shape = Arc::new(Shape::intersection(faces));
        self.read.borrow_mut().insert(name.to_owned(), Arc::clone(&shape));
        Ok(shape)
    }
}

impl Hulls<'_> {
    /// What is to be known of the hulls, by lines.
    pub(super) fn into_warnings(self) -> Vec<(usize, String)> {
        self.warnings.into_inner()
    }
}

/// Reads a file no larger than the document limit.
///
/// # Errors
/// If it cannot be read, or is larger.
pub fn read_limited(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAXIMUM_SIZE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAXIMUM_SIZE {
        return Err(io::Error::other(format!("larger than the limit of {MAXIMUM_SIZE} bytes")));
    }
    Ok(bytes)
}
