use std::sync::{Mutex, PoisonError, TryLockError};

/// Memory that an evaluation through `&self` can write to, allocated once.
///
/// One thread at a time uses the kept memory, for the price of an uncontended lock (some ten nanoseconds); a thread that
/// finds it in use allocates its own for the time of the evaluation.  So evaluations never wait for one another, and a
/// run on one thread never allocates.
///
/// What an evaluation finds in the memory is whatever the last one left there.
pub struct Scratch<T> {
    kept: Mutex<T>,
    make: Box<dyn Fn() -> T + Send + Sync>,
}

impl<T> Scratch<T> {
    /// Memory made by `make`, now and whenever two evaluations overlap.
    pub fn new(make: impl Fn() -> T + Send + Sync + 'static) -> Self {
        Self { kept: Mutex::new(make()), make: Box::new(make) }
    }

    /// Runs `evaluate` with the memory.
    pub fn with<R>(&self, evaluate: impl FnOnce(&mut T) -> R) -> R {
        let (mut kept, mut own);
        let memory = match self.kept.try_lock() {
            Ok(guard) => {
                kept = guard;
                &mut *kept
            }
            // The content has no meaning between evaluations, so a panic inside one leaves nothing broken.
            Err(TryLockError::Poisoned(poisoned)) => {
                kept = PoisonError::into_inner(poisoned);
                &mut *kept
            }
            Err(TryLockError::WouldBlock) => {
                own = (self.make)();
                &mut own
            }
        };
        evaluate(memory)
    }
}

impl<T> std::fmt::Debug for Scratch<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Scratch").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::Scratch;

    #[test]
    fn the_memory_is_kept_and_an_overlapping_evaluation_has_its_own() {
        let scratch = Scratch::new(|| vec![0; 2]);
        scratch.with(|outer| {
            outer[0] = 1;
            scratch.with(|inner| assert_eq!(inner, &[0, 0]));
        });
        scratch.with(|memory| assert_eq!(memory, &[1, 0]));
    }
}
