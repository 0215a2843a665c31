//! Matrices: their constructors and their methods.

use super::environment::Environment;
use super::form::Form;
use super::{Lowering, Value};
use crate::error;
use crate::spelling;
use syn::Expr;

/// The methods of matrices.
const MATRIX_METHODS: [&str; 11] = [
    "transpose",
    "trace",
    "determinant",
    "inverse",
    "norm",
    "norm_squared",
    "dot",
    "row",
    "column",
    "diagonal",
    "clone",
];

/// The functions that make a matrix of vectors.
const CONSTRUCTORS: [&str; 3] = ["from_columns", "from_rows", "from_diagonal"];

impl Lowering<'_> {
    /// The unit matrix.
    pub(super) fn identity(&mut self) -> Value {
        let (zero, one) = (self.graph.zero(), self.graph.constant(1.0));
        Value::Matrix((0..9).map(|k| Form::of(if k % 4 == 0 { one } else { zero })).collect())
    }

    /// `mat3(a)` of a coordinate-free array of rows, or of a value whose columns `a` gives.
    pub(super) fn matrix(&mut self, call: &syn::ExprCall, environment: &mut Environment) -> Value {
        let Some([argument]) = self.arguments(call, "mat3") else { return Value::Poison };
        if let Some(rust) = self.rust(argument, environment) {
            let entries = (0..9_usize).map(|k| {
                let [row, column] = [k / 3, k % 3].map(proc_macro2::Literal::usize_unsuffixed);
                let entry =
                    syn::parse_quote!(::least_action::emitted::v1::Entries3x3(#rust).rows()[#row][#column]);
                self.coefficient(&entry)
            });
            return Value::Matrix(entries.collect());
        }
        match self.expression(argument, environment) {
            Value::Poison => Value::Poison,
            _ => self.fail(error::matrix_of_coordinates(argument)),
        }
    }

    /// `Mat3::from_columns([a, b, c])` and other constructors; `None` for other functions.
    pub(super) fn matrix_constructor(
        &mut self,
        call: &syn::ExprCall,
        environment: &mut Environment,
    ) -> Option<Value> {
        let Expr::Path(path) = &*call.func else { return None };
        let segments: Vec<String> =
            path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let [.., owner, name] = &segments[..] else { return None };
        if owner != "Mat3" {
            return None;
        }
        if !CONSTRUCTORS.contains(&name.as_str()) {
            let near = spelling::nearest(name, CONSTRUCTORS);
            return Some(self.fail(error::unknown_function(&call.func, &format!("Mat3::{name}"), near)));
        }
        let Some([argument]) = self.arguments(call, name) else { return Some(Value::Poison) };
        let value = self.expression(argument, environment);
        Some(match (name.as_str(), value) {
            (_, Value::Poison) => Value::Poison,
            ("from_diagonal", Value::Vector(diagonal)) if diagonal.len() == 3 => {
                let zero = Form::of(self.graph.zero());
                Value::Matrix(
                    (0..9).map(|k| if k % 4 == 0 { diagonal[k / 4].clone() } else { zero.clone() }).collect(),
                )
            }
            ("from_diagonal", other) => self.fail(error::expected_shape(argument, "Vec3", other.shape())),
            (name, Value::List(vectors)) if vectors.len() == 3 => {
                let mut rows = Vec::new();
                for vector in vectors {
                    match vector {
                        Value::Vector(forms) if forms.len() == 3 => rows.extend(forms),
                        Value::Poison => return Some(Value::Poison),
                        other => {
                            return Some(self.fail(error::expected_shape(argument, "Vec3", other.shape())));
                        }
                    }
                }
                Value::Matrix(if name == "from_rows" { rows } else { transposed(&rows) })
            }
            (_, other) => self.fail(error::expected_shape(argument, "array of three `Vec3`", other.shape())),
        })
    }

    /// A · B, where B has `columns` columns.
    pub(super) fn matrix_product(&mut self, a: &[Form], b: &[Form], columns: usize) -> Vec<Form> {
        let mut product = Vec::with_capacity(3 * columns);
        for row in 0..3 {
            for column in 0..columns {
                let column: Vec<Form> = (0..3).map(|k| b[columns * k + column].clone()).collect();
                product.push(self.dot(&a[3 * row..3 * row + 3], &column));
            }
        }
        product
    }

    /// The determinant and the matrix of cofactors.
    fn cofactors(&mut self, a: &[Form]) -> (Form, Vec<Form>) {
        let mut cofactors = Vec::with_capacity(9);
        for row in 0..3 {
            for column in 0..3 {
                let at = |i: usize, j: usize| &a[3 * ((row + i) % 3) + (column + j) % 3];
                let plus = self.multiply(at(1, 1), at(2, 2));
                let minus = self.multiply(at(1, 2), at(2, 1));
                cofactors.push(plus.add(-1.0, &minus, &mut self.graph));
            }
        }
        (self.dot(&a[..3], &cofactors[..3]), cofactors)
    }

    pub(super) fn matrix_method(
        &mut self,
        call: &syn::ExprMethodCall,
        a: Vec<Form>,
        mut arguments: Vec<Value>,
    ) -> Value {
        let name = call.method.to_string();
        if !MATRIX_METHODS.contains(&name.as_str()) {
            let near = spelling::nearest(&name, MATRIX_METHODS);
            return self.fail(error::unknown_method(call, "Mat3", near));
        }
        let expected = usize::from(matches!(name.as_str(), "dot" | "row" | "column"));
        if !self.arity(call, expected) {
            return Value::Poison;
        }
        match name.as_str() {
            "clone" => Value::Matrix(a),
            "transpose" => Value::Matrix(transposed(&a)),
            "diagonal" => Value::Vector(a.into_iter().step_by(4).collect()),
            "trace" => {
                let sum = a[0].add(1.0, &a[4], &mut self.graph);
                Value::Scalar(sum.add(1.0, &a[8], &mut self.graph))
            }
            "determinant" => Value::Scalar(self.cofactors(&a).0),
            "inverse" => {
                let (determinant, cofactors) = self.cofactors(&a);
                let reciprocal = self.unary(&determinant, call, &|graph, node| graph.power(node, -2));
                self.scaled(&transposed(&cofactors), reciprocal)
            }
            "norm_squared" => Value::Scalar(self.dot(&a, &a)),
            "norm" => {
                let square = self.dot(&a, &a);
                self.unary(&square, call, &|graph, node| graph.power(node, 1))
            }
            "dot" => match arguments.swap_remove(0) {
                Value::Matrix(b) => Value::Scalar(self.dot(&a, &b)),
                other => self.fail(error::expected_shape(&call.args[0], "Mat3", other.shape())),
            },
            _ => match super::literal_index(&call.args[0]) {
                Some(at) if at < 3 => {
                    let a = if name == "row" { a } else { transposed(&a) };
                    Value::Vector(a[3 * at..3 * at + 3].to_vec())
                }
                _ => self.fail(error::literal_index(&call.args[0], "Mat3", 3)),
            },
        }
    }
}

fn transposed(a: &[Form]) -> Vec<Form> {
    (0..9).map(|k| a[3 * (k % 3) + k / 3].clone()).collect()
}
