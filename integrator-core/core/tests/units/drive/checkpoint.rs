use least_action_core::drive::{Checkpoint, CheckpointError, SavedRun, SystemIdentity};
use least_action_core::internals::drive::previous;
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
    Checkpoint::write(path, &checkpoint.run, &checkpoint.start, &checkpoint.words).unwrap();
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
