//! The messages of the attribute's statements.

use super::with_help;
use quote::ToTokens;

messages! {
    attribute_argument(): "this is no argument of #[lagrangian]",
        help: "state the properties that must hold, as in `#[lagrangian(conserves(energy, linear_momentum, angular_momentum), mass = constant)]`";
    unknown_argument(name: &str, near: &str): "#[lagrangian] has no argument `{name}`",
        help: "did you mean `{near}`?";
    conserves_nothing(): "`conserves()` states nothing",
        help: "name the conserved quantities: `energy`, `linear_momentum`, `angular_momentum`, or `momentum_` and a coordinate";
    mass_is(): "of the mass one can only state that it is constant",
        help: "write `mass = constant`, or leave it out";
    crate_is_a_path(): "`crate` is the path to the crate least_action, without quotation marks",
        help: "write it as in `crate = physics::least_action` or `crate = crate::physics`";
    relative_crate(): "`self` and `super` are others in the modules of emitted code",
        help: "begin it with `crate`, or with the name of a dependency";
}

messages! {
    unknown_conserved(name: &str, near: Option<&str>, all: &str): "`{name}` is nothing that `conserves(…)` knows",
        meant(near): "statements about this model: `{all}`";
    no_vectors(name: &str): "`{name}` is that of vectors, and this model has no coordinate that is one",
        help: "state the momentum of a coordinate instead, such as `momentum_x` for the coordinate `x`";
}

pub(crate) fn breaks(tokens: impl ToTokens, name: &str, motions: &[String]) -> syn::Error {
    if name == "energy" {
        return with_help(
            tokens,
            "this term depends on time, so the energy is not conserved",
            "write it without the time, or remove `energy` from `conserves(…)`",
        );
    }
    let (what, remedy) = match name {
        "linear_momentum" => ("the linear momentum is", "write it in differences of positions"),
        "angular_momentum" => {
            ("the angular momentum is", "write it in lengths, distances and scalar products of vectors")
        }
        _ => ("this momentum is", "write it without that coordinate"),
    };
    with_help(
        tokens,
        format!("this term changes when the system is {}, so {what} not conserved", either(motions)),
        format!("{remedy}, or remove `{name}` from `conserves(…)`"),
    )
}

messages! {
    not_shown(name: &str): "`{name}` could not be shown to hold, although no single term breaks it",
        help: "remove it here; `least-action describe` lists the conserved quantities";
    mass_depends(on: &str, verb: &str): "this term {verb} the mass matrix depend on {on}, so it is not constant",
        help: "use Cartesian coordinates with #[holonomic] constraints, or remove `mass = constant`";
}

/// `rotated about x, y or z` from motions that begin with the same words.
fn either(motions: &[String]) -> String {
    let [first @ .., last] = motions else { return String::new() };
    let words = last.rsplit_once(' ').map_or("", |(words, _)| words);
    let rest = motions.iter().map(|motion| motion.strip_prefix(words).map(str::trim_start));
    match rest.collect::<Option<Vec<&str>>>().as_deref() {
        Some([others @ .., last]) if !others.is_empty() && !words.is_empty() => {
            format!("{words} {} or {last}", others.join(", "))
        }
        _ if first.is_empty() => last.clone(),
        _ => format!("{} or {last}", first.join(", ")),
    }
}
