//! Second derivatives of L = ½ vᵀ M v − V(q, t) + R(q, v, t).

use super::Assembly;
use crate::binding::family::Placed;
use crate::binding::function::Second;
use crate::scratch::Scratch;
use crate::system::{NaturalSecond, System};

/// The places of the parts of L in its second derivatives.
pub(super) struct LagrangianSecond {
    pub(super) natural: NaturalSecond,
    /// The values of Hess V.
    potential: Scratch<Vec<f64>>,
    /// The second derivatives of R.
    rest: Second,
}

/// True for an entry that the equations of motion contain: not ∂²/∂q∂t.
fn enters(dimension: usize) -> impl Fn(&(usize, usize)) -> bool {
    let time = 2 * dimension;
    move |&(row, column)| row < time || (dimension..time).contains(&column)
}

impl Assembly {
    /// The places in Hess V.
    pub(in crate::binding) fn second_of_potential(&self) -> Result<&Second, usize> {
        let find = || Second::new(self.v());
        self.potential_second.get_or_init(find).as_ref().map_err(|entries| *entries)
    }

    /// The places in the Hessian of the stiff part of V.
    pub(super) fn second_of_stiff(&self) -> Result<&Second, usize> {
        let find = || Second::new(self.stiff());
        self.stiff_second.get_or_init(find).as_ref().map_err(|entries| *entries)
    }

    /// The places in the second derivatives of L.
    pub(super) fn second_of_lagrangian(&self) -> Result<&LagrangianSecond, usize> {
        let find = || {
            let potential = &self.second_of_potential()?.pattern;
            let (length, has_sums) = (potential.len(), self.r().stages.has_sums());
            let (mut natural, enters) = (None, enters(self.dimension()));
            let rest = Second::within(self.r(), |entries| {
                let entries = entries.filter(|entry| !has_sums || enters(entry));
                let natural = natural.insert(NaturalSecond::new(&self.mass.pattern, potential, entries));
                natural.pattern.clone()
            })?;
            let natural = natural.ok_or(0_usize)?;
            Ok(LagrangianSecond { natural, potential: Scratch::new(move || vec![0.0; length]), rest })
        };
        self.lagrangian_second.get_or_init(find).as_ref().map_err(|entries| *entries)
    }

    /// The places in the second derivatives of weighted rows of g.
    pub(in crate::binding) fn second_of_rows(&self) -> Result<&Second, usize> {
        self.constraints.second(&self.positions)
    }

    /// Writes first and second derivatives of L; the type of the model gives the elements of V and of R,
    /// if their second derivatives fill positions only.
    #[inline]
    pub(in crate::binding) fn write_second_by(
        &self,
        (q, v, t): (&[f64], &[f64], f64),
        (gradient, hessian): (&mut [f64], &mut [f64]),
        of_potential: impl FnOnce(&[Placed], &mut [f64], &mut [f64]),
        of_rest: impl FnOnce(&[Placed], &mut [f64], &mut [f64]),
    ) {
        let (n, second, potential) = (q.len(), self.second_of_lagrangian(), self.second_of_potential());
        let (Ok(second), Ok(potential), true) = (second, potential, gradient.len() == 2 * n + 1) else {
            return self.write_second((q, v, t), gradient, hessian);
        };
        let (Some(of_v), Some(of_r)) = (potential.plain(), second.rest.plain()) else {
            return self.write_second((q, v, t), gradient, hessian);
        };
        gradient.fill(0.0);
        second.potential.with(|values| {
            potential.clear(values);
            of_potential(of_v, &mut gradient[..n], values);
            second.natural.fill(&self.mass.values, values, hessian);
        });
        self.finish_gradient(q, v, &self.at(t), gradient);
        of_rest(of_r, gradient, hessian);
    }

    /// Writes first and second derivatives of L over `gradient` and `hessian`.
    pub(super) fn write_second(
        &self,
        (q, v, t): (&[f64], &[f64], f64),
        gradient: &mut [f64],
        hessian: &mut [f64],
    ) {
        let now = &self.at(t);
        gradient.fill(0.0);
        let (Ok(second), Ok(of_potential)) = (self.second_of_lagrangian(), self.second_of_potential()) else {
            return;
        };
        second.potential.with(|potential| {
            of_potential.write(self.v(), (&[q], now), &mut gradient[..q.len()], potential);
            second.natural.fill(&self.mass.values, potential, hessian);
        });
        self.finish_gradient(q, v, now, gradient);
        if self.general.is_empty() {
            return;
        }
        second.rest.add(self.r(), (&[q, v, &[t]], now), gradient, hessian);
        let time = 2 * q.len();
        if self.r().stages.has_sums()
            && let Some(at) = second.natural.pattern.position(time, time)
        {
            // The pattern has its whole diagonal; the second derivative by the time enters no equation.
            hessian[at] = 0.0;
        }
    }
}
