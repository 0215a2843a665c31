//! The values of calls: a helper or a closure with equal arguments is inlined once.

use super::environment::Environment;
use super::form::{Form, Scope};
use super::value::Value;
use quote::ToTokens;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::rc::Rc;

/// The values of calls, by function and arguments as text.
#[derive(Debug, Default)]
pub(super) struct Calls(HashMap<String, Known>);

/// A value, and the objects whose addresses are in its key: kept, so that no other object gets them.
#[derive(Debug)]
struct Known {
    value: Value,
    _captured: Option<Rc<Environment>>,
    _arguments: Vec<Value>,
}

/// A call: a name, the captured environment of a closure, and the arguments.
#[derive(Debug)]
pub(super) struct Call {
    key: String,
    captured: Option<Rc<Environment>>,
    arguments: Vec<Value>,
}

impl Call {
    /// A call, if its arguments can be compared with others.
    pub(super) fn new(name: &str, captured: Option<&Rc<Environment>>, arguments: &[Value]) -> Option<Self> {
        let mut key = format!("{name} {:?}", captured.map(Rc::as_ptr));
        for argument in arguments {
            spell(argument, &mut key)?;
        }
        Some(Self { key, captured: captured.cloned(), arguments: arguments.to_vec() })
    }
}

impl Calls {
    /// The value of a call that was made before.
    pub(super) fn get(&self, call: &Call) -> Option<Value> {
        self.0.get(&call.key).map(|known| known.value.clone())
    }

    /// Remembers the value of a call.
    pub(super) fn insert(&mut self, call: Call, value: Value) {
        let Call { key, captured, arguments } = call;
        self.0.insert(key, Known { value, _captured: captured, _arguments: arguments });
    }
}

/// Writes a value so that equal texts are equal values; `None` if it cannot be written.
fn spell(value: &Value, text: &mut String) -> Option<()> {
    let write = match value {
        Value::Rust(expression) => write!(text, "`{}`", expression.to_token_stream()),
        Value::Scalar(form) => return spell_form(form, text),
        Value::Vector(forms) | Value::Matrix(forms) => {
            text.push('(');
            forms.iter().try_for_each(|form| spell_form(form, text))?;
            write!(text, ")")
        }
        Value::Coordinates { coordinate, indices } => {
            write!(text, "q{coordinate}`{}`", quote::quote!(#([#indices])*))
        }
        Value::Each(repeat, inner) => {
            write!(text, "each{:?}", Rc::as_ptr(repeat)).ok()?;
            return spell(inner, text);
        }
        Value::List(values) | Value::Tuple(values) => {
            text.push('[');
            values.iter().try_for_each(|value| spell(value, text))?;
            write!(text, "]")
        }
        Value::Near(_) | Value::Truth(_) | Value::Poison => return None,
    };
    write.ok()
}

fn spell_form(form: &Form, text: &mut String) -> Option<()> {
    match form {
        Form::Leaf(leaf) => {
            write!(text, "n{}", leaf.node.index()).ok()?;
            for (scope, body) in &leaf.sums {
                match scope {
                    Scope::Loop(repeat) => write!(text, "+{:?}(", Rc::as_ptr(repeat)).ok()?,
                    Scope::Stiff => text.push_str("+stiff("),
                    Scope::Apart => text.push_str("+("),
                }
                spell_form(body, text)?;
                text.push(')');
            }
        }
        Form::Branch(choice, arms) => {
            write!(text, "?{}(", choice.number).ok()?;
            for arm in arms {
                spell_form(arm, text)?;
                text.push(',');
            }
            text.push(')');
        }
    }
    Some(())
}
