//! The algebra of three dimensions that the methods on SO(3) need.

pub(super) type Vector = [f64; 3];
/// By rows.
pub(super) type Matrix = [Vector; 3];

/// A matrix from entries that were put together with `entry(row, column)`.
pub(super) fn matrix(entry: impl Fn(usize, usize) -> f64) -> Matrix {
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j)))
}

/// A matrix from its nine entries by rows; what is missing is not a number.
pub(super) fn from_slice(entries: &[f64]) -> Matrix {
    matrix(|i, j| entries.get(3 * i + j).copied().unwrap_or(f64::NAN))
}

pub(super) fn write(a: &Matrix, entries: &mut [f64]) {
    for (entry, value) in entries.iter_mut().zip(a.as_flattened()) {
        *entry = *value;
    }
}

pub(super) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    matrix(|i, j| a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j])
}

/// Aᵀ B.
pub(super) fn transposed_product(a: &Matrix, b: &Matrix) -> Matrix {
    matrix(|i, j| a[0][i] * b[0][j] + a[1][i] * b[1][j] + a[2][i] * b[2][j])
}

/// A Bᵀ.
pub(super) fn product_transposed(a: &Matrix, b: &Matrix) -> Matrix {
    matrix(|i, j| dot(&a[i], &b[j]))
}

pub(super) fn sum(a: &Matrix, b: &Matrix) -> Matrix {
    matrix(|i, j| a[i][j] + b[i][j])
}

pub(super) fn apply(a: &Matrix, x: &Vector) -> Vector {
    [0, 1, 2].map(|i| dot(&a[i], x))
}

pub(super) fn dot(x: &Vector, y: &Vector) -> f64 {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

pub(super) fn cross(x: &Vector, y: &Vector) -> Vector {
    [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
}

/// x + s y.
pub(super) fn plus(x: &Vector, s: f64, y: &Vector) -> Vector {
    [0, 1, 2].map(|i| x[i] + s * y[i])
}

/// x̂, with x̂ y = x × y.
pub(super) fn hat([x, y, z]: &Vector) -> Matrix {
    [[0.0, -z, *y], [*z, 0.0, -x], [-y, *x, 0.0]]
}

/// (A₃₂ − A₂₃, A₁₃ − A₃₁, A₂₁ − A₁₂), which is 2 x for x̂.
pub(super) fn axial(a: &Matrix) -> Vector {
    [a[2][1] - a[1][2], a[0][2] - a[2][0], a[1][0] - a[0][1]]
}

pub(super) fn determinant(a: &Matrix) -> f64 {
    dot(&a[0], &cross(&a[1], &a[2]))
}

/// The solution of A x = b by Cramer's rule, which is accurate enough for the corrections of an iteration and for matrices as
/// well conditioned as an inertia.
pub(super) fn solve(a: &Matrix, b: &Vector) -> Vector {
    let [x, y, z] = a;
    let (yz, zx, xy) = (cross(y, z), cross(z, x), cross(x, y));
    let scale = 1.0 / dot(x, &yz);
    [0, 1, 2].map(|i| scale * (b[0] * yz[i] + b[1] * zx[i] + b[2] * xy[i]))
}

/// R cay(w) with cay(w) = (1 − ŵ/2)⁻¹ (1 + ŵ/2), the rotation about w by the angle 2 arctan(|w|/2).
pub(super) fn turned(r: &Matrix, w: &Vector) -> Matrix {
    let factor = 1.0 / (1.0 + 0.25 * dot(w, w));
    let cayley = matrix(|i, j| {
        // 1 + (ŵ + ½ ŵ²)/(1 + |w|²/4), with ŵ² = w wᵀ − |w|².
        let square = w[i] * w[j] - if i == j { dot(w, w) } else { 0.0 };
        let identity = if i == j { 1.0 } else { 0.0 };
        identity + factor * (hat(w)[i][j] + 0.5 * square)
    });
    product(r, &cayley)
}

/// RᵀR − 1.
pub(super) fn defect(r: &Matrix) -> Matrix {
    let square = transposed_product(r, r);
    matrix(|i, j| square[i][j] - if i == j { 1.0 } else { 0.0 })
}

/// One step of Newton's method for the nearest rotation, R (3 − RᵀR)/2: what rounding leaves of RᵀR − 1 is squared.
pub(super) fn straightened(r: &Matrix) -> Matrix {
    let correction = product(r, &defect(r));
    matrix(|i, j| r[i][j] - 0.5 * correction[i][j])
}
