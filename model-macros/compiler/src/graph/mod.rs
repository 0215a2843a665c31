//! The expression graph in the middle of the compiler.
//!
//! Expressions are entries of one vector, named by small ids and interned: equal expressions are one node, so common
//! subexpressions are shared by construction. Two normal forms keep unlike-looking equals together:
//!
//! * a [`Node::Sum`] is a constant plus a linear combination with numeric factors, sorted and collected; negation and
//!   numeric factors live only here, so that `a - b` and `b - a` are one node and a sign;
//! * a [`Node::Product`] is a monomial in powers that are multiples of one half; reciprocals and square roots live only
//!   here, so that `1 / r`, `r.powi(-3)` and `r2.sqrt()` share what they can.
//!
//! Products are never expanded over sums: the number of operations does not grow behind the user's back.
//!
//! **Invariant.** There is no syntax and no source span in the graph; its leaves are numbered, and what the numbers mean is
//! known to the stages around it.

mod build;
mod eval;
mod print;
mod size;
mod table;

pub(crate) use crate::functions::Function;
pub(crate) use crate::limits::Budget;
pub(crate) use size::Size;
pub(crate) use table::{Images, Places, Words};

/// The name of a node; operands always have smaller ids than the node that uses them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The place of the node in the graph.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An f64 that can be compared and hashed by its bits.
#[derive(Debug, Clone, Copy)]
pub struct Number(pub f64);

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}
impl Eq for Number {}
impl std::hash::Hash for Number {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// A number of the piece of a signal at the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reading {
    /// The value at the start of the piece; that of an input.
    Value,
    /// The slope.
    Slope,
    /// The time at which the piece starts.
    Start,
}

impl Reading {
    /// The number of readings of a signal.
    pub const COUNT: usize = 3;
}

/// A number that a kernel reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Leaf {
    /// A component of the coordinates that a gather reads.
    Position {
        /// The gather.
        gather: usize,
        /// The component: 0 for scalars, 0 to 2 for vectors.
        component: usize,
    },
    /// The velocity of the same.
    Velocity {
        /// The gather.
        gather: usize,
        /// The component.
        component: usize,
    },
    /// A component of the direction of a directional derivative; belongs to the position of the same numbers.
    Direction {
        /// The gather.
        gather: usize,
        /// The component.
        component: usize,
    },
    /// A number known at binding.
    Coefficient(usize),
    /// A coefficient that belongs to one end of a pair: known at binding, but met with other ends; so it is read as inputs are, and has no
    /// derivative.
    End(usize),
    /// The time.
    Time,
    /// The fast phase. It is replaced by its value at the time before anything is emitted.
    Phase,
    /// A number of a signal at the time.
    Signal {
        /// The signal.
        number: usize,
        /// Which number.
        reading: Reading,
    },
    /// The weight of a sum to which an element adds: the derivative of a whole by it.
    Weight(usize),
    /// The component of a direction in the space of the inputs of an element that belongs to the input of this number.
    Along(usize),
    /// An internal variable of an element: stands for an expression that is kept beside the graph, so that what is built on
    /// it cannot be merged with what it is made of. Only `eliminate` makes these.
    Internal(usize),
}

impl Leaf {
    /// The leaf as words.
    pub fn spell(self, words: &mut Vec<u64>) {
        let (sort, a, b) = match self {
            Self::Position { gather, component } => (0, gather, component),
            Self::Velocity { gather, component } => (1, gather, component),
            Self::Direction { gather, component } => (2, gather, component),
            Self::Coefficient(id) => (3, id, 0),
            Self::Time => (4, 0, 0),
            Self::Phase => (5, 0, 0),
            Self::Internal(k) => (6, k, 0),
            Self::End(id) => (8, id, 0),
            Self::Weight(row) => (9, row, 0),
            Self::Along(input) => (10, input, 0),
            Self::Signal { number, reading } => (7, number, reading as usize),
        };
        words.extend_from_slice(&[sort, a as u64, b as u64]);
    }
}

/// One node of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Node {
    /// A number.
    Constant(Number),
    /// Something that the kernel reads.
    Leaf(Leaf),
    /// constant + Σ factor · term.
    Sum {
        /// The constant.
        constant: Number,
        /// Numeric factors and terms, ascending by term; no term is a constant or, unless alone, a sum.
        terms: Vec<(Number, NodeId)>,
    },
    /// Π factor^(halves / 2).
    Product(Vec<(NodeId, i32)>),
    /// An elementary function.
    Function(Function, NodeId),
    /// base^exponent, where the exponent is no multiple of one half known now.
    Power {
        /// The base.
        base: NodeId,
        /// The exponent.
        exponent: NodeId,
    },
    /// The angle of the point (x, y).
    Atan2 {
        /// The ordinate.
        y: NodeId,
        /// The abscissa.
        x: NodeId,
    },
    /// `yes` where gap < 0 (or gap ≤ 0), `no` elsewhere; what is not chosen may be anything, NaN included.
    Select {
        /// The expression that is compared with zero.
        gap: NodeId,
        /// True if zero itself does not count as below.
        strict: bool,
        /// The value below.
        yes: NodeId,
        /// The value elsewhere, and where the gap is NaN.
        no: NodeId,
    },
    /// A function that only Rust knows, or a derivative of it.
    Call {
        /// The function.
        function: Opaque,
        /// Its arguments.
        arguments: Vec<NodeId>,
    },
}

impl Node {
    /// The nodes that must be evaluated before this one.
    pub fn operands(&self) -> Vec<NodeId> {
        let mut operands = Vec::new();
        self.each_operand(|operand| operands.push(operand));
        operands
    }

    /// Visits the operands without a vector for them.
    pub fn each_operand(&self, mut visit: impl FnMut(NodeId)) {
        match self {
            Self::Constant(_) | Self::Leaf(_) => {}
            Self::Sum { terms, .. } => terms.iter().for_each(|&(_, term)| visit(term)),
            Self::Product(factors) => factors.iter().for_each(|&(factor, _)| visit(factor)),
            Self::Function(_, argument) => visit(*argument),
            Self::Power { base, exponent } => {
                visit(*base);
                visit(*exponent);
            }
            Self::Atan2 { y, x } => {
                visit(*y);
                visit(*x);
            }
            Self::Select { gap, yes, no, .. } => [gap, yes, no].into_iter().for_each(|id| visit(*id)),
            Self::Call { arguments, .. } => arguments.iter().for_each(|id| visit(*id)),
        }
    }
}

/// The most arguments of a function that only Rust knows.
pub const ARGUMENTS: usize = 8;

/// The highest derivative of such a function that is told from others; nothing asks for more than three.
const ORDERS: usize = 4;

/// A function that only Rust knows, f(x, c) of some arguments that are differentiated and some that are numbers, or a
/// derivative of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Opaque {
    /// Its number in the declaration.
    pub number: usize,
    /// For each argument, true if the function can be differentiated by it.
    pub smooth: [bool; ARGUMENTS],
    /// The arguments by which it is differentiated, ascending.
    along: [u8; ORDERS],
    order: u8,
}

impl Opaque {
    /// The function itself.
    pub fn new(number: usize, smooth: [bool; ARGUMENTS]) -> Self {
        Self { number, smooth, along: [0; ORDERS], order: 0 }
    }

    /// The arguments by which it is differentiated, ascending.
    pub fn along(&self) -> impl Iterator<Item = usize> + '_ {
        self.along[..usize::from(self.order)].iter().map(|k| usize::from(*k))
    }

    /// The function as words.
    pub fn spell(&self, words: &mut Vec<u64>) {
        words.extend_from_slice(&[self.number as u64, u64::from(self.order)]);
        words.extend(self.smooth.iter().map(|smooth| u64::from(*smooth)));
        words.extend(self.along.iter().map(|k| u64::from(*k)));
    }

    /// Its derivative by argument `k`.
    pub fn differentiated(mut self, k: usize) -> Self {
        if usize::from(self.order) < ORDERS {
            self.along[usize::from(self.order)] = k as u8;
            self.order += 1;
            self.along[..usize::from(self.order)].sort_unstable();
        }
        self
    }
}

/// The interned nodes.
///
/// **Invariant.** A graph grows by what its budget holds, and no further: an operation that is asked for afterwards comes out
/// as zero, so that everything which works on the graph ends soon, and [`Graph::is_exhausted`] says that the results are none.
#[derive(Debug, Clone)]
pub struct Graph {
    nodes: Vec<Node>,
    /// For each node, the operations on the longest way from it to a leaf.
    depths: Vec<u32>,
    budget: Budget,
    /// For each node, true if it mentions anything but coefficients.
    varies: Vec<bool>,
    /// The nodes as words: equal ones are one.
    interned: Words,
    /// The words of the node that is looked up.
    words: Vec<u64>,
    /// The places where the partial derivatives of a node begin, for those that have been asked for.
    partials_of: Places,
    partials: Vec<NodeId>,
    /// The names of the functions that only Rust knows, for texts.
    opaque: Vec<String>,
}

impl Default for Graph {
    fn default() -> Self {
        Self::within(Budget::OF_A_DECLARATION)
    }
}

impl Graph {
    /// No nodes, and so much work to make some.
    pub fn within(budget: Budget) -> Self {
        Self {
            nodes: Vec::new(),
            depths: Vec::new(),
            budget,
            varies: Vec::new(),
            interned: Words::default(),
            words: Vec::new(),
            partials_of: Places::default(),
            partials: Vec::new(),
            opaque: Vec::new(),
        }
    }

    /// Pays for work on this graph; false where nothing is left to pay with.
    pub fn spend(&mut self, work: usize) -> bool {
        self.budget.spend(work)
    }

    /// True if more was asked for than the budget holds, so that what stands in the graph since is wrong.
    pub fn is_exhausted(&self) -> bool {
        self.budget.is_exhausted()
    }

    /// Gives the graph another budget, for work of another kind.
    pub fn renew(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// The operations on the longest way from a node to a leaf.
    pub fn depth(&self, id: NodeId) -> u32 {
        self.depths[id.index()]
    }

    /// The node of an id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The leaves that a set of expressions reads, in ascending order.
    pub fn leaves(&self, roots: &[NodeId]) -> Vec<Leaf> {
        let mut leaves: Vec<Leaf> = self
            .reachable(roots)
            .into_iter()
            .filter_map(|id| match self.node(id) {
                Node::Leaf(leaf) => Some(*leaf),
                _ => None,
            })
            .collect();
        leaves.sort_unstable();
        leaves
    }

    /// All nodes that must be evaluated for `roots`, operands first.
    pub fn reachable(&self, roots: &[NodeId]) -> Vec<NodeId> {
        // One bit for each node: they come out in ascending order.
        let mut seen = vec![0_u64; self.nodes.len() / 64 + 1];
        let mut open = roots.to_vec();
        let mut count = 0;
        while let Some(id) = open.pop() {
            let (word, bit) = (id.index() / 64, 1 << (id.index() % 64));
            if seen[word] & bit == 0 {
                seen[word] |= bit;
                count += 1;
                self.node(id).each_operand(|operand| open.push(operand));
            }
        }
        let mut found = Vec::with_capacity(count);
        for (word, mut bits) in seen.into_iter().enumerate() {
            while bits != 0 {
                found.push(NodeId((64 * word) as u32 + bits.trailing_zeros()));
                bits &= bits - 1;
            }
        }
        found
    }

    /// The partial derivatives of a node by its operands, where they have been found before.
    pub fn known_partials(&self, id: NodeId) -> Option<Vec<NodeId>> {
        let start = self.partials_of.get(id)?;
        let end = start + self.partials[start].index();
        Some(self.partials[start + 1..=end].to_vec())
    }

    /// Remembers the partial derivatives of a node.
    pub fn know_partials(&mut self, id: NodeId, partials: &[NodeId]) {
        self.partials_of.set(id, self.partials.len());
        self.partials.push(NodeId(partials.len() as u32));
        self.partials.extend_from_slice(partials);
    }

    /// True if a node mentions anything but coefficients.
    pub fn varies(&self, id: NodeId) -> bool {
        self.varies[id.index()]
    }

    /// The number of nodes.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The node of this graph that is `root` of another one.
    pub fn import(&mut self, from: &Self, root: NodeId) -> NodeId {
        self.images(from, &[root]).of(root)
    }

    /// The nodes of this graph that are what `roots` of another one are made of.
    pub fn images(&mut self, from: &Self, roots: &[NodeId]) -> Images {
        let mut images = Images::default();
        for id in from.reachable(roots) {
            let image = self.rebuild(from.node(id).clone(), |operand| images.of(operand));
            images.set(id, image);
        }
        images
    }

    /// True if any leaf of `root` satisfies `test`.
    pub fn mentions(&self, root: NodeId, test: impl Fn(Leaf) -> bool) -> bool {
        self.leaves(&[root]).into_iter().any(test)
    }
}

/// True if a leaf is a position.
pub fn is_position(leaf: Leaf) -> bool {
    matches!(leaf, Leaf::Position { .. })
}

/// True if a leaf is a velocity.
pub(crate) fn is_velocity(leaf: Leaf) -> bool {
    matches!(leaf, Leaf::Velocity { .. })
}

/// True if a leaf can change along a trajectory.
pub(crate) fn is_variable(leaf: Leaf) -> bool {
    !matches!(leaf, Leaf::Coefficient(_))
}
