//! No text makes the compiler or the interpreter panic, overflow its stack, or run without an end.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test may end at what is not there"
)]

use least_action_declared::Declared;
use least_action_declared::rust::{Alone, Budget, Machine, Model, Program, Source};
use serde_json::{Map, Value as Json};
use std::fs;
use std::sync::Arc;

/// Numbers that look random (SplitMix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % count as u64) as usize
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

const BUDGET: Budget = Budget { operations: 100_000, values: 100_000, depth: 250 };

/// Reads a text, and runs all of it that can run.
fn carry_out(text: &str) -> bool {
    proc_macro2::extra::invalidate_current_thread_spans();
    let Ok(source) = Source::parse("any.rs", text) else { return false };
    let Ok(program) = Program::resolve(&source, &Alone) else { return false };
    let Ok(model) = Model::of(program) else { return false };
    let within = |name: &str, parameters: &mut dyn FnMut() -> Vec<_>| {
        let function = model.method(name)?;
        Machine::new(model.program(), &Alone, BUDGET).function(function, &mut parameters()).ok()
    };
    let Some(own) = within("default", &mut Vec::new) else { return true };
    let _ = model.read(&model.write(&own));
    for method in ["start", "look", "lagrangian", "step", "until", "rods", "run"] {
        within(method, &mut || vec![own.clone()]);
    }
    let shared = Arc::clone(model.program());
    drop((model, own));
    drop(shared);
    true
}

/// The most bytes of a system, and degrees of freedom that are evaluated.
const MEMORY: u64 = 1 << 24;
const DEGREES: usize = 300;

/// Takes a text from declaration to derivatives; true if it is a model that binds.
fn derive(text: &str) -> bool {
    proc_macro2::extra::invalidate_current_thread_spans();
    let Ok(declared) = Declared::new("any.rs", text) else { return false };
    let Ok(parameters) = declared.parameters(&Json::Object(Map::new())) else { return false };
    let Ok(bound) = declared.bind(&parameters, MEMORY) else { return false };
    let system = bound.faces().mechanics;
    let n = system.dimension();
    if n <= DEGREES {
        let (q, v): (Vec<_>, Vec<_>) = (0..n).map(|k| (0.3 + 0.1 * k as f64, 0.2 - 0.01 * k as f64)).unzip();
        let mut gradient = vec![0.0; 2 * n + 1];
        system.first_derivatives(&q, &v, 0.1, &mut gradient);
        if system.affords_second_derivatives().is_ok() {
            let mut hessian = vec![0.0; system.second_pattern().len()];
            system.second_derivatives(&q, &v, 0.1, &mut gradient, &mut hessian);
        }
        system.energy(&q, &v, 0.1);
        if let Some(rows) = bound.faces().holonomic {
            let mut values = vec![0.0; rows.constraints()];
            let mut jacobian = vec![0.0; rows.jacobian_pattern().len()];
            rows.jacobian(&q, 0.1, &mut values, &mut jacobian);
        }
    }
    true
}

const WORDS: &[&str] = &[
    "self",
    "x",
    "y",
    "v",
    "0",
    "1",
    "2.0",
    "-",
    "+",
    "*",
    "/",
    "%",
    "..",
    "..=",
    "<",
    ">",
    "==",
    "&",
    "&mut",
    "|",
    "||",
    "!",
    "if",
    "else",
    "match",
    "for",
    "in",
    "while",
    "loop",
    "break",
    "continue",
    "return",
    "let",
    "mut",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ".",
    "::",
    "->",
    "=>",
    "=",
    "+=",
    "?",
    "as",
    "usize",
    "f64",
    "i32",
    "Vec",
    "Some",
    "None",
    "Ok",
    "fn",
    "move",
    "self.n",
    "self.run()",
    ".push(x)",
    ".iter()",
    ".map(|x| x)",
    ".collect()",
    ".sum::<f64>()",
    "vec![x; 9]",
    "vec![v]",
    "Vector3::zeros()",
    ".len()",
    "usize::MAX",
    "u64::MAX",
    ".enumerate()",
    ".rev()",
    ".iter_mut()",
    ".next()",
    ".unwrap()",
    ".clone()",
    "std::mem::swap(&mut x, &mut y)",
    ".sort()",
    ".zip(v)",
    "Self { n: 1 }",
    "'a'",
    "\"a\"",
    "#",
];

fn soup(dice: &mut Dice) -> String {
    let count = 1 + dice.below(40);
    let words: Vec<&str> = (0..count).map(|_| dice.of(WORDS)).collect();
    let body = words.join(" ");
    format!(
        "struct M {{ n: usize }} impl Default for M {{ fn default() -> Self {{ Self {{ n: 3 }} }} }}
         #[lagrangian] impl M {{ fn lagrangian(&self) -> f64 {{ 0.0 }} }}
         impl M {{ fn run(&self) -> f64 {{ let mut x = 1; let mut y = 2; let mut v = vec![1.0, 2.0]; {body} }} }}"
    )
}

/// Statements that mostly run: variables are made of each other.
fn statements(dice: &mut Dice) -> String {
    const VALUES: &[&str] = &[
        "x + 1",
        "x * x",
        "v.clone()",
        "vec![v.clone(), v.clone()]",
        "(0..9).map(|k| k * x).collect::<Vec<_>>()",
        "Some(v.clone())",
        "(x, v.clone())",
        "v.iter().map(|k| k).collect::<Vec<_>>()",
        "|k| k",
        "self.run()",
        "it.map(|k| k)",
        "v.iter()",
        "it.zip(v.clone())",
        "it.chain(v.clone())",
        "&mut v",
        "&mut x",
        "[v.clone()]",
        "v.len()",
        "w",
        "(w, w)",
        "it.clone()",
        "it.next()",
        "it.rev()",
        "it.flat_map(|k| v.clone())",
        "it.cycle()",
        "it.peekable()",
        "x - 3",
        "x / (x - 2)",
        "v[x]",
        "v[0..x]",
        "Vector3::new(1.0, 2.0, x as f64)",
        "x as u8 as usize",
        "x.pow(40)",
        "x << 70",
        "Box::new(w)",
        "move |k| (k, w)",
        "(0..).step_by(x)",
        "std::iter::repeat(v.clone())",
        "v.windows(x)",
        "v.chunks(x)",
        "vec![0; x]",
    ];
    const FORMS: &[&str] = &[
        "let mut v = VALUE;",
        "let mut x = VALUE;",
        "let mut it = VALUE;",
        "let w = VALUE;",
        "v = VALUE;",
        "x = VALUE;",
        "x += 1;",
        "v.push(VALUE);",
        "for k in VALUE { x += 1; STATEMENT }",
        "while x < 40 { x += 1; STATEMENT }",
        "loop { x += 1; STATEMENT }",
        "if x > 3 { STATEMENT } else { STATEMENT }",
        "loop { v = vec![v]; }",
        "loop { w = (w, x); STATEMENT }",
        "v.extend(VALUE);",
        "v.sort();",
        "v.sort_by(|a, b| VALUE);",
        "v.retain(|k| true);",
        "match VALUE { Some(k) => { STATEMENT } _ => {} }",
        "loop { it = it.map(|k| k); }",
        "loop { it = VALUE; STATEMENT }",
        "x = v.iter().map(|k| 1).sum();",
        "*w = VALUE;",
        "let mut w = VALUE; v = VALUE;",
        "v[0] = VALUE;",
        "for k in v.iter_mut() { *k = VALUE; }",
        "w(VALUE);",
        "it.next();",
        "if let Some(k) = VALUE { v = k; STATEMENT }",
        "let it = VALUE.into_iter();",
        "std::mem::swap(&mut v, &mut w);",
    ];
    let mut body = String::from("STATEMENT STATEMENT STATEMENT STATEMENT STATEMENT STATEMENT");
    for _ in 0..12 {
        body = body.replacen("STATEMENT", &format!("{} STATEMENT", dice.of(FORMS)), 1 + dice.below(2));
        if dice.below(3) == 0 {
            body = body.replacen("STATEMENT", dice.of(FORMS), 1);
        }
    }
    body = body.replace("STATEMENT", "");
    while body.contains("VALUE") {
        body = body.replacen("VALUE", dice.of(VALUES), 1);
    }
    format!(
        "struct M {{ n: usize }} impl Default for M {{ fn default() -> Self {{ Self {{ n: 3 }} }} }}
         #[lagrangian] impl M {{ fn lagrangian(&self) -> f64 {{ 0.0 }} }}
         impl M {{ fn run(&self) -> f64 {{ let mut x: usize = 1; let mut v = vec![1, 2]; let mut w = v.clone(); let mut it = v.iter();
         {body} 0.0 }} }}"
    )
}

fn mutated(dice: &mut Dice, models: &[String]) -> String {
    let mut words: Vec<String> = models[dice.below(models.len())]
        .split_inclusive(|c: char| !c.is_alphanumeric())
        .map(str::to_owned)
        .collect();
    for _ in 0..=dice.below(4) {
        let (at, other) = (dice.below(words.len()), dice.below(words.len()));
        match dice.below(5) {
            0 => drop(words.remove(at)),
            1 => words.swap(at, other),
            2 => {
                let other = words[other].clone();
                words.insert(at, other);
            }
            3 => words.insert(at, dice.of(WORDS).to_owned()),
            _ => {
                let number =
                    dice.of(&["0", "9", "-1", "usize", "self", "18446744073709551615", "1e308", "0.0"]);
                number.clone_into(&mut words[at]);
            }
        }
        if words.is_empty() {
            break;
        }
    }
    words.concat()
}

fn models() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/src");
    let files = fs::read_dir(folder).expect("the models").filter_map(Result::ok).map(|entry| entry.path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "rs")).collect();
    files.sort();
    files.iter().map(|path| fs::read_to_string(path).expect("a model")).collect()
}

fn run(count: usize, seed: u64) {
    let (mut dice, models) = (Dice(seed), models());
    let mut ran = [0; 4];
    for round in 0..count {
        let kind = round % 4;
        let text = match kind {
            0 => soup(&mut dice),
            1 => statements(&mut dice),
            _ => mutated(&mut dice, &models),
        };
        ran[kind] += usize::from(if kind == 3 { derive(&text) } else { carry_out(&text) });
    }
    // A test of texts that are all refused would prove nothing.
    let [soups, statements, mutated, derived] = ran;
    let is_worth = soups > 0 && statements > count / 12 && mutated > count / 80 && derived > count / 80;
    assert!(is_worth, "{ran:?} of {count} ran");
    println!("{ran:?} of {count} ran");
}

#[test]
fn no_text_breaks_the_interpreter() {
    run(3000, 1);
}

/// `SEED=… COUNT=… cargo test -p least-action-declared --test any_text -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn no_text_of_many_breaks_the_interpreter() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    run(number("COUNT", 100_000) as usize, number("SEED", 7));
}

/// Each of these would overflow the stack of a parser or an evaluator without limits.
#[test]
fn deep_texts_are_refused() {
    let around = |body: &str| {
        format!(
            "struct M; impl Default for M {{ fn default() -> Self {{ {body} }} }} #[lagrangian] impl M {{ fn lagrangian(&self) -> f64 {{ 0.0 }} }}"
        )
    };
    let many = 100_000;
    let deep = [
        format!("{}1{}", "(".repeat(many), ")".repeat(many)),
        format!("{}1", "-".repeat(many)),
        format!("{}1", "&".repeat(many)),
        format!("{}1", "|x| ".repeat(many)),
        format!("1{}", " + 1".repeat(many)),
        format!("1{}", ".abs()".repeat(many)),
        format!("{}1", "x = ".repeat(many)),
        format!("if a {{}} {}", "else if a {} ".repeat(many)),
        format!("{}1", "if ".repeat(many)),
        format!("let x: {}f64{} = 1;", "Vec<".repeat(many), ">".repeat(many)),
        format!("let x: {}f64 = 1;", "fn() -> ".repeat(many)),
        format!("let {}x = 1;", "&".repeat(many)),
        format!("1{}", " as f64".repeat(many)),
        format!("{}1", "return ".repeat(many)),
        format!("f{}", "(1)".repeat(many)),
        format!("f{}", "[1]".repeat(many)),
        format!("f{}", "?".repeat(many)),
        format!("{}1", "break ".repeat(many)),
        format!("{}1", "match ".repeat(many)),
        format!("{}1{}", "{".repeat(many), "}".repeat(many)),
        format!("a{}", "::b".repeat(many)),
        format!("let x = {}1;", "1..".repeat(many)),
        format!("let {}x{} = 1;", "Some(".repeat(many), ")".repeat(many)),
    ];
    for text in &deep {
        assert!(!carry_out(&around(text)), "{}…", &text[..20]);
    }
    // As deep as allowed: nothing overflows.
    for text in ["+ 1", ".abs()", "as f64", "else if a {}", "= x", "(1)", "[1]", "?", "- (1)", "|x| x"] {
        for count in [50, 190, 400, 700, 1200] {
            carry_out(&around(&format!("if a {{}} {}", text.repeat(count))));
            carry_out(&around(&format!("x {}", text.repeat(count))));
            carry_out(&around(&format!("{} x", text.repeat(count))));
        }
        carry_out(&around(&format!("{}1{}", "(".repeat(95), ")".repeat(95))));
        carry_out(&around(&format!("{}1{}", "[".repeat(95), "]".repeat(95))));
        carry_out(&around(&format!("{}1{}", "{".repeat(95), "}".repeat(95))));
        carry_out(&around(&format!("{}1{}", "f(".repeat(95), ")".repeat(95))));
        carry_out(&around(&format!("{}1{}", "if a { ".repeat(95), "}".repeat(95))));
        carry_out(&around(&format!("{}1{}", "match a { _ => ".repeat(95), "}".repeat(95))));
    }
}
