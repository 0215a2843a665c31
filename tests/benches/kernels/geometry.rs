//! Vectors in space, as plain arrays.

pub(crate) type Vector = [f64; 3];

#[inline(always)]
pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
pub(crate) fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(crate) fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn times(s: f64, a: Vector) -> Vector {
    [s * a[0], s * a[1], s * a[2]]
}

/// to ← to + s a.
#[inline(always)]
pub(crate) fn add_times(to: &mut Vector, s: f64, a: Vector) {
    to[0] += s * a[0];
    to[1] += s * a[1];
    to[2] += s * a[2];
}

/// The coordinates by points.
#[inline(always)]
pub(crate) fn points(q: &[f64]) -> &[Vector] {
    q.as_chunks().0
}

/// The coordinates by points.
#[inline(always)]
pub(crate) fn points_mut(q: &mut [f64]) -> &mut [Vector] {
    q.as_chunks_mut().0
}
