//! The processor time and the memory that a process takes, by Linux's /proc.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The cost of a call of rustc with optimization.
pub(super) struct Cost {
    /// True if it found no mistake, false if it said which; none where it did not come to its end.
    pub(super) succeeds: Option<bool>,
    /// Seconds of processor; seconds on the clock, if the system tells no other.
    pub(super) seconds: f64,
    /// The most memory that it held, in bytes.
    pub(super) memory: u64,
    pub(super) messages: String,
}

impl Cost {
    /// Runs rustc until it ends, or takes more than these seconds or this memory.
    pub(super) fn of(rustc: &mut Command, most_seconds: f64, most_memory: u64) -> Self {
        let command = rustc.args(["-O", "--emit=obj"]).stdout(Stdio::null()).stderr(Stdio::piped());
        let clock = Instant::now();
        let mut child = command.spawn().expect("rustc can be started");
        let mut pipe = child.stderr.take().expect("a pipe");
        let reader = thread::spawn(move || {
            let mut bytes = Vec::new();
            pipe.read_to_end(&mut bytes).expect("what rustc says can be read");
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let (mut seconds, mut memory) = (0.0, 0);
        let status = loop {
            if let Some(status) = child.try_wait().expect("the child of this process") {
                break status;
            }
            let found = seconds_of(child.id()).unwrap_or_else(|| clock.elapsed().as_secs_f64());
            (seconds, memory) = (found.max(seconds), memory_of(child.id()).unwrap_or(0).max(memory));
            if seconds > most_seconds || memory > most_memory {
                child.kill().expect("the child of this process");
            }
            thread::sleep(Duration::from_millis(10));
        };
        let messages = reader.join().expect("rustc's words");
        let succeeds = match status.code() {
            Some(0) => Some(true),
            Some(1) => Some(false),
            _ => None,
        };
        Self { succeeds, seconds, memory, messages }
    }
}

/// User and system time of all threads; /proc counts in hundredths of a second.
fn seconds_of(process: u32) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field is a name in parentheses, which may hold anything.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    (ticks > 0).then_some(ticks as f64 / 100.0)
}

fn memory_of(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(1024 * line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?)
}
