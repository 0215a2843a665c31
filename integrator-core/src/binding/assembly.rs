//! The system that a model becomes when its parameters are known, whatever model it was: compiled once for all of them.

use super::Structure;
use super::binder::{Binder, ConstraintMethod, ForceMethod};
use super::constraint::ConstraintTerm;
use super::family::{FamilySummary, PotentialTerm, Term};
use super::filling::Filling;
use super::force::ForceTerm;
use super::instant::Instant;
use crate::describe::Formulas;
use crate::error::BindError;
use crate::lanes::Width;
use crate::noether::ConservedQuantity;
use crate::scratch::Scratch;
use crate::sparse::{RowPattern, SymmetricMatrix, SymmetricPattern};
use crate::system::{
    Driven, Element, Elements, Forced, Holonomic, Lagrangian, Layout, Natural, NaturalSecond, Stiff, System,
    Vibrated,
};
use std::sync::OnceLock;

/// L = ½ vᵀ M v − V(q, t) + R(q, v, t) with g(q, t) = 0, as terms that are known by their faces alone.
///
/// Which of the faces below mean something is for the type of the model to say: see [`Bound`](super::Bound).
pub(super) struct Assembly {
    pub(super) facts: Facts,
    layout: Layout,
    pub(super) mass: SymmetricMatrix,
    pub(super) kinetic: Vec<FamilySummary>,
    pub(super) potential: Vec<Box<dyn PotentialTerm>>,
    potential_filling: Filling,
    pub(super) stiff: Vec<Box<dyn PotentialTerm>>,
    stiff_filling: Filling,
    pub(super) general: Vec<Box<dyn Term>>,
    pub(super) constraints: Vec<Box<dyn ConstraintTerm>>,
    /// Whether each row and each entry of G is filled by one element only, and so written.
    constraints_alone: bool,
    pub(super) methods: Vec<ConstraintMethod>,
    pub(super) rows: usize,
    pub(super) forces: Vec<Box<dyn ForceTerm>>,
    pub(super) force_methods: Vec<ForceMethod>,
    force_pattern: RowPattern,
    phase: Option<[f64; 2]>,
    width: Width,
    jacobian_pattern: RowPattern,
    weighted_pattern: SymmetricPattern,
    second: OnceLock<NaturalSecond>,
    /// z, of length 2n + 1.
    motion: Scratch<Vec<f64>>,
    /// A gradient, of length 2n + 1.
    gradient: Scratch<Vec<f64>>,
    /// The values of Hess V.
    hessian: Scratch<Vec<f64>>,
}

/// What the compiler knows of a model without its parameters.
#[derive(Clone, Copy)]
pub(super) struct Facts {
    pub(super) name: &'static str,
    pub(super) documentation: &'static str,
    pub(super) structure: Structure,
    pub(super) conserved: &'static [ConservedQuantity],
    pub(super) formulas: Formulas,
}

impl Assembly {
    pub(super) fn new(facts: Facts, binder: Binder) -> Result<Self, BindError> {
        binder.moves(facts.name)?;
        let Binder {
            layout,
            mass,
            kinetic,
            mut potential,
            stiff,
            stiff_alone,
            general,
            mut constraints,
            methods,
            rows,
            mut forces,
            force_methods,
            phase,
        } = binder;
        let dimension = layout.dimension();
        let mass = mass_matrix(dimension, &mass);
        if general.is_empty() {
            for index in 0..dimension {
                let value = mass.pattern.position(index, index).map_or(0.0, |at| mass.values[at]);
                if value <= 0.0 {
                    let coordinate = layout.name_of(index);
                    return Err(BindError::MassNotPositive { model: facts.name, coordinate, value });
                }
            }
        }
        potential.extend(stiff);
        let width = Width::widest();
        let potential_filling = Filling::new(dimension, &mut potential, width);
        let mut stiff = stiff_alone;
        let stiff_filling = Filling::new(dimension, &mut stiff, width);
        let rows = rows as usize;
        let jacobian_pattern =
            RowPattern::new(rows, dimension, constraints.iter().flat_map(|term| term.jacobian_entries()));
        let weighted_pattern =
            SymmetricPattern::new(dimension, constraints.iter().flat_map(|term| term.hessian_entries()));
        // Every element adds to a row, and every row has one: what stood there need not be cleared before.
        let elements: usize = constraints.iter().map(|term| term.summary().elements).sum();
        let entries: usize = constraints.iter().map(|term| term.jacobian_entries().len()).sum();
        let filled = (0..rows).all(|row| !jacobian_pattern.row(row).is_empty());
        let constraints_alone = filled && elements == rows && entries == jacobian_pattern.len();
        for term in &mut constraints {
            term.place_in(&jacobian_pattern, &weighted_pattern, constraints_alone);
        }
        let entries = forces.iter().flat_map(|term| term.entries());
        let force_pattern = RowPattern::new(dimension, 2 * dimension, entries);
        forces.iter_mut().for_each(|term| term.place_in(&force_pattern));
        // Memory that is not needed is not taken: a natural system moves without them.
        let motion = if general.is_empty() && forces.is_empty() { 0 } else { 2 * dimension + 1 };
        let gradient = if stiff.is_empty() { motion } else { motion.max(dimension) };
        let entries = potential_filling.pattern.len();
        let mut assembly = Self {
            facts,
            layout,
            mass,
            kinetic,
            potential,
            potential_filling,
            stiff,
            stiff_filling,
            general,
            constraints,
            constraints_alone,
            methods,
            rows,
            forces,
            force_methods,
            force_pattern,
            phase,
            width,
            jacobian_pattern,
            weighted_pattern,
            second: OnceLock::new(),
            motion: Scratch::new(move || vec![0.0; motion]),
            gradient: Scratch::new(move || vec![0.0; gradient]),
            hessian: Scratch::new(move || vec![0.0; entries]),
        };
        if !assembly.general.is_empty() {
            let second = assembly.second_layout();
            assembly.general.iter_mut().for_each(|term| term.place_in(&second.pattern, &[], width));
            assembly.second = OnceLock::from(second);
        }
        Ok(assembly)
    }

    /// Computes with this many numbers at once.
    pub(super) fn set_width(&mut self, width: Width) {
        self.width = width;
        self.potential_filling.place(&mut self.potential, width);
        self.stiff_filling.place(&mut self.stiff, width);
        if let Some(second) = self.second.get() {
            self.general.iter_mut().for_each(|term| term.place_in(&second.pattern, &[], width));
        }
    }

    /// The time t and the phase that belongs to it.
    fn at(&self, t: f64) -> Instant {
        Instant::of(t, self.phase)
    }

    fn second(&self) -> &NaturalSecond {
        self.second.get_or_init(|| self.second_layout())
    }

    fn second_layout(&self) -> NaturalSecond {
        let general = self.general.iter().flat_map(|term| term.hessian_entries());
        NaturalSecond::new(&self.mass.pattern, &self.potential_filling.pattern, general)
    }

    /// From ∇V in the first part of `gradient`: −∇V, M v and −∂V/∂t.
    fn finish_gradient(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
        let now = self.at(t);
        let n = self.dimension();
        for entry in &mut gradient[..n] {
            *entry = -*entry;
        }
        self.mass.multiply(v, &mut gradient[n..2 * n]);
        gradient[2 * n] = -self.potential.iter().map(|term| term.time_derivative(q, now)).sum::<f64>();
    }

    /// Runs `inside` on z = (q, v, t).
    fn with_motion<R>(&self, q: &[f64], v: &[f64], t: f64, inside: impl FnOnce(&[f64]) -> R) -> R {
        let n = self.dimension();
        self.motion.with(|z| {
            z[..n].copy_from_slice(q);
            z[n..2 * n].copy_from_slice(v);
            z[2 * n] = t;
            inside(z)
        })
    }
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
        if self.facts.structure.constrained { Some(self) } else { None }
    }

    fn forced(&self) -> Option<&dyn Forced> {
        if self.facts.structure.forced { Some(self) } else { None }
    }

    fn conserved(&self) -> &[ConservedQuantity] {
        self.facts.conserved
    }
}

impl Lagrangian for Assembly {
    fn lagrangian(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        let now = self.at(t);
        let potential: f64 = self.potential.iter().map(|term| term.value(q, now)).sum();
        let natural = 0.5 * self.mass.quadratic(v) - potential;
        if self.general.is_empty() {
            return natural;
        }
        self.with_motion(q, v, t, |z| {
            natural + self.general.iter().map(|term| term.value(z, now)).sum::<f64>()
        })
    }

    fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        let now = self.at(t);
        let potential: f64 = self.potential.iter().map(|term| term.value(q, now)).sum();
        let natural = 0.5 * self.mass.quadratic(v) + potential;
        if self.general.is_empty() {
            return natural;
        }
        let n = self.dimension();
        self.with_motion(q, v, t, |z| {
            self.gradient.with(|gradient| {
                gradient.fill(0.0);
                self.general.iter().for_each(|term| term.add_gradient(z, now, gradient));
                let value: f64 = self.general.iter().map(|term| term.value(z, now)).sum();
                let action: f64 = gradient[n..2 * n].iter().zip(v).map(|(p, v)| p * v).sum();
                natural + action - value
            })
        })
    }

    fn first_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
        let now = self.at(t);
        let n = self.dimension();
        gradient.fill(0.0);
        self.potential.iter().for_each(|term| term.add_gradient(q, now, &mut gradient[..n]));
        self.finish_gradient(q, v, t, gradient);
        if !self.general.is_empty() {
            self.with_motion(q, v, t, |z| {
                self.general.iter().for_each(|term| term.add_gradient(z, now, gradient));
            });
        }
    }

    fn second_pattern(&self) -> &SymmetricPattern {
        &self.second().pattern
    }

    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        let now = self.at(t);
        let n = self.dimension();
        gradient.fill(0.0);
        self.hessian.with(|potential| {
            self.potential_filling.clear(potential);
            self.potential.iter().for_each(|term| term.add_second(q, now, &mut gradient[..n], potential));
            self.second().fill(&self.mass.values, potential, hessian);
        });
        self.finish_gradient(q, v, t, gradient);
        if !self.general.is_empty() {
            self.with_motion(q, v, t, |z| {
                self.general.iter().for_each(|term| term.add_second(z, now, gradient, hessian));
            });
        }
    }
}

impl Natural for Assembly {
    fn mass(&self) -> &SymmetricMatrix {
        &self.mass
    }

    fn potential(&self, q: &[f64], t: f64) -> f64 {
        let now = self.at(t);
        self.potential.iter().map(|term| term.value(q, now)).sum()
    }

    fn potential_rate(&self, q: &[f64], t: f64) -> f64 {
        let now = self.at(t);
        self.potential.iter().map(|term| term.time_derivative(q, now)).sum()
    }

    fn potential_gradient(&self, q: &[f64], t: f64, gradient: &mut [f64]) {
        let now = self.at(t);
        gradient.fill(0.0);
        self.potential.iter().for_each(|term| term.add_gradient(q, now, gradient));
    }

    fn potential_pattern(&self) -> &SymmetricPattern {
        &self.potential_filling.pattern
    }

    fn potential_second(&self, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        let now = self.at(t);
        gradient.fill(0.0);
        self.potential_filling.clear(hessian);
        self.potential.iter().for_each(|term| term.add_second(q, now, gradient, hessian));
    }

    fn potential_product(&self, q: &[f64], t: f64, a: &[f64], product: &mut [f64]) {
        let now = self.at(t);
        product.fill(0.0);
        self.potential.iter().for_each(|term| term.add_product(q, now, a, product));
    }

    fn potential_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        let now = self.at(t);
        contraction.fill(0.0);
        self.potential.iter().for_each(|term| term.add_third(q, now, a, contraction));
    }

    fn elements(&self) -> Option<&dyn Elements> {
        Some(self)
    }
}

/// The families of the potential, one after the other.
impl Elements for Assembly {
    fn visit_elements(&self, visit: &mut dyn FnMut(Element, &[u32])) {
        for (term, family) in self.potential.iter().zip(0..) {
            term.visit_elements(&mut |index, reads| {
                if !reads.is_empty() {
                    visit(Element { family, index }, reads);
                }
            });
        }
    }

    fn element_value(&self, element: Element, x: &[f64], t: f64) -> f64 {
        match self.potential.get(element.family as usize) {
            Some(term) => term.element_value(element.index, x, self.at(t)),
            None => f64::NAN,
        }
    }

    fn element_gradient(&self, element: Element, x: &[f64], t: f64, gradient: &mut [f64]) {
        match self.potential.get(element.family as usize) {
            Some(term) => term.element_gradient(element.index, x, self.at(t), gradient),
            None => gradient.fill(f64::NAN),
        }
    }

    fn element_name(&self, element: Element) -> String {
        self.potential
            .get(element.family as usize)
            .map_or_else(String::new, |term| term.summary().name.to_owned())
    }

    fn is_invariant(&self, element: Element, direction: &[f64]) -> bool {
        let term = self.potential.get(element.family as usize);
        term.is_some_and(|term| term.is_invariant(element.index, direction))
    }

    fn depends_on_time(&self) -> bool {
        self.facts.structure.time || self.phase.is_some()
    }
}

impl Stiff for Assembly {
    fn stiff_pattern(&self) -> &SymmetricPattern {
        &self.stiff_filling.pattern
    }

    fn stiff_hessian(&self, q: &[f64], t: f64, hessian: &mut [f64]) {
        let now = self.at(t);
        self.stiff_filling.clear(hessian);
        self.gradient.with(|gradient| {
            self.stiff.iter().for_each(|term| term.add_second(q, now, gradient, hessian));
        });
    }
}

impl Holonomic for Assembly {
    fn constraints(&self) -> usize {
        self.rows
    }

    fn constraint_name(&self, row: usize) -> String {
        match self.methods.iter().find(|method| (method.first..method.first + method.rows).contains(&row)) {
            Some(method) if method.rows == 1 => method.name.to_owned(),
            Some(method) => format!("{}[{}]", method.name, row - method.first),
            None => format!("#{row}"),
        }
    }

    fn constraint_values(&self, q: &[f64], t: f64, values: &mut [f64]) {
        let now = self.at(t);
        if !self.constraints_alone {
            values.fill(0.0);
        }
        self.constraints.iter().for_each(|term| term.put_values(q, now, values));
    }

    fn jacobian_pattern(&self) -> &RowPattern {
        &self.jacobian_pattern
    }

    fn jacobian(&self, q: &[f64], t: f64, values: &mut [f64], jacobian: &mut [f64]) {
        let now = self.at(t);
        if !self.constraints_alone {
            values.fill(0.0);
            jacobian.fill(0.0);
        }
        self.constraints.iter().for_each(|term| term.put_jacobian(q, now, values, jacobian));
    }

    fn constraint_rate(&self, q: &[f64], t: f64, rate: &mut [f64]) {
        let now = self.at(t);
        rate.fill(0.0);
        if self.facts.structure.time {
            self.constraints.iter().for_each(|term| term.add_rate(q, now, rate));
        }
    }

    fn constraint_curvature(&self, q: &[f64], v: &[f64], t: f64, curvature: &mut [f64]) {
        let now = self.at(t);
        curvature.fill(0.0);
        self.constraints.iter().for_each(|term| term.add_curvature(q, v, now, curvature));
    }

    fn constraint_quadratic(&self, q: &[f64], t: f64, a: &[f64], quadratic: &mut [f64]) {
        let now = self.at(t);
        quadratic.fill(0.0);
        self.constraints.iter().for_each(|term| term.add_quadratic(q, now, a, quadratic));
    }

    fn weighted_pattern(&self) -> &SymmetricPattern {
        &self.weighted_pattern
    }

    fn weighted_hessian(&self, q: &[f64], t: f64, weights: &[f64], hessian: &mut [f64]) {
        let now = self.at(t);
        hessian.fill(0.0);
        self.constraints.iter().for_each(|term| term.add_weighted_hessian(q, now, weights, hessian));
    }

    fn add_weighted_product(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], product: &mut [f64]) {
        let now = self.at(t);
        self.constraints.iter().for_each(|term| term.add_weighted_product(q, now, weights, a, product));
    }

    fn add_weighted_third(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], contraction: &mut [f64]) {
        let now = self.at(t);
        self.constraints.iter().for_each(|term| term.add_weighted_third(q, now, weights, a, contraction));
    }
}

impl Forced for Assembly {
    fn add_force(&self, q: &[f64], v: &[f64], t: f64, force: &mut [f64]) {
        let now = self.at(t);
        self.with_motion(q, v, t, |z| self.forces.iter().for_each(|term| term.add_force(z, now, force)));
    }

    fn force_pattern(&self) -> &RowPattern {
        &self.force_pattern
    }

    fn add_force_derivatives(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        force: &mut [f64],
        derivatives: &mut [f64],
    ) {
        let now = self.at(t);
        self.with_motion(q, v, t, |z| {
            self.forces.iter().for_each(|term| term.add_derivatives(z, now, force, derivatives));
        });
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
        self.facts.structure.even_in_phase == Some(true)
    }
    fn constraints_depend_on_phase(&self) -> bool {
        self.facts.structure.phase_in_constraints
    }
}

impl Vibrated for Assembly {
    fn gradient_at_phase(&self, q: &[f64], t: f64, theta: f64, gradient: &mut [f64]) {
        let now = Instant { t, theta };
        gradient.fill(0.0);
        self.potential.iter().for_each(|term| term.add_gradient(q, now, gradient));
    }
}
