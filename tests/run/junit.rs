//! The form of JUnit's XML, as its strictest wide-spread reader has it: the schema of Jenkins' xUnit plugin.
//!
//! That schema is XML Schema, for which there is no validator in Rust that is worth its weight. What it says fits into the
//! table below: the elements, their attributes, and which of them must be there.

use roxmltree::{Document, Node};

/// Element, the elements that may stand in it, its attributes, and those of them that must be there.
type Rule = (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

const FORM: [Rule; 9] = [
    ("testsuites", &["testsuite"], &["name", "time", "tests", "failures", "errors"], &[]),
    (
        "testsuite",
        &["testsuite", "properties", "testcase", "system-out", "system-err"],
        &["name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp", "hostname", "id", "package"],
        &["name", "tests", "failures", "errors"],
    ),
    ("properties", &["property"], &[], &[]),
    ("property", &[], &["name", "value"], &["name", "value"]),
    (
        "testcase",
        &["skipped", "error", "failure", "system-out", "system-err"],
        &["name", "time", "classname", "group"],
        &["name"],
    ),
    ("failure", &[], &["type", "message"], &[]),
    ("error", &[], &["type", "message"], &[]),
    ("skipped", &[], &["type", "message"], &[]),
    ("system-out", &[], &[], &[]),
];

#[track_caller]
pub(crate) fn keeps_to_its_form(document: &Document<'_>) {
    assert!(document.root_element().has_tag_name("testsuites"));
    for element in document.descendants().filter(Node::is_element) {
        let name = element.tag_name().name();
        let rule = FORM.iter().find(|rule| rule.0 == name);
        let (_, children, attributes, required) = rule.unwrap_or_else(|| panic!("`{name}` is no element"));
        for child in element.children().filter(Node::is_element) {
            assert!(children.contains(&child.tag_name().name()), "`{}` in `{name}`", child.tag_name().name());
        }
        for attribute in element.attributes() {
            assert!(attributes.contains(&attribute.name()), "`{name}` has no `{}`", attribute.name());
        }
        for attribute in *required {
            assert!(element.has_attribute(*attribute), "`{name}` needs `{attribute}`");
        }
        if let Some(time) = element.attribute("time") {
            assert!(time.parse::<f64>().is_ok_and(|time| time >= 0.0), "{time}");
        }
    }
    for suite in document.descendants().filter(|node| node.has_tag_name("testsuite")) {
        counts_what_it_holds(suite);
    }
}

#[track_caller]
fn counts_what_it_holds(suite: Node<'_, '_>) {
    let cases = || suite.children().filter(|node| node.has_tag_name("testcase"));
    let holding = |name: &str| cases().filter(|case| case.children().any(|child| child.has_tag_name(name))).count();
    let counted = |name: &str| suite.attribute(name).unwrap().parse::<usize>().unwrap();
    assert_eq!(counted("tests"), cases().count());
    for (attribute, element) in [("failures", "failure"), ("errors", "error"), ("skipped", "skipped")] {
        assert_eq!(counted(attribute), holding(element), "{attribute}");
    }
}
