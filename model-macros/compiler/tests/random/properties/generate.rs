//! Random declarations. A tape of numbers decides; behind its end the simplest choice is taken, so that
//! a shorter tape is a simpler declaration.

use super::rust::Value;
use super::source::{Group, Parameters};
use least_action_compiler::{Domain, functions};
use std::fmt::Write as _;

/// A declaration as text, with parameters for it.
#[derive(Debug, Clone)]
pub(super) struct Random {
    pub(super) text: String,
    pub(super) parameters: Parameters,
    pub(super) groups: Vec<Group>,
}

/// The variables that can be read where an expression stands.
#[derive(Clone, Default)]
struct Scope {
    /// Variables that index arrays of length `self.n`.
    indices: Vec<String>,
    /// Variables that are plain numbers.
    numbers: Vec<String>,
    /// Variables that are scalars of the language, and whether they may hold sums.
    scalars: Vec<(String, bool)>,
    /// True if sums may stand here.
    sums: bool,
    /// True if sums may stand inside functions that are not linear, too.
    functions_of_sums: bool,
    /// True if the closure over an index is in sight.
    near: bool,
}

impl Scope {
    fn inside_of_a_function(&self) -> Self {
        Self { sums: self.sums && self.functions_of_sums, ..self.clone() }
    }
}

struct Writer<'a> {
    tape: std::slice::Iter<'a, u16>,
    groups: Vec<Group>,
    names: usize,
    /// The number of operations that may still be written, so that no declaration takes long.
    budget: usize,
}

/// The most degrees of freedom of an array: all pairs of them are compared.
const MOST: usize = 12;

/// A matrix of parameters, small beside the unit matrix.
const REST: [[f64; 3]; 3] = [[0.5, -0.25, 0.1], [0.3, -0.4, 0.2], [-0.1, 0.15, 0.6]];

/// The declaration that belongs to a tape.
pub(super) fn random(tape: &[u16]) -> Random {
    let mut writer = Writer { tape: tape.iter(), groups: Vec::new(), names: 0, budget: 36 };
    let n = 1 + writer.below(3);
    let kinds = [
        ("x", 1, 0),
        ("phi", 1, 0),
        ("u", 2, 0),
        ("w", 3, 0),
        ("chain", 1, 1),
        ("bobs", 2, 1),
        ("atoms", 3, 1),
        ("net", 1, 2),
        ("frame", 9, 0),
        ("frames", 9, 1),
    ];
    let mut first = writer.below(kinds.len());
    for _ in 0..=writer.below(2) {
        let (name, components, depth) = kinds[first % kinds.len()];
        if writer.groups.iter().all(|group| group.name != name) {
            let mut lengths = [vec![], vec![n], vec![n, 2]][depth].clone();
            if components * lengths.iter().product::<usize>() > MOST {
                lengths.clear();
            }
            writer.groups.push(Group { name: name.to_owned(), components, lengths });
        }
        first += 1 + writer.below(kinds.len() - 1);
    }
    let text = writer.declaration();
    let number = |value: f64| Value::Number(value);
    let bond = |i: usize, j: usize| {
        Value::Tuple(vec![Value::Integer((i % n) as i64), Value::Integer((j % n) as i64)])
    };
    let kind = ["First", "Second", "Third"][writer.below(3)].to_owned();
    let maybe = |k: usize| {
        let some = (k + n).is_multiple_of(2).then(|| Box::new(number(0.75 - 0.5 * k as f64)));
        Value::Option(some)
    };
    let parameters = Parameters::from([
        ("n", Value::Integer(n as i64)),
        ("a", number(1.25)),
        ("b", number(-0.6)),
        ("p", number(1.7)),
        ("pair", Value::List(vec![number(0.3), number(-1.1)])),
        ("rest", Value::List(REST.map(|row| Value::List(row.map(number).to_vec())).to_vec())),
        ("table", Value::List((0..n).map(|k| number(0.4 + 0.3 * k as f64)).collect())),
        ("maybe", Value::List((0..n).map(maybe).collect())),
        ("bonds", Value::List(vec![bond(0, 1), bond(2, 1), bond(0, 0)])),
        ("kind", Value::Name(kind)),
    ]);
    Random { text, parameters, groups: writer.groups }
}

impl Writer<'_> {
    fn below(&mut self, limit: usize) -> usize {
        usize::from(self.tape.next().copied().unwrap_or(0)) % limit
    }

    fn one_of<'s>(&mut self, choices: &[&'s str]) -> &'s str {
        choices[self.below(choices.len())]
    }

    /// A name; often one that is in use already.
    fn name(&mut self, base: &str) -> String {
        if self.below(3) == 0 {
            return base.to_owned();
        }
        self.names += 1;
        format!("{base}{}", self.names)
    }

    fn arguments(&self) -> String {
        let kinds = [(1, "Scalar"), (2, "Vec2"), (3, "Vec3"), (9, "Mat3")];
        let groups = self.groups.iter().map(|group| {
            let kind = kinds.iter().find(|(components, _)| *components == group.components);
            let entry = if group.name == "phi" { "Angle" } else { kind.expect("a kind").1 };
            let ty = match group.lengths.len() {
                0 => entry.to_owned(),
                1 => format!("[{entry}; self.n]"),
                _ => format!("[[{entry}; 2]; self.n]"),
            };
            format!("{}: {ty}", group.name)
        });
        groups.chain(["t: Time".to_owned()]).collect::<Vec<_>>().join(", ")
    }

    fn declaration(&mut self) -> String {
        let arguments = self.arguments();
        // The last draw mostly finds no tape left.
        let velocities_first = self.tape.len().is_multiple_of(3);
        let mut of_velocities = if velocities_first { self.of_velocities(&arguments) } else { String::new() };
        let mut text = String::from(
            "impl Model {\n\
             fn plain(&self, k: usize) -> f64 { self.a + k as f64 }\n\
             fn helper(&self, s: Scalar, r: Scalar) -> Scalar { let i = s * r; i + self.b * s.sin() }\n\
             fn planar(&self, s: Scalar, x: Vec2) -> Vec2 { let u = vec2(s, self.a); u + s * x }\n\
             fn product(a: Scalar, b: Scalar) -> Scalar { a * b }\n\
             fn strain(&self, f: Mat3) -> Mat3 { f.transpose() * f - Mat3::IDENTITY }\n\
             fn turned(a: Mat3, v: Vec3) -> Vec3 { a * v - a.column(1) }\n",
        );
        let _ = writeln!(text, "fn lagrangian(&self, {arguments}) -> Scalar {{");
        let mut scope = Scope { sums: true, functions_of_sums: true, near: true, ..Scope::default() };
        let closure = self.scalar(
            2,
            &Scope {
                scalars: vec![("s".into(), false), ("r".into(), false)],
                sums: false,
                ..Scope::default()
            },
        );
        let _ = writeln!(text, "let f = |s: Scalar, r: Scalar| {closure};");
        // A closure over an index, called with other indices: its variable is another one in each call.
        let behind = self.leaf(&Scope { indices: vec!["i".into()], ..Scope::default() });
        let _ = writeln!(text, "let near = |i| if i == 0 {{ self.a }} else {{ {behind} * self.table[i] }};");
        let shared = self.scalar(2, &scope);
        let _ = writeln!(text, "let shared = {shared};");
        scope.scalars.push(("shared".into(), true));
        let inside = Scope { indices: vec!["i".into()], ..scope.clone() };
        let placed = self.scalar(2, &inside);
        let _ = writeln!(text, "let placed = each(0..self.n, |i| {placed});");
        let mut terms: Vec<String> = self.groups.clone().iter().map(inertia).collect();
        for _ in 0..self.below(3) {
            terms.push(self.kinetic());
        }
        let mut potential = Vec::new();
        for _ in 0..=self.below(3) {
            let term = self.scalar(4, &scope);
            potential.push(match self.below(6) {
                1 => format!("- stiff({term})"),
                2 => "+ placed[self.n - 1] * placed[0]".to_owned(),
                3 => {
                    let (s, r) = (self.plain(2, &scope), self.plain(1, &scope));
                    format!("- f({s}, {r})")
                }
                4 => format!("- 0.1 * {{ let y = {term}; y * y }}"),
                _ => format!("- ({term})"),
            });
        }
        let _ = writeln!(text, "{} {} }}", terms.join(" + "), potential.join(" "));
        for k in 0..self.below(3) {
            self.names = 0;
            let scope = Scope { sums: true, functions_of_sums: true, ..Scope::default() };
            let sort = self.below(5);
            if sort == 4 {
                let (leaf, row) = (self.leaf(&scope), self.vector(3, 3, &scope));
                let _ = writeln!(
                    text,
                    "#[holonomic] fn g{k}(&self, {arguments}) -> Vec3 {{ {row} + ({leaf}).powi(5) * vec3(2.5, 1.5, 3.5) }}"
                );
            } else if sort.is_multiple_of(2) {
                let (leaf, row) = (self.leaf(&scope), self.scalar(3, &scope));
                let _ = writeln!(
                    text,
                    "#[holonomic] fn g{k}(&self, {arguments}) -> Scalar {{ ({row}) + 2.5 * ({leaf}).powi(5) }}"
                );
            } else {
                let inside = Scope { indices: vec!["j".into()], ..scope };
                let (leaf, row) = (self.leaf(&inside), self.scalar(3, &inside));
                let _ = writeln!(
                    text,
                    "#[holonomic] fn g{k}(&self, {arguments}) -> [Scalar; self.n] {{ each(0..self.n, |j| ({row}) + 2.5 * ({leaf}).powi(5)) }}"
                );
            }
        }
        if !velocities_first {
            of_velocities = self.of_velocities(&arguments);
        }
        text.push_str(&of_velocities);
        text.push('}');
        text
    }

    /// Constraints on velocities, and dissipations.
    fn of_velocities(&mut self, arguments: &str) -> String {
        let mut text = String::new();
        for k in 0..self.below(3) {
            let row = self.row_on_velocities();
            let _ = writeln!(text, "#[nonholonomic] fn c{k}(&self, {arguments}) -> {row}");
        }
        for k in 0..self.below(3) {
            let function = self.dissipation();
            let _ = writeln!(text, "#[dissipation] fn d{k}(&self, {arguments}) -> Scalar {{ {function} }}");
        }
        text
    }

    /// The type and the body of a constraint on velocities: A(q, t) v + b(q, t) with at least one
    /// velocity.
    fn row_on_velocities(&mut self) -> String {
        self.names = 0;
        let plain = Scope::default();
        let summed = Scope { sums: true, ..Scope::default() };
        match self.below(4) {
            0 => {
                let (leaf, factor, moved) =
                    (self.leaf(&plain), self.plain(2, &plain), self.scalar(2, &summed));
                format!("Scalar {{ 2.5 * der({leaf}) + ({factor}) * der({moved}) }}")
            }
            1 => {
                let (leaf, rest) = (self.leaf(&plain), self.scalar(2, &summed));
                format!("Scalar {{ (2.5 + ({leaf}).powi(2)) * der({leaf}) - ({rest}) }}")
            }
            2 => {
                let inside = Scope { indices: vec!["j".into()], ..summed };
                let (leaf, moved, rest) =
                    (self.leaf(&inside), self.scalar(2, &inside), self.scalar(1, &inside));
                format!(
                    "[Scalar; self.n] {{ each(0..self.n, |j| 2.5 * der({leaf}) + self.b * der({moved}) + ({rest})) }}"
                )
            }
            _ => {
                let (leaf, moved, rest) =
                    (self.leaf(&plain), self.vector(2, 3, &summed), self.vector(1, 3, &summed));
                format!("Vec3 {{ der({moved}) + {rest} + 2.5 * der({leaf}) * vec3(1.5, 2.5, 3.5) }}")
            }
        }
    }

    /// Rayleigh's function, in which at least one velocity stands.
    fn dissipation(&mut self) -> String {
        self.names = 0;
        let plain = Scope::default();
        let summed = Scope { sums: true, ..Scope::default() };
        let (leaf, factor) = (self.leaf(&plain), self.plain(2, &plain));
        let term = match self.below(5) {
            0 => format!("0.5 * der({}).powi(2)", self.scalar(2, &summed)),
            1 => format!("(1.0 + der({}).powi(2)).sqrt()", self.plain(2, &plain)),
            2 => {
                let inside = Scope { indices: vec!["i".into()], sums: true, ..Scope::default() };
                let (a, b) = (self.leaf(&inside), self.leaf(&inside));
                format!("sum(0..self.n, |i| self.table[i] * (der({a}) - der({b})).powi(2))")
            }
            3 => format!("0.1 * der({}).norm_squared()", self.vector(2, 3, &summed)),
            _ => format!("self.a * der({}) * t.cos()", self.plain(2, &plain)),
        };
        format!("0.3 * (1.0 + ({factor}).powi(2)) * der({leaf}).powi(2) + {term}")
    }

    /// A kinetic or gyroscopic term.
    fn kinetic(&mut self) -> String {
        let scope = Scope { sums: false, ..Scope::default() };
        let summed = Scope { sums: true, ..Scope::default() };
        let (a, b) = (self.plain(2, &scope), self.plain(2, &scope));
        match self.below(9) {
            7 => format!("0.1 * (der({}) * mat3(self.rest)).norm_squared()", self.matrix(2, &summed)),
            8 => {
                format!("0.1 * der({}).dot(der({}))", self.vector(2, 3, &summed), self.vector(1, 3, &summed))
            }
            0 => format!("0.1 * der({a}) * der({b})"),
            1 => format!("({a}) * der({b})"),
            2 => format!("0.5 * (der({a}) + self.b).powi(2)"),
            3 => format!("0.5 * der({}).powi(2)", self.scalar(3, &summed)),
            4 => format!("0.1 * der({}).norm_squared()", self.vector(2, 2, &summed)),
            5 => {
                let inside = Scope { indices: vec!["i".into()], sums: true, ..Scope::default() };
                let (a, b) = (self.leaf(&inside), self.leaf(&inside));
                format!("0.05 * sum(0..self.n, |i| der({a}) * der({b}))")
            }
            _ => format!("(0.1 * der({a})).cos() * (1.0 + ({b}).sin())"),
        }
    }

    /// An index of an array of length `self.n`.
    fn index(&mut self, scope: &Scope) -> String {
        let Some(last) = scope.indices.len().checked_sub(1) else {
            return self.one_of(&["0", "self.n - 1", "(self.n - 1)"]).to_owned();
        };
        let name = &scope.indices[last - self.below(scope.indices.len())];
        match self.below(6) {
            0..=2 => name.clone(),
            3 => format!("({name} + 1) % self.n"),
            4 => format!("self.n - 1 - {name}"),
            _ => "0".to_owned(),
        }
    }

    fn entry(&mut self, group: &Group, scope: &Scope) -> String {
        let mut text = group.name.clone();
        if !group.lengths.is_empty() {
            text = format!("{text}[{}]", self.index(scope));
        }
        if group.lengths.len() > 1 {
            text = format!("{text}[{}]", self.below(2));
        }
        text
    }

    /// A component of a coordinate.
    fn leaf(&mut self, scope: &Scope) -> String {
        let at = self.below(self.groups.len());
        let group = self.groups[at].clone();
        let entry = self.entry(&group, scope);
        if group.components == 1 {
            return entry;
        }
        if group.components == 9 {
            return format!("{entry}[({}, {})]", self.below(3), self.below(3));
        }
        let component = ["x", "y", "z"][self.below(group.components)];
        format!("{entry}.{component}")
    }

    /// A scalar that is an argument of a function.
    fn plain(&mut self, depth: usize, scope: &Scope) -> String {
        self.scalar(depth, &scope.inside_of_a_function())
    }

    fn number(&mut self, scope: &Scope) -> String {
        match self.below(9) {
            0 => "0.5".to_owned(),
            1 => "2.0".to_owned(),
            2 => "self.a".to_owned(),
            3 => "self.b.exp()".to_owned(),
            4 => format!("self.table[{}]", self.index(scope)),
            5 => format!("self.plain({})", self.index(scope)),
            6 => "(self.n as f64 - 0.5)".to_owned(),
            7 => "-1.5".to_owned(),
            _ => match scope.numbers.last() {
                Some(name) => name.clone(),
                None => "self.pair[1]".to_owned(),
            },
        }
    }

    /// A scalar expression, in parentheses where it needs them.
    fn scalar(&mut self, depth: usize, scope: &Scope) -> String {
        self.budget = self.budget.saturating_sub(1);
        if depth == 0 || self.budget == 0 {
            // Closure bodies see their parameters only.
            let known: Vec<&String> =
                scope.scalars.iter().filter(|(_, sums)| scope.sums || !sums).map(|(name, _)| name).collect();
            let closure = known.first().is_some_and(|name| *name == "s");
            if !known.is_empty() && (closure || self.below(4) == 3) {
                return known[self.below(known.len())].clone();
            }
            return match self.below(8) {
                6 => self.number(scope),
                7 => "t".to_owned(),
                _ => self.leaf(scope),
            };
        }
        let less = depth - 1;
        match self.below(21) {
            17 if scope.near => format!("near({})", self.index(scope)),
            18 => {
                let (name, index) = (self.name("i"), self.index(scope));
                let mut inside = scope.clone();
                inside.indices.push(name.clone());
                format!("({{ let {name} = {index}; {} }})", self.scalar(less, &inside))
            }
            15 | 16 => self.of_matrices(less, scope),
            0 => self.scalar(0, scope),
            1 => format!("({} + {})", self.scalar(less, scope), self.scalar(less, scope)),
            2 => format!("({} - {})", self.scalar(less, scope), self.scalar(less, scope)),
            3 => format!("{} * {}", self.scalar(less, scope), self.scalar(less, scope)),
            4 => format!("{} * {}", self.number(scope), self.scalar(less, scope)),
            5 => self.function(less, scope),
            6 => {
                let above = self.scalar(less, scope);
                let below = self.plain(less, scope);
                match self.below(3) {
                    0 => format!("{above} / (2.0 + ({below}).sin())"),
                    1 => format!("{above} / (1.0 + ({below}).powi(2))"),
                    _ => format!("(-{above})"),
                }
            }
            7 => self.power(less, scope),
            8 => self.of_vectors(less, scope),
            9 | 10 if scope.sums => self.sum(less, scope, None),
            11 => {
                let mut inside = scope.clone();
                let name = self.name("y");
                let value = self.scalar(less, scope);
                inside.scalars.push((name.clone(), scope.sums));
                format!("({{ let {name} = {value}; {name} + {} }})", self.scalar(less, &inside))
            }
            12 => self.choice(less, scope),
            13 => {
                let (a, b) = (self.plain(less, scope), self.plain(less, scope));
                if self.below(2) == 0 {
                    format!("self.helper({a}, {b})")
                } else {
                    format!("Self::product({a}, {b})")
                }
            }
            14 => self.piecewise(less, scope),
            19 if scope.sums => self.near_sum(less, scope),
            _ => self.scalar(0, scope),
        }
    }

    /// A choice that the point makes; the compared values differ by more than rounding.
    fn piecewise(&mut self, less: usize, scope: &Scope) -> String {
        let (leaf, number) = (self.leaf(scope), self.number(scope));
        match self.below(5) {
            0 => format!("({leaf}).abs()"),
            1 => format!("({}).max({number})", self.plain(less, scope)),
            2 => format!("({}).min({leaf})", self.plain(less, scope)),
            3 => {
                let (yes, no) = (self.scalar(less, scope), self.scalar(less, scope));
                format!("(if {leaf} < {number} {{ {yes} }} else {{ {no} }})")
            }
            _ => {
                let other = self.leaf(scope);
                let (yes, no) = (self.scalar(less, scope), self.scalar(less, scope));
                format!(
                    "(if {leaf} >= {number} && !({other} > 0.25) || {other} <= -0.5 {{ {yes} }} else {{ {no} }})"
                )
            }
        }
    }

    /// A function that is smooth on one of these, or one of the others.
    fn function_on(&mut self, domains: &[Domain], others: &[&'static str]) -> &'static str {
        let known = functions().filter(|(_, domain)| domains.contains(domain)).map(|(name, _)| name);
        let all: Vec<&'static str> = known.chain(others.iter().copied()).collect();
        all[self.below(all.len())]
    }

    fn function(&mut self, less: usize, scope: &Scope) -> String {
        let argument = self.plain(less, scope);
        match self.below(12) {
            0 => format!("({argument}).sin()"),
            1 => format!("({argument}).cos()"),
            2 => format!("({argument}).atan()"),
            3 => format!("({argument}).asinh()"),
            4 => format!("(0.2 * ({argument}).sin()).exp()"),
            5 => format!("(1.5 + ({argument}).cos()).ln()"),
            6 => {
                let bounded = self.function_on(&[Domain::Everywhere, Domain::BelowOne], &["exp2"]);
                format!("(0.5 * ({argument}).sin()).{bounded}()")
            }
            7 => {
                let positive = self.function_on(&[Domain::Positive], &["sqrt", "recip", "log2", "log10"]);
                format!("(1.5 + ({argument}).sin()).{positive}()")
            }
            8 => {
                let beyond = self.function_on(&[Domain::AboveOne], &[]);
                format!("(2.5 + ({argument}).sin()).{beyond}()")
            }
            9 => {
                let other = self.plain(less, scope);
                format!("(2.0 + ({argument}).sin()).atan2({other})")
            }
            10 => {
                let other = self.plain(less, scope);
                format!("({argument}).hypot(1.5 + ({other}).cos())")
            }
            _ => format!("(-({argument})).sin()"),
        }
    }

    fn power(&mut self, less: usize, scope: &Scope) -> String {
        let base = self.plain(less, scope);
        match self.below(7) {
            0 => format!("({base}).powi(2)"),
            1 => format!("({base}).powi(3)"),
            2 => format!("(1.0 + ({base}).powi(2)).sqrt()"),
            3 => format!("(1.0 + ({base}).powi(2)).powf(self.p)"),
            4 => format!("(1.5 + ({base}).sin()).powi(-3)"),
            5 => format!("(1.5 + ({base}).sin()).powf(-1.5)"),
            _ => format!("(1.0 + ({base}).powi(2)).powf(0.3) / (1.0 + ({base}).powi(2)).sqrt()"),
        }
    }

    fn of_vectors(&mut self, less: usize, scope: &Scope) -> String {
        let dimension = 2 + self.below(2);
        let plain = scope.inside_of_a_function();
        let a = self.vector(less, dimension, scope);
        match self.below(6) {
            0 => format!("{a}.norm_squared()"),
            1 => format!("{a}.dot({})", self.vector(less, dimension, scope)),
            2 => format!("{a}.x"),
            3 if dimension == 2 => format!("{a}.cross({})", self.vector(less, dimension, scope)),
            3 => format!("{a}.cross({}).y", self.vector(less, dimension, scope)),
            4 => {
                let a = self.vector(less, dimension, &plain);
                let shift = if dimension == 2 { "vec2(3.0, 4.0)" } else { "vec3(3.0, 4.0, 5.0)" };
                format!("({a} * 0.25 + {shift}).norm()")
            }
            _ => format!("{a}[1]"),
        }
    }

    fn vector(&mut self, depth: usize, dimension: usize, scope: &Scope) -> String {
        let known: Vec<Group> =
            self.groups.iter().filter(|group| group.components == dimension).cloned().collect();
        if depth == 0 || self.budget == 0 || self.below(4) == 0 {
            if !known.is_empty() {
                let at = self.below(known.len());
                return self.entry(&known[at], scope);
            }
            let components: Vec<String> = (0..dimension).map(|_| self.scalar(0, scope)).collect();
            return format!("vec{dimension}({})", components.join(", "));
        }
        let less = depth - 1;
        match self.below(if dimension == 3 { 9 } else { 7 }) {
            7 => {
                let a = self.matrix(less, scope);
                let k = self.below(3);
                match self.below(3) {
                    0 => format!("{a}.row({k})"),
                    1 => format!("{a}.column({k})"),
                    _ => format!("{a}.diagonal()"),
                }
            }
            8 => {
                let (a, v) = (self.matrix(less, scope), self.vector(less, 3, scope));
                if self.below(2) == 0 { format!("({a} * {v})") } else { format!("Self::turned({a}, {v})") }
            }
            0 => {
                format!("({} + {})", self.vector(less, dimension, scope), self.vector(less, dimension, scope))
            }
            1 => {
                format!("({} - {})", self.vector(less, dimension, scope), self.vector(less, dimension, scope))
            }
            2 => format!("({} * {})", self.scalar(less, scope), self.vector(less, dimension, scope)),
            3 => format!("(-{})", self.vector(less, dimension, scope)),
            4 if scope.sums => self.sum(less, scope, Some(dimension)),
            5 if dimension == 2 => match self.below(3) {
                0 => "vec2(self.pair)".to_owned(),
                1 => "Vec2::ZERO".to_owned(),
                _ => format!(
                    "self.planar({}, {})",
                    self.plain(less, scope),
                    self.vector(less, 2, &scope.inside_of_a_function())
                ),
            },
            5 => format!("{}.cross({})", self.vector(less, 3, scope), self.vector(less, 3, scope)),
            _ => {
                let components: Vec<String> = (0..dimension).map(|_| self.scalar(less, scope)).collect();
                format!("vec{dimension}({})", components.join(", "))
            }
        }
    }

    fn of_matrices(&mut self, less: usize, scope: &Scope) -> String {
        let plain = scope.inside_of_a_function();
        match self.below(7) {
            0 => format!("{}.determinant()", self.matrix(less, &plain)),
            1 => format!("{}.trace()", self.matrix(less, scope)),
            2 => format!("{}[({}, {})]", self.matrix(less, scope), self.below(3), self.below(3)),
            3 => format!("{}.dot({})", self.matrix(less, scope), self.matrix(less, &plain)),
            4 => format!("{}.norm_squared()", self.matrix(less, &plain)),
            5 => format!("(0.25 * {} + mat3(self.rest)).norm()", self.matrix(less, &plain)),
            _ => format!("self.strain({}).norm_squared()", self.matrix(0, &plain)),
        }
    }

    fn matrix(&mut self, depth: usize, scope: &Scope) -> String {
        // One operation of matrices is many.
        self.budget = self.budget.saturating_sub(5);
        let known: Vec<Group> = self.groups.iter().filter(|group| group.components == 9).cloned().collect();
        if depth == 0 || self.budget == 0 {
            if !known.is_empty() && self.below(4) != 3 {
                let at = self.below(known.len());
                return self.entry(&known[at], scope);
            }
            return match self.below(4) {
                0 => "mat3(self.rest)".to_owned(),
                1 => "Mat3::IDENTITY".to_owned(),
                2 => format!("Mat3::from_diagonal({})", self.vector(0, 3, scope)),
                _ => format!("{}.outer({})", self.vector(0, 3, scope), self.vector(0, 3, scope)),
            };
        }
        let less = depth.min(2) - 1;
        let plain = scope.inside_of_a_function();
        match self.below(12) {
            0 => format!("({} + {})", self.matrix(less, scope), self.matrix(less, scope)),
            1 => format!("({} - {})", self.matrix(less, scope), self.matrix(less, scope)),
            2 => format!("({} * {})", self.matrix(less, scope), self.matrix(less, scope)),
            3 => format!("({} * {})", self.scalar(less, scope), self.matrix(less, scope)),
            4 => format!("({} / (2.0 + ({}).sin()))", self.matrix(less, scope), self.plain(less, scope)),
            5 => format!("(-{})", self.matrix(less, scope)),
            6 => format!("{}.transpose()", self.matrix(less, scope)),
            // The unit matrix outweighs the other term, so that there is an inverse.
            7 => format!(
                "(2.5 * Mat3::IDENTITY + ({}).sin() * mat3(self.rest)).inverse()",
                self.plain(less, &plain)
            ),
            8 => {
                let rows: Vec<String> = (0..3).map(|_| self.vector(less, 3, scope)).collect();
                let made = self.one_of(&["from_rows", "from_columns"]);
                format!("Mat3::{made}([{}])", rows.join(", "))
            }
            9 => {
                let (a, b) = (self.matrix(less, scope), self.matrix(less, scope));
                format!("(if {} == 0 {{ {a} }} else {{ {b} }})", self.index(scope))
            }
            10 => {
                let at = self.index(scope);
                format!("(if {at} > 0 {{ {} }} else {{ Mat3::ZERO }})", self.matrix(less, scope))
            }
            _ => {
                let mut inside = scope.clone();
                let name = self.name("y");
                let value = self.scalar(less, scope);
                inside.scalars.push((name.clone(), scope.sums));
                format!("({{ let {name} = {value}; {name} * {} }})", self.matrix(less, &inside))
            }
        }
    }

    /// A sum over near pairs.
    fn near_sum(&mut self, depth: usize, scope: &Scope) -> String {
        let points = |group: &&Group| matches!(group.components, 2 | 3) && group.lengths.len() == 1;
        let known: Vec<String> = self.groups.iter().filter(points).map(|group| group.name.clone()).collect();
        if known.is_empty() {
            return self.sum(depth, scope, None);
        }
        let points = &known[self.below(known.len())];
        let (i, j, d) = (self.name("i"), self.name("j"), self.name("d"));
        let radius = self.one_of(&["1.5", "self.a", "2.0 * self.p"]);
        let mut inside = Scope { sums: false, ..scope.clone() };
        inside.scalars.extend(["x", "norm_squared()"].map(|part| (format!("{d}.{part}"), false)));
        let (of, pattern) = if self.below(3) == 2 {
            inside.indices.push(j.clone());
            (format!(".of({})", self.index(scope)), format!("({j}, {d})"))
        } else {
            inside.indices.extend([i.clone(), j.clone()]);
            (String::new(), format!("({i}, {j}, {d})"))
        };
        let body = self.scalar(depth, &inside);
        format!("sum(within({radius}, {points}){of}, |{pattern}| {body} * {d}.norm())")
    }

    /// A sum of scalars, or of vectors of some dimension.
    fn sum(&mut self, depth: usize, scope: &Scope, dimension: Option<usize>) -> String {
        let mut inside = scope.clone();
        let (i, j) = (self.name("i"), self.name("j"));
        // Partial sums: their items know nothing of the loops around them. An empty sum of vectors
        // would have no dimension in the interpreter.
        if let Some(end) = scope.indices.last()
            && self.below(2) == 0
        {
            let own = Scope { indices: vec![i.clone()], sums: scope.sums, ..Scope::default() };
            let body = match dimension {
                Some(dimension) => self.vector(depth, dimension, &own),
                None => self.scalar(depth, &own),
            };
            let items = ["0..=END", "0..END + 1", "END..self.n", "0..END"];
            let items = items[self.below(if dimension.is_some() { 3 } else { 4 })].replace("END", end);
            return format!("sum({items}, |{i}| {body})");
        }
        let sort = if dimension.is_some() { 0 } else { self.below(6) };
        let (items, pattern) = match sort {
            0 | 1 => {
                inside.indices.push(i.clone());
                ("0..self.n", i)
            }
            2 => {
                inside.indices.extend([i.clone(), j.clone()]);
                ("pairs(self.n)", format!("({i}, {j})"))
            }
            3 => {
                inside.indices.extend([i.clone(), j.clone()]);
                ("self.bonds.iter()", format!("&({i}, {j})"))
            }
            4 => {
                let m = self.name("m");
                inside.indices.push(i.clone());
                inside.numbers.push(m.clone());
                ("self.table.iter().enumerate()", format!("({i}, &{m})"))
            }
            _ => {
                inside.indices.push(i.clone());
                ("1..self.n", i)
            }
        };
        let body = match dimension {
            Some(dimension) => self.vector(depth, dimension, &inside),
            None => self.scalar(depth, &inside),
        };
        format!("sum({items}, |{pattern}| {body})")
    }

    fn choice(&mut self, less: usize, scope: &Scope) -> String {
        let (a, b) = (self.scalar(less, scope), self.scalar(less, scope));
        let at = self.index(scope);
        match self.below(5) {
            0 => format!("(if {at} == 0 {{ {a} }} else {{ {b} }})"),
            1 => {
                let c = self.scalar(less, scope);
                format!(
                    "(match self.kind {{ Kind::First => {a}, Kind::Second if {at} > 0 => {b}, _ => {c} }})"
                )
            }
            2 => {
                let k = self.name("k");
                let mut inside = scope.clone();
                inside.numbers.push(k.clone());
                let c = self.scalar(less, &inside);
                format!("(if let Some({k}) = self.maybe[{at}] {{ {k} * {c} }} else {{ {a} }})")
            }
            3 => {
                let k = self.name("k");
                format!(
                    "(match self.maybe[{at}] {{ Some({k}) if {k} > 0.0 => {k} * {a}, Some({k}) => {b} - {k}, None => 0.5 }})"
                )
            }
            _ => format!("(if self.n > 1 && {at} != 1 {{ {a} }} else {{ {b} }})"),
        }
    }
}

/// The kinetic energy that a coordinate must have.
fn inertia(group: &Group) -> String {
    let square = |entry: &str| {
        if group.components == 1 {
            format!("der({entry}).powi(2)")
        } else {
            format!("der({entry}).norm_squared()")
        }
    };
    let name = &group.name;
    match group.lengths.len() {
        0 => format!("0.5 * {}", square(name)),
        1 => format!("sum(0..self.n, |i| 0.5 * self.table[i] * {})", square(&format!("{name}[i]"))),
        _ => format!("sum({name}.iter(), |row| sum(row.iter(), |entry| {}))", square("*entry")),
    }
}
