//! The system that a model becomes when its parameters are known, whatever model it was: compiled once for all of them.

use super::binder::{Binder, ForceMethod, Rows};
use super::bordered::Bordered;
use super::budget::Budget;
use super::classification::Classification;
use super::constraint::ConstraintFamily;
use super::dissipated::Dissipated;
use super::family::{Family, FamilySummary, Placed};
use super::kernel::{Arguments, Instant};
use super::moving::{Derivatives, Motion, Moving, placed};
use super::near::family::NearFamily;
use super::row::RowFamily;
use super::second::{GeneralSecond, SecondDerivatives};
use super::signals::{Now, Signals};
use super::staged::{Staged, too_many};
use super::stages::{Line, Stages};
use super::terms::{Terms, sum};
use crate::describe::Formulas;
use crate::error::BindError;
use crate::lanes::Width;
use crate::noether::ConservedQuantity;
use crate::scratch::Scratch;
use crate::sparse::{RowPattern, SymmetricMatrix, SymmetricPattern};
use crate::system::{
    Driven, Element, Elements, Forced, Holonomic, Lagrangian, Layout, Natural, Nonholonomic, Sampling,
    Signal, Stiff, System, ThroughSums, Vibrated, first_velocity,
};
use std::sync::OnceLock;

/// Sums over near pairs assemble no more second derivatives than this: those of any pair that can ever be near are entries.
const NEAR_ENTRIES: u64 = 4_000_000;

/// L = ½ vᵀ M v − V(q, t) + R(q, v, t) with g(q, t) = 0, as terms that are known by their faces alone.
///
/// Which of the faces below mean something is for the type of the model to say: see [`Bound`](super::Bound).
pub(super) struct Assembly {
    pub(super) facts: Facts,
    layout: Layout,
    pub(super) mass: SymmetricMatrix,
    pub(super) kinetic: Vec<FamilySummary>,
    /// The families of V, those of its stiff part last.
    pub(super) potential: Vec<Family>,
    pub(super) first_stiff: usize,
    /// The sums over near pairs of V, those of its stiff part last.
    pub(super) near: Vec<NearFamily>,
    pub(super) first_stiff_near: usize,
    pub(super) general: Vec<Family>,
    /// The sums that functions of (q, t) read.
    pub(super) staged: Option<Staged>,
    /// The sums that functions of (q, v, t) read.
    pub(super) moving: Option<Moving>,
    pub(super) constraints: Vec<ConstraintFamily>,
    pub(super) rows: Rows,
    pub(super) jacobian_pattern: RowPattern,
    pub(super) nonholonomic: Vec<RowFamily>,
    pub(super) nonholonomic_rows: Rows,
    /// The derivatives of constraints on velocities.
    of_velocities: Derivatives,
    /// The families of F, those of dissipations last.
    pub(super) forces: Vec<RowFamily>,
    first_dissipation: usize,
    /// The dissipations that read sums.
    pub(super) dissipated: Option<Dissipated>,
    pub(super) force_methods: Vec<ForceMethod>,
    /// The derivatives of F.
    of_forces: Derivatives,
    force_is_symmetric: bool,
    force_is_of_velocity: bool,
    phase: Option<[f64; 2]>,
    signals: Signals,
    budget: Budget,
    // Second derivatives: found when an engine first asks for them.
    potential_second: OnceLock<SecondDerivatives>,
    stiff_second: OnceLock<SecondDerivatives>,
    general_second: OnceLock<Result<GeneralSecond, usize>>,
    pub(super) bordered: OnceLock<Option<Bordered>>,
    weighted: OnceLock<(SymmetricPattern, Vec<Placed>)>,
    /// z, of length 2n + 1.
    pub(super) motion: Scratch<Vec<f64>>,
    /// A gradient, of length 2n + 1.
    gradient: Scratch<Vec<f64>>,
}

/// The facts that the compiler knows of a model without its parameters.
#[derive(Clone, Copy)]
pub(super) struct Facts {
    pub(super) name: &'static str,
    pub(super) documentation: &'static str,
    pub(super) classification: Classification,
    pub(super) conserved: &'static [ConservedQuantity],
    pub(super) balanced: &'static [ConservedQuantity],
    pub(super) formulas: Formulas,
}

impl Assembly {
    #[expect(clippy::too_many_lines, reason = "one for each part of the binder and of the assembly")]
    pub(super) fn new(facts: Facts, binder: Binder) -> Result<Self, BindError> {
        binder.moves(facts.name)?;
        let Binder {
            layout,
            mut mass,
            kinetic,
            mut potential,
            stiff,
            mut near,
            near_stiff,
            ranges: _,
            general,
            stages,
            moving,
            reader: _,
            mass_of_sums,
            mut constraints,
            rows,
            mut nonholonomic,
            nonholonomic_rows,
            mut forces,
            dissipations,
            dissipated,
            force_methods,
            phase,
            signals,
            budget,
        } = binder;
        let dimension = layout.dimension();
        let first_stiff = potential.len();
        potential.extend(stiff);
        let first_stiff_near = near.len();
        near.extend(near_stiff);
        let mut moving = Stages::new(2 * dimension + 1, moving).map(Moving::new);
        if let Some(moving) = &moving {
            mass.extend(moving.mass(
                facts.name,
                &mass_of_sums,
                &signals.at(Instant::of(0.0, phase), None),
            )?);
        }
        let mass = mass_matrix(dimension, &mass);
        let terms = Terms { families: &potential, near: &near };
        let stages = Stages::new(dimension, stages).map(|stages| (stages, terms));
        let (jacobian_pattern, staged) =
            by_sums(facts.name, (rows.count(), dimension), stages, &mut constraints)?;
        // Those that only the mass reads are done with.
        let functions = [&general[..], &dissipated];
        moving = moving.filter(|moving| moving.are_read(functions, [&nonholonomic, &forces, &dissipations]));
        let shape = (nonholonomic_rows.count(), dimension);
        let of_velocities = placed(&mut nonholonomic, shape, moving.as_ref(), &[]);
        of_velocities.afforded(facts.name, "the constraints on velocities")?;
        if general.is_empty() {
            let held = held(dimension, &jacobian_pattern, &of_velocities.pattern);
            check_mass(facts.name, &layout, &mass, &held)?;
        }
        let force_is_symmetric = is_symmetric(&forces, dimension, moving.as_ref());
        let first_dissipation = forces.len();
        forces.extend(dissipations);
        let (of_forces, dissipated) = Dissipated::beside(dimension, &mut forces, dissipated, moving.as_ref());
        let is_still = !facts.classification.time && phase.is_none() && signals.named().is_empty();
        let force_is_of_velocity = is_still
            && of_forces.refused.is_none()
            && of_forces.pattern.entries().all(|(_, column)| column >= dimension);
        // Memory that is not needed is not taken: a natural system moves without them.
        let is_still = general.is_empty() && forces.is_empty() && nonholonomic.is_empty();
        let motion = if is_still { 0 } else { 2 * dimension + 1 };
        let gradient = if first_stiff == potential.len() && first_stiff_near == near.len() {
            motion
        } else {
            motion.max(dimension)
        };
        let mut assembly = Self {
            facts,
            layout,
            mass,
            kinetic,
            potential,
            first_stiff,
            near,
            first_stiff_near,
            general,
            staged,
            moving,
            constraints,
            rows,
            jacobian_pattern,
            nonholonomic,
            nonholonomic_rows,
            of_velocities,
            forces,
            first_dissipation,
            dissipated,
            force_methods,
            of_forces,
            force_is_symmetric,
            force_is_of_velocity,
            phase,
            signals,
            budget,
            potential_second: OnceLock::new(),
            stiff_second: OnceLock::new(),
            general_second: OnceLock::new(),
            bordered: OnceLock::new(),
            weighted: OnceLock::new(),
            motion: Scratch::new(move || vec![0.0; motion]),
            gradient: Scratch::new(move || vec![0.0; gradient]),
        };
        assembly.set_width(Width::widest());
        Ok(assembly)
    }

    /// Shows the elements of the families of V that have no more than `most` and read coordinates alone.
    pub(super) fn visit_potential(&self, most: usize, visit: &mut dyn FnMut(usize, &[u32])) {
        let n = self.dimension();
        let families = self.potential.iter().enumerate();
        for (number, family) in families.filter(|(_, family)| family.len() <= most && !family.reads_behind(n))
        {
            family.slots.for_each(|slots| visit(number, slots));
        }
    }

    /// Computes with this many numbers at once.
    pub(super) fn set_width(&mut self, width: Width) {
        let (motion, extended) = (self.extended_motion(), self.extended());
        let registers = width.registers();
        self.potential.iter_mut().for_each(|family| family.arrange(registers, extended));
        self.staged.iter_mut().for_each(|staged| staged.stages.arrange(registers));
        self.moving.iter_mut().for_each(|moving| moving.stages.arrange(registers));
        let of_stages = self.staged.iter_mut().flat_map(|staged| &mut staged.stages.all);
        let of_stages = of_stages.chain(self.moving.iter_mut().flat_map(|moving| &mut moving.stages.all));
        let near = self.near.iter_mut().chain(of_stages.flat_map(|stage| &mut stage.near));
        near.for_each(|family| family.arrange(width.registers(), width.lanes()));
        self.general.iter_mut().for_each(|family| family.arrange(registers, motion));
        self.potential_second = OnceLock::new();
        self.stiff_second = OnceLock::new();
        self.general_second = OnceLock::new();
        self.bordered = OnceLock::new();
    }

    /// The sums over near pairs, those of V first, and those that functions of positions read.
    pub(super) fn all_near(&self) -> impl Iterator<Item = &NearFamily> {
        let of_stages = self.staged.iter().flat_map(|staged| &staged.stages.all);
        self.near.iter().chain(of_stages.flat_map(|stage| &stage.near))
    }

    /// The length of what potential and constraints read: of the coordinates, and of the sums behind them.
    fn extended(&self) -> usize {
        self.staged.as_ref().map_or_else(|| self.dimension(), |staged| staged.stages.length)
    }

    /// The length of what functions of (q, v, t) read.
    fn extended_motion(&self) -> usize {
        self.moving.as_ref().map_or_else(|| 2 * self.dimension() + 1, |moving| moving.stages.length)
    }

    /// The sums that constraints read, and the pattern of G by coordinates and sums.
    fn constrained_by_sums(&self) -> Option<(&Staged, &RowPattern)> {
        let staged = self.staged.as_ref()?;
        Some((staged, staged.rows.as_ref()?))
    }

    /// Refuses second derivatives for which there is no memory.
    pub(super) fn affords_second_derivatives(&self) -> Result<(), BindError> {
        self.affords_elements()?;
        self.affords_force_derivatives()?;
        self.staged.as_ref().map_or(Ok(()), |staged| self.affords_staged(staged))?;
        match self.moving.as_ref().map(|_| self.general_second()) {
            Some(Err(entries)) => {
                Err(too_many(self.facts.name, "the second derivatives of the Lagrangian", *entries))
            }
            Some(Ok(_)) | None => Ok(()),
        }
    }

    /// Refuses those of elements.
    pub(super) fn affords_elements(&self) -> Result<(), BindError> {
        let entries = self.all_near().map(NearFamily::second_entries).fold(0_u64, u64::saturating_add);
        if entries > NEAR_ENTRIES {
            let model = self.facts.name;
            return Err(BindError::TooManyPairs { model, entries, limit: NEAR_ENTRIES });
        }
        let families = self.potential.iter().chain(&self.general).map(Family::second_bytes);
        let constraints = self.constraints.iter().map(ConstraintFamily::second_bytes);
        let bytes = families.chain(constraints).fold(0_u64, u64::saturating_add);
        let part = || format!("the second derivatives of `{}`", self.facts.name);
        self.budget.ask(bytes, part, "choose a method that needs the gradient alone or smaller parameters")
    }

    /// ω and θ₀ of a fast phase.
    pub(super) fn phase(&self) -> Option<[f64; 2]> {
        self.phase
    }

    /// The terms of V.
    pub(super) fn terms(&self) -> Terms<'_> {
        Terms { families: &self.potential, near: &self.near }
    }

    /// The terms of the stiff part of V.
    pub(super) fn stiff_terms(&self) -> Terms<'_> {
        Terms { families: &self.potential[self.first_stiff..], near: &self.near[self.first_stiff_near..] }
    }

    pub(super) fn potential_by_z(&self) -> &SecondDerivatives {
        self.potential_second.get_or_init(|| SecondDerivatives::new(self.extended(), self.terms()))
    }

    pub(super) fn stiff_by_z(&self) -> &SecondDerivatives {
        self.stiff_second.get_or_init(|| SecondDerivatives::new(self.extended(), self.stiff_terms()))
    }

    pub(super) fn general_second(&self) -> &Result<GeneralSecond, usize> {
        self.general_second.get_or_init(|| {
            let sums = self.moving.as_ref().map(|moving| (&moving.stages, moving.reduction()));
            GeneralSecond::new(&self.mass.pattern, self.potential_pattern(), &self.general, sums)
        })
    }

    fn weighted(&self) -> &(SymmetricPattern, Vec<Placed>) {
        self.weighted.get_or_init(|| {
            let mut entries = Vec::new();
            let mut push = |row, column| entries.push((row, column));
            self.constraints.iter().for_each(|family| family.visit_hessian(&mut push));
            let pattern = SymmetricPattern::new(self.dimension(), entries);
            let placed = self.constraints.iter().map(|family| family.placed(&pattern)).collect();
            (pattern, placed)
        })
    }

    /// The time t, the phase that belongs to it, and the signals there.
    pub(super) fn at(&self, t: f64) -> Now<'_> {
        self.signals.at(Instant::of(t, self.phase), None)
    }

    /// From ∇V in the first part of `gradient`: −∇V, M v and −∂V/∂t.
    pub(super) fn finish_gradient(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
        let now = &self.at(t);
        let n = self.dimension();
        for entry in &mut gradient[..n] {
            *entry = -*entry;
        }
        self.mass.multiply(v, &mut gradient[n..2 * n]);
        gradient[2 * n] = -self.rate(q, now);
    }

    /// V.
    fn value(&self, q: &[f64], now: &Now<'_>) -> f64 {
        match &self.staged {
            None => self.terms().value(q, now),
            Some(staged) => self.staged_value(staged, q, now),
        }
    }

    /// ∂V/∂t.
    fn rate(&self, q: &[f64], now: &Now<'_>) -> f64 {
        if !self.facts.classification.time && self.phase.is_none() {
            return 0.0;
        }
        match &self.staged {
            None => self.terms().rate(q, now),
            Some(staged) => self.staged_rate(staged, q, now),
        }
    }

    /// ∇V, which is added to `gradient`.
    fn add_potential_gradient(&self, q: &[f64], now: &Now<'_>, gradient: &mut [f64]) {
        match &self.staged {
            None => self.terms().add_gradient(q, now, gradient),
            Some(staged) => self.add_staged_gradient(staged, q, now, gradient),
        }
    }

    /// ∇V, which is added to `gradient`, and Hess V.
    fn add_potential_second(&self, q: &[f64], now: &Now<'_>, gradient: &mut [f64], hessian: &mut [f64]) {
        match &self.staged {
            None => self.potential_by_z().add(self.terms(), q, now, gradient, hessian),
            Some(staged) => self.staged_second(staged, q, now, gradient, hessian),
        }
    }

    /// R.
    fn general_value(&self, at: Motion<'_>) -> f64 {
        let now = at.now;
        let value =
            |family: &Family, z: &[f64]| family.sweep(&family.kernel.value, Arguments::of(z, now), None);
        self.with_motion(at, |z| sum(&self.general, |family| value(family, z)))
    }
}

/// The pattern of G, and the sums that functions of (q, t) read; constraints know their places in G by coordinates and sums then.
fn by_sums(
    model: &'static str,
    (rows, dimension): (usize, usize),
    staged: Option<(Stages, Terms<'_>)>,
    constraints: &mut [ConstraintFamily],
) -> Result<(RowPattern, Option<Staged>), BindError> {
    let mut entries = Vec::new();
    constraints
        .iter()
        .for_each(|family| family.visit_jacobian(&mut |row, column| entries.push((row, column))));
    let through_sums = entries.iter().any(|(_, column)| *column >= dimension);
    let extended = staged.as_ref().map_or(dimension, |(stages, _)| stages.length);
    let pattern = RowPattern::new(rows, if through_sums { extended } else { dimension }, entries);
    constraints.iter_mut().for_each(|family| family.place(&pattern));
    if !through_sums {
        return Ok((pattern, staged.map(|(stages, potential)| Staged::new(stages, potential, None))));
    }
    let staged = staged.map(|(stages, potential)| Staged::new(stages, potential, Some(pattern)));
    let by_coordinates = staged.as_ref().map_or(Ok(None), |staged| staged.jacobian_pattern(model))?;
    Ok((by_coordinates.unwrap_or_else(|| RowPattern::new(0, dimension, [])), staged))
}

/// Refuses a mass that is not positive where nothing is held.
fn check_mass(
    model: &'static str,
    layout: &Layout,
    mass: &SymmetricMatrix,
    held: &[bool],
) -> Result<(), BindError> {
    for (index, held) in held.iter().enumerate() {
        let value = mass.pattern.position(index, index).map_or(0.0, |at| mass.values[at]);
        if value < 0.0 || (value == 0.0 && !held) {
            return Err(BindError::MassNotPositive { model, coordinate: layout.name_of(index), value });
        }
    }
    Ok(())
}

/// True if the derivatives of these forces by positions are all that they have beside those by their own velocities.
fn is_symmetric(forces: &[RowFamily], dimension: usize, moving: Option<&Moving>) -> bool {
    let mut symmetric = true;
    let moved = if forces.is_empty() { None } else { moving.map(|moving| moving.stages.moved()) };
    let moves = |column: usize| match &moved {
        Some(moved) => moved[column],
        None => column >= dimension,
    };
    forces.iter().for_each(|family| {
        family.visit_entries(&mut |row, column| {
            symmetric &= !moves(column) || column == dimension + row;
        });
    });
    symmetric
}

/// What constraints may hold, so that it needs no mass.
fn held(dimension: usize, jacobian: &RowPattern, nonholonomic: &RowPattern) -> Vec<bool> {
    let mut held = vec![false; dimension];
    jacobian.columns().iter().for_each(|column| held[*column as usize] = true);
    let velocities =
        nonholonomic.columns().iter().filter_map(|column| (*column as usize).checked_sub(dimension));
    velocities.for_each(|at| held[at] = true);
    held
}

/// The sum of the entries that the kinetic families found.
fn mass_matrix(dimension: usize, entries: &[(usize, usize, f64)]) -> SymmetricMatrix {
    let pattern = SymmetricPattern::new(dimension, entries.iter().map(|&(row, column, _)| (row, column)));
    let mut values = vec![0.0; pattern.len()];
    for &(row, column, value) in entries {
        if let Some(at) = pattern.position(row, column) {
            values[at] += value;
        }
    }
    SymmetricMatrix { pattern, values }
}

impl System for Assembly {
    fn name(&self) -> &str {
        self.facts.name
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn holonomic(&self) -> Option<&dyn Holonomic> {
        if self.facts.classification.constrained { Some(self) } else { None }
    }

    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        if self.facts.classification.nonholonomic { Some(self) } else { None }
    }

    fn forced(&self) -> Option<&dyn Forced> {
        if self.facts.classification.forced { Some(self) } else { None }
    }

    fn mechanics(&self) -> Option<&dyn Lagrangian> {
        Some(self)
    }

    fn signals(&self) -> &[(&'static str, Signal)] {
        self.signals.named()
    }

    fn conserved(&self) -> &[ConservedQuantity] {
        self.facts.conserved
    }

    fn balanced(&self) -> &[ConservedQuantity] {
        self.facts.balanced
    }
}

impl Lagrangian for Assembly {
    fn lagrangian(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        let now = &self.at(t);
        let potential = self.value(q, now);
        let natural = 0.5 * self.mass.quadratic(v) - potential;
        if self.general.is_empty() {
            return natural;
        }
        natural + self.general_value(Motion { q, v, t, now })
    }

    fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        let now = &self.at(t);
        let potential = self.value(q, now);
        let natural = 0.5 * self.mass.quadratic(v) + potential;
        if self.general.is_empty() {
            return natural;
        }
        let (n, at) = (self.dimension(), Motion { q, v, t, now });
        self.gradient.with(|gradient| {
            gradient.fill(0.0);
            self.add_general_gradient(at, gradient);
            let action: f64 = gradient[n..2 * n].iter().zip(v).map(|(p, v)| p * v).sum();
            natural + action - self.general_value(at)
        })
    }

    fn first_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
        let now = &self.at(t);
        let n = self.dimension();
        gradient.fill(0.0);
        self.add_potential_gradient(q, now, &mut gradient[..n]);
        self.finish_gradient(q, v, t, gradient);
        if !self.general.is_empty() {
            self.add_general_gradient(Motion { q, v, t, now }, gradient);
        }
    }

    fn second_pattern(&self) -> &SymmetricPattern {
        // Who is refused second derivatives does not ask for them.
        self.general_second().as_ref().map_or(&self.mass.pattern, |second| &second.natural.pattern)
    }

    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        let now = &self.at(t);
        let n = self.dimension();
        gradient.fill(0.0);
        let Ok(second) = self.general_second() else { return };
        second.potential.with(|potential| {
            self.add_potential_second(q, now, &mut gradient[..n], potential);
            second.natural.fill(&self.mass.values, potential, hessian);
        });
        self.finish_gradient(q, v, t, gradient);
        if !self.general.is_empty() {
            self.add_general_second(Motion { q, v, t, now }, gradient, hessian);
        }
    }

    fn natural_mass(&self) -> Option<&SymmetricMatrix> {
        self.general.is_empty().then_some(&self.mass)
    }

    fn through_sums(&self) -> Option<&dyn ThroughSums> {
        self.bordered().map(|_| self as &dyn ThroughSums)
    }
}

impl Natural for Assembly {
    fn mass(&self) -> &SymmetricMatrix {
        &self.mass
    }

    fn potential(&self, q: &[f64], t: f64) -> f64 {
        let now = &self.at(t);
        self.value(q, now)
    }

    fn potential_rate(&self, q: &[f64], t: f64) -> f64 {
        let now = &self.at(t);
        self.rate(q, now)
    }

    fn potential_gradient(&self, q: &[f64], t: f64, gradient: &mut [f64]) {
        let now = &self.at(t);
        gradient.fill(0.0);
        self.add_potential_gradient(q, now, gradient);
    }

    fn potential_pattern(&self) -> &SymmetricPattern {
        match &self.staged {
            None => &self.potential_by_z().pattern,
            Some(staged) => self.staged_pattern(staged),
        }
    }

    fn potential_second(&self, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        let now = &self.at(t);
        gradient.fill(0.0);
        self.add_potential_second(q, now, gradient, hessian);
    }

    fn potential_product(&self, q: &[f64], t: f64, a: &[f64], product: &mut [f64]) {
        let now = &self.at(t);
        product.fill(0.0);
        match &self.staged {
            None => self.terms().add_product(q, now, a, product),
            Some(staged) => self.staged_product(staged, q, now, a, product),
        }
    }

    fn potential_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        let now = &self.at(t);
        contraction.fill(0.0);
        match &self.staged {
            None => self.terms().add_third(q, now, a, contraction),
            Some(staged) => self.staged_third(staged, q, now, a, contraction),
        }
    }

    fn elements(&self) -> Option<&dyn Elements> {
        // A function of sums is no sum of functions of a few coordinates, and a list changes with the state, which elements do not.
        let is_sum = self.staged.is_none() && self.near.iter().all(NearFamily::has_elements);
        if is_sum { Some(self) } else { None }
    }
}

/// The families of the potential, one after the other.
impl Elements for Assembly {
    fn visit_elements(&self, visit: &mut dyn FnMut(Element, &[u32])) {
        for (terms, family) in self.potential.iter().zip(0..) {
            let mut index = 0;
            terms.visit_inputs(&mut |reads| {
                if !reads.is_empty() {
                    visit(Element { family, index }, reads);
                }
                index += 1;
            });
        }
        for (terms, family) in self.near.iter().zip(self.potential.len() as u32..) {
            terms.visit_elements(&mut |index, reads| visit(Element { family, index }, reads));
        }
    }

    fn element_value(&self, element: Element, x: &[f64], t: f64) -> f64 {
        match self.family_of(element, x) {
            Some((family, index)) => family.alone(index, &family.kernel.value, x, &self.at(t), &mut []),
            None => self
                .near_family_of(element)
                .map_or(f64::NAN, |family| family.element_value(element.index, x, &self.at(t), &mut [])),
        }
    }

    fn element_gradient(&self, element: Element, x: &[f64], t: f64, gradient: &mut [f64]) {
        match self.family_of(element, x).filter(|_| gradient.len() == x.len()) {
            Some((family, index)) => {
                gradient.fill(0.0);
                family.alone(index, &family.kernel.gradient, x, &self.at(t), gradient);
            }
            None => match self.near_family_of(element).filter(|_| gradient.len() == x.len()) {
                Some(family) => {
                    family.element_value(element.index, x, &self.at(t), gradient);
                }
                None => gradient.fill(f64::NAN),
            },
        }
    }

    fn element_name(&self, element: Element) -> String {
        let family = self.potential.get(element.family as usize).map(|family| family.kernel.name);
        family.or_else(|| self.near_family_of(element).map(NearFamily::name)).unwrap_or("").to_owned()
    }

    fn is_invariant(&self, element: Element, direction: &[f64]) -> bool {
        let vanishes = |form: &&[(usize, f64)]| {
            form.iter().map(|&(input, factor)| factor * direction[input]).sum::<f64>() == 0.0
        };
        match self.family_of(element, direction) {
            Some((family, _)) => family.kernel.forms.iter().all(vanishes),
            None => self.near_family_of(element).is_some_and(|family| family.is_invariant(direction)),
        }
    }

    fn depends_on_time(&self) -> bool {
        self.facts.classification.time || self.phase.is_some()
    }
}

impl Assembly {
    /// The family of an element, and its place there, if it reads as many numbers as these.
    fn family_of(&self, element: Element, reads: &[f64]) -> Option<(&Family, usize)> {
        let (family, index) = (self.potential.get(element.family as usize)?, element.index as usize);
        (index < family.len() && family.kernel.inputs.len() == reads.len()).then_some((family, index))
    }
}

impl Assembly {
    /// The sum over near pairs that an element belongs to.
    fn near_family_of(&self, element: Element) -> Option<&NearFamily> {
        self.near.get((element.family as usize).checked_sub(self.potential.len())?)
    }
}

impl Stiff for Assembly {
    fn stiff_pattern(&self) -> &SymmetricPattern {
        match &self.staged {
            None => &self.stiff_by_z().pattern,
            Some(staged) => self.staged_stiff_pattern(staged),
        }
    }

    fn stiff_hessian(&self, q: &[f64], t: f64, hessian: &mut [f64]) {
        let (now, n) = (&self.at(t), self.dimension());
        self.gradient.with(|gradient| {
            let gradient = &mut gradient[..n];
            match &self.staged {
                None => {
                    self.stiff_by_z().add(self.stiff_terms(), q, now, gradient, hessian);
                }
                Some(staged) => self.staged_stiff(staged, q, now, gradient, hessian),
            }
        });
    }
}

impl Holonomic for Assembly {
    fn constraints(&self) -> usize {
        self.rows.count()
    }

    fn constraint_name(&self, row: usize) -> String {
        self.rows.name_of(row)
    }

    fn constraint_values(&self, q: &[f64], t: f64, values: &mut [f64]) {
        let now = &self.at(t);
        values.fill(0.0);
        match self.constrained_by_sums() {
            None => self.constraints.iter().for_each(|family| family.add_values(q, now, values)),
            Some((staged, _)) => self.add_staged_constraints(staged, q, now, values),
        }
    }

    fn jacobian_pattern(&self) -> &RowPattern {
        &self.jacobian_pattern
    }

    fn jacobian(&self, q: &[f64], t: f64, values: &mut [f64], jacobian: &mut [f64]) {
        let now = &self.at(t);
        values.fill(0.0);
        jacobian.fill(0.0);
        match self.constrained_by_sums() {
            None => self.constraints.iter().for_each(|family| family.add_jacobian(q, now, values, jacobian)),
            Some(staged) => self.add_staged_jacobian(staged, q, now, values, jacobian),
        }
    }

    fn constraint_rate(&self, q: &[f64], t: f64, rate: &mut [f64]) {
        let now = &self.at(t);
        rate.fill(0.0);
        if self.facts.classification.time {
            match self.constrained_by_sums() {
                None => self.constraints.iter().for_each(|term| term.add_rate(q, now, rate)),
                Some(staged) => self.add_staged_constraint_rate(staged, q, now, rate),
            }
        }
    }

    fn constraint_curvature(&self, q: &[f64], v: &[f64], t: f64, curvature: &mut [f64]) {
        let now = &self.at(t);
        curvature.fill(0.0);
        match self.constrained_by_sums() {
            None => self.constraints.iter().for_each(|term| term.add_curvature(q, v, now, curvature)),
            Some(staged) => self.add_staged_curvature(staged, (q, now), v, Line::InTime, curvature),
        }
    }

    fn constraint_quadratic(&self, q: &[f64], t: f64, a: &[f64], quadratic: &mut [f64]) {
        let now = &self.at(t);
        quadratic.fill(0.0);
        match self.constrained_by_sums() {
            None => self.constraints.iter().for_each(|term| term.add_quadratic(q, now, a, quadratic)),
            Some(staged) => self.add_staged_curvature(staged, (q, now), a, Line::Fixed, quadratic),
        }
    }

    fn weighted_pattern(&self) -> &SymmetricPattern {
        match self.constrained_by_sums() {
            None => &self.weighted().0,
            Some((staged, _)) => self.staged_weighted_pattern(staged),
        }
    }

    fn weighted_hessian(&self, q: &[f64], t: f64, weights: &[f64], hessian: &mut [f64]) {
        let now = &self.at(t);
        hessian.fill(0.0);
        if let Some(staged) = self.constrained_by_sums() {
            return self.staged_weighted_hessian(staged, (q, now), weights, hessian);
        }
        for (family, placed) in self.constraints.iter().zip(&self.weighted().1) {
            family.add_weighted_hessian(placed, q, now, weights, hessian);
        }
    }

    fn add_weighted_product(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], product: &mut [f64]) {
        let now = &self.at(t);
        if let Some(staged) = self.constrained_by_sums() {
            return self.add_staged_weighted(staged, (q, now), (weights, a), 1, product);
        }
        self.constraints.iter().for_each(|term| term.add_weighted_product(q, now, weights, a, product));
    }

    fn add_weighted_third(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], contraction: &mut [f64]) {
        let now = &self.at(t);
        if let Some(staged) = self.constrained_by_sums() {
            return self.add_staged_weighted(staged, (q, now), (weights, a), 2, contraction);
        }
        self.constraints.iter().for_each(|term| term.add_weighted_third(q, now, weights, a, contraction));
    }
}

impl Nonholonomic for Assembly {
    fn nonholonomic_rows(&self) -> usize {
        self.nonholonomic_rows.count()
    }

    fn nonholonomic_name(&self, row: usize) -> String {
        self.nonholonomic_rows.name_of(row)
    }

    fn nonholonomic_pattern(&self) -> &RowPattern {
        &self.of_velocities.pattern
    }

    fn nonholonomic_values(&self, q: &[f64], v: &[f64], t: f64, values: &mut [f64]) {
        let now = &self.at(t);
        values.fill(0.0);
        self.with_motion(Motion { q, v, t, now }, |z| {
            self.nonholonomic.iter().for_each(|family| family.add_values(z, now, values));
        });
    }

    fn nonholonomic_derivatives(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        values: &mut [f64],
        derivatives: &mut [f64],
    ) {
        let now = &self.at(t);
        values.fill(0.0);
        derivatives.fill(0.0);
        self.with_motion(Motion { q, v, t, now }, |z| {
            self.nonholonomic.iter().for_each(|family| family.add_values(z, now, values));
            self.add_row_derivatives(&self.nonholonomic, &self.of_velocities, z, now, derivatives);
        });
    }

    fn nonholonomic_time_derivative(&self, q: &[f64], v: &[f64], t: f64, rate: &mut [f64]) {
        let now = &self.at(t);
        rate.fill(0.0);
        if self.facts.classification.time {
            self.add_rate_of_rows(Motion { q, v, t, now }, &self.nonholonomic, &self.of_velocities, rate);
        }
    }
}

impl Assembly {
    /// The first degree of freedom on whose velocity a force depends, where its derivatives are not assembled: of forces that depend on velocities
    /// through sums, the first that sums read.
    fn first_velocity_through_sums(&self) -> Option<usize> {
        let (n, stages) = (self.dimension(), &self.moving.as_ref()?.stages);
        let (moved, mut depends) = (stages.moved(), false);
        let mut first = n;
        let mut see = |at: usize| {
            if (n..2 * n).contains(&at) {
                first = first.min(at - n);
            }
        };
        for family in &self.forces {
            family.visit_entries(&mut |_, column| {
                depends |= moved[column];
                see(column);
            });
        }
        for family in self.dissipated() {
            family.visit_inputs(&mut |inputs| {
                for at in inputs {
                    depends |= moved[*at as usize];
                    see(*at as usize);
                }
            });
        }
        if !depends {
            return None;
        }
        for stage in &stages.all {
            let mut read = |_: usize, inputs: &[u32]| inputs.iter().for_each(|at| see(*at as usize));
            stage.families.iter().for_each(|family| family.visit_elements(&mut read));
            stage.near.iter().for_each(|family| family.visit_supplied(&mut |at| see(at as usize)));
        }
        Some(first)
    }
}

impl Forced for Assembly {
    fn add_force(&self, q: &[f64], v: &[f64], t: f64, force: &mut [f64]) {
        self.add_force_sampled(q, v, t, None, force);
    }

    fn force_pattern(&self) -> &RowPattern {
        &self.of_forces.pattern
    }

    fn affords_force_derivatives(&self) -> Result<(), BindError> {
        self.of_forces.afforded(self.facts.name, "the derivatives of the forces")
    }

    fn first_velocity(&self) -> Option<usize> {
        match self.of_forces.refused {
            Some(_) => self.first_velocity_through_sums(),
            None => first_velocity(&self.of_forces.pattern, self.dimension()),
        }
    }

    fn add_dissipation(&self, q: &[f64], v: &[f64], t: f64, force: &mut [f64]) {
        let now = &self.at(t);
        self.add_forces(&self.forces[self.first_dissipation..], Motion { q, v, t, now }, force);
    }

    fn add_force_derivatives(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        force: &mut [f64],
        derivatives: &mut [f64],
    ) {
        self.add_force_derivatives_sampled(q, v, t, None, force, derivatives);
    }

    fn takes_inputs(&self) -> bool {
        self.signals.has_inputs()
    }

    fn add_force_sampled(&self, q: &[f64], v: &[f64], t: f64, sampling: Option<Sampling>, force: &mut [f64]) {
        let now = &self.signals.at(Instant::of(t, self.phase), sampling);
        if self.force_is_of_velocity && self.moving.is_none() {
            // Nothing reads the positions.
            self.motion.with(|z| {
                z[q.len()..2 * q.len()].copy_from_slice(v);
                self.forces.iter().for_each(|term| term.add_values(z, now, force));
            });
        } else {
            self.add_forces(&self.forces, Motion { q, v, t, now }, force);
        }
    }

    fn add_force_derivatives_sampled(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        sampling: Option<Sampling>,
        force: &mut [f64],
        derivatives: &mut [f64],
    ) {
        let now = &self.signals.at(Instant::of(t, self.phase), sampling);
        if self.of_forces.refused.is_some() {
            // Who is refused them does not ask for them.
            return self.add_force_sampled(q, v, t, sampling, force);
        }
        self.with_motion(Motion { q, v, t, now }, |z| {
            self.forces.iter().for_each(|family| family.add_values(z, now, force));
            self.add_row_derivatives(&self.forces, &self.of_forces, z, now, derivatives);
        });
        self.add_forces(&[], Motion { q, v, t, now }, force);
        self.add_dissipated_derivatives(Motion { q, v, t, now }, derivatives);
    }

    fn force_is_symmetric(&self) -> bool {
        self.force_is_symmetric
    }

    fn force_is_of_velocity(&self) -> bool {
        self.force_is_of_velocity
    }

    fn dissipates(&self) -> bool {
        self.first_dissipation < self.forces.len() || self.dissipated.is_some()
    }

    fn add_dissipation_derivatives(&self, q: &[f64], v: &[f64], t: f64, derivatives: &mut [f64]) {
        if self.of_forces.refused.is_some() {
            return;
        }
        let now = &self.at(t);
        self.with_motion(Motion { q, v, t, now }, |z| {
            self.add_row_derivatives(
                &self.forces[self.first_dissipation..],
                &self.of_forces,
                z,
                now,
                derivatives,
            );
        });
        self.add_dissipated_derivatives(Motion { q, v, t, now }, derivatives);
    }
}

impl Driven for Assembly {
    fn frequency(&self) -> f64 {
        self.phase.map_or(0.0, |[frequency, _]| frequency)
    }

    fn initial_phase(&self) -> f64 {
        self.phase.map_or(0.0, |[_, initial]| initial)
    }

    fn is_even_in_phase(&self) -> bool {
        self.facts.classification.even_in_phase == Some(true)
    }
    fn constraints_depend_on_phase(&self) -> bool {
        self.facts.classification.phase_in_constraints
    }
}

impl Vibrated for Assembly {
    fn gradient_at_phase(&self, q: &[f64], t: f64, theta: f64, gradient: &mut [f64]) {
        let now = &self.signals.at(Instant { t, theta }, None);
        gradient.fill(0.0);
        self.add_potential_gradient(q, now, gradient);
    }
}
