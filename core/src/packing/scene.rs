//! Bodies as a scene to render.
//!
//! # Conventions
//! World coordinates in metres; bodies are at their given positions.

use std::collections::HashMap;

use glam::DVec3;

use super::Bodies;
use crate::query::Ellipsoid;
use crate::scene::{Material, MaterialId, Scene, SceneError, Shape};

/// Radius of a marker, relative to that of a ball with the volume of the smaller body.
const MARKER: f64 = 0.3;

/// Bodies are classified by their number of contacts: up to each of these numbers, and more.
const COUNTS: [(usize, &str); 6] = [
    (0, "no contact"),
    (2, "1 or 2 contacts"),
    (4, "3 or 4 contacts"),
    (6, "5 or 6 contacts"),
    (8, "7 or 8 contacts"),
    (usize::MAX, "more contacts"),
];

/// A contact to show, of two bodies that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marker {
    /// Ids of the two bodies.
    pub ids: [i64; 2],
    /// Where they touch \[m\], where that is known.
    pub point: Option<DVec3>,
}

/// A scene of bodies; with contacts, bodies are coloured by their number of contacts, and contact points are balls.
///
/// # Errors
/// If there are more bodies than a scene may have nodes.
pub fn scene_of(bodies: &Bodies, contacts: Option<&[Marker]>) -> Result<Scene, SceneError> {
    let mut names = vec!["bodies"];
    let mut material_of: Box<dyn Fn(i64) -> MaterialId> = Box::new(|_| MaterialId(0));
    let mut markers = Vec::new();
    if let Some(contacts) = contacts {
        names = COUNTS.iter().map(|(_, name)| *name).chain(["contacts"]).collect();
        let mut counts: HashMap<i64, usize> = HashMap::new();
        contacts.iter().flat_map(|contact| contact.ids).for_each(|id| *counts.entry(id).or_default() += 1);
        material_of = Box::new(move |id| {
            let count = counts.get(&id).copied().unwrap_or(0);
            MaterialId(COUNTS.iter().take_while(|(most, _)| count > *most).count() as u32)
        });
        let marker = |contact: &Marker| {
            let radius = contact.ids.iter().filter_map(|id| radius(bodies, *id)).reduce(f64::min)?;
            Some(Shape::sphere(contact.point?, MARKER * radius).made_of(MaterialId(COUNTS.len() as u32)))
        };
        markers = contacts.iter().filter_map(marker).collect();
    }
    let body = |(&id, &Ellipsoid { center, semi_axes, rotation }): (&i64, &Ellipsoid)| {
        Shape::ellipsoid(center, semi_axes, rotation.normalize()).made_of(material_of(id))
    };
    let shapes = bodies.ids().iter().zip(bodies.ellipsoids()).map(body).chain(markers);
    Scene::new(&Shape::union(shapes), names.into_iter().map(Material::only_shown).collect(), None, None)
}

/// Of a ball as large as a body \[m\].
fn radius(bodies: &Bodies, id: i64) -> Option<f64> {
    let place = bodies.ids().binary_search(&id).ok()?;
    Some(bodies.ellipsoids()[place].semi_axes.element_product().cbrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_told_apart_by_their_contacts_and_points_are_balls() {
        let ball = |id: i64, x: f64| (id, Ellipsoid::ball(DVec3::new(x, 0.0, 0.0), 1.0));
        let bodies = Bodies::new(vec![ball(1, 0.0), ball(2, 2.0), ball(3, 9.0)]).unwrap();
        let plain = scene_of(&bodies, None).unwrap();
        assert_eq!((plain.leaves().len(), plain.materials().len()), (3, 1));
        let contacts = [Marker { ids: [1, 2], point: Some(DVec3::X) }, Marker { ids: [2, 2], point: None }];
        let scene = scene_of(&bodies, Some(&contacts)).unwrap();
        let names: Vec<&str> = (0..4)
            .map(|leaf| {
                let material = scene.material_at(leaf, scene.leaf(leaf).solid.reference_point()).unwrap();
                scene.material(material).name.as_str()
            })
            .collect();
        assert_eq!(names, ["1 or 2 contacts", "3 or 4 contacts", "no contact", "contacts"]);
    }
}
