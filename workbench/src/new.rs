//! `new`: a crate with a model, its test and its command, which works as it is written.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::arguments::New;
use crate::error::Error;

/// A file of the crate, with `{name}`, `{module}` and `{library}` where these are to stand.
///
/// Their names end in `.in`: cargo takes a folder with a `Cargo.toml` for another crate, and packs none of it.
type Template = (&'static str, &'static str);

const CRATE: &[Template] = &[
    ("Cargo.toml", include_str!("new/Cargo.toml.in")),
    ("README.md", include_str!("new/README.md.in")),
    (".gitignore", include_str!("new/gitignore.in")),
    ("src/bead.rs", include_str!("new/bead.rs.in")),
    ("src/lib.rs", include_str!("new/lib.rs.in")),
    ("src/main.rs", include_str!("new/main.rs.in")),
    ("tests/bead.rs", include_str!("new/test.rs.in")),
];

/// What makes it a module of Python too; the first three are added to files of the crate.
const PYTHON: &[Template] = &[
    ("Cargo.toml", include_str!("new/python/Cargo.toml.in")),
    ("README.md", include_str!("new/python/README.md.in")),
    ("src/lib.rs", include_str!("new/python/lib.rs.in")),
    ("pyproject.toml", include_str!("new/python/pyproject.toml.in")),
    ("{module}.ipynb", include_str!("new/python/notebook.ipynb.in")),
    ("tests/test_bead.py", include_str!("new/python/test.py.in")),
];

/// Names of crates that the new one depends on, and those that Rust has.
const TAKEN: &[&str] =
    &["least_action", "least_action_command", "serde", "core", "std", "alloc", "proc_macro", "test", "bead"];

/// Keywords of Rust and of Python: neither takes them for the name of a module.
const KEYWORDS: &str = "and as assert async await become box break class const continue crate def del do dyn elif else enum except extern \
    false final finally fn for from gen global if impl import in is lambda let loop macro match mod move mut none nonlocal not or override \
    pass priv pub raise ref return self static struct super trait true try type typeof unsafe unsized use virtual where while with yield";

/// Writes the crate.
pub(crate) fn new(arguments: &New, out: &mut dyn Write) -> Result<(), Error> {
    let New { path, python, library } = arguments;
    let refused = |reason: String| Error::NewCrate { path: path.clone(), reason };
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    check(name).map_err(|reason| refused(reason.to_owned()))?;
    if path.exists() {
        return Err(refused("there is something of that name: give another one, or remove it".to_owned()));
    }
    let library =
        library.as_deref().map_or_else(|| library_of_this_program(path), |given| found(path, given))?;
    let fill = |text: &str| {
        text.replace("{name}", name)
            .replace("{module}", &name.replace('-', "_"))
            .replace("{library}", &library.display().to_string())
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
        fs::rename(&draft, path)
    };
    write().map_err(|error| {
        let _ = fs::remove_dir_all(&draft);
        Error::uncreatable(path, &error)
    })?;
    tell(path, name, *python, out).map_err(|error| Error::stdout(&error))
}

fn tell(path: &Path, name: &str, python: bool, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} is a crate with one model, src/bead.rs. To run it:\n", path.display())?;
    writeln!(out, "    cd {}", path.display())?;
    writeln!(out, "    cargo run -- run bead --method rattle --step 0.01 --until 10 --plot bead.svg")?;
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
    if TAKEN.contains(&&*module) || KEYWORDS.split_whitespace().any(|word| word == module) {
        return Err("Rust, Python or a crate that it needs has this name: give another one");
    }
    Ok(())
}

/// The library that this program was built from, if it is still there.
fn library_of_this_program(path: &Path) -> Result<PathBuf, Error> {
    let of_the_build = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("/"));
    found(path, of_the_build)
}

/// The folder of Least Action, as an absolute path.
fn found(path: &Path, library: &Path) -> Result<PathBuf, Error> {
    let is_there =
        ["integrator-core", "workbench"].iter().all(|part| library.join(part).join("Cargo.toml").is_file());
    let absolute = library.canonicalize().ok().filter(|_| is_there);
    // Between quotation marks in a manifest.
    absolute.filter(|path| !path.to_string_lossy().contains(['"', '\\'])).ok_or_else(|| Error::NewCrate {
        path: path.to_owned(),
        reason: format!(
            "{} has no crates `integrator-core` and `workbench` that it could depend on: give the folder of Least Action by --library",
            library.display()
        ),
    })
}
