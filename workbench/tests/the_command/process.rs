//! The command as a process: exit codes, streams, and a reader that goes away.

use std::process::{Command, Stdio};

fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_least-action"))
}

#[test]
fn a_mistake_exits_with_2_and_says_so_on_standard_error_alone() {
    let output = command()
        .args(["run", "perpetuum-mobile", "--method", "verlet", "--step", "1", "--until", "2"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: unknown model `perpetuum-mobile`; there are: "), "{said}");
    assert_eq!(said.lines().count(), 1);
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let mut child = command().args(["models"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn help_goes_to_standard_output() {
    let output = command().arg("--help").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stdout).unwrap().contains("Usage: least-action"));
    assert!(output.stderr.is_empty());
}

/// The limit of a queue or a shell is a limit of the memory, told before an allocation fails and the process with it.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_the_address_space_is_no_abort() {
    let limited = |kilobytes: u32, line: &str| {
        let program = env!("CARGO_BIN_EXE_least-action");
        let script = format!("ulimit -v {kilobytes} && exec {program} {line}");
        Command::new("sh").args(["-c", &script]).output().unwrap()
    };
    let refused = limited(4_194_304, "describe chain --set links=20000000");
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.lines().count() == 1 && said.contains("would take 4.8 GB, and "), "{said}");
    let done = limited(4_194_304, "describe chain --set links=1000");
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
}
