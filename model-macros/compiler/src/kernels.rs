//! The derivatives of every element as programs: each that engines ask for, in its cheapest form.

use crate::ast::{Beside, Declaration, Sort};
use crate::classify::{Classified, Family, MassFamily, Plan, Sums};
use crate::eliminate::{Candidate, Element, LinearForm, linear_forms};
use crate::error::{self, Errors};
use crate::graph::{Budget, Graph, Leaf, NodeId, Size};
use crate::limits::{
    MOST_IN_A_FUNCTION, MOST_OPERATIONS, OPERATIONS_OF_A_FUNCTION, OPERATIONS_OF_AN_ELEMENTARY_FUNCTION,
    TIMES_FOR_REGISTERS,
};
use crate::lower::Lowered;
use crate::schedule::{Instruction, Program, Schedule, Source};
use crate::side_by_side::side_by_side;
use crate::smoothness::{Smoothness, smoothness};
pub(crate) use least_action_kernel::Operation;
use std::collections::{BTreeMap, BTreeSet};

/// From so many operations of a gradient on, loops over SIMD registers pay; below, memory decides.
const WORTH_REGISTERS: u32 = 8;

/// With fewer elements, as the declaration states, no loops over registers are compiled; the binding
/// does not use registers for fewer either.
const FEW: usize = 16;

/// A product of pairs with more operations compiles slowly in registers, beside its gradient there.
const MOST_OF_PAIRS: u32 = 128;

/// A place that must exist. A missing one is a mistake of the compiler: tests stop here, and the place
/// beyond every list stops the macro or rustc; place 0 would be the wrong number of another input.
pub(crate) fn placed(found: Option<usize>) -> usize {
    debug_assert!(found.is_some(), "a list has the entries of which it was made");
    found.unwrap_or(usize::MAX)
}

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
    /// The kernels of the kinetic energy with a constant mass that reads sums.
    pub(crate) mass_of_sums: Vec<Kernel>,
    /// The kernels of the sums that functions of (q, t) read, for each stage.
    pub(crate) stages: Vec<Vec<Kernel>>,
    /// The kernels of the sums that functions of (q, v, t) read, for each stage.
    pub(crate) moving: Vec<Vec<Kernel>>,
    /// The kernels of each other method, in the order of [`Declaration::beside`].
    pub(crate) beside: Vec<Vec<Kernel>>,
}

/// The derivatives that a family needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// A term of L(q, v, t): first and second derivatives.
    General,
    /// A term of V(q, t): products and third derivatives too.
    Potential,
    /// A term of g(q, t): also the derivatives that constraint engines need.
    Constraint,
    /// A term of a collective u(q, t): the derivatives of a constraint.
    Stage,
    /// A term in range of a collective u(q, t): the derivatives of a potential.
    NearStage,
    /// A term of a collective u(q, v, t): first and second derivatives.
    Moving,
    /// A term in range of a collective u(q, v, t): first and second derivatives.
    NearMoving,
    /// A term of a row in (q, v, t), of a force or a constraint on velocities: first derivatives.
    Row,
}

impl Use {
    /// The use of the families of a method.
    pub(crate) fn of(sort: Sort, plan: &Plan) -> Self {
        if matches!(plan, Plan::Function(_)) {
            return Self::General;
        }
        match sort {
            Sort::Holonomic => Self::Constraint,
            _ => Self::Row,
        }
    }

    /// The use of a family of sums: another one in range.
    pub(crate) fn in_range(self, family: &Family) -> Self {
        match self {
            Self::Stage if family.near.is_some() => Self::NearStage,
            Self::Moving if family.near.is_some() => Self::NearMoving,
            other => other,
        }
    }

    /// True if its elements belong to rows of sums.
    pub(crate) fn is_of_a_sum(self) -> bool {
        matches!(self, Self::Stage | Self::Moving)
    }

    /// The use of sums that a family in range shares with others; `None` for a family of no sum.
    fn of_sums(self) -> Option<Self> {
        match self {
            Self::Stage | Self::NearStage => Some(Self::Stage),
            Self::Moving | Self::NearMoving => Some(Self::Moving),
            Self::General | Self::Potential | Self::Constraint | Self::Row => None,
        }
    }

    /// The operations of the use; the slowest to find come first.
    ///
    /// With parameters as coordinates, engines ask for products; gradients carry them through sums.
    fn wanted(self, parametric: bool, sums: bool) -> &'static [Operation] {
        use Operation::{
            Along, Curvature, Gradient, Product, Quadratic, Rate, Second, Third, Value, ValueGradient,
        };
        match self {
            Self::Row if parametric => &[Gradient, Value],
            Self::General if parametric && !sums => &[Product],
            Self::General if parametric => &[Product, Gradient],
            Self::Moving if parametric => &[Product, Gradient, Value, Rate, Along],
            Self::Potential if parametric && !sums => &[Third, Product],
            Self::Potential if parametric => &[Third, Product, Gradient],
            Self::Constraint if parametric => &[Third, Product, Curvature, Quadratic, ValueGradient],
            Self::Row => &[Gradient, Value, Rate],
            Self::General | Self::NearMoving => &[Second, Gradient, Value, Rate],
            Self::Moving => &[Second, Gradient, Value, Rate, Along],
            Self::Potential => &[Third, Second, Product, Gradient, Value, Rate],
            Self::NearStage => &[Third, Second, Product, Curvature, Quadratic, Gradient, Value, Rate],
            Self::Stage => &[Third, Second, Product, Curvature, Quadratic, Gradient, Value, Rate, Along],
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
    /// The linear forms of the positions through which its expression reads them.
    pub(crate) forms: Vec<LinearForm>,
    /// The value of each coefficient that the functions read, evaluated when a model is bound.
    pub(crate) coefficients: Program,
    /// The coefficients of each near pair, behind the others.
    pub(crate) pairs: Program,
    /// True if parameters are coordinates.
    pub(crate) parametric: bool,
    functions: Vec<(Operation, Function)>,
}

/// A function of a kernel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Function {
    /// Its operations.
    pub(crate) program: Program,
    /// The coefficients of the program, with their places in the kernel.
    pub(crate) coefficients: Vec<(NodeId, usize)>,
    /// True if all results are zero.
    pub(crate) zero: bool,
}

impl Kernel {
    /// The worth of the functions to rustc, without the `compiled` ones, which the others join.
    fn operations(&self, family: &Family, used: Use, compiled: &mut BTreeSet<String>) -> usize {
        // Loops over near pairs have their own code for registers.
        let in_registers = |wanted: Operation| {
            let is_compiled = self.has_registers(family, used) || family.near.is_some();
            is_compiled && wanted.has_registers(used.is_of_a_sum(), self.is_of_light_pairs(family))
        };
        let new = |(wanted, function): &&(Operation, Function)| {
            let coefficients = self.coefficients.outputs.len();
            let place = (*wanted, used, in_registers(*wanted), coefficients);
            !function.zero && compiled.insert(format!("{place:?} {}", function.spelled(&family.inputs)))
        };
        let functions = self.functions.iter().filter(new);
        functions.map(|(wanted, function)| function.worth(in_registers(*wanted))).sum()
    }

    /// True if the kernel is compiled for registers, too.
    pub(crate) fn has_registers(&self, family: &Family, used: Use) -> bool {
        let few = family.most.is_some_and(|most| most < FEW);
        // Rows of sums are long and stand in order: registers always pay.
        let heavy = used.is_of_a_sum()
            || self
                .function(Operation::Gradient)
                .is_some_and(|gradient| gradient.program.cost >= WORTH_REGISTERS);
        let used = matches!(used, Use::General | Use::Potential) || used.is_of_a_sum();
        used && !few && heavy && family.near.is_none() && !self.parametric
    }

    /// True for all pairs with short products: these take all the time of a gradient.
    pub(crate) fn is_of_light_pairs(&self, family: &Family) -> bool {
        let product = self.function(Operation::Product);
        family.is_over_all_pairs() && product.is_some_and(|product| product.program.cost <= MOST_OF_PAIRS)
    }

    /// A function, if the use of the family asks for it.
    pub(crate) fn function(&self, wanted: Operation) -> Option<&Function> {
        self.functions.iter().find(|(known, _)| *known == wanted).map(|(_, function)| function)
    }
}

/// Finds the kernels of all families; kernels too large to compile, alone or together, are mistakes.
pub fn differentiate(
    declaration: &Declaration,
    lowered: &Lowered,
    classified: &Classified,
    errors: &mut Errors,
) -> Option<Kernels> {
    let Classified { mass, mass_of_sums, potential, stiff, general, stages, moving, beside, .. } = classified;
    let mut families: Vec<(&Family, Use)> = Vec::new();
    let of_lagrangian = [
        (potential, Use::Potential),
        (stiff, Use::Potential),
        (general, Use::General),
        (mass_of_sums, Use::General),
    ];
    for (members, used) in of_lagrangian {
        families.extend(members.iter().map(|family| (family, used)));
    }
    let of_stages = stages.iter().flat_map(|sums| &sums.families);
    families.extend(of_stages.map(|family| (family, Use::Stage.in_range(family))));
    let of_moving = moving.iter().flat_map(|sums| &sums.families);
    families.extend(of_moving.map(|family| (family, Use::Moving.in_range(family))));
    // The method in which each family stands.
    let mut methods = vec![&declaration.lagrangian.name; families.len()];
    for ((sort, plan), Beside { function, .. }) in beside.iter().zip(&declaration.beside) {
        families.extend(plan.families().into_iter().map(|family| (family, Use::of(*sort, plan))));
        methods.resize(families.len(), &function.name);
    }
    let mut graph = lowered.graph.clone();
    graph.renew(Budget::OF_A_DECLARATION);
    let derivatives =
        derivatives(&graph, &families, (declaration.parametric, !stages.is_empty() || !moving.is_empty()));
    let mut kernels = Vec::new();
    for (((family, _), derivatives), method) in families.iter().zip(derivatives).zip(methods) {
        let is_small_enough =
            |(_, candidate): &(Operation, Candidate)| candidate.program.size() <= MOST_IN_A_FUNCTION;
        if let Some(derivatives) = derivatives.filter(|all| all.iter().all(is_small_enough)) {
            let kernel = Kernel::new(&mut graph, family, derivatives);
            let parametric = declaration.parametric && family.near.is_none();
            kernels.push(Kernel { parametric, ..kernel });
        } else {
            let place = lowered.sources.place(&lowered.graph, family.node, method);
            let Size { reads, operations } = Size::of(&lowered.graph, family.node);
            errors.push(error::too_large(place, method, reads, operations));
        }
    }
    let mut compiled = BTreeSet::new();
    let operations: usize = kernels
        .iter()
        .zip(&families)
        .map(|(kernel, (family, used))| kernel.operations(family, *used, &mut compiled))
        .sum();
    if operations > MOST_OPERATIONS || graph.is_exhausted() {
        let name = &declaration.lagrangian.name;
        errors.push(error::too_many_operations(name, kernels.len(), operations));
    }
    if !errors.is_empty() {
        return None;
    }
    smooth_through_sums(lowered, (stages, Use::Stage), &families, &mut kernels);
    smooth_through_sums(lowered, (moving, Use::Moving), &families, &mut kernels);
    let mut kernels = kernels.into_iter();
    let mut next = |count: usize| kernels.by_ref().take(count).collect::<Vec<Kernel>>();
    Some(Kernels {
        mass: mass.iter().map(|family| MassKernel::new(&lowered.graph, family)).collect(),
        potential: next(potential.len()),
        stiff: next(stiff.len()),
        general: next(general.len()),
        mass_of_sums: next(mass_of_sums.len()),
        stages: stages.iter().map(|sums| next(sums.families.len())).collect(),
        moving: moving.iter().map(|sums| next(sums.families.len())).collect(),
        beside: beside.iter().map(|(_, plan)| next(plan.families().len())).collect(),
    })
}

/// Bounds the smoothness of each reader of `sums` by the smoothness of their elements.
fn smooth_through_sums(
    lowered: &Lowered,
    (sums, used): (&[Sums], Use),
    families: &[(&Family, Use)],
    kernels: &mut [Kernel],
) {
    let mut of_stages: BTreeMap<usize, Smoothness> = BTreeMap::new();
    let of_reads = |family: &Family, of_stages: &BTreeMap<usize, Smoothness>| {
        let leaves = lowered.graph.leaves(&[family.node]).into_iter();
        let reads = leaves.filter_map(|leaf| of_stages.get(&lowered.stage_of(leaf)?).copied());
        reads.min().unwrap_or(Smoothness::Smooth)
    };
    // The families of the stages stand together, in the order of the stages.
    let mut places = (0..families.len()).filter(|place| families[*place].1.of_sums() == Some(used));
    for Sums { stages, families } in sums {
        let mut least = Smoothness::Smooth;
        for family in families {
            let place = placed(places.next());
            kernels[place].smoothness = kernels[place].smoothness.min(of_reads(family, &of_stages));
            least = least.min(kernels[place].smoothness);
        }
        of_stages.extend(stages.iter().map(|stage| (*stage, least)));
    }
    for ((family, used), kernel) in families.iter().zip(kernels) {
        if used.of_sums().is_none() {
            kernel.smoothness = kernel.smoothness.min(of_reads(family, &of_stages));
        }
    }
}

/// The derivatives of each family, found side by side; `None` if one of them takes too much work.
fn derivatives(
    graph: &Graph,
    families: &[(&Family, Use)],
    (parametric, sums): (bool, bool),
) -> Vec<Option<Vec<(Operation, Candidate)>>> {
    let elements: Vec<Element> = families
        .iter()
        .map(|(family, used)| {
            let element = Element::new(graph, family.node, &family.inputs);
            let directed = matches!(used, Use::General | Use::Moving);
            element.with_phase_rate(family.phase_rate).of_sums(family.sums.len()).directed(directed)
        })
        .collect();
    let wanted = |(family, used): &(&Family, Use)| used.wanted(parametric && family.near.is_none(), sums);
    let jobs: Vec<(&Element, Operation)> = elements
        .iter()
        .zip(families)
        .flat_map(|(element, family)| wanted(family).iter().map(move |wanted| (element, *wanted)))
        .collect();
    let mut found = side_by_side(&jobs, |(element, wanted)| element.best(*wanted)).into_iter();
    let of_family = |family: &(&Family, Use)| {
        let own: Vec<Option<Candidate>> = found.by_ref().take(wanted(family).len()).collect();
        let named = wanted(family).iter().zip(own).map(|(wanted, candidate)| Some((*wanted, candidate?)));
        named.collect()
    };
    families.iter().map(of_family).collect()
}

impl MassKernel {
    fn new(graph: &Graph, family: &MassFamily) -> Self {
        let entries: Vec<NodeId> = family.entries.iter().map(|(_, _, entry)| *entry).collect();
        Self { entries: at_binding(graph, &entries), operations: at_binding(graph, &[family.node]).cost }
    }
}

impl Kernel {
    /// The kernel of a family with these derivatives; the values of its coefficients join the graph.
    fn new(graph: &mut Graph, family: &Family, mut derivatives: Vec<(Operation, Candidate)>) -> Self {
        // Values first: the derivatives number the coefficients in the order in which they read them.
        derivatives.sort_by_key(|(wanted, _)| *wanted);
        let smoothness = family.written().iter().map(|node| smoothness(graph, family.whole_of(*node))).min();
        let (smoothness, forms) =
            (smoothness.unwrap_or(Smoothness::Smooth), linear_forms(graph, family.node));
        let (mut entries, mut values, mut functions) = (Vec::new(), Vec::new(), Vec::new());
        for (wanted, candidate) in derivatives {
            if wanted == Operation::Second {
                entries.clone_from(&candidate.entries);
            }
            functions.push((wanted, Function::new(graph, candidate, &mut values)));
        }
        let of_a_pair = |node: &NodeId| {
            let near = family.near.as_ref();
            let mut leaves = graph.leaves(&[*node]).into_iter();
            near.is_some_and(|near| {
                leaves.any(|leaf| matches!(leaf, Leaf::Coefficient(id) if near.pairs.contains(&id)))
            })
        };
        let (pairs, shared): (Vec<NodeId>, Vec<NodeId>) = values.iter().copied().partition(of_a_pair);
        let ordered: Vec<NodeId> = shared.iter().chain(&pairs).copied().collect();
        for (_, place) in functions.iter_mut().flat_map(|(_, function)| &mut function.coefficients) {
            *place = placed(ordered.iter().position(|node| *node == values[*place]));
        }
        let [coefficients, pairs] = [shared, pairs].map(|nodes| at_binding(graph, &nodes));
        Self { smoothness, entries, forms, coefficients, pairs, parametric: false, functions }
    }
}

impl Function {
    /// The function; its coefficients join the `values` of earlier functions.
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

    /// The operations and results, with the code around them, times the number of their compilations.
    fn worth(&self, in_registers: bool) -> usize {
        let once = OPERATIONS_OF_A_FUNCTION + self.program.size();
        if !in_registers {
            return once;
        }
        let elementary = |operation: &&Instruction| {
            matches!(operation, Instruction::Function(..) | Instruction::Power(..) | Instruction::Atan2(..))
        };
        let elementary = self.program.operations.iter().filter(elementary).count();
        TIMES_FOR_REGISTERS * once + OPERATIONS_OF_AN_ELEMENTARY_FUNCTION * elementary
    }

    /// The program as text, equal where the emitted code is: inputs and coefficients by their places.
    fn spelled(&self, inputs: &[Leaf]) -> String {
        let slot = |leaf: &Leaf| match *leaf {
            Leaf::Position { gather, component } => (0, gather, component),
            Leaf::Velocity { gather, component } => (1, gather, component),
            _ => (2, 0, 0),
        };
        // Inputs share a slot; the first input of a slot names it.
        let of_input = |leaf: &Leaf| {
            let (kind, gather, component) = slot(leaf);
            let first = inputs.iter().position(|other| (slot(other).0, slot(other).1) == (kind, gather));
            (kind, first, component)
        };
        let place = |leaf: Leaf| {
            let (of, leaf) = match leaf {
                Leaf::Direction { gather, component } => ("a", Leaf::Position { gather, component }),
                leaf => ("x", leaf),
            };
            let at = inputs.iter().position(|input| *input == leaf);
            at.map_or_else(|| format!("{leaf:?}"), |at| format!("{of}{at}"))
        };
        let operation = |operation: &Instruction| match operation {
            Instruction::Read(Source::Leaf(leaf)) => place(*leaf),
            Instruction::Read(Source::Coefficient(node)) => {
                let place = self.coefficients.iter().find(|(known, _)| known == node);
                format!("c{:?}", place.map(|(_, place)| place))
            }
            other => format!("{other:?}"),
        };
        let slots: Vec<_> = inputs.iter().map(of_input).collect();
        let operations: Vec<String> = self.program.operations.iter().map(operation).collect();
        format!("{slots:?} {operations:?} {:?}", self.program.outputs)
    }
}

/// The program for expressions that the binding evaluates once.
fn at_binding(graph: &Graph, roots: &[NodeId]) -> Program {
    let mut own = Graph::default();
    let roots: Vec<NodeId> = roots.iter().map(|root| own.import(graph, *root)).collect();
    Schedule::of(&mut own, &[], &roots, false).program()
}
