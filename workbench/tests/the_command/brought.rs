//! Input of other programs: tables and recordings, damaged ones, marks of encodings, keys and columns
//! that are given twice.
//!
//! The files in `brought` were written by pyarrow 26, pandas 3.1, Polars 2.1 and DuckDB 2.0: x = cos t
//! and its derivative at t = 0, 0.25, …, 9.75; and masses by name. Those with a logical type in their
//! name have x with six decimals.

use crate::support::{Directory, run};
use parquet::basic::{Repetition, Type as Physical};
use parquet::data_type::DoubleType;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::fs::{self, File};
use std::sync::Arc;

fn brought(name: &str) -> String {
    format!("{}/tests/the_command/brought/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The numbers of the recordings as text.
fn recording() -> String {
    let row = |k: i32| {
        let t = 0.25 * f64::from(k);
        format!("{t:?},{:?},{:?},0.5\n", t.cos(), -t.sin())
    };
    format!("t,x,der.x,energy\n{}", (0..40).map(row).collect::<String>())
}

/// The page of a recording, without the name of its file.
fn page(directory: &Directory, recording: &str) -> String {
    let page = directory.path("page.html");
    let viewed = run(&format!("view {recording} --out {page}"));
    assert_eq!((viewed.code, viewed.err.as_str()), (0, ""), "{recording}");
    let name = recording.rsplit('/').next().unwrap();
    fs::read_to_string(page).unwrap().replace(recording, "FILE").replace(name, "FILE")
}

#[test]
fn recordings_of_other_programs_are_read_by_any_of_three_codecs() {
    let directory = Directory::new();
    let expected = page(&directory, &directory.file("motion.csv", &recording()));
    for name in ["pyarrow-snappy", "pyarrow-gzip", "pyarrow-zstd-v2", "polars"] {
        let found = page(&directory, &brought(&format!("{name}.parquet")));
        assert!(found == expected, "{name}");
    }
    let refused =
        run(&format!("view {} --out {}", brought("pyarrow-brotli.parquet"), directory.path("x.html")));
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.ends_with(
            "it is compressed as BROTLI; write it with Snappy, Zstandard or gzip, or without compression\n"
        ),
        "{}",
        refused.err
    );
}

#[test]
fn decimals_durations_and_timestamps_are_numbers() {
    let directory = Directory::new();
    let rounded = |x: f64| (1e6 * x).round() / 1e6;
    let rows = (0..40).map(|k| 0.25 * f64::from(k));
    let rows = rows.map(|t| format!("{t:?},{:?},{:?},0.5\n", rounded(t.cos()), rounded(-t.sin())));
    let text = format!("t,x,der.x,energy\n{}", rows.collect::<String>());
    let expected = page(&directory, &directory.file("motion.csv", &text));
    // One of them has a column of words, for which nobody asks.
    for name in
        ["pandas-duration", "polars-duration", "duckdb-decimal", "duckdb-interval", "duckdb-timestamp"]
    {
        let found = page(&directory, &brought(&format!("{name}.parquet")));
        assert!(found == expected, "{name}");
    }
}

#[test]
fn members_come_from_compressed_tables() {
    for name in ["members-snappy", "members-polars", "members-duckdb"] {
        let directory = Directory::new();
        let table = brought(&format!("{name}.parquet"));
        directory.file(
            "plan.toml",
            &format!(
                "model = \"chain\"\nmethod = \"rattle\"\nstep = 0.01\nuntil = 0.05\n[table]\nfile = \"{table}\"\nlabel = \"who\"\n\
                 columns = {{ \"set.mass\" = \"m\" }}\n"
            ),
        );
        let done = run(&format!("ensemble {} --out {}", directory.path("plan.toml"), directory.path("out")));
        assert_eq!((done.code, done.err.as_str()), (0, ""));
        let file = File::open(directory.path("out/members/part-00000.parquet")).unwrap();
        let file = SerializedFileReader::new(file).unwrap();
        let rows = file.get_row_iter(None).unwrap();
        for (row, (mass, name)) in rows.zip([(1.5, "a"), (2.5, "b"), (4.0, "c")]) {
            let row = row.unwrap().to_json_value();
            assert_eq!((&row["set.mass"], &row["who"]), (&mass.into(), &name.into()));
        }
    }
}

/// Bits are flipped in files of each codec, and ends cut off: readable rows are shown, and a failure is
/// one line.
#[test]
fn a_damaged_file_is_an_error_in_one_line() {
    let directory = Directory::new();
    let out = directory.path("x.html");
    let (mut refused, mut shown) = (0, 0);
    for name in ["pyarrow-snappy", "pyarrow-gzip", "pyarrow-zstd-v2", "polars"] {
        let whole = fs::read(brought(&format!("{name}.parquet"))).unwrap();
        for number in 0..60_u64 {
            // The numbers of Knuth, as places in the file.
            let mut random = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let mut bytes = whole.clone();
            for _ in 0..=number % 4 {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let bit = (random >> 33) as usize % (8 * bytes.len());
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            if number % 10 == 9 {
                bytes.truncate((random >> 33) as usize % bytes.len());
            }
            let path = directory.path("damaged.parquet");
            fs::write(&path, &bytes).unwrap();
            let ended = run(&format!("view {path} --out {out}"));
            match ended.code {
                0 => shown += 1,
                2 => refused += 1,
                code => panic!("{name} {number}: {code} {}", ended.err),
            }
            assert!(ended.err.lines().count() <= 1, "{name} {number}: {}", ended.err);
        }
    }
    assert!(refused > 40 && shown > 20, "{refused} {shown}");
}

#[test]
fn a_mark_of_the_encoding_is_no_part_of_a_text() {
    let directory = Directory::new();
    let marked = |name: &str, text: &str| directory.file(name, &format!("\u{feff}{text}"));
    let line = "run spring-pendulum --method verlet --step 0.1 --until 0.1 --format json";
    let plain = run(&format!("{line} --set mass=2")).json();
    for params in [marked("p.json", "{\"model\": {\"mass\": 2}}"), marked("p.toml", "[model]\nmass = 2\n")] {
        assert_eq!(run(&format!("{line} --params {params}")).json()["q"], plain["q"]);
    }
    let start = marked("s.json", "{\"q\": [1.0, 0.0], \"v\": [0.0, 0.0]}");
    assert_eq!(run(&format!("{line} --set mass=2 --start {start}")).json()["q"], plain["q"]);
    let expected = page(&directory, &directory.file("motion.csv", &recording()));
    assert_eq!(page(&directory, &marked("motion.csv", &recording())), expected);
    let rows = "[{\"t\": 0, \"q\": [1]}, {\"t\": 1, \"q\": [2]}]";
    let expected = page(&directory, &directory.file("rows.json", rows));
    assert_eq!(page(&directory, &marked("rows.json", rows)), expected);
    marked("members.csv", "set.mass\n1.5\n");
    marked(
        "plan.toml",
        "model = \"chain\"\nmethod = \"rattle\"\nstep = 0.01\nuntil = 0.05\n[table]\nfile = \"members.csv\"\n",
    );
    let done = run(&format!("ensemble {} --out {}", directory.path("plan.toml"), directory.path("out")));
    assert_eq!((done.code, done.err.as_str()), (0, ""));
}

/// A Parquet file with columns of these names.
fn columns(path: &str, names: &[&str]) {
    let field = |name: &&str| {
        let column =
            Type::primitive_type_builder(name, Physical::DOUBLE).with_repetition(Repetition::REQUIRED);
        Arc::new(column.build().unwrap())
    };
    let schema = Type::group_type_builder("rows").with_fields(names.iter().map(field).collect());
    let properties = WriterProperties::builder().build();
    let file = File::create(path).unwrap();
    let mut writer =
        SerializedFileWriter::new(file, Arc::new(schema.build().unwrap()), Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    while let Some(mut column) = group.next_column().unwrap() {
        column.typed::<DoubleType>().write_batch(&[1.0, 2.0], None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn a_key_or_a_column_that_is_given_twice_is_named() {
    let directory = Directory::new();
    let refused = |line: String, words: &str| {
        let refused = run(&line);
        assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{line}: {}", refused.err);
        assert!(refused.err.contains(words) && refused.err.lines().count() == 1, "{line}: {}", refused.err);
    };
    let line = "run spring-pendulum --method verlet --step 0.1 --until 0.1";
    let params = directory.file("p.json", "{\"model\": {\"mass\": 2,\n \"mass\": 3}}");
    refused(format!("{line} --params {params}"), "p.json: `mass` is given twice at line 2 column 7");
    let start = directory.file("s.json", "{\"q\": [1.0, 0.0], \"v\": [0.0, 0.0], \"q\": [2.0, 0.0]}");
    refused(format!("{line} --start {start}"), "s.json: `q` is given twice at line 1");
    refused(format!("{line} --set mass={{\"a\":1,\"a\":2}}"), "`mass`: `a` is given twice");
    let plan = "{\"model\": \"chain\", \"method\": \"rattle\", \"step\": 0.01, \"until\": 1, \"grid\": \
                {\"set.mass\": [1], \"set.mass\": [2]}}";
    let (plan, out) = (directory.file("plan.json", plan), directory.path("out"));
    refused(format!("ensemble {plan} --out {out}"), "plan.json: `set.mass` is given twice at line 1");

    directory.file("members.csv", "set.mass,set.mass\n1,2\n");
    columns(&directory.path("members.parquet"), &["set.mass", "set.mass"]);
    for table in ["members.csv", "members.parquet"] {
        let plan = format!(
            "model = \"chain\"\nmethod = \"rattle\"\nstep = 0.01\nuntil = 0.05\n[table]\nfile = \"{table}\"\n"
        );
        let plan = directory.file("plan.toml", &plan);
        let words = format!("{table}: two of its columns are called `set.mass`: rename or remove one");
        refused(format!("ensemble {plan} --out {out}"), &words);
    }
    directory.file("rows.csv", "t,x,x\n0,1,2\n");
    columns(&directory.path("rows.parquet"), &["t", "x", "x"]);
    directory.file("rows.json", "[{\"t\": 0, \"q\": [1]},\n{\"t\": 1, \"q\": [2], \"t\": 2}]");
    for (name, words) in [
        ("rows.csv", "two of its columns are called `x`"),
        ("rows.parquet", "two of its columns are called `x`"),
        ("rows.json", "`t` is given twice at line 2"),
    ] {
        refused(format!("view {} --out {}", directory.path(name), directory.path("x.html")), words);
    }
}
