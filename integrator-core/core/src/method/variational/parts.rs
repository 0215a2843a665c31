//! The common parts of the stages of a step under constraints, and the state where it starts.

use super::integrand::{Integrand, Node};
use super::saddle::Saddle;
use crate::carried::{Carried, CarryError, Memory, carried};
use crate::error::StartError;
use crate::method::constraint::{Rows, RowsAtState, listed};
use crate::method::force_error::ForceError;
use crate::method::newton::Newton;
use crate::method::report::Evaluations;
use crate::sparse::FactorError;
use crate::system::Lagrangian;

/// The name of the matrix of a state in messages.
pub(super) const MATRIX: &str = "∂²L/∂v∂v with the constraints";

pub(super) struct HeldEquations<'s, S: ?Sized> {
    pub(super) nodes: &'static [Node],
    pub(super) newton: Newton,
    pub(super) integrand: Integrand<'s, S>,
    pub(super) rows: Rows<'s>,
    /// The saddle of the state, for the velocity stage, the multipliers, and the next position stage.
    pub(super) saddle: Saddle,
    /// True if rows depend on each other at the start.
    pub(super) dependent: bool,
    pub(super) counts: Evaluations,
}

impl<S: Lagrangian + ?Sized> HeldEquations<'_, S> {
    pub(super) fn contradictory(&self, rows: &[usize]) -> StartError {
        let equations = listed(rows, |row| self.rows.name(row));
        StartError::Contradictory { system: self.integrand.system.name().to_owned(), equations }
    }
}

/// The quantities of the state from which a step starts.
pub(super) struct Foot {
    /// p = L_v.
    pub(super) momentum: Vec<f64>,
    pub(super) at: RowsAtState,
    /// (a, −λ): the acceleration and the multipliers of the state.
    pub(super) solution: Vec<f64>,
    /// False if the equations of the accelerations have no useful solution.
    pub(super) solved: bool,
    /// λ.
    pub(super) multipliers: Vec<f64>,
    /// False after a failed step, until the foot is found again.
    pub(super) stands: bool,
}

impl Foot {
    /// Takes the momentum; solves for accelerations and multipliers at integrand, rows and saddle.
    pub(super) fn settle<S: Lagrangian + ?Sized>(
        &mut self,
        parts: &mut HeldEquations<'_, S>,
        (q, v, t): (&[f64], &[f64], f64),
    ) {
        let HeldEquations { integrand, rows, saddle, .. } = parts;
        self.momentum.copy_from_slice(integrand.momentum());
        let Self { at, solution, multipliers, .. } = self;
        self.solved = saddle.accelerate(integrand, rows, at, (q, v, t), solution);
        for (multiplier, negative) in multipliers.iter_mut().zip(&solution[q.len()..]) {
            *multiplier = -negative;
        }
        self.stands = true;
    }
}

/// The error of a saddle without factors.
pub(super) fn singular(error: FactorError) -> ForceError {
    ForceError::Singular { matrix: MATRIX, error }
}

carried!([] Foot { momentum, at, solution, solved, multipliers, stands } besides {});

impl<S: Lagrangian + ?Sized> Carried for HeldEquations<'_, S> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let Self { nodes: _, newton: _, dependent: _, integrand, rows, saddle, counts } = self;
        integrand.carry(memory)?;
        saddle.carry(memory)?;
        if memory.puts_back() {
            saddle.factor_again(rows);
        }
        counts.carry(memory)
    }
}
