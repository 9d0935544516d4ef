//! Which endpoint answers a method and a path.

use std::sync::LazyLock;

use http::Method;

use crate::error::ApiError;

/// What a route does; the functions are in [`crate::routes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Detect,
    DetectBatch,
    Validate,
    Detectors,
    Protect,
    ProtectBatch,
    Restore,
    Health,
    Alive,
    Ready,
}

/// What a caller must show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Nothing: for load balancers.
    Open,
    /// An API key.
    ApiKey,
}

pub(crate) struct Route {
    pub path: &'static str,
    method: Method,
    pub access: Access,
    pub endpoint: Endpoint,
}

/// Every route of {base_url} (spec §4); each path has one method. Where there is GET there is HEAD.
static ROUTES: [Route; 10] = [
    keyed(Method::POST, "/api/v1/detect", Endpoint::Detect),
    keyed(Method::POST, "/api/v1/detect/batch", Endpoint::DetectBatch),
    keyed(Method::POST, "/api/v1/validate", Endpoint::Validate),
    keyed(Method::GET, "/api/v1/detectors", Endpoint::Detectors),
    keyed(Method::POST, "/api/v1/protect", Endpoint::Protect),
    keyed(Method::POST, "/api/v1/protect/batch", Endpoint::ProtectBatch),
    keyed(Method::POST, "/api/v1/restore", Endpoint::Restore),
    keyed(Method::GET, "/api/v1/health", Endpoint::Health),
    open(Method::GET, "/healthz", Endpoint::Alive),
    open(Method::GET, "/readyz", Endpoint::Ready),
];

const fn keyed(method: Method, path: &'static str, endpoint: Endpoint) -> Route {
    Route { path, method, access: Access::ApiKey, endpoint }
}

const fn open(method: Method, path: &'static str, endpoint: Endpoint) -> Route {
    Route { path, method, access: Access::Open, endpoint }
}

static PATHS: LazyLock<matchit::Router<&'static Route>> = LazyLock::new(|| {
    let mut paths = matchit::Router::new();
    for route in &ROUTES {
        // two routes in each other's way would be found by the tests, which reach every one
        let _ = paths.insert(route.path, route);
    }
    paths
});

/// The route of a path, whatever the method.
pub(crate) fn at(path: &str) -> Option<&'static Route> {
    PATHS.at(path).ok().map(|found| *found.value)
}

impl Route {
    /// # Errors
    /// `method_not_allowed`
    pub(crate) fn check(&self, method: &Method) -> Result<(), ApiError> {
        let head = method == Method::HEAD && self.method == Method::GET;
        if head || *method == self.method {
            return Ok(());
        }
        Err(ApiError::method_not_allowed(if self.method == Method::GET {
            "GET, HEAD"
        } else {
            self.method.as_str()
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_is_reached() {
        for route in &ROUTES {
            assert_eq!(at(route.path).map(|found| found.endpoint), Some(route.endpoint), "{}", route.path);
        }
    }
}
