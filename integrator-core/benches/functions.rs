//! The cost of elementary functions in lanes: the time for one term of Σ f(xᵢ) in each width, beside a
//! loop over the standard library's.
//!
//! `cargo bench -p least-action --bench functions`

use least_action::emitted::v1::Real;
use least_action::lanes::Width;
use least_action::prelude::*;
use least_action::system::Natural;
use least_action::{Bound, Model};
use std::hint::black_box;
use std::time::Instant;

/// The number of terms: they and their known values fit into the nearest cache.
const TERMS: usize = 1024;

/// A sum is evaluated so often, and its quickest evaluation counts.
const REPETITIONS: usize = 500;

/// Declares a model with the potential Σ f(xᵢ) for each function, and measures them.
macro_rules! functions {
    ($($Model:ident $function:ident, $from:literal;)+) => {
        $(
            struct $Model;

            #[lagrangian]
            impl $Model {
                fn lagrangian(&self, x: [Scalar; TERMS]) -> Scalar {
                    sum(0..TERMS, |i| 0.5 * der(x[i]).powi(2)) - sum(0..TERMS, |i| x[i].$function())
                }
            }
        )+

        fn main() {
            $(measure(stringify!($function), $from, &|| $Model.bind().expect("a sum"), |x| Real::$function(x));)+
        }
    };
}

functions! {
    Sin sin, 0.1;
    Cos cos, 0.1;
    Tan tan, 0.1;
    Asin asin, 0.1;
    Acos acos, 0.1;
    Atan atan, 0.1;
    Sinh sinh, 0.1;
    Cosh cosh, 0.1;
    Tanh tanh, 0.1;
    Asinh asinh, 0.1;
    Acosh acosh, 1.1;
    Atanh atanh, 0.1;
    Exp exp, 0.1;
    ExpM1 exp_m1, 0.1;
    Ln ln, 0.1;
    Ln1p ln_1p, 0.1;
    Cbrt cbrt, 0.1;
    Erf erf, 0.1;
    Erfc erfc, 0.1;
}

/// Prints a line of the table for a function of arguments from `from` to `from` + 0.8.
fn measure<M: Model>(name: &str, from: f64, bound: &dyn Fn() -> Bound<M>, standard: fn(f64) -> f64)
where
    Bound<M>: Natural,
{
    let x: Vec<f64> = (0..TERMS).map(|k| from + 0.8 * k as f64 / TERMS as f64).collect();
    let by_library = nanoseconds(|| x.iter().map(|x| standard(*x)).sum());
    print!("{name:>8}: {by_library:6.2} ns by the standard library");
    for width in Width::available() {
        let system = bound().with_width(width);
        print!(", {:6.2} ns in {} lanes", nanoseconds(|| system.potential(&x, 0.0)), width.lanes());
    }
    println!();
}

/// The time for one term.
fn nanoseconds(sum: impl Fn() -> f64) -> f64 {
    let times = (0..REPETITIONS).map(|_| {
        let clock = Instant::now();
        black_box(sum());
        clock.elapsed().as_secs_f64()
    });
    1e9 * times.fold(f64::INFINITY, f64::min) / TERMS as f64
}
