//! The system that a model becomes when its parameters are known, whatever model it was: compiled once for all of them.

mod build;
mod constrained;
mod forced;
mod potential;

use super::binder::{ForceMethod, Rows};
use super::bordered::Bordered;
use super::budget::Budget;
use super::classification::Classification;
use super::constraint::ConstraintFamily;
use super::dissipated::Dissipated;
use super::family::{Family, FamilySummary, Placed};
use super::instant::Instant;
use super::kernel::Arguments;
use super::moving::{Derivatives, Motion, Moving};
use super::near::family::NearFamily;
use super::row::RowFamily;
use super::second::{GeneralSecond, SecondDerivatives};
use super::signals::{Now, Signals};
use super::staged::{Staged, too_many};
use super::terms::{Terms, sum};
use crate::describe::Formulas;
use crate::error::BindError;
use crate::lanes::Width;
use crate::noether::ConservedQuantity;
use crate::scratch::Scratch;
use crate::sparse::{RowPattern, SymmetricMatrix, SymmetricPattern};
use crate::system::{
    Checksums, Forced, Holonomic, Lagrangian, Layout, Natural, Nonholonomic, Signal, System, ThroughSums,
};
use std::sync::OnceLock;

/// Sums over near pairs assemble no more second derivatives than this: those of any pair that can ever be near are entries.
const NEAR_ENTRIES: u64 = 4_000_000;

/// L = ½ vᵀ M v − V(q, t) + R(q, v, t) with g(q, t) = 0, as terms that are known by their faces alone.
///
/// Which of the faces below mean something is for the type of the model to say: see [`Bound`](super::Bound).
pub struct Assembly {
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
    /// A checksum of the numbers that the binder has collected.
    numbers: u64,
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
pub struct Facts {
    /// The name of the model.
    pub name: &'static str,
    /// The author's documentation.
    pub documentation: &'static str,
    /// A checksum of the declaration.
    pub checksum: u64,
    /// The structure of the mass and of the force.
    pub classification: Classification,
    /// The conserved quantities.
    pub conserved: &'static [ConservedQuantity],
    /// The balanced quantities.
    pub balanced: &'static [ConservedQuantity],
    /// The declaration in LaTeX.
    pub formulas: Formulas,
}

impl Assembly {
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
    pub fn set_width(&mut self, width: Width) {
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
    ///
    /// # Errors
    /// They need more than the system may take.
    pub fn affords_second_derivatives(&self) -> Result<(), BindError> {
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

    /// `None` where positions, velocities or directions are not one for each degree of freedom, with NaN in all results: what depends on
    /// them is unknown.
    pub(super) fn fits<const N: usize>(&self, numbers: &[&[f64]], results: [&mut [f64]; N]) -> Option<()> {
        let n = self.dimension();
        if numbers.iter().all(|numbers| numbers.len() == n) {
            return Some(());
        }
        results.into_iter().for_each(|result| result.fill(f64::NAN));
        None
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

    fn checksums(&self) -> Checksums {
        Checksums { declaration: self.facts.checksum, numbers: self.numbers }
    }
}

impl Lagrangian for Assembly {
    fn lagrangian(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        let Some(()) = self.fits(&[q, v], []) else { return f64::NAN };
        let now = &self.at(t);
        let potential = self.value(q, now);
        let natural = 0.5 * self.mass.quadratic(v) - potential;
        if self.general.is_empty() {
            return natural;
        }
        natural + self.general_value(Motion { q, v, t, now })
    }

    fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        let Some(()) = self.fits(&[q, v], []) else { return f64::NAN };
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
        let Some(()) = self.fits(&[q, v], [gradient]) else { return };
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
        let Some(()) = self.fits(&[q, v], [gradient, hessian]) else { return };
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
