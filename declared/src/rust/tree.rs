//! Rust with its names resolved: variables are slots, functions and fields are numbers.
//!
//! It holds no tokens and no numbers of an evaluation, so that threads can share it.

use super::error::{Place, Result};
use super::integer::{Kind, Operator};
use super::number::{Elementary, OfTwo};
use least_action_core::system::Signal;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A name, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Symbol(pub(crate) u32);

/// A value that threads can share, and that owns all its parts: those that are written are the first.
#[derive(Debug, Clone)]
pub(crate) enum Constant {
    Unit,
    Bool(bool),
    Number(f64),
    Integer(i128, Kind),
    Char(char),
    Text(Arc<str>),
    Data(u32, u32, Vec<Constant>),
    List(Vec<Constant>),
    Tuple(Vec<Constant>),
    Matrix(u8, u8, Vec<f64>),
    Range(Box<[Constant; 2]>, bool),
    Path(Box<Callee>),
    Closure(Arc<Code>, Vec<Constant>),
    Variable(Box<Constant>),
    Signal(Box<Signal>),
}

/// A type, as far as values depend on it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Type {
    #[default]
    Unknown,
    Number,
    Integer(Kind),
    Bool,
    Text,
    List(Box<Type>, Option<usize>),
    Tuple(Vec<Type>),
    Matrix(u8, u8),
    /// A struct or an enum, and the types in angle brackets.
    Data(u32, Vec<Type>),
    Signal,
}

/// The structs and enums of the prelude, in the order in which it declares them.
pub(crate) mod known {
    pub(crate) const OPTION: u32 = 0;
    pub(crate) const RESULT: u32 = 1;
    pub(crate) const ORDERING: u32 = 2;
    pub(crate) const STATE: u32 = 3;
    pub(crate) const LOOK: u32 = 4;
    pub(crate) const CELL: u32 = 5;
    pub(crate) const QUATERNION: u32 = 6;
    /// Holds methods of all matrices.
    pub(crate) const MATRIX: u32 = 7;
    pub(crate) const NEAR: u32 = 8;
    pub(crate) const NONE: u32 = 0;
    pub(crate) const SOME: u32 = 1;
    pub(crate) const ERR: u32 = 0;
    /// As `Some`, so that both are asked at once.
    pub(crate) const OK: u32 = SOME;
}

/// A function that is called by its path.
#[derive(Debug, Clone)]
pub(crate) enum Callee {
    /// Of the file.
    Own(u32),
    /// A struct or a variant with fields in order.
    Variant(u32, u32),
    /// Of the interpreter, by its number, and the type before its name.
    Builtin(u32, Box<Type>),
    /// A method by its path: the first argument is the receiver.
    Method(Box<Method>),
    /// Of the surroundings.
    Host(u32),
}

/// The number of tables in which a method of the interpreter may stand, and its rows in them.
pub(crate) const TABLES: usize = 10;
pub(crate) type Rows = [Option<u8>; TABLES];

/// A method by its name.
#[derive(Debug, Clone)]
pub(crate) struct Method {
    pub(crate) name: Arc<str>,
    pub(crate) symbol: Symbol,
    pub(crate) known: Known,
    /// Its rows in the tables of methods.
    pub(crate) rows: Rows,
    /// The number that the surroundings gave it.
    pub(crate) host: Option<u32>,
    /// The type that it is to give.
    pub(crate) wanted: Type,
}

/// A method whose receiver is mostly a number.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Known {
    Elementary(Elementary),
    OfTwo(OfTwo),
    Other,
}

/// An expression at its place.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) kind: NodeKind,
}

#[derive(Debug, Clone)]
pub(crate) enum NodeKind {
    Constant(Constant),
    Local(u32),
    Global(u32),
    Host(u32),
    Field(Box<Node>, Member),
    Index(Box<[Node; 2]>),
    Negative(Box<Node>),
    Not(Box<Node>),
    Deref(Box<Node>),
    Binary(Operator, Box<[Node; 2]>),
    Both(Box<[Node; 2]>),
    Either(Box<[Node; 2]>),
    /// `as`.
    Cast(Box<(Node, Type)>),
    /// At the border of a declared type.
    Typed(Box<(Node, Type)>),
    List(Vec<Node>),
    Tuple(Vec<Node>),
    Repeat(Box<[Node; 2]>),
    Range(Box<[Node; 2]>, bool),
    Data(Box<DataNode>),
    Block(Vec<Node>),
    Let(Box<(Pattern, Node, Option<Node>)>),
    Test(Box<(Pattern, Node)>),
    If(Box<[Node; 3]>),
    Match(Box<(Node, Vec<Arm>)>),
    Loop(Box<LoopNode>),
    For(Box<(Pattern, LoopNode)>),
    Break(u32, Box<Node>),
    Continue(u32),
    Return(Box<Node>),
    Try(Box<Node>),
    Assign(Box<[Node; 2]>),
    AssignWith(Operator, Box<[Node; 2]>),
    Borrow(Box<Node>),
    Call(Box<(Callee, Vec<Node>)>),
    Apply(Box<Node>, Vec<Node>),
    Method(Box<MethodNode>),
    Closure(Arc<Code>),
    Fail(String),
}

#[derive(Debug, Clone)]
pub(crate) struct MethodNode {
    pub(crate) method: Method,
    pub(crate) receiver: Node,
    pub(crate) arguments: Vec<Node>,
    /// It may change its receiver, which is lent to it.
    pub(crate) lends: bool,
}

/// A field by its name, and the likely position of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) symbol: Symbol,
    pub(crate) likely: u32,
}

#[derive(Debug, Clone)]
pub(crate) struct DataNode {
    pub(crate) data: u32,
    pub(crate) variant: u32,
    pub(crate) fields: Vec<(u32, Node)>,
    pub(crate) base: Option<Node>,
    pub(crate) count: usize,
}

/// A loop: `head` is the condition of `while`, or the items of `for`.
#[derive(Debug, Clone)]
pub(crate) struct LoopNode {
    pub(crate) label: u32,
    pub(crate) head: Node,
    pub(crate) body: Node,
    pub(crate) cost: u32,
}

#[derive(Debug, Clone)]
pub(crate) struct Arm {
    pub(crate) pattern: Pattern,
    pub(crate) guard: Option<Node>,
    pub(crate) body: Node,
}

#[derive(Debug, Clone)]
pub(crate) enum Pattern {
    Any,
    Bind(u32, Option<Box<Pattern>>),
    Constant(Constant),
    Between(Option<Constant>, Option<Constant>, bool),
    /// A tuple or a list; and the number of patterns before `..`.
    Sequence(Vec<Pattern>, Option<usize>),
    Data(u32, u32, Vec<(u32, Pattern)>),
    Or(Vec<Pattern>),
}

/// A function or a closure.
#[derive(Debug, Clone)]
pub(crate) struct Code {
    pub(crate) name: Arc<str>,
    pub(crate) parameters: Vec<(Pattern, Type)>,
    /// The first parameter is `&mut self`.
    pub(crate) changes_self: bool,
    pub(crate) result: Type,
    /// The slots, and for each whether it is a variable that others may hold, too.
    pub(crate) variables: Vec<bool>,
    /// Outer and inner slots of captured variables.
    pub(crate) captures: Vec<(u32, u32)>,
    pub(crate) moves: bool,
    pub(crate) body: Node,
    pub(crate) cost: u32,
    pub(crate) depth: u32,
}

/// A field of a struct or of a variant.
#[derive(Debug, Clone)]
pub struct Field {
    pub(crate) symbol: Symbol,
    /// Its name in JSON.
    pub name: String,
    pub(crate) r#type: Type,
    /// Its type as it is written.
    pub written: String,
    /// Its documentation.
    pub documentation: String,
}

/// A variant of an enum; a struct has one.
#[derive(Debug, Clone)]
pub(crate) struct Variant {
    /// The name in Rust, and in JSON.
    pub(crate) names: [String; 2],
    pub(crate) fields: Vec<Field>,
    pub(crate) in_order: bool,
}

/// A struct or an enum.
#[derive(Debug, Clone, Default)]
pub(crate) struct Data {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) is_enum: bool,
    pub(crate) documentation: String,
    pub(crate) variants: Vec<Variant>,
    /// The variant that `#[derive(Default)]` gives.
    pub(crate) default: Option<u32>,
    pub(crate) methods: Vec<(Symbol, u32)>,
}

/// All that the interpreter knows of a file: resolved once, evaluated on any thread.
#[derive(Debug, Default)]
pub struct Program {
    pub(crate) files: Vec<Arc<str>>,
    pub(crate) names: Vec<Arc<str>>,
    pub(crate) symbols: HashMap<Arc<str>, Symbol>,
    pub(crate) data: Vec<Data>,
    pub(crate) functions: Vec<Result<Arc<Code>>>,
    pub(crate) globals: Vec<Result<Arc<Code>>>,
    /// The names of methods that take `&mut self`.
    pub(crate) lending: HashSet<Symbol>,
    /// The struct with the declaration.
    pub(crate) model: Option<u32>,
}

impl Program {
    /// The number of a name.
    pub(crate) fn symbol(&mut self, name: &str) -> Symbol {
        if let Some(symbol) = self.symbols.get(name) {
            return *symbol;
        }
        let (symbol, name) = (Symbol(self.names.len() as u32), Arc::<str>::from(name));
        self.names.push(Arc::clone(&name));
        self.symbols.insert(name, symbol);
        symbol
    }

    /// The name of a number.
    pub(crate) fn name(&self, symbol: Symbol) -> &str {
        self.names.get(symbol.0 as usize).map_or("?", |name| name)
    }

    pub(crate) fn variant(&self, data: u32, variant: u32) -> Option<&Variant> {
        self.data.get(data as usize)?.variants.get(variant as usize)
    }

    /// A method of a struct or an enum of the file.
    pub(crate) fn method_of(&self, data: u32, name: Symbol) -> Option<u32> {
        let methods = &self.data.get(data as usize)?.methods;
        methods.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
    }

    /// The same by the name itself.
    pub(crate) fn method_named(&self, data: u32, name: &str) -> Option<u32> {
        self.method_of(data, *self.symbols.get(name)?)
    }

    /// The position of a field.
    pub(crate) fn position(&self, data: u32, variant: u32, member: Member) -> Option<usize> {
        let fields = &self.variant(data, variant)?.fields;
        match fields.get(member.likely as usize) {
            Some(field) if field.symbol == member.symbol => Some(member.likely as usize),
            _ => fields.iter().position(|field| field.symbol == member.symbol),
        }
    }
}
