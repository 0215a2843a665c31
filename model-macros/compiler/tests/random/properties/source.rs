//! A declaration, run as it was written.

use super::number::Number;
use super::rust::{Run, Surroundings, Value, Variables};
use std::collections::BTreeMap;
use syn::{FnArg, ImplItem, ImplItemFn, ItemImpl, Pat, Type};

/// The parameters of a model, by name.
pub(super) type Parameters = BTreeMap<&'static str, Value<f64>>;

/// A coordinate of a declaration: its name, the components of an entry and the lengths of its array.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) components: usize,
    pub(super) lengths: Vec<usize>,
}

impl Group {
    pub(super) fn size(&self) -> usize {
        self.components * self.lengths.iter().product::<usize>()
    }
}

/// A declaration and its parameters.
pub(super) struct Source<'a> {
    pub(super) item: &'a ItemImpl,
    pub(super) parameters: &'a Parameters,
    pub(super) groups: &'a [Group],
}

impl<'a> Source<'a> {
    fn methods(&self) -> impl Iterator<Item = &'a ImplItemFn> {
        self.item.items.iter().filter_map(|item| match item {
            ImplItem::Fn(method) => Some(method),
            _ => None,
        })
    }

    /// L at q (with the velocities as rates) and t, stiff terms times `mark`.
    pub(super) fn lagrangian<N: Number>(&self, q: &[N], t: &N, mark: f64) -> N {
        let method = self.methods().find(|method| method.sig.ident == "lagrangian").expect("a Lagrangian");
        self.run(method, q, t, mark).number()
    }

    /// The rows of all methods under an attribute, in order.
    pub(super) fn rows<N: Number>(&self, attribute: &str, q: &[N], t: &N) -> Vec<N> {
        let marked = |method: &&ImplItemFn| method.attrs.iter().any(|own| own.path().is_ident(attribute));
        self.methods().filter(marked).flat_map(|method| self.run(method, q, t, 1.0).flat()).collect()
    }

    /// An expression in which coordinates are read from `q`, and the rest are `variables`.
    pub(super) fn evaluate(
        &self,
        expression: &syn::Expr,
        q: &[f64],
        t: f64,
        variables: &Variables<f64>,
    ) -> Value<f64> {
        let coordinates =
            self.groups.iter().map(|group| (group.name.clone(), self.coordinate(&group.name, q)));
        let mut all: Variables<f64> = coordinates.chain([("t".to_owned(), Value::Number(t))]).collect();
        all.extend(variables.iter().cloned());
        Run.expression(expression, &mut all, &mut Declared { source: self, mark: 1.0 })
    }

    fn run<N: Number>(&self, method: &ImplItemFn, q: &[N], t: &N, mark: f64) -> Value<N> {
        let mut variables = Vec::new();
        for input in &method.sig.inputs {
            let FnArg::Typed(argument) = input else { continue };
            let Pat::Ident(name) = &*argument.pat else { panic!("an argument has a name") };
            let name = name.ident.to_string();
            let is_time = matches!(&*argument.ty, Type::Path(path) if path.path.is_ident("Time"));
            let value = if is_time { Value::Number(t.clone()) } else { self.coordinate(&name, q) };
            variables.push((name, value));
        }
        let mut around = Declared { source: self, mark };
        Run.block(&method.block, &mut variables, &mut around)
    }

    fn coordinate<N: Number>(&self, name: &str, q: &[N]) -> Value<N> {
        let mut offset = 0;
        for group in self.groups {
            if group.name == name {
                return nested(group.components, &group.lengths, &q[offset..offset + group.size()]);
            }
            offset += group.size();
        }
        panic!("no coordinate {name}")
    }
}

fn nested<N: Number>(components: usize, lengths: &[usize], q: &[N]) -> Value<N> {
    match lengths {
        [] if components == 1 => Value::Number(q[0].clone()),
        [] if components == 9 => Value::Matrix(q.to_vec()),
        [] => Value::Vector(q.to_vec()),
        [length, inner @ ..] => {
            let size = q.len() / length;
            Value::List(q.chunks(size).map(|part| nested(components, inner, part)).collect())
        }
    }
}

struct Declared<'s, 'a> {
    source: &'s Source<'a>,
    mark: f64,
}

impl<N: Number> Surroundings<N> for Declared<'_, '_> {
    fn field(&self, name: &str) -> Value<N> {
        self.source.parameters[name].lifted()
    }

    fn call(&mut self, run: &mut Run, name: &str, _: &syn::Path, arguments: Vec<Value<N>>) -> Value<N> {
        if name == "stiff" {
            return Value::Number(arguments[0].number().multiply(&N::of(self.mark)));
        }
        let method = self.source.methods().find(|method| method.sig.ident == name);
        let method = method.unwrap_or_else(|| panic!("no function {name}"));
        let names = method.sig.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(argument) => match &*argument.pat {
                Pat::Ident(name) => Some(name.ident.to_string()),
                other => panic!("argument {other:?}"),
            },
            FnArg::Receiver(_) => None,
        });
        let mut variables = names.zip(arguments).collect();
        run.block(&method.block, &mut variables, self)
    }

    fn method(&mut self, _: usize, name: &str, _: Vec<Value<N>>, _: &Variables<N>) -> Value<N> {
        panic!("no method {name}")
    }
}
