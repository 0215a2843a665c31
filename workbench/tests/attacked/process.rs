//! The command as a process of its own, with a limit on its time.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A command has this long to end, or to say a word.
const LIMIT: Duration = Duration::from_secs(10);
/// A run tells of the time that it takes after five seconds.
const SOON: Duration = Duration::from_secs(5);

/// How a command line ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ended {
    /// Exit code 0, and no word.
    Well,
    /// Exit code 0, and a warning.
    Warned,
    /// Exit code 2.
    Refused,
    /// Exit code 1, or 3 where members of an ensemble failed.
    Failed,
    /// Ended after more than five seconds, or still running after the limit, having said so.
    LongTold,
    /// Still running after the limit, without a word.
    LongSilent,
    /// A panic, a signal, another exit code, or a message of more or less than one line.
    Broken,
}

pub(crate) struct Outcome {
    pub(crate) ended: Ended,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A directory of one thread, removed at the end; commands run in it.
pub(crate) struct Directory(PathBuf);

impl Directory {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("least-action-attacked-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Writes a file, which commands name without a directory.
    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.0.join(name)).ok()
    }

    /// The content of a file, if there is one.
    pub(crate) fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.0.join(name)).ok()
    }

    pub(crate) fn write_bytes(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.join(name), bytes).unwrap();
    }

    /// Removes a file, if there is one.
    pub(crate) fn remove(&self, name: &str) {
        let _ = fs::remove_file(self.0.join(name));
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn run(&self, arguments: &[String]) -> Outcome {
        let stream = |name: &str| Stdio::from(File::create(self.0.join(name)).unwrap());
        let mut child = Command::new(env!("CARGO_BIN_EXE_least-action"))
            .args(arguments)
            .current_dir(&self.0)
            .stdin(Stdio::null())
            .stdout(stream("stdout"))
            .stderr(stream("stderr"))
            .spawn()
            .unwrap();
        let (clock, mut pause) = (Instant::now(), Duration::from_micros(200));
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            // A command that has told of the time it needs may take it; nobody waits here.
            let told = clock.elapsed() > SOON
                && fs::read_to_string(self.0.join("stderr")).is_ok_and(|err| err.contains("note: "));
            if told || clock.elapsed() > LIMIT {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(Duration::from_millis(20));
        };
        let text = |name| String::from_utf8_lossy(&fs::read(self.0.join(name)).unwrap()).into_owned();
        let (out, err) = (text("stdout"), text("stderr"));
        let lines = err.lines().count();
        let ended = match status.map(|status| status.code()) {
            _ if err.contains("panicked") => Ended::Broken,
            None if err.is_empty() => Ended::LongSilent,
            None => Ended::LongTold,
            Some(Some(0)) if err.is_empty() => Ended::Well,
            Some(Some(0)) if err.lines().all(|line| line.starts_with("note: ")) => Ended::LongTold,
            Some(Some(0))
                if err.lines().all(|line| line.starts_with("warning: ") || line.starts_with("note: ")) =>
            {
                Ended::Warned
            }
            Some(Some(2)) if lines == 1 && err.starts_with("error: ") => Ended::Refused,
            Some(Some(1 | 3)) if err.lines().last().is_some_and(|line| line.starts_with("error: ")) => {
                Ended::Failed
            }
            _ => Ended::Broken,
        };
        Outcome { ended, out, err }
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A command line as one can type it again.
pub(crate) fn typed(arguments: &[String]) -> String {
    let quoted = |argument: &String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_=.,[]+:/".contains(c);
        if !argument.is_empty() && argument.chars().all(plain) {
            argument.clone()
        } else {
            format!("'{}'", argument.replace('\'', "'\\''"))
        }
    };
    arguments.iter().map(quoted).collect::<Vec<_>>().join(" ")
}
