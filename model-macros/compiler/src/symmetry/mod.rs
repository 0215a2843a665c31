//! Noether: the motions that leave the Lagrangian and the constraints alone, found on the graph.
//!
//! The elementary generators are the shift of time, the shift of a scalar or an angle, translations and
//! rotations of vectors, and rotations of matrices from either side, each of all entries of one
//! coordinate. A combination X = Σ αⱼ Xⱼ of them is a symmetry if
//!
//! * X L = 0 for every family of L under its loops and conditions, and
//! * X g = C g with a matrix C of numbers for the rows g of one item of a constraint: the motion may mix
//!   the constraints, since the set where they hold stays.
//!
//! Both are linear in α and C. Values at random points give the candidates, by elimination; then a
//! symbolic proof is tried (see [`crate::zero`]). A candidate with a proof is *proven*; without one,
//! if no failing point was found, *numerical*. Choices are not sampled: see [`abstraction`].
//!
//! Coefficients are generic: zero gravity in one instance makes no symmetry. All entries that a family
//! reads count as different; this demands more than an instance would, and never too little.

mod abstraction;
pub(crate) mod algebra;
pub(crate) mod coefficient;
pub(crate) mod generator;
mod sample;
mod sums;
pub(crate) mod words;

pub use generator::Action;
pub(crate) use generator::Generator;
pub use words::Words;
pub(crate) use words::{axis_name, words};

use crate::ast::{Declaration, Sort};
use crate::graph::{Budget, Graph, NodeId};
use crate::lower::Lowered;
use crate::lower::form::{Form, Step, Term, add_by_path, same_path};
use crate::zero::Prover;
use coefficient::Atoms;
use sample::Point;
use sums::Sums;

/// A one-parameter family of motions that leaves the system alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Symmetry {
    /// The motion.
    pub flow: Flow,
    /// True if proven; otherwise no random point was found where it fails.
    pub proven: bool,
}

/// The motion of a symmetry.
#[derive(Debug, Clone, PartialEq)]
pub enum Flow {
    /// Time alone.
    Time,
    /// Coordinates: generators and their factors, in the order of the declaration.
    Space(Vec<(Generator, f64)>),
}

/// The number of points that must agree beyond the number of unknowns.
const MORE_POINTS: usize = 12;
/// The most points that are tried.
const MOST_POINTS: u64 = 400;
/// The most unknowns that are tried.
const MOST_UNKNOWNS: usize = 400;

/// The symmetries of a declaration without mistakes; the shift of time first, if it is one.
pub fn find(lowered: &Lowered, declaration: &Declaration) -> Vec<Symmetry> {
    let mut search = Search::new(lowered);
    let mut found = Vec::new();
    if let Some(proven) = search.of_time() {
        found.push(Symmetry { flow: Flow::Time, proven });
    }
    found.extend(search.of_space(&generator::elementary(&declaration.coordinates)));
    // A search that was given up found nothing.
    if search.graph.is_exhausted() { Vec::new() } else { found }
}

/// A condition on the unknowns: Σ unknown · expression = 0.
struct Condition(Vec<(usize, NodeId)>);

/// An expression that must keep its value, and the rows that may mix with it.
struct Kept {
    node: NodeId,
    /// For the row of a constraint: the unknowns and expressions of all rows of the item.
    beside: Vec<(usize, NodeId)>,
}

/// The search on a copy of the graph: emitted code does not see its nodes.
pub(crate) struct Search<'a> {
    lowered: &'a Lowered,
    graph: Graph,
    atoms: Atoms,
    prover: Prover,
    sums: Sums,
    kept: Vec<Kept>,
    /// The number of unknowns that mix rows of constraints.
    mixing: usize,
    /// The operands of choices and of functions without derivatives here: these must be kept themselves.
    inside: Vec<NodeId>,
}

impl<'a> Search<'a> {
    pub(crate) fn new(lowered: &'a Lowered) -> Self {
        let mut graph = lowered.graph.clone();
        graph.renew(Budget::OF_A_PROOF);
        let mut search = Self {
            lowered,
            graph,
            atoms: Atoms::default(),
            prover: Prover::default(),
            sums: Sums::default(),
            kept: Vec::new(),
            mixing: 0,
            inside: Vec::new(),
        };
        for stage in &lowered.stages {
            let terms = stage.form.terms(&search.graph);
            let elements = search.by_path(&terms);
            search.sums.push(elements, &mut search.graph, (lowered, &mut search.atoms));
        }
        let terms = lowered.lagrangian.terms(&search.graph);
        for node in search.by_path(&terms).into_iter().map(|(_, node)| node) {
            search.kept.push(Kept { node, beside: Vec::new() });
        }
        for equations in lowered.of(Sort::Holonomic).chain(lowered.of(Sort::Unilateral)) {
            equations.parts().into_iter().for_each(|rows| search.mixed(rows));
        }
        search.keep_inside();
        search
    }

    fn keep_inside(&mut self) {
        let inside = std::mem::take(&mut self.inside);
        self.kept.extend(inside.into_iter().map(|node| Kept { node, beside: Vec::new() }));
    }

    /// The terms by paths of loops and conditions: the sum under each, coefficients in their parts.
    fn by_path(&mut self, terms: &[Term]) -> Vec<(Vec<Step>, NodeId)> {
        let mut groups: Vec<(Vec<Step>, NodeId)> = Vec::new();
        for term in terms {
            let path: Vec<Step> =
                term.path.iter().filter(|step| !matches!(step, Step::Stiff)).cloned().collect();
            // A followed angle has the derivatives of its function.
            let node = self.graph.substitute(term.node, &|_, leaf| self.lowered.angle(leaf));
            let node = self.atoms.resolve(&mut self.graph, self.lowered, node);
            let (node, inside) = abstraction::abstracted(&mut self.graph, node);
            self.inside.extend(inside);
            add_by_path(&mut groups, (path, node), &mut self.graph);
        }
        groups
    }

    /// The rows of one item: each may become a combination of all.
    fn mixed(&mut self, rows: &[Form]) {
        let first = self.mixing;
        let count = rows.len();
        self.mixing += count * count;
        let grouped = rows.iter().map(|row| {
            let terms = row.terms(&self.graph);
            self.by_path(&terms)
        });
        let grouped: Vec<Vec<(Vec<Step>, NodeId)>> = grouped.collect();
        let mut paths: Vec<&Vec<Step>> = Vec::new();
        for (path, _) in grouped.iter().flatten() {
            if !paths.iter().any(|known| same_path(known, path)) {
                paths.push(path);
            }
        }
        let zero = self.graph.zero();
        for path in paths {
            let at = |row: usize| {
                grouped[row].iter().find(|(known, _)| same_path(known, path)).map_or(zero, |(_, node)| *node)
            };
            for row in 0..count {
                let beside = (0..count).map(|other| (first + row * count + other, at(other))).collect();
                self.kept.push(Kept { node: at(row), beside });
            }
        }
    }

    /// The search for motions that keep one constraint method.
    pub(crate) fn of_constraint(lowered: &'a Lowered, method: usize) -> Self {
        let mut search = Self { kept: Vec::new(), mixing: 0, ..Self::new(lowered) };
        lowered.beside[method].1.parts().into_iter().for_each(|rows| search.mixed(rows));
        search.keep_inside();
        search
    }

    /// True if a motion is proven to be a symmetry.
    pub(crate) fn keeps(&mut self, flow: &Flow) -> bool {
        match flow {
            Flow::Time => self.of_time() == Some(true),
            Flow::Space(parts) => self.completed(parts, &[]),
        }
    }

    /// True if a motion is proven to be a symmetry together with some of the `others`.
    pub(crate) fn completed(&mut self, parts: &[(Generator, f64)], others: &[Generator]) -> bool {
        let mut generators = others.to_vec();
        generators.extend(parts.iter().map(|(generator, _)| *generator));
        let separate = self.conditions(&generators);
        // The parts move together: one unknown, the last, is the factor of all.
        let (first, last) = (self.mixing + others.len(), self.mixing + others.len());
        let mut conditions = Vec::new();
        for Condition(columns) in separate {
            let (free, fixed): (Vec<_>, Vec<_>) =
                columns.into_iter().partition(|(unknown, _)| *unknown < first);
            let sum: Vec<(f64, NodeId)> =
                fixed.into_iter().map(|(unknown, node)| (parts[unknown - first].1, node)).collect();
            let sum = self.graph.combination(sum);
            let mut columns = free;
            columns.push((last, sum));
            conditions.push(Condition(columns));
        }
        let Some(rows) = self.sampled(&conditions, last + 1) else { return false };
        let found = algebra::null_space(rows, last + 1, last);
        let unknowns = found.into_iter().next().and_then(|vector| algebra::rational(&vector, last));
        unknowns.is_some_and(|unknowns| self.verdict(&conditions, &unknowns) == Some(true))
    }

    /// The shift of time: true for a proven symmetry, false without a failing point, else `None`.
    pub(crate) fn of_time(&mut self) -> Option<bool> {
        let conditions = self.conditions(&[]);
        self.verdict(&conditions, &[1.0])
    }

    /// The combinations of `generators` that are symmetries.
    fn of_space(&mut self, generators: &[Generator]) -> Vec<Symmetry> {
        let unknowns = self.mixing + generators.len();
        if unknowns > MOST_UNKNOWNS {
            return Vec::new();
        }
        let conditions = self.conditions(generators);
        let Some(rows) = self.sampled(&conditions, unknowns) else { return Vec::new() };
        let mut found = Vec::new();
        for candidate in algebra::null_space(rows, unknowns, self.mixing) {
            let rational = algebra::rational(&candidate, self.mixing);
            let (factors, exact) = match rational {
                Some(factors) => (factors, true),
                None => (candidate, false),
            };
            let Some(proven) = self.verdict(&conditions, &factors) else { continue };
            let moved = generators.iter().zip(&factors[self.mixing..]);
            let parts = moved.filter(|(_, factor)| **factor != 0.0).map(|(&g, &f)| (g, f)).collect();
            found.push(Symmetry { flow: Flow::Space(parts), proven: proven && exact });
        }
        found
    }

    /// X applied to everything that must be kept, in terms of the unknowns: first the unknowns that mix
    /// rows, then the factors of the generators; without generators, the factor of the shift of time.
    fn conditions(&mut self, generators: &[Generator]) -> Vec<Condition> {
        let lowered = self.lowered;
        let (graph, sums) = (&mut self.graph, &self.sums);
        let mut conditions = Vec::new();
        for kept in &self.kept {
            let mut columns = Vec::new();
            if generators.is_empty() {
                columns.push((0, sums.rate_of(lowered, graph, None, kept.node)));
            } else {
                for &(unknown, node) in &kept.beside {
                    columns.push((unknown, graph.negate(node)));
                }
                for (k, generator) in generators.iter().enumerate() {
                    let rate = sums.rate_of(lowered, graph, Some(*generator), kept.node);
                    columns.push((self.mixing + k, rate));
                }
            }
            columns.retain(|(_, node)| !graph.is_zero(*node));
            conditions.push(Condition(columns));
        }
        conditions
    }

    /// The conditions at random points, a row for each point and condition, scaled to one. `None` if too
    /// few points are in the domain of the expressions.
    fn sampled(&self, conditions: &[Condition], unknowns: usize) -> Option<Vec<Vec<f64>>> {
        let wanted = unknowns + MORE_POINTS;
        let roots: Vec<NodeId> =
            conditions.iter().flat_map(|condition| &condition.0).map(|(_, node)| *node).collect();
        let mut met = vec![0; conditions.len()];
        let mut rows = Vec::new();
        for point in 0..MOST_POINTS {
            if met.iter().all(|&count| count >= wanted) {
                break;
            }
            let values = Point(point).values(&self.graph, &roots);
            let mut values = values.into_iter();
            for (condition, count) in conditions.iter().zip(&mut met) {
                let own: Vec<f64> = values.by_ref().take(condition.0.len()).collect();
                if *count >= wanted || own.iter().any(|value| value.is_nan()) {
                    continue;
                }
                *count += 1;
                let scale = own.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
                if scale > 0.0 {
                    let mut row = vec![0.0; unknowns];
                    for ((unknown, _), value) in condition.0.iter().zip(&own) {
                        row[*unknown] += value / scale;
                    }
                    rows.push(row);
                }
            }
        }
        met.into_iter().all(|count| count >= wanted).then_some(rows)
    }

    /// The conditions with these unknowns: true if proven, false without a failing point, else `None`.
    fn verdict(&mut self, conditions: &[Condition], unknowns: &[f64]) -> Option<bool> {
        let mut proven = true;
        for condition in conditions {
            let parts = condition.0.iter().map(|&(unknown, node)| (unknowns[unknown], node));
            let sum = self.graph.combination(parts.collect::<Vec<_>>());
            if self.prover.is_zero(&mut self.graph, sum) {
                continue;
            }
            proven = false;
            if !self.seems_zero(sum) {
                return None;
            }
        }
        Some(proven)
    }

    /// True if an expression vanishes at enough random points.
    fn seems_zero(&self, node: NodeId) -> bool {
        let values = (0..MOST_POINTS).map(|point| Point(point).values(&self.graph, &[node])[0]);
        let mut values = values.filter(|value| !value.is_nan()).take(MORE_POINTS).peekable();
        values.peek().is_some() && values.by_ref().all(|value| value == 0.0)
    }

    /// True if a motion changes an expression of the declaration somewhere: it breaks the symmetry.
    pub(crate) fn changes(&mut self, form: &Form, flow: &Flow) -> bool {
        let terms = form.terms(&self.graph);
        let groups = self.by_path(&terms);
        let inside = std::mem::take(&mut self.inside);
        groups.into_iter().map(|(_, node)| node).chain(inside).any(|node| {
            let rate = self.rate_of(node, flow);
            !self.prover.is_zero(&mut self.graph, rate) && !self.seems_zero(rate)
        })
    }

    fn rate_of(&mut self, node: NodeId, flow: &Flow) -> NodeId {
        let lowered = self.lowered;
        let (graph, sums) = (&mut self.graph, &self.sums);
        let mut rate = |generator| sums.rate_of(lowered, graph, generator, node);
        match flow {
            Flow::Time => rate(None),
            Flow::Space(parts) => {
                let rates: Vec<(f64, NodeId)> =
                    parts.iter().map(|(generator, factor)| (*factor, rate(Some(*generator)))).collect();
                graph.combination(rates)
            }
        }
    }
}
