//! An interpreter of the little Rust that declarations and the code emitted for them are made of.
//!
//! It runs both: the declaration as written, on numbers that carry derivatives, and the emitted binding
//! and kernels, on plain numbers. It knows nothing of the compiler.

use super::number::{Number, Unary, names};
use std::rc::Rc;
use syn::{BinOp, Block, Expr, Ident, Lit, Pat, Stmt, UnOp};

/// A value at run time.
#[derive(Debug, Clone)]
pub(super) enum Value<N> {
    Number(N),
    Integer(i64),
    Truth(bool),
    Vector(Vec<N>),
    /// Nine entries, row by row.
    Matrix(Vec<N>),
    List(Vec<Value<N>>),
    Tuple(Vec<Value<N>>),
    Option(Option<Box<Value<N>>>),
    /// A path that stands for itself: a variant, a constant of no interest.
    Name(String),
    Closure(Rc<syn::ExprClosure>, Variables<N>),
    /// Something that only the surroundings understand.
    Foreign(usize),
}

impl<N: Number> Value<N> {
    pub(super) fn number(&self) -> N {
        match self {
            Self::Number(number) => number.clone(),
            other => panic!("{other:?} is no number"),
        }
    }

    pub(super) fn integer(&self) -> i64 {
        match self {
            Self::Integer(number) => *number,
            other => panic!("{other:?} is no integer"),
        }
    }

    pub(super) fn list(self) -> Vec<Self> {
        match self {
            Self::List(values) | Self::Tuple(values) => values,
            other => panic!("{other:?} is no list"),
        }
    }

    /// All numbers in it, in order.
    pub(super) fn flat(&self) -> Vec<N> {
        match self {
            Self::Number(number) => vec![number.clone()],
            Self::Vector(numbers) | Self::Matrix(numbers) => numbers.clone(),
            Self::List(values) | Self::Tuple(values) => values.iter().flat_map(Self::flat).collect(),
            other => panic!("{other:?} holds no numbers"),
        }
    }

    /// This value over another type of numbers.
    pub(super) fn lifted<M: Number>(&self) -> Value<M> {
        let lift = |values: &[Self]| values.iter().map(Self::lifted).collect();
        match self {
            Self::Number(number) => Value::Number(M::of(number.real())),
            Self::Integer(number) => Value::Integer(*number),
            Self::Truth(truth) => Value::Truth(*truth),
            Self::List(values) => Value::List(lift(values)),
            Self::Tuple(values) => Value::Tuple(lift(values)),
            Self::Option(value) => Value::Option(value.as_ref().map(|value| Box::new(value.lifted()))),
            Self::Name(name) => Value::Name(name.clone()),
            other => panic!("{other:?} is no parameter"),
        }
    }
}

/// The surroundings of the interpreter: fields, methods and functions.
pub(super) trait Surroundings<N> {
    /// A field of `self`.
    fn field(&self, name: &str) -> Value<N>;
    /// A method of `self`, an associated function, or a free function.
    fn call(&mut self, run: &mut Run, name: &str, path: &syn::Path, arguments: Vec<Value<N>>) -> Value<N>;
    /// A method of a foreign value, called where these variables are in scope.
    fn method(
        &mut self,
        receiver: usize,
        name: &str,
        arguments: Vec<Value<N>>,
        variables: &Variables<N>,
    ) -> Value<N>;
}

/// The foreign value of a table or of operands that are asked about.
const ASKED: usize = usize::MAX - 1;

/// Names in scope; later ones hide earlier ones.
pub(super) type Variables<N> = Vec<(String, Value<N>)>;

/// The interpreter; it has no state of its own.
#[derive(Debug, Default)]
pub(super) struct Run;

fn named(path: &syn::Path) -> String {
    path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
}

impl Run {
    pub(super) fn block<N: Number>(
        &mut self,
        block: &Block,
        variables: &mut Variables<N>,
        around: &mut dyn Surroundings<N>,
    ) -> Value<N> {
        let depth = variables.len();
        let mut last = Value::Tuple(Vec::new());
        for statement in &block.stmts {
            last = match statement {
                Stmt::Local(local) => {
                    let init = local.init.as_ref().expect("a `let` has a value");
                    let value = self.expression(&init.expr, variables, around);
                    assert!(self.matches(&local.pat, &value, variables, around), "`let` that does not match");
                    Value::Tuple(Vec::new())
                }
                Stmt::Expr(expression, _) => self.expression(expression, variables, around),
                other => panic!("statement {other:?}"),
            };
        }
        variables.truncate(depth);
        last
    }

    /// Binds the names of `pattern`, if it matches.
    fn matches<N: Number>(
        &mut self,
        pattern: &Pat,
        value: &Value<N>,
        variables: &mut Variables<N>,
        around: &mut dyn Surroundings<N>,
    ) -> bool {
        match (pattern, value) {
            (Pat::Wild(_), _) => true,
            (Pat::Ident(name), Value::Option(option)) if name.ident == "None" => option.is_none(),
            (Pat::Ident(name), value) => {
                variables.push((name.ident.to_string(), value.clone()));
                true
            }
            (Pat::Paren(inner), value) => self.matches(&inner.pat, value, variables, around),
            (Pat::Reference(inner), value) => self.matches(&inner.pat, value, variables, around),
            (Pat::Type(inner), value) => self.matches(&inner.pat, value, variables, around),
            (Pat::Tuple(patterns), Value::Tuple(values)) if patterns.elems.len() == values.len() => {
                patterns.elems.iter().zip(values).all(|(p, v)| self.matches(p, v, variables, around))
            }
            (Pat::TupleStruct(some), Value::Option(option)) => match option {
                Some(value) => self.matches(&some.elems[0], value, variables, around),
                None => false,
            },
            (Pat::Path(path), Value::Name(name)) => named(&path.path) == *name,
            (Pat::Lit(literal), Value::Integer(number)) => {
                Self::literal::<N>(&literal.lit).integer() == *number
            }
            (Pat::Guard(guarded), value) => {
                self.matches(&guarded.pat, value, variables, around)
                    && self.truth(&guarded.guard, variables, around)
            }
            (pattern, value) => panic!("pattern {pattern:?} for {value:?}"),
        }
    }

    fn truth<N: Number>(
        &mut self,
        expression: &Expr,
        variables: &mut Variables<N>,
        around: &mut dyn Surroundings<N>,
    ) -> bool {
        match expression {
            Expr::Let(condition) => {
                let value = self.expression(&condition.expr, variables, around);
                self.matches(&condition.pat, &value, variables, around)
            }
            Expr::Binary(both) if matches!(both.op, BinOp::And(_)) => {
                self.truth(&both.left, variables, around) && self.truth(&both.right, variables, around)
            }
            other => match self.expression(other, variables, around) {
                Value::Truth(truth) => truth,
                value => panic!("{value:?} is no truth value"),
            },
        }
    }

    fn literal<N: Number>(literal: &Lit) -> Value<N> {
        match literal {
            Lit::Float(number) => Value::Number(N::of(number.base10_parse().expect("a float"))),
            Lit::Int(number) => Value::Integer(number.base10_parse().expect("an integer")),
            Lit::Bool(truth) => Value::Truth(truth.value),
            Lit::Str(text) => Value::Name(text.value()),
            Lit::Char(sign) => Value::Name(sign.value().to_string()),
            other => panic!("literal {other:?}"),
        }
    }

    pub(super) fn expression<N: Number>(
        &mut self,
        expression: &Expr,
        variables: &mut Variables<N>,
        around: &mut dyn Surroundings<N>,
    ) -> Value<N> {
        match expression {
            Expr::Lit(literal) => Self::literal(&literal.lit),
            Expr::Paren(inner) => self.expression(&inner.expr, variables, around),
            Expr::Group(inner) => self.expression(&inner.expr, variables, around),
            Expr::Reference(inner) => self.expression(&inner.expr, variables, around),
            Expr::Try(inner) => self.expression(&inner.expr, variables, around),
            Expr::Block(block) => self.block(&block.block, variables, around),
            Expr::Path(path) => Self::path(&path.path, variables),
            Expr::Array(array) => {
                Value::List(array.elems.iter().map(|e| self.expression(e, variables, around)).collect())
            }
            Expr::Tuple(tuple) => {
                Value::Tuple(tuple.elems.iter().map(|e| self.expression(e, variables, around)).collect())
            }
            Expr::Closure(closure) => Value::Closure(Rc::new(closure.clone()), variables.clone()),
            Expr::Cast(cast) => match self.expression(&cast.expr, variables, around) {
                Value::Integer(number) => Value::Number(N::of(number as f64)),
                other => panic!("cast of {other:?}"),
            },
            Expr::Range(range) => {
                let mut bound = |end: &Option<Box<Expr>>| {
                    end.as_ref().map_or(0, |end| self.expression(end, variables, around).integer())
                };
                let (first, last) = (bound(&range.start), bound(&range.end));
                let last = if matches!(range.limits, syn::RangeLimits::Closed(_)) { last + 1 } else { last };
                Value::List((first..last).map(Value::Integer).collect())
            }
            Expr::Unary(unary) => {
                let value = self.expression(&unary.expr, variables, around);
                match (unary.op, value) {
                    (UnOp::Deref(_), value) => value,
                    (UnOp::Neg(_), Value::Number(number)) => Value::Number(number.negate()),
                    (UnOp::Neg(_), Value::Integer(number)) => Value::Integer(-number),
                    (UnOp::Neg(_), Value::Vector(numbers)) => {
                        Value::Vector(numbers.iter().map(Number::negate).collect())
                    }
                    (UnOp::Neg(_), Value::Matrix(numbers)) => {
                        Value::Matrix(numbers.iter().map(Number::negate).collect())
                    }
                    (UnOp::Not(_), Value::Truth(truth)) => Value::Truth(!truth),
                    (_, value) => panic!("operation on {value:?}"),
                }
            }
            Expr::Binary(binary) => {
                let left = self.expression(&binary.left, variables, around);
                let right = self.expression(&binary.right, variables, around);
                operation(&binary.op, left, right)
            }
            Expr::If(branch) => {
                let depth = variables.len();
                let yes = self.truth(&branch.cond, variables, around);
                let value = match (&branch.else_branch, yes) {
                    (_, true) => self.block(&branch.then_branch, variables, around),
                    (Some((_, otherwise)), false) => {
                        variables.truncate(depth);
                        self.expression(otherwise, variables, around)
                    }
                    (None, false) => Value::Tuple(Vec::new()),
                };
                variables.truncate(depth);
                value
            }
            Expr::Match(choice) => {
                let scrutinee = self.expression(&choice.expr, variables, around);
                let depth = variables.len();
                for arm in &choice.arms {
                    if self.matches(&arm.pat, &scrutinee, variables, around) {
                        let value = self.expression(&arm.body, variables, around);
                        variables.truncate(depth);
                        return value;
                    }
                    variables.truncate(depth);
                }
                panic!("no arm for {scrutinee:?}")
            }
            Expr::ForLoop(repeat) => {
                let depth = variables.len();
                for item in self.expression(&repeat.expr, variables, around).list() {
                    assert!(self.matches(&repeat.pat, &item, variables, around), "loop that does not match");
                    self.block(&repeat.body, variables, around);
                    variables.truncate(depth);
                }
                Value::Tuple(Vec::new())
            }
            Expr::Assign(assign) => self.assign(assign, variables, around),
            Expr::Index(index) => {
                let base = self.expression(&index.expr, variables, around);
                let at = self.expression(&index.index, variables, around);
                entry(base, at)
            }
            Expr::Field(field) => self.field(field, variables, around),
            Expr::Call(call) => self.call(call, variables, around),
            Expr::MethodCall(call) => self.method(call, variables, around),
            other => panic!("expression {other:?}"),
        }
    }

    fn assign<N: Number>(
        &mut self,
        assign: &syn::ExprAssign,
        variables: &mut Variables<N>,
        around: &mut dyn Surroundings<N>,
    ) -> Value<N> {
        let Expr::Path(path) = &*assign.left else { panic!("{assign:?}") };
        let (value, name) = (self.expression(&assign.right, variables, around), named(&path.path));
        let known = variables.iter_mut().rev().find(|(known, _)| *known == name);
        known.expect("a variable").1 = value;
        Value::Tuple(Vec::new())
    }

    fn path<N: Number>(path: &syn::Path, variables: &Variables<N>) -> Value<N> {
        let name = named(path);
        if path.segments.len() == 1
            && let Some((_, value)) = variables.iter().rev().find(|(known, _)| *known == name)
        {
            return value.clone();
        }
        match (path.segments.first().map(|s| s.ident.to_string()).as_deref(), name.as_str()) {
            (Some("Vec2"), "ZERO") => Value::Vector(vec![N::of(0.0); 2]),
            (Some("Vec3"), "ZERO") => Value::Vector(vec![N::of(0.0); 3]),
            (Some("Mat3"), "ZERO") => Value::Matrix(vec![N::of(0.0); 9]),
            (Some("Mat3"), "IDENTITY") => Value::Matrix(diagonal(&[N::of(1.0), N::of(1.0), N::of(1.0)])),
            (_, "None") => Value::Option(None),
            _ => Value::Name(name),
        }
    }

    fn field<N: Number>(
        &mut self,
        field: &syn::ExprField,
        variables: &mut Variables<N>,
        around: &mut dyn Surroundings<N>,
    ) -> Value<N> {
        if is_self(&field.base) {
            let syn::Member::Named(name) = &field.member else { panic!("a tuple model") };
            return around.field(&name.to_string());
        }
        let base = self.expression(&field.base, variables, around);
        match (&field.member, base) {
            (syn::Member::Named(name), Value::Vector(numbers)) => {
                let at = ["x", "y", "z"].iter().position(|component| name == component);
                Value::Number(numbers[at.expect("a component")].clone())
            }
            (syn::Member::Unnamed(at), Value::Tuple(values)) => values[at.index as usize].clone(),
            // The name of a kernel, which is said in messages alone.
            (syn::Member::Named(name), Value::Name(of)) => Value::Name(format!("{of}.{name}")),
            (member, base) => panic!("field {member:?} of {base:?}"),
        }
    }

    /// Calls a closure.
    pub(super) fn closure<N: Number>(
        &mut self,
        closure: &Value<N>,
        arguments: &[Value<N>],
        around: &mut dyn Surroundings<N>,
    ) -> Value<N> {
        let Value::Closure(closure, captured) = closure else { panic!("{closure:?} is no closure") };
        let mut variables = captured.clone();
        for (input, argument) in closure.inputs.iter().zip(arguments) {
            assert!(self.matches(input, argument, &mut variables, around), "argument that does not match");
        }
        self.expression(&closure.body, &mut variables, around)
    }

    fn call<N: Number>(
        &mut self,
        call: &syn::ExprCall,
        variables: &mut Variables<N>,
        around: &mut dyn Surroundings<N>,
    ) -> Value<N> {
        let Expr::Path(path) = &*call.func else { panic!("call of {:?}", call.func) };
        let name = named(&path.path);
        let arguments: Vec<Value<N>> =
            call.args.iter().map(|argument| self.expression(argument, variables, around)).collect();
        if path.path.segments.len() == 1
            && let Some((_, closure)) = variables.iter().rev().find(|(known, _)| *known == name)
        {
            return self.closure(&closure.clone(), &arguments, around);
        }
        let first = path.path.segments[0].ident.to_string();
        match (first.as_str(), name.as_str(), &arguments[..]) {
            ("f64", "powf", [base, exponent]) => power(&base.number(), exponent.number().real()),
            ("f64", "atan2", [y, x]) => Value::Number(y.number().atan2(&x.number())),
            ("f64", "from", [Value::Integer(number)]) => Value::Number(N::of(*number as f64)),
            ("f64", function, [x]) => Value::Number(x.number().apply(Unary::Named(known(function)))),
            (_, function @ ("erf" | "erfc"), [x]) => {
                Value::Number(x.number().apply(Unary::Named(known(function))))
            }
            (_, "sum", [items, term]) => {
                let terms: Vec<Value<N>> = items
                    .clone()
                    .list()
                    .into_iter()
                    .map(|item| self.closure(term, &[item], around))
                    .collect();
                let plus = |sum: Option<Value<N>>, term| {
                    Some(match sum {
                        Some(sum) => operation(&BinOp::Add(syn::token::Plus::default()), sum, term),
                        None => term,
                    })
                };
                terms.into_iter().fold(None, plus).unwrap_or_else(|| Value::Number(N::of(0.0)))
            }
            (_, "each", [items, entry]) => Value::List(
                items.clone().list().into_iter().map(|item| self.closure(entry, &[item], around)).collect(),
            ),
            (_, "pairs", [n]) => {
                let n = n.integer();
                let pair = |i, j| Value::Tuple(vec![Value::Integer(i), Value::Integer(j)]);
                Value::List((0..n).flat_map(|i| (i + 1..n).map(move |j| pair(i, j))).collect())
            }
            (_, "within", [radius, points]) => near_pairs(radius.number().real(), &points.clone().list()),
            (_, "vec2" | "vec3", [Value::List(components)]) => {
                Value::Vector(components.iter().map(Value::number).collect())
            }
            (_, "vec2" | "vec3", components) => Value::Vector(components.iter().map(Value::number).collect()),
            (_, "mat3", [rows]) => Value::Matrix(rows.flat()),
            (_, "Entries3x3", [rows]) => rows.clone(),
            ("Mat3", "from_rows", [Value::List(rows)]) => {
                Value::Matrix(rows.iter().flat_map(Value::flat).collect())
            }
            ("Mat3", "from_columns", [Value::List(columns)]) => {
                Value::Matrix(transposed(&columns.iter().flat_map(Value::flat).collect::<Vec<_>>()))
            }
            ("Mat3", "from_diagonal", [Value::Vector(entries)]) => Value::Matrix(diagonal(entries)),
            (_, "der", [Value::Matrix(numbers)]) => Value::Matrix(numbers.iter().map(Number::rate).collect()),
            (_, "der", [Value::Number(number)]) => Value::Number(number.rate()),
            (_, "der", [Value::Vector(numbers)]) => Value::Vector(numbers.iter().map(Number::rate).collect()),
            (_, "coefficient" | "into", [value]) => value.clone(),
            // Emitted checks before a table is read or whole numbers are calculated: the interpreter
            // panics itself.
            (_, "Table" | "Operands", _) => Value::Foreign(ASKED),
            (_, "nth", [items, at]) => items.clone().list()[at.integer() as usize].clone(),
            (_, "Ok", [value]) => value.clone(),
            (_, "Some", [value]) => Value::Option(Some(Box::new(value.clone()))),
            _ => around.call(self, &name, &path.path, arguments),
        }
    }

    fn method<N: Number>(
        &mut self,
        call: &syn::ExprMethodCall,
        variables: &mut Variables<N>,
        around: &mut dyn Surroundings<N>,
    ) -> Value<N> {
        let name = call.method.to_string();
        if is_self(&call.receiver) {
            let arguments = call.args.iter().map(|a| self.expression(a, variables, around)).collect();
            let path = Ident::new(&name, call.method.span()).into();
            return around.call(self, &name, &path, arguments);
        }
        let receiver = self.expression(&call.receiver, variables, around);
        let arguments: Vec<Value<N>> =
            call.args.iter().map(|a| self.expression(a, variables, around)).collect();
        match (receiver, name.as_str(), &arguments[..]) {
            (Value::Foreign(ASKED), "has" | "give", _) => Value::Tuple(Vec::new()),
            (Value::Foreign(id), name, _) => around.method(id, name, arguments, variables),
            (Value::Number(x), "powi", [power]) => {
                Value::Number(x.apply(Unary::Integer(power.integer() as i32)))
            }
            (Value::Number(x), "powf", [exponent]) => power(&x, exponent.number().real()),
            (Value::Number(y), "atan2", [x]) => Value::Number(y.atan2(&x.number())),
            (Value::Number(x), "hypot", [y]) => {
                let y = y.number();
                Value::Number(x.multiply(&x).add(&y.multiply(&y)).apply(Unary::Named("sqrt")))
            }
            (Value::Number(x), "abs", []) => Value::Number(if x.real() < 0.0 { x.negate() } else { x }),
            (Value::Number(x), "max", [other]) => {
                let other = other.number();
                Value::Number(if other.real() > x.real() { other } else { x })
            }
            (Value::Number(x), "min", [other]) => {
                let other = other.number();
                Value::Number(if other.real() < x.real() { other } else { x })
            }
            (Value::Number(x), function, []) => Value::Number(x.apply(Unary::Named(known(function)))),
            (Value::Vector(a), "dot", [Value::Vector(b)]) => Value::Number(dot(&a, b)),
            (Value::Vector(a), "norm_squared", []) => Value::Number(dot(&a, &a)),
            (Value::Vector(a), "norm", []) => Value::Number(dot(&a, &a).apply(Unary::Named("sqrt"))),
            (Value::Vector(a), "cross", [Value::Vector(b)]) => {
                let minor = |i: usize, j: usize| a[i].multiply(&b[j]).subtract(&a[j].multiply(&b[i]));
                if a.len() == 2 {
                    Value::Number(minor(0, 1))
                } else {
                    Value::Vector(vec![minor(1, 2), minor(2, 0), minor(0, 1)])
                }
            }
            (Value::Vector(a), "outer", [Value::Vector(b)]) => {
                Value::Matrix(a.iter().flat_map(|a| b.iter().map(|b| a.multiply(b))).collect())
            }
            (Value::Matrix(a), name, arguments) => matrix_method(&a, name, arguments),
            (Value::List(pairs), "of", [point]) => neighbours(pairs, point.integer()),
            (Value::List(values), "rows" | "pairs", []) => Value::List(values),
            (Value::List(values), "iter", []) => Value::List(values),
            (Value::Option(items), "into_iter", []) => {
                Value::List(items.into_iter().map(|some| *some).collect())
            }
            (Value::List(lists), "flatten", []) => {
                Value::List(lists.into_iter().flat_map(Value::list).collect())
            }
            (Value::List(values), "rev", []) => Value::List(values.into_iter().rev().collect()),
            (Value::List(values), "len", []) => Value::Integer(values.len() as i64),
            (Value::List(values), "enumerate", []) => Value::List(
                values
                    .into_iter()
                    .enumerate()
                    .map(|(i, value)| Value::Tuple(vec![Value::Integer(i as i64), value]))
                    .collect(),
            ),
            (receiver, name, arguments) => panic!("{receiver:?}.{name}({arguments:?})"),
        }
    }
}

/// All (i, j, xᵢ − xⱼ) with i < j of points that are nearer than a radius.
fn near_pairs<N: Number>(radius: f64, points: &[Value<N>]) -> Value<N> {
    let mut pairs = Vec::new();
    for (j, second) in points.iter().enumerate() {
        for (i, first) in points[..j].iter().enumerate() {
            let separation =
                operation(&BinOp::Sub(syn::token::Minus::default()), first.clone(), second.clone());
            let square: f64 = separation.flat().iter().map(|component| component.real().powi(2)).sum();
            if square < radius.powi(2) {
                let ends = [i, j].map(|end| Value::Integer(end as i64));
                pairs.push(Value::Tuple(ends.into_iter().chain([separation]).collect()));
            }
        }
    }
    Value::List(pairs)
}

/// Of pairs, with or without separations, the partners of one point, with the separations from them.
fn neighbours<N: Number>(pairs: Vec<Value<N>>, point: i64) -> Value<N> {
    let mut found = Vec::new();
    for pair in pairs {
        let pair = pair.list();
        let (i, j) = (pair[0].integer(), pair[1].integer());
        let (other, sign) = match point {
            point if point == i => (j, 1.0),
            point if point == j => (i, -1.0),
            _ => continue,
        };
        let other = Value::Integer(other);
        found.push(match pair.get(2) {
            Some(separation) => {
                let turned = separation.flat().iter().map(|d| d.multiply(&N::of(sign))).collect();
                Value::Tuple(vec![other, Value::Vector(turned)])
            }
            None => other,
        });
    }
    Value::List(found)
}

fn is_self(expression: &Expr) -> bool {
    matches!(expression, Expr::Path(path) if path.path.is_ident("self"))
}

/// A function by its name.
pub(super) fn known(function: &str) -> &'static str {
    names()
        .chain(["gaussian"])
        .find(|name| *name == function)
        .unwrap_or_else(|| panic!("no function {function}"))
}

fn power<N: Number>(base: &N, exponent: f64) -> Value<N> {
    Value::Number(base.apply(Unary::Real(exponent)))
}

fn dot<N: Number>(a: &[N], b: &[N]) -> N {
    a.iter().zip(b).map(|(a, b)| a.multiply(b)).reduce(|a, b| a.add(&b)).unwrap_or_else(|| N::of(0.0))
}

fn entry<N: Number>(base: Value<N>, at: Value<N>) -> Value<N> {
    match base {
        Value::Matrix(entries) => {
            let at = at.list();
            let at = 3 * at[0].integer() + at[1].integer();
            Value::Number(entries[at as usize].clone())
        }
        Value::Vector(numbers) => Value::Number(numbers[at.integer() as usize].clone()),
        other => other.list()[at.integer() as usize].clone(),
    }
}

/// The matrix with these entries on its diagonal.
fn diagonal<N: Number>(entries: &[N]) -> Vec<N> {
    (0..9).map(|k| if k % 4 == 0 { entries[k / 4].clone() } else { N::of(0.0) }).collect()
}

fn transposed<N: Number>(a: &[N]) -> Vec<N> {
    (0..9).map(|k| a[3 * (k % 3) + k / 3].clone()).collect()
}

/// A · B, where B has `columns` columns.
fn product<N: Number>(a: &[N], b: &[N], columns: usize) -> Vec<N> {
    let entry = |row: usize, column: usize| {
        let column: Vec<N> = (0..3).map(|k| b[columns * k + column].clone()).collect();
        dot(&a[3 * row..3 * row + 3], &column)
    };
    (0..3).flat_map(|row| (0..columns).map(move |column| (row, column))).map(|(r, c)| entry(r, c)).collect()
}

/// By Leibniz's formula, term by term.
fn determinant<N: Number>(a: &[N]) -> N {
    let term = |i: usize, j: usize, k: usize| a[i].multiply(&a[3 + j]).multiply(&a[6 + k]);
    let even = term(0, 1, 2).add(&term(1, 2, 0)).add(&term(2, 0, 1));
    even.subtract(&term(0, 2, 1).add(&term(1, 0, 2)).add(&term(2, 1, 0)))
}

/// By Cramer's rule: a determinant for each entry.
fn inverse<N: Number>(a: &[N]) -> Vec<N> {
    let whole = determinant(a);
    let replaced = |row: usize, column: usize| {
        let unit = |k: usize| N::of(if k / 3 == column { 1.0 } else { 0.0 });
        let entries: Vec<N> = (0..9).map(|k| if k % 3 == row { unit(k) } else { a[k].clone() }).collect();
        determinant(&entries)
    };
    (0..9).map(|k| replaced(k / 3, k % 3).divide(&whole)).collect()
}

fn matrix_method<N: Number>(a: &[N], name: &str, arguments: &[Value<N>]) -> Value<N> {
    match (name, arguments) {
        ("transpose", []) => Value::Matrix(transposed(a)),
        ("inverse", []) => Value::Matrix(inverse(a)),
        ("determinant", []) => Value::Number(determinant(a)),
        ("trace", []) => Value::Number(a[0].add(&a[4]).add(&a[8])),
        ("diagonal", []) => Value::Vector(a.iter().step_by(4).cloned().collect()),
        ("norm_squared", []) => Value::Number(dot(a, a)),
        ("norm", []) => Value::Number(dot(a, a).apply(Unary::Named("sqrt"))),
        ("dot", [Value::Matrix(b)]) => Value::Number(dot(a, b)),
        ("row", [Value::Integer(row)]) => {
            let start = 3 * *row as usize;
            Value::Vector(a[start..start + 3].to_vec())
        }
        ("column", [Value::Integer(column)]) => {
            Value::Vector(a.iter().skip(*column as usize).step_by(3).cloned().collect())
        }
        (name, arguments) => panic!("matrix.{name}({arguments:?})"),
    }
}

fn operation<N: Number>(op: &BinOp, left: Value<N>, right: Value<N>) -> Value<N> {
    match (left, right) {
        (Value::Integer(a), Value::Integer(b)) => match op {
            BinOp::Add(_) => Value::Integer(a + b),
            BinOp::Sub(_) => Value::Integer(a - b),
            BinOp::Mul(_) => Value::Integer(a * b),
            BinOp::Rem(_) => Value::Integer(a % b),
            BinOp::Eq(_) => Value::Truth(a == b),
            BinOp::Ne(_) => Value::Truth(a != b),
            BinOp::Lt(_) => Value::Truth(a < b),
            BinOp::Gt(_) => Value::Truth(a > b),
            other => panic!("integers with {other:?}"),
        },
        (Value::Number(a), Value::Number(b)) => match op {
            BinOp::Add(_) => Value::Number(a.add(&b)),
            BinOp::Sub(_) => Value::Number(a.subtract(&b)),
            BinOp::Mul(_) => Value::Number(a.multiply(&b)),
            BinOp::Div(_) => Value::Number(a.divide(&b)),
            BinOp::Lt(_) => Value::Truth(a.real() < b.real()),
            BinOp::Gt(_) => Value::Truth(a.real() > b.real()),
            BinOp::Le(_) => Value::Truth(a.real() <= b.real()),
            BinOp::Ge(_) => Value::Truth(a.real() >= b.real()),
            other => panic!("numbers with {other:?}"),
        },
        (Value::Truth(a), Value::Truth(b)) => Value::Truth(match op {
            BinOp::And(_) => a && b,
            BinOp::Or(_) => a || b,
            other => panic!("truths with {other:?}"),
        }),
        (Value::Vector(a), Value::Vector(b)) => Value::Vector(
            a.iter()
                .zip(&b)
                .map(|(a, b)| match op {
                    BinOp::Add(_) => a.add(b),
                    BinOp::Sub(_) => a.subtract(b),
                    other => panic!("vectors with {other:?}"),
                })
                .collect(),
        ),
        (Value::Vector(vector), Value::Number(scalar)) | (Value::Number(scalar), Value::Vector(vector)) => {
            let factor = if matches!(op, BinOp::Div(_)) { N::of(1.0).divide(&scalar) } else { scalar };
            Value::Vector(vector.iter().map(|component| component.multiply(&factor)).collect())
        }
        (Value::Matrix(a), Value::Matrix(b)) => Value::Matrix(match op {
            BinOp::Add(_) => a.iter().zip(&b).map(|(a, b)| a.add(b)).collect(),
            BinOp::Sub(_) => a.iter().zip(&b).map(|(a, b)| a.subtract(b)).collect(),
            BinOp::Mul(_) => product(&a, &b, 3),
            other => panic!("matrices with {other:?}"),
        }),
        (Value::Matrix(a), Value::Vector(v)) => Value::Vector(product(&a, &v, 1)),
        (Value::Matrix(a), Value::Number(scalar)) | (Value::Number(scalar), Value::Matrix(a)) => {
            let factor = if matches!(op, BinOp::Div(_)) { N::of(1.0).divide(&scalar) } else { scalar };
            Value::Matrix(a.iter().map(|entry| entry.multiply(&factor)).collect())
        }
        (left, right) => panic!("{left:?} {op:?} {right:?}"),
    }
}
