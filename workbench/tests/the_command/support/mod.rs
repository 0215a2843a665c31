//! Small declared models and a way to run a command line on them within the test.

mod models;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use least_action_command::Workbench;
pub(crate) use models::{Bead, Cart, Chain, Ions, PolarPendulum, SpringPendulum, Springs};
use serde_json::Value;

/// The command over the models of these tests.
pub(crate) fn workbench() -> Workbench {
    Workbench::new("bench")
        .model::<SpringPendulum>("spring-pendulum")
        .model::<Chain>("chain")
        .model::<Bead>("bead")
        .model::<PolarPendulum>("polar-pendulum")
        .model::<Springs>("springs")
        .model::<Cart>("cart")
        .model::<Ions>("ions")
}

/// The exit code and the output of a command line.
pub(crate) struct Outcome {
    pub(crate) code: u8,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Outcome {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        assert_eq!((self.code, self.err.as_str()), (0, ""));
        assert_eq!(self.out.matches('\n').count(), 1, "one object on one line");
        serde_json::from_str(&self.out).unwrap()
    }
}

/// Runs a command line, split at blanks.
pub(crate) fn run(line: &str) -> Outcome {
    run_by(&workbench(), line)
}

/// The same with the ready models.
pub(crate) fn ready(line: &str) -> Outcome {
    run_by(&Workbench::new("bench").ready_models(), line)
}

/// The same by another command.
pub(crate) fn run_by(command: &Workbench, line: &str) -> Outcome {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = command.run(line.split_whitespace(), &mut out, &mut err);
    Outcome { code, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

/// A directory of this test alone, removed when the test ends.
pub(crate) struct Directory(PathBuf);

impl Directory {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("workbench-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A path in the directory.
    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// The names of all files in the directory.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Writes a file and returns its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).unwrap();
        self.path(name)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
