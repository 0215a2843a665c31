//! The elements of the equations of motion, and their roles.

use super::graph::Formulas;
use crate::ast::{Beside, Declaration, Sort};
use crate::graph::{Graph, Leaf, NodeId, Reading};
use crate::lower::form::{Form, Loop, Step, same_path};
use crate::lower::{Equations, Lowered, Scan};
use std::rc::Rc;
use syn::ext::IdentExt;
use syn::{Expr, Pat};

/// A term of L, of a dissipation, of a force, of a sum or of an equation, under its loops.
pub(super) struct Element {
    pub(super) path: Vec<Step>,
    pub(super) node: NodeId,
    pub(super) role: Role,
}

impl Element {
    /// The items of the partial sums of which it is one.
    pub(super) fn scan<'d>(&self, lowered: &'d Lowered) -> Option<&'d Scan> {
        match &self.role {
            Role::Sum(stage) | Role::Weighed(stage, _) => lowered.stages[*stage].scan.as_ref(),
            _ => None,
        }
    }
}

pub(super) enum Role {
    Lagrangian,
    Dissipation,
    Equation(Multiplier),
    Force(Target),
    /// A term of the rows of a stage.
    Sum(usize),
    /// The same, with the force on a row.
    Weighed(usize, Weight),
}

/// A force on a sum, by its letter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// The force of L and of the constraints, and on sums of positions all other forces.
    Force,
    /// The force of dissipations and of constraints on velocities on a sum of velocities: it acts
    /// through derivatives by velocities.
    Drag,
}

impl Weight {
    pub(super) fn letter(self) -> &'static str {
        match self {
            Self::Force => r"\Lambda",
            Self::Drag => r"\Xi",
        }
    }
}

/// The component of a coordinate on which a force acts.
pub(super) struct Target {
    pub(super) name: String,
    pub(super) coordinate: usize,
    pub(super) component: usize,
    /// The entry; none where items have no numbers that can be said.
    pub(super) entry: Option<Vec<Expr>>,
}

/// The multiplier of an equation.
pub(super) struct Multiplier {
    pub(super) name: String,
    /// The rounds that tell the equations of the method apart.
    pub(super) rounds: Vec<Round>,
    /// The component, if the equation is one of vectors.
    pub(super) component: Option<usize>,
    /// True if the equation binds velocities.
    pub(super) of_velocities: bool,
}

/// The place of a row in a part of a method's result.
#[derive(Clone)]
pub(super) enum Round {
    Of(Rc<Loop>),
    Number(usize),
}

/// The elements of a declaration, but for sums.
pub(super) fn elements(
    declaration: &Declaration,
    lowered: &Lowered,
    formulas: &mut Formulas<'_>,
) -> Vec<Element> {
    let mut all: Vec<Element> = Vec::new();
    let lagrangian = lowered.lagrangian.terms(&lowered.graph).into_iter().map(|term| (term, true));
    let dissipations = lowered.of(Sort::Dissipation).flat_map(Equations::rows);
    let dissipations = dissipations.flat_map(|form| form.terms(&lowered.graph));
    for (term, is_lagrangian) in lagrangian.chain(dissipations.map(|term| (term, false))) {
        let path: Vec<Step> = term.path.into_iter().filter(|step| !matches!(step, Step::Stiff)).collect();
        let node = formulas.resolved(term.node);
        let is_alike = |known: &&mut Element| {
            matches!(known.role, Role::Lagrangian) == is_lagrangian && same_path(&known.path, &path)
        };
        let role = if is_lagrangian { Role::Lagrangian } else { Role::Dissipation };
        match all.iter_mut().find(is_alike) {
            Some(known) => known.node = formulas.graph.add(known.node, node),
            None => all.push(Element { path, node, role }),
        }
    }
    let mut add = |equations: &Equations, role: &dyn Fn(&[Round], usize, usize) -> Role| {
        each_row(equations, &mut Vec::new(), &mut Vec::new(), &mut |path, rounds, forms| {
            for (component, form) in forms.iter().enumerate() {
                for term in form.terms(&lowered.graph) {
                    let (mut node, role) =
                        (formulas.resolved(term.node), role(rounds, component, forms.len()));
                    if matches!(role, Role::Force(_)) {
                        node = with_whole_tables(&mut formulas.graph, node);
                    }
                    all.push(Element { path: [path, &term.path].concat(), node, role });
                }
            }
        });
    };
    let methods = lowered.beside.iter().map(|(_, equations)| equations).zip(&declaration.beside);
    for (equations, Beside { sort, function, coordinate, .. }) in methods {
        let name = function.name.unraw().to_string();
        match sort {
            Sort::Holonomic | Sort::Nonholonomic => add(equations, &|rounds, component, components| {
                let component = (components > 1).then_some(component);
                let (name, rounds) = (name.clone(), rounds.to_vec());
                let of_velocities = *sort == Sort::Nonholonomic;
                Role::Equation(Multiplier { name, rounds, component, of_velocities })
            }),
            Sort::Force => add(equations, &|rounds, component, _| {
                let entry = rounds.iter().map(Round::index).collect();
                Role::Force(Target { name: name.clone(), coordinate: *coordinate, component, entry })
            }),
            Sort::Dissipation | Sort::Reset | Sort::Event | Sort::Unilateral => {}
        }
    }
    all
}

impl Round {
    /// The number of the round: known in a list, and in a loop over a range from zero.
    fn index(&self) -> Option<Expr> {
        match self {
            Self::Number(number) => Some(syn::parse_quote!(#number)),
            Self::Of(repeat) => {
                let (Pat::Ident(variable), Expr::Range(range)) = (&repeat.pattern, &repeat.iterator) else {
                    return None;
                };
                let from_zero = range.start.as_deref().is_none_or(|start| integer(start) == Some(0));
                let variable = &variable.ident;
                from_zero.then(|| syn::parse_quote!(#variable))
            }
        }
    }
}

/// Takes the loops around rows, their rounds and their components.
type Visit<'v> = dyn FnMut(&[Step], &[Round], &[Form]) + 'v;

/// Visits the rows of a method: loops around them, rounds, components.
fn each_row(equations: &Equations, path: &mut Vec<Step>, rounds: &mut Vec<Round>, visit: &mut Visit<'_>) {
    match equations {
        Equations::Each(repeat, inner) => {
            path.push(Step::Loop(repeat.clone()));
            rounds.push(Round::Of(repeat.clone()));
            each_row(inner, path, rounds, visit);
            rounds.pop();
            path.pop();
        }
        Equations::List(parts) => {
            for (number, part) in parts.iter().enumerate() {
                rounds.push(Round::Number(number));
                each_row(part, path, rounds, visit);
                rounds.pop();
            }
        }
        Equations::Rows(forms) => visit(path, rounds, forms),
    }
}

/// The expression with u(t) in the place of u₀ + u′ (t − t₀), the piece of a table: the leaf of u₀
/// stands for u(t) afterwards.
pub(super) fn with_whole_tables(graph: &mut Graph, node: NodeId) -> NodeId {
    let leaves = graph.leaves(&[node]);
    graph.substitute(node, &|graph, leaf| {
        let Leaf::Signal { number, reading: Reading::Value } = leaf else { return None };
        let reading = |reading| Leaf::Signal { number, reading };
        // An input has no slope.
        if !leaves.contains(&reading(Reading::Slope)) {
            return None;
        }
        let [whole, slope, start] =
            [Reading::Value, Reading::Slope, Reading::Start].map(|which| graph.leaf(reading(which)));
        let t = graph.leaf(Leaf::Time);
        let since = graph.subtract(t, start);
        let risen = graph.multiply(slope, since);
        Some(graph.subtract(whole, risen))
    })
}

/// A literal integer.
pub(super) fn integer(expression: &Expr) -> Option<i64> {
    match expression {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(value), .. }) => value.base10_parse().ok(),
        _ => None,
    }
}
