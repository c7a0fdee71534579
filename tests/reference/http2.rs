//! A client that speaks HTTP/2, and leaves in the ways that only HTTP/2 has.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use h2::Reason;
use h2::client::{ResponseFuture, SendRequest};
use idemspec::reference::RunningReference;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;

use crate::client::{Answer, trusting};

/// How a client gives a request up.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Leaving {
    /// By RST_STREAM; the connection stays.
    Cancel,
    /// By closing the connection.
    Close,
}

pub(crate) const LEAVINGS: [Leaving; 2] = [Leaving::Cancel, Leaving::Close];

/// A connection that speaks HTTP/2.
pub(crate) struct Http2 {
    runtime: Runtime,
    requests: SendRequest<Bytes>,
    connection: JoinHandle<()>,
    scheme: &'static str,
}

/// A request that was sent in full and not answered so far.
pub(crate) struct Open {
    answer: ResponseFuture,
    stream: h2::SendStream<Bytes>,
}

impl Http2 {
    /// Connects: by prior knowledge, or over TLS where the server speaks it.
    pub(crate) fn connect(server: &RunningReference) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (requests, connection) = runtime.block_on(async {
            let stream = TcpStream::connect(server.address()).await.unwrap();
            match server.certificate() {
                None => shake_hands(stream).await,
                Some(certificate) => {
                    let connector = TlsConnector::from(Arc::new(trusting(certificate, b"h2")));
                    let stream = connector.connect(server.address().ip().into(), stream).await.unwrap();
                    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"h2".as_slice()));
                    shake_hands(stream).await
                }
            }
        });
        let scheme = if server.certificate().is_some() { "https" } else { "http" };
        Self { runtime, requests, connection, scheme }
    }

    /// Sends an order, whole.
    pub(crate) fn begin(&mut self, key: &str, body: &'static str) -> Open {
        let request = http::Request::post(format!("{}://target/orders", self.scheme))
            .header("content-type", "application/json")
            .header("idempotency-key", key)
            .body(())
            .unwrap();
        let (answer, mut stream) = self.requests.send_request(request, false).unwrap();
        stream.send_data(Bytes::from_static(body.as_bytes()), true).unwrap();
        Open { answer, stream }
    }

    /// Sends an order and reads its answer.
    pub(crate) fn order(&mut self, key: &str, body: &'static str) -> Answer {
        let open = self.begin(key, body);
        self.runtime.block_on(async {
            let (head, mut content) = open.answer.await.unwrap().into_parts();
            assert_eq!(head.version, http::Version::HTTP_2);
            let mut body = Vec::new();
            while let Some(data) = content.data().await {
                body.extend_from_slice(&data.unwrap());
            }
            let text = |value: &http::HeaderValue| value.to_str().unwrap().to_owned();
            Answer {
                status: head.status.as_u16(),
                headers: head.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
                body: String::from_utf8(body).unwrap(),
            }
        })
    }

    /// Gives a request up.
    pub(crate) fn leave(self, mut open: Open, leaving: Leaving) {
        match leaving {
            Leaving::Cancel => {
                open.stream.send_reset(Reason::CANCEL);
                // The connection outlives the stream, so that nothing but the reset tells the server.
                std::thread::sleep(Duration::from_millis(50));
                drop(open);
            }
            Leaving::Close => self.connection.abort(),
        }
        self.runtime.shutdown_timeout(Duration::from_secs(1));
    }
}

async fn shake_hands<S>(stream: S) -> (SendRequest<Bytes>, JoinHandle<()>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (requests, connection) = h2::client::handshake(stream).await.unwrap();
    // Its end is of no interest: whoever waits for an answer learns of it.
    (requests, tokio::spawn(async move { drop(connection.await) }))
}
