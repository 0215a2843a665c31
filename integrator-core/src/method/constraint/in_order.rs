use super::equations::{Arrival, Equations, Progress, Verdict};
use crate::sparse::{GradientRows, ZeroPivot};
use crate::system::Holonomic;

/// Equations and coordinates as the system has them.
pub(super) struct InOrder<'s, S: ?Sized, G> {
    system: &'s S,
    rows: G,
    values: Vec<f64>,
    /// G at the foot and at an iterate.
    jacobian: Vec<f64>,
    trial: Vec<f64>,
    /// `1/s_c`, the reciprocal natural sizes of the constraints in this step.
    reciprocal_sizes: Vec<f64>,
    multipliers: Vec<f64>,
}

impl<'s, S: Holonomic + ?Sized, G: GradientRows> InOrder<'s, S, G> {
    pub(super) fn new(system: &'s S, rows: G) -> Self {
        let (entries, height) = (system.jacobian_pattern().len(), system.constraints());
        Self {
            rows,
            values: vec![0.0; height],
            jacobian: vec![0.0; entries],
            trial: vec![0.0; entries],
            reciprocal_sizes: vec![0.0; height],
            multipliers: vec![0.0; height],
            system,
        }
    }
}

impl<S: Holonomic + ?Sized, G: GradientRows> Equations for InOrder<'_, S, G> {
    fn evaluate(&mut self, q: &[f64], t: f64) {
        self.system.jacobian(q, t, &mut self.values, &mut self.jacobian);
    }

    fn look(&mut self, q: &[f64], t: f64) {
        self.system.jacobian(q, t, &mut self.values, &mut self.trial);
    }

    fn settle(&mut self) -> Result<(), ZeroPivot> {
        self.rows.factor_symmetric(&self.jacobian)
    }

    fn advance(&mut self) {
        std::mem::swap(&mut self.jacobian, &mut self.trial);
    }

    fn face_forward(&mut self) -> bool {
        self.rows.face_forward(&self.jacobian, &self.trial)
    }

    fn turned(&self) -> (usize, f64) {
        turned(self.system, &self.jacobian, &self.trial)
    }

    fn measure(&mut self, q: &[f64], v: &[f64], h: f64) {
        self.rows.reciprocal_sizes(&self.jacobian, (q, v, h), &mut self.reciprocal_sizes);
    }

    fn reach(
        &mut self,
        q: &mut [f64],
        t: f64,
        impulse: &mut [f64],
        progress: &mut Progress,
    ) -> Result<Arrival, ZeroPivot> {
        self.rows.add_motion(impulse, q);
        loop {
            // G is needed where the iteration ends. It costs little beside g: where this may be the end, both are evaluated.
            let last = progress.may_end();
            progress.constraints += 1;
            if last {
                self.look(q, t);
            } else {
                self.system.constraint_values(q, t, &mut self.values);
            }
            let verdict = progress.judge(largest_product(&self.values, &self.reciprocal_sizes));
            if verdict != Verdict::Fast && !last {
                progress.constraints += 1;
                self.look(q, t);
            }
            match verdict {
                Verdict::Ended(arrival) => return Ok(arrival),
                Verdict::Slow => {
                    progress.factorizations += 1;
                    self.rows.factor(&self.trial)?;
                }
                Verdict::Fast => {}
            }
            self.rows.correct(&self.values, &mut self.multipliers, q);
            impulse.iter_mut().zip(&self.multipliers).for_each(|(sum, multiplier)| *sum += multiplier);
            progress.iterations += 1;
        }
    }

    fn begins_anew(&self) -> bool {
        false
    }

    fn remove(&mut self, residual: &mut [f64], y: &mut [f64]) {
        self.add_product(y, residual);
        self.rows.correct(residual, &mut self.multipliers, y);
    }

    fn solve(&mut self, residual: &mut [f64], a: &[f64], x: &mut [f64]) {
        self.add_product(a, residual);
        self.rows.solve(residual, x);
    }

    fn add_motion(&mut self, multipliers: &[f64], y: &mut [f64]) {
        self.rows.add_motion(multipliers, y);
    }

    fn apply_negative_inverse_mass(&mut self, x: &mut [f64]) {
        self.rows.apply_negative_inverse_mass(x);
    }

    fn add_product(&mut self, x: &[f64], residual: &mut [f64]) {
        self.rows.add_product(&self.jacobian, x, residual);
    }

    fn copy_values(&self, values: &mut [f64]) {
        values.copy_from_slice(&self.values);
    }

    fn reciprocal_sizes(&self) -> Vec<f64> {
        self.reciprocal_sizes.clone()
    }
}

/// The first row of two Jacobians that has turned by a right angle or more, and the cosine of the angle.
#[cold]
pub(super) fn turned<S: Holonomic + ?Sized>(system: &S, foot: &[f64], iterate: &[f64]) -> (usize, f64) {
    let pattern = system.jacobian_pattern();
    let mut products = Vec::new();
    pattern.row_products(foot, iterate, |product| products.push(product));
    let forward = |product: &f64| *product > 0.0;
    let row = products.iter().position(|product| !forward(product)).unwrap_or(0);
    let norm =
        |values: &[f64]| values[pattern.row(row)].iter().map(|value| value * value).sum::<f64>().sqrt();
    (row, products[row] / (norm(foot) * norm(iterate)))
}

/// `max |a_c b_c|`; not finite when any of them is not.
fn largest_product(a: &[f64], b: &[f64]) -> f64 {
    let (first_a, last_a) = a.split_at(a.len() / 2);
    let (first_b, last_b) = b.split_at(a.len() / 2);
    let (mut first, mut last) = (Largest::default(), Largest::default());
    // Two at once, which do not wait for one another; no more, so that numbers just written are read as they were written.
    for (((a, b), c), d) in first_a.iter().zip(first_b).zip(last_a).zip(last_b) {
        first.take(a * b);
        last.take(c * d);
    }
    if let (Some(a), Some(b)) = (last_a.get(first_a.len()), last_b.get(first_a.len())) {
        last.take(a * b);
    }
    let sum = first.sum + last.sum;
    if sum.is_finite() { first.largest.max(last.largest) } else { sum }
}

/// The largest magnitude; a comparison skips what is not a number, and a sum does not.
#[derive(Default)]
struct Largest {
    largest: f64,
    sum: f64,
}

impl Largest {
    fn take(&mut self, number: f64) {
        let size = number.abs();
        self.largest = if size > self.largest { size } else { self.largest };
        self.sum += size;
    }
}
