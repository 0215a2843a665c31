//! Force-stepping: exact free fall from face to face of a simplicial grid.
//!
//! # Scheme
//! The continuous interpolant V_h, linear in each simplex of a grid with the steps h_a, replaces the
//! potential V. In a simplex the force is constant and the motion a parabola; at a face position and
//! velocity continue, and the force changes along the normal. The method goes from one crossing to the
//! next:
//!
//! ```text
//! q(t) = q_k + τ v_k − ½ τ² M⁻¹ g_k,   v(t) = v_k − τ M⁻¹ g_k,
//! g_k = ∇V_h in the simplex,   τ = t − t_k,
//! t_{k+1} = the first time at which a barycentric coordinate of the simplex becomes negative.
//! ```
//!
//! It solves no equation and takes no derivative: a crossing costs one value of each element of V
//! concerned. The times of the crossings are results; the step of a run is the distance of its outputs
//! and changes nothing. A step with 10⁸ crossings is an error, and [`Method::instability`] warns before
//! the run if it expects as many.
//!
//! In grid steps, z_a = q_a/h_a, each coordinate has a cell and a phase in it; the order of the phases
//! is the simplex. A face is where two phases meet, or where one reaches the end of its cell. The
//! article updates a matrix of barycentric coordinates, O(d²) a crossing. Two forms here give an equal
//! motion, and the method chooses the faster one:
//!
//! - *the kinetic ring*: the phases in order on a circle, where neighbours meet: O(log d) a crossing;
//! - *the coupled walls*: V_h is a sum of elements, each interpolated in its own coordinates. It has no
//!   kink where the phases of two coordinates without a common element meet, nor at the ends of cells if
//!   the elements depend on differences alone: these faces are not watched. Per unit of time a chain
//!   costs O(d log d/h) instead of the O(d⁴/h) of the article.
//!
//! # Requirements on the model
//! [`Natural`] with a diagonal mass and a potential that does not depend on time.
//!
//! # Order and invariants
//! The exact motion of ½ v·M v − V_h: conserves its energy to round-off, symplectic and reversible. It
//! converges to the motion in V with the first power of h in positions, velocities and accelerations,
//! for almost all initial states. The grid breaks the symmetries of V, so that momenta are conserved
//! only nearly. One exception: with equal steps Kuhn's grid is invariant under translations by
//! (1, …, 1), so the sum of all linear momenta is conserved if V is invariant.
//!
//! # Parameters
//! `grid`: the steps h_a; no default. `triangulation`: default [`Triangulation::Kuhn`]. `vertex`:
//! default [`Vertex::Start`], which removes the leading error, the error of the energy: V_h(q₀) = V(q₀).
//!
//! # Ties
//! The start may be on faces, and with a vertex there it is on all of them; coordinates are then ordered
//! by their velocities, and simultaneous meetings are processed one by one, as crossings of length zero.
//!
//! A start at rest on a vertex may have no simplex to move into: each pushes it into the next one, and
//! the motion of V_h slides along the faces between them. So it does where the force changes by more
//! than itself over a grid step, h |V''| > |V'|: at a minimum of V, but also in a narrow valley, such as
//! the penalty ½ ω² g² of a constraint, where |V''| = ω² |∇g|². The slide is detected and is an error.
//! Remedies: [`Vertex::Random`], from which V_h pushes across the floor of the valley, or a grid that
//! resolves it, h < |V'|/|V''|; a coarser one holds the motion by its noise wherever its vertices are.
//!
//! # Reference
//! M. Gonzalez, B. Schmidt, M. Ortiz, Force-stepping integrators in Lagrangian mechanics, Int. J. Numer.
//! Meth. Engng 84 (2010) 1407, doi:10.1002/nme.2958.

mod cells;
mod coordinate;
mod couplings;
pub(crate) mod exit;
mod flight;
mod grid;
mod interpolant;
mod meeting;
mod potential;
pub mod relative;
mod ring;
mod run;
mod slopes;
pub(crate) mod soonest;
mod walls;

use crate::method::flow::Substep;
use crate::method::force_error::{CONSTANT_MASS, ForceError, no_factors};
#[doc(hidden)]
pub use flight::Crossing;
use grid::Grid;
pub use grid::Triangulation;
#[doc(hidden)]
pub use interpolant::Interpolant;
pub use relative::RelativeForceStepping;
#[doc(hidden)]
pub use run::ForceSteppingRun;
#[doc(hidden)]
pub use walls::Wall;

use super::check::{
    check_angles, check_start, check_state, check_unconstrained, check_uncut, check_unforced, depends_on_time,
};
use super::contract::{Claims, Method, claims};
use super::instability::Instability;
use super::mass_solver::MassSolver;
use super::stability;
use crate::error::{Begun, StartError, StepError};
use crate::system::{Natural, State, Unforced};
use couplings::Couplings;
use flight::Flight;
use potential::Potential;

/// Force-stepping; see the [scheme](self).
#[derive(Debug, Clone, PartialEq)]
pub struct ForceStepping {
    /// The steps of the grid.
    pub grid: Steps,
    /// The triangulation of its cells.
    pub triangulation: Triangulation,
    /// The position of one of its vertices.
    pub vertex: Vertex,
    /// The watched faces; with `None` the method chooses.
    #[doc(hidden)]
    pub walls: Option<Walls>,
}

/// The steps of a grid.
#[derive(Debug, Clone, PartialEq)]
pub enum Steps {
    /// One step for all coordinates.
    Equal(f64),
    /// One step for each degree of freedom.
    Each(Vec<f64>),
}

/// The position of a vertex of the grid; mirrored grids are mirrored through it.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Vertex {
    /// At the start of the motion; not for a start at rest at a minimum or in a narrow valley of V,
    /// where the motion [slides](self#ties).
    #[default]
    Start,
    /// At q = 0, so that V_h has the parities of V.
    Origin,
    /// At a random place in the cell below the origin, a function of the seed.
    Random(u64),
    /// At this point.
    At(Vec<f64>),
}

/// The watched faces of the grid; the motion does not depend on the choice, which tests make.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walls {
    /// The faces where the force can change, because coordinates share an element of the potential.
    Coupled,
    /// All faces, by the kinetic ring.
    All,
}

impl ForceStepping {
    /// Force-stepping with one step in all coordinates, Kuhn's triangulation, and a vertex at the start.
    pub fn with_grid(step: f64) -> Self {
        let (triangulation, vertex) = (Triangulation::default(), Vertex::default());
        Self { grid: Steps::Equal(step), triangulation, vertex, walls: None }
    }

    /// The interpolant V_h for a motion that starts at `q`; V should not depend on `time`.
    ///
    /// # Errors
    /// A step that is not positive and finite, a vertex that is not finite, a wrong number of either.
    #[doc(hidden)]
    pub fn interpolant<'s, S: Natural + ?Sized>(
        &self,
        system: &'s S,
        q: &[f64],
        time: f64,
    ) -> Begun<Interpolant<'s, S>> {
        Ok(Interpolant::of(Potential::of(system, time), self.grid_for(system, q)?))
    }

    /// The grid of a motion that starts at `q`.
    fn grid_for<S: Natural + ?Sized>(&self, system: &S, q: &[f64]) -> Begun<Grid> {
        let dimension = system.dimension();
        let steps = match &self.grid {
            Steps::Equal(step) => vec![*step; dimension],
            Steps::Each(steps) => steps.clone(),
        };
        let vertex = match &self.vertex {
            Vertex::Start => q.to_vec(),
            Vertex::Origin => vec![0.0; dimension],
            Vertex::Random(seed) => random_vertex(*seed, &steps),
            Vertex::At(vertex) => vertex.clone(),
        };
        Grid::new(system, self.triangulation, steps, vertex)
    }
}

/// A uniformly distributed point in the cell below the origin, a function of the seed.
fn random_vertex(seed: u64, steps: &[f64]) -> Vec<f64> {
    use chacha20::ChaCha8Rng;
    use chacha20::rand_core::SeedableRng;
    use rand_distr::{Distribution, StandardUniform};
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    steps
        .iter()
        .map(|h| -h * <StandardUniform as Distribution<f64>>::sample(&StandardUniform, &mut random))
        .collect()
}

claims! {
    /// The order is in the step of the grid.
    impl Claims for ForceStepping: "force-stepping" of order 1;
    SYMPLECTIC yes, REVERSIBLE yes, MOMENTUM no;
    derivatives by None("the lengths of its steps depend on the state");
    beside the state |own| (own.vertex == Vertex::Start)
        .then_some("the grid, which has a vertex at the start (`vertex` places it elsewhere)")
}

/// The most coordinates of a potential without elements, which couples every pair.
const MOST_DENSE: usize = 2048;

impl<S: Unforced + ?Sized> Method<S> for ForceStepping {
    #[expect(refining_impl_trait, reason = "its run can be followed from crossing to crossing")]
    fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Begun<ForceSteppingRun<'s, S>> {
        check_unconstrained(system, Self::NAME)?;
        check_unforced(system, Self::NAME)?;
        check_angles(system, Self::NAME)?;
        check_uncut(system, Self::NAME)?;
        check_start(system, &state, step)?;
        let (method, name) = (Self::NAME, || system.name().to_owned());
        if depends_on_time(system, &state) {
            return Err(StartError::PotentialOfTime { method, system: name() });
        }
        let dimension = system.dimension();
        if system.elements().is_none() && dimension > MOST_DENSE {
            return Err(StartError::TooDense { method, system: name(), dimension, most: MOST_DENSE });
        }
        let masses = diagonal_mass(system)?;
        let grid = self.grid_for(system, &state.q)?;
        let potential = Potential::of(system, state.t);
        let flight = Flight::new(system, potential, grid, &masses, self.walls, &state)?;
        Ok(ForceSteppingRun::new(flight, state, step))
    }

    fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
        check_state(system, state).ok()?;
        let grid = self.grid_for(system, &state.q).ok()?;
        let couplings = Couplings::of(&Potential::of(system, state.t), &grid);
        let mut walls: Vec<f64> =
            (0..state.q.len()).map(|a| f64::from(u8::from(!couplings.reacting.of(a).is_empty()))).collect();
        for pair in &couplings.pairs {
            pair.iter().for_each(|&a| walls[a as usize] += 1.0);
        }
        let part = |(index, speed): (usize, &f64)| walls[index] * speed / grid.steps[index];
        crossings_beyond_limit(Self::NAME, system, state, step, part)
    }
}

/// The most crossings in an output step.
const MOST_CROSSINGS: u64 = 100_000_000;
const CROSSINGS: &str = "faces of the grid";
const COARSER: &str = "a coarser grid";

/// A warning about too many crossings in a step; `rate` gives their number per unit of time for a
/// coordinate at a speed. Speeds grow from the start by the forces there.
fn crossings_beyond_limit<S: Natural + ?Sized>(
    method: &'static str,
    system: &S,
    state: &State,
    step: f64,
    rate: impl Fn((usize, &f64)) -> f64,
) -> Option<Instability> {
    let begins = stability::while_it_begins(system, state, step)?;
    let mut speeds = vec![0.0; state.q.len()];
    system.potential_gradient(&state.q, state.t, &mut speeds);
    MassSolver::new(system, system.mass()).ok()?.apply(&mut speeds).ok()?;
    for (speed, v) in speeds.iter_mut().zip(&state.v) {
        *speed = v.abs() + 0.5 * begins * speed.abs();
    }
    let expected = step * speeds.iter().enumerate().map(rate).sum::<f64>();
    stability::events(method, step, expected, (CROSSINGS, MOST_CROSSINGS, COARSER))
}

/// The error of a step from `time`, with the most crossings in a `part` of it.
#[cold]
fn too_many(method: &'static str, substep: &Substep, time: f64, part: f64) -> StepError {
    let (events, limit) = (CROSSINGS, MOST_CROSSINGS);
    ForceError::TooManyEvents { events, met: limit, limit, part }.at(
        method,
        String::new(),
        substep,
        time,
        COARSER,
    )
}

fn diagonal_mass<S: Natural + ?Sized>(system: &S) -> Begun<Vec<f64>> {
    let mass = system.mass();
    let mut diagonal = vec![0.0; system.dimension()];
    for ((row, column), &value) in mass.pattern.entries().zip(&mass.values) {
        if row == column {
            diagonal[row] = value;
        } else if value != 0.0 {
            let [row, column] = [row, column].map(|index| system.layout().name_of(index));
            let system = system.name().to_owned();
            return Err(StartError::MassNotDiagonal { method: ForceStepping::NAME, system, row, column });
        }
    }
    match diagonal.iter().position(|mass| !(*mass > 0.0 && mass.is_finite())) {
        None => Ok(diagonal),
        Some(index) => Err(no_factors(system, CONSTANT_MASS, (diagonal[index], index))),
    }
}
