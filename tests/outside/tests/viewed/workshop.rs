//! A folder for files, and the command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A folder that is removed in the end.
pub(crate) struct Workshop(PathBuf);

/// How a command ended: its code and its streams.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Workshop {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("least-action-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs the command in the folder; words are separated by spaces.
    pub(crate) fn command(&self, line: &str) -> Ended {
        let output = Command::new(env!("CARGO_BIN_EXE_the-command"))
            .args(line.split_whitespace())
            .current_dir(&self.0)
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ended { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Runs a command that must succeed.
    pub(crate) fn done(&self, line: &str) -> String {
        let ended = self.command(line);
        assert_eq!(ended.code, 0, "{line}: {}", ended.err);
        ended.out
    }

    /// The rows of a recording in JSON.
    pub(crate) fn rows(&self, name: &str) -> Vec<Value> {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    pub(crate) fn url(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display())
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The size of a file.
pub(crate) fn size(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}
