//! The modules of the service use each other in one direction.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test"
)]

#[path = "../../../tests/order.rs"]
mod order;

use order::Order;

/// The layers of `src/` with their modules: each module may use those before it.
const LAYERS: [(&str, &[&str]); 10] = [
    (
        "core",
        &[
            "calendar",
            "limits",
            "order",
            "revalidation",
            "trace_context",
            "system",
            "ids",
            "response",
            "mcp",
            "error",
            "sent",
            "query",
            "request_id",
            "types",
            "log",
            "body",
        ],
    ),
    ("store", &["cache", "host", "bounded", "upstream", "lease", "documents", "secrets"]),
    ("identity", &["profile", "network", "scope", "credentials", "auth"]),
    ("audit", &["audit"]),
    ("usage", &["usage"]),
    ("chat", &["chat"]),
    (
        "settings",
        &[
            "sessions",
            "configuration",
            "changes",
            "providers",
            "policies",
            "workspace",
            "api_keys",
            "setup",
            "stateless",
        ],
    ),
    ("gateway", &["operation", "route", "admission", "exchange", "gateway"]),
    ("routes", &["call", "routes", "proxy"]),
    ("service", &["config", "readiness", "openapi", "router", "service"]),
];

#[test]
fn modules_use_only_those_before_them() {
    let modules = LAYERS.iter().flat_map(|(_, modules)| *modules).copied().collect();
    let order = Order { modules, everywhere: &[] };
    let wrong = order.faults(env!("CARGO_MANIFEST_DIR"), &[]);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
