//! Pairs within a distance, lowered: `within`, `between`, `periodic` and sums over them.

use super::environment::{Binding, Environment};
use super::form::{Form, Loop};
use super::pairs::{Array, List, Near, Neighbours, Points};
use super::{Lowering, Value};
use crate::error;
use crate::graph::{Function, Graph, Leaf, NodeId};
use proc_macro2::{Literal, Span};
use std::rc::Rc;
use syn::{Expr, Ident, Pat};

/// The functions that make lists.
pub(super) const MAKERS: [&str; 2] = ["within", "between"];

/// The methods of lists.
const METHODS: [&str; 3] = ["periodic", "except", "of"];

impl Lowering<'_> {
    /// `within(r, points)` or `between(r, points, others)`.
    pub(super) fn near(&mut self, call: &syn::ExprCall, name: &str, environment: &mut Environment) -> Value {
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let count = if name == "within" { 2 } else { 3 };
        if arguments.len() != count {
            return self.fail(error::argument_count(call, name, count, arguments.len()));
        }
        let radius = self.rust(arguments[0], environment);
        if radius.is_none() {
            self.expression(arguments[0], environment);
            self.errors.push(error::distance_of_coordinates(arguments[0], name));
        }
        let points: Vec<Option<Points>> =
            arguments[1..].iter().map(|place| self.points(place, name, environment)).collect();
        let (Some(radius), Some(points)) = (radius, points.into_iter().collect::<Option<Vec<Points>>>())
        else {
            return Value::Poison;
        };
        self.check_arithmetic(&radius);
        if let [first, second] = &points[..]
            && first.dimension != second.dimension
        {
            return self.fail(error::points_of_two_dimensions(call));
        }
        let number = self.lists;
        self.lists += 1;
        let written = Expr::Call(call.clone());
        let (cell, exceptions) = (None, Vec::new());
        let list = List { number, written, radius, points, cell, exceptions };
        Value::Near(Neighbours { list: Rc::new(list), of: None })
    }

    /// An array of points.
    fn points(&mut self, place: &Expr, name: &str, environment: &mut Environment) -> Option<Points> {
        let array = self.expression(place, environment);
        match &array {
            Value::Poison => return None,
            Value::Coordinates { coordinate, indices } => {
                let declared = &self.declaration.coordinates[*coordinate];
                let dimension = declared.kind.components();
                let left = declared.lengths.get(indices.len()..).unwrap_or_default();
                if let ([length], 2 | 3) = (left, dimension) {
                    let (length, indices) = (length.clone(), indices.clone());
                    let array = Array::Coordinates { coordinate: *coordinate, indices };
                    return Some(Points { array, length, dimension });
                }
            }
            Value::Each(repeat, body) => {
                if let Value::Vector(forms) = &**body
                    && repeat.near.is_none()
                {
                    let Loop { pattern, iterator, position, .. } = (**repeat).clone();
                    let length = syn::parse_quote!(::least_action::emitted::v1::length_of(#iterator));
                    let (dimension, place) = (forms.len(), forms.iter().map(Form::plain).collect());
                    let array = Array::Each { pattern, iterator, position, place };
                    return Some(Points { array, length, dimension });
                }
            }
            _ => {}
        }
        self.errors.push(match array.shape() {
            "array" => error::points_of_another_array(place, name),
            "Scalar" => error::points_of_parameters(place, name),
            shape => error::points_of_a_shape(place, name, shape),
        });
        None
    }

    /// `near.periodic(cell)`, `near.except(pairs)` or `near.of(i)`.
    pub(super) fn near_method(
        &mut self,
        call: &syn::ExprMethodCall,
        near: &Neighbours,
        environment: &mut Environment,
    ) -> Value {
        let name = call.method.to_string();
        if near.of.is_some() {
            return self.fail(error::unknown_method_of_neighbours(&call.method, &name));
        }
        if !METHODS.contains(&name.as_str()) {
            return self.fail(error::unknown_method_of_near_pairs(&call.method, &name));
        }
        if !self.arity(call, 1) {
            return Value::Poison;
        }
        let place = &call.args[0];
        let Some(argument) = self.rust(place, environment) else {
            self.expression(place, environment);
            return self.refuse(place, environment, error::near_argument_of_coordinates);
        };
        if name == "of" {
            return Value::Near(Neighbours { list: near.list.clone(), of: Some(argument) });
        }
        let mut list = (*near.list).clone();
        list.written = Expr::MethodCall(call.clone());
        list.number = self.lists;
        self.lists += 1;
        if name == "except" {
            list.exceptions.push(argument);
        } else if list.cell.replace(argument).is_some() {
            return self.fail(error::second_cell(&call.method));
        }
        Value::Near(Neighbours { list: Rc::new(list), of: None })
    }

    /// The loop over near pairs, with the values of its pattern; binds the names in `environment`.
    pub(super) fn near_loop(
        &mut self,
        near: &Neighbours,
        pattern: &Pat,
        place: &Expr,
        environment: &mut Environment,
    ) -> Option<Loop> {
        let names = names_of(pattern, near.of.is_some());
        let Some(names) = names else {
            self.errors.push(match near.of {
                Some(_) => error::pattern_of_neighbours(pattern),
                None => error::pattern_of_near_pairs(pattern),
            });
            return None;
        };
        if self.open_near {
            self.errors.push(error::nested_near(place));
            return None;
        }
        let mut bind = |lowering: &mut Self, name: Option<&Ident>, otherwise: &str| {
            let spare = Ident::new(otherwise, Span::call_site());
            let fresh = lowering.variables.fresh(name.unwrap_or(&spare));
            if let Some(name) = name {
                environment.bind(name, Binding::Rust(fresh.clone()));
            }
            fresh
        };
        let (ends, pattern): ([Expr; 2], Pat) = if let Some(of) = &near.of {
            let j = bind(self, names[1], "j");
            ([of.clone(), syn::parse_quote!(#j)], syn::parse_quote!(#j))
        } else {
            let (i, j) = (bind(self, names[0], "i"), bind(self, names[1], "j"));
            ([syn::parse_quote!(#i), syn::parse_quote!(#j)], syn::parse_quote!((#i, #j)))
        };
        let Some(made) = self.near_of_ends(&near.list, ends, near.of.is_some()) else {
            self.errors.push(error::points_that_choose(place));
            return None;
        };
        let [first, second] = &made.points;
        let mut separation = Vec::new();
        for ((a, b), shift) in first.iter().zip(second).zip(&made.shift) {
            let shift = self.graph.leaf(Leaf::Coefficient(*shift));
            separation.push(Form::of(self.graph.combination([(1.0, *a), (-1.0, *b), (-1.0, shift)])));
        }
        if let Some(name) = names[2] {
            environment.bind(name, Binding::Value(Value::Vector(separation)));
        }
        let iterator = all_pairs(&made);
        Some(Loop { pattern, iterator, position: None, near: Some(Rc::new(made)) })
    }

    /// The pair of two ends.
    pub(super) fn near_of_ends(&mut self, list: &Rc<List>, ends: [Expr; 2], of_one: bool) -> Option<Near> {
        let first = self.point(&list.points_of(0).array.clone(), &ends[0])?;
        let second = self.point(&list.points_of(1).array.clone(), &ends[1])?;
        let mut shift = Vec::new();
        let number = Literal::usize_unsuffixed(list.number);
        let word = Ident::new(if list.cell.is_some() { "image" } else { "open" }, Span::call_site());
        let [i, j] = &ends;
        for component in 0..first.len() {
            let at = Literal::usize_unsuffixed(component);
            let disguise = syn::parse_quote!(::near::#word(#number, #i, #j)[#at]);
            let leaf = self.coefficient(&disguise).plain()?;
            match self.graph.leaves(&[leaf])[..] {
                [Leaf::Coefficient(id)] => shift.push(id),
                _ => return None,
            }
        }
        let difference: Vec<NodeId> =
            first.iter().zip(&second).map(|(a, b)| self.graph.subtract(*a, *b)).collect();
        let image = match &list.cell {
            Some(cell) => self.rows_of(cell, difference.len()).shift(&mut self.graph, &difference),
            None => vec![self.graph.zero(); difference.len()],
        };
        let mut parts = Vec::new();
        for (d, s) in difference.iter().zip(&image) {
            let nearest = self.graph.subtract(*d, *s);
            parts.push((1.0, self.graph.power(nearest, 4)));
        }
        let radius = self.coefficient(&list.radius).plain()?;
        parts.push((-1.0, self.graph.power(radius, 4)));
        let gap = self.graph.combination(parts);
        Some(Near { list: list.clone(), ends, of_one, points: [first, second], shift, image, gap })
    }

    /// The components of a point of an array.
    fn point(&mut self, array: &Array, at: &Expr) -> Option<Vec<NodeId>> {
        let point = match array {
            Array::Coordinates { coordinate, indices } => {
                let indices = indices.iter().cloned().chain([at.clone()]).collect();
                self.read(*coordinate, indices)
            }
            Array::Each { pattern, iterator, position, place } => {
                let body = Value::Vector(place.as_ref()?.iter().copied().map(Form::of).collect());
                let (pattern, iterator, position) = (pattern.clone(), iterator.clone(), position.clone());
                let repeat = Rc::new(Loop { pattern, iterator, position, near: None });
                self.fresh_each(&repeat, &body, Some(at)).1
            }
        };
        let Value::Vector(forms) = point else { return None };
        forms.iter().map(Form::plain).collect()
    }

    /// `periodic(cell, difference)`: the difference to the nearest image.
    pub(super) fn periodic(&mut self, call: &syn::ExprCall, environment: &mut Environment) -> Value {
        let Some([cell, difference]) = self.arguments(call, "periodic") else { return Value::Poison };
        let rust = self.rust(cell, environment);
        let value = self.expression(difference, environment);
        let Some(cell) = rust else {
            return self.refuse(cell, environment, error::near_argument_of_coordinates);
        };
        let forms = match value {
            Value::Poison => return Value::Poison,
            Value::Vector(forms) => forms,
            other => return self.fail(error::expected_shape(difference, "Vec3", other.shape())),
        };
        let rows = self.rows_of(&cell, forms.len());
        let mut nearest = Vec::new();
        for component in 0..forms.len() {
            let all: Vec<&Form> = forms.iter().collect();
            let made = Form::nonlinear_of(&all, &mut self.graph, &|graph, nodes| {
                let shift = rows.shift(graph, nodes)[component];
                graph.subtract(nodes[component], shift)
            });
            match made {
                Ok(form) => nearest.push(form),
                Err(what) => return self.fail(error::nonlinear_sum(difference, what)),
            }
        }
        Value::Vector(nearest)
    }

    /// The numbers of a cell.
    fn rows_of(&mut self, cell: &Expr, dimension: usize) -> Rows {
        let mut of = |method: &str| -> Vec<Vec<NodeId>> {
            let method = Ident::new(method, Span::mixed_site());
            let mut number = |k: usize, c: usize| {
                let [dimension, k, c] = [dimension, k, c].map(Literal::usize_unsuffixed);
                let number = syn::parse_quote! {
                    ::least_action::emitted::v1::cell::#method(#cell, #dimension, #k, #c)?
                };
                self.coefficient(&number).plain().unwrap_or_else(|| self.graph.zero())
            };
            (0..dimension).map(|k| (0..dimension).map(|c| number(k, c)).collect()).collect()
        };
        Rows { edges: of("edge"), normals: of("normal") }
    }
}

/// The rows of a cell: its edges h, and the normals n with nₖ · hₗ = δₖₗ.
struct Rows {
    edges: Vec<Vec<NodeId>>,
    normals: Vec<Vec<NodeId>>,
}

impl Rows {
    /// Σ round(nₖ · d) hₖ.
    fn shift(&self, graph: &mut Graph, difference: &[NodeId]) -> Vec<NodeId> {
        let cells: Vec<NodeId> = self
            .normals
            .iter()
            .map(|normal| {
                let parts: Vec<(f64, NodeId)> =
                    normal.iter().zip(difference).map(|(n, d)| (1.0, graph.multiply(*n, *d))).collect();
                let place = graph.combination(parts);
                graph.function(Function::Round, place)
            })
            .collect();
        (0..difference.len())
            .map(|component| {
                let parts: Vec<(f64, NodeId)> = cells
                    .iter()
                    .zip(&self.edges)
                    .map(|(cell, edge)| (1.0, graph.multiply(*cell, edge[component])))
                    .collect();
                graph.combination(parts)
            })
            .collect()
    }
}

/// The names of both ends and of the separation in a pattern; `None` for a pattern of another form.
fn names_of(pattern: &Pat, of_one: bool) -> Option<[Option<&Ident>; 3]> {
    let Pat::Tuple(tuple) = pattern else { return None };
    let mut names = Vec::new();
    for part in &tuple.elems {
        names.push(match part {
            Pat::Wild(_) => None,
            Pat::Ident(name) if name.subpat.is_none() && name.by_ref.is_none() => Some(&name.ident),
            _ => return None,
        });
    }
    match (of_one, &names[..]) {
        (true, [j, d]) => Some([None, *j, *d]),
        (false, [i, j, d]) => Some([*i, *j, *d]),
        _ => None,
    }
}

/// The iterator over all pairs, near or not, without the exceptions.
fn all_pairs(near: &Near) -> Expr {
    let List { written, radius, points, cell, exceptions, .. } = &*near.list;
    let text = crate::parse::text(written).replace('\n', " ");
    let dimension = Literal::usize_unsuffixed(points[0].dimension);
    let lengths = points.iter().map(|points| &points.length);
    let mut all: Expr = syn::parse_quote! {
        ::least_action::emitted::v1::AllPairs::new(#text, #radius, #dimension, &[#(#lengths),*])
    };
    if let Some(cell) = cell {
        all = syn::parse_quote!(#all.periodic(#cell));
    }
    for exceptions in exceptions {
        all = syn::parse_quote!(#all.except(#exceptions));
    }
    let i = &near.ends[0];
    if near.of_one { syn::parse_quote!(#all.of(#i)?) } else { syn::parse_quote!(#all.pairs()?) }
}

/// True for an expression that makes a list: a call of a maker, or methods of it.
pub(super) fn is_near(expression: &Expr) -> bool {
    match crate::parse::lent(expression) {
        Expr::MethodCall(call) => is_near(&call.receiver),
        Expr::Call(call) => {
            crate::parse::called(call).is_some_and(|name| MAKERS.iter().any(|maker| name == maker))
        }
        _ => false,
    }
}
