//! The order of every method is that of its claims wherever a document states it: `BLESS=1` writes the documents anew.

use crate::support::run;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The methods in the order of the command, with their orders.
fn orders() -> Vec<(String, u64)> {
    let report = run("describe chain --format json").json();
    let methods = report["methods"].as_array().unwrap();
    methods
        .iter()
        .map(|fit| (fit["method"].as_str().unwrap().to_owned(), fit["order"].as_u64().unwrap()))
        .collect()
}

/// The words in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The table of a document that begins with this line, as the lines before it, the rows, and the lines behind.
fn table(text: &str, head: &str) -> [Vec<String>; 3] {
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let first =
        lines.iter().position(|line| line.starts_with(head)).unwrap_or_else(|| panic!("no table `{head}`"))
            + 2;
    let length = lines[first..].iter().position(|line| !line.starts_with('|')).unwrap();
    [lines[..first].to_vec(), lines[first..first + length].to_vec(), lines[first + length..].to_vec()]
}

/// Holds a document against its table with these rows, or writes it.
fn check(document: &str, head: &str, rows: impl FnOnce(&[String]) -> Vec<String>) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(document);
    let text = std::fs::read_to_string(&path).unwrap();
    let [before, found, behind] = table(&text, head);
    let expected = rows(&found);
    if std::env::var_os("BLESS").is_some() {
        let lines = [before, expected, behind].concat();
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        return;
    }
    assert_eq!(found, expected, "{document} disagrees with the claims: BLESS=1 writes it anew");
}

#[test]
fn the_readme_states_the_order_of_every_method() {
    let orders = orders();
    let mut stated = Vec::new();
    check("README.md", "| method | order |", |rows| {
        let row = |row: &String| {
            let mut cells: Vec<String> = row.split('|').map(str::to_owned).collect();
            let names: Vec<String> = quoted(&cells[1]).map(str::to_owned).collect();
            let mut found: Vec<u64> = names
                .iter()
                .map(|name| {
                    orders.iter().find(|(method, _)| method == name).unwrap_or_else(|| panic!("{name}?")).1
                })
                .collect();
            stated.extend(names);
            // One number where all methods of a row have the same order.
            found.dedup();
            let words: Vec<String> = found.iter().map(u64::to_string).collect();
            cells[2] = format!(" {} ", words.join(", "));
            cells.join("|")
        };
        rows.iter().map(row).collect()
    });
    let mut methods: Vec<String> = orders.into_iter().map(|(method, _)| method).collect();
    methods.sort_unstable();
    stated.sort_unstable();
    assert_eq!(stated, methods, "every method has its row");
}

#[test]
fn the_guidance_lists_the_methods_by_their_orders() {
    let mut by_order = BTreeMap::<u64, Vec<String>>::new();
    for (method, order) in orders() {
        by_order.entry(order).or_default().push(format!("`{method}`"));
    }
    check("docs/guidance.md", "| order | methods |", |_| {
        by_order.iter().map(|(order, methods)| format!("| {order} | {} |", methods.join(", "))).collect()
    });
}
