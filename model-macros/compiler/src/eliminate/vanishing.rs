//! Derivatives at places where a norm is zero.
//!
//! The second derivative of |v|³ = u^(3/2), u = Σ w², has the term v vᵀ/√u, which is 0/0 at v = 0, and
//! its limit is 0. The order in which an expression vanishes with u is known from |w| ≤ √u: a product
//! has the sum of the orders of its factors, a sum the least. Where every term with a root or a
//! reciprocal of u has a positive order, these read u + ε instead: ε is below the last digit of all but
//! the smallest u, and zero times a large number is zero. Else the derivative has no limit, and stays
//! infinite or NaN.

use crate::graph::{Graph, Images, Leaf, Node, NodeId};

/// ε: its power −5/2 is finite, and it changes no speed above 1e-52.
const EPSILON: f64 = 1e-120;

/// A product of nodes with powers in halves.
type Factors = Vec<(NodeId, i32)>;

/// How an expression vanishes with u.
#[derive(Debug, Clone, Copy)]
struct Order {
    /// A lower bound of its order in u.
    least: f64,
    /// The least order of the terms with reciprocals of u; infinite if there are none.
    divided: f64,
    /// Its order if it is a power of u.
    exact: Option<f64>,
}

impl Order {
    const ZERO: Self = Self { least: 0.0, divided: f64::INFINITY, exact: None };
    const UNKNOWN: Self = Self { least: f64::NEG_INFINITY, divided: f64::NEG_INFINITY, exact: None };

    /// A function of expressions: unknown where they have no limit.
    fn of_function(arguments: impl IntoIterator<Item = Self>) -> Self {
        if arguments.into_iter().all(|argument| argument.divided > 0.0) { Self::ZERO } else { Self::UNKNOWN }
    }

    /// The constant power of a power of u.
    fn power(self, exponent: f64) -> Option<Self> {
        let least = self.exact? * exponent;
        let divided = if least < 0.0 { least } else { f64::INFINITY };
        Some(Self { least, divided, exact: Some(least) })
    }
}

/// Gives derivatives their limits where a norm is zero, if each has one; true if a reciprocal is left
/// that may have none. With `jumps` derivatives may jump there, from one side to the opposite one, and
/// are 0 in between.
pub(super) fn take_limits(
    graph: &mut Graph,
    definitions: &mut Vec<NodeId>,
    roots: &mut [NodeId],
    jumps: bool,
) -> bool {
    let mut bases = reciprocals(graph, definitions, roots);
    let all = bases.len();
    bases.retain(|base| !squares(graph, definitions, *base).is_empty());
    let mut taken = 0;
    for &base in &bases {
        taken += usize::from(take_limit(graph, definitions, roots, (base, jumps)));
    }
    taken < all
}

/// The expressions with negative powers; of a root, its argument.
fn reciprocals(graph: &Graph, definitions: &[NodeId], roots: &[NodeId]) -> Vec<NodeId> {
    let mut found = Vec::new();
    for id in graph.reachable(&[definitions, roots].concat()) {
        let bases: Vec<NodeId> = match graph.node(id) {
            Node::Product(factors) => {
                factors.iter().filter(|(_, halves)| *halves < 0).map(|(base, _)| *base).collect()
            }
            Node::Power { base, .. } => vec![*base],
            _ => continue,
        };
        for mut base in bases.into_iter().filter(|base| graph.varies(*base)) {
            while let Some(inner) = root_of(graph, definitions, base) {
                base = inner;
            }
            if !found.contains(&base) {
                found.push(base);
            }
        }
    }
    found
}

/// The expression whose power or name a node is.
fn root_of(graph: &Graph, definitions: &[NodeId], node: NodeId) -> Option<NodeId> {
    match graph.node(node) {
        Node::Leaf(Leaf::Internal(k)) => definitions.get(*k).copied(),
        Node::Product(factors) => match factors[..] {
            [(base, halves)] if halves % 4 != 0 => Some(base),
            _ => None,
        },
        Node::Sum { constant, terms } if constant.0 == 0.0 && terms.len() == 1 => Some(terms[0].1),
        _ => None,
    }
}

/// The w of u = Σ w²; none if u is no such sum.
fn squares(graph: &Graph, definitions: &[NodeId], u: NodeId) -> Vec<Factors> {
    let (mut open, mut found) = (vec![u], Vec::new());
    while let Some(node) = open.pop() {
        match graph.node(node) {
            Node::Leaf(Leaf::Internal(k)) => open.extend(definitions.get(*k)),
            Node::Sum { constant, terms }
                if constant.0 == 0.0 && terms.iter().all(|(factor, _)| factor.0 > 0.0) =>
            {
                open.extend(terms.iter().map(|(_, term)| *term));
            }
            Node::Product(factors) if factors.iter().all(|(_, halves)| *halves > 0 && halves % 4 == 0) => {
                found.push(factors.iter().map(|&(base, halves)| (base, halves / 2)).collect());
            }
            _ => return Vec::new(),
        }
    }
    found
}

/// Gives derivatives their limits where `u` is zero; false if one has none.
fn take_limit(
    graph: &mut Graph,
    definitions: &mut Vec<NodeId>,
    roots: &mut [NodeId],
    (u, jumps): (NodeId, bool),
) -> bool {
    let squares = squares(graph, definitions, u);
    let reachable = graph.reachable(&[&definitions[..], roots].concat());
    let Some(last) = reachable.last() else { return false };
    let mut orders = vec![Order::ZERO; last.index() + 1];
    for &id in &reachable {
        orders[id.index()] = order(graph, definitions, (u, &squares), &orders, id);
    }
    let has_limit = |order: Order| order.divided > 0.0 || jumps && order.divided == 0.0;
    if !roots.iter().all(|root| has_limit(orders[root.index()])) {
        return false;
    }
    // Named, so that u is added up once.
    let name = graph.leaf(Leaf::Internal(definitions.len()));
    let epsilon = graph.constant(EPSILON);
    let guarded = graph.add(name, epsilon);
    let (mut images, mut limits) = (Images::default(), Images::default());
    for &id in &reachable {
        let node = graph.node(id).clone();
        let is_power = |base: NodeId| orders[base.index()].exact.is_some();
        let limit = match &node {
            _ if id == u => guarded,
            Node::Leaf(Leaf::Internal(k)) if is_power(id) => limits.of(definitions[*k]),
            node if is_power(id) => {
                graph.rebuild(node.clone(), |operand| limits.get(operand).unwrap_or(operand))
            }
            _ => id,
        };
        let image = match node {
            Node::Product(factors) => graph.monomial(factors.into_iter().map(|(base, halves)| {
                let reads_limit = is_power(base) && (halves < 0 || halves % 2 != 0);
                (if reads_limit { limits.of(base) } else { images.of(base) }, halves)
            })),
            Node::Power { base, exponent } if is_power(base) => {
                graph.powf(limits.of(base), images.of(exponent))
            }
            node => graph.rebuild(node, |operand| images.of(operand)),
        };
        images.set(id, image);
        limits.set(id, limit);
    }
    let whole = images.of(u);
    definitions.iter_mut().chain(roots).for_each(|node| *node = images.of(*node));
    definitions.push(whole);
    true
}

/// The order of a node, of the orders of its operands.
fn order(
    graph: &Graph,
    definitions: &[NodeId],
    (u, squares): (NodeId, &[Factors]),
    orders: &[Order],
    id: NodeId,
) -> Order {
    let of = |node: NodeId| orders[node.index()];
    if id == u {
        return Order { least: 1.0, exact: Some(1.0), ..Order::ZERO };
    }
    let found = match graph.node(id) {
        Node::Constant(value) if value.0 == 0.0 => Order { least: f64::INFINITY, ..Order::ZERO },
        Node::Leaf(Leaf::Internal(k)) => definitions.get(*k).map_or(Order::ZERO, |node| of(*node)),
        Node::Constant(_) | Node::Leaf(_) => Order::ZERO,
        Node::Sum { constant, terms } => {
            let constant = if constant.0 == 0.0 { f64::INFINITY } else { 0.0 };
            let least = |part: fn(Order) -> f64| {
                terms.iter().map(|(_, term)| part(of(*term))).fold(f64::INFINITY, f64::min)
            };
            let exact = if terms.len() == 1 && constant > 0.0 { of(terms[0].1).exact } else { None };
            Order {
                least: least(|order| order.least).min(constant),
                divided: least(|order| order.divided),
                exact,
            }
        }
        Node::Product(factors) => of_product(factors, squares, of),
        Node::Power { base, exponent } if of(*base).least > 0.0 => {
            let power = graph.value_of(*exponent).and_then(|exponent| of(*base).power(exponent));
            power.unwrap_or(Order::UNKNOWN)
        }
        Node::Select { gap, yes, no, .. } if of(*gap).divided > 0.0 => {
            let (yes, no) = (of(*yes), of(*no));
            Order { least: yes.least.min(no.least), divided: yes.divided.min(no.divided), exact: None }
        }
        node => Order::of_function(node.operands().into_iter().map(of)),
    };
    let is_root = squares.iter().any(|factors| factors[..] == [(id, 2)]);
    Order { least: if is_root { found.least.max(0.5) } else { found.least }, ..found }
}

/// The order of a product.
fn of_product(factors: &[(NodeId, i32)], squares: &[Factors], of: impl Fn(NodeId) -> Order) -> Order {
    if let [(base, halves)] = factors[..]
        && let Some(power) = of(base).power(f64::from(halves) / 2.0)
    {
        return power;
    }
    let (mut rest, mut least) = (factors.to_vec(), 0.0);
    for root in squares {
        let place = |rest: &Factors, base| rest.iter().position(|(other, _)| *other == base);
        while root.iter().all(|&(base, halves)| place(&rest, base).is_some_and(|at| rest[at].1 >= halves)) {
            for &(base, halves) in root {
                if let Some(at) = place(&rest, base) {
                    rest[at].1 -= halves;
                }
            }
            least += 0.5;
        }
    }
    // The terms with reciprocals of u: all, or those of one factor, beside the other factors.
    let (mut is_divided, mut parts) = (false, Vec::new());
    for (base, halves) in rest.into_iter().filter(|(_, halves)| *halves != 0) {
        let (order, power) = (of(base), f64::from(halves) / 2.0);
        let own = match order.exact {
            Some(exact) => exact * power,
            None if halves > 0 => order.least * power,
            None if order.least > 0.0 => f64::NEG_INFINITY,
            None => 0.0,
        };
        is_divided |= own < 0.0 && (halves < 0 || order.exact.is_some());
        if order.divided < f64::INFINITY && order.exact.is_none() {
            let is_known = halves >= 2 && order.least.is_finite() && order.divided.is_finite();
            parts.push(if is_known { order.divided - order.least } else { f64::NEG_INFINITY });
        }
        least += own;
    }
    let parts = parts.into_iter().map(|part| least + part).fold(f64::INFINITY, f64::min);
    Order { least, divided: if is_divided { least } else { parts }, exact: None }
}
