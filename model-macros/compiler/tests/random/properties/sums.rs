//! Functions of sums: all that is asked of them by the chain rule, from the derivatives of elements.

use super::emitted::{Bound, Element, Emitted, Family};
use super::{Matrix, Point};
use least_action_kernel::Operation;

/// A number that depends on (q, t) or on (q, v, t), with its derivatives: by all of them, or by q
/// alone.
#[derive(Debug, Clone)]
pub(super) struct Lifted {
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    pub(super) hessian: Matrix,
    /// a·f‴·a.
    pub(super) third: Vec<f64>,
    /// ∂f/∂t.
    pub(super) rate: f64,
    /// df/dt and d²f/dt² along the motion with velocity v and without acceleration.
    speed: f64,
    pub(super) curvature: f64,
}

impl Lifted {
    pub(super) fn zero(n: usize) -> Self {
        Self {
            value: 0.0,
            gradient: vec![0.0; n],
            hessian: vec![vec![0.0; n]; n],
            third: vec![0.0; n],
            rate: 0.0,
            speed: 0.0,
            curvature: 0.0,
        }
    }

    /// Hess f · a.
    pub(super) fn product(&self, a: &[f64]) -> Vec<f64> {
        self.hessian.iter().map(|row| row.iter().zip(a).map(|(h, a)| h * a).sum()).collect()
    }

    pub(super) fn along(&self, a: &[f64]) -> f64 {
        self.gradient.iter().zip(a).map(|(g, a)| g * a).sum()
    }

    pub(super) fn add(&mut self, other: &Self) {
        let sum =
            |to: &mut Vec<f64>, from: &[f64]| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        self.value += other.value;
        self.rate += other.rate;
        self.speed += other.speed;
        self.curvature += other.curvature;
        sum(&mut self.gradient, &other.gradient);
        sum(&mut self.third, &other.third);
        self.hessian.iter_mut().zip(&other.hessian).for_each(|(to, from)| sum(to, from));
    }
}

/// All arguments and sums at a point, of functions of (q, t) or of (q, v, t).
pub(super) fn lifted(emitted: &Emitted, bound: &Bound, point: &Point, in_motion: bool) -> Vec<Lifted> {
    let (sort, sums) = if in_motion { ("moving", &bound.moving) } else { ("sum", &bound.still) };
    let arguments = if in_motion { [&point.q[..], &point.v, &[point.t]].concat() } else { point.q.clone() };
    let n = arguments.len();
    let mut z: Vec<Lifted> = vec![Lifted::zero(n); n + sums.count];
    for (i, (z, argument)) in z.iter_mut().zip(arguments).enumerate() {
        z.value = argument;
        z.gradient[i] = 1.0;
        if !in_motion {
            z.speed = point.v[i];
        }
    }
    for &(row, first, second) in &sums.separations {
        let (first, second) = (z[first].clone(), z[second].clone());
        let to = &mut z[n + row];
        (to.value, to.speed) = (first.value - second.value, first.speed - second.speed);
        to.gradient = first.gradient.iter().zip(&second.gradient).map(|(a, b)| a - b).collect();
    }
    for stage in 0..sums.stages.len() {
        let role = format!("{sort} {stage}");
        for family in bound.families.iter().filter(|family| family.role == role) {
            for element in &family.elements {
                // A sum over near pairs is one by itself.
                for sum in 0..emitted.sums(&family.marker).max(1) {
                    let found = lift_one(emitted, family, (element, sum), &z, point);
                    z[n + element.row + sum * sums.stages[stage].apart()].add(&found);
                }
            }
        }
        for (_, row) in sums.links.iter().filter(|(of, _)| *of == stage) {
            let before = z[n + row - 1].clone();
            z[n + row].add(&before);
        }
    }
    z
}

/// An element of which all inputs are known.
pub(super) fn lift(
    emitted: &Emitted,
    family: &Family,
    element: &Element,
    z: &[Lifted],
    point: &Point,
) -> Lifted {
    lift_one(emitted, family, (element, 0), z, point)
}

/// The value that an element with known inputs adds to one of its sums.
fn lift_one(
    emitted: &Emitted,
    family: &Family,
    (element, sum): (&Element, usize),
    z: &[Lifted],
    point: &Point,
) -> Lifted {
    let n = z[0].gradient.len();
    let (inputs, c) = (&element.inputs, &element.coefficients[..]);
    let x: Vec<f64> = inputs.iter().map(|&at| z[at].value).collect();
    let kernel = |operation: Operation, arguments: &[&[f64]]| {
        emitted.kernel_of_sum(&family.marker, (operation, sum), arguments, point.t)
    };
    let plain = |operation: Operation| kernel(operation, &[&x, c]);
    let directed = |operation: Operation, a: &[f64]| kernel(operation, &[&x, a, c]);
    let mut found = Lifted::zero(n);
    found.value = plain(Operation::Value)[0];
    let (gradient, second) = (plain(Operation::Gradient), plain(Operation::Second));
    let a: Vec<f64> = inputs.iter().map(|&at| z[at].along(&point.a)).collect();
    if emitted.sums(&family.marker) > 0 {
        let (along, slopes): (f64, f64) =
            (directed(Operation::Along, &a)[0], gradient.iter().zip(&a).map(|(g, a)| g * a).sum());
        let size: f64 = gradient.iter().zip(&a).map(|(g, a)| (g * a).abs()).sum();
        assert!((along - slopes).abs() <= 1e-9 * (1.0 + size) || !slopes.is_finite(), "{along} and {slopes}");
    }
    let speeds: Vec<f64> = inputs.iter().map(|&at| z[at].speed).collect();
    let seconds: Vec<f64> = inputs
        .iter()
        .map(|&at| z[at].product(&point.a).iter().zip(&point.a).map(|(h, a)| h * a).sum())
        .collect();
    found.rate = plain(Operation::Rate)[0];
    found.speed = found.rate;
    if emitted.has(&family.marker, Operation::Curvature) {
        found.curvature = directed(Operation::Curvature, &speeds)[0];
    }
    let (product, of_seconds) = (directed(Operation::Product, &a), directed(Operation::Product, &seconds));
    let third = directed(Operation::Third, &a);
    for (k, &at) in inputs.iter().enumerate() {
        let of = &z[at];
        found.rate += gradient[k] * of.rate;
        found.speed += gradient[k] * of.speed;
        found.curvature += gradient[k] * of.curvature;
        let turned = of.product(&point.a);
        for (i, turned) in turned.iter().enumerate() {
            found.gradient[i] += gradient[k] * of.gradient[i];
            found.third[i] += (third[k] + of_seconds[k]) * of.gradient[i]
                + 2.0 * product[k] * turned
                + gradient[k] * of.third[i];
            for j in 0..n {
                found.hessian[i][j] += gradient[k] * of.hessian[i][j];
            }
        }
    }
    let entries = emitted.entries(&family.marker);
    for ((row, column), value) in entries.into_iter().zip(&second[inputs.len()..]) {
        let (left, right) = (&z[inputs[row]], &z[inputs[column]]);
        for i in 0..n {
            for j in 0..n {
                found.hessian[i][j] += value * left.gradient[i] * right.gradient[j];
                if row != column {
                    found.hessian[i][j] += value * right.gradient[i] * left.gradient[j];
                }
            }
        }
    }
    found
}
