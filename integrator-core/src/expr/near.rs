//! Pairs of points within a distance, as the second route has them: every pair is asked whether it is near.

use super::{Number, Scalar, Vec2, Vec3};
use crate::binding::Cell;
use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::ops::Sub;

/// A point of the plane or of space.
pub trait Point: Copy + Sub<Output = Self> {
    /// This difference to the nearest image in a cell.
    #[must_use]
    fn to_nearest(self, cell: &Cell) -> Self;

    /// True if the vector is shorter than `radius`.
    fn is_shorter(self, radius: f64) -> bool;
}

/// Points of one dimension.
macro_rules! point {
    ($Point:ident, [$($component:ident),+], [$($rest:literal),*]) => {
        impl<T: Number> Point for $Point<T> {
            fn to_nearest(self, cell: &Cell) -> Self {
                if *cell == Cell::OPEN {
                    return self;
                }
                let real = [$(self.$component.value().re()),+, $($rest),*];
                let nearest = cell.nearest(real).unwrap_or([f64::NAN; 3]);
                let shift: [f64; 3] = std::array::from_fn(|k| real[k] - nearest[k]);
                let [$($component),+, ..] = shift;
                Self { $($component: self.$component - $component),+ }
            }

            fn is_shorter(self, radius: f64) -> bool {
                self.norm_squared().value().re() < radius * radius
            }
        }
    };
}

point!(Vec2, [x, y], [0.0]);
point!(Vec3, [x, y, z], []);

/// The difference of two points to the nearest image in a periodic cell, d − Σ round(nₖ · d) hₖ: which image that is has no derivative.
pub fn periodic<P: Point>(cell: impl Borrow<Cell>, difference: P) -> P {
    difference.to_nearest(cell.borrow())
}

/// The pairs of points that are closer than a distance, of [`within`] or [`between`].
#[derive(Debug, Clone)]
pub struct Near<P> {
    radius: f64,
    first: Vec<P>,
    /// The second ends, where they are other points.
    second: Option<Vec<P>>,
    cell: Cell,
    exceptions: BTreeSet<(usize, usize)>,
}

/// The pairs i < j of points with |xᵢ − xⱼ| < `radius`; its items are (i, j, xᵢ − xⱼ).
pub fn within<P: Point, A: AsRef<[P]> + ?Sized>(radius: f64, points: &A) -> Near<P> {
    let first = points.as_ref().to_vec();
    Near { radius, first, second: None, cell: Cell::OPEN, exceptions: BTreeSet::new() }
}

/// The pairs of a point of one array and a point of another with |xᵢ − yⱼ| < `radius`; its items are (i, j, xᵢ − yⱼ).
pub fn between<P: Point, A: AsRef<[P]> + ?Sized, B: AsRef<[P]> + ?Sized>(
    radius: f64,
    points: &A,
    others: &B,
) -> Near<P> {
    let second = Some(others.as_ref().to_vec());
    Near { second, ..within(radius, points) }
}

impl<P: Point> Near<P> {
    /// The same in a periodic cell: differences are those to nearest images.
    #[must_use]
    pub fn periodic(self, cell: impl Borrow<Cell>) -> Self {
        Self { cell: *cell.borrow(), ..self }
    }

    /// The same without some pairs.
    #[must_use]
    pub fn except(mut self, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let pairs =
            pairs.into_iter().map(|(i, j)| if self.second.is_none() && j < i { (j, i) } else { (i, j) });
        self.exceptions.extend(pairs);
        self
    }

    /// The neighbours j of point i: (j, xᵢ − xⱼ).
    pub fn of(&self, i: usize) -> impl Iterator<Item = (usize, P)> {
        let seconds = self.second.as_ref().unwrap_or(&self.first);
        let near: Vec<(usize, P)> =
            (0..seconds.len()).filter_map(|j| Some((j, self.separation(i, j)?))).collect();
        near.into_iter()
    }

    /// xᵢ − xⱼ, if it is shorter than the radius and the pair no exception.
    fn separation(&self, i: usize, j: usize) -> Option<P> {
        let excepted = match &self.second {
            Some(_) => self.exceptions.contains(&(i, j)),
            None => i == j || self.exceptions.contains(&(i.min(j), i.max(j))),
        };
        let seconds = self.second.as_ref().unwrap_or(&self.first);
        let separation = (*self.first.get(i)? - *seconds.get(j)?).to_nearest(&self.cell);
        (!excepted && separation.is_shorter(self.radius)).then_some(separation)
    }
}

impl<P: Point> IntoIterator for &Near<P> {
    type Item = (usize, usize, P);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        let mut near = Vec::new();
        for i in 0..self.first.len() {
            let from = if self.second.is_none() { i + 1 } else { 0 };
            let neighbours = self.of(i).filter(|(j, _)| *j >= from);
            near.extend(neighbours.map(|(j, separation)| (i, j, separation)));
        }
        near.into_iter()
    }
}

impl<P: Point> IntoIterator for Near<P> {
    type Item = (usize, usize, P);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        (&self).into_iter()
    }
}

/// 1 up to the distance `on`, 0 from `off` on, and between them 1 − y³ (10 − 15 y + 6 y²) with y = (r − on) / (off − on), which has two
/// continuous derivatives.
pub fn switched<T: Number, R: Into<Scalar<T>>>(r: R, on: f64, off: f64) -> Scalar<T> {
    let r = r.into();
    let y = (r - on) / (off - on);
    if r < on {
        return Scalar::constant(T::one());
    }
    if r > off {
        return Scalar::zero();
    }
    1.0 - y.powi(3) * (10.0 - 15.0 * y + 6.0 * y.powi(2))
}

/// u(r) − u(off) below the distance `off`, 0 from there on: continuous.
pub fn shifted<T: Number, R: Into<Scalar<T>>>(
    r: R,
    off: f64,
    u: impl Fn(Scalar<T>) -> Scalar<T>,
) -> Scalar<T> {
    let r = r.into();
    if r >= off { Scalar::zero() } else { u(r) - u(off.into()) }
}

/// u(r) − u(off) − (r − off) u′(off) below the distance `off`, 0 from there on: the force is continuous.
pub fn force_shifted<T: Number, R: Into<Scalar<T>>>(
    r: R,
    off: f64,
    u: impl Fn(Scalar<T>) -> Scalar<T>,
) -> Scalar<T> {
    let r = r.into();
    if r >= off {
        return Scalar::zero();
    }
    // What moves beside the distance has rates of its own, which do not count.
    let (there, moving) = (u(off.into()), u(Scalar::new(T::from(off), T::one())));
    let slope = Scalar::constant(moving.rate() - there.rate());
    u(r) - there - (r - off) * slope
}
