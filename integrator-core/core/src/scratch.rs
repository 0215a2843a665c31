use std::sync::{Mutex, PoisonError, TryLockError};

/// Memory that an evaluation through `&self` can write to,
/// allocated once for each concurrent evaluation.
///
/// One thread at a time uses the first memory, for the price of an uncontended lock (some ten
/// nanoseconds); a thread that finds it in use takes another one, made on demand and kept. So
/// evaluations never wait for each other, and allocate only when more of them overlap than ever before.
///
/// An evaluation finds the numbers of the last one in the memory.
pub struct Scratch<T> {
    first: Mutex<T>,
    others: Mutex<Vec<T>>,
    make: Box<dyn Fn() -> T + Send + Sync>,
}

impl<T> Scratch<T> {
    /// `make` makes the memory, now and whenever more evaluations overlap.
    pub fn new(make: impl Fn() -> T + Send + Sync + 'static) -> Self {
        Self { first: Mutex::new(make()), others: Mutex::new(Vec::new()), make: Box::new(make) }
    }

    /// Runs `evaluate` with the memory.
    pub fn with<R>(&self, evaluate: impl FnOnce(&mut T) -> R) -> R {
        match self.first.try_lock() {
            Ok(mut first) => evaluate(&mut first),
            // The content has no meaning between evaluations, so a panic breaks nothing.
            Err(TryLockError::Poisoned(poisoned)) => evaluate(&mut poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                let others = || self.others.lock().unwrap_or_else(PoisonError::into_inner);
                let kept = others().pop();
                let mut other = kept.unwrap_or_else(&self.make);
                let result = evaluate(&mut other);
                others().push(other);
                result
            }
        }
    }
}

crate::shown::shown!([T] Scratch<T>, |_own| "Scratch" {});
