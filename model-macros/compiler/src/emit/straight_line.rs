//! Programs → straight-line code: one `let` for each operation, values for all elements first.

use crate::functions::FunctionTable;
use crate::graph::{Leaf, Opaque};
use crate::kernels::placed;
use crate::schedule::{Program, Source, Value};
use least_action_kernel::{Instruction, Line, Put};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};

/// A name that can meet no name of the user's.
pub(super) fn internal(text: &str) -> Ident {
    Ident::new(text, Span::mixed_site())
}

/// A variable of emitted code. Rustc keeps it apart from the user's variables by its span, and the run
/// time by its name.
pub(super) fn local(text: &str) -> Ident {
    format_ident!("__{text}", span = Span::mixed_site())
}

/// Code for a set of expressions.
pub struct StraightLine {
    /// The `let`s.
    pub lines: TokenStream,
    /// The value of each expression.
    pub outputs: Vec<TokenStream>,
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
    let (lines, outputs) = program.lines(&|source| source, &[]);
    let read = |source| match source {
        Source::Leaf(leaf) => read(leaf),
        Source::Coefficient(_) => TokenStream::new(),
    };
    let (lines, values) = written(&lines, Numbers::Plain, &read, &|_, _| TokenStream::new());
    StraightLine { lines, outputs: outputs.into_iter().map(|output| values[output].clone()).collect() }
}

/// Emits lines; returns them with the code of each value. `read` gives the code that reads a number, and
/// `put` the code that puts one somewhere.
pub(super) fn written<R: Copy>(
    lines: &[Line<R, Opaque>],
    numbers: Numbers,
    read: &dyn Fn(R) -> TokenStream,
    put: &dyn Fn(&Put, &TokenStream) -> TokenStream,
) -> (TokenStream, Vec<TokenStream>) {
    let mut writer = Writer { numbers, lines: TokenStream::new(), values: Vec::new(), count: 0 };
    for line in lines {
        match line {
            Line::Compute(instruction) => {
                let code = writer.instruction(*instruction, read);
                writer.values.push(code);
            }
            Line::Put(value, to) => {
                let code = put(to, &writer.values[*value]);
                writer.lines.extend(code);
            }
        }
    }
    (writer.lines, writer.values)
}

struct Writer {
    numbers: Numbers,
    lines: TokenStream,
    values: Vec<TokenStream>,
    count: usize,
}

impl Writer {
    /// A line of its own for a value.
    fn name(&mut self, code: &TokenStream) -> TokenStream {
        let name: Ident = local(&format!("s{}", self.count));
        self.count += 1;
        self.lines.extend(quote!(let #name = #code;));
        quote!(#name)
    }

    /// The code of an instruction: a number, or the name of its line.
    fn instruction<R>(
        &mut self,
        instruction: Instruction<R, Opaque>,
        read: &dyn Fn(R) -> TokenStream,
    ) -> TokenStream {
        let path = self.numbers.path();
        let of = |value: Value| &self.values[value];
        let method = |name: &str, arguments: &[Value]| {
            let (name, arguments) = (internal(name), arguments.iter().map(|value| of(*value)));
            quote!(#path::#name(#(#arguments),*))
        };
        let code = match instruction {
            Instruction::Number(value) => return self.numbers.constant(value),
            // A kernel reads a number once, since results put in between might change it.
            Instruction::Read(from) if self.numbers == Numbers::Generic => read(from),
            Instruction::Read(from) => return read(from),
            Instruction::Add(a, b) => binary(of(a), &quote!(+), of(b)),
            Instruction::Subtract(a, b) => binary(of(a), &quote!(-), of(b)),
            Instruction::Offset(a, value) if value < 0.0 => binary(of(a), &quote!(-), &number(-value)),
            Instruction::Offset(a, value) => binary(of(a), &quote!(+), &number(value)),
            Instruction::Negate(a) => {
                let a = of(a);
                quote!(-#a)
            }
            Instruction::Multiply(a, b) => binary(of(a), &quote!(*), of(b)),
            Instruction::Scale(a, value) => binary(of(a), &quote!(*), &number(value)),
            Instruction::MultiplyAdd(a, b, c) => {
                let (a, b, c) = (of(a), of(b), of(c));
                match self.numbers {
                    Numbers::Plain => quote!(#a * #b + #c),
                    Numbers::Generic => quote!(T::multiply_add(#a, #b, #c)),
                }
            }
            Instruction::Reciprocal(a) => method("recip", &[a]),
            Instruction::Root(a) => method("sqrt", &[a]),
            Instruction::InverseRoot(a) => {
                let a = of(a);
                match self.numbers {
                    Numbers::Plain => quote!(1.0 / f64::sqrt(#a)),
                    Numbers::Generic => quote!(T::recip_sqrt(#a)),
                }
            }
            Instruction::Function(function, a) => {
                if self.numbers == Numbers::Generic || function.entry().standard {
                    method(function.name(), &[a])
                } else {
                    let (name, a) = (internal(function.name()), of(a));
                    quote!(<f64 as ::least_action::emitted::v1::Real>::#name(#a))
                }
            }
            Instruction::Power(base, exponent) => method("powf", &[base, exponent]),
            Instruction::Atan2(y, x) => method("atan2", &[y, x]),
            Instruction::Select { gap, strict, yes, no } => {
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
            Instruction::Call(function, arguments, count) => self.call(function, &arguments[..count]),
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
