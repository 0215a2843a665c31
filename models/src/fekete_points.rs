use least_action::prelude::*;
use serde::{Deserialize, Serialize};
use std::f64::consts::{PI, TAU};

/// Points on the unit sphere that repel each other, slowed down by drag until they are Fekete points.
///
/// The potential is −Σ ln |pᵢ − pⱼ|; at rest the product of the distances is largest. Unit masses.
/// Units: none. With the sign of this library the multipliers at rest are λ = −(n − 1)/4.
///
/// # Source
/// F. Mazzia and C. Magherini, *Test set for initial value problem solvers*, release 2.4 (2008), problem
/// II-11: twenty points, α = 0.5, from rest on four circles; other numbers of points start on a spiral.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FeketePoints {
    /// The number of points.
    pub points: usize,
    /// The coefficient α of the drag.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub drag: f64,
}

impl Default for FeketePoints {
    fn default() -> Self {
        Self { points: 20, drag: 0.5 }
    }
}

#[lagrangian]
impl FeketePoints {
    fn lagrangian(&self, p: [Vec3; self.points]) -> Scalar {
        let kinetic = sum(0..self.points, |i| 0.5 * der(p[i]).norm_squared());
        kinetic + sum(pairs(self.points), |(i, j)| 0.5 * (p[i] - p[j]).norm_squared().ln())
    }

    #[holonomic]
    fn sphere(&self, p: [Vec3; self.points]) -> [Scalar; self.points] {
        each(0..self.points, |i| p[i].norm_squared() - 1.0)
    }

    #[force(p)]
    fn drag(&self, p: [Vec3; self.points]) -> [Vec3; self.points] {
        each(0..self.points, |i| -self.drag * der(p[i]))
    }
}

/// At rest.
impl Start for FeketePoints {
    fn start(&self) -> State {
        let at = |longitude: f64, latitude: f64| {
            Vector3::new(longitude.cos() * latitude.cos(), longitude.sin() * latitude.cos(), latitude.sin())
        };
        let points: Vec<Vector3<f64>> = if self.points == 20 {
            // (number, first longitude, latitude) of each circle.
            let circles = [
                (3, TAU / 3.0 + PI / 13.0, 3.0 * PI / 8.0),
                (7, TAU / 7.0 + PI / 29.0, PI / 8.0),
                (6, TAU / 6.0 + PI / 7.0, -2.0 * PI / 15.0),
                (4, PI / 17.0, -3.0 * PI / 10.0),
            ];
            let circle = |(number, first, latitude): (u32, f64, f64)| {
                (0..number).map(move |k| at(first + TAU * f64::from(k) / f64::from(number), latitude))
            };
            circles.into_iter().flat_map(circle).collect()
        } else {
            let turn = PI * (3.0 - 5.0_f64.sqrt());
            let height = |k: usize| 1.0 - (2 * k + 1) as f64 / self.points as f64;
            (0..self.points).map(|k| at(turn * k as f64, height(k).asin())).collect()
        };
        State::points_at_rest(&points)
    }
}
