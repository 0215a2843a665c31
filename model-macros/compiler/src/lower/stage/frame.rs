//! Sums with equal rows over equal items get equal variables, so that one loop can add them up.

use super::super::Lowering;
use super::super::rename::Renaming;
use super::spelled::Places;
use super::{Scan, Stage};
use std::collections::{BTreeMap, BTreeSet};
use syn::Ident;

/// The first stage of a frame, and its variables by the names of their places.
#[derive(Debug)]
pub(in crate::lower) struct Frame {
    stage: usize,
    variables: BTreeMap<String, Ident>,
}

impl Lowering<'_> {
    /// The next stage, with the variables of the first stage of its frame.
    pub(super) fn in_frame(&mut self, stage: Stage, places: Places) -> Stage {
        let next = self.stages.len();
        let stage = Stage { frame: next, ..stage };
        let Some(text) = self.frame(&stage, &places) else { return stage };
        let Some(Frame { stage: first, variables }) = self.frames.get(&text) else {
            self.frames.insert(text, Frame { stage: next, variables: places.variables });
            return stage;
        };
        let mut mentioned = BTreeSet::new();
        self.names_of_form(&stage.form, &mut mentioned);
        let mut renamed = BTreeMap::new();
        for (name, place) in &places.names {
            match variables.get(&place.to_string()) {
                Some(variable) => drop(renamed.insert(name.clone(), variable.clone())),
                // A `let` that the first stage does not have.
                None if mentioned.contains(name) => return stage,
                None => {}
            }
        }
        let of_first = self.stages[*first].clone();
        if renamed.iter().all(|(name, variable)| variable == name) {
            return Stage { frame: of_first.frame, ..stage };
        }
        let rows_are_alike = of_first.path.is_empty();
        let form = self.renamed_form(&stage.form, &mut Renaming::to(&renamed));
        // Ranges that do not depend on the rows are read in the place of this stage.
        let scan = of_first.scan.zip(stage.scan).map(|(of_first, own)| Scan {
            ranges: if rows_are_alike { own.ranges } else { of_first.ranges },
            ..of_first
        });
        let Stage { path, keys, items, frame, .. } = of_first;
        Stage { path, keys, items, scan, form, frame, ..stage }
    }
}
