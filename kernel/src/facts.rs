//! The facts about one element of a family.

use std::borrow::Cow;

/// A text of a declaration: a constant of compiled code, or a value that a program makes while it runs.
pub type Text = Cow<'static, str>;

/// A list of texts.
pub type Texts = Cow<'static, [Text]>;

/// The number of continuous derivatives of an expression, found by comparing the branches of its choices
/// (`if`, `min`, `max`, `abs`, …) where they meet.
///
/// Functions known only to Rust count as smooth; singular points (a root of zero, a quotient by zero) do
/// not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Smoothness {
    /// The branches do not provably meet: the expression may jump.
    Unknown,
    /// At least this number of continuous derivatives; 0 is continuous.
    Times(u32),
    /// Continuous derivatives of every order.
    #[default]
    Smooth,
}

/// An entry of the lower triangle of the Hessian of an element that is not identically zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HessianEntry {
    /// The inputs of its row and of its column.
    pub row: usize,
    /// See `row`.
    pub column: usize,
    /// The number of the matrix, and whether its negative is the entry: entries may share a number.
    pub number: usize,
    /// See `number`.
    pub negative: bool,
}

/// A linear form of inputs: inputs with factors.
pub type LinearForm = Cow<'static, [(usize, f64)]>;

/// The facts about one element f(x, c, t, θ) of a family.
///
/// An element reads a few coordinates through *slots*: a slot is one entry of a coordinate, such as
/// `bobs[i]`; each *input* of the element is one component of a slot.
#[derive(Debug, Clone, PartialEq)]
pub struct ElementFacts {
    /// The name of the family in messages and descriptions: its place and its expression.
    pub name: Text,
    /// The entries of one element, in the words of the declaration.
    pub reads: Texts,
    /// The smoothness of f.
    pub smoothness: Smoothness,
    /// True for a sum over near pairs without a list: all pairs are elements, zero unless they are near.
    pub over_all_pairs: bool,
    /// True if ∂f/∂x is constant.
    pub linear: bool,
    /// Weighted operation counts of value, gradient, gradient with Hessian, and third contraction.
    pub costs: [u32; 4],
    /// The number of slots.
    pub slots: usize,
    /// The slot and the component of each input.
    pub inputs: Cow<'static, [(usize, usize)]>,
    /// The number of coefficients.
    pub coefficients: usize,
    /// The entries of the Hessian, and the number of different numbers in them.
    pub entries: Cow<'static, [HessianEntry]>,
    /// See `entries`.
    pub numbers: usize,
    /// Linear forms of the inputs; f depends on positions through them only.
    pub forms: Cow<'static, [LinearForm]>,
    /// The number of sums to which an element adds; 0 for one that belongs to no sum.
    pub sums: usize,
    /// The pairs of a sum and an input on which it depends: the entries of ∇f in rows of a matrix.
    pub reads_of_sums: Cow<'static, [(usize, usize)]>,
}

/// The source of a slot of an element of a sum over near pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The separation d of the two points.
    Separation,
    /// The first end.
    First,
    /// The second end.
    Second,
}

/// The source of a coefficient of such an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// All elements have one number.
    Shared,
    /// The first end.
    First,
    /// The second end.
    Second,
    /// The pair: a number for each pair of classes.
    Pair,
}

/// The pairs of such a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Each pair once; its first end has the lower number.
    Pairs,
    /// All neighbours of some points: the point is the first end, and the sum goes to its row.
    Rows,
}

/// The facts about a sum over near pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct NearFacts {
    /// The role of each slot.
    pub roles: Cow<'static, [Role]>,
    /// The source of each coefficient.
    pub sources: Cow<'static, [Source]>,
    /// The number of components of the points.
    pub dimension: usize,
    /// The pairs of the sum.
    pub sort: Sort,
    /// Whether an element is unchanged when its ends are exchanged and d changes its sign.
    pub exchangeable: bool,
    /// The expressions that define the classes of first ends, and of second ends, as declared.
    pub keys: [Texts; 2],
}
