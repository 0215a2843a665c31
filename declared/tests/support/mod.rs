//! The files of the ready models.

use least_action_declared::rust::Source;
use std::fs;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/src");
/// The files that models share.
const MODULES: [&str; 4] = ["liquid", "scatter", "polymer", "mesh"];

#[allow(dead_code, reason = "tests that go through the files need no names")]
/// `DoublePendulum` as `double_pendulum`.
pub(crate) fn file_of(name: &str) -> String {
    let letters = name.chars().enumerate();
    letters.fold(String::new(), |mut file, (k, letter)| {
        if letter.is_uppercase() && k > 0 {
            file.push('_');
        }
        file.extend(letter.to_lowercase());
        file
    })
}

/// A ready model, with the files that it names as modules, and the modules of those.
pub(crate) fn source(file: &str) -> Source {
    let text = |file: &str| fs::read_to_string(format!("{FOLDER}/{file}.rs")).expect("a file");
    let mut texts = vec![(file, text(file))];
    let mut next = 0;
    while let Some((_, own)) = texts.get(next) {
        let named = |module: &&str| own.contains(&format!("crate::{module}"));
        let new: Vec<&str> = MODULES.into_iter().filter(named).collect();
        for module in new {
            if !texts.iter().any(|(known, _)| *known == module) {
                texts.push((module, text(module)));
            }
        }
        next += 1;
    }
    let own = Source::parse(&format!("{file}.rs"), &texts[0].1).expect("Rust");
    texts[1..].iter().fold(own, |source, (module, text)| {
        source.with_module(&format!("{module}.rs"), &[module], text).expect("Rust")
    })
}
