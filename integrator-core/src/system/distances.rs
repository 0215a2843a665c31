/// A potential that is a sum of functions of one distance each.
///
/// ```text
/// V(q, t) = Σ_k U_k(s_k, t),    s_k = |x_i − x_j|²  or  s_k = |x_i|²,
/// ```
///
/// where each x is a point: an entry of a coordinate, with its components side by side in q.
pub trait Distances: Send + Sync {
    /// Which distances.
    fn links(&self) -> &[Link];

    /// U_k and ∂U_k/∂s for the link `k` at the squared distance `square` > 0.
    fn along(&self, k: usize, square: f64, t: f64) -> [f64; 2];
}

/// The distance of two points, or of a point from the origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Where the components of the point begin in q.
    pub from: usize,
    /// Where those of the other begin; none, if it is the origin.
    pub to: Option<usize>,
    /// How many components a point has.
    pub components: usize,
}

impl Link {
    /// The vector from the one end to the other, x_i − x_j; its components beyond those of a point are zero.
    pub fn vector(&self, q: &[f64]) -> [f64; 3] {
        let mut vector = [0.0; 3];
        for (c, entry) in vector.iter_mut().enumerate().take(self.components) {
            *entry = q[self.from + c] - self.to.map_or(0.0, |to| q[to + c]);
        }
        vector
    }
}
