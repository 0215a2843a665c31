//! Whatever stands under `#[lagrangian]`, the compiler answers, in finite time and with Rust that parses.
//!
//! The declarations of the ready models are mutated token by token (deleted, doubled, exchanged, replaced, cut off) and
//! expression by expression (replaced by another one, from anywhere).

use crate::compile::compile;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use std::sync::mpsc;
use std::time::Duration;
use syn::Expr;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};

/// How many mutations are tried.
const ROUNDS: u64 = 3_000;

/// How long one of them may take; a declaration takes some ten milliseconds.
const LIMIT: Duration = Duration::from_secs(20);

/// The declarations that are mutated.
const SOURCES: [&str; 4] = [
    include_str!("../../models/src/chain.rs"),
    include_str!("../../models/src/double_pendulum.rs"),
    include_str!("../../models/src/double_pendulum_angles.rs"),
    include_str!("../../tests/tests/emitted_code_passes_strict_lints.rs"),
];

/// What is put in beside the tokens of the declarations themselves.
const ODD: &str = "der sum each stiff pairs vec2 vec3 self Self r#type __ 0 1 2.0 1e999 2147483647 99999999999999999999 \
    0x_ff 1u8 \"text\" 'c' 'a b\"b\" ^ - * / .. ..= => -> :: ; : , . | || & && ! ? @ = == _ () [] {} (x) [i] { 0.0 } |x| x \
    if else match let return loop break async move unsafe dyn impl fn pub mut ref Scalar Angle Vec2 Vec3 Mat3 Time Phase \
    #[holonomic] #[force] .powi(-2147483648) .powi(40) .sin_cos() .clone() .len() .norm() .x .2 macro!(theta) \
    for<'a> <T> <Vec2>::ZERO f64::consts::PI";

/// What is put in the place of expressions, beside those of the declarations themselves.
const ODD_EXPRESSIONS: [&str; 24] = [
    "0",
    "-1",
    "1e999",
    "2147483647",
    "99999999999999999999",
    "\"text\"",
    "()",
    "[]",
    "[1.0, 2.0]",
    "|x| x",
    "|x, y| x * y",
    "self",
    "return 1.0",
    "{ let x = 1.0; }",
    "if true { 1.0 } else { 2.0 }",
    "match 1 { k if k > 0 => 1.0, _ => 0.0 }",
    "der(der(self.mass))",
    "sum(0..2, |i| sum(0..i, |j| j as f64))",
    "each(0..3, |k| k)",
    "Vec3::ZERO",
    "(1.0, Vec2::ZERO)",
    "unknown!(x)",
    "stiff(stiff(1.0))",
    "loop { break; }",
];

/// A small generator (splitmix64): a failure is found again by its round.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((word ^ (word >> 31)) % bound as u64) as usize
    }
}

fn declarations() -> Vec<TokenStream> {
    let mut all = Vec::new();
    for source in SOURCES {
        for item in syn::parse_file(source).expect("the models are Rust").items {
            if let syn::Item::Impl(mut item) = item
                && item.attrs.iter().any(|attribute| attribute.path().is_ident("lagrangian"))
            {
                item.attrs.clear();
                all.push(item.into_token_stream());
            }
        }
    }
    all
}

/// All token trees, those inside of groups too.
fn flatten(stream: TokenStream, pool: &mut Vec<TokenTree>) {
    for tree in stream {
        if let TokenTree::Group(group) = &tree {
            flatten(group.stream(), pool);
        }
        pool.push(tree);
    }
}

/// The declaration with one change at the token tree number `place`, counted as [`flatten`] does.
fn mutate(
    stream: TokenStream,
    place: &mut usize,
    random: &mut Random,
    pool: &[TokenTree],
    change: &mut String,
) -> TokenStream {
    let mut trees: Vec<TokenTree> = Vec::new();
    let mut here = None;
    for tree in stream {
        let tree = match tree {
            TokenTree::Group(group) => {
                let inner = mutate(group.stream(), place, random, pool, change);
                let mut image = Group::new(group.delimiter(), inner);
                image.set_span(group.span());
                TokenTree::Group(image)
            }
            other => other,
        };
        if *place == 0 {
            here = Some(trees.len());
        }
        *place = place.wrapping_sub(1);
        trees.push(tree);
    }
    let Some(here) = here else { return trees.into_iter().collect() };
    let other = pool[random.below(pool.len())].clone();
    let old = trees[here].to_string();
    let what = match random.below(6) {
        0 => {
            trees.remove(here);
            "deleted"
        }
        1 => {
            trees.insert(here, trees[here].clone());
            "doubled"
        }
        2 => {
            let with = random.below(trees.len());
            trees.swap(here, with);
            "exchanged"
        }
        3 => {
            trees.truncate(here);
            "cut off"
        }
        4 => {
            trees.insert(here, other.clone());
            "preceded"
        }
        _ => {
            trees[here] = other.clone();
            "replaced"
        }
    };
    *change = format!("`{old}` {what} (`{other}`)");
    trees.into_iter().collect()
}

/// All expressions of the declarations.
fn expressions(declarations: &[TokenStream]) -> Vec<Expr> {
    struct Collect(Vec<Expr>);
    impl<'ast> Visit<'ast> for Collect {
        fn visit_expr(&mut self, expression: &'ast Expr) {
            self.0.push(expression.clone());
            visit::visit_expr(self, expression);
        }
    }
    let odd = ODD_EXPRESSIONS.iter().map(|text| syn::parse_str(text).expect("an expression"));
    let mut all = Collect(odd.collect());
    for declaration in declarations {
        all.visit_item_impl(&syn::parse2(declaration.clone()).expect("a declaration"));
    }
    all.0
}

/// The declaration with one expression replaced, and what was put there.
fn replaced(declaration: &TokenStream, random: &mut Random, pool: &[Expr]) -> (TokenStream, String) {
    struct Replace {
        place: usize,
        with: Expr,
    }
    impl VisitMut for Replace {
        fn visit_expr_mut(&mut self, expression: &mut Expr) {
            if self.place == 0 {
                let with = &self.with;
                *expression = syn::parse_quote!((#with));
            }
            self.place = self.place.wrapping_sub(1);
            visit_mut::visit_expr_mut(self, expression);
        }
    }
    let with = pool[random.below(pool.len())].clone();
    let change = format!("an expression is now `{}`", with.to_token_stream());
    let Ok(mut item) = syn::parse2::<syn::ItemImpl>(declaration.clone()) else {
        return (declaration.clone(), String::new());
    };
    let count = expressions(std::slice::from_ref(declaration)).len() - ODD_EXPRESSIONS.len();
    Replace { place: random.below(count.max(1)), with }.visit_item_impl_mut(&mut item);
    (item.into_token_stream(), change)
}

/// The declaration of a round, and what was changed in it.
fn mutated(
    round: u64,
    declarations: &[TokenStream],
    pool: &[TokenTree],
    expressions: &[Expr],
) -> (TokenStream, String) {
    let mut random = Random(round.wrapping_mul(0xD134_2543_DE82_EF95));
    let mut stream = declarations[random.below(declarations.len())].clone();
    if round.is_multiple_of(4) {
        let (first, one) = replaced(&stream, &mut random, expressions);
        let (second, two) = replaced(&first, &mut random, expressions);
        return (second, format!("{one}, then {two}"));
    }
    let mut changes = Vec::new();
    for _ in 0..=random.below(3) {
        let mut all = Vec::new();
        flatten(stream.clone(), &mut all);
        if all.is_empty() {
            break;
        }
        let mut place = random.below(all.len());
        let mut change = String::new();
        stream = mutate(stream, &mut place, &mut random, pool, &mut change);
        changes.push(change);
    }
    (stream, changes.join(", then "))
}

/// What the compiler said.
enum Outcome {
    /// Not an `impl` any more.
    Unread,
    /// Read, and refused.
    Refused,
    /// Read, and compiled.
    Compiled,
}

fn outcome(item: TokenStream) -> Outcome {
    let is_read = syn::parse2::<syn::ItemImpl>(item.clone()).is_ok();
    let code = compile(TokenStream::new(), item);
    let text = code.to_string();
    if let Err(error) = syn::parse2::<syn::File>(code) {
        panic!("what is emitted is not Rust: {error}\n{text}");
    }
    match (is_read, text.contains("compile_error")) {
        (false, _) => Outcome::Unread,
        (true, true) => Outcome::Refused,
        (true, false) => Outcome::Compiled,
    }
}

#[test]
fn mutated_declarations_neither_panic_nor_hang() {
    let (started, rounds) = mpsc::channel();
    // As deep a stack as that of rustc's main thread.
    let work = std::thread::Builder::new().stack_size(8 << 20).spawn(move || {
        let declarations = declarations();
        assert!(declarations.len() >= SOURCES.len(), "each file declares a model");
        let mut pool = Vec::new();
        for stream in declarations.iter().cloned().chain([ODD.parse().expect("tokens")]) {
            flatten(stream, &mut pool);
        }
        let expressions = expressions(&declarations);
        let mut counts = [0_u64; 3];
        for round in 0..ROUNDS {
            let (item, change) = mutated(round, &declarations, &pool, &expressions);
            started.send((round, change.clone())).expect("the test waits");
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| outcome(item)));
            match result {
                Ok(Outcome::Unread) => counts[0] += 1,
                Ok(Outcome::Refused) => counts[1] += 1,
                Ok(Outcome::Compiled) => counts[2] += 1,
                Err(cause) => {
                    println!("round {round}: {change}");
                    std::panic::resume_unwind(cause);
                }
            }
        }
        counts
    });
    let work = work.expect("a thread");
    let mut last = (0, String::new());
    loop {
        match rounds.recv_timeout(LIMIT) {
            Ok(round) => last = round,
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("round {} does not end: {}", last.0, last.1),
        }
    }
    let [unread, refused, compiled] =
        work.join().unwrap_or_else(|_| panic!("in round {}: {}", last.0, last.1));
    println!("{unread} no longer an impl, {refused} refused, {compiled} compiled");
    // Otherwise the mutations would be too coarse to reach what they are to test.
    assert!(
        refused > ROUNDS / 8 && compiled > ROUNDS / 20,
        "{unread} unread, {refused} refused, {compiled} compiled"
    );
}

#[test]
fn every_prefix_of_a_declaration_is_answered() {
    for declaration in declarations() {
        let mut all = Vec::new();
        flatten(declaration.clone(), &mut all);
        for place in 0..all.len() {
            outcome(cut(declaration.clone(), &mut place.clone()).0);
        }
    }
}

/// The declaration without anything after the token tree number `place`.
fn cut(stream: TokenStream, place: &mut usize) -> (TokenStream, bool) {
    let mut trees = Vec::new();
    for tree in stream {
        if let TokenTree::Group(group) = &tree {
            let (inner, done) = cut(group.stream(), place);
            if done {
                trees.push(TokenTree::Group(Group::new(group.delimiter(), inner)));
                return (trees.into_iter().collect(), true);
            }
        }
        if *place == 0 {
            return (trees.into_iter().collect(), true);
        }
        *place -= 1;
        trees.push(tree);
    }
    (trees.into_iter().collect(), false)
}
