//! Settings for builds of crates outside of this workspace.

use std::path::Path;

/// What macros stand on: nearly all that others wrote stands on these, and is built again if these have other settings.
const OF_MACROS: [&str; 4] = ["proc-macro2", "quote", "\"syn@3\"", "unicode-ident"];

/// Settings by which these packages, which are ours, are not optimized, and those of others are as in this workspace, where they are built already.
pub(crate) fn quick(workspace: &Path, ours: &[&str]) -> String {
    let section = |name: &str| format!("[profile.release.package.{name}]\n");
    let plain = ours.iter().map(|name| section(name) + "opt-level = 0\n");
    let manifest = std::fs::read_to_string(workspace.join("Cargo.toml")).unwrap();
    let of_macros = OF_MACROS.iter().map(|name| {
        let (_, behind) = manifest.split_once(&section(name)).unwrap();
        section(name) + behind.split("\n\n").next().unwrap() + "\n"
    });
    plain.chain(of_macros).collect()
}
