//! Words of the command for Python: `--step` is the argument `step`, `--with beta=0.4` is `beta=0.4`.

use least_action_methods::METHODS;

/// A message of the command as one of the module.
///
/// A flag is an argument of its name, and flags that say a name themselves leave it alone.
pub(super) fn of_python(message: &str) -> String {
    let mut said = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(place) = rest.find("--") {
        let (before, flag) = rest.split_at(place);
        let name = &flag[2..];
        let end =
            name.find(|letter: char| !letter.is_ascii_lowercase() && letter != '-').unwrap_or(name.len());
        let is_flag = name.starts_with(|letter: char| letter.is_ascii_lowercase())
            && !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '-');
        said.push_str(before);
        let (name, after) = name.split_at(end);
        rest = match (is_flag, name, after.strip_prefix(' ')) {
            (false, ..) => {
                said.push_str("--");
                &flag[2..]
            }
            (true, "with" | "set", Some(assigned)) => assigned,
            (true, _, given) => {
                said.push_str(&name.replace('-', "_"));
                said.push_str(if given.is_some() { "=" } else { "" });
                given.filter(|given| begins_with_a_value(given)).unwrap_or(after)
            }
        };
    }
    said + rest
}

/// True if a text begins with a value, or with a word that stands for one.
fn begins_with_a_value(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default().trim_end_matches([',', ';', ':', '.']);
    METHODS.iter().any(|method| method.name == word)
        || word.contains(|letter: char| {
            letter.is_uppercase() || letter.is_ascii_digit() || "`…./".contains(letter)
        })
}
