//! Variables of functions and closures → slots.

use super::error::Error;

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
    mutable: Vec<bool>,
    pub(crate) shared: Vec<bool>,
    pub(crate) captures: Vec<(u32, u32)>,
    loops: Vec<(Option<String>, u32)>,
    labels: u32,
    pub(crate) size: u32,
    pub(crate) depth: u32,
    deepest: u32,
    pub(crate) start: u32,
}

impl Frame {
    /// The deepest nesting of its expressions.
    pub(crate) fn deepest(&self) -> u32 {
        self.deepest
    }
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

    fn frame(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    /// Counts an expression, and goes a level down.
    pub(crate) fn down(&mut self) -> Result<(), Error> {
        let Some(frame) = self.frame() else { return Ok(()) };
        frame.size += 1;
        frame.depth += 1;
        frame.deepest = frame.deepest.max(frame.depth);
        if frame.depth > DEEPEST {
            return Err(Error::new("this nests too deep").with_help("name parts of it by `let`"));
        }
        Ok(())
    }

    pub(crate) fn up(&mut self) {
        if let Some(frame) = self.frame() {
            frame.depth -= 1;
        }
    }

    /// The number of expressions so far.
    pub(crate) fn size(&self) -> u32 {
        self.frames.last().map_or(0, |frame| frame.size)
    }

    /// The number of names in scope, for [`end`](Self::end).
    pub(crate) fn begin(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.locals.len())
    }

    /// Ends the scope of the names since `begin`.
    pub(crate) fn end(&mut self, begin: usize) {
        if let Some(frame) = self.frame() {
            frame.locals.truncate(begin);
        }
    }

    /// A new variable.
    pub(crate) fn bind(&mut self, name: &str, is_mutable: bool) -> u32 {
        let Some(frame) = self.frame() else { return 0 };
        let slot = frame.shared.len() as u32;
        frame.locals.push((name.to_owned(), slot));
        frame.mutable.push(is_mutable);
        frame.shared.push(false);
        slot
    }

    /// The slot of the name of `slot`, bound since `own`, among the names between `begin` and `own`.
    pub(crate) fn same_name(&self, slot: u32, own: usize, begin: usize) -> Option<u32> {
        let locals = &self.frames.last()?.locals;
        let (name, _) = locals.get(own..)?.iter().find(|(_, known)| *known == slot)?;
        locals.get(begin..own)?.iter().find(|(known, _)| known == name).map(|(_, slot)| *slot)
    }

    /// The slot of a variable, which is captured if it belongs to a function around.
    pub(crate) fn find(&mut self, name: &str) -> Option<u32> {
        let in_frame = |frame: &Frame| {
            let known = frame.locals.iter().rev().chain(&frame.captured).find(|(known, _)| known == name);
            known.map(|(_, slot)| *slot)
        };
        let (owner, mut slot) =
            self.frames.iter().enumerate().rev().find_map(|(k, frame)| Some((k, in_frame(frame)?)))?;
        if owner + 1 == self.frames.len() {
            return Some(slot);
        }
        let is_mutable = self.frames[owner].mutable[slot as usize];
        self.frames[owner].shared[slot as usize] |= is_mutable;
        for frame in &mut self.frames[owner + 1..] {
            let inner = frame.shared.len() as u32;
            frame.captures.push((slot, inner));
            frame.captured.push((name.to_owned(), inner));
            frame.mutable.push(is_mutable);
            // The variable itself is handed in.
            frame.shared.push(false);
            slot = inner;
        }
        Some(slot)
    }

    /// Marks a variable that is lent.
    pub(crate) fn lend(&mut self, slot: u32) {
        if let Some(frame) = self.frame()
            && frame.mutable.get(slot as usize).copied().unwrap_or_default()
            && !frame.captures.iter().any(|(_, inner)| *inner == slot)
        {
            frame.shared[slot as usize] = true;
        }
    }

    /// Begins a loop.
    pub(crate) fn begin_loop(&mut self, label: Option<String>) -> u32 {
        let Some(frame) = self.frame() else { return 0 };
        frame.labels += 1;
        frame.loops.push((label, frame.labels));
        frame.labels
    }

    pub(crate) fn end_loop(&mut self) {
        if let Some(frame) = self.frame() {
            frame.loops.pop();
        }
    }

    /// The number of the loop that `break` or `continue` means.
    pub(crate) fn in_loop(&self, label: Option<&str>) -> Option<u32> {
        let mut loops = self.frames.last()?.loops.iter().rev();
        let wanted = |(known, _): &&(Option<String>, u32)| match label {
            Some(label) => known.as_deref() == Some(label),
            None => true,
        };
        loops.find(wanted).map(|(_, number)| *number)
    }

    /// The names in scope.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.frames.iter().flat_map(|frame| frame.locals.iter().map(|(name, _)| name.as_str()))
    }
}
