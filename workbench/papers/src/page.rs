//! A report as one self-contained page.

use least_action_pages::document::{Document, escaped};

use crate::experiment::{Columns, Experiment, Row, Verdict, number};

/// The page; an incomplete one says so.
pub(super) fn html(title: &str, remarks: &[&str], experiments: &[Experiment], complete: bool) -> String {
    let mut page = Document::new(title);
    if !complete {
        page.alert("Not complete: the computation goes on, or has ended before its time.");
    }
    remarks.iter().for_each(|remark| page.push(format_args!("<p>{}</p>\n", escaped(remark))));
    experiments.iter().for_each(|experiment| section(&mut page, experiment));
    page.finish()
}

fn section(page: &mut Document, experiment: &Experiment) {
    page.heading(&experiment.heading);
    if let Some(columns) = &experiment.columns {
        table(page, columns, &experiment.rows);
    }
    page.push(format_args!("<ul>\n"));
    for claim in &experiment.claims {
        let (statement, found) = (escaped(claim.statement), escaped(&claim.found));
        page.push(format_args!("<li>{statement} {}: {found}.</li>\n", mark(claim.verdict)));
    }
    page.push(format_args!("</ul>\n"));
    if let Some(motion) = &experiment.motion {
        page.motion(&experiment.heading, motion, false);
    }
    if !experiment.picture.is_empty() {
        page.figure(&experiment.heading, &experiment.picture);
    }
}

fn table(page: &mut Document, Columns { measure, names }: &Columns, rows: &[Row]) {
    page.push(format_args!(
        "<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">{}</th>",
        escaped(measure)
    ));
    for column in names {
        page.push(format_args!("<th scope=\"col\">{}</th>", escaped(column)));
    }
    page.push(format_args!("<th></th></tr></thead>\n"));
    for row in rows {
        page.push(format_args!("<tr><td>{}</td>", escaped(row.name)));
        for value in &row.values {
            page.push(format_args!("<td>{}</td>", number(*value, row.digits())));
        }
        if row.known.is_empty() {
            page.push(format_args!("<td></td></tr>\n"));
            continue;
        }
        let verdict = mark(row.verdict());
        page.push(format_args!("<td>{verdict}</td></tr>\n<tr class=\"known\"><td>known</td>"));
        for known in &row.known {
            page.push(format_args!("<td>{}</td>", number(known.value, row.digits())));
        }
        page.push(format_args!("<td></td></tr>\n"));
    }
    page.push(format_args!("</table></div>\n"));
}

fn mark(verdict: Verdict) -> String {
    let class = match verdict {
        Verdict::Reproduced => "yes",
        Verdict::NotReproduced => "no",
        Verdict::Refuted => "refuted",
    };
    format!("<span class=\"{class}\">{}</span>", verdict.words())
}
