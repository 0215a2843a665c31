//! The expansion of the declaration of the chain, beside this file to be read.
//!
//! `BLESS=1 cargo test -p least-action-compiler --test units expansion` writes it anew.

use quote::ToTokens;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/expansion/chain.expanded");

/// The declaration of the chain, as text.
fn chain() -> String {
    let source = include_str!("../../../../models/src/chain.rs");
    let file = syn::parse_file(source).expect("Rust");
    let declaration = file.items.into_iter().find_map(|item| match item {
        syn::Item::Impl(item) if item.attrs.iter().any(|known| known.path().is_ident("lagrangian")) => {
            Some(item)
        }
        _ => None,
    });
    declaration.expect("a declaration").to_token_stream().to_string()
}

fn expanded(declaration: &str) -> String {
    prettyplease::unparse(&least_action_compiler::expand(declaration).expect("no mistakes"))
}

#[test]
fn the_chain_becomes_what_it_did() {
    let expansion = expanded(&chain());
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(GOLDEN, &expansion).expect("the golden file");
    }
    let golden = std::fs::read_to_string(GOLDEN).unwrap_or_default();
    let same = golden.lines().zip(expansion.lines()).take_while(|(golden, found)| golden == found).count();
    assert!(golden == expansion, "line {} is another; see BLESS=1", same + 1);
}

/// Sensitive fields add code, and change none but the list of their names.
#[test]
fn sensitive_fields_leave_the_code_as_it_is() {
    let plain = chain();
    let sensitive = plain.replacen("lagrangian", "lagrangian (sensitive (mass , gravity , rod))", 1);
    let (plain, sensitive) = (expanded(&plain), expanded(&sensitive));
    assert!(sensitive.len() > plain.len(), "derivatives are added");
    let mut lines = sensitive.lines();
    for line in plain.lines().filter(|line| !line.contains(" sensitive: ")) {
        assert!(lines.any(|known| known == line), "`{line}` is missing, or stands elsewhere");
    }
}

#[test]
fn mistakes_are_told() {
    let of_velocities = "#[lagrangian] impl M { fn lagrangian(&self, x: Scalar) -> Scalar { der(der(x)) } }";
    let error = least_action_compiler::expand(of_velocities).expect_err("a mistake");
    assert!(error.to_string().contains("no accelerations"), "{error}");
    assert!(least_action_compiler::expand("struct M;").is_err());
}
