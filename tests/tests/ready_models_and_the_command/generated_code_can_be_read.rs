//! `least-action expand` prints the code that the compiler of declarations emitted.

use least_action_tests::command::{json, run};

#[test]
fn the_chain_is_the_golden_one() {
    let printed = run("expand chain");
    assert_eq!((printed.code, printed.err.as_str()), (0, ""));
    let golden = include_str!("../../../model-macros/compiler/tests/expansion/chain.expanded");
    assert!(printed.out == golden, "what rustc compiled is not what the golden file has");
}

#[test]
fn every_ready_model_has_its_code() {
    let models = json("models --format json");
    let names = models["models"].as_array().expect("a list");
    assert!(names.len() > 15);
    for name in names.iter().filter_map(|model| model["name"].as_str()) {
        let printed = run(&format!("expand {name}"));
        assert_eq!((printed.code, printed.err.as_str()), (0, ""), "{name}");
        assert!(printed.out.contains("impl ::least_action::Model for "), "{name}");
    }
}
