//! Columns by name: single ones, and all of a coordinate in one array.

use std::ops::Range;

use crate::view::root;

/// The entries of q of the coordinate `name`, and their shape: `bobs` of `[Vec2; 3]` has six, 3 × 2.
///
/// The names say it: `bobs[2].y` is the last of them. A recording knows nothing else.
pub(super) fn entries(coordinates: &[String], name: &str) -> Option<(Range<usize>, Vec<usize>)> {
    let begin = coordinates.iter().position(|entry| root(entry) == name)?;
    let count = coordinates[begin..].iter().take_while(|entry| root(entry) == name).count();
    let range = begin..begin + count;
    let mut shape = Vec::new();
    for entry in &coordinates[range.clone()] {
        for (place, index) in indices(&entry[name.len()..]).enumerate() {
            shape.resize(shape.len().max(place + 1), 0);
            shape[place] = shape[place].max(index? + 1);
        }
    }
    let shape = if shape.iter().product::<usize>() == count { shape } else { vec![count] };
    Some((range, shape))
}

/// The numbers in `[2].y` and `[(0, 1)]`; none of a word that is no number.
fn indices(suffix: &str) -> impl Iterator<Item = Option<usize>> + '_ {
    let words = suffix.split(['[', ']', '(', ')', ',', '.', ' ']).filter(|word| !word.is_empty());
    words.map(|word| match word {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        number => number.parse().ok(),
    })
}
