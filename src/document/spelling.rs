//! Which known word a misspelled one was meant to be.

/// The first of the `known` words that is nearest to `word`, where one is near enough to be meant.
///
/// Near enough is one slip (a letter too many, too few, wrong, or two letters swapped) for every three letters of the
/// longer word; upper and lower case count as the same.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let length = word.chars().count();
    let slips = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        let candidate_length = candidate.chars().count();
        let allowed = length.max(candidate_length) / 3;
        // The difference in length is a lower bound that spares the long comparison.
        if length.abs_diff(candidate_length) > allowed {
            return None;
        }
        Some(strsim::osa_distance(&word, &candidate)).filter(|&slips| slips <= allowed)
    };
    known
        .into_iter()
        .filter_map(|candidate| slips(candidate).map(|slips| (slips, candidate)))
        .min_by_key(|&(slips, _)| slips)
        .map(|(_, candidate)| candidate)
}

/// The words, each in the given quotes, separated by commas.
pub(super) fn listed<'a>(words: impl IntoIterator<Item = &'a str>, quote: &str) -> String {
    let quoted: Vec<_> = words.into_iter().map(|word| format!("{quote}{word}{quote}")).collect();
    quoted.join(", ")
}
