//! `--dry-run`: the members, the size and the time of a plan, without its dataset.

use std::io;
use std::time::{Duration, Instant};

use least_action_pages::plot::spread;
use serde::Serialize;

use super::dataset::Size;
use super::frame::Frame;
use super::member::Recipe;
use crate::arguments::Format;
use crate::error::Result;
use crate::print::Text;
use crate::streams::Streams;

/// The time in which a dry run measures members, and how many all over the plan.
const MEASURED: Duration = Duration::from_millis(500);
const MEMBERS: f64 = 128.0;

/// The size and the time of a dataset.
#[derive(Debug, Serialize)]
pub(super) struct Forecast {
    members: u64,
    parts: u64,
    parts_to_do: u64,
    bytes: u64,
    /// The processor time of one member, estimated by some that are spread over the plan.
    seconds_per_member: f64,
    threads: usize,
    seconds: f64,
}

impl Recipe<'_> {
    /// Measures members for a short time, at places all over the plan, whose corners may take longer.
    pub(super) fn forecast(
        &mut self,
        frame: &Frame,
        size: &Size,
        parts_to_do: u64,
        (threads, processors): (usize, usize),
    ) -> Forecast {
        let count = MEASURED.as_secs_f64() / self.timed(&[0], 1, frame);
        let numbers: Vec<u64> =
            spread(size.members as usize, count.clamp(1.0, MEMBERS) as usize).map(|k| k as u64).collect();
        let each = self.seconds(&numbers, frame) / numbers.len() as f64;
        let part = parts_to_do as f64 / size.parts.max(1) as f64;
        let seconds = each * size.members as f64 * part / threads.min(processors) as f64;
        let Size { members, parts, bytes } = *size;
        Forecast { members, parts, parts_to_do, bytes, seconds_per_member: each, threads, seconds }
    }

    /// The time of members: of more and more of their first steps while there is time, and from there on
    /// in proportion.
    fn seconds(&mut self, numbers: &[u64], frame: &Frame) -> f64 {
        let clock = Instant::now();
        self.most = u64::MAX;
        let steps = |number: &u64| Some(self.bind(*number).ok()?.steps(self.plan).ok()?.steps);
        let steps: Vec<u64> = numbers.iter().filter_map(steps).collect();
        let begin = clock.elapsed().as_secs_f64();
        let done = |most: u64| steps.iter().map(|steps| *steps.min(&most)).sum::<u64>() as f64;
        let all = done(u64::MAX);
        let (mut most, mut before) = (1, (0.0, begin));
        loop {
            let here = (done(most), self.timed(numbers, most, frame));
            if here.0 >= all {
                return here.1;
            }
            let rate = ((here.1 - before.1) / (here.0 - before.0)).max(0.0);
            let until = |most: u64| here.1 + rate * (done(most) - here.0);
            let left = MEASURED.saturating_sub(clock.elapsed()).as_secs_f64();
            let next = [8, 4, 2].into_iter().map(|factor| most.saturating_mul(factor));
            let Some(next) = next.into_iter().find(|next| until(*next) < left) else {
                return until(u64::MAX);
            };
            if most == 1 {
                before = here;
            }
            most = next;
        }
    }

    /// The time that members take for this many steps.
    fn timed(&mut self, numbers: &[u64], most: u64, frame: &Frame) -> f64 {
        let clock = Instant::now();
        self.most = most;
        drop(self.run(numbers, frame));
        clock.elapsed().as_secs_f64()
    }
}

impl Forecast {
    pub(super) fn tell(&self, format: Format, streams: &mut Streams<'_>) -> Result {
        streams.print(format, self, Self::text)
    }

    fn text(&self, out: &mut Text<'_>) -> io::Result<()> {
        let threads = self.threads;
        let plural = if threads == 1 { "thread" } else { "threads" };
        let [whole, each] = [self.seconds, self.seconds_per_member].map(time);
        let rows = [
            vec!["members".to_owned(), self.members.to_string()],
            vec!["parts".to_owned(), format!("{}, of which {} are to be done", self.parts, self.parts_to_do)],
            vec!["size".to_owned(), format!("at most {}", bytes(self.bytes))],
            vec!["time".to_owned(), format!("about {whole} on {threads} {plural}, {each} a member")],
        ];
        out.table(&rows)
    }
}

fn bytes(count: u64) -> String {
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let found = units.into_iter().find(|(unit, _)| count as f64 >= *unit);
    found
        .map_or_else(|| format!("{count} bytes"), |(unit, name)| format!("{:.1} {name}", count as f64 / unit))
}

/// A time with the unit in which it is easily read.
pub(super) fn time(seconds: f64) -> String {
    let units = [
        (172_800.0, 86_400.0, "days"),
        (7_200.0, 3_600.0, "hours"),
        (120.0, 60.0, "minutes"),
        (1.0, 1.0, "s"),
        (1e-3, 1e-3, "ms"),
    ];
    let found = units.into_iter().find(|(limit, ..)| seconds >= *limit);
    let (unit, name) = found.map_or((1e-6, "µs"), |(_, unit, name)| (unit, name));
    format!("{:.3} {name}", seconds / unit)
}
