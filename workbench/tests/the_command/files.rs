//! The files that a run leaves on disk, also when it fails.

use std::fs::File;
use std::io::Read;

use crate::support::{Directory, run};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use serde_json::Value;
use zip::ZipArchive;

const LINE: &str = "run chain --method zhang-skeel --with omega=20 --step 0.05 --until 1 --every 3";

fn read_csv(path: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let header = lines.next().unwrap().split(',').map(str::to_owned).collect();
    let rows = lines.map(|line| line.split(',').map(|field| field.parse().unwrap()).collect()).collect();
    (header, rows)
}

fn read_parquet(path: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let columns = reader.metadata().file_metadata().schema_descr().columns().to_vec();
    let header: Vec<String> = columns.iter().map(|column| column.name().to_owned()).collect();
    let rows = reader.get_row_iter(None).unwrap().map(|row| {
        let row = row.unwrap();
        (0..header.len()).map(|column| row.get_double(column).unwrap()).collect()
    });
    let rows = rows.collect();
    (header, rows)
}

/// The numbers or the letters of an array of NumPy, and the words that describe it.
fn read_array(archive: &mut ZipArchive<File>, name: &str) -> (String, Vec<u8>) {
    let mut bytes = Vec::new();
    archive.by_name(&format!("{name}.npy")).unwrap().read_to_end(&mut bytes).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let begin = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!(begin % 64, 0);
    (String::from_utf8(bytes[10..begin].to_vec()).unwrap().trim_end().to_owned(), bytes.split_off(begin))
}

#[test]
fn arrays_of_numpy_have_the_numbers_of_the_table() {
    let directory = Directory::new();
    let [csv, npz] = ["a.csv", "a.npz"].map(|name| directory.path(name));
    run(&format!("{LINE} --out {csv} --format json")).json();
    run(&format!("{LINE} --out {npz} --format json")).json();
    let (header, rows) = read_csv(&csv);
    let mut archive = ZipArchive::new(File::open(&npz).unwrap()).unwrap();
    let described = |kind: &str, shape: &str| {
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}")
    };
    let columns =
        [("t", 0..1, "(8,)"), ("q", 1..7, "(8, 6)"), ("v", 7..13, "(8, 6)"), ("energy", 13..14, "(8,)")];
    for (name, columns, shape) in columns {
        let (words, bytes) = read_array(&mut archive, name);
        assert_eq!(words, described("<f8", shape));
        let numbers =
            rows.iter().flat_map(|row| &row[columns.clone()]).flat_map(|number| number.to_le_bytes());
        assert_eq!(bytes, numbers.collect::<Vec<u8>>(), "{name}");
    }
    let (words, bytes) = read_array(&mut archive, "coordinates");
    assert_eq!(words, described("<U9", "(6,)"));
    let letters: Vec<u8> = bytes.iter().step_by(4).copied().collect();
    assert_eq!(String::from_utf8(letters).unwrap(), header[1..7].concat());
    let (words, bytes) = read_array(&mut archive, "run");
    assert!(words.ends_with("'shape': (), }") && bytes.starts_with(b"{\0\0\0"), "{words}");
    // It can be read only when it is whole, and a run that is saved goes on with a table.
    let refused = run(&format!("{LINE} --out {npz} --checkpoint {}", directory.path("c")));
    assert!(refused.code == 2 && refused.err.contains(".csv, .parquet, .json or .xyz"), "{}", refused.err);
}

fn bits(rows: &[Vec<f64>]) -> Vec<Vec<u64>> {
    rows.iter().map(|row| row.iter().map(|number| number.to_bits()).collect()).collect()
}

#[test]
fn csv_parquet_and_json_hold_the_same_bits_as_the_result() {
    let directory = Directory::new();
    let [csv, parquet, json] = ["a.csv", "a.parquet", "a.json"].map(|name| directory.path(name));
    let result = run(&format!("{LINE} --out {csv} --format json")).json();
    run(&format!("{LINE} --out {parquet} --format json")).json();
    run(&format!("{LINE} --out {json} --format json")).json();
    let (header, rows) = read_csv(&csv);
    assert_eq!(header.len(), 1 + 6 + 6 + 2);
    assert_eq!(&header[..3], ["t", "bobs[0].x", "bobs[0].y"]);
    assert_eq!(&header[7..9], ["der.bobs[0].x", "der.bobs[0].y"]);
    assert_eq!(&header[13..], ["energy", "constraint_residual"]);
    // Steps 0, 3, …, 18 and the last, 20.
    assert_eq!(rows.len(), 8);
    let (parquet_header, parquet_rows) = read_parquet(&parquet);
    assert_eq!(parquet_header, header);
    assert_eq!(bits(&parquet_rows), bits(&rows));
    let states: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(states[0]["coordinates"], serde_json::json!(header[1..7]));
    assert!(states[1].get("coordinates").is_none());
    let flat = |state: &Value| {
        let list = |key: &str| state[key].as_array().unwrap().clone();
        let mut row = vec![state["t"].clone()];
        row.extend(list("q"));
        row.extend(list("v"));
        row.extend([state["energy"].clone(), state["constraint_residual"].clone()]);
        row.iter().map(|number| number.as_f64().unwrap()).collect::<Vec<f64>>()
    };
    let json_rows: Vec<Vec<f64>> = states.as_array().unwrap().iter().map(flat).collect();
    assert_eq!(bits(&json_rows), bits(&rows));
    assert_eq!(bits(&[flat(&result)]), bits(&rows[7..]));
}

#[test]
fn multipliers_are_recorded_where_the_method_computes_them() {
    let directory = Directory::new();
    let path = directory.path("r.csv");
    run(&format!("run chain --method rattle --step 0.05 --until 1 --out {path} --format json")).json();
    let (header, rows) = read_csv(&path);
    assert_eq!(&header[14..], ["constraint_residual", "lambda.rods[0]", "lambda.rods[1]", "lambda.rods[2]"]);
    assert!(rows.iter().all(|row| row[14] < 1e-12 && row[15] < 0.0));
}

#[test]
fn a_run_that_fails_keeps_what_it_computed() {
    let directory = Directory::new();
    for ending in ["csv", "parquet", "json"] {
        let (out, plot) = (directory.path(&format!("f.{ending}")), directory.path(&format!("{ending}.svg")));
        let outcome = run(&format!(
            "run chain --method verlet --with omega=50 --step 0.1 --until 50 --out {out} --plot {plot} --format json"
        ));
        assert_eq!(outcome.code, 1);
        let (warning, error) = outcome.err.split_once('\n').unwrap();
        assert!(warning.starts_with("warning: verlet with the step 0.1 tends to blow up: "), "{warning}");
        assert!(
            error.starts_with("error: the run has blown up: at t = 0.2 (step 2) its energy is "),
            "{error}"
        );
        let result: Value = serde_json::from_str(&outcome.out).unwrap();
        // The last good state is the state of the result; the file has the rows before the blow-up was
        // seen.
        assert_eq!((&result["steps"], &result["t"]), (&0.into(), &0.0.into()));
        assert_eq!(result["verdict"]["believed"], false);
        assert_eq!(format!("error: {}\n", result["failure"].as_str().unwrap()), error);
        let times: Vec<f64> = match ending {
            "csv" => read_csv(&out).1.iter().map(|row| row[0]).collect(),
            "parquet" => read_parquet(&out).1.iter().map(|row| row[0]).collect(),
            _ => {
                let rows: Value = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
                rows.as_array().unwrap().iter().map(|row| row["t"].as_f64().unwrap()).collect()
            }
        };
        assert_eq!(times.iter().map(|t| t.to_bits()).collect::<Vec<_>>(), [0.0_f64, 0.1].map(f64::to_bits));
        let picture = std::fs::read_to_string(&plot).unwrap();
        assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"));
    }
}

#[test]
fn a_mistake_leaves_the_results_of_an_earlier_run_alone() {
    let directory = Directory::new();
    let (out, plot) = (directory.file("old.csv", "old"), directory.file("old.svg", "old"));
    let outcome = run(&format!(
        "run chain --set rod=1 --set gravity=x --method rattle --step 0.1 --until 1 --out {out} --plot {plot}"
    ));
    assert_eq!(outcome.code, 2);
    let off = directory.file("off.json", r#"{"q": [1, 0, 0, 0, 0, 0], "v": [0, 0, 0, 0, 0, 0]}"#);
    let outcome = run(&format!(
        "run chain --method rattle --step 0.1 --until 1 --start {off} --out {out} --plot {plot}"
    ));
    assert_eq!(outcome.code, 2);
    assert_eq!(std::fs::read_to_string(out).unwrap(), "old");
    assert_eq!(std::fs::read_to_string(plot).unwrap(), "old");
}

#[test]
fn pictures_name_their_axes_bodies_and_panels() {
    let directory = Directory::new();
    let picture = |line: &str| {
        let path = directory.path("p.svg");
        let outcome = run(&format!("{line} --plot {path}"));
        assert_eq!(outcome.code, 0, "{}", outcome.err);
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(str::trim).collect::<Vec<_>>().join("\n")
    };
    let planar = picture(LINE);
    for text in [
        "Configuration",
        "Coordinates",
        "Change of the energy, from E(0) = −12",
        "Violation of the constraints",
        "bobs[2]",
        "bobs[2].y",
        "x",
        "y",
        "time t",
        "coordinate",
        "E(t) − E(0)",
        "largest |g|",
    ] {
        assert!(planar.contains(&format!("\n{text}\n")), "{text}");
    }
    // Two configurations of three rods each, the first from the pivot that the constraint tells.
    assert!(planar.contains("<polygon"), "the pivot");
    let rolling = picture("run cart --method variational-midpoint --step 0.1 --until 1");
    assert!(rolling.contains("\nlargest |c|\n"));
    let angle = picture("run bead --method reference --step 0.1 --until 1");
    assert!(!angle.contains("Configuration") && angle.contains("\nCoordinates\n"));
}

#[test]
fn a_refused_run_leaves_no_file_and_a_run_that_computes_nothing_replaces_none() {
    let directory = Directory::new();
    let (out, plot) = (directory.path("new.csv"), directory.path("new.svg"));
    let outcome = run(&format!(
        "run springs --method verlet --step 0.1 --until 1 --observe-window 1 --out {out} --plot {plot}"
    ));
    assert_eq!(outcome.code, 2, "{}", outcome.err);
    assert_eq!(directory.names(), [""; 0]);
    // It fails in its first step.
    let (out, plot) = (directory.file("old.csv", "old"), directory.file("old.svg", "old"));
    let outcome = run(&format!(
        "run chain --method rattle --step 10 --until 100 --out {out} --plot {plot} --format json"
    ));
    let result: Value = serde_json::from_str(&outcome.out).unwrap();
    assert_eq!((outcome.code, &result["steps"]), (1, &Value::from(0)), "{}", outcome.err);
    assert_eq!(std::fs::read_to_string(out).unwrap(), "old");
    assert_eq!(std::fs::read_to_string(plot).unwrap(), "old");
    assert_eq!(directory.names(), ["old.csv", "old.svg"]);
}

#[test]
fn an_output_never_replaces_an_input() {
    let directory = Directory::new();
    let start = directory.path("start.json");
    let state = run("project chain --format json").json().to_string();
    std::fs::write(&start, &state).unwrap();
    let line = format!("run chain --method rattle --step 0.05 --until 1 --start {start} --out {start}");
    let outcome = run(&line);
    assert_eq!(
        (outcome.code, outcome.err),
        (
            2,
            format!(
                "error: --out {start}: the command reads this file; choose another name for its output\n"
            )
        )
    );
    assert_eq!(std::fs::read_to_string(start).unwrap(), state);
}

/// A device that is always full stands for a disk that fills up during the run.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_written_takes_nothing_from_the_result() {
    let directory = Directory::new();
    for (flag, name) in [("--out", "full.csv"), ("--plot", "full.svg")] {
        let full = directory.path(name);
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        let outcome = run(&format!("{LINE} {flag} {full} --format json"));
        assert_eq!(
            (outcome.code, outcome.err.as_str()),
            (1, format!("error: cannot write {full}: No space left on device (os error 28)\n").as_str())
        );
        let result: Value = serde_json::from_str(&outcome.out).unwrap();
        assert_eq!(result["steps"], 20);
        assert_eq!(format!("error: {}\n", result["failure"].as_str().unwrap()), outcome.err);
    }
}

#[cfg(unix)]
#[test]
fn inputs_that_may_never_end_are_refused() {
    for flag in ["--start", "--params"] {
        let outcome = run(&format!("{LINE} {flag} /dev/zero"));
        assert_eq!(
            (outcome.code, outcome.err.as_str()),
            (2, "error: cannot read /dev/zero: it is no regular file; write its content to a file first\n")
        );
    }
}
