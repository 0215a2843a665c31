//! Expressions that are too deep.

use least_action_compiler::Errors;
use least_action_compiler::internals::shallow::{readable, shallow};
use quote::ToTokens;
use syn::{Expr, ItemImpl, Stmt};

/// The expression of a method after it was made shallow, if it is left, and the mistakes.
fn made_shallow(expression: &str) -> (Option<Expr>, usize) {
    let text = format!("impl Model {{ fn f() -> f64 {{ {expression} }} }}");
    let mut errors = Errors::default();
    let tokens = readable(text.parse().expect("tokens"), &mut errors);
    let mut item: ItemImpl = syn::parse2(tokens).expect("an impl");
    shallow(&mut item, &mut errors);
    let syn::ImplItem::Fn(method) = item.items.remove(0) else { panic!("no method") };
    let expression = match method.block.stmts.into_iter().next() {
        Some(Stmt::Expr(expression, None)) => Some(expression),
        _ => None,
    };
    (expression, errors.count())
}

fn value(expression: &Expr) -> i64 {
    match expression {
        Expr::Paren(inner) => value(&inner.expr),
        Expr::Lit(_) => expression.to_token_stream().to_string().parse().expect("an integer"),
        Expr::Binary(both) => {
            let (left, right) = (value(&both.left), value(&both.right));
            match both.op.to_token_stream().to_string().as_str() {
                "+" => left + right,
                "-" => left - right,
                "*" => left * right % 1_000_003,
                other => panic!("no operator {other}"),
            }
        }
        other => panic!("no number: {}", other.to_token_stream()),
    }
}

fn depth(expression: &Expr) -> usize {
    match expression {
        Expr::Paren(inner) => depth(&inner.expr),
        Expr::Binary(both) => 1 + depth(&both.left).max(depth(&both.right)),
        _ => 0,
    }
}

#[test]
fn long_chains_keep_their_value() {
    for count in [2, 31, 33, 34, 100, 20_000] {
        let signed = (0..count).map(|k| format!("{} {k}", ["-", "+"][k % 3 % 2]));
        let sum = signed.collect::<Vec<String>>().concat();
        let expected: i64 = (0..count as i64).map(|k| if k % 3 % 2 == 1 { k } else { -k }).sum();
        let (expression, mistakes) = made_shallow(&format!("5 {sum}"));
        let expression = expression.expect("a sum");
        assert_eq!((value(&expression), mistakes), (expected + 5, 0));
        assert!(depth(&expression) <= 32 + 1, "{}", depth(&expression));
        // The printed text has the meaning of the expression.
        let again: Expr = syn::parse2(expression.to_token_stream()).expect("an expression");
        assert_eq!(value(&again), expected + 5);
    }
    let product = (2..90).map(|k| format!(" * {k}")).collect::<Vec<String>>().concat();
    let (expression, _) = made_shallow(&format!("7{product} - 3"));
    let expression = expression.expect("a product");
    assert_eq!(value(&expression), (2..90).fold(7, |all, k| all * k % 1_000_003) - 3);
    assert!(depth(&expression) < 10);
}

#[test]
fn what_is_too_deep_is_a_mistake_whatever_makes_it_deep() {
    let nested =
        |count: usize, before: &str, after: &str| format!("{}x{}", before.repeat(count), after.repeat(count));
    let deep = [("(", ")"), ("", ".sin()"), ("-", ""), ("", " % 2"), ("", ".y"), ("", "[0]"), ("f(", ")")];
    for (before, after) in deep {
        for (count, mistakes) in [(40, 0), (1000, 1), (20_000, 1)] {
            let (_, found) = made_shallow(&nested(count, before, after));
            assert_eq!(found, mistakes, "{count} times {before}x{after}");
        }
    }
    let choices = |count: usize| "if a { x } else ".repeat(count) + "{ y }";
    assert_eq!([40, 1000, 20_000].map(|count| made_shallow(&choices(count)).1), [0, 1, 1]);
}
