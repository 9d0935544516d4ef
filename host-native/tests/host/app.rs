//! Runs a real component under the host and looks at what it can and cannot do.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use http_body::Frame;
use http_body_util::{BodyExt as _, Full, StreamBody};
use serde_json::{Value, json};
use tempfile::tempdir;
use textveil::app::{App, Manifest};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::support::{self, ask, get, load, send};

#[tokio::test]
async fn requests_go_to_the_most_specific_route() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), |_| {});
    for (path, route, path_info, id) in [
        ("/a/head", "/a/...", "/head", None),
        ("/a/head/7", "/a/head/:id/...", "", Some("7")),
        ("/a/head/7/more/", "/a/head/:id/...", "/more/", Some("7")),
        ("/a/head/exact", "/a/head/exact", "", None),
        ("/b/head", "/b/...", "/head", None),
    ] {
        let seen = get(&app, &format!("{path}?query=1")).await.json();
        let header = |name: &str| {
            let mut values = seen["headers"].as_array().unwrap().iter().filter(|header| header[0] == name);
            let value = values.next().map(|header| header[1].as_str().unwrap().to_owned());
            assert!(values.next().is_none(), "{name} is there twice");
            value
        };
        assert_eq!(seen["uri"], format!("http://localhost{path}?query=1"));
        assert_eq!(header("spin-full-url"), Some(format!("http://localhost{path}?query=1")));
        assert_eq!(header("spin-matched-route").as_deref(), Some(route));
        assert_eq!(header("spin-path-info").as_deref(), Some(path_info));
        assert_eq!(header("spin-path-match-id").as_deref(), id);
        assert_eq!(header("spin-client-addr").as_deref(), Some("192.0.2.1:4567"));
    }
    let teapot = get(&app, "/static/anything").await;
    assert_eq!((teapot.status.as_u16(), teapot.text()), (418, "short and stout"));
    assert_eq!(teapot.headers["x-a"], "b");
    let nothing = get(&app, "/other?secret").await;
    assert_eq!(nothing.status, StatusCode::NOT_FOUND);
    assert_error(&nothing.json(), "not_found");
}

/// The shape that every error of the service has.
fn assert_error(body: &Value, code: &str) {
    let message = body["error"]["message"].as_str().unwrap();
    assert!(!message.is_empty());
    assert_eq!(
        *body,
        json!({ "error": { "code": code, "message": message }, "detail": message, "type": code })
    );
}

#[tokio::test]
async fn a_client_cannot_forge_what_the_host_says() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), |_| {});
    let request = Request::get("http://localhost/a/head")
        .header("spin-client-addr", "10.0.0.1:1")
        .header("Spin-Client-Addr", "10.0.0.2:1")
        .header("spin-path-match-id", "forged")
        .header("spin-anything", "forged")
        .header("x-kept", "yes");
    let seen = send(&app, request.body(Full::default()).unwrap()).await;
    assert!(!seen.text().contains("10.0.0.") && !seen.text().contains("forged"), "{}", seen.text());
    assert!(seen.text().contains("192.0.2.1:4567") && seen.text().contains("x-kept"));
}

#[tokio::test]
async fn request_ids_are_echoed_or_made() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), |_| {});
    for (given, kept) in [
        ("abc-1_2-3_X", true),
        ("abc-1.2:3_X", false),
        ("A-b_c.d:e/f+g=", false),
        ("short", false),
        (&"a".repeat(64), true),
        ("123e4567-e89b-12d3-a456-426614174000", true),
        ("44051401359", false),
        ("pesel:44051401359", false),
        ("a b", false),
        (&"a".repeat(65), false),
        ("", false),
    ] {
        for path in ["/a/head", "/nowhere", "/static/x", "/a/trap"] {
            let request = Request::get(format!("http://localhost{path}")).header("x-request-id", given);
            let answer = send(&app, request.body(Full::default()).unwrap()).await;
            let id = answer.headers["x-request-id"].to_str().unwrap();
            assert_eq!(id == given, kept, "{given:?} became {id:?}");
            assert!(!id.is_empty());
            if path == "/a/head" {
                assert!(answer.text().contains(&format!(r#"["x-request-id","{id}"]"#)), "{}", answer.text());
            }
        }
    }
}

#[tokio::test]
async fn key_value_stores() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), |_| {});
    for label in ["default", "usage"] {
        let path = |operation: &str, key: &str| format!("/a/{operation}/{label}/{key}");
        assert_eq!(get(&app, &path("get", "k")).await.status, StatusCode::NOT_FOUND);
        assert_eq!(get(&app, &path("exists", "k")).await.text(), "false");
        let value = Bytes::from_iter((0..100_000_u32).map(|number| number as u8));
        assert_eq!(ask(&app, Method::POST, &path("set", "k"), value.clone()).await.text(), "()");
        assert_eq!(get(&app, &path("get", "k")).await.body, value);
        assert_eq!(ask(&app, Method::POST, &path("set", "k"), "").await.text(), "()");
        assert_eq!(get(&app, &path("get", "k")).await.body, "");
        assert_eq!(get(&app, &path("exists", "k")).await.text(), "true");
        ask(&app, Method::POST, &path("set", "k2"), "x").await;
        let mut keys: Vec<String> = get(&app, &format!("/a/keys/{label}")).await.json_debug();
        keys.sort();
        assert_eq!(keys, ["k", "k2"]);
        assert_eq!(get(&app, &path("delete", "k")).await.text(), "()");
        assert_eq!(get(&app, &path("delete", "k")).await.text(), "()");
        assert_eq!(get(&app, &path("exists", "k")).await.text(), "false");
        // a value that is not a counter stays unchanged, and the store keeps working
        let refused = get(&app, &format!("{}/1", path("increment", "k2"))).await;
        assert_eq!(refused.status, StatusCode::BAD_GATEWAY);
        assert!(refused.text().contains("no counter"), "{}", refused.text());
        assert_eq!(get(&app, &path("get", "k2")).await.body, "x");
        assert_eq!(get(&app, &format!("{}/-3", path("increment", "n"))).await.text(), "-3");
        assert_eq!(get(&app, &path("get", "n")).await.body, (-3_i64).to_le_bytes().as_slice());
        let too_far = format!("{}/{}", path("increment", "n"), i64::MIN);
        assert!(get(&app, &too_far).await.text().contains("64 bits"));
    }
}

impl support::Answer {
    /// Reads the `Debug` form of a list of strings, which is JSON.
    fn json_debug(&self) -> Vec<String> {
        serde_json::from_slice(&self.body).unwrap()
    }
}

#[tokio::test]
async fn components_reach_only_what_they_are_granted() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), |_| {});
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    for (path, want) in [
        ("/b/get/private/k", ""),
        ("/b/get/default/k", "AccessDenied"),
        ("/a/get/private/k", "AccessDenied"),
        ("/a/get/other/k", "NoSuchStore"),
        ("/b/increment/usage/k/1", "AccessDenied"),
        ("/b/increment/other/k/1", "NoSuchStore"),
        ("/a/variable/greeting", "\"hi there\""),
        ("/a/variable/port", "Undefined"),
        ("/a/variable/Greeting", "InvalidName"),
        ("/b/variable/greeting", "Undefined"),
        ("/a/environment/COLOUR", "green"),
        ("/b/environment/COLOUR", ""),
        ("/b/environment/PATH", ""),
        ("/b/environment", "0"),
        ("/a/read/file.txt", "\"content\""),
        ("/a/write/file.txt", "PermissionDenied"),
        ("/b/read/file.txt", "NotFound"),
        ("/b/read/etc/passwd", ""),
        (&format!("/a/send?http://{address}/"), "HttpRequestDenied"),
        (&format!("/b/send?http://{address}/"), "HttpRequestDenied"),
        ("/b/send?http://localhost/", "HttpRequestDenied"),
        (&format!("/a/connect?{address}"), "PermissionDenied"),
    ] {
        let answer = get(&app, path).await;
        assert!(answer.text().contains(want), "{path}: {}", answer.text());
        assert!(!answer.text().contains("root:"), "{path}");
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("assets/file.txt")).unwrap(), "content");
    let connected = tokio::time::timeout(Duration::from_millis(50), listener.accept()).await;
    assert!(connected.is_err(), "a component reached a host that it was not granted");
}

#[tokio::test]
async fn granted_hosts_are_reached() {
    let upstream = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = upstream.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = upstream.accept().await {
            let mut request = vec![0; 4096];
            let read = stream.read(&mut request).await.unwrap();
            let head = String::from_utf8_lossy(&request[..read]).to_ascii_lowercase();
            assert!(head.starts_with("get /path?x=1 http/1.1\r\n"), "{head}");
            assert!(head.contains(&format!("host: {address}\r\n")), "{head}");
            stream.write_all(b"HTTP/1.1 201 Created\r\ncontent-length: 5\r\n\r\nhello").await.unwrap();
        }
    });
    let folder = tempdir().unwrap();
    let app = load(folder.path(), |options| {
        options.variables.insert("port".into(), address.port().to_string());
    });
    let answer = get(&app, &format!("/a/send?http://{address}/path?x=1")).await;
    assert_eq!((answer.status.as_u16(), answer.text()), (201, "hello"));
}

/// Answers requests on each connection until it has answered `most`, then closes it; counts connections.
async fn keeping_alive(upstream: TcpListener, most: usize, connections: Arc<AtomicUsize>) {
    while let Ok((mut stream, _)) = upstream.accept().await {
        connections.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(async move {
            let mut request = vec![0; 4096];
            for _ in 0..most {
                if stream.read(&mut request).await.unwrap_or(0) == 0 {
                    return;
                }
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello").await.unwrap();
            }
        });
    }
}

#[tokio::test]
async fn connections_are_used_again_until_they_are_closed() {
    for (most, want) in [(100, 1), (2, 3), (1, 6)] {
        let upstream = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = upstream.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        tokio::spawn(keeping_alive(upstream, most, Arc::clone(&connections)));
        let folder = tempdir().unwrap();
        let app = load(folder.path(), |options| {
            options.variables.insert("port".into(), address.port().to_string());
        });
        for _ in 0..6 {
            let answer = get(&app, &format!("/a/send?http://{address}/")).await;
            assert_eq!((answer.status.as_u16(), answer.text()), (200, "hello"), "{most} a connection");
            // a separate task returns the connection, or notices its end
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(connections.load(Ordering::Relaxed), want, "{most} a connection");
    }
}

#[tokio::test]
async fn a_request_that_may_have_been_received_is_not_sent_again() {
    // a connection that was used before is closed with a request on it, once whole and once in part
    for answered in ["", "HTTP/1.1 200 OK\r\ncontent-le"] {
        let upstream = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = upstream.local_addr().unwrap();
        let received = Arc::new(AtomicUsize::new(0));
        let counter = received.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = upstream.accept().await {
                let mut request = vec![0; 4096];
                for answer in ["HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", answered] {
                    if stream.read(&mut request).await.unwrap_or(0) == 0 {
                        break;
                    }
                    counter.fetch_add(1, Ordering::Relaxed);
                    stream.write_all(answer.as_bytes()).await.unwrap();
                }
            }
        });
        let folder = tempdir().unwrap();
        let app = load(folder.path(), |options| {
            options.variables.insert("port".into(), address.port().to_string());
        });
        let path = format!("/a/send?http://{address}/");
        assert_eq!(get(&app, &path).await.text(), "hello");
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(get(&app, &path).await.status, StatusCode::BAD_GATEWAY);
        assert_eq!(received.load(Ordering::Relaxed), 2);
    }
}

#[tokio::test]
async fn wildcards_and_blocked_networks_do_not_lead_into_this_network() {
    let upstream = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = upstream.local_addr().unwrap().port();
    let block_private = "[outbound_networking]\nblock_networks = [\"private\"]";
    let block_one = "[outbound_networking]\nblock_networks = [\"127.0.0.0/8\", \"::1/128\"]";
    for (hosts, runtime_config) in [
        // the manifest's own pattern and another one
        ("1 http://*:*".to_owned(), ""),
        ("1, *://*:*".to_owned(), ""),
        // named in full
        (format!("{port}, http://localhost:{port}"), block_private),
        (format!("{port}, http://localhost:{port}"), block_one),
    ] {
        let folder = tempdir().unwrap();
        let config = folder.path().join("runtime-config.toml");
        std::fs::write(&config, runtime_config).unwrap();
        let app = load(folder.path(), |options| {
            options.variables.insert("port".into(), hosts.clone());
            options.runtime_config_file = Some(config);
        });
        // the address counts that a name resolves to, and not the name; some notations only the system can read
        for host in ["127.0.0.1", "localhost", "127.1", "0x7f000001"] {
            let answer = get(&app, &format!("/a/send?http://{host}:{port}/")).await;
            let refused = ["DestinationIpProhibited", "HttpRequestDenied"];
            assert!(refused.iter().any(|error| answer.text().contains(error)), "{hosts}: {}", answer.text());
        }
        let answer = get(&app, &format!("/a/send?http://127.0.0.1:{port}/")).await;
        assert!(answer.text().contains("DestinationIpProhibited"), "{hosts}: {}", answer.text());
    }
    let connected = tokio::time::timeout(Duration::from_millis(50), upstream.accept()).await;
    assert!(connected.is_err(), "a component reached this machine");
}

#[tokio::test(flavor = "multi_thread")]
async fn increments_in_parallel_are_all_counted() {
    let folder = tempdir().unwrap();
    let app = Arc::new(load(folder.path(), |_| {}));
    for label in ["default", "usage"] {
        let mut requests = JoinSet::new();
        for _ in 0..200 {
            let app = app.clone();
            requests.spawn(
                async move { get(&app, &format!("/a/increment/{label}/n/1")).await.text().to_owned() },
            );
        }
        let mut seen: Vec<i64> = requests.join_all().await.iter().map(|sum| sum.parse().unwrap()).collect();
        seen.sort_unstable();
        assert_eq!(seen, (1..=200).collect::<Vec<_>>(), "{label}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_swaps_in_parallel_one_wins() {
    let folder = tempdir().unwrap();
    let app = Arc::new(load(folder.path(), |_| {}));
    for label in ["default", "usage"] {
        let mut requests = JoinSet::new();
        for racer in 0..8 {
            let app = app.clone();
            requests.spawn(async move {
                let path = format!("/a/swap/{label}/k");
                (ask(&app, Method::POST, &path, racer.to_string()).await.text() == "swapped", racer)
            });
        }
        let winners: Vec<_> = requests.join_all().await.into_iter().filter(|(won, _)| *won).collect();
        // the key has no value at first; a request that finds one does not swap
        assert_eq!(winners.len(), 1, "{label}");
        assert_eq!(get(&app, &format!("/a/get/{label}/k")).await.text(), winners[0].1.to_string());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_serves_one_request_at_a_time_and_then_the_next() {
    let folder = tempdir().unwrap();
    let app = Arc::new(load(folder.path(), |_| {}));
    let mut requests = JoinSet::new();
    for _ in 0..50 {
        let app = app.clone();
        requests.spawn(async move { get(&app, "/a/sleep/20").await.text().to_owned() });
    }
    assert!(requests.join_all().await.iter().all(|answer| answer == "slept 0"), "instances are shared");
    let mut served = Vec::new();
    for _ in 0..20 {
        let answer = get(&app, "/b/instance").await;
        let (before, others) = answer.text().split_once(' ').unwrap();
        assert_eq!(others, "0");
        served.push(before.parse::<usize>().unwrap());
        // an instance is free again a moment after its answer
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(served.iter().any(|before| *before >= 3), "instances are not reused: {served:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trap_takes_down_its_own_request_only() {
    let folder = tempdir().unwrap();
    let app = Arc::new(load(folder.path(), |_| {}));
    let mut others = JoinSet::new();
    for number in 0..50 {
        let app = app.clone();
        others.spawn(async move {
            // each has written before and writes after
            let counted = format!("/a/increment/default/n{number}/1");
            let before = get(&app, &counted).await.text().to_owned();
            let slept = get(&app, "/a/sleep/500").await.text().to_owned();
            (before, slept, get(&app, &counted).await.text().to_owned())
        });
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    for path in ["/a/trap", "/a/trap", "/a/allocate/600", "/a/trap"] {
        let trapped = get(&app, path).await;
        assert_eq!(trapped.status, StatusCode::INTERNAL_SERVER_ERROR);
        assert_error(&trapped.json(), "internal_error");
        assert_eq!(trapped.headers["content-type"], "application/json");
    }
    for undisturbed in others.join_all().await {
        assert_eq!(undisturbed, ("1".into(), "slept 0".into(), "2".into()));
    }
    assert_eq!(get(&app, "/a/empty").await.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trap_does_not_disturb_a_stream_of_another_request() {
    let folder = tempdir().unwrap();
    let app = Arc::new(load(folder.path(), |_| {}));
    let streams: Vec<_> = (0..4)
        .map(|_| {
            let app = app.clone();
            tokio::spawn(async move { get(&app, "/a/stream/20/every/10/end").await })
        })
        .collect();
    for _ in 0..5 {
        get(&app, "/a/trap").await;
    }
    for stream in streams {
        let text = stream.await.unwrap().text().to_owned();
        assert_eq!(text.lines().count(), 20, "{text}");
    }
}

#[tokio::test]
async fn a_stream_arrives_as_it_is_made() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), |_| {});
    let request = Request::get("http://localhost/a/stream/3/every/100000/end").body(Full::<Bytes>::default());
    let mut body = app.handle(request.unwrap(), "192.0.2.1:1".parse().unwrap()).await.into_body();
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    assert_eq!(first, "chunk 0\n");
}

#[tokio::test]
async fn a_client_that_leaves_frees_its_instance() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), |options| options.limits.concurrent_requests = 1);
    let request =
        Request::get("http://localhost/a/stream/100000/every/10/end").body(Full::<Bytes>::default());
    let mut body = app.handle(request.unwrap(), "192.0.2.1:1".parse().unwrap()).await.into_body();
    assert!(body.frame().await.unwrap().is_ok());
    drop(body);
    assert_eq!(get(&app, "/a/empty").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_stream_that_traps_does_not_seem_whole() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), |_| {});
    let request = Request::get("http://localhost/a/stream/3/every/10/trap").body(Full::<Bytes>::default());
    let answer = app.handle(request.unwrap(), "192.0.2.1:1".parse().unwrap()).await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert!(answer.into_body().collect().await.is_err());
}

#[tokio::test]
async fn a_body_is_streamed_in() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), |_| {});
    let (sender, mut chunks) = tokio::sync::mpsc::channel::<&'static str>(1);
    let body = StreamBody::new(futures_stream(move |context| chunks.poll_recv(context)));
    let request = Request::post("http://localhost/a/echo").body(body).unwrap();
    let mut echoed = app.handle(request, "192.0.2.1:1".parse().unwrap()).await.into_body();
    for chunk in ["one", "two", "three"] {
        sender.send(chunk).await.unwrap();
        let frame = echoed.frame().await.unwrap().unwrap();
        assert_eq!(frame.into_data().unwrap(), chunk);
    }
    drop(sender);
    assert!(echoed.frame().await.is_none());
}

/// A body's frames from a function that is polled.
fn futures_stream(
    mut poll: impl FnMut(&mut std::task::Context<'_>) -> std::task::Poll<Option<&'static str>>,
) -> impl futures_util::Stream<Item = Result<Frame<Bytes>, std::convert::Infallible>> {
    futures_util::stream::poll_fn(move |context| {
        poll(context).map(|chunk| chunk.map(|chunk| Ok(Frame::data(chunk.into()))))
    })
}

#[tokio::test]
async fn bodies_beyond_the_limit_are_refused() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), |options| options.limits.request_body = 1000);
    for (length, want) in [(0, 200), (1000, 200), (1001, 413)] {
        let answer = ask(&app, Method::POST, "/a/count", vec![b'x'; length]).await;
        assert_eq!(answer.status.as_u16(), want, "{length}");
        if want == 200 {
            assert_eq!(answer.text(), length.to_string());
        } else {
            assert_error(&answer.json(), "payload_too_large");
        }
    }
    // of unknown length
    for (chunks, want) in [(10, 200), (11, 413)] {
        let mut left = chunks;
        let body = StreamBody::new(futures_stream(move |_| {
            left -= 1;
            std::task::Poll::Ready((left >= 0).then_some(HUNDRED))
        }));
        let request = Request::post("http://localhost/a/count").body(body).unwrap();
        let answer = app.handle(request, "192.0.2.1:1".parse().unwrap()).await;
        assert_eq!(answer.status().as_u16(), want, "{chunks}");
    }
}

const HUNDRED: &str =
    "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789";

#[tokio::test(flavor = "multi_thread")]
async fn processor_time_memory_and_waiting_are_limited() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), |options| {
        // enough for an instance to start
        options.limits.cpu_time = Duration::from_secs(1);
        options.limits.memory = 64 << 20;
    });
    let patient = load(folder.path(), |options| options.limits.request_timeout = Duration::from_secs(3));
    for (app, path, status, code) in [
        (&app, "/a/compute", 500, "internal_error"),
        (&app, "/a/allocate/100", 500, "internal_error"),
        (&patient, "/a/sleep/100000", 504, "timeout"),
    ] {
        let answer = get(app, path).await;
        assert_eq!(answer.status.as_u16(), status, "{path}");
        assert_error(&answer.json(), code);
    }
    // sleeping is not computing, and memory within the limit is granted
    assert_eq!(get(&app, "/a/sleep/1200").await.status, StatusCode::OK);
    assert_eq!(get(&app, "/a/allocate/20").await.status, StatusCode::OK);
}

#[tokio::test]
async fn an_answer_in_parts_has_the_processor_time_for_each() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), |options| {
        options.limits.cpu_time = Duration::from_secs(2);
    });
    assert_eq!(get(&app, "/a/stream/6/computed/500").await.text().lines().count(), 6);
    let request = Request::get("http://localhost/a/stream/2/computed/1000000").body(Full::<Bytes>::default());
    let answer = app.handle(request.unwrap(), "192.0.2.1:1".parse().unwrap()).await;
    assert!(answer.into_body().collect().await.is_err(), "a part took too long");
}

#[tokio::test]
async fn one_that_computes_does_not_hold_up_the_others() {
    // one thread: only because the guest is made to yield does anything else happen before its time is up
    let folder = tempdir().unwrap();
    let app = Arc::new(load(folder.path(), |options| {
        options.limits.cpu_time = Duration::from_secs(1000);
    }));
    let computing = tokio::spawn({
        let app = app.clone();
        async move { get(&app, "/a/compute").await.status }
    });
    tokio::task::yield_now().await;
    for _ in 0..5 {
        assert_eq!(get(&app, "/a/empty").await.status, StatusCode::OK);
    }
    assert!(!computing.is_finished());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_large_request_that_computes_does_not_hold_up_the_others() {
    let folder = tempdir().unwrap();
    let app = Arc::new(load(folder.path(), |_| {}));
    assert_eq!(get(&app, "/a/empty").await.status, StatusCode::OK);
    let computing = tokio::spawn({
        let app = app.clone();
        async move { ask(&app, Method::POST, "/a/compute/3000", vec![b'x'; 100_000]).await.status }
    });
    tokio::task::yield_now().await;
    for _ in 0..5 {
        assert_eq!(
            tokio::spawn({
                let app = app.clone();
                async move { get(&app, "/a/empty").await.status }
            })
            .await
            .unwrap(),
            StatusCode::OK
        );
    }
    assert!(!computing.is_finished());
    assert_eq!(computing.await.unwrap(), StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_that_works_after_its_answer_keeps_no_client_waiting() {
    let folder = tempdir().unwrap();
    let app = Arc::new(load(folder.path(), |_| {}));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    tokio::spawn(app.serve(listener, std::future::pending()));
    let mut ask = async |path: &str| {
        client.write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n0\r\n\r\n") {
            answer.push(client.read_u8().await.unwrap());
        }
        let answer = String::from_utf8(answer).unwrap();
        answer.rsplit("\r\n").nth(3).unwrap().to_owned()
    };
    // it is answered at once and whole, and the same instance has the next request of the connection
    for tasks in ["1", "2", "3"] {
        assert_eq!(ask("/a/after/600000").await, "answered");
        // an instance is free again a moment after its answer
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(ask("/a/working").await, tasks);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn more_requests_than_slots_wait_their_turn() {
    let folder = tempdir().unwrap();
    let app = Arc::new(load(folder.path(), |options| {
        options.limits.concurrent_requests = 2;
        options.limits.slot_timeout = Duration::from_secs(20);
    }));
    let mut requests = JoinSet::new();
    for _ in 0..10 {
        let app = app.clone();
        requests.spawn(async move { get(&app, "/a/sleep/10").await.status });
    }
    assert!(requests.join_all().await.iter().all(|status| *status == StatusCode::OK));

    let app = Arc::new(load(folder.path(), |options| {
        options.limits.concurrent_requests = 1;
        options.limits.slot_timeout = Duration::from_millis(300);
    }));
    let long = tokio::spawn({
        let app = app.clone();
        async move { get(&app, "/a/stream/1/every/1000/end").await }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    let refused = get(&app, "/a/empty").await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_error(&refused.json(), "service_unavailable");
    assert_eq!(long.await.unwrap().text(), "chunk 0\n");
}

#[tokio::test]
async fn stores_outlive_the_application() {
    let folder = tempdir().unwrap();
    let runtime_config = folder.path().join("runtime.toml");
    std::fs::write(&runtime_config, "[key_value_store.private]\ntype = \"spin\"\npath = \"elsewhere.db\"\n")
        .unwrap();
    for want in ["1", "2"] {
        let app = load(folder.path(), |options| options.runtime_config_file = Some(runtime_config.clone()));
        for path in ["/a/increment/default/n/1", "/a/increment/usage/n/1", "/b/increment/private/n/1"] {
            assert_eq!(get(&app, path).await.text(), want, "{path}");
        }
        app.store("usage").unwrap().flush().await.unwrap();
    }
    assert!(folder.path().join("elsewhere.db").exists());
    // without a path: in memory
    std::fs::write(&runtime_config, "[key_value_store.private]\ntype = \"spin\"\n").unwrap();
    for _ in 0..2 {
        let app = load(folder.path(), |options| options.runtime_config_file = Some(runtime_config.clone()));
        assert_eq!(get(&app, "/b/increment/private/n/1").await.text(), "1");
    }
}

#[tokio::test]
async fn what_is_written_behind_arrives_by_itself() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), |_| {});
    get(&app, "/a/increment/usage/n/5").await;
    ask(&app, Method::POST, "/a/set/usage/gone", "x").await;
    get(&app, "/a/delete/usage/gone").await;
    let file = rusqlite::Connection::open(folder.path().join("state/sqlite_key_value.db")).unwrap();
    let rows = || {
        let mut select = file.prepare("SELECT key, value FROM spin_key_value WHERE store = 'usage'").unwrap();
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.collect::<Result<Vec<(String, Vec<u8>)>, _>>().unwrap()
    };
    for _ in 0..100 {
        if !rows().is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(rows(), [("n".to_owned(), 5_i64.to_le_bytes().to_vec())]);
}

#[tokio::test]
async fn a_faulty_application_says_what_is_wrong() {
    let folder = tempdir().unwrap();
    let manifest = support::manifest(folder.path());
    let whole = std::fs::read_to_string(&manifest).unwrap();
    let runtime_config = folder.path().join("runtime.toml");
    for (from, to, config, want) in [
        (r#"port = { default = "1" }"#, "port = { required = true }", "", "variable `port` is required"),
        ("{{ greeting }} there", "{{ other }}", "", "variable `other`"),
        ("http://127.0.0.1:{{ port }}", "127.0.0.1", "", "scheme://host"),
        ("/static/...", "/a/...", "", "match the same paths"),
        ("status_code = 418", "status_code = 9", "", "static_response of the route"),
        ("textveil_test_guest.wasm", "missing.wasm", "", "missing.wasm"),
        (&support::guest().display().to_string(), "assets/file.txt", "", "an HTTP handler of WASI 0.3"),
        ("", "", "[key_value_store.default]\ntype = \"azure_cosmos\"", "no such `type`"),
        (
            "",
            "",
            "[key_value_store.default]\ntype = \"redis\"\nurl = \"127.0.0.1:6379\"",
            "no URL of a Redis",
        ),
        (
            "",
            "",
            "[key_value_store.defualt]\ntype = \"spin\"",
            "the application's stores are: default, private, usage",
        ),
        ("", "", "[outbound_networking]\nblock_networks = [\"public\"]", "networks such as 10.0.0.0/8"),
        ("", "", "[outbound_networking]\nclient_tls = []", "client_tls"),
    ] {
        assert!(whole.contains(from), "{from}");
        std::fs::write(&manifest, whole.replacen(from, to, 1)).unwrap();
        std::fs::write(&runtime_config, config).unwrap();
        let mut options = support::options(&folder.path().join("state"));
        options.runtime_config_file = Some(runtime_config.clone());
        let error = Manifest::read(&manifest).and_then(|manifest| App::load(&manifest, options)).err();
        let message = format!("{:#}", error.unwrap_or_else(|| panic!("{to} {config} is accepted")));
        assert!(message.contains(want), "{to} {config}: {message}");
    }
}

/// A start with an emptied state folder compiles nothing where another folder keeps the components.
#[tokio::test]
async fn compiled_components_are_where_the_options_say() {
    for own in [false, true] {
        let folder = tempdir().unwrap();
        let cache = folder.path().join("compiled");
        load(folder.path(), |options| options.cache_dir = own.then(|| cache.clone()));
        let in_state = folder.path().join("state/cache");
        assert_eq!((cache.exists(), in_state.exists()), (own, !own));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_speaks_http_and_finishes_what_it_began() {
    let folder = tempdir().unwrap();
    let app = Arc::new(load(folder.path(), |_| {}));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let server = tokio::spawn(app.serve(listener, async { drop(stopped.await) }));

    // two requests on one connection
    let mut kept = TcpStream::connect(address).await.unwrap();
    for _ in 0..2 {
        kept.write_all(b"GET /a/instance HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        let mut answer = [0; 12];
        kept.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 200");
        // the last chunk may arrive after the others
        let mut rest = Vec::new();
        while !rest.ends_with(b"\r\n0\r\n\r\n") {
            rest.push(kept.read_u8().await.unwrap());
        }
    }
    for (request, want) in [
        ("GET /a/empty HTTP/1.1\r\n\r\n", "400"),
        ("GET /a/empty HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", "400"),
        ("GET /a/empty HTTP/1.1\r\nhost: a b\r\n\r\n", "400"),
        ("GET /a/empty HTTP/1.0\r\n\r\n", "200"),
        ("OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n", "404"),
        ("HEAD /a/head HTTP/1.1\r\nhost: x\r\n\r\n", "200"),
        ("POST /a/count HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999\r\n\r\n", "413"),
        ("nonsense\r\n\r\n", "400"),
    ] {
        let mut connection = TcpStream::connect(address).await.unwrap();
        connection.write_all(request.as_bytes()).await.unwrap();
        let mut answer = [0; 12];
        connection.read_exact(&mut answer).await.unwrap();
        assert_eq!(std::str::from_utf8(&answer[9..]).unwrap(), want, "{request}");
    }

    let mut late = TcpStream::connect(address).await.unwrap();
    late.write_all(b"GET /a/stream/5/every/100/end HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    tokio::time::sleep(Duration::from_millis(150)).await;
    stop.send(()).unwrap();
    let mut answer = String::new();
    late.read_to_string(&mut answer).await.unwrap();
    assert!(answer.contains("chunk 4") && answer.ends_with("0\r\n\r\n"), "{answer}");
    server.await.unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}
