//! Which file a path is, and what a browser is told with it.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode,
    header::{
        ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
        LOCATION, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
    },
};
use textveil_service::{
    ApiError,
    revalidation::{entity_tag, is_known},
};

/// A page: the folder that the manifest mounts for it, and what it may do.
struct Page {
    folder: &'static str,
    policy: &'static str,
}

/// Runs the engine, in a worker too, goes on without a network, and asks nobody anything.
const PLAYGROUND: Page = Page {
    folder: "playground",
    policy: "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob:; \
             connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'",
};

/// Asks this origin's API.
const CONSOLE: Page = Page {
    folder: "console",
    policy: "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/// Requests nothing from other hosts; its search is a file. Highlighted code and the layout use style attributes.
const DOCS: Page = Page {
    folder: "docs",
    policy: "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; \
             img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/// The pages beside the playground, by the beginning of their paths.
const FOLDERS: [(&str, Page); 2] = [("/console/", CONSOLE), ("/docs/", DOCS)];

/// What every file is sent with.
const ALWAYS: [(HeaderName, &str); 5] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
];

/// By the end of a name; what has another is no file of a page.
const TYPES: [(&str, &str); 9] = [
    ("css", "text/css; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("ico", "image/x-icon"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("wasm", "application/wasm"),
    ("webmanifest", "application/manifest+json"),
];

/// What the build made of a file beside it, the smallest first: the end of its name, and the coding.
const CODINGS: [(&str, &str); 2] = [("br", "br"), ("gz", "gzip")];

/// Answers a request for a file. `read` returns the content of a path, such as `playground/index.html`.
pub(crate) fn answer(
    method: &Method,
    path: &str,
    headers: &HeaderMap,
    read: impl Fn(&str) -> Option<Vec<u8>>,
) -> Response<Bytes> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return ApiError::method_not_allowed("GET, HEAD").into_response();
    }
    // relative addresses of the page count from its folder
    if path == "/console" {
        let mut response = Response::new(Bytes::new());
        *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
        response.headers_mut().insert(LOCATION, HeaderValue::from_static("/console/"));
        return response;
    }
    let (page, name) = FOLDERS
        .into_iter()
        .find_map(|(folder, page)| Some((page, path.strip_prefix(folder)?)))
        .unwrap_or((PLAYGROUND, path.trim_start_matches('/')));
    let name = if name.is_empty() { "index.html" } else { name };
    let found = content_type(name).and_then(|kind| Some((kind, file(&page, name, headers, read)?)));
    let Some((content_type, (content, coding))) = found else {
        return ApiError::no_such_page().into_response();
    };
    let tag = entity_tag(&content);
    let known = is_known(headers, &tag);
    let mut response = Response::new(if known { Bytes::new() } else { content.into() });
    let sent = response.headers_mut();
    sent.extend(ALWAYS.map(|(name, value)| (name, HeaderValue::from_static(value))));
    sent.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(page.policy));
    sent.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    sent.insert(VARY, HeaderValue::from_static("accept-encoding"));
    sent.insert(CACHE_CONTROL, HeaderValue::from_static(caching(name)));
    sent.extend(HeaderValue::from_str(&tag).ok().map(|tag| (ETAG, tag)));
    if let Some(coding) = coding {
        sent.insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    response
}

/// The media type of a name that a file of a page may have: no way out of its folder, nothing hidden.
fn content_type(name: &str) -> Option<&'static str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let segment = |part: &str| !part.is_empty() && !part.starts_with('.') && part.bytes().all(plain);
    let (_, end) = name.rsplit_once('.')?;
    let (_, kind) = TYPES.iter().find(|(known, _)| *known == end)?;
    name.split('/').all(segment).then_some(kind)
}

/// The file, in the smallest form that the client takes.
fn file(
    page: &Page,
    name: &str,
    headers: &HeaderMap,
    read: impl Fn(&str) -> Option<Vec<u8>>,
) -> Option<(Vec<u8>, Option<&'static str>)> {
    let path = format!("{}/{name}", page.folder);
    let mut coded = CODINGS.iter().filter(|(_, coding)| takes(headers, coding));
    coded
        .find_map(|(end, coding)| Some((read(&format!("{path}.{end}"))?, Some(*coding))))
        .or_else(|| Some((read(&path)?, None)))
}

/// Whether the client takes a coding (RFC 9110, 12.5.3).
fn takes(headers: &HeaderMap, coding: &str) -> bool {
    let sent = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    sent.flat_map(|value| value.split(',')).any(|one| {
        let (name, weight) = one.split_once(';').unwrap_or((one, ""));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.trim().parse::<f32>().ok());
        name.trim().eq_ignore_ascii_case(coding) && weight.unwrap_or(1.0) > 0.0
    })
}

/// A name with a hash of its content never changes what it holds; any other file is asked for anew.
fn caching(name: &str) -> &'static str {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    // VitePress also writes each page without its static parts
    let stem = stem.strip_suffix(".lean").unwrap_or(stem);
    let hash = stem.len().checked_sub(8).and_then(|at| stem.split_at_checked(at));
    let hashed = hash.is_some_and(|(before, hash)| {
        before.ends_with(['-', '.'])
            && hash.bytes().any(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    });
    if hashed { "public, max-age=31536000, immutable" } else { "no-cache" }
}

#[cfg(test)]
mod tests {
    use http::header::IF_NONE_MATCH;

    use super::*;

    const FILES: [(&str, &str); 8] = [
        ("playground/index.html", "<!doctype html>playground"),
        ("playground/app/main-Ab3dE_7x.js", "main"),
        ("playground/app/main-Ab3dE_7x.js.br", "br"),
        ("playground/app/main-Ab3dE_7x.js.gz", "gz"),
        ("console/index.html", "<!doctype html>console"),
        ("docs/index.html", "<!doctype html>documentation"),
        ("docs/start/web.html", "<!doctype html>web"),
        ("secret.html", "secret"),
    ];

    fn get(path: &str, headers: &[(HeaderName, &str)]) -> Response<Bytes> {
        let headers =
            headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap()));
        let read = |path: &str| {
            FILES.iter().find(|(name, _)| *name == path).map(|(_, content)| content.as_bytes().to_vec())
        };
        answer(&Method::GET, path, &headers.collect(), read)
    }

    fn header<'a>(response: &'a Response<Bytes>, name: &str) -> &'a str {
        response.headers().get(name).map_or("", |value| value.to_str().unwrap())
    }

    #[test]
    fn each_page_has_its_folder_and_its_policy() {
        for (path, body, wasm) in
            [("/", "<!doctype html>playground", true), ("/console/", "<!doctype html>console", false)]
        {
            let response = get(path, &[]);
            assert_eq!((response.status(), response.body().as_ref()), (StatusCode::OK, body.as_bytes()));
            assert_eq!(header(&response, "content-type"), "text/html; charset=utf-8");
            let policy = header(&response, "content-security-policy");
            assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
            assert!(!policy.contains("unsafe-inline") && !policy.contains("http"), "{policy}");
            assert_eq!(policy.contains("'wasm-unsafe-eval'"), wasm, "{policy}");
            assert_eq!(header(&response, "x-content-type-options"), "nosniff");
            assert_eq!(header(&response, "cache-control"), "no-cache");
        }
    }

    #[test]
    fn the_documentation_has_style_attributes_and_no_scripts_in_its_pages() {
        for (path, body) in [
            ("/docs/", "<!doctype html>documentation"),
            ("/docs/index.html", "<!doctype html>documentation"),
            ("/docs/start/web.html", "<!doctype html>web"),
        ] {
            let response = get(path, &[]);
            assert_eq!((response.status(), response.body().as_ref()), (StatusCode::OK, body.as_bytes()));
            let policy = header(&response, "content-security-policy");
            assert!(policy.contains("script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline';"));
            assert!(!policy.contains("http") && !policy.contains("unsafe-eval"), "{policy}");
        }
        assert_eq!(get("/docs/start/", &[]).status(), StatusCode::NOT_FOUND);
    }

    #[test]
    fn a_file_comes_in_the_smallest_form_that_is_taken() {
        for (accepted, body, coding) in [
            ("", "main", ""),
            ("gzip, deflate, br", "br", "br"),
            ("gzip", "gz", "gzip"),
            ("br;q=0, GZIP;q=0.5", "gz", "gzip"),
            ("identity", "main", ""),
        ] {
            let response = get("/app/main-Ab3dE_7x.js", &[(ACCEPT_ENCODING, accepted)]);
            assert_eq!(response.body().as_ref(), body.as_bytes(), "{accepted}");
            assert_eq!(header(&response, "content-encoding"), coding, "{accepted}");
            assert_eq!(header(&response, "content-type"), "text/javascript; charset=utf-8");
            assert_eq!(header(&response, "cache-control"), "public, max-age=31536000, immutable");
        }
    }

    #[test]
    fn who_has_a_file_is_not_sent_it_again() {
        let tag = header(&get("/", &[]), "etag").to_owned();
        for (sent, status) in [
            (tag.clone(), StatusCode::NOT_MODIFIED),
            (format!("\"other\", W/{tag}"), StatusCode::NOT_MODIFIED),
            ("\"other\"".to_owned(), StatusCode::OK),
        ] {
            let response = get("/", &[(IF_NONE_MATCH, &sent)]);
            assert_eq!((response.status(), response.body().is_empty()), (status, status != StatusCode::OK));
        }
    }

    #[test]
    fn nothing_else_is_read() {
        for path in [
            "/secret.html",
            "/../secret.html",
            "/app/../../secret.html",
            "/console/../secret.html",
            "/app//main-Ab3dE_7x.js",
            "/.git/index.html",
            "/app/main-Ab3dE_7x.js.br",
            "/app/none.js",
            "/console/app/main-Ab3dE_7x.js",
            "/%2e%2e/secret.html",
        ] {
            let response = get(path, &[]);
            assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
            assert!(response.body().starts_with(br#"{"error":{"code":"not_found""#), "{path}");
        }
    }

    #[test]
    fn the_console_is_a_folder() {
        let response = get("/console", &[]);
        assert_eq!(
            (response.status(), header(&response, "location")),
            (StatusCode::PERMANENT_REDIRECT, "/console/")
        );
    }

    #[test]
    fn files_are_only_read() {
        let response = answer(&Method::POST, "/", &HeaderMap::new(), |_| None);
        assert_eq!(
            (response.status(), header(&response, "allow")),
            (StatusCode::METHOD_NOT_ALLOWED, "GET, HEAD")
        );
    }

    #[test]
    fn only_what_has_its_hash_in_its_name_is_kept() {
        for (name, kept) in [
            ("app/main-Ab3dE_7x.js", true),
            ("app/a-b-12345678.css", true),
            ("index.html", false),
            ("app/worker-messages.js", false),
            ("assets/index.md.D8xW8Zqj.js", true),
            ("assets/index.md.D8xW8Zqj.lean.js", true),
            ("assets/page.a1b2c3d4.js", true),
            ("how-to/rotate-keys.html", false),
            ("app/icon-maskable.png", false),
        ] {
            assert_eq!(caching(name) != "no-cache", kept, "{name}");
        }
    }
}
