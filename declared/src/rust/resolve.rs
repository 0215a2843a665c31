//! Functions as written → functions with their names resolved.

use super::bind::{self, literal, word};
use super::calls::place_of;
use super::error::{Error, Place, Result};
use super::integer::{Kind, Operator};
use super::items::{Around, Found, Items, changes_self, segments};
use super::methods::{changes, rows};
use super::number::{Elementary, OfTwo};
use super::operators::shapes;
use super::places::near;
use super::scope::Scope;
use super::surroundings::Vocabulary;
use super::tree::{
    Arm, Callee, Code, Constant, DataNode, Known, LoopNode, Member, Method, MethodNode, Node, NodeKind,
    Pattern, Program, Type, known,
};
use super::types::{Reader, named, named_constant};
use super::value::Value;
use quote::ToTokens;
use std::sync::Arc;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{BinOp, Block, Expr, Lit, Pat, RangeLimits, Signature, Stmt, Token, UnOp};

/// Resolves functions of a file.
pub(crate) struct Resolver<'a, 's> {
    program: &'a mut Program,
    items: &'a Items<'s>,
    around: Around,
    vocabulary: &'a dyn Vocabulary,
    scope: Scope,
}

type Outcome = Result<Node>;

const UNKNOWN: &Type = &Type::Unknown;

impl<'a, 's> Resolver<'a, 's> {
    pub(crate) fn new(
        program: &'a mut Program,
        items: &'a Items<'s>,
        vocabulary: &'a dyn Vocabulary,
        around: Around,
    ) -> Self {
        Self { program, items, vocabulary, around, scope: Scope::default() }
    }

    /// A function with its signature.
    pub(crate) fn function(&mut self, signature: &Signature, block: &Block) -> Result<Code> {
        if signature.asyncness.is_some() || matches!(signature.safety, syn::Safety::Unsafe(_)) {
            return Err(Error::refused("an `async` or `unsafe` function").at(self.place(signature)));
        }
        self.scope.enter();
        let mut parameters = Vec::new();
        for input in &signature.inputs {
            parameters.push(match input {
                syn::FnArg::Receiver(own) => {
                    // `&mut self` is a reference already.
                    let is_mutable = own.mutability.is_some() && !changes_self(signature);
                    (Pattern::Bind(self.scope.bind("self", is_mutable), None), Type::Unknown)
                }
                syn::FnArg::Typed(typed) => self.parameter(&typed.pat, Some(&typed.ty))?,
            });
        }
        let result = self.result(&signature.output);
        let body = self.block(block, &result)?;
        let mut code = self.code(&signature.ident.to_string(), parameters, result, body);
        code.changes_self = changes_self(signature);
        Ok(code)
    }

    /// A block that reads these variables.
    pub(crate) fn free(&mut self, name: &str, parameters: &[&str], block: &Block) -> Result<Code> {
        self.scope.enter();
        let bind = |name: &&str| (Pattern::Bind(self.scope.bind(name, false), None), Type::Unknown);
        let parameters = parameters.iter().map(bind).collect();
        let body = self.block(block, UNKNOWN)?;
        Ok(self.code(name, parameters, Type::Unknown, body))
    }

    /// The value of a constant.
    pub(crate) fn global(&mut self, written: &syn::Type, value: &Expr) -> Result<Code> {
        self.scope.enter();
        let result = self.read(written);
        let body = self.expression(value, &result)?;
        Ok(self.code("a constant", Vec::new(), result, body))
    }

    fn code(&mut self, name: &str, parameters: Vec<(Pattern, Type)>, result: Type, body: Node) -> Code {
        let frame = self.scope.leave();
        Code {
            name: name.into(),
            parameters,
            changes_self: false,
            result: if shapes(&result) { result } else { Type::Unknown },
            cost: frame.size,
            depth: frame.deepest.saturating_sub(frame.start),
            variables: frame.variables,
            captures: frame.captures,
            moves: false,
            body,
        }
    }

    fn reader(&self) -> Reader<'_, 's> {
        Reader { items: self.items, program: self.program, around: self.around }
    }

    fn read(&self, written: &syn::Type) -> Type {
        self.reader().read(written)
    }

    fn pattern(&mut self, pattern: &Pat) -> Result<Pattern> {
        let reader = Reader { items: self.items, program: self.program, around: self.around };
        bind::pattern(pattern, &mut self.scope, reader)
    }

    fn place(&self, at: &impl Spanned) -> Place {
        Items::place(self.around.file, at)
    }

    fn result(&self, output: &syn::ReturnType) -> Type {
        if let syn::ReturnType::Type(_, written) = output { self.read(written) } else { Type::Unknown }
    }

    fn parameter(&mut self, pattern: &Pat, written: Option<&syn::Type>) -> Result<(Pattern, Type)> {
        let written = if let Pat::Type(typed) = pattern { Some(&*typed.ty) } else { written };
        let of = written.map(|written| self.read(written)).filter(shapes).unwrap_or_default();
        Ok((self.pattern(pattern)?, of))
    }

    fn node(&self, kind: NodeKind, at: &impl Spanned) -> Node {
        Node { place: self.place(at), kind }
    }

    fn unit(&self, at: &impl Spanned) -> Node {
        self.node(NodeKind::Constant(Constant::Unit), at)
    }

    /// A block; its last expression without `;` is its value.
    fn block(&mut self, block: &Block, wanted: &Type) -> Outcome {
        let begin = self.scope.begin();
        let mut nodes = Vec::with_capacity(block.stmts.len());
        let has_value = match block.stmts.last() {
            Some(Stmt::Expr(_, semicolon)) => semicolon.is_none(),
            Some(Stmt::Macro(inner)) => inner.semi_token.is_none(),
            _ => false,
        };
        for (k, statement) in block.stmts.iter().enumerate() {
            let wanted = if has_value && k + 1 == block.stmts.len() { wanted } else { UNKNOWN };
            match statement {
                Stmt::Local(local) => nodes.push(self.local(local)?),
                Stmt::Expr(expression, _) => nodes.push(self.expression(expression, wanted)?),
                Stmt::Macro(inner) => nodes.push(self.macro_call(&inner.mac, inner)?),
                Stmt::Item(syn::Item::Const(item)) => {
                    let value = self.typed(&item.expr, &self.read(&item.ty))?;
                    let pattern = Pattern::Bind(self.scope.bind(&item.ident.to_string(), false), None);
                    nodes.push(self.node(NodeKind::Let(Box::new((pattern, value, None))), item));
                }
                Stmt::Item(syn::Item::Use(_)) => {}
                Stmt::Item(item) => {
                    return Err(Error::refused("an item inside of a function").at(self.place(item)));
                }
            }
        }
        self.scope.end(begin);
        match nodes.pop() {
            Some(last) if has_value && nodes.is_empty() => return Ok(last),
            last => nodes.extend(last),
        }
        if !has_value {
            nodes.push(self.unit(block));
        }
        Ok(self.node(NodeKind::Block(nodes), block))
    }

    fn local(&mut self, local: &syn::Local) -> Outcome {
        let wanted = if let Pat::Type(typed) = &local.pat { self.read(&typed.ty) } else { Type::Unknown };
        let (value, otherwise) = match &local.init {
            Some(init) => {
                let value = self.typed(&init.expr, &wanted)?;
                let otherwise = init.diverge.as_ref().map(|(_, other)| self.expression(other, UNKNOWN));
                (value, otherwise.transpose()?)
            }
            None => (self.unit(local), None),
        };
        let pattern = match &local.pat {
            // What is given later is a variable.
            Pat::Ident(name) if local.init.is_none() => {
                Pattern::Bind(self.scope.bind(&name.ident.to_string(), true), None)
            }
            pattern => self.pattern(pattern)?,
        };
        Ok(self.node(NodeKind::Let(Box::new((pattern, value, otherwise))), local))
    }

    /// An expression at the border of a type.
    fn typed(&mut self, expression: &Expr, wanted: &Type) -> Outcome {
        let node = self.expression(expression, wanted)?;
        let place = node.place;
        let kind = match (node.kind, wanted) {
            (NodeKind::Constant(Constant::Integer(number, Kind::Any)), Type::Integer(kind)) => {
                let fits = kind.holds(Some(number));
                let told = || Error::new(format!("literal out of range for `{}`", kind.name())).at(place);
                NodeKind::Constant(Constant::Integer(fits.ok_or_else(told)?, *kind))
            }
            (kind, wanted) if shapes(wanted) => {
                NodeKind::Typed(Box::new((Node { place, kind }, wanted.clone())))
            }
            (kind, _) => kind,
        };
        Ok(Node { place, kind })
    }

    fn boxed(&mut self, expression: &Expr) -> Result<Box<Node>> {
        self.expression(expression, UNKNOWN).map(Box::new)
    }

    fn both(&mut self, first: &Expr, second: &Expr) -> Result<Box<[Node; 2]>> {
        Ok(Box::new([self.expression(first, UNKNOWN)?, self.expression(second, UNKNOWN)?]))
    }

    fn all<'e>(&mut self, list: impl IntoIterator<Item = &'e Expr>) -> Result<Vec<Node>> {
        list.into_iter().map(|one| self.expression(one, UNKNOWN)).collect()
    }

    /// An expression, or `()`.
    fn perhaps(&mut self, expression: Option<&Expr>, wanted: &Type, at: &impl Spanned) -> Outcome {
        match expression {
            Some(expression) => self.expression(expression, wanted),
            None => Ok(self.unit(at)),
        }
    }

    fn expression(&mut self, expression: &Expr, wanted: &Type) -> Outcome {
        self.scope.down().map_err(|error| error.at(self.place(expression)))?;
        let node = match self.plain(expression, wanted) {
            Ok(Some(node)) => Ok(node),
            Ok(None) => self.flow(expression, wanted),
            Err(error) => Err(error),
        };
        self.scope.up();
        // A span takes time to find.
        node.map_err(|error| error.at(self.place(expression)))
    }

    /// Expressions without control flow; `None` for others.
    fn plain(&mut self, expression: &Expr, wanted: &Type) -> Result<Option<Node>> {
        let kind = match expression {
            Expr::Lit(written) => NodeKind::Constant(literal(&written.lit)?),
            Expr::Paren(inner) => return self.expression(&inner.expr, wanted).map(Some),
            Expr::Group(inner) => return self.expression(&inner.expr, wanted).map(Some),
            Expr::Path(path) => self.path(&words_of(path))?,
            Expr::Reference(inner) if inner.mutability.is_some() => {
                NodeKind::Borrow(self.boxed(&inner.expr)?)
            }
            Expr::Reference(inner) => return self.expression(&inner.expr, wanted).map(Some),
            Expr::Unary(unary) => {
                let inner = self.expression(&unary.expr, UNKNOWN)?;
                match (unary.op, inner.kind) {
                    (UnOp::Neg(_), NodeKind::Constant(Constant::Number(number))) => {
                        NodeKind::Constant(Constant::Number(-number))
                    }
                    (UnOp::Neg(_), NodeKind::Constant(Constant::Integer(number, kind)))
                        if kind.holds(number.checked_neg()).is_some() =>
                    {
                        NodeKind::Constant(Constant::Integer(-number, kind))
                    }
                    (UnOp::Neg(_), kind) => NodeKind::Negative(Box::new(Node { place: inner.place, kind })),
                    (UnOp::Not(_), kind) => NodeKind::Not(Box::new(Node { place: inner.place, kind })),
                    (UnOp::Deref(_), kind) => NodeKind::Deref(Box::new(Node { place: inner.place, kind })),
                    _ => return Err(Error::refused("this operator")),
                }
            }
            Expr::Binary(binary) => self.binary(binary)?,
            Expr::Field(field) => {
                let member = self.member(&word(&field.member), &field.base);
                NodeKind::Field(self.boxed(&field.base)?, member)
            }
            Expr::Index(index) => NodeKind::Index(self.both(&index.expr, &index.index)?),
            Expr::Cast(cast) => match self.read(&cast.ty) {
                to @ (Type::Number | Type::Integer(_)) => {
                    NodeKind::Cast(Box::new((self.expression(&cast.expr, UNKNOWN)?, to)))
                }
                _ => return Err(Error::refused("this cast")),
            },
            Expr::Array(array) => NodeKind::List(self.all(&array.elems)?),
            Expr::Tuple(tuple) if tuple.elems.is_empty() => NodeKind::Constant(Constant::Unit),
            Expr::Tuple(tuple) => NodeKind::Tuple(self.all(&tuple.elems)?),
            Expr::Repeat(repeat) => NodeKind::Repeat(self.both(&repeat.expr, &repeat.len)?),
            Expr::Range(range) => {
                let start = self.perhaps(range.start.as_deref(), UNKNOWN, range)?;
                let ends = Box::new([start, self.perhaps(range.end.as_deref(), UNKNOWN, range)?]);
                NodeKind::Range(ends, matches!(range.limits, RangeLimits::Closed(_)))
            }
            Expr::Struct(made) => self.made(made)?,
            Expr::Call(call) => self.call(call, wanted)?,
            Expr::MethodCall(call) => self.method(call, wanted)?,
            Expr::Macro(inner) => return self.macro_call(&inner.mac, expression).map(Some),
            _ => return Ok(None),
        };
        Ok(Some(self.node(kind, expression)))
    }

    /// Expressions with control flow.
    fn flow(&mut self, expression: &Expr, wanted: &Type) -> Outcome {
        let kind = match expression {
            Expr::Block(block) if block.label.is_none() => return self.block(&block.block, wanted),
            Expr::If(branch) => {
                let begin = self.scope.begin();
                let condition = self.expression(&branch.cond, UNKNOWN)?;
                let then = self.block(&branch.then_branch, wanted)?;
                self.scope.end(begin);
                let otherwise = branch.else_branch.as_ref().map(|(_, other)| &**other);
                let otherwise = self.perhaps(otherwise, wanted, branch)?;
                NodeKind::If(Box::new([condition, then, otherwise]))
            }
            Expr::Let(test) => {
                let value = self.expression(&test.expr, UNKNOWN)?;
                NodeKind::Test(Box::new((self.pattern(&test.pat)?, value)))
            }
            Expr::Match(choice) => {
                let scrutinee = self.expression(&choice.expr, UNKNOWN)?;
                let arms = choice.arms.iter().map(|arm| self.arm(arm, wanted)).collect::<Result<_, _>>()?;
                NodeKind::Match(Box::new((scrutinee, arms)))
            }
            Expr::While(repeat) => NodeKind::Loop(Box::new(self.repeat(
                repeat.label.as_ref(),
                Some(&repeat.cond),
                &repeat.body,
            )?)),
            Expr::Loop(repeat) => {
                NodeKind::Loop(Box::new(self.repeat(repeat.label.as_ref(), None, &repeat.body)?))
            }
            Expr::ForLoop(repeat) => {
                let head = self.expression(&repeat.expr, UNKNOWN)?;
                let begin = self.scope.begin();
                let pattern = self.pattern(&repeat.pat)?;
                let inner = self.repeat(repeat.label.as_ref(), None, &repeat.body)?;
                self.scope.end(begin);
                NodeKind::For(Box::new((pattern, LoopNode { head, ..inner })))
            }
            Expr::Break(leave) => {
                let value = self.perhaps(leave.expr.as_deref(), UNKNOWN, leave)?;
                NodeKind::Break(self.label(leave.label.as_ref())?, Box::new(value))
            }
            Expr::Continue(next) => NodeKind::Continue(self.label(next.label.as_ref())?),
            Expr::Return(leave) => {
                NodeKind::Return(Box::new(self.perhaps(leave.expr.as_deref(), UNKNOWN, leave)?))
            }
            Expr::Try(tried) => NodeKind::Try(self.boxed(&tried.expr)?),
            Expr::Assign(assign) => NodeKind::Assign(self.both(&assign.left, &assign.right)?),
            Expr::Closure(closure) => self.closure(closure)?,
            Expr::Unsafe(_) => return Err(Error::refused("`unsafe`")),
            _ => return Err(Error::refused("this expression")),
        };
        Ok(self.node(kind, expression))
    }

    fn closure(&mut self, closure: &syn::ExprClosure) -> Result<NodeKind> {
        self.scope.enter();
        let parameters = closure.inputs.iter().map(|input| self.parameter(input, None));
        let parameters = parameters.collect::<Result<_, _>>()?;
        let result = self.result(&closure.output);
        let body = self.expression(&closure.body, &result)?;
        let mut code = self.code("a closure", parameters, result, body);
        code.moves = closure.capture.is_some();
        Ok(NodeKind::Closure(Arc::new(code)))
    }

    fn arm(&mut self, arm: &syn::Arm, wanted: &Type) -> Result<Arm> {
        let begin = self.scope.begin();
        let (pattern, guard) = match &arm.pat {
            Pat::Guard(guarded) => {
                (self.pattern(&guarded.pat)?, Some(self.expression(&guarded.guard, UNKNOWN)?))
            }
            pattern => (self.pattern(pattern)?, None),
        };
        let body = self.expression(&arm.body, wanted)?;
        self.scope.end(begin);
        Ok(Arm { pattern, guard, body })
    }

    /// A loop; without a head it goes on for ever.
    fn repeat(&mut self, label: Option<&syn::Label>, head: Option<&Expr>, body: &Block) -> Result<LoopNode> {
        let (begin, before) = (self.scope.begin(), self.scope.size());
        let label = self.scope.begin_loop(label.map(|label| label.name.ident.to_string()));
        let head = match head {
            Some(head) => self.expression(head, UNKNOWN)?,
            None => self.node(NodeKind::Constant(Constant::Bool(true)), body),
        };
        let body = self.block(body, UNKNOWN)?;
        self.scope.end_loop();
        self.scope.end(begin);
        Ok(LoopNode { label, head, body, cost: self.scope.size() - before + 1 })
    }

    fn label(&mut self, label: Option<&syn::Lifetime>) -> Result<u32> {
        let name = label.map(|label| label.ident.to_string());
        self.scope.in_loop(name.as_deref()).ok_or_else(|| Error::new("`break` outside of a loop"))
    }

    fn member(&mut self, name: &str, base: &Expr) -> Member {
        let symbol = self.program.symbol(name);
        let is_self = matches!(base, Expr::Path(path) if path.path.is_ident("self"));
        let of_this = self.around.this.filter(|_| is_self).and_then(|this| self.program.variant(this, 0));
        let position = of_this.and_then(|own| own.fields.iter().position(|field| field.symbol == symbol));
        let number = name.parse::<u32>().ok().or_else(|| position.map(|position| position as u32));
        Member { symbol, likely: number.unwrap_or(0) }
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Result<NodeKind> {
        let (operator, assigns) = operator(&binary.op)?;
        let both = self.both(&binary.left, &binary.right)?;
        Ok(match (operator, &binary.op) {
            (Some(operator), _) if assigns => NodeKind::AssignWith(operator, both),
            (Some(operator), _) => NodeKind::Binary(operator, both),
            (None, BinOp::And(_)) => NodeKind::Both(both),
            (None, _) => NodeKind::Either(both),
        })
    }

    fn path(&mut self, words: &[String]) -> Result<NodeKind> {
        if let [name] = words
            && let Some(slot) = self.scope.find(name)
        {
            return Ok(NodeKind::Local(slot));
        }
        let is_value = words.last().is_some_and(|last| !last.contains(char::is_lowercase));
        Ok(match self.meaning(words) {
            Some(Meaning::Value(kind)) => kind,
            // `Vec3::ZERO` is a function without arguments.
            Some(Meaning::Callee(callee @ Callee::Builtin(..))) if is_value => {
                NodeKind::Call(Box::new((callee, Vec::new())))
            }
            Some(Meaning::Callee(callee)) => NodeKind::Constant(Constant::Path(Box::new(callee))),
            None => return Err(self.missing("value", words)),
        })
    }

    fn missing(&self, what: &str, words: &[String]) -> Error {
        let name = words.last().map_or("", |name| name);
        let error = Error::new(format!("cannot find {what} `{}` in this scope", words.join("::")));
        near(error, name, self.scope.names().chain(self.items.names_of(self.around.file)))
    }

    /// The item that a path names.
    fn found(&self, words: &[String]) -> Option<Found<'s>> {
        self.reader().found(words)
    }

    /// The meaning of a path that is no variable.
    fn meaning(&mut self, words: &[String]) -> Option<Meaning> {
        match self.found(words) {
            Some(Found::Function(function)) => Some(Meaning::Callee(Callee::Own(function))),
            Some(Found::Global(global)) => Some(Meaning::Value(NodeKind::Global(global))),
            Some(Found::Data(data)) => self.variant(data, 0),
            Some(Found::Variant(data, variant)) => self.variant(data, variant),
            Some(Found::Foreign(path)) => self.foreign(&path),
            Some(Found::Alias(..)) => None,
            None => {
                // `Type::default` may be derived.
                let (last, of) = words.split_last()?;
                match self.found(of) {
                    Some(Found::Data(data)) if last == "default" => {
                        Self::builtin("_::default", Type::Data(data, Vec::new()))
                    }
                    _ => self.foreign(words),
                }
            }
        }
    }

    fn variant(&self, data: u32, variant: u32) -> Option<Meaning> {
        let known = self.program.variant(data, variant)?;
        if known.fields.is_empty() {
            let constant = Constant::Data(data, variant, Vec::new());
            return Some(Meaning::Value(NodeKind::Constant(constant)));
        }
        known.in_order.then_some(Meaning::Callee(Callee::Variant(data, variant)))
    }

    /// A function of the interpreter.
    fn builtin(name: &str, of: Type) -> Option<Meaning> {
        let number = place_of(name, Value::<f64>::FUNCTIONS)?;
        Some(Meaning::Callee(Callee::Builtin(number.into(), Box::new(of))))
    }

    fn foreign(&mut self, path: &[String]) -> Option<Meaning> {
        if let Some(constant) = named_constant(path) {
            return Some(Meaning::Value(NodeKind::Constant(constant)));
        }
        let (name, before) = path.split_last()?;
        let of = before.last().map_or("", |of| of);
        let of_type = named(of);
        let by_type = match &of_type {
            Some(Type::Matrix(..)) => format!("Matrix::{name}"),
            _ => format!("{of}::{name}"),
        };
        let is_module = of.chars().next().is_none_or(char::is_lowercase) && of_type.is_none();
        let known = Self::builtin(&by_type, of_type.clone().unwrap_or_default())
            .or_else(|| Self::builtin(name, Type::Unknown).filter(|_| is_module))
            .or_else(|| Self::builtin(&format!("_::{name}"), of_type.clone()?));
        if known.is_some() {
            return known;
        }
        let words: Vec<&str> = path.iter().map(String::as_str).collect();
        if let Some(function) = self.vocabulary.function(&words) {
            return Some(Meaning::Callee(Callee::Host(function)));
        }
        if let Some(constant) = self.vocabulary.constant(&words) {
            return Some(Meaning::Value(NodeKind::Host(constant)));
        }
        // `f64::sqrt` is a method by its path.
        of_type?;
        let method = self.named_method(name, Type::Unknown);
        Some(Meaning::Callee(Callee::Method(Box::new(method))))
    }

    fn made(&mut self, made: &syn::ExprStruct) -> Result<NodeKind> {
        let words = segments(&made.path);
        let (data, variant) = match self.found(&words) {
            Some(Found::Data(data)) => (data, 0),
            Some(Found::Variant(data, variant)) => (data, variant),
            _ => return Err(self.missing("struct", &words)),
        };
        let known = self.program.variant(data, variant);
        let known = known.map(|variant| variant.fields.clone()).unwrap_or_default();
        let mut fields: Vec<(u32, Node)> = Vec::new();
        for field in &made.fields {
            let name = word(&field.member);
            let Some(position) = known.iter().position(|known| self.program.name(known.symbol) == name)
            else {
                let error = Error::new(format!("struct `{}` has no field named `{name}`", words.join("::")));
                let names = known.iter().map(|field| self.program.name(field.symbol));
                return Err(near(error, &name, names).at(self.place(field)));
            };
            fields.push((position as u32, self.typed(&field.expr, &known[position].r#type)?));
        }
        let base = made.rest.as_ref().map(|base| self.expression(base, &Type::Data(data, Vec::new())));
        let base = base.transpose()?;
        let is_given = |k: usize| fields.iter().any(|(position, _)| *position as usize == k);
        if base.is_none()
            && let Some((_, missing)) = known.iter().enumerate().find(|(k, _)| !is_given(*k))
        {
            let (name, of) = (&missing.name, words.join("::"));
            return Err(Error::new(format!("missing field `{name}` in initializer of `{of}`")));
        }
        Ok(NodeKind::Data(Box::new(DataNode { data, variant, fields, base, count: known.len() })))
    }

    fn call(&mut self, call: &syn::ExprCall, wanted: &Type) -> Result<NodeKind> {
        let words = match &*call.func {
            Expr::Path(path) => words_of(path),
            _ => Vec::new(),
        };
        let is_local = matches!(&words[..], [name] if self.scope.find(name).is_some());
        if words.is_empty() || is_local {
            let function = self.boxed(&call.func)?;
            return Ok(NodeKind::Apply(function, self.all(&call.args)?));
        }
        let found = match &words[..] {
            [of, name] if of == "Default" && name == "default" => Self::builtin("_::default", wanted.clone()),
            words => self.meaning(words),
        };
        let Some(Meaning::Callee(callee)) = found else {
            return Err(match found {
                Some(_) => Error::new(format!("expected function, found `{}`", words.join("::"))),
                None => self.missing("function", &words),
            });
        };
        // The fields of a variant have types.
        let types: Vec<Type> = match callee {
            Callee::Variant(data, variant) => {
                let known = self.program.variant(data, variant).into_iter().flat_map(|known| &known.fields);
                known.map(|field| field.r#type.clone()).collect()
            }
            _ => Vec::new(),
        };
        let types = types.iter().chain(std::iter::repeat(UNKNOWN));
        let nodes = call.args.iter().zip(types).map(|(one, of)| self.typed(one, of));
        Ok(NodeKind::Call(Box::new((callee, nodes.collect::<Result<_, _>>()?))))
    }

    fn named_method(&mut self, name: &str, wanted: Type) -> Method {
        let known = match name {
            "powf" => Known::OfTwo(OfTwo::powf),
            "atan2" => Known::OfTwo(OfTwo::atan2),
            "hypot" => Known::OfTwo(OfTwo::hypot),
            "log" => Known::OfTwo(OfTwo::log),
            "rem_euclid" => Known::OfTwo(OfTwo::rem_euclid),
            "copysign" => Known::OfTwo(OfTwo::copysign),
            _ => Elementary::named(name).map_or(Known::Other, Known::Elementary),
        };
        Method {
            name: name.into(),
            symbol: self.program.symbol(name),
            known,
            rows: rows(name),
            host: self.vocabulary.method(name),
            wanted,
        }
    }

    fn method(&mut self, call: &syn::ExprMethodCall, wanted: &Type) -> Result<NodeKind> {
        let name = call.method.to_string();
        let angles = call.turbofish.as_ref().and_then(|angles| angles.args.first());
        let turbofish = angles.and_then(|first| match first {
            syn::GenericArgument::Type(written) => Some(self.read(written)),
            syn::GenericArgument::Const(Expr::Lit(syn::ExprLit { lit: Lit::Int(number), .. })) => {
                Some(Type::List(Box::default(), number.base10_parse().ok()))
            }
            _ => None,
        });
        // What is opened is a result or an option of the wanted type.
        let opens =
            matches!(&*name, "unwrap" | "expect" | "unwrap_or" | "unwrap_or_default" | "unwrap_or_else");
        let inner = if opens { Type::Data(known::RESULT, vec![wanted.clone()]) } else { Type::Unknown };
        let receiver = self.expression(&call.receiver, &inner)?;
        let arguments = self.all(&call.args)?;
        let takes = matches!(&*name, "collect" | "sum" | "product" | "into" | "unwrap_or_default" | "to_vec");
        let wanted = turbofish.unwrap_or_else(|| if takes { wanted.clone() } else { Type::Unknown });
        let method = self.named_method(&name, wanted);
        let is_place = matches!(
            receiver.kind,
            NodeKind::Local(_) | NodeKind::Field(..) | NodeKind::Index(_) | NodeKind::Deref(_)
        );
        let lends = is_place
            && (self.program.lending.contains(&method.symbol) || changes(&method.rows, &method.name));
        Ok(NodeKind::Method(Box::new(MethodNode { method, receiver, arguments, lends })))
    }

    /// The macros of std that stand for expressions.
    fn macro_call(&mut self, call: &syn::Macro, at: &impl Spanned) -> Outcome {
        let name = call.path.segments.last().map_or_else(String::new, |last| last.ident.to_string());
        let place = self.place(at);
        let mistaken = |error: syn::Error| Error::new(error.to_string()).at(place);
        let list = |input: ParseStream<'_>| Punctuated::<Expr, Token![,]>::parse_terminated(input);
        let told = |all: &Punctuated<Expr, Token![,]>, at: usize, otherwise: &str| match all.iter().nth(at) {
            Some(Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. })) => text.value(),
            _ => otherwise.to_owned(),
        };
        let kind = match name.as_str() {
            "vec" => {
                let repeat = |input: ParseStream<'_>| {
                    let value = Expr::parse(input)?;
                    input.parse::<Token![;]>()?;
                    Ok((value, Expr::parse(input)?))
                };
                match repeat.parse2(call.tokens.clone()) {
                    Ok((value, count)) => NodeKind::Repeat(self.both(&value, &count)?),
                    Err(_) => NodeKind::List(self.all(&list.parse2(call.tokens.clone()).map_err(mistaken)?)?),
                }
            }
            "panic" | "unreachable" | "todo" => {
                let all = list.parse2(call.tokens.clone()).map_err(mistaken)?;
                NodeKind::Fail(told(&all, 0, &format!("`{name}!`")))
            }
            "assert" | "debug_assert" => {
                let all = list.parse2(call.tokens.clone()).map_err(mistaken)?;
                let first = all.first().ok_or_else(|| Error::new("`assert!` needs a condition").at(place))?;
                let condition = self.expression(first, UNKNOWN)?;
                let fails = self.node(NodeKind::Fail(told(&all, 1, "assertion failed")), at);
                NodeKind::If(Box::new([condition, self.unit(at), fails]))
            }
            _ => return Err(Error::refused(&format!("the macro `{name}!`")).at(place)),
        };
        Ok(self.node(kind, at))
    }
}

/// The words of a path; of `<Type as Trait>::name` those of the type, and the name.
fn words_of(path: &syn::ExprPath) -> Vec<String> {
    let words = segments(&path.path);
    match path.qself.as_ref().map(|own| (&*own.ty, own.position)) {
        Some((syn::Type::Path(of), position)) => [&segments(&of.path), &words[position..]].concat(),
        _ => words,
    }
}

/// The meaning of a path in an expression.
enum Meaning {
    Callee(Callee),
    Value(NodeKind),
}

/// The operator, and whether it assigns; `None` for `&&` and `||`.
fn operator(written: &BinOp) -> Result<(Option<Operator>, bool)> {
    let operator = match written {
        BinOp::And(_) | BinOp::Or(_) => return Ok((None, false)),
        BinOp::Add(_) | BinOp::AddAssign(_) => Operator::Add,
        BinOp::Sub(_) | BinOp::SubAssign(_) => Operator::Sub,
        BinOp::Mul(_) | BinOp::MulAssign(_) => Operator::Mul,
        BinOp::Div(_) | BinOp::DivAssign(_) => Operator::Div,
        BinOp::Rem(_) | BinOp::RemAssign(_) => Operator::Rem,
        BinOp::BitXor(_) | BinOp::BitXorAssign(_) => Operator::Xor,
        BinOp::BitAnd(_) | BinOp::BitAndAssign(_) => Operator::And,
        BinOp::BitOr(_) | BinOp::BitOrAssign(_) => Operator::Or,
        BinOp::Shl(_) | BinOp::ShlAssign(_) => Operator::Left,
        BinOp::Shr(_) | BinOp::ShrAssign(_) => Operator::Right,
        BinOp::Eq(_) => Operator::Equal,
        BinOp::Ne(_) => Operator::Unequal,
        BinOp::Lt(_) => Operator::Less,
        BinOp::Le(_) => Operator::LessEqual,
        BinOp::Gt(_) => Operator::Greater,
        BinOp::Ge(_) => Operator::GreaterEqual,
        _ => return Err(Error::refused("this operator")),
    };
    let text = written.to_token_stream().to_string();
    Ok((Some(operator), text.ends_with('=') && operator < Operator::Equal))
}
