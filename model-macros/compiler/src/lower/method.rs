//! Methods of scalars and vectors.

use super::environment::Environment;
use super::form::Form;
use super::{Lowering, Value};
use crate::error::{self, Obstacle};
use crate::functions::FunctionTable;
use crate::graph::{Function, Graph, NodeId};
use crate::spelling;
use syn::Expr;

/// The methods that jump.
const JUMPS: [&str; 8] =
    ["floor", "ceil", "round", "round_ties_even", "trunc", "fract", "rem_euclid", "copysign"];

/// The methods that choose between smooth branches.
const PIECEWISE: [&str; 5] = ["abs", "min", "max", "signum", "clamp"];

/// The methods of scalars that are neither in [`Function::ALL`] nor in [`PIECEWISE`].
const SCALAR_METHODS: [&str; 15] = [
    "sqrt",
    "recip",
    "powi",
    "powf",
    "atan2",
    "hypot",
    "sin_cos",
    "log10",
    "log2",
    "log",
    "exp2",
    "mul_add",
    "to_radians",
    "to_degrees",
    "clone",
];

/// Methods of Rust's iterators that write sums elsewhere.
const ITERATORS: [&str; 8] = ["map", "sum", "product", "fold", "filter", "flat_map", "for_each", "zip"];

/// The methods of vectors.
const VECTOR_METHODS: [&str; 9] =
    ["dot", "cross", "outer", "norm", "norm_squared", "normalize", "distance", "distance_squared", "clone"];

/// True if scalars have a method of this name.
pub(super) fn is_scalar_method(name: &str) -> bool {
    SCALAR_METHODS.contains(&name) || PIECEWISE.contains(&name) || Function::of_name(name).is_some()
}

/// True if the language knows, or refuses by name, a method of numbers.
fn is_known(name: &str) -> bool {
    is_scalar_method(name) || JUMPS.contains(&name)
}

/// The method of scalars whose name is nearest.
fn like(name: &str) -> Option<&'static str> {
    spelling::nearest(name, Function::spoken().map(Function::name).chain(SCALAR_METHODS).chain(PIECEWISE))
}

/// The largest exponent whose power is differentiated as a product.
const LARGEST_POWER: i32 = 32;

impl Lowering<'_> {
    pub(super) fn method_call(&mut self, call: &syn::ExprMethodCall, environment: &mut Environment) -> Value {
        if crate::ast::is_self(&call.receiver) {
            return self.helper(call, environment);
        }
        if ITERATORS.iter().any(|name| call.method == name) {
            return self.fail(error::iterator_chain(&call.method, &call.method.to_string()));
        }
        let receiver = self.expression(&call.receiver, environment);
        if let Value::Near(near) = &receiver {
            return self.near_method(call, near, environment);
        }
        let arguments = self.values(&call.args, environment);
        if arguments.iter().any(|argument| matches!(argument, Value::Poison)) {
            return Value::Poison;
        }
        match receiver {
            Value::Poison => Value::Poison,
            Value::Vector(components) => self.vector_method(call, components, arguments),
            Value::Matrix(entries) => self.matrix_method(call, entries, arguments),
            Value::Rust(_)
                if VECTOR_METHODS.iter().any(|name| call.method == name) && call.method != "clone" =>
            {
                let shape = match arguments.first() {
                    Some(Value::Vector(components)) if components.len() == 2 => "Vec2",
                    _ => "Vec3",
                };
                self.fail(error::vector_of_parameters(&call.receiver, shape))
            }
            Value::Rust(_) if !is_known(&call.method.to_string()) => self.method_of_a_parameter(call),
            receiver @ (Value::Scalar(_) | Value::Rust(_)) => match self.scalar(receiver, &call.receiver) {
                Some(form) => self.scalar_method(call, form, arguments),
                None => Value::Poison,
            },
            other => {
                let known = is_scalar_method(&call.method.to_string());
                let number = || error::number_method_of(call, other.shape());
                let mistake = if known { number() } else { error::unknown_method(call, other.shape(), None) };
                self.fail(mistake)
            }
        }
    }

    /// A method of a receiver without coordinates, with coordinates in its arguments.
    fn method_of_a_parameter(&mut self, call: &syn::ExprMethodCall) -> Value {
        let (name, receiver) = (call.method.to_string(), crate::parse::text(&call.receiver));
        if receiver.starts_with("self.") {
            return self.fail(error::method_of_a_parameter(&call.method, &name, &receiver, like(&name)));
        }
        self.fail(error::unknown_method(call, "Scalar", like(&name)))
    }

    pub(super) fn arity(&mut self, call: &syn::ExprMethodCall, expected: usize) -> bool {
        if call.args.len() == expected {
            return true;
        }
        let name = call.method.to_string();
        self.errors.push(error::argument_count(call, &name, expected, call.args.len()));
        false
    }

    fn scalar_method(&mut self, call: &syn::ExprMethodCall, form: Form, mut arguments: Vec<Value>) -> Value {
        let name = call.method.to_string();
        if JUMPS.contains(&name.as_str()) {
            return self.fail(error::piecewise(&call.method, &format!("`{name}`")));
        }
        if PIECEWISE.contains(&name.as_str()) {
            return self.piecewise(call, &form, arguments);
        }
        if let Some(function) = Function::of_name(&name) {
            if !self.arity(call, 0) {
                return Value::Poison;
            }
            return self.unary(&form, call, &|graph, node| graph.function(function, node));
        }
        if !SCALAR_METHODS.contains(&name.as_str()) {
            return self.fail(error::unknown_method(call, "Scalar", like(&name)));
        }
        let expected = match name.as_str() {
            "powi" | "powf" | "atan2" | "hypot" | "log" => 1,
            "mul_add" => 2,
            _ => 0,
        };
        if !self.arity(call, expected) {
            return Value::Poison;
        }
        let scaled = |lowering: &mut Self, form: &Form, factor: f64| {
            Value::Scalar(form.linear(&mut lowering.graph, &|graph, node| graph.scale(factor, node)))
        };
        match name.as_str() {
            "clone" => Value::Scalar(form),
            "sqrt" => self.unary(&form, call, &|graph, node| graph.power(node, 1)),
            "recip" => self.unary(&form, call, &|graph, node| graph.power(node, -2)),
            "exp2" => self.unary(&form, call, &|graph, node| {
                let exponent = graph.scale(std::f64::consts::LN_2, node);
                graph.function(Function::Exp, exponent)
            }),
            "log10" => self.logarithm(&form, call, std::f64::consts::LN_10.recip()),
            "log2" => self.logarithm(&form, call, std::f64::consts::LN_2.recip()),
            "to_radians" => scaled(self, &form, std::f64::consts::PI / 180.0),
            "to_degrees" => scaled(self, &form, 180.0 / std::f64::consts::PI),
            "sin_cos" => {
                let sine = self.unary(&form, call, &|graph, node| graph.function(Function::Sin, node));
                let cosine = self.unary(&form, call, &|graph, node| graph.function(Function::Cos, node));
                Value::Tuple(vec![sine, cosine])
            }
            "powi" => self.powi(&form, call, arguments.swap_remove(0)),
            "mul_add" => {
                let (factor, summand) = (arguments.remove(0), arguments.remove(0));
                match (self.scalar(factor, &call.args[0]), self.scalar(summand, &call.args[1])) {
                    (Some(factor), Some(summand)) => {
                        let product = self.multiply(&form, &factor);
                        Value::Scalar(product.add(1.0, &summand, &mut self.graph))
                    }
                    _ => Value::Poison,
                }
            }
            _ => {
                let Some(other) = self.scalar(arguments.swap_remove(0), &call.args[0]) else {
                    return Value::Poison;
                };
                let operation: &dyn Fn(&mut Graph, NodeId, NodeId) -> NodeId = match name.as_str() {
                    "powf" => &powf,
                    "atan2" => &|graph, y, x| graph.atan2(y, x),
                    "log" => &|graph, x, base| {
                        let (above, below) =
                            (graph.function(Function::Ln, x), graph.function(Function::Ln, base));
                        graph.divide(above, below)
                    },
                    _ => &|graph, x, y| {
                        let (x, y) = (graph.power(x, 4), graph.power(y, 4));
                        let sum = graph.add(x, y);
                        graph.power(sum, 1)
                    },
                };
                let both = |graph: &mut Graph, nodes: &[NodeId]| operation(graph, nodes[0], nodes[1]);
                let result = self.nonlinear_of(&[&form, &other], &both);
                self.operated(result, call)
            }
        }
    }

    /// A choice between smooth branches.
    fn piecewise(&mut self, call: &syn::ExprMethodCall, x: &Form, arguments: Vec<Value>) -> Value {
        let name = call.method.to_string();
        let expected = match name.as_str() {
            "min" | "max" => 1,
            "clamp" => 2,
            _ => 0,
        };
        if !self.arity(call, expected) {
            return Value::Poison;
        }
        let mut others = Vec::new();
        for (argument, place) in arguments.into_iter().zip(&call.args) {
            let Some(other) = self.scalar(argument, place) else { return Value::Poison };
            others.push(other);
        }
        let chosen = match (name.as_str(), &others[..]) {
            ("abs", _) => {
                let negative = x.linear(&mut self.graph, &|graph, node| graph.negate(node));
                self.select(x, true, &negative, x)
            }
            ("signum", _) => {
                let [minus, plus] = [-1.0, 1.0].map(|sign| Form::of(self.graph.constant(sign)));
                self.select(x, true, &minus, &plus)
            }
            ("min", [other]) => self.smaller(x, other),
            ("max", [other]) => self.larger(x, other),
            (_, [low, high]) => self.larger(x, low).and_then(|raised| self.smaller(&raised, high)),
            _ => return Value::Poison,
        };
        self.operated(chosen, call)
    }

    fn logarithm(&mut self, form: &Form, call: &syn::ExprMethodCall, factor: f64) -> Value {
        self.unary(form, call, &|graph, node| {
            let natural = graph.function(Function::Ln, node);
            graph.scale(factor, natural)
        })
    }

    pub(super) fn unary(
        &mut self,
        form: &Form,
        call: &syn::ExprMethodCall,
        operation: &dyn Fn(&mut Graph, NodeId) -> NodeId,
    ) -> Value {
        let result = self.nonlinear(form, operation);
        self.operated(result, &call.receiver)
    }

    fn powi(&mut self, form: &Form, call: &syn::ExprMethodCall, exponent: Value) -> Value {
        let place = &call.args[0];
        let Value::Rust(exponent) = exponent else { return self.fail(error::integer_power(place)) };
        if matches!(&exponent, Expr::Lit(literal) if !matches!(literal.lit, syn::Lit::Int(_))) {
            return self.fail(error::integer_power(place));
        }
        match signed_integer(&exponent) {
            // Small powers of sums are products of sums.
            Some(power) if (0..=4).contains(&power) && self.is_product_of_sums(form) => {
                let one = self.graph.constant(1.0);
                let mut product = Form::of(one);
                for _ in 0..power {
                    product = self.multiply(&product, form);
                }
                Value::Scalar(product)
            }
            Some(power) if power.abs() <= LARGEST_POWER => {
                self.unary(form, call, &|graph, node| graph.power(node, 2 * power))
            }
            _ => {
                let number: Expr = syn::parse_quote!(f64::from(#exponent));
                let Some(exponent) = self.coefficient(&number).plain() else { return Value::Poison };
                self.unary(form, call, &|graph, node| graph.powf(node, exponent))
            }
        }
    }

    fn vector_method(
        &mut self,
        call: &syn::ExprMethodCall,
        a: Vec<Form>,
        mut arguments: Vec<Value>,
    ) -> Value {
        let name = call.method.to_string();
        let shape = if a.len() == 2 { "Vec2" } else { "Vec3" };
        if !VECTOR_METHODS.contains(&name.as_str()) && is_scalar_method(&name) {
            return self.fail(error::number_method_of(call, shape));
        }
        if !VECTOR_METHODS.contains(&name.as_str()) {
            let near = spelling::nearest(&name, VECTOR_METHODS);
            return self.fail(error::unknown_method(call, shape, near));
        }
        let binary = matches!(name.as_str(), "dot" | "cross" | "outer" | "distance" | "distance_squared");
        if !self.arity(call, usize::from(binary)) {
            return Value::Poison;
        }
        if binary {
            let b = match arguments.swap_remove(0) {
                Value::Vector(b) if b.len() == a.len() => b,
                Value::Rust(_) => return self.fail(error::vector_of_parameters(&call.args[0], shape)),
                other => return self.fail(error::expected_shape(&call.args[0], shape, other.shape())),
            };
            if name == "outer" {
                if a.len() != 3 {
                    return self.fail(error::unknown_method(call, shape, None));
                }
                let products = (0..9).map(|k| self.multiply(&a[k / 3], &b[k % 3]));
                return Value::Matrix(products.collect());
            }
            if name == "dot" {
                return Value::Scalar(self.dot(&a, &b));
            }
            if name.starts_with("distance") {
                let between: Vec<Form> =
                    a.iter().zip(&b).map(|(a, b)| a.add(-1.0, b, &mut self.graph)).collect();
                let square = self.dot(&between, &between);
                return if name == "distance" {
                    self.unary(&square, call, &|graph, node| graph.power(node, 1))
                } else {
                    Value::Scalar(square)
                };
            }
            let minor = |lowering: &mut Self, i: usize, j: usize| {
                let (plus, minus) = (lowering.multiply(&a[i], &b[j]), lowering.multiply(&a[j], &b[i]));
                plus.add(-1.0, &minus, &mut lowering.graph)
            };
            return if a.len() == 2 {
                Value::Scalar(minor(self, 0, 1))
            } else {
                Value::Vector(vec![minor(self, 1, 2), minor(self, 2, 0), minor(self, 0, 1)])
            };
        }
        let square = self.dot(&a, &a);
        match name.as_str() {
            "clone" => Value::Vector(a),
            "norm_squared" => Value::Scalar(square),
            "norm" => self.unary(&square, call, &|graph, node| graph.power(node, 1)),
            _ => {
                let reciprocal = self.unary(&square, call, &|graph, node| graph.power(node, -1));
                self.scaled(&a, reciprocal)
            }
        }
    }

    /// The components times a number.
    pub(super) fn scaled(&mut self, components: &[Form], factor: Value) -> Value {
        let Value::Scalar(factor) = factor else { return Value::Poison };
        Value::of_components(components.iter().map(|form| self.multiply(form, &factor)).collect())
    }

    /// The larger of both; of equal values, `x`.
    fn larger(&mut self, x: &Form, other: &Form) -> Result<Form, Obstacle> {
        let gap = x.add(-1.0, other, &mut self.graph);
        self.select(&gap, true, other, x)
    }

    /// The smaller of both; of equal values, `x`.
    fn smaller(&mut self, x: &Form, other: &Form) -> Result<Form, Obstacle> {
        let gap = other.add(-1.0, x, &mut self.graph);
        self.select(&gap, true, other, x)
    }

    pub(super) fn dot(&mut self, a: &[Form], b: &[Form]) -> Form {
        let mut sum = Form::of(self.graph.zero());
        for (a, b) in a.iter().zip(b) {
            let product = self.multiply(a, b);
            sum = sum.add(1.0, &product, &mut self.graph);
        }
        sum
    }
}

/// x^y; through the logarithm if the exponent varies.
fn powf(graph: &mut Graph, x: NodeId, y: NodeId) -> NodeId {
    if graph.mentions(y, crate::graph::is_variable) {
        let logarithm = graph.function(Function::Ln, x);
        let exponent = graph.multiply(y, logarithm);
        return graph.function(Function::Exp, exponent);
    }
    graph.powf(x, y)
}

/// The value of an integer literal, perhaps negated.
pub(crate) fn signed_integer(expression: &Expr) -> Option<i32> {
    match crate::parse::bare(expression) {
        Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => {
            signed_integer(expr).map(|value| -value)
        }
        Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}
