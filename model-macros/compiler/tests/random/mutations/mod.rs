//! The compiler answers any text under `#[lagrangian]`, in finite time, with Rust that parses and names
//! only its own bindings.
//!
//! One part are declarations of ready models with a few changes; the others are random expressions in
//! the words of the language, or tokens without any order.

mod change;
mod rustc;
mod scope;
mod soup;

use crate::random::{Random, now};
use change::{Changes, flatten};
use least_action_compiler::compile;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The most time of a processor that one declaration may take; most take some milliseconds.
const LIMIT: Duration = Duration::from_secs(20);

/// The declaration that is compiled in a round, and its origin in words.
fn declaration(changes: &Changes, round: u64) -> (TokenStream, String) {
    let mut random = Random::of_round(round);
    match round % 8 {
        0 => changes.tokens(&mut random),
        1..=3 => soup::declaration(&mut random),
        _ => changes.declaration(&mut random),
    }
}

/// The verdict of the compiler.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Outcome {
    /// Not an `impl` any more.
    Unread,
    /// Read, and refused.
    Refused,
    /// Read, and compiled.
    Compiled,
}

fn outcome(item: &TokenStream) -> Outcome {
    let is_read = syn::parse2::<syn::ItemImpl>(item.clone()).is_ok();
    let code = compile(TokenStream::new(), item.clone());
    let text = code.to_string();
    let refused = text.contains("compile_error");
    match syn::parse2::<syn::File>(code) {
        Err(error) => panic!("what is emitted is not Rust: {error}\n{text}"),
        Ok(file) if !refused => {
            let unbound = scope::unbound(&file, item);
            assert!(unbound.is_empty(), "what is emitted names {unbound:?}, which nobody binds\n{text}");
        }
        Ok(_) => {}
    }
    match (is_read, refused) {
        (false, _) => Outcome::Unread,
        (true, true) => Outcome::Refused,
        (true, false) => Outcome::Compiled,
    }
}

/// Compiles the declarations of these rounds; how many were unread, refused and compiled.
fn answer(rounds: std::ops::Range<u64>) -> [u64; 3] {
    let (started, starts) = mpsc::channel();
    // A stack as deep as the main thread of rustc has.
    let work = thread::Builder::new().stack_size(8 << 20).spawn(move || {
        let changes = Changes::new();
        let mut counts = [0; 3];
        for round in rounds {
            let (item, text) = declaration(&changes, round);
            let start = Start { round, text: text.clone(), clock: Clock::of_this_thread() };
            started.send(start).expect("the test waits");
            match catch_unwind(AssertUnwindSafe(|| outcome(&item))) {
                Ok(outcome) => counts[outcome as usize] += 1,
                Err(cause) => {
                    println!("round {round}: {text}");
                    resume_unwind(cause);
                }
            }
        }
        counts
    });
    let work = work.expect("a thread");
    let mut last = starts.recv().expect("the first declaration");
    loop {
        match starts.recv_timeout(LIMIT) {
            Ok(start) => last = start,
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                assert!(last.clock.used() < LIMIT, "round {} does not end: {}", last.round, last.text);
            }
        }
    }
    work.join().unwrap_or_else(|_| panic!("in round {}: {}", last.round, last.text))
}

/// A declaration that is being compiled.
struct Start {
    round: u64,
    text: String,
    clock: Clock,
}

/// The processor time of a thread since some moment; the time on the clock, if the system tells no
/// other.
struct Clock {
    thread: Option<PathBuf>,
    used: Duration,
    since: Instant,
}

impl Clock {
    fn of_this_thread() -> Self {
        let thread = std::fs::read_link("/proc/thread-self").ok().map(|of| Path::new("/proc").join(of));
        let used = thread.as_deref().and_then(processor_time);
        Self { thread: used.and(thread), used: used.unwrap_or_default(), since: Instant::now() }
    }

    fn used(&self) -> Duration {
        match self.thread.as_deref().and_then(processor_time) {
            Some(used) => used.saturating_sub(self.used),
            None => self.since.elapsed(),
        }
    }
}

/// User and system time of a thread, by Linux's /proc, which counts in hundredths of a second.
fn processor_time(thread: &Path) -> Option<Duration> {
    let text = std::fs::read_to_string(thread.join("stat")).ok()?;
    // The second field is a name in parentheses, which may hold anything.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(10 * ticks))
}

#[test]
fn a_clock_tells_work_from_waiting() {
    let clock = Clock::of_this_thread();
    thread::sleep(Duration::from_millis(300));
    let waited = clock.used();
    let mut sum = 0.0_f64;
    while clock.since.elapsed() < Duration::from_millis(600) || clock.used() < Duration::from_millis(50) {
        sum = std::hint::black_box(sum + 1.0).sin();
    }
    assert!(clock.thread.is_none() || waited < Duration::from_millis(50), "{waited:?}");
    assert!(clock.used() >= Duration::from_millis(50) && sum.is_finite());
}

/// Enough of each kind: the declarations stay close to real ones.
fn check([unread, refused, compiled]: [u64; 3]) {
    println!("{unread} no longer an impl, {refused} refused, {compiled} compiled");
    let all = unread + refused + compiled;
    assert!(
        refused > all / 6 && compiled > all / 20,
        "{unread} unread, {refused} refused, {compiled} compiled"
    );
}

/// `ROUNDS=…..…` takes others, such as one that has failed.
#[test]
fn any_declaration_is_answered() {
    let rounds = std::env::var("ROUNDS").unwrap_or_else(|_| "0..2400".to_owned());
    let (first, end) = rounds.split_once("..").expect("ROUNDS=first..end");
    let number = |text: &str| text.parse::<u64>().expect("a number");
    check(answer(number(first)..number(end)));
}

/// Other rounds each time, some minutes:
/// `cargo test -p least-action-compiler --test random hundred_thousand -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes: the same on more declarations"]
fn a_hundred_thousand_declarations_are_answered() {
    const ALL: u64 = 100_000;
    let first = ALL * now();
    println!("ROUNDS={first}..{}", first + ALL);
    let threads = thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let parts: Vec<_> = (0..threads)
        .map(|part| {
            thread::spawn(move || answer(first + part * ALL / threads..first + (part + 1) * ALL / threads))
        })
        .collect();
    let mut total = [0; 3];
    for part in parts {
        let counts = part.join().unwrap_or_else(|cause| resume_unwind(cause));
        for (sum, count) in total.iter_mut().zip(counts) {
            *sum += count;
        }
    }
    check(total);
}

/// The header of a loop would end where the block begins.
#[test]
fn a_range_may_end_in_a_block() {
    let item = quote! {
        impl Row {
            fn lagrangian(&self, x: [Scalar; self.n]) -> Scalar {
                sum(0..{ self.n }, |i| 0.5 * der(x[i]).powi(2)) - sum(0..{ self.n }, |i| x[i].cos())
            }
        }
    };
    assert_eq!(outcome(&item), Outcome::Compiled);
}

#[test]
fn beginnings_of_a_declaration_are_answered() {
    for declaration in Changes::new().declarations {
        let mut all = Vec::new();
        flatten(declaration.clone(), &mut all);
        // A hundred of each, or all.
        for place in (0..all.len()).step_by((all.len() / 100).max(1)) {
            outcome(&cut(declaration.clone(), &mut place.clone()).0);
        }
    }
}

/// The declaration without anything after the token tree number `place`.
fn cut(stream: TokenStream, place: &mut usize) -> (TokenStream, bool) {
    let mut trees = Vec::new();
    for tree in stream {
        if let TokenTree::Group(group) = &tree {
            let (inner, done) = cut(group.stream(), place);
            if done {
                trees.push(TokenTree::Group(Group::new(group.delimiter(), inner)));
                return (trees.into_iter().collect(), true);
            }
        }
        if *place == 0 {
            return (trees.into_iter().collect(), true);
        }
        *place -= 1;
        trees.push(tree);
    }
    (trees.into_iter().collect(), false)
}
