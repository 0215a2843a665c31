//! The look of a model, which is its author's own code.

use least_action::Model;
use least_action::expr::Oracle;
use least_action::prelude::*;
use least_action_command::Workbench;
use least_action_pages::model::{Subject, bind};
use least_action_pages::view::Scene;
use serde_json::Value;

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
            8 => look.disc(("bead", 0), ("bead", 2), 1.0),
            9 => look.cone(("bead", 0), ("bead", 0), f64::NAN),
            10 => look.ground(Vector3::zeros(), Vector3::zeros()),
            11 => look.label(("bob", 0), "no such"),
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
        (8, "`bead[2]`, and `bead` has 1 points"),
        (9, "its body at `bead` has the radii [0.0, NaN]"),
        (10, "up from its ground is [0.0, 0.0, 0.0], which is no direction"),
        (11, "it names `bob`"),
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
    // A body without a place from some time on is not drawn.
    let (code, err, page) = run(6);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(page.unwrap().contains("5 positions are no numbers, and are not drawn."));
}

/// A pendulum on a cart, without a look.
///
/// Units: SI.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct OnACart {
    /// Length of the rod, m.
    rod: f64,
}

impl Default for OnACart {
    fn default() -> Self {
        Self { rod: 1.5 }
    }
}

#[lagrangian]
impl OnACart {
    fn lagrangian(&self, x: Scalar, theta: Angle) -> Scalar {
        let bob = vec2(x + self.rod * theta.sin(), -self.rod * theta.cos());
        0.5 * der(x).powi(2) + 0.25 * der(bob).norm_squared() - 4.9 * bob.y
    }
}

impl Start for OnACart {
    fn start(&self) -> State {
        State::new(vec![0.0, 2.0], vec![0.2, 0.0])
    }
}

/// Two spherical pendulums, the second on the first, by a helper.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Spherical {}

#[lagrangian]
impl Spherical {
    fn lagrangian(&self, angles: [[Angle; 2]; 2]) -> Scalar {
        let first = self.arm(angles[0]);
        let second = first + self.arm(angles[1]);
        let (one, two) = (der(first), der(second));
        0.5 * one.norm_squared() + 0.5 * (two - one).norm_squared() - 9.81 * (first.z + second.z)
    }

    fn arm(&self, angles: [Angle; 2]) -> Vec3 {
        let ring = vec3(angles[1].cos(), angles[1].sin(), 0.0);
        angles[0].sin() * ring - vec3(0.0, 0.0, angles[0].cos())
    }
}

impl Start for Spherical {
    fn start(&self) -> State {
        State::new(vec![1.0, 0.0, 1.2, 0.5], vec![0.0, 1.0, 0.0, 2.0])
    }
}

/// Pendulums whose lengths change, each under a place of its own that time moves.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct InARow {}

#[lagrangian]
impl InARow {
    fn lagrangian(&self, theta: [Angle; 3], reach: [Scalar; 3], t: Time) -> Scalar {
        sum(0..3, |k| {
            let pivot = vec2(2.0 * k as f64, (3.0 * t).sin());
            let bob = pivot + reach[k] * vec2(theta[k].sin(), -theta[k].cos());
            0.5 * der(bob).norm_squared() - 9.81 * bob.y - 50.0 * (reach[k] - 1.0).powi(2)
        })
    }
}

impl Start for InARow {
    fn start(&self) -> State {
        State::at_rest(vec![1.0, 0.5, 0.2, 1.0, 1.1, 0.9])
    }
}

/// Two points on circles, whose angles a belt ties, and a third on a rod of the second.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Belt {}

#[lagrangian]
impl Belt {
    fn lagrangian(&self, p: Vec2, r: Vec2, s: Vec2) -> Scalar {
        0.5 * (der(p).norm_squared() + der(r).norm_squared() + der(s).norm_squared())
    }

    #[holonomic]
    fn circles(&self, p: Vec2, r: Vec2) -> [Scalar; 2] {
        [p.norm_squared() - 1.0, r.norm_squared() - 4.0]
    }

    #[holonomic]
    fn belt(&self, p: Vec2, r: Vec2) -> Scalar {
        r.y.atan2(r.x) - 3.0 * p.y.atan2(p.x)
    }

    #[holonomic]
    fn rod(&self, r: Vec2, s: Vec2) -> Scalar {
        r.distance(s) - 5.0
    }
}

impl Start for Belt {
    fn start(&self) -> State {
        State::at_rest(vec![1.0, 0.0, 2.0, 0.0, 5.0, 4.0])
    }
}

#[test]
fn a_row_between_two_points_is_a_rod_only_along_the_line_through_them() {
    let start = Belt {}.start();
    let (_, _, rods, _) = shown(Belt {}, &start.q, 0.0);
    // The arms to the middle of the circles, which come last.
    assert_eq!(rods, [[1, 2], [3, 0], [4, 1]]);
}

/// Groups by name and number of points, the places of all points, rods, and points that slide.
type Shown = (Vec<(String, usize)>, Vec<Vec<f64>>, Vec<[usize; 2]>, Vec<usize>);

/// A scene of a model at (q, t).
fn shown<M>(model: M, q: &[f64], t: f64) -> Shown
where
    M: Model + Oracle + Start,
{
    let (system, start) = bind(&M::FACTS.name, model, u64::MAX).unwrap();
    let scene = Scene::of(Subject { name: &M::FACTS.name, system: &system, start: &start }).unwrap();
    let mut places = Vec::new();
    scene.place(q, t, &mut places);
    let groups = scene.drawn.groups.iter().map(|group| (group.name.clone(), group.count)).collect();
    let places = places.chunks(scene.drawn.dimension).map(<[f64]>::to_vec).collect();
    (groups, places, scene.drawn.rods.clone(), scene.drawn.sliding.clone())
}

fn assert_near(found: &[Vec<f64>], right: &[&[f64]]) {
    let far = |(found, right): (&Vec<f64>, &&[f64])| {
        found.len() != right.len() || found.iter().zip(*right).any(|(a, b)| (a - b).abs() > 1e-14)
    };
    assert!(found.len() == right.len() && !found.iter().zip(right).any(far), "{found:?} {right:?}");
}

#[test]
fn a_declaration_in_angles_shows_its_places_and_the_rods_on_which_they_turn() {
    let (x, theta) = (0.7, 0.4_f64);
    let (groups, places, rods, sliding) = shown(OnACart::default(), &[x, theta], 0.0);
    assert_eq!(groups, [("bob".to_owned(), 1), (String::new(), 1)]);
    assert_near(&places, &[&[x + 1.5 * theta.sin(), -1.5 * theta.cos()], &[x, 0.0]]);
    assert_eq!((rods, sliding), (vec![[1, 0]], vec![1]));

    let arm = |a: f64, b: f64| [a.sin() * b.cos(), a.sin() * b.sin(), -a.cos()];
    let (one, two) = (arm(0.3, 0.4), arm(0.5, 0.6));
    let (groups, places, rods, sliding) = shown(Spherical {}, &[0.3, 0.4, 0.5, 0.6], 0.0);
    assert_eq!(groups, [("first".to_owned(), 1), ("second".to_owned(), 1), (String::new(), 1)]);
    let sum = [0, 1, 2].map(|k| one[k] + two[k]);
    assert_near(&places, &[&one, &sum, &[0.0, 0.0, 0.0]]);
    assert_eq!((rods, sliding), (vec![[0, 1], [2, 0]], vec![]));

    // No length is constant, and no place is told twice.
    let (groups, places, rods, _) = shown(InARow {}, &[0.0, 0.0, 0.0, 1.0, 2.0, 3.0], 0.0);
    assert_eq!(groups, [("bob".to_owned(), 3)]);
    assert_near(&places, &[&[0.0, -1.0], &[2.0, -2.0], &[4.0, -3.0]]);
    assert!(rods.is_empty());
}

#[test]
fn comments_above_the_struct_and_on_its_fields_are_documentation() {
    let directory = Directory::new();
    let page = directory.path("page.html");
    let bench = || Workbench::new("bench").model::<OnACart>("on-a-cart");
    let run = |line: &str| {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        assert_eq!(bench().run(line.split_whitespace(), &mut out, &mut err), 0, "{err:?}");
        String::from_utf8(out).unwrap()
    };
    let described = run("describe on-a-cart");
    assert!(described.contains("A pendulum on a cart, without a look."), "{described}");
    assert!(described.contains("rod  1.5  Length of the rod, m."), "{described}");
    // A cart, a rod and a bob, and nothing more is said.
    run(&format!("run on-a-cart --until 0.1 --view {page}"));
    let page = std::fs::read_to_string(page).unwrap();
    for word in ["\"rods\":[[1,0]]", "\"sliding\":[1]", "E(t) − E(0), J"] {
        assert!(page.contains(word), "{word}");
    }
}

/// Beads on an ellipse, on a parabola, and in space on the cut of a cylinder by a slanted plane; on a
/// wire that rises; and one on a line.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Wires {}

#[lagrangian]
impl Wires {
    fn lagrangian(&self, ellipse: Vec2, twin: Vec2, parabola: Vec2, rising: Vec2, cut: Vec3) -> Scalar {
        let plane = der(ellipse).norm_squared() + der(twin).norm_squared() + der(parabola).norm_squared();
        0.5 * (plane + der(rising).norm_squared() + der(cut).norm_squared())
    }

    #[holonomic]
    fn on_the_ellipse(&self, ellipse: Vec2) -> Scalar {
        0.25 * ellipse.x.powi(2) + ellipse.y.powi(2) - 1.0
    }

    #[holonomic]
    fn on_the_same(&self, twin: Vec2) -> Scalar {
        0.25 * twin.x.powi(2) + twin.y.powi(2) - 1.0
    }

    #[holonomic]
    fn on_the_parabola(&self, parabola: Vec2) -> Scalar {
        parabola.y - 0.5 * parabola.x.powi(2)
    }

    #[holonomic]
    fn on_what_rises(&self, rising: Vec2, t: Time) -> Scalar {
        rising.y - 0.1 * rising.x.powi(2) - t
    }

    #[holonomic]
    fn on_the_cylinder(&self, cut: Vec3) -> Scalar {
        cut.x.powi(2) + cut.y.powi(2) - 1.0
    }

    #[holonomic]
    fn on_the_plane(&self, cut: Vec3) -> Scalar {
        cut.z - 0.5 * cut.x
    }
}

impl Start for Wires {
    fn start(&self) -> State {
        let q = vec![2.0, 0.0, 0.0, 1.0, 1.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.5];
        let v = vec![0.0, 1.0, 2.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0];
        State::new(q, v)
    }

    fn look(&self) -> Look {
        Look::new().label(("ellipse", 0), "a bead <1>").cone(("ellipse", 0), ("twin", 0), 0.1)
    }
}

#[test]
fn a_point_is_drawn_on_the_curve_that_its_constraints_leave() {
    let directory = Directory::new();
    let (page, plot) = (directory.path("w.html"), directory.path("w.svg"));
    let line = format!("run wires --method rattle --step 0.01 --until 0.1 --view {page} --plot {plot}");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code =
        Workbench::new("bench").model::<Wires>("wires").run(line.split_whitespace(), &mut out, &mut err);
    assert_eq!((code, String::from_utf8(err).unwrap().as_str()), (0, ""));
    let page = std::fs::read_to_string(page).unwrap();
    let begin = page.find("id=\"head\">").unwrap() + 10;
    let head: Value = serde_json::from_str(page[begin..].split("</script>").next().unwrap()).unwrap();
    let scene = &head["scene"];
    assert_eq!(scene["labels"], serde_json::json!([{ "point": 0, "text": "a bead <1>" }]));
    assert_eq!(scene["solids"], serde_json::json!([{ "ends": [0, 1], "radii": [0.0, 0.1] }]));
    // Two beads share their ellipse; a curve that moves is not drawn where it was.
    let curves = scene["curves"].as_array().unwrap();
    let closed: Vec<bool> = curves.iter().map(|curve| curve["closed"].as_bool().unwrap()).collect();
    assert_eq!(closed, [true, false, true]);
    let off: [fn([f64; 3]) -> f64; 3] = [
        |[x, y, _]| 0.25 * x * x + y * y - 1.0,
        |[x, y, _]| (y - 0.5 * x * x) / (1.0 + y.abs()),
        |[x, y, z]| (x * x + y * y - 1.0).abs() + (z - 0.5 * x).abs(),
    ];
    for (curve, off) in curves.iter().zip(off) {
        let points = curve["points"].as_array().unwrap();
        let place = |point: &Value| [0, 1, 2].map(|k| point[k].as_f64().unwrap());
        assert!(points.len() > 40, "{}", points.len());
        assert!(points.iter().all(|point| off(place(point)).abs() < 1e-8), "{points:?}");
        // Chords that are seen as a curve.
        let middle = |ends: &[Value]| [0, 1, 2].map(|k| 0.5 * (place(&ends[0])[k] + place(&ends[1])[k]));
        assert!(points.windows(2).all(|ends| off(middle(ends)).abs() < 0.01), "{points:?}");
        if curve["closed"] == true {
            assert_eq!(points.first(), points.last());
        }
    }
    // In the plane of the picture the wires are there too, within their frame.
    assert_eq!(std::fs::read_to_string(plot).unwrap().matches("stroke=\"#c8cdd7\"").count(), 2);
}

/// A point on an ellipsoid and one on a bowl.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Surfaces {}

#[lagrangian]
impl Surfaces {
    fn lagrangian(&self, egg: Vec3, ball: Vec3) -> Scalar {
        0.5 * (der(egg).norm_squared() + der(ball).norm_squared()) - ball.z
    }

    #[holonomic]
    fn on_the_egg(&self, egg: Vec3) -> Scalar {
        egg.x.powi(2) + egg.y.powi(2) + 0.25 * egg.z.powi(2) - 1.0
    }

    #[holonomic]
    fn in_the_bowl(&self, ball: Vec3) -> Scalar {
        ball.z - 0.5 * (ball.x.powi(2) + ball.y.powi(2)) + 3.0
    }
}

impl Start for Surfaces {
    fn start(&self) -> State {
        State::new(vec![0.6, 0.0, 1.6, 0.0, 0.0, -3.0], vec![0.0, 1.0, 0.0, 1.0, 0.0, 0.0])
    }
}

#[test]
fn a_surface_is_drawn_as_the_net_of_its_cuts() {
    let directory = Directory::new();
    let page = directory.path("s.html");
    let line = format!("run surfaces --method rattle --step 0.01 --until 0.1 --view {page}");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let bench = Workbench::new("bench").model::<Surfaces>("surfaces");
    let code = bench.run(line.split_whitespace(), &mut out, &mut err);
    assert_eq!((code, String::from_utf8(err).unwrap().as_str()), (0, ""));
    let page = std::fs::read_to_string(page).unwrap();
    let begin = page.find("id=\"head\">").unwrap() + 10;
    let head: Value = serde_json::from_str(page[begin..].split("</script>").next().unwrap()).unwrap();
    let curves = head["scene"]["curves"].as_array().unwrap();
    let [mut closed, mut open] = [0, 0];
    let [mut lowest, mut highest] = [f64::INFINITY, f64::NEG_INFINITY];
    for curve in curves {
        assert_eq!(curve["thin"], true);
        let is_closed = curve["closed"] == true;
        *if is_closed { &mut closed } else { &mut open } += 1;
        for point in curve["points"].as_array().unwrap() {
            let [x, y, z] = [0, 1, 2].map(|k| point[k].as_f64().unwrap());
            let egg = x * x + y * y + 0.25 * z * z - 1.0;
            let bowl = z - 0.5 * (x * x + y * y) + 3.0;
            assert!(egg.abs().min(bowl.abs()) < 1e-8, "{x} {y} {z}");
            if egg.abs() < 1e-8 {
                (lowest, highest) = (lowest.min(z), highest.max(z));
            }
        }
    }
    // The egg is whole, and the bowl is open.
    assert!(closed > 12 && open > 12, "{closed} {open}");
    assert!(lowest < -1.9 && highest > 1.9, "{lowest} {highest}");
}
