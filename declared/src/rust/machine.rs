//! Evaluates resolved Rust, within a budget.

use super::error::{Error, Place, Result};
use super::functions;
use super::integer::Operator;
use super::iterators::{iterate, next};
use super::lists;
use super::methods;
use super::number::Numeric;
use super::operators::{cast, operate, prefix, shaped};
use super::patterns::{Slots, matches};
use super::places::{field, into, lent, loaded, missing};
use super::shared::{Shared, live};
use super::surroundings::{Budget, Surroundings};
use super::tree::{
    Callee, Code, DataNode, LoopNode, Member, Method, MethodNode, Node, NodeKind, Pattern, Program, Type,
    known,
};
use super::value::{Answer, Caller, Data, Ends, Found, Function, Next, Reference, Step, Value};
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

/// Adds a place to an error.
fn at(place: Place) -> impl Fn(Trouble) -> Trouble {
    move |trouble| match trouble {
        Trouble::Error(error) => Trouble::Error(error.at(place)),
        flow @ Trouble::Flow => flow,
    }
}

impl<N: Numeric> std::fmt::Debug for Machine<'_, N> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Machine").field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl<N: Numeric> Caller<N> for Machine<'_, N> {
    fn call(&mut self, function: &Value<N>, arguments: &mut [Value<N>]) -> Answer<N> {
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
        let fits = self.depth <= self.budget.depth;
        let found = if fits { next(self) } else { Err(Error::new("an iterator calls itself too deep")) };
        self.depth -= OF_AN_ITERATOR;
        found
    }

    #[inline]
    fn spend(&mut self, operations: usize, values: usize) -> Result {
        let Some(left) = self.budget.operations.checked_sub(operations as u64) else {
            return Err(Error::new("this takes too many operations").with_help("is there an end to a loop?"));
        };
        self.budget.operations = left;
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
    pub fn function(&mut self, function: u32, arguments: &mut [Value<N>]) -> Answer<N> {
        self.own(function, arguments).map_err(|error| error.of(&self.program.files))
    }

    fn own(&mut self, function: u32, arguments: &mut [Value<N>]) -> Answer<N> {
        let program = self.program;
        match program.functions.get(function as usize) {
            Some(Ok(code)) => self.run(code, &[], arguments),
            Some(Err(error)) => Err(error.clone()),
            None => Err(Error::new("there is no such function")),
        }
    }

    /// Runs a function or a closure.
    fn run(&mut self, code: &Code, captured: &[Value<N>], arguments: &mut [Value<N>]) -> Answer<N> {
        self.spend(code.cost as usize, self.stack.len())?;
        let depth = self.depth + code.depth + 2;
        if depth > self.budget.depth {
            return Err(Error::new(format!("`{}` calls itself too deep", code.name)));
        }
        let (expected, found) = (code.parameters.len(), arguments.len());
        if expected != found {
            let name = &code.name;
            return Err(Error::new(format!("`{name}` takes {expected} arguments, but {found} are supplied")));
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
        for ((pattern, of), argument) in code.parameters.iter().zip(arguments) {
            let mut value = std::mem::take(argument);
            if *of != Type::Unknown {
                value = shaped(value, of, self.program)?;
            }
            self.bind(pattern, value, code)?;
        }
        self.value(&code.body, code)
    }

    /// Binds a pattern that always matches.
    fn bind(&mut self, pattern: &Pattern, value: Value<N>, code: &Code) -> Result {
        let fits = self.test(pattern, value, code)?;
        if fits { Ok(()) } else { Err(Error::new("this pattern does not match its value")) }
    }

    fn test(&mut self, pattern: &Pattern, value: Value<N>, code: &Code) -> Result<bool> {
        let mut slots = Slots { values: &mut self.stack[self.base..], variables: &code.variables };
        matches(pattern, value, &mut slots, self.program)
    }

    fn slot(&self, slot: u32) -> Result<&Value<N>> {
        let own = self.stack.get(self.base + slot as usize);
        own.ok_or_else(|| Error::new("this variable is of another function"))
    }

    fn local(&self, slot: u32) -> Answer<N> {
        match self.slot(slot)? {
            Value::Variable(variable) => match variable.try_borrow() {
                Ok(value) => Ok(value.clone()),
                Err(_) => Err(Error::new("this variable is in use already")),
            },
            value => Ok(value.clone()),
        }
    }

    /// The value of an expression.
    fn value(&mut self, node: &Node, code: &Code) -> Outcome<N> {
        let result = match &node.kind {
            NodeKind::Constant(constant) => Ok(Value::of(constant)),
            NodeKind::Local(slot) => self.local(*slot).map_err(Trouble::Error),
            NodeKind::Binary(operator, both) => self.operation(*operator, both, code),
            NodeKind::Field(base, member) => self.field(base, *member, code),
            NodeKind::Method(call) => self.method_node(call, code),
            NodeKind::Index(both) => self.index(both, code),
            NodeKind::Call(parts) => self.call_node(&parts.0, &parts.1, code),
            NodeKind::Block(nodes) => self.block(nodes, code),
            NodeKind::If(parts) => match self.truth(&parts[0], code) {
                Ok(holds) => self.value(&parts[if holds { 1 } else { 2 }], code),
                Err(trouble) => Err(trouble),
            },
            NodeKind::List(nodes) => self.values(nodes, code).map(Value::list),
            NodeKind::Tuple(nodes) => self.values(nodes, code).map(Value::tuple),
            _ => self.other(node, code),
        };
        result.map_err(at(node.place))
    }

    fn truth(&mut self, node: &Node, code: &Code) -> Result<bool, Trouble> {
        match loaded(self.value(node, code)?, self.program)? {
            Value::Bool(truth) => Ok(truth),
            other => Err(Trouble::Error(other.mismatch("bool", self.program).at(node.place))),
        }
    }

    fn values(&mut self, nodes: &[Node], code: &Code) -> Result<Vec<Value<N>>, Trouble> {
        nodes.iter().map(|node| self.value(node, code)).collect()
    }

    fn block(&mut self, nodes: &[Node], code: &Code) -> Outcome<N> {
        let Some((last, before)) = nodes.split_last() else { return Ok(Value::Unit) };
        for node in before {
            self.value(node, code)?;
        }
        self.value(last, code)
    }

    fn operation(&mut self, operator: Operator, both: &[Node; 2], code: &Code) -> Outcome<N> {
        let (left, right) = (self.value(&both[0], code)?, self.value(&both[1], code)?);
        if let Value::Data(data) = &left
            && let Some(function) = self.program.method_named(data.data, operator.method())
        {
            return Ok(self.own(function, &mut [left, right])?);
        }
        Ok(operate(operator, &left, &right, self.program)?)
    }

    fn field(&mut self, base: &Node, member: Member, code: &Code) -> Outcome<N> {
        // A field of a variable needs no copy of the variable.
        if let NodeKind::Local(slot) = base.kind
            && let own @ Value::Data(_) = self.slot(slot)?
            && let Some(value) = field(own, member, self.program)
        {
            return Ok(value);
        }
        let base = loaded(self.value(base, code)?, self.program)?;
        let found = match &base {
            Value::Host(host) => self.surroundings.field(host, self.program.name(member.symbol)),
            base => field(base, member, self.program),
        };
        Ok(found.ok_or_else(|| missing(&base, &Step::Field(member), self.program))?)
    }

    fn index(&mut self, both: &[Node; 2], code: &Code) -> Outcome<N> {
        let (base, index) = (self.value(&both[0], code)?, self.value(&both[1], code)?);
        let (base, index) = (loaded(base, self.program)?, loaded(index, self.program)?);
        if let (Value::List(list), Value::Range(ends)) = (&base, &index) {
            self.spend(1, list.len())?;
            return Ok(lists::slice(list, ends).map(Value::list)?);
        }
        Ok(into(&base, &lists::step(&index, self.program)?, self.program)?)
    }

    /// Expressions that are rare in loops.
    fn other(&mut self, node: &Node, code: &Code) -> Outcome<N> {
        Ok(match &node.kind {
            NodeKind::Let(parts) => {
                let (pattern, value, otherwise) = &**parts;
                let value = self.value(value, code)?;
                match otherwise {
                    None => self.bind(pattern, value, code)?,
                    Some(otherwise) => {
                        if !self.test(pattern, value, code)? {
                            return self.value(otherwise, code);
                        }
                    }
                }
                Value::Unit
            }
            NodeKind::Negative(inner) => prefix(true, &self.value(inner, code)?, self.program)?,
            NodeKind::Not(inner) => prefix(false, &self.value(inner, code)?, self.program)?,
            NodeKind::Both(both) => Value::Bool(self.truth(&both[0], code)? && self.truth(&both[1], code)?),
            NodeKind::Either(both) => Value::Bool(self.truth(&both[0], code)? || self.truth(&both[1], code)?),
            NodeKind::Cast(parts) => cast(&self.value(&parts.0, code)?, &parts.1, self.program)?,
            NodeKind::Typed(parts) => shaped(self.value(&parts.0, code)?, &parts.1, self.program)?,
            NodeKind::Deref(inner) => loaded(self.value(inner, code)?, self.program)?,
            NodeKind::Test(parts) => {
                let value = self.value(&parts.1, code)?;
                Value::Bool(self.test(&parts.0, value, code)?)
            }
            NodeKind::Match(parts) => {
                let value = self.value(&parts.0, code)?;
                for arm in &parts.1 {
                    let fits = self.test(&arm.pattern, value.clone(), code)?;
                    if fits && arm.guard.as_ref().map_or(Ok(true), |guard| self.truth(guard, code))? {
                        return self.value(&arm.body, code);
                    }
                }
                return Err(Error::new("no arm of `match` fits").into());
            }
            NodeKind::Loop(repeat) => return self.loop_node(repeat, code),
            NodeKind::For(parts) => return self.for_node(&parts.0, &parts.1, code),
            NodeKind::Break(label, value) => {
                self.flow = Some(Flow::Break(*label, self.value(value, code)?));
                return Err(Trouble::Flow);
            }
            NodeKind::Continue(label) => {
                self.flow = Some(Flow::Continue(*label));
                return Err(Trouble::Flow);
            }
            NodeKind::Return(value) => {
                self.flow = Some(Flow::Return(self.value(value, code)?));
                return Err(Trouble::Flow);
            }
            NodeKind::Try(inner) => {
                let value = self.value(inner, code)?;
                match (&value, value.inside()) {
                    (_, Some(inside)) => inside.clone(),
                    (Value::Data(data), None) if data.data <= known::RESULT => {
                        self.flow = Some(Flow::Return(value));
                        return Err(Trouble::Flow);
                    }
                    _ => value,
                }
            }
            NodeKind::Assign(both) => {
                let value = self.value(&both[1], code)?;
                let place = self.reference(&both[0], code)?;
                place.replace(value, self.program)?;
                Value::Unit
            }
            NodeKind::AssignWith(operator, both) => {
                let (value, program) = (self.value(&both[1], code)?, self.program);
                let place = self.reference(&both[0], code)?;
                place.change(program, &mut |own| {
                    *own = operate(*operator, own, &value, program)?;
                    Ok(())
                })?;
                Value::Unit
            }
            _ => return self.made(node, code),
        })
    }

    /// Expressions that make a value of parts.
    fn made(&mut self, node: &Node, code: &Code) -> Outcome<N> {
        Ok(match &node.kind {
            NodeKind::Borrow(inner) => Value::Reference(Shared::new(self.reference(inner, code)?)),
            NodeKind::Closure(closure) => self.closure(closure),
            NodeKind::Global(global) => self.global(*global as usize)?,
            NodeKind::Host(constant) => self.surroundings.constant(*constant)?,
            NodeKind::Repeat(both) => {
                let (value, count) = (self.value(&both[0], code)?, self.value(&both[1], code)?);
                let count = count.counted(self.program)?;
                self.spend(count, count)?;
                Value::list(vec![value; count])
            }
            NodeKind::Range(ends, inclusive) => {
                let (start, end) = (self.value(&ends[0], code)?, self.value(&ends[1], code)?);
                Value::Range(Shared::new(Ends { start, end, inclusive: *inclusive }))
            }
            NodeKind::Data(data) => self.data_node(data, code)?,
            NodeKind::Apply(function, arguments) => {
                let function = self.value(function, code)?;
                let mut arguments = self.values(arguments, code)?;
                self.call(&function, &mut arguments)?
            }
            NodeKind::Fail(message) => return Err(Error::new(message.as_str()).into()),
            _ => Value::Unit,
        })
    }

    fn data_node(&mut self, data: &DataNode, code: &Code) -> Outcome<N> {
        let mut fields = match &data.base {
            Some(base) => match loaded(self.value(base, code)?, self.program)? {
                Value::Data(Data { fields: Some(fields), .. }) => fields.to_vec(),
                _ => Vec::new(),
            },
            None => Vec::new(),
        };
        fields.resize(data.count, Value::Unit);
        for (position, field) in &data.fields {
            fields[*position as usize] = self.value(field, code)?;
        }
        Ok(Value::data(data.data, data.variant, fields))
    }

    fn closure(&self, closure: &Arc<Code>) -> Value<N> {
        let captured = |(outer, _): &(u32, u32)| match &self.stack[self.base + *outer as usize] {
            Value::Variable(variable) if closure.moves => {
                let own = variable.try_borrow().map_or(Value::Unit, |value| value.clone());
                Value::Variable(Shared::new(RefCell::new(own)))
            }
            value => value.clone(),
        };
        let captured = closure.captures.iter().map(captured).collect();
        Value::Function(Shared::new(Function::Closure(Arc::clone(closure), captured)))
    }

    fn global(&mut self, global: usize) -> Answer<N> {
        if let Some(Some(value)) = self.globals.get(global) {
            return Ok(value.clone());
        }
        let program = self.program;
        let code = program.globals.get(global).ok_or_else(|| Error::new("this constant is not known"))?;
        let value = self.run(code.as_ref().map_err(Clone::clone)?, &[], &mut [])?;
        self.globals[global] = Some(value.clone());
        Ok(value)
    }

    /// What a round of a loop does to the loop: `Some` ends it.
    fn round(&mut self, repeat: &LoopNode, code: &Code) -> Result<Option<Value<N>>, Trouble> {
        self.spend(repeat.cost as usize, 0)?;
        match self.value(&repeat.body, code) {
            Ok(_) => Ok(None),
            Err(Trouble::Flow) => match self.flow.take() {
                Some(Flow::Continue(to)) if to == repeat.label => Ok(None),
                Some(Flow::Break(to, value)) if to == repeat.label => Ok(Some(value)),
                flow => {
                    self.flow = flow;
                    Err(Trouble::Flow)
                }
            },
            Err(error) => Err(error),
        }
    }

    fn loop_node(&mut self, repeat: &LoopNode, code: &Code) -> Outcome<N> {
        while self.truth(&repeat.head, code)? {
            if let Some(value) = self.round(repeat, code)? {
                return Ok(value);
            }
        }
        Ok(Value::Unit)
    }

    fn for_node(&mut self, pattern: &Pattern, repeat: &LoopNode, code: &Code) -> Outcome<N> {
        let items = self.value(&repeat.head, code)?;
        let mut items = iterate(items, self)?;
        while let Some(item) = next(&mut items, self)? {
            self.bind(pattern, item, code)?;
            if self.round(repeat, code)?.is_some() {
                break;
            }
        }
        Ok(Value::Unit)
    }

    fn call_node(&mut self, callee: &Callee, nodes: &[Node], code: &Code) -> Outcome<N> {
        if let [one] = nodes {
            let one = self.value(one, code)?;
            return Ok(self.callee(callee, &mut [one])?);
        }
        let mut values = self.values(nodes, code)?;
        Ok(self.callee(callee, &mut values)?)
    }

    fn callee(&mut self, callee: &Callee, arguments: &mut [Value<N>]) -> Answer<N> {
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
            [] => self.method(method, own, &mut [])?,
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
    fn method(&mut self, method: &Method, own: Value<N>, arguments: &mut [Value<N>]) -> Answer<N> {
        let program = self.program;
        let (plain, lent) = match own {
            Value::Reference(lent) => (lent.load(program)?, Some(lent)),
            own => (own, None),
        };
        let data = match &plain {
            Value::Data(data) => Some(data.data),
            Value::Matrix(_) => Some(known::MATRIX),
            Value::Host(_) if let Some(number) = method.host => {
                let surroundings = self.surroundings;
                return surroundings.method(&plain, number, arguments, self);
            }
            _ => None,
        };
        if let Some(function) = data.and_then(|data| program.method_of(data, method.symbol)) {
            let code = program.functions.get(function as usize).and_then(|code| code.as_ref().ok());
            let own = match lent {
                Some(lent) if code.is_some_and(|code| code.changes_self) => Value::Reference(lent),
                _ => plain,
            };
            let mut all = vec![own];
            all.extend(arguments.iter_mut().map(std::mem::take));
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
        // The value is out of its variable while functions run.
        let mut value = lent.replace(Value::Unit, program)?;
        let result = methods::change(method, &mut value, arguments, self);
        lent.replace(value, program)?;
        result
    }

    /// A place as a reference.
    fn reference(&mut self, node: &Node, code: &Code) -> Result<Reference<N>, Trouble> {
        let (base, step) = match &node.kind {
            NodeKind::Local(slot) => {
                return Ok(match self.slot(*slot)? {
                    Value::Variable(root) => Reference { root: root.clone(), steps: Vec::new() },
                    // A lent variable is lent on.
                    Value::Reference(lent) => (**lent).clone(),
                    value => lent(value.clone()),
                });
            }
            NodeKind::Field(base, member) => (base, Step::Field(*member)),
            NodeKind::Deref(base) => (base, Step::Deref),
            NodeKind::Index(both) => {
                let base = self.reference(&both[0], code)?;
                let index = loaded(self.value(&both[1], code)?, self.program)?;
                return Ok(base.with(lists::step(&index, self.program)?));
            }
            _ => {
                return Ok(match self.value(node, code)? {
                    Value::Reference(reference) => (*reference).clone(),
                    value => lent(value),
                });
            }
        };
        Ok(self.reference(base, code)?.with(step))
    }
}
