//! Expressions, statements and patterns.

use super::environment::{Binding, Environment};
use super::form::Form;
use super::value::Condition;
use super::{Lowering, Value, names};
use crate::error;
use crate::graph::{Graph, Leaf, is_time};
use crate::limits::{DEEPEST, MOST_TERMS};
use crate::sensitive;
use crate::spelling;
use crate::walk::{Outermost, each, inside_mut};
use quote::ToTokens;
use std::rc::Rc;
use syn::visit::Visit;
use syn::{BinOp, Block, Expr, Local, Pat, Stmt, Type, UnOp};

/// The largest depth of inlined calls.
const DEEPEST_CALL: usize = 64;

/// The largest depth of evaluations of expressions, inlined calls included.
const DEEPEST_EVALUATION: usize = 2 * DEEPEST;

/// The work of an expression of the source besides its value, in [`Budget`](crate::limits::Budget).
const EXPRESSION: usize = 20;

impl Lowering<'_> {
    /// The value of a block with names of its own.
    pub(super) fn block(&mut self, block: &Block, environment: &mut Environment) -> Value {
        let Some((last, before)) = block.stmts.split_last() else {
            return self.fail(error::missing_value(block));
        };
        for statement in before {
            match statement {
                Stmt::Local(local) => self.local(local, environment),
                other => self.errors.push(match returns(other) {
                    Some(place) => error::returned(place),
                    None => error::statement(other),
                }),
            }
        }
        match last {
            Stmt::Expr(expression, None) => self.expression(expression, environment),
            Stmt::Expr(expression @ Expr::Return(_), Some(_)) => self.expression(expression, environment),
            Stmt::Expr(expression, Some(semicolon)) => {
                self.expression(expression, environment);
                self.fail(error::last_semicolon(semicolon))
            }
            other => {
                if let Stmt::Local(local) = other {
                    self.local(local, environment);
                }
                self.fail(error::missing_value(other))
            }
        }
    }

    fn local(&mut self, local: &Local, environment: &mut Environment) {
        let Some(init) = local.init.as_ref().filter(|init| init.diverge.is_none()) else {
            self.errors.push(error::statement(local));
            return;
        };
        let (pattern, ty) = crate::parse::untyped(&local.pat);
        if let (Expr::Closure(closure), Pat::Ident(name)) = (&*init.expr, pattern) {
            let rust = self.rust(&init.expr, environment).map(|value| {
                let fresh = self.variables.fresh(&name.ident);
                self.variables.push(syn::parse_quote!(#fresh), value);
                fresh
            });
            let (closure, seen) = (Rc::new(closure.clone()), Rc::new(environment.clone()));
            let binding = Binding::Closure { closure, environment: seen, rust };
            environment.bind(&name.ident, binding);
            return;
        }
        let value = self.expression(&init.expr, environment);
        if let Pat::Ident(name) = pattern {
            self.name_sums(&value, &name.ident);
        }
        self.bind(pattern, ty, value, environment, &init.expr);
    }

    /// Binds a pattern to a value.
    pub(super) fn bind(
        &mut self,
        pattern: &Pat,
        ty: Option<&Type>,
        value: Value,
        environment: &mut Environment,
        place: &dyn ToTokens,
    ) {
        if let Some(expected) = ty.and_then(entry_name) {
            let found = value.shape();
            if found != expected && found != "?" {
                self.errors.push(error::expected_shape(place.to_token_stream(), expected, found));
                return self.bind(pattern, None, Value::Poison, environment, place);
            }
        }
        match (pattern, value) {
            (Pat::Wild(_), _) => {}
            (Pat::Paren(inner), value) => self.bind(&inner.pat, ty, value, environment, place),
            (Pat::Ident(name), Value::Rust(expression)) if ty.and_then(entry_name).is_some() => {
                let number = Value::Scalar(self.coefficient(&expression));
                environment.bind(&name.ident, Binding::Value(number));
            }
            (pattern, Value::Rust(expression)) => {
                let fresh = environment.bind_pattern(pattern, &mut self.variables);
                let fresh = match ty {
                    Some(ty) => Pat::Type(syn::PatType {
                        attrs: Vec::new(),
                        pat: Box::new(fresh),
                        colon_token: syn::token::Colon::default(),
                        ty: Box::new(ty.clone()),
                    }),
                    None => fresh,
                };
                self.variables.push(fresh, expression);
            }
            (Pat::Ident(name), value) if name.subpat.is_none() => {
                environment.bind(&name.ident, Binding::Value(value));
            }
            (Pat::Tuple(patterns), Value::Tuple(values)) if patterns.elems.len() == values.len() => {
                for (pattern, value) in patterns.elems.iter().zip(values) {
                    self.bind(pattern, None, value, environment, place);
                }
            }
            (pattern, Value::Poison) => {
                for name in names::bound_by(pattern) {
                    environment.bind(&name, Binding::Value(Value::Poison));
                }
            }
            (pattern, value) => {
                let first = names::bound_by(pattern).first().map(ToString::to_string);
                let text = crate::parse::text(&place.to_token_stream());
                self.errors.push(match value.shape() {
                    "array" => {
                        error::pattern_of_an_array(pattern, first.as_deref().unwrap_or("first"), &text)
                    }
                    shape @ ("Vec2" | "Vec3") => error::pattern(
                        pattern,
                        shape,
                        "bind the vector to a name, and write its components as `.x`, `.y`",
                    ),
                    shape => error::pattern(pattern, shape, "bind the value to a plain name"),
                });
                self.bind(pattern, None, Value::Poison, environment, place);
            }
        }
    }

    /// An expression without coordinates as passed-through Rust, with the variables' own names.
    pub(super) fn rust(&mut self, expression: &Expr, environment: &Environment) -> Option<Expr> {
        let mut image = expression.clone();
        Lengths { lowering: self, environment }.replace(&mut image);
        if !self.as_taken && sensitive::reads(expression, self.declaration) {
            return None;
        }
        if self.has_words(&image) {
            return None;
        }
        let mut free = true;
        let mut unknown = Vec::new();
        names::visit_free(&mut image, &mut |name| match environment.get(name) {
            Some(Binding::Rust(fresh) | Binding::Closure { rust: Some(fresh), .. }) => {
                let span = name.span();
                *name = fresh.clone();
                name.set_span(span);
            }
            Some(Binding::Value(_) | Binding::Closure { rust: None, .. } | Binding::Unknown) => free = false,
            None => unknown.push(name.clone()),
        });
        let variables = names::variables(expression);
        for name in unknown.iter().filter(|name| variables.contains(name)) {
            self.check_unknown(name, environment);
        }
        free.then_some(image)
    }

    /// True for words of the language, with coordinates or without; the value of 1 / 2 is a mistake.
    fn has_words(&mut self, expression: &Expr) -> bool {
        let mut found = false;
        let mut note = |part: &Expr| match part {
            Expr::Binary(binary) => {
                if let (BinOp::Div(_), Some(left), Some(right)) =
                    (&binary.op, super::integer(&binary.left), super::integer(&binary.right))
                    && let (Ok(above), Ok(below)) = (left.parse::<i64>(), right.parse::<i64>())
                    && below != 0
                    && above % below != 0
                {
                    let quotient = error::integer_quotient(&left, &right);
                    self.errors.push(error::integer_division(binary, &left, &right, &quotient));
                }
            }
            Expr::Call(call) => {
                let is_word = |name| matches!(&*call.func, Expr::Path(path) if path.path.is_ident(name));
                found |= super::call::WORDS.iter().any(is_word) || self.associated(&call.func).is_some();
            }
            Expr::MethodCall(call) if crate::ast::is_self(&call.receiver) => {
                found |= self.declaration.helpers.iter().any(|helper| helper.name == call.method);
            }
            Expr::Path(path) => {
                let owner = path.path.segments.iter().rev().nth(1).map(|owner| &owner.ident);
                let is = |name| owner.is_some_and(|owner| owner == name);
                found |= ["Scalar", "Vec2", "Vec3", "Mat3"].into_iter().any(is);
            }
            _ => {}
        };
        each(expression, &mut note);
        found
    }

    /// An unbound name is left to Rust, unless it looks like a misspelt coordinate.
    fn check_unknown(&mut self, name: &syn::Ident, environment: &Environment) {
        let text = name.to_string();
        if let Some(coordinate) = self.declaration.velocity_of(&text) {
            let coordinate = coordinate.to_string();
            self.errors.push(error::velocity_name(name, &text, &coordinate));
            return;
        }
        if let Some(help) = spelling::elsewhere("value", &text, "", "") {
            self.errors.push(error::unknown_name(name, &text, &help));
            return;
        }
        if text == "self" || text.len() < 3 || text.chars().next().is_some_and(char::is_uppercase) {
            return;
        }
        let coordinates = self.declaration.coordinates.iter().map(|coordinate| coordinate.name.to_string());
        let candidates: Vec<String> = coordinates.chain(environment.names().map(str::to_owned)).collect();
        if let Some(near) = spelling::nearest(&text, candidates.iter().map(String::as_str)) {
            self.errors.push(error::unknown_name(name, &text, &format!("did you mean `{near}`?")));
        }
    }

    /// The value of an expression, which is noted.
    pub(super) fn expression(&mut self, expression: &Expr, environment: &mut Environment) -> Value {
        if !self.graph.spend(EXPRESSION) {
            return self.exhausted(expression);
        }
        if self.nesting >= DEEPEST_EVALUATION {
            return self.fail(error::too_deep(expression));
        }
        self.nesting += 1;
        let value = self.evaluated(expression, environment);
        self.nesting -= 1;
        let value = self.within_limits(value, expression);
        match &value {
            Value::Scalar(form) => self.written.note(expression, std::slice::from_ref(form)),
            Value::Vector(forms) => self.written.note(expression, forms),
            _ => {}
        }
        value
    }

    /// The value, if it is small and shallow enough to compile.
    fn within_limits(&mut self, value: Value, place: &Expr) -> Value {
        if self.graph.is_exhausted() {
            return self.exhausted(place);
        }
        if let Value::Scalar(form) = &value
            && let Some(node) = form.plain()
        {
            self.sources.note(place, node);
        }
        let (mut terms, mut depth) = (0, 0);
        value.each_form(&mut |form| {
            let (own, deepest) = form.size(&self.graph);
            (terms, depth) = (terms.max(own), depth.max(deepest));
        });
        if depth as usize > DEEPEST {
            return self.fail(error::too_deep_formula(place));
        }
        if terms > MOST_TERMS {
            return self.fail(error::too_many_terms(place, "this expression", terms));
        }
        value
    }

    /// No value: the work is used up. Only the first place is a mistake.
    fn exhausted(&mut self, place: &Expr) -> Value {
        if !self.is_exhausted {
            self.is_exhausted = true;
            self.errors.push(error::exhausted(place));
        }
        Value::Poison
    }

    fn evaluated(&mut self, expression: &Expr, environment: &mut Environment) -> Value {
        if let Some(rust) = self.rust(expression, environment) {
            return Value::Rust(rust);
        }
        match expression {
            Expr::Paren(inner) => self.expression(&inner.expr, environment),
            Expr::Group(inner) => self.expression(&inner.expr, environment),
            Expr::Reference(inner) => self.expression(&inner.expr, environment),
            Expr::Block(block) if block.label.is_none() => self.block(&block.block, &mut environment.clone()),
            Expr::Path(path) => self.path(path, environment),
            Expr::Unary(unary) => {
                let value = self.expression(&unary.expr, environment);
                match unary.op {
                    UnOp::Neg(_) => self.negate(value, expression),
                    UnOp::Not(_) => match value {
                        Value::Poison => Value::Poison,
                        Value::Truth(condition) => Value::Truth(Condition::Not(Box::new(condition))),
                        _ => self.fail(error::coordinate_in_rust(expression)),
                    },
                    UnOp::Deref(_) => value,
                    _ => self.fail(error::coordinate_in_rust(expression)),
                }
            }
            Expr::Binary(binary) => self.binary(binary, environment),
            Expr::If(branch) => self.branch(branch, environment),
            Expr::Match(choice) => self.choice(choice, environment),
            Expr::Index(index) => self.index(index, environment),
            Expr::Field(field) => self.field(field, environment),
            Expr::Call(call) => self.call(call, environment),
            Expr::MethodCall(call) => self.method_call(call, environment),
            Expr::Array(array) => Value::List(self.values(&array.elems, environment)),
            Expr::Tuple(tuple) => Value::Tuple(self.values(&tuple.elems, environment)),
            Expr::Return(place) => self.fail(error::returned(place.return_token)),
            other => self.fail(error::coordinate_in_rust(other)),
        }
    }

    /// The values of some expressions.
    pub(super) fn values<'e>(
        &mut self,
        expressions: impl IntoIterator<Item = &'e Expr>,
        environment: &mut Environment,
    ) -> Vec<Value> {
        expressions.into_iter().map(|expression| self.expression(expression, environment)).collect()
    }

    fn path(&mut self, path: &syn::ExprPath, environment: &Environment) -> Value {
        let segments: Vec<String> =
            path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        match segments[..] {
            [.., "Vec2", "ZERO"] => self.zeros(2),
            [.., "Vec3", "ZERO"] => self.zeros(3),
            [.., "Mat3", "ZERO"] => self.zeros(9),
            [.., "Mat3", "IDENTITY"] => self.identity(),
            [.., "Scalar", "ZERO"] => Value::Scalar(Form::of(self.graph.zero())),
            [name] => match environment.get(&path.path.segments[0].ident) {
                Some(Binding::Value(value)) => value.clone(),
                Some(Binding::Unknown) => self.fail(error::coordinate_not_taken(path, name)),
                Some(Binding::Rust(fresh)) => Value::Rust(syn::parse_quote!(#fresh)),
                Some(Binding::Closure { .. }) | None => self.fail(error::coordinate_in_rust(path)),
            },
            _ => self.fail(error::coordinate_in_rust(path)),
        }
    }

    fn zeros(&mut self, components: usize) -> Value {
        let zero = self.graph.zero();
        Value::of_components(vec![Form::of(zero); components])
    }

    fn negate(&mut self, value: Value, place: &Expr) -> Value {
        let negate = |graph: &mut Graph, form: &Form| form.linear(graph, &|graph, node| graph.negate(node));
        match value {
            Value::Poison => Value::Poison,
            Value::Vector(components) | Value::Matrix(components) => {
                Value::of_components(components.iter().map(|form| negate(&mut self.graph, form)).collect())
            }
            other => self
                .scalar(other, place)
                .map_or(Value::Poison, |form| Value::Scalar(negate(&mut self.graph, &form))),
        }
    }

    fn binary(&mut self, binary: &syn::ExprBinary, environment: &mut Environment) -> Value {
        if matches!(binary.op, BinOp::BitXor(_)) {
            self.operands(&binary.left, environment);
            self.operands(&binary.right, environment);
            return self.fail(error::caret(binary.op));
        }
        if let Some(star) = super::double_star(binary) {
            return self.fail(error::double_star(star));
        }
        let left = self.expression(&binary.left, environment);
        let right = self.expression(&binary.right, environment);
        match (left, right) {
            (Value::Poison, Value::Rust(other)) | (Value::Rust(other), Value::Poison) => {
                self.check_arithmetic(&other);
                Value::Poison
            }
            (Value::Poison, _) | (_, Value::Poison) => Value::Poison,
            (left, right) => self.operation(binary, left, right),
        }
    }

    /// Evaluates the operands of arithmetic that `^` has torn apart, for their own mistakes.
    fn operands(&mut self, expression: &Expr, environment: &mut Environment) {
        match expression {
            Expr::Binary(binary) if !is_comparison(&binary.op) => {
                if matches!(binary.op, BinOp::BitXor(_)) {
                    self.errors.push(error::caret(binary.op));
                }
                self.operands(&binary.left, environment);
                self.operands(&binary.right, environment);
            }
            other => {
                self.expression(other, environment);
            }
        }
    }

    fn operation(&mut self, binary: &syn::ExprBinary, left: Value, right: Value) -> Value {
        match binary.op {
            BinOp::Add(_) => self.sum_of(left, 1.0, right, "add", binary),
            BinOp::Sub(_) => self.sum_of(left, -1.0, right, "subtract", binary),
            BinOp::Mul(_) => self.product_of(left, right, binary),
            BinOp::Div(_) => self.quotient_of(left, right, binary),
            BinOp::Eq(_) | BinOp::Ne(_) if self.in_constraint() => {
                self.fail(error::comparison_in_constraint(binary))
            }
            BinOp::Eq(_) | BinOp::Ne(_) => self.fail(error::equality_condition(binary)),
            operator if is_comparison(&operator) => self.comparison(binary, left, right),
            BinOp::And(_) | BinOp::Or(_) => self.both_or_either(binary, left, right),
            BinOp::Rem(_) => self.fail(error::piecewise(binary.op, "`%`")),
            _ => self.fail(error::coordinate_in_rust(binary)),
        }
    }

    fn sum_of(
        &mut self,
        left: Value,
        factor: f64,
        right: Value,
        verb: &str,
        place: &syn::ExprBinary,
    ) -> Value {
        match (left, right) {
            (Value::Vector(a), Value::Vector(b)) | (Value::Matrix(a), Value::Matrix(b))
                if a.len() == b.len() =>
            {
                let sums = a.iter().zip(&b).map(|(a, b)| a.add(factor, b, &mut self.graph));
                Value::of_components(sums.collect())
            }
            (left @ (Value::Scalar(_) | Value::Rust(_)), right @ (Value::Scalar(_) | Value::Rust(_))) => {
                let Some([a, b]) = self.both(left, right, place) else { return Value::Poison };
                Value::Scalar(a.add(factor, &b, &mut self.graph))
            }
            (vector @ Value::Vector(_), Value::Rust(_)) => self.no_vector(vector.shape(), &place.right),
            (Value::Rust(_), vector @ Value::Vector(_)) => self.no_vector(vector.shape(), &place.left),
            (left, right) => self.fail(error::shape_mismatch(place, verb, left.shape(), right.shape())),
        }
    }

    /// Both sides as numbers.
    pub(super) fn both(&mut self, left: Value, right: Value, place: &syn::ExprBinary) -> Option<[Form; 2]> {
        let (left, right) = (self.scalar(left, &place.left), self.scalar(right, &place.right));
        Some([left?, right?])
    }

    /// Refuses a coordinate-free operand in place of a vector; a literal is a number in any case.
    fn no_vector(&mut self, shape: &str, place: &Expr) -> Value {
        match place {
            Expr::Lit(_) => self.fail(error::expected_shape(place, shape, "Scalar")),
            _ => self.fail(error::vector_of_parameters(place, shape)),
        }
    }

    fn product_of(&mut self, left: Value, right: Value, place: &syn::ExprBinary) -> Value {
        match (left, right) {
            (
                Value::Vector(components) | Value::Matrix(components),
                scalar @ (Value::Scalar(_) | Value::Rust(_)),
            )
            | (
                scalar @ (Value::Scalar(_) | Value::Rust(_)),
                Value::Vector(components) | Value::Matrix(components),
            ) => {
                let Some(factor) = self.scalar(scalar, place) else { return Value::Poison };
                Value::of_components(components.iter().map(|form| self.multiply(&factor, form)).collect())
            }
            (Value::Matrix(a), Value::Matrix(b)) => Value::Matrix(self.matrix_product(&a, &b, 3)),
            (Value::Matrix(a), Value::Vector(b)) if b.len() == 3 => {
                Value::Vector(self.matrix_product(&a, &b, 1))
            }
            (left @ (Value::Scalar(_) | Value::Rust(_)), right @ (Value::Scalar(_) | Value::Rust(_))) => {
                let Some([a, b]) = self.both(left, right, place) else { return Value::Poison };
                Value::Scalar(self.multiply(&a, &b))
            }
            (left, right) => self.fail(error::shape_mismatch(place, "multiply", left.shape(), right.shape())),
        }
    }

    fn quotient_of(&mut self, left: Value, right: Value, place: &syn::ExprBinary) -> Value {
        if !matches!(right, Value::Scalar(_) | Value::Rust(_)) {
            return self.fail(error::shape_mismatch(place, "divide", left.shape(), right.shape()));
        }
        let Some(divisor) = self.scalar(right, &place.right) else { return Value::Poison };
        let reciprocal = match self.nonlinear(&divisor, &|graph, node| graph.power(node, -2)) {
            Ok(reciprocal) => reciprocal,
            Err(what) => return self.fail(error::nonlinear_sum(&place.right, what)),
        };
        match left {
            Value::Vector(components) | Value::Matrix(components) => {
                Value::of_components(components.iter().map(|form| self.multiply(form, &reciprocal)).collect())
            }
            left @ (Value::Scalar(_) | Value::Rust(_)) => {
                let Some(form) = self.scalar(left, &place.left) else { return Value::Poison };
                Value::Scalar(self.multiply(&form, &reciprocal))
            }
            other => self.fail(error::shape_mismatch(place, "divide", other.shape(), "Scalar")),
        }
    }

    fn index(&mut self, index: &syn::ExprIndex, environment: &mut Environment) -> Value {
        let base = self.expression(&index.expr, environment);
        match base {
            Value::Poison => Value::Poison,
            Value::Rust(_) if self.rust(&index.index, environment).is_none() => {
                self.refuse(&index.index, environment, error::coordinate_in_index)
            }
            Value::Coordinates { coordinate, mut indices } => match self.rust(&index.index, environment) {
                Some(at) => {
                    indices.push(at);
                    self.read(coordinate, indices)
                }
                None => self.refuse(&index.index, environment, error::coordinate_in_index),
            },
            Value::Each(repeat, body) => match self.rust(&index.index, environment) {
                Some(at) => self.fresh_each(&repeat, &body, Some(&at)).1,
                None => self.refuse(&index.index, environment, error::coordinate_in_index),
            },
            Value::List(mut values) | Value::Tuple(mut values) => match super::literal_index(&index.index) {
                Some(at) if at < values.len() => values.swap_remove(at),
                _ => self.fail(error::literal_index(&index.index, "array", values.len())),
            },
            Value::Vector(mut forms) => match super::literal_index(&index.index) {
                Some(at) if at < forms.len() => Value::Scalar(forms.swap_remove(at)),
                _ => {
                    let (length, shape) = (forms.len(), Value::Vector(forms).shape());
                    self.fail(error::literal_index(&index.index, shape, length))
                }
            },
            Value::Matrix(mut forms) => {
                let at = match &*index.index {
                    Expr::Tuple(tuple) if tuple.elems.len() == 2 => {
                        let [row, column] = [0, 1].map(|k| super::literal_index(&tuple.elems[k]));
                        row.zip(column).filter(|(row, column)| *row < 3 && *column < 3)
                    }
                    _ => None,
                };
                match at {
                    Some((row, column)) => Value::Scalar(forms.swap_remove(3 * row + column)),
                    None => self.fail(error::matrix_index(&index.index)),
                }
            }
            other => self.fail(error::not_an_array(&index.expr, other.shape())),
        }
    }

    fn field(&mut self, field: &syn::ExprField, environment: &mut Environment) -> Value {
        if let Some(coordinate) = sensitive::parameter(field, self.declaration) {
            return self.read(coordinate, Vec::new());
        }
        let base = self.expression(&field.base, environment);
        let name = field.member.to_token_stream().to_string();
        match base {
            Value::Poison => Value::Poison,
            Value::Vector(mut forms) => {
                match ["x", "y", "z"].iter().position(|component| *component == name) {
                    Some(at) if at < forms.len() => Value::Scalar(forms.swap_remove(at)),
                    _ => {
                        let shape = Value::Vector(forms).shape();
                        self.fail(error::unknown_field(&field.member, &name, shape))
                    }
                }
            }
            Value::Tuple(mut values) => match name.parse::<usize>() {
                Ok(at) if at < values.len() => values.swap_remove(at),
                _ => self.fail(error::unknown_field(&field.member, &name, "tuple")),
            },
            other => self.fail(error::unknown_field(&field.member, &name, other.shape())),
        }
    }

    /// Refuses an expression that depends on coordinates, unless these were a mistake already.
    pub(super) fn refuse<'e>(
        &mut self,
        expression: &'e Expr,
        environment: &Environment,
        mistake: fn(&'e Expr) -> syn::Error,
    ) -> Value {
        let poisoned = names::any_free(expression, |name| {
            matches!(environment.get(name), Some(Binding::Value(Value::Poison)))
        });
        if poisoned {
            return Value::Poison;
        }
        let moves = |name: &syn::Ident, moving: fn(Leaf) -> bool| match environment.get(name) {
            Some(Binding::Value(Value::Scalar(form))) => self.mentions(form, moving),
            Some(Binding::Value(_)) => moving(Leaf::Position { gather: 0, component: 0 }),
            _ => false,
        };
        let in_time = names::any_free(expression, |name| moves(name, is_time));
        let in_space = names::any_free(expression, |name| {
            moves(name, |leaf| matches!(leaf, Leaf::Position { .. } | Leaf::Velocity { .. }))
        });
        if in_time && !in_space {
            return self.fail(error::time_in_index(expression));
        }
        if self.declaration.parametric {
            return self.fail(error::counting_value(
                expression,
                &crate::parse::text(expression).replace(" .. ", ".."),
            ));
        }
        self.fail(mistake(expression))
    }

    /// Runs `inside` one call deeper, unless the calls are too deep to end.
    pub(super) fn deeper(&mut self, place: &dyn ToTokens, inside: impl FnOnce(&mut Self) -> Value) -> Value {
        if self.depth >= DEEPEST_CALL {
            return self.fail(error::recursion(place.to_token_stream()));
        }
        self.depth += 1;
        let value = inside(self);
        self.depth -= 1;
        value
    }
}

/// The first `return` of a statement.
fn returns(statement: &Stmt) -> Option<syn::Token![return]> {
    let mut found = None;
    let mut note = |expression: &Expr| {
        if let Expr::Return(place) = expression {
            found.get_or_insert(place.return_token);
        }
    };
    Outermost(&mut |expression| each(expression, &mut note)).visit_stmt(statement);
    found
}

fn is_comparison(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) | BinOp::Eq(_) | BinOp::Ne(_)
    )
}

/// The name of a scalar or vector type of the language; an angle is a scalar.
pub(super) fn entry_name(ty: &Type) -> Option<&'static str> {
    let Type::Path(path) = ty else { return None };
    ["Scalar", "Angle", "Vec2", "Vec3", "Mat3", "Time", "Phase", "Input"]
        .into_iter()
        .find(|name| path.path.is_ident(name))
        .map(|name| if matches!(name, "Angle" | "Time" | "Phase" | "Input") { "Scalar" } else { name })
}

/// Replaces `bobs.len()` by the declared length.
struct Lengths<'l, 'a, 'e> {
    lowering: &'l Lowering<'a>,
    environment: &'e Environment,
}

impl Lengths<'_, '_, '_> {
    fn replace(&self, expression: &mut Expr) {
        if let Expr::MethodCall(call) = expression
            && call.method == "len"
            && call.args.is_empty()
            && let Some((coordinate, depth)) = self.indexed(&call.receiver)
            && let Some(length) = self.lowering.declaration.coordinates[coordinate].lengths.get(depth)
        {
            *expression = syn::parse_quote!((#length));
            return;
        }
        inside_mut(expression, &mut |inner| self.replace(inner));
    }

    /// The coordinate array that an expression names, and the number of its indices.
    fn indexed(&self, expression: &Expr) -> Option<(usize, usize)> {
        match expression {
            Expr::Index(index) => {
                self.indexed(&index.expr).map(|(coordinate, depth)| (coordinate, depth + 1))
            }
            Expr::Path(path) => match self.environment.get(path.path.get_ident()?) {
                Some(Binding::Value(Value::Coordinates { coordinate, indices })) => {
                    Some((*coordinate, indices.len()))
                }
                _ => None,
            },
            _ => None,
        }
    }
}
