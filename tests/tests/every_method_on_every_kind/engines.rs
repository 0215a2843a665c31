//! The verdicts of rustc on these kinds, from a file that the test of messages holds against rustc.

use std::collections::HashSet;
use std::path::Path;

/// The pairs of a kind and a type that fit.
pub(crate) struct Verdicts(HashSet<(String, String)>);

impl Verdicts {
    pub(crate) fn fits(&self, kind: &str, engine: &str) -> bool {
        self.0.contains(&(kind.to_owned(), engine.to_owned()))
    }
}

/// Reads them: headings with the kinds, then paragraphs after a verdict, such as `fits`, and a colon.
pub(crate) fn read() -> Verdicts {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../integrator-core/tests/ui/engines.txt");
    let text = std::fs::read_to_string(path).expect("the verdicts of rustc");
    let (mut kinds, mut fit, mut heading) = (Vec::new(), false, false);
    let mut found = HashSet::new();
    for line in text.lines() {
        if let Some(kind) = line.strip_prefix("# ") {
            if !heading {
                kinds.clear();
            }
            kinds.push(kind.to_owned());
            heading = true;
            continue;
        }
        heading = false;
        match line.strip_prefix("    ") {
            Some(engines) if fit => {
                for engine in engines.split(';').map(str::trim).filter(|engine| !engine.is_empty()) {
                    found.extend(kinds.iter().map(|kind| (kind.clone(), engine.to_owned())));
                }
            }
            Some(_) => {}
            None => fit = line == "fits:",
        }
    }
    Verdicts(found)
}
