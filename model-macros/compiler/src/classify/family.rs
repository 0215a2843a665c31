//! Term families, and the rows to which families of constraints and forces add.

use crate::differentiate::gradient;
use crate::graph::{Graph, Leaf, NodeId, is_position, is_velocity};
use crate::lower::Equations;
use crate::lower::form::{Form, Loop, Step, Term, loops_of};
use crate::lower::in_range::{Found, InRange};
use std::rc::Rc;

/// A term family: one small expression, repeated over an index set.
#[derive(Debug)]
pub struct Family {
    /// The loops and choices around the expression, from the outside in.
    pub path: Vec<Step>,
    /// The expression: the part of V, of L, or of an equation.
    pub node: NodeId,
    /// For a sum: the addends of an element to each sum. The expression is then Σ w φ with weights w.
    pub sums: Vec<NodeId>,
    /// The pairs of a sum and an input on which it depends.
    pub reads_of_sums: Vec<(usize, usize)>,
    /// The local coordinates in the kernel's order: positions; for general terms velocities, time too.
    pub inputs: Vec<Leaf>,
    /// The coefficients, in the order of the kernel's arguments.
    pub coefficients: Vec<usize>,
    /// The coefficient that is the rate of the phase, where the expression depends on the phase.
    pub phase_rate: Option<Leaf>,
    /// The most elements, where the declaration states a number.
    pub most: Option<usize>,
    /// The ends, where it is a sum over near pairs.
    pub near: Option<InRange>,
}

impl Family {
    /// The expression as written, or the addends to the sums.
    pub fn written(&self) -> &[NodeId] {
        if self.sums.is_empty() { std::slice::from_ref(&self.node) } else { &self.sums }
    }

    /// A written expression with the condition under which it counts.
    pub fn whole_of(&self, written: NodeId) -> NodeId {
        self.near.as_ref().map_or(written, |near| near.whole)
    }

    /// True for all pairs, whose elements outnumber the coordinates.
    pub fn is_over_all_pairs(&self) -> bool {
        self.near.is_none() && loops_of(&self.path).any(|repeat| repeat.is_over_pairs())
    }

    /// The coefficients that belong to an end, the first end's before the second's.
    pub fn ends(&self) -> impl Iterator<Item = usize> {
        self.near.iter().flat_map(|near| near.coefficients.iter().flatten().copied())
    }
}

/// Row, column and value of an entry of M: the velocities of the lower triangle in local order.
pub(crate) type MassEntry = (Leaf, Leaf, NodeId);

/// A family of the kinetic energy: constant entries of the mass matrix.
#[derive(Debug)]
pub struct MassFamily {
    /// The loops and choices around the expression, from the outside in.
    pub path: Vec<Step>,
    /// The entries of M.
    pub entries: Vec<MassEntry>,
    /// The part of the kinetic energy.
    pub node: NodeId,
}

/// The rows of a constraint or of a force, with the families that add to each.
#[derive(Debug)]
pub(crate) enum Plan {
    /// For each row, its families.
    Rows(Vec<Vec<Family>>),
    /// The inner rows for each item of an iterator.
    Each(Rc<Loop>, Box<Plan>),
    /// Plans, one behind the other.
    List(Vec<Plan>),
    /// Families that each add to the row of a velocity that they read.
    AtVelocities(Vec<(Leaf, Family)>),
    /// The terms of Rayleigh's function, where they read sums: its force is found through them.
    Function(Vec<Family>),
}

impl Plan {
    /// All families, in the order in which the rows name them.
    pub(crate) fn families(&self) -> Vec<&Family> {
        match self {
            Self::Rows(rows) => rows.iter().flatten().collect(),
            Self::Each(_, inner) => inner.families(),
            Self::List(parts) => parts.iter().flat_map(Self::families).collect(),
            Self::AtVelocities(families) => families.iter().map(|(_, family)| family).collect(),
            Self::Function(families) => families.iter().collect(),
        }
    }

    /// All families in the order of [`Self::families`], each with all loops and choices around it.
    pub(crate) fn placed(&self) -> Vec<(Vec<Step>, &Family)> {
        match self {
            Self::Rows(_) | Self::AtVelocities(_) | Self::Function(_) => {
                self.families().into_iter().map(|family| (family.path.clone(), family)).collect()
            }
            Self::Each(repeat, inner) => {
                let outside =
                    |path: Vec<Step>| std::iter::once(Step::Loop(repeat.clone())).chain(path).collect();
                inner.placed().into_iter().map(|(path, family)| (outside(path), family)).collect()
            }
            Self::List(parts) => parts.iter().flat_map(Self::placed).collect(),
        }
    }

    /// The families of each row, where no row stands in a loop.
    pub(crate) fn rows_without_loops(&self) -> Option<Vec<&[Family]>> {
        match self {
            Self::Rows(rows) => Some(rows.iter().map(Vec::as_slice).collect()),
            Self::List(parts) => {
                let parts = parts.iter().map(Self::rows_without_loops).collect::<Option<Vec<_>>>()?;
                Some(parts.into_iter().flatten().collect())
            }
            Self::Each(..) | Self::AtVelocities(_) | Self::Function(_) => None,
        }
    }

    pub(super) fn families_mut(&mut self) -> Vec<&mut Family> {
        match self {
            Self::Rows(rows) => rows.iter_mut().flatten().collect(),
            Self::Each(_, inner) => inner.families_mut(),
            Self::List(parts) => parts.iter_mut().flat_map(Self::families_mut).collect(),
            Self::AtVelocities(families) => families.iter_mut().map(|(_, family)| family).collect(),
            Self::Function(families) => families.iter_mut().collect(),
        }
    }
}

/// The family of a function in range.
pub(super) fn family_in_range(graph: &Graph, found: Found) -> Family {
    let near = Some(found.near);
    Family { near, ..family(graph, &found.path, found.node) }
}

/// The terms of a form, terms in range over all pairs.
fn terms(graph: &mut Graph, form: &Form) -> Vec<Term> {
    form.terms(graph).into_iter().map(|term| term.over_all(graph)).collect()
}

pub(super) fn family(graph: &Graph, path: &[Step], node: NodeId) -> Family {
    let leaves = graph.leaves(&[node]);
    let general = leaves.iter().any(|leaf| is_velocity(*leaf));
    let inputs = leaves
        .iter()
        .copied()
        .filter(|leaf| is_position(*leaf) || is_velocity(*leaf) || (general && *leaf == Leaf::Time))
        .collect();
    let coefficients = leaves.iter().filter_map(|leaf| match leaf {
        Leaf::Coefficient(id) => Some(*id),
        _ => None,
    });
    let coefficients = coefficients.collect();
    let (sums, reads_of_sums, phase_rate, most, near) = (Vec::new(), Vec::new(), None, most(path), None);
    Family { path: path.to_vec(), node, sums, reads_of_sums, inputs, coefficients, phase_rate, most, near }
}

/// The family of elements that add these numbers to as many sums.
pub(super) fn family_of_sums(graph: &mut Graph, path: &[Step], sums: Vec<NodeId>) -> Family {
    let weighed = |graph: &mut Graph, (row, node): (usize, &NodeId)| {
        let weight = graph.leaf(Leaf::Weight(row));
        (1.0, graph.multiply(weight, *node))
    };
    let parts: Vec<(f64, NodeId)> = sums.iter().enumerate().map(|part| weighed(graph, part)).collect();
    let node = graph.combination(parts);
    let family = family(graph, path, node);
    let reads_of_sums = sums.iter().enumerate().flat_map(|(sum, node)| {
        let read = graph.leaves(&[*node]);
        let inputs = family.inputs.iter().enumerate().filter(move |(_, input)| read.contains(input));
        inputs.map(move |(place, _)| (sum, place))
    });
    let reads_of_sums = reads_of_sums.collect();
    Family { sums, reads_of_sums, ..family }
}

/// The most rounds under these loops, where the declaration states a number.
pub(super) fn most(path: &[Step]) -> Option<usize> {
    loops_of(path).try_fold(1_usize, |most, repeat| most.checked_mul(repeat.count()?))
}

pub(super) fn plan(graph: &mut Graph, equations: &Equations) -> Plan {
    match equations {
        Equations::Rows(rows) => Plan::Rows(
            rows.iter()
                .map(|row| {
                    let terms = terms(graph, row);
                    terms.iter().map(|term| family(graph, &term.path, term.node)).collect()
                })
                .collect(),
        ),
        Equations::Each(repeat, inner) => {
            let mut inner = plan(graph, inner);
            for family in inner.families_mut() {
                family.most =
                    family.most.zip(repeat.count()).and_then(|(most, count)| most.checked_mul(count));
            }
            Plan::Each(repeat.clone(), Box::new(inner))
        }
        Equations::List(parts) => Plan::List(parts.iter().map(|part| plan(graph, part)).collect()),
    }
}

/// The force −∂D/∂v of Rayleigh's function D, term by term; or D itself, where it reads sums.
pub(super) fn force_of(graph: &mut Graph, dissipation: &Form, reads_sums: bool) -> Plan {
    if reads_sums {
        let terms = terms(graph, dissipation);
        return Plan::Function(terms.iter().map(|term| family(graph, &term.path, term.node)).collect());
    }
    let mut families = Vec::new();
    for term in terms(graph, dissipation) {
        let velocities = graph.velocities(term.node);
        for (velocity, slope) in velocities.iter().zip(gradient(graph, term.node, &velocities)) {
            if !graph.is_zero(slope) {
                let force = graph.negate(slope);
                families.push((*velocity, family(graph, &term.path, force)));
            }
        }
    }
    Plan::AtVelocities(families)
}
