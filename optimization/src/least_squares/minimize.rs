//! The iterations: steps, their merit, and the damping.

use std::ops::ControlFlow;

use nalgebra_sparse::CsrMatrix;

use super::problem::{Error, Iteration, Options, Problem, Slopes, Solution, Status, Values};
use super::program::{Program, Step, Warm, times, transposed_times};

/// The part of the promised decrease that a step has to keep.
const KEPT: f64 = 1e-4;
/// The rounding of a merit, as a part of it.
const ROUNDING: f64 = 1e-14;
/// The steps that bring the slopes to zero where the merit shows nothing but rounding.
const TINY: usize = 3;
/// The terms of a constraint near zero, as a part of the largest terms.
const NEAR_ZERO: f64 = 1e-6;
/// The shortest part of a step that is tried before the damping grows.
const SHORTEST: f64 = 0.1;
/// The largest damping.
const LARGEST: f64 = 1e12;
/// The smallest damping but zero.
const SMALLEST: f64 = 1e-14;
/// The least penalty, as a part of the price of a constraint.
const PRICE: f64 = 0.1;
/// The part of a multiplier that its penalty is.
const MARGIN: f64 = 1.1;
/// The part by which a step has to lower the linear constraints.
const LOWERED: f64 = 1e-6;

/// Minimizes ½ |r(x)|² subject to the constraints and bounds of a problem, from `start` on, which the
/// bounds clip. `progress` sees each accepted point, the start included, and may stop the solution.
///
/// ```
/// use least_action_optimization::least_squares::{Options, Problem, Slopes, Values, minimize};
/// use nalgebra_sparse::{CooMatrix, CsrMatrix};
/// use std::ops::ControlFlow;
///
/// /// The point on the circle |x| = 1 next to (3, 4).
/// struct Nearest;
///
/// impl Problem for Nearest {
///     type Error = std::convert::Infallible;
///
///     fn unknowns(&self) -> usize {
///         2
///     }
///
///     fn evaluate(&mut self, x: &[f64]) -> Result<Values, Self::Error> {
///         let residuals = vec![x[0] - 3.0, x[1] - 4.0];
///         Ok(Values { residuals, constraints: vec![x[0] * x[0] + x[1] * x[1] - 1.0] })
///     }
///
///     fn linearize(&mut self, x: &[f64]) -> Result<Slopes, Self::Error> {
///         let (mut residuals, mut constraints) = (CooMatrix::new(2, 2), CooMatrix::new(1, 2));
///         (0..2).for_each(|k| residuals.push(k, k, 1.0));
///         (0..2).for_each(|k| constraints.push(0, k, 2.0 * x[k]));
///         let [residuals, constraints] = [residuals, constraints].map(|rows| CsrMatrix::from(&rows));
///         Ok(Slopes { residuals, constraints })
///     }
/// }
///
/// let found = minimize(&mut Nearest, &[1.0, 0.0], &Options::default(), |_| ControlFlow::Continue(()))?;
/// assert!((found.x[0] - 0.6).abs() < 1e-7 && (found.x[1] - 0.8).abs() < 1e-7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The start has no values, a point has no derivatives, a list has a wrong length, or no step brings
/// the constraints nearer to zero.
pub fn minimize<P: Problem>(
    problem: &mut P,
    start: &[f64],
    options: &Options,
    mut progress: impl FnMut(&Iteration<'_>) -> ControlFlow<()>,
) -> Result<Solution, Error<P::Error>> {
    let bounds = problem.bounds();
    let n = problem.unknowns();
    length("the start", start.len(), n)?;
    length("the bounds", bounds.len(), n)?;
    let is_crossed = |[lower, upper]: &[f64; 2]| lower.is_nan() || upper.is_nan() || lower > upper;
    if let Some(index) = bounds.iter().position(is_crossed) {
        let [lower, upper] = bounds[index];
        return Err(Error::Mistake(format!(
            "unknown {index} has the bounds {lower} and {upper}: give a lower one that is not above the upper one"
        )));
    }
    let x = clipped(start, &vec![0.0; n], 0.0, &bounds);
    let values = problem.evaluate(&x).map_err(Error::Problem)?;
    for (of, numbers) in [("residual", &values.residuals), ("constraint", &values.constraints)] {
        if let Some(index) = numbers.iter().position(|number| !number.is_finite()) {
            let value = numbers[index];
            return Err(Error::Mistake(format!(
                "{of} {index} is {value} at the start: begin at a point with finite numbers"
            )));
        }
    }
    let held = values.constraints.len();
    let mut course = Course {
        bounds,
        of_start: values.constraints.clone(),
        x,
        values,
        multipliers: vec![0.0; held],
        penalties: vec![0.0; held],
        floors: Vec::new(),
        norms: vec![0.0; n],
        damping: options.damping,
        growth: 2.0,
        tiny: 0,
        warm: Warm::default(),
    };
    let mut step = 0.0;
    let mut number = 0;
    loop {
        let Course { x, values, damping, .. } = &course;
        let (cost, damping) = (values.cost(), *damping);
        let violation = values.constraints.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
        let flow = progress(&Iteration { number, cost, violation, step, damping, x });
        let slopes = problem.linearize(x).map_err(Error::Problem)?;
        let mut linear = course.linear(slopes, |multipliers| problem.curvature(multipliers))?;
        let shares = course.shares(&linear.program.constraints);
        let feasible = shares.iter().all(|share| *share <= options.tolerance);
        let status = if course.stationary(&linear, options.tolerance) && feasible {
            Status::Converged
        } else if flow.is_break() {
            Status::Stopped
        } else if number >= options.iterations {
            Status::Limit
        } else if let Some(length) = course.advance(problem, &mut linear) {
            step = length;
            number += 1;
            continue;
        } else if problem.is_stopped() {
            Status::Stopped
        } else if feasible {
            Status::Still
        } else {
            let index = (0..held).max_by(|a, b| shares[*a].total_cmp(&shares[*b])).unwrap_or_default();
            let (name, value) = (problem.constraint(index), course.values.constraints[index]);
            return Err(Error::Infeasible { name, index, value, iterations: number, x: course.x });
        };
        let Course { x, values: Values { residuals, constraints }, multipliers, .. } = course;
        let slopes = Slopes { residuals: linear.residuals, constraints: linear.program.constraints };
        return Ok(Solution { x, residuals, constraints, multipliers, slopes, iterations: number, status });
    }
}

/// The state of a solution.
struct Course {
    bounds: Vec<[f64; 2]>,
    /// c at the start.
    of_start: Vec<f64>,
    x: Vec<f64>,
    values: Values,
    multipliers: Vec<f64>,
    penalties: Vec<f64>,
    /// The least penalties.
    floors: Vec<f64>,
    /// The largest norms of the columns of A so far.
    norms: Vec<f64>,
    damping: f64,
    /// The factor by which the damping grows next.
    growth: f64,
    /// The number of steps since one promised more than rounding.
    tiny: usize,
    warm: Warm,
}

/// The problem at a point.
struct Linear {
    program: Program,
    /// Aᵀr.
    descent: Vec<f64>,
    residuals: CsrMatrix<f64>,
}

impl Linear {
    /// The rounding of the merit at x: the rounding of each r and c is a part of its terms.
    fn rounding(&self, x: &[f64], values: &Values, penalties: &[f64]) -> f64 {
        let of_residuals = terms(&self.residuals, x).into_iter().zip(&values.residuals);
        let of_residuals = of_residuals.map(|(terms, r)| (r.abs() + ROUNDING * terms) * (r.abs() + terms));
        let of_constraints = terms(&self.program.constraints, x).into_iter().zip(penalties);
        let of_constraints = of_constraints.map(|(terms, penalty)| terms * penalty);
        ROUNDING * (of_residuals.sum::<f64>() + of_constraints.sum::<f64>())
    }
}

/// Σ |M x| by its terms, for each row.
fn terms(matrix: &CsrMatrix<f64>, x: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; matrix.nrows()];
    matrix.triplet_iter().for_each(|(row, column, value)| sums[row] += (value * x[column]).abs());
    sums
}

/// A step, and the merit that it promises.
struct Trial {
    step: Step,
    damping: Vec<f64>,
    /// True if penalties take the place of the linear constraints.
    is_elastic: bool,
    /// B d.
    moved: Vec<f64>,
    merit: f64,
    /// An upper bound of the slope of the merit along the step.
    slope: f64,
}

impl Course {
    fn linear<E>(
        &mut self,
        slopes: Slopes,
        curvature: impl FnOnce(&[f64]) -> Vec<(usize, usize, f64)>,
    ) -> Result<Linear, Error<E>> {
        let Slopes { residuals, constraints } = slopes;
        length("the rows of ∂r/∂x", residuals.nrows(), self.values.residuals.len())?;
        length("the columns of ∂r/∂x", residuals.ncols(), self.x.len())?;
        length("the rows of ∂c/∂x", constraints.nrows(), self.values.constraints.len())?;
        length("the columns of ∂c/∂x", constraints.ncols(), self.x.len())?;
        let mut norms = vec![0.0; self.x.len()];
        residuals.triplet_iter().for_each(|(_, column, value)| norms[column] += value * value);
        self.norms.iter_mut().zip(norms).for_each(|(most, norm)| *most = most.max(norm.sqrt()));
        let descent = transposed_times(&residuals, &self.values.residuals);
        let held = transposed_times(&constraints, &self.multipliers);
        let gradient = descent.iter().zip(held).map(|(slope, held)| slope + held).collect();
        let room = self.bounds.iter().zip(&self.x).map(|([lower, upper], x)| [lower - x, upper - x]);
        let multipliers = self.multipliers.clone();
        let curvature = curvature(&multipliers);
        let program = Program::new(&residuals, constraints, curvature, gradient, multipliers, room.collect());
        if self.floors.is_empty() {
            self.floors = program.prices().iter().map(|price| PRICE * price).collect();
        }
        Ok(Linear { program, descent, residuals })
    }

    /// Each |c| as a part of its terms, which are at least a part of the largest ones.
    fn shares(&self, constraints: &CsrMatrix<f64>) -> Vec<f64> {
        let terms = terms(constraints, &self.x);
        let least = NEAR_ZERO * terms.iter().fold(0.0, |most: f64, terms| most.max(*terms));
        let sizes = terms.into_iter().zip(&self.of_start);
        let shares = self.values.constraints.iter().zip(sizes);
        shares
            .map(|(c, (terms, start))| if *c == 0.0 { 0.0 } else { c.abs() / (least + terms + start.abs()) })
            .collect()
    }

    /// True if no unknown can move against its slope.
    fn stationary(&self, linear: &Linear, tolerance: f64) -> bool {
        let size = self.values.residuals.iter().map(|r| r * r).sum::<f64>().sqrt();
        let mut terms: Vec<f64> = self.norms.iter().map(|norm| norm * size).collect();
        for (row, column, value) in linear.program.constraints.triplet_iter() {
            terms[column] += (value * self.multipliers[row]).abs();
        }
        let mut slopes = linear.program.gradient.iter().zip(&self.bounds).zip(&self.x).zip(terms);
        slopes.all(|(((slope, [lower, upper]), x), terms)| {
            let is_held = (*slope >= 0.0 && x <= lower) || (*slope <= 0.0 && x >= upper);
            is_held || slope.abs() <= tolerance * terms
        })
    }

    /// Moves to a point with less merit, and gives the length of the step; none where there is no such
    /// point.
    fn advance<P: Problem>(&mut self, problem: &mut P, linear: &mut Linear) -> Option<f64> {
        let mut is_bent = false;
        while self.damping <= LARGEST && !problem.is_stopped() {
            let trial = self.trial(linear, is_bent)?;
            let is_tiny = trial.slope >= -linear.rounding(&self.x, &self.values, &self.penalties);
            self.tiny = if is_tiny { self.tiny + 1 } else { 0 };
            if self.tiny > TINY {
                return None;
            }
            if let Some(length) = self.search(problem, linear, &trial) {
                return Some(length);
            }
            // Second derivatives tell nothing so far away.
            if linear.program.straighten() {
                continue;
            }
            self.damping = self.damping.max(SMALLEST) * self.growth;
            self.growth *= 2.0;
            is_bent = !self.penalties.is_empty();
        }
        None
    }

    /// The step of the program, with penalties if `is_bent` or where the constraints contradict each
    /// other; none where no penalty makes it lower them.
    fn trial(&mut self, linear: &Linear, is_bent: bool) -> Option<Trial> {
        let Linear { program, descent, .. } = linear;
        let c = self.values.constraints.clone();
        let mut damping: Vec<f64> = self.norms.iter().map(|norm| self.damping * norm * norm).collect();
        let strict = if is_bent { None } else { program.solve(&damping, &c, None, &mut self.warm) };
        let is_elastic = strict.is_none();
        let step = if let Some(step) = strict {
            let all = self.penalties.iter_mut().zip(&step.multipliers).zip(&self.floors);
            for ((penalty, multiplier), floor) in all {
                let least = MARGIN * multiplier.abs();
                *penalty = least.max(0.5 * (*penalty + least)).max(*floor);
            }
            step
        } else {
            // An unknown of constraints alone has no norm of its own.
            let mut own = vec![0.0; self.x.len()];
            for (row, column, value) in program.constraints.triplet_iter() {
                own[column] +=
                    self.penalties[row].max(self.floors[row]) * value.abs() / self.x[column].abs().max(1e-3);
            }
            for ((damping, norm), own) in damping.iter_mut().zip(&self.norms).zip(own) {
                *damping = if *norm == 0.0 { self.damping * own } else { *damping };
            }
            self.elastic(program, &damping)?
        };
        let moved = times(&program.constraints, &step.d);
        let lowered = c.iter().zip(&moved).zip(&self.penalties);
        let lowered: f64 = lowered.map(|((c, moved), penalty)| penalty * ((c + moved).abs() - c.abs())).sum();
        let slope = descent.iter().zip(&step.d).map(|(slope, d)| slope * d).sum::<f64>() + lowered;
        Some(Trial { step, damping, is_elastic, moved, merit: self.merit(&self.values), slope })
    }

    fn elastic(&mut self, program: &Program, damping: &[f64]) -> Option<Step> {
        let c = &self.values.constraints;
        for factor in [1e1, 1e4, 1e7] {
            let least =
                self.floors.iter().zip(program.prices()).map(|(floor, price)| factor * price.max(*floor));
            let penalties: Vec<f64> =
                self.penalties.iter().zip(least).map(|(old, least)| old.max(least)).collect();
            let Some(step) = program.solve(damping, c, Some(&penalties), &mut self.warm) else { continue };
            let left = times(&program.constraints, &step.d);
            let sum = |misses: &mut dyn Iterator<Item = f64>| -> f64 {
                misses.zip(&penalties).map(|(miss, penalty)| penalty * miss.abs()).sum()
            };
            let before = sum(&mut c.iter().copied());
            let after = sum(&mut c.iter().zip(&left).map(|(c, moved)| c + moved));
            if after <= (1.0 - LOWERED) * before {
                self.penalties = penalties;
                return Some(step);
            }
        }
        None
    }

    /// ½ |r|² + Σ ν |c|.
    fn merit(&self, values: &Values) -> f64 {
        values.cost() + self.penalized(&values.constraints)
    }

    fn penalized(&self, constraints: &[f64]) -> f64 {
        constraints.iter().zip(&self.penalties).map(|(c, penalty)| penalty * c.abs()).sum()
    }

    /// Takes the step or a part of it.
    fn search<P: Problem>(&mut self, problem: &mut P, linear: &Linear, trial: &Trial) -> Option<f64> {
        let Trial { step, merit, slope, .. } = trial;
        let mut part = 1.0;
        while part >= SHORTEST && !problem.is_stopped() {
            let wanted =
                merit + KEPT * part * slope + linear.rounding(&self.x, &self.values, &self.penalties);
            let is_lower = |own: &Self, values: &Values| own.merit(values) <= wanted;
            let (mut x, mut values) = self.at(problem, &step.d, part);
            let is_whole = part > 0.5;
            let is_bent = |values: &&Values| is_whole && !trial.is_elastic && !is_lower(self, values);
            let bent = values.as_ref().filter(is_bent).cloned();
            if let Some(bent) = bent.and_then(|values| self.corrected(linear, trial, &values)) {
                let second = self.at(problem, &bent, part);
                if second.1.as_ref().is_some_and(|values| is_lower(self, values)) {
                    (x, values) = second;
                }
            }
            let Some(values) = values.filter(|values| is_lower(self, values)) else {
                part *= 0.25;
                continue;
            };
            if x == self.x {
                return None;
            }
            self.adapt(linear, trial, part, merit - self.merit(&values));
            let scaled =
                step.d.iter().zip(&linear.program.scales).map(|(d, scale)| (part * d * scale).powi(2));
            let length = scaled.sum::<f64>().sqrt();
            for (old, new) in self.multipliers.iter_mut().zip(&step.multipliers) {
                *old += part * (new - *old);
            }
            (self.x, self.values) = (x, values);
            return Some(length);
        }
        None
    }

    /// The values at a part of a step, where there are any.
    fn at<P: Problem>(&self, problem: &mut P, d: &[f64], part: f64) -> (Vec<f64>, Option<Values>) {
        let x = clipped(&self.x, d, part, &self.bounds);
        let is_fit = |values: &Values| {
            let lengths = [&values.residuals, &values.constraints].map(Vec::len);
            lengths == [self.values.residuals.len(), self.values.constraints.len()]
                && values.residuals.iter().chain(&values.constraints).all(|number| number.is_finite())
        };
        let values = problem.evaluate(&x).ok().filter(is_fit);
        (x, values)
    }

    /// The step that meets the constraints as they bend, if they lead it away.
    fn corrected(&mut self, linear: &Linear, trial: &Trial, values: &Values) -> Option<Vec<f64>> {
        if self.penalized(&values.constraints) <= self.penalized(&self.values.constraints) {
            return None;
        }
        let bent: Vec<f64> =
            values.constraints.iter().zip(&trial.moved).map(|(c, moved)| c - moved).collect();
        linear.program.solve(&trial.damping, &bent, None, &mut self.warm).map(|step| step.d)
    }

    /// Sets the damping by the gain.
    fn adapt(&mut self, linear: &Linear, trial: &Trial, part: f64, gain: f64) {
        self.growth = 2.0;
        if linear.program.is_curved() {
            self.damping = if part < 1.0 { self.damping } else { (self.damping / 10.0).max(SMALLEST) };
            return;
        }
        if part < 1.0 {
            self.damping = 2.0 * self.damping.max(SMALLEST);
            return;
        }
        // The slope along the whole step has the decrease of the constraints already.
        let promised = -trial.slope - 0.5 * linear.program.square(&trial.step.d);
        let ratio = if promised > linear.rounding(&self.x, &self.values, &self.penalties) {
            gain / promised
        } else {
            1.0
        };
        let factor = 1.0 - (2.0 * ratio - 1.0).powi(3);
        self.damping = (self.damping * factor.clamp(1.0 / 9.0, 2.0)).max(SMALLEST);
    }
}

impl Values {
    fn cost(&self) -> f64 {
        0.5 * self.residuals.iter().map(|r| r * r).sum::<f64>()
    }
}

/// x + part · d within the bounds.
fn clipped(x: &[f64], d: &[f64], part: f64, bounds: &[[f64; 2]]) -> Vec<f64> {
    let moved = x.iter().zip(d).map(|(x, d)| x + part * d);
    moved.zip(bounds).map(|(x, [lower, upper])| x.max(*lower).min(*upper)).collect()
}

fn length<E>(of: &'static str, found: usize, expected: usize) -> Result<(), Error<E>> {
    let words = || Error::Mistake(format!("{of}: {found} numbers where {expected} belong"));
    (found == expected).then_some(()).ok_or_else(words)
}
