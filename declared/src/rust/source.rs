//! Files of Rust, read without a limit on what they may hold, but with one on their depth.

use super::error::{Error, Place, Result};
use proc_macro2::{Delimiter, LexError, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use syn::{File, Item};

/// What a file lacks that declares no model.
pub(crate) const DECLARES: &str = "an `impl` block under `#[lagrangian]` declares a model";
/// The longest file, in bytes.
const LONGEST: usize = 4 << 20;
/// The most tokens of an expression outside of its parentheses: each may nest a level.
const MOST_TOKENS: usize = 3000;
/// The deepest nesting, for which a parser without optimization needs less than a megabyte.
const DEEPEST: usize = 200;
/// The part of it that a pair of parentheses takes.
const OF_PARENTHESES: usize = 4;

/// The place of the file of a model among the files of its source, behind the prelude.
pub(crate) const OWN: usize = 1;

/// The prelude, the file of a model, and the modules that it names.
#[derive(Debug, Clone)]
pub struct Source {
    pub(crate) files: Vec<SourceFile>,
}

/// A file: its name in messages, the path of its module, and its items, as they were added.
#[derive(Debug, Clone)]
pub(crate) struct SourceFile {
    pub(crate) name: Arc<str>,
    pub(crate) module: Vec<String>,
    pub(crate) items: Vec<Rc<[Item]>>,
}

impl Source {
    /// Reads a file, whose name is for messages.
    ///
    /// # Errors
    /// It is no Rust, too long, or too deep.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let mut source = Self { files: vec![prelude()?] };
        source.add(name, &[], text)?;
        Ok(source)
    }

    /// Adds the file of `crate::a::b`, of which the path is `["a", "b"]`.
    ///
    /// # Errors
    /// It is no Rust, too long, or too deep.
    pub fn with_module(mut self, name: &str, path: &[&str], text: &str) -> Result<Self> {
        self.add(name, path, text)?;
        Ok(self)
    }

    /// The `impl` blocks with declarations, of the file itself.
    pub fn declarations(&self) -> impl Iterator<Item = &syn::ItemImpl> {
        let items = self.files.get(OWN).into_iter().flat_map(|file| &file.items).flat_map(|items| &**items);
        items
            .filter_map(|item| if let Item::Impl(item) = item { Some(item) } else { None })
            .filter(|item| is_declaration(item))
    }

    /// The source with more blocks of the declaration: as in the first one, mistakes in them count when
    /// their methods are called.
    pub(crate) fn with_blocks(&self, tokens: TokenStream) -> syn::Result<Self> {
        let mut more = syn::parse2::<File>(tokens)?.items;
        for item in &mut more {
            if let Item::Impl(item) = item {
                item.attrs.push(syn::parse_quote!(#[lagrangian]));
            }
        }
        let mut source = self.clone();
        if let Some(file) = source.files.get_mut(OWN) {
            file.items.push(more.into());
        }
        Ok(source)
    }

    /// The mistakes that the compiler found in the declaration, at their places.
    pub(crate) fn mistakes(&self, found: &syn::Error) -> Vec<Error> {
        let files: Vec<Arc<str>> = self.files.iter().map(|file| Arc::clone(&file.name)).collect();
        let mistake = |error: syn::Error| {
            let text = error.to_string();
            let (message, help) = text.split_once("\n\nhelp: ").map_or((&*text, None), |(a, b)| (a, Some(b)));
            let told = Error::new(message).at(place(error.span(), OWN as u16)).of(&files);
            help.map_or(told.clone(), |help| told.with_help(help))
        };
        found.clone().into_iter().map(mistake).collect()
    }

    fn add(&mut self, name: &str, path: &[&str], text: &str) -> Result {
        let (file, name) = (self.files.len(), Arc::<str>::from(name));
        let found = read(text, file as u16).map_err(|error| error.of(&vec![Arc::clone(&name); file + 1]))?;
        let module = path.iter().map(|&part| part.to_owned()).collect();
        let mut items = found.items;
        if file == OWN {
            items.extend(without_parameters(&items));
        }
        self.files.push(SourceFile { name, module, items: vec![items.into()] });
        Ok(())
    }
}

/// The struct of a model without parameters, for a text that leaves it out.
fn without_parameters(items: &[Item]) -> Option<Item> {
    let mut blocks =
        items.iter().filter_map(|item| if let Item::Impl(item) = item { Some(item) } else { None });
    let name = match &*blocks.find(|item| is_declaration(item))?.self_ty {
        syn::Type::Path(path) => path.path.get_ident()?,
        _ => return None,
    };
    let may_be = |item: &Item| match item {
        Item::Use(item) => item.to_token_stream().to_string().contains(&name.to_string()),
        item => matches!(item, Item::Struct(_) | Item::Enum(_)),
    };
    (!items.iter().any(may_be)).then(|| syn::parse_quote!(struct #name;))
}

/// The file that every file knows, which a thread reads once.
fn prelude() -> Result<SourceFile> {
    thread_local! {
        static ITEMS: RefCell<Option<Rc<[Item]>>> = const { RefCell::new(None) };
    }
    let known = ITEMS.with_borrow(Clone::clone);
    let items = match known {
        Some(items) => items,
        None => read(include_str!("prelude.rs"), 0)?.items.into(),
    };
    ITEMS.set(Some(Rc::clone(&items)));
    Ok(SourceFile { name: "the prelude".into(), module: Vec::new(), items: vec![items] })
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

fn read(text: &str, file: u16) -> Result<File> {
    let start = Place { file, line: 1, column: 1 };
    if text.len() > LONGEST {
        return Err(Error::new(format!("the file has more than {LONGEST} bytes")).at(start));
    }
    let text = text.trim_start_matches('\u{feff}');
    let tokens: TokenStream = text
        .parse()
        .map_err(|error: LexError| Error::new("this is no Rust").at(place(error.span(), file)))?;
    shallow(tokens.clone(), file)?;
    syn::parse2(tokens).map_err(|error| {
        let told = Error::new(error.to_string()).at(place(error.span(), file));
        // Words of another language.
        if text.contains("#[") || usize::from(file) > OWN { told } else { told.with_help(DECLARES) }
    })
}

/// Refuses tokens that would make the parser, or a later stage, recurse too deep.
fn shallow(tokens: TokenStream, file: u16) -> Result {
    // Nested groups wait here: nothing recurses.
    let mut open = vec![(tokens.into_iter(), Run::default())];
    let mut depth = 0;
    while let Some((rest, run)) = open.last_mut() {
        let Some(tree) = rest.next() else {
            open.pop();
            depth = open.last().map_or(0, |(_, run)| depth - run.depth() - OF_PARENTHESES);
            continue;
        };
        run.step(&tree);
        if run.length > MOST_TOKENS || depth + run.depth() > DEEPEST {
            let error = Error::new("this nests too deep").with_help("name parts of it by `let`");
            return Err(error.at(place(tree.span(), file)));
        }
        if let TokenTree::Group(group) = tree {
            depth += run.depth() + OF_PARENTHESES;
            open.push((group.stream().into_iter(), Run::default()));
        }
    }
    Ok(())
}

/// Words that begin an expression around the one behind them.
const PREFIXES: [&str; 14] = [
    "return", "break", "move", "mut", "const", "ref", "dyn", "if", "match", "while", "let", "impl", "for",
    "fn",
];

/// The tokens since the beginning of an expression: all, those around the next operand, and open `<`.
#[derive(Default)]
struct Run {
    length: usize,
    prefixes: usize,
    /// Those whose operand reaches to the end: `=`, `|x|`, `else`.
    around: usize,
    angles: usize,
    after_block: bool,
    before: char,
}

impl Run {
    fn depth(&self) -> usize {
        self.prefixes + self.around + self.angles
    }

    fn step(&mut self, tree: &TokenTree) {
        let sign = if let TokenTree::Punct(sign) = tree { sign.as_char() } else { ' ' };
        let word = if let TokenTree::Ident(word) = tree { word.to_string() } else { String::new() };
        let begins = match tree {
            TokenTree::Punct(_) => matches!(sign, ';' | ','),
            // Behind a block begins a statement or an item, but not behind `else` and `as`.
            TokenTree::Ident(_) => self.after_block && word != "else" && word != "as",
            _ => self.after_block && matches!(tree, TokenTree::Literal(_)),
        };
        if begins {
            let angles = if sign == ',' { self.angles } else { 0 };
            *self = Self { angles, ..Self::default() };
        }
        let is_alone = |sign: &Punct| sign.spacing() == Spacing::Alone;
        let is_prefix = PREFIXES.contains(&word.as_str());
        match tree {
            TokenTree::Punct(sign)
                if is_alone(sign) && self.before == ' ' && matches!(sign.as_char(), '=' | '|') =>
            {
                self.around += 1;
            }
            TokenTree::Punct(_) => self.prefixes += 1,
            _ if is_prefix => self.prefixes += 1,
            _ => {
                self.around += usize::from(word == "else");
                self.prefixes = 0;
            }
        }
        match sign {
            '<' => self.angles += 1,
            '>' if !matches!(self.before, '-' | '=') => self.angles = self.angles.saturating_sub(1),
            _ => {}
        }
        self.length += 1;
        self.before = sign;
        self.after_block = matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    }
}
