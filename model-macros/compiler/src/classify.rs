//! Facts about the lowered declaration, and its term families.
//!
//! Each additive term of the Lagrangian is tried on the velocities: without them it is potential;
//! ½ v·M·v with M free of coordinates is mass; the rest is general. Terms that stand under equal loops
//! and conditions and read equal entries form one family, so that cost and sparsity follow the model.

mod family;
mod kinetic;
pub(crate) mod pythagoras;
mod reads;
mod sample;
mod sums;

pub(crate) use family::{Family, MassFamily, Plan};
pub(crate) use kinetic::uneven_mass;
pub(crate) use reads::Reads;
pub(crate) use sums::Sums;

use crate::ast::{Declaration, Function, Sort};
use crate::differentiate::partial;
use crate::error::{self, Errors};
use crate::graph::Size;
use crate::graph::{Graph, Leaf, NodeId, is_position, is_time, is_velocity};
use crate::limits::MOST_TERMS;
use crate::lower::form::{Form, Step};
use crate::lower::in_range::Found;
use crate::lower::phase;
use crate::lower::{Lowered, Phase, Sources, Terms};
use crate::spelling;
use family::{family, family_in_range, force_of, plan};
use kinetic::Groups;
use std::collections::BTreeSet;
use syn::Ident;

/// The facts about the declaration as a whole.
#[derive(Debug, Default, Clone)]
pub struct Facts {
    /// The coordinates on which the mass matrix depends.
    pub mass: Dependence,
    /// The coordinates on which a velocity-dependent force acts.
    pub force: Dependence,
    /// True if a part of the potential is marked as stiff.
    pub stiff: bool,
    /// True if L, a constraint or a force depends explicitly on time.
    pub time: bool,
    /// True if the motion is even in the fast phase; `None` without a phase.
    pub even_in_phase: Option<bool>,
    /// True if the constraints depend on the fast phase.
    pub phase_in_constraints: bool,
}

/// The coordinates that a quantity depends on, and the evidence for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Dependence {
    /// The quantity depends on no coordinates.
    #[default]
    None,
    /// Two points were found where the quantity differs.
    Proven(BTreeSet<usize>),
    /// The quantity mentions these coordinates, but no two points were found where it differs.
    Unproven(BTreeSet<usize>),
}

impl Dependence {
    fn widen(&mut self, coordinates: BTreeSet<usize>, proven: bool) {
        let (mut all, was_proven) = match std::mem::take(self) {
            Self::None => (BTreeSet::new(), false),
            Self::Proven(all) => (all, true),
            Self::Unproven(all) => (all, false),
        };
        all.extend(coordinates);
        *self = if proven || was_proven { Self::Proven(all) } else { Self::Unproven(all) };
    }
}

/// The coordinates that rows mention, and those whose velocities other forces read: these may determine
/// a coordinate without kinetic energy.
fn determined(lowered: &Lowered, reads: &Reads) -> [BTreeSet<usize>; 2] {
    let graph = &lowered.graph;
    let nodes = |forms: Vec<&Form>| -> Vec<NodeId> {
        forms.into_iter().flat_map(|form| form.terms(graph)).map(|term| term.node).collect()
    };
    let of = |wanted: fn(Sort) -> bool| {
        lowered.beside.iter().filter(move |(sort, _)| wanted(*sort)).flat_map(|(_, rows)| rows.rows())
    };
    let (rows, forces) = (of(Sort::is_constraint), of(Sort::is_force));
    let velocities = graph.leaves(&nodes(forces.collect())).into_iter().filter(|leaf| is_velocity(*leaf));
    let damped = velocities.flat_map(|leaf| reads.moved(leaf).iter().copied()).collect();
    [reads.variable(graph, &nodes(rows.collect())), damped]
}

/// The error for a coordinate of whose velocity L is not quadratic, if nothing determines it; it names
/// the likely cause.
fn without_kinetic_energy(
    lowered: &mut Lowered,
    declaration: &Declaration,
    coordinate: usize,
    [held, damped]: &[BTreeSet<usize>; 2],
) -> Option<syn::Error> {
    let name = &declaration.coordinates[coordinate].name;
    let text = name.to_string();
    if held.contains(&coordinate) {
        return None;
    }
    let (mut has_velocity, mut linear, mut read) = (false, true, false);
    let gathers = &lowered.gathers;
    let own = |leaf: &Leaf| leaf.gather().and_then(|k| gathers[k].coordinate()) == Some(coordinate);
    for term in lowered.lagrangian.terms(&lowered.graph) {
        let graph = &mut lowered.graph;
        for leaf in graph.leaves(&[term.node]).into_iter().filter(own) {
            if is_velocity(leaf) {
                has_velocity = true;
                continue;
            }
            let slope = partial(graph, &[term.node], leaf)[0];
            read |= graph.mentions(slope, is_position);
            linear &= !graph.mentions(slope, |leaf| is_position(leaf) && own(&leaf));
        }
    }
    if damped.contains(&coordinate) && !has_velocity {
        return None;
    }
    Some(match (declaration.velocity_of(&text), has_velocity, read && linear) {
        (None, false, _) if spelling::elsewhere("coordinate", &text, "", "").is_some() => {
            error::time_as_coordinate(name, &text)
        }
        (Some(of), ..) => error::velocity_as_coordinate(name, &text, &of.to_string()),
        (None, true, _) => error::first_order(name, &text),
        (None, false, true) => error::multiplier_as_coordinate(name, &text),
        (None, false, false) => error::no_kinetic_energy(name, &text),
    })
}

/// The declaration, classified.
#[derive(Debug, Default)]
pub struct Classified {
    /// The facts.
    pub facts: Facts,
    /// The families of the kinetic energy with constant entries of the mass matrix.
    pub mass: Vec<MassFamily>,
    /// Families of the kinetic energy with constant mass that read sums; the binding adds the mass up.
    pub(crate) mass_of_sums: Vec<Family>,
    /// The families of the potential that are not marked as stiff.
    pub potential: Vec<Family>,
    /// The families of the potential that are marked as stiff.
    pub stiff: Vec<Family>,
    /// The families of all else in the Lagrangian.
    pub general: Vec<Family>,
    /// The sums that functions of (q, t) read.
    pub stages: Vec<Sums>,
    /// The sums that functions of (q, v, t) read.
    pub(crate) moving: Vec<Sums>,
    /// The plans of the other methods, in the order of [`Declaration::beside`].
    pub(crate) beside: Vec<(Sort, Plan)>,
}

/// Sorts the terms into families and finds the facts.
///
/// The graph of `lowered` grows; its earlier nodes stay.
pub fn classify(lowered: &mut Lowered, declaration: &Declaration, errors: &mut Errors) -> Classified {
    let even_in_phase = lowered.at_phase.as_ref().map(|at_phase| at_phase.even);
    let facts = Facts { even_in_phase, ..Facts::default() };
    let mut classified = Classified { facts, ..Classified::default() };
    let Some(Terms { in_range, others }) = lowered.terms.take() else { return classified };
    classified.add_in_range(&lowered.graph, in_range);
    let reads = Reads::of(lowered);
    let graph = &mut lowered.graph;
    let reads = &reads;
    let mut moved: BTreeSet<usize> = BTreeSet::new();
    for term in others {
        if graph.is_exhausted() {
            break;
        }
        let stiff = term.path.iter().any(|step| matches!(step, Step::Stiff));
        let path: Vec<Step> = term.path.into_iter().filter(|step| !matches!(step, Step::Stiff)).collect();
        let mut groups = Groups::of(declaration.parametric);
        let node = term.node;
        let (whole, parts) = pythagoras::parts(graph, node);
        for part in parts {
            if let Some(mistake) = too_large(graph, &lowered.sources, part, &declaration.lagrangian.name) {
                errors.push(mistake);
                continue;
            }
            classified.facts.time |= graph.mentions(part, is_time);
            let velocities = graph.velocities(part);
            if velocities.is_empty() {
                let potential = graph.negate(part);
                groups.potential.push(potential);
                continue;
            }
            if stiff {
                errors.push(error::stiff_velocity(&declaration.lagrangian.name));
            }
            groups.add_moving(graph, (part, &velocities), reads, &mut classified.facts, &mut moved);
        }
        groups.finish(graph, &path, whole, stiff, &mut classified);
    }
    classified.facts.stiff = !classified.stiff.is_empty();
    if lowered.whole {
        let determined = determined(lowered, reads);
        for k in 0..declaration.coordinates.len() {
            if !moved.contains(&k) && !declaration.coordinates[k].parameter {
                without_kinetic_energy(lowered, declaration, k, &determined)
                    .into_iter()
                    .for_each(|error| errors.push(error));
            }
        }
    }
    classified.add_equations(lowered);
    classified.add_stages(lowered);
    let graph = &mut lowered.graph;
    if let Some(phase) = lowered.phase {
        classified.place_phase(graph, phase);
    }
    classified.refuse_large(graph, &lowered.sources, declaration, errors);
    let graph = &mut lowered.graph;
    if graph.is_exhausted() && errors.is_empty() {
        errors.push(error::exhausted(&declaration.lagrangian.name));
    }
    classified
}

impl Classified {
    /// Adds the terms of the potential in range.
    fn add_in_range(&mut self, graph: &Graph, in_range: Vec<Found>) {
        for found in in_range {
            self.facts.time |= graph.mentions(found.node, is_time);
            let target = if found.stiff { &mut self.stiff } else { &mut self.potential };
            target.push(family_in_range(graph, found));
        }
    }

    /// The sums that functions of (q, t) read, and the sums that functions of (q, v, t) read.
    fn add_stages(&mut self, lowered: &mut Lowered) {
        for stage in &lowered.stages {
            let terms = stage.form.terms(&lowered.graph);
            self.facts.time |= terms.iter().any(|term| lowered.graph.mentions(term.node, is_time));
        }
        let (holonomic, others): (Vec<_>, Vec<_>) =
            self.beside.iter().partition(|(sort, _)| *sort == Sort::Holonomic);
        let nodes = |families: [&Vec<Family>; 2], beside: &[&(Sort, Plan)]| -> Vec<NodeId> {
            let beside = beside.iter().flat_map(|(_, plan)| plan.families());
            families.into_iter().flatten().chain(beside).map(|family| family.node).collect()
        };
        let still = nodes([&self.potential, &self.stiff], &holonomic);
        let motion = nodes([&self.general, &self.mass_of_sums], &others);
        self.stages = Sums::read_by(&still, lowered);
        self.moving = Sums::read_in_motion_by(&motion, lowered);
    }

    /// The families of constraints, forces and dissipations.
    fn add_equations(&mut self, lowered: &mut Lowered) {
        let evaluated = lowered.with_lists.as_ref().unwrap_or(&lowered.beside);
        for (place, (sort, equations)) in evaluated.iter().enumerate() {
            // Constraints on positions keep the phase as a variable.
            let at_phase = lowered.at_phase.as_ref().filter(|_| *sort == Sort::Holonomic);
            let equations = at_phase.map_or(equations, |at_phase| &at_phase.beside[place].1);
            let terms: Vec<_> =
                equations.rows().into_iter().flat_map(|form| form.terms(&lowered.graph)).collect();
            let mentioned =
                |wanted: fn(Leaf) -> bool| terms.iter().any(|term| lowered.graph.mentions(term.node, wanted));
            self.facts.phase_in_constraints |=
                *sort == Sort::Holonomic && mentioned(|leaf| leaf == Leaf::Phase);
            self.facts.time |= !sort.is_of_moments() && mentioned(is_time);
            let reads_sums = terms.iter().any(|term| lowered.reads_sum(term.node));
            let graph = &mut lowered.graph;
            let mut plan = match (sort, &equations.rows()[..]) {
                (Sort::Dissipation, [function]) => force_of(graph, function, reads_sums),
                _ => plan(graph, equations),
            };
            if *sort != Sort::Holonomic {
                // They read the time as it is: no gradient in time is asked for.
                let families = plan.families_mut().into_iter();
                families.for_each(|family| family.inputs.retain(|leaf| *leaf != Leaf::Time));
            }
            self.beside.push((*sort, plan));
        }
    }

    /// Kernels of positions read the phase and its rate; kernels of velocities read ω t + θ₀ instead.
    fn place_phase(&mut self, graph: &mut Graph, phase: Phase) {
        for resolved in self.general.iter_mut().chain(&mut self.mass_of_sums) {
            let node = phase::at_time(graph, resolved.node, phase.in_time);
            *resolved = family(graph, &resolved.path, node);
        }
        let of_positions = self.potential.iter_mut().chain(&mut self.stiff);
        let holonomic = self.beside.iter_mut().filter(|(sort, _)| *sort == Sort::Holonomic);
        let of_constraints = holonomic.flat_map(|(_, plan)| plan.families_mut());
        let of_stages = self.stages.iter_mut().flat_map(|sums| &mut sums.families);
        for family in of_positions.chain(of_constraints).chain(of_stages) {
            if graph.mentions(family.node, |leaf| leaf == Leaf::Phase) {
                family.phase_rate = Some(phase.rate);
                if let Leaf::Coefficient(rate) = phase.rate
                    && !family.coefficients.contains(&rate)
                {
                    family.coefficients.push(rate);
                }
            }
        }
    }

    /// Refuses elements whose derivatives would take too long to compile.
    fn refuse_large(&self, graph: &Graph, sources: &Sources, declaration: &Declaration, errors: &mut Errors) {
        let mut check = |family: &Family, name: &Ident| {
            too_large(graph, sources, family.node, name).into_iter().for_each(|mistake| errors.push(mistake));
        };
        let of_stages = self.stages.iter().chain(&self.moving).flat_map(|sums| &sums.families);
        let of_lagrangian = self.potential.iter().chain(&self.stiff).chain(&self.general);
        for family in of_lagrangian.chain(&self.mass_of_sums).chain(of_stages) {
            check(family, &declaration.lagrangian.name);
        }
        let functions = declaration.beside.iter().map(|beside| &beside.function);
        let plans: Vec<(&Plan, &Function)> =
            self.beside.iter().map(|(_, plan)| plan).zip(functions).collect();
        for (plan, function) in &plans {
            plan.families().into_iter().for_each(|family| check(family, &function.name));
        }
        for (plan, function) in plans {
            let families = plan.families().len();
            if families > MOST_TERMS {
                let name = &function.name;
                errors.push(error::too_many_terms(name, format!("`{name}`"), families));
            }
        }
    }
}

/// The mistake of an element of a method whose derivatives would take too long to compile.
fn too_large(graph: &Graph, sources: &Sources, node: NodeId, method: &Ident) -> Option<syn::Error> {
    let Size { reads, operations } = Size::beyond_limit(graph, node)?;
    Some(error::too_large(sources.place(graph, node, method), method, reads, operations))
}

/// An expression where nothing moves.
fn at_rest(graph: &mut Graph, node: NodeId) -> NodeId {
    graph.substitute(node, &|graph, leaf| is_velocity(leaf).then(|| graph.zero()))
}
