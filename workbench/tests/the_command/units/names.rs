//! Names of crates.

use crate::support::{Directory, run};
use least_action_command::internals::{check_module, check_name};

#[test]
fn names_are_those_of_crates_and_modules() {
    for name in ["beads", "two-bodies", "x2"] {
        assert_eq!(check_name(name), Ok(()), "{name}");
    }
    for name in [
        "",
        "Beads",
        "2x",
        "a.b",
        "..",
        "été",
        "fn",
        "lambda",
        "serde",
        "least-action",
        "least-action-command",
        "self",
    ] {
        assert!(check_name(name).is_err(), "{name}");
    }
}

/// Words that Rust and cargo reserve, by the reference of the language and the sources of cargo, and
/// devices of Windows.
const OF_RUST: &str = "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub \
    ref return self static struct super trait true type unsafe use where while abstract become box do final gen macro override priv try typeof \
    unsized virtual yield test core std alloc proc_macro build deps examples incremental con prn aux nul com1 lpt9 bool u8 str";

/// Keywords of Python.
const OF_PYTHON: &str = "and assert class def del elif except finally from global import is lambda nonlocal not or pass raise with";

#[test]
fn reserved_words_name_no_crate() {
    for name in OF_RUST.split_whitespace().chain(OF_PYTHON.split_whitespace()) {
        assert!(check_name(name).is_err(), "{name}");
    }
    // The model has the name of the crate, and hides no type that its declaration needs.
    for name in
        ["state", "look", "vec-2", "scalar", "option", "to_string", "workbench", "energy", "rattle", "error"]
    {
        assert!(check_name(name).is_err(), "{name}");
    }
    assert!(check_name(&"a".repeat(64)).is_ok() && check_name(&"a".repeat(65)).is_err());
}

#[test]
fn a_module_hides_none_that_python_needs() {
    for name in ["os", "json", "numpy", "sys", "typing", "pytest", "matplotlib", "py-compile", "sre_parse"] {
        assert_eq!((check_name(name), check_module(name).is_err()), (Ok(()), true), "{name}");
    }
    assert_eq!(check_module("beads"), Ok(()));
    // The words of the Python that is here, whichever it is.
    let script = "import keyword, sys; print(*keyword.kwlist, *sys.stdlib_module_names)";
    let Ok(told) = std::process::Command::new("python3").args(["-c", script]).output() else { return };
    let told = String::from_utf8(told.stdout).unwrap();
    for name in told.split_whitespace().filter(|name| check_name(name).is_ok()) {
        assert!(check_module(name).is_err(), "{name}");
    }
}

/// Cargo itself takes the manifest of every name that `new` takes, and writes nothing for the others.
#[test]
fn what_is_written_is_a_crate_for_cargo() {
    let directory = Directory::new();
    let library = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    for name in
        ["gears", "two-bodies", "os", "tests", "target", "src", "main", "command", "rand", "x2", "union_jack"]
    {
        let path = directory.path(name);
        let written = run(&format!("new {path} --library {library}"));
        assert_eq!((written.code, written.err.as_str()), (0, ""), "{name}");
        assert!(written.out.contains(&format!("one model, `{}`", name.replace('_', "-"))), "{}", written.out);
        let manifest = format!("{path}/Cargo.toml");
        let cargo = std::process::Command::new(env!("CARGO"))
            .args([
                "metadata",
                "--no-deps",
                "--offline",
                "--format-version",
                "1",
                "--manifest-path",
                &manifest,
            ])
            .output()
            .unwrap();
        assert!(cargo.status.success(), "{name}: {}", String::from_utf8_lossy(&cargo.stderr));
    }
    for (name, more) in
        [("build", ""), ("deps", ""), ("os", "--python"), ("json", "--python"), ("numpy", "--python")]
    {
        let path = directory.path(&format!("refused/{name}"));
        let refused = run(&format!("new {path} --library {library} {more}"));
        assert_eq!((refused.code, refused.err.lines().count()), (2, 1), "{name}: {}", refused.err);
        assert!(refused.err.ends_with("give another one\n"), "{name}: {}", refused.err);
    }
}
