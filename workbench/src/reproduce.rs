//! `reproduce`: a paper's numbers recomputed beside the printed ones.

use std::io::Write;

use crate::arguments::Reproduce;
use crate::error::{Error, Result};

/// Recomputes a paper; prints its tables and writes its page as it goes.
#[cfg(feature = "papers")]
pub(crate) fn reproduce(arguments: &Reproduce, out: &mut dyn Write) -> Result {
    use least_action_papers::{Length, PAPERS};

    let paper = PAPERS.iter().find(|paper| paper.name == arguments.paper).ok_or_else(|| {
        let name = &arguments.paper;
        let known = PAPERS.iter().map(|paper| paper.name);
        Error::unknown(format_args!("unknown paper `{name}`"), name, "there are:", known)
    })?;
    let length = if arguments.full { Length::Full } else { Length::Short };
    Ok(paper.reproduce(length, &arguments.out, out)?)
}

#[cfg(not(feature = "papers"))]
pub(crate) fn reproduce(_: &Reproduce, _: &mut dyn Write) -> Result {
    Err(Error::left_out("`reproduce`", "papers"))
}
