//! Functions as written → functions with their names resolved.

use super::builtins::{changes, named_constant, named_function, named_type, named_value};
use super::error::{Error, Place};
use super::integer::Kind;
use super::items::{Found, Items, segments};
use super::macros::{Written, written};
use super::number::{Elementary, OfTwo};
use super::operator::Operator;
use super::operators::shapes;
use super::patterns::{literal, resolve as resolve_pattern, word};
use super::places::near;
use super::scope::Scope;
use super::source::place;
use super::surroundings::Vocabulary;
use super::tree::{
    Access, Arm, Callee, Code, Constant, DataNode, Known, LoopNode, Member, Method, Node, NodeKind, Pattern,
    Program, Type,
};
use super::types::Around;
use proc_macro2::Span;
use std::sync::Arc;
use syn::spanned::Spanned;
use syn::{BinOp, Block, Expr, Pat, Signature, Stmt, UnOp};

/// Resolves functions of a module.
pub(crate) struct Resolver<'a, 's> {
    pub(crate) program: &'a mut Program,
    pub(crate) items: &'a Items<'s>,
    pub(crate) vocabulary: &'a dyn Vocabulary,
    pub(crate) module: usize,
    pub(crate) this: Option<u32>,
    scope: Scope,
    generics: Vec<String>,
}

type Outcome = Result<Node, Error>;

impl<'a, 's> Resolver<'a, 's> {
    pub(crate) fn new(
        program: &'a mut Program,
        items: &'a Items<'s>,
        vocabulary: &'a dyn Vocabulary,
        (module, this): (usize, Option<u32>),
    ) -> Self {
        Self { program, items, vocabulary, module, this, scope: Scope::default(), generics: Vec::new() }
    }

    /// A function with its signature.
    pub(crate) fn function(&mut self, signature: &Signature, block: &Block) -> Result<Code, Error> {
        let refused = [
            (signature.asyncness.is_some(), "an `async` function"),
            (matches!(signature.safety, syn::Safety::Unsafe(_)), "an `unsafe` function"),
            (signature.variadic.is_some(), "a variadic function"),
        ];
        if let Some((_, what)) = refused.iter().find(|(is_so, _)| *is_so) {
            return Err(Error::refused(what).at(self.place(signature.span())));
        }
        self.generics =
            signature.generics.type_params().map(|parameter| parameter.ident.to_string()).collect();
        self.scope.enter();
        let mut parameters = Vec::new();
        for input in &signature.inputs {
            parameters.push(match input {
                syn::FnArg::Receiver(own) => {
                    (Pattern::Bind(self.scope.bind("self", own.mutability.is_some()), None), Type::Unknown)
                }
                syn::FnArg::Typed(typed) => self.parameter(&typed.pat, Some(&typed.ty))?,
            });
        }
        let result = self.result(&signature.output);
        let body = self.block(block, &result)?;
        let name = signature.ident.to_string();
        Ok(self.code((&name, super::items::changes_self(signature)), parameters, result, body))
    }

    /// A block that reads these variables.
    pub(crate) fn free(&mut self, name: &str, parameters: &[&str], block: &Block) -> Result<Code, Error> {
        self.scope.enter();
        let parameters = parameters
            .iter()
            .map(|name| (Pattern::Bind(self.scope.bind(name, false), None), Type::Unknown))
            .collect();
        let body = self.block(block, &Type::Unknown)?;
        Ok(self.code((name, false), parameters, Type::Unknown, body))
    }

    /// The value of a constant.
    pub(crate) fn global(&mut self, r#type: &syn::Type, value: &Expr) -> Result<Code, Error> {
        self.scope.enter();
        let result = self.around().read(r#type);
        let body = self.expression(value, &result)?;
        Ok(self.code(("a constant", false), Vec::new(), result, body))
    }

    fn code(
        &mut self,
        (name, changes_self): (&str, bool),
        parameters: Vec<(Pattern, Type)>,
        result: Type,
        body: Node,
    ) -> Code {
        let frame = self.scope.leave();
        Code {
            name: name.into(),
            parameters,
            changes_self,
            result: if shapes(&result) { result } else { Type::Unknown },
            cost: frame.size,
            depth: frame.deepest().saturating_sub(frame.start),
            shared: frame.shared,
            captures: frame.captures,
            moves: false,
            body,
        }
    }

    fn around(&self) -> Around<'_, 's> {
        Around { items: self.items, program: self.program, module: self.module, this: self.this }
    }

    fn place(&self, span: Span) -> Place {
        place(span, self.items.modules.get(self.module).map_or(0, |module| module.file))
    }

    fn result(&self, output: &syn::ReturnType) -> Type {
        match output {
            syn::ReturnType::Default => Type::Unknown,
            syn::ReturnType::Type(_, written) => self.around().read(written),
        }
    }

    fn pattern(&mut self, pattern: &Pat) -> Result<Pattern, Error> {
        let around =
            Around { items: self.items, program: self.program, module: self.module, this: self.this };
        let found = resolve_pattern(pattern, &mut self.scope, around);
        found.map_err(|error| Error::new(error.to_string()).at(self.place(error.span())))
    }

    fn parameter(&mut self, pattern: &Pat, written: Option<&syn::Type>) -> Result<(Pattern, Type), Error> {
        let written = match (pattern, written) {
            (Pat::Type(typed), _) => Some(&*typed.ty),
            (_, written) => written,
        };
        let r#type = written.map(|written| self.around().read(written)).filter(shapes).unwrap_or_default();
        Ok((self.pattern(pattern)?, r#type))
    }

    fn node(&self, kind: NodeKind, at: &impl Spanned) -> Node {
        Node { place: self.place(at.span()), kind }
    }

    /// A block; its last expression without `;` is its value.
    fn block(&mut self, block: &Block, wanted: &Type) -> Outcome {
        let begin = self.scope.begin();
        let mut nodes = Vec::with_capacity(block.stmts.len());
        let mut has_value = false;
        for (k, statement) in block.stmts.iter().enumerate() {
            let is_last = k + 1 == block.stmts.len();
            has_value = is_last
                && matches!(
                    statement,
                    Stmt::Expr(_, None) | Stmt::Macro(syn::StmtMacro { semi_token: None, .. })
                );
            let unknown = Type::Unknown;
            let wanted = if has_value { wanted } else { &unknown };
            match statement {
                Stmt::Local(local) => nodes.push(self.local(local)?),
                Stmt::Expr(expression, _) => nodes.push(self.expression(expression, wanted)?),
                Stmt::Macro(inner) => nodes.push(self.macro_call(&inner.mac, wanted, inner)?),
                Stmt::Item(syn::Item::Const(item)) => {
                    let r#type = self.around().read(&item.ty);
                    let value = self.typed(&item.expr, &r#type)?;
                    let slot = self.scope.bind(&item.ident.to_string(), false);
                    nodes.push(
                        self.node(NodeKind::Let(Box::new((Pattern::Bind(slot, None), value, None))), item),
                    );
                }
                Stmt::Item(syn::Item::Use(_)) => {}
                Stmt::Item(item) => {
                    return Err(Error::refused("an item inside of a function").at(self.place(item.span())));
                }
            }
        }
        if !has_value && !nodes.is_empty() {
            nodes.push(self.node(NodeKind::Constant(Constant::Unit), block));
        }
        self.scope.end(begin);
        if nodes.len() == 1 && has_value {
            return nodes.pop().map_or_else(|| Ok(self.node(NodeKind::Block(Vec::new()), block)), Ok);
        }
        Ok(self.node(NodeKind::Block(nodes), block))
    }

    fn local(&mut self, local: &syn::Local) -> Outcome {
        let wanted = match &local.pat {
            Pat::Type(typed) => self.around().read(&typed.ty),
            _ => Type::Unknown,
        };
        let (value, otherwise) = match &local.init {
            Some(init) => {
                let value = self.typed(&init.expr, &wanted)?;
                let otherwise = init
                    .diverge
                    .as_ref()
                    .map(|(_, other)| self.expression(other, &Type::Unknown))
                    .transpose()?;
                (value, otherwise)
            }
            None => (self.node(NodeKind::Constant(Constant::Unit), local), None),
        };
        let pattern = self.pattern(&local.pat)?;
        Ok(self.node(NodeKind::Let(Box::new((pattern, value, otherwise))), local))
    }

    /// An expression at the border of a type.
    fn typed(&mut self, expression: &Expr, wanted: &Type) -> Outcome {
        let node = self.expression(expression, wanted)?;
        Ok(if shapes(wanted) && !matches!(node.kind, NodeKind::Constant(_)) {
            Node { place: node.place, kind: NodeKind::Typed(Box::new(node), Box::new(wanted.clone())) }
        } else {
            node
        })
    }

    fn boxed(&mut self, expression: &Expr, wanted: &Type) -> Result<Box<Node>, Error> {
        self.expression(expression, wanted).map(Box::new)
    }

    fn both(&mut self, first: &Expr, second: &Expr, wanted: [&Type; 2]) -> Result<Box<[Node; 2]>, Error> {
        Ok(Box::new([self.expression(first, wanted[0])?, self.expression(second, wanted[1])?]))
    }

    fn expression(&mut self, expression: &Expr, wanted: &Type) -> Outcome {
        self.scope.down().map_err(|error| error.at(self.place(expression.span())))?;
        let node = self.plain(expression, wanted).map_err(|error| error.at(self.place(expression.span())));
        self.scope.up();
        node
    }

    /// Expressions without control flow.
    fn plain(&mut self, expression: &Expr, wanted: &Type) -> Outcome {
        let unknown = &Type::Unknown;
        let kind = match expression {
            Expr::Lit(written) => NodeKind::Constant(match (literal(&written.lit)?, wanted) {
                (Constant::Integer(number, Kind::Any), Type::Integer(kind)) => match kind.holds(Some(number))
                {
                    Some(number) => Constant::Integer(number, *kind),
                    None => return Err(Error::new(format!("literal out of range for `{}`", kind.name()))),
                },
                (constant, _) => constant,
            }),
            Expr::Paren(inner) => return self.expression(&inner.expr, wanted),
            Expr::Group(inner) => return self.expression(&inner.expr, wanted),
            Expr::Path(path) if path.qself.is_none() => return self.path(&path.path, expression),
            Expr::Reference(inner) if inner.mutability.is_some() => {
                let inner = self.expression(&inner.expr, wanted)?;
                self.lend(&inner);
                NodeKind::Borrow(Box::new(inner))
            }
            Expr::Reference(inner) => return self.expression(&inner.expr, wanted),
            Expr::Unary(unary) => {
                let inner = self.expression(&unary.expr, wanted)?;
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
            Expr::Binary(binary) => return self.binary(binary, wanted),
            Expr::Field(field) => {
                let base = self.boxed(&field.base, unknown)?;
                NodeKind::Field(base, self.member(&word(&field.member), &field.base))
            }
            Expr::Index(index) => {
                NodeKind::Index(self.both(&index.expr, &index.index, [unknown, unknown])?)
            }
            Expr::Cast(cast) => {
                let to = self.around().read(&cast.ty);
                match to {
                    Type::Number | Type::Integer(_) | Type::Char => {
                        NodeKind::Cast(self.boxed(&cast.expr, unknown)?, to)
                    }
                    _ => return Err(Error::refused("this cast")),
                }
            }
            Expr::Array(array) => {
                let inner = if let Type::List(inner, _) = wanted { inner } else { unknown };
                NodeKind::List(self.all(array.elems.iter(), inner)?)
            }
            Expr::Tuple(tuple) if tuple.elems.is_empty() => NodeKind::Constant(Constant::Unit),
            Expr::Tuple(tuple) => {
                let inner = |k: usize| if let Type::Tuple(all) = wanted { all.get(k) } else { None };
                let nodes = tuple
                    .elems
                    .iter()
                    .enumerate()
                    .map(|(k, one)| self.expression(one, inner(k).unwrap_or(unknown)));
                NodeKind::Tuple(nodes.collect::<Result<_, _>>()?)
            }
            Expr::Repeat(repeat) => {
                let inner = if let Type::List(inner, _) = wanted { inner } else { unknown };
                NodeKind::Repeat(self.both(
                    &repeat.expr,
                    &repeat.len,
                    [inner, &Type::Integer(Kind::Usize)],
                )?)
            }
            Expr::Range(range) => {
                let mut end = |end: &Option<Box<Expr>>| {
                    end.as_ref().map(|end| self.expression(end, unknown)).transpose()
                };
                let ends = Box::new([end(&range.start)?, end(&range.end)?]);
                NodeKind::Range(ends, matches!(range.limits, syn::RangeLimits::Closed(_)))
            }
            Expr::Struct(made) => self.made(made)?,
            Expr::Call(call) => return self.call(call, wanted),
            Expr::MethodCall(call) => return self.method(call, wanted),
            Expr::Macro(inner) => return self.macro_call(&inner.mac, wanted, expression),
            _ => return self.flow(expression, wanted),
        };
        Ok(self.node(kind, expression))
    }

    /// Expressions with control flow.
    fn flow(&mut self, expression: &Expr, wanted: &Type) -> Outcome {
        let unknown = &Type::Unknown;
        let kind = match expression {
            Expr::Block(block) if block.label.is_none() => return self.block(&block.block, wanted),
            Expr::If(branch) => {
                let begin = self.scope.begin();
                let condition = self.expression(&branch.cond, unknown)?;
                let then = self.block(&branch.then_branch, wanted)?;
                self.scope.end(begin);
                let otherwise = branch
                    .else_branch
                    .as_ref()
                    .map(|(_, other)| self.expression(other, wanted))
                    .transpose()?;
                NodeKind::If(Box::new((condition, then, otherwise)))
            }
            Expr::Let(test) => {
                let value = self.expression(&test.expr, unknown)?;
                NodeKind::Test(Box::new((self.pattern(&test.pat)?, value)))
            }
            Expr::Match(choice) => {
                let scrutinee = self.expression(&choice.expr, unknown)?;
                let arms = choice.arms.iter().map(|arm| self.arm(arm, wanted)).collect::<Result<_, _>>()?;
                NodeKind::Match(Box::new((scrutinee, arms)))
            }
            Expr::While(repeat) => self.repeat(repeat.label.as_ref(), Some(&repeat.cond), &repeat.body)?,
            Expr::Loop(repeat) => self.repeat(repeat.label.as_ref(), None, &repeat.body)?,
            Expr::ForLoop(repeat) => {
                let items = self.expression(&repeat.expr, unknown)?;
                let begin = self.scope.begin();
                let pattern = self.pattern(&repeat.pat)?;
                let NodeKind::Loop(mut inner) = self.repeat(repeat.label.as_ref(), None, &repeat.body)?
                else {
                    return Err(Error::refused("this loop"));
                };
                self.scope.end(begin);
                inner.head = Some(items);
                NodeKind::For(Box::new((pattern, *inner)))
            }
            Expr::Break(leave) => {
                let value = leave.expr.as_ref().map(|value| self.boxed(value, unknown)).transpose()?;
                NodeKind::Break(self.label(leave.label.as_ref())?, value)
            }
            Expr::Continue(next) => NodeKind::Continue(self.label(next.label.as_ref())?),
            Expr::Return(leave) => {
                NodeKind::Return(leave.expr.as_ref().map(|value| self.boxed(value, unknown)).transpose()?)
            }
            Expr::Try(tried) => NodeKind::Try(self.boxed(&tried.expr, unknown)?),
            Expr::Assign(assign) => {
                NodeKind::Assign(self.both(&assign.left, &assign.right, [unknown, unknown])?)
            }
            Expr::Closure(closure) => self.closure(closure)?,
            Expr::Unsafe(_) => return Err(Error::refused("`unsafe`")),
            Expr::Async(_) | Expr::Await(_) => return Err(Error::refused("`async`")),
            _ => return Err(Error::refused("this expression")),
        };
        Ok(self.node(kind, expression))
    }

    fn all<'e>(&mut self, list: impl Iterator<Item = &'e Expr>, wanted: &Type) -> Result<Vec<Node>, Error> {
        list.map(|one| self.expression(one, wanted)).collect()
    }

    fn arm(&mut self, arm: &syn::Arm, wanted: &Type) -> Result<Arm, Error> {
        let begin = self.scope.begin();
        let (pattern, guard) = match &arm.pat {
            Pat::Guard(guarded) => {
                (self.pattern(&guarded.pat)?, Some(self.expression(&guarded.guard, &Type::Unknown)?))
            }
            pattern => (self.pattern(pattern)?, None),
        };
        let body = self.expression(&arm.body, wanted)?;
        self.scope.end(begin);
        Ok(Arm { pattern, guard, body })
    }

    fn repeat(
        &mut self,
        label: Option<&syn::Label>,
        head: Option<&Expr>,
        body: &Block,
    ) -> Result<NodeKind, Error> {
        let (begin, before) = (self.scope.begin(), self.scope.size());
        let label = self.scope.begin_loop(label.map(|label| label.name.ident.to_string()));
        let head = head.map(|head| self.expression(head, &Type::Unknown)).transpose()?;
        let body = self.block(body, &Type::Unknown)?;
        self.scope.end_loop();
        self.scope.end(begin);
        let cost = self.scope.size() - before + 1;
        Ok(NodeKind::Loop(Box::new(LoopNode { label, head, body, cost })))
    }

    fn label(&self, label: Option<&syn::Lifetime>) -> Result<u32, Error> {
        let name = label.map(|label| label.ident.to_string());
        self.scope.in_loop(name.as_deref()).ok_or_else(|| Error::new("`break` outside of a loop"))
    }

    fn closure(&mut self, closure: &syn::ExprClosure) -> Result<NodeKind, Error> {
        self.scope.enter();
        let parameters =
            closure.inputs.iter().map(|input| self.parameter(input, None)).collect::<Result<_, _>>()?;
        let result = self.result(&closure.output);
        let body = self.expression(&closure.body, &result)?;
        let mut code = self.code(("a closure", false), parameters, result, body);
        code.moves = closure.capture.is_some();
        Ok(NodeKind::Closure(Arc::new(code)))
    }

    fn member(&mut self, name: &str, base: &Expr) -> Member {
        let symbol = self.program.symbol(name);
        let is_self = matches!(base, Expr::Path(path) if path.path.is_ident("self"));
        let of_this = self.this.filter(|_| is_self).and_then(|this| self.program.variant(this, 0));
        let position = of_this.and_then(|own| own.fields.iter().position(|field| field.symbol == symbol));
        let number = name.parse::<u32>().ok().or_else(|| position.map(|position| position as u32));
        Member { symbol, likely: number.unwrap_or(0) }
    }

    fn binary(&mut self, binary: &syn::ExprBinary, wanted: &Type) -> Outcome {
        let (operator, assigns) = operator(&binary.op)?;
        let unknown = &Type::Unknown;
        let wanted = match operator {
            _ if assigns => [unknown, unknown],
            Some(Operator::Left | Operator::Right) => [wanted, unknown],
            Some(Operator::Add | Operator::Sub | Operator::Mul | Operator::Div | Operator::Rem)
                if matches!(wanted, Type::Integer(_)) =>
            {
                [wanted, wanted]
            }
            _ => [unknown, unknown],
        };
        let both = self.both(&binary.left, &binary.right, wanted)?;
        let kind = match (operator, &binary.op) {
            (Some(operator), _) if assigns => NodeKind::AssignWith(operator, both),
            (Some(operator), _) => NodeKind::Binary(operator, both),
            (None, BinOp::And(_)) => NodeKind::Both(both),
            (None, _) => NodeKind::Either(both),
        };
        Ok(self.node(kind, binary))
    }

    /// Marks the variable of a place that is lent.
    fn lend(&mut self, node: &Node) {
        let mut at = node;
        loop {
            at = match &at.kind {
                NodeKind::Local(slot) => return self.scope.lend(*slot),
                NodeKind::Field(base, _) | NodeKind::Deref(base) => base,
                NodeKind::Index(both) => &both[0],
                _ => return,
            };
        }
    }

    fn path(&mut self, path: &syn::Path, at: &impl Spanned) -> Outcome {
        let words = segments(path);
        if let [name] = &words[..]
            && let Some(slot) = self.scope.find(name)
        {
            return Ok(self.node(NodeKind::Local(slot), at));
        }
        match self.meaning(path) {
            Some(Meaning::Callee(callee)) => Ok(self.node(NodeKind::Callee(callee), at)),
            Some(Meaning::Constant(constant)) => Ok(self.node(NodeKind::Constant(constant), at)),
            Some(Meaning::Global(global)) => Ok(self.node(NodeKind::Global(global), at)),
            Some(Meaning::Host(host)) => Ok(self.node(NodeKind::Host(host), at)),
            Some(Meaning::Value(callee)) => Ok(self.node(NodeKind::Call(callee, Vec::new()), at)),
            None => Err(self.missing("value", &words)),
        }
    }

    fn missing(&self, what: &str, words: &[String]) -> Error {
        let name = words.last().map_or("", |name| name);
        let error = Error::new(format!("cannot find {what} `{}` in this scope", words.join("::")));
        near(error, name, self.scope.names().chain(self.items.names_of(self.module)))
    }

    /// The meaning of a path that is no variable.
    fn meaning(&mut self, path: &syn::Path) -> Option<Meaning> {
        let words = segments(path);
        let first = words.first()?;
        if self.generics.contains(first) {
            let of = [&["f64".to_owned()], &words[1..]].concat();
            return self.foreign(&of);
        }
        let found = match (&words[..], self.this) {
            ([own], Some(this)) if own == "Self" => Some(Found::Data(this)),
            ([own, name], Some(this)) if own == "Self" => self.items.associated(self.program, this, name),
            _ => self.items.find(self.program, self.module, &words, 0),
        };
        match found {
            Some(Found::Function(function)) => Some(Meaning::Callee(Callee::Own(function))),
            Some(Found::Global(global)) => Some(Meaning::Global(global)),
            Some(Found::Data(data)) => self.variant(data, 0),
            Some(Found::Variant(data, variant)) => self.variant(data, variant),
            Some(Found::Foreign(path)) => self.foreign(&path),
            Some(Found::Alias(..) | Found::Module(_)) => None,
            None => self.derived(&words).or_else(|| self.foreign(&words)),
        }
    }

    /// `Type::default` that is derived.
    fn derived(&self, words: &[String]) -> Option<Meaning> {
        let (last, of) = words.split_last()?;
        let of = match of {
            [own] if own == "Self" => self.this,
            _ => match self.items.find(self.program, self.module, of, 0)? {
                Found::Data(data) => Some(data),
                _ => None,
            },
        };
        let of = Type::Data(of?, Vec::new());
        (last == "default").then(|| Meaning::Callee(Callee::Default(Box::new(of))))
    }

    fn variant(&self, data: u32, variant: u32) -> Option<Meaning> {
        let known = self.program.variant(data, variant)?;
        if known.fields.is_empty() {
            return Some(Meaning::Constant(Constant::Variant(data, variant)));
        }
        known.in_order.then_some(Meaning::Callee(Callee::Variant(data, variant)))
    }

    fn foreign(&mut self, path: &[String]) -> Option<Meaning> {
        if let Some(constant) = named_constant(path) {
            return Some(Meaning::Constant(constant));
        }
        if let Some(callee) = named_value(path) {
            return Some(Meaning::Value(callee));
        }
        if let Some(callee) = named_function(path) {
            return Some(Meaning::Callee(callee));
        }
        let words: Vec<&str> = path.iter().map(String::as_str).collect();
        if let Some(function) = self.vocabulary.function(&words) {
            return Some(Meaning::Callee(Callee::Host(function)));
        }
        if let Some(constant) = self.vocabulary.constant(&words) {
            return Some(Meaning::Host(constant));
        }
        // `f64::sqrt` is a method by its path.
        let (name, of) = path.split_last()?;
        let of = of.last()?;
        let is_type =
            named_type(of).is_some() || matches!(of.as_str(), "Vec" | "Iterator" | "Clone" | "Into");
        is_type.then(|| Meaning::Callee(Callee::Method(Box::new(self.named_method(name, Type::Unknown)))))
    }

    fn made(&mut self, made: &syn::ExprStruct) -> Result<NodeKind, Error> {
        let words = segments(&made.path);
        let found = match (&words[..], self.this) {
            ([own], Some(this)) if own == "Self" => Some(Found::Data(this)),
            ([own, name], Some(this)) if own == "Self" => self.items.associated(self.program, this, name),
            _ => self.items.find(self.program, self.module, &words, 0),
        };
        let (data, variant) = match found {
            Some(Found::Data(data)) => (data, 0),
            Some(Found::Variant(data, variant)) => (data, variant),
            Some(Found::Foreign(path)) if path.last().is_some_and(|last| last == "State") => {
                (super::tree::known::STATE, 0)
            }
            _ => return Err(self.missing("struct", &words)),
        };
        let known =
            self.program.variant(data, variant).map(|variant| variant.fields.clone()).unwrap_or_default();
        let mut fields = Vec::new();
        for field in &made.fields {
            let name = word(&field.member);
            let Some(position) = known.iter().position(|known| self.program.name(known.symbol) == name)
            else {
                let error = Error::new(format!("struct `{}` has no field named `{name}`", words.join("::")));
                let names = known.iter().map(|field| self.program.name(field.symbol));
                return Err(near(error, &name, names).at(self.place(field.span())));
            };
            let value = self.typed(&field.expr, &known[position].r#type)?;
            fields.push((position as u32, value));
        }
        let base = made
            .rest
            .as_ref()
            .map(|base| self.expression(base, &Type::Data(data, Vec::new())))
            .transpose()?;
        if base.is_none() && fields.len() < known.len() {
            let given = |k: usize| fields.iter().any(|(position, _)| *position as usize == k);
            let missing =
                known.iter().enumerate().find(|(k, _)| !given(*k)).map_or("", |(_, field)| &field.name);
            return Err(Error::new(format!(
                "missing field `{missing}` in initializer of `{}`",
                words.join("::")
            )));
        }
        Ok(NodeKind::Data(Box::new(DataNode { data, variant, fields, base, count: known.len() })))
    }

    fn call(&mut self, call: &syn::ExprCall, wanted: &Type) -> Outcome {
        let unknown = &Type::Unknown;
        if let Expr::Path(path) = &*call.func
            && path.qself.is_none()
        {
            let words = segments(&path.path);
            let is_local = matches!(&words[..], [name] if self.scope.find(name).is_some());
            if !is_local {
                let callee = match self.meaning(&path.path) {
                    Some(Meaning::Callee(Callee::Default(_)))
                        if words.first().is_some_and(|first| first == "Default") =>
                    {
                        Callee::Default(Box::new(wanted.clone()))
                    }
                    Some(Meaning::Callee(callee)) => callee,
                    _ if words == ["Default", "default"] => Callee::Default(Box::new(wanted.clone())),
                    Some(_) => {
                        return Err(Error::new(format!("expected function, found `{}`", words.join("::"))));
                    }
                    None => return Err(self.missing("function", &words)),
                };
                let types = self.types_of(&callee);
                let inner = |k: usize| types.get(k).unwrap_or(unknown);
                let nodes = call.args.iter().enumerate().map(|(k, one)| self.typed(one, inner(k)));
                let nodes = nodes.collect::<Result<_, _>>()?;
                return Ok(self.node(NodeKind::Call(callee, nodes), call));
            }
        }
        let function = self.boxed(&call.func, unknown)?;
        let arguments = self.all(call.args.iter(), unknown)?;
        Ok(self.node(NodeKind::Apply(function, arguments), call))
    }

    /// The types of the arguments of a struct or a variant.
    fn types_of(&self, callee: &Callee) -> Vec<Type> {
        match callee {
            Callee::Variant(data, variant) => {
                let fields = self.program.variant(*data, *variant).map(|variant| &variant.fields[..]);
                fields.unwrap_or_default().iter().map(|field| field.r#type.clone()).collect()
            }
            _ => Vec::new(),
        }
    }

    fn named_method(&mut self, name: &str, wanted: Type) -> Method {
        let known = match name {
            "powi" => Known::Powi,
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
            host: self.vocabulary.method(name),
            wanted,
        }
    }

    fn method(&mut self, call: &syn::ExprMethodCall, wanted: &Type) -> Outcome {
        let name = call.method.to_string();
        let turbofish =
            call.turbofish.as_ref().and_then(|angles| angles.args.first()).and_then(|first| match first {
                syn::GenericArgument::Type(written) => Some(self.around().read(written)),
                syn::GenericArgument::Const(Expr::Lit(syn::ExprLit {
                    lit: syn::Lit::Int(number), ..
                })) => Some(Type::List(Box::default(), number.base10_parse().ok())),
                _ => None,
            });
        let unwraps = matches!(
            name.as_str(),
            "unwrap" | "expect" | "unwrap_or" | "unwrap_or_default" | "unwrap_or_else"
        );
        let inner = match (&*name, wanted) {
            _ if unwraps => Type::Data(super::tree::known::RESULT, vec![wanted.clone()]),
            ("clone" | "abs" | "pow" | "max" | "min", Type::Integer(_)) => wanted.clone(),
            _ => Type::Unknown,
        };
        let receiver = self.expression(&call.receiver, &inner)?;
        let arguments = self.all(call.args.iter(), &Type::Unknown)?;
        let wanted = match (&*name, turbofish) {
            ("parse", Some(inner)) => Type::Data(super::tree::known::RESULT, vec![inner]),
            (_, Some(wanted)) => wanted,
            (
                "collect" | "sum" | "product" | "into" | "parse" | "unwrap_or_default" | "to_vec"
                | "try_into",
                None,
            ) => wanted.clone(),
            _ => Type::Unknown,
        };
        let method = self.named_method(&name, wanted);
        let access = if self.program.lending.contains(&method.symbol) {
            Access::Lend
        } else if changes(&name, arguments.len()) {
            Access::Change
        } else {
            Access::Read
        };
        if access != Access::Read {
            self.lend(&receiver);
        }
        Ok(self.node(NodeKind::Method(Box::new((method, receiver, arguments, access))), call))
    }

    fn macro_call(&mut self, call: &syn::Macro, wanted: &Type, at: &impl Spanned) -> Outcome {
        let name = call.path.segments.last().map_or_else(String::new, |last| last.ident.to_string());
        let inner = if let Type::List(inner, _) = wanted { inner } else { &Type::Unknown };
        let kind = match written(&name, &call.tokens).map_err(|error| error.at(self.place(at.span())))? {
            Written::List(list) => NodeKind::List(self.all(list.iter(), inner)?),
            Written::Repeat(both) => {
                NodeKind::Repeat(self.both(&both[0], &both[1], [inner, &Type::Integer(Kind::Usize)])?)
            }
            Written::Fails(message) => NodeKind::Fail(Box::new((message, None))),
            Written::Asserts(condition, message) => {
                let condition = self.expression(&condition, &Type::Unknown)?;
                let fails = self.node(NodeKind::Fail(Box::new((message, None))), at);
                let holds = self.node(NodeKind::Constant(Constant::Unit), at);
                NodeKind::If(Box::new((condition, holds, Some(fails))))
            }
            Written::Matches(value, pattern) => {
                let begin = self.scope.begin();
                let value = self.expression(&value, &Type::Unknown)?;
                let node = match &*pattern {
                    Pat::Guard(guarded) => {
                        let pattern = self.pattern(&guarded.pat)?;
                        let test = self.node(NodeKind::Test(Box::new((pattern, value))), at);
                        NodeKind::Both(Box::new([test, self.expression(&guarded.guard, &Type::Unknown)?]))
                    }
                    pattern => NodeKind::Test(Box::new((self.pattern(pattern)?, value))),
                };
                self.scope.end(begin);
                node
            }
        };
        Ok(self.node(kind, at))
    }
}

/// The meaning of a path in an expression.
enum Meaning {
    Callee(Callee),
    Constant(Constant),
    Global(u32),
    Host(u32),
    /// Of a function without arguments.
    Value(Callee),
}

/// The operator, and whether it assigns; `None` for `&&` and `||`.
fn operator(written: &BinOp) -> Result<(Option<Operator>, bool), Error> {
    let plain = |operator| (Some(operator), false);
    let assigning = |operator| (Some(operator), true);
    Ok(match written {
        BinOp::Add(_) => plain(Operator::Add),
        BinOp::Sub(_) => plain(Operator::Sub),
        BinOp::Mul(_) => plain(Operator::Mul),
        BinOp::Div(_) => plain(Operator::Div),
        BinOp::Rem(_) => plain(Operator::Rem),
        BinOp::BitXor(_) => plain(Operator::Xor),
        BinOp::BitAnd(_) => plain(Operator::And),
        BinOp::BitOr(_) => plain(Operator::Or),
        BinOp::Shl(_) => plain(Operator::Left),
        BinOp::Shr(_) => plain(Operator::Right),
        BinOp::Eq(_) => plain(Operator::Equal),
        BinOp::Ne(_) => plain(Operator::Unequal),
        BinOp::Lt(_) => plain(Operator::Less),
        BinOp::Le(_) => plain(Operator::LessEqual),
        BinOp::Gt(_) => plain(Operator::Greater),
        BinOp::Ge(_) => plain(Operator::GreaterEqual),
        BinOp::And(_) | BinOp::Or(_) => (None, false),
        BinOp::AddAssign(_) => assigning(Operator::Add),
        BinOp::SubAssign(_) => assigning(Operator::Sub),
        BinOp::MulAssign(_) => assigning(Operator::Mul),
        BinOp::DivAssign(_) => assigning(Operator::Div),
        BinOp::RemAssign(_) => assigning(Operator::Rem),
        BinOp::BitXorAssign(_) => assigning(Operator::Xor),
        BinOp::BitAndAssign(_) => assigning(Operator::And),
        BinOp::BitOrAssign(_) => assigning(Operator::Or),
        BinOp::ShlAssign(_) => assigning(Operator::Left),
        BinOp::ShrAssign(_) => assigning(Operator::Right),
        _ => return Err(Error::refused("this operator")),
    })
}
