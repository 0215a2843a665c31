//! Parquet files of other programs, damaged: flipped bits, bytes that are all ones, ends cut off.

use crate::process::{Directory, Ended};
use crate::random::Random;
use std::fs;
use std::path::Path;

const RECORDINGS: &[&str] =
    &["pyarrow-snappy", "pyarrow-gzip", "pyarrow-zstd-v2", "pyarrow-brotli", "polars"];
const TABLES: &[&str] = &["members-snappy", "members-polars"];

const PLAN: &str = "model = \"chain\"\nmethod = \"rattle\"\nstep = 0.01\nuntil = 0.05\n[table]\nfile = \"damaged.parquet\"\nlabel = \"who\"\n\
                    columns = { \"set.mass\" = \"m\" }\n";

/// A file with some damage.
fn damaged(name: &str, random: &mut Random) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/the_command/brought");
    let mut bytes = fs::read(folder.join(format!("{name}.parquet"))).unwrap();
    // The end of a file, which describes it, is a part of it among others: half of the damage is there.
    let end = bytes.len() / 2;
    for _ in 0..=random.below(4) {
        let place = if random.is(0.5) { end + random.below(end) } else { random.below(bytes.len()) };
        bytes[place] = if random.is(0.1) { 0xff } else { bytes[place] ^ (1 << random.below(8)) };
    }
    if random.is(0.1) {
        bytes.truncate(random.below(bytes.len()));
    }
    bytes
}

/// Tries one file.
pub(crate) fn attempt(random: &mut Random, directory: &Directory) -> (Ended, Option<String>) {
    let is_table = random.is(0.3);
    let name = random.word(if is_table { TABLES } else { RECORDINGS });
    let bytes = damaged(name, random);
    directory.write_bytes("damaged.parquet", &bytes);
    directory.write("plan.toml", PLAN);
    let line = if is_table {
        "ensemble plan.toml --out out --dry-run"
    } else {
        random.word(&["view damaged.parquet --out x.html", "report damaged.parquet --out x.html"])
    };
    let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let outcome = directory.run(&arguments);
    let bad = matches!(outcome.ended, Ended::Broken | Ended::LongSilent);
    let told = outcome.err.trim();
    let objection =
        bad.then(|| format!("{:?}: {line} of {name}\n    {told}\n    {bytes:02x?}", outcome.ended));
    (outcome.ended, objection)
}
