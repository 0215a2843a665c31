//! Derivatives by sensitive parameters against differences of models with other parameters.

#![expect(clippy::expect_used, reason = "a test may end at what is not there")]

use least_action::advanced::sparse::RowPattern;
use least_action::binding::Dynamic;
use least_action::prelude::*;
use least_action::system::{Holonomic, Parametric};

/// The bound of an error, relative to the largest entry.
const TOLERANCE: f64 = 1e-8;

/// The difference (f(h) − f(−h))/2h, extrapolated to h = 0 from two steps.
fn slope(step: f64, f: &dyn Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let central = |h: f64| -> Vec<f64> {
        f(h).iter().zip(f(-h)).map(|(plus, minus)| (plus - minus) / (2.0 * h)).collect()
    };
    central(step / 2.0).iter().zip(central(step)).map(|(half, whole)| (4.0 * half - whole) / 3.0).collect()
}

fn assert_near(what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1e-3_f64, |largest, entry| largest.max(entry.abs()));
    for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs();
        assert!(error <= TOLERANCE * scale, "{what}, entry {place}: {found} for {expected}");
    }
}

/// Numbers between −1 and 1 that repeat from run to run.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn moved(x: &[f64], h: f64, along: &[f64]) -> Vec<f64> {
    x.iter().zip(along).map(|(x, a)| x + h * a).collect()
}

/// The model with its parameters moved along a direction.
fn with<M: Model + Clone>(model: &M, h: f64, along: &[f64]) -> Bound<M> {
    let mut model = model.clone();
    model.set_parameters(&moved(&model.parameters(), h, along)).expect("as many");
    model.bind().expect("bound")
}

/// Hess L · (a, b) by x and by v.
fn lagrangian_product(
    parametric: &dyn Parametric,
    (q, v, t): (&[f64], &[f64], f64),
    (a, b): (&[f64], &[f64]),
) -> (Vec<f64>, Vec<f64>) {
    let (x, rest) = (parametric.place(q), vec![0.0; parametric.count()]);
    let (mut product, mut of_potential) = (vec![0.0; 2 * x.len() + 1], vec![0.0; x.len()]);
    let (z, along) = ([&x, v, &rest, &[t]].concat(), [a, b, &rest, &[0.0]].concat());
    parametric.kinetic_product(&z, &along, &mut product);
    parametric.product(&x, t, a, &mut of_potential);
    let of_v = product[x.len()..x.len() + q.len()].to_vec();
    (product.iter().zip(of_potential).map(|(product, of_v)| product - of_v).collect(), of_v)
}

/// Checks Hess L · (a, b) and the products of the constraints along a random direction.
fn check<M: Model + Clone>(model: &M, q: &[f64], v: &[f64], t: f64) {
    let bound = model.bind().expect("bound");
    let parametric = bound.parametric().expect("sensitive");
    let (n, p) = (bound.dimension(), parametric.count());
    assert_eq!(parametric.values(), model.parameters());
    let dynamic = Dynamic::new(M::FACTS.clone(), u64::MAX, |binder| model.declare(binder)).expect("bound");
    let declare = |binder: &mut _| model.declare_sensitive(binder);
    let dynamic = dynamic.sensitive(u64::MAX, model.parameters(), declare).expect("bound");
    let of_facts = dynamic.faces().mechanics.parametric().expect("sensitive");
    for seed in 1..4 {
        let (a, b) = (numbers(n + p, seed), numbers(n, seed + 10));
        let (aq, at) = a.split_at(n);
        let (product, product_v) = lagrangian_product(parametric, (q, v, t), (&a, &b));
        let same = lagrangian_product(of_facts, (q, v, t), (&a, &b));
        assert_eq!((&product, &product_v), (&same.0, &same.1), "known at run time only");
        let gradient = |h: f64| {
            let mut gradient = vec![0.0; 2 * n + 1];
            let there = with(model, h, at);
            there.faces().mechanics.first_derivatives(&moved(q, h, aq), &moved(v, h, &b), t, &mut gradient);
            gradient
        };
        let expected = slope(1e-3, &gradient);
        assert_near("L by q", &product[..n], &expected[..n]);
        assert_near("L by v", &product_v, &expected[n..2 * n]);
        // The rows of θ, for a direction of q and v alone and along θ itself.
        let still: Vec<f64> = aq.iter().copied().chain(vec![0.0; p]).collect();
        let (product, _) = lagrangian_product(parametric, (q, v, t), (&still, &b));
        for k in 0..p {
            let unit: Vec<f64> = (0..p).map(|l| f64::from(u8::from(l == k))).collect();
            let along = |h: f64| {
                let mut gradient = vec![0.0; 2 * n + 1];
                with(model, h, &unit).faces().mechanics.first_derivatives(q, v, t, &mut gradient);
                let direction = aq.iter().chain(&b);
                vec![gradient.iter().zip(direction).map(|(slope, a)| slope * a).sum::<f64>()]
            };
            assert_near(&parametric.parameter_name(k), &product[n + k..=n + k], &slope(1e-3, &along));
        }
        third(model, q, t, aq);
        third_rates(model, q, t, aq);
        if let Some(holonomic) = bound.holonomic() {
            let m = holonomic.constraints();
            let (x, rows) = (parametric.place(q), parametric.holonomic().expect("rows"));
            let weights = numbers(m, seed + 20);
            let mut product = vec![0.0; n + p];
            rows.add_weighted_product(&x, t, &weights, &still, &mut product);
            let weighed = |h: f64, of_q: &[f64], of_parameters: &[f64]| {
                let there = with(model, h, of_parameters);
                let holonomic = there.faces().holonomic.expect("constraints");
                let mut gradient = vec![0.0; n];
                let jacobian = holonomic.jacobian_matrix(&moved(q, h, of_q), t);
                jacobian.pattern.transpose_multiply_add(&jacobian.values, &weights, &mut gradient);
                gradient
            };
            let expected = slope(1e-3, &|h| weighed(h, aq, &vec![0.0; p]));
            assert_near("w·g by q", &product[..n], &expected);
            let of_parameters = &a[n..];
            let rate = |h: f64| {
                let there = with(model, h, of_parameters);
                let (q, t) = (moved(q, h, aq), t + h);
                let (own, parametric) =
                    (there.faces().holonomic.expect("rows"), there.parametric().expect("own"));
                let rows = parametric.holonomic().expect("rows");
                let pattern = rows.jacobian_pattern();
                let (mut values, mut jacobian) = (vec![0.0; m], vec![0.0; pattern.len()]);
                rows.jacobian(&parametric.place(&q), t, &mut values, &mut jacobian);
                own.constraint_rate(&q, t, &mut values);
                pattern.multiply_add(&jacobian, &a, &mut values);
                values
            };
            let mut curvature = vec![0.0; m];
            rows.constraint_curvature(&x, &a, t, &mut curvature);
            assert_near("d²g/dt²", &curvature, &slope(1e-3, &rate));
            let mut values = vec![0.0; m];
            let pattern = rows.jacobian_pattern();
            let mut jacobian = vec![0.0; pattern.len()];
            rows.jacobian(&x, t, &mut values, &mut jacobian);
            for k in 0..p {
                let unit: Vec<f64> = (0..p).map(|l| f64::from(u8::from(l == k))).collect();
                let along = |h: f64| {
                    let gradient = weighed(h, &vec![0.0; n], &unit);
                    vec![gradient.iter().zip(aq).map(|(slope, a)| slope * a).sum::<f64>()]
                };
                assert_near("w·g by θ", &product[n + k..=n + k], &slope(1e-3, &along));
                let values = |h: f64| {
                    let there = with(model, h, &unit);
                    let mut values = vec![0.0; m];
                    there.faces().holonomic.expect("constraints").constraint_values(q, t, &mut values);
                    values
                };
                let mut column = vec![0.0; m];
                for ((row, at), value) in pattern.entries().zip(&jacobian) {
                    if at == n + k {
                        column[row] += value;
                    }
                }
                assert_near("g by θ", &column, &slope(1e-3, &values));
            }
        }
    }
}

/// Checks a·V‴·a by x for a direction of q alone: the slopes of aᵀ Hess V a.
fn third<M: Model + Clone>(model: &M, q: &[f64], t: f64, a: &[f64]) {
    let bound = model.bind().expect("bound");
    let (Some(parametric), Some(natural)) = (bound.parametric(), bound.faces().natural) else { return };
    let (n, p) = (bound.dimension(), parametric.count());
    let curvature = |natural: &dyn Natural, q: &[f64]| {
        let mut product = vec![0.0; n];
        natural.potential_product(q, t, a, &mut product);
        vec![product.iter().zip(a).map(|(product, a)| product * a).sum::<f64>()]
    };
    let mut found = vec![0.0; n + p];
    let still: Vec<f64> = a.iter().copied().chain(vec![0.0; p]).collect();
    parametric.third(&parametric.place(q), t, &still, &mut found);
    let mut expected = vec![0.0; n];
    natural.potential_third(q, t, a, &mut expected);
    assert_near("V third by q", &found[..n], &expected);
    for k in 0..p {
        let unit: Vec<f64> = (0..p).map(|l| f64::from(u8::from(l == k))).collect();
        let along = |h: f64| {
            let there = with(model, h, &unit);
            curvature(there.faces().natural.expect("natural"), q)
        };
        assert_near("V third by θ", &found[n + k..=n + k], &slope(1e-3, &along));
    }
    let Some(stiff) = bound.faces().stiff else { return };
    parametric.third_of_stiff(&parametric.place(q), t, &still, &mut found);
    stiff.stiff_third(q, t, a, &mut expected);
    assert_near("stiff third by q", &found[..n], &expected);
    let curvature = |there: &Bound<M>, q: &[f64]| {
        let stiff = there.faces().stiff.expect("stiff");
        let mut hessian = vec![0.0; stiff.stiff_pattern().len()];
        stiff.stiff_hessian(q, t, &mut hessian);
        let entries = stiff.stiff_pattern().entries().zip(hessian);
        let form = entries.map(|((row, column), value)| {
            (if row == column { 1.0 } else { 2.0 }) * value * a[row] * a[column]
        });
        vec![form.sum::<f64>()]
    };
    for k in 0..n + p {
        let unit: Vec<f64> = (0..n + p).map(|l| f64::from(u8::from(l == k))).collect();
        let along = |h: f64| curvature(&with(model, h, &unit[n..]), &moved(q, h, &unit[..n]));
        assert_near("stiff third by x", &found[k..=k], &slope(1e-3, &along));
    }
}

/// A contraction of third derivatives at a place.
type Third<'t> = &'t dyn Fn(&dyn Parametric, &[f64], &mut [f64]);

/// Checks the rates of all third derivatives for a direction of q alone, as q and θ move.
fn third_rates<M: Model + Clone>(model: &M, q: &[f64], t: f64, a: &[f64]) {
    let bound = model.bind().expect("bound");
    let parametric = bound.parametric().expect("sensitive");
    let x = parametric.place(q);
    if !parametric.has_third_rates() {
        return;
    }
    let (n, p) = (bound.dimension(), parametric.count());
    let (d, weights) = (numbers(n + p, 31), numbers(bound.holonomic().map_or(0, Holonomic::constraints), 32));
    let still: Vec<f64> = a.iter().copied().chain(vec![0.0; p]).collect();
    let expected = |length: usize, third: Third<'_>| {
        let at = |h: f64| {
            let (there, mut found) = (with(model, h, &d[n..]), vec![0.0; length]);
            let there = there.parametric().expect("sensitive");
            third(there, &there.place(&moved(q, h, &d[..n])), &mut found);
            found
        };
        slope(1e-3, &at)
    };
    let mut found = vec![0.0; n + p];
    parametric.third_rate(&x, t, (&still, &d), &mut found);
    let third = |own: &dyn Parametric, x: &[f64], found: &mut [f64]| own.third(x, t, &still, found);
    assert_near("rate of V third", &found, &expected(n + p, &third));
    let Some(rows) = parametric.holonomic() else { return };
    let mut found = vec![0.0; n + p];
    rows.add_weighted_third_rate(&x, t, &weights, (&still, &d), &mut found);
    let third = |own: &dyn Parametric, x: &[f64], sum: &mut [f64]| {
        own.holonomic().expect("rows").add_weighted_third(x, t, &weights, &still, sum);
    };
    assert_near("rate of g third", &found, &expected(n + p, &third));
    let mut found = vec![0.0; weights.len()];
    rows.constraint_quadratic_rate(&x, t, (&still, &d), &mut found);
    let quadratic = |own: &dyn Parametric, x: &[f64], all: &mut [f64]| {
        own.holonomic().expect("rows").constraint_quadratic(x, t, &still, all);
    };
    assert_near("rate of the second derivative of g", &found, &expected(weights.len(), &quadratic));
}

/// Columns of θ in derivatives of rows by (x, v) against slopes, and the columns of q and v as they are.
fn check_rows<M: Model + Clone>(
    model: &M,
    (pattern, derivatives): (&RowPattern, &[f64]),
    (plain, expected): (&RowPattern, &[f64]),
    values: &dyn Fn(&Bound<M>) -> Vec<f64>,
) {
    let (n, p) = (plain.width() / 2, model.parameters().len());
    let full = |pattern: &RowPattern, values: &[f64]| {
        let mut all = vec![vec![0.0; pattern.width()]; pattern.height()];
        pattern.entries().zip(values).for_each(|((row, column), value)| all[row][column] += value);
        all
    };
    let (found, plain) = (full(pattern, derivatives), full(plain, expected));
    for (found, plain) in found.iter().zip(&plain) {
        let own: Vec<f64> = found[..n].iter().chain(&found[n + p..2 * n + p]).copied().collect();
        assert_near("rows by q and v", &own, plain);
    }
    for k in 0..p {
        let unit: Vec<f64> = (0..p).map(|l| f64::from(u8::from(l == k))).collect();
        let along = |h: f64| values(&with(model, h, &unit));
        let column: Vec<f64> = found.iter().take(plain.len()).map(|row| row[n + k]).collect();
        assert_near("rows by θ", &column, &slope(1e-3, &along));
    }
}

fn check_forces<M: Model + Clone>(model: &M, q: &[f64], v: &[f64], t: f64) {
    let bound = model.bind().expect("bound");
    let (parametric, forced) =
        (bound.parametric().expect("sensitive"), bound.faces().forced.expect("forces"));
    let (x, v_x) = (parametric.place(q), [v, &vec![0.0; parametric.count()]].concat());
    let extended = parametric.forced().expect("forces");
    let mut derivatives = vec![0.0; extended.force_pattern().len()];
    extended.add_force_derivatives(&x, &v_x, t, &mut vec![0.0; x.len()], &mut derivatives);
    let mut expected = vec![0.0; forced.force_pattern().len()];
    forced.add_force_derivatives(q, v, t, &mut vec![0.0; q.len()], &mut expected);
    let values = |there: &Bound<M>| {
        let mut force = vec![0.0; q.len()];
        there.faces().forced.expect("forces").add_force(q, v, t, &mut force);
        force
    };
    let found = (extended.force_pattern(), &derivatives[..]);
    check_rows(model, found, (forced.force_pattern(), &expected), &values);
}

fn check_nonholonomic<M: Model + Clone>(model: &M, q: &[f64], v: &[f64], t: f64) {
    let bound = model.bind().expect("bound");
    let parametric = bound.parametric().expect("sensitive");
    let constrained = bound.faces().nonholonomic.expect("constraints");
    let rows = constrained.nonholonomic_rows();
    let mut values = vec![0.0; rows];
    let (x, v_x) = (parametric.place(q), [v, &vec![0.0; parametric.count()]].concat());
    let extended = parametric.nonholonomic().expect("constraints");
    let mut derivatives = vec![0.0; extended.nonholonomic_pattern().len()];
    extended.nonholonomic_derivatives(&x, &v_x, t, &mut values, &mut derivatives);
    let pattern = constrained.nonholonomic_pattern();
    let mut expected = vec![0.0; pattern.len()];
    constrained.nonholonomic_derivatives(q, v, t, &mut values, &mut expected);
    let at = |there: &Bound<M>| {
        let mut values = vec![0.0; rows];
        there.faces().nonholonomic.expect("constraints").nonholonomic_values(q, v, t, &mut values);
        values
    };
    let found = (extended.nonholonomic_pattern(), &derivatives[..]);
    check_rows(model, found, (pattern, &expected), &at);
}

#[derive(Clone)]
struct Chain {
    links: usize,
    masses: Vec<f64>,
    gravity: f64,
    rods: Vec<f64>,
}

#[lagrangian(sensitive(masses, rods, gravity))]
impl Chain {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        let kinetic = sum(0..self.links, |i| 0.5 * self.masses[i] * der(bobs[i]).norm_squared());
        let potential = sum(0..self.links, |i| self.masses[i] * self.gravity * bobs[i].y);
        kinetic - potential
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| {
            let pivot = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            (bobs[i] - pivot).norm_squared() - self.rods[i].powi(2)
        })
    }
}

#[test]
fn a_chain() {
    let chain =
        Chain { links: 4, masses: vec![1.0, 0.5, 2.0, 0.7], gravity: 9.81, rods: vec![1.0, 0.8, 0.6, 1.3] };
    check(&chain, &numbers(8, 5), &numbers(8, 6), 0.0);
}

#[derive(Clone)]
struct DoublePendulum {
    masses: [f64; 2],
    rods: [f64; 2],
    gravity: f64,
}

#[lagrangian(sensitive(masses, rods, gravity))]
impl DoublePendulum {
    fn lagrangian(&self, theta: Angle, phi: Angle) -> Scalar {
        let upper = self.rods[0] * vec2(theta.sin(), -theta.cos());
        let lower = upper + self.rods[1] * vec2(phi.sin(), -phi.cos());
        let kinetic = 0.5 * self.masses[0] * der(upper).norm_squared()
            + 0.5 * self.masses[1] * der(lower).norm_squared();
        let potential = self.gravity * (self.masses[0] * upper.y + self.masses[1] * lower.y);
        kinetic - potential
    }
}

#[test]
fn a_double_pendulum_in_angles() {
    let model = DoublePendulum { masses: [1.0, 0.6], rods: [1.2, 0.9], gravity: 9.81 };
    check(&model, &[0.4, -1.1], &[0.7, 1.3], 0.0);
}

#[derive(Clone)]
struct Atoms {
    count: usize,
    mass: f64,
    epsilon: f64,
    sigma: f64,
}

#[lagrangian(sensitive(mass, epsilon, sigma))]
impl Atoms {
    fn lagrangian(&self, atoms: [Vec2; self.count]) -> Scalar {
        let kinetic = sum(0..self.count, |i| 0.5 * self.mass * der(atoms[i]).norm_squared());
        let potential = sum(pairs(self.count), |(i, j)| {
            let s6 = (self.sigma.powi(2) / (atoms[i] - atoms[j]).norm_squared()).powi(3);
            4.0 * self.epsilon * (s6 * s6 - s6)
        });
        kinetic - potential
    }
}

#[test]
fn lennard_jones_pairs() {
    let model = Atoms { count: 5, mass: 1.5, epsilon: 0.7, sigma: 0.9 };
    let q: Vec<f64> = numbers(10, 3).iter().zip(0..).map(|(x, k)| 0.2 * x + f64::from(k)).collect();
    check(&model, &q, &numbers(10, 4), 0.0);
}

#[derive(Clone)]
struct Driven {
    mass: f64,
    length: f64,
    amplitude: f64,
    omega: f64,
    gravity: f64,
}

#[lagrangian(sensitive(length, amplitude, omega))]
impl Driven {
    fn lagrangian(&self, theta: Angle, t: Time) -> Scalar {
        let bob = vec2(0.0, self.pivot(t)) + self.length * vec2(theta.sin(), -theta.cos());
        0.5 * self.mass * der(bob).norm_squared() - self.mass * self.gravity * bob.y
    }

    fn pivot(&self, t: Scalar) -> Scalar {
        self.amplitude * (self.omega * t).cos()
    }
}

#[test]
fn a_driven_pendulum() {
    let model = Driven { mass: 0.8, length: 1.1, amplitude: 0.3, omega: 2.1, gravity: 9.81 };
    check(&model, &[0.4], &[0.7], 0.6);
}

#[derive(Clone)]
struct Dragged {
    springs: Vec<f64>,
    drag: f64,
    friction: [f64; 2],
}

#[lagrangian(sensitive(springs, drag, friction))]
impl Dragged {
    fn lagrangian(&self, x: [Scalar; 2]) -> Scalar {
        let kinetic = sum(0..2, |i| 0.5 * der(x[i]).powi(2));
        let potential = sum(self.springs.iter().enumerate(), |(i, k)| 0.25 * k * x[i].powi(4));
        kinetic - potential
    }

    #[force]
    fn air(&self, x: [Scalar; 2]) -> [Scalar; 2] {
        each(0..2, |i| -self.drag * der(x[i]) * der(x[i]).abs() - (self.drag * x[i]).sin())
    }

    #[dissipation]
    fn rub(&self, x: [Scalar; 2]) -> Scalar {
        sum(0..2, |i| 0.5 * self.friction[i] * der(x[i]).powi(2))
            + 0.5 * self.friction[0] * x[1] * der(x[0]).powi(2)
    }
}

#[test]
fn forces() {
    let model = Dragged { springs: vec![2.0, 3.0], drag: 0.3, friction: [0.2, 0.4] };
    let (q, v) = ([0.6, -0.8], [1.2, -0.9]);
    check(&model, &q, &v, 0.0);
    check_forces(&model, &q, &v, 0.0);
}

#[derive(Clone)]
struct Sleigh {
    mass: f64,
    offset: f64,
    inertia: f64,
}

#[lagrangian(sensitive(offset, mass))]
impl Sleigh {
    fn lagrangian(&self, at: Vec2, phi: Angle) -> Scalar {
        0.5 * self.mass * der(at).norm_squared() + 0.5 * self.inertia * der(phi).powi(2)
    }

    #[nonholonomic]
    fn blade(&self, at: Vec2, phi: Angle) -> Scalar {
        -phi.sin() * der(at).x + phi.cos() * der(at).y - self.offset * der(phi)
    }
}

#[test]
fn a_sleigh() {
    let model = Sleigh { mass: 1.4, offset: 0.3, inertia: 0.6 };
    let (q, v) = ([0.6, -0.8, 0.5], [1.2, -0.9, 0.4]);
    check(&model, &q, &v, 0.0);
    check_nonholonomic(&model, &q, &v, 0.0);
}

#[derive(Clone)]
struct Vibrated {
    amplitude: f64,
    cycles: f64,
    begin: f64,
    length: f64,
}

#[lagrangian(sensitive(amplitude, cycles, begin))]
impl Vibrated {
    fn lagrangian(&self, theta: Angle, phase: Phase) -> Scalar {
        let bob = vec2(0.0, self.amplitude * phase.cos()) + self.length * vec2(theta.sin(), -theta.cos());
        0.5 * der(bob).norm_squared() - 9.81 * bob.y
    }

    #[frequency]
    fn omega(&self) -> f64 {
        std::f64::consts::TAU * self.cycles
    }

    #[phase]
    fn start_phase(&self) -> f64 {
        self.begin
    }
}

#[test]
fn a_fast_phase() {
    let model = Vibrated { amplitude: 0.2, cycles: 1.7, begin: 0.4, length: 0.8 };
    check(&model, &[0.4], &[0.7], 0.6);
}

fn softened<N: least_action::expr::Number>(r: N, softening: N) -> N {
    (r * r + softening * softening).sqrt()
}

/// All functions of the language, in a potential and in a constraint.
#[derive(Clone)]
struct Functions {
    scale: f64,
    exponent: f64,
}

#[lagrangian(sensitive(scale, exponent))]
impl Functions {
    fn lagrangian(&self, p: Vec3) -> Scalar {
        let (x, y) = (self.scale * p.x, p.y);
        let circular =
            x.sin() + (x * y).cos() + (0.3 * x).tan() + (0.3 * x).asin() + (0.2 * y).acos() + x.atan();
        let hyperbolic =
            x.sinh() + y.cosh() + x.tanh() + x.asinh() + (2.0 + x * x).acosh() + (0.3 * y).atanh();
        let growing = (x * y).exp() + x.exp_m1() + (2.0 + y).ln() + (x * x).ln_1p() + (3.0 + x).cbrt();
        let others = x.erf() + y.erfc() + (2.0 + x).powf(self.exponent) + y.atan2(1.0 + x * x).sin();
        let pieces = (x - 5.0).abs().powi(3) + (1.0 / (2.0 + x)) + 1.0 / (2.0 + y * y).sqrt();
        0.5 * der(p).norm_squared() - circular - hyperbolic - growing - others - pieces * p.z.powi(2)
    }

    #[holonomic]
    fn surface(&self, p: Vec3) -> Scalar {
        p.x.powi(4) * p.y + (self.scale * p.z).sin() * p.y.powi(2) - self.exponent * p.norm()
    }
}

#[test]
fn functions_of_the_language() {
    let model = Functions { scale: 0.9, exponent: 1.7 };
    check(&model, &[0.4, -0.3, 0.8], &[0.7, 0.2, -0.5], 0.0);
    assert!(model.bind().expect("bound").parametric().expect("sensitive").has_third_rates());
}

/// A potential by a function of Rust.
#[derive(Clone)]
struct Soft {
    softening: f64,
}

#[lagrangian(sensitive(softening))]
impl Soft {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - softened(x, self.softening)
    }
}

#[test]
fn functions_of_rust_have_no_rates_of_third_derivatives() {
    let model = Soft { softening: 0.3 };
    check(&model, &[0.4], &[0.7], 0.0);
    assert!(!model.bind().expect("bound").parametric().expect("sensitive").has_third_rates());
}

#[derive(Clone)]
struct Mixed {
    count: usize,
    weights: Vec<f64>,
    stiffness: f64,
    softening: f64,
    threshold: f64,
    exponent: f64,
    plain: f64,
}

#[lagrangian(sensitive(weights, stiffness, softening, threshold, exponent))]
impl Mixed {
    fn lagrangian(&self, x: [Vec2; self.count]) -> Scalar {
        let kinetic = sum(0..self.count, |i| 0.5 * self.plain * der(x[i]).norm_squared());
        let weights = &self.weights;
        let inertia = sum(0..self.weights.len(), |i| weights[i] * x[i].norm_squared());
        let bonds =
            sum(1..self.count, |i| stiff(0.5 * self.stiffness * (self.length(x[i], x[i - 1]) - 1.0).powi(2)));
        let soft = sum(x, |at| softened(at.x, self.softening));
        let wall =
            if self.threshold > 0.2 && self.weights[0] != 0.0 { self.threshold * x[0].x } else { x[0].y };
        let power = (1.5 + x[0].y.powi(2)).powf(self.exponent);
        kinetic - self.plain * inertia.sqrt() * self.half() - bonds - soft - wall - power - self.other()
    }

    fn length(&self, a: Vec2, b: Vec2) -> Scalar {
        ((a - b).norm_squared() + self.softening.powi(2)).sqrt()
    }

    fn half(&self) -> Scalar {
        0.5 * self.stiffness
    }

    fn other(&self) -> f64 {
        self.plain
    }
}

#[test]
fn functions_of_sums_and_helpers() {
    let model = Mixed {
        count: 3,
        weights: vec![0.5, 1.5, 0.8],
        stiffness: 7.0,
        softening: 0.3,
        threshold: 0.4,
        exponent: 1.3,
        plain: 1.2,
    };
    check(&model, &[0.3, 0.5, 1.3, -0.4, 0.9, 0.8], &numbers(6, 7), 0.0);
}

#[derive(Clone)]
struct Falling {
    gravity: f64,
    none: f64,
}

#[lagrangian(sensitive(gravity))]
impl Falling {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - self.gravity * x - self.none * x.powi(2)
    }
}

/// A natural model: its parameter has no mass.
#[test]
fn a_natural_model() {
    check(&Falling { gravity: 9.81, none: 0.3 }, &[0.4], &[0.7], 0.0);
}

#[derive(Clone)]
struct Plain {
    gravity: f64,
}

#[lagrangian(sensitive())]
impl Plain {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - self.gravity * x.powi(3)
    }
}

#[test]
fn no_parameters() {
    check(&Plain { gravity: 9.81 }, &[0.4], &[0.7], 0.0);
}

#[test]
fn wrong_numbers_are_refused() {
    let mut model = Falling { gravity: 9.81, none: 0.3 };
    assert!(model.set_parameters(&[1.0, 2.0]).is_err());
    assert!(model.set_parameters(&[1.5]).is_ok());
    assert!((model.gravity - 1.5).abs() < f64::EPSILON);
    let bound = model.bind().expect("bound");
    let parametric = bound.parametric().expect("sensitive");
    let mut product = [0.0; 2];
    parametric.product(&[0.1, 0.2, 0.3], 0.0, &[1.0, 0.0], &mut product);
    assert!(product.iter().all(|entry| entry.is_nan()));
}

#[derive(Clone)]
struct Near {
    count: usize,
    epsilon: f64,
    gravity: f64,
    on: f64,
    range: f64,
    charges: Vec<f64>,
}

#[lagrangian(sensitive(epsilon, gravity, charges))]
impl Near {
    fn lagrangian(&self, p: [Vec3; self.count]) -> Scalar {
        let kinetic = sum(0..self.count, |i| 0.5 * der(p[i]).norm_squared());
        let near = within(self.range, p).periodic(Cell::cubic(6.0));
        let switched =
            sum(near, |(_, _, d)| self.epsilon * switched(d.norm(), self.on, self.range) / d.norm_squared());
        let plain = sum(within(self.range, p), |(i, j, d)| {
            self.charges[i] * self.charges[j].exp() * (self.range - d.norm()).powi(4)
        });
        let alone = sum(within(self.range, p), |(_, _, d)| (self.range - d.norm()).powi(5));
        kinetic - switched - plain - alone - sum(0..self.count, |i| self.gravity * p[i].y)
    }

    #[force]
    fn rub(&self, p: [Vec3; self.count]) -> [Vec3; self.count] {
        each(0..self.count, |k| {
            let near = within(self.range, p).periodic(Cell::cubic(6.0));
            let speed = sum(near, |(i, j, d)| {
                let speed = self.gravity * (self.range - d.norm()).powi(3) * der(p[i] - p[j]);
                if i == k {
                    speed
                } else if j == k {
                    -speed
                } else {
                    Vec3::ZERO
                }
            });
            -speed
        })
    }
}

/// A sum over near pairs without parameters, and one with some, between images.
#[test]
fn near_pairs() {
    let model = Near { count: 7, epsilon: 0.6, gravity: 9.81, on: 1.1, range: 2.3, charges: numbers(7, 12) };
    let q: Vec<f64> = numbers(21, 11).iter().map(|x| 2.9 * x).collect();
    check(&model, &q, &numbers(21, 4), 0.0);
    check_forces(&model, &q, &numbers(21, 4), 0.0);
}

#[derive(Clone)]
struct Drops {
    count: usize,
    masses: Vec<f64>,
    whole: f64,
    stiffness: f64,
}

#[lagrangian(sensitive(masses, whole, stiffness))]
impl Drops {
    fn lagrangian(&self, x: [Scalar; self.count]) -> Scalar {
        let speed = sum(0..self.count, |i| self.masses[i] * x[i].cos() * der(x[i]).powi(2));
        let centre = sum(0..self.count, |i| (i as f64 + self.whole) * der(x[i]));
        let moved = sum(0..self.count, |i| der(x[i]));
        let place = sum(0..self.count, |i| self.masses[i] * x[i].powi(2));
        sum(0..self.count, |i| der(x[i]).powi(2))
            + (3.0 + speed + place.sin()).sqrt()
            + self.whole * centre.powi(2)
            + moved.powi(2)
            - (1.0 + self.stiffness * place).sqrt()
    }

    #[force]
    fn drag(&self, x: [Scalar; self.count]) -> [Scalar; self.count] {
        let speed = sum(0..self.count, |i| self.masses[i] * der(x[i]).powi(2));
        each(0..self.count, |i| -self.stiffness * (1.0 + speed).sqrt() * der(x[i]))
    }
}

#[test]
fn functions_of_moving_sums() {
    let model = Drops { count: 3, masses: vec![0.5, 0.9, 1.2], whole: 0.7, stiffness: 1.4 };
    let (q, v) = ([0.4, -0.3, 0.8], [0.7, 0.2, -0.5]);
    check(&model, &q, &v, 0.0);
    check_forces(&model, &q, &v, 0.0);
}

#[derive(Clone)]
struct Moored {
    gravity: [f64; 3],
    anchor: Vec<f64>,
    stiffness: f64,
}

#[lagrangian(sensitive(gravity, anchor, stiffness))]
impl Moored {
    fn lagrangian(&self, buoy: Vec3) -> Scalar {
        let away = buoy - vec3([self.anchor[0], self.anchor[1], self.stiffness]);
        0.5 * der(buoy).norm_squared() + vec3(self.gravity).dot(buoy) * buoy.x
            - self.stiffness * away.norm_squared().sqrt()
    }
}

#[test]
fn vectors_of_parameters() {
    let model = Moored { gravity: [0.3, -0.2, -9.81], anchor: vec![0.4, 0.6], stiffness: 3.0 };
    check(&model, &[0.6, -0.8, 0.5], &[1.2, -0.9, 0.4], 0.0);
}
