//! Command lines run inside the test, on the ready models.

use least_action_command::Workbench;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// The exit code and the output of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The exit code.
    pub code: u8,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// Runs the arguments of `least-action`, split at blanks.
///
/// # Panics
/// It prints no text.
pub fn run(line: &str) -> Outcome {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let command = Workbench::new("least-action").ready_models();
    let code = command.run(line.split_whitespace(), &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).unwrap_or_else(|error| panic!("{line}: {error}"));
    Outcome { code, out: text(out), err: text(err) }
}

/// The one JSON object that a command line prints.
///
/// # Panics
/// It fails, or prints something else.
pub fn json(line: &str) -> Value {
    let Outcome { code, out, err } = run(line);
    // A step that is probably too long is warned of, and taken.
    let silent = err.lines().all(|said| said.starts_with("warning: "));
    assert!(code == 0 && silent, "{line}: {code}, {err}");
    assert_eq!(out.matches('\n').count(), 1, "{line}: one object on one line");
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// A directory of one test alone, removed when the test ends.
#[derive(Debug)]
pub struct Directory(PathBuf);

impl Directory {
    /// An empty directory.
    ///
    /// # Panics
    /// The temporary directory cannot be written.
    pub fn new(name: &str) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("least-action-{name}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self(path)
    }

    /// A path in the directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file and the directories above it, and returns its path as text.
    ///
    /// # Panics
    /// It cannot be written.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        let written =
            path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, text));
        written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        path.display().to_string()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // A folder that cannot be removed stays in the temporary directory: no reason to fail a test.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
