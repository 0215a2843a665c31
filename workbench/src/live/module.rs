//! The module of pages that compute: in the folder of a release, or built once from the sources.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::Command;

use least_action::files;
use lzma_rust2::{LzmaOptions, LzmaWriter};

use crate::error::{Error, Result};
use crate::streams::Streams;

/// The name of its file.
const NAME: &str = "least-action-live.lzma";
const TARGET: &str = "wasm32-unknown-unknown";
/// The crate that is built for it: a workspace of its own has its own settings.
const CRATE: [(&str, &str); 3] = [
    ("Cargo.toml", include_str!("crate/Cargo.toml.in")),
    (".cargo/config.toml", include_str!("crate/config.toml.in")),
    ("src/lib.rs", "pub use least_action_live::*;\n"),
];

/// The module, packed by LZMA.
///
/// # Errors
/// It is neither in the folder of a release, nor can it be built.
pub(super) fn found(release: Option<&Path>, streams: &mut Streams<'_>) -> Result<Vec<u8>> {
    if let Some(module) = release.and_then(|folder| files::read(&folder.join(NAME)).ok()) {
        return Ok(module);
    }
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("/"));
    if !library.join("workbench/live/Cargo.toml").is_file() {
        let place = release
            .map_or_else(|| "beside the program".into(), |folder| format!("into {}", folder.display()));
        return Err(missing(&format!("its sources are gone; put that file of the release {place}")));
    }
    let folder = library.join("target").join("live");
    write(&folder, library).map_err(|error| Error::uncreatable(&folder, &error))?;
    let module = folder.join("target").join(TARGET).join("release").join("live.wasm");
    let kept = folder.join(NAME);
    if !kept.is_file() {
        streams.note("the module of pages is built, once: this takes some minutes");
    }
    build(&folder)?;
    let age = |file: &Path| fs::metadata(file).and_then(|file| file.modified()).ok();
    if age(&kept) <= age(&module) {
        let bytes = files::read(&module).map_err(|error| Error::unreadable(&module, &error))?;
        let packed = packed(&bytes).map_err(|error| Error::unwritable(kept.display(), &error))?;
        fs::write(&kept, packed).map_err(|error| Error::unwritable(kept.display(), &error))?;
    }
    files::read(&kept).map_err(|error| Error::unreadable(&kept, &error))
}

/// The bytes packed behind a header that tells their number.
fn packed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut options = LzmaOptions::with_preset(9);
    // A word of a module is a byte, of no alignment.
    (options.lc, options.pb) = (4, 0);
    let mut writer = LzmaWriter::new_use_header(Vec::new(), &options, Some(bytes.len() as u64))?;
    writer.write_all(bytes)?;
    writer.finish()
}

/// Writes the crate, where it is another: cargo builds nothing anew then.
fn write(folder: &Path, library: &Path) -> io::Result<()> {
    let shown = library.display().to_string().replace('\\', "/");
    for (name, text) in CRATE {
        let (file, text) = (folder.join(name), text.replace("{library}", &shown));
        fs::create_dir_all(file.parent().unwrap_or(folder))?;
        if files::read_text(&file).ok().as_ref() != Some(&text) {
            fs::write(file, text)?;
        }
    }
    // Versions of the library as they were when the crate was written; cargo adds what is new.
    for name in ["Cargo.lock", "rust-toolchain.toml"] {
        if library.join(name).is_file() && !folder.join(name).exists() {
            fs::copy(library.join(name), folder.join(name))?;
        }
    }
    Ok(())
}

fn build(folder: &Path) -> Result {
    let mut cargo = Command::new("cargo");
    // Settings of whoever called are of another build.
    for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_DIR", "CARGO_BUILD_TARGET"] {
        cargo.env_remove(name);
    }
    let built = cargo.current_dir(folder).args(["build", "--release", "--target", TARGET]).output();
    let output = built.map_err(|error| match error.kind() {
        ErrorKind::NotFound => missing("there is no cargo to build it: install Rust by https://rustup.rs"),
        _ => missing(&error.to_string()),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("target may not be installed") {
        return Err(missing(&format!("Rust cannot compile for pages yet: `rustup target add {TARGET}`")));
    }
    let first = said.lines().find(|line| line.starts_with("error")).unwrap_or("cargo failed");
    Err(missing(first))
}

fn missing(reason: &str) -> Error {
    Error::Mistake(format!("{NAME}, which computes in a page, is not here: {reason}"))
}
