use super::equations::{Arrival, Equations, Progress, Verdict};
use super::in_order::turned;
use crate::lanes::Eight;
use crate::sparse::{Blocks, ZeroPivot};
use crate::system::{Abreast, Holonomic};

/// Small independent sets of equations, eight sets side by side.
///
/// Coordinates are brought into the numbering of the sets once for an iteration, which then reads and writes whole registers.
pub(super) struct SetsAbreast<'s, S: ?Sized> {
    system: &'s S,
    equations: Box<dyn Abreast>,
    /// With G at the foot.
    blocks: Box<Blocks>,
    /// G at an iterate.
    trial: Vec<Eight>,
    positions: Vec<Eight>,
    values: Vec<Eight>,
    reciprocal_sizes: Vec<Eight>,
    impulse: Vec<Eight>,
    /// 1/m of all coordinates.
    reciprocals: Vec<f64>,
    /// `|q_j| + h |v_j|`.
    magnitudes: Vec<f64>,
}

impl<'s, S: Holonomic + ?Sized> SetsAbreast<'s, S> {
    pub(super) fn new(
        system: &'s S,
        equations: Box<dyn Abreast>,
        (reciprocals, blocks): (Vec<f64>, Box<Blocks>),
    ) -> Self {
        let sets = blocks.sets();
        Self {
            trial: sets.zero_cells(),
            positions: sets.zero_columns(),
            values: sets.zero_rows(),
            reciprocal_sizes: sets.zero_rows(),
            impulse: sets.zero_rows(),
            magnitudes: vec![0.0; reciprocals.len()],
            system,
            equations,
            blocks,
            reciprocals,
        }
    }

    /// g and G where the iteration is.
    fn look_here(&mut self, t: f64) {
        self.equations.jacobian(&self.positions, t, &mut self.values, &mut self.trial);
    }

    /// Newton's iteration in the numbering of the sets; without factors it begins with those of its first iterate, which is near
    /// where it ends.
    fn iterate(
        &mut self,
        q: &[f64],
        t: f64,
        impulse: &[f64],
        progress: &mut Progress,
    ) -> Result<Arrival, ZeroPivot> {
        self.blocks.sets().gather_columns(q, &mut self.positions);
        self.blocks.sets().gather_rows(impulse, &mut self.impulse);
        self.blocks.move_abreast(&self.impulse, &mut self.positions);
        loop {
            progress.constraints += 1;
            self.equations.values(&self.positions, t, &mut self.values);
            let verdict = progress.judge(self.blocks.largest_product(&self.values, &self.reciprocal_sizes));
            if verdict != Verdict::Fast {
                progress.constraints += 1;
                self.look_here(t);
            }
            match verdict {
                Verdict::Ended(arrival) => return Ok(arrival),
                Verdict::Slow => {
                    progress.factorizations += 1;
                    self.blocks.factor(&self.trial)?;
                }
                Verdict::Fast => {}
            }
            self.blocks.correct_abreast(&self.values, &mut self.impulse, &mut self.positions);
            progress.iterations += 1;
        }
    }
}

impl<S: Holonomic + ?Sized> Equations for SetsAbreast<'_, S> {
    fn evaluate(&mut self, q: &[f64], t: f64) {
        self.look(q, t);
        self.advance();
    }

    fn look(&mut self, q: &[f64], t: f64) {
        self.blocks.sets().gather_columns(q, &mut self.positions);
        self.look_here(t);
    }

    fn settle(&mut self) -> Result<(), ZeroPivot> {
        self.blocks.factor_symmetric()
    }

    fn advance(&mut self) {
        std::mem::swap(self.blocks.gradients_mut(), &mut self.trial);
    }

    fn face_forward(&mut self) -> bool {
        self.blocks.face_forward(&self.trial)
    }

    fn turned(&self) -> (usize, f64) {
        let sets = self.blocks.sets();
        let mut jacobians = [(); 2].map(|()| vec![0.0; self.system.jacobian_pattern().len()]);
        sets.scatter_entries(self.blocks.gradients(), &mut jacobians[0]);
        sets.scatter_entries(&self.trial, &mut jacobians[1]);
        turned(self.system, &jacobians[0], &jacobians[1])
    }

    fn measure(&mut self, q: &[f64], v: &[f64], h: f64) {
        for (magnitude, (q, v)) in self.magnitudes.iter_mut().zip(q.iter().zip(v)) {
            *magnitude = q.abs() + (h * v).abs();
        }
        self.blocks.reciprocal_sizes(&self.magnitudes, &mut self.reciprocal_sizes);
    }

    fn reach(
        &mut self,
        q: &mut [f64],
        t: f64,
        impulse: &mut [f64],
        progress: &mut Progress,
    ) -> Result<Arrival, ZeroPivot> {
        let began_anew = !progress.factored;
        let mut outcome = self.iterate(q, t, impulse, progress);
        if began_anew && !(matches!(outcome, Ok(Arrival::Accepted)) && self.face_forward()) {
            // Far from the manifold the matrix of the foot leads to it more safely.
            progress.begin_again();
            progress.factorizations += 1;
            self.settle()?;
            outcome = self.iterate(q, t, impulse, progress);
        }
        self.blocks.sets().scatter_columns(&self.positions, q);
        self.blocks.sets().scatter_rows(&self.impulse, impulse);
        outcome
    }

    fn begins_anew(&self) -> bool {
        true
    }

    fn remove(&mut self, residual: &mut [f64], y: &mut [f64]) {
        self.blocks.remove(residual, y);
    }

    fn solve(&mut self, residual: &mut [f64], a: &[f64], x: &mut [f64]) {
        self.blocks.solve(residual, Some(a), x);
    }

    fn add_motion(&mut self, multipliers: &[f64], y: &mut [f64]) {
        self.blocks.add_motion(multipliers, y);
    }

    fn apply_negative_inverse_mass(&mut self, x: &mut [f64]) {
        for (entry, reciprocal) in x.iter_mut().zip(&self.reciprocals) {
            *entry *= -*reciprocal;
        }
    }

    fn add_product(&mut self, x: &[f64], residual: &mut [f64]) {
        self.blocks.add_product(x, residual);
    }

    fn copy_values(&self, values: &mut [f64]) {
        self.blocks.sets().scatter_rows(&self.values, values);
    }

    fn reciprocal_sizes(&self) -> Vec<f64> {
        let mut sizes = vec![0.0; self.system.constraints()];
        self.blocks.sets().scatter_rows(&self.reciprocal_sizes, &mut sizes);
        sizes
    }
}
