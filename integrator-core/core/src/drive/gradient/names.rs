//! Entries of a start by their names.

use crate::system::Layout;

/// The direction of a name: an entry of q, or of v after `der.`.
pub(super) fn direction(layout: &Layout, name: &str) -> Option<(bool, usize)> {
    let (is_velocity, entry) = match name.strip_prefix("der.") {
        Some(entry) => (true, entry),
        None => (false, name),
    };
    (0..layout.dimension()).find(|index| layout.name_of(*index) == entry).map(|index| (is_velocity, index))
}

/// The first names of a layout, in words.
pub(super) fn first_names(layout: &Layout) -> String {
    const SHOWN: usize = 6;
    let names = (0..layout.dimension().min(SHOWN)).map(|index| format!("`{}`", layout.name_of(index)));
    let names = names.collect::<Vec<_>>().join(", ");
    let more = layout.dimension().saturating_sub(SHOWN);
    if more > 0 { format!("{names} and {more} more") } else { names }
}
