//! A file of Rust as the gate reads it: words and signs, without comments, texts and tests.

use std::ops::RangeInclusive;

/// A word, a sign or a literal, with its line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    pub(crate) line: usize,
}

/// A file without its tests.
pub(crate) struct Source<'a> {
    pub(crate) tokens: Vec<Token<'a>>,
    /// Lines outside of tests.
    pub(crate) lines: usize,
    /// Lines that hold a comment and nothing before it, each with its number, outside of tests.
    pub(crate) comments: Vec<(usize, &'a str)>,
    /// The modules in other files that only tests have.
    pub(crate) tests: Vec<&'a str>,
}

impl<'a> Source<'a> {
    pub(crate) fn read(text: &'a str) -> Self {
        let (mut tokens, commented) = lex(text);
        let (tested, tests) = leave_out_tests(&mut tokens);
        let product = |number: &usize| !tested.iter().any(|lines| lines.contains(number));
        let lines: Vec<&str> = text.lines().collect();
        Self {
            tokens,
            lines: (1..=lines.len()).filter(product).count(),
            comments: commented
                .into_iter()
                .filter(product)
                .map(|number| (number, lines[number - 1]))
                .collect(),
            tests,
        }
    }
}

/// The tokens, and the numbers of the comment lines.
fn lex(text: &str) -> (Vec<Token<'_>>, Vec<usize>) {
    let (mut tokens, mut comments) = (Vec::<Token<'_>>::new(), Vec::new());
    let (mut rest, mut line) = (text, 1);
    while let Some(first) = rest.chars().next() {
        let comment = rest.starts_with("//") || rest.starts_with("/*");
        let length = if comment { comment_length(rest) } else { token_length(rest, first) };
        let (piece, after) = rest.split_at(length);
        let last = line + piece.matches('\n').count();
        if comment {
            let stands_behind_code = tokens.last().is_some_and(|token| token.line == line);
            comments.extend(line + usize::from(stands_behind_code)..=last);
        } else if !first.is_whitespace() {
            tokens.push(Token { text: piece, line });
        }
        (rest, line) = (after, last);
    }
    (tokens, comments)
}

fn comment_length(rest: &str) -> usize {
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let pair = rest.as_bytes().get(at..at + 2);
        match pair {
            Some(b"/*") => depth += 1,
            Some(b"*/") => depth -= 1,
            _ => {}
        }
        at += if matches!(pair, Some(b"/*" | b"*/")) { 2 } else { 1 };
        if depth == 0 {
            break;
        }
    }
    at
}

fn token_length(rest: &str, first: char) -> usize {
    let word = rest.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(rest.len());
    match &rest[..word] {
        "" if first == '"' => string_length(rest),
        "" if first == '\'' => character_length(rest),
        "" => first.len_utf8(),
        "r" | "br" | "cr" => {
            let hashes = rest[word..].bytes().take_while(|byte| *byte == b'#').count();
            let start = word + hashes + 1;
            if rest[word + hashes..].starts_with('"') {
                let end = format!("\"{}", "#".repeat(hashes));
                rest[start..].find(&end).map_or(rest.len(), |at| start + at + end.len())
            } else {
                word
            }
        }
        _ => word,
    }
}

fn string_length(rest: &str) -> usize {
    let mut escaped = true;
    let end = rest.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(rest.len(), |at| at + 1)
}

/// A character, or the apostrophe of a lifetime.
fn character_length(rest: &str) -> usize {
    if rest.starts_with("'\\") {
        return rest.get(3..).and_then(|tail| tail.find('\'')).map_or(rest.len(), |at| at + 4);
    }
    let character = rest[1..].chars().next().map_or(0, char::len_utf8);
    if rest[1 + character..].starts_with('\'') { character + 2 } else { 1 }
}

/// Takes out items under `#[cfg(test)]`.
/// Gives their lines, and the names of modules among them that have a file.
fn leave_out_tests<'a>(tokens: &mut Vec<Token<'a>>) -> (Vec<RangeInclusive<usize>>, Vec<&'a str>) {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    const ITEMS: [&str; 10] =
        ["mod", "use", "fn", "impl", "struct", "enum", "trait", "type", "const", "static"];
    let (mut lines, mut modules, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        let here = &tokens[at..];
        if here.len() > MARK.len() && here.iter().zip(MARK).all(|(token, mark)| token.text == mark) {
            let keyword = at + keyword(here).0;
            let text = |number: usize| tokens.get(number).map_or("", |token| token.text);
            if ITEMS.contains(&text(keyword)) {
                let end = keyword + item_length(&tokens[keyword..]);
                lines.push(tokens[at].line..=tokens[end - 1].line);
                if text(keyword) == "mod" && text(keyword + 2) == ";" {
                    modules.push(text(keyword + 1));
                }
                at = end;
                continue;
            }
        }
        kept.push(tokens[at]);
        at += 1;
    }
    *tokens = kept;
    (lines, modules)
}

/// The place of an item's keyword behind attributes and visibility.
/// The marks say if the item is `pub` without limits, and if the documentation hides it.
pub(crate) fn keyword(item: &[Token<'_>]) -> (usize, bool, bool) {
    let text = |at: usize| item.get(at).map_or("", |token| token.text);
    let (mut at, mut hidden) = (0, false);
    while text(at) == "#" {
        let start = at + 1 + usize::from(text(at + 1) == "!");
        let end = start + group_length(&item[start..]);
        hidden |= text(start + 1) == "doc" && text(start + 3) == "hidden";
        at = end;
    }
    let public = text(at) == "pub" && text(at + 1) != "(";
    if text(at) == "pub" {
        at += 1;
        if text(at) == "(" {
            at += group_length(&item[at..]);
        }
    }
    (at, public, hidden)
}

/// The number of tokens from an opening bracket to its end.
pub(crate) fn group_length(tokens: &[Token<'_>]) -> usize {
    let mut depth = 0_usize;
    for (number, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return number + 1;
        }
    }
    tokens.len()
}

/// The number of tokens of an item: to a semicolon, or to the end of braces.
pub(crate) fn item_length(tokens: &[Token<'_>]) -> usize {
    let mut at = 0;
    while at < tokens.len() {
        let text = tokens[at].text;
        at += if matches!(text, "(" | "[" | "{") { group_length(&tokens[at..]) } else { 1 };
        // The braces of an import end before its semicolon.
        if text == ";" || text == "{" && tokens[0].text != "use" {
            break;
        }
    }
    at
}
