//! Enumerates the ways of nested choices: asks each choice once, and keeps added choices apart.

use super::form::{Choice, Form, Leaf, Scope};
use crate::error::Obstacle;
use crate::graph::Graph;
use crate::limits::MOST_WAYS_IN_FUNCTIONS;
use std::borrow::Cow;
use std::convert::Infallible;
use std::rc::Rc;

/// The most ways in which added choices are multiplied out.
pub(super) const MOST_WAYS: usize = 8;

/// The work of one way, in [`Budget`](crate::limits::Budget).
const WAY: usize = 50;

/// The choices made on the way to a place, each with its arm.
pub(super) type Known = Vec<(Rc<Choice>, usize)>;

/// The arm of a choice: as made, or the only one that the made choices leave.
fn answer(known: &Known, choice: &Choice) -> Option<usize> {
    let same = known.iter().find(|(other, _)| other.number == choice.number).map(|&(_, arm)| arm);
    same.or_else(|| choice.answers.decided(known.iter().map(|(other, arm)| (&other.answers, *arm))))
}

fn with(known: &Known, choice: &Rc<Choice>, arm: usize) -> Known {
    let mut known = known.clone();
    known.push((choice.clone(), arm));
    known
}

impl Form {
    /// True if the sum of two forms has no more ways than one of them, or at most `at_most`.
    pub(super) fn goes_with(&self, other: &Self, at_most: usize) -> bool {
        if let (Self::Leaf(_), Self::Leaf(_)) = (self, other) {
            return true;
        }
        let each = [self, other].map(|form| ways(&[form], &Vec::new(), MOST_WAYS_IN_FUNCTIONS));
        let most = at_most.max(each[0]).max(each[1]);
        ways(&[self, other], &Vec::new(), most) <= most
    }

    /// The form without choices apart; the error is the obstacle.
    pub(super) fn multiplied_out(&self, graph: &mut Graph) -> Result<Cow<'_, Self>, Obstacle> {
        if !self.has_apart() {
            return Ok(Cow::Borrowed(self));
        }
        if ways(&[self], &Vec::new(), MOST_WAYS_IN_FUNCTIONS) > MOST_WAYS_IN_FUNCTIONS {
            return Err(Obstacle::Choices);
        }
        Ok(Cow::Owned(match self {
            Self::Leaf(Leaf { node, sums }) => {
                let (apart, others): (Vec<_>, Vec<_>) =
                    sums.iter().cloned().partition(|(scope, _)| matches!(scope, Scope::Apart));
                let mut total = Self::Leaf(Leaf { node: *node, sums: others });
                for (_, body) in apart {
                    total = together(&total, &*body.multiplied_out(graph)?, graph);
                }
                total
            }
            Self::Branch(choice, arms) => {
                let mut images = Vec::new();
                for arm in arms {
                    images.push(arm.multiplied_out(graph)?.into_owned());
                }
                Self::Branch(choice.clone(), images)
            }
        }))
    }

    /// True if there are choices apart, outside loops.
    pub(super) fn has_apart(&self) -> bool {
        match self {
            Self::Leaf(leaf) => leaf.sums.iter().any(|(scope, _)| matches!(scope, Scope::Apart)),
            Self::Branch(_, arms) => arms.iter().any(Self::has_apart),
        }
    }
}

/// The first form that is a choice: its place, the choice, and the form of each answer.
fn first_choice<'f>(forms: &[&'f Form]) -> Option<(usize, &'f Rc<Choice>, &'f [Form])> {
    forms.iter().enumerate().find_map(|(place, form)| match form {
        Form::Branch(choice, arms) => Some((place, choice, &arms[..])),
        Form::Leaf(_) => None,
    })
}

fn with_arm<'f>(forms: &[&'f Form], place: usize, arm: &'f Form) -> Vec<&'f Form> {
    let mut image = forms.to_vec();
    image[place] = arm;
    image
}

/// The number of ways of some forms together; beyond `most`, any larger number.
pub(super) fn ways(forms: &[&Form], known: &Known, most: usize) -> usize {
    if let Some((place, choice, arms)) = first_choice(forms) {
        if let Some(arm) = answer(known, choice) {
            return ways(&with_arm(forms, place, &arms[arm]), known, most);
        }
        let mut total = 0_usize;
        for (k, arm) in arms.iter().enumerate() {
            total = total.saturating_add(ways(&with_arm(forms, place, arm), &with(known, choice, k), most));
            if total > most {
                break;
            }
        }
        return total;
    }
    let apart = forms.iter().filter_map(|form| match form {
        Form::Leaf(leaf) => Some(leaf.sums.iter().filter(|(scope, _)| matches!(scope, Scope::Apart))),
        Form::Branch(..) => None,
    });
    let bodies: Vec<&Form> = apart.flatten().map(|(_, body)| body).collect();
    if bodies.is_empty() { 1 } else { ways(&bodies, known, most) }
}

/// An operation on forms without choices.
type Operation<'a, E> = &'a mut dyn FnMut(&[&Leaf], &Known, &mut Graph) -> Result<Form, E>;

/// Applies `operation` to the forms in each way of their choices, with the choices made.
pub(super) fn in_each_way<E>(
    forms: &[&Form],
    known: &Known,
    graph: &mut Graph,
    operation: Operation<'_, E>,
) -> Result<Form, E> {
    if !graph.spend(WAY) {
        return Ok(Form::of(graph.zero()));
    }
    if let Some((place, choice, arms)) = first_choice(forms) {
        if let Some(arm) = answer(known, choice) {
            return in_each_way(&with_arm(forms, place, &arms[arm]), known, graph, operation);
        }
        let mut images = Vec::new();
        for (k, arm) in arms.iter().enumerate() {
            let way = with_arm(forms, place, arm);
            images.push(in_each_way(&way, &with(known, choice, k), graph, operation)?);
        }
        return Ok(Form::Branch(choice.clone(), images));
    }
    let leaves = forms.iter().filter_map(|form| match form {
        Form::Leaf(leaf) => Some(leaf),
        Form::Branch(..) => None,
    });
    operation(&leaves.collect::<Vec<_>>(), known, graph)
}

/// The sum of two forms where their choices agree.
pub(super) fn together(a: &Form, b: &Form, graph: &mut Graph) -> Form {
    let sum = in_each_way(&[a, b], &Known::default(), graph, &mut |leaves, _, graph| {
        let node = graph.combination(leaves.iter().map(|leaf| (1.0, leaf.node)));
        let sums = leaves.iter().flat_map(|leaf| &leaf.sums).cloned().collect();
        Ok::<_, Infallible>(Form::Leaf(Leaf { node, sums }))
    });
    sum.unwrap_or_else(|never| match never {})
}
