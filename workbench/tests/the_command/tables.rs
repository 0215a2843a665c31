//! The tables of methods in the documents agree with the command: `BLESS=1` writes them anew.

use crate::support::run;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The output of `methods`.
fn catalogue() -> Value {
    run("methods --format json").json()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap()
}

/// The names in a list, in backticks.
fn quoted(list: &Value) -> String {
    let names = list.as_array().unwrap().iter().map(|name| format!("`{}`", name.as_str().unwrap()));
    names.collect::<Vec<_>>().join(", ")
}

/// The words in a list.
fn words(list: &Value) -> String {
    list.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect::<Vec<_>>().join(", ")
}

/// Holds the table of a document that begins with this line against these rows, or writes it.
fn check(document: &str, head: &str, rows: &[String]) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(document);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let first = lines.iter().position(|line| line == head).unwrap_or_else(|| panic!("no table `{head}`")) + 2;
    let length = lines[first..].iter().position(|line| !line.starts_with('|')).unwrap();
    let (before, found, behind) = (&lines[..first], &lines[first..first + length], &lines[first + length..]);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, [before, rows, behind].concat().join("\n") + "\n").unwrap();
        return;
    }
    assert_eq!(found, rows, "{document} disagrees with the command: BLESS=1 writes it anew");
}

#[test]
fn the_book_says_of_every_method_its_claims_and_its_models() {
    let mut rows: Vec<(Vec<String>, Vec<u64>, String)> = Vec::new();
    for method in catalogue()["methods"].as_array().unwrap() {
        let velocities = if text(method, "nonholonomic") == "no" { "" } else { "; on velocities too" };
        let behind = format!(
            "{} | {} | {}{velocities} | {} | {} | {} |",
            words(&method["keeps"]),
            text(method, "lagrangian"),
            text(method, "constraints"),
            text(method, "forces"),
            quoted(&method["options"]),
            words(&method["derivatives"])
        );
        let (name, order) = (format!("`{}`", text(method, "name")), method["order"].as_u64().unwrap());
        match rows.last_mut() {
            // Methods in a row that differ in their order alone share a line.
            Some((names, orders, known)) if *known == behind => {
                names.push(name);
                orders.push(order);
            }
            _ => rows.push((vec![name], vec![order], behind)),
        }
    }
    let lines: Vec<String> = rows
        .into_iter()
        .map(|(names, mut orders, behind)| {
            orders.dedup();
            let orders: Vec<String> = orders.iter().map(u64::to_string).collect();
            format!("| {} | {} | {behind}", names.join(", "), orders.join(", "))
        })
        .collect();
    check(
        "docs/choosing.md",
        "| method | order | keeps | Lagrangian | constraints | other forces | options | derivatives by |",
        &lines,
    );
}

#[test]
fn the_book_gives_the_advice_of_the_command() {
    let catalogue = catalogue();
    let rows: Vec<String> = catalogue["advice"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("| {} | {} | {} |", text(one, "system"), text(one, "take"), text(one, "because")))
        .collect();
    check("docs/choosing.md", "| the system | take | because |", &rows);
    let known: Vec<&str> =
        catalogue["methods"].as_array().unwrap().iter().map(|method| text(method, "name")).collect();
    for one in catalogue["advice"].as_array().unwrap() {
        let method = text(one, "take").split('`').nth(1).unwrap();
        assert!(known.contains(&method), "{method} is no method");
    }
}

#[test]
fn the_book_lists_the_methods_by_their_orders() {
    let mut by_order = BTreeMap::<u64, Vec<String>>::new();
    for method in catalogue()["methods"].as_array().unwrap() {
        by_order
            .entry(method["order"].as_u64().unwrap())
            .or_default()
            .push(format!("`{}`", text(method, "name")));
    }
    let rows: Vec<String> =
        by_order.iter().map(|(order, methods)| format!("| {order} | {} |", methods.join(", "))).collect();
    check("docs/choosing.md", "| order | methods |", &rows);
}

/// Advice on a model is a method that fits it.
#[test]
fn the_advice_on_a_model_fits_it() {
    for model in ["spring-pendulum", "chain", "bead", "polar-pendulum", "springs", "cart", "ions"] {
        let report = run(&format!("describe {model} --format json")).json();
        let advice = report["take"].as_array().unwrap();
        assert!(!advice.is_empty(), "{model}");
        for one in advice {
            let method = text(one, "take").split('`').nth(1).unwrap();
            let fits = report["methods"].as_array().unwrap().iter();
            let fits = fits.filter(|fit| fit["fits"] == true).any(|fit| text(fit, "method") == method);
            assert!(fits, "{method} is advised for {model}");
        }
    }
}
