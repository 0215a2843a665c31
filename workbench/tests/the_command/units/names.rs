//! Names of crates.

use least_action_command::internals::check_name;

#[test]
fn names_are_those_of_crates_and_modules() {
    for name in ["beads", "two-bodies", "x2"] {
        assert_eq!(check_name(name), Ok(()), "{name}");
    }
    for name in [
        "",
        "Beads",
        "2x",
        "a.b",
        "..",
        "été",
        "fn",
        "lambda",
        "serde",
        "least-action",
        "least-action-command",
        "self",
    ] {
        assert!(check_name(name).is_err(), "{name}");
    }
}
