//! The settings of builds outside of this workspace.

use std::path::Path;

/// The crates that macros stand on, and so nearly all crates of others: they are built again if these have other settings.
const OF_MACROS: [&str; 5] = ["proc-macro2", "quote", "\"syn@3\"", "unicode-ident", "least-action-compiler"];

/// The profiles of this workspace, so that its builds of other people's crates serve, but these packages without optimization in release:
/// they run for seconds, and give the same bits.
pub(crate) fn quick(workspace: &Path, ours: &[&str]) -> String {
    let manifest = std::fs::read_to_string(workspace.join("Cargo.toml")).unwrap();
    let sections =
        manifest.split("\n\n").filter_map(|section| section.find("[profile.").map(|at| &section[at..]));
    let has_part = |section: &&str| {
        let (name, _) = section[1..].split_once("]\n").unwrap();
        match name.splitn(4, '.').collect::<Vec<_>>()[..] {
            ["profile", _] => true,
            ["profile", profile, "package", package] => {
                OF_MACROS.contains(&package) || ours.contains(&package) && profile != "release"
            }
            _ => false,
        }
    };
    let as_here = sections.filter(has_part).map(|section| format!("{section}\n"));
    as_here
        .chain(ours.iter().map(|name| format!("[profile.release.package.{name}]\nopt-level = 0\n")))
        .collect()
}
