//! Operators, and their verbs in messages.

/// An operator between two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Left,
    Right,
    Power,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// The verb of an operator in messages.
pub(crate) fn verb(operator: Operator) -> &'static str {
    match operator {
        Operator::Add => "add",
        Operator::Sub => "subtract",
        Operator::Mul => "multiply",
        Operator::Div => "divide",
        Operator::Rem => "calculate the remainder",
        Operator::Left => "shift left",
        Operator::Right => "shift right",
        _ => "combine",
    }
}
