//! Which endpoint answers a method and a path.

use std::sync::LazyLock;

use http::Method;

use crate::error::ApiError;

/// What a route does, and what a caller must show for it; the functions are in [`crate::routes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// For load balancers, who show nothing.
    Probe(Probe),
    /// For those who show an API key.
    Operation(Operation),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    Alive,
    Ready,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Detect,
    DetectBatch,
    Validate,
    Detectors,
    Protect,
    ProtectBatch,
    Restore,
    Health,
}

pub(crate) struct Route {
    pub path: &'static str,
    method: Method,
    pub endpoint: Endpoint,
}

/// Every route of {base_url} (spec §4); each path has one method. Where there is GET there is HEAD.
static ROUTES: [Route; 10] = [
    operation(Method::POST, "/api/v1/detect", Operation::Detect),
    operation(Method::POST, "/api/v1/detect/batch", Operation::DetectBatch),
    operation(Method::POST, "/api/v1/validate", Operation::Validate),
    operation(Method::GET, "/api/v1/detectors", Operation::Detectors),
    operation(Method::POST, "/api/v1/protect", Operation::Protect),
    operation(Method::POST, "/api/v1/protect/batch", Operation::ProtectBatch),
    operation(Method::POST, "/api/v1/restore", Operation::Restore),
    operation(Method::GET, "/api/v1/health", Operation::Health),
    probe("/healthz", Probe::Alive),
    probe("/readyz", Probe::Ready),
];

const fn operation(method: Method, path: &'static str, operation: Operation) -> Route {
    Route { path, method, endpoint: Endpoint::Operation(operation) }
}

const fn probe(path: &'static str, probe: Probe) -> Route {
    Route { path, method: Method::GET, endpoint: Endpoint::Probe(probe) }
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
