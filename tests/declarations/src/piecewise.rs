#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "that the language knows `!` is what is tested")]
use least_action::prelude::*;

/// Balls between walls and each other: penalties that begin where things touch.
#[derive(Debug, Clone)]
pub struct Balls {
    /// The radius of each.
    pub radii: Vec<f64>,
    /// The stiffness of the contacts.
    pub stiffness: f64,
    /// True if the walls are there.
    pub walls: bool,
}

#[lagrangian]
impl Balls {
    /// ½ k g² where the gap g is negative.
    fn contact(&self, gap: Scalar) -> Scalar {
        if gap < 0.0 { 0.5 * self.stiffness * gap * gap } else { 0.0 }
    }

    fn lagrangian(&self, balls: [Vec2; self.radii.len()]) -> Scalar {
        let n = self.radii.len();
        let kinetic = sum(0..n, |i| 0.5 * der(balls[i]).norm_squared());
        let floor = sum(0..n, |i| self.contact(balls[i].y - self.radii[i]));
        let pairs = sum(pairs(n), |(i, j)| {
            self.contact(balls[i].distance(balls[j]) - (self.radii[i] + self.radii[j]))
        });
        let walls = sum(0..n, |i| {
            let depth = (balls[i].x.abs() - 2.0).max(0.0);
            if self.walls { depth.powi(3) } else { 0.0 }
        });
        kinetic - floor - pairs - walls
    }
}

/// All choices: comparisons joined, chosen vectors, sums in branches, smoothness of every order.
#[derive(Debug, Clone)]
pub struct Pieces {
    /// The points where the pieces meet.
    pub edges: Vec<f64>,
    /// True if the first test is asked at all.
    pub ask: bool,
}

#[lagrangian]
impl Pieces {
    fn lagrangian(&self, x: Scalar, y: Scalar, z: Scalar) -> Scalar {
        let kinetic = 0.5 * (der(x).powi(2) + der(y).powi(2) + der(z).powi(2));
        let inside = x < y && !(z >= 0.25) || self.ask && 0.5 > x;
        let joined = if inside { x * y * z } else { x.powi(2) - z };
        let chain = if x < self.edges[0] {
            x.powi(2)
        } else if x <= 0.75 {
            x * z.sin()
        } else {
            (x * y).cos()
        };
        let direction = if y > z { vec2(x, y) } else { vec2(z, 1.0) };
        let summed = if z < 0.125 { sum(self.edges.iter(), |&edge| (x - edge).powi(2)) } else { y.powi(3) };
        let named =
            x.min(y).max(-0.5) * z.signum() + (x - y).abs().powi(3) + y.clamp(-0.25, self.edges[0]).exp();
        // The branch that is not taken is no number there.
        let root = if x + 0.1 > 0.0 { (x + 0.1).powf(1.5) } else { 0.0 };
        let nested = (x.abs() - y.abs()).abs().powi(4);
        kinetic - joined - chain - direction.dot(vec2(y, x)) - summed - named - root - nested
    }

    /// A rail that bends.
    #[holonomic]
    fn rail(&self, x: Scalar, y: Scalar, z: Scalar) -> Scalar {
        if x < 0.0 { y - x.powi(3) } else { y - x.powi(2) * z }
    }
}
