//! Materials of surfaces, organized so that the cost of paint does not grow with its amount.
//!
//! The markings of a runway lie side by side, and a point is in one of them at most. So each coating is split into
//! pieces, ordered by precedence, with a grid over x and y that lists the pieces that may cover a point. Unbounded
//! pieces are in every cell. Whether a piece covers a point is decided by the piece alone: the grid only excludes those
//! whose boxes do not contain it.
//!
//! # Conventions
//! As in [`crate::scene`].

use std::ops::Range;

use glam::{DVec2, DVec3};

use super::{BoundingBox, HalfSpace, Layer, MaterialId, Node, NodeId, Scene, all_bounds};

/// Cells of a grid for each of its pieces, and the most of all: enough for a cell to hold few of the markings of a runway.
const CELLS_PER_PIECE: f64 = 8.0;
const MAX_CELLS: f64 = 65_536.0;
/// Maximum number of pieces that unions are split into, over all coatings of a scene, each of which may use the same
/// paint.
const MAX_CUT_PIECES: usize = 1 << 17;
/// Most pieces in a cell where unions are cut. Where more of them lie above each other a union is asked as one, which
/// searches find their way through by boxes.
const MAX_IN_CELL: usize = 64;
/// Entries that the cells of a grid may have together, for each of its pieces. With more the cells are made larger.
const MAX_ENTRIES_PER_PIECE: usize = 64;

/// The coatings of a scene, by number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paint {
    coatings: Vec<Coating>,
}

/// The pieces of one coating.
#[derive(Clone, Debug, PartialEq)]
struct Coating {
    /// The outermost first.
    pieces: Vec<Piece>,
    /// What each of them covers.
    extents: Vec<Extent>,
    /// Of the pieces that are cells, one after another.
    half_spaces: Vec<HalfSpace>,
    grid: Grid,
}

/// Some material, and where it lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// What lies there.
    pub material: MaterialId,
    /// `None` for everywhere.
    pub region: Option<NodeId>,
}

/// What a piece covers, in a form for fast point queries.
#[derive(Clone, Debug, PartialEq)]
enum Extent {
    Everywhere,
    /// Some of the coating's half spaces.
    Cell(Range<usize>),
    Node(NodeId),
}

/// Which pieces may cover a point, by x and y.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// \[m\]
    pub low: DVec2,
    /// \[m\]
    pub high: DVec2,
    /// Cells per metre.
    pub density: DVec2,
    /// Cells along x.
    pub columns: usize,
    /// Cells along y.
    pub rows: usize,
    /// Where the entries of each cell begin, and where the last ones end.
    starts: Vec<u32>,
    /// Numbers of pieces, cell after cell, in their order.
    entries: Vec<u32>,
    /// The pieces that may lie outside of the grid.
    pub endless: Vec<u32>,
}

impl Paint {
    /// The coatings of a scene, laid out.
    pub fn new(scene: &Scene) -> Self {
        let is_painted = scene.coatings().iter().flatten().any(|layer| layer.region.is_some());
        let bounds = if is_painted { all_bounds(scene) } else { Vec::new() };
        let mut room = MAX_CUT_PIECES;
        let coating = |layers: &Vec<Layer>| {
            let cut = cut(scene, layers, room).map(|pieces| Coating::new(scene, pieces, &bounds));
            if let Some(coating) = cut.filter(|coating| coating.grid.most() <= MAX_IN_CELL) {
                room -= coating.pieces.len();
                return coating;
            }
            let whole = layers.iter().map(|&Layer { material, region }| Piece { material, region });
            Coating::new(scene, whole.collect(), &bounds)
        };
        Self { coatings: scene.coatings().iter().map(coating).collect() }
    }

    /// All pieces of each coating, the outermost first.
    pub fn pieces(&self) -> impl Iterator<Item = &[Piece]> {
        self.coatings.iter().map(|coating| coating.pieces.as_slice())
    }

    /// The grid of a coating for who knows places relative to `origin` \[m\], to no more than this share of the coordinates
    /// at play; by the bounds of all nodes.
    pub fn grid(&self, bounds: &[Option<BoundingBox>], coating: usize, origin: DVec3, roundoff: f64) -> Grid {
        let boxes = boxes_around(&self.coatings[coating].pieces, bounds);
        let reach = boxes.iter().map(BoundingBox::reach).fold(origin.abs().max_element(), f64::max);
        let boxes: Vec<BoundingBox> = boxes.iter().map(|bounds| bounds.dilated(roundoff * 2.0 * reach)).collect();
        Grid::new(&boxes)
    }

    /// Numbers of the pieces of a coating that may cover a point, the outermost first.
    pub fn numbers_near(&self, coating: u32, point: DVec3) -> &[u32] {
        self.coatings[coating as usize].grid.at(point.truncate())
    }

    /// True where a coating is the same at all points.
    pub fn is_the_same_everywhere(&self, coating: u32) -> bool {
        self.coatings[coating as usize].pieces.first().is_none_or(|piece| piece.region.is_none())
    }

    /// What a coating is at a point: the outermost piece that covers it. `None` where none does.
    #[inline]
    pub fn material(&self, scene: &Scene, coating: u32, point: DVec3) -> Option<MaterialId> {
        let Coating { pieces, extents, half_spaces, grid } = &self.coatings[coating as usize];
        let covers = |&&number: &&u32| match &extents[number as usize] {
            Extent::Everywhere => true,
            Extent::Cell(range) => half_spaces[range.clone()].iter().all(|face| face.distance(point) <= 0.0),
            Extent::Node(node) => scene.contains(*node, point),
        };
        grid.at(point.truncate()).iter().find(covers).map(|&number| pieces[number as usize].material)
    }
}

impl Coating {
    fn new(scene: &Scene, pieces: Vec<Piece>, bounds: &[Option<BoundingBox>]) -> Self {
        let grid = Grid::new(&boxes_around(&pieces, bounds));
        let mut half_spaces = Vec::new();
        let extent = |piece: &Piece| match piece.region.map(|node| (node, scene.node(node))) {
            None => Extent::Everywhere,
            Some((_, Node::Cell(cell))) => {
                let first = half_spaces.len();
                half_spaces.extend_from_slice(&cell.half_spaces);
                Extent::Cell(first..half_spaces.len())
            }
            Some((node, _)) => Extent::Node(node),
        };
        Self { extents: pieces.iter().map(extent).collect(), pieces, half_spaces, grid }
    }
}

/// Boxes that hold all of pieces, by the bounds of all nodes.
fn boxes_around(pieces: &[Piece], bounds: &[Option<BoundingBox>]) -> Vec<BoundingBox> {
    let around = |piece: &Piece| {
        let bounds = piece.region.and_then(|node| bounds[node.0 as usize]);
        // What is empty by no more than rounding may hold a point as well.
        let bounds = bounds.filter(|bounds| !bounds.is_empty());
        bounds.map_or(BoundingBox::WHOLE, |bounds| bounds.widened(0.0))
    };
    pieces.iter().map(around).collect()
}

/// The layers with their unions split into members, in order and with the same coverage. `None` if there is no room for
/// so many.
fn cut(scene: &Scene, layers: &[Layer], room: usize) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    for &Layer { material, region } in layers {
        let mut ahead = vec![region];
        while let Some(region) = ahead.pop() {
            match region.map(|node| scene.node(node)) {
                // What is put down last is taken up first.
                Some(Node::Union(members)) => ahead.extend(members.iter().rev().map(|&member| Some(member))),
                Some(Node::Nothing) => {}
                None | Some(Node::Everything) => pieces.push(Piece { material, region: None }),
                Some(Node::Leaf(_) | Node::Cell(_) | Node::Intersection(_)) => pieces.push(Piece { material, region }),
            }
            if pieces.len() > room {
                return None;
            }
        }
    }
    Some(pieces)
}

impl Grid {
    fn new(boxes: &[BoundingBox]) -> Self {
        let all: Vec<u32> = (0..boxes.len() as u32).collect();
        let (bounded, endless): (Vec<u32>, Vec<u32>) =
            all.iter().partition(|&&number| is_bounded(&boxes[number as usize]));
        let around = bounded.iter().fold(BoundingBox::EMPTY, |all, &number| all.join(boxes[number as usize]));
        let mut grid = Self {
            low: around.min.truncate(),
            high: around.max.truncate(),
            density: DVec2::ZERO,
            columns: 1,
            rows: 1,
            starts: Vec::new(),
            entries: Vec::new(),
            endless,
        };
        let mut cells = (CELLS_PER_PIECE * bounded.len() as f64).min(MAX_CELLS);
        loop {
            grid.divide(cells);
            if grid.fill(boxes, &all) || cells <= 1.0 {
                return grid;
            }
            cells *= 0.25;
        }
    }

    /// Takes about so many cells, about square.
    fn divide(&mut self, cells: f64) {
        let size = (self.high - self.low).max(DVec2::splat(f64::MIN_POSITIVE));
        let along = |size: f64, other: f64| ((cells * size / other).sqrt().ceil()).clamp(1.0, cells.max(1.0));
        let counts = DVec2::new(along(size.x, size.y), along(size.y, size.x));
        let density = counts / size;
        // A grid without a size, or one that is lost among large coordinates, is one cell.
        let counts = if density.is_finite() { counts } else { DVec2::ONE };
        self.density = if density.is_finite() { density } else { DVec2::ZERO };
        (self.columns, self.rows) = (counts.x as usize, counts.y as usize);
    }

    /// Lists the pieces of all cells; false where that makes too many entries.
    fn fill(&mut self, boxes: &[BoundingBox], all: &[u32]) -> bool {
        let mut cells: Vec<Vec<u32>> = vec![Vec::new(); self.columns * self.rows];
        let mut entries = 0;
        for &number in all {
            let bounds = &boxes[number as usize];
            let (low, high) = match is_bounded(bounds) {
                true => (self.cell(bounds.min.truncate()), self.cell(bounds.max.truncate())),
                false => ((0, 0), (self.columns - 1, self.rows - 1)),
            };
            entries += (high.0 - low.0 + 1) * (high.1 - low.1 + 1);
            if entries > MAX_ENTRIES_PER_PIECE * boxes.len() && cells.len() > 1 {
                return false;
            }
            for row in low.1..=high.1 {
                for column in low.0..=high.0 {
                    cells[row * self.columns + column].push(number);
                }
            }
        }
        let ends = cells.iter().scan(0, |end, cell| {
            *end += cell.len() as u32;
            Some(*end)
        });
        self.starts = std::iter::once(0).chain(ends).collect();
        self.entries = cells.concat();
        true
    }

    /// How many pieces a cell has at most.
    fn most(&self) -> usize {
        self.cells().map(<[u32]>::len).max().unwrap_or(0)
    }

    /// The pieces of each cell, row by row.
    pub fn cells(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|ends| &self.entries[ends[0] as usize..ends[1] as usize])
    }

    /// Column and row of a point of the grid. It never falls where a coordinate rises, in rounded numbers either: a point
    /// between two others is in a cell between theirs.
    fn cell(&self, point: DVec2) -> (usize, usize) {
        let place = (point - self.low) * self.density;
        ((place.x as usize).min(self.columns - 1), (place.y as usize).min(self.rows - 1))
    }

    /// The pieces that may cover a point.
    #[inline]
    fn at(&self, point: DVec2) -> &[u32] {
        // Also false for a grid without pieces, which begins beyond its end.
        if !(point.cmpge(self.low).all() && point.cmple(self.high).all()) {
            return &self.endless;
        }
        let (column, row) = self.cell(point);
        let cell = row * self.columns + column;
        &self.entries[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }
}

/// True when a box ends on all sides along x and y.
fn is_bounded(bounds: &BoundingBox) -> bool {
    bounds.min.truncate().is_finite() && bounds.max.truncate().is_finite()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::uniform;
    use crate::scene::{Material, Shape};

    /// Something painted: strips beside each other, across each other, endless ones, balls and what is left of them.
    fn region(number: u64) -> Shape {
        let unit = |variable| uniform(5, number, variable);
        let (x, y) = (200.0 * unit(0), 20.0 * (unit(1) - 0.5));
        let wall = |normal: DVec3, offset| Shape::half_space(normal, offset);
        let (length, width) = (0.5 + 30.0 * unit(2).powi(3), 0.1 + 3.0 * unit(3));
        let ball = || Shape::sphere(DVec3::new(x, y, 0.0), 0.2 + 5.0 * unit(4));
        match (8.0 * unit(5)) as u32 {
            0 => wall(DVec3::X, x),
            1 => ball(),
            2 => Shape::intersection([ball(), wall(DVec3::Y, y)]),
            3 if number > 3 => Shape::union((number - 3..number).map(region)),
            4 => Shape::intersection([
                wall(DVec3::new(0.6, 0.8, 0.0), 0.6 * x),
                wall(DVec3::new(-0.6, -0.8, 0.0), 1.0 - 0.6 * x),
            ]),
            _ => Shape::intersection([
                wall(DVec3::NEG_X, -x),
                wall(DVec3::X, x + length),
                wall(DVec3::NEG_Y, -y),
                wall(DVec3::Y, y + width),
            ]),
        }
    }

    fn painted(layers: u64, number: u64) -> Scene {
        let ground = Shape::half_space(DVec3::Z, 0.0);
        let materials: Vec<_> = (0..5).map(|_| Material::only_shown("paint")).collect();
        let shape = (0..layers).fold(ground, |of, layer| Shape::Paint {
            material: MaterialId((layer % 4) as u32),
            region: region(100 * number + layer).into(),
            of: of.into(),
        });
        Scene::new(&shape, materials, Some(MaterialId(4)), None).unwrap()
    }

    /// By looking at all layers.
    fn of_all_layers(scene: &Scene, point: DVec3) -> Option<MaterialId> {
        let mut layers = scene.coating(scene.leaf(0)).iter();
        let covering = layers.find(|layer| layer.region.is_none_or(|region| scene.contains(region, point)));
        covering.map_or(scene.default_material(), |layer| Some(layer.material))
    }

    #[test]
    fn the_material_is_that_of_the_outermost_layer_wherever_a_point_lies() {
        let mut of_each = [0; 5];
        for number in 0..60 {
            let scene = painted(1 + number % 40, number);
            // Corners of all boxes, where cells begin and end, and points anywhere.
            let bounds = all_bounds(&scene);
            let finite = |x: f64, other: f64| if x.is_finite() { x } else { other };
            let corners = bounds.iter().flatten().flat_map(|bounds| [bounds.min, bounds.max]);
            let corners = corners.map(|corner| DVec3::new(finite(corner.x, 1e3), finite(corner.y, -1e3), 0.0));
            let anywhere = (0..2000).map(|index| {
                let unit = |variable| uniform(6, index, variable);
                DVec3::new(260.0 * unit(0) - 30.0, 40.0 * (unit(1) - 0.5), 0.0)
            });
            for point in corners.chain(anywhere) {
                let material = scene.material_at(0, point);
                assert_eq!(material, of_all_layers(&scene, point), "scene {number} at {point}");
                of_each[material.unwrap().0 as usize] += 1;
            }
        }
        println!("points of each material: {of_each:?}");
        assert!(of_each.iter().all(|&points| points > 1000));
    }

    #[test]
    fn unions_stay_whole_where_their_members_lie_above_each_other_or_are_too_many() {
        let ball = |at: DVec3| Shape::sphere(at, 0.4);
        let pile = |count: u32| Shape::union((0..count).map(|number| ball(f64::from(number) * DVec3::Z)));
        let row = |count: u32| Shape::union((0..count).map(|number| ball(f64::from(number) * DVec3::X)));
        let pieces = |of: Shape, region: Shape| {
            let shape = Shape::Paint { material: MaterialId(0), region: region.into(), of: of.into() };
            let materials = (0..20).map(|number| Material::only_shown(&format!("paint {number}"))).collect();
            let scene = Scene::new(&shape, materials, None, None).unwrap();
            scene.paint().pieces().map(<[Piece]>::len).sum::<usize>()
        };
        let ground = || Shape::half_space(DVec3::Z, 0.0);
        assert_eq!(
            [pieces(ground(), pile(64)), pieces(ground(), pile(65)), pieces(ground(), row(1000))],
            [64, 1, 1000]
        );
        // As many coatings as balls, each of a material of its own, under paint of 10,000 members.
        let balls = (0..20).map(|number| ball(f64::from(number) * DVec3::Y).made_of(MaterialId(number)));
        let all = pieces(Shape::union(balls), row(10_000));
        assert!((120_000..=MAX_CUT_PIECES + 20 * 2).contains(&all), "{all}");
    }

    #[test]
    fn few_pieces_are_near_a_point_of_a_marked_runway() {
        let mark = |number: u64| {
            let (x, y) = (6.5 * number as f64, [0.0, 3.0, -3.0, 6.0, -6.0][number as usize % 5]);
            let wall = |normal: DVec3, offset| Shape::half_space(normal, offset);
            Shape::intersection([
                wall(DVec3::NEG_X, -x),
                wall(DVec3::X, x + 4.0),
                wall(DVec3::NEG_Y, 0.9 - y),
                wall(DVec3::Y, y + 0.9),
            ])
        };
        let shape = Shape::Paint {
            material: MaterialId(0),
            region: Shape::union((0..86).map(mark)).into(),
            of: Shape::half_space(DVec3::Z, 0.0).into(),
        };
        let scene = Scene::new(&shape, vec![Material::only_shown("paint")], None, None).unwrap();
        let near = |number: u64| {
            let point = DVec3::new(560.0 * uniform(1, number, 0), 14.0 * (uniform(1, number, 1) - 0.5), 0.0);
            scene.paint.numbers_near(scene.leaf(0).coating, point).len()
        };
        let counts: Vec<usize> = (0..10_000).map(near).collect();
        let (most, all) = (counts.iter().max().unwrap(), counts.iter().sum::<usize>());
        println!("at most {most} of 86 pieces near a point, {} on average", all as f64 / 1e4);
        assert!(*most <= 4 && all < 10_000);
    }
}
