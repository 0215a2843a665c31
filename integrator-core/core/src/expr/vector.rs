use super::{Mat3, Number, Scalar};
use std::ops::Index;

/// A vector in the plane, with its rate of change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vec2<T: Number> {
    /// The first component.
    pub x: Scalar<T>,
    /// The second component.
    pub y: Scalar<T>,
}

/// A vector in space, with its rate of change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vec3<T: Number> {
    /// The first component.
    pub x: Scalar<T>,
    /// The second component.
    pub y: Scalar<T>,
    /// The third component.
    pub z: Scalar<T>,
}

/// The functions of vectors in the plane and in space.
macro_rules! vector {
    ($vector:ident, $dimension:literal, [$($component:ident),+]) => {
        impl<T: Number> $vector<T> {
            /// The vector with these components.
            pub fn new($($component: Scalar<T>),+) -> Self {
                Self { $($component),+ }
            }

            /// The zero vector, constant in time; declarations write it as the constant `ZERO`.
            pub fn zero() -> Self {
                Self { $($component: Scalar::zero()),+ }
            }

            pub(super) fn map(self, f: impl Fn(Scalar<T>) -> Scalar<T>) -> Self {
                Self { $($component: f(self.$component)),+ }
            }

            /// The inner product a·b.
            pub fn dot(self, other: impl Into<Self>) -> Scalar<T> {
                let other = other.into();
                [$(self.$component * other.$component),+].into_iter().sum()
            }

            /// The square of the length, a·a.
            pub fn norm_squared(self) -> Scalar<T> {
                self.dot(self)
            }

            /// The length; it has no derivative at zero.
            pub fn norm(self) -> Scalar<T> {
                self.norm_squared().sqrt()
            }

            /// The vector of length 1 in the same direction; undefined at zero.
            #[must_use]
            pub fn normalize(self) -> Self {
                self / self.norm()
            }

            /// The distance |a − b| of two points.
            pub fn distance(self, other: impl Into<Self>) -> Scalar<T> {
                (self - other.into()).norm()
            }

            /// The square of the distance of two points.
            pub fn distance_squared(self, other: impl Into<Self>) -> Scalar<T> {
                (self - other.into()).norm_squared()
            }

            #[doc = concat!("The ", $dimension, " components, in order.")]
            pub fn components(self) -> [Scalar<T>; $dimension] {
                [$(self.$component),+]
            }
        }

        impl<T: Number> From<&$vector<T>> for $vector<T> {
            fn from(vector: &$vector<T>) -> Self {
                *vector
            }
        }

        /// # Panics
        /// If the index is not below the dimension.
        impl<T: Number> Index<usize> for $vector<T> {
            type Output = Scalar<T>;

            fn index(&self, index: usize) -> &Scalar<T> {
                [$(&self.$component),+][index]
            }
        }
    };
}

vector!(Vec2, 2, [x, y]);
vector!(Vec3, 3, [x, y, z]);

impl<T: Number> Vec2<T> {
    /// The area a × b = aₓ bᵧ − aᵧ bₓ of the parallelogram, positive if b is to the left of a.
    pub fn cross(self, other: impl Into<Self>) -> Scalar<T> {
        let other = other.into();
        self.x * other.y - self.y * other.x
    }
}

impl<T: Number> Vec3<T> {
    /// The matrix a bᵀ.
    pub fn outer(self, other: impl Into<Self>) -> Mat3<T> {
        let other = other.into();
        Mat3::from_rows(self.components().map(|component| component * other))
    }

    /// The vector product a × b.
    #[must_use]
    pub fn cross(self, other: impl Into<Self>) -> Self {
        let other = other.into();
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }
}
