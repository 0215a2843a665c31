//! The memory that a command may take.

use std::path::Path;

use least_action::files;

/// The part of the free memory that is taken at most: estimates are no promises.
const PART: f64 = 0.9;

/// The memory that the machine, the control group of the process and its own limit leave, in bytes.
/// Without a known limit it is the largest number.
pub fn available() -> u64 {
    let free = of_the_machine().min(of_the_process().unwrap_or(u64::MAX));
    if free == u64::MAX { free } else { (PART * free as f64) as u64 }
}

#[cfg(feature = "tables")]
fn of_the_machine() -> u64 {
    use sysinfo::{MemoryRefreshKind, RefreshKind, System};

    let memory = MemoryRefreshKind::nothing().with_ram();
    let system = System::new_with_specifics(RefreshKind::nothing().with_memory(memory));
    match (system.available_memory(), system.cgroup_limits()) {
        (0, None) => u64::MAX,
        (free, None) => free,
        (free, Some(group)) => free.min(group.free_memory),
    }
}

/// A program without tables does not know the machine.
#[cfg(not(feature = "tables"))]
fn of_the_machine() -> u64 {
    u64::MAX
}

/// The addresses that `ulimit -v` leaves, where Linux tells.
fn of_the_process() -> Option<u64> {
    let number = |file: &str, name: &str, unit: u64| {
        let text = files::read_text(Path::new(file)).ok()?;
        let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
        Some(unit * rest.split_whitespace().next()?.parse::<u64>().ok()?)
    };
    let limit = number("/proc/self/limits", "Max address space", 1)?;
    Some(limit.saturating_sub(number("/proc/self/status", "VmSize:", 1024)?))
}

/// A size such as `4G`, `500M` or `1000000`, in bytes.
///
/// # Errors
/// The text is none; the words say how one is written.
pub fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = match text.char_indices().last() {
        Some((end, unit)) if unit.is_alphabetic() => (&text[..end], unit.to_ascii_uppercase()),
        _ => (text, ' '),
    };
    let unit = match unit {
        ' ' => Some(1.0),
        'K' => Some(1e3),
        'M' => Some(1e6),
        'G' => Some(1e9),
        'T' => Some(1e12),
        _ => None,
    };
    let bytes = number.trim().parse::<f64>().ok().zip(unit).map(|(number, unit)| number * unit);
    match bytes {
        Some(bytes) if bytes > 0.0 && bytes.is_finite() => Ok(bytes as u64),
        _ => {
            Err("give a positive number of bytes, or one with K, M, G or T behind it, such as 4G".to_owned())
        }
    }
}
