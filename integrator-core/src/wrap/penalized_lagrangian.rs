//! The Lagrangian of a penalized system, L − ½ ω² g·g, and its derivatives in (q, v, t).

use super::penalized::Penalized;
use super::scratch::Scratch;
use crate::sparse::SymmetricPattern;
use crate::system::{Constrained, Lagrangian, Stiff};

/// Where the second derivatives go.
#[derive(Debug)]
pub(super) struct Second {
    pattern: SymmetricPattern,
    /// Where the second derivatives of the constrained system's Lagrangian go.
    of_system: Vec<u32>,
    /// Where the Hessian of the penalty goes.
    of_penalty: Vec<u32>,
    /// Where the derivatives in (q, t) go, and that in (t, t).
    of_time: Vec<u32>,
    scratch: Scratch<Memory>,
}

#[derive(Debug)]
struct Memory {
    system: Vec<f64>,
    penalty: Vec<f64>,
    /// n.
    direction: Vec<f64>,
    /// n + 1: the derivatives of ½ g·g in (q, t) and (t, t).
    mixed: Vec<f64>,
    /// m each.
    values: Vec<f64>,
    rate: Vec<f64>,
    forward: Vec<f64>,
    backward: Vec<f64>,
    jacobian: Vec<f64>,
}

impl Second {
    fn new<S: Constrained + Lagrangian + ?Sized>(penalized: &Penalized<'_, S>) -> Self {
        let (system, stiff) = (penalized.constrained(), penalized.stiff_pattern());
        let n = system.dimension();
        let time = || (0..=n).map(|j| (2 * n, if j < n { j } else { 2 * n }));
        let second = system.second_pattern();
        let pattern = SymmetricPattern::new(2 * n + 1, second.entries().chain(stiff.entries()).chain(time()));
        let place = |(i, j)| pattern.position(i, j).map(|k| k as u32);
        let sizes = (second.len(), stiff.len(), system.constraints(), system.jacobian_pattern().len());
        let scratch = Scratch::new(move || Memory {
            system: vec![0.0; sizes.0],
            penalty: vec![0.0; sizes.1],
            direction: vec![0.0; n],
            mixed: vec![0.0; n + 1],
            values: vec![0.0; sizes.2],
            rate: vec![0.0; sizes.2],
            forward: vec![0.0; sizes.2],
            backward: vec![0.0; sizes.2],
            jacobian: vec![0.0; sizes.3],
        });
        Self {
            of_system: second.entries().filter_map(place).collect(),
            of_penalty: stiff.entries().filter_map(place).collect(),
            of_time: time().filter_map(place).collect(),
            pattern,
            scratch,
        }
    }
}

impl<S: Constrained + Lagrangian + ?Sized> Penalized<'_, S> {
    fn second(&self) -> &Second {
        self.second.get_or_init(|| Second::new(self))
    }
}

impl<S: Constrained + Lagrangian + ?Sized> Lagrangian for Penalized<'_, S> {
    fn lagrangian(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        self.constrained().lagrangian(q, v, t) - self.penalty(q, t)
    }

    fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        self.constrained().energy(q, v, t) + self.penalty(q, t)
    }

    fn first_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
        self.constrained().first_derivatives(q, v, t, gradient);
        self.subtract_penalty(q, t, gradient);
    }

    fn second_pattern(&self) -> &SymmetricPattern {
        &self.second().pattern
    }

    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        let second = self.second();
        second.scratch.with(|memory| {
            self.constrained().second_derivatives(q, v, t, gradient, &mut memory.system);
            self.stiff_hessian(q, t, &mut memory.penalty);
            self.mixed_derivatives(q, t, memory);
            hessian.fill(0.0);
            for (&place, value) in second.of_system.iter().zip(&memory.system) {
                hessian[place as usize] += value;
            }
            for (&place, value) in second.of_penalty.iter().zip(&memory.penalty) {
                hessian[place as usize] -= value;
            }
            for (&place, value) in second.of_time.iter().zip(&memory.mixed) {
                hessian[place as usize] -= self.stiffness() * value;
            }
        });
        self.subtract_penalty(q, t, gradient);
    }
}

impl<S: Constrained + Lagrangian + ?Sized> Penalized<'_, S> {
    /// Subtracts ω² Gᵀ g and ω² g·∂ₜg from the derivatives in q and t.
    fn subtract_penalty(&self, q: &[f64], t: f64, gradient: &mut [f64]) {
        let (of_positions, rest) = gradient.split_at_mut(q.len());
        for entry in of_positions.iter_mut() {
            *entry = -*entry;
        }
        self.add_penalty_gradient(q, t, of_positions);
        for entry in of_positions.iter_mut() {
            *entry = -*entry;
        }
        if let Some(of_time) = rest.last_mut() {
            self.second().scratch.with(|memory| {
                self.constrained().constraint_values(q, t, &mut memory.values);
                self.constrained().constraint_rate(q, t, &mut memory.rate);
                *of_time -= self.stiffness() * dot(&memory.values, &memory.rate);
            });
        }
    }

    /// Σ (∂ₜg_c ∂ᵢg_c + g_c ∂ₜ∂ᵢg_c) for each i, then Σ ((∂ₜg_c)² + g_c ∂ₜₜg_c).
    ///
    /// The traits give ∂ₜ∂ᵢg only inside d²g/dt² = vᵀ Hess g v + 2 ∂ₜ∇g·v + ∂ₜₜg, from which it is taken as the odd part in v.
    /// One generic v tells whether there is any; only then are the n units needed, so a system whose constraints depend
    /// on time pays n evaluations here, and others two.
    fn mixed_derivatives(&self, q: &[f64], t: f64, memory: &mut Memory) {
        let system = self.constrained();
        let n = q.len();
        system.jacobian(q, t, &mut memory.values, &mut memory.jacobian);
        system.constraint_rate(q, t, &mut memory.rate);
        memory.mixed.fill(0.0);
        let mixed = &mut memory.mixed[..n];
        system.jacobian_pattern().transpose_multiply_add(&memory.jacobian, &memory.rate, mixed);
        memory.direction.fill(0.0);
        system.constraint_curvature(q, &memory.direction, t, &mut memory.forward);
        memory.mixed[n] = dot(&memory.rate, &memory.rate) + dot(&memory.values, &memory.forward);

        for (i, entry) in memory.direction.iter_mut().enumerate() {
            // The fractional parts of multiples of the golden ratio: no equation with round coefficients holds for them.
            *entry = 0.5 + (0.618_033_988_749_894_9 * (i + 1) as f64).fract();
        }
        odd_part(system, q, t, memory);
        if memory.forward.iter().all(|value| *value == 0.0) {
            return;
        }
        memory.direction.fill(0.0);
        for i in 0..n {
            memory.direction[i] = 1.0;
            odd_part(system, q, t, memory);
            memory.direction[i] = 0.0;
            memory.mixed[i] += dot(&memory.values, &memory.forward);
        }
    }
}

/// ∂ₜ∇g·v for the direction v in `memory`, written over `forward`.
fn odd_part<S: Constrained + ?Sized>(system: &S, q: &[f64], t: f64, memory: &mut Memory) {
    system.constraint_curvature(q, &memory.direction, t, &mut memory.forward);
    for entry in &mut memory.direction {
        *entry = -*entry;
    }
    system.constraint_curvature(q, &memory.direction, t, &mut memory.backward);
    for entry in &mut memory.direction {
        *entry = -*entry;
    }
    for (forward, backward) in memory.forward.iter_mut().zip(&memory.backward) {
        *forward = 0.25 * (*forward - backward);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
