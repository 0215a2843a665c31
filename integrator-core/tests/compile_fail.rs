//! Every mistake of a declaration, and every method given to a model that it does not fit, with the exact message.
//!
//! One fixture states one rule, and is called by it; beside it stands what rustc says, word for word.  The messages belong to
//! the toolchain that `rust-toolchain.toml` pins; `TRYBUILD=overwrite cargo test -p integrator-core --test compile_fail`
//! writes them anew.

#[test]
fn every_mistake_has_its_message() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/fail/*.rs");
    cases.compile_fail("tests/ui/fail/engine/*.rs");
}
