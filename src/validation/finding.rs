//! Saved findings: enough to recompute an item, with its verdict.

use std::fmt::Debug;
use std::sync::Arc;

use super::item::Fields;
use super::{Agreement, Deviation, Item};

/// An item and its verdict.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The item.
    pub item: Arc<dyn Item>,
    /// The verdict.
    pub verdict: Agreement,
    /// The quantity with the largest error.
    pub what: &'static str,
    /// The largest error as a fraction of its bound, if there is one.
    pub ratio: Option<f64>,
    /// Constructed to touch a surface or a seam, where rounding alone decides.
    pub made_to_touch: bool,
    /// What a file keeps beside the item.
    pub found: Arc<dyn Found>,
}

/// What came of an item.
pub trait Found: Debug + Send + Sync {
    /// As a file keeps it. Numbers that JSON cannot hold are left out.
    fn fields(&self) -> Fields;
}

/// What came of an item by an error and its bound alone.
#[derive(Clone, Copy, Debug)]
struct Measured {
    made_to_touch: bool,
    why: &'static str,
    deviation: Option<Deviation>,
}

impl Finding {
    /// Of an item with one error to tell; `why` is what that is an error of, or what was decided otherwise.
    pub(super) fn measured(
        item: impl Item + 'static,
        made_to_touch: bool,
        (verdict, why, deviation): (Agreement, &'static str, Option<Deviation>),
    ) -> Self {
        Self {
            item: Arc::new(item),
            verdict,
            what: why,
            ratio: deviation.map(|deviation| deviation.ratio()),
            made_to_touch,
            found: Arc::new(Measured { made_to_touch, why, deviation }),
        }
    }
}

impl Found for Measured {
    fn fields(&self) -> Fields {
        let Self { made_to_touch, why, deviation } = *self;
        let mut fields = vec![("made_to_touch", made_to_touch.into()), ("why", why.into())];
        push_number(&mut fields, "error", deviation.map(|deviation| deviation.error));
        push_number(&mut fields, "bound", deviation.map(|deviation| deviation.bound));
        fields
    }
}

/// Adds a number, where there is one that JSON can hold.
pub(super) fn push_number(fields: &mut Fields, key: &'static str, number: Option<f64>) {
    fields.extend(number.filter(|number| number.is_finite()).map(|number| (key, number.into())));
}
