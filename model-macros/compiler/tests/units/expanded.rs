//! Passed-through Rust as formulas show it.

use least_action_compiler::internals::names::Variables;
use quote::ToTokens;
use syn::{Expr, Pat, parse_quote};

/// An expression behind some `let`s, as formulas show it.
fn shown(lets: &[(&str, &str)], expression: &str) -> String {
    let parsed = |text: &str| syn::parse_str::<Expr>(text).expect("an expression");
    let mut variables = Variables::default();
    for (name, value) in lets {
        let name = syn::Ident::new(name, proc_macro2::Span::call_site());
        let pattern: Pat = parse_quote!(#name);
        variables.push(pattern, parsed(value));
    }
    let expected = |text: &str| parsed(text).to_token_stream().to_string();
    let found = variables.expanded(&parsed(expression)).to_token_stream().to_string();
    assert_eq!(found, expected(&found));
    found.replace(' ', "")
}

#[test]
fn a_closure_is_shown_as_what_it_returns() {
    let product = ("f", "|s: f64, r: f64| s * r + s");
    assert_eq!(shown(&[product], "f(n - 0.5, 2.0)"), "(n-0.5)*(2.0)+(n-0.5)");
    // Behind another closure, and a `let` whose value it reads.
    let lets = [("a", "self.k + 1.0"), ("f", "|s| a * s"), ("g", "|s| f(s).sin() - 1.0")];
    assert_eq!(shown(&lets, "2.0 * g(x)"), "2.0*(((self.k+1.0)*x).sin()-1.0)");
    // As an argument of itself.
    assert_eq!(shown(&[("f", "|s| s + y")], "f(f(z))"), "(z+y)+y");
}

#[test]
fn a_closure_keeps_its_name_where_it_is_not_called_or_would_read_something_else() {
    assert_eq!(shown(&[("f", "|s| s + 1.0")], "self.map(f)"), "self.map(f)");
    // The argument `i` is not the `i` of the sum inside.
    let summed = ("f", "|s| (0..3).map(|i| s * i).sum()");
    assert_eq!(shown(&[summed], "f(i)"), "f(i)");
    assert_eq!(shown(&[summed], "f(j)"), "(0..3).map(|i|j*i).sum()");
    // A pattern takes its argument apart.
    assert_eq!(shown(&[("f", "|(a, b)| a + b")], "f(pair)"), "f(pair)");
}
