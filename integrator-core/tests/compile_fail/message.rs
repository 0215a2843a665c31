//! The output of rustc without parts that change under a message: line numbers of the library, the width
//! of their margin, and the number of mistakes.

use std::collections::BTreeMap;

/// The messages about a fixture, with places in this package.
pub(crate) fn of_the_fixture(printed: &str) -> String {
    in_one_text(messages(printed))
}

/// The messages about each fixture, a module of one program: the file, and the text that it has alone.
pub(crate) fn of_each_fixture(printed: &str) -> BTreeMap<String, String> {
    let mut of_files = BTreeMap::<String, Vec<Vec<String>>>::new();
    for message in messages(printed) {
        // The first place belongs to the mistake.
        let places = message.iter().filter_map(|line| line.trim_start().strip_prefix("--> "));
        let Some(file) = places.filter_map(|place| place.split_once(".rs:")).map(|(stem, _)| stem).next()
        else {
            continue;
        };
        let module = format!("{}::", file.rsplit('/').next().unwrap_or_default());
        let message = message.iter().map(|line| line.replace(&module, "")).collect();
        of_files.entry(format!("{file}.rs")).or_default().push(message);
    }
    of_files.into_iter().map(|(file, messages)| (file, in_one_text(messages))).collect()
}

/// Each message by its lines, but for the last, which counts.
fn messages(printed: &str) -> Vec<Vec<String>> {
    let package = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    // A workspace names the files of its core from its own directory, any other workspace in full.
    let core = concat!(env!("CARGO_MANIFEST_DIR"), "/core/");
    let printed =
        printed.replace(core, "").replace(" integrator-core/core/src/", " src/").replace(package, "");
    let mut messages: Vec<Vec<String>> = Vec::new();
    for line in printed.lines() {
        if ["error:", "error[", "warning:"].iter().any(|heading| line.starts_with(heading)) {
            messages.push(Vec::new());
        }
        if let Some(message) = messages.last_mut() {
            message.push(line.trim_end().to_owned());
        }
    }
    messages.into_iter().take_while(|message| !message[0].starts_with("error: aborting")).collect()
}

fn in_one_text(messages: Vec<Vec<String>>) -> String {
    let mut text = String::new();
    for mut message in messages {
        hide_numbers_of_the_library(&mut message);
        narrow_the_margin(&mut message);
        text.extend(message.into_iter().map(|line| line + "\n"));
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// Takes the line numbers out of quotations of the library, so that a new line there changes no message.
fn hide_numbers_of_the_library(message: &mut [String]) {
    let mut in_the_library = false;
    for line in message {
        let bare = line.trim_start();
        if let Some(place) = bare.strip_prefix("--> ").or_else(|| bare.strip_prefix("::: ")) {
            in_the_library = !place.starts_with("tests/ui/");
            if in_the_library {
                // …/file.rs:line:column
                let file = line.rsplitn(3, ':').last().unwrap_or_default().len();
                line.truncate(file);
            }
            continue;
        }
        in_the_library &= bare.starts_with(|first: char| first.is_ascii_digit() || "|.".contains(first));
        if in_the_library {
            let code = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
            *line = " ".repeat(line.len() - code.len()) + code;
        }
    }
}

/// Makes the margin as wide as the line numbers that are left.
///
/// The arrow before the first place ends the margin:
///
/// ```text
///    --> tests/ui/fail/fixture.rs:7:9
///     |
/// 7   |     let x = 1;
/// ```
fn narrow_the_margin(message: &mut [String]) {
    let Some(first) = message.iter().position(|line| line.trim_start().starts_with("--> ")) else {
        return;
    };
    let lines = &mut message[first..];
    let is = lines[0].find("--> ").unwrap_or_default();
    let number = |line: &str| {
        let margin = line.get(..is).filter(|_| line.len() > is)?;
        margin.bytes().all(|byte| byte == b' ' || byte.is_ascii_digit()).then(|| margin.trim().to_owned())
    };
    let should = lines.iter().filter_map(|line| number(line)).map(|number| number.len()).max().unwrap_or(is);
    let mut in_a_heading = false;
    for line in lines {
        // A note that stands in the margin itself, to its last line.
        in_a_heading |= line.starts_with("note: ") || line.starts_with("help: ");
        in_a_heading &=
            !line.get(is..).is_some_and(|code| code.starts_with("--> ") || code.starts_with(" |"));
        if line.starts_with("... ") {
            line.replace_range(3..3 + is - should, "");
        } else if let Some(number) = number(line).filter(|_| !in_a_heading) {
            line.replace_range(..is, &format!("{number:>should$}"));
        }
    }
}
