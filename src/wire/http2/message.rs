//! A request in the form of HTTP/2 (RFC 9113, section 8.3).

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Uri, Version};

use crate::message::Request;
use crate::wire::connector::Connector;
use crate::wire::rendering::content_length;

/// Fields that speak about a connection of HTTP/1.1; in HTTP/2 they must not be sent (RFC 9113, section 8.2.2).
const OF_THE_CONNECTION: [&str; 7] =
    ["connection", "http2-settings", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade"];

/// Puts a request into the form of HTTP/2: the head, and the content.
///
/// `Host` becomes `:authority`; names of fields are in lower case; `user-agent` and `content-length` are added unless the
/// request brings its own.
///
/// # Errors
/// Says which part cannot be sent. The part itself is not repeated: it may be secret.
pub(in crate::wire) fn message(
    connector: &Connector,
    request: &Request,
) -> Result<(http::Request<()>, Option<Bytes>), String> {
    let host = request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("host"));
    let authority = host.map_or(connector.endpoint().authority(), |(_, value)| value.sent());
    let target = request.target.sent();
    let uri = Uri::builder()
        .scheme(connector.endpoint().scheme())
        .authority(authority)
        .path_and_query(target)
        .build()
        .ok()
        .filter(|uri| uri.path_and_query().is_some_and(|path| path.as_str() == target))
        .ok_or("the host or the request target cannot be sent over HTTP/2")?;
    let mut head = http::Request::new(());
    *head.method_mut() = request.method.clone();
    *head.uri_mut() = uri;
    *head.version_mut() = Version::HTTP_2;
    *head.headers_mut() = fields(connector, request)?;
    let content = request.body.as_ref().map(|body| Bytes::copy_from_slice(body.sent().as_bytes()));
    Ok((head, content.filter(|content| !content.is_empty())))
}

fn fields(connector: &Connector, request: &Request) -> Result<HeaderMap, String> {
    let mut fields = HeaderMap::new();
    for (name, value) in &request.headers {
        let lower = name.to_ascii_lowercase();
        let trailers = lower == "te" && value.sent().eq_ignore_ascii_case("trailers");
        if lower == "host" || (OF_THE_CONNECTION.contains(&lower.as_str()) && !trailers) {
            continue;
        }
        let parsed = HeaderName::from_bytes(lower.as_bytes())
            .map_err(|_| format!("`{}` cannot be the name of a header field", name.escape_debug()))?;
        let mut content = HeaderValue::from_bytes(value.sent().as_bytes())
            .map_err(|_| format!("the value of the header field `{name}` holds a control character"))?;
        // A secret is kept out of the tables of both sides.
        content.set_sensitive(value.sent() != value.shown());
        fields
            .try_append(parsed, content)
            .map_err(|_| "there are more header fields than a head can hold".to_owned())?;
    }
    if let (false, Some(length)) = (fields.contains_key(http::header::CONTENT_LENGTH), content_length(request)) {
        fields.insert(http::header::CONTENT_LENGTH, length.into());
    }
    if let (false, Some(agent)) = (fields.contains_key(http::header::USER_AGENT), connector.settings().user_agent()) {
        let agent = HeaderValue::from_str(agent).map_err(|_| "the user agent holds a control character".to_owned())?;
        fields.insert(http::header::USER_AGENT, agent);
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Text;
    use crate::wire::Endpoint;

    fn request(headers: &[(&str, &str)]) -> Request {
        Request {
            method: http::Method::POST,
            target: Text::plain("/orders?a=%20b"),
            headers: headers.iter().map(|(name, value)| ((*name).to_owned(), Text::plain(*value))).collect(),
            body: Some(Text::plain("{}")),
        }
    }

    fn connector() -> Connector {
        Connector::new(Endpoint::parse("https://api.example:8443").unwrap())
    }

    #[test]
    fn what_speaks_of_a_connection_stays_behind() {
        let fields = [
            ("Connection", "close"),
            ("Keep-Alive", "timeout=5"),
            ("Transfer-Encoding", "chunked"),
            ("Proxy-Connection", "keep-alive"),
            ("Upgrade", "h2c"),
            ("HTTP2-Settings", "AAMAAABkAAQAAP__"),
            ("TE", "gzip"),
            ("Idempotency-Key", "6F1C"),
        ];
        let (head, content) = message(&connector(), &request(&fields)).unwrap();
        let names: Vec<&str> = head.headers().keys().map(HeaderName::as_str).collect();
        assert_eq!(names, ["idempotency-key", "content-length", "user-agent"]);
        assert_eq!(head.uri(), "https://api.example:8443/orders?a=%20b");
        assert_eq!(content.unwrap(), "{}");
        let (head, _) = message(&connector(), &request(&[("te", "trailers")])).unwrap();
        assert_eq!(head.headers()["te"], "trailers");
    }

    #[test]
    fn the_host_field_is_the_authority() {
        let (head, _) = message(&connector(), &request(&[("Host", "other.example")])).unwrap();
        assert_eq!(head.uri().authority().unwrap(), "other.example");
        assert!(!head.headers().contains_key("host"));
    }

    #[test]
    fn what_cannot_be_sent_is_refused_without_its_value() {
        for (name, value) in [("X-Token", "hunter2\r\nX: 1"), ("X-Token", "hunter2\u{1}"), ("X Y", "hunter2")] {
            let refusal = message(&connector(), &request(&[(name, value)])).unwrap_err();
            assert!(refusal.contains(name) && !refusal.contains("hunter2"), "{refusal}");
        }
        for target in ["/a b", "/a#b", "a", "/a\r\n"] {
            let request = Request { target: Text::plain(target), ..request(&[]) };
            assert!(message(&connector(), &request).is_err(), "{target:?}");
        }
    }

    #[test]
    fn secrets_are_kept_out_of_the_tables() {
        let mut secret = request(&[("X-Plain", "1")]);
        secret.headers.push(("Authorization".into(), Text::new("Bearer x", "Bearer ${TOKEN}")));
        let (head, _) = message(&connector(), &secret).unwrap();
        assert!(head.headers()["authorization"].is_sensitive() && !head.headers()["x-plain"].is_sensitive());
    }
}
