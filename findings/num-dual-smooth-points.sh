#!/usr/bin/env bash
# Dual numbers of num-dual are NaN, or wrong, at points where the function is smooth.
#
# Expected: a library of forward differentiation gives every derivative of an elementary function at each point where it exists, or
#   overflows only where the derivative does.
# Seen (num-dual 0.15.1, f64):
#   tanh at 400: value 1, slope NaN; at 800 the value too (it is sinh/cosh, and both overflow).  Exact: 1, 0, 0.
#   powf(2.5) at 0: NaN from the value on, where powf(2.0) and powf(3.5) are right.  Exact: 0, 0, 0.
#   atan2(1, x) at x = 0: value π/2, slope NaN (it is atan(1/x)).  Exact: −1.
#   sph_j0 at 1e-9: the second derivative is −256.  Exact: −1/3 (cancellation of sin x/x beside cos x).
#   atan at 1e200: slope 0, third derivative NaN.
# Cost: a friction law by tanh(v/1e-3) at 1 m/s, a barrier (x)₊^2.5 at its edge, or an angle on an axis has a gradient of NaN: an
#   optimizer stops at a point where nothing is singular.  Wrap these functions, or write them from exp of negative arguments.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/src"
cat > "$folder/Cargo.toml" <<'TOML'
[package]
name = "smooth-points"
version = "0.0.0"
edition = "2024"

[dependencies]
num-dual = { version = "=0.15.1", default-features = false }
TOML
cat > "$folder/src/main.rs" <<'RUST'
use num_dual::{Dual2_64, Dual3_64, DualNum, second_derivative, third_derivative};

fn main() {
    let tanh = |at: f64| second_derivative(|x: Dual2_64| x.tanh(), at);
    let power = |p: f64| second_derivative(|x: Dual2_64| x.powf(p), 0.0);
    let angle = second_derivative(|x: Dual2_64| Dual2_64::from_re(1.0).atan2(x), 0.0);
    let bessel = second_derivative(|x: Dual2_64| x.sph_j0(), 1e-9);
    let far = third_derivative(|x: Dual3_64| x.atan(), 1e200);
    println!("tanh at 400 {:?}, at 800 {:?}", tanh(400.0), tanh(800.0));
    println!("powf(2.5) at 0 {:?}, powf(2) {:?}, powf(3.5) {:?}", power(2.5), power(2.0), power(3.5));
    println!("atan2(1, x) at 0 {angle:?}; sph_j0 at 1e-9 {bessel:?}; atan at 1e200 {far:?}");
    assert!(tanh(400.0).0 == 1.0 && tanh(400.0).1.is_nan() && tanh(800.0).0.is_nan());
    assert!(power(2.5).0.is_nan() && power(2.0) == (0.0, 0.0, 2.0) && power(3.5) == (0.0, 0.0, 0.0));
    assert!(angle.0 == std::f64::consts::FRAC_PI_2 && angle.1.is_nan());
    assert!((bessel.2 + 256.0).abs() < 1.0);
    assert!(far.1 == 0.0 && far.3.is_nan());
}
RUST
cd "$folder"
cargo run --quiet
