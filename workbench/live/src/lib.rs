//! Models that run in a page: text goes in, states come out.
//!
//! The module exports functions of whole numbers alone. A page writes a request, a text of JSON, into
//! the [`room`] that it asks for, lets the module [`ask`], and reads the answer: JSON, and the numbers
//! of the last measurement beside it.

mod desk;
mod drag;
mod engine;
mod measure;
mod opened;

pub use desk::Desk;

use std::cell::RefCell;

use wasm_bindgen::prelude::wasm_bindgen;

thread_local! {
    /// The page has one.
    static DESK: RefCell<Desk> = RefCell::default();
}

/// Makes room for a request of so many bytes, and returns its address.
#[wasm_bindgen]
pub fn room(bytes: u32) -> u32 {
    DESK.with_borrow_mut(|desk| {
        desk.request.clear();
        desk.request.resize(bytes as usize, 0);
        desk.request.as_ptr() as usize as u32
    })
}

/// Carries the request out.
#[wasm_bindgen]
pub fn ask() {
    DESK.with_borrow_mut(Desk::ask);
}

/// The address of the answer.
#[wasm_bindgen]
pub fn answer() -> u32 {
    DESK.with_borrow(|desk| desk.answer.as_ptr() as usize as u32)
}

/// The length of the answer in bytes.
#[wasm_bindgen]
pub fn answered() -> u32 {
    DESK.with_borrow(|desk| desk.answer.len() as u32)
}

/// Takes so many steps; returns those that were taken, fewer where one fails: the answer is the reason.
#[wasm_bindgen]
pub fn advance(steps: u32) -> u32 {
    DESK.with_borrow_mut(|desk| desk.advance(steps))
}

/// Measures the state, and returns the address of the numbers.
#[wasm_bindgen]
pub fn measure() -> u32 {
    DESK.with_borrow_mut(|desk| {
        desk.measure();
        desk.numbers.as_ptr() as usize as u32
    })
}

/// How many numbers were measured.
#[wasm_bindgen]
pub fn measured() -> u32 {
    DESK.with_borrow(|desk| desk.numbers.len() as u32)
}
