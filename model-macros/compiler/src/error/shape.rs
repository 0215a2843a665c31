//! The messages of names, shapes and calls.

use super::{at, with_help};
use crate::spelling;
use quote::ToTokens;
use syn::ExprMethodCall;

messages! {
    unknown_name(name: &str, help: &str): "there is no coordinate or variable `{name}` here",
        help: "{help}";
    coordinate_not_taken(name: &str): "`{name}` is a coordinate of this model, but this method does not take it",
        help: "repeat the argument `{name}` of `lagrangian` with its type";
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

messages! {
    not_an_array(shape: &str): "`{shape}` cannot be indexed",
        help: "only arrays, vectors and matrices have entries; an array is declared as in `theta: [Angle; self.links]`";
}

pub(crate) fn shape_mismatch(tokens: impl ToTokens, operation: &str, left: &str, right: &str) -> syn::Error {
    let message = match operation {
        "subtract" => format!("cannot subtract `{right}` from `{left}`"),
        "add" => format!("cannot add `{left}` and `{right}`"),
        _ => format!("cannot {operation} `{left}` by `{right}`"),
    };
    let help = match (operation, left, right) {
        (_, "bool", _) | (_, _, "bool") => "use it as a condition: `if … { 1.0 } else { 0.0 }`",
        (_, "array", _) | (_, _, "array") => "write the operation for the entries, inside `sum` or `each`",
        ("multiply", "Vec3", "Mat3") => "a matrix stands to the left of a vector: write `m.transpose() * v`",
        ("multiply", "Vec2" | "Vec3", "Vec2" | "Vec3") if left == right => {
            "write `a.dot(b)` for the scalar product"
        }
        ("divide", _, "Vec2" | "Vec3" | "Mat3") => "divide by a number, such as its `.norm()`",
        ("add" | "subtract", _, _) => "both sides must have the same shape",
        _ => return at(tokens, message),
    };
    with_help(tokens, message, help)
}

pub(crate) fn expected_shape(tokens: impl ToTokens, expected: &str, found: &str) -> syn::Error {
    let message = format!("expected `{expected}`, found `{found}`");
    let help = match (expected, found) {
        ("Scalar", "Vec2" | "Vec3") => {
            "a number is a component such as `.x`, a product `.dot(…)` or `.norm_squared()`"
        }
        ("Scalar", "Mat3") => {
            "a number is an entry such as `r[(0, 1)]`, a product `.dot(…)`, `.trace()` or `.determinant()`"
        }
        ("Scalar", "bool") => "use it as a condition: `if … { 1.0 } else { 0.0 }`",
        ("Scalar", "array") => "add its entries with `sum(0..n, |i| …)`",
        ("array", _) => "write `each(0..n, |i| …)` for one value each",
        ("Vec2", "Scalar") => {
            "a vector is made of two numbers by `vec2(x, y)`, of a parameter that is a vector by `vec2(a)`"
        }
        ("Vec3", "Scalar") => {
            "a vector is made of three numbers by `vec3(x, y, z)`, of a parameter that is a vector by `vec3(a)`"
        }
        ("Vec2", "Vec3") | ("Vec3", "Vec2") => {
            "`Vec2` lies in the plane and `Vec3` in space: both must be of one kind"
        }
        _ => return at(tokens, message),
    };
    with_help(tokens, message, help)
}

pub(crate) fn branch_shapes(tokens: impl ToTokens, first: &str, other: &str) -> syn::Error {
    let message = format!("the branches have different shapes: `{first}` and `{other}`");
    let help = match (first, other) {
        ("Vec2" | "Vec3" | "Mat3", "Scalar") => format!("write `{first}::ZERO` for no contribution"),
        ("Scalar", "Vec2" | "Vec3" | "Mat3") => {
            format!("a number is not a `{other}`; zero is `{other}::ZERO`")
        }
        _ => return at(tokens, message),
    };
    with_help(tokens, message, help)
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

/// `near` is the method of `shape` whose name is nearest.
pub(crate) fn unknown_method(call: &ExprMethodCall, shape: &str, near: Option<&str>) -> syn::Error {
    let (method, [x, rest]) = (call.method.to_string(), operands(call));
    let message = format!("`{method}` is not a differentiable method of `{shape}`");
    let help = match (spelling::elsewhere(shape, &method, &x, &rest), near) {
        (Some(help), _) => help,
        // A short name is likelier a function of the author's than a misspelling.
        (None, Some(near)) if method.chars().count() > 5 => format!("did you mean `{near}`?"),
        (None, Some(near)) => own_function(near, &method),
        (None, None) if shape == "array" => {
            format!("write it for the entries, inside `sum` or `each`: `{x}[i].{method}({rest})`")
        }
        (None, None) => {
            "write it with elementary functions, in a method of this impl or in a closure: both are differentiated"
                .to_owned()
        }
    };
    with_help(&call.method, message, help)
}

/// The receiver of a call and its arguments, as written.
pub(crate) fn operands(call: &ExprMethodCall) -> [String; 2] {
    let rest: Vec<String> = call.args.iter().map(crate::parse::text).collect();
    [crate::parse::text(&call.receiver), rest.join(", ")]
}

/// The remedy for a name that is a method or the author's own function.
fn own_function(near: &str, method: &str) -> String {
    format!(
        "did you mean `{near}`? A function of your own is a method of this impl, called as `self.{method}(…)`"
    )
}

pub(crate) fn method_of_a_parameter(
    tokens: impl ToTokens,
    method: &str,
    receiver: &str,
    near: Option<&str>,
) -> syn::Error {
    let message = format!(
        "`{receiver}` is a parameter; a formula calls the helpers of this impl alone, and not the declaration of another model"
    );
    let help = match near {
        Some(near) => own_function(near, method),
        None => "two of one machine are one model of an array of them, and different models share helpers by a macro that writes them: see \
             \"Parts that models share\" in docs/language/sharing.md"
            .to_owned(),
    };
    with_help(tokens, message, help)
}

pub(crate) fn argument_count(tokens: impl ToTokens, name: &str, expected: usize, found: usize) -> syn::Error {
    let plural = if expected == 1 { "" } else { "s" };
    let message = format!("`{name}` takes {expected} argument{plural}, found {found}");
    let help = match name {
        "vec2" | "vec3" => {
            "write `vec2(x, y)` or `vec3(x, y, z)`, or give one array that is free of coordinates".to_owned()
        }
        "der" => "it is the derivative in time: write `der(x)`".to_owned(),
        "log" => "write `x.ln()` for the natural logarithm".to_owned(),
        "sum" | "each" => format!("write what it runs over, and the term: `{name}(0..n, |i| …)`"),
        _ => return at(tokens, message),
    };
    with_help(tokens, message, help)
}

messages! {
    unknown_function(name: &str, near: Option<&str>): "the function `{name}` is called with a coordinate, but it is not part of the language",
        meant(near): "make it a method of this impl on `Scalar`s or a closure: both are inlined and differentiated";
    function_of_elsewhere(name: &str, help: &str): "the function `{name}` is called with a coordinate, but it is not part of the language",
        help: "{help}";
    function_of_a_number(path: &str, method: &str): "the function `{path}` takes numbers of Rust, not coordinates",
        help: "write it as a method: `x.{method}(…)`";
    expected_closure(name: &str): "the second argument of `{name}` must be a closure",
        help: "write `{name}(0..n, |i| …)`";
    matrix_of_coordinates(): "`mat3` takes a coordinate-free array of rows, and this depends on a coordinate",
        help: "write `Mat3::from_rows([a, b, c])` or `Mat3::from_columns([a, b, c])` of three `Vec3`";
    matrix_index(): "an entry of a `Mat3` is read at its row and its column, two literals below 3",
        help: "write `r[(0, 1)]`, or `r.row(0)` and `r.column(1)` for vectors";
    opaque_arguments(path: &str, shape: &str): "the function `{path}` is called with `{shape}`, but such functions take numbers",
        help: "pass components; a method of this impl or a closure, which is inlined, takes vectors too";
}

messages! {
    pattern_of_an_array(first: &str, value: &str): "a pattern cannot take apart an array of coordinates, whose length is known when the model is bound",
        help: "read its entries by index: `let {first} = {value}[0];`";
    pattern(shape: &str, help: &str): "this pattern cannot take apart a `{shape}`",
        help: "{help}";
    der_shape(shape: &str): "`der` cannot be applied to `{shape}`",
        help: "apply it to a scalar or a vector, such as `der(bobs[i])`";
}
