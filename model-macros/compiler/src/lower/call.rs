//! Calls: the functions of the language, and the inlining of helpers and closures.

use super::calls::Call;
use super::environment::{Binding, Environment};
use super::form::{Form, Loop, Scope};
use super::near::is_near;
use super::pairs::Neighbours;
use super::stage::Open;
use super::{Lowering, Value};
use crate::ast::{Function, Shape, Sort};
use crate::error;
use crate::graph::{ARGUMENTS, Graph, NodeId, Opaque, is_velocity};
use crate::sensitive;
use crate::spelling;
use crate::walk::inside;
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::rc::Rc;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprClosure, Pat, Token};

/// The functions that Rust lacks, with coordinates or without.
pub(crate) const WORDS: [&str; 13] = [
    "vec2",
    "vec3",
    "mat3",
    "der",
    "stiff",
    "table",
    "each",
    "within",
    "between",
    "periodic",
    "switched",
    "shifted",
    "force_shifted",
];

impl<'a> Lowering<'a> {
    pub(super) fn call(&mut self, call: &syn::ExprCall, environment: &mut Environment) -> Value {
        let name = crate::parse::called(call).cloned();
        if matches!(crate::parse::bare(&call.func), Expr::Field(_)) {
            return self.fail(error::callable_field(&call.func));
        }
        let Some(name) = name else { return self.fail(error::coordinate_in_rust(call)) };
        if let Some(helper) = self.associated(&call.func) {
            return self.inline(helper, &call.args, call, environment);
        }
        if let Expr::Path(path) = &*call.func
            && name == "new"
            && let Some(owner) = path.path.segments.iter().rev().nth(1)
            && let known = [("Vec2", "vec2", "x, y"), ("Vec3", "vec3", "x, y, z")]
            && let Some((shape, function, arguments)) = known.iter().find(|(shape, ..)| owner.ident == shape)
        {
            return self.fail(error::vector_constructor(&call.func, shape, function, arguments));
        }
        if let Some(value) = self.matrix_constructor(call, environment) {
            return value;
        }
        if let Some(Binding::Closure { closure, environment: captured, .. }) = environment.get(&name) {
            let (closure, captured) = (closure.clone(), captured.clone());
            let arguments = self.values(&call.args, environment);
            let again = Call::new(&format!("|{name}|"), Some(&captured), &arguments);
            return self.once(again, |lowering| {
                lowering.deeper(call, |lowering| {
                    lowering.inline_closure(&closure, (*captured).clone(), arguments, call)
                })
            });
        }
        match name.to_string().as_str() {
            "sum" => self.sum(call, environment),
            "each" => self.repeat(call, "each", environment).unwrap_or(Value::Poison),
            "der" => self.der(call, environment),
            "stiff" => self.stiff(call, environment),
            "table" => self.table(call, environment),
            maker @ ("within" | "between") => self.near(call, maker, environment),
            "periodic" => self.periodic(call, environment),
            "switched" => self.switched(call, environment),
            "shifted" => self.shifted(call, false, environment),
            "force_shifted" => self.shifted(call, true, environment),
            "vec2" => self.vector(call, 2, environment),
            "vec3" => self.vector(call, 3, environment),
            "mat3" => self.matrix(call, environment),
            text => {
                let arguments = self.values(&call.args, environment);
                let path = crate::parse::text(&call.func);
                let first = error::receiver(call.args.first());
                let rest: Vec<String> = call.args.iter().skip(1).map(crate::parse::text).collect();
                let rest = rest.join(", ");
                let kind = match arguments.first() {
                    Some(Value::Vector(_) | Value::Matrix(_)) => arguments[0].shape(),
                    _ => "function",
                };
                if path == text
                    && let Some(help) = spelling::elsewhere(kind, text, &first, &rest)
                {
                    return self.fail(error::function_of_elsewhere(&call.func, text, &help));
                }
                if super::method::is_scalar_method(text) {
                    return self.fail(if path == text {
                        error::bare_function(&call.func, text, &first, &rest)
                    } else {
                        error::function_of_a_number(&call.func, &path, text)
                    });
                }
                let words = WORDS.into_iter().chain(["sum", "pairs"]);
                let near = spelling::nearest(text, words.chain(environment.closures()));
                let foreign = path.starts_with("Self::") || environment.get(&name).is_some();
                // Constructors such as `Some` are no functions of numbers.
                let constructor = text.starts_with(char::is_uppercase);
                if near.is_some() || foreign || constructor {
                    return self.fail(error::unknown_function(&call.func, &path, near));
                }
                self.opaque(call, &path, arguments)
            }
        }
    }

    /// The arguments of a call of a function of the language, if there are so many.
    pub(super) fn arguments<'c, const N: usize>(
        &mut self,
        call: &'c syn::ExprCall,
        name: &str,
    ) -> Option<[&'c Expr; N]> {
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let found = arguments.try_into().ok();
        if found.is_none() {
            self.errors.push(error::argument_count(call, name, N, call.args.len()));
        }
        found
    }

    /// A call of a function of Rust with numbers, some of which depend on coordinates.
    fn opaque(&mut self, call: &syn::ExprCall, path: &str, values: Vec<Value>) -> Value {
        let (mut arguments, mut smooth) = (Vec::new(), Vec::new());
        for (value, place) in values.into_iter().zip(&call.args) {
            smooth.push(!matches!(value, Value::Rust(_)));
            match value {
                Value::Poison => return Value::Poison,
                value @ (Value::Scalar(_) | Value::Rust(_)) => match self.scalar(value, place) {
                    Some(form) => arguments.push(form),
                    None => return Value::Poison,
                },
                other => return self.fail(error::opaque_arguments(place, path, other.shape())),
            }
        }
        if smooth.len() > ARGUMENTS {
            return self.fail(error::argument_count(call, path, ARGUMENTS, smooth.len()));
        }
        let kinds: String = smooth.iter().map(|smooth| if *smooth { 'x' } else { 'c' }).collect();
        let number = self.opaque_numbers.len();
        let number = *self.opaque_numbers.entry(format!("{path}:{kinds}")).or_insert(number);
        if number == self.rust.functions.len() {
            self.graph.name_opaque(path);
            self.rust.functions.push(((*call.func).clone(), smooth.clone()));
        }
        smooth.resize(ARGUMENTS, false);
        let function = Opaque::new(number, std::array::from_fn(|k| smooth[k]));
        let operation = |graph: &mut Graph, arguments: &[NodeId]| graph.call(function, arguments.to_vec());
        let result = self.nonlinear_of(&arguments.iter().collect::<Vec<_>>(), &operation);
        self.operated(result, call)
    }

    fn inline_closure(
        &mut self,
        closure: &ExprClosure,
        mut environment: Environment,
        arguments: Vec<Value>,
        call: &syn::ExprCall,
    ) -> Value {
        if arguments.len() != closure.inputs.len() {
            let name = call.func.to_token_stream().to_string();
            return self.fail(error::argument_count(call, &name, closure.inputs.len(), arguments.len()));
        }
        for ((input, argument), place) in closure.inputs.iter().zip(arguments).zip(&call.args) {
            self.bind_parameter(input, argument, &mut environment, place);
        }
        self.expression(&closure.body, &mut environment)
    }

    /// Binds a parameter of a closure.
    pub(super) fn bind_parameter(
        &mut self,
        input: &Pat,
        argument: Value,
        environment: &mut Environment,
        place: &Expr,
    ) {
        let (pattern, ty) = crate::parse::untyped(input);
        if ty.is_none() && !matches!(argument, Value::Rust(_)) && matches!(pattern, Pat::Ident(_)) {
            let start = pattern.span().start();
            self.rust.closure_parameters.insert((start.line, start.column), argument.shape());
        }
        self.bind(pattern, ty, argument, environment, place);
    }

    /// `sum(items, |pattern| body)`.
    fn sum(&mut self, call: &syn::ExprCall, environment: &mut Environment) -> Value {
        let parts = match self.repeat(call, "sum", environment) {
            Some(Value::Each(repeat, body)) => vec![(Some(repeat), *body)],
            Some(Value::List(values)) => values.into_iter().map(|value| (None, value)).collect(),
            _ => return Value::Poison,
        };
        let mut total: Option<Vec<Form>> = None;
        for (repeat, body) in parts {
            let forms = match body {
                Value::Poison => return Value::Poison,
                Value::Vector(components) | Value::Matrix(components) => components,
                other => match self.scalar(other, &call.args[1]) {
                    Some(form) => vec![form],
                    None => return Value::Poison,
                },
            };
            let forms: Vec<Form> = match repeat {
                Some(repeat) => {
                    let over = |form| match self.partial_sum(&repeat, &form) {
                        Some(sum) => sum,
                        None => Form::under(Scope::Loop(repeat.clone()), form, &mut self.graph),
                    };
                    forms.into_iter().map(over).collect()
                }
                None => forms,
            };
            total = Some(match total {
                Some(sum) => sum.iter().zip(&forms).map(|(a, b)| a.add(1.0, b, &mut self.graph)).collect(),
                None => forms,
            });
        }
        match total {
            Some(components) => Value::of_components(components),
            None => Value::Scalar(Form::of(self.graph.zero())),
        }
    }

    /// The body of `sum` or `each` over its items: one value under a loop, or a list of values.
    fn repeat(&mut self, call: &syn::ExprCall, name: &str, environment: &mut Environment) -> Option<Value> {
        let [iterator, body] = self.arguments(call, name)?;
        let items = if let Some(error) = self.pairs_of_an_array(iterator, environment) {
            self.errors.push(error);
            None
        } else {
            let items = self.items(iterator, environment);
            if items.is_none() && !is_near(iterator) && !Self::is_list(iterator, environment) {
                self.refuse(iterator, environment, error::coordinate_in_range);
            }
            items
        };
        let Some((closure, mut inside)) = Self::closure_of(body, environment) else {
            self.errors.push(error::expected_closure(body, name));
            return None;
        };
        let [input] = &closure.inputs.iter().collect::<Vec<_>>()[..] else {
            self.errors.push(error::argument_count(&closure, "the closure", 1, closure.inputs.len()));
            return None;
        };
        let (pattern, _) = crate::parse::untyped(input);
        match items {
            Some(Items::Rust(iterator)) => {
                let pattern = inside.bind_pattern(pattern, &mut self.variables);
                let repeat = Rc::new(Loop { pattern, iterator, position: None, near: None });
                let (repeat, value) = self.body(repeat, &closure, &mut inside, name);
                Some(Value::Each(repeat, Box::new(value)))
            }
            Some(Items::Near(_)) if name == "each" => {
                self.errors.push(error::each_of_near(iterator));
                None
            }
            Some(Items::Near(near)) => {
                let repeat = self.near_loop(&near, pattern, iterator, &mut inside)?;
                self.open_near = true;
                let (repeat, value) = self.body(Rc::new(repeat), &closure, &mut inside, name);
                self.open_near = false;
                Some(Value::Each(repeat, Box::new(value)))
            }
            Some(Items::Repeated(repeat, item)) => {
                self.bind(pattern, None, item, &mut inside, iterator);
                let (repeat, value) = self.body(repeat, &closure, &mut inside, name);
                Some(Value::Each(repeat, Box::new(value)))
            }
            Some(Items::Listed(values)) => {
                let mut results = Vec::new();
                for value in values {
                    let mut inside = inside.clone();
                    self.bind(pattern, None, value, &mut inside, iterator);
                    results.push(self.expression(&closure.body, &mut inside));
                }
                Some(Value::List(results))
            }
            None => {
                // The body is still read, for its own mistakes.
                self.bind(pattern, None, Value::Poison, &mut inside, iterator);
                self.expression(&closure.body, &mut inside);
                None
            }
        }
    }

    /// The value of the body of a loop, and the loop.
    fn body(
        &mut self,
        repeat: Rc<Loop>,
        closure: &ExprClosure,
        inside: &mut Environment,
        name: &str,
    ) -> (Rc<Loop>, Value) {
        let open = Open::of(&repeat);
        let (position, value) = self.within(open, |lowering| {
            let value = lowering.expression(&closure.body, inside);
            if name == "sum" { lowering.without_what_is_fixed(value) } else { value }
        });
        if position == repeat.position {
            return (repeat, value);
        }
        (Rc::new(Loop { position, ..(*repeat).clone() }), value)
    }

    /// The body of a loop with collectives in place of sums that are equal in each round.
    fn without_what_is_fixed(&mut self, value: Value) -> Value {
        let mut image = |form: Form| self.hoisted_out(&form).unwrap_or(form);
        match value {
            Value::Scalar(form) => Value::Scalar(image(form)),
            Value::Vector(forms) => Value::Vector(forms.into_iter().map(image).collect()),
            Value::Matrix(forms) => Value::Matrix(forms.into_iter().map(image).collect()),
            other => other,
        }
    }

    /// The mistake of `pairs(p)` with an array of coordinates: `pairs` takes their number.
    fn pairs_of_an_array(&mut self, iterator: &Expr, environment: &mut Environment) -> Option<syn::Error> {
        let Expr::Call(call) = iterator else { return None };
        let (Expr::Path(function), [argument]) = (&*call.func, &call.args.iter().collect::<Vec<_>>()[..])
        else {
            return None;
        };
        if !function.path.is_ident("pairs") || self.rust(argument, environment).is_some() {
            return None;
        }
        let array = self.array(argument, environment);
        let length = match array {
            Some(Value::Coordinates { coordinate, indices }) => {
                self.declaration.coordinates[coordinate].lengths.get(indices.len()).map(crate::parse::text)
            }
            _ => None,
        };
        Some(error::pairs_of_an_array(argument, &length.unwrap_or_else(|| "self.n".to_owned())))
    }

    /// The items of a loop: a coordinate-free iterator, near pairs, or the entries of an array.
    fn items(&mut self, iterator: &Expr, environment: &mut Environment) -> Option<Items> {
        if let Some(rust) = self.rust(iterator, environment) {
            return Some(Items::Rust(rust));
        }
        if is_near(iterator) {
            return match self.expression(iterator, environment) {
                Value::Near(near) => Some(Items::Near(near)),
                Value::Poison => None,
                other => {
                    self.errors.push(error::expected_shape(iterator, "pairs", other.shape()));
                    None
                }
            };
        }
        match iterator {
            Expr::Reference(inner) => self.items(&inner.expr, environment),
            Expr::Paren(inner) => self.items(&inner.expr, environment),
            Expr::MethodCall(call) if Self::is_list(&call.receiver, environment) => {
                match self.expression(iterator, environment) {
                    Value::Near(near) => Some(Items::Near(near)),
                    _ => None,
                }
            }
            Expr::MethodCall(call)
                if call.args.is_empty() && (call.method == "iter" || call.method == "into_iter") =>
            {
                self.items(&call.receiver, environment)
            }
            Expr::MethodCall(call) if call.args.is_empty() && call.method == "enumerate" => {
                let Value::Coordinates { coordinate, indices } = self.array(&call.receiver, environment)?
                else {
                    return None;
                };
                let (repeat, index, item) = self.entries(coordinate, &indices)?;
                Some(Items::Repeated(repeat, Value::Tuple(vec![Value::Rust(index), item])))
            }
            other => match self.array(other, environment)? {
                Value::Coordinates { coordinate, indices } => {
                    let (repeat, _, item) = self.entries(coordinate, &indices)?;
                    Some(Items::Repeated(repeat, item))
                }
                Value::Each(repeat, body) => {
                    let (repeat, body) = self.fresh_each(&repeat, &body, None);
                    Some(Items::Repeated(repeat, body))
                }
                Value::List(values) => Some(Items::Listed(values)),
                Value::Near(near) => Some(Items::Near(near)),
                _ => None,
            },
        }
    }

    /// True for the name of a list of near pairs, or for methods of it.
    fn is_list(expression: &Expr, environment: &Environment) -> bool {
        match crate::parse::lent(expression) {
            Expr::MethodCall(call) => Self::is_list(&call.receiver, environment),
            Expr::Path(path) => {
                let bound = path.path.get_ident().and_then(|name| environment.get(name));
                matches!(bound, Some(Binding::Value(Value::Near(_))))
            }
            _ => false,
        }
    }

    /// The array that an expression names.
    fn array(&mut self, expression: &Expr, environment: &mut Environment) -> Option<Value> {
        match expression {
            Expr::Reference(inner) => self.array(&inner.expr, environment),
            Expr::MethodCall(call)
                if call.args.is_empty() && (call.method == "iter" || call.method == "into_iter") =>
            {
                self.array(&call.receiver, environment)
            }
            Expr::Path(_) | Expr::Index(_) | Expr::Array(_) | Expr::Paren(_) | Expr::Call(_) => {
                Some(self.expression(expression, environment))
            }
            Expr::Field(field) if sensitive::parameter(field, self.declaration).is_some() => {
                Some(self.expression(expression, environment))
            }
            _ => None,
        }
    }

    /// The entries of a coordinate array as a loop, with its index and the entry.
    fn entries(&mut self, coordinate: usize, indices: &[Expr]) -> Option<(Rc<Loop>, Expr, Value)> {
        let length = self.declaration.coordinates[coordinate].lengths.get(indices.len())?;
        let name = self.variables.fresh(&syn::Ident::new("index", length.span()));
        let index: Expr = syn::parse_quote!(#name);
        let repeat = Rc::new(Loop {
            pattern: syn::parse_quote!(#name),
            iterator: syn::parse_quote!(0..#length),
            position: None,
            near: None,
        });
        let item = self.read(coordinate, indices.iter().cloned().chain([index.clone()]).collect());
        Some((repeat, index, item))
    }

    /// `der(e)`: the chain rule along the motion.
    fn der(&mut self, call: &syn::ExprCall, environment: &mut Environment) -> Value {
        let Some([argument]) = self.arguments(call, "der") else { return Value::Poison };
        match self.sort {
            Some(Sort::Holonomic) => return self.fail(error::der_in_constraint(call)),
            Some(Sort::Unilateral) => return self.fail(error::der_in_gap(call)),
            _ => {}
        }
        match self.expression(argument, environment) {
            Value::Poison => Value::Poison,
            Value::Scalar(form) => self.rate(&form, call).map_or(Value::Poison, Value::Scalar),
            Value::Vector(forms) | Value::Matrix(forms) => {
                let rates: Option<Vec<Form>> = forms.iter().map(|form| self.rate(form, call)).collect();
                rates.map_or(Value::Poison, Value::of_components)
            }
            Value::Rust(_) => Value::Scalar(Form::of(self.graph.zero())),
            other => self.fail(error::der_shape(argument, other.shape())),
        }
    }

    fn rate(&mut self, form: &Form, place: &syn::ExprCall) -> Option<Form> {
        if self.mentions(form, is_velocity) {
            self.errors.push(error::der_of_der(place));
            return None;
        }
        self.rate_of(form, place)
    }

    fn stiff(&mut self, call: &syn::ExprCall, environment: &mut Environment) -> Value {
        let Some([argument]) = self.arguments(call, "stiff") else { return Value::Poison };
        if self.in_constraint() {
            return self.fail(error::stiff_in_constraint(call));
        }
        if self.sort.is_some() {
            return self.fail(error::stiff_in_force(call));
        }
        let value = self.expression(argument, environment);
        match self.scalar(value, argument) {
            Some(form) if self.mentions(&form, is_velocity) => {
                for place in self.velocities(argument, environment) {
                    self.errors.push(error::stiff_velocity(place));
                }
                Value::Poison
            }
            Some(form) => Value::Scalar(Form::under(Scope::Stiff, form, &mut self.graph)),
            None => Value::Poison,
        }
    }

    /// The places of velocities in an expression: calls of `der` and variables; if none, all of it.
    fn velocities(&self, expression: &Expr, environment: &Environment) -> Vec<TokenStream> {
        let mut places = Velocities { lowering: self, environment, found: Vec::new() };
        places.look(expression);
        if places.found.is_empty() { vec![expression.to_token_stream()] } else { places.found }
    }

    fn vector(&mut self, call: &syn::ExprCall, components: usize, environment: &mut Environment) -> Value {
        let arguments: Vec<&Expr> = call.args.iter().collect();
        if let [array] = arguments[..] {
            let Some(rust) = self.rust(array, environment) else {
                return match self.expression(array, environment) {
                    Value::Poison => Value::Poison,
                    Value::List(values) if values.len() == components => self.components(values, &[array; 3]),
                    Value::Coordinates { coordinate, indices }
                        if self.declaration.coordinates[coordinate].parameter =>
                    {
                        let entry =
                            |k: usize| indices.iter().cloned().chain([syn::parse_quote!(#k)]).collect();
                        let values = (0..components).map(|k| self.read(coordinate, entry(k)));
                        let values = values.collect();
                        self.components(values, &[array; 3])
                    }
                    other => self.fail(error::expected_shape(array, "coordinate-free array", other.shape())),
                };
            };
            let forms = (0..components).map(|k| {
                let element = syn::parse_quote!(::core::convert::Into::<[f64; #components]>::into(#rust)[#k]);
                self.coefficient(&element)
            });
            return Value::Vector(forms.collect());
        }
        if arguments.len() != components {
            let name = call.func.to_token_stream().to_string();
            return self.fail(error::argument_count(call, &name, components, arguments.len()));
        }
        let values = self.values(&call.args, environment);
        self.components(values, &arguments)
    }

    fn components(&mut self, values: Vec<Value>, places: &[&Expr]) -> Value {
        let forms: Vec<Option<Form>> =
            values.into_iter().zip(places).map(|(value, place)| self.scalar(value, *place)).collect();
        forms.into_iter().collect::<Option<Vec<Form>>>().map_or(Value::Poison, Value::Vector)
    }

    /// The helper without `self` that a path such as `Self::length` names.
    pub(super) fn associated(&self, function: &Expr) -> Option<&'a Function> {
        let Expr::Path(path) = function else { return None };
        let segments: Vec<_> = path.path.segments.iter().map(|segment| &segment.ident).collect();
        let [owner, name] = segments[..] else { return None };
        let declaration = self.declaration;
        (owner == "Self" || *owner == declaration.model)
            .then(|| declaration.helpers.iter().find(|helper| helper.name == *name))
            .flatten()
    }

    /// `self.helper(…)`, inlined.
    pub(super) fn helper(&mut self, call: &syn::ExprMethodCall, environment: &mut Environment) -> Value {
        let declaration = self.declaration;
        if let Some(helper) = declaration.helpers.iter().find(|helper| helper.name == call.method) {
            return self.inline(helper, &call.args, call, environment);
        }
        self.values(&call.args, environment);
        let (method, name) = (call.method.to_string(), format!("self.{}", call.method));
        let helpers: Vec<String> = declaration.helpers.iter().map(|helper| helper.name.to_string()).collect();
        let near = spelling::nearest(&method, helpers.iter().map(String::as_str));
        self.fail(error::unknown_function(&call.method, &name, near))
    }

    /// The body of a helper with its arguments put in.
    fn inline(
        &mut self,
        helper: &Function,
        arguments: &Punctuated<Expr, Token![,]>,
        place: &dyn ToTokens,
        environment: &mut Environment,
    ) -> Value {
        if arguments.len() != helper.arguments.len() {
            let name = helper.name.to_string();
            let place = place.to_token_stream();
            return self.fail(error::argument_count(place, &name, helper.arguments.len(), arguments.len()));
        }
        let values = self.values(arguments, environment);
        if self.inlined.contains(&helper.name) {
            return self.fail(error::recursion(place.to_token_stream()));
        }
        self.called.insert(helper.name.to_string());
        let again = Call::new(&helper.name.to_string(), None, &values);
        self.once(again, |lowering| lowering.inlined(helper, values, arguments, place))
    }

    /// The known value of an earlier equal call, or the value of `make`.
    fn once(&mut self, call: Option<Call>, make: impl FnOnce(&mut Self) -> Value) -> Value {
        let Some(call) = call else { return make(self) };
        if let Some(known) = self.calls.get(&call) {
            return known;
        }
        let value = make(self);
        self.calls.insert(call, value.clone());
        value
    }

    fn inlined(
        &mut self,
        helper: &Function,
        values: Vec<Value>,
        arguments: &Punctuated<Expr, Token![,]>,
        place: &dyn ToTokens,
    ) -> Value {
        self.inlined.push(helper.name.clone());
        let value = self.deeper(place, |lowering| {
            let mut inside = Environment::default();
            for ((parameter, argument), place) in helper.arguments.iter().zip(values).zip(arguments) {
                let name = &parameter.name;
                let pattern: Pat = syn::parse_quote!(#name);
                // The length of an array parameter only documents.
                let ty = if matches!(parameter.shape, Shape::Array(..)) { None } else { Some(&parameter.ty) };
                lowering.bind(&pattern, ty, argument, &mut inside, place);
            }
            lowering.block(&helper.body, &mut inside)
        });
        self.inlined.pop();
        value
    }
}

/// Looks for velocities.
struct Velocities<'l, 'a, 'e> {
    lowering: &'l Lowering<'a>,
    environment: &'e Environment,
    found: Vec<TokenStream>,
}

impl Velocities<'_, '_, '_> {
    fn look(&mut self, expression: &Expr) {
        let path = match expression {
            Expr::Call(call) if matches!(&*call.func, Expr::Path(path) if path.path.is_ident("der")) => {
                return self.found.push(call.to_token_stream());
            }
            Expr::Path(path) => path,
            _ => return inside(expression, &mut |inner| self.look(inner)),
        };
        let bound = path.path.get_ident().and_then(|name| self.environment.get(name));
        let moves = match bound {
            Some(Binding::Value(Value::Scalar(form))) => self.lowering.mentions(form, is_velocity),
            Some(Binding::Value(Value::Vector(forms) | Value::Matrix(forms))) => {
                forms.iter().any(|form| self.lowering.mentions(form, is_velocity))
            }
            _ => false,
        };
        if moves {
            self.found.push(path.to_token_stream());
        }
    }
}

/// The items of a loop.
enum Items {
    /// A coordinate-free iterator.
    Rust(Expr),
    /// One value for each round of a loop.
    Repeated(Rc<Loop>, Value),
    /// These values.
    Listed(Vec<Value>),
    /// Near pairs of points.
    Near(Neighbours),
}
