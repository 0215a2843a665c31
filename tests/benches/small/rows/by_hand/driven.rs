//! The driven pendulum by the asynchronous multiscale method.
//!
//! Leap-frog moves it by a force that is averaged over half a period.

use super::{ByHand, Told};
use std::f64::consts::TAU;

/// The micro-steps of a period.
const PERIOD: usize = 100;
const HALF: usize = PERIOD / 2;

pub(crate) struct Driven {
    h: f64,
    micro: f64,
    q: f64,
    /// The velocity between the steps, and the velocity of the state.
    between: f64,
    v: f64,
    started: bool,
    /// The accelerations beside sin q at the points of a window.
    strengths: [f64; HALF + 1],
}

impl Driven {
    /// With the rod 0.2, gravity 9.8 and a pivot of the velocity 4 sin 10⁴ t.
    pub(crate) fn new(([q], [v]): ([f64; 1], [f64; 1]), h: f64) -> Self {
        let (omega, rod) = (1e4, 0.2);
        let strength = |k: usize| (9.8 + 4.0 * omega * (TAU * k as f64 / PERIOD as f64).cos()) / rod;
        let micro = TAU / (omega * PERIOD as f64);
        Self { h, micro, q, between: v, v, started: false, strengths: std::array::from_fn(strength) }
    }

    /// The acceleration along a window from rest at phase zero, by the trapezoidal rule.
    fn average(&self) -> f64 {
        let h = self.micro;
        let first = self.strengths[0] * self.q.sin();
        let mut v = 0.5 * h * first;
        let (mut x, mut sum) = (self.q + h * v, 0.5 * first);
        for strength in &self.strengths[1..HALF] {
            let a = strength * x.sin();
            sum += a;
            v += h * a;
            x += h * v;
        }
        (sum + 0.5 * self.strengths[HALF] * x.sin()) / HALF as f64
    }
}

impl ByHand for Driven {
    fn step(&mut self) {
        let a = self.average();
        self.between += if self.started { self.h * a } else { 0.5 * self.h * a };
        self.started = true;
        self.q += self.h * self.between;
        self.v = self.between + 0.5 * self.h * a;
    }

    fn told(&self) -> Told {
        (vec![self.q], None)
    }
}
