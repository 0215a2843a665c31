//! The emitted code, run: its binding yields elements, its kernels are evaluated on them.

use super::number::{Number as _, Unary};
use super::rust::{Run, Surroundings, Value, known};
use super::source::Parameters;
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::collections::{BTreeMap, HashMap};
use syn::{Block, Expr, FnArg, GenericArgument, ImplItem, Item, ItemImpl, Pat, PathArguments, Stmt, Type};

/// The emitted functions and constants of one type, by name.
#[derive(Default)]
struct Members {
    functions: BTreeMap<String, (Vec<String>, Block)>,
    constants: BTreeMap<String, Expr>,
}

/// What was emitted for a declaration.
pub(super) struct Emitted {
    types: BTreeMap<String, Members>,
    constant_mass: bool,
}

/// One element of a family: its row (constraints), the global indices that it reads and its coefficients.
#[derive(Debug, Clone)]
pub(super) struct Element {
    pub(super) row: usize,
    pub(super) inputs: Vec<usize>,
    pub(super) coefficients: Vec<f64>,
}

/// A family after binding.
#[derive(Debug, Clone)]
pub(super) struct Family {
    pub(super) marker: String,
    pub(super) role: String,
    pub(super) elements: Vec<Element>,
}

/// What the binder was told.
#[derive(Debug, Default)]
pub(super) struct Bound {
    groups: Vec<(usize, usize, Vec<usize>)>,
    pub(super) dimension: usize,
    pub(super) mass: Vec<(usize, usize, f64)>,
    pub(super) families: Vec<Family>,
    pub(super) rows: usize,
}

impl Emitted {
    /// Reads the emitted tokens.
    pub(super) fn parse(tokens: TokenStream) -> Self {
        let file: syn::File = syn::parse2(tokens).expect("emitted code is Rust");
        let mut emitted = Self { types: BTreeMap::new(), constant_mass: false };
        for item in file.items {
            let constant = match item {
                Item::Const(constant) => constant,
                // Methods on plain numbers stay what they are.
                Item::Impl(item) if item.trait_.is_none() => {
                    emitted.read(item);
                    continue;
                }
                _ => continue,
            };
            let Expr::Block(block) = *constant.expr else { continue };
            for statement in block.block.stmts {
                if let Stmt::Item(Item::Impl(item)) = statement {
                    emitted.read(item);
                }
            }
        }
        emitted
    }

    fn read(&mut self, item: ItemImpl) {
        let Type::Path(path) = &*item.self_ty else { return };
        let name = path.path.segments.last().expect("a type has a name").ident.to_string();
        let members = self.types.entry(name).or_default();
        for member in item.items {
            match member {
                ImplItem::Fn(function) => {
                    let names = function.sig.inputs.iter().filter_map(|input| match input {
                        FnArg::Typed(argument) => match &*argument.pat {
                            Pat::Ident(name) => Some(name.ident.to_string()),
                            // Time and phase, of which the declarations of these tests have the time alone.
                            Pat::Struct(instant) => {
                                instant.fields.first().map(|field| field.pat.to_token_stream().to_string())
                            }
                            _ => Some("_".to_owned()),
                        },
                        FnArg::Receiver(_) => None,
                    });
                    let known = (names.collect(), function.block);
                    members.functions.insert(function.sig.ident.to_string(), known);
                }
                ImplItem::Type(ty) if ty.ident == "Mass" => {
                    self.constant_mass = ty.ty.to_token_stream().to_string().ends_with("Constant");
                }
                ImplItem::Const(constant) => {
                    members.constants.insert(constant.ident.to_string(), constant.expr);
                }
                _ => {}
            }
        }
    }

    /// Runs the binding on these parameters.
    pub(super) fn bind(&self, model: &str, parameters: &Parameters) -> Bound {
        let mut around = Binding { emitted: self, model, parameters, bound: Bound::default() };
        let (names, body) = &self.types[model].functions["declare"];
        Run.block(body, &mut vec![(names[0].clone(), Value::Foreign(BINDER))], &mut around);
        around.bound
    }

    /// Whether the mass was found to be constant: what is left of L at rest is then −V.
    pub(super) fn has_constant_mass(&self) -> bool {
        self.constant_mass
    }

    /// The local positions (row, column) of the stored second derivatives.
    pub(super) fn entries(&self, marker: &str) -> Vec<(usize, usize)> {
        let entries: Value<f64> =
            Run.expression(&self.types[marker].constants["ENTRIES"], &mut Vec::new(), &mut Nothing);
        entries
            .list()
            .into_iter()
            .map(|pair| {
                let pair = pair.list();
                (pair[0].integer() as usize, pair[1].integer() as usize)
            })
            .collect()
    }

    /// The value of a kernel function, all its numbers in a row.
    pub(super) fn kernel(&self, marker: &str, function: &str, arguments: &[&[f64]], t: f64) -> Vec<f64> {
        let (names, body) = &self.types[marker].functions[function];
        // What is read, the time, and what is written.
        let (read, others) = names.split_at(arguments.len());
        let (time, written) = others.split_first().expect("a kernel takes the time");
        let lists = read.iter().map(String::as_str).zip(arguments.iter().copied()).collect();
        let written = written.iter().map(|name| (name.clone(), BTreeMap::new())).collect();
        let mut line = StraightLine { lists, scalars: HashMap::from([(time.clone(), t)]), written };
        let mut numbers = line.block(body);
        for (name, list) in line.written {
            assert!(list.keys().copied().eq(0..list.len()), "not all of {name} is written: {list:?}");
            numbers.extend(list.into_values());
        }
        numbers
    }
}

/// The body of a kernel: `let`s of arithmetic on numbers and entries of slices, and entries that are written once each.
struct StraightLine<'a> {
    lists: HashMap<&'a str, &'a [f64]>,
    scalars: HashMap<String, f64>,
    written: Vec<(String, BTreeMap<usize, f64>)>,
}

impl StraightLine<'_> {
    fn block(&mut self, block: &Block) -> Vec<f64> {
        let mut last = Vec::new();
        for statement in &block.stmts {
            match statement {
                Stmt::Local(local) => {
                    let Pat::Ident(name) = &local.pat else { panic!("{:?}", local.pat) };
                    let value = self.number(&local.init.as_ref().expect("a value").expr);
                    self.scalars.insert(name.ident.to_string(), value);
                }
                Stmt::Expr(Expr::MethodCall(call), Some(_)) if call.method == "put" => {
                    let list = name(&call.receiver);
                    let (at, value) = (whole(&call.args[0]), self.number(&call.args[1]));
                    let known = self.written.iter_mut().find(|(name, _)| *name == list);
                    let before = known.expect("a list to write").1.insert(at, value);
                    assert_eq!(before, None, "{list}[{at}] is written twice");
                }
                Stmt::Expr(expression, None) => last = self.numbers(expression),
                other => panic!("{other:?} in a kernel"),
            }
        }
        last
    }

    fn numbers(&self, expression: &Expr) -> Vec<f64> {
        match expression {
            Expr::Array(array) => array.elems.iter().flat_map(|element| self.numbers(element)).collect(),
            Expr::Tuple(tuple) => tuple.elems.iter().flat_map(|element| self.numbers(element)).collect(),
            single => vec![self.number(single)],
        }
    }

    fn number(&self, expression: &Expr) -> f64 {
        match expression {
            Expr::Paren(inner) => self.number(&inner.expr),
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(number), .. }) => {
                number.base10_parse().expect("a number")
            }
            Expr::Path(path) => self.scalars[&path.path.require_ident().expect("a name").to_string()],
            Expr::Index(_) => {
                let (list, at) = entry(expression);
                self.lists[list.as_str()][at]
            }
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => -self.number(&unary.expr),
            Expr::Binary(binary) => {
                let (a, b) = (self.number(&binary.left), self.number(&binary.right));
                match binary.op {
                    syn::BinOp::Add(_) => a + b,
                    syn::BinOp::Sub(_) => a - b,
                    syn::BinOp::Mul(_) => a * b,
                    syn::BinOp::Div(_) => a / b,
                    other => panic!("{other:?} in a kernel"),
                }
            }
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else { panic!("{call:?}") };
                let function = path.path.segments.last().expect("a name").ident.to_string();
                if function == "number" {
                    return self.number(&call.args[1]);
                }
                if function == "select" {
                    let Expr::Call(compared) = &call.args[0] else { panic!("{:?}", call.args[0]) };
                    let Expr::Path(path) = &*compared.func else { panic!("{compared:?}") };
                    let (a, b) = (self.number(&compared.args[0]), self.number(&compared.args[1]));
                    let strict = path.path.segments.last().is_some_and(|last| last.ident == "lt");
                    let below = if strict { a < b } else { a <= b };
                    return self.number(&call.args[if below { 1 } else { 2 }]);
                }
                let arguments: Vec<f64> = call.args.iter().map(|argument| self.number(argument)).collect();
                let answer = |holds: bool| if holds { 1.0 } else { 0.0 };
                match (function.as_str(), &arguments[..]) {
                    ("lt", [a, b]) => answer(a < b),
                    ("le", [a, b]) => answer(a <= b),
                    // What is not chosen may be anything.
                    ("select", [mask, yes, no]) => {
                        if *mask == 1.0 {
                            *yes
                        } else {
                            *no
                        }
                    }
                    ("recip_sqrt", [x]) => 1.0 / x.sqrt(),
                    ("multiply_add", [a, b, c]) => a * b + c,
                    ("powf", [base, exponent]) => base.powf(*exponent),
                    ("atan2", [y, x]) => f64::atan2(*y, *x),
                    (name, [x]) => x.apply(Unary::Named(known(name))),
                    other => panic!("{other:?} in a kernel"),
                }
            }
            other => panic!("{other:?} in a kernel"),
        }
    }
}

/// The list and the place of an entry.
fn entry(expression: &Expr) -> (String, usize) {
    let Expr::Index(index) = expression else { panic!("{expression:?}") };
    (name(&index.expr), whole(&index.index))
}

fn name(expression: &Expr) -> String {
    let Expr::Path(path) = expression else { panic!("{expression:?}") };
    path.path.require_ident().expect("a name").to_string()
}

fn whole(expression: &Expr) -> usize {
    let Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) = expression else {
        panic!("{expression:?}")
    };
    number.base10_parse().expect("an index")
}

struct Nothing;

impl Surroundings<f64> for Nothing {
    fn field(&self, name: &str) -> Value<f64> {
        panic!("no field {name}")
    }
    fn call(&mut self, _: &mut Run, name: &str, _: &syn::Path, _: Vec<Value<f64>>) -> Value<f64> {
        panic!("no function {name}")
    }
    fn method(&mut self, _: usize, name: &str, _: Vec<Value<f64>>) -> Value<f64> {
        panic!("no method {name}")
    }
}

/// The foreign value that is the binder; families are numbered from 0.
const BINDER: usize = usize::MAX;

struct Binding<'a> {
    emitted: &'a Emitted,
    model: &'a str,
    parameters: &'a Parameters,
    bound: Bound,
}

fn indices(value: &Value<f64>) -> Vec<usize> {
    value.clone().list().iter().map(|index| usize::try_from(index.integer()).expect("an index")).collect()
}

impl Surroundings<f64> for Binding<'_> {
    fn field(&self, name: &str) -> Value<f64> {
        self.parameters[name].clone()
    }

    fn call(
        &mut self,
        run: &mut Run,
        name: &str,
        path: &syn::Path,
        arguments: Vec<Value<f64>>,
    ) -> Value<f64> {
        if name == "default" {
            let family = &path.segments[path.segments.len() - 2];
            let PathArguments::AngleBracketed(generics) = &family.arguments else { panic!("{path:?}") };
            let Some(GenericArgument::Type(Type::Path(marker))) = generics.args.first() else {
                panic!("{path:?}")
            };
            let marker = marker.path.segments[0].ident.to_string();
            self.bound.families.push(Family { marker, role: String::new(), elements: Vec::new() });
            return Value::Foreign(self.bound.families.len() - 1);
        }
        let emitted = self.emitted;
        let known = emitted.types[self.model].functions.get(name);
        let (names, body) = known.unwrap_or_else(|| panic!("no function {name}"));
        // `Families::name(self, binder)`: the parameters after `self` are the last arguments.
        let skipped = arguments.len() - names.len();
        let mut variables = names.iter().cloned().zip(arguments.into_iter().skip(skipped)).collect();
        run.block(body, &mut variables, self)
    }

    fn method(&mut self, receiver: usize, name: &str, arguments: Vec<Value<f64>>) -> Value<f64> {
        let bound = &mut self.bound;
        let nothing = Value::Tuple(Vec::new());
        if receiver != BINDER {
            assert_eq!(name, "push");
            let (row, rest) = match &arguments[..] {
                [row, rest @ ..] if rest.len() == 2 => (row.integer() as usize, rest),
                rest => (0, rest),
            };
            let element = Element { row, inputs: indices(&rest[0]), coefficients: rest[1].flat() };
            let family = &mut bound.families[receiver];
            let point = whole(&self.emitted.types[&family.marker].constants["POINT"]);
            let neighbours = |point: &[usize]| point.is_sorted_by(|a, b| a + 1 == *b);
            assert!(
                element.inputs.chunks(point).all(neighbours),
                "{:?} in points of {point}",
                element.inputs
            );
            family.elements.push(element);
            return nothing;
        }
        match (name, &arguments[..]) {
            ("coordinate", [_, Value::Name(kind), lengths]) => {
                let components = match kind.as_str() {
                    "Scalar" | "Angle" => 1,
                    "Vec2" => 2,
                    "Mat3" => 9,
                    _ => 3,
                };
                let lengths = indices(lengths);
                bound.groups.push((bound.dimension, components, lengths.clone()));
                bound.dimension += components * lengths.iter().product::<usize>();
            }
            ("entry", [coordinate, at, _]) => {
                let (offset, components, lengths) = &bound.groups[coordinate.integer() as usize];
                let mut entry = 0;
                for (index, length) in indices(at).into_iter().zip(lengths) {
                    assert!(index < *length, "index {index} of {length}");
                    entry = entry * length + index;
                }
                return Value::Integer((offset + entry * components) as i64);
            }
            ("mass", [row, column, value, _]) => {
                bound.mass.push((row.integer() as usize, column.integer() as usize, value.number()));
            }
            ("dimension", []) => return Value::Integer(bound.dimension as i64),
            ("row", []) => {
                bound.rows += 1;
                return Value::Integer(bound.rows as i64 - 1);
            }
            ("moves" | "begin_constraint" | "end_constraint" | "begin_kinetic" | "kinetic_element", _) => {}
            ("potential" | "stiff" | "general" | "constraint", [Value::Foreign(family)]) => {
                name.clone_into(&mut bound.families[*family].role);
            }
            (name, arguments) => panic!("binder.{name}({arguments:?})"),
        }
        nothing
    }
}
