//! Elements written by hand, as formulas: their derivatives by dual numbers, and their kernels.

use crate::binding::kernels::{element, operations};
use least_action_core::emitted::v1::{
    Borrowed, Code, Executable, HessianEntry, Kernel, KernelHandle, NearFacts, NearKernel, Ports, Real, Role,
    Row, Sort, Source, Vector,
};
use least_action_core::internals::near::Operation;
use std::ops::{Add, Mul, Sub};

/// The numbers of formulas.
pub(super) trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    type Real: Real;

    fn of(value: Self::Real) -> Self;
    fn value(self) -> Self::Real;
    fn recip(self) -> Self;
    fn sqrt(self) -> Self;
    fn select(mask: <Self::Real as Real>::Mask, yes: Self, no: Self) -> Self;

    #[inline(always)]
    fn constant(self, value: f64) -> Self {
        Self::of(self.value().number(value))
    }
}

#[derive(Clone, Copy)]
pub(super) struct Plain<T>(T);

/// A number and its derivative in some direction.
#[derive(Clone, Copy)]
pub(super) struct Dual<N>(N, N);

macro_rules! operators {
    ($trait:ident, $method:ident, |$a:ident, $b:ident| $plain:expr, |$x:ident, $dx:ident, $y:ident, $dy:ident| $dual:expr) => {
        impl<T: Real> $trait for Plain<T> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let (Self($a), Self($b)) = (self, other);
                Self($plain)
            }
        }

        impl<N: Number> $trait for Dual<N> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let (Self($x, $dx), Self($y, $dy)) = (self, other);
                let (value, derivative) = $dual;
                Self(value, derivative)
            }
        }
    };
}

operators!(Add, add, |a, b| a + b, |x, dx, y, dy| (x + y, dx + dy));
operators!(Sub, sub, |a, b| a - b, |x, dx, y, dy| (x - y, dx - dy));
operators!(Mul, mul, |a, b| a * b, |x, dx, y, dy| (x * y, dx * y + x * dy));

impl<T: Real> Number for Plain<T> {
    type Real = T;

    #[inline(always)]
    fn of(value: T) -> Self {
        Self(value)
    }

    #[inline(always)]
    fn value(self) -> T {
        self.0
    }

    #[inline(always)]
    fn recip(self) -> Self {
        Self(self.0.recip())
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }

    #[inline(always)]
    fn select(mask: T::Mask, yes: Self, no: Self) -> Self {
        Self(T::select(mask, yes.0, no.0))
    }
}

impl<N: Number> Number for Dual<N> {
    type Real = N::Real;

    #[inline(always)]
    fn of(value: N::Real) -> Self {
        Self(N::of(value), N::of(value.number(0.0)))
    }

    #[inline(always)]
    fn value(self) -> N::Real {
        self.0.value()
    }

    #[inline(always)]
    fn recip(self) -> Self {
        let inverse = self.0.recip();
        let zero = inverse.constant(0.0);
        Self(inverse, zero - inverse * inverse * self.1)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = self.0.sqrt();
        Self(root, self.1 * root.recip() * root.constant(0.5))
    }

    #[inline(always)]
    fn select(mask: <N::Real as Real>::Mask, yes: Self, no: Self) -> Self {
        Self(N::select(mask, yes.0, no.0), N::select(mask, yes.1, no.1))
    }
}

/// An element as a function of its inputs and coefficients.
pub(super) trait Formula<const X: usize, const C: usize>: 'static {
    fn of<N: Number>(x: [N; X], c: [N; C]) -> N;
}

/// The inputs and the direction, one behind the other.
#[inline(always)]
pub(super) fn inputs<T: Real, const X: usize>(ports: &impl Ports<T>) -> [Plain<T>; X] {
    let mut x = [Plain(ports.now().t); X];
    for (k, x) in x.iter_mut().enumerate() {
        *x = Plain(ports.x(k));
    }
    x
}

#[inline(always)]
pub(super) fn directions<T: Real, const X: usize>(ports: &impl Ports<T>) -> [Plain<T>; X] {
    let mut a = [Plain(ports.now().t); X];
    for (k, a) in a.iter_mut().enumerate() {
        *a = Plain(ports.a(k));
    }
    a
}

#[inline(always)]
pub(super) fn coefficients<T: Real, const C: usize>(ports: &impl Ports<T>) -> [Plain<T>; C] {
    let mut c = [Plain(ports.now().t); C];
    for (k, c) in c.iter_mut().enumerate() {
        *c = Plain(ports.c(k));
    }
    c
}

#[inline(always)]
pub(super) fn unit<T: Real, const X: usize>(t: T, k: usize) -> [Plain<T>; X] {
    let mut unit = [Plain(t.number(0.0)); X];
    unit[k] = Plain(t.number(1.0));
    unit
}

#[inline(always)]
fn lifted<N: Number, const X: usize>(x: [N; X], along: [N; X]) -> [Dual<N>; X] {
    let mut dual = [Dual(along[0], along[0]); X];
    for k in 0..X {
        dual[k] = Dual(x[k], along[k]);
    }
    dual
}

#[inline(always)]
fn constants<N: Number, const C: usize>(zero: N, c: [N; C]) -> [Dual<N>; C] {
    let mut dual = [Dual(zero, zero); C];
    for k in 0..C {
        dual[k] = Dual(c[k], zero);
    }
    dual
}

#[inline(always)]
pub(super) fn value<F: Formula<X, C>, T: Real, const X: usize, const C: usize>(ports: &impl Ports<T>) -> T {
    F::of(inputs(ports), coefficients(ports)).0
}

/// ∂f/∂x_k.
#[inline(always)]
pub(super) fn derivative<F: Formula<X, C>, T: Real, const X: usize, const C: usize>(
    ports: &impl Ports<T>,
    k: usize,
) -> T {
    let zero = Plain(ports.now().t.number(0.0));
    let x = lifted(inputs(ports), unit(zero.0, k));
    F::of(x, constants(zero, coefficients(ports))).1.0
}

/// ∂²f/∂x_k∂x along a direction.
#[inline(always)]
pub(super) fn mixed<F: Formula<X, C>, T: Real, const X: usize, const C: usize>(
    ports: &impl Ports<T>,
    k: usize,
    a: [Plain<T>; X],
) -> T {
    let zero = Plain(ports.now().t.number(0.0));
    let none = Dual(zero, zero);
    let inner = lifted(inputs(ports), unit(zero.0, k));
    let along = lifted(a, [zero; X]);
    F::of(lifted(inner, along), constants(none, constants(zero, coefficients(ports)))).1.1.0
}

/// ∂/∂x_k (aᵀ Hess f a).
#[inline(always)]
pub(super) fn third<F: Formula<X, C>, T: Real, const X: usize, const C: usize>(
    ports: &impl Ports<T>,
    k: usize,
) -> T {
    let zero = Plain(ports.now().t.number(0.0));
    let none = Dual(zero, zero);
    let a = directions(ports);
    let inner = lifted(inputs(ports), unit(zero.0, k));
    let along = lifted(a, [zero; X]);
    let middle = lifted(inner, along);
    let again = lifted(along, [none; X]);
    let c = constants(none, constants(zero, coefficients(ports)));
    F::of(lifted(middle, again), constants(Dual(none, none), c)).1.1.1.0
}

/// An element with its kernel: `$name` is a module with its `KERNEL`.
macro_rules! element {
    (
        $name:ident: $formula:ty, [$g:literal, $x:literal, $c:literal], dimension: $dimension:literal,
        inputs: $inputs:expr, roles: $roles:expr, sources: $sources:expr, sort: $sort:expr, exchangeable: $exchangeable:expr
    ) => {
        pub(super) mod $name {
            use super::*;

            const INPUTS: [(usize, usize); $x] = $inputs;
            const ROLES: [Role; $g] = $roles;
            const SOURCES: [Source; $c] = $sources;

            pub(super) struct Value;
            pub(super) struct Rate;
            pub(super) struct Gradient;
            pub(super) struct Second;
            pub(super) struct Product;
            pub(super) struct Third;
            pub(super) struct Quadratic;

            element!(code Value, $formula, $g, $x, $c, false, Vector::None, |ports| {
                value::<$formula, _, $x, $c>(ports)
            });
            element!(code Rate, $formula, $g, $x, $c, false, Vector::None, |ports| ports.now().t.number(0.0));
            element!(code Gradient, $formula, $g, $x, $c, false, Vector::AtInputs, |ports| {
                for k in 0..$x {
                    ports.vector(k, derivative::<$formula, _, $x, $c>(ports, k));
                }
                ports.now().t.number(0.0)
            });
            element!(code Second, $formula, $g, $x, $c, false, Vector::AtInputs, |ports| {
                let mut entry = 0;
                for k in 0..$x {
                    ports.vector(k, derivative::<$formula, _, $x, $c>(ports, k));
                    for l in 0..=k {
                        let t = ports.now().t;
                        let number = mixed::<$formula, _, $x, $c>(ports, k, unit(t, l));
                        ports.number(entry, number);
                        ports.plus(entry, number);
                        entry += 1;
                    }
                }
                ports.now().t.number(0.0)
            });
            element!(code Product, $formula, $g, $x, $c, true, Vector::AtInputs, |ports| {
                for k in 0..$x {
                    let a = directions(ports);
                    ports.vector(k, mixed::<$formula, _, $x, $c>(ports, k, a));
                }
                ports.now().t.number(0.0)
            });
            element!(code Third, $formula, $g, $x, $c, true, Vector::AtInputs, |ports| {
                for k in 0..$x {
                    ports.vector(k, third::<$formula, _, $x, $c>(ports, k));
                }
                ports.now().t.number(0.0)
            });

            element!(code Quadratic, $formula, $g, $x, $c, true, Vector::None, |ports| {
                let a = directions(ports);
                (0..$x).fold(ports.now().t.number(0.0), |sum, k| {
                    mixed::<$formula, _, $x, $c>(ports, k, a).multiply_add(ports.a(k), sum)
                })
            });

            const ENTRIES: [HessianEntry; $x * ($x + 1) / 2] = {
                let mut entries =
                    [HessianEntry { row: 0, column: 0, number: 0, negative: false }; $x * ($x + 1) / 2];
                let (mut row, mut number) = (0, 0);
                while row < $x {
                    let mut column = 0;
                    while column <= row {
                        entries[number] = HessianEntry { row, column, number, negative: false };
                        number += 1;
                        column += 1;
                    }
                    row += 1;
                }
                entries
            };

            static ELEMENT: Kernel = Kernel {
                facts: element(stringify!($name), $g, &INPUTS, $c, &ENTRIES),
                operations: operations!(Executable {
                    Value: Executable::near::<Value, $g, $x, $c, 0, 0>(),
                    Rate: Executable::near::<Rate, $g, $x, $c, 0, 0>(),
                    Gradient: Executable::near::<Gradient, $g, $x, $c, 0, 0>(),
                    Second: Executable::single::<Second, $g, $x, $c, 0>(),
                    Product: Executable::near::<Product, $g, $x, $c, 0, 0>(),
                    Third: Executable::near::<Third, $g, $x, $c, 0, 0>(),
                    Quadratic: Executable::near::<Quadratic, $g, $x, $c, 0, 0>(),
                    Curvature: Executable::near::<Quadratic, $g, $x, $c, 0, 0>(),
                }),
            };

            pub(in super::super) static KERNEL: NearKernel = NearKernel {
                kernel: KernelHandle::Static(&ELEMENT),
                facts: NearFacts {
                    roles: Borrowed(&ROLES),
                    sources: Borrowed(&SOURCES),
                    dimension: $dimension,
                    sort: $sort,
                    exchangeable: $exchangeable,
                    keys: [Borrowed(&[Borrowed("kind[i]")]), Borrowed(&[Borrowed("kind[j]")])],
                },
            };
        }
    };
    (code $code:ident, $formula:ty, $g:literal, $x:literal, $c:literal, $directed:literal, $vector:expr, |$ports:ident| $body:expr) => {
        impl Code<$g, $x, $c> for $code {
            const INPUTS: [(usize, usize); $x] = INPUTS;
            const READS_DIRECTION: bool = $directed;
            const VECTOR: Vector = $vector;
            const ROW: Row = Row::None;

            #[inline(always)]
            fn run<T: Real>($ports: &mut impl Ports<T>) -> T {
                $body
            }
        }
    };
}

#[inline(always)]
fn squared<N: Number>([x, y, z]: [N; 3]) -> N {
    x * x + y * y + z * z
}

/// 4 ε ((σ/r)¹² − (σ/r)⁶).
#[inline(always)]
fn lennard_jones<N: Number>(squared: N, epsilon: N, sigma: N) -> N {
    let ratio = sigma * sigma * squared.recip();
    let sixth = ratio * ratio * ratio;
    epsilon.constant(4.0) * epsilon * (sixth * sixth - sixth)
}

/// 1 where r < on, 0 at off, C² between.
#[inline(always)]
fn switched<N: Number>(r: N, on: N, off: N) -> N {
    let y = (r - on) * (off - on).recip();
    let inner = y.constant(10.0) - y * (y.constant(15.0) - y * y.constant(6.0));
    let between = y.constant(1.0) - y * y * y * inner;
    N::select(r.value().lt(on.value()), y.constant(1.0), between)
}

/// Coefficients ε, σ.
pub(super) struct Truncated;

impl Formula<3, 2> for Truncated {
    #[inline(always)]
    fn of<N: Number>(d: [N; 3], [epsilon, sigma]: [N; 2]) -> N {
        lennard_jones(squared(d), epsilon, sigma)
    }
}

/// Coefficients ε, σ, on, off.
pub(super) struct Switched;

impl Formula<3, 4> for Switched {
    #[inline(always)]
    fn of<N: Number>(d: [N; 3], [epsilon, sigma, on, off]: [N; 4]) -> N {
        let squared = squared(d);
        switched(squared.sqrt(), on, off) * lennard_jones(squared, epsilon, sigma)
    }
}

/// Coefficients ε, σ, off.
pub(super) struct Shifted;

impl Formula<3, 3> for Shifted {
    #[inline(always)]
    fn of<N: Number>(d: [N; 3], [epsilon, sigma, off]: [N; 3]) -> N {
        lennard_jones(squared(d), epsilon, sigma) - lennard_jones(off * off, epsilon, sigma)
    }
}

/// An element that distinguishes its ends by d, by their reads (the first component of the first point,
/// the second of the second), and by coefficients of each, of the pair, and of all.
pub(super) struct Lopsided;

impl Formula<5, 4> for Lopsided {
    #[inline(always)]
    fn of<N: Number>([x, y, z, p, q]: [N; 5], [charge, other, pair, all]: [N; 4]) -> N {
        let squared = squared([x, y, z]);
        let bump = (squared + squared.constant(0.5)).recip();
        bump * bump * (charge * x + other * (y + p * q) + pair * p * p * z + all * q) * (all + squared)
    }
}

/// An element of rows that stays as it is when its ends are exchanged: coefficient of range.
pub(super) struct Density;

impl Formula<3, 1> for Density {
    #[inline(always)]
    fn of<N: Number>(d: [N; 3], [range]: [N; 1]) -> N {
        let squared = squared(d) * range.recip();
        let factor = (squared + squared.constant(1.0)).recip();
        factor * factor * factor
    }
}

/// The root of a sum, and nothing of a separation.
pub(super) struct Root;

impl Formula<1, 1> for Root {
    #[inline(always)]
    fn of<N: Number>([sum]: [N; 1], [factor]: [N; 1]) -> N {
        factor * sum.sqrt()
    }
}

/// A pair that reads a sum at either end.
pub(super) struct Dressed;

impl Formula<5, 1> for Dressed {
    #[inline(always)]
    fn of<N: Number>([x, y, z, own, other]: [N; 5], [range]: [N; 1]) -> N {
        let squared = squared([x, y, z]) * range.recip();
        let factor = (squared + squared.constant(1.0)).recip();
        factor * factor * (own + other) * (own * other + own.constant(1.0))
    }
}

element!(root: Root, [1, 1, 1], dimension: 3, inputs: [(0, 0)], roles: [Role::First],
    sources: [Source::Shared], sort: Sort::Pairs, exchangeable: false);
element!(dressed: Dressed, [3, 5, 1], dimension: 3, inputs: [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)],
    roles: [Role::Separation, Role::First, Role::Second], sources: [Source::Shared], sort: Sort::Pairs, exchangeable: true);
element!(dressed_rows: Dressed, [3, 5, 1], dimension: 3, inputs: [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)],
    roles: [Role::Separation, Role::First, Role::Second], sources: [Source::Shared], sort: Sort::Rows, exchangeable: true);
element!(truncated: Truncated, [1, 3, 2], dimension: 3, inputs: [(0, 0), (0, 1), (0, 2)], roles: [Role::Separation],
    sources: [Source::Pair, Source::Pair], sort: Sort::Pairs, exchangeable: true);
element!(shifted: Shifted, [1, 3, 3], dimension: 3, inputs: [(0, 0), (0, 1), (0, 2)], roles: [Role::Separation],
    sources: [Source::Pair, Source::Pair, Source::Shared], sort: Sort::Pairs, exchangeable: true);
element!(switched_pairs: Switched, [1, 3, 4], dimension: 3, inputs: [(0, 0), (0, 1), (0, 2)], roles: [Role::Separation],
    sources: [Source::Pair, Source::Pair, Source::Shared, Source::Shared], sort: Sort::Pairs, exchangeable: true);
element!(switched_shared: Switched, [1, 3, 4], dimension: 3, inputs: [(0, 0), (0, 1), (0, 2)], roles: [Role::Separation],
    sources: [Source::Shared; 4], sort: Sort::Pairs, exchangeable: true);
element!(lopsided: Lopsided, [3, 5, 4], dimension: 3, inputs: [(1, 0), (1, 1), (1, 2), (0, 0), (2, 1)],
    roles: [Role::First, Role::Separation, Role::Second],
    sources: [Source::First, Source::Second, Source::Pair, Source::Shared], sort: Sort::Pairs, exchangeable: false);
element!(lopsided_rows: Lopsided, [3, 5, 4], dimension: 3, inputs: [(1, 0), (1, 1), (1, 2), (0, 0), (2, 1)],
    roles: [Role::First, Role::Separation, Role::Second],
    sources: [Source::First, Source::Second, Source::Pair, Source::Shared], sort: Sort::Rows, exchangeable: false);
element!(density: Density, [1, 3, 1], dimension: 3, inputs: [(0, 0), (0, 1), (0, 2)], roles: [Role::Separation],
    sources: [Source::Shared], sort: Sort::Rows, exchangeable: true);
element!(density_of_all: Density, [1, 3, 1], dimension: 3, inputs: [(0, 0), (0, 1), (0, 2)], roles: [Role::Separation],
    sources: [Source::Shared], sort: Sort::Pairs, exchangeable: true);
element!(density_of_pairs: Density, [1, 3, 1], dimension: 3, inputs: [(0, 0), (0, 1), (0, 2)], roles: [Role::Separation],
    sources: [Source::Pair], sort: Sort::Rows, exchangeable: true);

/// An element of the plane with a charge at each end.
pub(super) struct Plane;

impl Formula<2, 2> for Plane {
    #[inline(always)]
    fn of<N: Number>([x, y]: [N; 2], [charge, other]: [N; 2]) -> N {
        let squared = x * x + y * y;
        let bump = (squared + squared.constant(0.5)).recip();
        charge * other * bump * bump
    }
}

element!(plane: Plane, [1, 2, 2], dimension: 2, inputs: [(0, 0), (0, 1)], roles: [Role::Separation],
    sources: [Source::First, Source::Second], sort: Sort::Pairs, exchangeable: true);
