//! The compiler, called as cargo calls it for a program that depends on `least-action`.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The compiler with the library of this test run.
pub(crate) struct Rustc {
    library: PathBuf,
    /// The directory of the library and of the crates that it depends on.
    dependencies: PathBuf,
}

impl Rustc {
    /// The library lies beside this test, `target/<profile>/deps/libleast_action-<hash>.rlib`. There are
    /// several if it was built with other features of its dependencies too; the youngest is of the
    /// present sources, since every change of them builds the one that is linked to this test.
    pub(crate) fn with_the_library_of_this_test() -> Self {
        let test = std::env::current_exe().expect("a test is a file");
        let dependencies = test.parent().expect("a file is in a directory").to_owned();
        let files = fs::read_dir(&dependencies).expect("cargo's directory").filter_map(Result::ok);
        let libraries = files.filter(|file| {
            let path = file.path();
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            stem.starts_with("libleast_action-") && path.extension().is_some_and(|found| found == "rlib")
        });
        let age =
            |file: &DirEntry| file.metadata().and_then(|file| file.modified()).expect("cargo needs it too");
        let library = libraries.max_by_key(age).expect("the library beside its tests").path();
        Self { library, dependencies }
    }

    /// The message of the compiler about a program that it does not accept.
    pub(crate) fn refuses(&self, program: &Path) -> Result<String, &'static str> {
        // Types are written with their paths, and lines end where they do in a terminal of this width.
        let output = self.compile(program, &["--verbose", "--diagnostic-width=140"]);
        if output.status.success() {
            return Err("it compiles, without a mistake");
        }
        Ok(String::from_utf8(output.stderr).expect("rustc prints UTF-8"))
    }

    /// The errors in a program, each in a line.
    pub(crate) fn errors(&self, program: &Path) -> String {
        let output = self.compile(program, &["--error-format=short"]);
        String::from_utf8(output.stderr).expect("rustc prints UTF-8")
    }

    fn compile(&self, program: &Path, further: &[&str]) -> Output {
        let mut command = self.command(program);
        command.arg("--emit=metadata").args(further).output().expect("rustc can be started")
    }

    /// The call of the compiler for a program.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut command = Command::new(compiler);
        // Where cargo calls it: the places in the library are relative to the workspace.
        command.current_dir(package.parent().expect("the workspace is above its packages"));
        command.args(["--edition=2024", "--crate-type=bin", "--out-dir", env!("CARGO_TARGET_TMPDIR")]);
        command.arg("--extern").arg(format!("least_action={}", self.library.display()));
        command.arg("-L").arg(format!("dependency={}", self.dependencies.display()));
        command.args(["--color=never", "-Adead_code"]).arg(package.join(program));
        command
    }
}
