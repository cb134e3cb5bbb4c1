//! Contacts of all bodies of a packing, block by block in the order of ids.

use std::ops::Range;

use rayon::prelude::*;

use super::{Neighbor, Packing, PackingError};
use crate::engine::{Engine, EngineError};
use crate::query::{ContactStatus, EllipsoidContact, EllipsoidPair};

/// Pairs that an engine is asked about at once, about: some tens of megabytes.
const PAIRS_PER_BLOCK: usize = 1 << 17;

/// Bodies of the first block. Later ones take as many as the pairs found so far let expect.
const FIRST_BODIES: usize = 1 << 10;

/// Which pairs are told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Selection {
    /// Those that touch or overlap: F is at most 1.
    Overlapping,
    /// Those whose separation is at most so much \[m\] while the boxes and supports of the two do not tell that they are
    /// farther apart. All pairs whose true distance is at most that are among them; and some others, since the separation
    /// is a lower bound of the distance.
    Within(f64),
}

impl Selection {
    /// How far apart bodies may be \[m\].
    pub(super) fn distance(self) -> f64 {
        match self {
            Self::Overlapping => 0.0,
            Self::Within(distance) => distance,
        }
    }

    /// What has no answer is told as well: it may be a contact.
    pub(super) fn takes(self, contact: &EllipsoidContact) -> bool {
        match (contact.status, self) {
            (ContactStatus::Ok, Self::Overlapping) => contact.f <= 1.0,
            (ContactStatus::Ok, Self::Within(distance)) => contact.separation <= distance,
            (ContactStatus::Degenerate | ContactStatus::NotConverged | ContactStatus::BadInput, _) => true,
        }
    }
}

/// A contact of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContact {
    /// Id of the body from which the normal points away.
    pub id_a: i64,
    /// Id of the other, not below the first.
    pub id_b: i64,
    /// By how many periods along each axis the other is moved from where it was given.
    pub image: [i32; 3],
    /// The ellipsoids: A where it was given, B's image.
    pub pair: EllipsoidPair,
    /// Their contact.
    pub contact: EllipsoidContact,
}

/// Contacts of some bodies with those of higher ids.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactBlock {
    /// By id of A, then id of B, then image.
    pub contacts: Vec<BodyContact>,
    /// Bodies that all contacts are known of by now.
    pub bodies_done: usize,
    /// Pairs that the engine was asked about.
    pub candidates: usize,
}

/// All contacts of a packing, in blocks. After an error the iteration ends.
pub struct Contacts<'a> {
    packing: &'a Packing,
    engine: &'a dyn Engine,
    selection: Selection,
    bodies_done: usize,
    block: usize,
}

impl<'a> Contacts<'a> {
    /// Looks for contacts.
    ///
    /// # Errors
    /// When the distance to look for is none, or so far that countless images would be near.
    pub fn new(packing: &'a Packing, engine: &'a dyn Engine, selection: Selection) -> Result<Self, PackingError> {
        packing.check_distance(selection.distance())?;
        Ok(Self { packing, engine, selection, bodies_done: 0, block: FIRST_BODIES })
    }

    /// Pairs of the next bodies, in order.
    fn neighbors(&self, bodies: Range<usize>) -> Result<Vec<Neighbor>, EngineError> {
        // Bodies whose ids are near each other may be anywhere; along the curve one finds most of what it looks at where
        // the one before has just looked.
        let mut numbers: Vec<u32> = bodies.map(|number| number as u32).collect();
        numbers.par_sort_unstable_by_key(|&number| self.packing.place(number));
        let mut found = self.packing.neighbors(self.engine, &numbers, self.selection.distance())?;
        found.par_sort_unstable();
        Ok(found)
    }

    fn next_block(&mut self) -> Result<ContactBlock, EngineError> {
        let bodies = self.packing.bodies();
        let end = bodies.len().min(self.bodies_done + self.block);
        let neighbors = self.neighbors(self.bodies_done..end)?;
        // Where bodies crowd the next block is smaller at once, and larger ones come step by step.
        let expected = self.block * PAIRS_PER_BLOCK / neighbors.len().max(1);
        self.block = expected.clamp(1, 2 * self.block);
        let mut contacts = Vec::new();
        for some in neighbors.chunks(PAIRS_PER_BLOCK) {
            let pairs: Vec<EllipsoidPair> = some.iter().map(|&neighbor| self.packing.pair(neighbor)).collect();
            let answers = self.engine.ellipsoid_pairs(&pairs)?;
            let told = some.iter().zip(pairs).zip(answers).filter(|(_, contact)| self.selection.takes(contact));
            contacts.extend(told.map(|((&Neighbor { a, b, image }, pair), contact)| {
                let [id_a, id_b] = [a, b].map(|number| bodies.ids()[number as usize]);
                BodyContact { id_a, id_b, image, pair, contact }
            }));
        }
        self.bodies_done = end;
        Ok(ContactBlock { contacts, bodies_done: end, candidates: neighbors.len() })
    }
}

impl Iterator for Contacts<'_> {
    type Item = Result<ContactBlock, EngineError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.bodies_done == self.packing.bodies().len() {
            return None;
        }
        let block = self.next_block();
        if block.is_err() {
            self.bodies_done = self.packing.bodies().len();
        }
        Some(block)
    }
}
