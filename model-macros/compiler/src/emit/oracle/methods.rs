//! The methods of the declaration that take or return coordinates, with their arguments and results.

use super::shape::Shape;
use crate::ast::Sort;
use crate::ast::is_self;
use crate::parse::called;
use crate::walk::{Outermost, each};
use std::collections::HashMap;
use syn::visit::Visit;
use syn::{Expr, FnArg, ImplItem, ImplItemFn, ItemImpl, ReturnType, Type};

/// The methods of the declaration with coordinates: their arguments and results.
#[derive(Debug, Default)]
pub(super) struct Methods {
    signatures: HashMap<String, Signature>,
}

/// The shapes of a method's typed arguments and of its result; `None` for ordinary Rust.
#[derive(Debug)]
pub(super) struct Signature {
    pub(super) arguments: Vec<Option<Shape>>,
    pub(super) result: Option<Shape>,
    /// True if the method, or a method that it calls, marks a stiff part.
    pub(super) marked: bool,
}

impl Methods {
    pub(super) fn of(item: &ItemImpl) -> Self {
        let declared: Vec<&ImplItemFn> = declared(item).collect();
        let signatures = declared.iter().map(|method| (method.sig.ident.to_string(), Signature::of(method)));
        let mut methods = Self { signatures: signatures.collect() };
        let calls: Vec<_> =
            declared.iter().map(|method| (method.sig.ident.to_string(), calls_of(method))).collect();
        let mut news = true;
        while news {
            news = false;
            for (caller, called) in &calls {
                let marked = called.iter().any(|name| name == "stiff" || methods.is_marked(name));
                if marked && !methods.is_marked(caller) {
                    news = true;
                    methods.signatures.entry(caller.clone()).and_modify(|signature| signature.marked = true);
                }
            }
        }
        methods
    }

    /// True if the method of this name takes the mark of the stiff part.
    pub(super) fn is_marked(&self, name: &str) -> bool {
        self.signatures.get(name).is_some_and(|signature| signature.marked)
    }

    pub(super) fn get(&self, name: &syn::Ident) -> Option<&Signature> {
        self.signatures.get(&name.to_string())
    }
}

impl Signature {
    fn of(method: &ImplItemFn) -> Self {
        let arguments = method.sig.inputs.iter().filter_map(|argument| match argument {
            FnArg::Typed(typed) => Some(Shape::of_type(&typed.ty)),
            FnArg::Receiver(_) => None,
        });
        Self { arguments: arguments.collect(), result: result_of(method), marked: false }
    }
}

/// True if a method takes part in the declaration, rather than being ordinary Rust.
pub(super) fn speaks_of_coordinates(method: &ImplItemFn) -> bool {
    let typed = method.sig.inputs.iter().any(|argument| match argument {
        FnArg::Typed(typed) => Shape::of_type(&typed.ty).is_some(),
        FnArg::Receiver(_) => false,
    });
    typed || result_of(method).is_some() || says_something(method) || method.sig.ident == "lagrangian"
}

/// The methods that take part in the declaration.
pub(super) fn declared(item: &ItemImpl) -> impl Iterator<Item = &ImplItemFn> {
    item.items.iter().filter_map(|item| match item {
        ImplItem::Fn(method) if speaks_of_coordinates(method) => Some(method),
        _ => None,
    })
}

/// The names of the functions and methods of `self` that a method calls.
fn calls_of(method: &ImplItemFn) -> Vec<String> {
    let mut calls = Vec::new();
    let mut note = |expression: &Expr| match expression {
        Expr::Call(call) => calls.extend(called(call).map(ToString::to_string)),
        Expr::MethodCall(call) if is_self(&call.receiver) => calls.push(call.method.to_string()),
        _ => {}
    };
    Outermost(&mut |expression| each(expression, &mut note)).visit_impl_item_fn(method);
    calls
}

/// True for a constraint, a force or a dissipation.
pub(super) fn says_something(method: &ImplItemFn) -> bool {
    Sort::ALL.iter().any(|sort| has_attribute(method, sort.attribute()))
}

pub(super) fn has_attribute(method: &ImplItemFn, name: &str) -> bool {
    method.attrs.iter().any(|attribute| attribute.path().is_ident(name))
}

/// The shape of a method's result.
pub(super) fn result_of(method: &ImplItemFn) -> Option<Shape> {
    match &method.sig.output {
        ReturnType::Type(_, ty) => Shape::of_type(ty),
        ReturnType::Default => None,
    }
}

/// The array lengths in a signature that the generic types do not need. They are kept as statements, so
/// that rustc checks them too. The reads of the coordinates have the lengths of `lagrangian`.
pub(super) fn lengths(signature: &syn::Signature) -> Vec<Expr> {
    let mut lengths = Vec::new();
    let mut add = |mut ty: &Type| {
        while let (Type::Array(array), Some(_)) = (ty, Shape::of_type(ty)) {
            if !matches!(array.len, Expr::Lit(_)) && !lengths.contains(&array.len) {
                lengths.push(array.len.clone());
            }
            ty = &array.elem;
        }
    };
    if signature.ident != "lagrangian" {
        for argument in &signature.inputs {
            if let FnArg::Typed(typed) = argument {
                add(&typed.ty);
            }
        }
    }
    if let ReturnType::Type(_, ty) = &signature.output {
        add(ty);
    }
    lengths
}
