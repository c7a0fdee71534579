//! What an OpenAPI document says, and what is wrong with a malformed one.

use idemspec::openapi::Description;

/// A document with this operation under `POST /orders`, and these schemas.
fn document(operation: &str, schemas: &str) -> String {
    format!(
        "openapi: 3.0.3\npaths:\n  /orders:\n    post: {operation}\ncomponents:\n  schemas:\n    Known: {{type: string}}\n{schemas}"
    )
}

/// What is said about a document that cannot be used.
fn said(text: &str) -> String {
    let described = Description::parse("api.yaml", text).and_then(|api| api.operation("POST /orders"));
    described.map(|operation| panic!("{operation:#?}")).unwrap_err().to_string()
}

const BODY: &str = "{requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}}";

#[test]
fn malformed_documents_are_said_to_be_with_their_place() {
    for (text, place, words) in [
        ("swagger: '2.0'\npaths: {}\n".to_owned(), "api.yaml:1:1", "this is Swagger 2.0, and OpenAPI 3 is read"),
        ("openapi: 2.9\n".to_owned(), "api.yaml:1:1", "this is OpenAPI 2.9"),
        ("title: something else\n".to_owned(), "api.yaml", "it has no `openapi`"),
        ("- openapi\n".to_owned(), "api.yaml", "it has no `openapi`"),
        ("openapi: 3.0.0\npaths: {\n".to_owned(), "api.yaml:", "syntax error"),
        ("\u{1}\u{2}PNG\n".to_owned(), "api.yaml", ""),
        (String::new(), "api.yaml", "empty"),
        (document(BODY, ""), "api.yaml:4:70", "`#/components/schemas/Order` leads nowhere"),
        (
            document(
                BODY,
                "    Order: {$ref: '#/components/schemas/Other'}\n    Other: {$ref: '#/components/schemas/Order'}\n",
            ),
            "api.yaml:8:5",
            "leads back to itself",
        ),
        (document(BODY, "    Order: {$ref: 'other.yaml#/Order'}\n"), "api.yaml:8:19", "points into another document"),
        (
            document(
                BODY,
                "    Order: {type: object, required: [part], properties: {part: {$ref: '#/components/schemas/Order'}}}\n",
            ),
            "api.yaml:8:5",
            "requires itself without end",
        ),
    ] {
        let said = said(&text);
        assert!(said.starts_with(place) && said.contains(words), "{text}\n{said}");
    }
    let near = said(&document(BODY.replace("Order", "Knwon").as_str(), ""));
    assert!(near.contains("did you mean `Known`?"), "{near}");
}

#[test]
fn a_schema_may_hold_itself_where_it_need_not() {
    let schema = "    Order:
      type: object
      required: [name, parts]
      properties:
        name: {type: string}
        parts: {type: array, items: {$ref: '#/components/schemas/Order'}}
        parent: {$ref: '#/components/schemas/Order'}
";
    let operation = Description::parse("api.yaml", &document(BODY, schema)).unwrap().operation("POST /orders").unwrap();
    assert_eq!(operation.body.unwrap().example, serde_json::json!({"name": "text", "parts": []}));
}

#[test]
fn examples_are_made_of_what_a_schema_says() {
    for (schema, example) in [
        ("{type: integer, minimum: 5}", serde_json::json!(5)),
        ("{type: integer, minimum: 5, exclusiveMinimum: true}", serde_json::json!(6)),
        ("{type: number, exclusiveMinimum: 0, multipleOf: 5}", serde_json::json!(5)),
        ("{type: integer, maximum: 0}", serde_json::json!(0)),
        ("{type: ['null', boolean]}", serde_json::json!(true)),
        ("{enum: [a, b]}", serde_json::json!("a")),
        ("{const: x}", serde_json::json!("x")),
        ("{type: string, examples: [one, two]}", serde_json::json!("one")),
        ("{type: string, minLength: 6, maxLength: 8}", serde_json::json!("textxx")),
        ("{type: string, format: date, default: 2031-01-01}", serde_json::json!("2031-01-01")),
        (
            "{oneOf: [{type: object, properties: {a: {type: string}}}, {type: integer}]}",
            serde_json::json!({"a": "text"}),
        ),
        (
            "{allOf: [{properties: {a: {type: integer}}}, {properties: {b: {type: boolean, readOnly: true}, c: {enum: [z]}}}]}",
            serde_json::json!({"a": 1, "c": "z"}),
        ),
        ("{items: {type: string}}", serde_json::json!(["text"])),
        ("{}", serde_json::json!("text")),
    ] {
        let text = document(BODY, &format!("    Order: {schema}\n"));
        let operation = Description::parse("api.yaml", &text).unwrap().operation("POST /orders").unwrap();
        assert_eq!(operation.body.unwrap().example, example, "{schema}");
    }
}

/// Cut off anywhere, or with a line left out, a document is read or refused; nothing else.
#[test]
fn no_text_makes_the_reader_panic() {
    for entry in std::fs::read_dir(super::documents()).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let variants = (0..lines.len()).flat_map(|at| {
            let without: Vec<&str> =
                lines.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, it)| *it).collect();
            [lines[..at].join("\n"), without.join("\n"), text.replacen(lines[at].trim(), "null", 1)]
        });
        for text in variants {
            let Ok(api) = Description::parse("api.yaml", &text) else { continue };
            for named in api.operations().unwrap_or_default() {
                let _ = api.operation(&named.address());
            }
        }
    }
}
