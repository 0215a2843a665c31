//! Kinds of methods.

use least_action_command::internals::KINDS;

use crate::support::run;

#[test]
fn every_method_is_of_one_kind() {
    let listed = run("methods --format json").json();
    let methods: Vec<&str> =
        listed["methods"].as_array().unwrap().iter().map(|method| method["name"].as_str().unwrap()).collect();
    for method in &methods {
        let kinds = KINDS.iter().filter(|kind| kind.methods.contains(method)).count();
        assert_eq!(kinds, 1, "{method}");
    }
    let listed: usize = KINDS.iter().map(|kind| kind.methods.len()).sum();
    assert_eq!(listed, methods.len());
}
