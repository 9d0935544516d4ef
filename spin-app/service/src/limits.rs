//! The service's own limits, once; those of text and batch are [`textveil_engine::limits`].

use textveil_engine::limits::{MAX_BATCH, MAX_TEXT_CHARS};

/// Requests per minute of a key without its own limit.
pub const REQUESTS_PER_MINUTE: u32 = 60;

/// Requests in flight of a key without its own limit.
pub const CONCURRENT_REQUESTS: u32 = 10;

/// Milliseconds that a request waits for a permit before it is rejected.
pub const PERMIT_PATIENCE_MS: u64 = 2_000;

/// Most requests a month that a user may allow a key on a plan without a quota.
pub const MAX_MONTHLY_REQUESTS: u64 = 1_000_000_000_000;

/// The maximum time for a body to arrive, in seconds.
pub const BODY_SECONDS: u64 = 20;

/// Largest body of a request that holds no text, in bytes: records and settings.
pub const MAX_RECORD_BODY_BYTES: usize = 256 * 1024;

/// Largest body of an import, in bytes: two full documents, and room for another way to write them.
pub const MAX_IMPORT_BODY_BYTES: usize = 4 * 1024 * 1024;

/// Longest name that people give to something, in characters.
pub const MAX_NAME_CHARS: usize = 200;

/// Most detectors of a workspace's own. Those of a request come on top, up to the engine's limit.
pub const MAX_WORKSPACE_DETECTORS: usize = 25;

/// Most entries of each of a workspace's lists. Those of a request come on top, up to the engine's limit.
pub const MAX_WORKSPACE_RULES: usize = 500;

/// Largest share of ordinary text, by characters, that a workspace's own detector may find.
pub const MAX_SAMPLE_SHARE: f64 = 0.02;

/// Most specimens that an entry of the allow list may allow.
pub const MAX_ALLOWED_SPECIMENS: usize = 3;

/// Most types among the specimens that an entry of the allow list may allow.
pub const MAX_ALLOWED_TYPES: usize = 2;

/// Most LLM providers of a workspace.
pub const MAX_PROVIDERS: usize = 100;

/// Longest address of a provider, in bytes.
pub const MAX_BASE_URL_BYTES: usize = 1024;

/// Most models that a provider is restricted to.
pub const MAX_MODELS: usize = 50;

/// Longest name of a model, in bytes.
pub const MAX_MODEL_BYTES: usize = 128;

/// Highest priority of a provider; the lowest is its negative.
pub const MAX_PRIORITY: i64 = 1_000_000;

/// The maximum time for a provider's answer when it is validated, in seconds.
pub const PROBE_SECONDS: u64 = 10;

/// The maximum time for the answer of the collector of telemetry, in seconds: as long as exporters wait.
pub const COLLECTOR_SECONDS: u64 = 10;

/// Largest answer of the collector of telemetry that is read, in bytes.
pub const MAX_COLLECTOR_ANSWER_BYTES: usize = 64 * 1024;

/// Largest list of models that is read when a provider is validated, in bytes.
pub const MAX_MODEL_LIST_BYTES: usize = 4 * 1024 * 1024;

/// The default page size of a list, and the maximum.
pub const PAGE_SIZE: usize = 20;
/// Most entries on a page of a list.
pub const MAX_PAGE_SIZE: usize = 100;

/// Length of a rate window in seconds.
pub const WINDOW_SECONDS: u64 = 60;

/// Longest character in JSON: one outside the basic plane, escaped as `\ud83d\ude00`.
const MAX_ESCAPED_CHAR_BYTES: usize = 12;

/// The size of everything in a body except texts: lists, detectors and policies of the caller.
const MAX_OPTIONS_BYTES: usize = 3 * 1024 * 1024;

/// Largest body of a request with one text: the longest text, all of it escaped, and its options.
pub const MAX_BODY_BYTES: usize = MAX_TEXT_CHARS * MAX_ESCAPED_CHAR_BYTES + MAX_OPTIONS_BYTES;

/// Largest body of a batch: a full one, all of it escaped, and its options.
pub const MAX_BATCH_BODY_BYTES: usize =
    MAX_BATCH * MAX_TEXT_CHARS * MAX_ESCAPED_CHAR_BYTES + MAX_OPTIONS_BYTES;

/// Most bytes that Presidio's operators read and write for one request: pieces that overlap, and
/// replacements, can be many times the body.
pub const MAX_REWRITTEN_BYTES: usize = 8 * 1024 * 1024;

/// Most values in a body, all lists and objects counted through. A parsed value takes many times the
/// two bytes that `0,` does, so the size of a body does not bound the memory that it takes.
pub const MAX_JSON_VALUES: usize = 100_000;

/// Longest `X-Request-Id` that is echoed, in bytes.
pub const MAX_REQUEST_ID_BYTES: usize = 64;

/// Longest id of a request in a search of the audit, in bytes: earlier versions recorded longer ones.
pub const MAX_SEARCHED_REQUEST_ID_BYTES: usize = 128;

/// Shortest `X-Request-Id` that is kept: a shorter one names no single request.
pub const MIN_REQUEST_ID_BYTES: usize = 8;

/// Most routes of a workspace's gateway configuration.
pub const MAX_ROUTES: usize = 50;

/// Longest name of a route, in characters.
pub const MAX_ROUTE_CHARS: usize = 64;

/// Most types that a workspace rates by their risk.
pub const MAX_RISK_LEVELS: usize = 500;

/// Most requests a minute, and most at once, that a workspace's gateway may be held to.
pub const MAX_GATEWAY_RATE: u32 = 1_000_000;

/// Most tokens of a streamed answer that are held back.
pub const MAX_BUFFER_TOKENS: u32 = 10_000;

/// Longest time that something may be taken from a cache, in seconds: a day.
pub const MAX_CACHE_SECONDS: u32 = 86_400;

/// The shortest and longest time for which a session is kept, in seconds; OpenAI keeps responses for 30 days.
pub const SESSION_SECONDS: std::ops::RangeInclusive<u32> = 60..=2_592_000;

/// Largest session, as JSON, in bytes.
pub const MAX_SESSION_BYTES: usize = 256 * 1024;

/// Longest id of a response or a conversation, in bytes.
pub const MAX_RESPONSE_ID_BYTES: usize = 256;

/// Longest time that audit records are kept, in days: ten years.
pub const MAX_RETENTION_DAYS: u32 = 3_650;

/// Longest label of a region, in characters.
pub const MAX_REGION_CHARS: usize = 64;

/// Most hosts of a workspace, or of a request, to whose URLs values are restored.
pub const MAX_RESTORE_HOSTS: usize = 200;

/// Most policies of a workspace: as many as the engine takes in one call.
pub const MAX_WORKSPACE_POLICIES: usize = textveil_engine::limits::MAX_POLICIES;

/// Most conditions of a policy.
pub const MAX_CONDITIONS: usize = 50;

/// Most entries of a list in a condition.
pub const MAX_CONDITION_ENTRIES: usize = 100;

/// Longest name in a condition, in bytes: of a type, a role, a provider.
pub const MAX_CONDITION_NAME_BYTES: usize = 64;

/// Highest number of findings that a condition may ask for.
pub const MAX_MIN_COUNT: u32 = 50_000;

/// Longest description of something, in characters.
pub const MAX_DESCRIPTION_CHARS: usize = 1_000;

/// Chains of request records in a workspace: the number of requests that can be recorded at a time.
pub const AUDIT_CHAINS: usize = 32;

/// Largest document of audit records, in bytes. Each record is a write of its document, so it is far below
/// what the stores take.
pub const MAX_AUDIT_PART_BYTES: usize = 16 * 1024;

/// Most documents that one search of audit records reads; quiet hours have many that are short.
pub const MAX_AUDIT_PARTS: usize = 1_024;

/// Bytes of audit records after which a search reads no further document.
pub const MAX_AUDIT_SEARCH_BYTES: usize = 8 * 1024 * 1024;

/// Longest name of an actor in a search, in bytes.
pub const MAX_ACTOR_BYTES: usize = 640;

/// Requests a minute of a user or of a service token to the administration.
pub const ADMIN_REQUESTS_PER_MINUTE: u32 = 1_200;

/// Requests in flight of a user or of a service token to the administration.
pub const ADMIN_CONCURRENT_REQUESTS: u32 = 20;

/// Most names of policies in an audit record.
pub const MAX_AUDIT_POLICIES: usize = 20;

/// Longest text in an audit record, in characters.
pub const MAX_MASKED_CHARS: usize = 16_000;

/// Largest body of a request with a document, in bytes: a document of 4 MiB, and its options.
pub const MAX_DOCUMENT_BODY_BYTES: usize = 4 * 1024 * 1024 + MAX_OPTIONS_BYTES;

/// Largest body of a chat request, in bytes: long conversations, and images in them.
pub const MAX_CHAT_BODY_BYTES: usize = 16 * 1024 * 1024;

/// Largest answer of a provider that is read as a whole, and most bytes of a streamed one.
pub const MAX_ANSWER_BYTES: usize = 32 * 1024 * 1024;

/// Largest event of a streamed answer, in bytes.
pub const MAX_EVENT_BYTES: usize = 4 * 1024 * 1024;

/// The maximum number of attempts at one provider for an answer.
pub const MAX_ATTEMPTS: u32 = 3;

/// The first pause between two attempts, in milliseconds; each further one is twice as long.
pub const RETRY_PAUSE_MS: u64 = 250;

/// The longest retry pause requested by a provider before it is no longer retried, in milliseconds.
pub const MAX_RETRY_PAUSE_MS: u64 = 5_000;
