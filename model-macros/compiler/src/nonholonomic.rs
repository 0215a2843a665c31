//! Proofs that constraints on velocities, c = A(q, t) v + b(q, t) = 0, are linear in v, and more facts.

use crate::ast::{Declaration, Function, Sort};
use crate::classify::Reads;
use crate::differentiate::{gradient, partial};
use crate::error::{self, Errors};
use crate::graph::{Budget, Graph, Leaf, Node, NodeId, is_time, is_variable, is_velocity};
use crate::lower::Lowered;
use crate::lower::form::{self, Form, Step, add_by_path};
use crate::lower::question::Question;
use crate::symmetry::coefficient::Atoms;
use crate::zero::Prover;
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::Expr;

/// The findings about all constraints on velocities.
#[derive(Debug, Default)]
pub(crate) struct Velocities {
    /// For each row of each method as written: true if it is the derivative of a function of (q, t).
    pub(crate) derivatives: Vec<Vec<bool>>,
    /// True if b = 0 is proven for all rows: then their forces do no work.
    pub(crate) homogeneous: bool,
}

/// Proves that each row is linear in the velocities and reads one; another row is a mistake.
pub(crate) fn examine(declaration: &Declaration, lowered: &Lowered, errors: &mut Errors) -> Velocities {
    let mut rows = Rows::of(lowered);
    let mut found = Velocities { derivatives: Vec::new(), homogeneous: true };
    let functions = declaration.of(Sort::Nonholonomic).map(|beside| &beside.function);
    for (equations, function) in lowered.of(Sort::Nonholonomic).zip(functions) {
        let mut derivatives = Vec::new();
        for row in equations.rows() {
            if let Some(error) = rows.mistake(row, function) {
                errors.push(error);
                continue;
            }
            let terms = rows.terms(row);
            derivatives.push(terms.iter().all(|term| rows.is_derivative(term)));
            found.homogeneous &= terms.iter().all(|term| {
                let drifts = term.factors.iter().any(|(velocity, _)| rows.reads.drifts(*velocity));
                !drifts && rows.is_zero(term.rest)
            });
        }
        found.derivatives.push(derivatives);
    }
    found
}

/// The terms of L as written that are derivatives of functions of the positions, which no motion feels.
pub(crate) fn idle<'d>(declaration: &'d Declaration, lowered: &Lowered) -> Vec<&'d Expr> {
    let mut rows = Rows::of(lowered);
    let nodes: Vec<NodeId> = lowered.lagrangian.terms(&rows.graph).iter().map(|term| term.node).collect();
    // Where a choice between velocities jumps, the derivatives of its branches do not tell all.
    let jumps = |node: &NodeId| {
        matches!(rows.graph.node(*node), Node::Select { yes, no, .. }
        if [yes, no].iter().any(|branch| rows.graph.mentions(**branch, is_velocity)))
    };
    if rows.graph.reachable(&nodes).iter().any(jumps) {
        return Vec::new();
    }
    let mut terms = lowered.written.terms(&declaration.lagrangian);
    terms.retain(|term| {
        let forms = lowered.written.forms(term);
        !forms.is_empty() && forms.into_iter().all(|form| rows.is_idle(form))
    });
    terms
}

/// The condition under which an arm is taken, in words.
fn case(lowered: &Lowered, question: &Question, arm: usize) -> String {
    match question {
        Question::If(condition) => {
            let condition = crate::parse::text(&lowered.variables.as_written(condition));
            format!("where `{condition}` {}", if arm == 0 { "holds" } else { "does not hold" })
        }
        Question::Match(_, patterns) => {
            let pattern = patterns.get(arm).map(crate::parse::text).unwrap_or_default();
            format!("in the arm `{pattern}` of its `match`")
        }
    }
}

fn is_answer(step: &Step, number: usize, arm: usize) -> bool {
    matches!(step, Step::Answer(choice, own) if choice.number == number && *own == arm)
}

struct Rows<'a> {
    lowered: &'a Lowered,
    graph: Graph,
    reads: Reads,
    atoms: Atoms,
    prover: Prover,
}

/// The part of a row under one path of loops and conditions.
struct Term {
    /// The velocities with their factors, the entries of A.
    factors: Vec<(Leaf, NodeId)>,
    /// b.
    rest: NodeId,
}

impl<'a> Rows<'a> {
    fn of(lowered: &'a Lowered) -> Self {
        let mut graph = lowered.graph.clone();
        graph.renew(Budget::OF_A_PROOF);
        let reads = Reads::of(lowered);
        Self { lowered, graph, reads, atoms: Atoms::default(), prover: Prover::default() }
    }

    fn is_zero(&mut self, node: NodeId) -> bool {
        self.prover.is_zero(&mut self.graph, node)
    }

    /// The mistake of a row without velocities, or not linear in them.
    fn mistake(&mut self, row: &Form, function: &Function) -> Option<syn::Error> {
        let sources = &self.lowered.sources;
        let place = |node: &NodeId| sources.place_in(function, *node);
        let name = || function.name.to_token_stream();
        let terms = row.terms(&self.graph);
        if !terms.iter().any(|term| self.graph.mentions(term.node, is_velocity)) {
            let place = terms.iter().find_map(|term| place(&term.node));
            return Some(error::nonholonomic_without_velocity(place.unwrap_or_else(name)));
        }
        let moves = |node| self.graph.mentions(node, is_velocity);
        if let Some(way) = row.way_without(&self.graph, moves) {
            let (choice, arm) = way.last()?;
            let within =
                |term: &&form::Term| term.path.iter().any(|step| is_answer(step, choice.number, *arm));
            let place = terms.iter().filter(within).find_map(|term| place(&term.node));
            let case = case(self.lowered, &choice.question, *arm);
            return Some(error::nonholonomic_without_velocity_where(place.unwrap_or_else(name), &case));
        }
        let bends = |rows: &mut Self, node: NodeId| -> bool {
            let velocities = rows.graph.velocities(node);
            let factors = gradient(&mut rows.graph, node, &velocities);
            velocities.iter().any(|velocity| rows.reads.bends(*velocity))
                || velocities.iter().any(|velocity| {
                    let second = partial(&mut rows.graph, &factors, *velocity);
                    second.into_iter().any(|entry| !rows.is_zero(entry))
                })
        };
        for (_, whole) in self.by_path(row) {
            if !bends(self, whole) {
                continue;
            }
            if self.graph.is_exhausted() {
                return Some(error::exhausted(&function.name));
            }
            // The blame is on the smallest summand that alone is not linear.
            let summands: Vec<NodeId> = terms.iter().flat_map(|term| self.graph.addends(term.node)).collect();
            let blamed = summands.into_iter().find(|summand| bends(self, *summand));
            let wholes = terms.iter().map(|term| term.node);
            let place = blamed.into_iter().chain(wholes).find_map(|node| place(&node));
            return Some(error::nonlinear_in_velocity(place.unwrap_or_else(name)));
        }
        None
    }

    /// A row by paths of loops and conditions: the sum under each, with coefficients resolved.
    fn by_path(&mut self, row: &Form) -> Vec<(Vec<Step>, NodeId)> {
        let mut groups: Vec<(Vec<Step>, NodeId)> = Vec::new();
        for term in row.terms(&self.graph) {
            let node = self.atoms.resolve(&mut self.graph, self.lowered, term.node);
            add_by_path(&mut groups, (term.path, node), &mut self.graph);
        }
        groups
    }

    /// The parts of a row that is linear in the velocities.
    fn terms(&mut self, row: &Form) -> Vec<Term> {
        let groups = self.by_path(row);
        let of = |rows: &mut Self, node: NodeId| {
            let velocities = rows.graph.velocities(node);
            let factors = gradient(&mut rows.graph, node, &velocities);
            let rest = rows.graph.substitute(node, &|graph, leaf| is_velocity(leaf).then(|| graph.zero()));
            Term { factors: velocities.into_iter().zip(factors).collect(), rest }
        };
        groups.into_iter().map(|(_, node)| of(self, node)).collect()
    }

    /// True if a part of L is linear in the velocities, free of time, and proven to be a derivative.
    fn is_idle(&mut self, form: &Form) -> bool {
        let lasts = |graph: &Graph, node| !graph.mentions(node, is_time);
        self.terms(form).iter().all(|term| {
            let mut factors = term.factors.iter();
            let linear = factors
                .all(|(_, factor)| lasts(&self.graph, *factor) && !self.graph.mentions(*factor, is_velocity));
            let moves = !term.factors.is_empty() && self.graph.is_zero(term.rest);
            linear && moves && self.is_derivative(term)
        })
    }

    /// True if A dq + b dt is proven to be closed: then it is the derivative of a function of q and t.
    fn is_derivative(&mut self, term: &Term) -> bool {
        // A collective need not be closed, unless it is the rate of a sum.
        let is_rate = |leaf: Leaf| match leaf {
            Leaf::Velocity { gather, .. } => self.lowered.is_rate(gather),
            _ => false,
        };
        if !term.factors.iter().all(|(velocity, _)| is_rate(*velocity)) {
            return false;
        }
        let zero = self.graph.zero();
        let nodes: Vec<NodeId> = term.factors.iter().map(|(_, factor)| *factor).chain([term.rest]).collect();
        let moving: Vec<Leaf> = term.factors.iter().map(|(leaf, _)| *leaf).collect();
        let read = self.graph.leaves(&nodes).into_iter().chain(moving);
        let places: BTreeSet<(usize, usize)> = read
            .filter(|leaf| is_variable(*leaf))
            .filter_map(|leaf| match leaf {
                Leaf::Position { gather, component } | Leaf::Velocity { gather, component } => {
                    Some((gather, component))
                }
                _ => None,
            })
            .collect();
        let places: Vec<(usize, usize)> = places.into_iter().collect();
        let factor = |&(gather, component): &(usize, usize)| {
            let own = |(leaf, _): &&(Leaf, NodeId)| *leaf == Leaf::Velocity { gather, component };
            term.factors.iter().find(own).map_or(zero, |(_, factor)| *factor)
        };
        let position = |&(gather, component): &(usize, usize)| Leaf::Position { gather, component };
        for (k, one) in places.iter().enumerate() {
            let in_time = [
                partial(&mut self.graph, &[factor(one)], Leaf::Time)[0],
                partial(&mut self.graph, &[term.rest], position(one))[0],
            ];
            let in_space = places[..k].iter().map(|other| {
                [
                    partial(&mut self.graph, &[factor(one)], position(other))[0],
                    partial(&mut self.graph, &[factor(other)], position(one))[0],
                ]
            });
            let pairs: Vec<[NodeId; 2]> = in_space.chain([in_time]).collect();
            for [left, right] in pairs {
                let curl = self.graph.subtract(left, right);
                if !self.is_zero(curl) {
                    return false;
                }
            }
        }
        true
    }
}
