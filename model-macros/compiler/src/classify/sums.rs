//! The sums that families read, with the families that add to each.

use super::family::{Family, family, most};
use super::near;
use crate::graph::{Graph, Leaf, NodeId};
use crate::lower::form::Term;
use crate::lower::{Lowered, Source, Stage};
use crate::phase;
use std::collections::BTreeSet;

/// A stage, and the families that add to its rows, those in range last.
#[derive(Debug)]
pub(crate) struct Sums {
    /// Its number among those of the declaration.
    pub(crate) stage: usize,
    pub(crate) families: Vec<Family>,
}

impl Sums {
    /// The sums that functions of (q, t) read, in an order in which none reads one behind it.
    pub(super) fn read_by(nodes: &[NodeId], lowered: &mut Lowered) -> Vec<Self> {
        let stages = stages(nodes, lowered).into_iter();
        let sums = stages.map(|number| Self::of(number, lowered, |stage| near::Of::Stage(stage)));
        sums.collect()
    }

    /// The same of functions of (q, v, t): elements are functions of the time, as of a coordinate.
    pub(super) fn read_in_motion_by(nodes: &[NodeId], lowered: &mut Lowered) -> Vec<Self> {
        let stages = stages(nodes, lowered).into_iter();
        let sums = stages.map(|number| Self::of(number, lowered, |stage| near::Of::Moving(stage)));
        let mut all: Vec<Self> = sums.collect();
        let in_time = lowered.phase.map(|phase| phase.in_time);
        let graph = &mut lowered.graph;
        let over_all =
            all.iter_mut().flat_map(|sums| &mut sums.families).filter(|family| family.near.is_none());
        for one in over_all {
            let node = in_time.map_or(one.node, |in_time| phase::at_time(graph, one.node, in_time));
            let most = one.most;
            *one = Family { most, ..family(graph, &one.path, node) };
            if graph.mentions(node, |leaf| leaf == Leaf::Time) && !one.inputs.contains(&Leaf::Time) {
                one.inputs.push(Leaf::Time);
            }
        }
        all
    }

    /// A stage with its families.
    fn of(number: usize, lowered: &mut Lowered, of: fn(&Stage) -> near::Of<'_>) -> Self {
        let stage = lowered.stages[number].clone();
        let mut terms = stage.form.terms(&lowered.graph);
        // Partial sums find no rows by the points that they visit.
        let near = if lowered.phase.is_none() && stage.scan.is_none() {
            near::take(lowered, &mut terms, of(&stage))
        } else {
            Vec::new()
        };
        let mut sums = Self::over_all(number, terms, lowered);
        sums.families.extend(near.into_iter().map(|found| found.family));
        sums
    }

    /// A stage with the families of these terms, those over near pairs over all.
    fn over_all(number: usize, terms: Vec<Term>, lowered: &mut Lowered) -> Self {
        let (stage, graph) = (&lowered.stages[number], &mut lowered.graph);
        // How long the longest of partial sums is is not asked.
        let around = if stage.scan.is_some() { None } else { most(&stage.path) };
        let families = terms.into_iter().map(|term| {
            let node = near::over_all(graph, &term.path, term.node);
            let mut family = family(graph, &term.path, node);
            family.most = family.most.zip(around).and_then(|(most, around)| most.checked_mul(around));
            family
        });
        Self { stage: number, families: families.collect() }
    }
}

/// The stages that expressions read, directly or through others.
fn stages(nodes: &[NodeId], lowered: &Lowered) -> BTreeSet<usize> {
    let read = |graph: &Graph, nodes: &[NodeId]| -> Vec<usize> {
        let stage = |leaf| match leaf {
            Leaf::Position { gather, .. } | Leaf::Velocity { gather, .. } => {
                match lowered.gathers[gather].source {
                    Source::Stage(stage) => Some(stage),
                    Source::Declared(_) => None,
                }
            }
            _ => None,
        };
        graph.leaves(nodes).into_iter().filter_map(stage).collect()
    };
    let mut found = BTreeSet::new();
    let mut open = read(&lowered.graph, nodes);
    while let Some(stage) = open.pop() {
        if found.insert(stage) {
            let terms = lowered.stages[stage].form.terms(&lowered.graph);
            let nodes: Vec<NodeId> = terms.iter().map(|term| term.node).collect();
            open.extend(read(&lowered.graph, &nodes));
        }
    }
    found
}
