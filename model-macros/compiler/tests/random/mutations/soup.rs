//! Declarations of the right form without any sense: random expressions in the words of the language.

use crate::random::Random;
use proc_macro2::TokenStream;

/// The model whose declaration they stand in.
pub(super) const MODEL: &str = "struct Model { links: usize, mass: f64, table: Vec<f64>, pairs: Vec<[usize; 2]> } \
    fn foreign<D: least_action::expr::Number>(x: D) -> D { x * x }";

const LEAVES: &[&str] = &[
    "0.5",
    "2",
    "1 / 2",
    "a",
    "b",
    "w",
    "w.x",
    "v",
    "p",
    "p[i]",
    "p[i - 1].y",
    "p[(i + 1) % self.links]",
    "grid[i][1]",
    "der(a)",
    "der(p[i])",
    "der(w).x",
    "m",
    "t",
    "i",
    "k",
    "x",
    "self.mass",
    "self.links",
    "self.table[i]",
    "Vec2::ZERO",
    "Vec3::ZERO",
    "f64::consts::PI",
    "unknown",
    "r",
    "r[(0, 1)]",
    "r * v",
    "Mat3::IDENTITY",
    "phase",
    "foreign(a)",
];
const BINARY: &[&str] = &["+", "-", "*", "/", "%", "^", "==", "<", "&&", ".."];
const METHODS: &[&str] = &[
    "sin",
    "cos",
    "exp",
    "ln",
    "sqrt",
    "abs",
    "recip",
    "norm",
    "norm_squared",
    "x",
    "len",
    "transpose",
    "trace",
    "determinant",
    "inverse",
    "floor",
    "unknown",
];
const METHODS_OF_TWO: &[&str] = &["powf", "powi", "dot", "cross", "min", "max", "atan2", "hypot", "mul_add"];
const FUNCTIONS: &[&str] =
    &["der", "stiff", "self.helper", "local", "f64::sin", "vec2", "vec3", "unknown", "sum"];
const ITERATORS: &[&str] =
    &["0..self.links", "0..3", "1..=2", "pairs(self.links)", "self.pairs.iter()", "0..i"];
const PATTERNS: &[&str] = &["i", "k", "_", "(i, k)", "&[i, k]"];
const CONDITIONS: &[&str] =
    &["i == 0", "self.mass > 0.0", "a > 0.0", "true", "let Some(x) = self.table.get(i)"];
const OUTPUTS: &[&str] =
    &["Scalar", "Vec2", "Vec3", "[Scalar; self.links]", "[Vec2; 2]", "[[Scalar; 3]; self.links]", "Mat3"];

/// A declaration, and its text.
pub(super) fn declaration(random: &mut Random) -> (TokenStream, String) {
    let (potential, helper, constraint) =
        (expression(random, 4), expression(random, 2), expression(random, 3));
    let force = expression(random, 2);
    let output = random.one_of(OUTPUTS);
    let (rows, losses) = (expression(random, 3), expression(random, 3));
    let text = format!(
        "impl Model {{
            fn lagrangian(&self, a: Angle, b: Scalar, w: Vec2, v: Vec3, r: Mat3, phase: Phase, p: [Vec2; self.links], grid: [[Scalar; 3]; self.links], t: Time) -> Scalar {{
                let local = |x| x * x + a;
                let m = 0.5 * self.mass * (der(a).powi(2) + der(b).powi(2) + der(w).norm_squared() + der(v).norm_squared() + der(r).norm_squared());
                let n = sum(0..self.links, |i| der(p[i]).norm_squared() + sum(0..3, |k| der(grid[i][k]).powi(2)));
                m + n - {potential}
            }}
            #[holonomic]
            fn constraint(&self, a: Angle, w: Vec2, p: [Vec2; self.links], t: Time) -> {output} {{ {constraint} }}
            #[force(w)]
            fn force(&self, a: Angle, w: Vec2, v: Vec3) -> Vec2 {{ {force} }}
            #[nonholonomic]
            fn rows(&self, a: Angle, v: Vec3, p: [Vec2; self.links], t: Time) -> {output} {{ {rows} }}
            #[dissipation]
            fn losses(&self, b: Scalar, w: Vec2, r: Mat3) -> Scalar {{ {losses} }}
            #[frequency]
            fn frequency(&self) -> f64 {{ self.mass }}
            fn helper(&self, x: Scalar) -> Scalar {{ {helper} }}
        }}"
    );
    let stream = text.parse().expect("the parentheses match");
    (stream, text)
}

fn expression(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.below(8) == 0 {
        return random.one_of(LEAVES).to_owned();
    }
    let next = |random: &mut Random| expression(random, depth - 1);
    match random.below(18) {
        0..=4 => {
            let (left, right) = (next(random), next(random));
            format!("({left} {} {right})", random.one_of(BINARY))
        }
        5 | 6 => format!("({}).{}()", next(random), random.one_of(METHODS)),
        7 => {
            let (first, second) = (next(random), next(random));
            format!("({first}).{}({second})", random.one_of(METHODS_OF_TWO))
        }
        8 => format!("{}({})", random.one_of(FUNCTIONS), next(random)),
        9 => {
            let (first, second) = (next(random), next(random));
            format!("{}({first}, {second})", random.one_of(FUNCTIONS))
        }
        10 | 11 => {
            let (iterator, pattern) = (random.one_of(ITERATORS), random.one_of(PATTERNS));
            format!("sum({iterator}, |{pattern}| {})", next(random))
        }
        12 => {
            let (iterator, pattern) = (random.one_of(ITERATORS), random.one_of(PATTERNS));
            format!("each({iterator}, |{pattern}| {})", next(random))
        }
        13 => {
            let (yes, no) = (next(random), next(random));
            format!("if {} {{ {yes} }} else {{ {no} }}", random.one_of(CONDITIONS))
        }
        14 => {
            let (value, rest) = (next(random), next(random));
            format!("{{ let x = {value}; {rest} }}")
        }
        15 => {
            let (first, second) = (next(random), next(random));
            format!("match self.links {{ 1 => {first}, i if i > 2 => {second}, _ => 0.0 }}")
        }
        16 => {
            let (first, second) = (next(random), next(random));
            match random.below(4) {
                0 => format!("({first})[{second}]"),
                1 => format!("({first}, {second})"),
                2 => format!("[{first}, {second}]"),
                _ => format!("vec2({first}, {second})"),
            }
        }
        _ => match random.below(4) {
            0 => format!("(-({}))", next(random)),
            1 => format!("({} as f64)", next(random)),
            2 => format!("&{}", next(random)),
            _ => format!("|x| {}", next(random)),
        },
    }
}
