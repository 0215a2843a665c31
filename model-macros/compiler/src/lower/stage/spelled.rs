//! Sums as texts: equal texts are one stage, and stages over equal items have one frame.

use super::super::form::{Form, Part, Scope, Step, loops_of};
use super::super::names::with_names;
use super::super::{Lowering, names};
use super::Stage;
use quote::ToTokens;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use syn::Ident;

/// The variables that a stage binds, and the variables of `let`s that depend on them.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The name of the place of each variable.
    pub(super) names: BTreeMap<String, Ident>,
    /// A variable at each place.
    pub(super) variables: BTreeMap<String, Ident>,
}

impl Places {
    fn insert(&mut self, variable: &Ident, place: String) {
        let name = Ident::new(&place, proc_macro2::Span::mixed_site());
        if self.names.insert(variable.to_string(), name).is_none() {
            self.variables.entry(place).or_insert_with(|| variable.clone());
        }
    }

    /// Gives the next variable a place.
    fn bind(&mut self, variable: &Ident) {
        if !self.names.contains_key(&variable.to_string()) {
            self.insert(variable, format!("__bound_{}", self.names.len()));
        }
    }
}

impl Lowering<'_> {
    /// The variables of a stage.
    pub(super) fn places_of(&mut self, stage: &Stage) -> Places {
        let Stage { path, scan, form, .. } = stage;
        let mut places = Places::default();
        path.iter().flat_map(Step::bound).for_each(|name| places.bind(&name));
        if let Some(scan) = scan {
            places.bind(&scan.item);
            let steps = scan.ranges.iter().flat_map(|(steps, _)| steps);
            steps.flat_map(Step::bound).for_each(|name| places.bind(&name));
        }
        bound_by_form(form).iter().for_each(|name| places.bind(name));
        // A `let` of these variables is told by its value.
        for binding in self.variables.lets().to_vec() {
            let is_known = |name: &Ident| places.names.contains_key(&name.to_string());
            if !names::any_free(&binding.value, is_known) || binding.names.iter().any(is_known) {
                continue;
            }
            let value = with_names(&places.names, &binding.value).to_token_stream().to_string();
            let mut pattern = binding.pattern.clone();
            let mut place = 0;
            names::rename_bound(&mut pattern, &mut |name| {
                *name = Ident::new(&format!("__part_{place}"), name.span());
                place += 1;
            });
            let key = format!("{} = {value}", pattern.to_token_stream());
            let next = self.let_ids.len();
            let number = *self.let_ids.entry(key).or_insert(next);
            for (k, name) in binding.names.iter().enumerate() {
                places.insert(name, format!("__let_{number}_{k}"));
            }
        }
        places
    }

    /// A stage as text, with variables named by their places: equal texts are one stage.
    pub(super) fn spelled(&mut self, stage: &Stage, places: &Places) -> String {
        let mut text = spelled_rows(stage, &places.names);
        self.spell_form(&stage.form, &places.names, true, &mut text);
        if stage.turn.is_some() {
            text.push_str(" followed");
        }
        text
    }

    /// The rows and items of a stage as text, without its terms; `None` for sums over near pairs.
    pub(super) fn frame(&mut self, stage: &Stage, places: &Places) -> Option<String> {
        let loops = stage.form.loops();
        if loops.iter().chain(loops_of(&stage.path)).any(|repeat| repeat.near.is_some()) {
            return None;
        }
        let mut text = spelled_rows(stage, &places.names);
        self.spell_form(&stage.form, &places.names, false, &mut text);
        Some(text)
    }

    fn spell_form(
        &mut self,
        form: &Form,
        renamed: &BTreeMap<String, Ident>,
        with_nodes: bool,
        text: &mut String,
    ) {
        match form {
            Form::Leaf(leaf) => {
                if with_nodes {
                    let node = self.renamed_node(leaf.node, renamed);
                    let _ = write!(text, "{}", node.index());
                }
                for (scope, body) in &leaf.sums {
                    let _ = match scope {
                        Scope::Loop(repeat) => {
                            write!(text, "+sum {}(", with_names(renamed, &repeat.iterator).to_token_stream())
                        }
                        Scope::Stiff => write!(text, "+stiff("),
                        Scope::Apart => write!(text, "+("),
                    };
                    self.spell_form(body, renamed, with_nodes, text);
                    text.push(')');
                }
            }
            Form::Branch(choice, arms) => {
                let _ = write!(text, "?{}(", choice.question.renamed(renamed).spelled());
                for arm in arms {
                    self.spell_form(arm, renamed, with_nodes, text);
                    text.push(',');
                }
                text.push(')');
            }
        }
    }
}

fn spelled_rows(stage: &Stage, places: &BTreeMap<String, Ident>) -> String {
    let Stage { path, keys, scan, .. } = stage;
    let mut text = String::new();
    spell_steps(path, places, &mut text);
    for key in keys {
        let _ = write!(text, "[{}]", with_names(places, key).to_token_stream());
    }
    if let Some(scan) = scan {
        let start = with_names(places, &scan.start).to_token_stream();
        let _ = write!(text, "from {start}, backwards {}, with last {}", scan.backwards, scan.closed);
        // Ranges that depend on the rows belong to this stage alone.
        if !path.is_empty() {
            for (steps, range) in &scan.ranges {
                spell_steps(steps, places, &mut text);
                let _ = write!(text, "{}", with_names(places, range).to_token_stream());
            }
        }
    }
    text
}

/// The names that a form binds, in its order.
pub(super) fn bound_by_form(form: &Form) -> Vec<Ident> {
    let mut names = Vec::new();
    form.each_part(&mut |part| match part {
        Part::Loop(repeat) => names.extend(repeat.bound()),
        Part::Choice(choice) => names.extend(choice.question.bound()),
        Part::Node(_) | Part::Stiff => {}
    });
    names
}

fn spell_steps(path: &[Step], renamed: &BTreeMap<String, Ident>, text: &mut String) {
    for step in path {
        let _ = match step {
            Step::Loop(repeat) => {
                write!(text, "for {} ", with_names(renamed, &repeat.iterator).to_token_stream())
            }
            Step::Answer(choice, arm) => {
                write!(text, "if {}={arm} ", choice.question.renamed(renamed).spelled())
            }
            Step::Stiff => Ok(()),
        };
    }
}
