//! New names for bound variables, where a sum meets itself or an index reads an `each`.

use super::form::{Choice, Form, Leaf as FormLeaf, Loop, Scope};
use super::names::{mentions, substitute_name, with_bound_names, with_names};
use super::pairs::{Array, Near, Neighbours};
use super::value::Condition;
use super::{Gather, Lowering, Value, Variables};
use crate::graph::{Leaf, NodeId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use syn::{Expr, Ident};

/// New names, and the choices that are asked anew with them.
pub(super) struct Renaming<'r> {
    names: &'r BTreeMap<String, Ident>,
    choices: HashMap<usize, Rc<Choice>>,
}

impl<'r> Renaming<'r> {
    pub(super) fn to(names: &'r BTreeMap<String, Ident>) -> Self {
        Self { names, choices: HashMap::new() }
    }
}

impl Lowering<'_> {
    /// The form with new variables for all its loops.
    pub(super) fn refresh(&mut self, form: &Form, loops: &[Rc<Loop>]) -> Form {
        let (renamed, lets) = self.fresh_names(loops, &form.choices());
        self.repeat_lets(&renamed, &lets);
        self.renamed_form(form, &mut Renaming::to(&renamed))
    }

    /// The loop and the body of an `each`, with new variables for all its loops; the variables of the
    /// outermost loop are bound to the item `at`, if there is one.
    pub(super) fn fresh_each(
        &mut self,
        repeat: &Rc<Loop>,
        body: &Value,
        at: Option<&Expr>,
    ) -> (Rc<Loop>, Value) {
        let (mut loops, mut choices) = (vec![repeat.clone()], Vec::new());
        body.each_part(&mut |part| {
            loops.extend(part.repeat().cloned());
            choices.extend(part.choice().cloned());
        });
        let (renamed, lets) = self.fresh_names(&loops, &choices);
        let repeat = self.renamed_loop(repeat, &renamed);
        if let Some(at) = at {
            let Loop { pattern, iterator, position, .. } = &*repeat;
            self.variables.push_item(pattern.clone(), iterator, at, position.as_ref());
        }
        self.repeat_lets(&renamed, &lets);
        let body = self.renamed_value(body, &mut Renaming::to(&renamed));
        (repeat, body)
    }

    /// New names for the variables of `loops` and for their dependents: variables of `let`s, whose
    /// places are returned too, and names that the patterns of `choices` bind.
    fn fresh_names(
        &mut self,
        loops: &[Rc<Loop>],
        choices: &[Rc<Choice>],
    ) -> (BTreeMap<String, Ident>, Vec<usize>) {
        let mut renamed = BTreeMap::new();
        let rename = |variables: &mut Variables, renamed: &mut BTreeMap<String, Ident>, name: &Ident| {
            renamed.entry(name.to_string()).or_insert_with(|| variables.fresh(name));
        };
        for name in loops.iter().flat_map(|repeat| repeat.bound()) {
            rename(&mut self.variables, &mut renamed, &name);
        }
        let mut lets = BTreeSet::new();
        loop {
            let known = renamed.len();
            for (place, binding) in self.variables.lets().to_vec().iter().enumerate() {
                if !lets.contains(&place) && mentions(&renamed, &binding.value) {
                    lets.insert(place);
                    binding.names.iter().for_each(|name| rename(&mut self.variables, &mut renamed, name));
                }
            }
            for choice in choices {
                if choice.question.mentions(&renamed) {
                    let bound = choice.question.bound();
                    bound.iter().for_each(|name| rename(&mut self.variables, &mut renamed, name));
                }
            }
            if renamed.len() == known {
                return (renamed, lets.into_iter().collect());
            }
        }
    }

    /// Repeats `let`s under new names.
    fn repeat_lets(&mut self, renamed: &BTreeMap<String, Ident>, lets: &[usize]) {
        for &place in lets {
            let binding = self.variables.lets()[place].clone();
            let pattern = with_bound_names(renamed, &binding.pattern);
            self.variables.push_again(place, pattern, with_names(renamed, &binding.value), renamed);
        }
    }

    fn renamed_value(&mut self, value: &Value, by: &mut Renaming<'_>) -> Value {
        match value {
            Value::Rust(expression) => Value::Rust(with_names(by.names, expression)),
            Value::Scalar(form) => Value::Scalar(self.renamed_form(form, by)),
            Value::Vector(forms) | Value::Matrix(forms) => {
                Value::of_components(forms.iter().map(|form| self.renamed_form(form, by)).collect())
            }
            Value::Coordinates { coordinate, indices } => Value::Coordinates {
                coordinate: *coordinate,
                indices: indices.iter().map(|index| with_names(by.names, index)).collect(),
            },
            Value::Each(repeat, inner) => {
                let repeat = self.renamed_loop(repeat, by.names);
                Value::Each(repeat, Box::new(self.renamed_value(inner, by)))
            }
            Value::List(values) => {
                Value::List(values.iter().map(|value| self.renamed_value(value, by)).collect())
            }
            Value::Tuple(values) => {
                Value::Tuple(values.iter().map(|value| self.renamed_value(value, by)).collect())
            }
            Value::Truth(condition) => Value::Truth(self.renamed_truth(condition, by)),
            Value::Near(near) => Value::Near(self.renamed_neighbours(near, by.names)),
            Value::Poison => Value::Poison,
        }
    }

    fn renamed_truth(&mut self, condition: &Condition, by: &mut Renaming<'_>) -> Condition {
        let mut both = |condition: &Condition| Box::new(self.renamed_truth(condition, by));
        match condition {
            Condition::Rust(expression) => Condition::Rust(with_names(by.names, expression)),
            Condition::Below { gap, strict } => {
                Condition::Below { gap: self.renamed_form(gap, by), strict: *strict }
            }
            Condition::And(a, b) => Condition::And(both(a), both(b)),
            Condition::Or(a, b) => Condition::Or(both(a), both(b)),
            Condition::Not(inner) => Condition::Not(both(inner)),
        }
    }

    pub(super) fn renamed_form(&mut self, form: &Form, by: &mut Renaming<'_>) -> Form {
        match form {
            Form::Leaf(leaf) => {
                let node = self.renamed_node(leaf.node, by.names);
                let mut sums = Vec::new();
                for (scope, body) in &leaf.sums {
                    let scope = match scope {
                        Scope::Stiff | Scope::Apart => scope.clone(),
                        Scope::Loop(repeat) => {
                            let image = self.renamed_loop(repeat, by.names);
                            self.keep_name(repeat, &image);
                            Scope::Loop(image)
                        }
                    };
                    sums.push((scope, self.renamed_form(body, by)));
                }
                Form::Leaf(FormLeaf { node, sums })
            }
            Form::Branch(choice, arms) => {
                let image = if choice.question.mentions(by.names) {
                    let next = self.choices;
                    let image = by
                        .choices
                        .entry(choice.number)
                        .or_insert_with(|| Rc::new(Choice::new(next, choice.question.renamed(by.names))));
                    self.choices += 1;
                    image.clone()
                } else {
                    choice.clone()
                };
                let arms = arms.iter().map(|arm| self.renamed_form(arm, by)).collect();
                Form::Branch(image, arms)
            }
        }
    }

    pub(super) fn renamed_node(&mut self, node: NodeId, renamed: &BTreeMap<String, Ident>) -> NodeId {
        let mut images: HashMap<Leaf, NodeId> = HashMap::new();
        for leaf in self.graph.leaves(&[node]) {
            let image = match leaf {
                Leaf::Coefficient(id) => {
                    let expression = with_names(renamed, &self.coefficients[id]);
                    self.coefficient(&expression).plain()
                }
                Leaf::Position { gather, component } => {
                    let gather = self.renamed_gather(gather, renamed);
                    Some(self.graph.leaf(Leaf::Position { gather, component }))
                }
                Leaf::Velocity { gather, component } => {
                    let gather = self.renamed_gather(gather, renamed);
                    Some(self.graph.leaf(Leaf::Velocity { gather, component }))
                }
                _ => None,
            };
            if let Some(image) = image {
                images.insert(leaf, image);
            }
        }
        self.graph.substitute(node, &|_, leaf| images.get(&leaf).copied())
    }

    fn renamed_loop(&mut self, repeat: &Loop, renamed: &BTreeMap<String, Ident>) -> Rc<Loop> {
        let pattern = with_bound_names(renamed, &repeat.pattern);
        let near = repeat.near.as_ref().map(|near| Rc::new(self.renamed_near(near, renamed)));
        let mut position = repeat.position.clone();
        position.iter_mut().for_each(|position| substitute_name(renamed, position));
        let iterator = with_names(renamed, &repeat.iterator);
        Rc::new(Loop { pattern, iterator, position, near })
    }

    fn renamed_near(&mut self, near: &Near, renamed: &BTreeMap<String, Ident>) -> Near {
        let shift = near.shift.iter().filter_map(|id| {
            let disguise = with_names(renamed, &self.coefficients[*id]);
            let leaf = self.coefficient(&disguise).plain()?;
            match self.graph.leaves(&[leaf])[..] {
                [Leaf::Coefficient(id)] => Some(id),
                _ => None,
            }
        });
        let shift = shift.collect();
        let list = self.renamed_neighbours(&Neighbours { list: near.list.clone(), of: None }, renamed).list;
        near.renamed(list, near.ends.clone().map(|end| with_names(renamed, &end)), shift, &mut |node| {
            self.renamed_node(node, renamed)
        })
    }

    fn renamed_neighbours(&mut self, near: &Neighbours, renamed: &BTreeMap<String, Ident>) -> Neighbours {
        let of = near.of.as_ref().map(|of| with_names(renamed, of));
        let mut list = (*near.list).clone();
        if !list.expressions().any(|expression| mentions(renamed, expression)) {
            return Neighbours { list: near.list.clone(), of };
        }
        list.radius = with_names(renamed, &list.radius);
        list.cell = list.cell.as_ref().map(|cell| with_names(renamed, cell));
        list.exceptions = list.exceptions.iter().map(|pairs| with_names(renamed, pairs)).collect();
        for points in &mut list.points {
            match &mut points.array {
                Array::Coordinates { indices, .. } => {
                    indices.iter_mut().for_each(|index| *index = with_names(renamed, index));
                }
                Array::Each { pattern, iterator, position, place } => {
                    *pattern = with_bound_names(renamed, pattern);
                    position.iter_mut().for_each(|position| substitute_name(renamed, position));
                    *iterator = with_names(renamed, iterator);
                    let place = place.iter_mut().flatten();
                    place.for_each(|node| *node = self.renamed_node(*node, renamed));
                }
            }
            points.length = with_names(renamed, &points.length);
        }
        Neighbours { list: Rc::new(list), of }
    }

    fn renamed_gather(&mut self, gather: usize, renamed: &BTreeMap<String, Ident>) -> usize {
        let Gather { source, indices } = self.gathers[gather].clone();
        let indices: Vec<Expr> = indices.iter().map(|index| with_names(renamed, index)).collect();
        self.gather(source, indices)
    }
}
