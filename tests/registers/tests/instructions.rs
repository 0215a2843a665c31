//! Steps of small systems agree with the same schemes by hand, and keep to a table of instructions.
//!
//! Where valgrind is not found, nothing counts them.
//! The table, `instructions.json` beside this file, belongs to AVX2, the widest that valgrind has.
//! `BLESS=1` writes it anew.

#![expect(clippy::expect_used, reason = "a test of runs that are known to be stable")]
#![expect(clippy::needless_range_loop, reason = "matrices and their indices, as in the formulas")]

#[path = "../../benches/small/rows/mod.rs"]
mod rows;

use rows::{ROWS, WAYS, counted};
use std::collections::BTreeMap;
use std::path::Path;

/// The part by which a count may differ from the table.
const WITHIN: f64 = 0.03;

fn main() {
    if rows::has_run() {
        return;
    }
    ROWS.iter().for_each(|row| drop(row.compare()));
    let [_, library] = WAYS;
    let count = |name| Some((name, counted::instructions(name, library)?.round() as u64));
    let Some(counts) = ROWS.iter().map(|row| count(row.0)).collect::<Option<BTreeMap<_, _>>>() else {
        println!("left out: valgrind, which counts instructions, is not found");
        return;
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/instructions.json");
    if std::env::var_os("BLESS").is_some() {
        let table = serde_json::to_string_pretty(&counts).expect("a table");
        std::fs::write(&path, table + "\n").expect("a file");
    }
    let table = std::fs::read_to_string(&path).expect("the table");
    let table: BTreeMap<&str, u64> = serde_json::from_str(&table).expect("the table");
    assert!(table.keys().eq(counts.keys()), "rows are {:?}, and the table has others", counts.keys());
    let off: Vec<String> = counts
        .iter()
        .filter(|(name, count)| (**count as f64 / table[*name] as f64 - 1.0).abs() > WITHIN)
        .map(|(name, count)| format!("{name} takes {count} instructions a step, not {}", table[name]))
        .collect();
    assert!(off.is_empty(), "{}: right as they are? BLESS=1 writes the table anew", off.join("; "));
    println!("{} rows take the instructions of the table", counts.len());
}
