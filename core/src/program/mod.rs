//! Programs: scenes flattened into postfix words and constants, ready for a device.
//!
//! A program is read from left to right with a stack of candidates (lambda, rank, leaf). All words are `u32`, all
//! constants f64 (an engine converts them on upload). It is the one flattened form of a scene: faster forms for
//! searching, such as [`walk`], are compiled from it.
//!
//! ```text
//! word 0, bits 0..8   bits 8..32          words after it                 stack
//! 0 nothing           0                   -                              push: miss
//! 1 everything        0                   -                              push
//! 2 cell              half spaces, n      constants at, first leaf, rank push: their intersection
//! 3 sphere            1 if complemented   constants at, leaf, rank       push
//! 4 cylinder          1 if complemented   constants at, leaf, rank       push
//! 5 short cylinder    1 if complemented   constants at, leaf, rank       push
//! 6 union             0                   -                              pop two, push one
//! 7 intersection      0                   -                              pop two, push one
//! 8 cone              1 if complemented   constants at, leaf, rank       push
//! 9 short cone        1 if complemented   constants at, leaf, rank       push
//! 10 capsule          1 if complemented   constants at, leaf, rank       push
//! 11 stretched        as above + 2 base   constants at, leaf, rank       push; base is one of 3 to 5 and 8 to 10
//!
//! constants           cell: n times (nx, ny, nz, d), leaves first, first + 1, ...
//!                     sphere: cx, cy, cz, r
//!                     cylinder: cx, cy, cz, ax, ay, az, r; short cylinder: the same, then half its height
//!                     cone: bx, by, bz, ax, ay, az, r at the base, slope; short cone: the same, then its height
//!                     capsule: from x, y, z, to x, y, z, r
//!                     stretched: cx, cy, cz, nine of the matrix to local coordinates, column by column, then the base's
//! ```
//!
//! The words of the scene come first; those of paint regions follow and are referenced by the layers of coatings. A run
//! of half spaces under one intersection is one cell word: largest entry, smallest exit (docs/theory/entry-points.md,
//! 6).
//!
//! # Borders in one place
//! Where several leaves are entered at the same lambda the point is the same whichever is reported, but the material is
//! not: of two sets with a common surface only one may begin there. So coincident surfaces are crossed one after
//! another, by rank, as if each were slightly farther along the ray than the one before, and the surface reported is
//! the one whose crossing brings the ray into the set. Ranks increase from child to child of a union and decrease from
//! child to child of an intersection: the reported surface is that of the first child of a union that begins, and of
//! the first child of an intersection that has not begun before. A search therefore proceeds from crossing to crossing,
//! where the tree proceeds from lambda to lambda: the minimum for a union, the maximum for an intersection, until it is
//! stationary.

mod compile;
mod display;
mod interpret;
mod nested;
pub mod walk;

pub use interpret::Interpreter;

/// Operation of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Op {
    /// The empty set.
    Nothing = 0,
    /// All of space.
    Everything = 1,
    /// The intersection of a run of half spaces.
    Cell = 2,
    /// A ball.
    Sphere = 3,
    /// An infinite cylinder.
    Cylinder = 4,
    /// A finite cylinder.
    ShortCylinder = 5,
    /// Union of the two upper entries of the stack.
    Union = 6,
    /// Intersection of the two upper entries of the stack.
    Intersection = 7,
    /// An infinite cone.
    Cone = 8,
    /// A frustum.
    ShortCone = 9,
    /// A capsule.
    Capsule = 10,
    /// A curved solid in stretched coordinates.
    Stretched = 11,
}

impl Op {
    /// All operations, by number.
    pub const ALL: [Self; 12] = [
        Self::Nothing,
        Self::Everything,
        Self::Cell,
        Self::Sphere,
        Self::Cylinder,
        Self::ShortCylinder,
        Self::Union,
        Self::Intersection,
        Self::Cone,
        Self::ShortCone,
        Self::Capsule,
        Self::Stretched,
    ];

    /// Number of words of an instruction, including the first.
    #[must_use]
    pub fn words(self) -> usize {
        match self {
            Self::Nothing | Self::Everything | Self::Union | Self::Intersection => 1,
            Self::Cell
            | Self::Sphere
            | Self::Cylinder
            | Self::ShortCylinder
            | Self::Cone
            | Self::ShortCone
            | Self::Capsule
            | Self::Stretched => 4,
        }
    }
}

/// A range of words: one expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expression {
    /// Its first word.
    pub first: u32,
    /// Number of words.
    pub words: u32,
}

/// One layer of material over leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerWords {
    /// Index of the material.
    pub material: u32,
    /// Where it lies; `None` for everywhere.
    pub region: Option<Expression>,
}

/// A range of layers: the coating of a leaf, outermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coating {
    /// Its first layer.
    pub first: u32,
    /// Number of layers.
    pub layers: u32,
}

/// A flattened scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    words: Vec<u32>,
    constants: Vec<f64>,
    root: Expression,
    stack_depth: usize,
    layers: Vec<LayerWords>,
    leaf_coatings: Vec<Coating>,
    default_material: Option<u32>,
}

impl Program {
    /// All words.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// All constants.
    #[must_use]
    pub fn constants(&self) -> &[f64] {
        &self.constants
    }

    /// The scene's own words.
    #[must_use]
    pub fn root(&self) -> Expression {
        self.root
    }

    /// Required stack depth, including paint regions.
    #[must_use]
    pub fn stack_depth(&self) -> usize {
        self.stack_depth
    }

    /// All layers; coatings are ranges of them.
    #[must_use]
    pub fn layers(&self) -> &[LayerWords] {
        &self.layers
    }

    /// The coating of each leaf of the scene.
    #[must_use]
    pub fn leaf_coatings(&self) -> &[Coating] {
        &self.leaf_coatings
    }

    /// The instructions of an expression, decoded.
    pub fn instructions(&self, expression: Expression) -> impl Iterator<Item = Instruction> + '_ {
        let end = (expression.first + expression.words) as usize;
        let mut at = expression.first as usize;
        std::iter::from_fn(move || {
            let word = *self.words[..end].get(at)?;
            let op = Op::ALL[(word & 0xff) as usize];
            let operand = |index: usize| if op.words() > index { self.words[at + index] } else { 0 };
            let (constants_at, leaf, rank) = (operand(1), operand(2), operand(3));
            let instruction = Instruction { op, count: word >> 8, constants_at, leaf, rank };
            at += op.words();
            Some(instruction)
        })
    }
}

impl Instruction {
    /// Whether the complement of a curved solid is meant.
    pub fn is_complemented(&self) -> bool {
        self.op != Op::Cell && self.count & 1 == 1
    }

    /// What a stretched solid is made of.
    pub fn base(&self) -> Op {
        Op::ALL[(self.count >> 1) as usize]
    }
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// What is done.
    pub op: Op,
    /// Number of half spaces of a cell; 1 for a complemented solid, plus twice the base's number for a stretched one.
    pub count: u32,
    /// Where its constants begin.
    pub constants_at: u32,
    /// The first leaf.
    pub leaf: u32,
    /// Order in which coincident surfaces are crossed: lowest rank first. No two solids of the scene have the same
    /// rank; those of paint regions, whose surfaces are not searched for, have 0.
    pub rank: u32,
}

/// Progress of a search along a ray: up to lambda, and past the surfaces there up to a rank.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) struct Crossing {
    pub lambda: f64,
    pub rank: u32,
}

impl Crossing {
    /// At lambda, past all surfaces there.
    pub fn behind(lambda: f64) -> Self {
        Self { lambda, rank: LAST_RANK }
    }
}

/// Above all ranks.
pub const LAST_RANK: u32 = u32::MAX;
