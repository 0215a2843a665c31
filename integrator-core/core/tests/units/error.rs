mod bind;
mod start;

use std::path::Path;

/// The texts of all `#[error("…")]` of a file, as they are printed.
fn messages(text: &str) -> impl Iterator<Item = String> {
    text.split("#[error(").skip(1).filter_map(|rest| {
        let literal = rest.trim_start().strip_prefix('"')?;
        let is_end = |(at, _): &(usize, &str)| !literal[..*at].ends_with('\\');
        let (end, _) = literal.match_indices('"').find(is_end)?;
        let lines = literal[..end].lines();
        // A backslash at the end of a line takes the blanks of the next with it.
        let mut message = String::new();
        for line in lines {
            let continued = message.ends_with('\\');
            if continued {
                message.pop();
            }
            message.push_str(if continued { line.trim_start() } else { line });
        }
        Some(message)
    })
}

#[test]
fn no_message_has_a_run_of_blanks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/error");
    let (mut count, mut faults) = (0, Vec::new());
    for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let text = std::fs::read_to_string(file.path()).unwrap_or_default();
        for message in messages(&text) {
            count += 1;
            if message.contains("  ") {
                faults.push(message);
            }
        }
    }
    assert!(count > 50, "{count} messages were found");
    assert!(faults.is_empty(), "{faults:#?}");
}
