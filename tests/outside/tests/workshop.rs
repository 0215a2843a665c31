//! Folders, programs and builds.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

/// An empty folder, in the same place in every run, so that crates in it keep their artifacts.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = kept(name);
    if path.exists() {
        fs::remove_dir_all(&path).unwrap();
    }
    fs::create_dir_all(&path).unwrap();
    path
}

/// A folder that keeps its files.
pub(crate) fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The target directory of this test, …/target/debug/deps/this-test: builds share it.
pub(crate) fn target() -> PathBuf {
    std::env::current_exe().unwrap().ancestors().nth(3).unwrap().to_owned()
}

/// The profile of this workspace, so that its builds of other people's crates serve.
pub(crate) const PROFILE: &str = "profile.dev.debug = false";

/// A program to be run in a folder.
pub(crate) fn program(name: impl AsRef<OsStr>, line: &str, folder: &Path) -> Command {
    let mut command = Command::new(name);
    command.args(line.split_whitespace()).current_dir(folder);
    command
}

/// The output of a program, which succeeds.
pub(crate) fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}:\n{out}\n{err}");
    out.into_owned()
}

/// Whether pages that compute can be made: what computes in them is built, once, where rustc compiles
/// for browsers.
pub(crate) fn pages_compute() -> bool {
    const TARGET: &str = "wasm32-unknown-unknown";
    static BUILT: OnceLock<bool> = OnceLock::new();
    *BUILT.get_or_init(|| {
        let libraries = printed(program("rustc", "--print target-libdir --target", root()).arg(TARGET));
        if !Path::new(libraries.trim()).is_dir() {
            let left_out = "left out: pages that compute, for rustc has no target";
            let _ = writeln!(std::io::stderr(), "{left_out} {TARGET}; `rustup target add {TARGET}`");
            return false;
        }
        printed(&mut least_action("live kepler --out kepler.html", &folder("built")));
        true
    })
}

/// The command with the ready models, as a user calls it.
pub(crate) fn least_action(line: &str, folder: &Path) -> Command {
    program(env!("CARGO_BIN_EXE_the-command"), line, folder)
}
