//! Declarations with a few changes: tokens deleted, doubled, exchanged, replaced or cut off;
//! expressions replaced by others.

use crate::random::Random;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Expr;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};

/// The declarations that are mutated.
const SOURCES: [&str; 8] = [
    include_str!("../../../../../models/src/chain.rs"),
    include_str!("../../../../../models/src/double_pendulum.rs"),
    include_str!("../../../../../models/src/double_pendulum_angles.rs"),
    include_str!("../../../../../tests/declarations/src/matrices.rs"),
    include_str!("../../../../../tests/declarations/src/piecewise.rs"),
    include_str!("../../../../../tests/declarations/src/damped.rs"),
    include_str!("../../../../../tests/declarations/src/vibrated.rs"),
    include_str!("../../../../../tests/tests/emitted_code_passes_strict_lints.rs"),
];

/// New tokens beside the tokens of the declarations.
const ODD: &str = "der sum each stiff pairs vec2 vec3 self Self r#type __ 0 1 2.0 1e999 2147483647 99999999999999999999 \
    0x_ff 1u8 \"text\" 'c' 'a b\"b\" ^ - * / .. ..= => -> :: ; : , . | || & && ! ? @ = == _ () [] {} (x) [i] { 0.0 } |x| x \
    if else match let return loop break async move unsafe dyn impl fn pub mut ref Scalar Angle Vec2 Vec3 Mat3 Time Phase \
    #[holonomic] #[nonholonomic] #[force] #[dissipation] #[frequency] #[phase] Mat3::IDENTITY [(0,1)] .transpose() .abs() .powi(-2147483648) .powi(40) .sin_cos() .clone() .len() .norm() .x .2 macro!(theta) \
    for<'a> <T> <Vec2>::ZERO f64::consts::PI";

/// New expressions beside the expressions of the declarations.
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

/// All token trees, also inside of groups.
pub(super) fn flatten(stream: TokenStream, pool: &mut Vec<TokenTree>) {
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

/// The declaration with one expression replaced, and the new expression.
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

/// The declarations that are changed, and the tokens and expressions that are put in.
pub(super) struct Changes {
    pub(super) declarations: Vec<TokenStream>,
    tokens: Vec<TokenTree>,
    expressions: Vec<Expr>,
}

impl Changes {
    pub(super) fn new() -> Self {
        let declarations = declarations();
        assert!(declarations.len() >= SOURCES.len(), "each file declares a model");
        let mut tokens = Vec::new();
        for stream in declarations.iter().cloned().chain([ODD.parse().expect("tokens")]) {
            flatten(stream, &mut tokens);
        }
        let expressions = expressions(&declarations);
        Self { declarations, tokens, expressions }
    }

    /// A declaration with a few changes, and their description.
    pub(super) fn declaration(&self, random: &mut Random) -> (TokenStream, String) {
        let mut stream = self.declarations[random.below(self.declarations.len())].clone();
        if random.below(2) == 0 {
            let (first, one) = replaced(&stream, random, &self.expressions);
            let (second, two) = replaced(&first, random, &self.expressions);
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
            stream = mutate(stream, &mut place, random, &self.tokens, &mut change);
            changes.push(change);
        }
        (stream, changes.join(", then "))
    }

    /// Tokens without any order.
    pub(super) fn tokens(&self, random: &mut Random) -> (TokenStream, String) {
        let count = random.below(60);
        let stream: TokenStream =
            (0..count).map(|_| self.tokens[random.below(self.tokens.len())].clone()).collect();
        let text = stream.to_string();
        (stream, text)
    }
}
