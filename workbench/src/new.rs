//! `new`: a crate with a model, its test and its command, which works as it is written.

mod reserved;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::arguments::New;
use crate::error::{Error, Result};
use crate::registry::type_name;
use crate::streams::Streams;

/// A file of the crate, with `{name}`, `{module}`, `{model}`, `{command}` and `{library}` where these
/// are to stand.
///
/// Their names end in `.in`: cargo takes a folder with a `Cargo.toml` for another crate, and packs none
/// of it.
type Template = (&'static str, &'static str);

const CRATE: &[Template] = &[
    ("Cargo.toml", include_str!("new/Cargo.toml.in")),
    ("README.md", include_str!("new/README.md.in")),
    (".gitignore", include_str!("new/gitignore.in")),
    ("src/model.rs", include_str!("new/model.rs.in")),
    ("src/lib.rs", include_str!("new/lib.rs.in")),
    ("src/main.rs", include_str!("new/main.rs.in")),
    ("tests/model.rs", include_str!("new/test.rs.in")),
];

/// The files of a module of Python; the first three are added to files of the crate.
const PYTHON: &[Template] = &[
    ("Cargo.toml", include_str!("new/python/Cargo.toml.in")),
    ("README.md", include_str!("new/python/README.md.in")),
    ("src/lib.rs", include_str!("new/python/lib.rs.in")),
    ("pyproject.toml", include_str!("new/python/pyproject.toml.in")),
    ("{module}.ipynb", include_str!("new/python/notebook.ipynb.in")),
    ("tests/test_model.py", include_str!("new/python/test.py.in")),
];

/// Writes the crate.
pub(crate) fn new(arguments: &New, streams: &mut Streams<'_>) -> Result {
    let New { path, python, library } = arguments;
    let refused = |reason: String| refused(path, &reason);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let checked = check(name).and_then(|()| if *python { check_module(name) } else { Ok(()) });
    checked.map_err(|reason| refused(reason.to_owned()))?;
    if path.exists() {
        return Err(refused("there is something of that name: give another one, or remove it".to_owned()));
    }
    let of_the_build = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("/"));
    let library = found(path, library.as_deref().unwrap_or(of_the_build))?;
    let shown = from(path, &library);
    let fill = |text: &str| {
        text.replace("{name}", name)
            .replace("{module}", &name.replace('-', "_"))
            .replace("{model}", &type_name(name))
            .replace("{command}", &name.replace('_', "-"))
            .replace("{library}", &shown.display().to_string())
    };
    // It has its name when it is whole.
    let draft = path.with_file_name(format!(".{name}.partial"));
    let write = || -> io::Result<()> {
        let _ = fs::remove_dir_all(&draft);
        for (file, text) in CRATE.iter().chain(PYTHON.iter().filter(|_| *python)) {
            let file = draft.join(fill(file));
            fs::create_dir_all(file.parent().unwrap_or(&draft))?;
            let mut file = fs::OpenOptions::new().create(true).append(true).open(file)?;
            file.write_all(fill(text).as_bytes())?;
        }
        // The versions and the compiler of the library; cargo leaves out what the crate does not need.
        for file in ["Cargo.lock", "rust-toolchain.toml"].iter().filter(|file| library.join(file).is_file()) {
            fs::copy(library.join(file), draft.join(file))?;
        }
        fs::rename(&draft, path)
    };
    write().map_err(|error| {
        let _ = fs::remove_dir_all(&draft);
        Error::uncreatable(path, &error)
    })?;
    tell(path, name, *python, &mut streams.text()).map_err(|error| Error::stdout(&error))
}

fn tell(path: &Path, name: &str, python: bool, out: &mut dyn Write) -> io::Result<()> {
    let (folder, model) = (path.display(), name.replace('_', "-"));
    writeln!(
        out,
        "{folder} is a crate with one model, `{model}`, in src/model.rs: a bead on a wire, to change, or to replace by a model of your own. To run it:\n"
    )?;
    writeln!(out, "    cd {folder}")?;
    writeln!(out, "    cargo run -- run {model} --view motion.html")?;
    writeln!(out, "    cargo test")?;
    if python {
        let module = name.replace('-', "_");
        writeln!(out, "    python3 -m venv .venv && . .venv/bin/activate && pip install '.[test]'")?;
        writeln!(out, "    pytest                     # and {module}.ipynb is a first notebook")?;
    }
    Ok(())
}

/// Refuses a name that is none of a crate and of a module.
///
/// # Errors
/// The reason.
pub fn check(name: &str) -> Result<(), &'static str> {
    let module = name.replace('-', "_").to_ascii_lowercase();
    if !name.starts_with(|letter: char| letter.is_ascii_lowercase()) {
        return Err("its last part names the crate, and has to begin with a small letter, as in `beads`");
    }
    if !name
        .chars()
        .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_".contains(letter))
    {
        return Err("the name of a crate has small letters, digits, `-` and `_` alone");
    }
    if name.len() > LONGEST {
        return Err("the name of a crate has 64 letters at most");
    }
    let is_taken = [reserved::KEYWORDS, reserved::CRATES].iter().any(|list| reserved::has(list, &module));
    let is_taken = is_taken || reserved::has(reserved::TYPES, &type_name(name));
    if is_taken || module.starts_with("least_action") {
        return Err("Rust, Python or a crate that it needs has this name: give another one");
    }
    if reserved::has(reserved::PLACES, &module) {
        return Err("cargo or Windows keeps this name for itself: give another one");
    }
    Ok(())
}

/// The longest name that a registry of crates takes, in letters.
const LONGEST: usize = 64;

/// Refuses the name of a crate whose module would hide another one from Python.
///
/// # Errors
/// The reason.
pub fn check_module(name: &str) -> Result<(), &'static str> {
    let module = name.replace('-', "_");
    if [reserved::MODULES, reserved::PACKAGES].iter().any(|list| reserved::has(list, &module)) {
        return Err("Python or a package that it needs has a module of this name: give another one");
    }
    Ok(())
}

/// The library as the crate at `path` finds it: both may move together, unless they share nothing but
/// the root.
fn from(path: &Path, library: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(parent) = parent.canonicalize() else { return library.to_owned() };
    let shared = parent.components().zip(library.components()).take_while(|(a, b)| a == b).count();
    if shared < 2 {
        return library.to_owned();
    }
    let up = std::iter::repeat_n("..".as_ref(), parent.components().count() + 1 - shared);
    up.chain(library.iter().skip(shared)).collect()
}

/// The folder of Least Action, as an absolute path.
fn found(path: &Path, library: &Path) -> Result<PathBuf> {
    let is_there =
        ["integrator-core", "workbench"].iter().all(|part| library.join(part).join("Cargo.toml").is_file());
    let absolute = library.canonicalize().ok().filter(|_| is_there);
    // Between quotation marks in a manifest.
    absolute.filter(|path| !path.to_string_lossy().contains(['"', '\\'])).ok_or_else(|| {
        let reason = format!(
            "{} has no crates `integrator-core` and `workbench` that it could depend on: give the folder of Least Action by --library",
            library.display()
        );
        refused(path, &reason)
    })
}

fn refused(path: &Path, reason: &str) -> Error {
    Error::Mistake(format!("new {}: {reason}", path.display()))
}
