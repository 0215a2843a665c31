//! Folders, programs and builds.

use crate::settings;
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

/// A folder that keeps what it has.
pub(crate) fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The target directory of this test, …/target/debug/deps/this-test: builds share it.
pub(crate) fn target() -> PathBuf {
    std::env::current_exe().unwrap().ancestors().nth(3).unwrap().to_owned()
}

/// The packages of this workspace that a crate with the command depends on.
pub(crate) const OURS: [&str; 5] = [
    "least-action",
    "least-action-core",
    "least-action-methods",
    "least-action-pages",
    "least-action-command",
];

/// The file of settings for a quick build of a package, which depends on ours and on these.
pub(crate) fn quick(package: &str, others: &[&str]) -> PathBuf {
    let file = kept(&format!("{package}.toml"));
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, settings::quick(root(), &[&OURS, others, &[package]].concat())).unwrap();
    file
}

/// A program to be run in a folder.
pub(crate) fn program(name: impl AsRef<OsStr>, line: &str, folder: &Path) -> Command {
    let mut command = Command::new(name);
    command.args(line.split_whitespace()).current_dir(folder);
    command
}

/// What a program prints, which succeeds.
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
