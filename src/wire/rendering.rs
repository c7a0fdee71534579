//! The bytes of one HTTP/1.1 request.
//!
//! They are written here and not by a library, because field names and values must leave as the profile spells them
//! and in its order, and because losses are positions in these bytes.

use http::Method;

use super::connector::Connector;
use super::settings::Route;
use crate::message::Request;

/// A request as bytes, with the places where it can be broken off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rendered {
    bytes: Vec<u8>,
    head_length: usize,
}

/// The bytes of the empty line that ends a head.
const END_OF_HEAD: &[u8] = b"\r\n";

impl Rendered {
    /// The whole request.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where the whole request ends.
    pub(super) fn end(&self) -> usize {
        self.bytes.len()
    }

    /// Where the head ends; in a request without content, before the empty line that would end the head and with it
    /// the request: the server has every field and still cannot take the request as complete.
    pub(super) fn after_head(&self) -> usize {
        if self.has_content() { self.head_length } else { self.head_length - END_OF_HEAD.len() }
    }

    /// Half way through the content; in a request without content, half way through the head.
    pub(super) fn half_way(&self) -> usize {
        if self.has_content() {
            self.head_length + (self.bytes.len() - self.head_length) / 2
        } else {
            self.head_length / 2
        }
    }

    fn has_content(&self) -> bool {
        self.bytes.len() > self.head_length
    }
}

/// Writes a request down as it will be sent.
///
/// `Host`, `User-Agent`, `Content-Length` and `Connection: close` (there is one connection to an attempt) are added
/// unless the request brings its own. A proxy that passes the request on is told where to.
///
/// # Errors
/// Says which part cannot stand in an HTTP/1.1 head. The part itself is not repeated: it may be secret.
pub(super) fn render(connector: &Connector, request: &Request) -> Result<Rendered, String> {
    let target = request.target.sent();
    if !target.starts_with('/') || target.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
        return Err("the request target must begin with `/` and hold no blanks or control characters".into());
    }
    let (endpoint, settings) = (connector.endpoint(), connector.settings());
    let (whole, authorization) = match settings.route(endpoint) {
        Route::Direct | Route::Tunnelled(_) => (String::new(), None),
        Route::Forwarded(proxy) => (format!("{}://{}", endpoint.scheme(), endpoint.authority()), proxy.authorization()),
    };
    let mut head = Vec::with_capacity(512);
    head.extend_from_slice(format!("{} {whole}{target} HTTP/1.1\r\n", request.method).as_bytes());
    push_unless_given(&mut head, request, "Host", Some(endpoint.authority()));
    for (name, value) in &request.headers {
        push_field(&mut head, name, value.sent())?;
    }
    let length = content_length(request).map(|length| length.to_string());
    push_unless_given(&mut head, request, "User-Agent", settings.user_agent());
    push_unless_given(&mut head, request, "Content-Length", length.as_deref());
    push_unless_given(&mut head, request, "Connection", Some("close"));
    push_unless_given(&mut head, request, "Proxy-Authorization", authorization.as_deref());
    head.extend_from_slice(END_OF_HEAD);
    let head_length = head.len();
    if let Some(body) = &request.body {
        head.extend_from_slice(body.sent().as_bytes());
    }
    Ok(Rendered { bytes: head, head_length })
}

/// The declared length: always of the whole content, also where only a part of it will be sent, so that a server can
/// tell that something is missing. Methods that announce content say `0` when there is none.
pub(super) fn content_length(request: &Request) -> Option<usize> {
    match &request.body {
        Some(body) => Some(body.sent().len()),
        None if [Method::POST, Method::PUT, Method::PATCH].contains(&request.method) => Some(0),
        None => None,
    }
}

fn push_field(head: &mut Vec<u8>, name: &str, value: &str) -> Result<(), String> {
    if http::HeaderName::from_bytes(name.as_bytes()).is_err() {
        return Err(format!("`{}` cannot be the name of a header field", name.escape_debug()));
    }
    if value.bytes().any(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
        return Err(format!("the value of the header field `{name}` holds a line break or a null character"));
    }
    write_field(head, name, value);
    Ok(())
}

fn push_unless_given(head: &mut Vec<u8>, request: &Request, name: &str, value: Option<&str>) {
    let given = request.headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
    if let (false, Some(value)) = (given, value) {
        write_field(head, name, value);
    }
}

fn write_field(head: &mut Vec<u8>, name: &str, value: &str) {
    head.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Text;
    use crate::wire::Endpoint;

    fn request(method: Method, headers: &[(&str, &str)], body: Option<&str>) -> Request {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), Text::plain(*value))).collect();
        Request { method, target: Text::plain("/orders?a=b"), headers, body: body.map(Text::plain) }
    }

    fn rendered(request: &Request) -> Rendered {
        render(&Connector::new(Endpoint::parse("http://127.0.0.1:81").unwrap()), request).unwrap()
    }

    fn text(bytes: &[u8]) -> &str {
        std::str::from_utf8(bytes).unwrap()
    }

    #[test]
    fn fields_keep_their_order_and_spelling() {
        let headers = [("Idempotency-Key", "\"k\""), ("x-ODD", "ä"), ("Accept", "*/*"), ("x-odd", "")];
        let rendered = rendered(&request(Method::POST, &headers, Some("{\"a\":1}")));
        let expected = format!(
            "POST /orders?a=b HTTP/1.1\r\nHost: 127.0.0.1:81\r\nIdempotency-Key: \"k\"\r\nx-ODD: ä\r\nAccept: */*\r\n\
             x-odd: \r\nUser-Agent: idemspec/{}\r\nContent-Length: 7\r\nConnection: close\r\n\r\n{{\"a\":1}}",
            env!("CARGO_PKG_VERSION")
        );
        assert_eq!(text(rendered.bytes()), expected);
    }

    #[test]
    fn what_the_request_brings_is_not_added_again() {
        let headers = [("host", "other"), ("user-agent", "me"), ("CONTENT-LENGTH", "9"), ("connection", "keep-alive")];
        let rendered = rendered(&request(Method::POST, &headers, Some("123456789")));
        let head = text(rendered.bytes()).to_ascii_lowercase();
        for name in ["host:", "user-agent:", "content-length:", "connection:"] {
            assert_eq!(head.matches(name).count(), 1, "{name} in {head}");
        }
    }

    #[test]
    fn a_length_is_declared_where_content_is_expected() {
        assert!(text(rendered(&request(Method::POST, &[], None)).bytes()).contains("Content-Length: 0\r\n"));
        assert!(!text(rendered(&request(Method::GET, &[], None)).bytes()).contains("Content-Length"));
    }

    #[test]
    fn breaking_points_never_complete_a_request() {
        let with = rendered(&request(Method::POST, &[], Some("0123456789")));
        assert!(text(&with.bytes()[..with.after_head()]).ends_with("\r\n\r\n"));
        assert!(text(&with.bytes()[..with.half_way()]).ends_with("\r\n\r\n01234"));
        for without in [request(Method::GET, &[], None), request(Method::POST, &[], Some(""))].map(|it| rendered(&it)) {
            assert!(text(&without.bytes()[..without.after_head()]).ends_with("Connection: close\r\n"));
            assert!(without.half_way() < without.after_head() && without.after_head() < without.end());
        }
    }

    #[test]
    fn nothing_can_be_smuggled_into_a_head_and_no_value_shows_in_the_refusal() {
        let connector = Connector::new(Endpoint::parse("http://127.0.0.1").unwrap());
        let broken = request(Method::POST, &[("X-Token", "hunter2\r\nX-Other: 1")], None);
        let refusal = render(&connector, &broken).unwrap_err();
        assert!(refusal.contains("X-Token") && !refusal.contains("hunter2"), "{refusal}");
        assert!(render(&connector, &request(Method::POST, &[("X Y", "1")], None)).is_err());
        let mut spaced = request(Method::GET, &[], None);
        for target in ["/a b", "/a\r\nX: 1", "orders", ""] {
            spaced.target = Text::plain(target);
            assert!(render(&connector, &spaced).is_err(), "{target:?}");
        }
    }
}
