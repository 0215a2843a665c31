//! Facts about the lowered declaration, and its term families.
//!
//! Each additive term of the Lagrangian is tried on the velocities: what does not contain them is potential; what is
//! ½ v·M·v with M free of coordinates becomes mass; the rest is general. Terms under the same loops and conditions that
//! read the same entries form one family, so that cost and sparsity follow the model.

pub(crate) mod near;
mod pythagoras;
mod reads;
mod sums;

pub(crate) use reads::Reads;
pub(crate) use sums::Sums;

use crate::ast::{Declaration, Function, Sort};
use crate::differentiate::{gradient, partial};
use crate::error::{self, Errors};
use crate::graph::{Graph, Leaf, NodeId, is_position, is_velocity};
use crate::limits::{MOST_TERMS, Size};
use crate::lower::form::{Form, Loop, Step, Term};
use crate::lower::{Equations, Lowered, Phase, Sources};
use crate::phase;
use std::collections::BTreeSet;
use std::rc::Rc;
use syn::Ident;

/// The facts about the declaration as a whole.
#[derive(Debug)]
pub(crate) struct Facts {
    /// The coordinates on which the mass matrix depends.
    pub(crate) mass: Dependence,
    /// The coordinates on which a velocity-dependent force acts.
    pub(crate) force: Dependence,
    /// True if a part of the potential is marked as stiff.
    pub(crate) stiff: bool,
    /// True if L, a constraint or a force depends explicitly on time.
    pub(crate) time: bool,
    /// True if the motion is even in the fast phase; `None` where there is none.
    pub(crate) even_in_phase: Option<bool>,
    /// True if the constraints depend on the fast phase.
    pub(crate) phase_in_constraints: bool,
}

/// The coordinates that a quantity depends on, and the evidence for it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Dependence {
    /// The quantity depends on no coordinates.
    None,
    /// Two points were found where the quantity differs.
    Proven(BTreeSet<usize>),
    /// The quantity mentions these coordinates, but no two points were found where it differs.
    Unproven(BTreeSet<usize>),
}

impl Dependence {
    fn widen(&mut self, coordinates: BTreeSet<usize>, proven: bool) {
        let old = std::mem::replace(self, Self::None);
        let (mut all, was_proven) = match old {
            Self::None => (BTreeSet::new(), false),
            Self::Proven(all) => (all, true),
            Self::Unproven(all) => (all, false),
        };
        all.extend(coordinates);
        *self = if proven || was_proven { Self::Proven(all) } else { Self::Unproven(all) };
    }
}

/// A term family: one small expression, repeated over an index set.
#[derive(Debug)]
pub(crate) struct Family {
    /// The loops and choices around the expression, from the outside in.
    pub(crate) path: Vec<Step>,
    /// The expression: the part of V, of L, or of an equation.
    pub(crate) node: NodeId,
    /// The local coordinates, in the order of the kernel's arguments: positions, and for general terms velocities and time.
    pub(crate) inputs: Vec<Leaf>,
    /// The coefficients, in the order of the kernel's arguments.
    pub(crate) coefficients: Vec<usize>,
    /// The coefficient that is the rate of the phase, where the expression depends on the phase.
    pub(crate) phase_rate: Option<Leaf>,
    /// The most elements, where the declaration states a number.
    pub(crate) most: Option<usize>,
    /// The ends, where it is a sum over near pairs.
    pub(crate) near: Option<near::InRange>,
}

impl Family {
    /// The expression with the condition under which it counts.
    pub(crate) fn whole(&self) -> NodeId {
        self.near.as_ref().map_or(self.node, |near| near.whole)
    }

    /// The coefficients that belong to an end, those of the first end first.
    pub(crate) fn ends(&self) -> impl Iterator<Item = usize> {
        self.near.iter().flat_map(|near| near.coefficients.iter().flatten().copied())
    }
}

/// Row, column and value of an entry of M: the velocities of the lower triangle in local order.
pub(crate) type MassEntry = (Leaf, Leaf, NodeId);

/// A family of the kinetic energy: constant entries of the mass matrix.
#[derive(Debug)]
pub(crate) struct MassFamily {
    /// The loops and choices around the expression, from the outside in.
    pub(crate) path: Vec<Step>,
    /// The entries of M.
    pub(crate) entries: Vec<MassEntry>,
    /// The part of the kinetic energy.
    pub(crate) node: NodeId,
}

/// The rows of a constraint or of a force, with the families that add to each.
#[derive(Debug)]
pub(crate) enum Plan {
    /// For each row, its families.
    Rows(Vec<Vec<Family>>),
    /// The inner rows for each item of an iterator.
    Each(Rc<Loop>, Box<Plan>),
    /// One after the other.
    List(Vec<Plan>),
    /// Families that each add to the row of a velocity that they read.
    AtVelocities(Vec<(Leaf, Family)>),
    /// The terms of Rayleigh's function, where they read sums: its force is found through them.
    Function(Vec<Family>),
}

/// The error for a coordinate of whose velocity L is not quadratic, in the words that fit what it is.
fn without_kinetic_energy(lowered: &mut Lowered, declaration: &Declaration, coordinate: usize) -> syn::Error {
    let name = &declaration.coordinates[coordinate].name;
    let text = name.to_string();
    if let Some(of) = declaration.velocity_of(&text) {
        return error::velocity_as_coordinate(name, &text, &of.to_string());
    }
    let (mut has_velocity, mut linear, mut read) = (false, true, false);
    for term in lowered.lagrangian.terms(&lowered.graph) {
        let graph = &mut lowered.graph;
        for leaf in graph.leaves(&[term.node]) {
            match leaf {
                Leaf::Velocity { gather, .. } if lowered.gathers[gather].coordinate() == Some(coordinate) => {
                    has_velocity = true;
                }
                Leaf::Position { gather, .. } if lowered.gathers[gather].coordinate() == Some(coordinate) => {
                    let slope = partial(graph, &[term.node], leaf)[0];
                    let own = |leaf| {
                        matches!(leaf, Leaf::Position { gather, .. }
                            if lowered.gathers[gather].coordinate() == Some(coordinate))
                    };
                    read |= graph.mentions(slope, is_position);
                    linear &= !graph.mentions(slope, own);
                }
                _ => {}
            }
        }
    }
    match (has_velocity, read && linear) {
        (true, _) => error::first_order(name, &text),
        (false, true) => error::multiplier_as_coordinate(name, &text),
        (false, false) => error::no_kinetic_energy(name, &text),
    }
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

    /// All families in the same order, each with all loops and choices around it.
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

    fn families_mut(&mut self) -> Vec<&mut Family> {
        match self {
            Self::Rows(rows) => rows.iter_mut().flatten().collect(),
            Self::Each(_, inner) => inner.families_mut(),
            Self::List(parts) => parts.iter_mut().flat_map(Self::families_mut).collect(),
            Self::AtVelocities(families) => families.iter_mut().map(|(_, family)| family).collect(),
            Self::Function(families) => families.iter_mut().collect(),
        }
    }
}

/// The declaration, classified.
#[derive(Debug)]
pub struct Classified {
    pub(crate) facts: Facts,
    pub(crate) mass: Vec<MassFamily>,
    /// The families of the kinetic energy with a constant mass that read sums: its mass is added up when a model is bound.
    pub(crate) mass_of_sums: Vec<Family>,
    pub(crate) potential: Vec<Family>,
    pub(crate) stiff: Vec<Family>,
    pub(crate) general: Vec<Family>,
    /// The sums that functions of (q, t) read.
    pub(crate) stages: Vec<Sums>,
    /// The sums that functions of (q, v, t) read.
    pub(crate) moving: Vec<Sums>,
    /// What the other methods say, in the order of [`Declaration::beside`].
    pub(crate) beside: Vec<(Sort, Plan)>,
}

/// Sorts the terms into families and finds the facts.
///
/// The graph of `lowered` grows; what it has before stays what it is.
pub fn classify(lowered: &mut Lowered, declaration: &Declaration, errors: &mut Errors) -> Classified {
    let even_in_phase = phase::resolve(lowered);
    let mut terms = match &lowered.at_phase {
        Some(at_phase) => at_phase.lagrangian.terms(&lowered.graph),
        None => lowered.lagrangian.terms(&lowered.graph),
    };
    let mut classified = Classified::empty(even_in_phase);
    if terms.len() > MOST_TERMS {
        let name = &declaration.lagrangian.name;
        errors.push(error::too_many_terms(name, format!("`{name}`"), terms.len()));
        return classified;
    }
    classified.take_near(lowered, &mut terms);
    let reads = Reads::of(lowered);
    let graph = &mut lowered.graph;
    let reads = &reads;
    let mut moved: BTreeSet<usize> = BTreeSet::new();
    for term in terms {
        if graph.is_exhausted() {
            break;
        }
        let stiff = term.path.iter().any(|step| matches!(step, Step::Stiff));
        let path: Vec<Step> = term.path.into_iter().filter(|step| !matches!(step, Step::Stiff)).collect();
        let mut groups = Groups::default();
        let node = near::over_all(graph, &path, term.node);
        let (whole, parts) = pythagoras::parts(graph, node);
        for part in parts {
            if let Some(size) = Size::beyond_limit(graph, part) {
                let name = &declaration.lagrangian.name;
                errors.push(error::too_large(lowered.sources.place(graph, part, name), name, &size));
                continue;
            }
            classified.facts.time |= graph.mentions(part, is_time);
            let velocities: Vec<Leaf> =
                graph.leaves(&[part]).into_iter().filter(|leaf| is_velocity(*leaf)).collect();
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
        for k in 0..declaration.coordinates.len() {
            if !moved.contains(&k) {
                errors.push(without_kinetic_energy(lowered, declaration, k));
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

/// True for the time and the phase, which change as time goes on even if no coordinate moves.
fn is_time(leaf: Leaf) -> bool {
    matches!(leaf, Leaf::Time | Leaf::Phase | Leaf::Signal { .. })
}

impl Classified {
    /// Nothing, so far.
    fn empty(even_in_phase: Option<bool>) -> Self {
        Self {
            facts: Facts {
                mass: Dependence::None,
                force: Dependence::None,
                stiff: false,
                time: false,
                even_in_phase,
                phase_in_constraints: false,
            },
            mass: Vec::new(),
            mass_of_sums: Vec::new(),
            potential: Vec::new(),
            stiff: Vec::new(),
            general: Vec::new(),
            stages: Vec::new(),
            moving: Vec::new(),
            beside: Vec::new(),
        }
    }

    /// Takes the terms of the potential over near pairs that are compiled in range.
    fn take_near(&mut self, lowered: &mut Lowered, terms: &mut Vec<Term>) {
        if lowered.phase.is_some() {
            return;
        }
        for found in near::take(lowered, terms, near::Of::Potential) {
            self.facts.time |= lowered.graph.mentions(found.family.node, is_time);
            let target = if found.stiff { &mut self.stiff } else { &mut self.potential };
            target.push(found.family);
        }
    }

    /// The sums that functions of (q, t), and those of (q, v, t), read.
    fn add_stages(&mut self, lowered: &mut Lowered) {
        for stage in &lowered.stages {
            let terms = stage.form.terms(&lowered.graph);
            self.facts.time |= terms.iter().any(|term| lowered.graph.mentions(term.node, is_time));
        }
        let nodes = |families: &[&Family]| families.iter().map(|family| family.node).collect::<Vec<_>>();
        let (holonomic, others): (Vec<_>, Vec<_>) =
            self.beside.iter().partition(|(sort, _)| *sort == Sort::Holonomic);
        let still = self.potential.iter().chain(&self.stiff);
        let still: Vec<&Family> =
            still.chain(holonomic.iter().flat_map(|(_, plan)| plan.families())).collect();
        let motion = self.general.iter().chain(&self.mass_of_sums);
        let motion: Vec<&Family> =
            motion.chain(others.iter().flat_map(|(_, plan)| plan.families())).collect();
        let (still, motion) = (nodes(&still), nodes(&motion));
        self.stages = Sums::read_by(&still, lowered);
        self.moving = Sums::read_in_motion_by(&motion, lowered);
    }

    /// The families of constraints, forces and dissipations.
    fn add_equations(&mut self, lowered: &mut Lowered) {
        let with_lists = lowered.with_lists.as_ref();
        let nonholonomic = with_lists.map_or(&lowered.nonholonomic, |beside| &beside.nonholonomic);
        let forces = with_lists.map_or(&lowered.forces, |beside| &beside.forces);
        let dissipations = with_lists.map_or(&lowered.dissipations, |beside| &beside.dissipations);
        let constraints = match (&lowered.at_phase, with_lists) {
            (Some(at_phase), _) => &at_phase.constraints,
            (None, Some(beside)) => &beside.constraints,
            (None, None) => &lowered.constraints,
        };
        let reads_sums = |dissipation: &Form| {
            dissipation.terms(&lowered.graph).iter().any(|term| lowered.reads_sum(term.node))
        };
        let reads_sums: Vec<bool> = dissipations.iter().map(reads_sums).collect();
        let graph = &mut lowered.graph;
        let mentioned = |forms: Vec<&Form>, wanted: fn(Leaf) -> bool| {
            let mut terms = forms.into_iter().flat_map(|form| form.terms(graph));
            terms.any(|term| graph.mentions(term.node, wanted))
        };
        let of_constraints: Vec<&Form> = constraints.iter().flat_map(Equations::rows).collect();
        self.facts.phase_in_constraints = mentioned(of_constraints.clone(), |leaf| leaf == Leaf::Phase);
        let others = nonholonomic.iter().chain(forces).flat_map(Equations::rows);
        let all = of_constraints.into_iter().chain(others).chain(dissipations);
        self.facts.time |= mentioned(all.collect(), is_time);
        let mut add = |sort, plan| self.beside.push((sort, plan));
        constraints.iter().for_each(|equations| add(Sort::Holonomic, plan(graph, equations)));
        nonholonomic.iter().for_each(|equations| add(Sort::Nonholonomic, plan(graph, equations)));
        forces.iter().for_each(|equations| add(Sort::Force, plan(graph, equations)));
        for (dissipation, reads_sums) in dissipations.iter().zip(reads_sums) {
            add(Sort::Dissipation, force_of(graph, dissipation, reads_sums));
        }
        for (sort, plan) in &mut self.beside {
            if *sort != Sort::Holonomic {
                // They read the time as it is: nobody asks for a gradient in it.
                plan.families_mut()
                    .into_iter()
                    .for_each(|family| family.inputs.retain(|leaf| *leaf != Leaf::Time));
            }
        }
    }

    /// Kernels of positions read the phase, and know its rate; in those of velocities it is a function of time.
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

    /// Elements whose derivatives would take too long to compile are mistakes.
    fn refuse_large(&self, graph: &Graph, sources: &Sources, declaration: &Declaration, errors: &mut Errors) {
        let mut check = |family: &Family, name: &Ident| {
            if let Some(size) = Size::beyond_limit(graph, family.node) {
                errors.push(error::too_large(sources.place(graph, family.node, name), name, &size));
            }
        };
        let of_stages = self.stages.iter().chain(&self.moving).flat_map(|sums| &sums.families);
        let of_lagrangian = self.potential.iter().chain(&self.stiff).chain(&self.general);
        for family in of_lagrangian.chain(&self.mass_of_sums).chain(of_stages) {
            check(family, &declaration.lagrangian.name);
        }
        let functions = declaration.beside().map(|(_, function)| function);
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

/// An expression where nothing moves.
fn at_rest(graph: &mut Graph, node: NodeId) -> NodeId {
    graph.substitute(node, &|graph, leaf| is_velocity(leaf).then(|| graph.zero()))
}

/// The derivatives of a term with respect to the velocities.
struct Kinetic {
    /// ∂²/∂v∂v, lower triangle.
    mass: Vec<MassEntry>,
    /// ∂/∂v at v = 0.
    gyroscopic: Vec<NodeId>,
    /// The term at v = 0.
    rest: NodeId,
}

impl Kinetic {
    fn of(graph: &mut Graph, part: NodeId, velocities: &[Leaf]) -> Self {
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

    /// The part that is linear in the velocities.
    fn linear(&self, graph: &mut Graph, velocities: &[Leaf]) -> NodeId {
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
struct Groups {
    mass: Vec<(NodeId, Vec<MassEntry>)>,
    mass_of_sums: Vec<NodeId>,
    potential: Vec<NodeId>,
    general: Vec<NodeId>,
}

impl Groups {
    /// Adds a part of the Lagrangian that reads these velocities, and what it says of mass and force, and of what moves.
    fn add_moving(
        &mut self,
        graph: &mut Graph,
        (part, velocities): (NodeId, &[Leaf]),
        reads: &Reads,
        facts: &mut Facts,
        moved: &mut BTreeSet<usize>,
    ) {
        let kinetic = Kinetic::of(graph, part, velocities);
        for (row, column, entry) in &kinetic.mass {
            // Two reads of one array may meet in the same entry: a sum multiplied by itself has its squares there.
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
            if !graph.is_zero(kinetic.rest) {
                let potential = graph.negate(kinetic.rest);
                self.potential.push(potential);
            }
        } else {
            self.general.push(part);
        }
    }

    fn finish(
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
        for node in by_gathers(graph, &self.potential, pure.then_some(potential)) {
            target.push(family(graph, path, node));
        }
        for node in by_gathers(graph, &self.general, pure.then_some(term)) {
            classified.general.push(family(graph, path, node));
        }
        for node in by_gathers(graph, &self.mass_of_sums, pure.then_some(term)) {
            classified.mass_of_sums.push(family(graph, path, node));
        }
    }
}

/// Adds up the parts that read the same entries; parts that read none join the first.
///
/// When they all come together again, the sum is `whole`, as the user wrote it: factors stand before it once.
fn by_gathers(graph: &mut Graph, parts: &[NodeId], whole: Option<NodeId>) -> Vec<NodeId> {
    let mut groups: Vec<(BTreeSet<usize>, Vec<NodeId>)> = Vec::new();
    for &part in parts {
        let read: BTreeSet<usize> = graph
            .leaves(&[part])
            .into_iter()
            .filter_map(|leaf| match leaf {
                Leaf::Position { gather, .. } | Leaf::Velocity { gather, .. } => Some(gather),
                Leaf::Direction { .. }
                | Leaf::Coefficient(_)
                | Leaf::End(_)
                | Leaf::Time
                | Leaf::Phase
                | Leaf::Signal { .. }
                | Leaf::Internal(_) => None,
            })
            .collect();
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

fn family(graph: &Graph, path: &[Step], node: NodeId) -> Family {
    let leaves = graph.leaves(&[node]);
    let general = leaves.iter().any(|leaf| is_velocity(*leaf));
    let inputs = leaves
        .iter()
        .copied()
        .filter(|leaf| is_position(*leaf) || is_velocity(*leaf) || (general && *leaf == Leaf::Time))
        .collect();
    let coefficients = leaves
        .iter()
        .filter_map(|leaf| match leaf {
            Leaf::Coefficient(id) => Some(*id),
            _ => None,
        })
        .collect();
    Family { path: path.to_vec(), node, inputs, coefficients, phase_rate: None, most: most(path), near: None }
}

/// The most rounds under these loops, where the declaration states a number.
fn most(path: &[Step]) -> Option<usize> {
    path.iter().try_fold(1_usize, |most, step| match step {
        Step::Loop(repeat) => most.checked_mul(repeat.count()?),
        Step::Answer(..) | Step::Stiff => Some(most),
    })
}

fn plan(graph: &mut Graph, equations: &Equations) -> Plan {
    match equations {
        Equations::Rows(rows) => Plan::Rows(
            rows.iter()
                .map(|row| {
                    let terms = near::terms(graph, row);
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
fn force_of(graph: &mut Graph, dissipation: &Form, reads_sums: bool) -> Plan {
    if reads_sums {
        let terms = near::terms(graph, dissipation);
        return Plan::Function(terms.iter().map(|term| family(graph, &term.path, term.node)).collect());
    }
    let mut families = Vec::new();
    for term in near::terms(graph, dissipation) {
        let velocities: Vec<Leaf> =
            graph.leaves(&[term.node]).into_iter().filter(|leaf| is_velocity(*leaf)).collect();
        for (velocity, slope) in velocities.iter().zip(gradient(graph, term.node, &velocities)) {
            if !graph.is_zero(slope) {
                let force = graph.negate(slope);
                families.push((*velocity, family(graph, &term.path, force)));
            }
        }
    }
    Plan::AtVelocities(families)
}

fn component_of(leaf: Leaf) -> Option<usize> {
    match leaf {
        Leaf::Position { component, .. }
        | Leaf::Velocity { component, .. }
        | Leaf::Direction { component, .. } => Some(component),
        Leaf::Coefficient(_)
        | Leaf::End(_)
        | Leaf::Time
        | Leaf::Phase
        | Leaf::Signal { .. }
        | Leaf::Internal(_) => None,
    }
}

/// The coordinates on which the mass of one term depends.
pub(crate) fn uneven_mass(graph: &mut Graph, node: NodeId, reads: &Reads) -> BTreeSet<usize> {
    let velocities: Vec<Leaf> = graph.leaves(&[node]).into_iter().filter(|leaf| is_velocity(*leaf)).collect();
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

/// The expressions at a point of this number, parameters being the same at all.
fn sampled(graph: &Graph, nodes: &[NodeId], point: u64) -> Vec<f64> {
    graph.evaluate(nodes, |leaf| {
        let seed = match leaf {
            Leaf::Position { gather, component } => (gather * 8 + component) as u64 + 1000 * point,
            Leaf::Velocity { gather, component } => (gather * 8 + component) as u64 + 1000 * point + 500,
            Leaf::Direction { .. } => 0,
            Leaf::Coefficient(id) | Leaf::End(id) => id as u64 + 77_777,
            Leaf::Time | Leaf::Phase | Leaf::Internal(_) => 1000 * point + 999,
            Leaf::Signal { number, reading } => 1000 * point + 700 + (3 * number + reading as usize) as u64,
        };
        // Numbers spread over (0.25, 1.25), the same in every compilation.
        0.25 + (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11) as f64 / (1_u64 << 53) as f64
    })
}

/// True if two numbers differ by more than rounding.
fn differ(a: f64, b: f64) -> bool {
    // A function that only Rust knows gives NaN, and NaN is no witness.
    (a - b).abs() > 1e-9 * (a.abs() + b.abs())
}

/// True if two points are found at which the expressions differ, parameters being the same.
fn varies(graph: &Graph, nodes: &[NodeId]) -> bool {
    let first = sampled(graph, nodes, 1);
    (2..6).any(|point| {
        let next = sampled(graph, nodes, point);
        first.iter().zip(next).any(|(a, b)| differ(*a, b))
    })
}

/// True if two places are found of two elements of the sums that velocities are at which the mass between them differs.
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

#[cfg(test)]
mod tests;
