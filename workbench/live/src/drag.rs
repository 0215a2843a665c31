//! States near others: where a point is dragged, and a billionth beside.

use least_action_core::method::{project, project_positions};
use least_action_core::system::State;
use least_action_pages::view::Scene;
use nalgebra::{DMatrix, DVector};

use crate::opened::Opened;

/// More coordinates than this take too long for a pointer.
const MOST: usize = 600;
/// The constraints of a place on the way are kept to this part of their natural size.
const CLOSE: f64 = 1e-9;

/// The state in which a point is as near to a place as constraints let it, with the velocities that they
/// leave of the state before.
///
/// # Errors
/// The system is too large, or its constraints cannot be projected onto.
pub(crate) fn dragged(
    (opened, scene): (&Opened, &Scene<'_>),
    before: &State,
    point: usize,
    to: [f64; 3],
) -> Result<State, String> {
    /// Gauss-Newton steps of a call, and halvings of each.
    const STEPS: usize = 8;
    const HALVINGS: usize = 6;
    let (faces, dimension) = (opened.bound.faces(), scene.drawn.dimension);
    if before.q.len() > MOST {
        return Err(format!("points of more than {MOST} coordinates are not dragged"));
    }
    if faces.holonomic.is_some() && faces.constrained.is_none() {
        return Err("the constraints of a mass that varies are not projected onto here".to_owned());
    }
    let mut places = Vec::new();
    let mut gap = |q: &[f64]| -> DVector<f64> {
        scene.place(q, before.t, &mut places);
        let own = places.get(dimension * point..dimension * (point + 1)).unwrap_or_default();
        DVector::from_iterator(own.len(), to.iter().zip(own).map(|(to, at)| to - at))
    };
    let mut state = before.clone();
    let mut now = gap(&state.q);
    for _ in 0..STEPS {
        let jacobian = slopes(&state.q, &now, &mut gap);
        let square = &jacobian * jacobian.transpose();
        let damping = 1e-6 * square.trace() + f64::MIN_POSITIVE;
        let lifted = square + DMatrix::identity(now.len(), now.len()) * damping;
        let Some(pull) = lifted.cholesky().map(|factor| factor.solve(&now)) else { break };
        let change = jacobian.transpose() * pull;
        let tried = (0..HALVINGS).find_map(|halving| {
            let part = 0.5_f64.powi(halving as i32);
            let mut q: Vec<f64> = state.q.iter().zip(&change).map(|(q, change)| q + part * change).collect();
            let held = faces.constrained.map(|system| project_positions(system, &mut q, before.t, CLOSE));
            let next = gap(&q);
            (!matches!(held, Some(Err(_))) && next.norm() < now.norm()).then_some((q, next))
        });
        let Some((q, next)) = tried else { break };
        let is_done = next.norm() > 0.999 * now.norm();
        (state.q, now) = (q, next);
        if is_done {
            break;
        }
    }
    settled(opened, state)
}

/// How the gap changes with each coordinate, with the other sign.
fn slopes(q: &[f64], now: &DVector<f64>, gap: &mut dyn FnMut(&[f64]) -> DVector<f64>) -> DMatrix<f64> {
    let mut moved = q.to_vec();
    let mut jacobian = DMatrix::zeros(now.len(), q.len());
    for (k, own) in q.iter().enumerate() {
        let part = 1e-7 * own.abs().max(1.0);
        moved[k] = own + part;
        jacobian.set_column(k, &((now - gap(&moved)) / part));
        moved[k] = *own;
    }
    jacobian
}

/// A state so far from another.
///
/// # Errors
/// Its constraints cannot be projected onto.
pub(crate) fn displaced(opened: &Opened, from: &State, distance: f64) -> Result<State, String> {
    let faces = opened.bound.faces();
    // A direction that favours no coordinate.
    let direction = |k: usize| (1.0 + k as f64).sin();
    let away = |size: f64, along: &[f64]| -> Vec<f64> {
        from.q.iter().zip(along).map(|(q, along)| q + size * along).collect()
    };
    let norm = |all: &[f64]| all.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut along: Vec<f64> = (0..from.q.len()).map(direction).collect();
    if let Some(system) = faces.constrained {
        // The part along the constraints.
        let size = 1e-3 * norm(&from.q).max(f64::MIN_POSITIVE) / norm(&along);
        let mut q = away(size, &along);
        project_positions(system, &mut q, from.t, CLOSE).map_err(|error| error.to_string())?;
        along = q.iter().zip(&from.q).map(|(moved, q)| moved - q).collect();
    } else if faces.holonomic.is_some() {
        return Err("the constraints of a mass that varies are not projected onto here".to_owned());
    }
    settled(opened, State { q: away(distance / norm(&along), &along), ..from.clone() })
}

/// The state on the constraints.
///
/// # Errors
/// They cannot be projected onto.
pub(crate) fn settled(opened: &Opened, mut state: State) -> Result<State, String> {
    if let Some(system) = opened.bound.faces().constrained {
        project(system, &mut state).map_err(|error| error.to_string())?;
    }
    Ok(state)
}
