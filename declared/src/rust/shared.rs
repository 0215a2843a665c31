//! Shared values, counted, whose drops do not recurse.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

/// Drops that nest deeper wait until those around them have ended.
const DEEP: u32 = 50;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The values that are held on this thread.
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static LATER: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// The number of values that lists, tuples, structs and iterators hold on this thread.
pub(crate) fn live() -> usize {
    LIVE.get()
}

/// A value that can be shared.
pub trait Held: Default + 'static {
    /// The number of values in it.
    fn weight(&self) -> usize;
}

/// A counted reference; a change copies what others hold, too.
#[derive(Debug)]
pub struct Shared<T: Held>(Rc<T>);

impl<T: Held> Shared<T> {
    pub(crate) fn new(value: T) -> Self {
        LIVE.set(LIVE.get().wrapping_add(value.weight()));
        Self(Rc::new(value))
    }

    /// Changes the value.
    pub(crate) fn edit<R>(&mut self, change: impl FnOnce(&mut T) -> R) -> R
    where
        T: Clone,
    {
        let before = if Rc::strong_count(&self.0) == 1 { self.0.weight() } else { 0 };
        let own = Rc::make_mut(&mut self.0);
        let result = change(own);
        LIVE.set(LIVE.get().wrapping_add(own.weight()).wrapping_sub(before));
        result
    }

    /// The number of its holders.
    pub(crate) fn count(&self) -> usize {
        Rc::strong_count(&self.0)
    }
}

impl<T: Held> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T: Held> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Held> Drop for Shared<T> {
    fn drop(&mut self) {
        let Some(own) = Rc::get_mut(&mut self.0) else { return };
        LIVE.set(LIVE.get().wrapping_sub(own.weight()));
        let own = std::mem::take(own);
        let depth = DEPTH.get();
        if depth >= DEEP {
            // At the end of a thread there may be no list of later drops.
            let _ = LATER.try_with(|later| later.borrow_mut().push(Box::new(own)));
            return;
        }
        DEPTH.set(depth + 1);
        drop(own);
        if depth == 0 {
            while let Ok(Some(next)) = LATER.try_with(|later| later.borrow_mut().pop()) {
                drop(next);
            }
        }
        DEPTH.set(depth);
    }
}
