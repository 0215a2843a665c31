//! The messages of `#[force]` and `#[dissipation]`.

use super::with_help;
use crate::ast::Sort;
use quote::ToTokens;

messages! {
    force_output(attribute: &str, what: &str): "a #[{attribute}] method must return a {what}",
        help: "return it in the shape of the coordinate that it acts on, such as `Vec2` or `[Vec2; self.links]`";
}

pub(crate) fn force_shape(
    tokens: impl ToTokens,
    what: &str,
    here: &str,
    all: &[(String, String)],
) -> syn::Error {
    let one = |(name, ty): &(String, String)| {
        if ty.contains("Mat3") && what == "force" {
            let torque = ty.replace("Mat3", "Vec3");
            format!("`{name}` is `{ty}`, and a torque on it is `{torque}` under #[force({name})]")
        } else {
            format!("`{name}` is `{ty}`")
        }
    };
    let all: Vec<String> = all.iter().map(one).collect();
    with_help(
        tokens,
        format!("a {what} has the shape of the coordinate that it acts on, and none is `{here}`"),
        all.join(", "),
    )
}

messages! {
    force_target(what: &str, all: &str, example: &str): "this {what} could act on {all}",
        help: "say on which: `#[{example}]`";
    force_attribute(): "#[force] takes the name of the coordinate that the force acts on, or nothing",
        help: "write `#[force]` or `#[force(bobs)]`";
}

pub(crate) fn conservation_broken(tokens: impl ToTokens, quantity: &str, by: Sort) -> syn::Error {
    let help = match by {
        Sort::Force => "make the force a part of the Lagrangian, or state no conserved quantity",
        Sort::Dissipation => "a dissipation takes energy and momentum: state no conserved quantity",
        Sort::Reset | Sort::Event | Sort::Unilateral => {
            "a moment that changes velocities takes energy and momentum: state no conserved quantity"
        }
        Sort::Holonomic | Sort::Nonholonomic if quantity == "energy" => {
            "a row with a part that is free of velocities does work: state no conserved quantity"
        }
        Sort::Holonomic | Sort::Nonholonomic => {
            "its force does no work, but it changes momenta: only `energy` may be stated beside it"
        }
    };
    let attribute = by.attribute();
    with_help(tokens, format!("`{quantity}` cannot be shown to be conserved under a #[{attribute}]"), help)
}

messages! {
    dissipation_output(): "a #[dissipation] method must return Rayleigh's function D, a `Scalar`",
        help: "the force −∂D/∂v follows by itself, for every coordinate; a force that no such function gives is a #[force] method";
    dissipation_without_velocity(): "this dissipation depends on no velocity, so that its force −∂D/∂v is zero",
        help: "write it with `der`, such as `0.5 * self.damping * der(x).powi(2)` for the force −damping·v; what depends on positions alone \
         is a potential: subtract it in `lagrangian`";
    stiff_in_force(): "`stiff(…)` marks a part of the potential, and this force comes from none",
        help: "remove it here, or make the force a term of the potential";
}
