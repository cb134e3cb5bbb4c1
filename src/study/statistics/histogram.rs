//! Counts by key, where most keys have neighbours.

/// Keys of a page: those that lie together are counted without a search.
const PAGE: usize = 64;

/// How often each key was counted. Equal counts are equal values, in whatever order they came.
///
/// ```text
/// pages    first        first + 1    first + 2
///          [n0 .. n63]  -            [n0 .. n63]     the first and the last one hold counts
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Histogram {
    /// Number of the first page: its keys divided by [`PAGE`].
    first: i32,
    pages: Vec<Option<Box<[u64; PAGE]>>>,
}

/// The page of a key, and its place there.
fn place_of(key: i32) -> (i32, usize) {
    (key.div_euclid(PAGE as i32), key.rem_euclid(PAGE as i32) as usize)
}

impl Histogram {
    /// Adds to the count of a key; `count` is at least 1.
    pub fn add(&mut self, key: i32, count: u64) {
        let (page, place) = place_of(key);
        self.page(page)[place] += count;
    }

    /// Adds all counts of another one.
    pub fn merge(&mut self, other: &Self) {
        for (number, theirs) in (other.first..).zip(&other.pages) {
            if let Some(theirs) = theirs {
                self.page(number).iter_mut().zip(theirs.iter()).for_each(|(mine, theirs)| *mine += theirs);
            }
        }
    }

    /// The keys that were counted, in ascending order, with their counts.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (i32, u64)> {
        let pages = self.pages.iter().enumerate().filter_map(|(number, page)| Some((number, page.as_ref()?)));
        pages.flat_map(move |(number, page)| {
            let first = (self.first + number as i32) * PAGE as i32;
            let counts = page.iter().enumerate().filter(|&(_, &count)| count > 0);
            counts.map(move |(place, &count)| (first + place as i32, count))
        })
    }

    /// Number of keys that were counted.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// A page, which is there from now on.
    fn page(&mut self, number: i32) -> &mut [u64; PAGE] {
        if self.pages.is_empty() {
            self.first = number;
        }
        if number < self.first {
            let before = (self.first - number) as usize;
            self.pages.splice(..0, (0..before).map(|_| None));
            self.first = number;
        }
        let index = (number - self.first) as usize;
        if index >= self.pages.len() {
            self.pages.resize_with(index + 1, || None);
        }
        self.pages[index].get_or_insert_with(|| Box::new([0; PAGE]))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Keys close together and far apart, on both sides of 0 and of the borders of pages.
    fn any_key() -> impl Strategy<Value = i32> {
        prop_oneof![-3..3, 62..67, -67..-62, -300_000..300_000]
    }

    fn counted(keys: &[i32]) -> Histogram {
        let mut histogram = Histogram::default();
        keys.iter().for_each(|&key| histogram.add(key, 1));
        histogram
    }

    proptest! {
        #[test]
        fn it_counts_as_a_map_of_single_keys_does_in_any_order_and_split(
            keys in proptest::collection::vec(any_key(), 0..40),
            cut in 0..40_usize,
        ) {
            let mut expected: BTreeMap<i32, u64> = BTreeMap::new();
            keys.iter().for_each(|&key| *expected.entry(key).or_default() += 1);
            let histogram = counted(&keys);
            prop_assert!(histogram.iter().eq(expected.iter().map(|(&key, &count)| (key, count))));
            prop_assert!(histogram.iter().rev().eq(expected.iter().rev().map(|(&key, &count)| (key, count))));
            prop_assert_eq!(histogram.len(), expected.len());
            let (here, there) = keys.split_at(cut.min(keys.len()));
            let mut merged = counted(there);
            merged.merge(&counted(here));
            prop_assert_eq!(merged, histogram);
        }
    }
}
