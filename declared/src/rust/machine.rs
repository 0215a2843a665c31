//! Evaluates resolved Rust, within a budget.

use super::error::{Error, Place};
use super::functions;
use super::integer::Operator;
use super::iterators::{iterate, next};
use super::lists;
use super::methods;
use super::number::Numeric;
use super::operators::{cast, operate, prefix, shaped};
use super::patterns::{Slots, matches};
use super::places::{change, field, into, lent, loaded, missing};
use super::shared::{Shared, live};
use super::surroundings::{Budget, Surroundings};
use super::tree::{
    Callee, Code, Known, LoopNode, Member, Method, MethodNode, Node, NodeKind, Pattern, Program, Type, known,
};
use super::value::{Caller, Data, Ends, Found, Function, Next, Reference, Step, Value};
use std::cell::RefCell;
use std::sync::Arc;

/// Evaluates functions of a program.
pub struct Machine<'a, N: Numeric> {
    program: &'a Program,
    surroundings: &'a dyn Surroundings<N>,
    stack: Vec<Value<N>>,
    base: usize,
    globals: Vec<Option<Value<N>>>,
    budget: Budget,
    depth: u32,
    flow: Option<Flow<N>>,
}

/// The depth of the methods that call a function, and that of an iterator.
const OF_A_CALLER: u32 = 6;
const OF_AN_ITERATOR: u32 = 2;

/// Why an expression has no value.
enum Trouble {
    Error(Error),
    /// The flow leaves it; the machine knows where to.
    Flow,
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

enum Flow<N: Numeric> {
    Return(Value<N>),
    Break(u32, Value<N>),
    Continue(u32),
}

type Outcome<N> = Result<Value<N>, Trouble>;
type Assignment<'c, N> = dyn FnMut(&mut Value<N>, &Program) -> Result<(), Error> + 'c;

/// Adds a place to an error.
fn at(place: Place) -> impl Fn(Error) -> Trouble {
    move |error| Trouble::Error(error.at(place))
}

/// The same for an error that another trouble may be.
fn within(place: Place) -> impl Fn(Trouble) -> Trouble {
    move |trouble| match trouble {
        Trouble::Error(error) => Trouble::Error(error.at(place)),
        flow @ Trouble::Flow => flow,
    }
}

/// Where a place begins.
enum Root<N: Numeric> {
    Slot(usize),
    Held(Shared<RefCell<Value<N>>>),
}

impl<N: Numeric> std::fmt::Debug for Machine<'_, N> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Machine").field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl<N: Numeric> Caller<N> for Machine<'_, N> {
    fn call(&mut self, function: &Value<N>, arguments: &mut [Value<N>]) -> Result<Value<N>, Error> {
        match function {
            Value::Function(function) => {
                // The functions that call it take their part of the stack.
                self.depth += OF_A_CALLER;
                let result = match &**function {
                    Function::Closure(code, captured) => self.run(code, captured, arguments),
                    Function::Path(callee) => self.callee(callee, arguments),
                    Function::None => Err(Error::new("no function")),
                };
                self.depth -= OF_A_CALLER;
                result
            }
            Value::Reference(lent) => {
                let function = lent.load(self.program)?;
                self.call(&function, arguments)
            }
            other => Err(Error::new(format!("expected function, found `{}`", other.kind(self.program)))),
        }
    }

    fn nested(&mut self, next: &mut Next<N>) -> Found<N> {
        self.depth += OF_AN_ITERATOR;
        let found = if self.depth > self.budget.depth {
            Err(Error::new("an iterator calls itself too deep"))
        } else {
            next(self)
        };
        self.depth -= OF_AN_ITERATOR;
        found
    }

    #[inline]
    fn spend(&mut self, operations: usize, values: usize) -> Result<(), Error> {
        match self.budget.operations.checked_sub(operations as u64) {
            Some(left) => self.budget.operations = left,
            None => {
                return Err(
                    Error::new("this takes too many operations").with_help("is there an end to a loop?")
                );
            }
        }
        if live().saturating_add(values) > self.budget.values {
            return Err(Error::new(format!("this holds more than {} values", self.budget.values)));
        }
        Ok(())
    }

    fn program(&self) -> &Program {
        self.program
    }
}

impl<'a, N: Numeric> Machine<'a, N> {
    /// A machine for functions of a program.
    pub fn new(program: &'a Program, surroundings: &'a dyn Surroundings<N>, budget: Budget) -> Self {
        let globals = vec![None; program.globals.len()];
        Self { program, surroundings, stack: Vec::new(), base: 0, globals, budget, depth: 0, flow: None }
    }

    /// Calls a function of the program by its number.
    ///
    /// # Errors
    /// Those of the function, with their places.
    pub fn function(&mut self, function: u32, arguments: &mut [Value<N>]) -> Result<Value<N>, Error> {
        self.own(function, arguments).map_err(|error| error.of(&self.program.files))
    }

    fn own(&mut self, function: u32, arguments: &mut [Value<N>]) -> Result<Value<N>, Error> {
        let program = self.program;
        match program.functions.get(function as usize) {
            Some(Ok(code)) => self.run(code, &[], arguments),
            Some(Err(error)) => Err(error.clone()),
            None => Err(Error::new("there is no such function")),
        }
    }

    /// Runs a function or a closure.
    fn run(
        &mut self,
        code: &Code,
        captured: &[Value<N>],
        arguments: &mut [Value<N>],
    ) -> Result<Value<N>, Error> {
        self.spend(code.cost as usize, self.stack.len())?;
        let depth = self.depth + code.depth + 2;
        if depth > self.budget.depth {
            return Err(Error::new(format!("`{}` calls itself too deep", code.name)));
        }
        if code.parameters.len() != arguments.len() {
            let (expected, found) = (code.parameters.len(), arguments.len());
            return Err(Error::new(format!(
                "`{}` takes {expected} arguments, but {found} are supplied",
                code.name
            )));
        }
        let (outer, base) = (self.base, self.stack.len());
        self.stack.resize(base + code.variables.len(), Value::Unit);
        for ((_, inner), value) in code.captures.iter().zip(captured) {
            self.stack[base + *inner as usize] = value.clone();
        }
        (self.base, self.depth) = (base, depth);
        let result = self.run_in_frame(code, arguments);
        self.stack.truncate(base);
        (self.base, self.depth) = (outer, depth - code.depth - 2);
        let value = match result {
            Ok(value) => value,
            Err(Trouble::Error(error)) => return Err(error),
            Err(Trouble::Flow) => match self.flow.take() {
                Some(Flow::Return(value)) => value,
                _ => return Err(Error::new("`break` outside of a loop")),
            },
        };
        if code.result == Type::Unknown { Ok(value) } else { shaped(value, &code.result, self.program) }
    }

    fn run_in_frame(&mut self, code: &Code, arguments: &mut [Value<N>]) -> Outcome<N> {
        for ((pattern, r#type), argument) in code.parameters.iter().zip(arguments) {
            let mut value = std::mem::take(argument);
            if *r#type != Type::Unknown {
                value = shaped(value, r#type, self.program)?;
            }
            self.bind(pattern, value, code)?;
        }
        self.value(&code.body, code)
    }

    /// Binds a pattern that always matches.
    fn bind(&mut self, pattern: &Pattern, value: Value<N>, code: &Code) -> Result<(), Error> {
        if self.test(pattern, value, code)? {
            Ok(())
        } else {
            Err(Error::new("this pattern does not match its value"))
        }
    }

    fn test(&mut self, pattern: &Pattern, value: Value<N>, code: &Code) -> Result<bool, Error> {
        let mut slots = Slots { values: &mut self.stack[self.base..], variables: &code.variables };
        matches(pattern, value, &mut slots, self.program)
    }

    fn local(&self, slot: u32) -> Result<Value<N>, Error> {
        match self.stack.get(self.base + slot as usize) {
            Some(Value::Variable(variable)) => match variable.try_borrow() {
                Ok(value) => Ok(value.clone()),
                Err(_) => Err(Error::new("this variable is in use already")),
            },
            Some(value) => Ok(value.clone()),
            None => Ok(Value::Unit),
        }
    }

    /// The value of an expression.
    fn value(&mut self, node: &Node, code: &Code) -> Outcome<N> {
        match &node.kind {
            NodeKind::Constant(constant) => Ok(Value::of(constant)),
            NodeKind::Local(slot) => Ok(self.local(*slot)?),
            NodeKind::Binary(operator, both) => {
                let left = self.value(&both[0], code)?;
                let right = self.value(&both[1], code)?;
                self.operation(*operator, left, right).map_err(at(node.place))
            }
            NodeKind::Field(base, member) => {
                // A field of a variable needs no copy of the variable.
                if let NodeKind::Local(slot) = base.kind
                    && let Some(Value::Data(Data { data, variant, fields: Some(fields) })) =
                        self.stack.get(self.base + slot as usize)
                    && let Some(position) = self.program.position(*data, *variant, *member)
                    && let Some(field) = fields.get(position)
                {
                    return Ok(field.clone());
                }
                let base = self.value(base, code)?;
                self.field(&base, *member).map_err(at(node.place))
            }
            NodeKind::Method(call) => self.method_node(call, code).map_err(within(node.place)),
            NodeKind::Index(both) => {
                let base = self.value(&both[0], code)?;
                let index = self.value(&both[1], code)?;
                self.index(base, index).map_err(at(node.place))
            }
            NodeKind::Call(parts) => {
                let (callee, nodes) = &**parts;
                let result = match &nodes[..] {
                    [one] => {
                        let one = self.value(one, code)?;
                        self.callee(callee, &mut [one])
                    }
                    nodes => {
                        let mut values = self.values(nodes, code)?;
                        self.callee(callee, &mut values)
                    }
                };
                result.map_err(at(node.place))
            }
            NodeKind::Block(nodes) => {
                let Some((last, before)) = nodes.split_last() else { return Ok(Value::Unit) };
                for node in before {
                    self.value(node, code)?;
                }
                self.value(last, code)
            }
            NodeKind::Let(parts) => self.let_node(parts, node.place, code),
            NodeKind::If(parts) => {
                let holds = self.truth(&parts[0], code)?;
                self.value(&parts[if holds { 1 } else { 2 }], code)
            }
            NodeKind::Negative(inner) => {
                prefix(true, &self.value(inner, code)?, self.program).map_err(at(node.place))
            }
            NodeKind::Not(inner) => {
                prefix(false, &self.value(inner, code)?, self.program).map_err(at(node.place))
            }
            NodeKind::Both(both) => {
                Ok(Value::Bool(self.truth(&both[0], code)? && self.truth(&both[1], code)?))
            }
            NodeKind::Either(both) => {
                Ok(Value::Bool(self.truth(&both[0], code)? || self.truth(&both[1], code)?))
            }
            NodeKind::Cast(parts) => {
                let (inner, to) = &**parts;
                cast(&self.value(inner, code)?, to, self.program).map_err(at(node.place))
            }
            NodeKind::Typed(parts) => {
                let (inner, to) = &**parts;
                shaped(self.value(inner, code)?, to, self.program).map_err(at(node.place))
            }
            NodeKind::Deref(inner) => loaded(self.value(inner, code)?, self.program).map_err(at(node.place)),
            NodeKind::List(nodes) => Ok(Value::list(self.values(nodes, code)?)),
            NodeKind::Tuple(nodes) => Ok(Value::tuple(self.values(nodes, code)?)),
            _ => self.other(node, code),
        }
    }

    fn truth(&mut self, node: &Node, code: &Code) -> Result<bool, Trouble> {
        match self.value(node, code)? {
            Value::Bool(truth) => Ok(truth),
            other => match loaded(other, self.program)? {
                Value::Bool(truth) => Ok(truth),
                other => Err(Trouble::Error(other.mismatch("bool", self.program).at(node.place))),
            },
        }
    }

    fn values(&mut self, nodes: &[Node], code: &Code) -> Result<Vec<Value<N>>, Trouble> {
        nodes.iter().map(|node| self.value(node, code)).collect()
    }

    fn operation(&mut self, operator: Operator, left: Value<N>, right: Value<N>) -> Result<Value<N>, Error> {
        if let Value::Data(data) = &left
            && let Some(function) = self.program.method_named(data.data, operator.method())
        {
            return self.own(function, &mut [left, right]);
        }
        operate(operator, &left, &right, self.program)
    }

    fn field(&mut self, base: &Value<N>, member: Member) -> Result<Value<N>, Error> {
        if let Some(value) = field(base, member, self.program) {
            return Ok(value);
        }
        match loaded(base.clone(), self.program)? {
            Value::Host(host) => {
                let found = self.surroundings.field(&host, self.program.name(member.symbol));
                found.ok_or_else(|| missing(base, &Step::Field(member), self.program))
            }
            base => into(&base, &Step::Field(member), self.program),
        }
    }

    fn index(&mut self, base: Value<N>, index: Value<N>) -> Result<Value<N>, Error> {
        let (base, index) = (loaded(base, self.program)?, loaded(index, self.program)?);
        match (&base, &index) {
            (Value::List(list), Value::Integer(number, _)) => {
                match usize::try_from(*number).ok().and_then(|k| list.get(k)) {
                    Some(value) => Ok(value.clone()),
                    None => Err(Error::new(format!(
                        "index out of bounds: the len is {} but the index is {number}",
                        list.len()
                    ))),
                }
            }
            (Value::List(list), Value::Range(ends)) => {
                self.spend(1, list.len())?;
                lists::slice(list, ends).map(Value::list)
            }
            _ => into(&base, &lists::step(&index, self.program)?, self.program),
        }
    }

    fn let_node(&mut self, parts: &(Pattern, Node, Option<Node>), place: Place, code: &Code) -> Outcome<N> {
        let (pattern, value, otherwise) = parts;
        let value = self.value(value, code)?;
        match otherwise {
            None => self.bind(pattern, value, code).map_err(at(place))?,
            Some(otherwise) => {
                if !self.test(pattern, value, code).map_err(at(place))? {
                    return self.value(otherwise, code);
                }
            }
        }
        Ok(Value::Unit)
    }

    /// Expressions that are rare in loops.
    fn other(&mut self, node: &Node, code: &Code) -> Outcome<N> {
        let place = node.place;
        match &node.kind {
            NodeKind::Test(parts) => {
                let value = self.value(&parts.1, code)?;
                self.test(&parts.0, value, code).map(Value::Bool).map_err(at(place))
            }
            NodeKind::Match(parts) => {
                let (scrutinee, arms) = &**parts;
                let value = self.value(scrutinee, code)?;
                for arm in arms {
                    let fits = self.test(&arm.pattern, value.clone(), code).map_err(at(place))?;
                    if fits && arm.guard.as_ref().map_or(Ok(true), |guard| self.truth(guard, code))? {
                        return self.value(&arm.body, code);
                    }
                }
                Err(Trouble::Error(Error::new("no arm of `match` fits").at(place)))
            }
            NodeKind::Loop(repeat) => self.loop_node(repeat, place, code),
            NodeKind::For(parts) => self.for_node(&parts.0, &parts.1, place, code),
            NodeKind::Break(label, value) => {
                let value = self.value(value, code)?;
                self.leave(Flow::Break(*label, value))
            }
            NodeKind::Continue(label) => self.leave(Flow::Continue(*label)),
            NodeKind::Return(value) => {
                let value = self.value(value, code)?;
                self.leave(Flow::Return(value))
            }
            NodeKind::Try(inner) => {
                let value = self.value(inner, code)?;
                match (&value, value.inside()) {
                    (_, Some(inside)) => Ok(inside.clone()),
                    (Value::Data(data), None) if data.data <= known::RESULT => {
                        self.leave(Flow::Return(value))
                    }
                    _ => Ok(value),
                }
            }
            NodeKind::Assign(both) => {
                let value = self.value(&both[1], code)?;
                self.assign(&both[0], code, &mut |own, _| {
                    *own = value.clone();
                    Ok(())
                })
            }
            NodeKind::AssignWith(operator, both) => {
                let value = self.value(&both[1], code)?;
                self.assign(&both[0], code, &mut |own, program| {
                    *own = operate(*operator, own, &value, program).map_err(|error| error.at(place))?;
                    Ok(())
                })
            }
            NodeKind::Borrow(inner) => {
                self.reference(inner, code).map(|lent| Value::Reference(Shared::new(lent)))
            }
            NodeKind::Closure(closure) => Ok(self.closure(closure)),
            _ => self.made(node, code),
        }
    }

    /// Expressions that make a value of parts.
    fn made(&mut self, node: &Node, code: &Code) -> Outcome<N> {
        let place = node.place;
        match &node.kind {
            NodeKind::Global(global) => self.global(*global as usize).map_err(at(place)),
            NodeKind::Host(constant) => self.surroundings.constant(*constant).map_err(at(place)),
            NodeKind::Repeat(both) => {
                let (value, count) = (self.value(&both[0], code)?, self.value(&both[1], code)?);
                let count = count.counted(self.program).map_err(at(place))?;
                self.spend(count, count).map_err(at(place))?;
                Ok(Value::list(vec![value; count]))
            }
            NodeKind::Range(ends, inclusive) => {
                let (start, end) = (self.value(&ends[0], code)?, self.value(&ends[1], code)?);
                Ok(Value::Range(Shared::new(Ends { start, end, inclusive: *inclusive })))
            }
            NodeKind::Data(data) => {
                let mut fields = match &data.base {
                    Some(base) => match loaded(self.value(base, code)?, self.program)? {
                        Value::Data(Data { fields: Some(fields), .. }) => fields.to_vec(),
                        _ => Vec::new(),
                    },
                    None => Vec::new(),
                };
                fields.resize(data.count, Value::Unit);
                for (position, field) in &data.fields {
                    let value = self.value(field, code)?;
                    if let Some(own) = fields.get_mut(*position as usize) {
                        *own = value;
                    }
                }
                Ok(Value::data(data.data, data.variant, fields))
            }
            NodeKind::Apply(function, arguments) => {
                let function = self.value(function, code)?;
                let mut arguments = self.values(arguments, code)?;
                self.call(&function, &mut arguments).map_err(at(place))
            }
            NodeKind::Fail(message) => Err(Trouble::Error(Error::new(message.as_str()).at(place))),
            _ => Ok(Value::Unit),
        }
    }

    fn closure(&self, closure: &Arc<Code>) -> Value<N> {
        let captured =
            closure.captures.iter().map(|(outer, _)| match &self.stack[self.base + *outer as usize] {
                Value::Variable(variable) if closure.moves => {
                    let own = variable.try_borrow().map_or(Value::Unit, |value| value.clone());
                    Value::Variable(Shared::new(RefCell::new(own)))
                }
                value => value.clone(),
            });
        Value::Function(Shared::new(Function::Closure(Arc::clone(closure), captured.collect())))
    }

    fn global(&mut self, global: usize) -> Result<Value<N>, Error> {
        if let Some(Some(value)) = self.globals.get(global) {
            return Ok(value.clone());
        }
        let program = self.program;
        let code = program.globals.get(global).ok_or_else(|| Error::new("this constant is not known"))?;
        let value = self.run(code.as_ref().map_err(Clone::clone)?, &[], &mut [])?;
        if let Some(own) = self.globals.get_mut(global) {
            *own = Some(value.clone());
        }
        Ok(value)
    }

    fn leave(&mut self, flow: Flow<N>) -> Outcome<N> {
        self.flow = Some(flow);
        Err(Trouble::Flow)
    }

    /// What a round of a loop does to the loop: `Some` ends it.
    fn round(&mut self, body: &Node, label: u32, code: &Code) -> Result<Option<Value<N>>, Trouble> {
        match self.value(body, code) {
            Ok(_) => Ok(None),
            Err(Trouble::Flow) => match self.flow.take() {
                Some(Flow::Continue(to)) if to == label => Ok(None),
                Some(Flow::Break(to, value)) if to == label => Ok(Some(value)),
                flow => {
                    self.flow = flow;
                    Err(Trouble::Flow)
                }
            },
            Err(error) => Err(error),
        }
    }

    fn loop_node(&mut self, repeat: &LoopNode, place: Place, code: &Code) -> Outcome<N> {
        while self.truth(&repeat.head, code)? {
            self.spend(repeat.cost as usize, 0).map_err(at(place))?;
            if let Some(value) = self.round(&repeat.body, repeat.label, code)? {
                return Ok(value);
            }
        }
        Ok(Value::Unit)
    }

    fn for_node(&mut self, pattern: &Pattern, repeat: &LoopNode, place: Place, code: &Code) -> Outcome<N> {
        let items = self.value(&repeat.head, code)?;
        let mut items = iterate(items, self).map_err(at(place))?;
        while let Some(item) = next(&mut items, self).map_err(at(place))? {
            self.spend(repeat.cost as usize, 0).map_err(at(place))?;
            self.bind(pattern, item, code).map_err(at(place))?;
            if self.round(&repeat.body, repeat.label, code)?.is_some() {
                break;
            }
        }
        Ok(Value::Unit)
    }

    fn callee(&mut self, callee: &Callee, arguments: &mut [Value<N>]) -> Result<Value<N>, Error> {
        match callee {
            Callee::Own(function) => self.own(*function, arguments),
            Callee::Variant(data, variant) => functions::variant((*data, *variant), arguments, self.program),
            Callee::Builtin(function, of) => methods::function(*function, of, arguments, self),
            Callee::Host(function) => {
                let surroundings = self.surroundings;
                surroundings.call(*function, arguments, self)
            }
            Callee::Method(method) => match arguments.split_first_mut() {
                Some((own, rest)) => {
                    let own = std::mem::take(own);
                    self.method(method, own, rest)
                }
                None => Err(Error::new("a method needs its receiver")),
            },
        }
    }

    fn method_node(&mut self, call: &MethodNode, code: &Code) -> Outcome<N> {
        let MethodNode { method, receiver, arguments, lends } = call;
        let own = if *lends {
            Value::Reference(Shared::new(self.reference(receiver, code)?))
        } else {
            self.value(receiver, code)?
        };
        Ok(match &arguments[..] {
            [] => match (&own, method.known) {
                (Value::Number(number), Known::Elementary(function)) => Value::Number(number.apply(function)),
                _ => self.method(method, own, &mut [])?,
            },
            [argument] => {
                let argument = self.value(argument, code)?;
                self.method(method, own, &mut [argument])?
            }
            nodes => {
                let mut arguments = self.values(nodes, code)?;
                self.method(method, own, &mut arguments)?
            }
        })
    }

    /// Calls a method: of the surroundings, of the file, or of the interpreter.
    fn method(
        &mut self,
        method: &Method,
        own: Value<N>,
        arguments: &mut [Value<N>],
    ) -> Result<Value<N>, Error> {
        let program = self.program;
        let (plain, lent) = match own {
            Value::Reference(lent) => (lent.load(program)?, Some(lent)),
            own => (own, None),
        };
        if let (Value::Host(_), Some(number)) = (&plain, method.host) {
            let surroundings = self.surroundings;
            return surroundings.method(&plain, number, arguments, self);
        }
        let data = match &plain {
            Value::Data(data) => Some(data.data),
            Value::Matrix(_) => Some(known::MATRIX),
            _ => None,
        };
        if let Some(function) = data.and_then(|data| program.method_of(data, method.symbol)) {
            let code = program.functions.get(function as usize).and_then(|code| code.as_ref().ok());
            let own = match lent {
                Some(lent) if code.is_some_and(|code| code.changes_self) => Value::Reference(lent),
                _ => plain,
            };
            let mut all: Vec<Value<N>> =
                std::iter::once(own).chain(arguments.iter_mut().map(std::mem::take)).collect();
            return self.own(function, &mut all);
        }
        let Some(lent) = lent.filter(|_| methods::changes(&method.rows, &method.name)) else {
            return methods::call(method, plain, arguments, self);
        };
        if let Value::List(list) = &plain
            && let Some(part) = lists::lending(&method.name, &lent, list, self)?
        {
            return Ok(part);
        }
        drop(plain);
        self.changed(method, &lent, arguments)
    }

    /// A method of the interpreter that changes its receiver.
    fn changed(
        &mut self,
        method: &Method,
        own: &Reference<N>,
        arguments: &mut [Value<N>],
    ) -> Result<Value<N>, Error> {
        let program = self.program;
        let swapped = |with: Value<N>| {
            let mut root =
                own.root.try_borrow_mut().map_err(|_| Error::new("this variable is in use already"))?;
            let mut with = Some(with);
            change(&mut root, &own.steps, program, 0, &mut |place| {
                Ok(std::mem::replace(place, with.take().unwrap_or_default()))
            })
        };
        // The value is out of its variable while functions run.
        let mut value = swapped(Value::Unit)?;
        let result = methods::change(method, &mut value, arguments, self);
        swapped(value)?;
        result
    }

    fn assign(&mut self, place: &Node, code: &Code, by: &mut Assignment<'_, N>) -> Outcome<N> {
        let (root, mut steps) = self.path(place, code)?;
        let program = self.program;
        // `x += 1` of a lent number changes the number.
        if matches!(place.kind, NodeKind::Deref(_)) && steps.is_empty() {
            steps.push(Step::Deref);
        }
        let mut all = |own: &mut Value<N>| change(own, &steps, program, 0, &mut |own| by(own, program));
        let result = match root {
            Root::Slot(slot) => self.stack.get_mut(slot).map_or(Ok(()), &mut all),
            Root::Held(root) => match root.try_borrow_mut() {
                Ok(mut root) => all(&mut root),
                Err(_) => Err(Error::new("this variable is in use already")),
            },
        };
        result.map(|()| Value::Unit).map_err(at(place.place))
    }

    /// Where a place begins, and the steps into it.
    fn path(&mut self, node: &Node, code: &Code) -> Result<(Root<N>, Vec<Step>), Trouble> {
        Ok(match &node.kind {
            NodeKind::Local(slot) => {
                let slot = self.base + *slot as usize;
                match self.stack.get(slot) {
                    Some(Value::Variable(variable)) => (Root::Held(variable.clone()), Vec::new()),
                    _ => (Root::Slot(slot), Vec::new()),
                }
            }
            NodeKind::Field(base, member) => {
                let (root, mut steps) = self.path(base, code)?;
                steps.push(Step::Field(*member));
                (root, steps)
            }
            NodeKind::Index(both) => {
                let (root, mut steps) = self.path(&both[0], code)?;
                let index = loaded(self.value(&both[1], code)?, self.program)?;
                steps.push(lists::step(&index, self.program).map_err(at(node.place))?);
                (root, steps)
            }
            NodeKind::Deref(base) => {
                let (root, mut steps) = self.path(base, code)?;
                steps.push(Step::Deref);
                (root, steps)
            }
            _ => match self.value(node, code)? {
                Value::Reference(reference) => (Root::Held(reference.root.clone()), reference.steps.clone()),
                value => (Root::Held(lent(value).root), Vec::new()),
            },
        })
    }

    /// A place as a reference.
    fn reference(&mut self, node: &Node, code: &Code) -> Result<Reference<N>, Trouble> {
        let (root, steps) = self.path(node, code)?;
        let slot = match root {
            Root::Held(root) => return Ok(Reference { root, steps }),
            Root::Slot(slot) => slot,
        };
        match self.stack.get(slot) {
            Some(Value::Reference(known)) => {
                // A lent variable is lent on.
                let rest = if let Some(Step::Deref) = steps.first() { &steps[1..] } else { &steps[..] };
                let steps = known.steps.iter().chain(rest).cloned().collect();
                Ok(Reference { root: known.root.clone(), steps })
            }
            Some(value) => Ok(Reference { root: lent(value.clone()).root, steps }),
            None => Ok(lent(Value::Unit)),
        }
    }
}
