//! Three-dimensional algebra on SO(3), in addition to nalgebra.

use nalgebra::{Matrix3, Vector3};

/// A matrix from its nine entries by rows; missing entries are NaN.
pub(super) fn from_slice(entries: &[f64]) -> Matrix3<f64> {
    entries
        .first_chunk::<9>()
        .map_or_else(|| Matrix3::repeat(f64::NAN), |entries| Matrix3::from_row_slice(entries))
}

/// The nine entries by rows, as in the layout.
pub(super) fn by_rows(a: &Matrix3<f64>) -> [f64; 9] {
    std::array::from_fn(|k| a[(k / 3, k % 3)])
}

/// (A₃₂ − A₂₃, A₁₃ − A₃₁, A₂₁ − A₁₂), which is 2 x for x̂.
pub(super) fn axial(a: &Matrix3<f64>) -> Vector3<f64> {
    Vector3::new(a[(2, 1)] - a[(1, 2)], a[(0, 2)] - a[(2, 0)], a[(1, 0)] - a[(0, 1)])
}

/// The solution of A x = b; NaN if A is singular.
pub(super) fn solve(a: Matrix3<f64>, b: &Vector3<f64>) -> Vector3<f64> {
    a.try_inverse().map_or_else(|| Vector3::repeat(f64::NAN), |inverse| inverse * b)
}

/// R cay(w) with cay(w) = (1 − ŵ/2)⁻¹ (1 + ŵ/2), the rotation about w by the angle 2 arctan(|w|/2).
pub(super) fn turned(r: &Matrix3<f64>, w: &Vector3<f64>) -> Matrix3<f64> {
    // 1 + (ŵ + ½ ŵ²)/(1 + |w|²/4), with ŵ² = w wᵀ − |w|².
    let square = w * w.transpose() - Matrix3::from_diagonal_element(w.norm_squared());
    let cayley = Matrix3::identity() + (w.cross_matrix() + 0.5 * square) / (1.0 + 0.25 * w.norm_squared());
    r * cayley
}

/// R exp(ξ̂), the rotation about ξ by the angle |ξ|, of R and of the unit matrix.
pub(super) fn turned_exactly(r: &Matrix3<f64>, xi: &Vector3<f64>) -> (Matrix3<f64>, Matrix3<f64>) {
    let angle = xi.norm();
    let (sine, half) =
        if angle == 0.0 { (1.0, 1.0) } else { (angle.sin() / angle, (0.5 * angle).sin() / (0.5 * angle)) };
    // 1 + sin(θ)/θ ξ̂ + ½ (sin(θ/2)/(θ/2))² ξ̂², with ξ̂² = ξ ξᵀ − θ².
    let square = xi * xi.transpose() - Matrix3::from_diagonal_element(angle * angle);
    let turn = Matrix3::identity() + sine * xi.cross_matrix() + 0.5 * half * half * square;
    (r * turn, turn)
}

/// RᵀR − 1.
pub(super) fn defect(r: &Matrix3<f64>) -> Matrix3<f64> {
    r.tr_mul(r) - Matrix3::identity()
}

/// One step of Newton's method for the nearest rotation, R (3 − RᵀR)/2, which squares RᵀR − 1.
pub(super) fn straightened(r: &Matrix3<f64>) -> Matrix3<f64> {
    r - 0.5 * r * defect(r)
}
