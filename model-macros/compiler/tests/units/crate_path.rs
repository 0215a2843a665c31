//! `crate = path`: emitted code names the crate by the path that its author says.

use least_action_compiler::compile;
use proc_macro2::{TokenStream, TokenTree};

const DECLARATION: &str = "impl Ring {
    fn lagrangian(&self, beads: [Vec2; self.n], phi: Angle) -> Scalar {
        let kinetic = crate::house::physics::prelude::sum(0..self.n, |i| 0.5 * der(beads[i]).norm_squared());
        kinetic + 0.5 * der(phi).powi(2) - self.softened(phi) * sum(0..self.n, |i| beads[i].norm())
    }
    fn softened(&self, phi: Angle) -> Scalar { if self.n > 2 { phi.cos() } else { 1.0 - phi.cos() } }
    #[holonomic]
    fn first(&self, beads: [Vec2; self.n]) -> Vec2 { beads[0] - vec2(1.0, 0.0) }
    fn other(&self) -> f64 { crate::house::size() }
}";

fn code(arguments: &str, declaration: &str) -> TokenStream {
    compile(arguments.parse().expect("tokens"), declaration.parse().expect("tokens"))
}

/// The number of paths in the code that begin with `::least_action`.
fn usual_paths(code: TokenStream) -> usize {
    let trees: Vec<TokenTree> = code.into_iter().collect();
    let here = trees.iter().map(|tree| match tree {
        TokenTree::Group(group) => usual_paths(group.stream()),
        TokenTree::Ident(name) => usize::from(name == "least_action"),
        TokenTree::Punct(_) | TokenTree::Literal(_) => 0,
    });
    here.sum()
}

#[test]
fn emitted_code_names_the_path_that_is_said_and_is_the_same_beside_it() {
    let usual = DECLARATION.replace("crate::house::physics", "::least_action");
    for (path, arguments) in [
        ("crate::house::physics", "crate = crate::house::physics"),
        ("physics::mechanics", "mass = constant, crate = physics::mechanics, conserves(energy)"),
        ("::physics::mechanics", "crate = ::physics::mechanics, mass = constant"),
        ("crate", "conserves(energy), crate = crate"),
    ] {
        let declaration = DECLARATION.replace("crate::house::physics", path);
        let found = code(arguments, &declaration);
        assert!(!found.to_string().contains("compile_error"), "{arguments}: {found}");
        assert_eq!(usual_paths(found.clone()), 0, "{arguments}");
        let others = arguments.replace(&format!("crate = {path}"), "");
        let expected = code(others.trim_matches([',', ' ']).replace(", ,", ",").as_str(), &usual);
        let spelled = |path: &str| path.parse::<TokenStream>().expect("a path").to_string();
        let renamed =
            expected.to_string().replace(&spelled("::least_action::"), &spelled(&format!("{path}::")));
        // The text of the declaration, in which the path stands as it is written, is a literal at the
        // end; its checksum knows the path, too.
        let without_text = |code: &str| {
            let (code, _) = code.rsplit_once("Declared for")?;
            let (before, after) = code.split_once("checksum : ")?;
            Some(format!("{before}{}", after.trim_start_matches(char::is_numeric)))
        };
        let [found, expected] = [found.to_string(), renamed].map(|code| without_text(&code));
        assert!(found.is_some() && found == expected, "{arguments}");
    }
    assert!(usual_paths(code("", &usual)) > 20);
}

#[test]
fn code_for_people_names_the_path_too() {
    let text = format!("#[physics::lagrangian(crate = physics)] {DECLARATION}");
    let expansion = prettyplease::unparse(&least_action_compiler::expand(&text).expect("no mistakes"));
    assert!(expansion.contains("physics::Model for Ring"));
    assert!(!expansion.contains("least_action"), "{expansion}");
}

/// The code beside a mistake, too; other paths stay unchanged.
#[test]
fn mistakes_leave_the_path_in_its_place() {
    let declaration = "impl Bead { fn lagrangian(&self, x: Scalar) -> Scalar { der(der(x)) }
        fn other(&self) -> f64 { self::least_action::one() + my::least_action::two::<f64>() } }";
    let found = code("crate = crate::physics", declaration).to_string();
    assert!(
        found.contains("compile_error") && found.contains("crate :: physics :: Model for Bead"),
        "{found}"
    );
    assert!(found.contains("self :: least_action :: one") && found.contains("my :: least_action :: two"));
}

mod house {
    pub(super) use least_action as physics;
}

struct Pendulum {
    rod: f64,
}

#[house::physics::lagrangian(crate = crate::crate_path::house::physics, mass = constant)]
impl Pendulum {
    fn lagrangian(&self, theta: Angle) -> Scalar {
        0.5 * (self.rod * der(theta)).powi(2)
            - crate::crate_path::house::physics::prelude::stiff(-theta.cos())
    }
}

#[test]
fn a_model_is_compiled_through_a_module_that_exports_the_crate_again() {
    use house::physics::prelude::*;
    let bound = Pendulum { rod: 2.0 }.bind().expect("a pendulum");
    assert_eq!(bound.mass_matrix(&[0.5], &[0.25], 0.0).dense()[(0, 0)], 4.0);
}
