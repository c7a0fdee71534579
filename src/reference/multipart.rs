//! Multipart bodies, as they arrive (RFC 7578).

/// One part of a multipart body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Its name.
    pub(super) name: String,
    /// The name of the file, if it is one.
    pub(super) filename: Option<String>,
    /// The type of its content, if that is said.
    pub(super) media_type: Option<String>,
    /// Its content.
    pub(super) content: String,
}

/// The parts of a body; `None` if it is not such a body. The first line names the boundary.
pub(super) fn parts(body: &[u8]) -> Option<Vec<Part>> {
    let text = std::str::from_utf8(body).ok()?;
    let (first, _) = text.split_once("\r\n")?;
    let boundary = first.strip_prefix("--").filter(|boundary| !boundary.is_empty())?;
    let whole = format!("\r\n{text}");
    let between = format!("\r\n--{boundary}");
    let mut pieces = whole.split(between.as_str()).skip(1);
    let mut parts = Vec::new();
    loop {
        let piece = pieces.next()?;
        if piece.starts_with("--") {
            return Some(parts);
        }
        parts.push(part(piece.strip_prefix("\r\n")?)?);
    }
}

fn part(piece: &str) -> Option<Part> {
    let (head, content) = piece.split_once("\r\n\r\n")?;
    let field = |wanted: &str| {
        head.split("\r\n").find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case(wanted).then(|| value.trim())
        })
    };
    let disposition = field("content-disposition")?;
    let parameter = |wanted: &str| {
        disposition.split("; ").find_map(|parameter| {
            let value = parameter.strip_prefix(wanted)?.strip_prefix("=\"")?.strip_suffix('"')?;
            Some(value.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n"))
        })
    };
    Some(Part {
        name: parameter("name")?,
        filename: parameter("filename"),
        media_type: field("content-type").map(str::to_owned),
        content: content.to_owned(),
    })
}

/// The same parts with a boundary that says nothing: the form that is the same for every boundary. With a boundary of its own
/// where one is given.
pub(super) fn written(parts: &[Part], boundary: &str) -> String {
    let mut text = String::new();
    for part in parts {
        let quoted = |text: &str| text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
        text.push_str(&format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"", quoted(&part.name)));
        text.extend(part.filename.iter().map(|name| format!("; filename=\"{}\"", quoted(name))));
        text.extend(part.media_type.iter().map(|media_type| format!("\r\nContent-Type: {media_type}")));
        text.push_str(&format!("\r\n\r\n{}\r\n", part.content));
    }
    text.push_str(&format!("--{boundary}--\r\n"));
    text
}

/// The boundary of a body.
pub(super) fn boundary(body: &str) -> &str {
    body.split("\r\n").next().unwrap_or_default().trim_start_matches("--")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_and_written() {
        let file = Part {
            name: "a \"b\"".into(),
            filename: Some("c.txt".into()),
            media_type: Some("text/plain".into()),
            content: "one\r\n--other\r\n".into(),
        };
        let field = Part { name: "d".into(), filename: None, media_type: None, content: String::new() };
        let body = written(&[file.clone(), field.clone()], "x-1");
        assert_eq!(parts(body.as_bytes()), Some(vec![file, field]));
        assert_eq!(boundary(&body), "x-1");
        for broken in ["", "{}", "a=b", "--x\r\n", "--x\r\nno head\r\n--x--\r\n", body.trim_end_matches("--x-1--\r\n")]
        {
            assert_eq!(parts(broken.as_bytes()), None, "{broken}");
        }
    }
}
