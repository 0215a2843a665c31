//! The values that define the classes of ends.

/// A value that defines classes of ends.
#[diagnostic::on_unimplemented(
    message = "the points of near pairs are told apart by whole numbers, truth values and `f64`, not by `{Self}`",
    label = "a number of both points is tabulated by this value",
    note = "give each kind of points a number: `self.epsilon[self.kind[i]][self.kind[j]]` with `kind: Vec<usize>`"
)]
pub trait Key {
    /// Equal for equal values, different for different ones.
    fn number(&self) -> u64;
}

macro_rules! whole {
    ($number:expr, $($type:ty),+) => {$(
        impl Key for $type {
            fn number(&self) -> u64 {
                $number(*self)
            }
        }
    )+};
}

whole!(u64::from, u8, u16, u32, u64, bool, char);
whole!(|value| value as u64, usize, i8, i16, i32, i64, isize);

impl Key for f64 {
    fn number(&self) -> u64 {
        self.to_bits()
    }
}

impl<K: Key + ?Sized> Key for &K {
    fn number(&self) -> u64 {
        K::number(self)
    }
}

/// The number of a value that defines classes of ends.
pub fn key<K: Key + ?Sized>(value: &K) -> u64 {
    value.number()
}
