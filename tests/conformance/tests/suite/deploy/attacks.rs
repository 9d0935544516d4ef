//! Attacks on the service as each deployment file starts it.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use textveil_service::auth::user_token::{Audience, Claims, Role, issue};
use textveil_service::credentials::Plan;

use super::deployment::{Answer, Deployment, Server, USER_TOKEN_AUDIENCE, USER_TOKEN_ISSUER, USER_TOKEN_KEY};

const PROVIDERS: &str = "/api/v1/llm-providers";
const CONFIG: &str = "/api/v1/gateway/config?workspace_id=default";

/// A token of an administrator of the workspace `default`.
fn user_token(issuer: &str, audience: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let claims = Claims {
        iss: Some(issuer.to_owned()),
        aud: Some(Audience::One(audience.to_owned())),
        plan: Some(Plan::Enterprise),
        role: Some(Role::Admin),
        ..Claims::new("u-7", "default", now + 600)
    };
    issue(USER_TOKEN_KEY, &claims).unwrap()
}

fn bearer(token: &str) -> Vec<String> {
    vec![format!("authorization: Bearer {token}")]
}

fn service(token: &str) -> Vec<String> {
    vec![format!("x-service-token: {token}"), "x-workspace-id: default".to_owned()]
}

/// A provider at an address, which would get the operator's credential.
fn provider(base_url: &str) -> String {
    json!({
        "provider_type": "openai", "display_name": "p", "base_url": base_url, "default_model": "m",
        "credential_source": "env_placeholder", "env_placeholder": "${OPENAI_API_KEY}",
    })
    .to_string()
}

/// A local port that must not be reached.
struct Trap(TcpListener);

impl Trap {
    fn set() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    /// Whether `work` connects to it; it hangs up at once.
    fn is_reached_by(&self, work: impl FnOnce() + Send) -> bool {
        std::thread::scope(|scope| {
            let work = scope.spawn(work);
            let mut reached = false;
            while !work.is_finished() {
                reached |= self.was_reached();
                std::thread::sleep(Duration::from_millis(5));
            }
            reached
        })
    }

    fn was_reached(&self) -> bool {
        !self.0.accept().is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    }
}

fn chat(server: &Server, token: &str) -> Answer {
    let request = json!({ "model": "primary", "messages": [{ "role": "user", "content": "hello" }] });
    server.ask("POST", "/v1/chat/completions", &service(token), &request.to_string())
}

/// Attacks a deployment in every way that its files may leave open.
fn attack(deployment: &Deployment) {
    let trap = Trap::set();
    let old_provider = format!("http://127.0.0.1:{}/v1", trap.port());
    let user = bearer(&user_token(USER_TOKEN_ISSUER, USER_TOKEN_AUDIENCE));
    let app = deployment.service_token("app");
    let admin = service(&deployment.service_token("admin"));

    // a provider on this machine, from the time when the service was tried out
    {
        let server = deployment.start_for_development();
        let (status, made) = server.ask("POST", PROVIDERS, &user, &provider(&old_provider));
        assert_eq!(status, 201, "{made}");
        let made: Value = serde_json::from_str(&made).unwrap();
        let routes = json!({ "providers": { "primary": { "provider": made["id"], "model": "m" } } });
        let (status, said) = server.ask("PUT", CONFIG, &admin, &routes.to_string());
        assert_eq!(status, 200, "{said}");
        // the trap works, except if the runtime configuration always blocks this machine
        let reached = trap.is_reached_by(|| drop(chat(&server, &app)));
        assert_eq!(reached, deployment.redis_port().is_none());
    }
    let credentials = deployment.state().join("credentials.env");
    if credentials.exists() {
        std::fs::remove_file(&credentials).unwrap();
    }

    let server = deployment.start();
    let (status, said) = chat(&server, &app);
    assert!(status >= 400, "{said}");
    assert!(
        !said.contains("sk-of-the-operator") && !trap.was_reached(),
        "a provider of the development: {said}"
    );
    assert!(!credentials.exists(), "it made credentials for development");

    for (attack, method, path, head, want) in [
        ("metrics without a credential", "GET", "/metrics", vec![], 401),
        ("metrics with an application's token", "GET", "/metrics", service(&app), 403),
        ("detection without a credential", "POST", "/api/v1/detect", vec![], 401),
        ("detection with a service token", "POST", "/api/v1/detect", bearer(&app), 401),
        ("keys without a credential", "GET", "/api/v1/api-keys", vec![], 401),
        ("keys with a service token", "GET", "/api/v1/api-keys", admin.clone(), 401),
        ("chat without a credential", "POST", "/v1/chat/completions", vec![], 401),
        ("configuration without a credential", "GET", CONFIG, vec![], 401),
        ("configuration with an application's token", "PUT", CONFIG, service(&app), 403),
        (
            "audit with an application's token",
            "GET",
            "/api/v1/gateway/audit?workspace_id=default",
            service(&app),
            403,
        ),
        ("another workspace", "GET", "/api/v1/gateway/config?workspace_id=other", admin.clone(), 403),
        (
            "a token of another issuer",
            "GET",
            PROVIDERS,
            bearer(&user_token("https://else.example", USER_TOKEN_AUDIENCE)),
            401,
        ),
        (
            "a token for another service",
            "GET",
            PROVIDERS,
            bearer(&user_token(USER_TOKEN_ISSUER, "mail")),
            401,
        ),
    ] {
        let body = if method == "GET" { "" } else { r#"{"text": "a", "default_action": "ALLOW"}"# };
        let (status, said) = server.ask(method, path, &head, body);
        assert_eq!(status, want, "{attack}: {said}");
    }

    // addresses that a provider must not have: the metadata of a cloud, a port of this machine, a service of the cluster
    let stores = deployment.redis_port().unwrap_or(6379);
    let port = trap.port();
    for base_url in [
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "http://[fd00:ec2::254]/latest/meta-data".to_owned(),
        "http://metadata.google.internal/computeMetadata/v1".to_owned(),
        format!("http://127.0.0.1:{port}"),
        format!("https://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
        format!("http://0x7f000001:{port}"),
        format!("http://[::ffff:127.0.0.1]:{port}"),
        format!("http://127.0.0.1:{stores}"),
        format!("http://redis.default.svc:{stores}"),
        format!("http://redis.default.svc.cluster.local:{stores}"),
        "https://host.docker.internal".to_owned(),
    ] {
        let (status, said) = server.ask("POST", PROVIDERS, &user, &provider(&base_url));
        assert_eq!(status, 400, "{base_url}: {said}");
    }
    assert!(!trap.was_reached());

    // the credentials that the deployment has do what they are for
    let prometheus = service(&deployment.service_token("prometheus"));
    assert_eq!(server.ask("GET", "/metrics", &prometheus, "").0, 200);
    assert_eq!(server.ask("GET", CONFIG, &admin, "").0, 200);
    assert_eq!(server.ask("GET", PROVIDERS, &user, "").0, 200);
}

#[test]
fn on_the_unit_of_systemd() {
    attack(&Deployment::systemd());
}

#[test]
fn on_the_container() {
    attack(&Deployment::container());
}

#[test]
#[ignore = "needs redis-server"]
fn with_redis_on_spin() {
    attack(&Deployment::spin());
}

#[test]
#[ignore = "needs redis-server"]
fn with_redis_on_spinkube() {
    attack(&Deployment::spinkube());
}
