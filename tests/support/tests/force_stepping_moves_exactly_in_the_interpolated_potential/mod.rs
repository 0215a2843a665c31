//! Force-stepping against an oracle of sixty digits, the algorithm of the article, long runs of another
//! implementation, and its own claims.

#![expect(clippy::unwrap_used, reason = "helpers of tests, where a failure is a panic")]

mod claims;
mod declared;
mod forms;
mod oracle;
mod paper;
mod starts;
mod statistics;

use least_action::method::Method as _;
use least_action::method::force_stepping::{ForceStepping, ForceSteppingRun, Triangulation, Vertex, Wall};
use least_action::system::{State, Unforced};

const ALL: [Triangulation; 3] = [Triangulation::Kuhn, Triangulation::Mirrored, Triangulation::UnionJack];

/// The triangulation that the reference calls K1, J1, Mir or MIR.
fn triangulation(name: &str) -> Triangulation {
    match name {
        "K1" => Triangulation::Kuhn,
        "J1" => Triangulation::UnionJack,
        "Mir" | "MIR" => Triangulation::Mirrored,
        _ => panic!("{name}"),
    }
}

/// Force-stepping on the grid of the reference, which has a vertex at the origin.
fn from_origin(step: f64, triangulation: Triangulation) -> ForceStepping {
    ForceStepping { triangulation, vertex: Vertex::Origin, ..ForceStepping::with_grid(step) }
}

fn run<'s, S: Unforced + ?Sized>(
    method: &ForceStepping,
    system: &'s S,
    state: &State,
) -> ForceSteppingRun<'s, S> {
    method.start(system, state.clone(), 1.0).unwrap()
}

/// The coordinates in the equation of a wall.
fn coordinates(wall: Wall) -> Vec<usize> {
    match wall {
        Wall::Coordinate(a) => vec![a as usize],
        Wall::Pair(a, b) => vec![a as usize, b as usize],
    }
}
