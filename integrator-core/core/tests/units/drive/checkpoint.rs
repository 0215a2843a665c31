use least_action_core::drive::{
    Checkpoint, CheckpointError, CheckpointFile, SavedRun, SystemIdentity, previous,
};
use least_action_core::files::with_ending;
use least_action_core::system::State;
use std::path::PathBuf;

fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("least-action-checkpoint-{}-{name}", std::process::id()))
}

fn example(last: u64) -> Checkpoint {
    let by = ("verlet", "Verlet".to_owned());
    let note = "{\"a\":\"line\\n\"}".to_owned();
    let run = SavedRun::new(("two bodies", 2), SystemIdentity::default(), by, 0.1, note);
    let start = State { t: 0.5, q: vec![1.0, -0.0], v: vec![0.1, f64::MIN_POSITIVE] };
    Checkpoint { run, start, words: vec![7, u64::MAX, last] }
}

fn write(path: &std::path::Path, checkpoint: &Checkpoint) {
    let file = CheckpointFile::take(path).unwrap();
    file.write(&checkpoint.run, &checkpoint.start, &checkpoint.words).unwrap();
}

#[test]
fn a_checkpoint_is_read_as_it_was_written_and_the_one_before_is_kept() {
    let path = path("kept");
    write(&path, &example(1));
    write(&path, &example(2));
    assert_eq!(Checkpoint::read(&path).unwrap(), example(2));
    assert_eq!(Checkpoint::read(&previous(&path)).unwrap(), example(1));
    for file in [&path, &previous(&path)] {
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn every_cut_and_every_flipped_bit_is_found() {
    let path = path("damaged");
    write(&path, &example(3));
    let whole = std::fs::read(&path).unwrap();
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(Checkpoint::read(&path).is_err(), "cut to {length}");
    }
    for bit in 0..8 * whole.len() {
        let mut other = whole.clone();
        other[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, &other).unwrap();
        assert!(Checkpoint::read(&path).is_err(), "bit {bit}");
    }
    std::fs::write(&path, "t,q\n").unwrap();
    assert!(matches!(Checkpoint::read(&path), Err(CheckpointError::Other { .. })));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_place_is_taken_by_one_run_at_a_time_and_free_after_it() {
    let path = path("taken");
    write(&path, &example(4));
    let first = CheckpointFile::take(&path).unwrap();
    for _ in 0..2 {
        assert!(matches!(CheckpointFile::take(&path), Err(CheckpointError::Taken { .. })));
        let Checkpoint { run, start, words } = example(5);
        first.write(&run, &start, &words).unwrap();
    }
    drop(first);
    assert_eq!(Checkpoint::read(&path).unwrap(), example(5));
    // A process that was killed while it wrote has left a half draft, a half file and a link.
    let left = ["partial", "partial.partial", "previous.partial"].map(|ending| with_ending(&path, ending));
    left.iter().for_each(|left| std::fs::write(left, "half").unwrap());
    // It was killed before the new one took its name: both names are of one file.
    std::fs::remove_file(previous(&path)).unwrap();
    std::fs::hard_link(&path, previous(&path)).unwrap();
    write(&path, &example(6));
    assert_eq!(Checkpoint::read(&path).unwrap(), example(6));
    assert_eq!(Checkpoint::read(&previous(&path)).unwrap(), example(5));
    assert!(left.iter().all(|left| !left.exists()));
    for file in [&path, &previous(&path)] {
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn what_is_no_checkpoint_is_not_replaced() {
    let path = path("notes.txt");
    for notes in ["notes", "", "least-action checkpoint 10\n"] {
        std::fs::write(&path, notes).unwrap();
        assert!(matches!(CheckpointFile::take(&path), Err(CheckpointError::Other { .. })));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), notes);
    }
    std::fs::remove_file(&path).unwrap();
    let folder = std::env::temp_dir();
    assert!(matches!(CheckpointFile::take(&folder), Err(CheckpointError::File { done: "created", .. })));
}

#[cfg(unix)]
#[test]
fn a_link_stays_one_also_where_it_leads_to_nothing_yet() {
    let (file, link) = (path("file"), path("link"));
    std::os::unix::fs::symlink(file.file_name().unwrap(), &link).unwrap();
    write(&link, &example(7));
    write(&link, &example(8));
    assert!(link.is_symlink() && !file.is_symlink());
    assert_eq!(Checkpoint::read(&file).unwrap(), example(8));
    // The one before stands beside the file, and is named there.
    assert_eq!(previous(&link), previous(&file));
    assert_eq!(Checkpoint::read(&previous(&link)).unwrap(), example(7));
    for file in [&link, &file, &previous(&file)] {
        std::fs::remove_file(file).unwrap();
    }
}
