//! Which known word a misspelled one was meant to be.

/// Longest word that is compared \[bytes\]: nobody takes longer ones for names.
const MAX_LENGTH: usize = 100;

/// The first of the `known` words that is nearest to `word`, where one is near enough to be meant.
///
/// Near enough is one slip (a letter too many, too few, wrong, or two letters swapped) for every three letters of the
/// longer word; upper and lower case count as the same.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Comparing takes time by the product of the lengths.
    if word.len() > MAX_LENGTH {
        return None;
    }
    let word = word.to_lowercase();
    let length = word.chars().count();
    let slips = |candidate: &str| {
        if candidate.len() > MAX_LENGTH {
            return None;
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 5] = ["center", "radius", "height", "brake", "x"];

    #[test]
    fn slips_of_the_pen_are_recognised() {
        for (word, meant) in [
            ("raduis", "radius"),
            ("radus", "radius"),
            ("Radius", "radius"),
            ("centre", "center"),
            ("heigth", "height"),
            ("barke", "brake"),
            ("X", "x"),
        ] {
            assert_eq!(nearest(word, KNOWN), Some(meant), "{word}");
        }
    }

    #[test]
    fn other_words_are_not() {
        for word in ["", "y", "mass", "radiance", "diameter", "x1"] {
            assert_eq!(nearest(word, KNOWN), None, "{word}");
        }
        assert_eq!(nearest("radius", []), None);
    }

    /// At a nanosecond for each pair of letters this would take hours.
    #[test]
    fn words_that_are_no_names_are_not_compared() {
        let long = "a".repeat(2_000_000);
        let longer = format!("{long}b");
        assert_eq!(nearest(&longer, [long.as_str(), "b"]), None);
        assert_eq!(nearest("radus", [long.as_str(), "radius"]), Some("radius"));
    }

    #[test]
    fn the_nearest_wins_and_the_first_of_equals() {
        assert_eq!(nearest("pitch_rat", ["pitch_at", "pitch_rate"]), Some("pitch_at"));
        assert_eq!(nearest("speed_c", ["speed_abc", "speed_b"]), Some("speed_b"));
    }
}
