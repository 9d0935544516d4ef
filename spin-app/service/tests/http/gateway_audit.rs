//! Audit records: their contents, their authentication, their retention.

use std::collections::BTreeMap;

use http::{Method, Request};
use http_body_util::Full;
use serde_json::{Value, json};
use textveil_engine::Action;
use textveil_service::{
    Label,
    audit::{AuditKeys, AuditRecord, Entry, Event, Head, Verification, chain, export, verify},
    timestamp,
};

use crate::host::{Answer, Memory, NOW_MS, SERVICE_TOKEN, assert_invalid};

const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 24 * HOUR_MS;

async fn audit(host: &Memory, query: &str) -> Answer {
    host.admin(Method::GET, &format!("/audit?workspace_id=initech{query}"), &Value::Null).await
}

async fn records(host: &Memory, query: &str) -> Vec<Value> {
    let answer = audit(host, query).await;
    assert_eq!((answer.status.as_u16(), &answer.json["complete"]), (200, &json!(true)), "{}", answer.text);
    answer.json["records"].as_array().unwrap().clone()
}

async fn configure(host: &Memory, update: &Value) -> Answer {
    host.admin(Method::PUT, "/config?workspace_id=initech", update).await
}

async fn verified(host: &Memory) -> Verification {
    verify(host, "initech", &[]).await.unwrap()
}

async fn keys(host: &Memory) -> AuditKeys {
    textveil_service::audit::keys(host, "initech").await.unwrap()
}

/// The documents of records, by their keys.
fn documents(host: &Memory) -> BTreeMap<String, String> {
    host.values("audit").into_iter().filter(|(key, _)| key.starts_with("audit:")).collect()
}

/// Puts records of requests into the first chain of `initech`, all in the hour of [`NOW_MS`].
async fn put_requests(host: &Memory, requests: Vec<Entry>) {
    put_into(host, 0, requests).await;
    export(host, "initech").await.unwrap();
}

async fn put_into(host: &Memory, chain: usize, requests: Vec<Entry>) {
    let keys = keys(host).await;
    let (mut lines, mut at) = (String::new(), chain::Link::default());
    for entry in requests {
        let record = AuditRecord { chain, sequence: at.sequence + 1, previous: at.hash, key: 2, entry };
        lines += &chain::line(&keys, &serde_json::to_string(&record).unwrap());
        at = chain::last(&lines).unwrap();
    }
    let (hour, day) = (NOW_MS / HOUR_MS, NOW_MS / DAY_MS);
    let latest = json!({ "hour": hour, "number": 1 });
    let index = json!({ "start": chain::Link::default(), "days": [day], "latest": latest });
    host.meddle("audit", &format!("audit-index:initech:{chain}"), Some(index.to_string()));
    let hours = json!({ (hour % 24).to_string(): 1 });
    host.meddle("audit", &format!("audit-day:initech:{chain}:{day}"), Some(hours.to_string()));
    host.meddle("audit", &format!("audit:initech:{chain}:{hour}:1"), Some(lines));
}

/// The chain of administrative changes.
const ADMINISTRATION: usize = 32;

fn request(id: &str, seconds: u64, action: Action, entities: &[(&str, usize)]) -> Entry {
    Entry {
        action: Some(action),
        entities: entities.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect(),
        ..Entry::new(timestamp(NOW_MS / 1_000 + seconds), Event::Request, id)
    }
}

#[tokio::test]
async fn every_change_is_recorded_without_what_was_written() {
    let host = Memory::default();
    assert_eq!(
        audit(&host, "").await.json,
        json!({ "records": [], "total": 0, "page": 1, "page_size": 20, "complete": true })
    );
    let send = async |method: Method, path: &str, body: Value| {
        let answer = host.admin(method, path, &body).await;
        assert!(answer.status.is_success(), "{}", answer.text);
        (answer.header("x-request-id").to_owned(), answer.json)
    };
    let config = json!({ "region": "zanzibar", "audit_level": "full", "default_action": "MASK" });
    let (configured, _) = send(Method::PUT, "/config?workspace_id=initech", config).await;
    let draft = json!({ "name": "zanzibar", "description": "zanzibar", "action": "MASK" });
    let (created, policy) = send(Method::POST, "/policies?workspace_id=initech", draft).await;
    let id = &policy["id"];
    let path = format!("/policies/{}?workspace_id=initech", id.as_str().unwrap());
    host.now_ms.set(NOW_MS + 1_000);
    let (patched, _) =
        send(Method::PATCH, &path, json!({ "priority": 3, "action": "BLOCK", "name": "zanzibar" })).await;
    let (deleted, _) = send(Method::DELETE, &path, Value::Null).await;
    let import = json!({ "configuration": { "region": "eu" }, "policies": [{ "name": "zanzibar", "action": "MASK" }] });
    let (imported, _) = send(Method::POST, "/config/import?workspace_id=initech", import).await;

    let want = [
        json!({ "event": "import", "request_id": imported, "fields": ["region", "policies"] }),
        json!({ "event": "policy_delete", "request_id": deleted, "subject": id }),
        json!({ "event": "policy_update", "request_id": patched, "subject": id, "fields": ["action", "priority"] }),
        json!({ "event": "policy_create", "request_id": created, "subject": id }),
        json!({ "event": "config_update", "request_id": configured, "fields": ["audit", "region"] }),
    ];
    let mut got = records(&host, "").await;
    for (record, sequence) in got.iter_mut().zip((1..=5).rev()) {
        let record = record.as_object_mut().unwrap();
        let second = if sequence < 3 { 20 } else { 21 };
        assert_eq!(record.remove("at"), Some(json!(format!("2026-11-23T10:00:{second}Z"))));
        assert_eq!(
            (record.remove("chain"), record.remove("sequence"), record.remove("key")),
            (Some(json!(ADMINISTRATION)), Some(json!(sequence)), Some(json!(2)))
        );
        assert!(record.remove("actor").unwrap().as_str().unwrap().starts_with("service:sha256-"));
        assert_eq!(record.remove("hash").unwrap().as_str().unwrap().len(), 64);
        assert_eq!(record.remove("previous").unwrap().as_str().unwrap().len(), 64);
    }
    assert_eq!(got, want);
    let stored = host.values("audit");
    assert!(
        stored.iter().all(|(key, value)| !key.contains("zanzibar") && !value.contains("zanzibar")),
        "{stored:?}"
    );

    // rejected changes and reads change nothing
    configure(&host, &json!({ "region": "" })).await;
    host.admin(Method::DELETE, &path, &Value::Null).await;
    host.admin(Method::POST, "/policies/test?workspace_id=initech", &json!({ "text": "a" })).await;
    host.admin(Method::GET, "/config/export?workspace_id=initech", &Value::Null).await;
    assert_eq!(records(&host, "").await.len(), 5);
    let other = host.admin(Method::GET, "/audit?workspace_id=acme", &Value::Null).await;
    assert_eq!(other.json["total"], 0, "another workspace sees nothing");
}

#[tokio::test]
async fn the_level_is_about_requests_and_not_about_changes() {
    let host = Memory::default();
    let policy = json!({ "name": "a", "action": "MASK" });
    let mut changes = 0;
    for level in ["none", "minimal", "standard"] {
        configure(&host, &json!({ "audit_level": level })).await;
        host.admin(Method::POST, "/policies?workspace_id=initech", &policy).await;
        changes += 2;
        let got = records(&host, "").await;
        assert_eq!(got.len(), changes, "{level}");
        assert_eq!((&got[0]["event"], &got[1]["event"]), (&json!("policy_create"), &json!("config_update")));
        assert_eq!(got[1]["fields"], json!(["audit"]), "{level}");
    }
}

#[tokio::test]
async fn the_chain_shows_every_change_of_it() {
    let host = Memory::default();
    for number in 0..3 {
        host.now_ms.set(NOW_MS + number * HOUR_MS);
        for region in ["a", "b", "c"] {
            configure(&host, &json!({ "region": region })).await;
        }
    }
    let whole = documents(&host);
    assert_eq!(whole.len(), 3, "a document an hour: {whole:?}");
    let good = verified(&host).await;
    assert_eq!((good.faults.len(), good.chains.len(), good.chains[0].records), (0, 1, 9));
    let head = &good.chains[0].head;
    assert_eq!((head.sequence, &json!(head.hash)), (9, &records(&host, "").await[0]["hash"]));

    let (first, middle) = (whole.keys().next().unwrap(), whole.keys().nth(1).unwrap());
    let lines: Vec<&str> = whole[middle].split_inclusive('\n').collect();
    let changed = whole[middle].replacen("region", "audits", 1);
    // a line that is valid only at the start of a chain, here after a changed part
    let beginning = format!(r#"{} {{"chain":32,"sequence":0,"previous":"","key":2}}"#, "0".repeat(64));
    for (key, part) in &whole {
        host.meddle("audit", key, Some(part.replace("region", "audits") + &beginning));
        let silenced = verified(&host).await;
        assert_eq!((silenced.chains.len(), silenced.chains[0].records), (1, 10), "{key}");
        let faults: Vec<_> = silenced.faults.iter().filter(|fault| fault.document == *key).collect();
        let changed = (1..=3).map(|line| (line, chain::Fault::Changed));
        let want = [(4, chain::Fault::Changed), (4, chain::Fault::Unlinked)];
        assert!(changed.chain(want).eq(faults.iter().map(|fault| (fault.line, fault.fault))), "{faults:?}");
        host.meddle("audit", key, Some(part.clone()));
    }
    for (what, key, value, want) in [
        ("changed", middle, Some(changed), (middle, 1, chain::Fault::Changed)),
        ("the first taken out", middle, Some(lines[1..].concat()), (middle, 1, chain::Fault::Unlinked)),
        (
            "the middle taken out",
            middle,
            Some(lines[0].to_owned() + lines[2]),
            (middle, 2, chain::Fault::Unlinked),
        ),
        ("all taken out", middle, None, (whole.keys().nth(2).unwrap(), 1, chain::Fault::Unlinked)),
        ("the oldest taken out", first, None, (middle, 1, chain::Fault::Unlinked)),
        (
            "no line",
            middle,
            Some(whole[middle].clone() + "zanzibar\n"),
            (middle, 4, chain::Fault::Unreadable),
        ),
    ] {
        host.meddle("audit", key, value);
        let faults = verified(&host).await.faults;
        let fault = faults.first().unwrap_or_else(|| panic!("{what} leaves no trace"));
        assert_eq!((&fault.document, fault.line, fault.fault), (want.0, want.1, want.2), "{what}");
        // the head names the first record
        let missing = usize::from(what == "the oldest taken out");
        assert_eq!(faults.len(), 1 + missing, "{what}: {faults:?}");
        assert_eq!(audit(&host, "").await.status, 200, "what can be read is shown");
        host.meddle("audit", key, Some(whole[key].clone()));
    }
    assert_eq!(verified(&host).await, good);
}

#[tokio::test]
async fn a_full_document_is_followed_by_another() {
    let host = Memory::default();
    let large = Entry { masked_text: Some("x".repeat(16_200)), ..request("a", 0, Action::Mask, &[]) };
    put_into(&host, ADMINISTRATION, vec![large; 16]).await;
    // a clock that runs backwards does not open an hour that is over
    host.now_ms.set(NOW_MS - HOUR_MS);
    for region in ["a", "b"] {
        configure(&host, &json!({ "region": region })).await;
    }
    let hour = NOW_MS / HOUR_MS;
    let documents = documents(&host);
    let lines: Vec<_> = documents.iter().map(|(key, lines)| (key.clone(), lines.lines().count())).collect();
    let want = [(format!("audit:initech:32:{hour}:1"), 16), (format!("audit:initech:32:{hour}:2"), 2)];
    assert_eq!(lines, want);
    assert!(documents.values().all(|lines| lines.len() <= 1_000_000));
    let verification = verified(&host).await;
    assert_eq!((verification.faults, verification.chains[0].records), (vec![], 18));
    assert_eq!(records(&host, "").await.len(), 18);
}

#[tokio::test]
async fn what_is_too_old_goes() {
    let host = Memory::default();
    configure(&host, &json!({ "audit_retention_days": 2 })).await;
    for (days, want_shown, want_stored) in [(1, 2, 2), (2, 3, 3), (3, 3, 3), (10, 1, 1), (11, 2, 2)] {
        host.now_ms.set(NOW_MS + days * DAY_MS);
        configure(&host, &json!({ "region": format!("{days}") })).await;
        assert_eq!(records(&host, "").await.len(), want_shown, "after {days} days");
        assert_eq!(documents(&host).len(), want_stored, "after {days} days");
        assert_eq!(verified(&host).await.faults, [], "after {days} days");
    }
    assert_eq!(verified(&host).await.chains[0].head.sequence, 6);
    // without new records, a search deletes the expired ones
    host.now_ms.set(NOW_MS + 30 * DAY_MS);
    assert_eq!(records(&host, "").await, Vec::<Value>::new());
    assert_eq!(documents(&host).len(), 0);
    assert_eq!(verified(&host).await.chains[0].head.sequence, 6);
    // a partly deleted day is not a fault
    let day = NOW_MS / DAY_MS;
    let index = host.values("audit")["audit-index:initech:32"].clone();
    let mut index: Value = serde_json::from_str(&index).unwrap();
    index["expired"] = json!([day]);
    let sequence = index["start"]["sequence"].as_u64().unwrap();
    host.meddle("audit", "audit-index:initech:32", Some(index.to_string()));
    host.meddle("audit", &format!("audit-day:initech:32:{day}"), Some(json!({ "10": 1 }).to_string()));
    let entry = request("a", 0, Action::Mask, &[]);
    let old = AuditRecord { chain: 32, sequence, previous: "0".repeat(64), key: 2, entry };
    let line = chain::line(&keys(&host).await, &serde_json::to_string(&old).unwrap());
    host.meddle("audit", &format!("audit:initech:32:{}:1", day * 24 + 10), Some(line));
    assert_eq!(verified(&host).await.faults, []);
    // the next write deletes it
    assert_eq!(configure(&host, &json!({ "region": "eu" })).await.status, 200);
    assert_eq!(documents(&host).len(), 1);
    assert_eq!(verified(&host).await.faults, []);
}

#[tokio::test]
async fn nothing_outlives_the_retention_in_any_chain() {
    let update = |name: &str, value: Value| (Method::PUT, "/config", json!({ name: value }));
    let read = |path| (Method::GET, path, Value::Null);
    for (level, later, (method, path, body), want) in [
        // the default retention is 90 days
        ("standard", 90, update("region", json!("eu")), 2),
        ("standard", 91, update("region", json!("eu")), 1),
        ("none", 91, update("region", json!("eu")), 1),
        ("standard", 91, read("/audit"), 0),
        ("none", 91, read("/audit"), 0),
        ("standard", 8, update("audit_retention_days", json!(7)), 1),
        ("standard", 8, update("audit_retention_days", json!(8)), 2),
        ("none", 8, update("audit_retention_days", json!(7)), 1),
    ] {
        let host = Memory::default();
        host.put_config("gateway-config:initech", &json!({ "audit": { "level": level } }));
        put_requests(&host, vec![request("a", 0, Action::Mask, &[])]).await;
        // the same in all chains, and in one of them more parts than go at once
        let (hour, day) = (NOW_MS / HOUR_MS, NOW_MS / DAY_MS);
        let index = &host.values("audit")["audit-index:initech:0"].clone();
        let lines = &documents(&host).into_values().next().unwrap();
        for chain in 1..32 {
            host.meddle("audit", &format!("audit-index:initech:{chain}"), Some(index.clone()));
            let (hours, parts) = if chain == 7 { ([1, 23], 300) } else { ([hour % 24; 2], 1) };
            let of_day = json!({ hours[0].to_string(): parts, hours[1].to_string(): parts });
            host.meddle("audit", &format!("audit-day:initech:{chain}:{day}"), Some(of_day.to_string()));
            for (hour, part) in hours.into_iter().flat_map(|hour| (1..=parts).map(move |part| (hour, part))) {
                let key = format!("audit:initech:{chain}:{}:{part}", day * 24 + hour);
                host.meddle("audit", &key, Some(lines.clone()));
            }
        }
        host.now_ms.set(NOW_MS + later * DAY_MS);
        let path = format!("{path}?workspace_id=initech");
        assert_eq!(host.admin(method.clone(), &path, &body).await.status, 200);
        let what = format!("{level}, {later} days later, {method} {body}");
        let documents: Vec<_> =
            host.values("audit").into_keys().filter(|key| !key.starts_with("audit-index")).collect();
        if want == 2 {
            assert!(documents.len() > 31 + 31 + 600, "{what}: {}", documents.len());
            continue;
        }
        let days = documents.iter().filter(|key| key.starts_with("audit-day:")).count();
        assert_eq!((days, documents.len() - days), (want, want), "{what}");
        let faults = verified(&host).await.faults;
        assert_eq!(faults, [], "{what}");
    }
}

#[tokio::test]
async fn a_clock_that_runs_backwards_breaks_nothing() {
    let host = Memory::default();
    for hours in [3, 0, 2, 4] {
        host.now_ms.set(NOW_MS + hours * HOUR_MS);
        configure(&host, &json!({ "region": format!("{hours}") })).await;
    }
    let verification = verified(&host).await;
    assert_eq!((verification.faults, verification.chains[0].records), (vec![], 4));
    assert_eq!(documents(&host).len(), 2);
}

/// Of one that dies between its writes.
#[tokio::test]
async fn a_document_that_is_listed_and_not_there_is_empty() {
    let host = Memory::default();
    configure(&host, &json!({ "region": "a" })).await;
    host.now_ms.set(NOW_MS + HOUR_MS);
    configure(&host, &json!({ "region": "b" })).await;
    let last = documents(&host).into_keys().next_back().unwrap();
    host.meddle("audit", &last, None);
    configure(&host, &json!({ "region": "c" })).await;
    let verification = verified(&host).await;
    assert_eq!((verification.faults, verification.chains[0].records), (vec![], 2));
    assert_eq!(documents(&host).into_keys().next_back().unwrap(), last);
}

#[tokio::test]
async fn changes_at_the_same_time_are_all_recorded_in_one_order() {
    let host = Memory::default();
    let policy = json!({ "name": "a", "action": "MASK" });
    let changes = (0..10).map(|number| {
        let (host, policy) = (&host, &policy);
        async move {
            let region = json!({ "region": format!("{number}") });
            let (one, other) = tokio::join!(
                configure(host, &region),
                host.admin(Method::POST, "/policies?workspace_id=initech", policy)
            );
            assert_eq!((one.status.as_u16(), other.status.as_u16()), (200, 201), "{}", other.text);
        }
    });
    futures_util::future::join_all(changes).await;
    let verification = verified(&host).await;
    assert_eq!(verification.faults, []);
    assert_eq!(verification.chains.iter().map(|chain| chain.records).sum::<usize>(), 20);
    assert_eq!(verification.chains.len(), 1, "changes have one chain");
    assert_eq!(audit(&host, "").await.json["total"], 20);
}

#[tokio::test]
async fn records_are_found_by_what_they_say() {
    let host = Memory::default();
    put_requests(
        &host,
        vec![
            request("a", 0, Action::Mask, &[("email", 2)]),
            request("b", 10, Action::Block, &[("phone_number", 1), ("email", 1)]),
            request("c", 20, Action::Mask, &[("custom", 1)]),
            request("d", 30, Action::Allow, &[]),
        ],
    )
    .await;
    host.now_ms.set(NOW_MS + 60_000);
    configure(&host, &json!({ "region": "eu" })).await;
    for (query, want) in [
        ("&event=request", "dcba"),
        ("&event=request&page_size=3", "dcb"),
        ("&event=request&page_size=3&page=2", "a"),
        ("&event=request&page=2", ""),
        ("&action=MASK", "ca"),
        ("&action=BLOCK", "b"),
        ("&action=HASH", ""),
        ("&entity_type=EMAIL", "ba"),
        ("&entity_type=phone", "b"),
        ("&entity_type=custom", "c"),
        ("&entity_type=EMAIL&action=MASK", "a"),
        ("&request_id=c", "c"),
        ("&request_id=zanzibar", ""),
        ("&event=request&from=2026-11-23T10:00:30Z", "dcb"),
        ("&event=request&to=2026-11-23T10:00:30Z", "ba"),
        ("&from=2026-11-23T10:00:30Z&to=2026-11-23T10:00:40Z", "cb"),
        ("&from=2026-11-23T11:00:30%2B01:00&to=2026-11-23T11:00:30%2B01:00", "b"),
        ("&event=request&from=2020-01-01T00:00:00Z&to=2030-01-01T00:00:00Z", "dcba"),
        ("&to=2026-11-22T00:00:00Z", ""),
    ] {
        let got = records(&host, query).await;
        let ids: String = got.iter().map(|one| one["request_id"].as_str().unwrap()).collect();
        assert_eq!(ids, want, "{query}");
    }
    assert_eq!(audit(&host, "&page_size=2").await.json["total"], 5);
    assert_eq!(records(&host, "&event=config_update").await.len(), 1);
}

#[tokio::test]
async fn a_wrong_parameter_is_named() {
    let host = Memory::default();
    for (field, query) in [
        ("from", "&from=zanzibar"),
        ("from", "&from=2026-11-23"),
        ("to", "&to=zanzibar"),
        ("from", "&from=2026-11-24T00:00:00Z&to=2026-11-23T00:00:00Z"),
        ("event", "&event=zanzibar"),
        ("action", "&action=zanzibar"),
        ("action", "&action=mask"),
        ("action", "&action=MASK&action=MASK"),
        ("entity_type", &format!("&entity_type={}", "x".repeat(65))),
        ("request_id", &format!("&request_id={}", "x".repeat(129))),
        ("cursor", "&cursor=zanzibar"),
        ("cursor", "&cursor=1.2"),
        ("cursor", "&cursor=1.2.3.4"),
        ("page", "&page=0"),
        ("page_size", "&page_size=101"),
    ] {
        assert_invalid(&audit(&host, query).await, field, query);
    }
    assert_invalid(&host.admin(Method::GET, "/audit", &Value::Null).await, "workspace_id", "none");
}

#[tokio::test]
async fn one_search_reads_so_much_and_no_more_and_the_next_goes_on() {
    const PART: usize = 16 * 1024;
    const BYTES: usize = 8 * 1024 * 1024;
    const DOCUMENTS: usize = 1_024;
    // parts with one record, and parts with as many as they have room for; how many searches they take
    for (full, parts, searches) in
        [(false, DOCUMENTS - 1, 1), (false, DOCUMENTS, 2), (true, 500, 1), (true, 520, 2), (true, 1_200, 3)]
    {
        let host = Memory::default();
        put_requests(&host, vec![request("a", 0, Action::Mask, &[])]).await;
        let (hour, day) = (NOW_MS / HOUR_MS, NOW_MS / DAY_MS);
        let record = documents(&host).into_values().next().unwrap();
        let records = if full { PART.div_ceil(record.len()) } else { 1 };
        let document = record.repeat(records);
        for part in 1..=parts {
            host.meddle("audit", &format!("audit:initech:0:{hour}:{part}"), Some(document.clone()));
        }
        host.meddle("audit", &format!("audit:initech:0:{}:1", hour - 1), Some(record));
        let hours = json!({ ((hour - 1) % 24).to_string(): 1, (hour % 24).to_string(): parts });
        host.meddle("audit", &format!("audit-day:initech:0:{day}"), Some(hours.to_string()));
        let in_time = "&from=2026-11-23T10:00:00Z&to=2026-11-23T10:59:59Z";
        let (mut cursor, mut totals) = (String::new(), Vec::new());
        for search in 1..=searches {
            let answer = audit(&host, &format!("{in_time}{cursor}")).await.json;
            assert_eq!(answer["complete"], search == searches, "{parts} parts: {answer}");
            totals.push(usize::try_from(answer["total"].as_u64().unwrap()).unwrap());
            let next = answer.get("next_cursor").map(|next| next.as_str().unwrap());
            assert_eq!(next.is_some(), search < searches, "{parts} parts");
            cursor = format!("&cursor={}", next.unwrap_or_default());
        }
        let read = parts.min(DOCUMENTS - 1).min(BYTES.div_ceil(document.len()));
        assert_eq!(totals[0], read * records, "{parts} parts");
        assert_eq!(totals.iter().sum::<usize>(), parts * records, "{parts} parts: none twice, none left");
        // records excluded by `to` cost nothing
        let before = audit(&host, "&to=2026-11-23T09:59:59Z").await.json;
        assert_eq!(before["complete"], true, "{parts} parts");
    }
}

#[tokio::test]
async fn a_search_reads_no_more_lists_of_parts_than_parts() {
    let host = Memory::default();
    put_requests(&host, vec![request("a", 0, Action::Mask, &[])]).await;
    let (hour, day) = (NOW_MS / HOUR_MS, NOW_MS / DAY_MS);
    let days: Vec<u64> = (day - 80..=day).collect();
    let index = json!({ "start": chain::Link::default(), "days": days }).to_string();
    for chain in 0..32 {
        host.meddle("audit", &format!("audit-index:initech:{chain}"), Some(index.clone()));
        for day in &days {
            let hours = if (chain, day) == (7, &days[0]) { json!({ "0": 1 }) } else { json!({}) };
            host.meddle("audit", &format!("audit-day:initech:{chain}:{day}"), Some(hours.to_string()));
        }
    }
    let oldest = documents(&host)[&format!("audit:initech:0:{hour}:1")].clone();
    host.meddle("audit", &format!("audit:initech:7:{}:1", days[0] * 24), Some(oldest));
    let (mut cursor, mut totals) = (String::new(), Vec::new());
    while totals.len() < 10 {
        let answer = audit(&host, &cursor).await.json;
        totals.push(answer["total"].as_u64().unwrap());
        let Some(next) = answer.get("next_cursor") else { break };
        assert_eq!(answer["complete"], false);
        cursor = format!("&cursor={}", next.as_str().unwrap());
    }
    assert_eq!(totals, [0, 0, 1], "81 days of 32 chains");
}

#[tokio::test]
async fn records_behind_a_clock_that_ran_ahead_are_found() {
    // the first one's clock is ahead by this many hours; the third record is an hour before the second
    for ahead in [1, 2, 30] {
        let host = Memory::default();
        for (region, hours) in [("a", ahead), ("b", 1), ("c", 0), ("d", 1)] {
            host.now_ms.set(NOW_MS + hours * HOUR_MS);
            configure(&host, &json!({ "region": region })).await;
        }
        let day = |seconds: u64| timestamp(NOW_MS / 1_000 + seconds);
        for (query, want) in [
            (format!("&to={}", day(0)), 1),
            (format!("&from={}&to={}", day(0), day(0)), 1),
            (format!("&to={}", day(3_600)), if ahead == 1 { 4 } else { 3 }),
            (format!("&from={}", day(1)), 3),
            (format!("&from={}", day(3_601)), usize::from(ahead > 1)),
            (String::new(), 4),
        ] {
            assert_eq!(records(&host, &query).await.len(), want, "{ahead} hours ahead, {query}");
        }
        // the chain that has them is not forgotten before its time
        let later = NOW_MS + 91 * DAY_MS + (ahead + 24) * HOUR_MS;
        host.now_ms.set(later);
        configure(&host, &json!({ "region": "e" })).await;
        assert!(!host.values("audit")["audit-index:initech:32"].contains("earliest"), "{ahead}");
    }
}

#[tokio::test]
async fn what_cannot_be_read_may_be_what_was_searched() {
    let host = Memory::default();
    put_requests(&host, vec![request("a", 0, Action::Mask, &[]), request("b", 10, Action::Mask, &[])]).await;
    let (key, lines) = documents(&host).into_iter().next().unwrap();
    let hash = "0".repeat(64);
    for line in ["zanzibar".to_owned(), format!("{hash} zanzibar"), lines.replace("2026-11-23", "a")] {
        host.meddle("audit", &key, Some(format!("{lines}{line}\n")));
        let answer = audit(&host, "").await.json;
        assert_eq!((&answer["complete"], &answer["total"]), (&json!(false), &json!(2)), "{line}");
        assert_eq!(answer.get("next_cursor"), None, "{line}");
        assert_eq!(records(&host, "&to=2026-11-23T09:59:59Z").await.len(), 0, "not of another time: {line}");
    }
}

#[tokio::test]
async fn nothing_is_changed_without_a_record() {
    let host = Memory::default();
    let policy = json!({ "name": "a", "action": "MASK" });
    let made = host.admin(Method::POST, "/policies?workspace_id=initech", &policy).await.json;
    let path = format!("/policies/{}?workspace_id=initech", made["id"].as_str().unwrap());
    let export =
        async || host.admin(Method::GET, "/config/export?workspace_id=initech", &Value::Null).await.json;
    let before = export().await;
    host.down.set(Some(Label::Audit));
    for (method, path, body) in [
        (Method::PUT, "/config?workspace_id=initech", json!({ "region": "eu" })),
        (Method::POST, "/policies?workspace_id=initech", policy.clone()),
        (Method::PATCH, &path, json!({ "priority": 2 })),
        (Method::PUT, &path, policy.clone()),
        (Method::DELETE, &path, Value::Null),
        (Method::POST, "/config/import?workspace_id=initech", json!({ "policies": [policy] })),
        (Method::GET, "/audit?workspace_id=initech", Value::Null),
    ] {
        let answer = host.admin(method.clone(), path, &body).await;
        assert_eq!((answer.status.as_u16(), &answer.json["type"]), (503, &json!("service_unavailable")));
        assert!(host.log.borrow().last().unwrap().contains("the key-value store `audit` does not answer"));
    }
    assert_eq!(export().await, before);
    // also if requests are not recorded
    host.put_config("gateway-config:initech", &json!({ "audit": { "level": "none" } }));
    assert_eq!(configure(&host, &json!({ "region": "eu" })).await.status, 503);
}

#[tokio::test]
async fn the_id_in_the_record_is_the_callers() {
    let host = Memory::default();
    for (id, kept) in [("change-4711", true), ("44051401359", false)] {
        let sent = Request::put("/api/v1/gateway/config?workspace_id=initech")
            .header("x-service-token", SERVICE_TOKEN)
            .header("x-request-id", id)
            .body(Full::new(json!({ "region": id }).to_string().into()));
        assert_eq!(host.send_to_gateway(sent.unwrap()).await.status, 200);
        assert_eq!(records(&host, &format!("&request_id={id}")).await.len(), usize::from(kept), "{id}");
    }
}

#[tokio::test]
async fn a_deleted_chain_and_a_cut_end_show_against_the_head() {
    let host = Memory::default();
    configure(&host, &json!({ "region": "a" })).await;
    put_into(&host, 5, vec![request("a", 0, Action::Mask, &[]), request("b", 1, Action::Mask, &[])]).await;
    let exported = host.admin(Method::GET, "/audit/head?workspace_id=initech", &Value::Null).await;
    assert_eq!(exported.status, 200, "{}", exported.text);
    let head: Head = serde_json::from_value(exported.json).unwrap();
    assert_eq!(head.head.chains.keys().copied().collect::<Vec<_>>(), [5, ADMINISTRATION]);
    assert_eq!(verify(&host, "initech", std::slice::from_ref(&head)).await.unwrap().faults, []);
    let whole = host.values("audit");
    let missing = |key: &str| (key.to_owned(), chain::Fault::Missing);
    for (what, removed, want) in [
        ("a deleted chain", "initech:5", missing("audit-index:initech:5")),
        ("the deleted chain of changes", "initech:32", missing("audit-index:initech:32")),
    ] {
        for key in whole.keys().filter(|key| key.contains(removed)) {
            host.meddle("audit", key, None);
        }
        let faults = verified(&host).await.faults;
        let faults: Vec<_> = faults.into_iter().map(|fault| (fault.document, fault.fault)).collect();
        assert_eq!(faults, [want], "{what}");
        whole.iter().for_each(|(key, value)| host.meddle("audit", key, Some(value.clone())));
    }
    // the end of a chain, and the stored head with it
    let part = whole.keys().find(|key| key.starts_with("audit:initech:5:")).unwrap();
    let first = whole[part].split_inclusive('\n').next().unwrap().to_owned();
    host.meddle("audit", part, Some(first));
    host.meddle("config", "audit-head:initech", None);
    let faults = verify(&host, "initech", std::slice::from_ref(&head)).await.unwrap().faults;
    let faults: Vec<_> = faults.into_iter().map(|fault| fault.document).collect();
    assert_eq!(faults, ["audit-index:initech:5", "audit-head:initech"]);
    // a head cannot be forged, nor that of another workspace be shown
    let mut forged = head.clone();
    forged.head.chains.remove(&5);
    let faults = verify(&host, "initech", &[forged]).await.unwrap().faults;
    assert_eq!((faults[0].document.as_str(), faults[0].fault), ("exported head", chain::Fault::Changed));
    assert!(!verify(&host, "acme", &[head]).await.unwrap().faults.is_empty());
}
