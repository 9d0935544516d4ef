//! Attacks on the host itself, each of which once worked. Another client is served all the same.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use tempfile::tempdir;
use textveil::app::{App, HostLimits};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::support::{get, load};

/// The attacker's address, and that of somebody else.
const ATTACKER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 1);
const OTHER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// Serves the test application in `folder` until the test ends.
async fn serve(folder: &std::path::Path, change: impl FnOnce(&mut HostLimits)) -> SocketAddr {
    let app = Arc::new(load(folder, |options| change(&mut options.limits)));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(app.serve(listener, std::future::pending()));
    address
}

async fn connect(from: Ipv4Addr, to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((from, 0).into()).unwrap();
    socket.connect(to).await.unwrap()
}

async fn ask(stream: &mut TcpStream, path: &str) {
    stream.write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await.unwrap();
}

/// The status of the answer; what follows is not read.
async fn status(stream: &mut TcpStream) -> String {
    let mut answer = [0; 12];
    let read = tokio::time::timeout(Duration::from_secs(20), stream.read_exact(&mut answer));
    read.await.expect("there is no answer").expect("the connection ended");
    String::from_utf8_lossy(&answer[9..]).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_read_its_answer_holds_no_slot() {
    let folder = tempdir().unwrap();
    let address = serve(folder.path(), |limits| {
        limits.concurrent_requests = 1;
        limits.send_timeout = Duration::from_millis(500);
    })
    .await;
    let mut slow = connect(ATTACKER, address).await;
    ask(&mut slow, "/a/large/64").await;
    // its answer has begun, so that it has the slot
    assert_eq!(status(&mut slow).await, "200");
    let mut other = connect(OTHER, address).await;
    ask(&mut other, "/a/empty").await;
    assert_eq!(status(&mut other).await, "200");
    // the bytes sent by then arrive, and do not seem whole
    let mut answer = Vec::new();
    let _ = slow.read_to_end(&mut answer).await;
    assert!(answer.len() < 64 << 20, "{}", answer.len());

    // a slow reader is served
    let mut slow = connect(ATTACKER, address).await;
    ask(&mut slow, "/a/large/16").await;
    let mut chunk = vec![0; 1 << 20];
    let mut length = 0;
    while length < 16 << 20 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        length += slow.read(&mut chunk).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_reads_no_answer_loses_its_connection() {
    let folder = tempdir().unwrap();
    let address = serve(folder.path(), |limits| {
        limits.connections = 1;
        limits.send_timeout = Duration::from_millis(500);
    })
    .await;
    let mut slow = connect(ATTACKER, address).await;
    // whole answers of the host itself: only the socket shows that nobody reads them
    let asking = tokio::spawn(async move {
        let request = b"GET /static/x HTTP/1.1\r\nhost: x\r\n\r\n".repeat(1_000);
        while slow.write_all(&request).await.is_ok() {}
    });
    let mut other = connect(OTHER, address).await;
    ask(&mut other, "/static/x").await;
    assert_eq!(status(&mut other).await, "418");
    asking.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_send_its_body_holds_no_slot() {
    let folder = tempdir().unwrap();
    let address = serve(folder.path(), |limits| {
        limits.concurrent_requests = 1;
        limits.receive_timeout = Duration::from_millis(500);
    })
    .await;
    for sent in ["", "begun"] {
        let mut slow = connect(ATTACKER, address).await;
        let head = "POST /a/count HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n";
        slow.write_all(format!("{head}{sent}").as_bytes()).await.unwrap();
        let mut other = connect(OTHER, address).await;
        ask(&mut other, "/a/empty").await;
        assert_eq!(status(&mut other).await, "200");
        assert_eq!(status(&mut slow).await, "408");
    }

    // a slow writer is served
    let mut slow = connect(ATTACKER, address).await;
    slow.write_all(b"POST /a/count HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n").await.unwrap();
    for _ in 0..10 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        slow.write_all(b"x").await.unwrap();
    }
    assert_eq!(status(&mut slow).await, "200");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_instances_do_not_use_more_memory_than_all_may_have() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), |options| {
        options.limits.total_memory = 128 << 20;
        options.limits.slot_timeout = Duration::from_millis(300);
    });
    // each holds 40 MB for as long as its body is open
    let mut open = Vec::new();
    let mut readers = JoinSet::new();
    let mut refused = Vec::new();
    for _ in 0..8 {
        let (sender, mut chunks) = mpsc::channel::<Bytes>(1);
        let body = StreamBody::new(futures_util::stream::poll_fn(move |context| {
            chunks
                .poll_recv(context)
                .map(|chunk| chunk.map(|chunk| Ok::<_, std::convert::Infallible>(Frame::data(chunk))))
        }));
        let request = Request::post("http://localhost/a/allocate/40/echo").body(body).unwrap();
        let answer = app.handle(request, "192.0.2.1:1".parse().unwrap()).await;
        match answer.status().as_u16() {
            200 => {
                open.push(sender);
                // a client that does not read would lose its answer, and its memory, on a slow machine
                readers.spawn(answer.into_body().collect());
            }
            status => refused.push(status),
        }
    }
    assert!((1..=3).contains(&open.len()), "{} instances hold 40 MB", open.len());
    assert!(
        refused.iter().all(|status| [500, 503].contains(status)) && refused.contains(&503),
        "{refused:?}"
    );
    drop(open);
    for whole in readers.join_all().await {
        assert!(whole.is_ok(), "an answer was cut off");
    }
    assert_eq!(get(&app, "/b/empty").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_instances_make_room_for_others() {
    let folder = tempdir().unwrap();
    let app: Arc<App> = Arc::new(load(folder.path(), |options| {
        options.limits.total_memory = 64 << 20;
        options.limits.slot_timeout = Duration::from_secs(5);
    }));
    for component in ["a", "b", "a"] {
        let mut requests = JoinSet::new();
        for _ in 0..8 {
            let app = app.clone();
            let path = format!("/{component}/sleep/50");
            requests.spawn(async move { get(&app, &path).await.status });
        }
        assert!(requests.join_all().await.iter().all(|status| status.as_u16() == 200), "{component}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_connections_from_one_address_leaves_room_for_others() {
    let folder = tempdir().unwrap();
    let address = serve(folder.path(), |limits| {
        limits.connections = 6;
        limits.connections_per_client = 4;
    })
    .await;
    let mut flood = Vec::new();
    for _ in 0..20 {
        flood.push(connect(ATTACKER, address).await);
    }
    let mut other = connect(OTHER, address).await;
    ask(&mut other, "/a/empty").await;
    assert_eq!(status(&mut other).await, "200");
    // those that were accepted first are served, the others learn why not
    for (number, stream) in flood.iter_mut().enumerate() {
        if number < 4 {
            ask(stream, "/a/empty").await;
            assert_eq!(status(stream).await, "200", "{number}");
        } else {
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            assert!(answer.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{answer}");
            assert!(
                answer.contains("connection: close") && answer.contains("too many connections"),
                "{answer}"
            );
        }
    }
    // a connection that is closed is counted no longer
    drop(flood);
    let mut again = String::new();
    while again != "200" {
        let mut stream = connect(ATTACKER, address).await;
        let _ = stream.write_all(b"GET /a/empty HTTP/1.1\r\nhost: x\r\n\r\n").await;
        again = status(&mut stream).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reverse_proxy_has_as_many_connections_as_it_likes() {
    let folder = tempdir().unwrap();
    let address = serve(folder.path(), |limits| limits.connections_per_client = 0).await;
    let mut proxy = Vec::new();
    for _ in 0..300 {
        proxy.push(connect(ATTACKER, address).await);
    }
    for stream in &mut proxy {
        ask(stream, "/static/x").await;
        assert_eq!(status(stream).await, "418");
    }
}
