//! Which method fits which kind of model, as rustc judges it: every cell of a table of (kind of model) × (method).
//!
//! One program a kind holds all methods, a function each, so that a dozen calls of rustc judge all cells.  What they say is in
//! `tests/ui/engines.txt`: `fits`, or the first line of the message, with the methods of which it is said.  The messages themselves, each once and in full, are
//! fixtures in `tests/ui/fail/engine`.
//!
//! Types do not tell all: a method that keeps no constraints fits a model that has some only when a penalty replaces them.  Its start
//! refuses such models.

use std::fmt::Write as _;

/// A kind of model: its name, and a declaration of `Model`.
pub(crate) const KINDS: &[(&str, &str)] = &[
    ("natural", "fn lagrangian(&self, x: Vec2) -> Scalar { 0.5 * der(x).norm_squared() - self.a * x.norm_squared() }"),
    (
        "natural, with a stiff part",
        "fn lagrangian(&self, x: Vec2) -> Scalar { 0.5 * der(x).norm_squared() - stiff(self.a * x.norm_squared()) - x.y }",
    ),
    (
        "natural, with a force",
        "fn lagrangian(&self, x: Vec2) -> Scalar { 0.5 * der(x).norm_squared() - self.a * x.norm_squared() }
         #[force] fn drag(&self, x: Vec2) -> Vec2 { -self.a * der(x) }",
    ),
    (
        "natural, with constraints",
        "fn lagrangian(&self, x: Vec2) -> Scalar { 0.5 * der(x).norm_squared() - self.a * x.y }
         #[holonomic] fn rod(&self, x: Vec2) -> Scalar { x.norm_squared() - 1.0 }",
    ),
    (
        "natural, with constraints and a force",
        "fn lagrangian(&self, x: Vec2) -> Scalar { 0.5 * der(x).norm_squared() - self.a * x.y }
         #[holonomic] fn rod(&self, x: Vec2) -> Scalar { x.norm_squared() - 1.0 }
         #[force] fn drag(&self, x: Vec2) -> Vec2 { -self.a * der(x) }",
    ),
    (
        "natural, with a dissipation",
        "fn lagrangian(&self, x: Vec2) -> Scalar { 0.5 * der(x).norm_squared() - self.a * x.norm_squared() }
         #[dissipation] fn drag(&self, x: Vec2) -> Scalar { 0.5 * self.a * der(x).norm_squared() }",
    ),
    (
        "constraints on velocities",
        "fn lagrangian(&self, x: Vec2) -> Scalar { 0.5 * der(x).norm_squared() - self.a * x.norm_squared() }
         #[nonholonomic] fn skate(&self, x: Vec2) -> Scalar { x.cross(der(x)) }",
    ),
    (
        "constraints on velocities and on positions",
        "fn lagrangian(&self, x: Vec3) -> Scalar { 0.5 * der(x).norm_squared() - self.a * x.norm_squared() }
         #[holonomic] fn rod(&self, x: Vec3) -> Scalar { x.norm_squared() - 1.0 }
         #[nonholonomic] fn skate(&self, x: Vec3) -> Scalar { x.x * der(x.y) }",
    ),
    (
        "mass that depends on the position",
        "fn lagrangian(&self, x: Vec2) -> Scalar { (self.a + x.y.powi(2)) * der(x).norm_squared() - x.y }",
    ),
    (
        "mass that depends on the position, with constraints",
        "fn lagrangian(&self, x: Vec2) -> Scalar { (self.a + x.y.powi(2)) * der(x).norm_squared() - x.y }
         #[holonomic] fn rod(&self, x: Vec2) -> Scalar { x.norm_squared() - 1.0 }",
    ),
    (
        "force that depends on the velocity",
        "fn lagrangian(&self, x: Vec2) -> Scalar { 0.5 * der(x).norm_squared() + self.a * x.cross(der(x)) }",
    ),
    (
        "force that depends on the velocity, with constraints",
        "fn lagrangian(&self, x: Vec2) -> Scalar { 0.5 * der(x).norm_squared() + self.a * x.norm_squared() * x.cross(der(x)) }
         #[holonomic] fn rod(&self, x: Vec2) -> Scalar { x.norm_squared() - 1.0 }",
    ),
    (
        "fast phase, even",
        "fn lagrangian(&self, x: Vec2, theta: Phase) -> Scalar { 0.5 * der(x).norm_squared() - theta.cos() * x.y }
         #[frequency] fn frequency(&self) -> f64 { self.a }",
    ),
    (
        "fast phase, not even",
        "fn lagrangian(&self, x: Vec2, theta: Phase) -> Scalar {
             0.5 * der(x).norm_squared() - (theta.cos() + (2.0 * theta).sin()) * x.y
         }
         #[frequency] fn frequency(&self) -> f64 { self.a }",
    ),
    (
        "fast phase, even, with constraints",
        "fn lagrangian(&self, x: Vec2, theta: Phase) -> Scalar { 0.5 * der(x).norm_squared() - theta.cos() * x.y }
         #[holonomic] fn rod(&self, x: Vec2) -> Scalar { x.norm_squared() - 1.0 }
         #[frequency] fn frequency(&self) -> f64 { self.a }",
    ),
];

/// A method: its name, and what must compile where it fits `system`.
pub(crate) const METHODS: &[(&str, &str)] = &[
    ("Verlet", "fits(system, &Verlet)"),
    ("ZhangSkeel", "fits(system, &ZhangSkeel::default())"),
    ("ZhangSkeelSimplified", "fits(system, &ZhangSkeelSimplified::default())"),
    ("ZhangSkeelEuler", "fits(system, &ZhangSkeelEuler::default())"),
    ("ZhangSkeelStiff", "fits(system, &ZhangSkeelStiff::default())"),
    ("Newmark", "fits(system, &Newmark::default())"),
    ("PushForwardNewmark", "fits(system, &PushForwardNewmark::default())"),
    ("NewmarkLinearA", "fits(system, &NewmarkLinearA::default())"),
    ("NewmarkLinearB", "fits(system, &NewmarkLinearB::default())"),
    ("ImplicitMidpoint", "fits(system, &ImplicitMidpoint::default())"),
    ("VariationalEuler", "fits(system, &VariationalEuler::default())"),
    ("VariationalMidpoint", "fits(system, &VariationalMidpoint::default())"),
    ("VariationalTrapezoid", "fits(system, &VariationalTrapezoid::default())"),
    ("ForceStepping", "fits(system, &ForceStepping::with_grid(0.1))"),
    ("RelativeForceStepping", "fits(system, &RelativeForceStepping { grid: 0.1 })"),
    ("EnergyStepping", "fits(system, &EnergyStepping::default())"),
    ("LaBuddeGreenspan", "fits(system, &LaBuddeGreenspan::default())"),
    ("RotationVerlet", "fits(system, &RotationVerlet)"),
    ("RotationCayley", "fits(system, &RotationCayley)"),
    ("RotationPenalty", "rotates(system, &RotationPenalty::default())"),
    ("RotationPenaltyEuler", "rotates(system, &RotationPenaltyEuler::default())"),
    ("Shake", "fits(system, &Shake::default())"),
    ("Rattle", "fits(system, &Rattle::default())"),
    ("ExplicitConstrained", "fits(system, &ExplicitConstrained::default())"),
    ("ProjectedRungeKutta, with a frequency", "oscillates(system, &ProjectedRungeKutta::default())"),
    (
        "ProjectedEvery<Verlet>, with a penalty",
        "penalized(system, &ProjectedEvery { method: Verlet, manifold: SlowManifold::default(), every: 9 })",
    ),
    (
        "Hmm<LeapFrog, Asynchronous, BoxFilter>",
        "fits(system, &Hmm::new(LeapFrog, Asynchronous, BoxFilter::default()))",
    ),
    ("Hmm<Verlet, Asynchronous, Cubic>", "fits(system, &Hmm::new(Verlet, Asynchronous, Cubic::default()))"),
    (
        "Hmm<Verlet, Synchronous, Cubic>",
        "fits(system, &Hmm::new(Verlet, <Synchronous>::default(), Cubic::default()))",
    ),
    (
        "Hmm<Shake, Asynchronous, Cubic>",
        "fits(system, &Hmm::new(Shake::default(), Asynchronous, Cubic::default()))",
    ),
    (
        "Hmm<Rattle, Asynchronous, BoxFilter>",
        "fits(system, &Hmm::new(Rattle::default(), Asynchronous, BoxFilter::default()))",
    ),
    ("Composition<Verlet>", "fits(system, &Composition::<_, 4>::of(Verlet))"),
    ("Composition<Rattle>", "fits(system, &Composition::<_, 4>::of(Rattle::default()))"),
    ("Composition<Shake>", "fits(system, &Composition::<_, 4>::of(Shake::default()))"),
    (
        "Composition<VariationalMidpoint>",
        "fits(system, &Composition::<_, 4>::of(VariationalMidpoint::default()))",
    ),
    ("Langevin<Verlet>", "fits(system, &Langevin::around(Verlet))"),
    ("Langevin<Rattle>", "fits(system, &Langevin::around(Rattle::default()))"),
    ("Bdf", "fits(system, &Bdf::default())"),
    ("Reference", "fits(system, &Reference::default())"),
    ("Verlet, with a penalty", "penalized(system, &Verlet)"),
];

/// The lines of a program before its methods, in which `DECLARATION` is the only one that differs.
const HEAD: &str = "\
use integrator_core::prelude::*;
use integrator_core::method::*;
use integrator_core::method::force_stepping::*;
use integrator_core::method::multiscale::*;
use integrator_core::method::rotation::PenalizedRotation;
use integrator_core::method::slow_manifold::Oscillating;
use integrator_core::wrap::Penalized;
struct Model { a: f64 }
#[lagrangian]
impl Model { DECLARATION }
fn fits<S: ?Sized, M: Method<S>>(_: &S, _: &M) {}
fn rotates<'s, S: Natural, M: Method<PenalizedRotation<'s, S>>>(_: &'s S, _: &M) {}
fn oscillates<'s, S: Natural, M: Method<Oscillating<'s, S>>>(_: &'s S, _: &M) {}
fn penalized<'s, S: Natural + Holonomic, M: Method<Penalized<'s, S>>>(_: &'s S, _: &M) {}
fn main() {}
";

/// The program of a kind, and the line of its first method; each method has a line.
pub(crate) fn program(declaration: &str) -> (String, usize) {
    let one_line: String = declaration.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let mut text = HEAD.replace("DECLARATION", &one_line);
    let first = text.lines().count() + 1;
    for (number, (_, fits)) in METHODS.iter().enumerate() {
        let _ = writeln!(text, "pub fn method_{number}(system: &Bound<Model>) {{ {fits} }}");
    }
    (text, first)
}

/// A paragraph a verdict, with the methods that have it: what the errors, in short form
/// (`file:line:column: error…: message: label`), say at the line of each.
pub(crate) fn verdicts(errors: &str, first: usize) -> String {
    let mut refusals = vec![None; METHODS.len()];
    let mut text = String::new();
    for line in errors.lines().filter(|line| line.contains(": error")) {
        let number = line.split(':').nth(1).and_then(|number| number.parse::<usize>().ok());
        let refusal = number.and_then(|number| refusals.get_mut(number.wrapping_sub(first)));
        let message = line.split_once(": error").and_then(|(_, rest)| rest.split_once(": "));
        match (refusal, message) {
            (Some(refusal), Some((_, message))) => {
                let message = message.rsplit_once(": ").map_or(message, |(message, _label)| message);
                refusal.get_or_insert(message);
            }
            // A mistake of the program itself.
            _ => {
                let _ = writeln!(text, "{line}");
            }
        }
    }
    let mut verdicts: Vec<(&str, Vec<&str>)> = vec![("fits", Vec::new())];
    for ((name, _), refusal) in METHODS.iter().zip(refusals) {
        let verdict = refusal.unwrap_or("fits");
        match verdicts.iter_mut().find(|(known, _)| *known == verdict) {
            Some((_, methods)) => methods.push(name),
            None => verdicts.push((verdict, vec![name])),
        }
    }
    for (verdict, methods) in verdicts.iter().filter(|(_, methods)| !methods.is_empty()) {
        let _ = write!(text, "{verdict}:");
        let mut width = usize::MAX;
        for method in methods {
            // Lines of a hundred characters.
            if width.saturating_add(method.len()) > 100 {
                let _ = write!(text, "\n   ");
                width = 3;
            }
            let _ = write!(text, " {method};");
            width += method.len() + 2;
        }
        let _ = writeln!(text);
    }
    text
}
