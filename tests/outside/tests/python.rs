//! Modules of Python: the wheels of the ready models and of a user's crate, in an environment for them.

use crate::workshop::{PROFILE, folder, kept, least_action, pages_compute, printed, program, root, target};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An environment of Python with the requirements of the project's own files.
struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// `None` if no Python from 3.10 on makes environments; then the omission is printed.
    fn make(name: &str, what: &str) -> Option<Self> {
        let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
        let asks = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
        let has = Command::new(&python).args(["-c", asks]).output();
        if !has.is_ok_and(|output| output.status.success()) {
            // Not by a macro, whose words the harness would keep to itself.
            let _ = writeln!(
                std::io::stderr(),
                "left out: {what}, for there is no Python from 3.10 on with venv (give it by PYTHON=…, or install it)"
            );
            return None;
        }
        let _one = one_at_a_time();
        let environment = Self { folder: kept(name) };
        if !environment.folder.join("whole").exists() {
            printed(program(&python, "-m venv --clear", root()).arg(&environment.folder));
            environment.install(&["maturin>=1.9,<2".into()]);
            fs::write(environment.folder.join("whole"), "").unwrap();
        }
        Some(environment)
    }

    fn python(&self, line: &str, folder: &Path) -> Command {
        program(self.folder.join("bin/python"), line, folder)
    }

    fn install(&self, what: &[String]) {
        printed(self.python("-m pip install --quiet --disable-pip-version-check", root()).args(what));
    }

    /// Builds the wheel of a crate without optimization, and installs it with its extras.
    fn build(&self, made: &Path, extras: &str, others: &[&str]) {
        let _one = one_at_a_time();
        let wheels = folder(&format!("{}-wheels", made.file_name().unwrap().display()));
        let mut maturin = self.python("-m maturin build --quiet", made);
        maturin.args(["--config", PROFILE]).arg("--interpreter").arg(self.folder.join("bin/python"));
        maturin.arg("--out").arg(&wheels).env("CARGO_TARGET_DIR", target());
        printed(&mut maturin);
        let mut found = fs::read_dir(&wheels).unwrap().map(|entry| entry.unwrap().path());
        let wheel = found.next().unwrap().display().to_string();
        assert!(wheel.contains("-abi3-"), "one for every Python: {wheel}");
        self.install(&["--force-reinstall".to_owned(), "--no-deps".to_owned(), wheel.clone()]);
        let others = others.iter().map(|other| (*other).to_owned());
        self.install(&std::iter::once(format!("{wheel}[{extras}]")).chain(others).collect::<Vec<_>>());
    }
}

/// Tests share one environment, and the artifacts of one directory.
fn one_at_a_time() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// With others the wheel would differ from the command, and all its dependencies would be built again.
#[test]
fn the_wheel_has_the_versions_of_the_command() {
    let [ours, of_wheel] = ["Cargo.lock", "workbench/python/Cargo.lock"].map(|lock| {
        let text = fs::read_to_string(root().join(lock)).unwrap();
        let packages = text.split("[[package]]\n").skip(1);
        packages
            .map(|package| package.lines().take(2).collect::<Vec<_>>().join(", "))
            .collect::<BTreeSet<_>>()
    });
    let others: Vec<_> =
        of_wheel.difference(&ours).filter(|one| !one.contains("least-action-python")).collect();
    assert!(
        others.is_empty(),
        "{others:?}: copy Cargo.lock to workbench/python, and run `cargo metadata --offline` there"
    );
}

#[test]
fn the_wheel_of_the_ready_models_passes_its_tests_and_runs_the_notebooks() {
    let Some(environment) = Environment::make("environment", "the wheel of the ready models") else { return };
    let (made, computes) = (root().join("workbench/python"), pages_compute());
    environment.build(&made, "test", &["matplotlib"]);
    let mut tests = environment.python("-m pytest --quiet -p no:cacheprovider tests --command", &made);
    printed(tests.arg(env!("CARGO_BIN_EXE_the-command")));
    let folder = folder("notebooks");
    fs::write(folder.join("cells.py"), CELLS.replace("COMPUTES", if computes { "True" } else { "False" }))
        .unwrap();
    let mut notebooks = 0;
    for notebook in fs::read_dir(root().join("docs/notebooks")).unwrap() {
        let mut cells = environment.python("cells.py", &folder);
        printed(cells.arg(notebook.unwrap().path()).env("MPLBACKEND", "agg").env("IPYTHONDIR", &folder));
        notebooks += 1;
    }
    assert_eq!(notebooks, 6);
}

/// Executes the cells of a notebook in their order, without Jupyter, and renders their last expressions.
const CELLS: &str = r#"
import json, sys
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell()
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] == "code":
        done = shell.run_cell("".join(line for line in cell["source"] if COMPUTES or "la.live(" not in line))
        done.raise_error()
        getattr(done.result, "_repr_html_", done.result.__repr__)()
"#;

#[test]
fn a_new_crate_is_a_module_of_python_with_a_notebook() {
    let Some(environment) = Environment::make("environment", "the module of a new crate") else { return };
    let folder = folder("module");
    printed(&mut least_action("new two-beads --python", &folder));
    let made = folder.join("two-beads");
    fs::copy(root().join("Cargo.lock"), made.join("Cargo.lock")).unwrap();
    printed(&mut program(env!("CARGO"), "fmt --check", &made));
    // Beside the crate's requirements, the packages that run a notebook without showing it.
    environment.build(&made, "test", &["nbclient", "ipykernel", "matplotlib"]);
    let told = printed(&mut environment.python("-m pytest --quiet -p no:cacheprovider tests", &made));
    assert!(told.contains("3 passed"), "{told}");
    let runs =
        "import nbformat, nbclient; nbclient.NotebookClient(nbformat.read('two_beads.ipynb', 4)).execute()";
    printed(environment.python("-c", &made).arg(runs));
}

/// The document tells people to install the packages that its blocks need.
#[test]
fn the_blocks_of_the_document_run_in_an_environment_of_its_lines() {
    let document = fs::read_to_string(root().join("docs/python.md")).unwrap();
    let installed = document.lines().find_map(|line| line.strip_prefix("pip install './workbench/python["));
    let extras = installed.and_then(|line| line.split(']').next()).unwrap();
    let Some(environment) = Environment::make("documented", "the blocks of docs/python.md") else { return };
    environment.build(&root().join("workbench/python"), extras, &[]);
    let blocks = document.split("```python\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let (folder, computes) = (folder("blocks"), pages_compute());
    let lines = blocks.flat_map(str::lines).filter(|line| computes || !line.contains("la.live("));
    fs::write(folder.join("blocks.py"), lines.collect::<Vec<_>>().join("\n")).unwrap();
    printed(&mut environment.python("blocks.py", &folder));
}
