//! Sensitive parameters: fields of the model that a second compilation reads as coordinates at rest.
//!
//! The derivatives by all coordinates are then the derivatives by these fields, too. Nothing but the
//! meaning of `self.field` differs between the compilations. A field whose use ordinary Rust hides has
//! no derivative, and is refused.

use crate::ast::{Coordinate, Declaration, Kind, is_self};
use crate::error::{self, Errors};
use crate::walk::{Outermost, inside};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeMap;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprField, Ident, ImplItem, Member, Pat, Stmt};

/// The methods of arrays that the language knows or that ordinary Rust answers.
const OF_ARRAYS: [&str; 4] = ["iter", "into_iter", "len", "is_empty"];

/// The coordinate that `self.field` reads.
pub(crate) fn parameter(field: &ExprField, declaration: &Declaration) -> Option<usize> {
    declaration.parameter(of_self(field)?)
}

/// True if an expression reads a field that is a coordinate, other than its length.
pub(crate) fn reads(expression: &Expr, declaration: &Declaration) -> bool {
    if !declaration.parametric {
        return false;
    }
    let wanted = |field: &Ident| declaration.parameter(field).is_some();
    Fields::first(&wanted, |fields| fields.visit_expr(expression)).is_some()
}

/// The body of a method of the declaration that reads a field that is a coordinate.
pub(crate) fn reading_method<'d>(declaration: &'d Declaration, name: &Ident) -> Option<&'d Block> {
    let wanted = |field: &Ident| declaration.parameter(field).is_some();
    let body = method(declaration, name)?;
    Fields::first(&wanted, |fields| fields.visit_block(body)).map(|_| body)
}

/// The body of a method of the block.
fn method<'d>(declaration: &'d Declaration, name: &Ident) -> Option<&'d Block> {
    declaration.item.items.iter().find_map(|item| match item {
        ImplItem::Fn(method) if method.sig.ident == *name => Some(&method.block),
        _ => None,
    })
}

/// The declaration with its sensitive fields as coordinates behind its own.
pub(crate) fn with_parameters(mut declaration: Declaration, errors: &mut Errors) -> Declaration {
    let sensitive = declaration.sensitive.clone().unwrap_or_default();
    let mut uses = Uses::new(&declaration, &sensitive);
    for length in declaration.coordinates.iter().flat_map(|coordinate| &coordinate.lengths) {
        uses.counts(length);
    }
    let Declaration { lagrangian, helpers, .. } = &declaration;
    let beside = declaration.beside.iter().map(|beside| &beside.function);
    for function in [lagrangian].into_iter().chain(beside).chain(helpers) {
        uses.visit_block(&function.body);
    }
    for body in
        declaration.frequency.iter().chain(&declaration.phase).filter_map(|name| method(&declaration, name))
    {
        uses.visit_block(body);
    }
    let Uses { arrays, numbers, errors: found, .. } = uses;
    found.into_iter().for_each(|error| errors.push(error));
    let this = declaration.this();
    for name in sensitive {
        let text = name.to_string();
        let is_input = declaration.has_input(&name);
        match (arrays.get(&text), numbers.get(&text)) {
            _ if is_input => {}
            (Some(_), Some(number)) => errors.push(error::parameter_used_both_ways(number, &text)),
            (None, None) => errors.push(error::unread_parameter(&name, &text)),
            _ => {}
        }
        let lengths = if arrays.contains_key(&text) && !is_input {
            vec![syn::parse_quote!(#this.#name.len())]
        } else {
            Vec::new()
        };
        declaration.coordinates.push(Coordinate { name, kind: Kind::Scalar, lengths, parameter: true });
    }
    declaration.parametric = true;
    declaration
}

/// The name of a field of `self`.
fn of_self(field: &ExprField) -> Option<&Ident> {
    match (&*field.base, &field.member) {
        (base, Member::Named(name)) if is_self(base) => Some(name),
        _ => None,
    }
}

/// The field of `self` that an expression is, perhaps in parentheses.
fn field_of_self(expression: &Expr) -> Option<&Ident> {
    match expression {
        Expr::Field(field) => of_self(field),
        Expr::Paren(inner) => field_of_self(&inner.expr),
        Expr::Group(inner) => field_of_self(&inner.expr),
        _ => None,
    }
}

/// The first wanted name in the tokens of a macro.
fn in_tokens(tokens: TokenStream, wanted: &dyn Fn(&Ident) -> bool) -> Option<Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(name) => wanted(&name).then_some(name),
        TokenTree::Group(group) => in_tokens(group.stream(), wanted),
        TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    })
}

/// Looks for the first wanted field, lengths apart.
struct Fields<'w> {
    wanted: &'w dyn Fn(&Ident) -> bool,
    found: Option<Ident>,
}

impl<'w> Fields<'w> {
    fn first(wanted: &'w dyn Fn(&Ident) -> bool, visit: impl FnOnce(&mut Self)) -> Option<Ident> {
        let mut fields = Self { wanted, found: None };
        visit(&mut fields);
        fields.found
    }
}

impl<'ast> Visit<'ast> for Fields<'_> {
    fn visit_expr_field(&mut self, field: &'ast ExprField) {
        match of_self(field) {
            Some(name) if (self.wanted)(name) => {
                self.found.get_or_insert_with(|| name.clone());
            }
            _ => visit::visit_expr_field(self, field),
        }
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let field = in_tokens(call.tokens.clone(), self.wanted);
        self.found = self.found.take().or(field);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let of_length = call.method == "len" || call.method == "is_empty";
        if !(of_length && field_of_self(&call.receiver).is_some()) {
            visit::visit_expr_method_call(self, call);
        }
    }
}

/// The uses of sensitive fields in the methods of a declaration.
struct Uses<'d> {
    declaration: &'d Declaration,
    sensitive: &'d [Ident],
    /// The places where fields are arrays, and where they are numbers.
    arrays: BTreeMap<String, Ident>,
    numbers: BTreeMap<String, Ident>,
    errors: Vec<syn::Error>,
}

impl<'d> Uses<'d> {
    fn new(declaration: &'d Declaration, sensitive: &'d [Ident]) -> Self {
        let (arrays, numbers) = (BTreeMap::new(), BTreeMap::new());
        Self { declaration, sensitive, arrays, numbers, errors: Vec::new() }
    }

    /// The first sensitive field in an expression.
    fn first(&self, expression: &Expr) -> Option<Ident> {
        Fields::first(&|name| self.sensitive.contains(name), |fields| fields.visit_expr(expression))
    }

    /// Refuses a sensitive field in an expression for a whole number.
    fn counts(&mut self, expression: &Expr) {
        if let Some(name) = self.first(expression) {
            self.errors.push(error::counting_parameter(expression, &name.to_string()));
            self.note(&name, false);
        }
    }

    /// Refuses a call of a method that may read a sensitive field.
    fn hides(&mut self, method: &Ident) {
        let Some(first) = self.sensitive.first() else { return };
        let hidden = match self::method(self.declaration, method) {
            Some(body) => self.read_by(body, &mut vec![method.clone()]),
            None => Some(first.clone()),
        };
        if let Some(field) = hidden {
            self.note(&field, false);
            self.errors.push(error::hidden_parameter(method, &field.to_string(), &method.to_string()));
        }
    }

    /// A sensitive field that a body of ordinary Rust may read, itself or through other methods.
    fn read_by(&self, body: &'d Block, seen: &mut Vec<Ident>) -> Option<Ident> {
        let wanted = |name: &Ident| self.sensitive.contains(name);
        let mut found = Fields::first(&wanted, |fields| fields.visit_block(body));
        let mut calls = Inside::default();
        Outermost(&mut |expression| calls.look(expression)).visit_block(body);
        if calls.whole {
            found = found.or_else(|| self.sensitive.first().cloned());
        }
        for method in calls.methods {
            if found.is_some() || seen.contains(&method) {
                continue;
            }
            seen.push(method.clone());
            found = match self::method(self.declaration, &method) {
                Some(body) => self.read_by(body, seen),
                None => self.sensitive.first().cloned(),
            };
        }
        found
    }

    /// Visits a call; a function that takes the model, or makes another number, hides its work.
    fn passes(&mut self, call: &syn::ExprCall) {
        let function = crate::parse::text(&call.func);
        if let ("table", Some(Expr::Reference(signal))) = (&*function, call.args.get(1))
            && let Some(name) = field_of_self(&signal.expr).filter(|name| self.sensitive.contains(name))
        {
            self.errors.push(error::sensitive_course(name, &name.to_string()));
            return self.note(name, true);
        }
        let converts = function.starts_with("f64::") || function.starts_with("f32::");
        let makes_vector = call.args.len() == 1 && (function == "vec2" || function == "vec3");
        for argument in &call.args {
            if let Some(name) = field_of_self(argument).filter(|_| makes_vector) {
                self.note(name, true);
                continue;
            }
            let hidden = match argument {
                argument if is_self(argument) => self.sensitive.first().cloned(),
                Expr::Reference(inner) if is_self(&inner.expr) => self.sensitive.first().cloned(),
                argument if converts => self.first(argument),
                _ => None,
            };
            match hidden {
                Some(name) => {
                    self.errors.push(error::hidden_parameter(call, &name.to_string(), &function));
                    self.note(&name, false);
                }
                None => self.visit_expr(argument),
            }
        }
        self.visit_expr(&call.func);
    }

    /// Notes a use of a field.
    fn note(&mut self, name: &Ident, is_array: bool) {
        if self.sensitive.contains(name) {
            let uses = if is_array { &mut self.arrays } else { &mut self.numbers };
            uses.entry(name.to_string()).or_insert_with(|| name.clone());
        }
    }
}

impl<'ast> Visit<'ast> for Uses<'_> {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        match expression {
            Expr::Field(field) => match of_self(field) {
                Some(name) => self.note(name, false),
                None if is_self(&field.base) => {}
                None => visit::visit_expr(self, expression),
            },
            Expr::Index(index) => {
                self.counts(&index.index);
                match field_of_self(&index.expr) {
                    Some(name) => self.note(name, true),
                    None => self.visit_expr(&index.expr),
                }
                self.visit_expr(&index.index);
            }
            Expr::Reference(reference) => match field_of_self(&reference.expr) {
                Some(name) => self.note(name, true),
                None => visit::visit_expr(self, expression),
            },
            Expr::Range(range) => {
                range.start.iter().chain(&range.end).for_each(|end| self.counts(end));
                visit::visit_expr(self, expression);
            }
            Expr::Match(choice) => {
                self.counts(&choice.expr);
                visit::visit_expr(self, expression);
            }
            Expr::Cast(cast) => {
                if let Some(name) = self.first(&cast.expr) {
                    let target = cast.ty.to_token_stream().to_string();
                    let what = format!("as {target}");
                    self.errors.push(error::hidden_parameter(cast, &name.to_string(), &what));
                    self.note(&name, false);
                }
            }
            Expr::MethodCall(call) => {
                let of_self = is_self(&call.receiver);
                let is_helper = self.declaration.helpers.iter().any(|helper| helper.name == call.method);
                match field_of_self(&call.receiver) {
                    Some(name) => self.note(name, OF_ARRAYS.iter().any(|method| call.method == method)),
                    None if of_self && !is_helper => self.hides(&call.method),
                    None if of_self => {}
                    None => self.visit_expr(&call.receiver),
                }
                call.args.iter().for_each(|argument| self.visit_expr(argument));
            }
            Expr::Call(call) => {
                if let [items, Expr::Closure(closure)] = &call.args.iter().collect::<Vec<_>>()[..]
                    && is_tuple(closure.inputs.first())
                    && !matches!(items, Expr::MethodCall(call) if call.method == "enumerate")
                    && let Some(name) = self.first(items)
                {
                    self.errors.push(error::parameter_in_tuple(items, &name.to_string()));
                    return self.note(&name, true);
                }
                self.passes(call);
            }
            Expr::Path(path) if is_self(expression) => {
                if let Some(first) = self.sensitive.first() {
                    self.errors.push(error::hidden_parameter(path, &first.to_string(), "this expression"));
                }
            }
            _ => visit::visit_expr(self, expression),
        }
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if let Some(name) = in_tokens(call.tokens.clone(), &|name| self.sensitive.contains(name)) {
            let text = format!("{}!", crate::parse::text(&call.path));
            self.errors.push(error::hidden_parameter(call, &name.to_string(), &text));
            self.note(&name, false);
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        // Items inside of methods have no `self`.
        if !matches!(statement, Stmt::Item(_)) {
            visit::visit_stmt(self, statement);
        }
    }
}

/// True for a tuple, perhaps behind a reference.
fn is_tuple(pattern: Option<&Pat>) -> bool {
    match pattern {
        Some(Pat::Reference(inner)) => is_tuple(Some(&inner.pat)),
        Some(Pat::Tuple(_)) => true,
        _ => false,
    }
}

/// The methods of `self` that a body calls; `whole` if `self` itself goes elsewhere.
#[derive(Default)]
struct Inside {
    methods: Vec<Ident>,
    whole: bool,
}

impl Inside {
    fn look(&mut self, expression: &Expr) {
        match expression {
            Expr::Field(field) if is_self(&field.base) => {}
            Expr::MethodCall(call) if is_self(&call.receiver) => {
                self.methods.push(call.method.clone());
                call.args.iter().for_each(|argument| self.look(argument));
            }
            Expr::Path(_) if is_self(expression) => self.whole = true,
            _ => inside(expression, &mut |inner| self.look(inner)),
        }
    }
}
