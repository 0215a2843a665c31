//! The saddle point system of the mass and the rows at a state, factored once a step.

use super::integrand::Integrand;
use crate::carried::carried;
use crate::method::constraint::{Rows, RowsAtState};
use crate::method::largest::largest_of;
use crate::method::parts_of_second::OfVelocities;
use crate::sparse::{Factored, Proximal, Scales};
use crate::system::Lagrangian;

/// The largest acceptable change by the next refinement, relative to the largest unknown.
const REFINED: f64 = 1e-15;
const REFINEMENTS: usize = 3;
/// The power of the projector that removes rounding errors in the null space.
const POWERS: usize = 3;
/// A solution fails if it leaves more than this part of the largest term in a row of the accelerations.
const OPEN: f64 = 1e-9;

/// [M Bᵀ; B 0] with M = L_vv and the rows B, solved by the [proximal iteration](Proximal).
pub(super) struct Saddle {
    of_velocities: OfVelocities,
    /// M and B at the last factorization.
    masses: Vec<f64>,
    rows: Vec<f64>,
    factored: bool,
    scales: Scales,
    /// The places of the entries of M and of B in the matrix, with their mirror images.
    places: [Vec<[u32; 2]>; 2],
    proximal: Proximal,
    /// (b, c), its residual, and a power of the projector.
    given: Vec<f64>,
    residual: Vec<f64>,
    power: Vec<f64>,
}

impl Saddle {
    /// `None` without memory.
    pub(super) fn new<S: Lagrangian + ?Sized>(system: &S, rows: &Rows<'_>) -> Option<Self> {
        let (n, height) = (system.dimension(), rows.height());
        let of_velocities = OfVelocities::of(system);
        let mass = &of_velocities.pattern;
        let proximal = Proximal::new(n, mass.entries(), &[rows.pattern()])?;
        let place = |(i, j)| [proximal.place(i, j), proximal.place(j, i)];
        Some(Self {
            places: [
                mass.entries().map(place).collect(),
                rows.pattern().entries().map(|(row, column)| place((n + row, column))).collect(),
            ],
            masses: vec![0.0; mass.len()],
            rows: vec![0.0; rows.pattern().len()],
            factored: false,
            scales: Scales::new(n, height),
            proximal,
            given: vec![0.0; n + height],
            residual: vec![0.0; n + height],
            power: vec![0.0; n + height],
            of_velocities,
        })
    }

    /// See [`OfVelocities::stand_in`].
    pub(super) fn stand_in(&mut self, states: &[usize]) {
        self.of_velocities.stand_in(states);
    }

    /// The units of the unknowns.
    pub(super) fn scales(&self) -> &[f64] {
        self.scales.of_unknowns()
    }

    /// Factors the system at the integrand and the rows; `false` if the matrix is unchanged.
    pub(super) fn factor<S: ?Sized>(
        &mut self,
        integrand: &Integrand<'_, S>,
        rows: &Rows<'_>,
        at: &RowsAtState,
    ) -> Factored<bool> {
        let mut same = self.factored && self.rows == at.matrix;
        for (mass, value) in self.masses.iter_mut().zip(self.of_velocities.values(&integrand.hessian)) {
            same &= mass.to_bits() == value.to_bits();
            *mass = value;
        }
        if same {
            return Ok(false);
        }
        self.factored = false;
        self.rows.copy_from_slice(&at.matrix);
        self.eliminate(rows)?;
        Ok(true)
    }

    /// Factors a restored matrix again, if it had factors.
    pub(super) fn factor_again(&mut self, rows: &Rows<'_>) {
        self.factored = self.factored && self.eliminate(rows).is_ok();
    }

    /// Factors the present M and B.
    fn eliminate(&mut self, rows: &Rows<'_>) -> Factored {
        self.scales.measure((&self.of_velocities.pattern, &self.masses), (rows.pattern(), &self.rows));
        let Self { proximal, scales, places, masses, rows, .. } = self;
        proximal.factor(scales.of_unknowns(), |values| {
            for (places, entries) in places.iter().zip([&*masses, &*rows]) {
                for (&[place, mirror], entry) in places.iter().zip(entries) {
                    (values[place as usize], values[mirror as usize]) = (*entry, *entry);
                }
            }
        })?;
        self.factored = true;
        Ok(())
    }

    /// One proximal solution; overwrites the right-hand side.
    pub(super) fn correct(&mut self, x: &mut [f64]) {
        self.proximal.solve(x);
    }

    /// y ← y + Bᵀ x.
    pub(super) fn add_forces(&self, rows: &Rows<'_>, x: &[f64], y: &mut [f64]) {
        rows.pattern().transpose_multiply_add(&self.rows, x, y);
    }

    /// The right-hand side (b, c) of [`Saddle::refine`] and [`Saddle::solve`], to be written.
    pub(super) fn given(&mut self) -> &mut [f64] {
        &mut self.given
    }

    /// The largest entry of (b, c), each in its unit, and its index.
    pub(super) fn worst_given(&self) -> (f64, usize) {
        let mut worst = (0.0_f64, 0);
        for (index, (given, scale)) in self.given.iter().zip(self.scales()).enumerate() {
            let size = (given * scale).abs();
            worst = if size > worst.0 { (size, index) } else { worst };
        }
        worst
    }

    /// (x, y) with M x + Bᵀ y = b and B x = c, by proximal iterations from zero.
    pub(super) fn refine(&mut self, rows: &Rows<'_>, solution: &mut [f64]) {
        let n = self.of_velocities.pattern.dimension();
        solution.fill(0.0);
        let mut before = [f64::INFINITY; 2];
        for refinement in 0..=REFINEMENTS {
            if refinement == 0 {
                self.residual.copy_from_slice(&self.given);
            } else {
                self.leave(rows, solution);
            }
            self.proximal.solve(&mut self.residual);
            solution.iter_mut().zip(&self.residual).for_each(|(x, change)| *x += change);
            let scales = self.scales.of_unknowns();
            let mut refined = refinement > 0;
            for (part, before) in [0..n, n..scales.len()].into_iter().zip(&mut before) {
                let scales = &scales[part.clone()];
                let change = length(&self.residual[part.clone()], scales);
                // The next change should shrink as this one did.
                let gain = if *before > 0.0 { (change / *before).min(1.0) } else { 1.0 };
                refined = refined && change * gain <= REFINED * length(&solution[part], scales);
                *before = change;
            }
            if refined {
                break;
            }
        }
    }

    /// [`Saddle::refine`] with the y of least norm; `false` if the rows stay open.
    fn solve(&mut self, rows: &Rows<'_>, solution: &mut [f64]) -> bool {
        self.refine(rows, solution);
        self.leave(rows, solution);
        let (n, scales) = (self.of_velocities.pattern.dimension(), self.scales.of_unknowns());
        let open = length_of_given(&self.residual[n..], &scales[n..]);
        // Relative to the terms that cancel: in equilibrium only the forces remain.
        let size = length_of_given(&self.given, scales) + length(&solution[..n], scales);
        let solved = open <= OPEN * size;
        self.remove_null(&mut solution[n..]);
        solved && solution.iter().all(|x| x.is_finite())
    }

    /// Solves M a − Bᵀ λ = L_q + F − L_vq v − L_vt and B a = −γ for (a, −λ) at the state of the
    /// arguments; `false` if the rows stay open.
    pub(super) fn accelerate<S: Lagrangian + ?Sized>(
        &mut self,
        integrand: &mut Integrand<'_, S>,
        rows: &Rows<'_>,
        at: &RowsAtState,
        (q, v, t): (&[f64], &[f64], f64),
        solution: &mut [f64],
    ) -> bool {
        let (free, constrained) = self.given.split_at_mut(q.len());
        integrand.add_force(q, v, t);
        free.copy_from_slice(integrand.force());
        self.of_velocities.add_mixed(&integrand.hessian, -1.0, v, free);
        rows.curvature(q, v, t, at, constrained);
        constrained.iter_mut().for_each(|entry| *entry = -*entry);
        self.solve(rows, solution)
    }

    /// Writes (b − M x − Bᵀ y, c − B x) into the residual.
    fn leave(&mut self, rows: &Rows<'_>, solution: &[f64]) {
        let n = self.of_velocities.pattern.dimension();
        let (x, y) = solution.split_at(n);
        let (free, constrained) = self.residual.split_at_mut(n);
        free.fill(0.0);
        constrained.fill(0.0);
        self.of_velocities.pattern.multiply_add(&self.masses, x, free);
        rows.pattern().transpose_multiply_add(&self.rows, y, free);
        rows.pattern().multiply_add(&self.rows, x, constrained);
        for (residual, given) in self.residual.iter_mut().zip(&self.given) {
            *residual = given - *residual;
        }
    }

    /// z ← δ (S + δ)⁻¹ z with S = B M⁻¹ Bᵀ: keeps the null space of Bᵀ, and all but removes the rest.
    pub(super) fn keep_null(&mut self, z: &mut [f64]) {
        let n = self.of_velocities.pattern.dimension();
        let (free, constrained) = self.power.split_at_mut(n);
        free.fill(0.0);
        let delta = self.proximal.delta();
        for ((out, z), scale) in constrained.iter_mut().zip(&*z).zip(&self.scales.of_unknowns()[n..]) {
            *out = -delta * z / (scale * scale);
        }
        self.proximal.solve(&mut self.power);
        z.copy_from_slice(&self.power[n..]);
    }

    /// y ← y − P y, with the projector P onto the null space of Bᵀ: removes rounding errors there.
    fn remove_null(&mut self, y: &mut [f64]) {
        let n = self.of_velocities.pattern.dimension();
        let mut null = std::mem::take(&mut self.residual);
        let part = &mut null[n..];
        part.copy_from_slice(y);
        let largest = |y: &[f64]| y.iter().fold(0.0_f64, |largest, y| largest.max(y.abs()));
        let whole = largest(y);
        for _ in 0..POWERS {
            self.keep_null(part);
            // For independent rows the null part vanishes soon.
            if largest(part) <= REFINED * whole {
                break;
            }
        }
        y.iter_mut().zip(&*part).for_each(|(y, part)| *y -= part);
        self.residual = null;
    }
}

/// The largest of some velocities, each in its unit; not finite if one of them is not.
pub(super) fn length(velocities: &[f64], scales: &[f64]) -> f64 {
    largest_of(velocities, &scales[..velocities.len()], |velocity, scale| velocity / scale)
}

/// The largest of some right-hand sides, each in its unit; not finite if one of them is not.
pub(super) fn length_of_given(values: &[f64], scales: &[f64]) -> f64 {
    largest_of(values, &scales[..values.len()], |value, scale| value * scale)
}

carried!([] Saddle {
    masses, rows, factored, scales
} besides { of_velocities, places, proximal, given, residual, power });
