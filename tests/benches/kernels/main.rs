//! Kernels of the compiler beside scalar code by hand and static dual numbers, element by element.
//!
//! Every element is one declared model. The contenders, compiled kernels in every width of registers
//! among them, fill the same memory with the same numbers, which is checked before anything is timed;
//! then they run in turns, all operations of an element in one round. Printed are medians over the
//! rounds: of the times by hand, and of the ratios to them in one round.
//!
//! `cargo bench -p least-action-tests --bench kernels -- [--quick] [PART OF A NAME]…`

#![expect(clippy::expect_used, reason = "a benchmark of systems that are known to be sound")]

mod bend;
mod by_hand;
mod coulomb;
mod dual;
mod geometry;
mod lennard_jones;
mod measure;
mod morse;
mod neo_hookean;
mod rod;
mod subject;
mod torsion;

use subject::Subject;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let rounds = if arguments.iter().any(|argument| argument == "--quick") { 5 } else { 21 };
    let wanted: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    let subjects: [fn() -> Subject; 7] = [
        rod::subject,
        lennard_jones::subject,
        coulomb::subject,
        neo_hookean::subject,
        morse::subject,
        bend::subject,
        torsion::subject,
    ];
    for subject in subjects {
        let subject = subject();
        if wanted.is_empty() || wanted.iter().any(|part| subject.name.contains(part.as_str())) {
            measure::run(subject, rounds);
        }
    }
}
