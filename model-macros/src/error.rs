//! Mistakes: an accumulator that must be drained, and the catalogue of messages.
//!
//! Every message says what is wrong in the user's words; where a remedy is known, a help line says what to write.

use crate::classify::Size;
use quote::ToTokens;
use std::fmt::Display;

/// Gathers mistakes, so that as many as can be are reported at once.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    list: Vec<syn::Error>,
}

impl Errors {
    /// Records a mistake; the same mistake at the same place counts once.
    pub(crate) fn push(&mut self, error: syn::Error) {
        let key = |e: &syn::Error| (e.to_string(), format!("{:?}", e.span().start()));
        if !self.list.iter().any(|known| key(known) == key(&error)) {
            self.list.push(error);
        }
    }

    /// Whether nothing went wrong.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many mistakes there are so far.
    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// All mistakes as one error, in the order of the text, or nothing.
    pub(crate) fn drain(mut self) -> Result<(), syn::Error> {
        self.list.sort_by_key(|error| {
            let start = error.span().start();
            (start.line, start.column)
        });
        let mut all = self.list.into_iter();
        let Some(mut first) = all.next() else { return Ok(()) };
        for next in all {
            first.combine(next);
        }
        Err(first)
    }
}

fn at(tokens: impl ToTokens, message: impl Display) -> syn::Error {
    syn::Error::new_spanned(tokens, message)
}

fn with_help(tokens: impl ToTokens, message: impl Display, help: impl Display) -> syn::Error {
    syn::Error::new_spanned(tokens, format!("{message}\n\nhelp: {help}"))
}

// The declaration.

pub(crate) fn not_an_impl(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "#[lagrangian] stands before the `impl` block of a model",
        "write `#[lagrangian] impl Pendulum { fn lagrangian(&self, …) -> Scalar { … } }`",
    )
}

pub(crate) fn not_a_model(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a model is a struct or an enum of this crate",
        "make the parameters the fields of a struct, and write `#[lagrangian] impl` of it",
    )
}

// What the attribute states.

pub(crate) fn attribute_argument(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this is no argument of #[lagrangian]",
        "state what must hold, as in `#[lagrangian(conserves(energy, linear_momentum, angular_momentum), mass = constant)]`",
    )
}

pub(crate) fn unknown_argument(tokens: impl ToTokens, name: &str, near: &str) -> syn::Error {
    with_help(tokens, format!("#[lagrangian] has no argument `{name}`"), format!("did you mean `{near}`?"))
}

pub(crate) fn conserves_nothing(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "`conserves()` states nothing",
        "name what must be conserved: `energy`, `linear_momentum`, `angular_momentum`, or `momentum_` and a coordinate",
    )
}

pub(crate) fn mass_is(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "of the mass one can only state that it is constant",
        "write `mass = constant`, or leave it out",
    )
}

pub(crate) fn unknown_conserved(
    tokens: impl ToTokens,
    name: &str,
    near: Option<&str>,
    known: &[&str],
) -> syn::Error {
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("what can be stated of this model: `{}`", known.join("`, `")),
    };
    with_help(tokens, format!("`{name}` is nothing that `conserves(…)` knows"), help)
}

pub(crate) fn no_vectors(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("`{name}` is that of vectors, and this model has no coordinate that is one"),
        "state the momentum of a coordinate instead, such as `momentum_x` for the coordinate `x`",
    )
}

pub(crate) fn breaks(tokens: impl ToTokens, name: &str, motions: &[String]) -> syn::Error {
    if name == "energy" {
        return with_help(
            tokens,
            "this term depends on time, so the energy is not conserved",
            "write it without the time, or remove `energy` from `conserves(…)`",
        );
    }
    let (what, remedy) = match name {
        "linear_momentum" => ("the linear momentum is", "write it in differences of positions"),
        "angular_momentum" => {
            ("the angular momentum is", "write it in lengths, distances and scalar products of vectors")
        }
        _ => ("this momentum is", "write it without that coordinate"),
    };
    with_help(
        tokens,
        format!("this term changes when the system is {}, so {what} not conserved", either(motions)),
        format!("{remedy}, or remove `{name}` from `conserves(…)`"),
    )
}

pub(crate) fn not_shown(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("`{name}` could not be shown to hold, although no single term breaks it"),
        "remove it here; `least-action describe` lists what is conserved",
    )
}

pub(crate) fn mass_depends(tokens: impl ToTokens, on: &str, proven: bool) -> syn::Error {
    let verb = if proven { "makes the mass matrix depend on" } else { "may make the mass matrix depend on" };
    with_help(
        tokens,
        format!("this term {verb} {on}, so it is not constant"),
        "use Cartesian coordinates with #[holonomic] constraints, or remove `mass = constant`",
    )
}

/// `rotated about x, y or z` from motions that begin with the same words.
fn either(motions: &[String]) -> String {
    let [first @ .., last] = motions else { return String::new() };
    let words = last.rsplit_once(' ').map_or("", |(words, _)| words);
    let rest = motions.iter().map(|motion| motion.strip_prefix(words).map(str::trim_start));
    match rest.collect::<Option<Vec<&str>>>().as_deref() {
        Some([others @ .., last]) if !others.is_empty() && !words.is_empty() => {
            format!("{words} {} or {last}", others.join(", "))
        }
        _ if first.is_empty() => last.clone(),
        _ => format!("{} or {last}", first.join(", ")),
    }
}

pub(crate) fn trait_impl(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "#[lagrangian] declares a model of its own; it cannot stand before the impl of a trait",
        "put it before an `impl` block of the model that has the method `lagrangian`",
    )
}

pub(crate) fn generic_model(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a model cannot be generic",
        "make sizes fields of the struct: they are read when the model is bound",
    )
}

pub(crate) fn no_lagrangian(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this model has no method `lagrangian`",
        "add `fn lagrangian(&self, …) -> Scalar`; its arguments are the coordinates",
    )
}

pub(crate) fn doubled_lagrangian(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a model has one method `lagrangian`, and this is a second one",
        "add the terms of both in one method",
    )
}

pub(crate) fn doubled_method(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("another method of this model is called `{name}`"),
        "give this one a name of its own; constraints are reported by the names of their methods",
    )
}

pub(crate) fn needs_self(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        "this method must take `&self`: the parameters of the model are its fields",
        format!("write `fn {name}(&self, …)`"),
    )
}

pub(crate) fn modified_function(tokens: impl ToTokens, what: &str) -> syn::Error {
    with_help(
        tokens,
        format!("a method of the declaration cannot be {what}"),
        "it is a formula that is differentiated before the program runs; sizes and tables are fields of the model",
    )
}

pub(crate) fn argument_name(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "an argument must be a plain name",
        "write an argument for each coordinate, such as `theta: Angle`",
    )
}

pub(crate) fn not_a_coordinate_type(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this is not the type of a coordinate",
        "coordinates are `Scalar`, `Angle`, `Vec2`, `Vec3`, `Mat3` and arrays of them such as `[Vec2; self.links]`; parameters are fields of `self`",
    )
}

pub(crate) fn phase_without_frequency(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this model has a phase, but no frequency",
        "add `#[frequency] fn frequency(&self) -> f64`, the rate of the phase in rad/s",
    )
}

pub(crate) fn frequency_without_phase(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "no method of this model takes the phase that this one describes",
        "add an argument such as `theta: Phase` to `lagrangian`",
    )
}

pub(crate) fn doubled_role(tokens: impl ToTokens, role: &str) -> syn::Error {
    with_help(
        tokens,
        format!("a model has one #[{role}] method, and this is a second one"),
        "remove one of them",
    )
}

pub(crate) fn number_signature(tokens: impl ToTokens, role: &str, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("a #[{role}] method gives one number that depends on the parameters alone"),
        format!("write `fn {name}(&self) -> f64`"),
    )
}

pub(crate) fn force_output(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a #[force] method must return a force",
        "return it in the shape of the coordinate that it acts on, such as `Vec2` or `[Vec2; self.links]`",
    )
}

pub(crate) fn force_shape(tokens: impl ToTokens, here: &str, all: &[(String, String)]) -> syn::Error {
    let all: Vec<String> = all.iter().map(|(name, ty)| format!("`{name}` is `{ty}`")).collect();
    with_help(
        tokens,
        format!("a force has the shape of the coordinate that it acts on, and none is `{here}`"),
        all.join(", "),
    )
}

pub(crate) fn force_target(tokens: impl ToTokens, names: &[String]) -> syn::Error {
    let first = names.first().map_or("", String::as_str);
    with_help(
        tokens,
        format!("this force could act on {}", list(names)),
        format!("say on which: `#[force({first})]`"),
    )
}

pub(crate) fn force_attribute(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "#[force] takes the name of the coordinate that the force acts on, or nothing",
        "write `#[force]` or `#[force(bobs)]`",
    )
}

pub(crate) fn force_breaks(tokens: impl ToTokens, quantity: &str) -> syn::Error {
    with_help(
        tokens,
        format!("`{quantity}` cannot be shown to be conserved under a #[force]"),
        "make the force a part of the Lagrangian, or do not state what is conserved",
    )
}

pub(crate) fn stiff_in_force(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "`stiff(…)` marks a part of the potential, and this force comes from none",
        "remove it here, or make the force a term of the potential",
    )
}

/// `a`, `b` or `c`.
fn list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

pub(crate) fn lagrangian_output(tokens: impl ToTokens) -> syn::Error {
    with_help(tokens, "the Lagrangian is a number", "write `fn lagrangian(&self, …) -> Scalar`")
}

pub(crate) fn constraint_output(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a #[holonomic] method must return what is to be zero",
        "return `Scalar`, `Vec2`, `Vec3`, `Mat3` or an array of them, one equation for each component",
    )
}

pub(crate) fn no_coordinates(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this Lagrangian has no coordinates",
        "its arguments after `&self` are the coordinates, such as `theta: Angle`",
    )
}

pub(crate) fn unknown_coordinate(tokens: impl ToTokens, name: &str, near: Option<&str>) -> syn::Error {
    let message = format!("`{name}` is not a coordinate of this model");
    match near {
        Some(near) => with_help(tokens, message, format!("did you mean `{near}`?")),
        None => with_help(
            tokens,
            message,
            "the arguments of `lagrangian` are the coordinates; other methods repeat those they use",
        ),
    }
}

pub(crate) fn redeclared_coordinate(
    tokens: impl ToTokens,
    name: &str,
    declared: &str,
    here: &str,
) -> syn::Error {
    with_help(
        tokens,
        format!("`{name}` is `{declared}` in `lagrangian`, but `{here}` here"),
        "repeat it with the same type",
    )
}

pub(crate) fn doubled_coordinate(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("the coordinate `{name}` is declared twice"),
        "give each coordinate a name of its own, or make them an array such as `[Angle; 2]`",
    )
}

// Names and shapes.

pub(crate) fn unknown_name(tokens: impl ToTokens, name: &str, near: Option<&str>) -> syn::Error {
    let message = format!("there is no coordinate or variable `{name}` here");
    match near {
        Some(near) => with_help(tokens, message, format!("did you mean `{near}`?")),
        None => at(tokens, message),
    }
}

pub(crate) fn coordinate_not_taken(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("`{name}` is a coordinate of this model, but this method does not take it"),
        format!("repeat the argument `{name}` of `lagrangian` with its type"),
    )
}

pub(crate) fn literal_index(tokens: impl ToTokens, shape: &str, length: usize) -> syn::Error {
    with_help(
        tokens,
        format!("this `{shape}` has {length} entries: its index must be a literal below {length}"),
        match shape {
            "Vec2" => "write `.x` and `.y`, or `[0]` and `[1]`",
            "Vec3" => "write `.x`, `.y` and `.z`, or `[0]` to `[2]`",
            _ => "arrays of coordinates and of `each` take any index that is free of coordinates",
        },
    )
}

pub(crate) fn not_an_array(tokens: impl ToTokens, shape: &str) -> syn::Error {
    with_help(
        tokens,
        format!("`{shape}` cannot be indexed"),
        "only arrays, vectors and matrices have entries; an array is declared as in `theta: [Angle; self.links]`",
    )
}

pub(crate) fn stiff_velocity(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "`stiff(…)` encloses a velocity",
        "it marks a part of the potential, which depends on positions only",
    )
}

pub(crate) fn shape_mismatch(tokens: impl ToTokens, operation: &str, left: &str, right: &str) -> syn::Error {
    let message = match operation {
        "subtract" => format!("cannot subtract `{right}` from `{left}`"),
        "add" => format!("cannot add `{left}` and `{right}`"),
        _ => format!("cannot {operation} `{left}` by `{right}`"),
    };
    match (operation, left, right) {
        (_, "bool", _) | (_, _, "bool") => {
            with_help(tokens, message, "use it as a condition: `if … { 1.0 } else { 0.0 }`")
        }
        (_, "array", _) | (_, _, "array") => {
            with_help(tokens, message, "write the operation for the entries, inside `sum` or `each`")
        }
        ("multiply", "Vec3", "Mat3") => {
            with_help(tokens, message, "a matrix stands to the left of a vector: write `m.transpose() * v`")
        }
        ("multiply", "Vec2" | "Vec3", "Vec2" | "Vec3") if left == right => {
            with_help(tokens, message, "write `a.dot(b)` for the scalar product")
        }
        ("divide", _, "Vec2" | "Vec3" | "Mat3") => {
            with_help(tokens, message, "divide by a number, such as its `.norm()`")
        }
        ("add" | "subtract", _, _) => with_help(tokens, message, "both sides must have the same shape"),
        _ => at(tokens, message),
    }
}

pub(crate) fn expected_shape(tokens: impl ToTokens, expected: &str, found: &str) -> syn::Error {
    let message = format!("expected `{expected}`, found `{found}`");
    match (expected, found) {
        ("Scalar", "Vec2" | "Vec3") => with_help(
            tokens,
            message,
            "a number is a component such as `.x`, a product `.dot(…)` or `.norm_squared()`",
        ),
        ("Scalar", "Mat3") => with_help(
            tokens,
            message,
            "a number is an entry such as `r[(0, 1)]`, a product `.dot(…)`, `.trace()` or `.determinant()`",
        ),
        ("Scalar", "bool") => {
            with_help(tokens, message, "use it as a condition: `if … { 1.0 } else { 0.0 }`")
        }
        ("Scalar", "array") => with_help(tokens, message, "add its entries with `sum(0..n, |i| …)`"),
        ("array", _) => with_help(tokens, message, "write `each(0..n, |i| …)` for one value each"),
        ("Vec2", "Scalar") => with_help(tokens, message, "a vector is made of two numbers by `vec2(x, y)`"),
        ("Vec3", "Scalar") => {
            with_help(tokens, message, "a vector is made of three numbers by `vec3(x, y, z)`")
        }
        ("Vec2", "Vec3") | ("Vec3", "Vec2") => with_help(
            tokens,
            message,
            "`Vec2` lies in the plane and `Vec3` in space: both must be of one kind",
        ),
        _ => at(tokens, message),
    }
}

pub(crate) fn branch_shapes(tokens: impl ToTokens, first: &str, other: &str) -> syn::Error {
    let message = format!("the branches have different shapes: `{first}` and `{other}`");
    match (first, other) {
        ("Vec2" | "Vec3" | "Mat3", "Scalar") => {
            with_help(tokens, message, format!("write `{first}::ZERO` for no contribution"))
        }
        ("Scalar", "Vec2" | "Vec3" | "Mat3") => {
            with_help(tokens, message, format!("a number is not a `{other}`; zero is `{other}::ZERO`"))
        }
        _ => at(tokens, message),
    }
}

pub(crate) fn unknown_field(tokens: impl ToTokens, field: &str, shape: &str) -> syn::Error {
    let help = match shape {
        "Vec2" => "a `Vec2` has the components `.x` and `.y`",
        "Vec3" => "a `Vec3` has the components `.x`, `.y` and `.z`",
        "Mat3" => "the entries of a `Mat3` are written `r[(row, column)]`, counted from 0",
        _ => "only vectors have components",
    };
    with_help(tokens, format!("`{shape}` has no component `{field}`"), help)
}

pub(crate) fn unknown_method(
    tokens: impl ToTokens,
    method: &str,
    shape: &str,
    near: Option<&str>,
) -> syn::Error {
    let message = format!("`{method}` is not a differentiable method of `{shape}`");
    match near {
        Some(near) => with_help(tokens, message, format!("did you mean `{near}`?")),
        None => with_help(
            tokens,
            message,
            "write it with elementary functions, in a method of this impl or in a closure: both are differentiated",
        ),
    }
}

pub(crate) fn piecewise(tokens: impl ToTokens, what: &str) -> syn::Error {
    with_help(
        tokens,
        format!("{what} of a coordinate jumps, and its derivative knows nothing of the jumps"),
        "write the term with `if`, `min`, `max`, `abs` or `clamp`, or with smooth functions",
    )
}

pub(crate) fn argument_count(tokens: impl ToTokens, name: &str, expected: usize, found: usize) -> syn::Error {
    let plural = if expected == 1 { "" } else { "s" };
    let message = format!("`{name}` takes {expected} argument{plural}, found {found}");
    match name {
        "vec2" | "vec3" => with_help(
            tokens,
            message,
            "write `vec2(x, y)` or `vec3(x, y, z)`, or give one array that is free of coordinates",
        ),
        "sum" | "each" => with_help(
            tokens,
            message,
            format!("write what it runs over, and the term: `{name}(0..n, |i| …)`"),
        ),
        _ => at(tokens, message),
    }
}

pub(crate) fn unknown_function(tokens: impl ToTokens, name: &str, near: Option<&str>) -> syn::Error {
    let message =
        format!("the function `{name}` is called with a coordinate, but it is not part of the language");
    match near {
        Some(near) => with_help(tokens, message, format!("did you mean `{near}`?")),
        None => with_help(
            tokens,
            message,
            "make it a method of this impl on `Scalar`s or a closure: both are inlined and differentiated",
        ),
    }
}

pub(crate) fn function_of_a_number(tokens: impl ToTokens, path: &str, method: &str) -> syn::Error {
    with_help(
        tokens,
        format!("the function `{path}` takes numbers of Rust, not coordinates"),
        format!("write it as a method: `x.{method}(…)`"),
    )
}

pub(crate) fn expected_closure(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("the second argument of `{name}` must be a closure"),
        format!("write `{name}(0..n, |i| …)`"),
    )
}

pub(crate) fn coordinate_in_index(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "an index cannot depend on a coordinate",
        "what an element reads is fixed when the model is bound; use only parameters and loop variables here",
    )
}

pub(crate) fn coordinate_in_range(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a range cannot depend on a coordinate",
        "loops run over coordinate-free iterators such as `0..self.links`",
    )
}

pub(crate) fn coordinate_in_length(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "the length of an array cannot depend on a coordinate",
        "use a parameter, such as `self.links`",
    )
}

pub(crate) fn coordinate_condition(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a condition on coordinates compares two numbers",
        "write `a < b`, `a <= b`, `a > b`, `a >= b`, and these joined by `&&`, `||` and `!`",
    )
}

pub(crate) fn coordinate_match(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "`match` cannot look at a coordinate",
        "what is matched is fixed when the model is bound; compare coordinates in an `if`",
    )
}

pub(crate) fn equality_condition(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "two numbers that depend on coordinates are equal at single points only, where no derivative can be taken",
        "compare with `<`, `<=`, `>` or `>=`",
    )
}

pub(crate) fn matrix_of_coordinates(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "`mat3` takes a coordinate-free array of rows, and this depends on a coordinate",
        "write `Mat3::from_rows([a, b, c])` or `Mat3::from_columns([a, b, c])` of three `Vec3`",
    )
}

pub(crate) fn matrix_index(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "an entry of a `Mat3` is read at its row and its column, two literals below 3",
        "write `r[(0, 1)]`, or `r.row(0)` and `r.column(1)` for vectors",
    )
}

pub(crate) fn opaque_arguments(tokens: impl ToTokens, path: &str, shape: &str) -> syn::Error {
    with_help(
        tokens,
        format!("the function `{path}` is called with `{shape}`, but such functions take numbers"),
        "pass components; a method of this impl or a closure, which is inlined, takes vectors too",
    )
}

pub(crate) fn comparison_in_constraint(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a constraint states what is to be zero, it does not compare",
        "write `a - b` for `a == b`",
    )
}

pub(crate) fn coordinate_in_rust(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this expression cannot be used with coordinates",
        "coordinates take part in arithmetic, elementary functions, vector operations, `sum`, `each`, `der` and `if` on parameters",
    )
}

// Arithmetic.

pub(crate) fn caret(tokens: impl ToTokens) -> syn::Error {
    with_help(tokens, "`^` is not a power in Rust", "write `x.powi(2)` or `x.powf(1.5)`")
}

pub(crate) fn integer_division(tokens: impl ToTokens, left: &str, right: &str) -> syn::Error {
    with_help(
        tokens,
        format!("`{left} / {right}` of integers is {}", integer_quotient(left, right)),
        format!("write `{left}.0 / {right}.0`"),
    )
}

fn integer_quotient(left: &str, right: &str) -> String {
    match (left.parse::<i64>(), right.parse::<i64>()) {
        (Ok(left), Ok(right)) if right != 0 => (left / right).to_string(),
        _ => "an integer".to_owned(),
    }
}

pub(crate) fn integer_literal(tokens: impl ToTokens, literal: &str) -> syn::Error {
    with_help(
        tokens,
        format!("`{literal}` is an integer, but a number is needed here"),
        format!("write `{literal}.0`"),
    )
}

pub(crate) fn integer_power(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "`powi` needs an exponent that is an integer without coordinates",
        "use `powf` for other exponents",
    )
}

// Structure.

pub(crate) fn der_in_constraint(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "a holonomic constraint depends on positions and time only, and `der` makes this one nonholonomic",
        "state the constraint on positions; its time derivative follows by itself",
    )
}

pub(crate) fn der_of_der(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "`der` is applied to a velocity, and there are no accelerations in a Lagrangian",
        "a Lagrangian depends on positions, their first derivatives and time",
    )
}

pub(crate) fn der_shape(tokens: impl ToTokens, shape: &str) -> syn::Error {
    with_help(
        tokens,
        format!("`der` cannot be applied to `{shape}`"),
        "apply it to a scalar or a vector, such as `der(bobs[i])`",
    )
}

pub(crate) fn stiff_in_constraint(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "`stiff(…)` marks a part of the potential, and a constraint has none",
        "remove it here; `Penalized` makes the constraints the stiff part",
    )
}

pub(crate) fn nonlinear_sum(tokens: impl ToTokens, what: &str) -> syn::Error {
    with_help(
        tokens,
        format!(
            "{what} stands inside a function that is not linear, so that every term would be coupled to every other"
        ),
        "sums may be added, subtracted and multiplied; apply other functions to the terms inside the sum",
    )
}

pub(crate) fn statement(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "only `let` statements and a final expression can stand here",
        "a declaration is a formula: write repetition as `sum` or `each`, and a new value as a new `let`",
    )
}

pub(crate) fn missing_else(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this `if` has no `else`",
        "write what the term is otherwise, for instance `else { 0.0 }`",
    )
}

pub(crate) fn missing_value(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this block has no value: it must end in an expression",
        "write what it stands for as its last line, without a semicolon",
    )
}

pub(crate) fn last_semicolon(tokens: impl ToTokens) -> syn::Error {
    with_help(tokens, "this semicolon discards the value of the block", "remove it")
}

pub(crate) fn recursion(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this call is inlined without end: helper methods and closures cannot be recursive",
        "write the repetition as `sum` or `each`",
    )
}

pub(crate) fn pattern(tokens: impl ToTokens, shape: &str) -> syn::Error {
    with_help(
        tokens,
        format!("this pattern cannot take apart a `{shape}`"),
        match shape {
            "Vec2" | "Vec3" => "bind the vector to a name, and write its components as `.x`, `.y`",
            _ => "bind the value to a plain name",
        },
    )
}

pub(crate) fn no_kinetic_energy(tokens: impl ToTokens, name: &str) -> syn::Error {
    with_help(
        tokens,
        format!("the coordinate `{name}` has no kinetic energy, so its acceleration is undetermined"),
        format!("add a term that is quadratic in `der({name})`, or make it a parameter"),
    )
}

pub(crate) fn too_large(tokens: impl ToTokens, method: impl Display, size: &Size) -> syn::Error {
    let Size { reads, operations } = size;
    with_help(
        tokens,
        format!(
            "a term of `{method}` is too large to be compiled: one element reads {reads} numbers and takes {operations} \
             operations, and their product may be {} at most",
            Size::LIMIT
        ),
        "write what repeats as a `sum` over an iterator, so that each element is small, or as terms that are added",
    )
}

pub(crate) fn empty_constraint(tokens: impl ToTokens) -> syn::Error {
    with_help(
        tokens,
        "this constraint mentions no coordinate",
        "return an expression of the coordinates that must be zero",
    )
}

/// The candidate nearest to `name`, if any is near enough to be a misspelling.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two words.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in table.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, entry) in table[0].iter_mut().enumerate() {
        *entry = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (table[i - 1][j] + 1).min(table[i][j - 1] + 1).min(table[i - 1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(table[i - 2][j - 2] + 1);
            }
            table[i][j] = best;
        }
    }
    table[a.len()][b.len()]
}
