// What textbooks, Python, Julia and other crates call it, and what a declaration writes.
use least_action::prelude::*;

pub struct Powers;

#[lagrangian]
impl Powers {
    fn lagrangian(&self, x: Scalar, y: Scalar) -> Scalar {
        let kinetic = 0.5 * (der(x).pow(2) + y.dot().powi(2) + diff(x).powi(2));
        kinetic - x.square() - y.sgn() - pow(x, 2) - (pi * x).cos() - x.log() - der(x, 2)
    }
}

pub struct Vectors;

#[lagrangian]
impl Vectors {
    fn lagrangian(&self, r: Vec2, q: [Vec2; 3]) -> Scalar {
        0.5 * dot(der(r), der(r)) + 0.5 * der(r).powi(2) - r.length() - r.normalized().x - q.norm_squared()
    }
}

pub struct Types;

#[lagrangian]
impl Types {
    fn lagrangian(&self, x: f64, r: Vector2<f64>, q: Vec<f64>, t: f64) -> Scalar {
        0.5 * der(x).powi(2)
    }
}

pub struct Clock;

#[lagrangian]
impl Clock {
    fn lagrangian(&self, x: Scalar, t: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - x * t.sin()
    }
}

fn main() {}
