//! Reads the options of methods from files, from the command line and from plans.

use std::path::Path;

use serde_json::{Number, Value};

use least_action_methods::{Given, OptionKind as Kind, Options};

use crate::error::{Error, Names};
use crate::settings;

/// Reads the options of `method`, which has those in `known`.
pub(crate) fn read(
    method: &str,
    known: &[&str],
    params: Option<&Path>,
    with: &[String],
) -> Result<Options, Error> {
    let mut given = settings::file(params)?.method;
    for text in with {
        let (name, value) = settings::assignment("--with", text)?;
        given.push((name.to_owned(), plain(value)));
    }
    of(method, known, given.iter().map(|(name, value)| (&**name, value)))
}

/// Takes these options of `method`, the later ones in place of those before.
pub(crate) fn of<'v>(
    method: &str,
    known: &[&str],
    given: impl IntoIterator<Item = (&'v str, &'v Value)>,
) -> Result<Options, Error> {
    let mut options = Options::default();
    for (name, value) in given {
        if !known.contains(&name) {
            let known: Names = known.iter().copied().collect();
            let hint = known.near(name);
            return Err(Error::UnknownOption {
                method: method.to_owned(),
                name: name.to_owned(),
                hint,
                known,
            });
        }
        options.push(name, fitting(name, value)?);
    }
    Ok(options)
}

/// A value as it is written on the command line: a number, a list, or a word.
fn plain(text: &str) -> Value {
    let number = text.trim().parse().ok().and_then(Number::from_f64).map(Value::Number);
    let list = || serde_json::from_str(text).ok().filter(Value::is_array);
    number.or_else(list).unwrap_or_else(|| Value::String(text.to_owned()))
}

/// The value, if it is one that the option takes.
fn fitting(name: &str, value: &Value) -> Result<Given, Error> {
    let text = || value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match (Kind::of(name), value) {
        (Kind::Number | Kind::Numbers, Value::Number(number)) => {
            number.as_f64().map(|number| Given::Numbers(vec![number]))
        }
        (Kind::Numbers, Value::Array(list)) if !list.is_empty() => {
            list.iter().map(Value::as_f64).collect::<Option<_>>().map(Given::Numbers)
        }
        (Kind::Word(words), Value::String(given)) => {
            words.iter().find(|word| *word == given).map(|word| Given::Word(word))
        }
        _ => None,
    }
    .ok_or_else(|| match Kind::of(name) {
        Kind::Number => Error::OptionNotANumber { name: name.to_owned(), value: text() },
        Kind::Numbers => Error::OptionNotNumbers { name: name.to_owned(), value: text() },
        Kind::Word(words) => {
            let known: Names = words.iter().copied().collect();
            Error::OptionNotAWord { name: name.to_owned(), hint: known.near(&text()), value: text(), known }
        }
    })
}

#[cfg(test)]
mod tests {
    use least_action_methods::Options;

    use super::read as options;

    fn read(with: &[&str]) -> Result<Options, String> {
        let with: Vec<String> = with.iter().map(|text| (*text).to_owned()).collect();
        let known = ["beta", "grid", "triangulation"];
        options("method", &known, None, &with).map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_lists_and_words_are_read() {
        let options =
            read(&["beta=1.", "beta= +2e-1 ", "grid=[0.5, 1]", "triangulation=union-jack"]).unwrap();
        assert_eq!(options.get("beta"), Some(0.2));
        assert_eq!(options.numbers("grid"), Some(&[0.5, 1.0][..]));
        assert_eq!(options.get("grid"), None);
        assert_eq!(options.word("triangulation"), Some("union-jack"));
        assert_eq!(read(&["grid=0.25"]).unwrap().numbers("grid"), Some(&[0.25][..]));
    }

    #[test]
    fn what_an_option_does_not_take_is_refused() {
        for value in ["inf", "NaN", "1e999", "null", "[1]", "much", ""] {
            let refused = read(&[&format!("beta={value}")]).unwrap_err();
            assert_eq!(refused, format!("--with beta: `{value}` is not a finite number"));
        }
        let refused = read(&["grid=[1,null]"]).unwrap_err();
        assert_eq!(
            refused,
            "--with grid: `[1,null]` is neither a finite number nor a list such as [0.1,0.2]"
        );
        let refused = read(&["triangulation=kuhm"]).unwrap_err();
        assert_eq!(
            refused,
            "--with triangulation: `kuhm` is none of its words (did you mean `kuhn`?); there are: kuhn, mirrored, union-jack"
        );
    }
}
