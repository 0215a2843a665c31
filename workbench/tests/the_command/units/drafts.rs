//! Outputs take their names when they are complete.

use least_action::files::beside;
use least_action_pages::Error;
use least_action_pages::files::{Draft, apart, read_text, replace};
use std::path::PathBuf;

/// A path that no other test has.
fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("least-action-files-{}-{name}", std::process::id()))
}

#[test]
fn a_draft_takes_its_name_when_it_is_complete_and_not_before() {
    let path = path("complete.txt");
    replace("--out", &path, "old").unwrap();
    let mut draft = Draft::create("--out", &path).unwrap();
    draft.write("new").unwrap();
    assert_eq!(read_text(&path).unwrap(), "old");
    draft.complete().unwrap();
    assert_eq!(read_text(&path).unwrap(), "new");
    assert!(!beside(&path).exists());
    drop(Draft::create("--out", &path).unwrap());
    assert_eq!(read_text(&path).unwrap(), "new");
    assert!(!beside(&path).exists());
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_second_writer_is_refused_while_the_first_writes() {
    let path = path("second.txt");
    let first = Draft::create("--out", &path).unwrap();
    let second = Draft::create("--out", &path);
    assert!(matches!(second, Err(Error::BeingWritten { .. })), "{second:?}");
    drop(first);
    assert!(Draft::create("--out", &path).is_ok());
    assert!(!path.exists());
}

#[test]
fn an_output_is_no_input_by_whatever_name() {
    let (path, link) = (path("input.json"), path("link.json"));
    replace("--out", &path, "{}").unwrap();
    let again = path.parent().unwrap().join(".").join(path.file_name().unwrap());
    for name in [&path, &again] {
        let refused = apart([&*path], &[("--out", name)]);
        assert!(refused.unwrap_err().to_string().contains("the command reads this file"));
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let refused = apart([&*path], &[("--out", &link)]).unwrap_err().to_string();
        assert!(refused.contains("the command reads this file"), "{refused}");
        let both = [("--out", &*path), ("--plot", &*link)];
        let refused = apart([], &both).unwrap_err().to_string();
        assert!(refused.starts_with("--plot") && refused.contains("--out names the same file"), "{refused}");
        // A link stays one.
        replace("--out", &link, "by the link").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(read_text(&path).unwrap(), "by the link");
        std::fs::remove_file(link).unwrap();
    }
    std::fs::remove_file(path).unwrap();
}

#[cfg(unix)]
#[test]
fn devices_are_written_directly_and_not_read() {
    let device = std::path::Path::new("/dev/null");
    replace("--out", device, "gone").unwrap();
    assert!(!beside(device).exists());
    let refused = read_text(std::path::Path::new("/dev/zero"));
    assert!(matches!(refused, Err(Error::Unreadable { .. })), "{refused:?}");
}
