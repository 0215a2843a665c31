//! Files of Rust, read without a limit on what they may hold, but with one on their depth.

use super::error::{Error, Place};
use proc_macro2::{Delimiter, LexError, Span, TokenStream, TokenTree};
use std::sync::Arc;
use syn::{File, Item};

/// The longest file, in bytes.
const LONGEST: usize = 4 << 20;
/// The deepest nesting of parentheses.
const DEEPEST: usize = 100;
/// The most operators before an operand.
const MOST_PREFIXES: usize = 100;
/// The most tokens of an expression outside of its parentheses: each may nest a level.
const MOST_TOKENS: usize = 3000;

/// The file of a model, and the modules that it names.
#[derive(Debug, Clone)]
pub struct Source {
    pub(crate) files: Vec<SourceFile>,
}

/// A file: its name in messages, the path of its module, and its items.
#[derive(Debug, Clone)]
pub(crate) struct SourceFile {
    pub(crate) name: Arc<str>,
    pub(crate) module: Vec<String>,
    pub(crate) items: Vec<Item>,
}

impl Source {
    /// Reads a file, whose name is for messages.
    ///
    /// # Errors
    /// It is no Rust, too long, or too deep.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let mut source = Self { files: Vec::new() };
        source.add(name, &[], text)?;
        Ok(source)
    }

    /// Adds the file of `crate::a::b`, of which the path is `["a", "b"]`.
    ///
    /// # Errors
    /// It is no Rust, too long, or too deep.
    pub fn with_module(mut self, name: &str, path: &[&str], text: &str) -> Result<Self, Error> {
        self.add(name, path, text)?;
        Ok(self)
    }

    /// The `impl` block with the declaration, of the file itself.
    pub fn declaration(&self) -> Option<&syn::ItemImpl> {
        let items = self.files.first().into_iter().flat_map(|file| &file.items);
        items
            .filter_map(|item| if let Item::Impl(item) = item { Some(item) } else { None })
            .find(|item| is_declaration(item))
    }

    /// The mistakes that the compiler found in the declaration, at their places.
    pub(crate) fn mistakes(&self, found: &syn::Error) -> Vec<Error> {
        let files: Vec<Arc<str>> = self.files.iter().map(|file| Arc::clone(&file.name)).collect();
        let mistake = |error: syn::Error| {
            let text = error.to_string();
            let (message, help) = text.split_once("\n\nhelp: ").map_or((&*text, None), |(a, b)| (a, Some(b)));
            let told = Error::new(message).at(place(error.span(), 0)).of(&files);
            help.map_or(told.clone(), |help| told.with_help(help))
        };
        found.clone().into_iter().map(mistake).collect()
    }

    fn add(&mut self, name: &str, path: &[&str], text: &str) -> Result<(), Error> {
        let (file, name) = (self.files.len(), Arc::<str>::from(name));
        let found = read(text, file as u16).map_err(|error| error.of(&vec![Arc::clone(&name); file + 1]))?;
        let module = path.iter().map(|&part| part.to_owned()).collect();
        self.files.push(SourceFile { name, module, items: found.items });
        Ok(())
    }
}

/// If a block has the attribute `#[lagrangian]`.
pub(crate) fn is_declaration(item: &syn::ItemImpl) -> bool {
    item.attrs
        .iter()
        .any(|attribute| attribute.path().segments.last().is_some_and(|last| last.ident == "lagrangian"))
}

/// The place of a token.
pub(crate) fn place(span: Span, file: u16) -> Place {
    let start = span.start();
    let column = u16::try_from(start.column + 1).unwrap_or(u16::MAX);
    Place { file, column, line: start.line as u32 }
}

fn read(text: &str, file: u16) -> Result<File, Error> {
    let start = Place { file, line: 1, column: 1 };
    if text.len() > LONGEST {
        return Err(Error::new(format!("the file has more than {LONGEST} bytes")).at(start));
    }
    let text = text.trim_start_matches('\u{feff}');
    let tokens: TokenStream = text
        .parse()
        .map_err(|error: LexError| Error::new("this is no Rust").at(place(error.span(), file)))?;
    shallow(&tokens, file)?;
    syn::parse2(tokens).map_err(|error| Error::new(error.to_string()).at(place(error.span(), file)))
}

/// Refuses tokens that would make the parser, or a later stage, recurse too deep.
///
/// # Errors
/// The place of the token that is too deep.
pub(crate) fn shallow(tokens: &TokenStream, file: u16) -> Result<(), Error> {
    // Nested groups wait here: nothing recurses.
    let mut open = vec![(tokens.clone().into_iter(), Run::default())];
    while let Some((rest, run)) = open.last_mut() {
        let Some(tree) = rest.next() else {
            open.pop();
            continue;
        };
        run.step(&tree);
        let is_long = run.length > MOST_TOKENS || run.prefixes.max(run.angles) > MOST_PREFIXES;
        let is_deep = is_long || open.len() > DEEPEST;
        if is_deep {
            return Err(Error::new("this nests too deep")
                .with_help("name parts of it by `let`")
                .at(place(tree.span(), file)));
        }
        if let TokenTree::Group(group) = tree {
            open.push((group.stream().into_iter(), Run::default()));
        }
    }
    Ok(())
}

/// Words that begin an expression around the one behind them.
const PREFIXES: [&str; 13] =
    ["return", "break", "move", "mut", "const", "ref", "dyn", "if", "match", "while", "let", "impl", "for"];

/// The tokens since the beginning of an expression, the operators before an operand, and open `<`.
#[derive(Default)]
struct Run {
    length: usize,
    prefixes: usize,
    angles: usize,
    after_block: bool,
    after_dash: bool,
}

impl Run {
    fn step(&mut self, tree: &TokenTree) {
        let sign = if let TokenTree::Punct(sign) = tree { sign.as_char() } else { ' ' };
        self.prefixes = match tree {
            TokenTree::Punct(_) => self.prefixes + 1,
            TokenTree::Ident(word) if PREFIXES.iter().any(|known| word == known) => self.prefixes + 1,
            _ => 0,
        };
        let begins = match tree {
            TokenTree::Punct(_) => matches!(sign, ';' | ','),
            // Behind a block begins a statement or an item, but not behind `else` and `as`.
            TokenTree::Ident(word) => self.after_block && word != "else" && word != "as",
            _ => self.after_block && matches!(tree, TokenTree::Literal(_)),
        };
        self.length = if begins { 0 } else { self.length + 1 };
        self.angles = match sign {
            '<' => self.angles + 1,
            '>' if !self.after_dash => self.angles.saturating_sub(1),
            ',' => self.angles,
            _ if begins => 0,
            _ => self.angles,
        };
        self.after_dash = matches!(sign, '-' | '=');
        self.after_block = matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    }
}
