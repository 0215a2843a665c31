//! The result of a control, in words, in JSON and in a folder.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use least_action::drive::{Keeper, Moment, Watch, drive_kept};
use least_action::system::{Course, Layout, Signal, State};
use least_action_optimization::control::Controlled;
use least_action_optimization::fit::holds;
use least_action_optimization::least_squares::Status;
use least_action_pages::document::Document;
use least_action_pages::files::replace;
use least_action_pages::plot::{Panel, panels};
use serde::Serialize;

use crate::arguments::AskedControl;
use crate::error::{Error, Result};
use crate::fit::asked::interval;
use crate::methods::OnModels;
use crate::parameters;
use crate::prepared::Prepared;
use crate::print::Text;
use crate::registry::Instance;
use crate::start::{distinct, entries};
use crate::view;
use crate::words::quoted;

/// One run from the start with the inputs.
pub(super) struct Replay {
    states: Vec<State>,
    /// The reason not to believe it, or its early end.
    doubt: Option<String>,
}

impl Replay {
    pub(super) fn of(motion: &Prepared<'_>, theta: &[f64]) -> Result<Self> {
        let instance = parameters::varied(motion.registry, &motion.model, theta)?;
        let faces = motion.method.faces(&instance, &motion.options)?;
        let plan = motion.plan()?;
        let mut running = motion.method.start(&faces, motion.setup(motion.start.clone()))?;
        let (mut watch, mut states) = (Watch::of(faces.lagrangian()), Vec::new());
        let mut see = |moment: &Moment<'_>| states.push(moment.state.clone());
        let mut keeper = Keeper::default().stopped_by(motion.stop.asked());
        let ran = drive_kept(&mut *running.stepper, plan, &mut watch, &mut [&mut see], &mut keeper);
        let doubt = match ran {
            Ok(summary) => summary.verdict.doubt(),
            Err(error) => Some(format!("one run with the inputs ends early: {error}")),
        };
        Ok(Self { states, doubt })
    }
}

/// An input.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    /// ∫ u² dt.
    effort: f64,
    least: f64,
    most: f64,
    signal: Signal,
}

/// The state of the run that is farthest out of its bounds.
#[derive(Debug, Serialize)]
struct Excess {
    name: String,
    t: f64,
    /// The distance from the bounds; zero or less within them.
    beyond: f64,
}

/// The judgement of the control on itself.
#[derive(Debug, Serialize)]
pub(super) struct Judgement {
    /// True if the inputs can be believed.
    believed: bool,
    /// The reasons not to believe them, with remedies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) doubts: Vec<String>,
}

impl Judgement {
    /// The miss and the size of q and v, the gap between stretches, and the end of the iterations.
    fn of([miss, size, gap]: [f64; 3], found: &Controlled, replay: &Replay) -> Self {
        /// The part of its size by which a run may miss its end.
        const MISS: f64 = 1e-6;
        /// A motion that amplifies the gaps by more is held by no input.
        const GROWTH: f64 = 1e3;
        let mut doubts: Vec<String> = replay.doubt.iter().cloned().collect();
        if miss.is_nan() || miss > MISS * size {
            doubts.push(if gap > MISS * size && miss < GROWTH * gap {
                format!("the stretches do not join: their largest gap is {gap:.1e}, and one run with the inputs ends {miss:.1e} beside the \
                         wanted end")
            } else {
                format!("one run with the inputs ends {miss:.1e} beside the wanted end: the motion amplifies the rounding of its numbers, \
                         and no open-loop input of double precision holds it; give an earlier --until, or add a feedback to the model")
            });
        }
        if found.status == Status::Limit {
            doubts.push("the largest number of iterations is reached, and the cost still falls: this is no minimum; begin nearer by --guess, \
                         or take other --stretches".to_owned());
        }
        Self { believed: doubts.is_empty(), doubts }
    }
}

/// The output of the command.
#[derive(Serialize)]
pub(super) struct Outcome<'a> {
    model: &'a str,
    method: &'a str,
    step: f64,
    iterations: usize,
    status: Status,
    cost: f64,
    /// The largest gap between two stretches.
    gap: f64,
    inputs: Vec<Row>,
    /// The end of one run with the inputs, and the largest distance from the wanted one.
    end: State,
    miss: f64,
    /// None without bounds of states.
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<Excess>,
    /// The command that runs the motion again.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    pub(super) verdict: Judgement,
    #[serde(skip)]
    of: (&'a Instance, &'a Controlled, &'a Replay),
}

impl<'a> Outcome<'a> {
    pub(super) fn new(
        (asked, motion): (&'a AskedControl, &'a Prepared<'_>),
        found: &'a Controlled,
        replay: &'a Replay,
    ) -> Result<Self> {
        let rows = found.inputs.iter().map(|(name, signal)| {
            let extreme = |pick: fn(f64, f64) -> f64| signal.values().iter().copied().reduce(pick);
            Row {
                name: name.clone(),
                effort: effort(signal),
                least: extreme(f64::min).unwrap_or_default(),
                most: extreme(f64::max).unwrap_or_default(),
                signal: signal.clone(),
            }
        });
        let (Some(end), Some(node)) = (replay.states.last(), found.states.last()) else {
            return Err(Error::mistake("the motion has no states"));
        };
        // Each kind of entry is measured by its own size.
        let kinds: [fn(&State) -> &[f64]; 2] = [|state| &state.q, |state| &state.v];
        let largest = |entries: &mut dyn Iterator<Item = f64>| {
            entries.fold(0.0, |most: f64, entry| if entry.is_nan() { entry } else { most.max(entry.abs()) })
        };
        let measured = kinds.map(|of| {
            let miss = largest(&mut of(end).iter().zip(of(node)).map(|(a, b)| a - b));
            let states = replay.states.iter().chain(&found.states);
            [miss, largest(&mut states.flat_map(|state| of(state).iter().copied()))]
        });
        let miss = measured[0][0].max(measured[1][0]);
        let [miss_of_q, miss_of_v] = measured.map(|[miss, size]| if size > 0.0 { miss / size } else { miss });
        let size = measured[0][1].max(measured[1][1]).max(f64::MIN_POSITIVE);
        let verdict = Judgement::of([miss_of_q.max(miss_of_v) * size, size, found.violation], found, replay);
        Ok(Self {
            model: &asked.model.name,
            method: motion.method.name,
            step: motion.step,
            iterations: found.iterations,
            status: found.status,
            cost: found.cost,
            gap: found.violation,
            inputs: rows.collect(),
            miss,
            verdict,
            end: end.clone(),
            bounds: excess(asked, motion.instance.system.lagrangian().layout(), &replay.states)?,
            of: (&motion.instance, found, replay),
            run: asked.out.as_deref().map(|folder| command(asked, motion, folder, &found.inputs)),
        })
    }

    pub(super) fn text(&self, out: &mut Text<'_>) -> io::Result<()> {
        out.table(&self.rows())?;
        self.notes().iter().chain(&self.run).try_for_each(|line| writeln!(out, "{line}"))
    }

    fn notes(&self) -> Vec<String> {
        let Self { iterations, cost, gap, step, method, miss, .. } = self;
        let end = match self.status {
            Status::Converged => "",
            Status::Still => ", and no step lowers it further",
            _ => ", the largest number",
        };
        let mut notes = vec![
            format!("cost {cost:?} after {iterations} iterations{end}; largest gap {gap:.1e}"),
            format!("one run, steps of {step} by {method}, ends within {miss:.1e} of the wanted end"),
        ];
        notes.extend(self.bounds.as_ref().map(|Excess { name, t, beyond }| {
            if *beyond > 0.0 {
                format!("its states leave their bounds by at most {beyond:.1e}: `{name}` at t = {t}")
            } else {
                "its states stay within their bounds".to_owned()
            }
        }));
        notes
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let head = ["input", "∫ u² dt", "least", "most"].map(str::to_owned).to_vec();
        let row = |row: &Row| {
            vec![row.name.clone(), format!("{:.6}", row.effort), row.least.to_string(), row.most.to_string()]
        };
        std::iter::once(head).chain(self.inputs.iter().map(row)).collect()
    }

    /// Writes the inputs, the start and the report to a folder.
    pub(super) fn write(&self, folder: &Path) -> Result {
        let (_, found, replay) = self.of;
        fs::create_dir_all(folder).map_err(|error| Error::unwritable(folder.display(), &error))?;
        for (name, signal) in &found.inputs {
            let values = signal.values();
            let last = values.last().copied().unwrap_or_default();
            // The last value of a constant course only ends it.
            let values = values.iter().chain(std::iter::repeat(&last));
            let lines = signal.times().iter().zip(values).map(|(t, u)| format!("{t:?},{u:?}\n"));
            let text: String = std::iter::once(format!("t,{name}\n")).chain(lines).collect();
            replace("--out", &folder.join(format!("{name}.csv")), &text)?;
        }
        if let Some(start) = replay.states.first() {
            let text =
                serde_json::to_string(start).map_err(|error| Error::unwritable(folder.display(), &error))?;
            replace("--out", &folder.join("start.json"), &format!("{text}\n"))?;
        }
        Ok(replace("--out", &folder.join("report.html"), &self.page()?)?)
    }

    fn page(&self) -> Result<String> {
        let (instance, found, replay) = self.of;
        let mut page = Document::new(&format!("A control of {}", self.model));
        let rows = self.rows();
        let head: Vec<&str> = rows[0].iter().map(String::as_str).collect();
        page.table(&head, &rows[1..]);
        page.notes(&self.verdict.doubts);
        page.notes(&self.notes());
        let (units, layout) = (view::units(instance), instance.system.lagrangian().layout());
        let panel = |axis: &str, curves| Panel::of("", units.time(), units.column(layout, axis), curves);
        for (name, signal) in &found.inputs {
            let curve = vec![(String::new(), pieces(signal).flatten().collect())];
            page.figure(name, &panels(name, &[panel(name, curve)])?);
        }
        let coordinates = (0..layout.dimension()).map(|index| layout.name_of(index));
        for (index, name) in coordinates.enumerate() {
            let points = |of: fn(&State) -> &[f64]| {
                let points = replay.states.iter().map(|state| (state.t, of(state)[index])).collect();
                vec![(String::new(), points)]
            };
            let (of_q, of_v) = (points(|state| &state.q), points(|state| &state.v));
            let both = [panel(&name, of_q), panel(&format!("der.{name}"), of_v)];
            page.figure(&name, &panels(&name, &both)?);
        }
        page.notes(self.run.as_slice());
        Ok(page.finish())
    }
}

/// The largest excess of states over their bounds.
fn excess(asked: &AskedControl, layout: &Layout, states: &[State]) -> Result<Option<Excess>> {
    let bounds = distinct("--bounds", &asked.bounds, interval)?;
    let all = entries(layout).into_iter().enumerate().filter_map(|(entry, name)| {
        // The last bounds of an entry hold.
        let [lower, upper] = bounds.iter().rev().find(|(whole, _)| holds(whole, &name))?.1;
        let distances = states.iter().filter_map(|state| {
            let value = state.q.iter().chain(&state.v).nth(entry)?;
            Some(((lower - value).max(value - upper), state.t))
        });
        let (beyond, t) = distances.max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(Excess { name, t, beyond })
    });
    Ok(all.max_by(|a, b| a.beyond.total_cmp(&b.beyond)))
}

/// The points of a signal at both ends of each piece.
fn pieces(signal: &Signal) -> impl Iterator<Item = [(f64, f64); 2]> {
    signal.times().windows(2).enumerate().map(|(k, pair)| {
        let last = k + usize::from(signal.course() == Course::Linear);
        [(pair[0], signal.values()[k]), (pair[1], signal.values()[last])]
    })
}

/// ∫ u² dt over the times of a signal.
fn effort(signal: &Signal) -> f64 {
    let of_piece = |[(begin, a), (end, b)]: [(f64, f64); 2]| match signal.course() {
        Course::Constant => (end - begin) * a * a,
        Course::Linear => (end - begin) * (a * a + a * b + b * b) / 3.0,
    };
    pieces(signal).map(of_piece).sum()
}

/// The command line of a run with the written inputs, for the shell.
fn command(
    asked: &AskedControl,
    motion: &Prepared<'_>,
    folder: &Path,
    inputs: &[(String, Signal)],
) -> String {
    let mut words = ["least-action", "run", &asked.model.name].map(str::to_owned).to_vec();
    let mut add = |flag: &str, value: String| words.extend([format!("--{flag}"), value]);
    for (name, signal) in inputs {
        let form = serde_json::json!({"file": folder.join(format!("{name}.csv")), "kind": signal.course()});
        add("set", format!("{name}={form}"));
    }
    let is_input = |text: &str| inputs.iter().any(|(name, _)| text.starts_with(&format!("{name}=")));
    asked.model.set.iter().filter(|text| !is_input(text)).for_each(|text| add("set", text.clone()));
    asked.model.params.iter().for_each(|path| add("params", path.display().to_string()));
    asked.by.with.iter().for_each(|text| add("with", text.clone()));
    add("start", folder.join("start.json").display().to_string());
    add("method", motion.method.name.to_owned());
    add("step", motion.step.to_string());
    add("until", motion.until.to_string());
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}
