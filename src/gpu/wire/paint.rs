//! What surfaces are made of, for a device: layers, and grids over coatings that have many of them.

use glam::DVec3;

use super::Target;
use crate::program::walk::Walk;
use crate::scene::{PaintGrid, Scene, all_bounds};

/// Stands for the number of layers of a coating with a grid.
pub(in crate::gpu) const GRIDDED: u32 = u32::MAX;
/// Words of a grid before those that say where each cell's layers begin.
pub(in crate::gpu) const GRID_WORDS: u32 = 8;

/// Layers of a coating that are asked one after another; where there are more a grid knows which may apply.
const MAX_ASKED: usize = 4;
/// On a device points, grids and cells are off by less than this share of the coordinates at play: by a few roundings of
/// 2^-24 each.
const ROUNDOFF: f64 = 1.0 / (1 << 20) as f64;

/// Tables of what surfaces are made of.
pub(super) struct PaintWire {
    /// Of each leaf: its first layer and how many there are, or where its grid stands and [`GRIDDED`].
    pub coatings: Vec<u32>,
    /// Material and region of each layer; of a coating with a grid cell after cell.
    pub layers: Vec<u32>,
    /// One after another.
    pub grids: Vec<u32>,
}

impl PaintWire {
    /// Of a scene with its walk, relative to `origin` \[m\]. Grids will stand at `grids_at` in the device's tables.
    pub fn new(scene: &Scene, walk: &Walk, origin: DVec3, grids_at: u32) -> Self {
        let mut wire = Self { coatings: Vec::new(), layers: Vec::new(), grids: Vec::new() };
        let bounds = all_bounds(scene);
        let mut first = 0;
        let mut coatings = Vec::new();
        for (number, pieces) in scene.paint().pieces().enumerate() {
            let layers = &walk.layers()[first..][..pieces.len()];
            first += pieces.len();
            let words = |piece: u32| {
                let layer = layers[piece as usize];
                [layer.material.0, layer.region.map_or(Target::EVERYWHERE, Target::word)]
            };
            if pieces.len() <= MAX_ASKED {
                coatings.push([wire.layer_count(), pieces.len() as u32]);
                wire.layers.extend((0..pieces.len() as u32).flat_map(words));
            } else {
                coatings.push([grids_at + wire.grids.len() as u32, GRIDDED]);
                wire.grid(&scene.paint().grid(&bounds, number, origin, ROUNDOFF), origin, words);
            }
        }
        wire.coatings = scene.leaves().iter().flat_map(|leaf| coatings[leaf.coating as usize]).collect();
        wire
    }

    fn layer_count(&self) -> u32 {
        self.layers.len() as u32 / 2
    }

    /// Corners, cells per metre, columns and rows; where the layers of each cell begin, then of what is outside.
    fn grid(&mut self, grid: &PaintGrid, origin: DVec3, words: impl Fn(u32) -> [u32; 2]) {
        // Empty grids stand wherever they do: no point is in them.
        let narrow = |value: f64| (value.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32).to_bits();
        let (low, high) = (grid.low - origin.truncate(), grid.high - origin.truncate());
        self.grids.extend([low.x, low.y, high.x, high.y, grid.density.x, grid.density.y].map(narrow));
        self.grids.extend([grid.columns as u32, grid.rows as u32]);
        for pieces in grid.cells().chain([grid.endless.as_slice()]) {
            self.grids.push(self.layer_count());
            self.layers.extend(pieces.iter().flat_map(|&piece| words(piece)));
        }
        self.grids.push(self.layer_count());
    }
}
