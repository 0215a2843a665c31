//! Instructions of a step: the difference of two runs of this program of different length.

use std::process::Command;

/// The lengths of the two runs.
const STEPS: [u64; 2] = [100, 600];

/// The instructions of a step; `None` where valgrind is not found.
pub(crate) fn instructions(row: &str, way: &str) -> Option<f64> {
    let [short, long] = STEPS.map(|steps| references(row, way, steps));
    Some((long? - short?) / (STEPS[1] - STEPS[0]) as f64)
}

/// The instructions of a whole run.
fn references(row: &str, way: &str, steps: u64) -> Option<f64> {
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(std::env::current_exe().ok()?)
        .args([row, way, &steps.to_string()])
        .output()
        .ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let (_, number) = said.lines().find_map(|line| line.split_once("refs:"))?;
    number.trim().replace(',', "").parse().ok()
}
