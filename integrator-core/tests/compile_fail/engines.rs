//! The verdicts of rustc on methods and kinds of models: every cell of a table of kinds × methods.
//!
//! A program holds some kinds, a module each, with all methods, a function each, so that a few calls of
//! rustc judge all cells. `tests/ui/engines.txt` has the verdicts, kinds with equal ones
//! together: `fits`, or the first line of the message, with its methods. The messages, each once and in
//! full, are fixtures in `tests/ui/fail/engine`.
//!
//! Types do not tell all: a method that keeps no constraints fits a constrained model only when a
//! penalty replaces them. Its start refuses such models.

#[path = "../../../tests/kinds.rs"]
mod kinds;

use std::fmt::Write as _;

/// The kinds for some methods alone, beside the kinds of features alone and by twos.
const SPECIAL: [(&str, &str); 2] = [
    (
        "rotation-matrix",
        "fn lagrangian(&self, r: Mat3) -> Scalar { 0.5 * (der(r) * der(r).transpose()).trace() - self.stiffness * r[(2, 2)] }
         #[holonomic] fn rotation(&self, r: Mat3) -> Mat3 { r.transpose() * r - Mat3::IDENTITY }",
    ),
    (
        "potential-of-distances",
        "fn lagrangian(&self, p: [Vec2; 3]) -> Scalar {
            sum(0..3, |i| 0.5 * der(p[i]).norm_squared()) - sum(pairs(3), |(i, j)| (p[i] - p[j]).norm_squared().powi(2))
         }",
    ),
];

/// Every kind of model: its name, and a declaration of `Model`.
pub(crate) fn kinds() -> Vec<(String, String)> {
    let special = SPECIAL.map(|(name, declaration)| (name.to_owned(), declaration.to_owned()));
    special.into_iter().chain(kinds::all().iter().map(|kind| (kind.words(), kind.declaration()))).collect()
}

/// A method: its name, and the code that must compile where it fits `system`.
pub(crate) const METHODS: &[(&str, &str)] = &[
    ("Verlet", "fits(system, &Verlet)"),
    ("BlanesMoan", "fits(system, &BlanesMoan)"),
    ("McLachlan", "fits(system, &McLachlan)"),
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
        "Hmm<LeapFrog, Asynchronous, BoxFilter>",
        "fits(system, &Hmm::new(LeapFrog, Asynchronous, BoxFilter::default()))",
    ),
    ("Hmm<Verlet, Asynchronous, Cubic>", "fits(system, &Hmm::new(Verlet, Asynchronous, Cubic::default()))"),
    (
        "Hmm<Verlet, Synchronous, Cubic>",
        "fits(system, &Hmm::new(Verlet, Synchronous::default(), Cubic::default()))",
    ),
    (
        "Hmm<Rattle, Synchronous, Cubic>",
        "fits(system, &Hmm::new(Rattle::default(), Synchronous::default(), Cubic::default()))",
    ),
    (
        "Hmm<Shake, Asynchronous, Cubic>",
        "fits(system, &Hmm::new(Shake::default(), Asynchronous, Cubic::default()))",
    ),
    (
        "Hmm<Rattle, Asynchronous, BoxFilter>",
        "fits(system, &Hmm::new(Rattle::default(), Asynchronous, BoxFilter::default()))",
    ),
    ("Composition<Verlet>", "fits(system, &Composition::of(Verlet, 4))"),
    ("Composition<Rattle>", "fits(system, &Composition::of(Rattle::default(), 4))"),
    ("Composition<Shake>", "fits(system, &Composition::of(Shake::default(), 4))"),
    ("Composition<VariationalMidpoint>", "fits(system, &Composition::of(VariationalMidpoint::default(), 4))"),
    ("Langevin<Verlet>", "fits(system, &Langevin::around(Verlet))"),
    ("Langevin<Rattle>", "fits(system, &Langevin::around(Rattle::default()))"),
    ("Bdf", "fits(system, &Bdf::default())"),
    ("Reference", "fits(system, &Reference::default())"),
    ("Verlet, with a penalty", "penalized(system, &Verlet)"),
    ("ZhangSkeelStiff, with a penalty", "penalized(system, &ZhangSkeelStiff::default())"),
];

/// The lines of a module before its methods, in which `DECLARATION` is the only one that differs.
const HEAD: &str = "\
pub mod NAME {
use least_action::prelude::*;
use least_action::method::*;
use least_action::method::force_stepping::*;
use least_action::method::multiscale::*;
use least_action::method::rotation::PenalizedRotation;
use least_action::method::slow_manifold::Oscillating;
use least_action::advanced::wrap::Penalized;
struct Model { torque: least_action::system::Signal, stiffness: f64, shaking: f64, omega: f64 }
#[lagrangian]
impl Model { DECLARATION }
fn fits<S: ?Sized, M: Method<S>>(_: &S, _: &M) {}
fn rotates<'s, S: Natural, M: Method<PenalizedRotation<'s, S>>>(_: &'s S, _: &M) {}
fn oscillates<'s, S: Natural, M: Method<Oscillating<'s, S>>>(_: &'s S, _: &M) {}
fn penalized<'s, S: Natural + Holonomic, M: Method<Penalized<'s, S>>>(_: &'s S, _: &M) {}
";

/// The program of some kinds, and the line of the first method of each; each method has a line.
pub(crate) fn program(kinds: &[(String, String)]) -> (String, Vec<usize>) {
    let (mut text, mut firsts) = (String::new(), Vec::new());
    for (number, (_, declaration)) in kinds.iter().enumerate() {
        let one_line: String = declaration.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        text += &HEAD.replace("DECLARATION", &one_line).replace("NAME", &format!("kind_{number}"));
        firsts.push(text.lines().count() + 1);
        for (number, (_, fits)) in METHODS.iter().enumerate() {
            let _ = writeln!(text, "pub fn method_{number}(system: &Bound<Model>) {{ {fits} }}");
        }
        text += "}\n";
    }
    text += "fn main() {}\n";
    (text, firsts)
}

/// A paragraph a verdict, with its methods: errors, in short form
/// (`file:line:column: error…: message: label`), give the verdict at the line of each method.
pub(crate) fn verdicts(errors: &str, first: usize, all: &[usize]) -> String {
    let is_of_another_kind =
        |line: usize| all.iter().any(|first| (*first..first + METHODS.len()).contains(&line));
    let mut refusals = vec![None; METHODS.len()];
    let mut text = String::new();
    for line in errors.lines().filter(|line| line.contains(": error")) {
        let number = line.split(':').nth(1).and_then(|number| number.parse::<usize>().ok());
        let place = number.map(|number| number.wrapping_sub(first));
        let refusal = place.and_then(|place| refusals.get_mut(place));
        let message = line.split_once(": error").and_then(|(_, rest)| rest.split_once(": "));
        match (refusal, message) {
            (Some(refusal), Some((_, message))) => {
                let message = message.rsplit_once(": ").map_or(message, |(message, _label)| message);
                refusal.get_or_insert_with(|| without_modules(message));
            }
            // A method of another kind, or a mistake of the program itself.
            _ if number.is_some_and(is_of_another_kind) => {}
            _ => {
                let _ = writeln!(text, "{line}");
            }
        }
    }
    let mut verdicts: Vec<(String, Vec<&str>)> = vec![("fits".to_owned(), Vec::new())];
    for ((name, _), refusal) in METHODS.iter().zip(refusals) {
        let verdict = refusal.unwrap_or_else(|| "fits".to_owned());
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

/// A message with `Model` for the model of any module.
fn without_modules(message: &str) -> String {
    let mut parts = message.split("kind_");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text += part.trim_start_matches(|digit: char| digit.is_ascii_digit()).trim_start_matches("::");
    }
    text
}
