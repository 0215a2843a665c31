//! The user's code, token by token, with generic types and functions for the words of the language.

use super::ClosureShapes;
use super::methods::{Methods, Signature, lengths};
use super::scope::{Scope, UNNAMED};
use super::shape::{Shape, constant};
use super::usage::use_of;
use crate::ast::Sort;
use crate::ast::is_self;
use proc_macro2::Span;
use quote::format_ident;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprClosure, FnArg, Ident, ImplItemFn, Local, Pat, Stmt, Type, parse_quote_spanned};

/// The generic version of a method, [`renamed`]. A mark for a stiff part is its last argument.
pub(super) fn generic(method: &ImplItemFn, methods: &Methods, closures: ClosureShapes<'_>) -> ImplItemFn {
    let mark = methods.is_marked(&method.sig.ident.to_string());
    // Calls, which show the parameters of a closure, follow its definition: repeat until all is learnt.
    let mut learnt = Vec::new();
    loop {
        let mut copy = method.clone();
        let mut rewriter =
            Rewriter { scope: Scope::new(methods), closures, learnt, definitions: 0, mark, news: false };
        rewriter.method(&mut copy);
        if !rewriter.news {
            return copy;
        }
        learnt = rewriter.learnt;
    }
}

/// The name of the generic version of a method.
pub(super) fn renamed(name: &Ident) -> Ident {
    format_ident!("__{}", name, span = name.span())
}

/// The hidden argument by which `stiff(…)` is multiplied.
pub(super) fn mark_argument() -> Ident {
    Ident::new("mark", Span::mixed_site())
}

/// The generic type of a shape.
pub(super) fn generic_type(shape: &Shape, span: Span) -> Type {
    match shape {
        Shape::Scalar => parse_quote_spanned!(span=> ::least_action::expr::Scalar<T>),
        Shape::Vec2 => parse_quote_spanned!(span=> ::least_action::expr::Vec2<T>),
        Shape::Vec3 => parse_quote_spanned!(span=> ::least_action::expr::Vec3<T>),
        Shape::Mat3 => parse_quote_spanned!(span=> ::least_action::expr::Mat3<T>),
        Shape::Array(entry) => {
            let entry = generic_type(entry, span);
            parse_quote_spanned!(span=> ::least_action::emitted::v1::Array<#entry>)
        }
        // Types that rustc infers.
        Shape::Near { .. } | Shape::Tuple(_) => parse_quote_spanned!(span=> _),
        Shape::Number => parse_quote_spanned!(span=> f64),
        Shape::Index => parse_quote_spanned!(span=> usize),
    }
}

struct Rewriter<'a> {
    scope: Scope<'a>,
    closures: ClosureShapes<'a>,
    /// For each closure bound by `let`, in order: the argument shapes of the first call that shows them.
    learnt: Vec<Vec<Option<Shape>>>,
    definitions: usize,
    mark: bool,
    news: bool,
}

impl Rewriter<'_> {
    fn method(&mut self, method: &mut ImplItemFn) {
        let lengths = lengths(&method.sig);
        method.attrs.retain(|attribute| {
            let words = Sort::ALL.iter().map(|sort| sort.attribute()).chain(["frequency", "phase"]);
            !words.into_iter().any(|word| attribute.path().is_ident(word))
        });
        method.vis = syn::Visibility::Inherited;
        let declares = method.sig.ident == "lagrangian";
        method.sig.ident = renamed(&method.sig.ident);
        method
            .sig
            .generics
            .params
            .push(parse_quote_spanned!(method.sig.ident.span()=> T: ::least_action::expr::Number));
        for argument in &mut method.sig.inputs {
            if let FnArg::Typed(typed) = argument {
                // Rust has no comments on arguments.
                typed.attrs.clear();
                let shape = Shape::of_type(&typed.ty);
                self.scope.bind(&typed.pat, shape.as_ref());
                if let Some(shape) = shape {
                    *typed.ty = argument_type(&shape, typed.ty.span());
                }
            }
        }
        if declares {
            self.scope.are_coordinates();
        }
        if self.mark {
            let mark = mark_argument();
            method
                .sig
                .inputs
                .push(parse_quote_spanned!(Span::mixed_site()=> #mark: ::least_action::expr::Scalar<T>));
        }
        let mut result = None;
        if let syn::ReturnType::Type(_, ty) = &mut method.sig.output {
            result = Shape::of_type(ty);
            if let Some(shape) = &result {
                **ty = generic_type(shape, ty.span());
            }
        }
        self.body(&mut method.block, result.as_ref());
        let checks =
            lengths.iter().map(|length| parse_quote_spanned!(length.span()=> let _: usize = #length;));
        method.block.stmts.splice(0..0, checks);
    }

    /// The body of a method, whose value must fit the result type.
    fn body(&mut self, block: &mut Block, result: Option<&Shape>) {
        let tail = self.statements(&mut block.stmts);
        let lifted = match result {
            Some(Shape::Array(_)) => true,
            Some(_) => tail.is_none(),
            None => false,
        };
        if let (true, Some(Stmt::Expr(tail, None))) = (lifted, block.stmts.last_mut()) {
            lift(tail);
        }
    }

    /// Rewrites statements, leaves their names in scope, and returns the shape of the value.
    fn statements(&mut self, statements: &mut [Stmt]) -> Option<Shape> {
        let mut shape = None;
        let last = statements.len();
        for (position, statement) in statements.iter_mut().enumerate() {
            match statement {
                Stmt::Local(local) => self.visit_local_mut(local),
                Stmt::Expr(tail, None) if position + 1 == last => {
                    shape = self.scope.shape(tail);
                    self.visit_expr_mut(tail);
                }
                other => self.visit_stmt_mut(other),
            }
        }
        shape
    }

    /// A closure used as an inlined function: its parameters get the types that its calls show.
    fn named_closure(&mut self, name: &Ident, closure: &mut ExprClosure) {
        let definition = self.definitions;
        self.definitions += 1;
        if self.learnt.len() <= definition {
            self.learnt.resize(definition + 1, Vec::new());
        }
        let known = self.learnt[definition].clone();
        let original = closure.clone();
        let mark = self.scope.enter();
        for (position, parameter) in closure.inputs.iter_mut().enumerate() {
            let told = match &*parameter {
                Pat::Ident(name) => (self.closures)(&name.ident),
                _ => None,
            };
            let shape = told.or_else(|| known.get(position).cloned().flatten());
            self.scope.bind(parameter, shape.as_ref());
            let Pat::Ident(name) = &*parameter else { continue };
            let annotation = shape.or_else(|| use_of(&name.ident, &original.body));
            if let Some(shape) = annotation {
                let ty = argument_type(&shape, name.span());
                let pattern = parameter.clone();
                *parameter = Pat::Type(parse_quote_spanned!(pattern.span()=> #pattern: #ty));
            }
        }
        self.closure_parts(closure);
        self.scope.leave(mark);
        self.scope.bind_closure(name, definition, original);
    }

    /// Rewrites a closure whose parameters have this shape.
    fn closure_of(&mut self, closure: &mut ExprClosure, shape: Option<&Shape>) {
        let mark = self.scope.enter();
        closure.inputs.iter().for_each(|parameter| self.scope.bind(parameter, shape));
        self.closure_parts(closure);
        self.scope.leave(mark);
    }

    /// Rewrites types, result and body of a closure whose parameters are in scope.
    fn closure_parts(&mut self, closure: &mut ExprClosure) {
        for parameter in &mut closure.inputs {
            if let Pat::Type(typed) = parameter
                && let Some(shape) = Shape::of_type(&typed.ty)
            {
                *typed.ty = argument_type(&shape, typed.ty.span());
            }
        }
        self.visit_return_type_mut(&mut closure.output);
        self.visit_expr_mut(&mut closure.body);
    }

    /// Learns the shapes of a closure's parameters from a call, and lifts numbers for its scalars.
    fn call_of_closure(&mut self, definition: usize, call: &mut syn::ExprCall) {
        let shapes: Vec<_> = call.args.iter().map(|argument| self.scope.shape(argument)).collect();
        if let Some(known) = self.learnt.get_mut(definition) {
            known.resize(known.len().max(shapes.len()), None);
            for (known, shape) in known.iter_mut().zip(&shapes) {
                if known.is_none() && shape.is_some() {
                    known.clone_from(shape);
                    self.news = true;
                }
            }
        }
        let known = self.learnt.get(definition).cloned().unwrap_or_default();
        for ((argument, shape), known) in call.args.iter_mut().zip(&shapes).zip(&known) {
            self.visit_expr_mut(argument);
            adapt(argument, shape.as_ref(), known.as_ref());
        }
    }

    /// Arguments of a method of the declaration: numbers become scalars, arrays are lent.
    fn arguments(
        &mut self,
        called: &Signature,
        arguments: &mut syn::punctuated::Punctuated<Expr, syn::Token![,]>,
    ) {
        for (position, argument) in arguments.iter_mut().enumerate() {
            let shape = self.scope.shape(argument);
            self.visit_expr_mut(argument);
            adapt(argument, shape.as_ref(), called.arguments.get(position).and_then(Option::as_ref));
        }
        if called.marked {
            let mark = mark_argument();
            arguments.push(parse_quote_spanned!(Span::mixed_site()=> #mark));
        }
    }

    /// Lifts branches that are plain numbers, if another branch depends on coordinates.
    fn lift_branches(&mut self, expression: &mut Expr) {
        match expression {
            Expr::If(branches) => {
                self.lift_tail(&mut branches.then_branch);
                if let Some((_, other)) = &mut branches.else_branch {
                    self.lift_branches(other);
                }
            }
            Expr::Block(block) => self.lift_tail(&mut block.block),
            other => {
                if self.scope.shape(other).is_none() {
                    lift(other);
                }
            }
        }
    }

    fn lift_tail(&mut self, block: &mut Block) {
        let whole = Expr::Block(syn::ExprBlock { attrs: Vec::new(), label: None, block: block.clone() });
        if self.scope.shape(&whole).is_none()
            && let Some(Stmt::Expr(tail, None)) = block.stmts.last_mut()
        {
            lift(tail);
        }
    }

    /// A call of a function of Rust: it takes dual numbers that carry the rates along.
    fn opaque(&mut self, call: &mut syn::ExprCall) -> Expr {
        for argument in &mut call.args {
            let shape = self.scope.shape(argument);
            self.visit_expr_mut(argument);
            let span = argument.span();
            *argument = match shape {
                Some(_) => parse_quote_spanned!(span=> ::least_action::expr::Scalar::<T>::dual(#argument)),
                None => parse_quote_spanned!(span=> ::core::convert::Into::into(#argument)),
            };
        }
        parse_quote_spanned!(call.func.span()=> ::least_action::expr::Scalar::<T>::of_dual(#call))
    }

    /// A call of a function of the language by its full path, so that no import is needed.
    fn builtin(&mut self, call: &mut syn::ExprCall) {
        let Expr::Path(function) = &mut *call.func else { return };
        let path = &function.path;
        let own = path.segments.len() == 1 || path.segments[0].ident == "least_action";
        let Some(name) = path.segments.last().map(|segment| segment.ident.clone()) else { return };
        if !own || (path.segments.len() == 1 && self.scope.binds(&name)) {
            return;
        }
        let span = name.span();
        let from = format_ident!("{}_from", name, span = span);
        function.path = match (name.to_string().as_str(), call.args.len()) {
            ("sum" | "each" | "pairs" | "der" | "table" | "periodic", _) => {
                parse_quote_spanned!(span=> ::least_action::expr::#name)
            }
            ("switched" | "shifted" | "force_shifted", _) => {
                parse_quote_spanned!(span=> ::least_action::expr::#name::<T, _>)
            }
            ("within" | "between", _) => {
                for points in call.args.iter_mut().skip(1) {
                    *points = parse_quote_spanned!(points.span()=> &#points);
                }
                parse_quote_spanned!(span=> ::least_action::expr::#name)
            }
            ("mat3", 1) => {
                let argument = &call.args[0];
                call.args[0] = parse_quote_spanned!(argument.span()=> ::least_action::emitted::v1::Entries3x3(#argument).rows());
                parse_quote_spanned!(span=> ::least_action::expr::Mat3::<T>::constant)
            }
            ("vec2" | "vec3", 1) => parse_quote_spanned!(span=> ::least_action::expr::#from::<T, _>),
            ("vec2", _) => parse_quote_spanned!(span=> ::least_action::expr::#name::<T, _, _>),
            ("vec3", _) => parse_quote_spanned!(span=> ::least_action::expr::#name::<T, _, _, _>),
            ("stiff", 1) if self.mark => {
                let mark = mark_argument();
                let part = &call.args[0];
                call.args[0] = parse_quote_spanned!(part.span()=> #mark * (#part));
                parse_quote_spanned!(span=> ::least_action::expr::#name)
            }
            ("stiff", _) => parse_quote_spanned!(span=> ::least_action::expr::#name),
            _ => return,
        };
    }
}

impl VisitMut for Rewriter<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let mark = self.scope.enter();
        self.statements(&mut block.stmts);
        self.scope.leave(mark);
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        if let (Pat::Ident(name), Some(init)) = (&local.pat, &mut local.init)
            && let Expr::Closure(closure) = &mut *init.expr
        {
            let name = name.ident.clone();
            self.named_closure(&name, closure);
            return;
        }
        let original = local.clone();
        visit_mut::visit_local_mut(self, local);
        match &original.init {
            Some(init) => self.scope.bind_value(&original.pat, &init.expr),
            None => self.scope.bind(&original.pat, None),
        }
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        self.closure_of(closure, None);
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        let mark = self.scope.enter();
        self.scope.bind(&arm.pat, None);
        visit_mut::visit_arm_mut(self, arm);
        self.scope.leave(mark);
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        match ty {
            Type::Path(_) if Shape::of_type(ty).is_some() => {
                if let Some(shape) = Shape::of_type(ty) {
                    *ty = generic_type(&shape, ty.span());
                }
            }
            _ => visit_mut::visit_type_mut(self, ty),
        }
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        match expression {
            Expr::If(_) if self.scope.shape(expression).is_some() => self.lift_branches(expression),
            Expr::Match(choice) if choice.arms.iter().any(|arm| self.scope.shape(&arm.body).is_some()) => {
                choice.arms.iter_mut().for_each(|arm| self.lift_branches(&mut arm.body));
            }
            Expr::Array(array) if array.elems.iter().any(|entry| self.scope.shape(entry).is_some()) => {
                array.elems.iter_mut().for_each(|entry| self.lift_branches(entry));
            }
            _ => {}
        }
        match expression {
            Expr::Call(call) => {
                if let Some(definition) = self.scope.closure(&call.func) {
                    self.call_of_closure(definition, call);
                    return;
                }
                if let [items, Expr::Closure(closure)] =
                    call.args.iter_mut().collect::<Vec<_>>().as_mut_slice()
                {
                    // The item of `sum(bobs.iter(), |bob| …)` is an entry of the array.
                    let item = self.scope.item(items);
                    let lent = matches!(items, Expr::Path(_))
                        && matches!(self.scope.shape(items), Some(Shape::Near { .. }));
                    self.visit_expr_mut(items);
                    if lent {
                        **items = parse_quote_spanned!(items.span()=> &#items);
                    }
                    self.closure_of(closure, item.as_ref());
                    self.builtin(call);
                    return;
                }
                if let ("shifted" | "force_shifted", [r, off, Expr::Closure(closure)]) =
                    (word(&call.func).as_str(), call.args.iter_mut().collect::<Vec<_>>().as_mut_slice())
                {
                    self.visit_expr_mut(r);
                    self.visit_expr_mut(off);
                    self.closure_of(closure, Some(&Shape::Scalar));
                    self.builtin(call);
                    return;
                }
                if let Expr::Path(path) = &mut *call.func
                    && path.path.segments.len() == 2
                    && path.path.segments[0].ident == "Self"
                    && let Some(signature) = self.scope.methods().get(&path.path.segments[1].ident)
                {
                    path.path.segments[1].ident = renamed(&path.path.segments[1].ident);
                    self.arguments(signature, &mut call.args);
                    return;
                }
                if self.scope.is_opaque(call) {
                    let whole = self.opaque(call);
                    *expression = whole;
                    return;
                }
                let read = call.args.first().filter(|_| word(&call.func) == "der");
                let place = read.and_then(|vector| self.scope.place(vector));
                visit_mut::visit_expr_call_mut(self, call);
                self.builtin(call);
                if let Some(name) = place {
                    tell(&mut call.args[0], &name);
                }
            }
            Expr::Field(field) => {
                let place = self.scope.place(&field.base).filter(|name| name != UNNAMED);
                self.visit_expr_mut(&mut field.base);
                if let Some(name) = place {
                    tell(&mut field.base, &name);
                }
            }
            Expr::MethodCall(call) if is_self(&call.receiver) => {
                let Some(signature) = self.scope.methods().get(&call.method) else {
                    visit_mut::visit_expr_method_call_mut(self, call);
                    return;
                };
                call.method = renamed(&call.method);
                self.arguments(signature, &mut call.args);
            }
            Expr::Path(path) if path.qself.is_none() => {
                if let Some((shape, name)) = constant(&path.path) {
                    let ty = generic_type(&shape, path.path.segments[0].ident.span());
                    let text = name.to_string();
                    if text == "ZERO" || (text == "IDENTITY" && shape == Shape::Mat3) {
                        let function = Ident::new(&text.to_lowercase(), name.span());
                        *expression = parse_quote_spanned!(name.span()=> <#ty>::#function());
                    } else if shape == Shape::Mat3 && text.starts_with("from_") {
                        *expression = parse_quote_spanned!(name.span()=> <#ty>::#name);
                    }
                }
            }
            _ => visit_mut::visit_expr_mut(self, expression),
        }
    }
}

/// The last word of the path of a function.
fn word(function: &Expr) -> String {
    match function {
        Expr::Path(path) => path.path.segments.last().map_or_else(String::new, |last| last.ident.to_string()),
        _ => String::new(),
    }
}

/// The type of an argument: arrays are lent as slices.
fn argument_type(shape: &Shape, span: Span) -> Type {
    match shape {
        Shape::Array(entry) => {
            let entry = generic_type(entry, span);
            parse_quote_spanned!(span=> &[#entry])
        }
        other => generic_type(other, span),
    }
}

/// Adapts an argument of this shape to a parameter of the expected shape.
fn adapt(argument: &mut Expr, shape: Option<&Shape>, expected: Option<&Shape>) {
    match (shape, expected) {
        (_, Some(Shape::Array(_))) => *argument = parse_quote_spanned!(argument.span()=> &#argument),
        (None, Some(Shape::Scalar)) => lift(argument),
        _ => {}
    }
}

/// A vector that is read, with its name for readers of places.
fn tell(vector: &mut Expr, name: &str) {
    *vector = parse_quote_spanned!(vector.span()=> ::least_action::emitted::v1::place(#name, #vector));
}

/// A number as a constant scalar.
fn lift(expression: &mut Expr) {
    let span = expression.span();
    *expression = parse_quote_spanned!(span=> ::least_action::emitted::v1::lift::<T, _>(#expression));
}
