//! The free names of an expression, and the bindings that hide them.

use least_action_compiler::internals::names::{any_free, bound_by, visit_free};
use quote::ToTokens;
use syn::{Expr, Ident, parse_str};

/// The expression with every free `x` renamed to `y`.
fn renamed(text: &str) -> String {
    let mut expression: Expr = parse_str(text).expect("an expression");
    visit_free(&mut expression, &mut |name| {
        if name == "x" {
            *name = Ident::new("y", name.span());
        }
    });
    expression.to_token_stream().to_string()
}

#[track_caller]
fn becomes(text: &str, expected: &str) {
    let expected: Expr = parse_str(expected).expect("an expression");
    assert_eq!(renamed(text), expected.to_token_stream().to_string());
}

#[test]
fn variables_are_free() {
    becomes("x + self.x * x.x(x)[x]", "y + self.x * y.x(y)[y]");
}

#[test]
fn paths_and_functions_of_the_name_are_not() {
    becomes("x::x(x) + f::<x>(x)", "x::x(y) + f::<x>(y)");
}

#[test]
fn closures_hide() {
    becomes("x + (|x| x)(x)", "y + (|x| x)(y)");
    becomes("(|(a, &x)| a + x)(x)", "(|(a, &x)| a + x)(y)");
    becomes("(|a| a + x)(1)", "(|a| a + y)(1)");
}

#[test]
fn lets_hide_what_follows_but_not_themselves() {
    becomes("{ let a = x; let x = x + 1; x } + x", "{ let a = y; let x = y + 1; x } + y");
    becomes("{ let Some(x) = x else { return x }; x }", "{ let Some(x) = y else { return y }; x }");
}

#[test]
fn match_arms_hide_for_themselves() {
    becomes("match x { Some(x) => x, None => x }", "match y { Some(x) => x, None => y }");
    becomes(
        "match a { Some(x) if x > 0 => x, _ if x > 1 => x, _ => 0 }",
        "match a { Some(x) if x > 0 => x, _ if y > 1 => y, _ => 0 }",
    );
}

#[test]
fn conditions_hide_in_their_branch() {
    becomes("if let Some(x) = x { x } else { x }", "if let Some(x) = y { x } else { y }");
    becomes("if let Some(x) = x && x > 0 { x } else { x }", "if let Some(x) = y && x > 0 { x } else { y }");
}

#[test]
fn loops_hide_in_their_body() {
    becomes("{ for x in 0..x { f(x); } x }", "{ for x in 0..y { f(x); } y }");
}

#[test]
fn fields_keep_their_names() {
    becomes("Point { x, z: x }", "Point { x: y, z: y }");
    becomes("match p { Point { x } => x }", "match p { Point { x } => x }");
}

#[test]
fn macros_are_looked_through() {
    becomes("vec![x; n(x)]", "vec![y; n(y)]");
}

#[test]
fn members_and_paths_in_macros_keep_their_names() {
    becomes("vec![self.x; a.x(x)]", "vec![self.x; a.x(y)]");
    becomes("vec![x::A, a::x, 0..x]", "vec![x::A, a::x, 0..y]");
}

#[test]
fn patterns_bind_lower_case_names() {
    let names = |text: &str| -> Vec<String> {
        let closure: syn::ExprClosure = parse_str(&format!("|{text}| 0")).expect("a closure");
        bound_by(&closure.inputs[0]).iter().map(ToString::to_string).collect()
    };
    assert_eq!(names("(a, &(b, [c, .., d]))"), ["a", "b", "c", "d"]);
    assert_eq!(names("Some(ref a)"), ["a"]);
    assert_eq!(names("None"), [""; 0]);
    assert_eq!(names("Wave { height, number: k, .. }"), ["height", "k"]);
    assert_eq!(names("a @ Some(_)"), ["a"]);
}

#[test]
fn freedom_is_found() {
    let free = |text: &str| any_free(&parse_str(text).expect("an expression"), |name| name == "x");
    assert!(free("(|a| a + x)(1)"));
    assert!(!free("(|x| x)(1)"));
    assert!(!free("self.x"));
}
