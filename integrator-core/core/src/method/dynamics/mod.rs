//! The equations of motion of a system with its constraints: accelerations, multipliers, projections and
//! impulses.

pub(super) mod equations;
pub(super) mod newton_matrix;

use crate::carried::{Carried, CarryError, Memory, carried, part};
use crate::error::Begun;
use crate::method::applied::Instant;
use crate::method::border::{Border, NodePart, through_sums};
use crate::method::constraint::{Excess, Rows, RowsAtState};
use crate::method::first_order::Balance;
use crate::method::force_error::{Attempt, ForceError, no_factors};
use crate::method::parts_of_second::OfVelocities;
use crate::method::report::Evaluations;
use crate::noether::Motion;
use crate::sparse::{ConstrainedMass, RowPattern, Saddle, SolveError};
use crate::system::{Forced, Lagrangian, State, System, turns};
use equations::MotionEquations;
use newton_matrix::NewtonMatrix;

/// The name of the matrix of the accelerations in messages.
const MATRIX: &str = "∂²L/∂v∂v (with the constraints, where there are any)";
const PROJECTIONS: usize = 20;

/// The accelerations, multipliers and projections of a system, constrained or not.
pub(super) struct Dynamics<'s, L: ?Sized> {
    lagrangian: &'s L,
    rows: Option<Standing<'s>>,
    forced: Option<&'s dyn Forced>,
    mass: MassMatrix<'s>,
    balance: Option<Box<Balance<'s>>>,
    /// True if the saddle holds the factors of a constant matrix.
    settled: bool,
    gradient: Vec<f64>,
    /// (a, μ) with μ = −λ, n + m.
    solution: Vec<f64>,
    /// The work, if the energy is not conserved.
    energy: Option<EnergySupply>,
    pub(super) counts: Evaluations,
}

/// The power at the last evaluation, and the work done since the start.
struct EnergySupply {
    power: f64,
    /// The sum, and the sum of magnitudes.
    work: [f64; 2],
    /// Velocities of zero, and ∂g/∂t and b.
    rest: Vec<f64>,
    rates: Vec<f64>,
}

/// The constraints, and their values at the last evaluation.
struct Standing<'s> {
    rows: Rows<'s>,
    at: RowsAtState,
}

/// L_vv, and the matrix for the accelerations.
enum MassMatrix<'s> {
    /// L = ½ vᵀ M v − V with this M.
    Natural(ConstrainedMass<'s>),
    /// Any L.
    General(GeneralMass, Saddle),
    /// L through its sums.
    ThroughSums(Box<Border<'s>>),
}

struct GeneralMass {
    of_velocities: OfVelocities,
    hessian: Vec<f64>,
    /// The values of L_vv.
    values: Vec<f64>,
}

impl<'s, L: Lagrangian + ?Sized> Dynamics<'s, L> {
    pub(super) fn system(&self) -> &'s L {
        self.lagrangian
    }

    /// For accelerations; with `with_newton` for Newton's method, too.
    /// The velocities of first order of the state are balanced.
    pub(super) fn new(lagrangian: &'s L, state: &mut State, with_newton: bool) -> Begun<Self> {
        let balance = Balance::of(lagrangian, state)?.map(Box::new);
        let n = lagrangian.dimension();
        let rows = Rows::of(lagrangian).map(|rows| Standing { at: rows.at(), rows });
        let none = RowPattern::new(0, n, []);
        let constraints = rows.as_ref().map_or(&none, |standing| standing.rows.pattern());
        let no_memory = || no_factors(lagrangian, MATRIX, (0.0, 0));
        let (height, is_explicit) = (constraints.height(), rows.is_none() && !with_newton);
        let mass = if let Some(mass) = lagrangian.natural_mass().filter(|_| balance.is_none()) {
            MassMatrix::Natural(ConstrainedMass::new(mass, constraints).ok_or_else(no_memory)?)
        } else if let Some(through) =
            (is_explicit && balance.is_none()).then(|| through_sums(lagrangian)).flatten()
        {
            MassMatrix::ThroughSums(Box::new(Border::new(through, 1, false).ok_or_else(no_memory)?))
        } else {
            lagrangian.affords_second_derivatives()?;
            let mut of_velocities = OfVelocities::of(lagrangian);
            of_velocities.stand_in(balance.as_ref().map_or(&[], |balance| balance.states()));
            let saddle = Saddle::new(&of_velocities.pattern, constraints).ok_or_else(no_memory)?;
            let hessian = vec![0.0; lagrangian.second_pattern().len()];
            let values = vec![0.0; of_velocities.pattern.len()];
            MassMatrix::General(GeneralMass { of_velocities, hessian, values }, saddle)
        };
        Ok(Self {
            solution: vec![0.0; n + height],
            lagrangian,
            rows,
            forced: lagrangian.forced(),
            balance,
            settled: false,
            gradient: vec![0.0; 2 * n + 1],
            counts: Evaluations::default(),
            energy: (!conserves_energy(lagrangian)).then(|| EnergySupply {
                power: 0.0,
                work: [0.0; 2],
                rest: vec![0.0; n],
                rates: vec![0.0; height],
            }),
            mass,
        })
    }

    /// The work since the start, and the sum of its magnitudes; `None` if energy is conserved.
    pub(super) fn work(&self) -> Option<[f64; 2]> {
        self.energy.as_ref().map(|energy| energy.work)
    }

    /// Takes a jump of the energy as work, as where a table in L jumps, between two times.
    pub(super) fn take_jump(&mut self, [q, v]: [&[f64]; 2], t: f64, sign: f64) {
        if let Some(energy) = &mut self.energy {
            energy.work[0] += sign * self.lagrangian.energy(q, v, t);
        }
    }

    /// Sets the power from forces F and multipliers −μ at the last evaluation.
    fn supply(&mut self, q: &[f64], t: f64, of_forces: f64, negative: &[f64]) {
        let (Some(energy), rows) = (&mut self.energy, &self.rows) else { return };
        let of_time = self.gradient.last().copied().unwrap_or(f64::NAN);
        energy.power = of_forces - of_time;
        if let Some(rows) = rows {
            rows.rows.driven_rates(q, &energy.rest, t, &mut energy.rates);
            energy.power += dot(negative, &energy.rates);
        }
    }

    /// The matrix of Newton's method for the equations of motion.
    pub(super) fn newton_matrix(&self) -> Begun<NewtonMatrix> {
        self.lagrangian.affords_second_derivatives()?;
        let none = RowPattern::new(0, self.lagrangian.dimension(), []);
        let constraints = self.rows.as_ref().map_or(&none, |standing| standing.rows.pattern());
        NewtonMatrix::new(self.lagrangian, constraints)
            .ok_or_else(|| no_factors(self.lagrangian, MATRIX, (0.0, 0)))
    }

    /// The degree of freedom or equation of an unknown of the linear system.
    pub(super) fn name_of(&self, index: usize) -> String {
        let n = self.lagrangian.dimension();
        match &self.rows {
            Some(standing) if index >= n => standing.rows.name(index - n),
            _ => self.lagrangian.layout().name_of(index),
        }
    }

    /// Writes the multipliers λ of the last accelerations over `multipliers`.
    pub(super) fn multipliers(&self, multipliers: &mut [f64]) {
        let n = self.lagrangian.dimension();
        for (out, negative) in multipliers.iter_mut().zip(&self.solution[n..]) {
            *out = -negative;
        }
    }

    /// Measures the terms of the rows at a start.
    pub(super) fn measure_terms(&mut self, q: &[f64], t: f64) {
        self.rows.iter_mut().for_each(|standing| standing.rows.measure_terms(q, t));
    }

    /// Moves q onto g(q, t) = 0 by Newton's method, along motions that nonholonomic rows allow, then v
    /// onto G v + ∂ₜg = 0 and A v + b = 0.
    ///
    /// # Errors
    /// A singular matrix; a row whose residual is more than the part `far` of its natural size, which no
    /// motion that kept its rate has left.
    pub(super) fn project(&mut self, q: &mut [f64], v: &mut [f64], t: f64, far: f64) -> Attempt {
        let Some(positions) = self.rows.as_ref().map(|standing| standing.rows.holonomic()) else {
            return Ok(());
        };
        let n = q.len();
        let mut last = f64::INFINITY;
        for _ in 0..PROJECTIONS {
            self.evaluate(q, v, t);
            if let Some(Standing { rows, at }) = self.rows.as_mut().filter(|_| last.is_infinite()) {
                rows.measure_step((q, v), 0.0, at);
                let worst = rows.worst(&at.values[..positions], far);
                if let Some(Excess { row, residual, .. }) = worst.filter(|worst| worst.residual.is_finite()) {
                    return Err(ForceError::Leap { index: n + row, jumps: true, size: residual.abs() });
                }
            }
            self.factor()?;
            let Some(Standing { at, .. }) = &self.rows else { break };
            let residual = largest(&at.values[..positions]);
            // Newton's method converges quadratically: it has reached round-off when it stops gaining.
            if residual == 0.0 || residual.is_nan() || residual > 0.25 * last {
                break;
            }
            last = residual;
            self.solution.fill(0.0);
            for (out, value) in self.solution[n..].iter_mut().zip(&at.values[..positions]) {
                *out = -value;
            }
            self.solve()?;
            self.correct(q);
        }
        self.make_tangent(q, v, t)
    }

    /// Stands at a state for [impulses](Self::respond).
    pub(super) fn stand_at(&mut self, q: &[f64], v: &[f64], t: f64) -> Attempt {
        self.evaluate(q, v, t);
        self.factor()
    }

    /// Replaces an impulse by the change of the velocities that it makes, tangent to the constraints.
    pub(super) fn respond(&mut self, impulse: &mut [f64]) -> Attempt {
        let n = impulse.len();
        let (free, constrained) = self.solution.split_at_mut(n);
        free.copy_from_slice(impulse);
        constrained.fill(0.0);
        self.solve()?;
        impulse.copy_from_slice(&self.solution[..n]);
        Ok(())
    }

    /// Moves v onto G v + ∂ₜg = 0 and A v + b = 0.
    pub(super) fn make_tangent(&mut self, q: &[f64], v: &mut [f64], t: f64) -> Attempt {
        self.stand_at(q, v, t)?;
        self.solution[..q.len()].fill(0.0);
        self.solve_for_rates((q, v, t))?;
        self.correct(v);
        Ok(())
    }

    /// Writes ∂L/∂v at a state over `momentum`; false if it is M v with a constant M.
    pub(super) fn momentum(&mut self, q: &[f64], v: &[f64], t: f64, momentum: &mut [f64]) -> bool {
        if matches!(self.mass, MassMatrix::Natural(..)) {
            return false;
        }
        self.evaluate(q, v, t);
        momentum.copy_from_slice(&self.gradient[q.len()..2 * q.len()]);
        true
    }

    /// Solves ∂L/∂v(q, v, t) + Bᵀ μ = p for v on the rates of the constraints: the velocity of a
    /// momentum after a bend of a signal.
    pub(super) fn take_momentum(&mut self, q: &[f64], v: &mut [f64], t: f64, p: &[f64]) -> Attempt {
        let n = q.len();
        let mut last = f64::INFINITY;
        for _ in 0..PROJECTIONS {
            self.evaluate(q, v, t);
            self.factor()?;
            for (out, (p, own)) in self.solution[..n].iter_mut().zip(p.iter().zip(&self.gradient[n..])) {
                *out = p - own;
            }
            self.solve_for_rates((q, v, t))?;
            let change = largest(&self.solution[..n]);
            // Newton's method has reached round-off when it stops gaining; if L is quadratic, at once.
            if change.is_nan() || change > 0.25 * last {
                break;
            }
            last = change;
            self.correct(v);
        }
        Ok(())
    }

    /// Solves with the negative rates of the rows beside the given equations of the momenta.
    fn solve_for_rates(&mut self, (q, v, t): (&[f64], &[f64], f64)) -> Attempt {
        if let Some(Standing { rows, at }) = &self.rows {
            let constrained = &mut self.solution[q.len()..];
            rows.rates(q, v, t, at, constrained);
            constrained.iter_mut().for_each(|entry| *entry = -*entry);
        }
        self.solve()
    }

    /// Adds the solution to positions or velocities.
    fn correct(&self, x: &mut [f64]) {
        x.iter_mut().zip(&self.solution).for_each(|(x, correction)| *x += correction);
    }

    fn states(&self) -> &[usize] {
        self.balance.as_ref().map_or(&[], |balance| balance.states())
    }

    /// Evaluates the derivatives of L, and the constraints with their Jacobian.
    fn evaluate(&mut self, q: &[f64], v: &[f64], t: f64) {
        match &mut self.mass {
            MassMatrix::Natural(..) => {
                self.counts.gradients += 1;
                self.lagrangian.first_derivatives(q, v, t, &mut self.gradient);
            }
            MassMatrix::ThroughSums(border) => {
                border.clear();
                border.add(NodePart::MASS, (q, v, Instant::at(t)), &mut self.gradient, &mut self.counts);
            }
            MassMatrix::General(GeneralMass { of_velocities, hessian, values }, _) => {
                self.counts.gradients += 1;
                self.counts.hessians += 1;
                self.lagrangian.second_derivatives(q, v, t, &mut self.gradient, hessian);
                values.iter_mut().zip(of_velocities.values(hessian)).for_each(|(own, value)| *own = value);
            }
        }
        if let Some(Standing { rows, at }) = &mut self.rows {
            rows.evaluate(q, v, t, at, &mut self.counts);
        }
    }

    /// Factors the saddle at the last evaluation; a constant mass without constraints only once.
    fn factor(&mut self) -> Attempt {
        if self.settled {
            return Ok(());
        }
        let matrix = self.rows.as_ref().map_or(&[][..], |standing| &standing.at.matrix);
        let factored = match &mut self.mass {
            MassMatrix::ThroughSums(border) => border.factor(&mut self.counts),
            MassMatrix::Natural(equations) => {
                self.counts.factorizations += 1;
                equations.factor(matrix)
            }
            MassMatrix::General(general, saddle) => {
                self.counts.factorizations += 1;
                saddle.factor(&general.values, matrix, matrix)
            }
        };
        factored.map_err(|error| ForceError::Singular { matrix: MATRIX, error })?;
        self.settled = self.rows.is_none() && matches!(self.mass, MassMatrix::Natural(..));
        Ok(())
    }

    fn solve(&mut self) -> Attempt {
        let matrix = self.rows.as_ref().map_or(&[][..], |standing| &standing.at.matrix);
        let solved = match &mut self.mass {
            MassMatrix::Natural(equations) => equations.solve(matrix, &mut self.solution),
            MassMatrix::General(_, saddle) => saddle.solve(&mut self.solution),
            MassMatrix::ThroughSums(border) => border.solve(&mut self.solution),
        };
        solved.map_err(unsolved)
    }
}

impl<L: Lagrangian + ?Sized> MotionEquations for Dynamics<'_, L> {
    fn arrive(&mut self, y: &[f64], t: f64) {
        let (q, v) = y.split_at(self.lagrangian.dimension());
        turns::arrive(self.lagrangian.followed(), q, v, t);
    }

    /// a(q, v, t), with the multipliers of constraints.
    fn accelerate(&mut self, q: &[f64], v: &[f64], t: f64, a: &mut [f64]) -> Attempt {
        self.evaluate(q, v, t);
        self.factor()?;
        let n = q.len();
        // L_q − L_vq v − L_vt + F
        let (free, constrained) = self.solution.split_at_mut(n);
        free.copy_from_slice(&self.gradient[..n]);
        if let MassMatrix::General(general, _) = &self.mass {
            general.of_velocities.add_mixed(&general.hessian, -1.0, v, free);
        }
        let mut of_forces = 0.0;
        if let Some(forced) = self.forced {
            of_forces = -dot(v, free);
            forced.add_force(q, v, t, free);
            of_forces += dot(v, free);
        }
        if let MassMatrix::ThroughSums(border) = &mut self.mass {
            border.accelerate(v, free).map_err(unsolved)?;
            a.copy_from_slice(free);
            self.supply(q, t, of_forces, &[]);
            return Ok(());
        }
        // −(vᵀ Hess g v + …)
        if let Some(Standing { rows, at }) = &self.rows {
            rows.curvature(q, v, t, at, constrained);
            for entry in constrained {
                *entry = -*entry;
            }
        }
        self.solve()?;
        a.copy_from_slice(&self.solution[..n]);
        // The velocities of first order are no part of the state.
        self.states().iter().for_each(|index| a[*index] = 0.0);
        let solution = std::mem::take(&mut self.solution);
        self.supply(q, t, of_forces, &solution[n..]);
        self.solution = solution;
        Ok(())
    }

    fn complete(&mut self, q: &[f64], v: &[f64], t: f64, rate: &mut [f64]) -> Attempt {
        rate.copy_from_slice(v);
        let lagrangian = self.lagrangian;
        self.balance.as_mut().map_or(Ok(()), |balance| balance.solve(lagrangian, q, rate, t))
    }

    fn power(&self) -> f64 {
        self.energy.as_ref().map_or(0.0, |energy| energy.power)
    }

    fn add_work(&mut self, h: f64, weights: &[f64], powers: &[f64]) {
        if let Some(energy) = &mut self.energy {
            for (weight, power) in weights.iter().zip(powers) {
                energy.work[0] += h * weight * power;
                energy.work[1] += (h * weight * power).abs();
            }
        }
    }

    fn unknowns(&self) -> &[f64] {
        &self.solution
    }

    fn residual(&mut self, q: &[f64], v: &[f64], t: f64, unknowns: &[f64], residual: &mut [f64]) {
        self.evaluate(q, v, t);
        let n = q.len();
        let (a, multipliers) = unknowns.split_at(n);
        let (free, constrained) = residual.split_at_mut(n);
        // F − …; the sign changes below.
        free.fill(0.0);
        if let Some(forced) = self.forced {
            forced.add_force(q, v, t, free);
        }
        let of_forces = dot(v, free);
        for (free, slope) in free.iter_mut().zip(&self.gradient) {
            *free = -*free - slope;
        }
        match &self.mass {
            MassMatrix::Natural(equations) => {
                equations.mass.pattern.multiply_add(&equations.mass.values, a, free);
            }
            // Newton's method does not support it.
            MassMatrix::ThroughSums(_) => free.fill(f64::NAN),
            MassMatrix::General(GeneralMass { of_velocities, hessian, values }, _) => {
                of_velocities.pattern.multiply_add(values, a, free);
                of_velocities.add_mixed(hessian, 1.0, v, free);
            }
        }
        // Without the mass of 1 that stands in.
        self.states().iter().for_each(|index| free[*index] -= a[*index]);
        if let Some(Standing { rows, at }) = &self.rows {
            rows.pattern().transpose_multiply_add(&at.matrix, multipliers, free);
            rows.curvature(q, v, t, at, constrained);
            rows.pattern().multiply_add(&at.matrix, a, constrained);
        }
        self.supply(q, t, of_forces, multipliers);
    }

    fn linearize(&mut self, q: &[f64], v: &[f64], t: f64, unknowns: &[f64], matrix: &mut NewtonMatrix) {
        let NewtonMatrix { second, of_force, weighted, rows: of_rows, .. } = matrix;
        self.lagrangian.second_derivatives(q, v, t, &mut self.gradient, second);
        self.counts.hessians += 1;
        if let Some(forced) = self.forced {
            of_force.fill(0.0);
            forced.add_force_derivatives(q, v, t, &mut self.gradient[..q.len()], of_force);
        }
        if let Some(Standing { rows, at }) = &mut self.rows {
            rows.evaluate(q, v, t, at, &mut self.counts);
            if let Some(holonomic) = self.lagrangian.holonomic() {
                let multipliers = &unknowns[q.len()..q.len() + rows.holonomic()];
                holonomic.weighted_hessian(q, t, multipliers, weighted);
            }
            of_rows.copy_from_slice(&at.matrix);
        }
    }

    fn count(&mut self, factorizations: u64, iterations: u64) {
        self.counts.factorizations += factorizations;
        self.counts.iterations += iterations;
    }
}

fn conserves_energy(system: &(impl System + ?Sized)) -> bool {
    system.conserved().iter().any(|quantity| quantity.motion == Motion::Time)
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// The largest magnitude; NaN if one of them is.
fn largest(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(0.0, |most, value| if value.abs() > most || value.is_nan() { value.abs() } else { most })
}

fn unsolved(error: SolveError) -> ForceError {
    ForceError::Unsolved { matrix: MATRIX, error }
}

impl<L: ?Sized> Carried for Dynamics<'_, L> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let Self { solution, counts, mass, energy, .. } = self;
        solution.carry(memory)?;
        counts.carry(memory)?;
        mass.carry(memory)?;
        part(energy.as_mut(), memory)
    }
}

carried!([] EnergySupply { power, work } besides { rest, rates });

impl Carried for MassMatrix<'_> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        match self {
            // A constant mass is factored at the start.
            Self::Natural(equations) => equations.carry(memory),
            Self::General(_, saddle) => saddle.carry(memory),
            Self::ThroughSums(_) => Ok(()),
        }
    }
}
