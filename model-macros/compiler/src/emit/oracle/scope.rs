//! The names in scope while a method is read, and the shapes of expressions with them.

use super::methods::Methods;
use super::shape::{Shape, constant};
use crate::ast::is_self;
use crate::lower::WORDS;
use syn::ext::IdentExt;
use syn::{Block, Expr, ExprClosure, Member, Pat, Stmt};

/// The name of a place that is written where it is used.
pub(super) const UNNAMED: &str = "point";

#[derive(Debug, Clone)]
enum Meaning {
    Value(Option<Shape>),
    Closure { definition: usize, closure: Box<ExprClosure> },
}

/// The names in scope and their meanings.
pub(super) struct Scope<'a> {
    methods: &'a Methods,
    names: Vec<(String, Meaning)>,
    /// The number of names at the beginning that are coordinates.
    coordinates: usize,
    /// The shapes of results of the closures in `names`, each with its place and the shapes of its
    /// arguments: a closure that calls another twice, which calls another twice, is read once.
    results: Vec<(usize, Vec<Option<Shape>>, Option<Shape>)>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(methods: &'a Methods) -> Self {
        Self { methods, names: Vec::new(), coordinates: 0, results: Vec::new() }
    }

    pub(super) fn methods(&self) -> &'a Methods {
        self.methods
    }

    /// The names bound so far are coordinates.
    pub(super) fn are_coordinates(&mut self) {
        self.coordinates = self.names.len();
    }

    /// A mark to return to with [`Scope::leave`].
    pub(super) fn enter(&self) -> usize {
        self.names.len()
    }

    /// Forgets the names bound since `mark`.
    pub(super) fn leave(&mut self, mark: usize) {
        self.names.truncate(mark);
        self.results.retain(|(place, ..)| *place < mark);
    }

    /// Binds the names of a pattern to the parts of a value of this shape.
    pub(super) fn bind(&mut self, pattern: &Pat, shape: Option<&Shape>) {
        match pattern {
            Pat::Ident(name) => self.names.push((name.ident.to_string(), Meaning::Value(shape.cloned()))),
            Pat::Type(typed) => {
                let annotated = Shape::of_type(&typed.ty);
                self.bind(&typed.pat, annotated.as_ref().or(shape));
            }
            Pat::Reference(reference) => self.bind(&reference.pat, shape),
            Pat::Paren(inner) => self.bind(&inner.pat, shape),
            Pat::Tuple(tuple) => {
                let parts = match shape {
                    Some(Shape::Tuple(parts)) => &parts[..],
                    _ => &[],
                };
                for (place, part) in tuple.elems.iter().enumerate() {
                    self.bind(part, parts.get(place).and_then(Option::as_ref));
                }
            }
            Pat::TupleStruct(tuple) => tuple.elems.iter().for_each(|part| self.bind(part, None)),
            Pat::Struct(fields) => fields.fields.iter().for_each(|field| self.bind(&field.pat, None)),
            Pat::Slice(slice) => slice.elems.iter().for_each(|part| self.bind(part, None)),
            _ => {}
        }
    }

    /// Binds the names of `let pattern = value`.
    pub(super) fn bind_value(&mut self, pattern: &Pat, value: &Expr) {
        match (pattern, value) {
            (Pat::Tuple(names), Expr::Tuple(values)) if names.elems.len() == values.elems.len() => {
                let shapes: Vec<_> = values.elems.iter().map(|value| self.shape(value)).collect();
                for (name, shape) in names.elems.iter().zip(shapes) {
                    self.bind(name, shape.as_ref());
                }
            }
            (Pat::Tuple(names), Expr::MethodCall(call)) if call.method == "sin_cos" => {
                let shape = self.shape(&call.receiver);
                names.elems.iter().for_each(|name| self.bind(name, shape.as_ref()));
            }
            _ => {
                let shape = self.shape(value);
                self.bind(pattern, shape.as_ref());
            }
        }
    }

    /// Binds a name to a closure, the `definition`-th of the method.
    pub(super) fn bind_closure(&mut self, name: &syn::Ident, definition: usize, closure: ExprClosure) {
        self.names.push((name.to_string(), Meaning::Closure { definition, closure: Box::new(closure) }));
    }

    /// True if the name is bound here, and so hides a function of the language.
    pub(super) fn binds(&self, name: &syn::Ident) -> bool {
        self.names.iter().any(|(bound, _)| name == bound)
    }

    /// The definition that a called name refers to.
    pub(super) fn closure(&self, function: &Expr) -> Option<usize> {
        match self.meaning(function)? {
            Meaning::Closure { definition, .. } => Some(*definition),
            Meaning::Value(_) => None,
        }
    }

    fn meaning(&self, expression: &Expr) -> Option<&Meaning> {
        self.position(expression).map(|position| &self.names[position].1)
    }

    /// The place of the innermost binding of a name.
    fn position(&self, expression: &Expr) -> Option<usize> {
        let Expr::Path(path) = expression else { return None };
        let name = path.path.get_ident()?;
        self.names.iter().rposition(|(bound, _)| name == bound)
    }

    /// The shape of an expression; `None` if it does not depend on coordinates.
    pub(super) fn shape(&mut self, expression: &Expr) -> Option<Shape> {
        let expression = crate::parse::lent(expression);
        match expression {
            Expr::Path(path) => match self.meaning(expression) {
                Some(Meaning::Value(shape)) => shape.clone(),
                Some(Meaning::Closure { .. }) => None,
                None => constant(&path.path).map(|(shape, _)| shape),
            },
            Expr::Unary(inner) => self.shape(&inner.expr),
            Expr::Binary(binary) => self.shape_of_binary(binary),
            Expr::Field(field) => match (&field.member, self.shape(&field.base)?) {
                (Member::Named(_), Shape::Vec2 | Shape::Vec3) => Some(Shape::Scalar),
                _ => None,
            },
            Expr::Index(index) => match self.shape(&index.expr)? {
                Shape::Array(entry) => Some(*entry),
                Shape::Vec2 | Shape::Vec3 | Shape::Mat3 => Some(Shape::Scalar),
                _ => None,
            },
            Expr::MethodCall(call) => self.shape_of_method(call),
            Expr::Call(call) => self.shape_of_call(call),
            Expr::Block(block) => self.shape_of_block(&block.block),
            Expr::If(branches) => {
                let then = self.shape_of_block(&branches.then_branch);
                then.or_else(|| branches.else_branch.as_ref().and_then(|(_, other)| self.shape(other)))
            }
            Expr::Match(choice) => choice.arms.iter().find_map(|arm| self.shape(&arm.body)),
            Expr::Array(array) => {
                let entry = array.elems.iter().find_map(|entry| self.shape(entry))?;
                Some(Shape::Array(Box::new(entry)))
            }
            _ => None,
        }
    }

    /// The name of a vector that depends on coordinates: its own, its array's, or its function's.
    /// A coordinate is known as a place; a difference is none.
    pub(super) fn place(&mut self, vector: &Expr) -> Option<String> {
        if !matches!(self.shape(vector), Some(Shape::Vec2 | Shape::Vec3)) {
            return None;
        }
        let mut named = vector;
        loop {
            named = match crate::parse::lent(named) {
                Expr::Index(index) => &index.expr,
                Expr::Call(call) if self.closure(&call.func).is_some() => &call.func,
                Expr::Path(path) => {
                    self.position(named).filter(|position| *position >= self.coordinates)?;
                    return path.path.segments.last().map(|last| last.ident.unraw().to_string());
                }
                Expr::MethodCall(call) if is_self(&call.receiver) => {
                    return Some(call.method.unraw().to_string());
                }
                Expr::Binary(binary) if matches!(binary.op, syn::BinOp::Sub(_)) => return None,
                _ => return Some(UNNAMED.to_owned()),
            }
        }
    }

    fn shape_of_binary(&mut self, binary: &syn::ExprBinary) -> Option<Shape> {
        use syn::BinOp;
        if !matches!(binary.op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_)) {
            return None;
        }
        match (self.shape(&binary.left), self.shape(&binary.right)) {
            (Some(Shape::Mat3), Some(Shape::Vec3)) => Some(Shape::Vec3),
            (Some(Shape::Scalar), Some(other)) => Some(other),
            (Some(shape), _) | (None, Some(shape)) => Some(shape),
            (None, None) => None,
        }
    }

    fn shape_of_method(&mut self, call: &syn::ExprMethodCall) -> Option<Shape> {
        if is_self(&call.receiver)
            && let Some(signature) = self.methods.get(&call.method)
        {
            return signature.result.clone();
        }
        let receiver = self.shape(&call.receiver)?;
        match (call.method.to_string().as_str(), receiver) {
            ("len" | "sin_cos" | "is_empty" | "enumerate" | "components", _) => None,
            ("normalize" | "clone", same) => Some(same),
            ("of", Shape::Near { point, .. }) => Some(Shape::Near { point, of_one: true }),
            (_, near @ Shape::Near { .. }) => Some(near),
            ("transpose" | "inverse", Shape::Mat3) | ("outer", Shape::Vec3) => Some(Shape::Mat3),
            ("row" | "column" | "diagonal", Shape::Mat3) => Some(Shape::Vec3),
            ("cross", Shape::Vec3) => Some(Shape::Vec3),
            (_, Shape::Array(entry)) => Some(Shape::Array(entry)),
            _ => Some(Shape::Scalar),
        }
    }

    fn shape_of_call(&mut self, call: &syn::ExprCall) -> Option<Shape> {
        if self.closure(&call.func).is_some() {
            let arguments: Vec<_> = call.args.iter().map(|argument| self.shape(argument)).collect();
            return self.shape_of_named(&call.func, &arguments);
        }
        let Expr::Path(path) = &*call.func else { return None };
        let name = path.path.segments.last()?.ident.clone();
        match (name.to_string().as_str(), call.args.len()) {
            ("vec2", _) => Some(Shape::Vec2),
            ("vec3", _) => Some(Shape::Vec3),
            ("mat3", 1) => Some(Shape::Mat3),
            (name, 1) if is_matrix_constructor(path, name) => Some(Shape::Mat3),
            ("lift", 1) if path.path.leading_colon.is_some() => Some(Shape::Scalar),
            ("der" | "stiff", 1) => self.shape(&call.args[0]),
            ("table", 2) | ("switched" | "shifted" | "force_shifted", 3) => Some(Shape::Scalar),
            ("periodic", 2) => self.shape(&call.args[1]),
            ("within", 2) | ("between", 3) => match self.shape(&call.args[1])? {
                Shape::Array(point) => Some(Shape::Near { point, of_one: false }),
                _ => None,
            },
            ("sum", 2) => self.shape_of_items(call),
            ("each", 2) => self.shape_of_items(call).map(|entry| Shape::Array(Box::new(entry))),
            _ if path.path.segments[0].ident == "Self" => {
                self.methods.get(&name).and_then(|signature| signature.result.clone())
            }
            _ if self.is_opaque(call) => Some(Shape::Scalar),
            _ => None,
        }
    }

    /// True for a call of a function of Rust with numbers, some of which depend on coordinates.
    pub(super) fn is_opaque(&mut self, call: &syn::ExprCall) -> bool {
        let Expr::Path(path) = &*call.func else { return false };
        let Some(last) = path.path.segments.last() else { return false };
        let text = last.ident.to_string();
        let owner = path.path.segments.len() > 1 && path.path.segments[0].ident == "Self";
        let known = WORDS.into_iter().chain(["sum", "pairs", "lift"]);
        if owner
            || path.path.leading_colon.is_some()
            || known.into_iter().any(|word| word == text)
            || text.starts_with(char::is_uppercase)
            || self.binds(&last.ident)
        {
            return false;
        }
        call.args.iter().any(|argument| self.shape(argument) == Some(Shape::Scalar))
    }

    /// The shape of the result of the closure in `sum` or `each`.
    fn shape_of_items(&mut self, call: &syn::ExprCall) -> Option<Shape> {
        let item = self.item(&call.args[0]);
        match &call.args[1] {
            Expr::Closure(closure) => self.shape_of_closure(closure, &[item]),
            function => self.shape_of_named(function, &[item]),
        }
    }

    /// The shape of the result of a named closure. Its body sees earlier names, and so never itself.
    fn shape_of_named(&mut self, function: &Expr, arguments: &[Option<Shape>]) -> Option<Shape> {
        let position = self.position(function)?;
        let known = self.results.iter().find(|(place, of, _)| *place == position && of == arguments);
        if let Some((.., shape)) = known {
            return shape.clone();
        }
        let Meaning::Closure { closure, .. } = self.names[position].1.clone() else { return None };
        let later = self.names.split_off(position);
        // These places have held other names since.
        self.results.retain(|(place, ..)| *place < position);
        let shape = self.shape_of_closure(&closure, arguments);
        self.names.extend(later);
        self.results.push((position, arguments.to_vec(), shape.clone()));
        shape
    }

    /// The shape of the items of an iterator.
    pub(super) fn item(&mut self, items: &Expr) -> Option<Shape> {
        match self.shape(items)? {
            Shape::Array(entry) => Some(*entry),
            Shape::Near { point, of_one } => {
                let numbers = if of_one { 1 } else { 2 };
                let mut parts = vec![None; numbers];
                parts.push(Some(*point));
                Some(Shape::Tuple(parts))
            }
            _ => None,
        }
    }

    fn shape_of_closure(&mut self, closure: &ExprClosure, arguments: &[Option<Shape>]) -> Option<Shape> {
        let mark = self.enter();
        for (position, parameter) in closure.inputs.iter().enumerate() {
            self.bind(parameter, arguments.get(position).and_then(Option::as_ref));
        }
        let shape = self.shape(&closure.body);
        self.leave(mark);
        shape
    }

    fn shape_of_block(&mut self, block: &Block) -> Option<Shape> {
        let mark = self.enter();
        for statement in &block.stmts {
            if let Stmt::Local(local) = statement
                && let Some(init) = &local.init
            {
                match (&local.pat, &*init.expr) {
                    (Pat::Ident(name), Expr::Closure(closure)) => {
                        self.bind_closure(&name.ident, usize::MAX, closure.clone());
                    }
                    (pattern, value) => self.bind_value(pattern, value),
                }
            }
        }
        let shape = match block.stmts.last() {
            Some(Stmt::Expr(tail, None)) => self.shape(tail),
            _ => None,
        };
        self.leave(mark);
        shape
    }
}

/// True if a path such as `Mat3::from_columns` makes a matrix of vectors.
fn is_matrix_constructor(path: &syn::ExprPath, name: &str) -> bool {
    let owner = constant(&path.path).map(|(shape, _)| shape);
    owner == Some(Shape::Mat3) && name.starts_with("from_")
}
