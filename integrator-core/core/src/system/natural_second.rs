use super::Natural;
use crate::sparse::SymmetricPattern;

/// The pattern of the second derivatives of L = ½ vᵀ M v − V(q, t) + R(q, v, t) by z = (q, v, t),
/// and the places of M and Hess V in it.
#[derive(Debug)]
pub(crate) struct NaturalSecond {
    /// The pattern of all second derivatives.
    pub(crate) pattern: SymmetricPattern,
    /// The place of each entry of M.
    mass: Vec<u32>,
    /// The place of each entry of Hess V.
    potential: Vec<u32>,
}

impl NaturalSecond {
    /// From the patterns of M and Hess V, and the entries of the second derivatives of R.
    pub(crate) fn new(
        mass: &SymmetricPattern,
        potential: &SymmetricPattern,
        rest: impl Iterator<Item = (usize, usize)>,
    ) -> Self {
        let n = mass.dimension();
        let in_velocities = |(row, column): (usize, usize)| (n + row, n + column);
        let entries = mass.entries().map(in_velocities).chain(potential.entries()).chain(rest);
        let pattern = SymmetricPattern::new(2 * n + 1, entries);
        let place = |(row, column)| pattern.place(row, column);
        let of_mass = mass.entries().map(in_velocities).map(place).collect();
        let of_potential = potential.entries().map(place).collect();
        Self { mass: of_mass, potential: of_potential, pattern }
    }

    /// Writes M and −Hess V over `hessian`, and zeros elsewhere.
    pub(crate) fn fill(&self, mass: &[f64], potential: &[f64], hessian: &mut [f64]) {
        hessian.fill(0.0);
        for (&at, value) in self.potential.iter().zip(potential) {
            hessian[at as usize] -= value;
        }
        for (&at, value) in self.mass.iter().zip(mass) {
            hessian[at as usize] += value;
        }
    }
}

/// Completes ∇V in `of_positions` to the first derivatives of L = ½ vᵀ M v − V(q, t):
/// −∇V, M v and −∂V/∂t.
pub(crate) fn finish_gradient<S: Natural + ?Sized>(
    system: &S,
    q: &[f64],
    v: &[f64],
    t: f64,
    of_positions: &mut [f64],
    rest: &mut [f64],
) {
    for entry in of_positions {
        *entry = -*entry;
    }
    let (of_velocities, of_time) = rest.split_at_mut(v.len());
    system.mass().multiply(v, of_velocities);
    of_time.fill(-system.potential_rate(q, t));
}
