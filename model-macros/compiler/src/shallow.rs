//! Source of any depth → source that every stage can walk recursively, or the place of too deep code.
//!
//! Rust reads a sum of a thousand terms from left to right, a thousand operators deep. Here it becomes a
//! tree of ten levels; so do long products, and conditions joined by `&&` or `||`. Else it is refused.
//!
//! **Invariant.** Nothing here recurses by the depth of its input.

use crate::error::{self, Errors};
use crate::limits::DEEPEST;
use crate::walk::{OutermostMut, inside_mut};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::visit_mut::VisitMut;
use syn::{BinOp, Expr, ItemImpl};

/// Chains of fewer operators stay as they are written.
const LONG: usize = 32;

/// The tokens without groups that are too deep for the parser; these are mistakes.
pub fn readable(tokens: TokenStream, errors: &mut Errors) -> TokenStream {
    within(tokens, 0, errors)
}

fn within(tokens: TokenStream, depth: usize, errors: &mut Errors) -> TokenStream {
    let (mut image, mut prefixes) = (Vec::new(), 0);
    for tree in tokens {
        prefixes = match &tree {
            // Each operator before an operand nests one level deeper.
            TokenTree::Punct(_) => prefixes + 1,
            TokenTree::Ident(word) if word == "return" || word == "break" || word == "move" => prefixes + 1,
            _ => 0,
        };
        if prefixes > DEEPEST {
            errors.push(error::too_deep(&tree));
            return TokenStream::new();
        }
        image.push(match tree {
            TokenTree::Group(group) if depth == DEEPEST => {
                errors.push(error::too_deep(&group));
                TokenTree::Group(Group::new(Delimiter::Parenthesis, TokenStream::new()))
            }
            TokenTree::Group(group) => {
                let inside = within(group.stream(), depth + 1, errors);
                let mut copy = Group::new(group.delimiter(), inside);
                copy.set_span(group.span());
                TokenTree::Group(copy)
            }
            other => other,
        });
    }
    image.into_iter().collect()
}

/// Makes trees of long chains of operators; takes out expressions that are still too deep, as mistakes.
pub fn shallow(item: &mut ItemImpl, errors: &mut Errors) {
    let mut shallow = Shallow { depth: 0, is_too_deep: false, errors };
    OutermostMut(&mut |expression| shallow.expression(expression)).visit_item_impl_mut(item);
}

struct Shallow<'e> {
    depth: usize,
    is_too_deep: bool,
    errors: &'e mut Errors,
}

impl Shallow<'_> {
    fn expression(&mut self, expression: &mut Expr) {
        if self.depth == 2 * DEEPEST {
            let place = innermost(take(expression));
            // Its neighbours are as deep; one mistake suffices.
            if !self.is_too_deep {
                self.is_too_deep = true;
                self.errors.push(error::too_deep(place));
            }
            return;
        }
        if is_long(expression) {
            *expression = balanced(take(expression));
        }
        self.depth += 1;
        inside_mut(expression, &mut |inner| self.expression(inner));
        self.depth -= 1;
    }
}

/// Takes an expression out, and leaves `()`.
fn take(expression: &mut Expr) -> Expr {
    std::mem::replace(expression, syn::parse_quote!(()))
}

/// The part inside an expression, without parentheses, that may be as deep as the text is long.
fn part(expression: &mut Expr) -> Option<&mut Expr> {
    Some(match expression {
        Expr::Binary(both) => &mut both.left,
        Expr::MethodCall(call) => &mut call.receiver,
        Expr::Call(call) => &mut call.func,
        Expr::Field(field) => &mut field.base,
        Expr::Index(index) => &mut index.expr,
        Expr::Cast(cast) => &mut cast.expr,
        Expr::Try(tried) => &mut tried.expr,
        Expr::Await(awaited) => &mut awaited.base,
        Expr::If(branch) => &mut branch.else_branch.as_mut()?.1,
        _ => return None,
    })
}

/// The innermost part; drops the others one by one, since Rust would drop them recursively.
fn innermost(mut expression: Expr) -> Expr {
    while let Some(inner) = part(&mut expression) {
        expression = take(inner);
    }
    expression
}

/// Operators that may be joined in any order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// + and −.
    Sum,
    Product,
    Both,
    Either,
}

fn kind(operator: &BinOp) -> Option<Kind> {
    match operator {
        BinOp::Add(_) | BinOp::Sub(_) => Some(Kind::Sum),
        BinOp::Mul(_) => Some(Kind::Product),
        BinOp::And(_) => Some(Kind::Both),
        BinOp::Or(_) => Some(Kind::Either),
        _ => None,
    }
}

fn is_long(expression: &Expr) -> bool {
    let Expr::Binary(outermost) = expression else { return false };
    let Some(wanted) = kind(&outermost.op) else { return false };
    let (mut at, mut count) = (expression, 0);
    while let Expr::Binary(both) = at
        && kind(&both.op) == Some(wanted)
        && both.attrs.is_empty()
    {
        (at, count) = (&both.left, count + 1);
    }
    count > LONG
}

/// A tree of a chain of operators of one kind; of a sum, the subtracted terms stand together.
fn balanced(expression: Expr) -> Expr {
    let Expr::Binary(outermost) = &expression else { return expression };
    let wanted = kind(&outermost.op);
    let (mut at, mut added, mut subtracted) = (expression, Vec::new(), Vec::new());
    let mut minus = None;
    let first = loop {
        match at {
            Expr::Binary(both) if kind(&both.op) == wanted && both.attrs.is_empty() => {
                if matches!(both.op, BinOp::Sub(_)) {
                    minus = Some(both.op);
                    subtracted.push(*both.right);
                } else {
                    added.push((Some(both.op), *both.right));
                }
                at = *both.left;
            }
            other => break other,
        }
    };
    added.push((None, first));
    added.reverse();
    subtracted.reverse();
    let plus: BinOp = syn::parse_quote!(+);
    let operator = added.iter().find_map(|(operator, _)| *operator).unwrap_or(plus);
    let all = tree(added.into_iter().map(|(_, term)| term).collect(), operator);
    match minus {
        None => all,
        Some(minus) => joined(all, minus, parenthesized(tree(subtracted, plus))),
    }
}

/// The operands joined by an operator, half by half.
fn tree(mut operands: Vec<Expr>, operator: BinOp) -> Expr {
    while operands.len() > 1 {
        let mut pairs = Vec::with_capacity(operands.len().div_ceil(2));
        let mut rest = operands.into_iter();
        while let Some(left) = rest.next() {
            pairs.push(match rest.next() {
                Some(right) => joined(left, operator, parenthesized(right)),
                None => left,
            });
        }
        operands = pairs;
    }
    operands.pop().unwrap_or_else(|| syn::parse_quote!(()))
}

fn joined(left: Expr, operator: BinOp, right: Expr) -> Expr {
    let (left, right) = (Box::new(left), Box::new(right));
    Expr::Binary(syn::ExprBinary { attrs: Vec::new(), left, op: operator, right })
}

/// A joined expression as a right operand, in parentheses.
fn parenthesized(expression: Expr) -> Expr {
    if !matches!(expression, Expr::Binary(_)) {
        return expression;
    }
    let (attrs, paren_token) = (Vec::new(), syn::token::Paren::default());
    Expr::Paren(syn::ExprParen { attrs, paren_token, expr: Box::new(expression) })
}
