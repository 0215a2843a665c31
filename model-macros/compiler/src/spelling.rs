//! The known word that is meant by a misspelt one.

use strsim::osa_distance;

/// The candidate with the fewest insertions, deletions, replacements and swaps of neighbours from
/// `name`: at most one for three letters.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (osa_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}
