//! The expansion of a declaration is silent under the strictest lints of the crate that it stands in.

#![forbid(unsafe_code)]
#![deny(
    warnings,
    nonstandard_style,
    future_incompatible,
    let_underscore,
    rust_2018_idioms,
    rust_2021_compatibility
)]
#![deny(rust_2024_compatibility, unused, refining_impl_trait)]
#![deny(
    absolute_paths_not_starting_with_crate,
    ambiguous_negative_literals,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    macro_use_extern_crate,
    meta_variable_misuse,
    missing_copy_implementations,
    missing_debug_implementations,
    missing_docs,
    non_ascii_idents,
    redundant_imports,
    redundant_lifetimes,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unit_bindings,
    unnameable_types,
    unreachable_pub,
    unused_extern_crates,
    unused_import_braces,
    unused_lifetimes,
    unused_macro_rules,
    unused_qualifications,
    unused_results,
    variant_size_differences
)]
#![deny(
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]
#![deny(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::float_arithmetic
)]

use least_action::prelude::*;

/// A chain whose links may be stiff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    /// Number of masses.
    pub links: usize,
    /// Mass of each bob, kg.
    pub mass: f64,
    /// Length of each rod, m.
    pub rod: f64,
    /// The stiffness of the spring that holds each link, where there is one.
    pub springs: Vec<Option<f64>>,
}

#[lagrangian]
impl Chain {
    fn lagrangian(&self, bobs: [Vec2; self.links], turn: Angle, t: Time) -> Scalar {
        let kinetic = sum(0..self.links, |i| 0.5 * self.mass * der(bobs[i]).norm_squared());
        let wheel = 0.5 * der(turn).powi(2) - 0.1 * t.sin() * turn.cos();
        let springs = sum(self.springs.iter().enumerate(), |(i, spring)| {
            if let Some(k) = spring { stiff(k * bobs[i].norm_squared()) } else { 0.0 }
        });
        let repulsion = sum(pairs(self.links), |(i, j)| match j - i {
            1 => 0.0,
            _ => 0.1 / (bobs[i] - bobs[j]).norm(),
        });
        kinetic + wheel - springs - repulsion - self.weight(sum(0..self.links, |i| bobs[i].y))
    }

    /// The potential of the weight.
    fn weight(&self, height: Scalar) -> Scalar {
        self.mass * height
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| {
            let pivot = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            (bobs[i] - pivot).norm_squared() - self.rod.powi(2)
        })
    }

    /// The length of the chain.
    #[must_use]
    pub fn length(&self) -> f64 {
        (0..self.links).map(|_| self.rod).sum()
    }
}

/// A model whose mass depends on its coordinates, which are named in types.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DoublePendulum {
    /// Lengths of the rods, m.
    pub rods: [f64; 2],
}

#[lagrangian]
impl DoublePendulum {
    fn lagrangian(&self, theta: Angle, phi: Angle) -> Scalar {
        let upper = self.rods[0] * vec2(theta.sin(), -theta.cos());
        let lower = upper + self.rods[1] * vec2(phi.sin(), -phi.cos());
        0.5 * (der(upper).norm_squared() + der(lower).norm_squared()) - upper.y - lower.y
    }
}

#[test]
fn what_is_linted_is_used() -> Result<(), Box<dyn std::error::Error>> {
    let chain = Chain { links: 3, mass: 1.0, rod: 0.5, springs: vec![None, Some(1.0)] };
    let system = chain.bind()?;
    assert!((chain.length() - 1.5).abs() < 1e-15, "three rods");
    assert_eq!((system.dimension(), system.constraints()), (7, 3), "three bobs and a wheel on three rods");
    assert_eq!(DoublePendulum { rods: [1.0, 1.0] }.bind()?.dimension(), 2, "two angles");
    Ok(())
}
