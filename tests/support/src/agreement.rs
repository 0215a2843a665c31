//! Every kernel of a bound model against dual numbers.

use crate::oracle;
use least_action::advanced::sparse::{RowPattern, SymmetricPattern};
use least_action::advanced::wrap::Penalized;
use least_action::binding::{Bound, Model};
use least_action::expr::Oracle;
use least_action::lanes::Width;
use least_action::system::{Constrained, Forced, Holonomic, Lagrangian, Natural, Stiff};

/// The largest relative difference of two computations of the same number.
const TOLERANCE: f64 = 1e-12;

/// Numbers between −1 and 1 that look random and are the same everywhere.
#[derive(Debug, Clone)]
pub struct Seeded(u64);

impl Seeded {
    /// The sequence that belongs to `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number (`SplitMix64`).
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// The next `length` numbers.
    pub fn numbers(&mut self, length: usize) -> Vec<f64> {
        (0..length).map(|_| self.number()).collect()
    }
}

/// Everything that a natural system evaluates.
pub fn evaluated(system: &impl Natural, q: &[f64], a: &[f64]) -> Vec<f64> {
    let mut all = vec![system.potential(q, 0.0)];
    let mut vector = vec![f64::NAN; q.len()];
    system.potential_gradient(q, 0.0, &mut vector);
    all.extend(&vector);
    let mut hessian = vec![f64::NAN; system.potential_pattern().len()];
    system.potential_second(q, 0.0, &mut vector, &mut hessian);
    all.extend(vector.iter().chain(&hessian));
    system.potential_product(q, 0.0, a, &mut vector);
    all.extend(&vector);
    system.potential_third(q, 0.0, a, &mut vector);
    all.extend(&vector);
    all
}

/// Asserts that every kernel of `model`, bound, equals dual numbers at (q, v, t), in every number of
/// lanes: of the Lagrangian and, as far as the model has them, of the natural system, its stiff part,
/// its constraints and their penalty.
///
/// # Panics
/// They differ, or the model cannot be bound.
#[track_caller]
pub fn kernels_agree_with_oracle<M: Model + Oracle>(model: &M, q: &[f64], v: &[f64], t: f64) {
    let bind = |width| model.bind().unwrap_or_else(|error| panic!("{error}")).with_width(width);
    let systems: Vec<Bound<M>> = Width::available().into_iter().map(bind).collect();
    let mut check = Check { model, q, v, t, a: Seeded::new(q.len() as u64).numbers(q.len()) };
    let lagrangians: Vec<&dyn Lagrangian> = systems.iter().map(|system| system as _).collect();
    check.lagrangian(&lagrangians);
    let naturals: Vec<&dyn Natural> = systems.iter().filter_map(|system| system.faces().natural).collect();
    check.natural(&naturals);
    let stiff: Vec<&dyn Stiff> = systems.iter().filter_map(|system| system.faces().stiff).collect();
    check.stiff(&stiff);
    let constrained: Vec<&dyn Constrained> =
        systems.iter().filter_map(|system| system.faces().constrained).collect();
    for system in &constrained {
        check.holonomic(*system);
    }
    check.penalized(&constrained);
    systems.iter().filter_map(|system| system.faces().forced).for_each(|system| check.forced(system));
    // The kernels are linear or quadratic in the direction: zero entries must not matter.
    check.a[0] = 0.0;
    check.natural(&naturals);
}

/// Asserts the same of the constraints of a model that need not be natural.
///
/// # Panics
/// They differ, or the model cannot be bound.
#[track_caller]
pub fn constraints_agree_with_oracle<M: Model + Oracle>(model: &M, q: &[f64], t: f64)
where
    Bound<M>: Holonomic,
{
    let bound: Bound<M> = model.bind().unwrap_or_else(|error| panic!("{error}"));
    let mut seeded = Seeded::new(q.len() as u64);
    let (v, a) = (seeded.numbers(q.len()), seeded.numbers(q.len()));
    Check { model, q, v: &v, t, a }.holonomic(&bound);
}

struct Check<'a, M> {
    model: &'a M,
    q: &'a [f64],
    v: &'a [f64],
    t: f64,
    a: Vec<f64>,
}

impl<M: Oracle> Check<'_, M> {
    /// The values by dual numbers are found once for all widths.
    #[track_caller]
    fn lagrangian(&self, systems: &[&dyn Lagrangian]) {
        let Self { model, q, v, t, .. } = *self;
        let (n, z) = (q.len(), 2 * q.len() + 1);
        let value = oracle::lagrangian(model, q, v, t);
        let energy = oracle::energy(model, q, v, t);
        let first = oracle::lagrangian_gradient(model, q, v, t);
        let mut second = oracle::lagrangian_hessian(model, q, v, t);
        // Mixed derivatives of positions and time are left out by contract: they do not move anything.
        for index in (0..n).chain([2 * n]) {
            second[index][2 * n] = 0.0;
            second[2 * n][index] = 0.0;
        }
        let second = second.concat();
        for system in systems {
            assert_eq!(system.dimension(), n, "dimension");
            close("L", &[system.lagrangian(q, v, t)], &[value]);
            close("energy", &[system.energy(q, v, t)], &[energy]);
            let mut gradient = vec![f64::NAN; z];
            system.first_derivatives(q, v, t, &mut gradient);
            close("∂L/∂z", &gradient, &first);
            gradient.fill(f64::NAN);
            let mut hessian = vec![f64::NAN; system.second_pattern().len()];
            system.second_derivatives(q, v, t, &mut gradient, &mut hessian);
            close("∂L/∂z with the second derivatives", &gradient, &first);
            close("∂²L/∂z∂z", &symmetric(system.second_pattern(), &hessian), &second);
        }
    }

    #[track_caller]
    fn natural(&self, systems: &[&dyn Natural]) {
        if systems.is_empty() {
            return;
        }
        let Self { model, q, v, t, .. } = *self;
        let (n, a) = (q.len(), &self.a);
        let mass = oracle::mass(model, q, v, t).concat();
        let value = oracle::potential(model, q, t);
        let first = oracle::potential_gradient(model, q, t);
        let second = oracle::potential_hessian(model, q, t);
        let along = product(&second, a);
        let second = second.concat();
        let third = oracle::potential_third(model, q, t, a);
        for system in systems {
            close("mass", &symmetric(&system.mass().pattern, &system.mass().values), &mass);
            close("V", &[system.potential(q, t)], &[value]);
            let mut gradient = vec![f64::NAN; n];
            system.potential_gradient(q, t, &mut gradient);
            close("∇V", &gradient, &first);
            gradient.fill(f64::NAN);
            let mut hessian = vec![f64::NAN; system.potential_pattern().len()];
            system.potential_second(q, t, &mut gradient, &mut hessian);
            close("∇V with the Hessian", &gradient, &first);
            close("Hess V", &symmetric(system.potential_pattern(), &hessian), &second);
            let mut vector = vec![f64::NAN; n];
            system.potential_product(q, t, a, &mut vector);
            close("Hess V · a", &vector, &along);
            vector.fill(f64::NAN);
            system.potential_third(q, t, a, &mut vector);
            close("a·V‴·a", &vector, &third);
        }
    }

    #[track_caller]
    fn stiff(&self, systems: &[&dyn Stiff]) {
        if systems.is_empty() {
            return;
        }
        let expected = oracle::stiff_hessian(self.model, self.q, self.t).concat();
        for system in systems {
            let mut hessian = vec![f64::NAN; system.stiff_pattern().len()];
            system.stiff_hessian(self.q, self.t, &mut hessian);
            close("Hess V₁", &symmetric(system.stiff_pattern(), &hessian), &expected);
        }
    }

    #[track_caller]
    fn holonomic(&self, system: &dyn Holonomic) {
        let Self { model, q, v, t, .. } = *self;
        let (n, m, a) = (q.len(), system.constraints(), &self.a);
        let expected = oracle::constraints(model, q, t);
        assert_eq!(m, expected.len(), "number of equations");
        let mut values = vec![f64::NAN; m];
        system.constraint_values(q, t, &mut values);
        close("g", &values, &expected);
        values.fill(f64::NAN);
        let mut jacobian = vec![f64::NAN; system.jacobian_pattern().len()];
        system.jacobian(q, t, &mut values, &mut jacobian);
        close("g with the Jacobian", &values, &expected);
        let full = by_rows(system.jacobian_pattern(), &jacobian);
        close("G", &full, &oracle::constraint_jacobian(model, q, t).concat());
        values.fill(f64::NAN);
        system.constraint_rate(q, t, &mut values);
        close("∂g/∂t", &values, &oracle::constraint_rate(model, q, t));
        values.fill(f64::NAN);
        system.constraint_curvature(q, v, t, &mut values);
        close("d²g/dt²", &values, &oracle::constraint_curvature(model, q, v, t));
        values.fill(f64::NAN);
        system.constraint_quadratic(q, t, a, &mut values);
        close("aᵀ Hess g a", &values, &oracle::constraint_quadratic(model, q, t, a));

        let weights = Seeded::new(m as u64 + 1).numbers(m);
        let mut hessian = vec![f64::NAN; system.weighted_pattern().len()];
        system.weighted_hessian(q, t, &weights, &mut hessian);
        let expected = oracle::weighted_hessian(model, q, t, &weights);
        close("Σ w Hess g", &symmetric(system.weighted_pattern(), &hessian), &expected.concat());
        // These two are added to existing values.
        let mut vector = vec![0.5; n];
        system.add_weighted_product(q, t, &weights, a, &mut vector);
        close("Σ w Hess g · a", &vector, &plus(0.5, &product(&expected, a)));
        vector.fill(-0.25);
        system.add_weighted_third(q, t, &weights, a, &mut vector);
        close("Σ w a·g‴·a", &vector, &plus(-0.25, &oracle::weighted_third(model, q, t, &weights, a)));
    }

    #[track_caller]
    fn forced(&self, system: &dyn Forced) {
        let Self { model, q, v, t, .. } = *self;
        let expected = oracle::forces(model, q, v, t);
        let mut force = vec![0.5; q.len()];
        system.add_force(q, v, t, &mut force);
        close("F", &force, &plus(0.5, &expected));
        force.fill(-0.25);
        let mut derivatives = vec![0.0; system.force_pattern().len()];
        system.add_force_derivatives(q, v, t, &mut force, &mut derivatives);
        close("F with its derivatives", &force, &plus(-0.25, &expected));
        let full = by_rows(system.force_pattern(), &derivatives);
        close("∂F/∂(q, v)", &full, &oracle::force_derivatives(model, q, v, t).concat());
    }

    #[track_caller]
    fn penalized(&self, systems: &[&dyn Constrained]) {
        if systems.is_empty() {
            return;
        }
        let Self { model, q, t, .. } = *self;
        let (n, a, stiffness) = (q.len(), &self.a, 2.25);
        let penalty = Penalty { model, stiffness, t };
        let value = oracle::Function::at(&penalty, q);
        let first = oracle::gradient(&penalty, q);
        let second = oracle::hessian(&penalty, q);
        let along = product(&second, a);
        let second = second.concat();
        let third = oracle::third(&penalty, q, a);
        for system in systems {
            let penalized = Penalized::new(*system, 1.5).unwrap_or_else(|error| panic!("{error}"));
            close("V + penalty", &[penalized.potential(q, t)], &[value]);
            let mut gradient = vec![f64::NAN; n];
            let mut hessian = vec![f64::NAN; penalized.potential_pattern().len()];
            penalized.potential_second(q, t, &mut gradient, &mut hessian);
            close("∇(V + penalty)", &gradient, &first);
            close("Hess (V + penalty)", &symmetric(penalized.potential_pattern(), &hessian), &second);
            let mut vector = vec![f64::NAN; n];
            penalized.potential_product(q, t, a, &mut vector);
            close("Hess (V + penalty) · a", &vector, &along);
            penalized.potential_third(q, t, a, &mut vector);
            close("a·(V + penalty)‴·a", &vector, &third);
        }
    }
}

/// V + ½ ω² g·g.
struct Penalty<'a, M> {
    model: &'a M,
    stiffness: f64,
    t: f64,
}

impl<M: Oracle> oracle::Function for Penalty<'_, M> {
    fn at<T: least_action::expr::Number>(&self, q: &[T]) -> T {
        let potential = -self.model.lagrangian_dual(q, &vec![T::zero(); q.len()], T::from(self.t));
        let squares: T = self.model.constraints_dual(q, T::from(self.t)).into_iter().map(|g| g * g).sum();
        potential + squares * (0.5 * self.stiffness)
    }
}

/// Asserts |a − b| ≤ 1e-12 max(|b|, 1, ‖b‖/1000) for every entry.
#[track_caller]
fn close(what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}: length");
    let norm = expected.iter().fold(0.0, |norm: f64, entry| norm.max(entry.abs()));
    for (index, (a, b)) in found.iter().zip(expected).enumerate() {
        let scale = b.abs().max(1.0).max(1e-3 * norm);
        assert!(
            (a - b).abs() <= TOLERANCE * scale,
            "{what}, entry {index}: the kernel gives {a}, dual numbers {b}"
        );
    }
}

/// The full matrix, by rows.
fn symmetric(pattern: &SymmetricPattern, values: &[f64]) -> Vec<f64> {
    let n = pattern.dimension();
    let mut full = vec![0.0; n * n];
    for ((row, column), value) in pattern.entries().zip(values) {
        full[row * n + column] = *value;
        full[column * n + row] = *value;
    }
    full
}

fn by_rows(pattern: &RowPattern, values: &[f64]) -> Vec<f64> {
    let mut full = vec![0.0; pattern.height() * pattern.width()];
    for ((row, column), value) in pattern.entries().zip(values) {
        full[row * pattern.width() + column] = *value;
    }
    full
}

fn product(matrix: &[Vec<f64>], a: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| row.iter().zip(a).map(|(h, a)| h * a).sum()).collect()
}

fn plus(shift: f64, values: &[f64]) -> Vec<f64> {
    values.iter().map(|value| value + shift).collect()
}
