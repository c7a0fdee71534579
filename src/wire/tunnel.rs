//! A tunnel through a proxy (RFC 9110, section 9.3.6).

use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::fault::Fault;
use super::settings::{ConnectionSettings, Destination, Proxy};
use super::socket::Socket;
use crate::history::SocketError;

/// The largest head of a proxy's answer, in bytes.
const HEAD_LIMIT: usize = 64 * 1024;

/// Asks a proxy for a tunnel. Afterwards the socket leads to the destination.
///
/// The proxy answers when its own connection stands, so asking takes a round trip all the way to the destination: that
/// is the one that counts from there on.
pub(super) async fn dig(
    socket: &mut Socket,
    proxy: &Proxy,
    destination: &Destination,
    settings: &ConnectionSettings,
) -> Result<(), Fault> {
    let authority = match destination.host.contains(':') {
        true => format!("[{}]:{}", destination.host, destination.port),
        false => format!("{}:{}", destination.host, destination.port),
    };
    let mut head = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n");
    let agent = settings.user_agent().map(|agent| ("User-Agent", agent.to_owned()));
    for (name, value) in agent.into_iter().chain(proxy.authorization().map(|value| ("Proxy-Authorization", value))) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    let asked = Instant::now();
    socket.write_all(head.as_bytes()).await.map_err(|error| Fault::from_io(&error))?;
    let answer = read_head(socket).await?;
    socket.set_round_trip(asked.elapsed());
    match status(&answer) {
        Some(200..300) => Ok(()),
        Some(status) => {
            Err(Fault::new(SocketError::Refused, format!("the proxy refused a tunnel with status {status}")))
        }
        None => Err(Fault::new(SocketError::Malformed, "the proxy's answer is not HTTP")),
    }
}

/// Reads a head and not a byte more: what follows belongs to the tunnel.
async fn read_head(socket: &mut Socket) -> Result<Vec<u8>, Fault> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() == HEAD_LIMIT {
            return Err(Fault::too_large("the head of the proxy's answer", HEAD_LIMIT));
        }
        match socket.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                return Err(Fault::new(SocketError::ClosedEarly, "the proxy closed the connection"));
            }
            Err(error) => return Err(Fault::from_io(&error)),
        }
    }
    Ok(head)
}

fn status(head: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(head).ok()?.lines().next()?;
    let mut words = line.split(' ');
    words.next().filter(|version| version.starts_with("HTTP/1."))?;
    words.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_must_answer_in_http() {
        assert_eq!(status(b"HTTP/1.1 200 Connection established\r\n\r\n"), Some(200));
        assert_eq!(status(b"HTTP/1.0 407 \r\n\r\n"), Some(407));
        assert_eq!(status(b"SSH-2.0-OpenSSH\r\n\r\n"), None);
    }
}
