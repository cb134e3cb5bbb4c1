//! What surfaces are made of, with boxes around paint: eight regions are asked at once whether a point may be in them.
//!
//! # Conventions
//! As in [`crate::scene`].

use glam::DVec3;

use crate::lanes::{LANES, Lanes3};
use crate::program::walk::BoundingBox;
use crate::scene::{MaterialId, NodeId, Scene};

/// The layers over all leaves.
#[derive(Debug)]
pub(super) struct Paint {
    /// By the number of the coating, outermost first.
    coatings: Vec<Vec<Layers>>,
}

/// Up to eight layers, one in each lane.
#[derive(Debug)]
struct Layers {
    low: Lanes3,
    high: Lanes3,
    layers: Vec<(MaterialId, Option<NodeId>)>,
}

impl Paint {
    /// With the boxes of all nodes, by number.
    pub fn new(scene: &Scene, bounds: &[Option<BoundingBox>]) -> Self {
        let around = |region: Option<NodeId>| match region {
            None => BoundingBox::WHOLE,
            // What is empty by no more than rounding may hold a point as well.
            Some(node) => {
                let bounds = bounds[node.0 as usize].filter(|bounds| !bounds.is_empty());
                bounds.map_or(BoundingBox::WHOLE, |bounds| bounds.widened(0.0))
            }
        };
        let blocks = |coating: &Vec<crate::scene::Layer>| {
            coating
                .chunks(LANES)
                .map(|chunk| {
                    // Absent lanes hold no point.
                    let mut block = Layers {
                        low: Lanes3::splat(DVec3::INFINITY),
                        high: Lanes3::splat(DVec3::NEG_INFINITY),
                        layers: chunk.iter().map(|layer| (layer.material, layer.region)).collect(),
                    };
                    for (lane, layer) in chunk.iter().enumerate() {
                        let bounds = around(layer.region);
                        block.low.set(lane, bounds.min);
                        block.high.set(lane, bounds.max);
                    }
                    block
                })
                .collect()
        };
        Self { coatings: scene.coatings().iter().map(blocks).collect() }
    }

    /// What a leaf's border is made of at a point of it: the outermost layer that applies, else the default.
    #[inline(always)]
    pub fn material(&self, scene: &Scene, leaf: u32, point: DVec3) -> Option<MaterialId> {
        let at = Lanes3::splat(point);
        for block in &self.coatings[scene.leaf(leaf).coating as usize] {
            let within = at.x.ge(block.low.x)
                & at.y.ge(block.low.y)
                & at.z.ge(block.low.z)
                & at.x.le(block.high.x)
                & at.y.le(block.high.y)
                & at.z.le(block.high.z);
            for (lane, &(material, region)) in block.layers.iter().enumerate() {
                if within.get(lane) && region.is_none_or(|region| scene.contains(region, point)) {
                    return Some(material);
                }
            }
        }
        scene.default_material()
    }
}
