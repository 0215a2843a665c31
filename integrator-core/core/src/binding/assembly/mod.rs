//! The system of a model with known parameters: one type for all models, so it is compiled once.

mod build;
mod constrained;
mod description;
mod forced;
mod forces;
mod parametric;
mod potential;
mod second;
mod through_sums;
mod undefined;
mod virial;

use super::binder::{ConstraintRows, ForceMethod};
use super::budget::Budget;
use super::facts::Facts;
use super::family::{Family, FamilySummary};
use super::function::{Function, RowFunction, Second, Space, too_many};
use super::instant::Instant;
use super::near::family::NearFamily;
use super::signals::{Now, Signals};
use super::straight::InstanceNumbers;
use super::terms::{Elements, Terms};
use crate::error::BindError;
use crate::lanes::Width;
use crate::noether::ConservedQuantity;
use crate::scratch::Scratch;
use crate::sparse::{SymmetricMatrix, SymmetricPattern};
use crate::system::{
    Followed, Forced, Holonomic, Lagrangian, Layout, MomentMethod, Moments, Nonholonomic, Parametric, RowsOf,
    Signal, State, System, Text, ThroughSums,
};
use forces::Forces;
use parametric::WithParameters;
use second::LagrangianSecond;
use std::sync::OnceLock;
use through_sums::Bordered;

/// The most second derivatives of sums over near pairs: each pair that can ever be near is an entry.
const NEAR_ENTRIES: u64 = 4_000_000;

/// L = ½ vᵀ M v − V(q, t) + R(q, v, t) with g(q, t) = 0.
///
/// The type of the model says which of the traits below apply: see [`Bound`](super::Bound).
pub struct Assembly {
    pub(super) facts: Facts,
    layout: Layout,
    pub(super) mass: SymmetricMatrix,
    kinetic: Vec<FamilySummary>,
    /// q with the sums of functions of (q, t), and (q, v, t) with the sums of functions of (q, v, t).
    pub(super) positions: Space,
    pub(super) motion: Space,
    /// The elements of V, its stiff part last.
    pub(super) potential: Elements,
    first_stiff: [usize; 2],
    /// R.
    pub(super) general: Vec<Family>,
    pub(super) constraints: RowFunction,
    rows: ConstraintRows,
    /// The rows in (q, v, t), by their kinds behind the first one.
    of_motion: [MotionRows; RowsOf::COUNT - 1],
    /// The methods of resets, events and gaps.
    moments: [Vec<MomentMethod>; 3],
    pub(super) forces: Forces,
    force_methods: Vec<ForceMethod>,
    /// True if nothing depends on the time.
    is_still: bool,
    phase: Option<[f64; 2]>,
    signals: Signals,
    /// A checksum of the numbers that the binder has collected.
    numbers: u64,
    /// The number of angles that runs follow.
    angles: usize,
    budget: Budget,
    // Second derivatives, found on demand.
    potential_second: OnceLock<Result<Second, usize>>,
    stiff_second: OnceLock<Result<Second, usize>>,
    lagrangian_second: OnceLock<Result<LagrangianSecond, usize>>,
    bordered: OnceLock<Option<Bordered>>,
    with_parameters: Option<Box<WithParameters>>,
    /// A gradient of length 2n + 1.
    gradient: Scratch<Vec<f64>>,
}

/// Rows in (q, v, t).
struct MotionRows {
    function: RowFunction,
    rows: ConstraintRows,
}

impl Assembly {
    /// Visits the elements of the families of V that have at most `most` and read coordinates alone.
    pub(super) fn visit_potential(&self, most: usize, visit: &mut dyn FnMut(usize, &[u32])) {
        let families = self.potential.families.iter().enumerate();
        for (number, family) in families.filter(|(_, family)| family.len() <= most && !family.reads_sums) {
            family.slots.for_each(|slots| visit(number, slots));
        }
    }

    /// The coefficients of the first element of each family of V, of R and of g.
    pub(super) fn straight(&self) -> InstanceNumbers {
        let of = |families: &[Family]| -> Vec<f64> {
            families.iter().flat_map(|family| family.coefficients.first()).copied().collect()
        };
        let (terms, rows) = (&self.potential.families, &self.constraints);
        let places = (0..rows.families.len()).flat_map(|family| rows.places(family)).copied();
        let (of_general, of_rows) = (of(&self.general), of(&rows.families));
        InstanceNumbers { of_terms: of(terms), of_general, of_rows, places: places.collect() }
    }

    /// Sets how many numbers are computed at once.
    pub fn set_width(&mut self, width: Width) {
        self.positions.stages.arrange(width);
        self.motion.stages.arrange(width);
        self.potential.arrange(width, self.v().stages.length);
        let (registers, length) = (width.registers(), self.r().stages.length);
        self.general.iter_mut().for_each(|family| family.arrange(registers, length));
        self.potential_second = OnceLock::new();
        self.stiff_second = OnceLock::new();
        self.lagrangian_second = OnceLock::new();
        self.bordered = OnceLock::new();
    }

    /// The sums over near pairs: of V, then of the sums that functions of positions read.
    fn all_near(&self) -> impl Iterator<Item = &NearFamily> {
        let of_stages = self.positions.stages.all.iter().flat_map(|stage| &stage.elements.near);
        self.potential.near.iter().chain(of_stages)
    }

    /// Refuses second derivatives for which there is no memory.
    ///
    /// # Errors
    /// They need more than the system may take.
    pub fn affords_second_derivatives(&self) -> Result<(), BindError> {
        self.affords_elements()?;
        self.affords_force_derivatives()?;
        let too_many = |what| move |entries| too_many(&self.facts.name, what, entries);
        if self.positions.stages.has_sums() {
            self.second_of_potential().map_err(too_many("the second derivatives of V"))?;
        }
        if self.constraints.reads_sums {
            let constraints = self.constraints.second(&self.positions);
            constraints.map_err(too_many("the second derivatives of the constraints"))?;
        }
        if self.motion.stages.has_sums() {
            self.second_of_lagrangian().map_err(too_many("the second derivatives of the Lagrangian"))?;
        }
        Ok(())
    }

    /// Refuses second derivatives of elements for which there is no memory.
    fn affords_elements(&self) -> Result<(), BindError> {
        let entries = self.all_near().map(NearFamily::second_entries).fold(0_u64, u64::saturating_add);
        if entries > NEAR_ENTRIES {
            let model = self.facts.name.to_string();
            return Err(BindError::TooManyPairs { model, entries, limit: NEAR_ENTRIES });
        }
        let families = self.potential.families.iter().chain(&self.general).chain(&self.constraints.families);
        let bytes = families.map(Family::second_bytes).fold(0_u64, u64::saturating_add);
        let part = || format!("the second derivatives of `{}`", self.facts.name);
        self.budget.ask(bytes, part, "choose a method that needs the gradient alone or smaller parameters")
    }

    /// ω and θ₀ of a fast phase.
    pub(super) fn phase(&self) -> Option<[f64; 2]> {
        self.phase
    }

    fn v(&self) -> Function<'_> {
        Function::new(&self.positions, self.potential.all())
    }

    fn stiff(&self) -> Function<'_> {
        let Terms { families, near } = self.potential.all();
        let [first, first_near] = self.first_stiff;
        self.v().part(Terms { families: &families[first..], near: &near[first_near..] })
    }

    fn r(&self) -> Function<'_> {
        Function::new(&self.motion, Terms::of(&self.general))
    }

    /// `None` if the length of an argument is not the number of degrees of freedom;
    /// results are then NaN.
    fn fits<const N: usize>(&self, numbers: &[&[f64]], results: [&mut [f64]; N]) -> Option<()> {
        let n = self.dimension();
        if numbers.iter().all(|numbers| numbers.len() == n) {
            return Some(());
        }
        results.into_iter().for_each(|result| result.fill(f64::NAN));
        None
    }

    #[inline]
    pub(super) fn instant(&self, t: f64) -> Instant {
        Instant::of(t, self.phase)
    }

    /// The time, the phase and the signals at t.
    fn at(&self, t: f64) -> Now<'_> {
        self.signals.at(self.instant(t), None)
    }

    /// Turns ∇V at the front of `gradient` into −∇V, M v and −∂V/∂t.
    fn finish_gradient(&self, q: &[f64], v: &[f64], now: &Now<'_>, gradient: &mut [f64]) {
        let n = self.dimension();
        for entry in &mut gradient[..n] {
            *entry = -*entry;
        }
        self.mass.multiply(v, &mut gradient[n..2 * n]);
        gradient[2 * n] = -self.rate(q, now);
    }

    fn rate(&self, q: &[f64], now: &Now<'_>) -> f64 {
        let depends = self.facts.classification.time || self.phase.is_some();
        if depends { self.v().rate(&[q], now) } else { 0.0 }
    }
}

impl System for Assembly {
    fn name(&self) -> &str {
        &self.facts.name
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

    fn moments(&self) -> Option<&dyn Moments> {
        if self.moments.iter().all(Vec::is_empty) { None } else { Some(self) }
    }

    fn forced(&self) -> Option<&dyn Forced> {
        if self.facts.classification.forced { Some(self) } else { None }
    }

    fn mechanics(&self) -> Option<&dyn Lagrangian> {
        Some(self)
    }

    fn parametric(&self) -> Option<&dyn Parametric> {
        Some(&**self.with_parameters.as_ref()?)
    }

    fn signals(&self) -> &[(Text, Signal)] {
        self.signals.named()
    }

    fn followed(&self) -> Option<&dyn Followed> {
        if self.angles > 0 { Some(self) } else { None }
    }

    fn conserved(&self) -> &[ConservedQuantity] {
        &self.facts.conserved
    }

    fn balanced(&self) -> &[ConservedQuantity] {
        &self.facts.balanced
    }

    fn checksums(&self) -> [u64; 2] {
        [self.facts.checksum, self.numbers]
    }

    fn undefined(&self, state: &State) -> Option<(String, usize)> {
        self.undefined_term(state)
    }
}

impl Followed for Assembly {
    fn declaration(&self) -> u64 {
        self.facts.checksum
    }

    fn angles(&self) -> usize {
        self.angles
    }

    fn follow(&self, q: &[f64], v: &[f64], t: f64, angles: &mut [f64]) {
        let Some(()) = self.fits(&[q, v], [angles]) else { return };
        let now = &self.at(t);
        let parts: [(_, &[&[f64]]); 2] =
            [(&self.positions.stages, &[q]), (&self.motion.stages, &[q, v, &[t]])];
        for (stages, x) in parts {
            if stages.all.iter().all(|stage| stage.turn.is_none()) {
                continue;
            }
            stages.at(x, now, |z| {
                for (stage, turn) in stages.all.iter().filter_map(|stage| Some((stage, stage.turn?))) {
                    let found = &z[stage.first..stage.first + stage.rows];
                    angles[turn.place..turn.place + stage.rows].copy_from_slice(found);
                }
            });
        }
    }
}

impl Lagrangian for Assembly {
    fn lagrangian(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        let Some(()) = self.fits(&[q, v], []) else { return f64::NAN };
        let now = &self.at(t);
        0.5 * self.mass.quadratic(v) - self.v().value(&[q], now) + self.r().value(&[q, v, &[t]], now)
    }

    fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        let Some(()) = self.fits(&[q, v], []) else { return f64::NAN };
        let now = &self.at(t);
        let natural = 0.5 * self.mass.quadratic(v) + self.v().value(&[q], now);
        if self.general.is_empty() {
            return natural;
        }
        let (n, x) = (self.dimension(), [q, v, &[t]]);
        self.gradient.with(|gradient| {
            gradient.fill(0.0);
            self.r().add_gradient(&x, now, gradient);
            let action: f64 = gradient[n..2 * n].iter().zip(v).map(|(p, v)| p * v).sum();
            natural + action - self.r().value(&x, now)
        })
    }

    fn first_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
        let Some(()) = self.fits(&[q, v], [gradient]) else { return };
        let now = &self.at(t);
        gradient.fill(0.0);
        self.v().add_gradient(&[q], now, &mut gradient[..q.len()]);
        self.finish_gradient(q, v, now, gradient);
        self.r().add_gradient(&[q, v, &[t]], now, gradient);
    }

    fn second_pattern(&self) -> &SymmetricPattern {
        // A caller whose second derivatives were refused does not come here.
        self.second_of_lagrangian().map_or(&self.mass.pattern, |second| &second.natural.pattern)
    }

    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        let Some(()) = self.fits(&[q, v], [gradient, hessian]) else { return };
        self.write_second((q, v, t), gradient, hessian);
    }

    fn natural_mass(&self) -> Option<&SymmetricMatrix> {
        self.general.is_empty().then_some(&self.mass)
    }

    fn through_sums(&self) -> Option<&dyn ThroughSums> {
        self.bordered().map(|_| self as &dyn ThroughSums)
    }
}
