//! The on-site term of the DNA chain: V = Σ ε (exp(−a (1 − cos θ − x₀)) − 1)².

use crate::by_hand::Potential;
use crate::dual::Element;
use crate::subject::{SCALAR, Subject, Targets};
use least_action::expr::Number;
use least_action::prelude::*;
use test_support::agreement::Seeded;

/// Bases, each in its well.
#[derive(Debug, Clone)]
pub(crate) struct Wells {
    pairs: usize,
    a: f64,
    x0: f64,
    epsilon: f64,
}

#[lagrangian]
impl Wells {
    fn lagrangian(&self, theta: [Angle; self.pairs]) -> Scalar {
        let kinetic = sum(0..self.pairs, |k| 0.5 * der(theta[k]).powi(2));
        let wells = sum(0..self.pairs, |k| {
            self.epsilon * ((-self.a * (1.0 - theta[k].cos() - self.x0)).exp() - 1.0).powi(2)
        });
        kinetic - wells
    }
}

pub(crate) fn subject() -> Subject {
    let model = Wells { pairs: 1000, a: 7.0, x0: 0.3, epsilon: 1.0 / 1400.0 };
    let q = Seeded::new(5).numbers(model.pairs).into_iter().map(|shift| 3.0 * shift).collect();
    let targets = Targets { scalar: SCALAR, lanes: Some([0.25; 3]), third_to_gradient: None, dual: None };
    Subject::new("dna morse", targets, &model, q, |_| ByHand(model.clone()), model.clone())
}

impl Element<1> for Wells {
    fn inputs(&self) -> Vec<[usize; 1]> {
        (0..self.pairs).map(|k| [k]).collect()
    }

    #[inline(always)]
    fn energy<T: Number>(&self, _: usize, [theta]: [T; 1]) -> T {
        let root = (theta.cos() * self.a - self.a * (1.0 - self.x0)).exp() - 1.0;
        root * root * self.epsilon
    }
}

/// With u = exp(−a (1 − cos θ − x₀)): u' = −a u sin θ and so on, from one exponential, sine and cosine.
struct ByHand(Wells);

impl ByHand {
    /// a and −a (1 − x₀).
    fn constants(&self) -> (f64, f64) {
        (self.0.a, -self.0.a * (1.0 - self.0.x0))
    }
}

impl Potential for ByHand {
    fn value(&mut self, q: &[f64]) -> f64 {
        let (a, shift) = self.constants();
        let root = |theta: &f64| (a * theta.cos() + shift).exp() - 1.0;
        self.0.epsilon * q.iter().map(|theta| root(theta) * root(theta)).sum::<f64>()
    }

    fn gradient(&mut self, q: &[f64], gradient: &mut [f64]) {
        let (a, shift) = self.constants();
        let scale = -2.0 * self.0.epsilon * a;
        for (theta, to) in q.iter().zip(gradient) {
            let (sine, cosine) = theta.sin_cos();
            let u = (a * cosine + shift).exp();
            *to = scale * u * (u - 1.0) * sine;
        }
    }

    fn second(&mut self, q: &[f64], gradient: &mut [f64], hessian: &mut [f64]) {
        let (a, shift) = self.constants();
        let double = 2.0 * self.0.epsilon;
        for ((theta, to), second) in q.iter().zip(gradient).zip(hessian) {
            let (sine, cosine) = theta.sin_cos();
            let u = (a * cosine + shift).exp();
            let slope = a * sine;
            *to = -double * u * (u - 1.0) * slope;
            *second = double * u * (u * slope * slope + (u - 1.0) * (slope * slope - a * cosine));
        }
    }

    fn third(&mut self, q: &[f64], a_of: &[f64], contraction: &mut [f64]) {
        let (a, shift) = self.constants();
        let double = 2.0 * self.0.epsilon;
        for ((theta, along), to) in q.iter().zip(a_of).zip(contraction) {
            let (sine, cosine) = theta.sin_cos();
            let u = (a * cosine + shift).exp();
            let slope = a * sine;
            let bend = slope * slope - a * cosine;
            // u''' = u (slope (3 a cos θ + 1) − slope³), and V''' / 2 ε = 3 u' u'' + (u − 1) u'''.
            let third = slope * (3.0 * a * cosine + 1.0 - slope * slope);
            *to = double * u * ((u - 1.0) * third - 3.0 * u * slope * bend) * along * along;
        }
    }
}
