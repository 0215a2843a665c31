//! The symmetries of small declarations.

use least_action_compiler::Errors;
use least_action_compiler::internals::symmetry::Coordinate;
use least_action_compiler::internals::symmetry::{Action, Flow, Symmetry, find, words};

/// The symmetries of `impl Model { … }`, each as words such as `time`, `x+`, `p>0`, `2 p@2 - a+`; `~`
/// marks numerical ones.
fn symmetries(body: &str) -> Vec<String> {
    let (found, coordinates) = searched(body);
    let words = |symmetry: Symmetry| {
        let text = match symmetry.flow {
            Flow::Time => "time".to_owned(),
            Flow::Space(parts) => {
                let parts = parts.into_iter().map(|(generator, factor)| {
                    let name = &coordinates[generator.coordinate].name;
                    let factor = if factor == 1.0 { String::new() } else { format!("{factor} ") };
                    match generator.action {
                        Action::Shift => format!("{factor}{name}+"),
                        Action::Translation(axis) => format!("{factor}{name}>{axis}"),
                        Action::Rotation(axis) => format!("{factor}{name}@{axis}"),
                        Action::BodyRotation(axis) => format!("{factor}{name}@body{axis}"),
                    }
                });
                parts.collect::<Vec<_>>().join(" ")
            }
        };
        if symmetry.proven { text } else { format!("~{text}") }
    };
    found.into_iter().map(words).collect()
}

fn searched(body: &str) -> (Vec<Symmetry>, Vec<Coordinate>) {
    let mut errors = Errors::default();
    let item = syn::parse_str(&format!("impl Model {{ {body} }}")).expect("an impl");
    let declaration = least_action_compiler::parse(proc_macro2::TokenStream::new(), item, &mut errors)
        .expect("a declaration");
    let lowered = least_action_compiler::lower(&declaration, &mut errors);
    assert!(errors.is_empty(), "{body}: {:?}", errors.drain());
    (find(&lowered, &declaration), declaration.coordinates)
}

const POINT: &str = "0.5 * self.m * der(p).norm_squared()";

#[test]
fn a_free_particle() {
    let found = symmetries(&format!("fn lagrangian(&self, p: Vec3) -> Scalar {{ {POINT} }}"));
    assert_eq!(found, ["time", "p>0", "p>1", "p>2", "p@0", "p@1", "p@2"]);
}

#[test]
fn a_particle_in_a_field_keeps_what_the_field_allows() {
    let in_field = |potential: &str| {
        symmetries(&format!("fn lagrangian(&self, p: Vec3, t: Time) -> Scalar {{ {POINT} - ({potential}) }}"))
    };
    assert_eq!(in_field("self.m * self.g * p.z"), ["time", "p>0", "p>1", "p@2"]);
    assert_eq!(in_field("self.k / p.norm()"), ["time", "p@0", "p@1", "p@2"]);
    assert_eq!(in_field("self.k / p.norm() + self.e * p.x"), ["time", "p@0"]);
    assert_eq!(in_field("self.k * (p.x - p.y).powi(2)"), ["time", "p>0 p>1", "p>2", "p@0 -1 p@1"]);
    assert_eq!(in_field("self.k * (p.x + self.w * t).cos()"), ["p>1", "p>2", "p@0"]);
    assert_eq!(in_field("self.k * (p.x * p.x + p.y * p.y) * p.z"), ["time", "p@2"]);
}

#[test]
fn particles_that_attract_each_other() {
    let lagrangian = |more: &str| {
        symmetries(&format!(
            "fn lagrangian(&self, p: [Vec3; self.n]) -> Scalar {{
                let kinetic = sum(0..self.n, |i| 0.5 * self.m[i] * der(p[i]).norm_squared());
                let potential = sum(pairs(self.n), |(i, j)| {{
                    let r2 = (p[i] - p[j]).norm_squared();
                    4.0 * self.e * ((self.s * self.s / r2).powi(6) - (self.s * self.s / r2).powi(3))
                }});
                kinetic - potential {more}
            }}"
        ))
    };
    let all = ["time", "p>0", "p>1", "p>2", "p@0", "p@1", "p@2"];
    assert_eq!(lagrangian(""), all);
    assert_eq!(
        lagrangian("- sum(0..self.n, |i| self.k * p[i].norm_squared())"),
        ["time", "p@0", "p@1", "p@2"]
    );
    assert_eq!(lagrangian("- sum(0..self.n, |i| self.k * p[i].x.powi(2))"), ["time", "p>1", "p>2", "p@0"]);
}

#[test]
fn a_chain_with_its_constraints() {
    let chain = |hung: bool, gravity: bool| {
        let pivot =
            if hung { "let a = if i == 0 { Vec2::ZERO } else { p[i - 1] };" } else { "let a = p[i + 1];" };
        let fall = if gravity { "- sum(0..self.n, |i| self.m * self.g * p[i].y)" } else { "" };
        symmetries(&format!(
            "fn lagrangian(&self, p: [Vec2; self.n]) -> Scalar {{
                sum(0..self.n, |i| 0.5 * self.m * der(p[i]).norm_squared()) {fall}
            }}
            #[holonomic]
            fn rods(&self, p: [Vec2; self.n]) -> [Scalar; self.n - 1] {{
                each(0..self.n - 1, |i| {{ {pivot} (p[i] - a).norm_squared() - self.rod.powi(2) }})
            }}"
        ))
    };
    assert_eq!(chain(true, true), ["time"]);
    assert_eq!(chain(true, false), ["time", "p@2"]);
    assert_eq!(chain(false, true), ["time", "p>0"]);
    assert_eq!(chain(false, false), ["time", "p>0", "p>1", "p@2"]);
}

#[test]
fn motions_that_only_hold_together() {
    let found = symmetries(
        "fn lagrangian(&self, a: Vec2, b: Vec2, theta: Angle, phi: Angle, s: Scalar) -> Scalar {
            let ends = self.rod * vec2(theta.cos(), theta.sin());
            0.5 * der(a).norm_squared() + self.m * 0.5 * der(b).norm_squared() + der(theta).powi(2) + der(s).powi(2)
                + der(phi).powi(2) - self.k * (a - b).norm_squared() - self.c * (b - a).dot(ends) - (2.0 * s - phi).cos()
        }",
    );
    assert_eq!(found, ["time", "a>0 b>0", "a>1 b>1", "a@2 b@2 theta+", "2 phi+ s+"]);
}

#[test]
fn kepler_in_polar_coordinates() {
    let kepler = |more: &str| {
        symmetries(&format!(
            "fn lagrangian(&self, r: Scalar, phi: Angle) -> Scalar {{
                let p = r * vec2(phi.cos(), phi.sin());
                0.5 * self.m * der(p).norm_squared() + self.k / r {more}
            }}"
        ))
    };
    assert_eq!(kepler(""), ["time", "phi+"]);
    assert_eq!(kepler("+ self.e * p.y"), ["time"]);
}

#[test]
fn identities_of_functions_are_known_to_the_proof() {
    let pendulum = |potential: &str| {
        symmetries(&format!(
            "fn lagrangian(&self, a: Angle, b: Angle) -> Scalar {{
                der(a).powi(2) + der(b).powi(2) - ({potential})
            }}"
        ))
    };
    for potential in [
        "a.cos() * b.cos() + a.sin() * b.sin()",
        "self.k * (a - b).sin().powi(2) + self.k * (a - b).cos().powi(2) * (2.0 * (a - b)).cos()",
        "(a.exp() / b.exp()).ln()",
        "(a - b).tan() + (a.sin() * b.cos() - a.cos() * b.sin()) / (a - b).cos()",
        "(a.cosh() + a.sinh()) * (-b).exp()",
        "((a - b).powi(2) + 1.0).sqrt() * (a.powi(2) - 2.0 * a * b + b.powi(2) + 1.0).powf(-1.5)",
        "(a - b).cos() * (1.0 + 0.3 * (a - b)).powf(self.power)",
        "a.sin().atan2(a.cos()) - b.sin().atan2(b.cos())",
    ] {
        assert_eq!(pendulum(potential), ["time", "a+ b+"], "{potential}");
    }
    assert_eq!(pendulum("a.cos() * b.cos() - a.sin() * b.sin()"), ["time", "a+ -1 b+"]);
    assert_eq!(pendulum("a.cos() * b.cos() + 1.001 * a.sin() * b.sin()"), ["time"]);
}

#[test]
fn equal_coefficients_are_seen_through_their_texts() {
    let found = symmetries(
        "fn lagrangian(&self, p: Vec2) -> Scalar {
            0.5 * self.m * der(p.x).powi(2) + der(p.y).powi(2) * (self.m / 2.0) - self.k[0] * p.norm_squared()
        }",
    );
    assert_eq!(found, ["time", "p@2"]);
}

#[test]
fn what_cannot_be_proven_is_said_to_be_numerical() {
    // ln ab = ln a + ln b holds for positive numbers only, so that it is no rule of the proof.
    let found = symmetries(
        "fn lagrangian(&self, a: Scalar, b: Scalar) -> Scalar {
            der(a).powi(2) + der(b).powi(2) + (a * b).ln() * (a.ln() + b.ln() - (a * b).ln())
        }",
    );
    assert_eq!(found, ["time", "~a+", "~b+"]);
}

#[test]
fn constraints_may_be_rotated_into_one_another() {
    let hinge = |scale: &str| {
        symmetries(&format!(
            "fn lagrangian(&self, a: Vec2, b: Vec2, theta: Angle) -> Scalar {{
                0.5 * der(a).norm_squared() + 0.5 * der(b).norm_squared() + der(theta).powi(2)
            }}
            #[holonomic]
            fn hinge(&self, a: Vec2, b: Vec2, theta: Angle) -> Vec2 {{
                a - b - vec2(theta.cos(), {scale} * theta.sin())
            }}"
        ))
    };
    assert_eq!(hinge("1.0"), ["time", "a>0 b>0", "a>1 b>1", "a@2 b@2 theta+"]);
    assert_eq!(hinge("2.0"), ["time", "a>0 b>0", "a>1 b>1"]);
}

#[test]
fn a_constraint_that_moves_takes_the_energy() {
    let found = symmetries(
        "fn lagrangian(&self, p: Vec2) -> Scalar { der(p).norm_squared() }
        #[holonomic]
        fn rail(&self, p: Vec2, t: Time) -> Scalar { p.y - (self.w * t).sin() }",
    );
    assert_eq!(found, ["p>0"]);
}

#[test]
fn what_is_called_x_moves_all_vectors_whatever_numbers_stand_beside_them() {
    let names = |body: &str| -> Vec<String> {
        let (found, coordinates) = searched(body);
        words(found.iter().map(|symmetry| &symmetry.flow), &coordinates)
            .into_iter()
            .map(|one| one.name)
            .collect()
    };
    let beside = names(
        "fn lagrangian(&self, p: Vec2, a: Scalar) -> Scalar { der(p).norm_squared() + der(a).powi(2) - a.powi(2) }",
    );
    assert_eq!(beside, ["energy", "momentum_x", "momentum_y", "angular_momentum_z"]);
    let apart = names(
        "fn lagrangian(&self, p: Vec2, s: Vec2) -> Scalar { der(p).norm_squared() + der(s).norm_squared() - s.y }",
    );
    assert_eq!(apart, ["energy", "momentum_p_x", "momentum_p_y", "angular_momentum_p_z", "momentum_s_x"]);
}
