//! Pairs of points within a distance, by the second route: every pair is tested.

use super::{Number, Scalar, Vec2, Vec3};
use crate::system::cell::Cell;
use crate::system::image::Image;
use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::ops::Sub;

/// A point of the plane or of space.
pub trait Point: Copy + Sub<Output = Self> {
    /// Its components; zero beyond the plane.
    fn numbers(self) -> [f64; 3];

    /// The point less a constant vector.
    #[must_use]
    fn less(self, shift: [f64; 3]) -> Self;
}

/// Points of two or three dimensions.
macro_rules! point {
    ($Point:ident, [$($component:ident),+], [$($rest:literal),*]) => {
        impl<T: Number> Point for $Point<T> {
            fn numbers(self) -> [f64; 3] {
                [$(self.$component.value().re()),+, $($rest),*]
            }

            fn less(self, shift: [f64; 3]) -> Self {
                let [$($component),+, ..] = shift;
                Self { $($component: self.$component - $component),+ }
            }
        }
    };
}

point!(Vec2, [x, y], [0.0]);
point!(Vec3, [x, y, z], []);

/// The difference of two points to the nearest image in a periodic cell,
/// d − Σ round(nₖ · d) hₖ; the rounding has no derivative.
pub fn periodic<P: Point>(cell: impl Borrow<Cell>, difference: P) -> P {
    let numbers = difference.numbers();
    let nearest = cell.borrow().nearest(numbers).unwrap_or([f64::NAN; 3]);
    difference.less(shift(numbers, nearest))
}

fn shift(from: [f64; 3], to: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| from[k] - to[k])
}

/// The pairs of points within a distance, from [`within`] or [`between`].
#[derive(Debug, Clone)]
pub struct Near<P> {
    radius: f64,
    first: Vec<P>,
    /// The second points, if they are others.
    second: Option<Vec<P>>,
    /// Finds nearest images; `None` for an invalid cell, in which nothing is near.
    image: Option<Image>,
    exceptions: BTreeSet<(usize, usize)>,
}

/// The pairs i < j of points with |xᵢ − xⱼ| < `radius`; items are (i, j, xᵢ − xⱼ).
pub fn within<P: Point, A: AsRef<[P]> + ?Sized>(radius: f64, points: &A) -> Near<P> {
    let first = points.as_ref().to_vec();
    let image = Image::new(&Cell::OPEN, 3, "the cell").ok();
    Near { radius, first, second: None, image, exceptions: BTreeSet::new() }
}

/// The pairs of points of two arrays with |xᵢ − yⱼ| < `radius`; items are (i, j, xᵢ − yⱼ).
pub fn between<P: Point, A: AsRef<[P]> + ?Sized, B: AsRef<[P]> + ?Sized>(
    radius: f64,
    points: &A,
    others: &B,
) -> Near<P> {
    let second = Some(others.as_ref().to_vec());
    Near { second, ..within(radius, points) }
}

impl<P: Point> Near<P> {
    /// The pairs in a periodic cell, with differences to nearest images.
    #[must_use]
    pub fn periodic(self, cell: impl Borrow<Cell>) -> Self {
        Self { image: Image::new(cell.borrow(), 3, "the cell").ok(), ..self }
    }

    /// Excludes these pairs.
    #[must_use]
    pub fn except(mut self, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let pairs =
            pairs.into_iter().map(|(i, j)| if self.second.is_none() && j < i { (j, i) } else { (i, j) });
        self.exceptions.extend(pairs);
        self
    }

    /// The neighbours j of point i: (j, xᵢ − xⱼ).
    pub fn of(&self, i: usize) -> impl Iterator<Item = (usize, P)> {
        self.among(i, 0).into_iter()
    }

    /// The neighbours from number `from` on.
    fn among(&self, i: usize, from: usize) -> Vec<(usize, P)> {
        let seconds = self.second.as_ref().unwrap_or(&self.first);
        (from..seconds.len()).filter_map(|j| Some((j, self.separation(i, j)?))).collect()
    }

    /// xᵢ − xⱼ, if it is shorter than the radius and the pair is not an exception.
    fn separation(&self, i: usize, j: usize) -> Option<P> {
        let seconds = self.second.as_ref().unwrap_or(&self.first);
        let (a, b) = (*self.first.get(i)?, *seconds.get(j)?);
        // Plain numbers first: most pairs are far apart.
        let numbers = shift(a.numbers(), b.numbers());
        let nearest = self.image.as_ref()?.nearest(numbers);
        let [x, y, z] = nearest;
        let excepted = || match &self.second {
            Some(_) => self.exceptions.contains(&(i, j)),
            None => i == j || self.exceptions.contains(&(i.min(j), i.max(j))),
        };
        let is_near = x * x + y * y + z * z < self.radius * self.radius && !excepted();
        is_near.then(|| (a - b).less(shift(numbers, nearest)))
    }
}

impl<P: Point> IntoIterator for &Near<P> {
    type Item = (usize, usize, P);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        let mut near = Vec::new();
        for i in 0..self.first.len() {
            let from = if self.second.is_none() { i + 1 } else { 0 };
            near.extend(self.among(i, from).into_iter().map(|(j, separation)| (i, j, separation)));
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

/// 1 up to the distance `on`, 0 from `off` on; in between 1 − y³ (10 − 15 y + 6 y²) with
/// y = (r − on) / (off − on). It has two continuous derivatives.
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

/// u(r) − u(off) up to the distance `off`, 0 from there on: continuous.
pub fn shifted<T: Number, R: Into<Scalar<T>>>(
    r: R,
    off: f64,
    u: impl Fn(Scalar<T>) -> Scalar<T>,
) -> Scalar<T> {
    let r = r.into();
    if r >= off { Scalar::zero() } else { u(r) - u(off.into()) }
}

/// u(r) − u(off) − (r − off) u′(off) up to the distance `off`, 0 from there on: the force is continuous.
pub fn force_shifted<T: Number, R: Into<Scalar<T>>>(
    r: R,
    off: f64,
    u: impl Fn(Scalar<T>) -> Scalar<T>,
) -> Scalar<T> {
    let r = r.into();
    if r >= off {
        return Scalar::zero();
    }
    // Subtract the rates of everything but the distance.
    let (there, moving) = (u(off.into()), u(Scalar::new(T::from(off), T::one())));
    let slope = Scalar::constant(moving.rate() - there.rate());
    u(r) - there - (r - off) * slope
}
