//! Applications whose stores are in Redis: what they share, and what happens when it is not there.

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::Command;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use http::{Method, StatusCode};
use tempfile::tempdir;
use textveil::app::App;
use textveil::app::key_value::{KeyValueStore as _, RedisStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::support::redis::Redis;
use crate::support::server::{Server, command, stderr};
use crate::support::{ask, get, load};

/// A runtime configuration that puts `default` and `usage` on the Redis at `url`.
fn runtime_config(folder: &Path, url: &str) -> PathBuf {
    let path = folder.join("runtime.toml");
    let store = |label| format!("[key_value_store.{label}]\ntype = \"redis\"\nurl = \"{url}\"\n");
    std::fs::write(&path, store("default") + &store("usage")).unwrap();
    path
}

/// The test application with its stores on the Redis at `url`.
fn application(folder: &Path, url: &str) -> App {
    load(folder, |options| options.runtime_config_file = Some(runtime_config(folder, url)))
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn with_redis_two_hosts_are_one_service() {
    let redis = Redis::start();
    let folders = [tempdir().unwrap(), tempdir().unwrap()];
    let hosts = [0, 1].map(|host: usize| Arc::new(application(folders[host].path(), &redis.url())));

    let mut requests = JoinSet::new();
    for number in 0..200 {
        let app = hosts[number % 2].clone();
        requests.spawn(async move { get(&app, "/a/increment/usage/n/1").await.text().to_owned() });
    }
    let mut sums: Vec<i64> = requests.join_all().await.iter().map(|sum| sum.parse().unwrap()).collect();
    sums.sort_unstable();
    assert_eq!(sums, (1..=200).collect::<Vec<_>>());

    // a host reads at once the writes of the other
    for round in 0..20 {
        let (writer, reader) = (&hosts[round % 2], &hosts[(round + 1) % 2]);
        ask(writer, Method::POST, "/a/set/default/k", round.to_string()).await;
        assert_eq!(get(reader, "/a/get/default/k").await.text(), round.to_string());
    }
    get(&hosts[0], "/a/delete/default/k").await;
    assert_eq!(get(&hosts[1], "/a/exists/default/k").await.text(), "false");

    let mut requests = JoinSet::new();
    for racer in 0..16 {
        let app = hosts[racer % 2].clone();
        requests.spawn(async move {
            ask(&app, Method::POST, "/a/swap/default/prize", racer.to_string()).await.text() == "swapped"
        });
    }
    assert_eq!(requests.join_all().await.into_iter().filter(|won| *won).count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn with_redis_stopped_and_started_again_the_application_recovers() {
    let mut redis = Redis::start();
    let folder = tempdir().unwrap();
    let app = application(folder.path(), &redis.url());
    let mut counted = 0;
    for _ in 0..3 {
        counted += 1;
        assert_eq!(get(&app, "/a/increment/usage/n/1").await.text(), counted.to_string());
        redis.stop();
        for path in ["/a/increment/usage/n/1", "/a/get/default/k", "/a/keys/default"] {
            let answer = get(&app, path).await;
            assert_eq!(answer.status, StatusCode::BAD_GATEWAY, "{path}");
            assert!(answer.text().contains("cannot be reached"), "{path}: {}", answer.text());
        }
        redis.resume();
    }
    // it was down and is up again between two requests: no request fails
    for _ in 0..3 {
        redis.stop();
        redis.resume();
        counted += 1;
        assert_eq!(get(&app, "/a/increment/usage/n/1").await.text(), counted.to_string());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn with_redis_deaf_requests_fail_and_go_on_when_it_hears_again() {
    let redis = Redis::start();
    let folder = tempdir().unwrap();
    let app = Arc::new(application(folder.path(), &redis.url()));
    assert_eq!(get(&app, "/a/increment/usage/n/1").await.text(), "1");
    redis.signal("-STOP");
    let mut requests = JoinSet::new();
    for _ in 0..50 {
        let app = app.clone();
        requests.spawn(async move { get(&app, "/a/get/default/k").await.text().to_owned() });
    }
    for answer in requests.join_all().await {
        assert!(answer.contains("it does not answer"), "{answer}");
    }
    // a request that needs no store does not wait for it
    assert_eq!(get(&app, "/a/empty").await.status, StatusCode::OK);
    redis.signal("-CONT");
    assert_eq!(get(&app, "/a/get/default/k").await.status, StatusCode::NOT_FOUND);
    assert_eq!(get(&app, "/a/increment/usage/n/1").await.text(), "2");
}

#[test]
#[ignore = "needs redis-server"]
fn with_redis_down_the_service_starts_and_says_so() {
    let mut redis = Redis::stopped(&["--requirepass", "zanzibar"]);
    let folder = tempdir().unwrap();
    let url = format!("redis://:zanzibar@127.0.0.1:{}", redis.port());
    let config = runtime_config(folder.path(), &url);
    let mut server = Server::start(folder.path(), &["--runtime-config-file", config.to_str().unwrap()]);
    let refused = server.ask("GET", "/a/get/default/k", "");
    assert!(refused.contains("cannot be reached") && !refused.contains("zanzibar"), "{refused}");
    redis.resume();
    assert_eq!(server.ask("GET", "/a/increment/usage/n/1", ""), "1");
    server.signal("-TERM");
    server.child.wait().unwrap();
    let said = stderr(&mut server.child);
    for (line, times) in [("cannot be reached: ", 1), ("can be reached again", 1), ("zanzibar", 0)] {
        assert_eq!(said.matches(line).count(), times, "{line}: {said}");
    }
    assert!(said.contains(&format!("the Redis at 127.0.0.1:{}", redis.port())), "{said}");
}

#[test]
#[ignore = "needs redis-server"]
fn with_redis_that_refuses_the_reason_is_told() {
    let redis = Redis::with(&["--requirepass", "right"]);
    for (credentials, want) in [
        ("", "it asks for a password"),
        (":zanzibar@", "password is wrong"),
        ("zanzibar:right@", "password is wrong"),
    ] {
        let folder = tempdir().unwrap();
        let config =
            runtime_config(folder.path(), &format!("redis://{credentials}127.0.0.1:{}", redis.port()));
        let mut server = Server::start(folder.path(), &["--runtime-config-file", config.to_str().unwrap()]);
        let answer = server.ask("GET", "/a/get/default/k", "");
        server.signal("-TERM");
        server.child.wait().unwrap();
        let said = stderr(&mut server.child);
        assert!(answer.contains(want) && said.contains(want), "{credentials}: {answer} {said}");
        assert!(!answer.contains("zanzibar") && !said.contains("zanzibar"), "{answer} {said}");
    }
}

#[test]
#[ignore = "needs redis-server"]
fn with_redis_over_tls_the_certificate_is_checked() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (key, certificate) = (path("key.pem"), path("certificate.pem"));
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
        ])
        .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .args(["-keyout", &key, "-out", &certificate])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let tls_port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let _redis = Redis::with(&[
        "--tls-port",
        &tls_port.to_string(),
        "--tls-cert-file",
        &certificate,
        "--tls-key-file",
        &key,
        "--tls-auth-clients",
        "no",
    ]);
    let config = runtime_config(folder.path(), &format!("rediss://localhost:{tls_port}"));
    for (trusted, want) in [(certificate.as_str(), "1"), ("/dev/null", "certificate")] {
        let arguments = ["--runtime-config-file", config.to_str().unwrap()];
        let server = Server::of(command(folder.path(), &arguments).env("SSL_CERT_FILE", trusted));
        let answer = server.ask("GET", "/a/increment/usage/n/1", "");
        assert!(answer == want || (want != "1" && answer.contains(want)), "{trusted}: {answer}");
    }
}

/// Answers commands as a Redis does, as far as these tests need it, but greets only after a while.
async fn answer(mut stream: TcpStream) {
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut received = Vec::new();
    while stream.read_buf(&mut received).await.is_ok_and(|read| read > 0) {
        let commands = String::from_utf8(std::mem::take(&mut received)).unwrap();
        for command in commands.split('*').skip(1) {
            let answer = match command.lines().nth(2) {
                Some("HELLO") => "%0\r\n",
                Some("GET") => "_\r\n",
                Some("INCRBY") => ":1\r\n",
                _ => "+OK\r\n",
            };
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    }
}

/// An instance whose component waits in a synchronous call polls no other call.
#[tokio::test]
async fn a_call_that_nobody_polls_holds_up_no_other() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let store = RedisStore::new(&format!("redis://{}", listener.local_addr().unwrap())).unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream));
        }
    });
    // both wait for the connection that the first one opens
    let (mut opening, mut forgotten) = (pin!(store.get("a")), pin!(store.get("b")));
    let mut context = Context::from_waker(Waker::noop());
    assert!(opening.as_mut().poll(&mut context).is_pending());
    assert!(forgotten.as_mut().poll(&mut context).is_pending());
    let (opened, counted) = tokio::join!(opening, store.increment("c", 1));
    assert_eq!((opened.unwrap(), counted.unwrap()), (None, 1));
    assert_eq!(forgotten.await.unwrap(), None);
}
