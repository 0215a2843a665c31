//! Tokens → the declaration as written; records mistakes of form, and keeps the readable rest.

pub(crate) mod attribute;
mod mark;

use crate::ast::{Argument, Beside, Coordinate, Declaration, Function, Kind, Settings, Shape, Sort};
use crate::error::{self, Errors};
use crate::spelling;
use attribute::Arguments;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::visit::Visit;
use syn::{Expr, FnArg, ImplItem, ImplItemFn, ItemImpl, Pat, ReturnType, Type, spanned::Spanned};

/// The role of a method in the declaration.
enum Role {
    Lagrangian,
    Beside(Sort, Settings),
    Frequency,
    Phase,
    Helper,
    Ordinary,
}

/// Reads a declaration; `None` without exactly one `lagrangian`, with the reason among the errors.
pub fn parse(arguments: TokenStream, item: ItemImpl, errors: &mut Errors) -> Option<Declaration> {
    let Arguments { intent, sensitive, root } = attribute::arguments(arguments, errors);
    if let Some((path, _)) = &item.trait_ {
        errors.push(error::trait_impl(path));
        return None;
    }
    if let Some(lifetime) = first_lifetime(&item.self_ty) {
        errors.push(error::borrowing_model(lifetime));
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

    let (mut lagrangian, mut beside, mut helpers) = (None, Vec::new(), Vec::new());
    let (mut frequency, mut phase) = (None, None);
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
            Role::Beside(sort, settings) => {
                check_receiver(method, errors);
                beside.push(Beside { sort, function: function(method, errors), coordinate: 0, settings });
            }
            Role::Frequency => number_method(method, "frequency", &mut frequency, errors),
            Role::Phase => number_method(method, "phase", &mut phase, errors),
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
    beside.iter().for_each(|beside| check_output(beside, errors));
    let coordinates = coordinates(&lagrangian, errors);
    beside.iter().for_each(|beside| repeated(&beside.function, &coordinates, errors));
    let phased = [&lagrangian]
        .into_iter()
        .chain(beside.iter().map(|beside| &beside.function))
        .flat_map(|function| &function.arguments)
        .find(|argument| matches!(argument.shape, Shape::Phase))
        .map(|argument| argument.ty.clone());
    match (&frequency, phased, &phase) {
        (None, Some(ty), _) => errors.push(error::phase_without_frequency(ty)),
        (Some(name), None, _) | (None, None, Some(name)) => errors.push(error::frequency_without_phase(name)),
        _ => {}
    }
    beside.retain_mut(|beside| match beside.sort {
        // A reset of no event was a mistake before.
        Sort::Reset if beside.settings.event.is_none() => false,
        sort if sort.is_of_coordinate() => {
            target(beside, &coordinates, errors).map(|found| beside.coordinate = found).is_some()
        }
        _ => true,
    });
    check_resets(&beside, errors);
    beside.sort_by_key(|beside| Sort::ALL.iter().position(|sort| *sort == beside.sort));
    Some(Declaration {
        item,
        model,
        coordinates,
        lagrangian,
        beside,
        frequency,
        phase,
        helpers,
        intent,
        sensitive,
        parametric: false,
        root,
    })
}

/// Checks the type of a result; `target` checks one in the shape of a coordinate.
fn check_output(Beside { sort, function, .. }: &Beside, errors: &mut Errors) {
    let place = spanned(function.output_span);
    let has_rows = function.output.entry_and_lengths().is_some();
    match sort {
        Sort::Holonomic | Sort::Nonholonomic if !has_rows => {
            errors.push(error::constraint_output(place, sort.attribute()));
        }
        Sort::Event | Sort::Unilateral if !has_rows => {
            errors.push(error::moment_output(place, sort.attribute()));
        }
        Sort::Dissipation if !matches!(function.output, Shape::Entry(Kind::Scalar)) => {
            errors.push(error::dissipation_output(place));
        }
        _ => {}
    }
}

/// Refuses resets of events that are not there, and second resets of a coordinate at one.
fn check_resets(beside: &[Beside], errors: &mut Errors) {
    let of = |sort: Sort| beside.iter().filter(move |beside| beside.sort == sort);
    let names: Vec<String> = of(Sort::Event).map(|event| event.function.name.to_string()).collect();
    for (place, reset) in of(Sort::Reset).enumerate() {
        let Some(event) = &reset.settings.event else { continue };
        let name = event.to_string();
        if !names.contains(&name) {
            let near = spelling::nearest(&name, names.iter().map(String::as_str));
            errors.push(error::unknown_event(event, &name, near));
        }
        let is_same = |other: &&Beside| {
            other.coordinate == reset.coordinate && other.settings.event.as_ref() == Some(event)
        };
        if of(Sort::Reset).take(place).any(|other| is_same(&other)) {
            errors.push(error::doubled_reset(&reset.function.name, &name));
        }
    }
}

/// An expression without parentheses around it.
pub(crate) fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) => bare(&inner.expr),
        Expr::Group(inner) => bare(&inner.expr),
        other => other,
    }
}

/// An expression without parentheses and references around it.
pub(crate) fn lent(expression: &Expr) -> &Expr {
    match bare(expression) {
        Expr::Reference(inner) => lent(&inner.expr),
        other => other,
    }
}

/// The last word of the path of the function that a call names.
pub(crate) fn called(call: &syn::ExprCall) -> Option<&syn::Ident> {
    match &*call.func {
        Expr::Path(path) => path.path.segments.last().map(|last| &last.ident),
        _ => None,
    }
}

/// A pattern without its type, and the type.
pub(crate) fn untyped(pattern: &Pat) -> (&Pat, Option<&Type>) {
    match pattern {
        Pat::Type(typed) => (&typed.pat, Some(&typed.ty)),
        pattern => (pattern, None),
    }
}

/// The arguments of a method that are plain names, with their types.
pub(crate) fn arguments(method: &ImplItemFn) -> impl Iterator<Item = (&syn::Ident, &Type)> {
    method.sig.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(name) => Some((&name.ident, &*typed.ty)),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    })
}

/// The first lifetime in a type.
pub(crate) fn first_lifetime(ty: &Type) -> Option<syn::Lifetime> {
    let mut found = Lifetimes(None);
    found.visit_type(ty);
    found.0
}

struct Lifetimes(Option<syn::Lifetime>);

impl<'ast> Visit<'ast> for Lifetimes {
    fn visit_lifetime(&mut self, lifetime: &'ast syn::Lifetime) {
        self.0.get_or_insert_with(|| lifetime.clone());
    }
}

/// A method that gives a number: `fn frequency(&self) -> f64`.
fn number_method(method: &ImplItemFn, role: &str, found: &mut Option<syn::Ident>, errors: &mut Errors) {
    let signature = &method.sig;
    check_receiver(method, errors);
    if found.is_some() {
        errors.push(error::doubled_role(&signature.ident, role));
        return;
    }
    let is_number = matches!(&signature.output, ReturnType::Type(_, ty)
        if matches!(&**ty, Type::Path(path) if path.path.is_ident("f64")));
    if !is_number || signature.inputs.len() > 1 {
        errors.push(error::number_signature(signature, role, &signature.ident.to_string()));
    }
    *found = Some(signature.ident.clone());
}

/// The coordinate of a force or a reset: the named one, or the only one of its type; a torque, and the
/// velocity of an angle, is a `Scalar`.
fn target(
    Beside { sort, function, settings, .. }: &Beside,
    coordinates: &[Coordinate],
    errors: &mut Errors,
) -> Option<usize> {
    let word = sort.word();
    let forced = |coordinate: &Coordinate| type_text(of_force(coordinate.kind), &coordinate.lengths);
    let fits = |coordinate: &Coordinate, here: &str| {
        forced(coordinate) == here || type_text(coordinate.kind, &coordinate.lengths) == here
    };
    let Some(here) = function.output.entry_and_lengths().map(|(kind, lengths)| type_text(kind, &lengths))
    else {
        errors.push(error::force_output(spanned(function.output_span), sort.attribute(), word));
        return None;
    };
    if let Some(target) = &settings.coordinate {
        let name = target.to_string();
        let Some(coordinate) = coordinates.iter().position(|known| known.name == name) else {
            let names: Vec<String> = coordinates.iter().map(|c| c.name.to_string()).collect();
            let near = spelling::nearest(&name, names.iter().map(String::as_str));
            errors.push(error::unknown_coordinate(target, &name, near));
            return None;
        };
        if !fits(&coordinates[coordinate], &here) {
            let expected = forced(&coordinates[coordinate]);
            errors.push(error::force_shape(spanned(function.output_span), word, &here, &[(name, expected)]));
            return None;
        }
        return Some(coordinate);
    }
    let fitting: Vec<usize> = (0..coordinates.len()).filter(|&k| fits(&coordinates[k], &here)).collect();
    match fitting[..] {
        [coordinate] => Some(coordinate),
        [] => {
            let all: Vec<_> = coordinates.iter().map(|c| (c.name.to_string(), forced(c))).collect();
            errors.push(error::force_shape(spanned(function.output_span), word, &here, &all));
            None
        }
        _ => {
            let names: Vec<_> = fitting.iter().map(|&k| format!("`{}`", coordinates[k].name)).collect();
            let all = names.join(" or ");
            let before = settings.event.as_ref().map_or(String::new(), |event| format!("{event}, "));
            let example = format!("{}({before}{})", sort.attribute(), names[0].trim_matches('`'));
            errors.push(error::force_target(&function.name, word, &all, &example));
            None
        }
    }
}

/// The kind of an entry of the force on an entry of a coordinate.
fn of_force(kind: Kind) -> Kind {
    if kind == Kind::Angle { Kind::Scalar } else { kind }
}

fn spanned(span: proc_macro2::Span) -> impl ToTokens {
    syn::Ident::new("_here", span)
}

fn role(method: &ImplItemFn, errors: &mut Errors) -> Role {
    const WORDS: [&str; 2] = ["frequency", "phase"];
    let word = |attribute: &syn::Attribute| {
        let words = WORDS.into_iter().chain(Sort::ALL.map(Sort::attribute));
        words.into_iter().find(|word| attribute.path().is_ident(word))
    };
    let mut marks = method.attrs.iter().filter_map(|attribute| Some((attribute, word(attribute)?)));
    if let Some((attribute, first)) = marks.next() {
        if let Some((second, other)) = marks.next() {
            errors.push(error::doubled_mark(second, first, other));
        }
        if let Some(sort) = Sort::ALL.into_iter().find(|sort| sort.attribute() == first) {
            return Role::Beside(sort, mark::settings(attribute, sort, errors));
        }
        if !matches!(attribute.meta, syn::Meta::Path(_)) {
            errors.push(error::mark_with_arguments(attribute, first));
        }
        return if first == "frequency" { Role::Frequency } else { Role::Phase };
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

/// True if a type is one of the language's, inside arrays too.
fn mentions_language(ty: &Type) -> bool {
    match ty {
        Type::Array(array) => mentions_language(&array.elem),
        single => !matches!(shape(single), Shape::Rust),
    }
}

/// The methods that the compiler calls take `&self`, the parameters; helpers need not.
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
        let shape = shape(&argument.ty);
        if is_array_of_inputs(&shape) {
            errors.push(error::array_of_inputs(&argument.ty));
        }
        arguments.push(Argument { name: name.ident.clone(), shape, ty: (*argument.ty).clone() });
    }
    let (output, output_span) = match &signature.output {
        ReturnType::Type(_, ty) => (shape(ty), ty.span()),
        ReturnType::Default => (Shape::Rust, signature.ident.span()),
    };
    Function { name: signature.ident.clone(), arguments, output, output_span, body: method.block.clone() }
}

/// The type in the language.
fn shape(ty: &Type) -> Shape {
    match ty {
        Type::Array(array) => Shape::Array(Box::new(shape(&array.elem)), Box::new(array.len.clone())),
        Type::Path(path) => match path.path.get_ident().map(ToString::to_string).as_deref() {
            Some("Time") => Shape::Time,
            Some("Phase") => Shape::Phase,
            Some("Input") => Shape::Input,
            name => name.and_then(Kind::of_name).map_or(Shape::Rust, Shape::Entry),
        },
        _ => Shape::Rust,
    }
}

/// The coordinates: the arguments of `lagrangian` that do not stand for the time, a phase or an input.
fn coordinates(lagrangian: &Function, errors: &mut Errors) -> Vec<Coordinate> {
    let mut coordinates: Vec<Coordinate> = Vec::new();
    for argument in &lagrangian.arguments {
        if argument.shape.is_in_time() {
            continue;
        }
        let Some((kind, lengths)) = argument.shape.entry_and_lengths() else {
            if !mentions_language(&argument.ty) {
                errors.push(error::not_a_coordinate_type(argument));
            }
            continue;
        };
        if coordinates.iter().any(|known| known.name == argument.name) {
            errors.push(error::doubled_coordinate(&argument.name, &argument.name.to_string()));
            continue;
        }
        coordinates.push(Coordinate { name: argument.name.clone(), kind, lengths, parameter: false });
    }
    if coordinates.is_empty() && errors.is_empty() {
        errors.push(error::no_coordinates(&lagrangian.name));
    }
    coordinates
}

/// True for an array of inputs.
fn is_array_of_inputs(shape: &Shape) -> bool {
    match shape {
        Shape::Array(entry, _) => matches!(**entry, Shape::Input) || is_array_of_inputs(entry),
        _ => false,
    }
}

/// The arguments of a constraint repeat coordinates by name and type.
fn repeated(function: &Function, coordinates: &[Coordinate], errors: &mut Errors) {
    for argument in &function.arguments {
        if argument.shape.is_in_time() || is_array_of_inputs(&argument.shape) {
            continue;
        }
        let name = argument.name.to_string();
        let Some(known) = coordinates.iter().find(|coordinate| coordinate.name == name) else {
            let names: Vec<String> = coordinates.iter().map(|c| c.name.to_string()).collect();
            let near = spelling::nearest(&name, names.iter().map(String::as_str));
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

fn type_text(kind: Kind, lengths: &[Expr]) -> String {
    lengths.iter().rev().fold(kind.name().to_owned(), |inner, length| format!("[{inner}; {}]", text(length)))
}

/// Tokens as the user would write them.
pub(crate) fn text(tokens: &impl ToTokens) -> String {
    let text = tokens
        .to_token_stream()
        .to_string()
        .replace(" . ", ".")
        .replace(" :: ", "::")
        .replace("& ", "&")
        .replace(" ,", ",")
        .replace(" [", "[");
    // Outside rustc, tokens have a space between the name of a function and its arguments.
    let mut parts = text.split(" (");
    let mut joined = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let word = joined.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_').next();
        let keyword = ["", "if", "in", "as", "match", "else", "return", "let", "move", "for"];
        joined.push_str(if keyword.contains(&word.unwrap_or_default()) { " (" } else { "(" });
        joined.push_str(part);
    }
    joined
}
