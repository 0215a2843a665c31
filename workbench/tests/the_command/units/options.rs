//! Options of methods are numbers, lists or words.

use least_action_command::internals::read_options;
use least_action_methods::Options;

fn read(with: &[&str]) -> Result<Options, String> {
    let with: Vec<String> = with.iter().map(|text| (*text).to_owned()).collect();
    let known = ["beta", "grid", "triangulation"];
    read_options("method", &known, None, &with).map_err(|error| error.to_string())
}

#[test]
fn numbers_lists_and_words_are_read() {
    let options = read(&["beta=1.", "beta= +2e-1 ", "grid=[0.5, 1]", "triangulation=union-jack"]).unwrap();
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
    assert_eq!(refused, "--with grid: `[1,null]` is neither a finite number nor a list such as [0.1,0.2]");
    let refused = read(&["triangulation=kuhm"]).unwrap_err();
    assert_eq!(
        refused,
        "--with triangulation: `kuhm` is none of its words (did you mean `kuhn`?); there are: kuhn, mirrored, union-jack"
    );
}
