//! Runs on disks that are full at some write, and commands that share a checkpoint: the same bytes in
//! the end.

use crate::process::{Directory, Ended};
use crate::random::Random;
use std::process::{Command, Stdio};

const RUN: &str = "run double-pendulum --method rattle --step 1e-3 --until 3";

const OUTPUTS: [&[&str]; 7] = [
    &["--out", "x.csv"],
    &["--out", "x.json"],
    &["--out", "x.xyz"],
    &["--out", "x.parquet"],
    &["--out", "x.csv", "--report", "x.html"],
    &["--out", "x.parquet", "--view", "x.html", "--plot", "x.svg"],
    &["--out", "x.json", "--plot", "x.svg"],
];

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Runs lines of the shell in a directory, where `la` is the command and `disk` a folder for this call
/// alone.
fn shell(directory: &Directory, lines: &str) -> (Option<i32>, String) {
    let la = env!("CARGO_BIN_EXE_least-action");
    let script = format!(
        "la() {{ '{la}' \"$@\"; }}\nmkdir -p disk && mount -t tmpfs -o size=64m t disk || exit 99\n{lines}"
    );
    let output = Command::new("unshare")
        .args(["--mount", "--map-root-user", "sh", "-c", &script])
        .current_dir(directory.path())
        .output();
    // Where there is no such command, nobody may mount.
    let output =
        output.map(|output| (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()));
    output.unwrap_or((Some(99), String::new()))
}

fn full_disks(count: u64, seed: u64) {
    let directory = Directory::new();
    if shell(&directory, "true").0 != Some(0) {
        println!("skipped: a disk of one's own cannot be mounted here");
        return;
    }
    let mut random = Random::of(seed, 3);
    let (mut full, mut gone_on) = (0, 0);
    for _ in 0..count {
        let outputs = OUTPUTS[random.below(OUTPUTS.len())];
        let names: Vec<&str> = outputs.iter().copied().skip(1).step_by(2).collect();
        let line = format!(
            "{RUN} {} --checkpoint saved --checkpoint-every {}",
            outputs.join(" "),
            20 + random.below(700)
        );
        names.iter().for_each(|name| directory.remove(name));
        directory.remove("saved");
        assert_eq!(directory.run(&words(&line)).ended, Ended::Well, "{line}");
        let whole: Vec<_> = names.iter().map(|name| directory.bytes(name).unwrap()).collect();
        let most: usize = whole.iter().map(Vec::len).sum();
        names.iter().for_each(|name| directory.remove(name));
        let size = 16 + random.below(3 * most / 1024);
        let old = names.iter().map(|name| format!("echo old >{name}\n")).collect::<Vec<_>>().concat();
        let copy = names.iter().map(|name| format!("cp {name} ..\n")).collect::<Vec<_>>().concat();
        let again = (0..3)
            .map(|k| {
                format!(
                    "mount -o remount,size={}k t . && la resume saved && break\n",
                    size + (k + 1) * most / 2048
                )
            })
            .collect::<Vec<_>>()
            .concat();
        // The disk grows until there is room for all.
        let lines = format!(
            "cd disk && mount -o remount,size={size}k t .\n{old}la {line}\ncode=$?\necho ended $code >&2\n\
             if [ $code = 0 ]; then {copy}exit 0; fi\n[ $code = 1 ] || exit 98\n\
             if [ -f saved ]; then\nfor k in 1; do\n{again}mount -o remount,size=64m t . && la resume saved || exit 97\ndone\n{copy}ls | grep partial && exit 96\nexit 1\n\
             else\nfor name in {}; do [ \"$(cat $name)\" = old ] || exit 95; done\nexit 2\nfi",
            names.join(" ")
        );
        let (code, said) = shell(&directory, &lines);
        assert!(
            matches!(code, Some(0..=2)) && !said.contains("panicked"),
            "{line} on {size} kB, seed {seed}: {code:?} {said}"
        );
        full += u64::from(code != Some(0));
        gone_on += u64::from(code == Some(1));
        if code != Some(2) {
            let left: Vec<_> = names.iter().map(|name| directory.bytes(name).unwrap()).collect();
            assert!(left == whole, "{line} on {size} kB, seed {seed}: {said}");
        }
    }
    println!("{full} of {count} disks were full, and {gone_on} runs went on");
    assert!(
        4 * full > count && 6 * gone_on > count,
        "{full} of {count} disks were full, and {gone_on} runs went on"
    );
}

#[test]
fn runs_on_full_disks_go_on_to_the_same_bytes() {
    full_disks(20, 1);
}

#[test]
#[ignore = "long: minutes: 1000 disks"]
fn runs_on_1000_full_disks_go_on_to_the_same_bytes() {
    full_disks(1000, crate::new_seed());
}

/// A run that saves itself in each step, and commands that name its checkpoint meanwhile, most of them
/// with another mistake.
#[test]
fn commands_that_name_the_checkpoint_of_a_run_leave_it_alone() {
    let directory = Directory::new();
    let run = "run chain --set links=200 --method verlet --with omega=20 --step 1e-2 --until 10 --out";
    assert_eq!(directory.run(&words(&format!("{run} whole.csv"))).ended, Ended::Well);
    let running = Command::new(env!("CARGO_BIN_EXE_least-action"))
        .args(words(&format!("{run} path.csv --checkpoint saved --checkpoint-every 1")))
        .current_dir(directory.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while directory.bytes("saved").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let other = "run chain --method verlet --with omega=20 --step 1 --checkpoint saved --until";
    let others = [" -5", " 5", " 5 --restart"].map(|more| format!("{other}{more}"));
    let mut refused = 0;
    // The last one may come when the run has saved itself for the last time.
    for line in others.iter().map(String::as_str).chain(["resume saved --until -5"]).cycle() {
        let outcome = directory.run(&words(line));
        if !outcome.err.contains("another run is saving itself to saved") {
            break;
        }
        assert_eq!(outcome.ended, Ended::Refused, "{}", outcome.err);
        refused += 1;
    }
    let ended = running.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(refused > 10, "{refused}");
    assert!(directory.bytes("whole.csv") == directory.bytes("path.csv"));
}
