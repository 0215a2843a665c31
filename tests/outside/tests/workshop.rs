//! Folders, programs and builds.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// The command with the ready models, as a user calls it.
pub(crate) fn least_action(line: &str, folder: &Path) -> Command {
    program(env!("CARGO_BIN_EXE_the-command"), line, folder)
}
