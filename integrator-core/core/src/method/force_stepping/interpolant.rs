use super::grid::Grid;
use super::potential::Potential;
use crate::system::Natural;

/// V_h: the continuous potential that is linear in each simplex of a grid and equals V at its vertices.
///
/// With the phases f of the point in its cell in descending order, f_π(1) ≥ … ≥ f_π(d), and the vertices
/// z⁰ = the lower corner, zᵏ = zᵏ⁻¹ + e_π(k):
///
/// ```text
/// V_h = V(z⁰) + Σ_k f_π(k) γ_π(k),    γ_π(k) = V(zᵏ) − V(zᵏ⁻¹),    ∂V_h/∂q_a = γ_a / h_a.
/// ```
///
/// Each coordinate plane of the grid carries a grid of this kind, so that V_h is the sum of its
/// elements, each interpolated in its own coordinates; the implementation uses this.
///
/// # Reference
/// M. Gonzalez, B. Schmidt, M. Ortiz, Force-stepping integrators in Lagrangian mechanics, Int. J. Numer.
/// Meth. Engng (2010), section 3.
#[derive(Debug)]
pub struct Interpolant<'s, S: ?Sized> {
    potential: Potential<'s, S>,
    grid: Grid,
    /// The coordinates that one element reads, by descending phase.
    order: Vec<PhaseRead>,
    x: Vec<f64>,
    raised: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
struct PhaseRead {
    phase: f64,
    coordinate: u32,
    /// The place of the coordinate in the element.
    place: usize,
    /// The change of q when the phase changes by one.
    step: f64,
}

impl<'s, S: Natural + ?Sized> Interpolant<'s, S> {
    pub(super) fn of(potential: Potential<'s, S>, grid: Grid) -> Self {
        let most = potential.most_slots();
        Self { potential, grid, order: Vec::with_capacity(most), x: vec![0.0; most], raised: vec![0.0; most] }
    }

    /// V_h(q).
    pub fn value(&mut self, q: &[f64]) -> f64 {
        self.evaluate(q, |_, _| {})
    }

    /// V_h(q); writes −∇V_h(q) over `force`, on a face for one of the simplices that share it.
    pub fn force(&mut self, q: &[f64], force: &mut [f64]) -> f64 {
        force.fill(0.0);
        self.evaluate(q, |coordinate, slope| force[coordinate] -= slope)
    }

    /// Passes ∂V_e/∂q_a of all elements e and their coordinates a to `slope`; returns V_h.
    fn evaluate(&mut self, q: &[f64], mut slope: impl FnMut(usize, f64)) -> f64 {
        let Self { potential, grid, order, x, raised } = self;
        let mut sum = 0.0;
        for element in 0..potential.elements() {
            let reads = potential.reads(element);
            let (x, raised) = (&mut x[..reads.len()], &mut raised[..reads.len()]);
            order.clear();
            for (slot, &coordinate) in reads.iter().enumerate() {
                let a = coordinate as usize;
                let (place, phase) = grid.place(a, grid.in_steps(a, q[a]), 0.0);
                x[slot] = place.position(place.cell);
                raised[slot] = place.position(place.cell + 1);
                order.push(PhaseRead { phase, coordinate, place: slot, step: place.step });
            }
            order.sort_unstable_by(|one, other| {
                other.phase.total_cmp(&one.phase).then(one.coordinate.cmp(&other.coordinate))
            });
            let mut before = potential.value(potential.id(element), x);
            sum += before;
            let mut rest = &order[..];
            while let [PhaseRead { phase, coordinate, step, .. }, ..] = *rest {
                // A coordinate that an element reads twice moves in both places.
                let alike = rest.iter().take_while(|other| other.coordinate == coordinate).count();
                for read in &rest[..alike] {
                    x[read.place] = raised[read.place];
                }
                let after = potential.value(potential.id(element), x);
                let gamma = after - before;
                sum += phase * gamma;
                slope(coordinate as usize, gamma / step);
                before = after;
                rest = &rest[alike..];
            }
        }
        sum
    }
}
