//! The position stage with forces that depend on velocities: the implicit half of the
//! [kick](crate::method::half_kick), on the manifold.

use super::manifold::{Manifold, is_out_of_reach};
use super::newton::{Arrival, IterationVerdict, Progress};
use super::vectors::{largest_product, scale};
use crate::error::{Begun, StartError};
use crate::method::applied::{Applied, Instant};
use crate::method::force_error::{Attempt, ForceError, OF_ROWS, no_factors};
use crate::method::half_kick::KickMatrix;
use crate::method::largest::{LANES, Largest};
use crate::method::newton::{Measured, Rounding, Unknown};
use crate::sparse::{FactorError, KickSystem, RowPattern, SymmetricMatrix};
use crate::system::{Constrained, Forced, State};

/// The equations
///
/// ```text
/// M u − M w − c F(q₀, u, t₀) − G₀ᵀ x = 0,  g(q₀ + h u, t₁) = 0
/// ```
///
/// for u and x, with the velocity w after the kick by other forces and G₀ at the foot of the manifold.
pub(crate) struct HeldKick<'s> {
    forced: &'s dyn Forced,
    mass: &'s SymmetricMatrix,
    /// 1/M_ii.
    reciprocals: Vec<f64>,
    system: KickSystem,
    /// ∂F/∂(q, v) at the last evaluation; the places of the velocity derivatives in it; these
    /// derivatives in the factored K.
    derivatives: Vec<f64>,
    pub(super) of_velocities: Vec<u32>,
    factored: Vec<f64>,
    c: f64,
    /// M w.
    impulse: Vec<f64>,
    /// 1/M_ii of a diagonal mass, otherwise 1.
    pub(super) factors: Vec<f64>,
    /// f = M⁻¹ F at the velocity of the last sweep, or of the solution.
    pub(super) f: Vec<f64>,
    /// f at the sweep before.
    pub(super) before: Vec<f64>,
    /// The largest term of u.
    pub(super) size: f64,
    /// True if F depends on velocities alone.
    of_velocity: bool,
    /// If F is linear in v: a bound of |M⁻¹ ∂F/∂v|, or infinite; `derivatives` are then constant.
    linear: Option<f64>,
    /// F at the last evaluation, and the residual, which the correction of u overwrites.
    pub(super) force: Vec<f64>,
    residual: Vec<f64>,
    rounding: Rounding,
    /// x, its correction, and g/h.
    pub(super) x: Vec<f64>,
    pub(super) correction: Vec<f64>,
    pub(super) rows: Vec<f64>,
}

/// The step of a stage: from (q₀, v, t₀) by h to t₁, with a kick of size c.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KickStage<'q> {
    pub(crate) q: &'q [f64],
    pub(crate) v: &'q [f64],
    /// κ and a of the kick by other forces, and M⁻¹ F(q₀, v, t₀).
    pub(crate) kick: f64,
    pub(crate) a: &'q [f64],
    pub(crate) drag: &'q [f64],
    pub(crate) at: Instant,
    pub(crate) end: f64,
    pub(crate) h: f64,
    pub(crate) c: f64,
}

impl<'s, S: Constrained + ?Sized> Manifold<'s, S> {
    /// The memory for kicks by forces that depend on velocities, if the system has any.
    pub(crate) fn held_kick(&self) -> Result<Option<Box<HeldKick<'s>>>, StartError> {
        match self.applied {
            Applied::OfVelocity(forced) => {
                HeldKick::new(self.system, &self.pattern, forced).map(Box::new).map(Some)
            }
            Applied::OfPosition | Applied::None => Ok(None),
        }
    }
}

impl<'s> HeldKick<'s> {
    pub(crate) fn new<S: Constrained + ?Sized>(
        system: &'s S,
        jacobian: &RowPattern,
        forced: &'s dyn Forced,
    ) -> Begun<Self> {
        forced.affords_force_derivatives()?;
        let (n, m, mass) = (system.dimension(), system.constraints(), system.mass());
        let entries = forced.force_pattern().entries().zip(0_u32..).filter(|((_, column), _)| *column >= n);
        let (velocities, of_velocities): (Vec<_>, Vec<_>) =
            entries.map(|((row, column), place)| ((row, column - n), place)).unzip();
        let kicks = KickSystem::new(mass, &velocities, jacobian);
        let diagonal = |i: usize| mass.pattern.position(i, i).map_or(1.0, |place| 1.0 / mass.values[place]);
        let matrix = "the matrix of the constraints with M − ½ h ∂F/∂v";
        let kicks = kicks.ok_or_else(|| no_factors(system, matrix, (f64::NAN, 0)))?;
        Ok(Self {
            forced,
            mass,
            reciprocals: (0..n).map(diagonal).collect(),
            system: kicks,
            derivatives: vec![0.0; forced.force_pattern().len()],
            factored: vec![f64::NAN; of_velocities.len()],
            of_velocities,
            c: f64::NAN,
            impulse: vec![0.0; n],
            factors: (0..n).map(|i| if mass.is_diagonal() { diagonal(i) } else { 1.0 }).collect(),
            f: vec![0.0; n],
            before: vec![0.0; n],
            size: 0.0,
            of_velocity: forced.force_is_of_velocity(),
            linear: None,
            force: vec![0.0; n],
            residual: vec![0.0; n],
            rounding: Rounding::new(n, n),
            x: vec![0.0; m],
            correction: vec![0.0; m],
            rows: vec![0.0; m],
        })
    }

    /// Factors the matrix of a first stage, so that the factorization allocates before the steps.
    pub(crate) fn rehearse<S: Constrained + ?Sized>(
        &mut self,
        manifold: &mut Manifold<'_, S>,
        State { t, q, v }: &State,
        c: f64,
    ) {
        let stage = KickStage { q, v, kick: 0.0, a: &[], drag: &[], at: Instant::at(*t), end: *t, h: 0.0, c };
        self.evaluate(manifold, stage, v, true);
        if self.forced.force_is_linear() {
            let mut rates = vec![0.0; v.len()];
            for ((row, _), value) in self.forced.force_pattern().entries().zip(&self.derivatives) {
                rates[row] += (value * self.reciprocals[row]).abs();
            }
            // The rates are a bound only for a diagonal mass.
            let is_bound = self.mass.is_diagonal();
            self.linear = Some(if is_bound { rates.into_iter().fold(0.0, f64::max) } else { f64::INFINITY });
        }
        // A failure here is no error: the first step reports its own.
        let _ = manifold.factor_kick(self, c, true);
    }

    /// The largest change of a kick of size c, relative to a change of velocity, if it is known.
    pub(super) fn gain(&self, c: f64) -> Option<f64> {
        self.linear.filter(|rate| rate.is_finite()).map(|rate| rate * c.abs())
    }

    pub(crate) fn x(&self) -> &[f64] {
        &self.x
    }

    /// The largest residual at u, and the largest of its terms, as velocities.
    fn evaluate<S: Constrained + ?Sized>(
        &mut self,
        manifold: &Manifold<'_, S>,
        KickStage { q, at: Instant { t, sampling }, c, .. }: KickStage<'_>,
        u: &[f64],
        with_derivatives: bool,
    ) -> (f64, f64) {
        let Self { forced, mass, reciprocals, derivatives, impulse, force, residual, x, .. } = self;
        force.fill(0.0);
        if with_derivatives {
            derivatives.fill(0.0);
            forced.add_force_derivatives_sampled(q, u, t, sampling, force, derivatives);
        } else {
            forced.add_force_sampled(q, u, t, sampling, force);
        }
        mass.multiply(u, residual);
        let (mut size, mut largest) = (Largest::default(), Largest::default());
        let known = force.chunks(LANES).zip(impulse.chunks(LANES)).zip(reciprocals.chunks(LANES));
        for (residual, ((force, impulse), reciprocals)) in residual.chunks_mut(LANES).zip(known) {
            let known = force.iter().zip(impulse).zip(reciprocals);
            for (lane, (residual, ((force, impulse), reciprocal))) in
                residual.iter_mut().zip(known).enumerate()
            {
                let kick = c * force;
                size.take(lane, (kick.abs() + impulse.abs() + residual.abs()) * reciprocal);
                *residual = kick + impulse - *residual;
            }
        }
        manifold.pattern.transpose_multiply_add(&manifold.jacobian, x, residual);
        for (residual, reciprocals) in residual.chunks_mut(LANES).zip(reciprocals.chunks(LANES)) {
            for (lane, (residual, reciprocal)) in residual.iter_mut().zip(reciprocals).enumerate() {
                *residual = -*residual;
                largest.take(lane, *residual * reciprocal);
            }
        }
        let (largest, size) = (largest.found(), size.found());
        (if largest.is_finite() && size.is_finite() { largest } else { f64::NAN }, size)
    }

    /// True if the residual at u is rounding, judged by the residuals at velocities nearby.
    #[cold]
    fn is_rounding<S: Constrained + ?Sized>(
        &mut self,
        manifold: &Manifold<'_, S>,
        stage: KickStage<'_>,
        u: &[f64],
        residual: f64,
    ) -> bool {
        let mut rounding = std::mem::take(&mut self.rounding);
        let found = rounding.explains(residual, &mut Kicks { kick: self, manifold, stage }, u);
        self.rounding = rounding;
        self.evaluate(manifold, stage, u, false);
        found
    }

    /// Sets the guesses u = v + κ a + c M⁻¹ (F(q₀, v, t₀) + G₀ᵀ λ) and x = c λ; λ belongs to the state.
    pub(crate) fn begin<S: Constrained + ?Sized>(
        &mut self,
        manifold: &mut Manifold<'_, S>,
        KickStage { v, kick, a, drag, c, .. }: KickStage<'_>,
        (factor, multipliers): (f64, &[f64]),
        u: &mut [f64],
    ) {
        scale(factor, multipliers, &mut self.x);
        let mut sizes = Largest::default();
        let known = v.chunks(LANES).zip(a.chunks(LANES)).zip(drag.chunks(LANES));
        for (u, ((v, a), f)) in u.chunks_mut(LANES).zip(known) {
            for (lane, (u, ((v, a), f))) in u.iter_mut().zip(v.iter().zip(a).zip(f)).enumerate() {
                let others = kick * a;
                *u = v + (others + c * f);
                sizes.take(lane, v.abs() + others.abs());
            }
        }
        self.size = sizes.found();
        manifold.add_free_motion(&self.x, u);
    }

    /// x = ½ h λ⁺ of the last stage.
    pub(crate) fn stage_impulse(&self) -> &[f64] {
        &self.x
    }

    /// Writes M⁻¹ F(q, u, t) over y.
    pub(crate) fn accelerate<S: Constrained + ?Sized>(
        &self,
        manifold: &mut Manifold<'_, S>,
        motion: (&[f64], &[f64], Instant),
        y: &mut [f64],
    ) {
        self.evaluate_force(manifold, motion, y);
        y.iter_mut().zip(&self.factors).for_each(|(y, factor)| *y *= factor);
    }

    /// M⁻¹ F(q, u, t), without the [factors](Self::factors) of a diagonal mass.
    pub(super) fn evaluate_force<S: Constrained + ?Sized>(
        &self,
        manifold: &mut Manifold<'_, S>,
        (q, u, at): (&[f64], &[f64], Instant),
        y: &mut [f64],
    ) {
        y.fill(0.0);
        self.forced.add_force_sampled(q, u, at.t, at.sampling, y);
        if !self.mass.is_diagonal() {
            manifold.apply_inverse_mass(y);
        }
    }

    /// Writes M⁻¹ F(q, u, t) over `drag` and a + M⁻¹ F over `free`.
    pub(crate) fn accelerate_with<S: Constrained + ?Sized>(
        &self,
        manifold: &mut Manifold<'_, S>,
        motion: (&[f64], &[f64], Instant),
        a: &[f64],
        (drag, free): (&mut [f64], &mut [f64]),
    ) {
        self.evaluate_force(manifold, motion, drag);
        for ((drag, free), (a, factor)) in drag.iter_mut().zip(free).zip(a.iter().zip(&self.factors)) {
            *drag *= factor;
            *free = a + *drag;
        }
    }

    /// M⁻¹ F(q, u, t) at the end of the last stage, with its solution u.
    pub(crate) fn at_end<S: Constrained + ?Sized>(
        &mut self,
        manifold: &mut Manifold<'_, S>,
        motion: (&[f64], &[f64], Instant),
    ) -> &[f64] {
        // A force of the velocity alone is equal at both ends.
        if !self.of_velocity {
            let mut f = std::mem::take(&mut self.f);
            self.accelerate(manifold, motion, &mut f);
            self.f = f;
        }
        &self.f
    }

    /// Recomputes K from the last derivatives, if they have changed; a linear drag's have not.
    fn renew(&mut self, c: f64) -> Result<(), FactorError> {
        let mut same = self.c.to_bits() == c.to_bits();
        if same && self.linear.is_some() {
            return Ok(());
        }
        let Self { system, derivatives, of_velocities, factored, mass, .. } = self;
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

impl<S: Constrained + ?Sized> Manifold<'_, S> {
    /// Solves the equations of a stage for u and x, from the guesses of [`begin`](HeldKick::begin), and
    /// moves q there; the foot may then [advance](Self::advance).
    ///
    /// [Sweeps](Self::sweep) with the factors of the foot come first. If forces change too much for
    /// them, Newton's method follows, with K and G₀ at the first iterate; an iteration that gains less
    /// than a factor of ten gets the matrices of its own iterate. Positions are accepted and refused as
    /// in [`reach`](Self::reach); u is accepted when no equation of the kick is off by more than the
    /// tolerance times the largest velocity from any force.
    pub(crate) fn reach_with(
        &mut self,
        kick: &mut HeldKick<'_>,
        stage: KickStage<'_>,
        (q, u): (&mut [f64], &mut [f64]),
        tolerance: f64,
        most_iterations: u32,
    ) -> Attempt {
        let from = (stage.q, stage.v, stage.h);
        self.begin(from);
        self.settle_if_dependent()?;
        let mut progress = Progress::new(tolerance, most_iterations);
        if self.sweep(kick, stage, (q, u), &mut progress)? {
            return self.on_this_branch((q, stage.end), from);
        }
        let begun = progress.iterations > 0;
        self.iterate_with(kick, stage, (q, u), (progress.again(), begun))?;
        if kick.of_velocity {
            let HeldKick { f, force, mass, factors, .. } = kick;
            f.copy_from_slice(force);
            if !mass.is_diagonal() {
                self.apply_inverse_mass(f);
            }
            f.iter_mut().zip(factors).for_each(|(f, factor)| *f *= *factor);
        }
        Ok(())
    }

    /// Newton's method with K; its first matrix is the iterate's if sweeps `begun`, else the foot's.
    fn iterate_with(
        &mut self,
        kick: &mut HeldKick<'_>,
        stage: KickStage<'_>,
        (q, u): (&mut [f64], &mut [f64]),
        (mut progress, begun): (Progress, bool),
    ) -> Attempt {
        let tolerance = progress.tolerance();
        for (w, (v, a)) in kick.force.iter_mut().zip(stage.v.iter().zip(stage.a)) {
            *w = v + stage.kick * a;
        }
        kick.mass.multiply(&kick.force, &mut kick.impulse);
        let mut factored = false;
        loop {
            for ((q, old), u) in q.iter_mut().zip(stage.q).zip(&*u) {
                *q = old + stage.h * u;
            }
            let last = progress.may_end();
            if last {
                self.look(q, stage.end);
            } else {
                self.evaluations.constraints += 1;
                self.system().constraint_values(q, stage.end, &mut self.values);
            }
            let (error, size) = kick.evaluate(self, stage, u, !factored && kick.linear.is_none());
            let of_kick = if error == 0.0 { 0.0 } else { error / size };
            let of_rows = largest_product(&self.values, &self.reciprocal_sizes);
            self.look_for_leaps(of_rows, (q, stage.end), (stage.q, stage.v, stage.h))?;
            let residual = if of_kick.is_nan() { of_kick } else { of_rows.max(of_kick) };
            let stopped = progress.has_stopped(residual);
            let verdict = match progress.judge(residual) {
                IterationVerdict::Slow | IterationVerdict::Ended(Arrival::Exhausted)
                    if stopped
                        && (of_rows <= tolerance || self.is_rounding(of_rows, q, stage.end))
                        && (of_kick <= tolerance || kick.is_rounding(self, stage, u, error)) =>
                {
                    IterationVerdict::Ended(Arrival::Accepted)
                }
                verdict @ (IterationVerdict::Slow | IterationVerdict::Ended(Arrival::Exhausted))
                    if self.may_be_noise(verdict, stopped)
                        && self.is_noise(q, stage.end, tolerance, &kick.x)
                        && (of_kick <= tolerance || kick.is_rounding(self, stage, u, error)) =>
                {
                    IterationVerdict::Ended(Arrival::Accepted)
                }
                verdict => verdict,
            };
            let own_matrix = begun && !factored;
            if (own_matrix || !matches!(verdict, IterationVerdict::Fast)) && !last {
                self.look(q, stage.end);
            }
            match verdict {
                IterationVerdict::Ended(Arrival::Accepted) => {
                    return self.on_this_branch((q, stage.end), (stage.q, stage.v, stage.h));
                }
                IterationVerdict::Ended(Arrival::NotFinite) => return Err(self.not_finite(q)),
                IterationVerdict::Ended(Arrival::Exhausted) => {
                    let of_kick = || kick.not_converged(progress.iterations, tolerance * size);
                    return Err(self.not_kept(&progress).unwrap_or_else(of_kick));
                }
                IterationVerdict::Slow if factored => {
                    kick.evaluate(self, stage, u, true);
                    self.factor_kick(kick, stage.c, false)?;
                }
                IterationVerdict::Slow | IterationVerdict::Fast if !factored => {
                    self.factor_kick(kick, stage.c, !begun)?;
                    factored = true;
                }
                IterationVerdict::Slow | IterationVerdict::Fast => {}
            }
            scale(1.0 / stage.h, &self.values, &mut kick.rows);
            kick.system.solve(&kick.rows, &mut kick.residual, &mut kick.correction);
            if stopped
                && self.is_soft()
                && is_out_of_reach((of_rows, progress.is_patient()), stage.h, &kick.residual, q)
            {
                return Ok(());
            }
            u.iter_mut().zip(&kick.residual).for_each(|(u, correction)| *u += correction);
            kick.x.iter_mut().zip(&kick.correction).for_each(|(x, correction)| *x += correction);
            self.evaluations.iterations += 1;
            progress.iterations += 1;
        }
    }

    /// Factors K at the last derivatives with G at the foot or at the iterate.
    fn factor_kick(&mut self, kick: &mut HeldKick<'_>, c: f64, at_foot: bool) -> Attempt {
        let n = kick.residual.len();
        let of_kick = |error| ForceError::Singular { matrix: KickMatrix::NAME, error };
        kick.renew(c).map_err(of_kick)?;
        loop {
            self.evaluations.factorizations += 1;
            let left = if at_foot { &self.jacobian } else { &self.trial };
            match kick.system.factor(&self.jacobian, left, self.shifts()) {
                Ok(()) => return Ok(()),
                Err(error) if error.index < n => return Err(of_kick(error)),
                Err(error) if self.is_soft() => {
                    return Err(ForceError::Singular { matrix: OF_ROWS, error });
                }
                Err(_) => self.soften(),
            }
        }
    }
}

/// The equations of the velocities; a residual is measured as a velocity.
struct Kicks<'k, 'm, 's, S: ?Sized> {
    kick: &'k mut HeldKick<'s>,
    manifold: &'k Manifold<'m, S>,
    stage: KickStage<'k>,
}

impl<S: Constrained + ?Sized> Measured for Kicks<'_, '_, '_, S> {
    fn unknown(&self) -> Unknown<'_> {
        Unknown { name: "the velocities", base: &[], weight: 1.0 }
    }

    fn evaluate(&mut self, u: &[f64], residual: &mut [f64]) {
        self.kick.evaluate(self.manifold, self.stage, u, false);
        residual.copy_from_slice(&self.kick.residual);
    }

    fn size(&mut self, residual: &mut [f64]) -> f64 {
        largest_product(residual, &self.kick.reciprocals)
    }
}

impl HeldKick<'_> {
    #[cold]
    fn not_converged(&self, iterations: u32, tolerance: f64) -> ForceError {
        let (mut index, mut correction) = (0, 0.0);
        for (i, (residual, reciprocal)) in self.residual.iter().zip(&self.reciprocals).enumerate() {
            let size = (residual * reciprocal).abs();
            if size > correction {
                (index, correction) = (i, size);
            }
        }
        let unknown = "the velocities between two kicks";
        ForceError::NotConverged { unknown, iterations, correction, index, tolerance }
    }
}
