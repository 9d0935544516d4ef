//! HTTP/2 without encryption (h2c), with a minimal client: the same answers and limits as over HTTP/1.1.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tempfile::tempdir;
use textveil::app::HostLimits;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};

use crate::support::load;

type Client = SendRequest<Full<Bytes>>;

/// A server of the test application.
struct Serving {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<anyhow::Result<()>>,
}

async fn serve(folder: &std::path::Path, change: impl FnOnce(&mut HostLimits)) -> Serving {
    let app = Arc::new(load(folder, |options| change(&mut options.limits)));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let ended = tokio::spawn(app.serve(listener, async { drop(stopped.await) }));
    Serving { address, stop, ended }
}

async fn connect(address: SocketAddr) -> Client {
    let stream = TcpStream::connect(address).await.unwrap();
    let (client, connection) =
        Builder::new(TokioExecutor::new()).handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    client
}

async fn ask(
    client: &mut Client,
    request: http::request::Builder,
    body: &str,
) -> hyper::Result<Response<Incoming>> {
    client.ready().await?;
    client.send_request(request.body(Full::new(body.to_owned().into())).unwrap()).await
}

async fn text(answer: Response<Incoming>) -> String {
    String::from_utf8(answer.into_body().collect().await.unwrap().to_bytes().into()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_connection_carries_many_requests_at_a_time() {
    let folder = tempdir().unwrap();
    let serving = serve(folder.path(), |_| {}).await;
    let client = connect(serving.address).await;
    let mut requests = JoinSet::new();
    for number in 0..20 {
        let mut client = client.clone();
        requests.spawn(async move {
            let request = Request::post(format!("http://localhost/a/echo?{number}"));
            let answer = ask(&mut client, request, &"x".repeat(100_000)).await.unwrap();
            assert_eq!((answer.version(), answer.status()), (http::Version::HTTP_2, StatusCode::OK));
            text(answer).await.len()
        });
    }
    assert!(requests.join_all().await.iter().all(|length| *length == 100_000));
    // the guest sees the same as with HTTP/1.1
    let mut client = client;
    let answer =
        ask(&mut client, Request::get("http://host.example/a/head").header("spin-forged", "x"), "").await;
    let seen = text(answer.unwrap()).await;
    assert!(seen.contains("http://host.example/a/head") && !seen.contains("forged"), "{seen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn heads_are_limited_as_over_http_1() {
    let folder = tempdir().unwrap();
    let serving = serve(folder.path(), |_| {}).await;
    for (count, length, want) in
        [(90, 1, 200), (101, 1, 431), (1, 60_000, 200), (1, 70_000, 431), (1_000, 1_000, 431)]
    {
        let mut client = connect(serving.address).await;
        let mut request = Request::get("http://localhost/a/empty");
        for number in 0..count {
            request = request.header(format!("x-{number}"), "v".repeat(length));
        }
        match ask(&mut client, request, "").await {
            Ok(answer) => assert_eq!(answer.status().as_u16(), want, "{count} of {length}"),
            // a request that the connection itself does not accept
            Err(_) => assert_eq!(want, 431, "{count} of {length}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_without_window_holds_no_slot() {
    let folder = tempdir().unwrap();
    let serving = serve(folder.path(), |limits| {
        limits.concurrent_requests = 1;
        limits.send_timeout = Duration::from_millis(500);
    })
    .await;
    let mut slow = connect(serving.address).await;
    // its body is not read: the window fills, and the socket has room all the while
    let unread = ask(&mut slow, Request::get("http://localhost/a/large/64"), "").await.unwrap();
    let mut other = connect(serving.address).await;
    let answer = ask(&mut other, Request::get("http://localhost/a/empty"), "").await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert!(unread.into_body().collect().await.is_err(), "the answer seems whole");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_finishes_the_streams_that_began() {
    let folder = tempdir().unwrap();
    let serving = serve(folder.path(), |_| {}).await;
    let mut client = connect(serving.address).await;
    let answer =
        ask(&mut client, Request::get("http://localhost/a/stream/10/every/100/end"), "").await.unwrap();
    serving.stop.send(()).unwrap();
    assert_eq!(text(answer).await.lines().count(), 10);
    serving.ended.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_without_a_request_is_closed() {
    let folder = tempdir().unwrap();
    let serving = serve(folder.path(), |limits| limits.head_timeout = Duration::from_millis(300)).await;
    for sent in [
        "",
        "G",
        "GET /a/empty HTTP/1.1\r\nhost: x\r\nx-slow: ",
        "GET /a/empty HTTP/1.1\r\nhost: x\r\n\r\n",
        "PRI * HTT",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
    ] {
        let mut stream = TcpStream::connect(serving.address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let ended = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut answer)).await;
        assert!(ended.is_ok(), "{sent:?} keeps its connection");
    }
    // a request that takes longer keeps it
    let mut client = connect(serving.address).await;
    let answer = ask(&mut client, Request::get("http://localhost/a/sleep/1000"), "").await.unwrap();
    assert_eq!(text(answer).await, "slept 0");
}
