//! Folders, programs and builds.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
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
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("crates").join(name)
}

/// The target directory of this test: …/target/release/deps/this-test.
pub(crate) fn target() -> PathBuf {
    std::env::current_exe().unwrap().ancestors().nth(3).unwrap().to_owned()
}

/// The file of settings for a quick build: without optimization of what is ours, and of its dependencies unless they are
/// [those of this workspace](Dependencies::OfWorkspace), which are there.
pub(crate) fn quick(dependencies: Dependencies) -> PathBuf {
    let ours = ["integrator-core", "workbench", "two-beads"];
    let plain = |name: &str| format!("[profile.release.package.{name}]\nopt-level = 0\n");
    let (name, settings) = match dependencies {
        // As for the crates of the documentation, with which it shares the library.
        Dependencies::OfWorkspace => ("ours.toml", ours.map(plain).concat()),
        // Many models are compiled by a compiler that is optimized, as in the manifest of the workspace.
        Dependencies::Others => {
            let compiler = "[profile.release.package.least-action-compiler]\nopt-level = 1\n";
            ("all.toml", format!("[profile.release]\nopt-level = 0\n{compiler}"))
        }
    };
    let file = kept(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, settings).unwrap();
    file
}

/// The dependencies of a build: a module of Python has them with other features.
#[derive(Clone, Copy)]
pub(crate) enum Dependencies {
    OfWorkspace,
    Others,
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
    program(env!("CARGO_BIN_EXE_least-action"), line, folder)
}
