use super::{Signal, System};

/// The sensitive parameters θ of a model, with the system over x = (q, θ).
///
/// The parameters are coordinates at rest of a second binding, whose [rows](System::holonomic),
/// [forces](System::forced) and [constraints on velocities](System::nonholonomic) have derivatives by x
/// as those of any system have them by q.
///
/// An [input](Self::inputs) of forces is one parameter, the average of its signal over a step.
#[derive(Clone, Copy)]
pub struct Parametric<'s> {
    system: &'s dyn ExtendedSystem,
    values: &'s [f64],
    inputs: &'s [(usize, Signal)],
}

impl<'s> Parametric<'s> {
    /// The last coordinates of a system, one for each value, are its parameters.
    pub(crate) fn new(
        system: &'s dyn ExtendedSystem,
        values: &'s [f64],
        inputs: &'s [(usize, Signal)],
    ) -> Self {
        Self { system, values, inputs }
    }

    /// The number p of parameters.
    pub fn count(self) -> usize {
        self.values.len()
    }

    /// The values θ; an input has 0, because each step has an average of its own.
    pub fn values(self) -> &'s [f64] {
        self.values
    }

    /// The parameters that are inputs of forces, with their signals.
    pub fn inputs(self) -> &'s [(usize, Signal)] {
        self.inputs
    }

    /// The name of a parameter, such as `masses[3]`.
    pub fn name(self, parameter: usize) -> String {
        self.system.layout().name_of(self.freedom() + parameter)
    }

    /// The names of [`numbers`](Self::numbers): a signal `torque` of several values has `torque[3]`.
    pub fn number_names(self) -> Vec<String> {
        let mut names = Vec::new();
        for parameter in 0..self.count() {
            let (name, own) = (self.name(parameter), self.inputs.iter().find(|own| own.0 == parameter));
            match own.map(|(_, signal)| signal).filter(|signal| !signal.times().is_empty()) {
                Some(signal) => names.extend((0..signal.values().len()).map(|k| format!("{name}[{k}]"))),
                None => names.push(name),
            }
        }
        names
    }

    /// The numbers of all sensitive fields in their order, with each value of each signal.
    pub fn numbers(self) -> Vec<f64> {
        let mut numbers = self.values.to_vec();
        for (place, signal) in self.inputs.iter().rev() {
            numbers.splice(*place..=*place, signal.values().iter().copied());
        }
        numbers
    }

    /// The system over x.
    pub fn system(self) -> &'s dyn ExtendedSystem {
        self.system
    }

    /// The entries (i, j) for which an element of V, of L + V or of g reads both q_i or v_i and θ_j;
    /// `None` if they are unknown.
    pub(crate) fn couplings(self) -> Option<[Vec<(usize, usize)>; 3]> {
        self.system.couplings(self.freedom())
    }

    /// The number n of degrees of freedom beside the parameters.
    pub fn freedom(self) -> usize {
        self.system.dimension() - self.count()
    }

    /// x at these q, as a new vector.
    pub fn place(self, q: &[f64]) -> Vec<f64> {
        q.iter().chain(self.values).copied().collect()
    }
}

/// A system over x = (q, θ) that answers along directions, from which all derivatives by θ follow:
/// Hess V · (a, 0) has Hess V · a in its first n entries, and ∂(∇V · a)/∂θ in those behind.
/// Along (0, b), the first n entries are the derivative of ∇V along b.
///
/// # Shapes
/// As of any system, over x. A narrower system, such as the forces of a penalized one, which do not read
/// ω, takes as many entries of x as it has [coordinates](System::dimension).
pub trait ExtendedSystem: System {
    /// The entries (i, j) for which an element of V, of L + V or of g reads both x_i or ẋ_i with i < n and
    /// x_j with j ≥ n; `None` if sums or near pairs hide them.
    fn couplings(&self, n: usize) -> Option<[Vec<(usize, usize)>; 3]>;

    /// Writes Hess V(x, t) · a over `product`.
    fn product(&self, x: &[f64], t: f64, a: &[f64], product: &mut [f64]);

    /// Writes a·V‴(x, t)·a over `contraction`.
    fn third(&self, x: &[f64], t: f64, a: &[f64], contraction: &mut [f64]);

    /// Writes a·V₁‴(x, t)·a for the [stiff part](super::Stiff) V₁ over `contraction`.
    fn third_of_stiff(&self, x: &[f64], t: f64, a: &[f64], contraction: &mut [f64]);

    /// True if V⁗ and g⁗ are known: no term reads sums or near pairs, or calls a function of Rust.
    fn has_third_rates(&self) -> bool;

    /// Writes V⁗(x, t)[a, a, d] over `rate`: the rate of a·V‴·a as x moves along d.
    fn third_rate(&self, x: &[f64], t: f64, along: (&[f64], &[f64]), rate: &mut [f64]);

    /// The system with L + V.
    fn kinetic(&self) -> &dyn Kinetic;
}

/// A system that answers for L + V, all of L but the potential.
pub trait Kinetic: System {
    /// Writes Hess (L + V) · a at z = (x, ẋ, t) over `product`, both by z.
    fn kinetic_product(&self, z: &[f64], a: &[f64], product: &mut [f64]);
}
