#!/usr/bin/env bash
# The quaternion of an exact rotation matrix: nalgebra's `from_matrix` returns nearly the identity for a half turn about y.
#
# Expected: `UnitQuaternion::from_matrix(&m)`, documented as the rotation of a matrix that may be inexact, gives for an exactly orthogonal
#   m its quaternion, as `from_rotation_matrix` does.
# Seen (nalgebra 0.35.0): for diag(−1, 1, −1), a half turn about y, it returns (1.4e-4, 0, 0, 1), a turn by 0.015°, and
#   `from_rotation_matrix` returns (0, 1, 0, 0).  The former iterates from the identity, from which half turns are stationary
#   points (Müller et al. 2016, polar decomposition by axes); the error is no option and no result.
# Cost: the first frame of an animation of a body that is upside down shows it upright.  Use `from_rotation_matrix` on an
#   orthonormalized matrix, or start the iteration at the frame before (`from_matrix_eps`, with a limit).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/src"
cat > "$folder/Cargo.toml" <<'TOML'
[package]
name = "half-turn"
version = "0.0.0"
edition = "2024"

[dependencies]
nalgebra = { version = "=0.35.0", default-features = false, features = ["std"] }
TOML
cat > "$folder/src/main.rs" <<'RUST'
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

fn main() {
    let half_turn: Matrix3<f64> = Matrix3::from_diagonal(&Vector3::new(-1.0, 1.0, -1.0));
    let iterated = UnitQuaternion::from_matrix(&half_turn);
    let direct = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(half_turn));
    println!("from_matrix: {:?}, an angle of {:.4}°", iterated.coords, iterated.angle().to_degrees());
    println!("from_rotation_matrix: {:?}, an angle of {}°", direct.coords, direct.angle().to_degrees());
    assert!(iterated.angle() < 1e-3 && (direct.angle() - std::f64::consts::PI).abs() < 1e-12);
}
RUST
cd "$folder"
cargo run --quiet
