//! The mass and the force in a term: its derivatives by velocities, and the parts into which it falls.

use super::family::{MassEntry, MassFamily, family};
use super::sample::{differ, sampled, varies};
use super::{Classified, Facts, Reads, at_rest};
use crate::differentiate::{gradient, partial};
use crate::graph::{Graph, Leaf, NodeId, is_velocity};
use crate::lower::form::Step;
use std::collections::BTreeSet;

/// The derivatives of a term with respect to the velocities.
pub(super) struct Kinetic {
    /// ∂²/∂v∂v, lower triangle.
    pub(super) mass: Vec<MassEntry>,
    /// ∂/∂v at v = 0.
    pub(super) gyroscopic: Vec<NodeId>,
    /// The term at v = 0.
    pub(super) rest: NodeId,
}

impl Kinetic {
    pub(super) fn of(graph: &mut Graph, part: NodeId, velocities: &[Leaf]) -> Self {
        let momenta = gradient(graph, part, velocities);
        let gyroscopic = momenta.iter().map(|momentum| at_rest(graph, *momentum)).collect();
        let mut mass = Vec::new();
        for (k, &column) in velocities.iter().enumerate() {
            let derivatives = partial(graph, &momenta, column);
            for (l, &row) in velocities.iter().enumerate().skip(k) {
                if !graph.is_zero(derivatives[l]) {
                    mass.push((row, column, derivatives[l]));
                }
            }
        }
        Self { mass, gyroscopic, rest: at_rest(graph, part) }
    }

    /// ½ v·M v + p·v.
    fn moving(&self, graph: &mut Graph, velocities: &[Leaf]) -> NodeId {
        let linear = (1.0, self.linear(graph, velocities));
        let parts: Vec<(f64, NodeId)> = [linear].into_iter().chain(self.squares(graph)).collect();
        graph.combination(parts)
    }

    /// The terms of ½ v·M v.
    pub(super) fn squares(&self, graph: &mut Graph) -> Vec<(f64, NodeId)> {
        let square = |&(row, column, entry): &MassEntry| {
            let (row_velocity, column_velocity) = (graph.leaf(row), graph.leaf(column));
            let square = graph.multiply(row_velocity, column_velocity);
            // An entry beside the diagonal counts twice.
            (if row == column { 0.5 } else { 1.0 }, graph.multiply(entry, square))
        };
        self.mass.iter().map(square).collect()
    }

    /// The part that is linear in the velocities.
    pub(super) fn linear(&self, graph: &mut Graph, velocities: &[Leaf]) -> NodeId {
        let mut parts = Vec::new();
        for (momentum, velocity) in self.gyroscopic.iter().zip(velocities) {
            let velocity = graph.leaf(*velocity);
            parts.push((1.0, graph.multiply(*momentum, velocity)));
        }
        graph.combination(parts)
    }
}

/// The parts of one term, before they become families.
#[derive(Default)]
pub(super) struct Groups {
    mass: Vec<(NodeId, Vec<MassEntry>)>,
    mass_of_sums: Vec<NodeId>,
    pub(super) potential: Vec<NodeId>,
    general: Vec<NodeId>,
    /// True if the potential is all that is left at rest, also where the mass depends on parameters.
    parametric: bool,
}

impl Groups {
    pub(super) fn of(parametric: bool) -> Self {
        Self { parametric, ..Self::default() }
    }

    /// Adds a part of the Lagrangian that reads `velocities`; widens the facts and `moved`.
    pub(super) fn add_moving(
        &mut self,
        graph: &mut Graph,
        (part, velocities): (NodeId, &[Leaf]),
        reads: &Reads,
        facts: &mut Facts,
        moved: &mut BTreeSet<usize>,
    ) {
        let kinetic = Kinetic::of(graph, part, velocities);
        for (row, column, entry) in &kinetic.mass {
            // Two reads of an array may meet in one entry, as in the squares of a sum times itself.
            if component_of(*row) == component_of(*column) && !graph.is_zero(*entry) {
                moved.extend(reads.moved(*row).intersection(reads.moved(*column)));
            }
        }
        let entries: Vec<NodeId> = kinetic.mass.iter().map(|(_, _, entry)| *entry).collect();
        let mut on = reads.variable(graph, &entries);
        for (row, column, _) in &kinetic.mass {
            on.extend([row, column].into_iter().flat_map(|leaf| reads.of_slopes(*leaf)));
        }
        for leaf in velocities {
            if reads.bends(*leaf) {
                moved.extend(reads.moved(*leaf));
                on.extend(reads.moved(*leaf));
            }
        }
        let constant = on.is_empty() && entries.iter().all(|entry| reads.is_fixed(graph, *entry));
        if !constant {
            let proven = varies(graph, &entries) || varies_through_sums(graph, &kinetic, reads);
            facts.mass.widen(on, proven);
        }
        let turns = |(leaf, slope): (&Leaf, &NodeId)| {
            !reads.is_fixed(graph, *slope)
                || (!graph.is_zero(*slope) && reads.of_slopes(*leaf).next().is_some())
        };
        let drifts = velocities.iter().any(|leaf| reads.drifts(*leaf));
        if drifts || velocities.iter().zip(&kinetic.gyroscopic).any(turns) {
            let on = velocities.iter().flat_map(|leaf| reads.moved(*leaf)).copied().collect();
            facts.force.widen(on, varies(graph, &kinetic.gyroscopic));
        }
        if constant && !drifts {
            // Exactly ½ v·M v + p·v + rest, because the second derivatives do not change.
            let linear = kinetic.linear(graph, velocities);
            if !kinetic.mass.is_empty() {
                let others = graph.add(linear, kinetic.rest);
                let pure = graph.subtract(part, others);
                if reads.reads_sum(graph, pure) {
                    self.mass_of_sums.push(pure);
                } else {
                    self.mass.push((pure, kinetic.mass));
                }
            }
            if !graph.is_zero(linear) {
                self.general.push(linear);
            }
            self.add_resting(graph, kinetic.rest);
        } else if self.parametric && !entries.iter().any(|entry| graph.mentions(*entry, is_velocity)) {
            // Engines of natural systems ask for the derivatives of V by parameters.
            let moving = kinetic.moving(graph, velocities);
            self.general.push(moving);
            self.add_resting(graph, kinetic.rest);
        } else {
            self.general.push(part);
        }
    }

    /// Adds a part of the Lagrangian without velocities.
    fn add_resting(&mut self, graph: &mut Graph, part: NodeId) {
        if !graph.is_zero(part) {
            self.potential.push(graph.negate(part));
        }
    }

    pub(super) fn finish(
        self,
        graph: &mut Graph,
        path: &[Step],
        term: NodeId,
        stiff: bool,
        classified: &mut Classified,
    ) {
        let sorts = [&self.mass_of_sums, &self.potential, &self.general].map(Vec::is_empty);
        let sorts = sorts.into_iter().chain([self.mass.is_empty()]);
        let pure = sorts.filter(|empty| !empty).count() == 1;
        if !self.mass.is_empty() {
            let node = graph.combination(self.mass.iter().map(|(node, _)| (1.0, *node)));
            let mut entries: Vec<MassEntry> = Vec::new();
            for (row, column, entry) in self.mass.into_iter().flat_map(|(_, entries)| entries) {
                match entries.iter_mut().find(|(r, c, _)| *r == row && *c == column) {
                    Some((_, _, known)) => *known = graph.add(*known, entry),
                    None => entries.push((row, column, entry)),
                }
            }
            classified.mass.push(MassFamily { path: path.to_vec(), entries, node });
        }
        let target = if stiff { &mut classified.stiff } else { &mut classified.potential };
        let potential = graph.negate(term);
        for (parts, whole, target) in [
            (self.potential, potential, target),
            (self.general, term, &mut classified.general),
            (self.mass_of_sums, term, &mut classified.mass_of_sums),
        ] {
            let nodes = by_gathers(graph, &parts, pure.then_some(whole));
            target.extend(nodes.into_iter().map(|node| family(graph, path, node)));
        }
    }
}

/// Adds up the parts that read the same entries; parts that read none join the first.
///
/// If all come together again, the sum is `whole`, as the user wrote it: with factors before it once.
fn by_gathers(graph: &mut Graph, parts: &[NodeId], whole: Option<NodeId>) -> Vec<NodeId> {
    let mut groups: Vec<(BTreeSet<usize>, Vec<NodeId>)> = Vec::new();
    for &part in parts {
        let read: BTreeSet<usize> = graph.leaves(&[part]).into_iter().filter_map(Leaf::gather).collect();
        match groups.iter_mut().find(|(known, _)| *known == read) {
            Some((_, members)) => members.push(part),
            None => groups.push((read, vec![part])),
        }
    }
    if let Some(place) = groups.iter().position(|(read, _)| read.is_empty())
        && groups.len() > 1
    {
        let (_, constants) = groups.remove(place);
        groups[0].1.extend(constants);
    }
    if let (1, Some(whole)) = (groups.len(), whole) {
        return vec![whole];
    }
    let sums = groups.into_iter().map(|(_, members)| members.into_iter().map(|member| (1.0, member)));
    let mut nodes: Vec<NodeId> = sums.map(|parts| graph.combination(parts)).collect();
    nodes.retain(|node| !graph.is_zero(*node));
    nodes
}

fn component_of(leaf: Leaf) -> Option<usize> {
    match leaf {
        Leaf::Position { component, .. }
        | Leaf::Velocity { component, .. }
        | Leaf::Direction { component, .. } => Some(component),
        _ => None,
    }
}

/// The coordinates on which the mass of one term depends.
pub(crate) fn uneven_mass(graph: &mut Graph, node: NodeId, reads: &Reads) -> BTreeSet<usize> {
    let velocities = graph.velocities(node);
    let kinetic = Kinetic::of(graph, node, &velocities);
    let entries: Vec<NodeId> = kinetic.mass.iter().map(|(_, _, entry)| *entry).collect();
    let mut on = reads.variable(graph, &entries);
    for (row, column, _) in &kinetic.mass {
        on.extend([row, column].into_iter().flat_map(|leaf| reads.of_slopes(*leaf)));
    }
    let bent = velocities.iter().filter(|leaf| reads.bends(**leaf));
    on.extend(bent.flat_map(|leaf| reads.moved(*leaf)));
    on
}

/// True if the mass between two elements of sums of velocities differs at sampled places.
fn varies_through_sums(graph: &Graph, kinetic: &Kinetic, reads: &Reads) -> bool {
    let entries: Vec<NodeId> = kinetic.mass.iter().map(|(_, _, entry)| *entry).collect();
    let entries = sampled(graph, &entries, 1);
    let read = kinetic.mass.iter().flat_map(|(row, column, _)| [row, column]);
    let elements: BTreeSet<Leaf> = read.flat_map(|leaf| reads.elements(*leaf)).collect();
    elements.into_iter().any(|element| {
        let between = |one: usize, other: usize| -> f64 {
            let terms = kinetic.mass.iter().zip(&entries).map(|((row, column, _), entry)| {
                let [a, b] = [row, column].map(|leaf| reads.slopes(*leaf, element));
                let (Some(a), Some(b)) = (a, b) else { return 0.0 };
                let mirrored = if row == column { 0.0 } else { b[one] * a[other] };
                entry * (a[one] * b[other] + mirrored)
            });
            terms.sum()
        };
        differ(between(0, 1), between(2, 3)) || differ(between(0, 1), between(0, 2))
    })
}
