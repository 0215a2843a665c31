//! Members of an ensemble side by side and one by one, beside C at -O3 with lanes of its own: double
//! pendulums by RATTLE, and Kepler's problem by velocity Verlet.
//!
//! Time of a step of a member in ns, the least of rounds in turns, on one thread; the bits of
//! all final states are compared. `cargo bench -p least-action-tests --bench members`

#![expect(clippy::expect_used, reason = "a benchmark of runs that are known to be stable")]

use least_action::lanes::Width;
use least_action::method::{Abreast, Method, Rattle, Stepper, Verlet};
use least_action::prelude::*;
use least_action::system::{Constrained, Natural};
use least_action_models::DoublePendulum;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const STEPS: usize = 1000;
const GROUPS: usize = 20;
const ROUNDS: usize = 15;
const H: f64 = 0.01;

struct Kepler {
    mass: f64,
}

#[lagrangian]
impl Kepler {
    fn lagrangian(&self, r: Vec2) -> Scalar {
        0.5 * der(r).norm_squared() + self.mass / r.norm()
    }
}

type Run<'m> = Box<dyn Stepper + 'm>;

fn main() {
    println!("ns {:>13} {:>11} {:>12} {:>10}", "", "one by one", "side by side", "C");
    let count = Width::widest().lanes();
    let masses = || (0..count).map(|k| 1.0 + 0.01 * k as f64);
    let pendulums: Vec<_> = masses()
        .map(|mass| {
            DoublePendulum { masses: [mass, 1.0], ..DoublePendulum::default() }.bind().expect("a model")
        })
        .collect();
    compare("pendulum", &|| pendulums.iter().map(swing).collect());
    let planets: Vec<_> = masses().map(|mass| Kepler { mass }.bind().expect("a model")).collect();
    compare("kepler", &|| planets.iter().map(orbit).collect());
}

fn swing(system: &Bound<DoublePendulum>) -> Run<'_> {
    let system: &dyn Constrained = system.faces().constrained.expect("constraints");
    let start = State::at_rest(vec![0.0, -1.0, 1.0, -2.0]);
    Box::new(Rattle::default().start(system, start, H).expect("a start"))
}

fn orbit(system: &Bound<Kepler>) -> Run<'_> {
    let system: &dyn Natural = system.faces().natural.expect("a natural system");
    Box::new(Verlet.start(system, State::new(vec![0.6, 0.0], vec![0.0, 1.5]), H).expect("a start"))
}

fn compare<'m>(name: &str, begin: &dyn Fn() -> Vec<Run<'m>>) {
    let by_hand = compiled();
    let mut least = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        let (mut each, mut runs) = (begin(), begin());
        let mut abreast = Abreast::of(Width::widest(), &mut runs).expect("registers");
        let members = GROUPS * each.len();
        let per_step = |clock: Instant| 1e9 * clock.elapsed().as_secs_f64() / (STEPS * members) as f64;
        let clock = Instant::now();
        each.iter_mut().for_each(|run| (0..STEPS * GROUPS).for_each(|_| run.step().expect("a step")));
        least[0] = least[0].min(per_step(clock));
        let clock = Instant::now();
        (0..STEPS * GROUPS).for_each(|_| abreast.step(&mut runs));
        least[1] = least[1].min(per_step(clock));
        for (lane, (run, alone)) in runs.iter_mut().zip(&each).enumerate() {
            abreast.bring(lane, &mut **run);
            assert_eq!(run.state(), alone.state(), "member {lane} has other bits alone");
        }
        least[2] = least[2].min(by_hand.as_deref().map_or(f64::NAN, |program| counted(program, name)));
    }
    let [alone, together, hand] = least;
    println!(
        "{name:>16} {alone:>11.2} {together:>12.2} {hand:>10.2}   {:.2} times one by one, {:.2} times the time of C",
        alone / together,
        together / hand
    );
}

/// The program in C, if there is a compiler.
fn compiled() -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/members/by_hand.c");
    let program = std::env::temp_dir().join("least-action-members-by-hand");
    let mut compiler = Command::new("cc");
    compiler.args(["-O3", "-march=native", "-o"]).arg(&program).arg(source).arg("-lm");
    compiler.status().ok()?.success().then_some(program)
}

/// The time of a step that the program in C tells.
fn counted(program: &Path, name: &str) -> f64 {
    let words = [name.to_owned(), H.to_string(), STEPS.to_string(), GROUPS.to_string()];
    let output = Command::new(program).args(words).output().expect("a program");
    let text = String::from_utf8(output.stdout).expect("numbers");
    text.split(' ').next().and_then(|time| time.parse().ok()).expect("a time")
}
