//! Declarations of pathological shape: deep, wide, doubling, multiplied out; from harmless to absurd
//! sizes.

use crate::random::Random;
use std::fmt::Write as _;

/// The struct that all of them declare.
pub(super) const MODEL: &str =
    "pub struct Shape { pub n: usize, pub a: f64, pub b: f64, pub on: Vec<bool>, pub table: Vec<f64> }";

/// A shape: its name, the sizes between which it is drawn, and the declaration of a size.
type Shape = (&'static str, usize, usize, fn(usize, &mut Random) -> String);

const SHAPES: &[Shape] = &[
    ("added terms", 10, 3000, added_terms),
    ("added terms of parameters", 10, 3000, added_parameters),
    // Of more than some 900, rustc itself overflows its stack, without any attribute.
    ("nested parentheses", 10, 800, |n, _| {
        potential(&format!(
            "{}x{}",
            "(".repeat(n),
            ").sin()".repeat(n.min(1)) + &")".repeat(n.saturating_sub(1))
        ))
    }),
    ("nested parentheses with a term each", 5, 600, |n, _| potential(&nested(n, "(", " + 1.0)"))),
    ("nested sums", 2, 400, nested_sums),
    ("chained sines", 2, 1200, |n, _| potential(&nested(n, "", ".sin()"))),
    ("chained sines with a term each", 2, 200, |n, _| potential(&nested(n, "(", " + y).sin()"))),
    ("negations", 10, 2000, |n, _| potential(&nested(n, "-", ""))),
    ("continued fractions", 2, 300, |n, _| potential(&nested(n, "(1.0 / (2.0 + ", "))"))),
    ("nested square roots", 2, 300, |n, _| potential(&nested(n, "(1.0 + ", ").sqrt()"))),
    ("nested powers", 2, 300, |n, _| potential(&nested(n, "(1.0 + ", ").powf(self.a)"))),
    ("squaring lets", 2, 200, |n, _| lets(n, |last| format!("{last} * {last}"))),
    ("squaring lets with a term each", 2, 200, |n, _| lets(n, |last| format!("{last} * {last} + y"))),
    ("product lets", 2, 60, |n, _| lets(n, |last| format!("({last} + x) * ({last} + y)"))),
    ("products of sums in lets", 2, 40, |n, _| lets(n, |last| format!("{last} * sum(0..self.n, |i| q[i])"))),
    ("squares of sums in lets", 2, 40, |n, _| {
        lets(n, |last| format!("({last} + sum(0..self.n, |i| q[i])) * {last}"))
    }),
    ("sines in lets", 2, 400, |n, _| lets(n, |last| format!("{last}.sin() * y"))),
    ("coupled lets", 2, 60, coupled_lets),
    ("doubling helpers", 2, 40, |n, _| helpers(n, |next| format!("self.{next}(x) * self.{next}(x) + x"))),
    ("doubling helpers with other arguments", 2, 40, |n, _| {
        helpers(n, |next| format!("self.{next}(x) + self.{next}(2.0 * x)"))
    }),
    ("doubling helpers of sums", 2, 40, |n, _| {
        helpers(n, |next| format!("self.{next}(x) + self.{next}(x) + sum(0..self.n, |i| x * self.table[i])"))
    }),
    ("doubling closures", 2, 40, |n, _| closures(n)),
    ("products of choices", 2, 60, |n, _| {
        potential(&repeated(n, " * ", |k| format!("(if self.on[{k}] {{ x }} else {{ y + {k}.0 }})")))
    }),
    ("sines of sums of choices", 2, 60, |n, _| {
        potential(&format!(
            "({}).sin()",
            repeated(n, " + ", |k| format!("(if self.on[{k}] {{ x }} else {{ y * {k}.0 }})"))
        ))
    }),
    ("sums of choices", 2, 300, |n, _| {
        potential(&repeated(n, " + ", |k| {
            format!("(if self.on[{k}] {{ x.sin() }} else {{ y.cos() * {k}.0 }})")
        }))
    }),
    ("chains of else", 2, 300, |n, _| potential(&chain_of_else(n, |k| format!("self.n == {k}")))),
    ("chains of else on coordinates", 2, 200, |n, _| potential(&chain_of_else(n, |k| format!("x < {k}.0")))),
    ("nested choices on coordinates", 2, 100, |n, _| {
        lets(n, |last| format!("if {last} < y {{ {last} * x }} else {{ {last} + y }}"))
    }),
    ("products of choices on coordinates", 2, 60, |n, _| {
        potential(&repeated(n, " * ", |k| format!("(if x < {k}.5 {{ x }} else {{ y + {k}.0 }})")))
    }),
    ("products of sums", 2, 40, |n, _| {
        potential(&repeated(n, " * ", |k| format!("(sum(0..self.n, |i| q[i].sin()) + {k}.0)")))
    }),
    ("products of entries", 2, 400, |n, _| potential(&repeated(n, " * ", |k| format!("q[{k}].sin()")))),
    ("a function of many entries", 2, 400, |n, _| {
        potential(&format!("({}).sqrt()", repeated(n, " + ", |k| format!("q[{k}].powi(2)"))))
    }),
    ("a quotient of many entries", 2, 200, |n, _| {
        potential(&format!("x.sin() / ({})", repeated(n, " + ", |k| format!("q[{k}].exp()"))))
    }),
    ("a product of sums of entries", 2, 60, |n, _| {
        potential(&repeated(n, " * ", |k| format!("(q[{k}] + q[{}] + x)", k + 1)))
    }),
    ("many terms of many entries", 2, 400, |n, _| {
        potential(&repeated(n, " + ", |k| format!("(q[{k}] - q[{}]).sin()", k + 1)))
    }),
    ("elastic solids", 1, 30, elastic_solids),
    ("many constraints", 2, 200, many_constraints),
    ("many sums", 2, 400, |n, _| {
        potential(&repeated(n, " + ", |k| format!("sum(0..self.n, |i| q[i].powi({}))", k % 30 + 2)))
    }),
    ("products of matrices", 2, 60, |n, _| {
        potential(&format!("({}).trace()", repeated(n, " * ", |_| "r".to_owned())))
    }),
    ("powers of powers", 2, 60, |n, _| potential(&nested(n, "", ".powi(3)"))),
    ("random lets", 2, 120, random_lets),
    ("random lets of sums and choices", 2, 60, random_forms),
    ("nested blocks", 5, 400, |n, _| {
        potential(&format!("{}x{}", "{ let y = x; ".repeat(n), " * y }".repeat(n)))
    }),
    ("arms of a match", 2, 300, |n, _| {
        potential(&format!(
            "match self.n {{ {} _ => y }}",
            repeated(n, " ", |k| format!("{k} => x.sin() * {k}.0,"))
        ))
    }),
];

/// The declaration of a round: its shape with the size, and its text.
pub(super) fn declaration(round: u64) -> (String, String) {
    let mut random = Random::of_round(round);
    let (name, least, most, write) = SHAPES[round as usize % SHAPES.len()];
    // Small and large ones come up equally often.
    let ratio = (most as f64 / least as f64).powf(random.below(1001) as f64 / 1000.0);
    let size = (least as f64 * ratio).round() as usize;
    (format!("{name}, {size}"), write(size, &mut random))
}

/// The declaration of a shape in this size.
pub(super) fn of_size(name: &str, size: usize, random: &mut Random) -> String {
    let shape = SHAPES.iter().find(|shape| shape.0 == name);
    let (.., write) = shape.expect("the name of a shape");
    write(size, random)
}

/// The number of shapes: as many rounds try each once.
pub(super) const COUNT: u64 = SHAPES.len() as u64;

fn of_body(body: &str, further: &str) -> String {
    format!(
        "impl Shape {{
    fn lagrangian(&self, x: Scalar, y: Scalar, q: [Scalar; self.n], r: Mat3) -> Scalar {{
        let kinetic = 0.5 * der(x).powi(2) + 0.5 * der(y).powi(2) + sum(0..self.n, |i| 0.5 * der(q[i]).powi(2))
            + 0.5 * self.a * der(r).norm_squared();
{body}
    }}
{further}}}
"
    )
}

fn potential(expression: &str) -> String {
    of_body(&format!("        kinetic - ({expression})"), "")
}

fn nested(depth: usize, before: &str, after: &str) -> String {
    format!("{}x{}", before.repeat(depth), after.repeat(depth))
}

fn repeated(count: usize, between: &str, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(between)
}

fn added_terms(count: usize, random: &mut Random) -> String {
    let mut text = "x".to_owned();
    for k in 0..count {
        let sign = random.one_of(&[" + ", " - "]);
        let term = random.one_of(&["x * y", "x.sin()", "y.powi(2)", "x", "self.a * y"]);
        write!(text, "{sign}{k}.5 * {term}").expect("a string takes everything");
    }
    potential(&text)
}

fn added_parameters(count: usize, _: &mut Random) -> String {
    potential(&format!("x * ({})", repeated(count, " + ", |k| format!("self.table[{k}]"))))
}

fn nested_sums(depth: usize, _: &mut Random) -> String {
    let mut text = "x".to_owned();
    for k in 0..depth {
        write!(text, " + q[i{k}]").expect("a string takes everything");
    }
    for k in (0..depth).rev() {
        text = format!("sum(0..self.n, |i{k}| {text})");
    }
    potential(&text)
}

fn lets(count: usize, next: impl Fn(&str) -> String) -> String {
    let mut body = String::new();
    for k in 0..count {
        let last = if k == 0 { "x".to_owned() } else { format!("p{k}") };
        writeln!(body, "        let p{} = {};", k + 1, next(&last)).expect("a string takes everything");
    }
    of_body(&format!("{body}        kinetic - p{count}"), "")
}

fn coupled_lets(count: usize, _: &mut Random) -> String {
    let mut body = "        let (u0, v0) = (x, y);\n".to_owned();
    for k in 0..count {
        let next = k + 1;
        writeln!(body, "        let u{next} = u{k} * v{k} + x;\n        let v{next} = u{k} - v{k}.cos();")
            .expect("a string takes everything");
    }
    of_body(&format!("{body}        kinetic - u{count}"), "")
}

fn helpers(count: usize, body: impl Fn(&str) -> String) -> String {
    let mut further = String::new();
    for k in 0..count {
        writeln!(further, "    fn h{k}(&self, x: Scalar) -> Scalar {{ {} }}", body(&format!("h{}", k + 1)))
            .expect("a string takes everything");
    }
    writeln!(further, "    fn h{count}(&self, x: Scalar) -> Scalar {{ x.sin() }}")
        .expect("a string takes everything");
    of_body("        kinetic - self.h0(x)", &further)
}

fn closures(count: usize) -> String {
    let mut body = "        let f0 = |z: Scalar| z.sin() + z;\n".to_owned();
    for k in 0..count {
        writeln!(body, "        let f{} = |z: Scalar| f{k}(z) * f{k}(z) + z;", k + 1)
            .expect("a string takes everything");
    }
    of_body(&format!("{body}        kinetic - f{count}(x)"), "")
}

fn chain_of_else(count: usize, condition: impl Fn(usize) -> String) -> String {
    let arms = repeated(count, " else ", |k| format!("if {} {{ x * {k}.5 }}", condition(k)));
    format!("{arms} else {{ y }}")
}

/// Neo-Hookean tetrahedra, of which no two families are one kernel.
fn elastic_solids(count: usize, _: &mut Random) -> String {
    let edge = |name: &str, node: usize| {
        let parts: Vec<String> = (0..3).map(|k| format!("q[i + {}] - q[i + {k}]", 3 * node + k)).collect();
        format!("let {name} = vec3({}); ", parts.join(", "))
    };
    let column = |name: &str, first: usize| {
        let parts: Vec<String> = ["a", "b", "c"]
            .iter()
            .enumerate()
            .map(|(k, edge)| format!("self.table[i + {}] * {edge}", first + k))
            .collect();
        format!("let {name} = {}; ", parts.join(" + "))
    };
    let frame =
        [edge("a", 1), edge("b", 2), edge("c", 3), column("x", 0), column("y", 3), column("z", 6)].concat();
    potential(&repeated(count, " + ", |k| {
        format!(
            "sum(12..self.n, |i| {{ {}let growth = x.dot(y.cross(z)).ln(); \
             self.a * (x.norm_squared() + y.norm_squared() + z.norm_squared()) - self.a * growth + self.b * growth.powi({}) }})",
            frame.replace("i + ", "i - 12 + "),
            k + 2
        )
    }))
}

fn many_constraints(count: usize, _: &mut Random) -> String {
    let mut further = String::new();
    for k in 0..count {
        writeln!(further, "    #[holonomic]\n    fn g{k}(&self, x: Scalar, y: Scalar) -> Scalar {{ x.sin() - {k}.5 * y.cos() }}")
            .expect("a string takes everything");
    }
    of_body("        kinetic - x * y", &further)
}

/// Each `let` joins two earlier ones.
fn joined(count: usize, leaves: &[&str], random: &mut Random) -> String {
    let mut body = String::new();
    let mut names: Vec<String> = leaves.iter().map(|leaf| (*leaf).to_owned()).collect();
    for k in 0..count {
        // Younger ones more often: the depth grows with the count.
        let from = names.len().saturating_sub(6);
        let (a, b) = (&names[from + random.below(names.len() - from)], &names[random.below(names.len())]);
        let value = match random.below(9) {
            0 | 1 => format!("{a} + {b}"),
            2 => format!("{a} - 0.5 * {b}"),
            3..=5 => format!("{a} * {b}"),
            6 => format!("{a} / (2.0 + {b} * {b})"),
            7 => format!("{a}.sin()"),
            _ => format!("({a} * {a} + {b} * {b}).sqrt()"),
        };
        writeln!(body, "        let p{k} = {value};").expect("a string takes everything");
        names.push(format!("p{k}"));
    }
    of_body(&format!("{body}        kinetic - p{}", count - 1), "")
}

fn random_lets(count: usize, random: &mut Random) -> String {
    joined(count, &["x", "y", "q[0]", "q[1]", "self.a"], random)
}

fn random_forms(count: usize, random: &mut Random) -> String {
    let leaves = [
        "x",
        "y",
        "sum(0..self.n, |i| q[i].sin())",
        "(if self.n == 1 { x } else { y })",
        "(if self.n > 2 { x.cos() } else { q[0] })",
    ];
    joined(count, &leaves, random)
}
