//! Runs `textveil serve` as a user does: as a separate process, called over a socket, stopped by signals.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tempfile::tempdir;

use crate::support::server::{Server, ask, command, stderr};

#[test]
fn nothing_acknowledged_is_lost_when_the_process_is_killed() {
    const WRITERS: usize = 8;
    let folder = tempdir().unwrap();
    let mut acknowledged = [0; WRITERS];
    for _ in 0..3 {
        let mut server = Server::start(folder.path(), &["--quiet"]);
        let (told, enough) = mpsc::channel();
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (address, told) = (server.address.clone(), told.clone());
                thread::spawn(move || {
                    let mut stream = TcpStream::connect(address).unwrap();
                    let mut sums = Vec::new();
                    // continues until the connection breaks
                    while let Some(sum) = increment(&mut stream, writer) {
                        sums.push(sum);
                        let _ = told.send(());
                    }
                    sums
                })
            })
            .collect();
        for _ in 0..400 {
            enough.recv().unwrap();
        }
        server.child.kill().unwrap(); // SIGKILL
        server.child.wait().unwrap();
        for (writer, before) in writers.into_iter().zip(&mut acknowledged) {
            let sums = writer.join().unwrap();
            // one increment may have been written without an answer
            for (place, sum) in sums.iter().enumerate() {
                let next = *before + 1;
                assert!(*sum == next || (place == 0 && *sum == next + 1), "{before}, then {sum}");
                *before = *sum;
            }
        }
    }
    let server = Server::start(folder.path(), &["--quiet"]);
    for (writer, acknowledged) in acknowledged.iter().enumerate() {
        let path = format!("/a/increment/default/n{writer}/0");
        let sum: i64 = server.ask("GET", &path, "").parse().unwrap();
        assert!(
            sum == *acknowledged || sum == acknowledged + 1,
            "{acknowledged} were acknowledged, {sum} are there"
        );
    }
}

/// Increments a writer's counter over a connection that stays open; `None` if it broke.
fn increment(stream: &mut TcpStream, writer: usize) -> Option<i64> {
    write!(stream, "GET /a/increment/default/n{writer}/1 HTTP/1.1\r\nhost: x\r\n\r\n").ok()?;
    let answer = read_answer(stream)?;
    answer.body.parse().ok()
}

/// An answer on a connection that may stay open.
struct Answer {
    head: String,
    body: String,
}

/// Reads one answer; `None` if the connection broke before it was complete.
fn read_answer(stream: &mut TcpStream) -> Option<Answer> {
    let mut answer = Vec::new();
    let mut chunk = [0; 1024];
    loop {
        let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
        answer.extend_from_slice(&chunk[..read]);
        let text = std::str::from_utf8(&answer).ok()?;
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let head = head.to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let body = match length {
            Some(length) if body.len() == length.parse::<usize>().ok()? => body,
            None if body.ends_with("0\r\n\r\n") => body.lines().nth(1)?,
            _ => continue,
        };
        return Some(Answer { body: body.to_owned(), head });
    }
}

#[test]
fn a_shutdown_loses_no_request_that_was_sent() {
    const CLIENTS: usize = 16;
    let folder = tempdir().unwrap();
    for _ in 0..3 {
        let mut server = Server::start(folder.path(), &["--quiet"]);
        let (told, enough) = mpsc::channel();
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let (address, told) = (server.address.clone(), told.clone());
                thread::spawn(move || {
                    // half of them keep their connections, the others open one per request; all continue
                    // until the server announces that it closes
                    let keep = client % 2 == 0;
                    let mut stream = None;
                    for answered in 0.. {
                        let kept = stream.take().filter(|_| keep);
                        let mut connection = kept.unwrap_or_else(|| TcpStream::connect(&address).unwrap());
                        let request = "GET /a/empty HTTP/1.1\r\nhost: x\r\n\r\n";
                        connection.write_all(request.as_bytes()).unwrap();
                        let answer = read_answer(&mut connection);
                        let answer = answer.unwrap_or_else(|| panic!("lost after {answered} answers"));
                        if answer.head.contains("connection: close") {
                            break;
                        }
                        let _ = told.send(());
                        stream = Some(connection);
                    }
                })
            })
            .collect();
        for _ in 0..200 {
            enough.recv().unwrap();
        }
        server.signal("-TERM");
        for client in clients {
            client.join().unwrap();
        }
        assert!(server.child.wait().unwrap().success());
    }
}

#[test]
fn connections_without_a_request_do_not_hold_up_the_shutdown() {
    let folder = tempdir().unwrap();
    let mut server = Server::start(folder.path(), &[]);
    let fresh = TcpStream::connect(&server.address).unwrap();
    let mut kept = TcpStream::connect(&server.address).unwrap();
    kept.write_all(b"GET /a/empty HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    assert!(!read_answer(&mut kept).unwrap().head.contains("connection: close"));
    server.signal("-TERM");
    // it waits half a second for them, not the half minute allowed to requests in flight
    assert!(server.child.wait().unwrap().success());
    assert!(!stderr(&mut server.child).contains("given up"));
    drop((fresh, kept));
}

#[test]
fn sigterm_finishes_what_is_in_work_and_writes_what_is_held_back() {
    let folder = tempdir().unwrap();
    for want in ["1", "2"] {
        let mut server = Server::start(folder.path(), &["--quiet"]);
        assert_eq!(server.ask("GET", "/a/increment/usage/n/1", ""), want);
        let address = server.address.clone();
        let slow = thread::spawn(move || ask(&address, "GET", "/a/sleep/500", ""));
        thread::sleep(Duration::from_millis(200));
        server.signal("-TERM");
        assert_eq!(slow.join().unwrap(), "slept 0");
        assert!(server.child.wait().unwrap().success());
    }
}

#[test]
fn what_no_component_answers_is_logged() {
    let folder = tempdir().unwrap();
    let mut server = Server::start(folder.path(), &["--request-timeout", "1", "--max-request-body", "10"]);
    for (method, path, body) in [
        ("GET", "/nowhere/hunter2", ""),
        ("GET", "/static/hunter2", ""),
        ("POST", "/a/count?hunter2", "longer than that"),
        ("GET", "/a/trap", ""),
        ("GET", "/a/sleep/100000", ""),
        ("HUNTER2", "/nowhere", ""),
        // these the component answers
        ("GET", "/a/empty", ""),
        ("GET", "/a/get/other/hunter2", ""),
    ] {
        server.ask(method, path, body);
    }
    server.signal("-TERM");
    assert!(server.child.wait().unwrap().success());
    let log = stderr(&mut server.child);
    assert!(!log.contains("hunter2"), "{log}");
    let lines: Vec<serde_json::Value> =
        log.lines().filter(|line| line.starts_with('{')).map(|line| line.parse().unwrap()).collect();
    let seen: Vec<_> = lines
        .iter()
        .map(|line| {
            assert!(line["time_ms"].as_u64() > Some(1_600_000_000_000), "{line}");
            assert!(line["duration_ms"].as_f64() > Some(0.0), "{line}");
            assert!(line["request_id"].as_str().is_some_and(|id| id.len() == 16), "{line}");
            let text = |key: &str| line.get(key).map_or("-", |value| value.as_str().unwrap());
            let status = line["status"].as_u64().unwrap();
            format!("{} {} {status} {} {}", text("method"), text("route"), text("error"), text("cause"))
        })
        .collect();
    assert_eq!(
        seen,
        [
            "GET - 404 not_found -",
            "GET /static/... 418 - -",
            "POST /a/... 413 payload_too_large -",
            "GET /a/... 500 internal_error the component failed",
            "GET /a/... 504 timeout the component did not answer in time",
            "other - 404 not_found -",
        ]
    );
}

#[test]
fn a_flood_of_headers_is_refused_and_harms_nobody_else() {
    let folder = tempdir().unwrap();
    let server = Server::start(folder.path(), &["--quiet"]);
    let send = |headers: &str| {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        // it may be rejected before it is sent
        let _ = write!(stream, "GET /a/echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}\r\n");
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).unwrap()
    };
    let many = |count: usize| (0..count).map(|number| format!("x-{number}: v\r\n")).collect::<String>();
    let long = |bytes: usize| format!("x-long: {}\r\n", "v".repeat(bytes));
    for (headers, status) in
        [(many(90), 200), (many(101), 431), (many(500), 431), (long(60_000), 200), (long(70_000), 431)]
    {
        let answer = send(&headers);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{} bytes: {answer}", headers.len());
        let refused = answer.contains(r#""type":"request_header_fields_too_large""#);
        assert_eq!(refused, status == 431, "{answer}");
        assert!(!answer.contains("vvvv"), "nothing of the headers is repeated");
    }
    // unread requests get only a status, which may be lost if the client is still sending
    for headers in [many(10_000), long(1_000_000)] {
        let answer = send(&headers);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431 "), "{answer}");
    }
    assert_eq!(server.ask("GET", "/a/increment/default/n/1", ""), "1");
}

#[test]
fn a_second_signal_ends_at_once() {
    let folder = tempdir().unwrap();
    let mut server = Server::start(folder.path(), &["--quiet"]);
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.write_all(b"GET /a/sleep/20000 HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    thread::sleep(Duration::from_millis(200));
    server.signal("-INT");
    thread::sleep(Duration::from_millis(200));
    assert!(server.child.try_wait().unwrap().is_none(), "it did not wait for the request in flight");
    server.signal("-INT");
    assert_eq!(server.child.wait().unwrap().code(), Some(2));
}

#[test]
fn the_first_start_for_development_makes_credentials_and_the_second_keeps_them() {
    let folder = tempdir().unwrap();
    let state = folder.path().join("state");
    let server = Server::start(folder.path(), &["--dev"]);
    let greeting = server.greeting("curl ");
    let keys = std::fs::read_to_string(state.join("credentials.env")).unwrap();
    let keys: Vec<(&str, &str)> = keys
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once('=').unwrap())
        .collect();
    assert_eq!(
        keys.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        ["TEXTVEIL_API_KEY", "TEXTVEIL_ENTERPRISE_API_KEY", "TEXTVEIL_SERVICE_TOKEN", "TEXTVEIL_USER_TOKEN"]
    );
    assert_eq!(std::fs::read_to_string(state.join("service_tokens")).unwrap(), keys[2].1);
    assert_eq!(keys[3].1.split('.').count(), 3, "a JWT");
    // a pipe is not a terminal: logs keep what it receives
    assert!(greeting.contains(state.join("credentials.env").to_str().unwrap()), "{greeting}");
    for ((_, key), plan) in keys.iter().zip(["pro", "enterprise", "service", "user"]) {
        assert!(!greeting.contains(key), "{plan}: {greeting}");
    }
    for ((_, key), plan) in keys.iter().zip(["pro", "enterprise"]) {
        let place = textveil_service::credentials::storage_key(key);
        let record = server.ask("GET", &format!("/a/get/config/{place}"), "");
        assert!(record.contains(&format!(r#""plan":"{plan}""#)), "{record}");
    }
    let curl = greeting.lines().find(|line| line.contains("curl ")).unwrap();
    assert!(
        curl.contains(&server.address)
            && curl.contains("$TEXTVEIL_API_KEY")
            && curl.contains("/api/v1/detect"),
        "{curl}"
    );
    let secret = server.ask("GET", "/a/variable/token_secrets", "");
    let digits = secret.trim_matches('"').strip_prefix("1:").unwrap();
    assert!(digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()), "{secret}");
    for file in ["credentials.env", "token_secrets", "user_token_key", "service_tokens"] {
        let mode = std::fs::metadata(state.join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    drop(server);

    let before = std::fs::read_to_string(state.join("credentials.env")).unwrap();
    let server = Server::start(folder.path(), &["--dev"]);
    server.greeting("curl ");
    assert_eq!(std::fs::read_to_string(state.join("credentials.env")).unwrap(), before);
    assert_eq!(server.ask("GET", "/a/variable/token_secrets", ""), secret);
    drop(server);
    let server = Server::start(
        folder.path(),
        &[
            "--quiet",
            "--variable",
            "token_secrets=2:00112233445566778899aabbccddeeff",
            "--variable=greeting=ho",
        ],
    );
    assert_eq!(server.ask("GET", "/a/variable/token_secrets", ""), "\"2:00112233445566778899aabbccddeeff\"");
    assert_eq!(server.ask("GET", "/a/variable/greeting", ""), "\"ho there\"");
}

#[test]
fn development_on_a_reachable_address_must_be_asked_for() {
    let folder = tempdir().unwrap();
    let server = Server::start(folder.path(), &["--dev", "--dev-allow-remote", "--listen", "0.0.0.0:0"]);
    let port = server.address.rsplit_once(':').unwrap().1;
    assert_eq!(ask(&format!("127.0.0.1:{port}"), "GET", "/a/variable/profile", ""), "\"dev\"");
}

#[test]
fn a_strict_start_makes_no_credentials_and_says_who_cannot_log_in() {
    let folder = tempdir().unwrap();
    let state = folder.path().join("state");
    // a state that a start for development left is not used
    let server = Server::start(folder.path(), &["--dev"]);
    let secret = server.ask("GET", "/a/variable/token_secrets", "");
    drop(server);
    for (arguments, warnings, development_left) in [
        (&[][..], &["`service_tokens` is empty", "`user_token_key` is empty", "keys create"][..], true),
        (
            &["--variable=service_tokens=0123456789abcdef0123456789abcdef"],
            &["`user_token_key` is empty"],
            false,
        ),
        (
            &[
                "--variable=service_tokens=0123456789abcdef0123456789abcdef",
                "--variable=user_token_key=0123456789abcdef0123456789abcdef",
                "--variable=user_token_issuer=https://login.example.com",
                "--variable=user_token_audience=textveil",
            ],
            &[],
            false,
        ),
    ] {
        if !development_left {
            for file in ["credentials.env", "user_token_key", "service_tokens"] {
                let _ = std::fs::remove_file(state.join(file));
            }
        }
        let mut server = Server::start(folder.path(), arguments);
        assert_eq!(server.ask("GET", "/a/variable/token_secrets", ""), secret);
        let tokens = server.ask("GET", "/a/variable/service_tokens", "");
        let given = arguments.iter().any(|argument| argument.contains("service_tokens"));
        assert_eq!(tokens, if given { "\"0123456789abcdef0123456789abcdef\"" } else { "\"\"" });
        assert_eq!(state.join("credentials.env").exists(), development_left);
        assert_eq!(state.join("service_tokens").exists(), development_left);
        server.signal("-TERM");
        assert!(server.child.wait().unwrap().success());
        let said = stderr(&mut server.child);
        for warning in warnings {
            assert!(said.contains(warning), "{arguments:?}: {said}");
        }
        let empty = warnings.iter().filter(|warning| warning.contains("is empty")).count();
        assert_eq!(said.matches("is empty").count(), empty, "{said}");
        assert_eq!(said.contains("were made for development"), development_left, "{said}");
        let secret = secret.trim_matches('"');
        assert!(!said.contains(secret) && !said.contains("0123456789abcdef"), "a secret is shown: {said}");
    }
}

#[test]
fn the_listener_of_the_metrics_answers_nothing_else() {
    let folder = tempdir().unwrap();
    let given = "0123456789abcdef0123456789abcdef";
    for tokens in ["", given] {
        let mut server = Server::start(
            folder.path(),
            &["--metrics-listen", "127.0.0.1:0", &format!("--variable=service_tokens={tokens}")],
        );
        let greeting = server.greeting("Metrics ");
        let metrics = greeting.trim().strip_prefix("Metrics http://").unwrap();
        let metrics = metrics.strip_suffix("/metrics").unwrap();
        // the application receives the given token, and nothing of the request
        let mut stream = TcpStream::connect(metrics).unwrap();
        let forged = "x-service-token: forged\r\nauthorization: Bearer forged\r\ncookie: forged";
        write!(stream, "GET /metrics?forged HTTP/1.0\r\nhost: forged\r\n{forged}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.0 200 ") && !answer.contains("forged"), "{answer}");
        let head: serde_json::Value = answer.rsplit("\r\n\r\n").next().unwrap().parse().unwrap();
        let headers = head["headers"].as_array().unwrap();
        let shown: Vec<_> = headers.iter().filter(|header| header[0] == "x-service-token").collect();
        let token = shown[0][1].as_str().unwrap();
        assert_eq!((shown.len(), token.len(), &token[..4]), (1, 68, "tvs_"));
        let separator = if tokens.is_empty() { "" } else { "," };
        let entry = format!("\"{tokens}{separator}metrics-listener:metrics@*:{token}\"");
        assert_eq!(server.ask("GET", "/a/variable/service_tokens", ""), entry);

        for (method, path) in [
            ("GET", "/"),
            ("GET", "/a/variable/service_tokens"),
            ("GET", "/metrics/"),
            ("GET", "//metrics"),
            ("GET", "/a/../metrics"),
            ("GET", "/healthz"),
            ("POST", "/metrics"),
            ("HEAD", "/a/head"),
        ] {
            let mut stream = TcpStream::connect(metrics).unwrap();
            write!(stream, "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            assert!(answer.starts_with("HTTP/1.1 404 "), "{method} {path}: {answer}");
        }
        server.signal("-TERM");
        assert!(server.child.wait().unwrap().success());
        let said = stderr(&mut server.child);
        assert!(!said.contains(token), "{said}");
        assert_eq!(said.contains("`service_tokens` is empty"), tokens.is_empty(), "{said}");
    }
}

#[test]
fn what_keeps_it_from_starting_is_named() {
    let folder = tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (arguments, want) in [
        (&["--listen", &taken][..], "--listen"),
        (&["--metrics-listen", &taken], "--metrics-listen"),
        (&["--variable", "unknown=1"], "no variable `unknown`"),
        (&["--dev", "--listen", "0.0.0.0:0"], "--dev-allow-remote"),
        (&["--dev", "--listen", "[::]:0"], "--dev-allow-remote"),
        (&["--listen", "0.0.0.0:0"], "--behind-proxy"),
        (&["--listen", "[::]:0"], "--behind-proxy"),
        (&["--dev-allow-remote"], "--dev"),
        (&["--variable", "profile=dev"], "the variable `profile` contradicts"),
        (&["--dev", "--variable", "profile=strict"], "the variable `profile` contradicts"),
        (&["--variable", "token_secrets=2:ab"], "token_secrets"),
        (&["--variable", "user_token_key=short-hunter2"], "user_token_key must be"),
        (&["--variable", "service_tokens=short-hunter2"], "service_tokens must be"),
        (&["--variable", "monthly_quotas=gold-hunter2"], "monthly_quotas must be"),
        (&["--manifest", "missing.toml"], "missing.toml"),
        (&["--runtime-config-file", "missing.toml"], "missing.toml"),
    ] {
        let output = command(folder.path(), arguments).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(message.contains(want), "{arguments:?}: {message}");
        assert!(!message.contains("hunter2"), "a secret is shown: {message}");
    }
}

#[test]
fn a_component_that_never_pauses_is_stopped_and_the_program_goes_on() {
    let folder = tempdir().unwrap();
    let server = Server::start(folder.path(), &["--quiet", "--max-cpu-time", "1"]);
    // more than there are threads
    let endless: Vec<_> = (0..6)
        .map(|_| {
            let address = server.address.clone();
            thread::spawn(move || ask(&address, "GET", "/a/compute", ""))
        })
        .collect();
    for stopped in endless {
        assert!(stopped.join().unwrap().contains("internal_error"));
    }
    assert_eq!(ask(&server.address, "GET", "/a/sleep/1", ""), "slept 0");
}
