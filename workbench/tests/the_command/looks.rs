//! The look of a model, which is its author's own code.

use least_action::prelude::*;
use least_action_command::Workbench;

use crate::support::Directory;

/// A bead on a line, whose look may be wrong.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Shy {
    fault: usize,
}

#[lagrangian]
impl Shy {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - 0.5 * x.powi(2)
    }
}

impl Start for Shy {
    fn start(&self) -> State {
        State::at_rest(vec![1.0])
    }

    fn look(&self) -> Look {
        assert!(self.fault != 4, "no look today");
        let table = [0.0; 3];
        let last = [usize::MAX, 0][usize::from(self.fault == 5)];
        let limit = if self.fault == 6 { 0.5 } else { f64::INFINITY };
        let look = Look::new().points("bead", move |q, t| {
            let shift = table[if last == 0 || t > limit { 3 } else { 0 }];
            vec![Vector3::new(q[0] + shift, 0.0, 0.0)]
        });
        match self.fault {
            1 => look.rod(("bead", 0), ("nowhere", 0)),
            2 => look.rod(("bead", 0), ("bead", 1)),
            3 => look.colours("beads", &["red"]),
            7 => look.species("bead", &["O 2"]),
            _ => look,
        }
    }
}

#[test]
fn a_wrong_look_is_told_in_a_line_and_ends_no_run() {
    let directory = Directory::new();
    let run = |fault: usize| {
        let page = directory.path(&format!("{fault}.html"));
        let line = format!("run shy --set fault={fault} --method verlet --step 0.1 --until 1 --view {page}");
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code =
            Workbench::new("bench").model::<Shy>("shy").run(line.split_whitespace(), &mut out, &mut err);
        (code, String::from_utf8(err).unwrap(), std::fs::read_to_string(page).ok())
    };
    for (fault, word) in [
        (1, "the look of `shy` cannot be drawn: it names `nowhere`"),
        (2, "`bead[1]`, and `bead` has 1 points"),
        (3, "it names `beads`"),
        (7, "its species \"O 2\" is no word such as \"O\""),
        (4, "no look today"),
        (5, "index out of bounds"),
    ] {
        let (code, err, page) = run(fault);
        assert_eq!((code, err.lines().count(), page.is_some()), (2, 1, false), "{fault}: {err}");
        assert!(err.contains(word), "{fault}: {err}");
    }
    let (code, err, page) = run(0);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(!page.unwrap().contains("are no numbers"));
    // What has no place from some time on is not drawn.
    let (code, err, page) = run(6);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(page.unwrap().contains("5 positions are no numbers, and are not drawn."));
}
