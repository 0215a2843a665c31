//! The memory of a run between steps: saved, and restored to the bit.

use nalgebra::SMatrix;

/// The carried memory does not fit the run, or a file beside the run fails.
#[derive(Debug, thiserror::Error)]
pub enum CarryError {
    /// It belongs to another run.
    #[error("the memory is that of a run of another method, with other options, or of another system")]
    Foreign,
    /// A file beside the run cannot be read or written.
    #[error(transparent)]
    Beside(Box<dyn std::error::Error + Send + Sync>),
}

/// Memory that a run needs to continue as if it had not stopped.
pub trait Carried {
    /// Passes all of it, in one order, through `memory`, which saves it or puts it back.
    ///
    /// # Errors
    /// The saved memory belongs to another run; a part of it may have been put back by then.
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError>;
}

/// Carried memory in transit: a row of words of 64 bits.
#[derive(Debug)]
pub struct Memory<'m>(Way<'m>);

#[derive(Debug)]
enum Way<'m> {
    Saves(&'m mut Vec<u64>),
    PutsBack(&'m [u64]),
}

/// Appends the memory of `what` to `words`.
///
/// # Errors
/// A file of the run cannot be written.
pub fn save(what: &mut dyn Carried, words: &mut Vec<u64>) -> Result<(), CarryError> {
    what.carry(&mut Memory(Way::Saves(words)))
}

/// Puts the memory of `what` back, and returns the words after it.
///
/// # Errors
/// The words belong to another run.
pub fn put_back<'w>(what: &mut dyn Carried, words: &'w [u64]) -> Result<&'w [u64], CarryError> {
    let mut memory = Memory(Way::PutsBack(words));
    what.carry(&mut memory)?;
    match memory.0 {
        Way::PutsBack(rest) => Ok(rest),
        Way::Saves(_) => Ok(&[]),
    }
}

impl Memory<'_> {
    /// True if memory is put back; false if it is saved.
    pub fn puts_back(&self) -> bool {
        matches!(self.0, Way::PutsBack(_))
    }

    /// Passes one word.
    ///
    /// # Errors
    /// There are no more words.
    pub fn word(&mut self, word: &mut u64) -> Result<(), CarryError> {
        match &mut self.0 {
            Way::Saves(words) => words.push(*word),
            Way::PutsBack(words) => {
                let (first, rest) = words.split_first().ok_or(CarryError::Foreign)?;
                (*word, *words) = (*first, rest);
            }
        }
        Ok(())
    }

    /// Passes a number that must equal the saved one.
    ///
    /// # Errors
    /// It differs.
    pub fn agrees(&mut self, word: u64) -> Result<(), CarryError> {
        let mut own = word;
        self.word(&mut own)?;
        if own == word { Ok(()) } else { Err(CarryError::Foreign) }
    }

    /// Passes the length of a list, and returns the saved one.
    ///
    /// # Errors
    /// It exceeds the number of remaining words.
    pub fn length(&mut self, length: usize) -> Result<usize, CarryError> {
        let mut own = length as u64;
        self.word(&mut own)?;
        let own = usize::try_from(own).map_err(|_| CarryError::Foreign)?;
        match &self.0 {
            Way::PutsBack(words) if own > words.len() => Err(CarryError::Foreign),
            _ => Ok(own),
        }
    }
}

/// Carries values by their bits in one word.
macro_rules! by_word {
    ($($type:ty: $to:expr, $from:expr;)*) => {$(
        impl Carried for $type {
            fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
                let mut word: u64 = $to(*self);
                memory.word(&mut word)?;
                *self = $from(word).ok_or(CarryError::Foreign)?;
                Ok(())
            }
        }
    )*};
}

by_word! {
    u64: |own| own, Some;
    u32: u64::from, |word| u32::try_from(word).ok();
    usize: |own| own as u64, |word| usize::try_from(word).ok();
    i64: |own: i64| own.cast_unsigned(), |word: u64| Some(word.cast_signed());
    f64: f64::to_bits, |word| Some(f64::from_bits(word));
    bool: u64::from, |word| match word { 0 => Some(false), 1 => Some(true), _ => None };
}

/// The system and the options fix the length.
impl<T: Carried> Carried for Vec<T> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        memory.agrees(self.len() as u64)?;
        self.iter_mut().try_for_each(|entry| entry.carry(memory))
    }
}

impl<T: Carried, const N: usize> Carried for [T; N] {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.iter_mut().try_for_each(|entry| entry.carry(memory))
    }
}

impl<const R: usize, const C: usize> Carried for SMatrix<f64, R, C> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.iter_mut().try_for_each(|entry| entry.carry(memory))
    }
}

impl<A: Carried, B: Carried> Carried for (A, B) {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.0.carry(memory)?;
        self.1.carry(memory)
    }
}

impl<A: Carried, B: Carried, C: Carried> Carried for (A, B, C) {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.0.carry(memory)?;
        self.1.carry(memory)?;
        self.2.carry(memory)
    }
}

impl<T: Carried + ?Sized> Carried for Box<T> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        (**self).carry(memory)
    }
}

/// The part may come and go during a run.
impl<T: Carried + Default> Carried for Option<T> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let mut is_there = self.is_some();
        is_there.carry(memory)?;
        if !is_there {
            *self = None;
            return Ok(());
        }
        self.get_or_insert_default().carry(memory)
    }
}

/// Passes a part that the system and the options decide on.
///
/// # Errors
/// It was saved and is missing, or the other way round; or the errors of the part.
pub fn part<T: Carried + ?Sized>(part: Option<&mut T>, memory: &mut Memory<'_>) -> Result<(), CarryError> {
    memory.agrees(u64::from(part.is_some()))?;
    part.map_or(Ok(()), |part| part.carry(memory))
}

/// Passes a list of any length.
///
/// # Errors
/// It is longer than the saved memory; or the errors of an entry.
pub fn list<T: Carried + Default>(entries: &mut Vec<T>, memory: &mut Memory<'_>) -> Result<(), CarryError> {
    let length = memory.length(entries.len())?;
    entries.resize_with(length, T::default);
    entries.iter_mut().try_for_each(|entry| entry.carry(memory))
}

/// Implements [`Carried`](crate::carried::Carried) field by field. It names every field: the carried
/// ones, and the others, which follow from the system, the options and the start, or are written in
/// every step before they are read.
///
/// `carried!([T: Trait] Type<T> { carried, also } besides { others });`
#[macro_export]
macro_rules! carried {
    ([$($generics:tt)*] $type:ty { $($field:ident),* $(,)? } besides { $($other:tt),* $(,)? }) => {
        impl<$($generics)*> $crate::advanced::carried::Carried for $type {
            fn carry(
                &mut self,
                memory: &mut $crate::advanced::carried::Memory<'_>,
            ) -> Result<(), $crate::advanced::carried::CarryError> {
                let Self { $($field,)* $($other: _,)* } = self;
                $($crate::advanced::carried::Carried::carry($field, memory)?;)*
                let _ = memory;
                Ok(())
            }
        }
    };
}

pub use carried;

carried!([] crate::system::State { t, q, v } besides {});
