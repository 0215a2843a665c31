//! `ensemble`: the members of a plan, into a dataset.

mod abreast;
mod axis;
mod completed;
mod course;
mod crew;
mod dataset;
mod digest;
mod draw;
mod follower;
mod forecast;
mod frame;
mod inputs;
mod manifest;
mod member;
mod members;
mod picture;
mod plan;
mod sealed;
mod table;

pub use digest::Digest;
pub(crate) use picture::report;

pub use draw::{Distribution, Draws, between_0_and_1, seed};

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use least_action::drive::SystemIdentity;
use least_action_pages::files;
use serde::Serialize;

use crate::arguments::Ensemble;
use crate::error::{Error, Names, Result};
use crate::memory;
use crate::methods::OnModels;
use crate::options;
use crate::print::Text;
use crate::registry::{Registry, unknown_parameter};
use crate::start;
use crate::stop::Stop;
use crate::streams::{Says, Streams};
use crew::Done;
use dataset::{Dataset, Part, Size};
use forecast::time;
use frame::Frame;
use member::{Member, Recipe};
use members::{Members, Target};
use plan::Plan;

/// The members that are tried for one that can be bound, and shows the columns of all.
const TRIED: u64 = 1000;
/// Where there is no terminal, progress is told in a line this often.
const OFTEN: Duration = Duration::from_secs(30);

/// The output of an ensemble.
#[derive(Debug, Serialize)]
struct Outcome {
    members: u64,
    parts: u64,
    /// The work of this call.
    members_done: u64,
    parts_done: u64,
    failed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_failure: Option<String>,
    /// Parts that another process was writing.
    parts_elsewhere: u64,
    seconds: f64,
}

/// The first member shows for all: the columns, the moments of its run, and its system.
struct First {
    frame: Frame,
    moments: u64,
    system: SystemIdentity,
}

/// Does the missing parts of a plan, and says if members failed.
pub(crate) fn ensemble(
    registry: &Registry,
    arguments: &Ensemble,
    streams: &mut Streams<'_>,
) -> Result<Option<Error>> {
    let clock = Instant::now();
    let mut plan = Plan::read(&arguments.plan)?;
    let members = Members::of(&plan, &arguments.plan)?;
    check_names(registry, &plan, &members)?;
    let memory = arguments.memory.unwrap_or_else(memory::available);
    let (method, chosen) = completed::complete(&mut plan, registry, &members, memory)?;
    chosen.iter().for_each(|chosen| streams.note(chosen));
    let start = plan.start.as_deref().map(start::read_any).transpose()?;
    // No thread is without a block of members.
    let blocks = usize::try_from(members.count.div_ceil(members::BLOCK)).unwrap_or(usize::MAX);
    let threads = arguments.threads.map_or_else(cores, NonZeroUsize::get).min(blocks);
    let memory = memory / threads as u64;
    // A forecast has nothing to save: it just ends.
    let stop = if arguments.dry_run { Stop::default() } else { streams.stop() };
    let (most, stop_asked) = (u64::MAX, stop.asked());
    let mut recipe =
        Recipe { registry, plan: &plan, members: &members, method, start, memory, most, stop: stop_asked };
    let First { frame, moments, system } = recipe.first()?;
    let inputs = inputs::of(registry, &plan, &members, &arguments.out)?;
    let read = inputs.iter().map(|input| &input.name).chain([&arguments.plan]).chain(&plan.start);
    let read = read.chain(plan.table.iter().map(|table| &table.file)).map(PathBuf::as_path);
    let written = [dataset::MANIFEST, "members", "_path"].map(|name| arguments.out.join(name));
    files::apart(read, &written.each_ref().map(|path| ("--out", path.as_path())))?;
    let dataset = Dataset::new(
        &arguments.out,
        &plan,
        (system, inputs, recipe.start.as_ref()),
        (members.count, moments),
        (&frame, !arguments.dry_run),
    )?;
    let (shard, of) = arguments.shard.map_or((0, 1), |shard| (shard.number - 1, shard.of));
    dataset.check()?;
    if arguments.dry_run {
        let size = dataset.size(moments);
        let to_do = dataset.to_do((shard, of));
        recipe.forecast(&frame, &size, to_do, (threads, cores())).tell(arguments.format, streams)?;
        return Ok(None);
    }
    dataset.create()?;
    let missing: Vec<Part> = dataset.parts((shard, of)).filter(|part| !dataset.is_done(part)).collect();
    let todo: u64 = missing.iter().map(|part| part.members.end - part.members.start).sum();
    if let Some(part) = missing.iter().find(|part| dataset.is_damaged(part)) {
        streams.warn(format_args!(
            "part {} is damaged, incomplete, or one of another dataset: the members of each such part are done again",
            part.number
        ));
    }
    streams.patience = None;
    let progress = Progress::new(todo, streams);
    let done = crew::work(
        &dataset,
        dataset.parts((shard, of)),
        threads,
        stop.asked(),
        |numbers| recipe.run(&numbers.collect::<Vec<_>>(), &frame),
        |done| progress.tell(done),
    )?;
    dataset.gather()?;
    progress.finish();
    let Size { members, parts, .. } = dataset.size(moments);
    let is_left = dataset.to_do((shard, of));
    let outcome = Outcome {
        members,
        parts,
        members_done: done.members,
        parts_done: done.parts,
        failed: done.failed,
        first_failure: done.failure.as_ref().map(|(number, error)| format!("member {number}: {error}")),
        parts_elsewhere: done.elsewhere,
        seconds: clock.elapsed().as_secs_f64(),
    };
    streams.print(arguments.format, &outcome, Outcome::text)?;
    let failed = outcome.first_failure.map(|first| {
        Error::MembersFailed(format!(
            "{} of {} members failed, and have their error in the column `error`; the first, {first}",
            outcome.failed, outcome.members_done
        ))
    });
    if stop.asked().load(std::sync::atomic::Ordering::Relaxed) && is_left > 0 {
        failed.into_iter().for_each(|failed| streams.warn(failed));
        let rest = format!(": {is_left} parts are left, and the same command goes on with them");
        return Err(Error::Stopped { signal: stop.signal(), rest });
    }
    Ok(failed)
}

/// The threads that this process may use.
fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Refuses parameters that the model does not have, before anything is bound.
fn check_names(registry: &Registry, plan: &Plan, members: &Members) -> Result {
    let known = registry.parameters(&plan.model)?;
    let of_members = members.targets.iter().filter_map(|target| match target {
        Target::Parameter(name) => Some(&**name),
        _ => None,
    });
    for name in plan.set.keys().map(String::as_str).chain(of_members) {
        if !known.contains_key(name.split('[').next().unwrap_or(name)) {
            return Err(unknown_parameter(&plan.model, name, known.keys()));
        }
    }
    Ok(())
}

impl Recipe<'_> {
    /// The first member that can be bound.
    fn first(&self) -> Result<First> {
        let mut first = None;
        for number in 0..self.members.count.min(TRIED) {
            let tried = self
                .bind(number)
                .and_then(|member| Ok((self.frame(&member)?, self.moments(&member)?, member)));
            match tried {
                Ok((frame, moments, member)) => {
                    self.check_targets(&member)?;
                    let system = SystemIdentity::of(member.instance.system.lagrangian(), &member.state);
                    return Ok(First { frame, moments, system });
                }
                Err(error) => first = first.or(Some(error)),
            }
        }
        // An error that stops every member is a mistake of the plan.
        Err(first.unwrap_or(Error::Closed))
    }

    /// Refuses options and numbers of the start that there are not.
    fn check_targets(&self, member: &Member) -> Result {
        let known: Names = self.method.options(&*member.instance.system).into_iter().collect();
        for target in &self.members.targets {
            match target {
                Target::Option(name) if !known.0.contains(name) => {
                    return Err(options::unknown(self.method.name, name, known.0));
                }
                Target::Start(name) => self.check_start(name, member)?,
                _ => {}
            }
        }
        Ok(())
    }
}

impl Outcome {
    fn text(&self, out: &mut Text<'_>) -> io::Result<()> {
        let rows = [
            vec!["members".to_owned(), format!("{} of {} done now", self.members_done, self.members)],
            vec!["parts".to_owned(), format!("{} of {} written now", self.parts_done, self.parts)],
            vec!["failed".to_owned(), self.failed.to_string()],
            vec!["time".to_owned(), time(self.seconds)],
        ];
        out.table(&rows)?;
        if self.parts_elsewhere > 0 {
            writeln!(out, "{} parts are being written by another process", self.parts_elsewhere)?;
        }
        Ok(())
    }
}

/// How far an ensemble is: a bar on a terminal, elsewhere a line now and then.
struct Progress {
    bar: Option<ProgressBar>,
    lines: Option<Mutex<Instant>>,
    since: Instant,
    of: u64,
}

impl Progress {
    fn new(of: u64, streams: &Streams<'_>) -> Self {
        let bar = streams.progress.then(|| {
            let bar = ProgressBar::new(of);
            // A template that does not parse leaves the default bar, which is as good.
            if let Ok(style) = ProgressStyle::with_template(
                "{bar:40} {percent:>3} %  member {pos} of {len}, {per_sec}, {eta} left",
            ) {
                bar.set_style(style);
            }
            bar
        });
        let now = Instant::now();
        Self {
            lines: (bar.is_none() && streams.talks && streams.says != Says::Little).then(|| Mutex::new(now)),
            bar,
            since: now,
            of,
        }
    }

    fn tell(&self, done: &Done) {
        if let Some(bar) = &self.bar {
            bar.set_position(done.members);
        }
        if let Some(lines) = &self.lines
            && let Ok(mut last) = lines.lock()
            && last.elapsed() > OFTEN
        {
            *last = Instant::now();
            let rate = done.members as f64 / self.since.elapsed().as_secs_f64();
            let left = self.of.saturating_sub(done.members) as f64 / rate;
            // Nobody may listen.
            let _ = writeln!(
                io::stderr(),
                "note: {} of {} members, {rate:.1} a second, about {} left",
                done.members,
                self.of,
                time(left)
            );
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
