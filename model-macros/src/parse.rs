//! Tokens → the declaration as written; mistakes of form are recorded, and what can be read is kept.

use crate::ast::{Argument, Coordinate, Declaration, Function, Kind, Shape};
use crate::error::{self, Errors};
use quote::ToTokens;
use syn::{FnArg, ImplItem, ImplItemFn, ItemImpl, Pat, ReturnType, Type, spanned::Spanned};

/// The role of a method in the declaration.
enum Role {
    Lagrangian,
    Holonomic,
    Helper,
    Ordinary,
}

/// Reads a declaration. `None` when there is no single `lagrangian` to build on; the reason is among the errors.
pub(crate) fn parse(item: ItemImpl, errors: &mut Errors) -> Option<Declaration> {
    if let Some((path, _)) = &item.trait_ {
        errors.push(error::trait_impl(path));
        return None;
    }
    if !item.generics.params.is_empty() {
        errors.push(error::generic_model(&item.generics));
        return None;
    }
    let model = match &*item.self_ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.clone()),
        _ => None,
    };
    let Some(model) = model else {
        errors.push(error::not_a_model(&item.self_ty));
        return None;
    };

    let (mut lagrangian, mut constraints, mut helpers) = (None, Vec::new(), Vec::new());
    let mut names: Vec<&syn::Ident> = Vec::new();
    for member in &item.items {
        let ImplItem::Fn(method) = member else { continue };
        let name = &method.sig.ident;
        if names.contains(&name) && name != "lagrangian" {
            errors.push(error::doubled_method(name, &name.to_string()));
            continue;
        }
        names.push(name);
        match role(method, errors) {
            Role::Ordinary => {}
            Role::Lagrangian if lagrangian.is_some() => {
                errors.push(error::doubled_lagrangian(&method.sig.ident));
            }
            Role::Lagrangian => {
                check_receiver(method, errors);
                lagrangian = Some(function(method, errors));
            }
            Role::Holonomic => {
                check_receiver(method, errors);
                constraints.push(function(method, errors));
            }
            Role::Helper => helpers.push(function(method, errors)),
        }
    }
    let Some(lagrangian) = lagrangian else {
        errors.push(error::no_lagrangian(&item.self_ty));
        return None;
    };
    if !matches!(lagrangian.output, Shape::Entry(Kind::Scalar)) {
        errors.push(error::lagrangian_output(spanned(lagrangian.output_span)));
    }
    for constraint in &constraints {
        if constraint.output.entry_and_lengths().is_none() {
            errors.push(error::constraint_output(spanned(constraint.output_span)));
        }
    }
    let coordinates = coordinates(&lagrangian, errors);
    for function in &constraints {
        repeated(function, &coordinates, errors);
    }
    Some(Declaration { item, model, coordinates, lagrangian, constraints, helpers })
}

fn spanned(span: proc_macro2::Span) -> impl ToTokens {
    syn::Ident::new("_here", span)
}

fn role(method: &ImplItemFn, errors: &mut Errors) -> Role {
    for attribute in &method.attrs {
        for later in ["force", "frequency"] {
            if attribute.path().is_ident(later) {
                errors.push(error::later_attribute(attribute, later));
                return Role::Ordinary;
            }
        }
        if attribute.path().is_ident("holonomic") {
            return Role::Holonomic;
        }
    }
    if method.sig.ident == "lagrangian" {
        return Role::Lagrangian;
    }
    let types = method.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(argument) => Some(&*argument.ty),
        FnArg::Receiver(_) => None,
    });
    let output = match &method.sig.output {
        ReturnType::Type(_, ty) => Some(&**ty),
        ReturnType::Default => None,
    };
    if types.chain(output).any(mentions_language) { Role::Helper } else { Role::Ordinary }
}

/// Whether a type is one of the language's, inside arrays too.
fn mentions_language(ty: &Type) -> bool {
    match ty {
        Type::Array(array) => mentions_language(&array.elem),
        Type::Path(path) => ["Scalar", "Angle", "Vec2", "Vec3", "Mat3", "Time", "Phase"]
            .iter()
            .any(|name| path.path.is_ident(name)),
        _ => false,
    }
}

/// The methods that the compiler calls take the parameters of the model; helpers need not.
fn check_receiver(method: &ImplItemFn, errors: &mut Errors) {
    if method.sig.receiver().is_none() {
        errors.push(error::needs_self(&method.sig.ident, &method.sig.ident.to_string()));
    }
}

fn function(method: &ImplItemFn, errors: &mut Errors) -> Function {
    let signature = &method.sig;
    if let Some(token) = &signature.asyncness {
        errors.push(error::modified_function(token, "async"));
    }
    if !signature.generics.params.is_empty() {
        errors.push(error::modified_function(&signature.generics, "generic"));
    }
    let mut arguments = Vec::new();
    for input in &signature.inputs {
        let FnArg::Typed(argument) = input else { continue };
        let Pat::Ident(name) = &*argument.pat else {
            errors.push(error::argument_name(&argument.pat));
            continue;
        };
        let shape = shape(&argument.ty, errors);
        arguments.push(Argument { name: name.ident.clone(), shape, ty: (*argument.ty).clone() });
    }
    let (output, output_span) = match &signature.output {
        ReturnType::Type(_, ty) => (shape(ty, errors), ty.span()),
        ReturnType::Default => (Shape::Rust, signature.ident.span()),
    };
    Function { name: signature.ident.clone(), arguments, output, output_span, body: method.block.clone() }
}

/// The type in the language.
fn shape(ty: &Type, errors: &mut Errors) -> Shape {
    match ty {
        Type::Array(array) => Shape::Array(Box::new(shape(&array.elem, errors)), Box::new(array.len.clone())),
        Type::Path(path) => {
            let is = |name: &str| path.path.is_ident(name);
            if is("Scalar") {
                Shape::Entry(Kind::Scalar)
            } else if is("Angle") {
                Shape::Entry(Kind::Angle)
            } else if is("Vec2") {
                Shape::Entry(Kind::Vec2)
            } else if is("Vec3") {
                Shape::Entry(Kind::Vec3)
            } else if is("Time") {
                Shape::Time
            } else {
                for later in ["Mat3", "Phase"] {
                    if is(later) {
                        errors.push(error::later_type(ty, later));
                    }
                }
                Shape::Rust
            }
        }
        _ => Shape::Rust,
    }
}

/// The coordinates are the arguments of `lagrangian` that are not the time.
fn coordinates(lagrangian: &Function, errors: &mut Errors) -> Vec<Coordinate> {
    let mut coordinates: Vec<Coordinate> = Vec::new();
    for argument in &lagrangian.arguments {
        if matches!(argument.shape, Shape::Time) {
            continue;
        }
        let Some((kind, lengths)) = argument.shape.entry_and_lengths() else {
            if !mentions_language(&argument.ty) {
                errors.push(error::not_a_coordinate_type(&argument.ty));
            }
            continue;
        };
        if coordinates.iter().any(|known| known.name == argument.name) {
            errors.push(error::doubled_coordinate(&argument.name, &argument.name.to_string()));
            continue;
        }
        coordinates.push(Coordinate { name: argument.name.clone(), kind, lengths });
    }
    if coordinates.is_empty() && errors.is_empty() {
        errors.push(error::no_coordinates(&lagrangian.name));
    }
    coordinates
}

/// The arguments of a constraint repeat coordinates by name and type.
fn repeated(function: &Function, coordinates: &[Coordinate], errors: &mut Errors) {
    for argument in &function.arguments {
        if matches!(argument.shape, Shape::Time) {
            continue;
        }
        let name = argument.name.to_string();
        let Some(known) = coordinates.iter().find(|coordinate| coordinate.name == name) else {
            let names: Vec<String> = coordinates.iter().map(|c| c.name.to_string()).collect();
            let near = error::nearest(&name, names.iter().map(String::as_str));
            errors.push(error::unknown_coordinate(&argument.name, &name, near));
            continue;
        };
        let declared = type_text(known.kind, &known.lengths);
        let here = argument
            .shape
            .entry_and_lengths()
            .map_or_else(|| text(&argument.ty), |(kind, lengths)| type_text(kind, &lengths));
        if declared != here {
            errors.push(error::redeclared_coordinate(&argument.ty, &name, &declared, &here));
        }
    }
}

fn type_text(kind: Kind, lengths: &[syn::Expr]) -> String {
    lengths.iter().rev().fold(kind.name().to_owned(), |inner, length| format!("[{inner}; {}]", text(length)))
}

/// Tokens as the user would write them.
pub(crate) fn text(tokens: &impl ToTokens) -> String {
    tokens
        .to_token_stream()
        .to_string()
        .replace(" . ", ".")
        .replace(" :: ", "::")
        .replace("& ", "&")
        .replace(" ,", ",")
        .replace(" [", "[")
}
