use super::{Signal, System};

/// The system over x = (q, θ) of a model with sensitive parameters θ, which are coordinates at rest.
///
/// Its [constraints](System::holonomic), [forces](System::forced) and
/// [constraints on velocities](System::nonholonomic) have derivatives by x as those of any system have
/// them by q. From its potential come products with directions: Hess V · (a, 0) has Hess V · a in its
/// first n entries, and ∂(∇V · a)/∂θ in those behind; along (0, b), the first n entries are the
/// derivative of ∇V along b.
///
/// An [input](Self::inputs) of forces is one parameter, the average of its signal over a step.
///
/// # Shapes
/// As of any system, over x. A narrower system, such as the forces of a penalized one, which do not read
/// ω, takes as many entries of x as it has [coordinates](System::dimension).
pub trait Parametric: System {
    /// The values θ; an input has 0, because each step has an average of its own.
    fn values(&self) -> &[f64];

    /// The parameters that are inputs of forces, with their signals.
    fn inputs(&self) -> &[(usize, Signal)];

    /// The number p of parameters.
    fn count(&self) -> usize {
        self.values().len()
    }

    /// The number n of degrees of freedom beside the parameters.
    fn freedom(&self) -> usize {
        self.dimension() - self.count()
    }

    /// x at these q, as a new vector.
    fn place(&self, q: &[f64]) -> Vec<f64> {
        q.iter().chain(self.values()).copied().collect()
    }

    /// The name of a parameter, such as `masses[3]`.
    fn parameter_name(&self, parameter: usize) -> String {
        self.layout().name_of(self.freedom() + parameter)
    }

    /// The names of [`numbers`](Self::numbers): a signal `torque` of several values has `torque[3]`.
    fn number_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for parameter in 0..self.count() {
            let own = self.inputs().iter().find(|own| own.0 == parameter);
            let name = self.parameter_name(parameter);
            match own.map(|(_, signal)| signal).filter(|signal| !signal.times().is_empty()) {
                Some(signal) => names.extend((0..signal.values().len()).map(|k| format!("{name}[{k}]"))),
                None => names.push(name),
            }
        }
        names
    }

    /// The numbers of all sensitive fields in their order, with each value of each signal.
    fn numbers(&self) -> Vec<f64> {
        let mut numbers = self.values().to_vec();
        for (place, signal) in self.inputs().iter().rev() {
            numbers.splice(*place..=*place, signal.values().iter().copied());
        }
        numbers
    }

    /// The entries (i, j) for which an element of V, of L + V or of g reads both q_i or v_i and θ_j, the
    /// coordinate j ≥ n; `None` if sums or near pairs hide them.
    fn couplings(&self) -> Option<[Vec<(usize, usize)>; 3]> {
        None
    }

    /// Writes Hess V(x, t) · a over `product`.
    fn product(&self, x: &[f64], t: f64, a: &[f64], product: &mut [f64]);

    /// Writes a·V‴(x, t)·a over `contraction`.
    fn third(&self, x: &[f64], t: f64, a: &[f64], contraction: &mut [f64]);

    /// Writes a·V₁‴(x, t)·a for the [stiff part](super::Stiff) V₁ over `contraction`.
    fn third_of_stiff(&self, x: &[f64], t: f64, a: &[f64], contraction: &mut [f64]);

    /// True if V⁗ and g⁗ are known: no term reads sums or near pairs, or calls a function of Rust.
    fn has_third_rates(&self) -> bool;

    /// Writes V⁗(x, t)[a, a, d] over `rate`, for a direction a of q alone: the rate of a·V‴·a as x moves
    /// along d.
    fn third_rate(&self, x: &[f64], t: f64, along: (&[f64], &[f64]), rate: &mut [f64]);

    /// The system with all of L but the potential, perhaps a narrower one.
    fn kinetic(&self) -> &dyn Parametric;

    /// Writes Hess (L + V) · a at z = (x, ẋ, t) of the [kinetic](Self::kinetic) system over `product`.
    fn kinetic_product(&self, z: &[f64], a: &[f64], product: &mut [f64]);
}
