//! `methods`: every method with its claims and needs, and the advice which to take.

use std::io::{self, Write};

use serde::Serialize;

use crate::arguments::List;
use crate::error::Result;
use crate::methods::{ADVICE, Advice};
use crate::print::Text;
use crate::streams::Streams;
use least_action_methods::METHODS;

/// The output of `methods`.
#[derive(Serialize)]
struct Catalogue {
    methods: Vec<Listed>,
    advice: &'static [Advice],
}

/// One line of `methods`.
#[derive(Serialize)]
struct Listed {
    name: &'static str,
    order: u32,
    /// The properties of the motion that it keeps, where the forces of the Lagrangian act alone.
    keeps: Vec<&'static str>,
    /// The Lagrangian, the constraints on positions and on velocities, and the other forces that it
    /// takes.
    lagrangian: &'static str,
    constraints: &'static str,
    nonholonomic: &'static str,
    forces: &'static str,
    options: &'static [&'static str],
    /// The numbers by which motions have derivatives.
    derivatives: &'static [&'static str],
}

/// Lists the methods.
pub(crate) fn methods(arguments: &List, streams: &mut Streams<'_>) -> Result {
    let methods = METHODS.iter().map(|entry| {
        let (forces, options, [lagrangian, constraints, nonholonomic]) = entry.facts();
        Listed {
            name: entry.name,
            order: entry.claims.order,
            keeps: entry.claims.words(),
            lagrangian,
            constraints,
            nonholonomic,
            forces,
            options,
            derivatives: entry.claims.derivatives(),
        }
    });
    let methods: Vec<Listed> = methods.collect();
    let catalogue = Catalogue { methods, advice: ADVICE };
    streams.print(arguments.format, &catalogue, |catalogue, out| text(&catalogue.methods, out))
}

fn text(methods: &[Listed], out: &mut Text<'_>) -> io::Result<()> {
    for method in methods {
        let Listed {
            name,
            order,
            keeps,
            lagrangian,
            constraints,
            nonholonomic,
            forces,
            options,
            derivatives,
        } = method;
        let keeps = if keeps.is_empty() { String::new() } else { format!(", keeps {}", keeps.join(", ")) };
        writeln!(out, "{name}: order {order}{keeps}")?;
        let on_velocities = if *nonholonomic == "no" { "" } else { "; on velocities too" };
        let takes =
            format!("{lagrangian}; constraints: {constraints}{on_velocities}; other forces: {forces}");
        writeln!(out, "    Lagrangian: {}", takes.replace('`', ""))?;
        if !options.is_empty() {
            writeln!(out, "    options: {}", options.join(", "))?;
        }
        if !derivatives.is_empty() {
            writeln!(out, "    derivatives by: {}", derivatives.join(", "))?;
        }
    }
    writeln!(out, "\nkeeps: without forces beside the Lagrangian's, and without constraints on velocities.")?;
    writeln!(
        out,
        "`describe MODEL` says which methods fit a model, which quantities of its motion they keep, and which to take."
    )
}
