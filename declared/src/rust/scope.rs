//! Variables of functions and closures → slots.

use super::error::{Error, Result};

/// The slots of a function and of the closures in it that are being resolved.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    frames: Vec<Frame>,
}

/// A function or a closure.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// Names in scope with their slots; later ones hide earlier ones.
    locals: Vec<(String, u32)>,
    captured: Vec<(String, u32)>,
    /// For each slot whether it is a variable that others may hold, too: it is `mut`.
    pub(crate) variables: Vec<bool>,
    pub(crate) captures: Vec<(u32, u32)>,
    loops: Vec<(Option<String>, u32)>,
    labels: u32,
    pub(crate) size: u32,
    depth: u32,
    pub(crate) deepest: u32,
    pub(crate) start: u32,
}

/// The deepest nesting of an expression.
const DEEPEST: u32 = 200;

impl Scope {
    pub(crate) fn enter(&mut self) {
        let depth = self.frames.last().map_or(0, |frame| frame.depth);
        self.frames.push(Frame { depth, start: depth, deepest: depth, ..Frame::default() });
    }

    pub(crate) fn leave(&mut self) -> Frame {
        let frame = self.frames.pop().unwrap_or_default();
        if let Some(outer) = self.frames.last_mut() {
            outer.size += 1;
        }
        frame
    }

    /// The innermost function; outside of all, a new one.
    fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.enter();
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Counts an expression, and goes a level down.
    pub(crate) fn down(&mut self) -> Result {
        let frame = self.frame();
        frame.size += 1;
        frame.depth += 1;
        frame.deepest = frame.deepest.max(frame.depth);
        if frame.depth > DEEPEST {
            return Err(Error::new("this nests too deep").with_help("name parts of it by `let`"));
        }
        Ok(())
    }

    pub(crate) fn up(&mut self) {
        self.frame().depth -= 1;
    }

    /// The number of expressions so far.
    pub(crate) fn size(&mut self) -> u32 {
        self.frame().size
    }

    /// The number of names in scope, for [`end`](Self::end).
    pub(crate) fn begin(&mut self) -> usize {
        self.frame().locals.len()
    }

    /// Ends the scope of the names since `begin`.
    pub(crate) fn end(&mut self, begin: usize) {
        self.frame().locals.truncate(begin);
    }

    /// A new variable.
    pub(crate) fn bind(&mut self, name: &str, is_mutable: bool) -> u32 {
        let frame = self.frame();
        let slot = frame.variables.len() as u32;
        frame.locals.push((name.to_owned(), slot));
        frame.variables.push(is_mutable);
        slot
    }

    /// The slot of a name that was bound since `begin`.
    pub(crate) fn bound_since(&mut self, name: &str, begin: usize) -> Option<u32> {
        let mut own = self.frame().locals.get(begin..)?.iter();
        own.find(|(known, _)| known == name).map(|(_, slot)| *slot)
    }

    /// The slot of a variable, which is captured if it belongs to a function around.
    pub(crate) fn find(&mut self, name: &str) -> Option<u32> {
        let in_frame = |frame: &Frame| {
            let known = frame.locals.iter().rev().chain(&frame.captured).find(|(known, _)| known == name);
            known.map(|(_, slot)| *slot)
        };
        let (owner, mut slot) =
            self.frames.iter().enumerate().rev().find_map(|(k, frame)| Some((k, in_frame(frame)?)))?;
        for frame in &mut self.frames[owner + 1..] {
            let inner = frame.variables.len() as u32;
            frame.captures.push((slot, inner));
            frame.captured.push((name.to_owned(), inner));
            // The variable itself is handed in.
            frame.variables.push(false);
            slot = inner;
        }
        Some(slot)
    }

    /// Begins a loop.
    pub(crate) fn begin_loop(&mut self, label: Option<String>) -> u32 {
        let frame = self.frame();
        frame.labels += 1;
        frame.loops.push((label, frame.labels));
        frame.labels
    }

    pub(crate) fn end_loop(&mut self) {
        self.frame().loops.pop();
    }

    /// The number of the loop that `break` or `continue` means.
    pub(crate) fn in_loop(&mut self, label: Option<&str>) -> Option<u32> {
        let mut loops = self.frame().loops.iter().rev();
        let wanted = |known: &Option<String>| label.is_none() || known.as_deref() == label;
        loops.find(|(known, _)| wanted(known)).map(|(_, number)| *number)
    }

    /// The names in scope.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.frames.iter().flat_map(|frame| frame.locals.iter().map(|(name, _)| name.as_str()))
    }
}
