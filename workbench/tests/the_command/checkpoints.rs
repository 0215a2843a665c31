//! Checkpoints: one run has one, a run that is saved is not begun anew unawares, and nothing else is
//! overwritten.

use crate::support::{Directory, Outcome, run};
use least_action::drive::{CheckpointFile, previous};
use std::fs;
use std::path::Path;

const LINE: &str = "run chain --method rattle --step 0.05 --format json --until";

fn refused(line: &str) -> String {
    let Outcome { code, out, err } = run(line);
    assert_eq!((code, out.as_str(), err.matches('\n').count()), (2, "", 1), "{line}: {err}");
    err
}

#[test]
fn a_checkpoint_that_a_run_writes_is_refused_to_every_other_command() {
    let directory = Directory::new();
    let (saved, rows) = (directory.path("saved"), directory.path("rows.csv"));
    run(&format!("{LINE} 1 --checkpoint {saved}")).json();
    let (content, running) = (fs::read(&saved).unwrap(), CheckpointFile::take(Path::new(&saved)).unwrap());
    for line in [
        format!("{LINE} 2 --checkpoint {saved} --out {rows}"),
        format!("{LINE} 2 --checkpoint {saved} --restart"),
        // Refused for another reason, too.
        format!("{LINE} -5 --checkpoint {saved}"),
        format!("resume {saved} --until 2"),
    ] {
        let said = refused(&line);
        let expected = format!(
            "error: another run is saving itself to {saved}; wait for its end, or choose another name\n"
        );
        assert_eq!(said, expected);
        assert_eq!(fs::read(&saved).unwrap(), content);
        assert_eq!(directory.names(), ["saved", "saved.partial"]);
    }
    drop(running);
    run(&format!("resume {saved} --until 2 --format json")).json();
    assert_eq!(directory.names(), ["saved", "saved.previous"]);
}

#[test]
fn a_run_that_is_saved_is_begun_anew_only_where_that_is_meant() {
    let directory = Directory::new();
    let (saved, rows) = (directory.path("saved"), directory.path("rows.csv"));
    let line = format!("{LINE} 1 --checkpoint {saved} --out {rows}");
    let first = run(&line).json();
    let contents = || [&saved, &rows].map(|file| fs::read(file).unwrap());
    let (whole, said) = (contents(), refused(&line));
    let expected = format!(
        "error: the checkpoint {saved} holds a run of `Chain` by rattle, and `resume` goes on with it; --restart begins anew\n"
    );
    assert_eq!(said, expected);
    assert_eq!(contents(), whole);
    // A damaged one may be worth a word to who wrote it.
    fs::write(&saved, &whole[0][..whole[0].len() - 1]).unwrap();
    assert!(refused(&line).contains("is damaged: "));
    let again = run(&format!("{line} --restart")).json();
    assert_eq!(again["q"], first["q"]);
    assert_eq!(contents(), whole);
    assert!(refused(&format!("{LINE} 1 --restart")).contains("--checkpoint"));
}

#[test]
fn what_is_no_checkpoint_stays() {
    let directory = Directory::new();
    let notes = directory.file("notes.txt", "notes");
    for more in ["", " --restart"] {
        let said = refused(&format!("{LINE} 1 --checkpoint {notes}{more}"));
        assert_eq!(said, format!("error: {notes} is no checkpoint of a run; choose another name\n"));
        assert_eq!(fs::read_to_string(&notes).unwrap(), "notes");
    }
    assert_eq!(directory.names(), ["notes.txt"]);
}

#[cfg(unix)]
#[test]
fn links_to_checkpoints_and_outputs_stay_links() {
    let directory = Directory::new();
    let [saved, rows, store] = ["saved", "rows.csv", "store"].map(|name| directory.path(name));
    fs::create_dir(&store).unwrap();
    for link in [&saved, &rows] {
        let name = Path::new(link).file_name().unwrap();
        std::os::unix::fs::symlink(Path::new("store").join(name), link).unwrap();
    }
    run(&format!("{LINE} 1 --checkpoint {saved} --out {rows} --checkpoint-every 5")).json();
    run(&format!("resume {saved} --until 2 --format json")).json();
    assert_eq!(directory.names(), ["rows.csv", "rows.csv-metadata.json", "saved", "store"]);
    assert!([&saved, &rows].iter().all(|link| Path::new(link).is_symlink()));
    assert!(Path::new(&store).join("rows.csv").is_file() && previous(Path::new(&saved)).is_file());
}

/// Files that a process leaves which is killed go with the next run.
#[test]
fn what_a_killed_process_has_left_is_taken_up_or_removed() {
    let directory = Directory::new();
    let [saved, rows] = ["saved", "rows.csv"].map(|name| directory.path(name));
    let line = format!("{LINE} 1 --checkpoint {saved} --out {rows}");
    for more in ["partial", "partial.partial", "previous.partial"] {
        directory.file(&format!("saved.{more}"), "half");
    }
    for more in ["partial", "partial.partial"] {
        directory.file(&format!("rows.csv.{more}"), "half");
    }
    run(&line).json();
    assert_eq!(directory.names(), ["rows.csv", "rows.csv-metadata.json", "saved"]);
}
