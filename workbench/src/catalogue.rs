//! `methods`: every method with its claims and needs, and the advice which to take.

use std::io::{self, Write};

use serde::Serialize;

use crate::arguments::{Format, Methods};
use crate::error::Error;
use crate::methods::{ADVICE, Advice};
use crate::print::{json_line, table};
use least_action_methods::METHODS;

/// One line of `methods`.
#[derive(Serialize)]
struct Listed {
    name: &'static str,
    order: u32,
    /// The properties of the motion that it keeps, where no forces but those of the Lagrangian act.
    keeps: Vec<&'static str>,
    /// The Lagrangian, the constraints on positions and on velocities, and the other forces that it takes.
    lagrangian: &'static str,
    constraints: &'static str,
    nonholonomic: &'static str,
    forces: &'static str,
    options: &'static [&'static str],
}

/// Lists the methods.
pub(crate) fn methods(arguments: &Methods, out: &mut dyn Write) -> Result<(), Error> {
    let methods: Vec<Listed> = METHODS
        .iter()
        .map(|entry| {
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
            }
        })
        .collect();
    match arguments.format {
        Format::Json => {
            #[derive(Serialize)]
            struct Catalogue {
                methods: Vec<Listed>,
                advice: &'static [Advice],
            }
            json_line(out, &Catalogue { methods, advice: ADVICE })
        }
        Format::Text => text(&methods, out).map_err(|error| Error::stdout(&error)),
    }
}

fn text(methods: &[Listed], out: &mut dyn Write) -> io::Result<()> {
    let heads = ["method", "order", "keeps", "Lagrangian", "constraints", "other forces", "options"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for method in methods {
        let constraints = match method.nonholonomic {
            "no" => method.constraints.to_owned(),
            _ => format!("{}; on velocities too", method.constraints),
        };
        let cells = [
            method.name,
            &method.order.to_string(),
            &method.keeps.join(", "),
            method.lagrangian,
            &constraints,
            method.forces,
            &method.options.join(", "),
        ];
        rows.push(cells.map(|cell| cell.replace('`', "")).to_vec());
    }
    table(&rows).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(
        out,
        "\nkeeps: without other forces than those of the Lagrangian, and without constraints on velocities."
    )?;
    writeln!(
        out,
        "`describe MODEL` says which methods fit a model, what they keep of its motion, and which to take."
    )
}
