//! HTTP handlers of WASI 0.2: the host's limits hold for them, though their calls block the whole instance.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use tempfile::tempdir;
use textveil::app::{App, HostLimits, Manifest};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::support::{application, ask, get, options};

fn load(folder: &Path, allowed: &str, change: impl FnOnce(&mut HostLimits)) -> App {
    let guest = application("textveil-test-guest-wasi02");
    let manifest = folder.join("spin.toml");
    let text = format!(
        r#"
        spin_manifest_version = 2
        application = {{ name = "tested" }}
        trigger.http = [{{ route = "/a/...", component = "a" }}]
        [component.a]
        source = "{}"
        allowed_outbound_hosts = ["{allowed}"]
        "#,
        guest.display()
    );
    std::fs::write(&manifest, text).unwrap();
    let mut options = options(&folder.join("state"));
    change(&mut options.limits);
    App::load(&Manifest::read(&manifest).unwrap(), options).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_answers_and_its_instance_is_used_again() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), "", |limits| limits.concurrent_requests = 1);
    for (path, body, status, text) in [
        ("/a/echo", "hello", 200, "hello"),
        ("/a/sleep/10", "", 200, "slept"),
        ("/a/stream/3/every/10", "", 200, "chunk 0\nchunk 1\nchunk 2\n"),
        ("/a/nothing", "", 404, ""),
    ] {
        let answer = ask(&app, Method::POST, path, body).await;
        assert_eq!((answer.status.as_u16(), answer.text()), (status, text), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_reaches_only_what_it_is_granted() {
    let upstream = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = upstream.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = upstream.accept().await {
            stream.read_buf(&mut Vec::with_capacity(4096)).await.unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello").await.unwrap();
        }
    });
    let folder = tempdir().unwrap();
    for (allowed, status, text) in [(format!("http://{address}"), 200, "hello"), (String::new(), 502, "")] {
        let app = load(folder.path(), &allowed, |_| ());
        let answer = get(&app, &format!("/a/send?{address}")).await;
        assert_eq!((answer.status.as_u16(), answer.text()), (status, text), "{allowed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn its_faults_and_its_time_end_its_own_request() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), "", |limits| {
        limits.cpu_time = Duration::from_secs(1);
        // on a busy machine, a second of processor time takes several
        limits.request_timeout = Duration::from_secs(15);
    });
    for (path, status) in
        [("/a/trap", 500), ("/a/compute", 500), ("/a/sleep/100000", 504), ("/a/sleep/1", 200)]
    {
        assert_eq!(get(&app, path).await.status.as_u16(), status, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_or_does_not_read_frees_its_instance() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), "", |limits| {
        limits.concurrent_requests = 1;
        limits.send_timeout = Duration::from_millis(500);
    });
    for leaves in [true, false] {
        let request = Request::get("http://localhost/a/large/64").body(Full::<Bytes>::default());
        let mut body = app.handle(request.unwrap(), "192.0.2.1:1".parse().unwrap()).await.into_body();
        assert!(body.frame().await.unwrap().is_ok());
        let unread = (!leaves).then_some(body);
        assert_eq!(get(&app, "/a/sleep/1").await.text(), "slept");
        if let Some(unread) = unread {
            assert!(unread.collect().await.is_err(), "the rest seems whole");
        }
    }
}

#[tokio::test]
async fn a_stream_arrives_as_it_is_made() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), "", |_| ());
    let request = Request::get("http://localhost/a/stream/3/every/100000").body(Full::<Bytes>::default());
    let mut body = app.handle(request.unwrap(), "192.0.2.1:1".parse().unwrap()).await.into_body();
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    assert_eq!(first, "chunk 0\n");
}
