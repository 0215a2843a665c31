//! Names that Rust, cargo, Python and the packages of a new crate have for themselves.

/// Keywords of Rust and of Python: neither takes them for the name of a module.
pub(super) const KEYWORDS: &str = include_str!("reserved/keywords.txt");

/// Crates, primitive types and tools of Rust, and a dependency of the new crate.
/// The packages of Least Action are beside them: they begin alike.
pub(super) const CRATES: &str = include_str!("reserved/crates.txt");

/// Types that the declaration of a model names, or that Rust and the prelude bring: a model of such a
/// name hides one.
pub(super) const TYPES: &str = include_str!("reserved/types.txt");

/// Folders that cargo keeps beside programs, and devices that Windows takes for files.
pub(super) const PLACES: &str = include_str!("reserved/places.txt");

/// The modules of Python itself, from 3.10 on: a crate of such a name hides one from all programs.
pub(super) const MODULES: &str = include_str!("reserved/modules.txt");

/// The packages that the module, its test and its notebook need, and the packages of these.
pub(super) const PACKAGES: &str = include_str!("reserved/packages.txt");

/// True if a list has a name.
pub(super) fn has(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|word| word == name)
}
