//! Times of the run-time route; run by hand in release.
use least_action_declared::Declared;
use least_action_declared::rust::Source;
use std::fs;
use std::time::Instant;
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/src");
#[test]
#[ignore = "measures"]
fn times() {
    for entry in fs::read_dir(FOLDER).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "rs") {
            continue;
        }
        let file = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        if !text.contains("#[lagrangian") {
            continue;
        }
        let start = Instant::now();
        let t = |file: &str| fs::read_to_string(format!("{FOLDER}/{file}.rs")).expect("a file");
        let modules = ["liquid", "scatter", "polymer", "mesh"].into_iter().filter(|module| *module != file);
        let own = Source::parse(&format!("{file}.rs"), &text).expect("Rust");
        let source = modules.fold(own, |s, m| s.with_module(&format!("{m}.rs"), &[m], &t(m)).unwrap());
        let parsed = start.elapsed();
        let Ok(declared) = Declared::of(&source) else {
            println!("{file} refused");
            continue;
        };
        let compiled = start.elapsed();
        let p = declared.parameters(&serde_json::json!({})).unwrap();
        let bound = declared.bind(&p, u64::MAX);
        let all = start.elapsed();
        println!("{file:28} parse {parsed:?} compile {compiled:?} bound {all:?} {}", bound.is_ok());
    }
}
