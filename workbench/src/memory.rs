//! The memory that a command may take.

/// The memory that is free on this machine or in the control group of the process, in bytes; no limit where it is not known.
#[cfg(feature = "tables")]
pub fn available() -> u64 {
    use sysinfo::{MemoryRefreshKind, RefreshKind, System};

    /// The part of the free memory that is taken at most: estimates are no promises.
    const PART: f64 = 0.9;
    let memory = MemoryRefreshKind::nothing().with_ram();
    let Ok(system) = System::new_with_specifics(RefreshKind::nothing().with_memory(memory)) else {
        return u64::MAX;
    };
    let free = match (system.available_memory(), system.cgroup_limits()) {
        (0, None) => return u64::MAX,
        (free, None) => free,
        (free, Some(group)) => free.min(group.free_memory),
    };
    (PART * free as f64) as u64
}

/// A program without tables knows of no limit but the one that it is given.
#[cfg(not(feature = "tables"))]
pub fn available() -> u64 {
    u64::MAX
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
