//! The signals of a model, and the numbers that kernels read of them.

use super::instant::Instant;
use crate::error::BindError;
use crate::system::{Course, Sampling, Signal, Text};
use std::sync::{Mutex, PoisonError};

/// The use of a signal in a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// An input of forces, which a step averages.
    Input,
    /// A function of time.
    Table,
    /// A function of time whose slope is read, too.
    SteepTable,
}

/// The numbers of a signal for a kernel: the value at the start of the piece, its slope, and its start.
const READINGS: usize = 3;

/// The signals of a model, in the order of the declaration.
#[derive(Debug, Default)]
pub struct Signals {
    named: Vec<(Text, Signal)>,
    is_input: Vec<bool>,
    /// Spare memory for readings.
    spare: Mutex<Vec<Vec<f64>>>,
}

impl Signals {
    /// Appends a signal.
    ///
    /// # Errors
    /// Its slope is needed, and it jumps.
    pub(super) fn push(&mut self, name: Text, signal: &Signal, used: Use) -> Result<(), BindError> {
        if used == Use::SteepTable
            && signal.course() == Course::Constant
            && (signal.is_held() || !signal.times().is_empty())
        {
            return Err(BindError::SlopeOfJumps { table: name.into_owned() });
        }
        self.named.push((name, signal.clone()));
        self.is_input.push(used == Use::Input);
        Ok(())
    }

    pub(super) fn named(&self) -> &[(Text, Signal)] {
        &self.named
    }

    pub(super) fn has_inputs(&self) -> bool {
        self.is_input.contains(&true)
    }

    /// The readings at an instant; with a sampling, inputs are averages.
    #[inline]
    pub fn at(&self, instant: Instant, sampling: Option<Sampling>) -> Now<'_> {
        let readings = if self.named.is_empty() { Vec::new() } else { self.read(instant, sampling) };
        Now { instant, readings, home: self }
    }

    fn read(&self, instant: Instant, sampling: Option<Sampling>) -> Vec<f64> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut readings = spare.unwrap_or_else(|| Vec::with_capacity(READINGS * self.named.len()));
        for ((_, signal), is_input) in self.named.iter().zip(&self.is_input) {
            match sampling {
                Some(sampling) if *is_input => readings.extend([sampling.of(signal), 0.0, 0.0]),
                None if *is_input => readings.extend([signal.value(instant.t), 0.0, 0.0]),
                _ => {
                    let piece = signal.piece_at(instant.t);
                    readings.extend([piece.value, piece.slope, piece.start]);
                }
            }
        }
        readings
    }

    fn keep(&self, mut readings: Vec<f64>) {
        readings.clear();
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(readings);
    }
}

/// The instant of an evaluation, and the readings of the signals.
#[derive(Debug)]
pub struct Now<'a> {
    pub(super) instant: Instant,
    pub(super) readings: Vec<f64>,
    home: &'a Signals,
}

impl Drop for Now<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.readings.capacity() > 0 {
            self.home.keep(std::mem::take(&mut self.readings));
        }
    }
}
