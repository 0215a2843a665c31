//! A run goes on with its own system alone.

#![expect(clippy::unwrap_used, reason = "a test may end at what is not there")]

use least_action::drive::{CheckpointError, Interval, Simulation, integrate, previous, resume};
use least_action::method::{Langevin, Method, VariationalMidpoint, Verlet};
use least_action::prelude::*;
use least_action::system::System;
use std::path::PathBuf;

/// The system of the run.
mod own {
    use super::*;

    /// A number that no parameter is.
    pub(super) fn stiffness(x: f64) -> f64 {
        4.0 * x
    }

    #[derive(Clone)]
    pub(super) struct Swing {
        pub length: f64,
        pub friction: f64,
        pub torque: Signal,
        pub table: Vec<f64>,
    }

    #[lagrangian]
    impl Swing {
        fn lagrangian(&self, theta: Angle) -> Scalar {
            let spring = sum(0..self.table.len(), |k| self.table[k] * theta.powi(2));
            0.5 * self.length.powi(2) * der(theta).powi(2) + 9.81 * self.length * theta.cos()
                - spring
                - stiffness(0.25) * theta
        }

        #[force]
        fn driven(&self, theta: Angle, torque: Input) -> Angle {
            torque - self.friction * der(theta)
        }
    }
}

/// One whose declaration differs in a sign, which makes nothing else of these parameters.
mod edited {
    use super::*;

    pub(super) struct Swing {
        pub length: f64,
        pub friction: f64,
        pub torque: Signal,
        pub table: Vec<f64>,
    }

    #[lagrangian]
    impl Swing {
        fn lagrangian(&self, theta: Angle) -> Scalar {
            let spring = sum(0..self.table.len(), |k| self.table[k] * theta.powi(2));
            0.5 * self.length.powi(2) * der(theta).powi(2) + 9.81 * self.length * theta.cos() - spring
                + own::stiffness(0.25) * theta
        }

        #[force]
        fn driven(&self, theta: Angle, torque: Input) -> Angle {
            torque - self.friction * der(theta)
        }
    }
}

/// One that is laid out and documented otherwise, which is the same declaration.
mod laid_out {
    use super::{own::stiffness, *};

    pub(super) struct Swing {
        pub length: f64,
        pub friction: f64,
        pub torque: Signal,
        pub table: Vec<f64>,
    }

    /// A swing.
    #[lagrangian]
    impl Swing {
        /// Its energies.
        fn lagrangian(&self, theta: Angle) -> Scalar {
            let spring = sum(0..self.table.len(), |k| self.table[k] * theta.powi(2));
            // As before.
            0.5 * self.length.powi(2) * der(theta).powi(2) + 9.81 * self.length * theta.cos()
                - spring
                - stiffness(0.25) * theta
        }

        #[force]
        fn driven(&self, theta: Angle, torque: Input) -> Angle {
            torque - self.friction * der(theta)
        }
    }
}

/// One whose declaration calls another function by the same name.
mod beside {
    use super::*;

    fn stiffness(x: f64) -> f64 {
        3.0 * x
    }

    pub(super) struct Swing {
        pub length: f64,
        pub friction: f64,
        pub torque: Signal,
        pub table: Vec<f64>,
    }

    #[lagrangian]
    impl Swing {
        fn lagrangian(&self, theta: Angle) -> Scalar {
            let spring = sum(0..self.table.len(), |k| self.table[k] * theta.powi(2));
            0.5 * self.length.powi(2) * der(theta).powi(2) + 9.81 * self.length * theta.cos()
                - spring
                - stiffness(0.25) * theta
        }

        #[force]
        fn driven(&self, theta: Angle, torque: Input) -> Angle {
            torque - self.friction * der(theta)
        }
    }
}

fn torque(last: f64) -> Signal {
    Signal::linear(vec![0.0, 5.0, 10.0], vec![0.0, 1.0, last]).unwrap()
}

fn swing() -> own::Swing {
    own::Swing { length: 0.8, friction: 0.0, torque: torque(2.0), table: vec![0.5, 0.25] }
}

/// A checkpoint of a test, which goes with the one before it.
struct Saved(PathBuf);

impl Saved {
    fn at(name: &str) -> Self {
        let name = format!("least-action-resumed-{}-{name}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl std::ops::Deref for Saved {
    type Target = std::path::Path;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Drop for Saved {
    fn drop(&mut self) {
        for file in [&self.0, &previous(&self.0)] {
            let _ = std::fs::remove_file(file);
        }
    }
}

fn saved(name: &str) -> Saved {
    let file = Saved::at(name);
    let run = integrate(
        &swing().bind().unwrap(),
        &VariationalMidpoint::default(),
        State::new(vec![0.3], vec![0.0]),
        0.01,
    )
    .unwrap()
    .until(1.0)
    .checkpoint(&*file, Interval::Steps(10))
    .record();
    assert!(run.is_ok());
    file
}

/// The words of the error, or nothing where the run goes on.
fn refused<S: System, M: Method<S>>(system: &S, method: &M, file: &std::path::Path) -> String {
    match resume(system, method, file) {
        Ok(_) => String::new(),
        Err(error @ (CheckpointError::OtherSystem { .. } | CheckpointError::OtherOptions { .. })) => {
            error.to_string()
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_run_goes_on_with_its_own_system_alone() {
    let file = saved("system");
    let method = VariationalMidpoint::default();
    let with = |change: fn(&mut own::Swing)| {
        let mut other = swing();
        change(&mut other);
        refused(&other.bind().unwrap(), &method, &file)
    };
    assert_eq!(with(|_| {}), "");
    let parameters = "they differ in its parameters, or what they are computed from";
    assert!(with(|swing| swing.length = f64::from_bits(0.8_f64.to_bits() + 1)).contains(parameters));
    // At the start nothing moves, and friction does nothing.
    assert!(with(|swing| swing.friction = 0.1).contains(parameters));
    assert!(with(|swing| swing.table.swap(0, 1)).contains(parameters));
    // The torque of times that the run has not reached.
    assert!(with(|swing| swing.torque = torque(2.5)).contains("its signal `torque`"));
    let own::Swing { length, friction, torque, table } = swing();
    let edited = edited::Swing { length, friction, torque: torque.clone(), table: table.clone() };
    assert!(refused(&edited.bind().unwrap(), &method, &file).contains("they differ in its declaration"));
    let beside = beside::Swing { length, friction, torque: torque.clone(), table: table.clone() };
    assert!(refused(&beside.bind().unwrap(), &method, &file).contains(parameters));
    let laid_out = laid_out::Swing { length, friction, torque, table };
    assert_eq!(refused(&laid_out.bind().unwrap(), &method, &file), "");
}

#[test]
fn a_run_goes_on_with_its_own_options_alone() {
    let file = Saved::at("options");
    let mut free = Spring { stiffness: 2.0 };
    let method =
        |friction, seed| Langevin { friction, inverse_temperature: 2.0, seed, ..Langevin::around(Verlet) };
    let bound = free.bind().unwrap();
    let run = integrate(&bound, &method(0.5, 3), State::new(vec![0.0], vec![1.0]), 0.01).unwrap();
    run.until(1.0).checkpoint(&*file, Interval::Steps(10)).run().unwrap();
    assert_eq!(refused(&bound, &method(0.5, 3), &file), "");
    for (other, number) in [(method(0.25, 3), "friction: 0.25"), (method(0.5, 4), "seed: 4")] {
        let refused = refused(&bound, &other, &file);
        assert!(refused.contains(number) && refused.contains("friction: 0.5"), "{refused}");
    }
    free.stiffness = 2.5;
    assert!(refused(&free.bind().unwrap(), &method(0.5, 3), &file).contains("its parameters"));
}

#[test]
fn a_run_that_is_saved_is_begun_anew_only_where_that_is_meant() {
    let (file, beside) = (saved("restarted"), saved("beside"));
    let bound = swing().bind().unwrap();
    let begun =
        || integrate(&bound, &VariationalMidpoint::default(), State::at_rest(vec![0.1]), 0.01).unwrap();
    let kept = std::fs::read(&*file).unwrap();
    let refused = |run: Simulation<'_>, words: &str| {
        let Err(error) = run.until(1.0).checkpoint(&*file, Interval::Steps(10)).run() else {
            panic!("{words}")
        };
        assert!(error.to_string().contains(words), "{error}");
        assert!(std::fs::read(&*file).unwrap() == kept);
    };
    let words =
        "holds a run of `Swing` by variational-midpoint, and `resume` goes on with it; `restart` begins anew";
    refused(begun(), words);
    // Nor is it the place of a run that goes on from elsewhere.
    refused(resume(&bound, &VariationalMidpoint::default(), &beside).unwrap().until(2.0), words);
    std::fs::write(&*file, &kept[1..]).unwrap();
    assert!(begun().checkpoint(&*file, Interval::Steps(10)).restart().run().is_err());
    std::fs::write(&*file, &kept).unwrap();
    begun().until(1.0).checkpoint(&*file, Interval::Steps(10)).restart().run().unwrap();
    assert!(std::fs::read(&*file).unwrap() != kept);
    resume(&bound, &VariationalMidpoint::default(), &file)
        .unwrap()
        .until(2.0)
        .checkpoint(&*file, Interval::Steps(10))
        .run()
        .unwrap();
}

struct Spring {
    stiffness: f64,
}

#[lagrangian]
impl Spring {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - 0.5 * self.stiffness * x.powi(2)
    }
}
