//! The sums that families read, with the families that add to each.

use super::family::{Family, family_in_range, family_of_sums, most};
use crate::graph::Size;
use crate::graph::{Leaf, NodeId};
use crate::lower::form::{Step, Term};
use crate::lower::in_range::{self, Of};
use crate::lower::phase;
use crate::lower::{Lowered, Stage};
use std::collections::{BTreeMap, BTreeSet};

/// The most sums and operations of elements in one loop, whose inputs stay in registers.
const TOGETHER: usize = 8;
const OPERATIONS: usize = 80;

/// Stages that one loop adds up, and the families that add to their rows, families in range last.
#[derive(Debug)]
pub struct Sums {
    /// The numbers of the stages in the declaration.
    pub stages: Vec<usize>,
    pub families: Vec<Family>,
}

impl Sums {
    /// The sums that functions of (q, t) read; each stands behind the sums that it reads.
    pub(super) fn read_by(nodes: &[NodeId], lowered: &mut Lowered) -> Vec<Self> {
        let groups = groups(&stages(nodes, lowered), lowered).into_iter();
        groups.map(|stages| Self::of(stages, lowered, |stage| Of::Stage(stage))).collect()
    }

    /// The sums that functions of (q, v, t) read; the time is an input of their elements.
    pub(super) fn read_in_motion_by(nodes: &[NodeId], lowered: &mut Lowered) -> Vec<Self> {
        let groups = groups(&stages(nodes, lowered), lowered).into_iter();
        let sums = groups.map(|stages| Self::of(stages, lowered, |stage| Of::Moving(stage)));
        let mut all: Vec<Self> = sums.collect();
        let in_time = lowered.phase.map(|phase| phase.in_time);
        let graph = &mut lowered.graph;
        let over_all =
            all.iter_mut().flat_map(|sums| &mut sums.families).filter(|family| family.near.is_none());
        for one in over_all {
            let at_time =
                |node: &NodeId| in_time.map_or(*node, |in_time| phase::at_time(graph, *node, in_time));
            let sums: Vec<NodeId> = one.sums.iter().map(at_time).collect();
            let most = one.most;
            *one = Family { most, ..family_of_sums(graph, &one.path, sums) };
            for (sum, node) in one.sums.iter().enumerate() {
                if graph.mentions(*node, |leaf| leaf == Leaf::Time) {
                    let place = one.inputs.iter().position(|leaf| *leaf == Leaf::Time).unwrap_or_else(|| {
                        one.inputs.push(Leaf::Time);
                        one.inputs.len() - 1
                    });
                    if !one.reads_of_sums.contains(&(sum, place)) {
                        one.reads_of_sums.push((sum, place));
                    }
                }
            }
        }
        all
    }

    /// The names of the stages, each once.
    pub fn name(&self, lowered: &Lowered) -> String {
        let mut names: Vec<String> = Vec::new();
        for stage in &self.stages {
            let name = lowered.text_of_stage(*stage);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(", ")
    }

    /// Stages with their families.
    fn of(stages: Vec<usize>, lowered: &mut Lowered, of: fn(&Stage) -> Of<'_>) -> Self {
        let first = lowered.stages[stages[0]].clone();
        let mut terms = terms(stages[0], lowered);
        // Partial sums cannot find rows by the points that they visit.
        let near = if stages.len() == 1 && lowered.phase.is_none() && first.scan.is_none() {
            in_range::take(lowered, &mut terms, of(&first))
        } else {
            Vec::new()
        };
        // A partial sum states no greatest length.
        let around = if first.scan.is_some() { None } else { most(&first.path) };
        let others: Vec<Vec<Term>> = stages[1..].iter().map(|stage| self::terms(*stage, lowered)).collect();
        let graph = &mut lowered.graph;
        let mut families = Vec::new();
        for (place, term) in terms.iter().enumerate() {
            let all = std::iter::once(term).chain(others.iter().filter_map(|terms| terms.get(place)));
            let sums: Vec<NodeId> = all.map(|term| term.clone().over_all(graph).node).collect();
            let mut family = family_of_sums(graph, &term.path, sums);
            family.most = family.most.zip(around).and_then(|(most, around)| most.checked_mul(around));
            families.push(family);
        }
        families.extend(near.into_iter().map(|found| family_in_range(graph, found)));
        Self { stages, families }
    }
}

/// The terms of a stage.
fn terms(stage: usize, lowered: &Lowered) -> Vec<Term> {
    lowered.stages[stage].form.terms(&lowered.graph)
}

/// The stages that an expression reads.
fn read(node: NodeId, lowered: &Lowered) -> impl Iterator<Item = usize> {
    lowered.graph.leaves(&[node]).into_iter().filter_map(|leaf| lowered.stage_of(leaf))
}

/// The stages that expressions read, directly or through others.
fn stages(nodes: &[NodeId], lowered: &Lowered) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut open: Vec<usize> = nodes.iter().flat_map(|node| read(*node, lowered)).collect();
    while let Some(stage) = open.pop() {
        if found.insert(stage) {
            open.extend(terms(stage, lowered).iter().flat_map(|term| read(term.node, lowered)));
        }
    }
    found
}

/// Groups of stages of one frame that do not read each other, each behind the groups that it reads.
fn groups(stages: &BTreeSet<usize>, lowered: &Lowered) -> Vec<Vec<usize>> {
    // The length of the chain of stages that must be evaluated before.
    let mut depths: BTreeMap<usize, usize> = BTreeMap::new();
    let mut ordered: BTreeMap<(usize, usize), Vec<Vec<usize>>> = BTreeMap::new();
    for stage in stages {
        let terms = terms(*stage, lowered);
        let before = terms.iter().flat_map(|term| read(term.node, lowered));
        let depth = before.map(|before| depths[&before] + 1).max().unwrap_or(0);
        depths.insert(*stage, depth);
        let groups = ordered.entry((depth, lowered.stages[*stage].frame)).or_default();
        match groups.iter_mut().find(|group| joins(group, *stage, lowered)) {
            Some(group) => group.push(*stage),
            None => groups.push(vec![*stage]),
        }
    }
    ordered.into_values().flatten().collect()
}

/// True if a stage joins the loop of a group: equal paths and widths, shared reads, few operations.
fn joins(group: &[usize], stage: usize, lowered: &Lowered) -> bool {
    if [group[0], stage].iter().any(|stage| lowered.stages[*stage].turn.is_some()) {
        return false;
    }
    let of_group = || group.iter().flat_map(|stage| terms(*stage, lowered));
    let (first, own) = (terms(group[0], lowered), terms(stage, lowered));
    let paths = first.iter().zip(&own).all(|(a, b)| spelled(&a.path) == spelled(&b.path));
    let size = |term: &Term| Size::of(&lowered.graph, term.node).operations;
    let operations: usize = of_group().chain(own.iter().cloned()).map(|term| size(&term)).sum();
    let (known, new) = (Inputs::of(of_group(), lowered), Inputs::of(own.iter().cloned(), lowered));
    first.len() == own.len()
        && paths
        && group.len() < TOGETHER
        && operations <= OPERATIONS
        && known.widths == new.widths
        && !known.gathers.is_disjoint(&new.gathers)
}

/// The entries that elements read, and their widths. Entries of equal width stand equally far apart.
struct Inputs {
    gathers: BTreeSet<usize>,
    widths: BTreeSet<usize>,
}

impl Inputs {
    fn of(terms: impl Iterator<Item = Term>, lowered: &Lowered) -> Self {
        let mut found = Self { gathers: BTreeSet::new(), widths: BTreeSet::new() };
        for leaf in terms.flat_map(|term| lowered.graph.leaves(&[term.node])) {
            if let Some(gather) = leaf.gather() {
                let width = lowered.gathers[gather].coordinate().map_or(1, |k| lowered.components[k]);
                found.gathers.insert(gather);
                found.widths.insert(width);
            }
        }
        found
    }
}

/// Loops and choices as text; sums of one frame have the same variables.
fn spelled(path: &[Step]) -> Vec<String> {
    path.iter().map(Step::spelled).collect()
}
