//! The expression graph in the middle of the compiler.
//!
//! Expressions are entries of a vector, named by small ids and interned: equal expressions are one node,
//! so that subexpressions are shared. Two normal forms bring expressions together that look unlike:
//!
//! * a [`Node::Sum`] is a constant plus a linear combination with numeric factors, sorted and collected;
//!   negation and numeric factors live only here, so that `a - b` and `b - a` are one node and a sign;
//! * a [`Node::Product`] is a monomial in powers by halves; reciprocals and square roots
//!   live only here, so that `1 / r`, `r.powi(-3)` and `r2.sqrt()` share their parts.
//!
//! Products are never expanded over sums: the number of operations does not grow behind the user's back.
//!
//! **Invariant.** The graph holds no syntax and no source spans; its leaves have numbers, whose meaning
//! the stages around it know.

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
    /// The value at the start of the piece; for an input, its value.
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
    /// The velocity of a component.
    Velocity {
        /// The gather.
        gather: usize,
        /// The component.
        component: usize,
    },
    /// A component of a direction of differentiation; it belongs to the position with these numbers.
    Direction {
        /// The gather.
        gather: usize,
        /// The component.
        component: usize,
    },
    /// A number known at binding.
    Coefficient(usize),
    /// A coefficient of one end of a pair: known at binding, but met with other ends; so it is read like
    /// an input, and has no derivative.
    End(usize),
    /// The time.
    Time,
    /// The fast phase; its value at the time replaces it before code is emitted.
    Phase,
    /// A number of a signal at the time.
    Signal {
        /// The signal.
        number: usize,
        /// The reading.
        reading: Reading,
    },
    /// The weight of a sum to which an element adds: the derivative of the whole by the sum.
    Weight(usize),
    /// A component of a direction in the space of an element's inputs, by the number of the input.
    Along(usize),
    /// An internal variable of an element, for an expression kept beside the graph: so the graph cannot
    /// merge its users with its operands. Only `eliminate` makes these.
    Internal(usize),
}

impl Leaf {
    /// The gather of a position or a velocity.
    pub fn gather(self) -> Option<usize> {
        match self {
            Self::Position { gather, .. } | Self::Velocity { gather, .. } => Some(gather),
            _ => None,
        }
    }

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
    /// A number that the kernel reads.
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
    /// base^exponent, unless the exponent is a known multiple of one half.
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
    /// `yes` where gap < 0 (or gap ≤ 0), else `no`; the other branch may be anything, NaN included.
    Select {
        /// The expression compared with zero.
        gap: NodeId,
        /// True if zero does not count as below.
        strict: bool,
        /// The value below.
        yes: NodeId,
        /// The value elsewhere, and where the gap is NaN.
        no: NodeId,
    },
    /// A function of Rust, or a derivative of it.
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

pub use least_action_kernel::ARGUMENTS;

/// The highest derivative of such a function; methods ask for three at most.
const ORDERS: usize = 4;

/// A function f(x, c) of Rust, or a derivative of it; it is differentiated by the arguments x, and c are
/// numbers.
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
/// **Invariant.** A graph grows within its budget: beyond it every operation gives zero, so that all
/// work on the graph ends soon, and [`Graph::is_exhausted`] tells that the results are void.
#[derive(Debug, Clone)]
pub struct Graph {
    nodes: Vec<Node>,
    /// For each node, the operations on the longest way to a leaf.
    depths: Vec<u32>,
    budget: Budget,
    /// For each node, true if it mentions more than coefficients.
    varies: Vec<bool>,
    /// The nodes as words; equal nodes are one.
    interned: Words,
    /// The words of the node to look up.
    words: Vec<u64>,
    /// For each known node, the first place of its partial derivatives in `partials`.
    partials_of: Places,
    partials: Vec<NodeId>,
    /// The names of the functions of Rust, for texts.
    opaque: Vec<String>,
}

impl Default for Graph {
    fn default() -> Self {
        Self::within(Budget::OF_A_DECLARATION)
    }
}

impl Graph {
    /// An empty graph with a budget.
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

    /// Pays for work on this graph; false if the budget does not suffice.
    pub fn spend(&mut self, work: usize) -> bool {
        self.budget.spend(work)
    }

    /// True if the budget did not suffice, so that the graph holds wrong nodes since.
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
        let leaves = self.reachable(roots).into_iter().filter_map(|id| match self.node(id) {
            Node::Leaf(leaf) => Some(*leaf),
            _ => None,
        });
        let mut leaves: Vec<Leaf> = leaves.collect();
        leaves.sort_unstable();
        leaves
    }

    /// The velocities that an expression reads, in ascending order.
    pub fn velocities(&self, root: NodeId) -> Vec<Leaf> {
        self.leaves(&[root]).into_iter().filter(|leaf| is_velocity(*leaf)).collect()
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

    /// The partial derivatives of a node by its operands, if known.
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

    /// True if a node mentions more than coefficients.
    pub fn varies(&self, id: NodeId) -> bool {
        self.varies[id.index()]
    }

    /// The number of nodes.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The node of this graph for `root` of another one.
    pub fn import(&mut self, from: &Self, root: NodeId) -> NodeId {
        self.images(from, &[root]).of(root)
    }

    /// The nodes of this graph for `roots` of another one and for all their operands.
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

/// True for the time, the phase and signals, which change as time goes on even if no coordinate moves.
pub(crate) fn is_time(leaf: Leaf) -> bool {
    matches!(leaf, Leaf::Time | Leaf::Phase | Leaf::Signal { .. })
}

/// True if a leaf can change along a trajectory.
pub(crate) fn is_variable(leaf: Leaf) -> bool {
    !matches!(leaf, Leaf::Coefficient(_))
}
