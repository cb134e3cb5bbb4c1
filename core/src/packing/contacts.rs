//! Contacts of all bodies of a packing, block by block, ordered by id.

use std::ops::Range;

use rayon::prelude::*;

use super::{Neighbor, Packing, PackingError};
use crate::engine::{Engine, EngineError};
use crate::job::Compute;
use crate::parallel;
use crate::query::{ContactStatus, EllipsoidContact, EllipsoidPair, EllipsoidPairs};

/// Maximum number of pairs per engine call and per block: some tens of megabytes.
const PAIRS_PER_BLOCK: usize = 1 << 17;

/// Maximum number of pairs found before their contacts are computed, unless a single body has more.
const MAX_PAIRS: usize = 8 * PAIRS_PER_BLOCK;

/// Bodies of the first search. Later ones are sized by the number of pairs found so far.
const FIRST_BODIES: usize = 1 << 10;

/// Bodies of a search whose boxes are queried at once: the first time, and at most.
const LOOKED_UP: [usize; 2] = [1 << 6, 1 << 13];

/// Which pairs are reported.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Selection {
    /// Those that touch or overlap: F is at most 1.
    Overlapping,
    /// Those with a separation of at most this \[m\], unless a test with boxes and supporting planes shows that they
    /// are farther apart. All pairs with a true distance of at most this are included; and some others, since the
    /// separation is a lower bound of the distance.
    Within(f64),
}

impl Selection {
    /// Largest distance of reported bodies \[m\].
    pub(super) fn distance(self) -> f64 {
        match self {
            Self::Overlapping => 0.0,
            Self::Within(distance) => distance,
        }
    }

    /// Pairs without a result are reported as well: they may be in contact.
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
    /// Shift of the other, in lattice vectors of each axis, from its given position.
    pub image: [i32; 3],
    /// The ellipsoids: A at its given position, B's image.
    pub pair: EllipsoidPair,
    /// Their contact.
    pub contact: EllipsoidContact,
}

/// Contacts of some bodies with those of higher ids.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactBlock {
    /// Ordered by id of A, id of B, then image.
    pub contacts: Vec<BodyContact>,
    /// Number of bodies completed so far.
    pub bodies_done: usize,
    /// Number of pairs computed by the engine.
    pub candidates: usize,
}

/// All contacts of a packing, in blocks. Iteration ends after an error.
pub struct Contacts<'a> {
    packing: &'a Packing,
    engine: &'a dyn Engine,
    selection: Selection,
    /// Pairs of the last search that are still to be computed, in order.
    waiting: std::vec::IntoIter<Neighbor>,
    /// Bodies whose pairs have been searched for.
    searched: usize,
    /// Bodies of the next search, and of those looked up at once.
    search: usize,
    looked_up: usize,
}

impl<'a> Contacts<'a> {
    /// Starts the search for contacts.
    ///
    /// # Errors
    /// If the distance is invalid, or so large that countless images would be near.
    pub fn new(packing: &'a Packing, engine: &'a dyn Engine, selection: Selection) -> Result<Self, PackingError> {
        packing.check_distance(selection.distance())?;
        let waiting = Vec::new().into_iter();
        let (search, [looked_up, _]) = (FIRST_BODIES, LOOKED_UP);
        Ok(Self { packing, engine, selection, waiting, searched: 0, search, looked_up })
    }

    /// Searches for the pairs of the next bodies.
    fn search(&mut self) -> Result<(), EngineError> {
        let bodies = self.packing.bodies().len();
        loop {
            let end = bodies.min(self.searched + self.search);
            let found = self.neighbors(self.searched..end)?;
            // In dense regions the next search shrinks at once, and it grows again gradually.
            let expected = (end - self.searched) * PAIRS_PER_BLOCK / found.as_ref().map_or(MAX_PAIRS, Vec::len).max(1);
            self.search = expected.clamp(1, 2 * self.search);
            if let Some(found) = found {
                self.searched = end;
                self.waiting = found.into_iter();
                return Ok(());
            }
        }
    }

    /// Pairs of some bodies, in order; `None` if they are too many to hold.
    fn neighbors(&mut self, bodies: Range<usize>) -> Result<Option<Vec<Neighbor>>, EngineError> {
        // Bodies whose ids are near each other may be anywhere; along the curve one finds most of what it looks at where
        // the one before has just looked.
        let mut numbers: Vec<u32> = bodies.map(|number| number as u32).collect();
        parallel::on_threads(|| numbers.par_sort_unstable_by_key(|&number| self.packing.place(number)));
        let mut found = Vec::new();
        let mut rest = &numbers[..];
        while !rest.is_empty() {
            let (some, others) = rest.split_at(rest.len().min(self.looked_up));
            let before = found.len();
            found.extend(self.packing.neighbors(self.engine, some, self.selection.distance())?);
            if found.len() > MAX_PAIRS && numbers.len() > 1 {
                return Ok(None);
            }
            let expected = some.len() * PAIRS_PER_BLOCK / (found.len() - before).max(1);
            self.looked_up = expected.clamp(1, LOOKED_UP[1].min(2 * self.looked_up));
            rest = others;
        }
        parallel::on_threads(|| found.par_sort_unstable());
        Ok(Some(found))
    }

    fn next_block(&mut self) -> Result<ContactBlock, EngineError> {
        if self.waiting.as_slice().is_empty() {
            self.search()?;
        }
        let neighbors: Vec<Neighbor> = self.waiting.by_ref().take(PAIRS_PER_BLOCK).collect();
        let pairs: Vec<EllipsoidPair> = neighbors.iter().map(|&neighbor| self.packing.pair(neighbor)).collect();
        let answers = self.engine.compute::<EllipsoidPairs>((), &pairs)?;
        let told = neighbors.iter().zip(pairs).zip(answers).filter(|(_, contact)| self.selection.takes(contact));
        let ids = self.packing.bodies().ids();
        let contacts = told.map(|((&Neighbor { a, b, image }, pair), contact)| {
            let [id_a, id_b] = [a, b].map(|number| ids[number as usize]);
            BodyContact { id_a, id_b, image, pair, contact }
        });
        let contacts = contacts.collect();
        // Of the last body of a block some pairs may wait.
        let bodies_done = self.waiting.as_slice().first().map_or(self.searched, |next| next.a as usize);
        Ok(ContactBlock { contacts, bodies_done, candidates: neighbors.len() })
    }

    fn is_done(&self) -> bool {
        self.waiting.as_slice().is_empty() && self.searched == self.packing.bodies().len()
    }
}

impl Iterator for Contacts<'_> {
    type Item = Result<ContactBlock, EngineError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done() {
            return None;
        }
        let block = self.next_block();
        if block.is_err() {
            self.waiting = Vec::new().into_iter();
            self.searched = self.packing.bodies().len();
        }
        Some(block)
    }
}
