//! Disks that are full at any write: what was there stays, and a run that was saved goes on to the same bytes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::process::{Command, Output};

use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;

use crate::support::Directory;

const RUN: &str = "run double-pendulum --method rattle --step 1e-3 --until 0.6";
const SAVED: &str = "--checkpoint saved --checkpoint-every 50";

/// The outputs of a run, by what they are called.
const OUTPUTS: [&[&str]; 6] = [
    &["--out", "x.csv"],
    &["--out", "x.json"],
    &["--out", "x.xyz"],
    &["--out", "x.parquet"],
    &["--out", "x.csv", "--report", "x.html"],
    &["--out", "x.parquet", "--view", "x.html", "--plot", "x.svg"],
];

fn files<'o>(outputs: &'o [&str]) -> impl Iterator<Item = &'o str> {
    outputs.iter().copied().skip(1).step_by(2)
}

/// Runs lines of the shell in a directory, in which `la` is the command.
fn shell(directory: &Directory, lines: &str) -> Output {
    let la = env!("CARGO_BIN_EXE_least-action");
    let script = format!("la() {{ '{la}' \"$@\"; }}\n{lines}");
    Command::new("sh").args(["-c", &script]).current_dir(directory.path("")).output().unwrap()
}

/// The files of a directory with their bytes, without the checkpoint.
fn left(directory: &Directory) -> BTreeMap<String, Vec<u8>> {
    let names = directory.names().into_iter().filter(|name| !name.starts_with("saved"));
    names.map(|name| (name.clone(), fs::read(directory.path(&name)).unwrap())).collect()
}

/// The files of the run on a disk that has room, and the longest of them.
fn undisturbed(outputs: &[&str]) -> (BTreeMap<String, Vec<u8>>, usize) {
    let directory = Directory::new();
    let done = shell(&directory, &format!("la {RUN} {} {SAVED}", outputs.join(" ")));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let whole = left(&directory);
    let longest = whole.values().map(Vec::len).max().unwrap();
    (whole, longest)
}

/// A file that becomes longer than a limit is as good as a full disk, and needs no disk of one's own.
#[test]
fn a_run_whose_files_are_cut_goes_on_to_the_same_bytes() {
    let (mut cut, mut gone_on) = (0, 0);
    for outputs in OUTPUTS {
        let (whole, longest) = undisturbed(outputs);
        let outputs_of = outputs.join(" ");
        // The shell counts in blocks of 512 or of 1024 bytes.
        for blocks in [1, 8, longest / 2048, longest / 1500, longest / 1024, longest / 700] {
            let directory = Directory::new();
            files(outputs).for_each(|file| fs::write(directory.path(file), "old").unwrap());
            let ended = shell(
                &directory,
                &format!("trap '' XFSZ\nulimit -f {blocks}\nla {RUN} {outputs_of} {SAVED}"),
            );
            let said = String::from_utf8_lossy(&ended.stderr).into_owned();
            match ended.status.code() {
                Some(0) => assert_eq!(left(&directory), whole, "{outputs_of}"),
                Some(1) => {
                    assert_eq!(said.lines().count(), 1, "{said}");
                    assert!(said.contains("File too large"), "{said}");
                    cut += 1;
                    if fs::exists(directory.path("saved")).unwrap() {
                        let ended = shell(&directory, "la resume saved");
                        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
                        assert!(left(&directory) == whole, "{outputs_of}, {blocks} blocks: {said}");
                        gone_on += 1;
                    } else {
                        assert!(files(outputs).all(|file| left(&directory)[file] == b"old"), "{said}");
                    }
                }
                _ => panic!("{outputs_of}, {blocks} blocks: {said}"),
            }
        }
    }
    assert!(cut > 20 && gone_on > 12, "{cut} runs were cut, and {gone_on} went on");
}

/// The rows of a Parquet file.
fn rows(directory: &Directory, bytes: &[u8]) -> Vec<String> {
    fs::write(directory.path("rows"), bytes).unwrap();
    let reader = SerializedFileReader::new(File::open(directory.path("rows")).unwrap()).unwrap();
    reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect()
}

/// The same without a checkpoint: nothing takes the place of what was there, and rows that can be read are kept beside it.
#[test]
fn rows_that_a_full_disk_takes_are_kept() {
    for name in ["x.csv", "x.json", "x.parquet"] {
        let (whole, longest) = undisturbed(&["--out", name]);
        let directory = Directory::new();
        fs::write(directory.path(name), "old").unwrap();
        // From a third to two thirds of the file.
        let blocks = longest / 1536;
        let ended = shell(&directory, &format!("trap '' XFSZ\nulimit -f {blocks}\nla {RUN} --out {name}"));
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(1), "{said}");
        assert!(said.trim_end().ends_with(&format!("stand in {name}.partial")), "{said}");
        let (left, whole) = (left(&directory), &whole[name]);
        assert_eq!(left[name], b"old");
        let kept = &left[&format!("{name}.partial")];
        let (count, is_beginning) = match name {
            "x.csv" => {
                (kept.split(|byte| *byte == b'\n').count(), whole.starts_with(kept) && kept.ends_with(b"\n"))
            }
            "x.json" => {
                let [kept, whole]: [Vec<Value>; 2] =
                    [kept, whole].map(|rows| serde_json::from_slice(rows).unwrap());
                (kept.len(), whole.starts_with(&kept))
            }
            _ => {
                let [kept, whole] = [kept, whole].map(|bytes| rows(&directory, bytes));
                (kept.len(), whole.starts_with(&kept))
            }
        };
        // Of 601 rows.
        assert!(is_beginning && (150..500).contains(&count), "{name}: {count}");
    }
}

#[test]
fn frames_stay_where_others_are_cut() {
    let directory = Directory::new();
    let run = |until: &str, limit: &str| {
        let run = "run double-pendulum --method rattle --step 1e-3 --every 10 --out x.pvd --until";
        shell(&directory, &format!("{limit}\nla {run} {until}"))
    };
    let frames = || -> BTreeMap<_, _> {
        let frames = fs::read_dir(directory.path("x")).unwrap().map(|frame| frame.unwrap().path());
        frames.map(|frame| (frame.clone(), fs::read(frame).unwrap())).collect()
    };
    assert!(run("0.1", "").status.success());
    let (list, old) = (fs::read(directory.path("x.pvd")).unwrap(), frames());
    assert_eq!(old.len(), 11);
    // Room for each frame, and for half of their list.
    let ended = run("0.6", "trap '' XFSZ\nulimit -f 4");
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.trim_end().ends_with("61 frames stand in x.partial"), "{said}");
    assert!(fs::read(directory.path("x.pvd")).unwrap() == list && frames() == old);
    assert!(run("0.6", "").status.success());
    assert_eq!((frames().len(), directory.names()), (61, vec!["x".to_owned(), "x.pvd".to_owned()]));
}
