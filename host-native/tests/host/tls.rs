//! The server with TLS: both protocols, the scheme that the application sees, and clients that do not finish the handshake.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tempfile::tempdir;
use textveil::app::{HostLimits, Listener, Tls};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::support::load;

/// A server of the test application, with the certificate that it has.
struct Serving {
    address: SocketAddr,
    certificate: CertificateDer<'static>,
}

async fn serve(folder: &Path, change: impl FnOnce(&mut HostLimits)) -> Serving {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (certificate, key) = (folder.join("certificate.pem"), folder.join("key.pem"));
    std::fs::write(&certificate, cert.pem()).unwrap();
    std::fs::write(&key, signing_key.serialize_pem()).unwrap();
    let app = Arc::new(load(folder, |options| change(&mut options.limits)));
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    let listener = Listener::encrypted(socket, Tls::read(&certificate, &key).unwrap());
    tokio::spawn(app.serve(listener, std::future::pending()));
    Serving { address, certificate: cert.der().clone() }
}

impl Serving {
    /// Connects a client that trusts the certificate and offers `protocol`.
    async fn connect(&self, protocol: &str) -> TlsStream<TcpStream> {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let mut config = versions.unwrap().with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        let stream = TcpStream::connect(self.address).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn both_protocols_are_served_and_the_application_sees_https() {
    let folder = tempdir().unwrap();
    let serving = serve(folder.path(), |_| {}).await;
    let body = || Full::<Bytes>::default();

    let stream = TokioIo::new(serving.connect("http/1.1").await);
    let (mut client, connection) = hyper::client::conn::http1::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    // the scheme is that of the connection, whatever a client says
    let request = Request::get("http://host.example/a/head").header("host", "host.example");
    let answer = client.send_request(request.body(body()).unwrap()).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let seen = answer.into_body().collect().await.unwrap().to_bytes();
    let seen = String::from_utf8_lossy(&seen);
    assert!(seen.contains("https://host.example/a/head") && !seen.contains("http://"), "{seen}");

    let stream = TokioIo::new(serving.connect("h2").await);
    let (mut client, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), stream).await.unwrap();
    tokio::spawn(connection);
    let request = Request::get("https://host.example/a/head").body(body()).unwrap();
    let answer = client.send_request(request).await.unwrap();
    assert_eq!((answer.version(), answer.status()), (http::Version::HTTP_2, StatusCode::OK));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_a_handshake_gets_nothing_and_keeps_nothing() {
    let folder = tempdir().unwrap();
    let serving = serve(folder.path(), |limits| {
        limits.connections = 1;
        limits.head_timeout = Duration::from_millis(200);
    })
    .await;
    for sent in ["", "GET /a/head HTTP/1.1\r\nhost: localhost\r\n\r\n"] {
        let mut silent = TcpStream::connect(serving.address).await.unwrap();
        silent.write_all(sent.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // closed by the server: a reset counts
        let _ = silent.read_to_end(&mut answer).await;
        assert!(!String::from_utf8_lossy(&answer).contains("HTTP/"));
    }
    // the only connection is free again
    serving.connect("h2").await;
}
