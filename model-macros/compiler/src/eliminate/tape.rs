//! An element as a list of definitions: internal variables, each an expression of inputs and earlier
//! variables, and derivatives through them by the chain rule.
//!
//! For f(u(x)) with internal variables u,
//!
//! ∇f = Jᵀ f_u,  Hess f = Jᵀ H_u J + Σ f_k Hess u_k,
//!
//! where J, H_u and Hess u_k are derivatives of one definition by the leaves in it, found by the table
//! in [`crate::differentiate`]. Any set of subexpressions may be internal variables: the set decides
//! the number of operations alone.

use super::cuts::Cuts;
use crate::differentiate::{directional, gradient};
use crate::graph::{Budget, Graph, Images, Leaf, Node, NodeId};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// The definitions of an element.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    /// The expressions.
    pub graph: Graph,
    /// The expression of each internal variable; it mentions earlier variables only.
    pub definitions: Vec<NodeId>,
    /// The leaves that each definition mentions.
    mentions: Vec<Vec<Leaf>>,
    /// The internal variable of a definition.
    known: Images,
    /// True if sums that come up are made internal variables.
    named: bool,
    /// The derivatives of a definition by the leaves that it mentions, where they were asked for.
    partials: BTreeMap<usize, Vec<(Leaf, NodeId)>>,
}

/// Adjoints or second adjoints that are still being added up.
type Parts<K> = BTreeMap<K, Vec<NodeId>>;

impl Tape {
    /// The expression `root` of `graph` with the nodes of `cuts` as internal variables. With `named`,
    /// derivatives that are sums become internal variables, too.
    pub(crate) fn new(graph: &Graph, root: NodeId, cuts: &Cuts, named: bool) -> (Self, NodeId) {
        let mut tape = Self { graph: Graph::within(Budget::OF_A_DERIVATIVE), named, ..Self::default() };
        let mut images = Images::default();
        for id in graph.reachable(&[root]) {
            let mut image = tape.graph.rebuild(graph.node(id).clone(), |operand| images.of(operand));
            if id != root && cuts.nodes.contains(&id) {
                image = tape.internal(image);
            }
            images.set(id, image);
        }
        let root = images.of(root);
        (tape, root)
    }

    /// An internal variable for `node`, unless it is so simple that it is its own name.
    fn internal(&mut self, node: NodeId) -> NodeId {
        let (factor, rest) = self.graph.split_factor(node);
        if matches!(self.graph.node(rest), Node::Constant(_) | Node::Leaf(_)) || !self.graph.varies(rest) {
            return node;
        }
        let variable = if let Some(known) = self.known.get(rest) {
            known
        } else {
            let fresh = self.graph.leaf(Leaf::Internal(self.definitions.len()));
            self.definitions.push(rest);
            self.mentions.push(self.graph.leaves(&[rest]));
            self.known.set(rest, fresh);
            fresh
        };
        self.graph.scale(factor, variable)
    }

    /// A derivative that is about to be used: a sum keeps together if derivatives are named.
    fn name(&mut self, node: NodeId) -> NodeId {
        let (_, rest) = self.graph.split_factor(node);
        if self.named && matches!(self.graph.node(rest), Node::Sum { .. }) {
            return self.internal(node);
        }
        node
    }

    fn total(&mut self, parts: Vec<NodeId>) -> NodeId {
        let total = self.graph.combination(parts.into_iter().map(|part| (1.0, part)));
        self.name(total)
    }

    /// The internal variables that vary with `moving`.
    fn varying(&self, moving: &dyn Fn(Leaf) -> bool) -> Vec<bool> {
        let mut varies: Vec<bool> = Vec::with_capacity(self.mentions.len());
        for leaves in &self.mentions {
            let any =
                leaves.iter().any(|&leaf| moving(leaf) || matches!(leaf, Leaf::Internal(k) if varies[k]));
            varies.push(any);
        }
        varies
    }

    /// ∂node/∂leaf for the leaves of a node.
    fn local(&mut self, node: NodeId, leaves: Vec<Leaf>) -> Vec<(Leaf, NodeId)> {
        let partials = gradient(&mut self.graph, node, &leaves);
        leaves.into_iter().zip(partials).filter(|(_, partial)| !self.graph.is_zero(*partial)).collect()
    }

    /// The partial derivatives of a definition, as named variables that gradients and rates share.
    fn shared_partials(&mut self, k: usize, leaves: Vec<Leaf>) -> Vec<(Leaf, NodeId)> {
        if let Some(known) = self.partials.get(&k)
            && known.iter().map(|(leaf, _)| leaf).eq(&leaves)
        {
            return known.clone();
        }
        let partials = self.local(self.definitions[k], leaves);
        let named: Vec<(Leaf, NodeId)> =
            partials.into_iter().map(|(leaf, partial)| (leaf, self.name(partial))).collect();
        self.partials.insert(k, named.clone());
        named
    }

    /// ∂root/∂wanted: adjoints, backwards through the definitions.
    pub(crate) fn gradient(&mut self, root: NodeId, wanted: &[Leaf]) -> Vec<NodeId> {
        let varies = self.varying(&|leaf| wanted.contains(&leaf));
        let mut adjoints: Parts<Leaf> = BTreeMap::new();
        let leaves = mentioned(self.graph.leaves(&[root]), wanted, &varies);
        for (leaf, partial) in self.local(root, leaves) {
            adjoints.entry(leaf).or_default().push(partial);
        }
        for k in (0..varies.len()).rev() {
            let Some(parts) = adjoints.remove(&Leaf::Internal(k)) else { continue };
            if self.graph.is_exhausted() {
                break;
            }
            let adjoint = self.total(parts);
            let leaves = mentioned(self.mentions[k].clone(), wanted, &varies);
            for (leaf, partial) in self.shared_partials(k, leaves) {
                let part = self.graph.multiply(adjoint, partial);
                adjoints.entry(leaf).or_default().push(part);
            }
        }
        wanted.iter().map(|leaf| self.total(adjoints.remove(leaf).unwrap_or_default())).collect()
    }

    /// The gradient and the nonzero entries (row, column, value) of the lower triangle of the Hessian
    /// by `wanted`.
    pub(crate) fn hessian(
        &mut self,
        root: NodeId,
        wanted: &[Leaf],
    ) -> (Vec<NodeId>, Vec<(usize, usize, NodeId)>) {
        let mut state = self.second(root, wanted);
        let gradient =
            wanted.iter().map(|leaf| self.total(state.adjoints.remove(leaf).unwrap_or_default())).collect();
        let mut entries = Vec::new();
        for (column, &right) in wanted.iter().enumerate() {
            for (row, &left) in wanted.iter().enumerate().skip(column) {
                let parts = state.second.remove(&pair(left, right)).unwrap_or_default();
                let entry = self.total(parts);
                if !self.graph.is_zero(entry) {
                    entries.push((row, column, entry));
                }
            }
        }
        (gradient, entries)
    }

    /// First and second derivatives by `wanted`.
    fn second(&mut self, root: NodeId, wanted: &[Leaf]) -> Second {
        let varies = self.varying(&|leaf| wanted.contains(&leaf));
        let mut state = Second::default();
        let of_root = mentioned(self.graph.leaves(&[root]), wanted, &varies);
        let (first, second) = self.both_partials(root, &of_root);
        for (leaf, partial) in first {
            state.adjoints.entry(leaf).or_default().push(partial);
        }
        for (pair, partial) in second {
            state.second.entry(pair).or_default().push(partial);
        }
        // The reached variables, the leaves in each, and the number of remaining users of each.
        let mut reached: BTreeMap<usize, Vec<Leaf>> = BTreeMap::new();
        let mut users: BTreeMap<usize, usize> = BTreeMap::new();
        let mut open = variables(&of_root, wanted);
        while let Some(k) = open.pop() {
            if let Entry::Vacant(place) = reached.entry(k) {
                let leaves = place.insert(mentioned(self.mentions[k].clone(), wanted, &varies));
                for l in variables(leaves, wanted) {
                    *users.entry(l).or_insert(0) += 1;
                    open.push(l);
                }
            }
        }
        let mut left: BTreeSet<usize> = reached.keys().copied().collect();
        while !left.is_empty() && self.graph.spend(state.second.len()) {
            // The last variable has no users: they are eliminated before it.
            let ready: Vec<usize> =
                left.iter().copied().filter(|k| users.get(k).is_none_or(|count| *count == 0)).collect();
            for k in &ready {
                left.remove(k);
                for l in variables(&reached[k], wanted) {
                    if let Some(count) = users.get_mut(&l) {
                        *count -= 1;
                    }
                }
            }
            self.eliminate(&ready, &reached, &mut state);
        }
        state
    }

    /// First and second derivatives of an expression by leaves.
    fn both_partials(&mut self, node: NodeId, leaves: &[Leaf]) -> (First, Pairs) {
        let first = self.local(node, leaves.to_vec());
        let second = self.second_partials(&first);
        (first, second)
    }

    /// Replaces derivatives by some internal variables with derivatives by their leaves: Jᵀ H J + Σ f_k
    /// Hess u_k.
    fn eliminate(&mut self, variables: &[usize], reached: &BTreeMap<usize, Vec<Leaf>>, state: &mut Second) {
        let mut jacobian: Vec<Vec<(Leaf, NodeId)>> = Vec::new();
        for &k in variables {
            let adjoint = self.total(state.adjoints.remove(&Leaf::Internal(k)).unwrap_or_default());
            let (first, curved) = self.both_partials(self.definitions[k], &reached[&k]);
            let first: First = first.into_iter().map(|(leaf, partial)| (leaf, self.name(partial))).collect();
            for (leaf, partial) in &first {
                let part = self.graph.multiply(adjoint, *partial);
                state.adjoints.entry(*leaf).or_default().push(part);
            }
            for (pair, partial) in curved {
                let partial = self.name(partial);
                let part = self.graph.multiply(adjoint, partial);
                state.second.entry(pair).or_default().push(part);
            }
            jacobian.push(first);
        }
        // H between these variables, and between them and the remaining leaves.
        let zero = self.graph.zero();
        let mut between: BTreeMap<(usize, usize), NodeId> = BTreeMap::new();
        let mut beside: Vec<(usize, Leaf, NodeId)> = Vec::new();
        let own: Vec<(Leaf, Leaf)> = state
            .second
            .keys()
            .copied()
            .filter(|(a, b)| place(variables, *a).is_some() || place(variables, *b).is_some())
            .collect();
        for key in own {
            let entry = state.second.remove(&key).unwrap_or_default();
            let entry = self.total(entry);
            match (place(variables, key.0), place(variables, key.1)) {
                (Some(k), Some(l)) => {
                    between.insert((k, l), entry);
                    between.insert((l, k), entry);
                }
                (Some(k), None) => beside.push((k, key.1, entry)),
                (None, Some(l)) => beside.push((l, key.0, entry)),
                (None, None) => {}
            }
        }
        // H J, then Jᵀ (H J): each entry by whichever half has it.
        let mut moved: Vec<BTreeMap<Leaf, NodeId>> = Vec::new();
        for k in 0..variables.len() {
            let mut row: Parts<Leaf> = BTreeMap::new();
            for (l, partials) in jacobian.iter().enumerate() {
                let Some(&entry) = between.get(&(k, l)) else { continue };
                for (leaf, partial) in partials {
                    let part = self.graph.multiply(entry, *partial);
                    row.entry(*leaf).or_default().push(part);
                }
            }
            let row = row.into_iter().map(|(leaf, parts)| (leaf, self.total(parts))).collect();
            moved.push(row);
        }
        for (k, partials) in jacobian.iter().enumerate() {
            for (left, partial) in partials {
                for (right, &value) in moved[k].iter().filter(|(right, _)| *right <= left) {
                    if value != zero {
                        let part = self.graph.multiply(*partial, value);
                        state.second.entry((*left, *right)).or_default().push(part);
                    }
                }
            }
        }
        for (k, leaf, entry) in beside {
            for (of, partial) in &jacobian[k] {
                let part = self.graph.multiply(entry, *partial);
                let part = if *of == leaf { self.graph.scale(2.0, part) } else { part };
                state.second.entry(pair(*of, leaf)).or_default().push(part);
            }
        }
    }

    /// The second derivatives that belong to first ones, lower triangle.
    fn second_partials(&mut self, first: &[(Leaf, NodeId)]) -> Pairs {
        let roots: Vec<NodeId> = first.iter().map(|(_, partial)| *partial).collect();
        let mut second = Vec::new();
        for (column, &(leaf, _)) in first.iter().enumerate() {
            let one = |graph: &mut Graph, other: Leaf| (other == leaf).then(|| graph.constant(1.0));
            let entries = directional(&mut self.graph, &roots[column..], &one);
            for ((row, _), entry) in first[column..].iter().zip(entries) {
                if !self.graph.is_zero(entry) {
                    second.push((pair(*row, leaf), entry));
                }
            }
        }
        second
    }
}

/// The rate of each leaf; leaves that are missing have not been asked for.
pub(crate) type Rates = BTreeMap<Leaf, Option<NodeId>>;

/// The rate of an input; `None` is at rest.
pub(crate) type Motion<'a> = &'a dyn Fn(&mut Graph, Leaf) -> Option<NodeId>;

impl Tape {
    /// d root/dt when inputs move as `motion` says; `rates` keeps the rates of the internal variables.
    ///
    /// With `by_partials` the rate of a definition is Σ ∂u/∂w · ẇ with derivatives that the gradient
    /// may share; else each operation carries it on.
    pub(crate) fn rates(
        &mut self,
        roots: &[NodeId],
        rates: &mut Rates,
        motion: Motion<'_>,
        by_partials: bool,
    ) -> Vec<NodeId> {
        for k in self.needed(roots) {
            if !rates.contains_key(&Leaf::Internal(k)) {
                let definition = self.definitions[k];
                let rate = if by_partials {
                    self.rate_by_partials(definition, Some(k), rates, motion)
                } else {
                    self.rate(&[definition], rates, motion)[0]
                };
                let rate = if self.graph.is_zero(rate) { None } else { Some(self.name(rate)) };
                rates.insert(Leaf::Internal(k), rate);
            }
        }
        match roots {
            [root] if by_partials => vec![self.rate_by_partials(*root, None, rates, motion)],
            roots => self.rate(roots, rates, motion),
        }
    }

    fn rate(&mut self, roots: &[NodeId], rates: &Rates, motion: Motion<'_>) -> Vec<NodeId> {
        directional(&mut self.graph, roots, &|graph, leaf| match leaf {
            Leaf::Internal(_) => rates.get(&leaf).copied().flatten(),
            leaf => motion(graph, leaf),
        })
    }

    fn rate_by_partials(
        &mut self,
        node: NodeId,
        k: Option<usize>,
        rates: &Rates,
        motion: Motion<'_>,
    ) -> NodeId {
        let mut leaves = Vec::new();
        let mut speeds = Vec::new();
        for leaf in self.graph.leaves(&[node]) {
            let speed = match leaf {
                Leaf::Internal(_) => rates.get(&leaf).copied().flatten(),
                leaf => motion(&mut self.graph, leaf),
            };
            if let Some(speed) = speed {
                leaves.push(leaf);
                speeds.push((leaf, speed));
            }
        }
        let partials = match k {
            Some(k) => self.shared_partials(k, leaves),
            None => self.local(node, leaves),
        };
        let mut parts = Vec::new();
        for (leaf, partial) in partials {
            let partial = self.name(partial);
            for (_, speed) in speeds.iter().filter(|(moving, _)| *moving == leaf) {
                parts.push((1.0, self.graph.multiply(partial, *speed)));
            }
        }
        self.graph.combination(parts)
    }

    /// The internal variables that expressions need, earlier ones first.
    fn needed(&self, roots: &[NodeId]) -> BTreeSet<usize> {
        let mut needed = BTreeSet::new();
        let mut open = self.graph.leaves(roots);
        while let Some(leaf) = open.pop() {
            if let Leaf::Internal(k) = leaf
                && needed.insert(k)
            {
                open.extend(&self.mentions[k]);
            }
        }
        needed
    }
}

/// The members of `leaves` that vary.
fn mentioned(mut leaves: Vec<Leaf>, wanted: &[Leaf], varies: &[bool]) -> Vec<Leaf> {
    leaves.retain(|leaf| match leaf {
        Leaf::Internal(k) => varies[*k],
        leaf => wanted.contains(leaf),
    });
    leaves
}

/// Derivatives by single leaves.
type First = Vec<(Leaf, NodeId)>;

/// Derivatives by pairs of leaves, the greater one first.
type Pairs = Vec<((Leaf, Leaf), NodeId)>;

/// The internal variables among leaves that are still to be eliminated.
fn variables(leaves: &[Leaf], wanted: &[Leaf]) -> Vec<usize> {
    let ours = leaves.iter().filter(|leaf| !wanted.contains(leaf));
    ours.filter_map(|leaf| if let Leaf::Internal(k) = leaf { Some(*k) } else { None }).collect()
}

/// The derivatives by the leaves that are not eliminated yet.
#[derive(Default)]
struct Second {
    adjoints: Parts<Leaf>,
    second: Parts<(Leaf, Leaf)>,
}

fn pair(a: Leaf, b: Leaf) -> (Leaf, Leaf) {
    (a.max(b), a.min(b))
}

fn place(variables: &[usize], leaf: Leaf) -> Option<usize> {
    let Leaf::Internal(k) = leaf else { return None };
    variables.iter().position(|known| *known == k)
}
