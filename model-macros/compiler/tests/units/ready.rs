//! The symmetries of every ready model, and of each with one term more that breaks some of them.
//!
//! The models are read as sources, so that a new file without a line here is noticed.

use least_action_compiler::Declaration;
use least_action_compiler::Errors;
use least_action_compiler::internals::symmetry::words;
use syn::{Expr, FnArg, ImplItem, Item, ItemImpl, Stmt};

/// The file, its conserved quantities, a new term of L (`t` is the time), and the quantities conserved
/// with it.
const MODELS: [(&str, &[&str], &str, &[&str]); 40] = [
    (
        "argon",
        &["energy", "momentum_x", "momentum_y", "angular_momentum_z"],
        "0.3 * atoms[0].y",
        &["energy", "momentum_x"],
    ),
    ("bricard", &["energy"], "t.sin() * q[0]", &[]),
    ("car_axis", &[], "0.3 * left.x", &[]),
    ("cart_double_pendulum", &[], "0.3 * theta", &[]),
    ("cart_pendulum", &[], "0.3 * theta", &[]),
    ("chain", &["energy"], "0.3 * t * bobs[0].y", &[]),
    ("chaplygin_sleigh", &["energy"], "0.3 * t * blade.x", &[]),
    ("damped_double_pendulum", &[], "0.3 * t * phi", &[]),
    ("dna", &["energy"], "0.3 * t * theta[0]", &[]),
    ("double_pendulum", &["energy"], "0.3 * t * upper.y", &[]),
    ("double_pendulum_angles", &["energy"], "t.sin() * phi", &[]),
    ("double_spring", &["energy", "angular_momentum_z"], "0.3 * bobs[1].x.cos()", &["energy"]),
    ("fekete_points", &[], "0.3 * p[0].x", &[]),
    ("four_bar", &["energy"], "t.sin() * a", &[]),
    ("four_bars", &["energy"], "0.3 * t * tips[0].x", &[]),
    ("jointed_boxes", &["energy", "angular_momentum_z"], "0.3 * t * centres[0].z", &["angular_momentum_z"]),
    ("kepler", &["energy", "angular_momentum_z"], "0.3 * t * q.norm()", &["angular_momentum_z"]),
    ("kepler_polar", &["energy", "momentum_theta"], "0.3 * r * theta.cos()", &["energy"]),
    ("kepler_radial", &["energy"], "0.3 * r * t", &[]),
    ("cube", &["energy"], "0.3 * t * nodes[0].x", &[]),
    ("driven_double_pendulum", &[], "0.3 * first.x", &[]),
    ("driven_pendulum", &[], "0.3 * q", &[]),
    ("driven_pendulum_cartesian", &[], "0.3 * bob.x", &[]),
    ("rigid_body", &["energy", "angular_momentum_z", "body_angular_momentum_z"], "0.3 * t * r[(0, 1)]", &[]),
    (
        "lennard_jones",
        &[
            "energy",
            "momentum_x",
            "momentum_y",
            "momentum_z",
            "angular_momentum_x",
            "angular_momentum_y",
            "angular_momentum_z",
        ],
        "0.3 * atoms[1].z",
        &["energy", "momentum_x", "momentum_y", "angular_momentum_z"],
    ),
    (
        "liquid",
        &["energy", "momentum_x", "momentum_y", "momentum_z"],
        "0.3 * atoms[1].z",
        &["energy", "momentum_x", "momentum_y"],
    ),
    (
        "copper",
        &["energy", "momentum_x", "momentum_y", "momentum_z"],
        "0.3 * atoms[1].z",
        &["energy", "momentum_x", "momentum_y"],
    ),
    (
        "smoothed_drop",
        &["energy", "momentum_x", "momentum_y", "angular_momentum_z"],
        "0.3 * points[1].x",
        &["energy", "momentum_y"],
    ),
    ("oscillator", &[], "0.3 * q", &[]),
    ("pendulums", &["energy"], "0.3 * theta[0] * t", &[]),
    (
        "polymer",
        &[
            "energy",
            "momentum_x",
            "momentum_y",
            "momentum_z",
            "angular_momentum_x",
            "angular_momentum_y",
            "angular_momentum_z",
        ],
        "0.3 * beads[1].z",
        &["energy", "momentum_x", "momentum_y", "angular_momentum_z"],
    ),
    (
        "polymer_constrained",
        &[
            "energy",
            "momentum_x",
            "momentum_y",
            "momentum_z",
            "angular_momentum_x",
            "angular_momentum_y",
            "angular_momentum_z",
        ],
        "0.3 * beads[1].z",
        &["energy", "momentum_x", "momentum_y", "angular_momentum_z"],
    ),
    ("slider_crank", &[], "0.3 * rod", &[]),
    ("snakeboard", &[], "0.3 * rotor", &[]),
    ("spring_chain", &["energy"], "0.3 * beads[0] * t", &[]),
    (
        "spring_net",
        &["energy", "momentum_x", "momentum_y", "angular_momentum_z"],
        "0.3 * knots[0][1].norm_squared()",
        &["energy", "angular_momentum_z"],
    ),
    ("spring_pendulum", &["energy"], "0.3 * (bob.x - t)", &[]),
    ("top", &["energy"], "0.3 * t * u[0]", &[]),
    (
        "water",
        &[
            "energy",
            "momentum_x",
            "momentum_y",
            "momentum_z",
            "angular_momentum_x",
            "angular_momentum_y",
            "angular_momentum_z",
        ],
        "0.3 * sites[0][1].x * (0.1 * t).cos()",
        &["momentum_y", "momentum_z", "angular_momentum_x"],
    ),
    ("water_box", &["energy"], "0.3 * t * atoms[0].x", &[]),
];

/// The models whose forces or constraints on velocities break symmetries, and the quantities changed by
/// them alone.
const BALANCED: [(&str, &[&str]); 7] = [
    ("cart_double_pendulum", &["energy", "momentum_x"]),
    ("cart_pendulum", &["energy", "momentum_x"]),
    ("chaplygin_sleigh", &["momentum_x", "momentum_y", "angular_momentum_z"]),
    ("damped_double_pendulum", &["energy"]),
    ("fekete_points", &["energy", "angular_momentum_x", "angular_momentum_y", "angular_momentum_z"]),
    ("slider_crank", &["energy"]),
    (
        "snakeboard",
        &[
            "energy",
            "momentum_x",
            "momentum_y",
            "angular_momentum_z",
            "momentum_heading",
            "momentum_rotor",
            "momentum_wheels",
        ],
    ),
];

/// The declaration in a file of `models`, if there is one.
fn declared(path: &std::path::Path) -> Option<ItemImpl> {
    let text = std::fs::read_to_string(path).expect("a source");
    let file = syn::parse_file(&text).expect("Rust");
    file.items.into_iter().find_map(|item| match item {
        Item::Impl(item) if item.attrs.iter().any(|attribute| attribute.path().is_ident("lagrangian")) => {
            Some(item)
        }
        _ => None,
    })
}

/// The conserved quantities of a declaration, and the quantities that forces and constraints on
/// velocities alone change.
fn quantities(mut item: ItemImpl) -> [Vec<String>; 2] {
    item.attrs.clear();
    let mut errors = Errors::default();
    let declaration: Declaration =
        least_action_compiler::parse(proc_macro2::TokenStream::new(), item, &mut errors)
            .expect("a declaration");
    let mut lowered = least_action_compiler::lower(&declaration, &mut errors);
    let classified = least_action_compiler::classify(&mut lowered, &declaration, &mut errors);
    let found = least_action_compiler::prove(&declaration, &lowered, &classified, &mut errors);
    assert!(errors.is_empty(), "{:?}", errors.drain());
    [found.conserved, found.balanced].map(|found| {
        assert!(found.iter().all(|symmetry| symmetry.proven));
        let all = words(found.iter().map(|symmetry| &symmetry.flow), &declaration.coordinates);
        all.into_iter().map(|words| words.name).collect()
    })
}

/// The declaration with a term added to the result of `lagrangian`, and the time among its arguments.
fn with_term(mut item: ItemImpl, term: &str) -> ItemImpl {
    let term: Expr = syn::parse_str(term).expect("an expression");
    for member in &mut item.items {
        let ImplItem::Fn(method) = member else { continue };
        if method.sig.ident != "lagrangian" {
            continue;
        }
        let timed = method.sig.inputs.iter().any(|argument| {
            matches!(argument, FnArg::Typed(typed) if matches!(&*typed.ty, syn::Type::Path(path) if path.path.is_ident("Time")))
        });
        if !timed {
            method.sig.inputs.push(syn::parse_quote!(t: Time));
        }
        if let Some(Stmt::Expr(last, None)) = method.block.stmts.last_mut() {
            *last = syn::parse_quote!((#last) + #term);
        }
    }
    item
}

#[test]
fn every_ready_model_has_its_symmetries_and_loses_those_that_a_term_breaks() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/src");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the models") {
        let path = entry.expect("a file").path();
        // The parts of a model may stand in folders.
        let Some(item) = path.is_file().then(|| declared(&path)).flatten() else { continue };
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        let known = MODELS.iter().find(|(model, ..)| *model == name);
        let (_, all, term, rest) =
            known.unwrap_or_else(|| panic!("{name} is not in the table: {:?}", quantities(item.clone())));
        let [conserved, balanced] = quantities(item.clone());
        assert_eq!(conserved, *all, "{name}");
        let wanted = BALANCED.iter().find(|(model, _)| *model == name).map_or(&[][..], |(_, wanted)| wanted);
        assert_eq!(balanced, wanted, "{name}");
        assert_eq!(quantities(with_term(item, term))[0], *rest, "{name} with {term}");
        seen += 1;
    }
    assert_eq!(seen, MODELS.len());
}
