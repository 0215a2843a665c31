//! The dependence of reads on coordinates; a collective depends on them through its sum.

use super::at_rest;
use super::sample::sampled;
use crate::differentiate::gradient;
use crate::graph::{Graph, Leaf, NodeId, is_time, is_variable, is_velocity};
use crate::lower::{Gather, Lowered, Source, Stage};
use std::collections::{BTreeMap, BTreeSet};

/// The facts about each read.
pub(crate) struct Reads {
    of_gathers: Vec<Read>,
}

/// The sort of a read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Sort {
    #[default]
    Entry,
    Sum,
    /// A sum that depends on parameters alone.
    Constant,
}

/// An entry, or a collective u(q, v, t).
#[derive(Debug, Clone, Default)]
struct Read {
    sort: Sort,
    /// The coordinates on whose positions or velocities it depends.
    on: BTreeSet<usize>,
    /// The coordinates on whose velocities it depends.
    moved: BTreeSet<usize>,
    /// The coordinates on which ∂u/∂v depends.
    of_slopes: BTreeSet<usize>,
    /// ∂φ/∂v of its elements φ at some points, for each declared velocity that they read.
    slopes: BTreeMap<Leaf, [f64; 4]>,
    /// True if ∂²u/∂v∂v may not vanish.
    bends: bool,
    /// True if u may not vanish where nothing moves.
    drifts: bool,
}

impl Reads {
    /// The reads of a declaration.
    pub(crate) fn of(lowered: &Lowered) -> Self {
        // The slopes join a copy of the graph: nobody else reads them.
        let mut graph = lowered.graph.clone();
        let mut of_stages: Vec<Read> = Vec::new();
        let of_gather = |gather: &Gather, of_stages: &[Read]| match gather.source {
            Source::Declared(coordinate) => {
                let on = BTreeSet::from([coordinate]);
                Read { moved: on.clone(), on, ..Read::default() }
            }
            Source::Stage(stage) => of_stages.get(stage).cloned().unwrap_or_default(),
        };
        for stage in &lowered.stages {
            let of_gathers = lowered.gathers.iter().map(|gather| of_gather(gather, &of_stages)).collect();
            let read = Self { of_gathers }.of_stage(stage, &mut graph);
            of_stages.push(read);
        }
        Self { of_gathers: lowered.gathers.iter().map(|gather| of_gather(gather, &of_stages)).collect() }
    }

    /// The facts about a sum of elements, from the facts about their reads.
    fn of_stage(&self, stage: &Stage, graph: &mut Graph) -> Read {
        let mut found = Read { sort: Sort::Constant, ..Read::default() };
        for term in stage.form.terms(graph) {
            let leaves = graph.leaves(&[term.node]);
            if !self.is_fixed(graph, term.node) {
                found.sort = Sort::Sum;
            }
            found.on.extend(leaves.iter().flat_map(|leaf| self.on(*leaf)));
            if !stage.moves {
                continue;
            }
            let velocities: Vec<Leaf> = leaves.into_iter().filter(|leaf| is_velocity(*leaf)).collect();
            found.moved.extend(velocities.iter().flat_map(|leaf| self.moved(*leaf)));
            let slopes = gradient(graph, term.node, &velocities);
            found.of_slopes.extend(self.variable(graph, &slopes));
            for (point, number) in (2..).zip(0..4) {
                for (leaf, slope) in velocities.iter().zip(sampled(graph, &slopes, point)) {
                    found.slopes.entry(*leaf).or_insert([0.0; 4])[number] += slope;
                }
            }
            found.bends |= slopes.iter().any(|slope| graph.mentions(*slope, is_velocity));
            for leaf in &velocities {
                found.of_slopes.extend(self.of_slopes(*leaf));
                found.bends |= self.bends(*leaf);
                found.drifts |= self.drifts(*leaf);
            }
            let rest = at_rest(graph, term.node);
            found.drifts |= !graph.is_zero(rest);
            // Nor is the mass constant if slopes change with time alone.
            if slopes.iter().any(|slope| graph.mentions(*slope, is_time)) {
                found.of_slopes.extend(found.moved.clone());
            }
        }
        found
    }

    fn read(&self, leaf: Leaf) -> Option<&Read> {
        self.of_gathers.get(leaf.gather()?)
    }

    fn on(&self, leaf: Leaf) -> impl Iterator<Item = usize> {
        self.read(leaf).into_iter().flat_map(|read| read.on.iter().copied())
    }

    /// The coordinates on whose velocities a velocity depends.
    pub(super) fn moved(&self, leaf: Leaf) -> &BTreeSet<usize> {
        const NONE: &BTreeSet<usize> = &BTreeSet::new();
        self.read(leaf).map_or(NONE, |read| &read.moved)
    }

    /// The coordinates on which the derivative of a velocity by declared velocities depends.
    pub(super) fn of_slopes(&self, leaf: Leaf) -> impl Iterator<Item = usize> {
        self.read(leaf).into_iter().flat_map(|read| read.of_slopes.iter().copied())
    }

    /// The velocities that the elements of a velocity read.
    pub(super) fn elements(&self, leaf: Leaf) -> impl Iterator<Item = Leaf> {
        self.read(leaf).into_iter().flat_map(|read| read.slopes.keys().copied())
    }

    /// The derivative of an element of a velocity by a velocity that it reads, at some points.
    pub(super) fn slopes(&self, leaf: Leaf, element: Leaf) -> Option<&[f64; 4]> {
        self.read(leaf)?.slopes.get(&element)
    }

    /// True if a velocity may not be linear in the declared velocities.
    pub(crate) fn bends(&self, leaf: Leaf) -> bool {
        self.read(leaf).is_some_and(|read| read.bends)
    }

    /// True if a velocity may not vanish where nothing moves.
    pub(crate) fn drifts(&self, leaf: Leaf) -> bool {
        self.read(leaf).is_some_and(|read| read.drifts)
    }

    /// True if an expression depends on parameters alone.
    pub(super) fn is_fixed(&self, graph: &Graph, node: NodeId) -> bool {
        !graph.mentions(node, |leaf| {
            is_variable(leaf) && !self.read(leaf).is_some_and(|read| read.sort == Sort::Constant)
        })
    }

    /// True if an expression reads a collective.
    pub(super) fn reads_sum(&self, graph: &Graph, node: NodeId) -> bool {
        graph.mentions(node, |leaf| self.read(leaf).is_some_and(|read| read.sort != Sort::Entry))
    }

    /// The coordinates on which expressions depend.
    pub(super) fn variable(&self, graph: &Graph, nodes: &[NodeId]) -> BTreeSet<usize> {
        graph.leaves(nodes).into_iter().flat_map(|leaf| self.on(leaf)).collect()
    }
}
