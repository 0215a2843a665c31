//! The derivatives of every element, as programs: each that engines ask for, in its cheapest form.

use crate::classify::{Classified, Family, MassFamily, Plan};
pub(crate) use crate::eliminate::Wanted;
use crate::eliminate::{Candidate, Element, LinearForm, linear_forms};
use crate::graph::{Graph, NodeId};
use crate::lower::Lowered;
use crate::schedule::{Program, Schedule};
use crate::side_by_side::side_by_side;
use crate::smoothness::{Smoothness, smoothness};
use std::collections::BTreeSet;

/// The kernels of all families, in the order of the families.
#[derive(Debug)]
pub struct Kernels {
    /// The kernels of the kinetic energy.
    pub(crate) mass: Vec<MassKernel>,
    /// The kernels of the potential.
    pub(crate) potential: Vec<Kernel>,
    /// The kernels of the stiff part of the potential.
    pub(crate) stiff: Vec<Kernel>,
    /// The kernels of all other terms of the Lagrangian.
    pub(crate) general: Vec<Kernel>,
    /// The kernels of each constraint method.
    pub(crate) constraints: Vec<Vec<Kernel>>,
    /// The kernels of each force method.
    pub(crate) forces: Vec<Vec<Kernel>>,
}

/// The derivatives that a family needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// A term of L(q, v, t): first and second derivatives.
    General,
    /// A term of V(q, t): products and third derivatives too.
    Potential,
    /// A term of g(q, t): the derivatives that constraint engines need, besides.
    Constraint,
    /// A term of a component of F(q, v, t): first derivatives.
    Force,
}

impl Use {
    /// The operations that the use asks for; those that take longest to find come first.
    fn wanted(self) -> &'static [Wanted] {
        use Wanted::{Curvature, Gradient, Product, Quadratic, Rate, Second, Third, Value, ValueGradient};
        match self {
            // The force on one degree of freedom is asked for its first derivatives only.
            Self::Force => &[Gradient, Value, Rate],
            Self::General => &[Second, Gradient, Value, Rate],
            Self::Potential => &[Third, Second, Product, Gradient, Value, Rate],
            Self::Constraint => {
                &[Third, Second, Product, Curvature, Quadratic, ValueGradient, Gradient, Value, Rate]
            }
        }
    }
}

/// The entries of the mass matrix of one element, evaluated when a model is bound.
#[derive(Debug)]
pub(crate) struct MassKernel {
    /// The value of each entry of the family.
    pub(crate) entries: Program,
    /// The operations of the kinetic energy as it is written.
    pub(crate) operations: u32,
}

/// The functions of one element of a family.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// The smoothness of its expression.
    pub(crate) smoothness: Smoothness,
    /// The local row and column of each stored second derivative.
    pub(crate) entries: Vec<(usize, usize)>,
    /// The linear forms of the positions through which its expression sees them.
    pub(crate) forms: Vec<LinearForm>,
    /// The value of each coefficient that the functions read, evaluated when a model is bound.
    pub(crate) coefficients: Program,
    functions: Vec<(Wanted, Function)>,
}

/// A function of a kernel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Function {
    /// Its operations.
    pub(crate) program: Program,
    /// The coefficients of the program, and the place of each among those of the kernel.
    pub(crate) coefficients: Vec<(NodeId, usize)>,
    /// True if all results are zero.
    pub(crate) zero: bool,
}

impl Kernel {
    /// A function, if the use of the family asks for it.
    pub(crate) fn function(&self, wanted: Wanted) -> Option<&Function> {
        self.functions.iter().find(|(known, _)| *known == wanted).map(|(_, function)| function)
    }
}

/// Finds the kernels of all families.
pub fn differentiate(lowered: &Lowered, classified: &Classified) -> Kernels {
    let Classified { mass, potential, stiff, general, constraints, forces, .. } = classified;
    let mut families: Vec<(&Family, Use)> = Vec::new();
    for (members, used) in [(potential, Use::Potential), (stiff, Use::Potential), (general, Use::General)] {
        families.extend(members.iter().map(|family| (family, used)));
    }
    for (plans, used) in [(constraints, Use::Constraint), (forces, Use::Force)] {
        families.extend(plans.iter().flat_map(Plan::families).map(|family| (family, used)));
    }
    let mut graph = lowered.graph.clone();
    let derivatives = derivatives(&graph, &families, &lowered.named);
    let mut kernels = families
        .iter()
        .zip(derivatives)
        .map(|((family, _), derivatives)| Kernel::new(&mut graph, family, derivatives));
    let mut next = |count: usize| kernels.by_ref().take(count).collect::<Vec<Kernel>>();
    Kernels {
        mass: mass.iter().map(|family| MassKernel::new(&lowered.graph, family)).collect(),
        potential: next(potential.len()),
        stiff: next(stiff.len()),
        general: next(general.len()),
        constraints: constraints.iter().map(|plan| next(plan.families().len())).collect(),
        forces: forces.iter().map(|plan| next(plan.families().len())).collect(),
    }
}

/// The derivatives that each family needs, found side by side.
fn derivatives(
    graph: &Graph,
    families: &[(&Family, Use)],
    named: &BTreeSet<NodeId>,
) -> Vec<Vec<(Wanted, Candidate)>> {
    let elements: Vec<Element> = families
        .iter()
        .map(|(family, _)| {
            let element = Element::new(graph, family.node, &family.inputs, named);
            element.with_phase_rate(family.phase_rate)
        })
        .collect();
    let jobs: Vec<(&Element, Wanted)> = elements
        .iter()
        .zip(families)
        .flat_map(|(element, (_, used))| used.wanted().iter().map(move |wanted| (element, *wanted)))
        .collect();
    let mut found = side_by_side(&jobs, |(element, wanted)| element.best(*wanted)).into_iter();
    families.iter().map(|(_, used)| used.wanted().iter().copied().zip(found.by_ref()).collect()).collect()
}

impl MassKernel {
    fn new(graph: &Graph, family: &MassFamily) -> Self {
        let entries: Vec<NodeId> = family.entries.iter().map(|(_, _, entry)| *entry).collect();
        Self { entries: at_binding(graph, &entries), operations: at_binding(graph, &[family.node]).cost }
    }
}

impl Kernel {
    /// The kernel of a family with these derivatives; what its coefficients are joins the graph.
    fn new(graph: &mut Graph, family: &Family, mut derivatives: Vec<(Wanted, Candidate)>) -> Self {
        // Values first: coefficients are numbered in the order in which they come up.
        derivatives.sort_by_key(|(wanted, _)| *wanted);
        let (smoothness, forms) = (smoothness(graph, family.node), linear_forms(graph, family.node));
        let (mut entries, mut values, mut functions) = (Vec::new(), Vec::new(), Vec::new());
        for (wanted, candidate) in derivatives {
            if wanted == Wanted::Second {
                entries.clone_from(&candidate.entries);
            }
            functions.push((wanted, Function::new(graph, candidate, &mut values)));
        }
        Self { smoothness, entries, forms, coefficients: at_binding(graph, &values), functions }
    }
}

impl Function {
    /// The function; its coefficients join `values`, those of the functions before it.
    fn new(graph: &mut Graph, candidate: Candidate, values: &mut Vec<NodeId>) -> Self {
        let Candidate { program, graph: own, zero, .. } = candidate;
        let mut coefficients = Vec::new();
        for node in program.coefficients() {
            let value = graph.import(&own, node);
            let place = values.iter().position(|known| *known == value).unwrap_or_else(|| {
                values.push(value);
                values.len() - 1
            });
            coefficients.push((node, place));
        }
        Self { program, coefficients, zero }
    }
}

/// The program for expressions that are evaluated once, when a model is bound.
fn at_binding(graph: &Graph, roots: &[NodeId]) -> Program {
    let mut own = Graph::default();
    let roots: Vec<NodeId> = roots.iter().map(|root| own.import(graph, *root)).collect();
    Schedule::of(&mut own, &[], &roots, false).program()
}
