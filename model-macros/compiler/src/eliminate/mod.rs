//! The derivatives of an element, in the form that takes the fewest operations.
//!
//! Many ways lead to one derivative: different internal variables, forwards first or backwards first,
//! derivatives of internal variables kept together or multiplied out. All are exact. The compiler
//! writes them down, schedules and counts them, and keeps the cheapest for each function of a kernel.
//! Nothing depends on time or chance: one declaration gives one code.

pub(crate) mod collected;
mod cuts;
pub(crate) mod tape;
mod vanishing;

use crate::graph::{Graph, Leaf, NodeId, is_velocity};
use crate::schedule::{Program, Schedule};
use cuts::Cuts;
pub(crate) use cuts::{LinearForm, linear_forms};
use least_action_kernel::Operation;
use tape::{Rates, Tape};

/// The least number of ways that are tried.
const DERIVED: usize = 3;

/// More are tried while the graphs that they make have fewer nodes than this together.
const NODES: usize = 5000;

/// The least number of ways that are scheduled, by their estimates.
const SCHEDULED: usize = 3;

/// More are scheduled while their estimates together stay below this.
const EFFORT: u32 = 3000;

/// One way to compute a function of a kernel, before it is scheduled.
struct Derived {
    schedule: Schedule,
    graph: Graph,
    entries: Vec<(usize, usize)>,
    zero: bool,
    /// True if it divides by an expression that may be zero, and the limit is not known.
    divides: bool,
    /// True if the derivative took more work than there is for one.
    is_exhausted: bool,
}

impl Derived {
    fn candidate(self) -> Candidate {
        let Self { schedule, graph, entries, zero, .. } = self;
        Candidate { program: schedule.program(), graph, entries, zero }
    }
}

/// One way to compute a function of a kernel.
#[derive(Debug)]
pub struct Candidate {
    /// The operations.
    pub program: Program,
    /// The graph in which the coefficients of the program are defined.
    pub graph: Graph,
    /// The local row and column of each stored second derivative.
    pub entries: Vec<(usize, usize)>,
    /// True if all results are zero.
    pub zero: bool,
}

impl Candidate {
    /// No operations and no results.
    pub fn zero() -> Self {
        Self { program: Program::default(), graph: Graph::default(), entries: Vec::new(), zero: true }
    }
}

/// One element of a family.
#[derive(Debug, Clone)]
pub struct Element {
    graph: Graph,
    /// Its expression, in each form that is known.
    forms: Vec<Form>,
    inputs: Vec<Leaf>,
    /// The coefficient that is the rate of the phase.
    phase_rate: Option<Leaf>,
    /// The number of sums to which it adds: the expression is Σ w f then, and its derivatives by w are
    /// f.
    sums: usize,
    /// True if the direction of a product is one of all inputs, and not of positions alone.
    directed: bool,
}

/// One way to write an expression.
#[derive(Debug, Clone)]
struct Form {
    root: NodeId,
    cuts: Vec<Cuts>,
    /// True if sums of squares are multiplied out: then values can cancel, derivatives no more than
    /// before.
    multiplied: bool,
}

/// The order in which the two kinds of differentiation are composed, and how.
#[derive(Debug, Clone, Copy)]
struct Order {
    /// True if derivatives that are sums keep together.
    named: bool,
    /// True if rates go through the partial derivatives of internal variables.
    by_partials: bool,
    /// True if adjoints come last: backwards over forwards.
    backwards_last: bool,
}

impl Form {
    /// The ways to find a derivative, by how often they are the best.
    fn ways(&self, wanted: Operation) -> Vec<(&Cuts, Order)> {
        let uncut = matches!(wanted, Operation::Value | Operation::Rate | Operation::Along);
        let mut ways = Vec::new();
        for (rank, cuts) in self.cuts.iter().take(if uncut { 1 } else { self.cuts.len() }).enumerate() {
            let orders = orders(wanted, cuts).into_iter().enumerate();
            // Second derivatives gain most from the variables that come last.
            let rank = if wanted == Operation::Second { self.cuts.len() - rank } else { rank };
            ways.extend(orders.map(|(second, order)| (second, rank, cuts, order)));
        }
        ways.sort_by_key(|(second, rank, ..)| (*second, *rank));
        ways.into_iter().map(|(_, _, cuts, order)| (cuts, order)).collect()
    }
}

impl Element {
    /// The element with expression `root` of `inputs`.
    pub fn new(graph: &Graph, root: NodeId, inputs: &[Leaf]) -> Self {
        let mut own = Graph::default();
        let root = own.images(graph, &[root]).of(root);
        let forms = collected::forms(&mut own, root).into_iter().chain([(root, false)]);
        let forms =
            forms.map(|(root, multiplied)| Form { root, cuts: cuts::candidates(&own, root), multiplied });
        let forms = forms.collect();
        Self { graph: own, forms, inputs: inputs.to_vec(), phase_rate: None, sums: 0, directed: false }
    }

    /// This element with a phase that goes on at the rate of this coefficient.
    pub fn with_phase_rate(self, phase_rate: Option<Leaf>) -> Self {
        Self { phase_rate, ..self }
    }

    /// This element, which adds to so many sums.
    pub fn of_sums(self, sums: usize) -> Self {
        Self { sums, ..self }
    }

    /// This element, whose products may be along all inputs.
    pub fn directed(self, directed: bool) -> Self {
        Self { directed, ..self }
    }

    /// The cheapest way, of equals the first; `None` if each takes too much work.
    pub fn best(&self, wanted: Operation) -> Option<Candidate> {
        let mut derived = self.derived(wanted, NODES);
        let tried = derived.len();
        derived.retain(|derived| !derived.is_exhausted);
        if self.graph.is_exhausted() || (derived.is_empty() && tried > 0) {
            return None;
        }
        // Another form of the expression may hide that a limit exists.
        if derived.iter().any(|derived| !derived.divides) {
            derived.retain(|derived| !derived.divides);
        }
        // Stable: the first of equals stays first.
        derived.sort_by_key(|derived| derived.schedule.estimate);
        let mut best: Option<Candidate> = None;
        let mut effort = 0;
        for (place, derived) in derived.into_iter().enumerate() {
            effort += derived.schedule.estimate;
            if place >= SCHEDULED && effort > EFFORT {
                break;
            }
            let candidate = derived.candidate();
            if best.as_ref().is_none_or(|known| candidate.program.cost < known.program.cost) {
                best = Some(candidate);
            }
        }
        let best = best.unwrap_or_else(Candidate::zero);
        Some(Candidate { program: best.program.ordered(), ..best })
    }

    /// The ways to find a derivative, as many as are worth the effort.
    fn derived(&self, wanted: Operation, limit: usize) -> Vec<Derived> {
        let mut all = Vec::new();
        let of_value = !matches!(
            wanted,
            Operation::Gradient | Operation::Second | Operation::Product | Operation::Third
        );
        for form in self.forms.iter().filter(|form| !(form.multiplied && of_value)) {
            let (mut count, mut effort) = (0, 0);
            for (cuts, order) in form.ways(wanted) {
                if count >= DERIVED && effort > limit {
                    break;
                }
                let derived = self.derive(form.root, cuts, order, wanted);
                if derived.is_exhausted {
                    all.push(derived);
                    break;
                }
                (count, effort) = (count + 1, effort + derived.graph.size());
                all.push(derived);
            }
        }
        all
    }

    /// All ways, scheduled.
    pub fn all(&self, wanted: Operation) -> Vec<Candidate> {
        self.derived(wanted, usize::MAX).into_iter().map(Derived::candidate).collect()
    }

    fn derive(&self, root: NodeId, cuts: &Cuts, order: Order, wanted: Operation) -> Derived {
        let in_time = |graph: &mut Graph, leaf| in_time(graph, leaf, self.phase_rate);
        let of_all = |graph: &mut Graph, leaf: Leaf| {
            let input = self.inputs.iter().position(|input| *input == leaf)?;
            Some(graph.leaf(Leaf::Along(input)))
        };
        let (mut tape, root) = Tape::new(&self.graph, root, cuts, order.named);
        let mut entries = Vec::new();
        let mut roots = match wanted {
            Operation::Value => self.functions(&mut tape, root),
            Operation::Gradient => tape.gradient(root, &self.inputs),
            Operation::ValueGradient => [vec![root], tape.gradient(root, &self.inputs)].concat(),
            Operation::Second => {
                let (mut roots, second) = tape.hessian(root, &self.inputs);
                for (row, column, value) in second {
                    // Mixed derivatives by time and positions enter no equation of motion.
                    let pair = [self.inputs[row], self.inputs[column]];
                    if !pair.contains(&Leaf::Time) || pair.into_iter().any(is_velocity) {
                        entries.push((row, column));
                        roots.push(value);
                    }
                }
                roots
            }
            Operation::Rate if self.inputs.contains(&Leaf::Time) => vec![tape.graph.zero(); self.sums.max(1)],
            Operation::Rate => self.rates(&mut tape, root, (order, &in_time), 1),
            Operation::Along => self.rates(&mut tape, root, (order, &of_all), 1),
            Operation::Product if self.directed => self.along(&mut tape, root, (order, &of_all), 1),
            Operation::Product => self.along(&mut tape, root, (order, &direction), 1),
            Operation::Third => self.along(&mut tape, root, (order, &direction), 2),
            Operation::Quadratic => self.rates(&mut tape, root, (order, &direction), 2),
            Operation::Curvature => {
                let on = |graph: &mut Graph, leaf| in_time(graph, leaf).or_else(|| direction(graph, leaf));
                self.rates(&mut tape, root, (order, &on), 2)
            }
            Operation::GradientRows | Operation::ThirdRate | Operation::QuadraticRate => {
                debug_assert!(false, "these run the code of other operations");
                Vec::new()
            }
        };
        let zero = roots.iter().all(|root| tape.graph.is_zero(*root));
        let Tape { mut graph, mut definitions, .. } = tape;
        // No method asks for more of third derivatives than that they are bounded.
        let jumps = wanted == Operation::Third;
        let divides = vanishing::take_limits(&mut graph, &mut definitions, &mut roots, jumps);
        let schedule = Schedule::of(&mut graph, &definitions, &roots, true);
        let is_exhausted = graph.is_exhausted();
        Derived { schedule, graph, entries, zero, divides, is_exhausted }
    }

    /// The terms that the element adds to each of its sums, or its expression.
    fn functions(&self, tape: &mut Tape, root: NodeId) -> Vec<NodeId> {
        if self.sums == 0 {
            return vec![root];
        }
        let weights: Vec<Leaf> = (0..self.sums).map(Leaf::Weight).collect();
        tape.gradient(root, &weights)
    }

    /// So many derivatives of the functions along the motion.
    fn rates(
        &self,
        tape: &mut Tape,
        root: NodeId,
        (order, motion): (Order, tape::Motion<'_>),
        times: usize,
    ) -> Vec<NodeId> {
        let (mut roots, mut rates) = (self.functions(tape, root), Rates::new());
        for _ in 0..times {
            roots = tape.rates(&roots, &mut rates, motion, order.by_partials);
        }
        roots
    }

    /// The gradient and so many derivatives along the direction, in either order.
    fn along(
        &self,
        tape: &mut Tape,
        root: NodeId,
        (order, motion): (Order, tape::Motion<'_>),
        times: usize,
    ) -> Vec<NodeId> {
        let mut rates = Rates::new();
        let mut roots = if order.backwards_last { vec![root] } else { tape.gradient(root, &self.inputs) };
        for _ in 0..times {
            roots = tape.rates(&roots, &mut rates, motion, order.by_partials);
        }
        if order.backwards_last { tape.gradient(roots[0], &self.inputs) } else { roots }
    }
}

/// The orders worth trying for a function: each is the best for some element.
fn orders(wanted: Operation, cuts: &Cuts) -> Vec<Order> {
    let uncut = cuts.nodes.is_empty();
    let order = |named, by_partials, backwards_last| Order { named, by_partials, backwards_last };
    match wanted {
        Operation::Product | Operation::Third if uncut => {
            vec![order(false, false, true), order(false, false, false)]
        }
        _ if uncut => vec![order(false, false, false)],
        Operation::Value | Operation::Rate | Operation::Along => vec![order(false, false, false)],
        Operation::Gradient | Operation::ValueGradient | Operation::Second => {
            vec![order(true, false, false), order(false, false, false)]
        }
        Operation::Product | Operation::Third => {
            let mut all =
                vec![order(true, false, true), order(false, false, true), order(true, false, false)];
            // Partial derivatives pay where all passes through one or two variables; else they
            // multiply.
            if cuts.curved <= 2 {
                all.push(order(true, true, false));
            }
            all
        }
        Operation::Quadratic | Operation::Curvature if cuts.curved > 2 => vec![order(true, false, false)],
        Operation::Quadratic | Operation::Curvature => {
            vec![order(true, false, false), order(true, true, false)]
        }
        Operation::GradientRows | Operation::ThirdRate | Operation::QuadraticRate => Vec::new(),
    }
}

/// The direction that belongs to a position.
pub fn direction(graph: &mut Graph, leaf: Leaf) -> Option<NodeId> {
    match leaf {
        Leaf::Position { gather, component } => Some(graph.leaf(Leaf::Direction { gather, component })),
        _ => None,
    }
}

/// Time goes on, and the phase with it.
pub fn in_time(graph: &mut Graph, leaf: Leaf, phase_rate: Option<Leaf>) -> Option<NodeId> {
    match leaf {
        Leaf::Time => Some(graph.constant(1.0)),
        Leaf::Phase => phase_rate.map(|rate| graph.leaf(rate)),
        _ => None,
    }
}
