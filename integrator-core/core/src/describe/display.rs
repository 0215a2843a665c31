//! Breaks long lines of LaTeX before `+` and `-`, so that they fit a page.

/// The largest width of a line in letters: the text width of a page.
const WIDE: f64 = 78.0;
/// The widest left side of a column.
const COLUMN: f64 = 20.0;
/// The text between the parts of a broken line.
const CONTINUED: &str = " \\\\\n&\\quad {}";
/// The indentation of a continued line in letters.
const INDENT: f64 = 4.0;

/// Equations `a &= b` as lines of one `align*` environment.
pub fn lines<'l>(equations: impl Iterator<Item = &'l str>) -> Vec<String> {
    let equations: Vec<(&str, &str)> =
        equations.map(|line| line.split_once(" &= ").unwrap_or(("", line))).collect();
    // Short left sides form a column, as wide as the widest of them.
    let lefts = equations.iter().map(|(left, _)| width(left)).filter(|left| *left <= COLUMN);
    let column = lefts.fold(0.0, f64::max);
    equations.into_iter().map(|(left, right)| equation(left, right, column)).collect()
}

fn equation(left: &str, right: &str, column: f64) -> String {
    let [beside, after] = [left, right].map(width);
    if beside <= COLUMN {
        let first = if left.is_empty() { "&".to_owned() } else { format!("{left} &=") };
        let parts = if column + after <= WIDE {
            vec![right.to_owned()]
        } else {
            broken(right, WIDE - column - INDENT)
        };
        return format!("{first} {}", parts.join(CONTINUED));
    }
    if column + beside + after <= WIDE {
        return format!("& {left} = {right}");
    }
    // If both sides are long, the right one begins a new line.
    let limit = WIDE - column - 2.0 * INDENT;
    let [left, right] = [broken(left, limit), broken(right, limit)].map(|parts| parts.join(CONTINUED));
    format!("& {left} \\\\\n&\\qquad = {right}")
}

/// The parts of a sum, each at most `limit` wide, if it can be broken.
pub fn broken(text: &str, limit: f64) -> Vec<String> {
    let mut open: Vec<Opened> = Vec::new();
    // The places at which a line may end, with the parentheses that are open there.
    let mut places: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let token = token(rest);
        match token {
            "{" | "\\begin" => open.push(Opened::Group),
            "\\left" => open.push(Opened::Parenthesis(at)),
            "}" | "\\end" => drop(open.pop()),
            "\\right" => {
                if let Some(Opened::Parenthesis(start)) = open.pop() {
                    pairs.push((start, at));
                }
            }
            // The range of indices follows.
            "\\quad" if open.is_empty() => break,
            " " if rest.starts_with(" + ") || rest.starts_with(" - ") => {
                let parentheses: Option<Vec<usize>> = open.iter().map(Opened::parenthesis).collect();
                places.extend(parentheses.map(|parentheses| (at, parentheses)));
            }
            _ => {}
        }
        at += token.len();
    }
    let (mut cuts, mut start) = (Vec::new(), 0);
    let mut stretched: Vec<usize> = Vec::new();
    while width(&text[start..]) > limit {
        // Among the places that fill a part of the line take the outermost,
        // then the last; otherwise the next one.
        let ahead = || places.iter().filter(|(place, _)| *place > start);
        let fitting = ahead().filter(|(place, _)| {
            let filled = width(&text[start..*place]);
            filled <= limit && filled >= limit / 3.0
        });
        let outermost = fitting.rev().min_by_key(|(_, parentheses)| parentheses.len());
        let Some((place, parentheses)) = outermost.or_else(|| ahead().next()) else { break };
        cuts.push(*place);
        stretched.extend(parentheses);
        start = *place;
    }
    // Delimiters that stretch must close in their line.
    let fixed = |from: usize, to: usize| {
        let mut part = String::new();
        let mut at = from;
        while at < to {
            let token = token(&text[at..]);
            let pair = pairs.iter().find(|(left, right)| *left == at || *right == at);
            part.push_str(match pair {
                Some((left, _)) if stretched.contains(left) => {
                    if *left == at {
                        "\\bigl"
                    } else {
                        "\\bigr"
                    }
                }
                _ => token,
            });
            at += token.len();
        }
        part.trim().to_owned()
    };
    let ends = cuts.iter().copied().chain([text.len()]);
    let starts = [0].into_iter().chain(cuts.iter().copied());
    starts.zip(ends).map(|(from, to)| fixed(from, to)).collect()
}

/// An open bracket.
enum Opened {
    /// `{`, or an environment: a line must not end inside.
    Group,
    /// `\left` at this place.
    Parenthesis(usize),
}

impl Opened {
    fn parenthesis(&self) -> Option<usize> {
        match self {
            Self::Group => None,
            Self::Parenthesis(place) => Some(*place),
        }
    }
}

/// The first command or character of `text`, which is not empty.
fn token(text: &str) -> &str {
    let mut letters = text.char_indices();
    let Some((_, first)) = letters.next() else { return text };
    if first != '\\' {
        return &text[..first.len_utf8()];
    }
    let name = text[1..].find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(text.len() - 1);
    // Commands such as `\,` have one character.
    let sign = text[1..].chars().next().map_or(0, char::len_utf8);
    let length = if name == 0 { sign } else { name };
    &text[..=length]
}

/// The approximate width in letters.
pub fn width(text: &str) -> f64 {
    let (mut at, mut sum) = (0, 0.0);
    while at < text.len() {
        let token = token(&text[at..]);
        at += token.len();
        match token {
            "\\frac" => {
                let (above, below) = (group(&text[at..]), group(&text[at + group(&text[at..]).len()..]));
                sum += width(above).max(width(below));
                at += above.len() + below.len();
            }
            "_" | "^" => {
                let script = group(&text[at..]);
                sum += 0.7 * width(script);
                at += script.len();
            }
            // Commands without width.
            "{" | "}" | "&" | " " | "\\left" | "\\right" | "\\mathrm" | "\\mathbf" | "\\boldsymbol"
            | "\\dot" | "\\ddot" | "\\text" | "\\begin" | "\\end" => {}
            "\\," => sum += 0.4,
            "+" | "-" | "=" | "\\ne" | "\\le" | "\\ge" => sum += 2.0,
            "\\sum" | "\\quad" => sum += 2.5,
            "\\sin" | "\\cos" | "\\tan" | "\\exp" | "\\log" => sum += 3.0,
            _ => sum += 1.0,
        }
    }
    sum
}

/// The group in braces or the single token at the start of `text`.
fn group(text: &str) -> &str {
    let (mut at, mut depth) = (0, 0_usize);
    while at < text.len() {
        let token = token(&text[at..]);
        at += token.len();
        match token {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    &text[..at]
}
