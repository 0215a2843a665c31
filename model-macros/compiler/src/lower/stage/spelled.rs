//! Sums as texts: equal texts are equal stages.

use super::super::form::{Form, Question, Scope, Step};
use super::super::rename::with_names;
use super::super::{Lowering, names};
use super::Stage;
use quote::ToTokens;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use syn::Ident;

impl Lowering<'_> {
    /// A stage as text, in which bound variables have the names of their places: equal texts are equal stages.
    pub(super) fn spelled(&mut self, stage: &Stage) -> String {
        let Stage { path, keys, scan, form, .. } = stage;
        let mut renamed = BTreeMap::new();
        let bind = |renamed: &mut BTreeMap<String, Ident>, name: &Ident| {
            let canonical =
                Ident::new(&format!("__bound_{}", renamed.len()), proc_macro2::Span::mixed_site());
            renamed.entry(name.to_string()).or_insert(canonical);
        };
        for step in path {
            step.bound().iter().for_each(|name| bind(&mut renamed, name));
        }
        if let Some(scan) = scan {
            bind(&mut renamed, &scan.item);
            let steps = scan.ranges.iter().flat_map(|(steps, _)| steps);
            steps.flat_map(Step::bound).for_each(|name| bind(&mut renamed, &name));
        }
        bind_form(form, &mut |name| bind(&mut renamed, name));
        // What a `let` makes of them is told by its value.
        for binding in self.variables.lets().to_vec() {
            let depends = names::any_free(&binding.value, |name| renamed.contains_key(&name.to_string()));
            if !depends || binding.names.iter().any(|name| renamed.contains_key(&name.to_string())) {
                continue;
            }
            let value = with_names(&renamed, &binding.value).to_token_stream().to_string();
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
                renamed.insert(name.to_string(), Ident::new(&format!("__let_{number}_{k}"), name.span()));
            }
        }
        let mut text = String::new();
        spell_steps(path, &renamed, &mut text);
        for key in keys {
            let _ = write!(text, "[{}]", with_names(&renamed, key).to_token_stream());
        }
        if let Some(scan) = scan {
            let start = with_names(&renamed, &scan.start).to_token_stream();
            let _ = write!(text, "from {start}, backwards {}, with last {}", scan.backwards, scan.closed);
            // Ranges that depend on the rows are those of this stage alone.
            if !path.is_empty() {
                for (steps, range) in &scan.ranges {
                    spell_steps(steps, &renamed, &mut text);
                    let _ = write!(text, "{}", with_names(&renamed, range).to_token_stream());
                }
            }
        }
        self.spell_form(form, &renamed, &mut text);
        text
    }

    fn spell_form(&mut self, form: &Form, renamed: &BTreeMap<String, Ident>, text: &mut String) {
        match form {
            Form::Leaf(leaf) => {
                let node = self.renamed_node(leaf.node, renamed);
                let _ = write!(text, "{}", node.index());
                for (scope, body) in &leaf.sums {
                    let _ = match scope {
                        Scope::Loop(repeat) => {
                            write!(text, "+sum {}(", with_names(renamed, &repeat.iterator).to_token_stream())
                        }
                        Scope::Stiff => write!(text, "+stiff("),
                        Scope::Apart => write!(text, "+("),
                    };
                    self.spell_form(body, renamed, text);
                    text.push(')');
                }
            }
            Form::Branch(choice, arms) => {
                let _ = write!(text, "?{}(", spelled_question(renamed, &choice.question));
                for arm in arms {
                    self.spell_form(arm, renamed, text);
                    text.push(',');
                }
                text.push(')');
            }
        }
    }
}

/// Visits the names that a form binds, in its order.
pub(super) fn bind_form(form: &Form, bind: &mut dyn FnMut(&Ident)) {
    match form {
        Form::Leaf(leaf) => {
            for (scope, body) in &leaf.sums {
                if let Scope::Loop(repeat) = scope {
                    repeat.bound().iter().for_each(&mut *bind);
                }
                bind_form(body, bind);
            }
        }
        Form::Branch(choice, arms) => {
            choice.question.bound().iter().for_each(&mut *bind);
            arms.iter().for_each(|arm| bind_form(arm, bind));
        }
    }
}

fn spelled_question(renamed: &BTreeMap<String, Ident>, question: &Question) -> String {
    question.renamed(renamed).spelled()
}

fn spell_steps(path: &[Step], renamed: &BTreeMap<String, Ident>, text: &mut String) {
    for step in path {
        let _ = match step {
            Step::Loop(repeat) => {
                write!(text, "for {} ", with_names(renamed, &repeat.iterator).to_token_stream())
            }
            Step::Answer(choice, arm) => {
                write!(text, "if {}={arm} ", spelled_question(renamed, &choice.question))
            }
            Step::Stiff => Ok(()),
        };
    }
}
