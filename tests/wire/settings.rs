//! Connection settings, as the server and the proxy saw them.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

use idemspec::history::{Outcome, Protocol, SocketError};
use idemspec::secret::Text;
use idemspec::wire::{
    Attempted, ClientIdentity, ClientKey, ConnectTo, ConnectionSettings, Connector, Endpoint, HttpVersion, Proxy,
};

use crate::certificates::{mutual_tls, odd, own, speaking, tls, trusting};
use crate::frames::{self, END_STREAM, field};
use crate::raw_server::{Peer, RawServer, Security};
use crate::{PATIENCE, post, send};

const BODY: &str = r#"{"quantity":42}"#;

/// Answers one request in whichever version of HTTP it comes.
fn answer(peer: &mut Peer) {
    while peer.saw.received.len() < 3 && peer.read() {}
    if peer.saw.received.starts_with(b"PRI") {
        peer.greet().read_stream().write(frames::head(204, END_STREAM)).read_frames_to_end();
    } else {
        peer.read_request().write("HTTP/1.1 204 No Content\r\n\r\n").read_to_end();
    }
}

fn status(attempted: &Attempted) -> Option<u16> {
    attempted.outcome.answer().map(|response| response.status)
}

/// A proxy for one connection: reads a head, answers it, and carries on what follows. Tells the head.
struct RawProxy {
    address: SocketAddr,
    heads: Receiver<String>,
}

impl RawProxy {
    fn start(answer: &'static str, to: Option<SocketAddr>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, heads) = channel();
        std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                client.read_exact(&mut byte).unwrap();
                head.push(byte[0]);
            }
            sender.send(String::from_utf8(head).unwrap()).unwrap();
            client.write_all(answer.as_bytes()).unwrap();
            if let Some(to) = to {
                let server = TcpStream::connect(to).unwrap();
                let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                let forth = std::thread::spawn(move || carry(&mut from_client, &mut to_server));
                carry(&mut server.try_clone().unwrap(), &mut client);
                forth.join().unwrap();
            }
        });
        Self { address, heads }
    }

    fn tunnel(to: SocketAddr) -> Self {
        Self::start("HTTP/1.1 200 Connection established\r\nVia: raw\r\n\r\n", Some(to))
    }

    fn settings(&self, credentials: &str) -> Option<Proxy> {
        Some(Proxy::parse(&format!("http://{credentials}{}", self.address)).unwrap())
    }

    fn head(&self) -> String {
        self.heads.recv_timeout(PATIENCE).unwrap()
    }
}

fn carry(from: &mut TcpStream, to: &mut TcpStream) {
    let _ = std::io::copy(from, to);
    let _ = to.shutdown(std::net::Shutdown::Write);
}

#[tokio::test]
async fn both_sides_agree_on_a_version_of_http() {
    let cases: [(HttpVersion, &[&str], Protocol); 6] = [
        (HttpVersion::Auto, &["h2", "http/1.1"], Protocol::Http2),
        (HttpVersion::Auto, &["http/1.1"], Protocol::Http1),
        (HttpVersion::Auto, &[], Protocol::Http1),
        (HttpVersion::Http1, &["h2", "http/1.1"], Protocol::Http1),
        (HttpVersion::Http1, &[], Protocol::Http1),
        (HttpVersion::Http2, &["http/1.1", "h2"], Protocol::Http2),
    ];
    for (version, agreed, expected) in cases {
        let server = RawServer::start_with(tls(own(), agreed), answer);
        let attempted = send(&server.connector(speaking(version)), &post(BODY), |_| {}).await;
        let spoke_http2 = server.saw().received.starts_with(b"PRI");
        assert_eq!(status(&attempted), Some(204), "{version:?} {agreed:?}");
        assert_eq!(attempted.protocol, Some(expected), "{version:?} {agreed:?}");
        assert_eq!(spoke_http2, expected == Protocol::Http2, "{version:?} {agreed:?}");
    }
    for (version, expected) in [
        (HttpVersion::Auto, Protocol::Http1),
        (HttpVersion::Http1, Protocol::Http1),
        (HttpVersion::Http2, Protocol::Http2),
    ] {
        let server = RawServer::start(answer);
        let attempted = send(&server.connector(speaking(version)), &post(BODY), |_| {}).await;
        server.saw();
        assert_eq!((status(&attempted), attempted.protocol), (Some(204), Some(expected)));
    }
}

#[tokio::test]
async fn a_server_that_asks_gets_the_certificate_of_the_client() {
    let client = odd(|_| {}, "client.example");
    let key = ClientKey::from_pem(client.signing_key.serialize_pem().as_bytes()).unwrap();
    let identity = ClientIdentity::new(client.cert.pem().as_bytes(), key).unwrap();
    for version in [HttpVersion::Http1, HttpVersion::Http2] {
        let server = RawServer::start_with(mutual_tls(&client, &["h2", "http/1.1"]), answer);
        let settings = ConnectionSettings { identity: Some(identity.clone()), ..speaking(version) };
        let attempted = send(&server.connector(settings), &post(BODY), |_| {}).await;
        server.saw();
        assert_eq!(status(&attempted), Some(204), "{attempted:?}");
    }
    assert!(!format!("{identity:?}").contains(&format!("{:?}", &client.signing_key.serialize_der()[..8])));
}

#[tokio::test]
async fn connections_go_where_they_are_told_to_and_nothing_above_changes() {
    let named = odd(|_| {}, "api.example");
    for (security, url, head) in [
        (Security::Plain, "http://api.example:81/v1", "Host: api.example:81\r\n"),
        (tls(&named, &["http/1.1"]), "https://api.example", "Host: api.example\r\n"),
    ] {
        let server = RawServer::start_with(security, answer);
        let port = server.address().port();
        let settings = ConnectionSettings {
            connect_to: vec![ConnectTo::parse(&format!("api.example::127.0.0.1:{port}")).unwrap()],
            ..trusting(&named)
        };
        let connector = Connector::with(Endpoint::parse(url).unwrap(), settings);
        let attempted = send(&connector, &post(BODY), |_| {}).await;
        let saw = server.saw();
        assert_eq!(status(&attempted), Some(204), "{attempted:?}");
        assert!(saw.text().contains(head), "{saw:?}");
    }
}

#[tokio::test]
async fn a_proxy_is_told_the_whole_target_of_a_plain_request() {
    let proxy = RawProxy::start("HTTP/1.1 204 No Content\r\n\r\n", None);
    let settings = ConnectionSettings { proxy: proxy.settings("user:hunter2@"), ..ConnectionSettings::default() };
    let connector = Connector::with(Endpoint::parse("http://api.example:81").unwrap(), settings);
    let attempted = send(&connector, &post(BODY), |_| {}).await;
    let head = proxy.head();
    assert_eq!(status(&attempted), Some(204), "{attempted:?}");
    assert!(head.starts_with("POST http://api.example:81/orders?source=probe HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("Host: api.example:81\r\n"), "{head}");
    assert!(head.contains("Proxy-Authorization: Basic dXNlcjpodW50ZXIy\r\n"), "{head}");
}

#[tokio::test]
async fn everything_else_goes_through_a_tunnel() {
    let kinds = [
        (Security::Plain, HttpVersion::Http2),
        (tls(own(), &["h2", "http/1.1"]), HttpVersion::Http1),
        (tls(own(), &["h2", "http/1.1"]), HttpVersion::Http2),
    ];
    for (security, version) in kinds {
        let server = RawServer::start_with(security, answer);
        let proxy = RawProxy::tunnel(server.address());
        let settings = ConnectionSettings { proxy: proxy.settings("user:hunter2@"), ..speaking(version) };
        let attempted = send(&server.connector(settings), &post(BODY), |_| {}).await;
        let (head, address) = (proxy.head(), server.address());
        let saw = server.saw();
        assert_eq!(status(&attempted), Some(204), "{attempted:?}");
        assert!(head.starts_with(&format!("CONNECT {address} HTTP/1.1\r\nHost: {address}\r\n")), "{head}");
        assert!(head.contains("Proxy-Authorization: Basic dXNlcjpodW50ZXIy\r\n"), "{head}");
        let received = String::from_utf8_lossy(&saw.received);
        assert!(!received.contains("CONNECT") && !received.to_lowercase().contains("proxy-"), "{received}");
        // What the proxy was told is no part of the request.
        let Outcome::Answered(_) = attempted.outcome else { panic!("{attempted:?}") };
    }
}

#[tokio::test]
async fn a_tunnel_leads_where_connections_are_told_to_go() {
    let server = RawServer::start(answer);
    let proxy = RawProxy::tunnel(server.address());
    let settings = ConnectionSettings {
        proxy: proxy.settings(""),
        connect_to: vec![ConnectTo::parse("api.example:80:inner.example:8080").unwrap()],
        ..ConnectionSettings::default()
    };
    let connector = Connector::with(Endpoint::parse("http://api.example").unwrap(), settings);
    let attempted = send(&connector, &post(BODY), |_| {}).await;
    assert!(proxy.head().starts_with("CONNECT inner.example:8080 HTTP/1.1\r\n"));
    assert_eq!(status(&attempted), Some(204), "{attempted:?}");
    assert!(server.saw().text().contains("Host: api.example\r\n"));
}

#[tokio::test]
async fn a_proxy_that_gives_no_tunnel_is_told_apart_from_the_server() {
    let cases = [
        ("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n", SocketError::Refused, "407"),
        ("SSH-2.0-OpenSSH_9.6\r\n\r\n", SocketError::Malformed, "proxy"),
        ("HTTP/1.1 200 Con", SocketError::ClosedEarly, "the proxy closed"),
    ];
    for (answer, expected, words) in cases {
        let proxy = RawProxy::start(answer, None);
        let settings = ConnectionSettings { proxy: proxy.settings("user:hunter2-hunter2@"), ..trusting(own()) };
        let connector = Connector::with(Endpoint::parse("https://127.0.0.1:1").unwrap(), settings);
        let attempted = send(&connector, &post(BODY), |_| {}).await;
        let Outcome::Failed { error, bytes_written, detail, .. } = &attempted.outcome else { panic!("{attempted:?}") };
        assert_eq!((*error, *bytes_written), (expected, 0), "{detail}");
        assert!(detail.contains(words) && !detail.contains("hunter2"), "{detail}");
    }
}

#[tokio::test]
async fn the_user_agent_is_what_was_set_unless_the_request_says_otherwise() {
    let mut named = post(BODY);
    named.headers.push(("User-Agent".into(), Text::plain("profile/2")));
    let own_name = format!("idemspec/{}", env!("CARGO_PKG_VERSION"));
    let cases = [
        (None, post(BODY), Some(own_name.as_str())),
        (Some("curl/8"), post(BODY), Some("curl/8")),
        (Some(""), post(BODY), None),
        (Some("curl/8"), named.clone(), Some("profile/2")),
    ];
    for (user_agent, request, expected) in cases {
        let settings =
            ConnectionSettings { user_agent: user_agent.map(str::to_owned), ..ConnectionSettings::default() };
        let server = RawServer::start(answer);
        send(&server.connector(settings), &request, |_| {}).await;
        let saw = server.saw();
        let found = saw.text().lines().find_map(|line| line.strip_prefix("User-Agent: "));
        assert_eq!(found, expected, "{saw:?}");
    }
}

#[tokio::test]
async fn over_http2_the_request_arrives_as_it_was_rendered() {
    let server = RawServer::start(|peer| {
        peer.greet().read_stream();
        let block = [&[0x88_u8][..], &field("x-a", "1"), &field("x-b", "2"), &field("x-a", "3")].concat();
        peer.write(frames::frame(frames::HEADERS, frames::END_HEADERS, frames::STREAM, &block));
        peer.write(frames::data(b"hel", 0)).write(frames::data(b"lo", END_STREAM)).read_frames_to_end();
    });
    let attempted = send(&server.connector(speaking(HttpVersion::Http2)), &post(BODY), |_| {}).await;
    let saw = server.saw();
    let Outcome::Answered(response) = &attempted.outcome else { panic!("{attempted:?}") };
    assert_eq!((response.status, response.body.text().as_ref()), (200, "hello"));
    let values: Vec<&str> =
        response.headers.iter().filter(|(name, _)| name == "x-a").map(|(_, value)| value.as_str()).collect();
    assert_eq!(values, ["1", "3"]);
    let content: Vec<u8> = saw
        .frames()
        .iter()
        .filter(|frame| frame.kind == frames::DATA)
        .flat_map(|frame| frame.payload.clone())
        .collect();
    assert_eq!(content, BODY.as_bytes());
}
