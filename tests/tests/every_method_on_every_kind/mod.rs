//! Every method on every kind of model: a cell runs with its claims measured, or has a reason against it.
//!
//! A kind has the features of a declaration alone or by twos (`tests/kinds.rs`). The types judge first, as
//! rustc does on these kinds (`integrator-core/tests/ui/engines.txt`), then the start of the method. The
//! command has to agree, and refuses in one line. `cells.txt` beside this file has the lines;
//! `CELLS=overwrite` writes it anew, and from it the table of `docs/language/engines.md`. Every kind has a
//! method that keeps its geometry.

#![expect(clippy::expect_used, reason = "a test may end at what is not there")]

mod claims;
mod command;
mod document;
mod dynamic;
mod engines;
#[path = "../../kinds.rs"]
mod kinds;
mod methods;
mod models;

use command::Verdict;
use kinds::Kind;
use least_action_command::Workbench;
use methods::{Cell, Row, Subject};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The methods that keep the geometry of a kind of their own: at least one must fit each kind.
const GEOMETRIC: [&str; 3] = ["variational-midpoint", "variational-trapezoid", "rattle"];

/// The findings on one kind: its paragraph in the table, the measured claims, and all that is wrong.
#[derive(Default)]
struct Findings {
    paragraph: String,
    measured: usize,
    wrong: Vec<String>,
    /// The types of the methods that run, and of the methods that run with a penalty instead of the
    /// constraints.
    types: [Vec<&'static str>; 2],
}

#[test]
fn every_cell_keeps_its_claims_or_is_refused_alike_by_types_starts_and_the_command() {
    let kinds = kinds::all();
    let engines = engines::read();
    let next = AtomicUsize::new(0);
    let work = || {
        // Methods are not shared between threads.
        let (table, command) = (methods::table(), models::command());
        let mut found = Vec::new();
        while let number = next.fetch_add(1, Ordering::Relaxed)
            && let Some(kind) = kinds.get(number)
        {
            found.push((number, judge(number, kind, &table, &command, &engines)));
        }
        found
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut found: Vec<(usize, Findings)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker ends")).collect()
    });
    found.sort_by_key(|(number, _)| *number);

    let measured: usize = found.iter().map(|(_, findings)| findings.measured).sum();
    println!("{measured} claims measured on {} kinds", found.len());
    let wrong: Vec<&str> =
        found.iter().flat_map(|(_, findings)| &findings.wrong).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{}\n{} are wrong", wrong.join("\n"), wrong.len());
    assert!(measured > 2250, "only {measured} claims were measured");

    // Kinds with equal paragraphs stand together.
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    let special = models::SPECIAL.map(|name| (name.to_owned(), paragraph(&models::command(), name)));
    let rows = found.iter().map(|(number, one)| (kinds[*number].clone(), one.types.clone()));
    let table_of_types = document::table(&rows.collect::<Vec<_>>());
    let paragraphs = kinds.iter().map(Kind::words).zip(found.into_iter().map(|(_, one)| one.paragraph));
    for (kind, paragraph) in special.into_iter().chain(paragraphs) {
        match groups.iter_mut().find(|(known, _)| *known == paragraph) {
            Some((_, kinds)) => kinds.push(kind),
            None => groups.push((paragraph, vec![kind])),
        }
    }
    let mut text = String::new();
    for (paragraph, kinds) in groups {
        kinds.iter().for_each(|kind| text += &format!("# {kind}\n"));
        text += &format!("\n{paragraph}\n");
    }
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"));
    document::hold(&directory.join("tests/every_method_on_every_kind/cells.txt"), |_| text.clone());
    document::hold(&directory.join("../docs/language/engines.md"), |known| {
        document::with_table(known, &table_of_types)
    });
}

/// Judges all methods on one kind.
fn judge(
    number: usize,
    kind: &Kind,
    table: &[Row],
    command: &Workbench,
    engines: &engines::Verdicts,
) -> Findings {
    let mut findings = Findings::default();
    let words = kind.words();
    let faces = models::bound(number, None, None);
    let subject = Subject::new(number, kind, &*faces);
    let said = match command::verdicts(command, &kind.name()) {
        Ok(said) => said,
        Err(wrong) => {
            findings.wrong.push(wrong);
            return findings;
        }
    };
    findings.paragraph = in_words(&said);
    let names = |name: &str| table.iter().any(|row| row.name == name);
    findings
        .wrong
        .extend(said.iter().filter(|(name, _)| !names(name)).map(|(name, _)| format!("{name} has no row")));
    let mut geometric = false;
    for row in table {
        let cell = (row.cell)(&subject);
        let Some((_, verdict)) = said.iter().find(|(name, _)| name == row.name) else {
            findings.wrong.push(format!("the command has no {}", row.name));
            continue;
        };
        let compiles = row.engines.iter().any(|engine| engines.fits(&words, engine));
        let agrees = match (&cell, verdict) {
            (Cell::Ran(_), Verdict::Ran { .. }) => compiles,
            (Cell::Untyped, Verdict::Refused(_)) => !compiles,
            (Cell::Unsuited | Cell::Refused(_), Verdict::Refused(_)) => true,
            _ => false,
        };
        if !agrees {
            let by_the_type = match &cell {
                Cell::Ran(_) => "it runs".to_owned(),
                Cell::Untyped => "its types do not fit".to_owned(),
                Cell::Unsuited => "the kind is not suited".to_owned(),
                Cell::Refused(error) => format!("its start says: {error}"),
            };
            let by_the_command = match verdict {
                Verdict::Ran { .. } => "it runs",
                Verdict::Refused(line) => line,
            };
            findings.wrong.push(format!(
                "{} on {words}: rustc {}, in a program {by_the_type}; by the command {by_the_command}",
                row.name,
                if compiles { "accepts it" } else { "refuses it" },
            ));
        }
        if let Verdict::Ran { penalized } = verdict {
            findings.types[usize::from(*penalized)].push(row.engines[0]);
        }
        if let Cell::Ran(found) = cell {
            geometric |= GEOMETRIC.contains(&row.name);
            findings.measured += found.measured;
            let of_the_cell = |wrong| format!("{} on {words}: {wrong}", row.name);
            findings.wrong.extend(found.wrong.into_iter().map(of_the_cell));
        }
    }
    if !geometric {
        findings.wrong.push(format!("{words}: no method keeps its geometry"));
    }
    findings
}

/// The verdicts of the command on one model in words.
fn paragraph(command: &Workbench, model: &str) -> String {
    in_words(&command::verdicts(command, model).expect("describe and run agree"))
}

/// The methods that run, and each line that refuses with the methods of which it is said.
fn in_words(said: &[(String, Verdict)]) -> String {
    let mut lines: Vec<(String, Vec<&str>)> = vec![("runs".to_owned(), Vec::new())];
    for (method, verdict) in said {
        let line = match verdict {
            Verdict::Ran { .. } => "runs".to_owned(),
            Verdict::Refused(line) => {
                // The methods that fit are those of the first line.
                let line = line.split("; methods that fit").next().unwrap_or(line);
                line.replace(method.as_str(), "METHOD")
            }
        };
        match lines.iter_mut().find(|(known, _)| *known == line) {
            Some((_, methods)) => methods.push(method),
            None => lines.push((line, vec![method])),
        }
    }
    let mut text = String::new();
    for (line, methods) in lines.iter().filter(|(_, methods)| !methods.is_empty()) {
        let _ = writeln!(text, "{line}:\n    {}", methods.join(", "));
    }
    text
}
