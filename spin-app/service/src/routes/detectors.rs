//! `GET /api/v1/detectors`.

use textveil_engine::{detectors, wire::DetectorsResponse};

use crate::call::{RouteResult, ok};

/// All detectors, or with `country=XX` those of that region; an empty `country` asks for all.
pub(crate) fn list(query: &str) -> RouteResult {
    let country = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "country");
    let country = country.map(|(_, code)| code).filter(|code| !code.is_empty());
    ok(&DetectorsResponse::new(detectors(country.as_deref())))
}
