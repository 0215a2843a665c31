//! Mistakes and failures are told in the words of rustc and of serde, at their places.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test may end at what is not there"
)]

use least_action_declared::rust::{Alone, Budget, Machine, Model, Source};
use serde_json::json;

/// A model with these statements in its method `run`; line 5 is the first of them.
fn file(statements: &str) -> String {
    format!(
        "#[derive(Default)]\nstruct M {{ mass: f64, links: usize, masses: [f64; 2], name: String, kind: Kind }}\n\
         #[derive(Default)] enum Kind {{ #[default] Soft, Hard }}\nimpl M {{ fn run(&self) -> f64 {{\n{statements}\n}} }}\n\
         #[lagrangian] impl M {{ fn lagrangian(&self, x: Vec2) -> Scalar {{ what(x) }} }}"
    )
}

fn refused(statements: &str) -> String {
    let source = match Source::parse("m.rs", &file(statements)) {
        Ok(source) => source,
        Err(error) => return error.to_string(),
    };
    let errors = Model::new(&source, &Alone).expect_err(statements);
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn model(statements: &str) -> Model {
    let source = Source::parse("m.rs", &file(statements)).expect("Rust");
    Model::new(&source, &Alone).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn fails(statements: &str) -> String {
    let model = model(statements);
    let own = model.default().expect("a default");
    model.call("run", &own).expect_err(statements).to_string()
}

#[test]
fn mistakes_have_places_and_near_names() {
    assert_eq!(
        refused("let length = 1.0;\nlenght * 2.0"),
        "m.rs:6:1: cannot find value `lenght` in this scope; `length` has a similar name"
    );
    assert_eq!(refused("foo(1.0)"), "m.rs:5:1: cannot find function `foo` in this scope");
    let told = refused("let x = M { mas: 1.0, ..Self::default() };\n0.0");
    assert!(
        told.starts_with("m.rs:5:13: struct `M` has no field named `mas`; `mass` has a similar name"),
        "{told}"
    );
    let crate_of_rustc = "is not understood here; a crate that rustc compiles understands all of Rust: `least-action new NAME` makes one";
    assert_eq!(refused("println!(\"a\"); 0.0"), format!("m.rs:5:1: the macro `println!` {crate_of_rustc}"));
    assert_eq!(refused("unsafe { 0.0 }"), format!("m.rs:5:1: `unsafe` {crate_of_rustc}"));
    assert_eq!(refused("break; 0.0"), "m.rs:5:1: `break` outside of a loop");
    assert_eq!(refused("let x: u8 = 300; 0.0"), "m.rs:5:13: literal out of range for `u8`");
    assert!(
        refused("let x = ; 0.0").starts_with("m.rs:5:9: expected an expression"),
        "{}",
        refused("let x = ;")
    );
    assert!(
        refused("0.0 } } use rand::Rng; impl M { fn a(&self) {")
            .contains("the crate `rand` is not understood here")
    );
}

/// What rustc understands and the interpreter does not is refused at its place, with the way to a crate.
#[test]
fn methods_of_rust_alone_are_refused() {
    for (statements, place, method) in [
        ("[1.0, 2.0].iter().peekable();\n0.0", "5:1", "peekable"),
        ("let v = vec![1.0];\nlet w = v.iter().scan(0.0, |a, b| None);\n0.0", "6:9", "scan"),
        ("let x = (2.0_f64).next_up();\n0.0", "5:9", "next_up"),
        ("self.name.to_uppercase();\n0.0", "5:1", "to_uppercase"),
        ("7_usize.trailing_zeros() as f64", "5:1", "trailing_zeros"),
    ] {
        let told = fails(statements);
        let expected = format!("m.rs:{place}: no method named `{method}` found for ");
        assert!(told.starts_with(&expected), "{statements}: {told}");
        assert!(told.contains("a crate that rustc compiles understands all of Rust"), "{statements}: {told}");
    }
}

#[test]
fn failures_are_told_as_rust_panics() {
    for (statements, message) in [
        ("let n: usize = 0;\n(n - 1) as f64", "m.rs:6:2: attempt to subtract with overflow"),
        ("(1 / (self.links)) as f64", "m.rs:5:2: attempt to divide by zero"),
        ("(200_u8 * 2) as f64", "m.rs:5:2: attempt to multiply with overflow"),
        ("self.masses[self.links + 5]", "m.rs:5:1: index out of bounds: the len is 2 but the index is 5"),
        ("let n = i128::MIN; (-n) as f64", "m.rs:5:21: attempt to negate with overflow"),
        (
            "let w = vec![1.0]; w.windows(usize::MAX).count() as f64 / (w.len() - 2) as f64",
            "m.rs:5:60: attempt to subtract",
        ),
        ("vec![1.0][1..3][0]", "m.rs:5:1: range end index 3 out of range for slice of length 1"),
        ("self.mass.norm()", "m.rs:5:1: no method named `norm` found for `f64`"),
        ("self.mass.sqr()", "m.rs:5:1: no method named `sqr` found for `f64`; `sqrt` has a similar name"),
        ("self.mass + 1", "m.rs:5:1: cannot add `f64` and `{integer}`"),
        ("self.length", "m.rs:5:1: no field `length` on type `M`"),
        ("let x: Option<f64> = None; x.unwrap()", "m.rs:5:28: called `Option::unwrap()` on a `None` value"),
        ("panic!(\"no way\")", "m.rs:5:1: no way"),
        ("assert!(self.mass > 1.0); 0.0", "m.rs:5:1: assertion failed"),
        ("pairs(self.mass).len() as f64", "m.rs:5:1: mismatched types: expected `usize`, found `f64`"),
        (
            "vec![1.0].iter().take(self.mass).sum()",
            "m.rs:5:1: mismatched types: expected `usize`, found `f64`",
        ),
        (
            "vec![1.0].iter().nth(self.mass).unwrap()",
            "m.rs:5:1: mismatched types: expected `usize`, found `f64`",
        ),
        ("vec![1.0].get(self.mass).unwrap()", "m.rs:5:1: mismatched types: expected `usize`, found `f64`"),
        ("(0..3).step_by(0).count() as f64", "m.rs:5:1: assertion failed: step != 0"),
        (
            "let mut v = vec![1.0, 2.0]; v.drain(0..1); v[0]",
            "m.rs:5:29: no method named `drain` found for `[f64]`; a crate that rustc compiles understands all of Rust",
        ),
        ("Vector2::new(1.0, 2.0).amax()", "m.rs:5:1: no method named `amax` found for `Vector2<f64>`"),
        ("vec![1.0].as_chunks().0[0][0]", "m.rs:5:1: the length of the chunks is unknown"),
        ("fn_of(0.0)", "m.rs:5:1: cannot find function `fn_of` in this scope"),
    ] {
        let told = if statements == "fn_of(0.0)" { refused(statements) } else { fails(statements) };
        assert!(told.starts_with(message), "{statements}: {told}");
    }
}

#[test]
fn a_budget_ends_every_evaluation() {
    for (statements, message) in [
        ("loop { }", "takes too many operations"),
        ("(0..).filter(|k| *k < 0).count() as f64", "takes too many operations"),
        ("self.run()", "calls itself too deep"),
        (
            "let mut v = vec![0.0; 400_000]; let mut all = vec![]; loop { all.push(v.clone()); v[0] += 1.0; }",
            "holds more than",
        ),
        ("vec![0.0; usize::MAX][0]", "too many operations"),
        ("let mut v = vec![]; loop { v = vec![v.clone(), v]; }", "operations"),
        ("let mut v = (0..).map(|k| k); loop { v = v.map(|k| k); }", "iterators stand around one another"),
        ("let mut v = (0..).map(|k| k); loop { v = (0..).zip(v); }", "iterators stand around one another"),
        ("let f = |g: F| (0..1).flat_map(|k| g(g)); f(f).count() as f64", "too deep"),
    ] {
        let model = model(statements);
        let own = model.default().expect("a default");
        let budget = Budget { operations: 1_000_000, values: 1_000_000, depth: 100 };
        let function = model.method("run").expect("the method");
        let told = Machine::new(model.program(), &Alone, budget)
            .function(function, &mut [own])
            .expect_err(statements);
        assert!(told.to_string().contains(message), "{statements}: {told}");
    }
}

/// Iterators around one another take stack between the calls of a recursion, too.
#[test]
fn recursions_through_iterators_end() {
    for maps in [1, 5, 18] {
        for form in [
            "(0..2)MAPS.map(|k| self.run()).sum::<f64>()",
            "[1, 2].iter()MAPS.flat_map(|k| vec![self.run()]).sum::<f64>()",
        ] {
            let told = fails(&form.replace("MAPS", &".filter(|k| true)".repeat(maps)));
            assert!(told.contains("calls itself too deep"), "{told}");
        }
    }
    let sorted = "let mut v = vec![2.0, 1.0]; v.sort_by(|a, b| { self.run(); a.total_cmp(b) }); v[0]";
    assert!(fails(sorted).contains("calls itself too deep"));
}

#[test]
fn parameters_are_checked_by_their_types() {
    let model = model("0.0");
    let default = json!({"mass": 0.0, "links": 0, "masses": [0.0, 0.0], "name": "", "kind": "Soft"});
    assert_eq!(model.write(&model.default().expect("a default")), default);
    let read = |json| model.read(&json).map(|value| model.write(&value)).map_err(|error| error.to_string());
    assert_eq!(read(json!({"mass": 2, "kind": "Hard"})).expect("parameters")["mass"], json!(2.0));
    for (json, message) in [
        (json!({"mass": "a"}), "mass: invalid type: string \"a\", expected f64"),
        (json!({"links": 1.5}), "links: invalid type: floating point `1.5`, expected usize"),
        (json!({"links": -1}), "links: invalid value: integer `-1`, expected usize"),
        (json!({"masses": [1.0]}), "masses: invalid length 1, expected an array of length 2"),
        (
            json!({"kind": "Hart"}),
            "kind: unknown variant `Hart`, expected one of `Soft`, `Hard`; `Hard` has a similar name",
        ),
        (json!({"mas": 1}), "unknown field `mas`, expected one of `mass`, `links`, `masses`, `name`, `kind`"),
        (json!([1]), "invalid type: sequence, expected struct M"),
    ] {
        let told = read(json).expect_err(message);
        assert!(told.starts_with(message), "{told}");
    }
    let fields: Vec<_> =
        model.fields().iter().map(|field| (field.name.as_str(), field.written.as_str())).collect();
    assert_eq!(fields[2], ("masses", "[f64;2]"));
}
