//! A report as one self-contained page.

use std::fmt::Write;

use super::experiment::{Experiment, Verdict};
use super::press::number;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}\
                     table{border-collapse:collapse;margin:1rem 0}th,td{padding:.2rem .8rem;text-align:right}\
                     th:first-child,td:first-child{text-align:left}thead{border-bottom:1px solid #888}\
                     .known{color:#777}.yes{color:#007a52}.no{color:#b22}.refuted{color:#a60}svg{width:100%;height:auto}";

/// The page; one that is not complete says so.
pub(super) fn html(title: &str, remarks: &[&str], experiments: &[Experiment], complete: bool) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         <h1>{title}</h1>\n"
    );
    if !complete {
        page.push_str(
            "<p class=\"no\">Not complete: the computation goes on, or has ended before its time.</p>\n",
        );
    }
    for remark in remarks {
        push(&mut page, format_args!("<p>{}</p>\n", escaped(remark)));
    }
    for experiment in experiments {
        section(&mut page, experiment);
    }
    page.push_str("</html>\n");
    page
}

fn section(page: &mut String, experiment: &Experiment) {
    push(page, format_args!("<h2>{}</h2>\n", escaped(&experiment.heading)));
    if !experiment.rows.is_empty() {
        table(page, experiment);
    }
    page.push_str("<ul>\n");
    for claim in &experiment.claims {
        let (statement, found) = (escaped(claim.statement), escaped(&claim.found));
        push(page, format_args!("<li>{statement} {}: {found}.</li>\n", mark(claim.verdict)));
    }
    page.push_str("</ul>\n");
    page.push_str(&experiment.picture);
}

fn table(page: &mut String, experiment: &Experiment) {
    let (measure, columns) = experiment.header();
    push(page, format_args!("<table>\n<thead><tr><th>{}</th>", escaped(measure)));
    for column in columns {
        push(page, format_args!("<th>{}</th>", escaped(&column)));
    }
    page.push_str("<th></th></tr></thead>\n");
    for row in &experiment.rows {
        push(page, format_args!("<tr><td>{}</td>", escaped(row.name)));
        for value in &row.values {
            push(page, format_args!("<td>{}</td>", number(*value)));
        }
        if row.known.is_empty() {
            page.push_str("<td></td></tr>\n");
            continue;
        }
        push(page, format_args!("<td>{}</td></tr>\n<tr class=\"known\"><td>known</td>", mark(row.verdict())));
        for known in &row.known {
            push(page, format_args!("<td>{}</td>", number(known.value)));
        }
        page.push_str("<td></td></tr>\n");
    }
    page.push_str("</table>\n");
}

fn mark(verdict: Verdict) -> String {
    let class = match verdict {
        Verdict::Reproduced => "yes",
        Verdict::NotReproduced => "no",
        Verdict::Refuted => "refuted",
    };
    format!("<span class=\"{class}\">{}</span>", verdict.words())
}

fn push(page: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = page.write_fmt(text);
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
