//! Programs → straight-line code: one `let` for each operation, values for all elements first.

use crate::graph::{Leaf, NodeId, Opaque};
use crate::kernels::placed;
use crate::schedule::{Operation, Program, Value};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};

/// A name that can meet no name of the user's.
pub(super) fn internal(text: &str) -> Ident {
    Ident::new(text, Span::mixed_site())
}

/// Code for a set of expressions.
pub struct StraightLine {
    /// The `let`s.
    pub lines: TokenStream,
    /// The value of each expression.
    pub outputs: Vec<TokenStream>,
}

/// A value to put somewhere as soon as it is known: many that wait for the end have no registers.
pub(super) struct Put {
    /// The value.
    pub(super) value: Value,
    /// The statement that puts its code somewhere.
    pub(super) statement: Box<dyn Fn(&TokenStream) -> TokenStream>,
}

/// The kind of numbers that the code computes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// `f64`.
    Plain,
    /// The generic `T: Real` of a kernel, with a value `t` at hand.
    Generic,
}

impl Numbers {
    /// The path of the type.
    fn path(self) -> TokenStream {
        match self {
            Self::Plain => quote!(f64),
            Self::Generic => quote!(T),
        }
    }

    /// A constant that stands alone.
    fn constant(self, value: f64) -> TokenStream {
        let value = number(value);
        match self {
            Self::Plain => value,
            Self::Generic => {
                let time = Ident::new("t", Span::mixed_site());
                quote!(T::number(#time, #value))
            }
        }
    }
}

/// Emits a program on plain numbers, without coefficients; `read` gives the code that reads a leaf.
pub fn plain(program: &Program, read: &dyn Fn(Leaf) -> TokenStream) -> StraightLine {
    lines(program, Numbers::Plain, read, &|_| TokenStream::new(), &[])
}

/// Emits a program; `read` and `coefficient` give the code that reads a leaf and a coefficient.
pub(super) fn lines(
    program: &Program,
    numbers: Numbers,
    read: &dyn Fn(Leaf) -> TokenStream,
    coefficient: &dyn Fn(NodeId) -> TokenStream,
    puts: &[Put],
) -> StraightLine {
    let mut writer = Writer {
        numbers,
        lines: TokenStream::new(),
        values: vec![TokenStream::new(); program.operations.len()],
        count: 0,
    };
    // First the values that all elements share, so that they can leave the loop.
    for fixed in [true, false] {
        for (value, operation) in program.operations.iter().enumerate() {
            if program.fixed[value] != fixed {
                continue;
            }
            let code = match operation {
                Operation::Read(leaf) => writer.read(read(*leaf)),
                Operation::Coefficient(node) => writer.read(coefficient(*node)),
                operation => writer.operation(*operation),
            };
            for put in puts.iter().filter(|put| put.value == value) {
                writer.lines.extend((put.statement)(&code));
            }
            writer.values[value] = code;
        }
    }
    let outputs = program.outputs.iter().map(|output| writer.values[*output].clone()).collect();
    StraightLine { lines: writer.lines, outputs }
}

struct Writer {
    numbers: Numbers,
    lines: TokenStream,
    values: Vec<TokenStream>,
    count: usize,
}

impl Writer {
    /// A number that is read; a kernel reads it once, since results put in between might change it.
    fn read(&mut self, code: TokenStream) -> TokenStream {
        match self.numbers {
            Numbers::Plain => code,
            Numbers::Generic => self.name(&code),
        }
    }

    /// A line of its own for a value.
    fn name(&mut self, code: &TokenStream) -> TokenStream {
        let name: Ident = format_ident!("s{}", self.count, span = Span::mixed_site());
        self.count += 1;
        self.lines.extend(quote!(let #name = #code;));
        quote!(#name)
    }

    /// The code of an operation: a number, or the name of its line.
    fn operation(&mut self, operation: Operation) -> TokenStream {
        let path = self.numbers.path();
        let of = |value: Value| &self.values[value];
        let method = |name: &str, arguments: &[Value]| {
            let (name, arguments) = (internal(name), arguments.iter().map(|value| of(*value)));
            quote!(#path::#name(#(#arguments),*))
        };
        let code = match operation {
            Operation::Number(value) => return self.numbers.constant(value),
            Operation::Read(_) | Operation::Coefficient(_) => return TokenStream::new(),
            Operation::Add(a, b) => binary(of(a), &quote!(+), of(b)),
            Operation::Subtract(a, b) => binary(of(a), &quote!(-), of(b)),
            Operation::Offset(a, value) if value < 0.0 => binary(of(a), &quote!(-), &number(-value)),
            Operation::Offset(a, value) => binary(of(a), &quote!(+), &number(value)),
            Operation::Negate(a) => {
                let a = of(a);
                quote!(-#a)
            }
            Operation::Multiply(a, b) => binary(of(a), &quote!(*), of(b)),
            Operation::Scale(a, value) => binary(of(a), &quote!(*), &number(value)),
            Operation::MultiplyAdd(a, b, c) => {
                let (a, b, c) = (of(a), of(b), of(c));
                match self.numbers {
                    Numbers::Plain => quote!(#a * #b + #c),
                    Numbers::Generic => quote!(T::multiply_add(#a, #b, #c)),
                }
            }
            Operation::Reciprocal(a) => method("recip", &[a]),
            Operation::Root(a) => method("sqrt", &[a]),
            Operation::InverseRoot(a) => {
                let a = of(a);
                match self.numbers {
                    Numbers::Plain => quote!(1.0 / f64::sqrt(#a)),
                    Numbers::Generic => quote!(T::recip_sqrt(#a)),
                }
            }
            Operation::Function(function, a) => {
                if self.numbers == Numbers::Generic || function.entry().standard {
                    method(function.name(), &[a])
                } else {
                    let (name, a) = (internal(function.name()), of(a));
                    quote!(<f64 as ::least_action::emitted::v1::Real>::#name(#a))
                }
            }
            Operation::Power(base, exponent) => method("powf", &[base, exponent]),
            Operation::Atan2(y, x) => method("atan2", &[y, x]),
            Operation::Select { gap, strict, yes, no } => {
                let (gap, yes, no) = (of(gap), of(yes), of(no));
                match self.numbers {
                    Numbers::Plain if strict => quote!(if #gap < 0.0 { #yes } else { #no }),
                    Numbers::Plain => quote!(if #gap <= 0.0 { #yes } else { #no }),
                    Numbers::Generic => {
                        let below = if strict { quote!(T::lt) } else { quote!(T::le) };
                        let zero = self.numbers.constant(0.0);
                        quote!(T::select(#below(#gap, #zero), #yes, #no))
                    }
                }
            }
            Operation::Call(function, arguments, count) => self.call(function, &arguments[..count]),
        };
        self.name(&code)
    }

    /// A derivative of a function of Rust, by dual numbers at run time.
    fn call(&self, function: Opaque, arguments: &[Value]) -> TokenStream {
        let of = |wanted: bool| (0..arguments.len()).filter(move |k| function.smooth[*k] == wanted);
        let places: Vec<usize> = of(true).collect();
        let inputs: Vec<&TokenStream> =
            places.iter().copied().chain(of(false)).map(|k| &self.values[arguments[k]]).collect();
        let along = function
            .along()
            .map(|k| Literal::usize_unsuffixed(placed(places.iter().position(|place| *place == k))));
        let name = opaque_name(function.number);
        let evaluate = quote! {
            |inputs| [::least_action::emitted::v1::derivative::<#name, _, _, _>(inputs, &[#(#along),*])]
        };
        match self.numbers {
            Numbers::Plain => quote!((#evaluate)([#(#inputs),*])[0]),
            Numbers::Generic => {
                let time = Ident::new("t", Span::mixed_site());
                quote!(T::lanewise(#time, [#(#inputs),*], #evaluate)[0])
            }
        }
    }
}

fn binary(a: &TokenStream, operator: &TokenStream, b: &TokenStream) -> TokenStream {
    quote!(#a #operator #b)
}

/// The type that stands for a function of Rust.
pub(super) fn opaque_name(function: usize) -> Ident {
    format_ident!("Opaque{function}", span = Span::mixed_site())
}

/// A number as code that reads back to equal bits.
pub fn number(value: f64) -> TokenStream {
    if value.is_nan() {
        return quote!(f64::NAN);
    }
    if value.is_infinite() {
        return if value > 0.0 { quote!(f64::INFINITY) } else { quote!(f64::NEG_INFINITY) };
    }
    let literal = Literal::f64_unsuffixed(value.abs());
    if value < 0.0 { quote!((-#literal)) } else { quote!(#literal) }
}
