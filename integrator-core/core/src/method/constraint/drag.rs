//! Forces that depend on velocities, as accelerations under constraints and in their matrix.

use super::foot::Foot;
use crate::error::Begun;
use crate::method::applied::Instant;
use crate::method::force_error::no_factors;
use crate::sparse::{FactorError, KickSystem, RowPattern, SymmetricMatrix};
use crate::system::{Constrained, Forced};

/// M⁻¹ F(q, v, t).
pub(super) struct Drag<'s> {
    pub(super) forced: &'s dyn Forced,
    pub(super) mass: &'s SymmetricMatrix,
    /// 1/M_ii.
    pub(super) reciprocals: Vec<f64>,
    /// 1/M_ii of a diagonal mass, otherwise 1.
    pub(super) factors: Vec<f64>,
    /// True if F depends on velocities alone.
    pub(super) of_velocity: bool,
}

impl<'s> Drag<'s> {
    pub(super) fn new<S: Constrained + ?Sized>(system: &'s S, forced: &'s dyn Forced) -> Self {
        let (n, mass) = (system.dimension(), system.mass());
        let diagonal = |i: usize| mass.pattern.position(i, i).map_or(1.0, |place| 1.0 / mass.values[place]);
        let reciprocals: Vec<f64> = (0..n).map(diagonal).collect();
        let factors = if mass.is_diagonal() { reciprocals.clone() } else { vec![1.0; n] };
        Self { of_velocity: forced.force_is_of_velocity(), forced, mass, reciprocals, factors }
    }

    /// Writes M⁻¹ F(q, u, t) over y, without the [factors](Self::factors) of a diagonal mass.
    pub(super) fn evaluate(&self, foot: &mut Foot, motion: (&[f64], &[f64], Instant), y: &mut [f64]) {
        let (q, u, at) = motion;
        y.fill(0.0);
        self.forced.add_force_sampled(q, u, at.t, at.sampling, y);
        self.invert(foot, y);
    }

    /// Writes M⁻¹ F(q, u, t) over y.
    pub(super) fn accelerate(&self, foot: &mut Foot, motion: (&[f64], &[f64], Instant), y: &mut [f64]) {
        self.evaluate(foot, motion, y);
        y.iter_mut().zip(&self.factors).for_each(|(y, factor)| *y *= factor);
    }

    /// y ← M⁻¹ y of a mass that is not diagonal.
    pub(super) fn invert(&self, foot: &mut Foot, y: &mut [f64]) {
        if !self.mass.is_diagonal() {
            foot.matrix.apply_inverse_mass(y);
        }
    }
}

/// K = M − c ∂F/∂v with the rows.
pub(super) struct HeldMatrix {
    pub(super) system: KickSystem,
    /// ∂F/∂(q, v) at the last evaluation; the places of the velocity derivatives in it; these
    /// derivatives in the factored K.
    pub(super) derivatives: Vec<f64>,
    pub(super) of_velocities: Vec<u32>,
    factored: Vec<f64>,
    c: f64,
    /// If F is linear in v: a bound of |M⁻¹ ∂F/∂v|, or infinite; `derivatives` are then constant.
    pub(super) linear: Option<f64>,
}

impl HeldMatrix {
    pub(super) fn new<S: Constrained + ?Sized>(
        system: &S,
        forced: &dyn Forced,
        rows: &RowPattern,
    ) -> Begun<Self> {
        forced.affords_force_derivatives()?;
        let (n, pattern) = (system.dimension(), forced.force_pattern());
        let entries = pattern.entries().zip(0_u32..).filter(|((_, column), _)| *column >= n);
        let (velocities, of_velocities): (Vec<_>, Vec<_>) =
            entries.map(|((row, column), place)| ((row, column - n), place)).unzip();
        let kicks = KickSystem::new(system.mass(), &velocities, rows);
        let name = "the matrix of the constraints with M − ½ h ∂F/∂v";
        Ok(Self {
            system: kicks.ok_or_else(|| no_factors(system, name, (f64::NAN, 0)))?,
            derivatives: vec![0.0; pattern.len()],
            factored: vec![f64::NAN; of_velocities.len()],
            of_velocities,
            c: f64::NAN,
            linear: None,
        })
    }

    /// Recomputes K from the last derivatives, if they have changed; a linear drag's have not.
    pub(super) fn renew(&mut self, mass: &SymmetricMatrix, c: f64) -> Result<(), FactorError> {
        let mut same = self.c.to_bits() == c.to_bits();
        if same && self.linear.is_some() {
            return Ok(());
        }
        let Self { system, derivatives, of_velocities, factored, .. } = self;
        for (known, &place) in factored.iter_mut().zip(&*of_velocities) {
            let new = derivatives[place as usize];
            same &= known.to_bits() == new.to_bits();
            *known = new;
        }
        if same {
            return Ok(());
        }
        // Without an inverse the old K is invalid, too.
        self.c = f64::NAN;
        system.set(&mass.values, c, factored)?;
        self.c = c;
        Ok(())
    }
}
