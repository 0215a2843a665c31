//! Expressions of the source as LaTeX, as their author structured them.

use super::math::{Level, Math, added, divided, multiplied, number};
use super::symbol;
use super::symbols::Symbols;
use crate::ast::{self, Declaration, Kind};
use crate::functions::{Function, FunctionTable};
use crate::lower::names;
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::{BinOp, Block, Expr, Lit, Pat, Stmt, UnOp, ext::IdentExt};

/// Writes expressions with the values of names put in; a value that is used several times is set aside.
///
/// **Invariant.** A symbol has one meaning: a binder gives its name a symbol that nothing in sight has.
#[derive(Clone)]
pub(super) struct Writer<'d> {
    declaration: &'d Declaration,
    symbols: &'d Symbols,
    /// The formula that each name stands for.
    pub(super) names: BTreeMap<String, Math>,
    /// The index that a loop variable stands for.
    pub(super) indices: BTreeMap<String, Linear>,
    /// The symbols that are in sight.
    taken: BTreeSet<String>,
    /// The line `name &= value` of each expression that is set aside.
    pub(super) aside: Vec<String>,
    /// The symbols of values that are set aside.
    set_aside: BTreeSet<String>,
    /// The pairs of points that are near, by their names.
    near: BTreeMap<String, Near>,
}

/// Pairs of points that are near, as written.
#[derive(Debug, Clone)]
struct Near {
    radius: Expr,
    /// The points of both ends, or of all.
    points: Vec<Expr>,
    /// The point whose neighbours are meant.
    of: Option<Expr>,
}

/// A symbol with a prime.
fn primed(symbol: &str) -> String {
    match symbol.split_once("_{") {
        Some((head, tail)) if !head.contains('{') => format!("{head}'_{{{tail}"),
        _ => format!("{symbol}'"),
    }
}

/// An index: Σ factor · text + constant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Linear {
    pub(super) terms: BTreeMap<String, i64>,
    pub(super) constant: i64,
}

impl Linear {
    pub(super) fn variable(name: impl Into<String>) -> Self {
        Self { terms: BTreeMap::from([(name.into(), 1)]), constant: 0 }
    }

    pub(super) fn plus(&self, factor: i64, other: &Self) -> Self {
        let mut sum = self.clone();
        for (name, own) in &other.terms {
            *sum.terms.entry(name.clone()).or_insert(0) += factor * own;
        }
        sum.terms.retain(|_, factor| *factor != 0);
        sum.constant += factor * other.constant;
        sum
    }

    pub(super) fn text(&self) -> String {
        // A single name needs no parentheses.
        if let (1, 0, Some((name, 1))) = (self.terms.len(), self.constant, self.terms.iter().next()) {
            let inside = name.strip_prefix(r"\left(").and_then(|inside| inside.strip_suffix(r"\right)"));
            let inside = inside.filter(|inside| {
                let mut depth = 0;
                inside.match_indices(['(', ')']).all(|(_, bracket)| {
                    depth += if bracket == "(" { 1 } else { -1 };
                    depth >= 0
                })
            });
            return inside.unwrap_or(name).to_owned();
        }
        let parts = self.terms.iter().map(|(name, factor)| {
            let size = factor.unsigned_abs();
            let text = if size == 1 { name.clone() } else { format!(r"{size} \, {name}") };
            (*factor < 0, Math::product(text))
        });
        let mut parts: Vec<(bool, Math)> = parts.collect();
        parts.sort_by_key(|(negative, _)| *negative);
        if self.constant != 0 || parts.is_empty() {
            parts.push((self.constant < 0, Math::atom(self.constant.unsigned_abs().to_string())));
        }
        added(&parts).text
    }
}

impl<'d> Writer<'d> {
    pub(super) fn new(declaration: &'d Declaration, symbols: &'d Symbols) -> Self {
        Self {
            declaration,
            symbols,
            names: BTreeMap::new(),
            indices: BTreeMap::new(),
            taken: symbols.taken.clone(),
            aside: Vec::new(),
            set_aside: BTreeSet::new(),
            near: BTreeMap::new(),
        }
    }

    /// The name and the arguments of a helper, and the formula of its result.
    pub(super) fn helper(&mut self, helper: &ast::Function) -> (String, Math) {
        let arguments: Vec<String> =
            helper.arguments.iter().map(|argument| self.bind(&argument.name.unraw().to_string())).collect();
        let name = symbol(&helper.name.unraw().to_string(), false);
        (format!(r"{name}\left({}\right)", arguments.join(", ")), self.block(&helper.body))
    }

    /// Writes something that binds names of its own.
    fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let outside = (self.names.clone(), self.indices.clone(), self.taken.clone());
        let written = inside(self);
        (self.names, self.indices, self.taken) = outside;
        written
    }

    /// A symbol like `symbol` that nothing in sight has.
    pub(super) fn fresh(&mut self, mut symbol: String) -> String {
        while self.set_aside.contains(&symbol) || !self.taken.insert(symbol.clone()) {
            symbol = primed(&symbol);
        }
        symbol
    }

    /// An index that nothing in sight has.
    pub(super) fn fresh_index(&mut self) -> String {
        let is_free = |name: &String| !self.taken.contains(name) && !self.set_aside.contains(name);
        let name = ('k'..='s').map(String::from).find(is_free);
        self.fresh(name.unwrap_or_else(|| "k".to_owned()))
    }

    /// The item of this number of an iterator.
    pub(super) fn item(&mut self, iterator: &Expr, number: &Linear) -> Linear {
        if let Expr::Range(range) = iterator {
            let start = range.start.as_deref().map(|start| self.linear(start)).unwrap_or_default();
            return start.plus(1, number);
        }
        let array = Math::atom(self.iterated(iterator));
        Linear::variable(subscripted(&array, &number.text()).text)
    }

    /// The symbol of a name that is bound here.
    fn bind(&mut self, name: &str) -> String {
        let symbol = self.fresh(symbol(name, false));
        self.indices.remove(name);
        self.names.insert(name.to_owned(), Math::atom(symbol.clone()));
        symbol
    }

    fn bind_all(&mut self, pattern: &Pat) {
        for name in names::bound_by(pattern) {
            self.bind(&name.unraw().to_string());
        }
    }

    pub(super) fn block(&mut self, block: &Block) -> Math {
        self.scoped(|writer| {
            let mut value = Math::atom("");
            for (place, statement) in block.stmts.iter().enumerate() {
                match statement {
                    Stmt::Local(local) => {
                        let uses = |name: &str| {
                            let rest = &block.stmts[place + 1..];
                            rest.iter().map(|later| occurrences(later.to_token_stream(), name)).sum::<usize>()
                        };
                        writer.local(local, &uses);
                    }
                    Stmt::Expr(expression, None) => value = writer.expression(expression),
                    _ => {}
                }
            }
            value
        })
    }

    fn local(&mut self, local: &syn::Local, uses: &dyn Fn(&str) -> usize) {
        let Some(init) = &local.init else { return };
        let (pattern, _) = crate::parse::untyped(&local.pat);
        if let (Some(near), Pat::Ident(name)) = (self.near_of(&init.expr), pattern) {
            self.near.insert(name.ident.unraw().to_string(), near);
            return;
        }
        let (value, arguments) = match &*init.expr {
            Expr::Closure(closure) => self.scoped(|writer| {
                closure.inputs.iter().for_each(|input| writer.bind_all(input));
                let arguments: Vec<String> =
                    closure.inputs.iter().map(|input| writer.pattern_text(input)).collect();
                (writer.expression(&closure.body), Some(format!("({})", arguments.join(", "))))
            }),
            other => (self.expression(other), None),
        };
        if let (Pat::Ident(name), None) = (pattern, &arguments) {
            let name = name.ident.unraw().to_string();
            // A name for a parameter of the same name says nothing.
            if uses(&name) <= 1 || value.text == self.symbols.parameter(&name) {
                self.indices.remove(&name);
                self.names.insert(name, value);
                return;
            }
        }
        self.set_aside(pattern, &arguments.unwrap_or_default(), &value.text);
    }

    /// Writes `pattern = value` aside, under new symbols; a line is written once.
    fn set_aside(&mut self, pattern: &Pat, arguments: &str, value: &str) {
        let names: Vec<String> =
            names::bound_by(pattern).iter().map(|name| name.unraw().to_string()).collect();
        let mut symbols: Vec<String> = names.iter().map(|name| symbol(name, false)).collect();
        loop {
            for (name, symbol) in names.iter().zip(&symbols) {
                self.indices.remove(name);
                self.names.insert(name.clone(), Math::atom(symbol.clone()));
            }
            let line = format!("{}{arguments} &= {value}", self.pattern_text(pattern));
            if self.aside.contains(&line) {
                return;
            }
            let free = |symbol: &String| !self.taken.contains(symbol) && !self.set_aside.contains(symbol);
            if symbols.iter().all(free) {
                self.set_aside.extend(symbols);
                self.aside.push(line);
                return;
            }
            symbols = symbols.iter().map(|symbol| primed(symbol)).collect();
        }
    }

    pub(super) fn expression(&mut self, expression: &Expr) -> Math {
        let expression = crate::parse::lent(expression);
        match expression {
            Expr::Cast(inner) => self.expression(&inner.expr),
            Expr::Lit(literal) => match &literal.lit {
                Lit::Float(value) => value.base10_parse().map_or_else(|_| verbatim(literal), number),
                Lit::Int(value) => Math::atom(value.base10_digits()),
                other => verbatim(other),
            },
            Expr::Path(path) => self.path(path),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
                let inner = self.expression(&unary.expr);
                added(&[(true, inner)])
            }
            Expr::Unary(unary) => self.expression(&unary.expr),
            Expr::Binary(binary) => self.binary(binary),
            Expr::Field(field) => self.field(field),
            Expr::Index(_) => self.index(expression),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::If(branch) => {
                let (condition, yes) =
                    self.scoped(|writer| (writer.condition(&branch.cond), writer.block(&branch.then_branch)));
                let no = branch.else_branch.as_ref().map(|(_, no)| self.expression(no));
                let no = no.map_or(String::new(), |no| no.text);
                Math::atom(format!(
                    r"\begin{{cases}} {} & \text{{if }} {condition} \\ {no} & \text{{otherwise}} \end{{cases}}",
                    yes.text
                ))
            }
            Expr::Match(choice) => {
                let rows = choice.arms.iter().map(|arm| {
                    self.scoped(|writer| {
                        writer.bind_all(&arm.pat);
                        let value = writer.expression(&arm.body);
                        format!(r"{} & {}", value.text, writer.pattern_text(&arm.pat))
                    })
                });
                let rows: Vec<String> = rows.collect();
                Math::atom(format!(r"\begin{{cases}} {} \end{{cases}}", rows.join(r" \\ ")))
            }
            Expr::Block(block) => self.block(&block.block),
            Expr::Array(array) => self.column(&array.elems),
            Expr::Tuple(tuple) => Math::atom(format!("({})", self.list(&tuple.elems, ", "))),
            other => verbatim(other),
        }
    }

    /// The texts of some expressions.
    fn list<'e>(&mut self, parts: impl IntoIterator<Item = &'e Expr>, between: &str) -> String {
        parts.into_iter().map(|part| self.expression(part).text).collect::<Vec<_>>().join(between)
    }

    /// Some expressions as a vector.
    fn column<'e>(&mut self, parts: impl IntoIterator<Item = &'e Expr>) -> Math {
        Math::atom(format!(r"\begin{{pmatrix}} {} \end{{pmatrix}}", self.list(parts, r" \\ ")))
    }

    /// A condition in mathematics where it is a comparison.
    pub(super) fn condition(&mut self, condition: &Expr) -> String {
        let condition = crate::parse::bare(condition);
        match condition {
            Expr::Let(binding) => {
                let scrutinee = self.expression(&binding.expr);
                // The names of a condition in a path have their symbols already.
                let names = names::bound_by(&binding.pat).into_iter().map(|name| name.unraw().to_string());
                for name in names {
                    if !self.indices.contains_key(&name) {
                        self.bind(&name);
                    }
                }
                format!("{} = {}", scrutinee.text, self.pattern_text(&binding.pat))
            }
            Expr::Binary(binary) => {
                let sign = match binary.op {
                    BinOp::Eq(_) => "=",
                    BinOp::Ne(_) => r"\ne",
                    BinOp::Lt(_) => "<",
                    BinOp::Le(_) => r"\le",
                    BinOp::Gt(_) => ">",
                    BinOp::Ge(_) => r"\ge",
                    BinOp::And(_) => r"\land",
                    BinOp::Or(_) => r"\lor",
                    _ => return self.expression(condition).text,
                };
                let (left, right) = (self.condition(&binary.left), self.condition(&binary.right));
                format!("{left} {sign} {right}")
            }
            other => self.linear(other).text(),
        }
    }

    fn path(&self, path: &syn::ExprPath) -> Math {
        let segments: Vec<String> = path.path.segments.iter().map(|s| s.ident.unraw().to_string()).collect();
        match segments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [.., "Vec2" | "Vec3" | "Scalar" | "Mat3", "ZERO"] => Math::atom("0"),
            [.., "Mat3", "IDENTITY"] => Math::atom("1"),
            [.., "PI"] => Math::atom(r"\pi"),
            [.., "TAU"] => Math::product(r"2 \pi"),
            [name] => match (self.names.get(name), self.indices.get(name)) {
                (Some(value), _) => value.clone(),
                (None, Some(index)) => {
                    let text = index.text();
                    if text.contains(' ') { Math::sum(text) } else { Math::atom(text) }
                }
                (None, None) => Math::atom(symbol(name, self.is_vector(name))),
            },
            _ => Math::atom(symbol(segments.last().map_or("", String::as_str), false)),
        }
    }

    fn is_vector(&self, name: &str) -> bool {
        let declared = self.declaration.coordinates.iter().find(|coordinate| coordinate.name.unraw() == name);
        declared.is_some_and(|coordinate| !matches!(coordinate.kind, Kind::Scalar | Kind::Angle))
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Math {
        let (left, right) = (self.expression(&binary.left), self.expression(&binary.right));
        match binary.op {
            BinOp::Add(_) => added(&[(false, left), (false, right)]),
            BinOp::Sub(_) => added(&[(false, left), (true, right)]),
            BinOp::Mul(_) => multiplied(&[left, right]),
            BinOp::Div(_) => divided(&left, &right),
            BinOp::Rem(_) => {
                Math::product(format!(r"{} \bmod {}", left.within(Level::Product), right.within(Level::Atom)))
            }
            _ => verbatim(binary),
        }
    }

    fn field(&mut self, field: &syn::ExprField) -> Math {
        let name = match &field.member {
            syn::Member::Named(name) => name.unraw().to_string(),
            syn::Member::Unnamed(index) => index.index.to_string(),
        };
        if matches!(&*field.base, Expr::Path(path) if path.path.is_ident("self")) {
            return Math::atom(self.symbols.parameter(&name));
        }
        let base = self.expression(&field.base);
        subscripted(&base, &name)
    }

    /// An entry, with all its indices in one subscript.
    fn index(&mut self, expression: &Expr) -> Math {
        let mut indices = Vec::new();
        let mut base = expression;
        while let Expr::Index(index) = base {
            indices.push(self.linear(&index.index).text());
            base = &index.expr;
        }
        indices.reverse();
        let base = self.expression(base);
        subscripted(&base, &indices.join(", "))
    }

    /// An index as a linear expression.
    pub(super) fn linear(&mut self, expression: &Expr) -> Linear {
        let expression = crate::parse::bare(expression);
        match expression {
            Expr::Lit(syn::ExprLit { lit: Lit::Int(value), .. }) => match value.base10_parse() {
                Ok(constant) => Linear { terms: BTreeMap::new(), constant },
                Err(_) => Linear::variable(value.base10_digits()),
            },
            Expr::Binary(binary) if matches!(binary.op, BinOp::Add(_) | BinOp::Sub(_)) => {
                let sign = if matches!(binary.op, BinOp::Add(_)) { 1 } else { -1 };
                let (left, right) = (self.linear(&binary.left), self.linear(&binary.right));
                left.plus(sign, &right)
            }
            Expr::Binary(binary) if matches!(binary.op, BinOp::Mul(_)) => {
                let (left, right) = (self.linear(&binary.left), self.linear(&binary.right));
                match (left.terms.is_empty(), right.terms.is_empty()) {
                    (true, _) => Linear::default().plus(left.constant, &right),
                    (_, true) => Linear::default().plus(right.constant, &left),
                    _ => Linear::variable(self.expression(expression).within(Level::Product)),
                }
            }
            Expr::Path(path) => {
                match path.path.get_ident().and_then(|name| self.indices.get(&name.to_string())) {
                    Some(index) => index.clone(),
                    None => Linear::variable(self.expression(expression).within(Level::Product)),
                }
            }
            other => Linear::variable(self.expression(other).within(Level::Atom)),
        }
    }

    fn call(&mut self, call: &syn::ExprCall) -> Math {
        let name = crate::parse::called(call).map(|name| name.unraw().to_string());
        let arguments: Vec<&Expr> = call.args.iter().collect();
        match (name.as_deref(), &arguments[..]) {
            (Some("der"), [inner]) => self.derivative(inner),
            (Some("sum"), [iterator, Expr::Closure(closure)]) => self.scoped(|writer| {
                if let (Some(near), Some(Pat::Tuple(pattern))) =
                    (writer.near_of(iterator), closure.inputs.first())
                {
                    return writer.sum_in_range(&near, pattern, &closure.body);
                }
                let range =
                    closure.inputs.first().map_or(String::new(), |input| writer.bound_range(input, iterator));
                let body = writer.expression(&closure.body);
                Math::product(format!(r"\sum_{range} {}", body.within(Level::Product)))
            }),
            (Some("each"), [iterator, Expr::Closure(closure)]) => self.scoped(|writer| {
                let over = writer.rounds(iterator);
                closure.inputs.iter().for_each(|input| writer.bind_all(input));
                let input = closure.inputs.first().map_or(String::new(), |input| writer.pattern_text(input));
                let body = writer.expression(&closure.body);
                Math::sum(format!(r"{} \quad \left({input}{over}\right)", body.text))
            }),
            (Some("table"), [time, signal]) => {
                let (signal, time) = (self.expression(signal), self.expression(time));
                Math::atom(format!(r"{}\left({}\right)", signal.within(Level::Atom), time.text))
            }
            (Some("stiff"), [inner]) => {
                let inner = self.expression(inner);
                Math::atom(format!(r"\underbrace{{{}}}_{{\text{{stiff}}}}", inner.text))
            }
            (Some("vec2" | "vec3"), parts) if parts.len() > 1 => self.column(&call.args),
            (Some("vec2" | "vec3" | "mat3" | "from"), [inner]) => self.expression(inner),
            (Some("from_diagonal"), [inner]) => self.expression(inner).under(r"\operatorname{diag}"),
            (Some(name), _) => {
                let parts = self.list(&call.args, ", ");
                let known = self.names.get(name).map(|known| known.text.clone());
                let name = known.unwrap_or_else(|| symbol(name, false));
                Math::atom(format!(r"{name}\left({parts}\right)"))
            }
            (None, _) => verbatim(call),
        }
    }

    /// The pairs that an expression stands for.
    fn near_of(&self, expression: &Expr) -> Option<Near> {
        match crate::parse::lent(expression) {
            Expr::Path(path) => self.near.get(&path.path.get_ident()?.unraw().to_string()).cloned(),
            Expr::MethodCall(call) => {
                let near = self.near_of(&call.receiver)?;
                let of = if call.method == "of" { call.args.first().cloned() } else { near.of };
                Some(Near { of, ..near })
            }
            Expr::Call(call) => {
                let word = crate::parse::called(call)?;
                let mut arguments = call.args.iter().cloned();
                (word == "within" || word == "between").then_some(())?;
                Some(Near { radius: arguments.next()?, points: arguments.collect(), of: None })
            }
            _ => None,
        }
    }

    /// The sum over near pairs; the separation is written as the difference that it is.
    fn sum_in_range(&mut self, near: &Near, pattern: &syn::PatTuple, body: &Expr) -> Math {
        let Near { radius, points, of } = near;
        let radius = self.expression(radius).text;
        let of = of.as_ref().map(|of| self.linear(of).text());
        let symbols: Vec<String> = points.iter().map(|points| self.expression(points).text).collect();
        let mut names = pattern.elems.iter();
        let separation = names.next_back();
        let mut number = |writer: &mut Self, otherwise: &str| match names.next() {
            Some(Pat::Ident(name)) => writer.bind(&name.ident.unraw().to_string()),
            _ => writer.fresh(otherwise.to_owned()),
        };
        let i = match &of {
            Some(of) => of.clone(),
            None => number(self, "i"),
        };
        let j = number(self, "j");
        let point = |end: usize, at: &str| {
            let symbol = symbols.get(end).or(symbols.first()).cloned().unwrap_or_default();
            subscripted(&Math::atom(symbol), at).text
        };
        let difference = format!("{} - {}", point(0, &i), point(1, &j));
        if let Some(Pat::Ident(name)) = separation {
            let name = name.ident.unraw().to_string();
            self.indices.remove(&name);
            self.names.insert(name, Math::sum(difference.clone()));
        }
        let variables = match (&of, symbols.len()) {
            (Some(_), 1) => format!(r"{j} \ne {i}"),
            (Some(_), _) => j,
            (None, 1) => format!("{i} < {j}"),
            (None, _) => format!("{i}, {j}"),
        };
        let body = self.expression(body);
        Math::product(format!(
            r"\sum_{{{variables},\, \left|{difference}\right| < {radius}}} {}",
            body.within(Level::Product)
        ))
    }

    /// A dot over a name, or d/dt.
    fn derivative(&mut self, inner: &Expr) -> Math {
        let inner = crate::parse::bare(inner);
        match inner {
            Expr::Path(_) => dotted(&self.expression(inner)),
            Expr::Field(field) if !matches!(&*field.base, Expr::Path(path) if path.path.is_ident("self")) => {
                let base = self.derivative(&field.base);
                let name = field.member.to_token_stream().to_string();
                subscripted(&base, &name)
            }
            Expr::Index(_) => {
                let inner = self.index(inner);
                dotted(&inner)
            }
            other => self.expression(other).under(r"\frac{d}{dt}"),
        }
    }

    fn method_call(&mut self, call: &syn::ExprMethodCall) -> Math {
        let name = call.method.unraw().to_string();
        if matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("self")) {
            let parts = self.list(&call.args, ", ");
            return Math::atom(format!(r"{}\left({parts}\right)", symbol(&name, false)));
        }
        let receiver = self.expression(&call.receiver);
        let arguments: Vec<Math> = call.args.iter().map(|argument| self.expression(argument)).collect();
        if let (Some(function), []) = (Function::of_name(&name), &arguments[..]) {
            return receiver.of_function(function);
        }
        match (name.as_str(), &arguments[..]) {
            ("norm_squared", []) => Math::atom(format!(r"\left|{}\right|^{{2}}", receiver.text)),
            ("norm" | "abs", []) => Math::atom(format!(r"\left|{}\right|", receiver.text)),
            ("distance" | "distance_squared", [b]) => {
                let power = if name == "distance" { "" } else { "^{2}" };
                Math::atom(format!(r"\left|{} - {}\right|{power}", receiver.text, b.within(Level::Product)))
            }
            ("dot" | "cross", [b]) => {
                let sign = if name == "dot" { r"\cdot" } else { r"\times" };
                Math::product(format!("{} {sign} {}", receiver.within(Level::Atom), b.within(Level::Atom)))
            }
            ("powi" | "powf", [power]) => receiver.raised(&power.text),
            ("recip", []) => divided(&Math::atom("1"), &receiver),
            ("sqrt", []) => Math::atom(format!(r"\sqrt{{{}}}", receiver.text)),
            ("transpose", []) => receiver.raised(r"\mathsf{T}"),
            ("determinant", []) => receiver.under(r"\det"),
            ("trace", []) => receiver.under(r"\operatorname{tr}"),
            ("min" | "max", [b]) => Math::atom(format!(r"\{name}\left({}, {}\right)", receiver.text, b.text)),
            ("clone" | "iter" | "copied", []) => receiver,
            _ => {
                let all: Vec<&str> =
                    std::iter::once(&receiver).chain(&arguments).map(|part| part.text.as_str()).collect();
                let name = name.replace('_', r"\_");
                Math::atom(format!(r"\operatorname{{{name}}}\left({}\right)", all.join(", ")))
            }
        }
    }

    /// The bounds of a sum over names that are bound here: `_{i=0}^{n-1}`.
    fn bound_range(&mut self, pattern: &Pat, iterator: &Expr) -> String {
        // The iterator does not see its items.
        let mut outside = Writer { aside: Vec::new(), ..self.clone() };
        self.bind_all(pattern);
        let variables = self.pattern_text(pattern);
        outside.range(&variables, iterator)
    }

    /// The bounds of a sum over `variables`.
    pub(super) fn range(&mut self, variables: &str, iterator: &Expr) -> String {
        match crate::parse::bare(iterator) {
            Expr::Range(range) => {
                let (from, to) = self.bounds(range);
                format!("{{{variables}={}}}^{{{}}}", from.text(), to.text())
            }
            Expr::Call(call) if is_pairs(call) => {
                let count = call.args.first().map_or(String::new(), |count| self.linear(count).text());
                let variables = variables.trim_matches(['(', ')']).replace(", ", " < ");
                format!(r"{{0 \le {variables} < {count}}}")
            }
            other => {
                let over = self.iterated(other);
                format!(r"{{{variables} \in {over}}}")
            }
        }
    }

    /// The range of a variable, behind the variable.
    pub(super) fn rounds(&mut self, iterator: &Expr) -> String {
        match crate::parse::bare(iterator) {
            Expr::Range(range) => {
                let (from, to) = self.bounds(range);
                format!(r" = {}, \dots, {}", from.text(), to.text())
            }
            other => format!(r" \in {}", self.iterated(other)),
        }
    }

    /// The first and the last number of a range.
    pub(super) fn bounds(&mut self, range: &syn::ExprRange) -> (Linear, Linear) {
        let from = range.start.as_ref().map_or_else(Linear::default, |from| self.linear(from));
        let to = range.end.as_ref().map_or_else(
            || Linear::variable(""),
            |to| {
                let mut to = self.linear(to);
                if matches!(range.limits, syn::RangeLimits::HalfOpen(_)) {
                    to.constant -= 1;
                }
                to
            },
        );
        (from, to)
    }

    /// A pattern, with the symbols of the names that it binds.
    pub(super) fn pattern_text(&self, pattern: &Pat) -> String {
        let list = |patterns: &syn::punctuated::Punctuated<Pat, syn::Token![,]>| {
            let parts: Vec<String> = patterns.iter().map(|inner| self.pattern_text(inner)).collect();
            format!("({})", parts.join(", "))
        };
        match pattern {
            Pat::Ident(name) if name.subpat.is_none() => {
                let name = name.ident.unraw().to_string();
                match (self.names.get(&name), self.indices.get(&name)) {
                    (Some(known), _) => known.text.clone(),
                    (None, Some(index)) => index.text(),
                    (None, None) => symbol(&name, false),
                }
            }
            Pat::Tuple(tuple) => list(&tuple.elems),
            Pat::Slice(slice) => list(&slice.elems),
            Pat::TupleStruct(variant) => {
                let name = variant.path.segments.last().map_or(String::new(), |name| name.ident.to_string());
                format!("{}{}", symbol(&name, false), list(&variant.elems))
            }
            Pat::Struct(fields) => {
                let parts: Vec<String> =
                    fields.fields.iter().map(|field| self.pattern_text(&field.pat)).collect();
                format!("({})", parts.join(", "))
            }
            Pat::Reference(inner) => self.pattern_text(&inner.pat),
            Pat::Paren(inner) => self.pattern_text(&inner.pat),
            Pat::Type(inner) => self.pattern_text(&inner.pat),
            Pat::Wild(_) => r"\cdot".to_owned(),
            other => verbatim(other).text,
        }
    }

    /// The range or the array that an iterator runs over, without the ceremony of iterators.
    fn iterated(&mut self, iterator: &Expr) -> String {
        match crate::parse::lent(iterator) {
            Expr::MethodCall(call)
                if matches!(call.method.to_string().as_str(), "iter" | "copied" | "cloned") =>
            {
                self.iterated(&call.receiver)
            }
            Expr::Field(_) | Expr::Path(_) | Expr::Index(_) => self.expression(iterator).text,
            other => verbatim(other).text,
        }
    }
}

pub(super) fn is_pairs(call: &syn::ExprCall) -> bool {
    crate::parse::called(call).is_some_and(|name| name == "pairs")
}

/// a with a subscript; one that has a subscript gets a longer one.
pub(super) fn subscripted(base: &Math, index: &str) -> Math {
    match base.text.strip_suffix('}').and_then(|text| text.rsplit_once("_{")) {
        Some((head, old)) if is_symbol(head) && !old.contains(['{', '}', '^']) => {
            Math::atom(format!("{head}_{{{old}, {index}}}"))
        }
        _ if is_symbol(&base.text) => Math::atom(format!("{}_{{{index}}}", base.text)),
        _ => Math::atom(format!("{}_{{{index}}}", base.parenthesized())),
    }
}

/// True for a letter or a name with or without accents: an accent or a subscript needs no parentheses.
fn is_symbol(text: &str) -> bool {
    const STYLES: [&str; 6] = [r"\mathrm{", r"\mathbf{", r"\boldsymbol{", r"\dot{", r"\ddot{", r"\_"];
    let mut bare = text.to_owned();
    for style in STYLES {
        bare = bare.replace(style, "");
    }
    let bare = bare.trim_end_matches('\'').trim_end_matches('}');
    let letters = bare.strip_prefix('\\').unwrap_or(bare);
    !letters.is_empty() && letters.chars().all(|letter| letter.is_alphanumeric() || letter == '.')
}

/// The rate: a dot over a symbol, not over its subscript, or d/dt.
pub(super) fn dotted(base: &Math) -> Math {
    accented(base, r"\dot").unwrap_or_else(|| base.under(r"\frac{d}{dt}"))
}

/// An accent over a symbol; `None` for anything else.
pub(super) fn accented(base: &Math, accent: &str) -> Option<Math> {
    let (head, rest) = base.text.split_once("_{").unwrap_or((&base.text, ""));
    if !is_symbol(head) || rest.matches("_{").count() > 0 || !rest.is_empty() && !rest.ends_with('}') {
        return None;
    }
    let rest = if rest.is_empty() { String::new() } else { format!("_{{{rest}") };
    Some(Math::atom(format!("{accent}{{{head}}}{rest}")))
}

/// Rust that has no mathematics.
fn verbatim(tokens: &impl ToTokens) -> Math {
    let escaped = |letter: char| match letter {
        '_' | '&' | '%' | '#' | '$' | '{' | '}' => format!(r"\{letter}"),
        '\\' => r"\textbackslash ".to_owned(),
        '^' => r"\textasciicircum ".to_owned(),
        '~' => r"\textasciitilde ".to_owned(),
        '\n' => " ".to_owned(),
        other => other.to_string(),
    };
    let text: String = crate::parse::text(tokens).chars().map(escaped).collect();
    Math::atom(format!(r"\texttt{{{text}}}"))
}

/// The number of times that a name stands in some tokens.
fn occurrences(tokens: proc_macro2::TokenStream, name: &str) -> usize {
    let found = tokens.into_iter().map(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => usize::from(ident.unraw() == name),
        proc_macro2::TokenTree::Group(group) => occurrences(group.stream(), name),
        _ => 0,
    });
    found.sum()
}

/// The names that a pattern binds.
pub(super) fn bound(pattern: &Pat) -> Vec<String> {
    names::bound_by(pattern).iter().map(ToString::to_string).collect()
}
