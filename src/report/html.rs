//! The report as a page for people.

use super::Judged;
use super::evidence::headline;
use super::text::escape;

/// Writes the report. Every requirement carries its id and its verdict as data, by which pages are compared with other
/// formats.
pub(super) fn render(judged: &Judged<'_>) -> Result<String, String> {
    let row = |line: &crate::checklist::RequirementLine<'_>| {
        let (id, word, said) = (line.requirement, line.verdict.word(), escaped(&headline(line)));
        format!("<tr data-requirement=\"{id}\" data-verdict=\"{word}\"><td>{id}<td>{said}\n")
    };
    let rows: String = judged.checklist.requirements().map(row).collect();
    let title = escaped(judged.title());
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title><h1>{title}</h1>\n<table>\n{rows}</table>\n"
    ))
}

fn escaped(text: &str) -> String {
    escape(text).replace('&', "&amp;").replace('<', "&lt;")
}
