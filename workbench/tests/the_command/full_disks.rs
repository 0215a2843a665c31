//! Disks that are full at any write: older files stay, and a run that was saved goes on to equal bytes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::process::{Command, Output};

use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;

use crate::support::Directory;

const RUN: &str = "run double-pendulum --method rattle --step 1e-3 --until 0.6";
const SAVED: &str = "--checkpoint saved --checkpoint-every 50";

/// The outputs of a run, by their names.
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

/// Arrays are made of rows at the end, where the disk may have no room for both.
#[test]
fn rows_of_arrays_stay_where_there_is_no_room_for_the_file() {
    let numbers = 601 * (1 + 4 + 4 + 2 + 2);
    let mut cut = 0;
    // The shell counts in blocks of 512 or of 1024 bytes: the rows fit, and no file that has more.
    for blocks in [8 * numbers / 512 + 1, 8 * numbers / 1024 + 1] {
        let directory = Directory::new();
        let done = shell(&directory, &format!("ulimit -f {blocks}; trap '' XFSZ; la {RUN} --out x.npz"));
        if done.status.success() {
            continue;
        }
        let (err, left) = (String::from_utf8(done.stderr).unwrap(), left(&directory));
        assert_eq!((done.status.code(), err.lines().count()), (Some(1), 1), "{err}");
        assert!(err.contains("13 numbers of eight bytes each, stand in x.npz.partial"), "{err}");
        assert_eq!(left.keys().collect::<Vec<_>>(), ["x.npz.partial"]);
        cut += usize::from(left["x.npz.partial"].len() == 8 * numbers);
    }
    assert!(cut > 0);
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

/// Before the first checkpoint, or without one: nothing replaces an older file, and readable rows are
/// kept beside it.
#[test]
fn rows_that_a_full_disk_takes_are_kept() {
    let names = ["x.csv", "x.json", "x.parquet"];
    for (name, more) in names.into_iter().flat_map(|name| [(name, ""), (name, "--checkpoint saved")]) {
        let (whole, longest) = undisturbed(&["--out", name]);
        let directory = Directory::new();
        fs::write(directory.path(name), "old").unwrap();
        // From a third to two thirds of the file.
        let blocks = longest / 1536;
        let ended =
            shell(&directory, &format!("trap '' XFSZ\nulimit -f {blocks}\nla {RUN} --out {name} {more}"));
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
        assert!(is_beginning && (150..500).contains(&count), "{name} {more}: {count}");
        assert!(!fs::exists(directory.path("saved")).unwrap());
    }
}

/// A disk that takes the rows, and no checkpoint of them: the first, or a later one.
#[test]
fn a_checkpoint_that_a_full_disk_does_not_take_leaves_what_was_there() {
    for outputs in [&["--out", "x.csv"][..], &["--out", "x.json"], &["--out", "x.parquet", "--plot", "x.svg"]]
    {
        let (outputs_of, line) = (outputs.join(" "), "--checkpoint saved --checkpoint-every 1");
        let directory = Directory::new();
        files(outputs).for_each(|file| fs::write(directory.path(file), "old").unwrap());
        // Where a folder has the name of a file there is no room for it.
        let run_beside = |folder: &str| {
            fs::create_dir(directory.path(folder)).unwrap();
            let ended = shell(&directory, &format!("la {RUN} {outputs_of} {line}"));
            fs::remove_dir(directory.path(folder)).unwrap();
            let said = String::from_utf8_lossy(&ended.stderr).into_owned();
            assert_eq!((ended.status.code(), said.lines().count()), (Some(1), 1), "{said}");
            assert!(said.contains("write the checkpoint saved: "), "{outputs_of}: {said}");
            // A Parquet file has the rows that a checkpoint knows from the first one on.
            let is_old =
                |file| left(&directory)[file] == b"old" || (folder, file) == ("saved.previous", "x.parquet");
            assert!(files(outputs).all(is_old), "{outputs_of}: {said}");
            said
        };
        let said = run_beside("saved.partial.partial");
        assert!(said.contains(" stand in x."), "{said}");
        assert!(!fs::exists(directory.path("saved")).unwrap());
        let kept = &left(&directory)[&format!("{}.partial", outputs[1])];
        let count = match outputs[1] {
            "x.csv" => kept.split(|byte| *byte == b'\n').count() - 2,
            "x.json" => serde_json::from_slice::<Vec<Value>>(kept).unwrap().len(),
            _ => rows(&Directory::new(), kept).len(),
        };
        // The start and a step; where the disk was full, a Parquet file leaves a row to its end.
        assert!((1..=2).contains(&count), "{outputs_of}: {count}");
        let said = run_beside("saved.previous");
        assert!(said.trim_end().ends_with("make room: `resume saved` goes on with the kept rows"), "{said}");
        assert!(shell(&directory, "la resume saved").status.success());
        assert!(left(&directory) == undisturbed(outputs).0, "{outputs_of}");
    }
}

/// Each page and picture says how it is made when there is room.
#[test]
fn a_page_that_a_full_disk_does_not_take_is_made_of_the_rows() {
    let directory = Directory::new();
    let outputs = ["--out", "x.csv", "--view", "x.html", "--every", "20"];
    let whole = undisturbed(&outputs).0;
    let blocks = whole["x.csv"].len() / 512 + 8;
    assert!(whole["x.html"].len() > 1024 * blocks, "the page is longer than the rows");
    for (more, how) in [
        ("", "`view x.csv --out x.html` makes it of the rows"),
        ("--checkpoint saved", "make room: `resume saved` goes on with the kept rows"),
    ] {
        let ended = shell(
            &directory,
            &format!("trap '' XFSZ\nulimit -f {blocks}\nla {RUN} {} {more}", outputs.join(" ")),
        );
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(1), "{said}");
        assert!(said.trim_end().ends_with(how), "{said}");
        let left = left(&directory);
        assert!(left["x.csv"] == whole["x.csv"] && !left.contains_key("x.html"));
    }
    assert!(shell(&directory, "la resume saved").status.success());
    assert!(left(&directory) == whole);
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
