//! The trigger that a path belongs to.

use std::cmp::Ordering;

use anyhow::{Result, ensure};

/// The routes of an application, each leading to a `T`; the most specific match wins.
///
/// A route is `/literal/:parameter/...`: literal segments match themselves, a parameter matches one
/// segment, `...` at the end matches any number of segments, none included. A slash at the end of a
/// path makes no difference.
pub(crate) struct Router<T> {
    /// The most specific first.
    routes: Vec<(Route, T)>,
}

/// A path that matched.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Match<'a, T> {
    pub(crate) target: &'a T,
    /// The route as the manifest writes it.
    pub(crate) route: &'a str,
    /// The match of `...`, with its leading slash; empty for a route without `...`.
    pub(crate) path_info: &'a str,
    /// The parameters by name.
    pub(crate) parameters: Vec<(&'a str, &'a str)>,
}

struct Route {
    text: String,
    segments: Vec<Segment>,
}

/// In order of specificity: a literal is tried first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Segment {
    Literal(String),
    Parameter(String),
    Rest,
}

impl<T> Router<T> {
    /// Sorts the routes by specificity.
    ///
    /// # Errors
    /// Names a route that is malformed, or two that match the same paths.
    pub(crate) fn new(routes: impl IntoIterator<Item = (String, T)>) -> Result<Self> {
        let mut sorted: Vec<(Route, T)> = Vec::new();
        for (text, target) in routes {
            let route = Route::parse(text)?;
            if let Some((other, _)) = sorted.iter().find(|(other, _)| other.compare(&route).is_eq()) {
                anyhow::bail!("the routes {:?} and {:?} match the same paths", other.text, route.text);
            }
            sorted.push((route, target));
        }
        sorted.sort_by(|(left, _), (right, _)| left.compare(right));
        Ok(Self { routes: sorted })
    }

    /// The most specific route that matches `path`.
    pub(crate) fn find<'a>(&'a self, path: &'a str) -> Option<Match<'a, T>> {
        self.routes.iter().find_map(|(route, target)| {
            let (path_info, parameters) = route.matches(path)?;
            Some(Match { target, route: &route.text, path_info, parameters })
        })
    }
}

impl Route {
    fn parse(text: String) -> Result<Self> {
        ensure!(text.starts_with('/'), "the route {text:?} does not start with `/`");
        let mut segments: Vec<Segment> = Vec::new();
        for segment in text.split('/').filter(|segment| !segment.is_empty()) {
            ensure!(
                segments.last() != Some(&Segment::Rest),
                "the route {text:?} goes on after `...`, which takes all that is left"
            );
            segments.push(match segment.strip_prefix(':') {
                _ if segment == "..." => Segment::Rest,
                Some(name) => {
                    ensure!(
                        !name.is_empty()
                            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'),
                        "the route {text:?} has a parameter whose name is not made of letters, digits and `_`"
                    );
                    Segment::Parameter(name.to_owned())
                }
                None => Segment::Literal(segment.to_owned()),
            });
        }
        Ok(Self { text, segments })
    }

    /// The more specific route is the lesser. Equal routes match the same paths.
    fn compare(&self, other: &Self) -> Ordering {
        let kinds = |route: &Self| {
            // the end of a route is more specific than `...` and never competes with a segment
            let mut kinds: Vec<(u8, String)> = route
                .segments
                .iter()
                .map(|segment| match segment {
                    Segment::Literal(text) => (0, text.clone()),
                    Segment::Parameter(_) => (1, String::new()),
                    Segment::Rest => (3, String::new()),
                })
                .collect();
            kinds.push((2, String::new()));
            kinds
        };
        kinds(self).cmp(&kinds(other))
    }

    fn matches<'a>(&'a self, path: &'a str) -> Option<(&'a str, Vec<(&'a str, &'a str)>)> {
        let mut parameters = Vec::new();
        let mut rest = path.strip_prefix('/')?;
        let mut path_info = path;
        for segment in &self.segments {
            if *segment == Segment::Rest {
                return Some((path_info, parameters));
            }
            let (head, tail) = rest.split_once('/').unwrap_or((rest, ""));
            path_info = path_info.strip_prefix('/')?.strip_prefix(head)?;
            match segment {
                Segment::Literal(text) if text == head => {}
                Segment::Parameter(name) if !head.is_empty() => parameters.push((name.as_str(), head)),
                _ => return None,
            }
            rest = tail;
        }
        (path_info.is_empty() || path_info == "/").then_some(("", parameters))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_route_wins() {
        let routes = [
            "/...",
            "/",
            "/a",
            "/a/...",
            "/a/:id",
            "/a/:id/c",
            "/a/b/...",
            "/a/b",
            "/x/:one/:two/...",
            "/deep/er",
        ];
        for turned in [false, true] {
            let mut given: Vec<_> = routes.iter().map(|route| ((*route).to_owned(), ())).collect();
            if turned {
                given.reverse();
            }
            let router = Router::new(given).unwrap();
            for (path, route, path_info) in [
                ("/", "/", ""),
                ("/a", "/a", ""),
                ("/a/", "/a", ""),
                ("/a/b", "/a/b", ""),
                ("/a/b/", "/a/b", ""),
                ("/a/b/c", "/a/b/...", "/c"),
                ("/a/x", "/a/:id", ""),
                ("/a/x/c", "/a/:id/c", ""),
                ("/a/x/d", "/a/...", "/x/d"),
                ("/aa", "/...", "/aa"),
                ("/x/1/2", "/x/:one/:two/...", ""),
                ("/x/1/2/3/4", "/x/:one/:two/...", "/3/4"),
                ("/x/1/2/", "/x/:one/:two/...", "/"),
                ("/x//2", "/...", "/x//2"),
                ("/deep", "/...", "/deep"),
                ("//a", "/...", "//a"),
            ] {
                let found = router.find(path).unwrap_or_else(|| panic!("{path}"));
                assert_eq!((found.route, found.path_info), (route, path_info), "{path}");
            }
        }
    }

    #[test]
    fn parameters_and_misses() {
        let router = Router::new([("/a/:id/:other".to_owned(), 7)]).unwrap();
        let found = router.find("/a/1/two").unwrap();
        assert_eq!((found.target, found.parameters), (&7, vec![("id", "1"), ("other", "two")]));
        for path in ["/", "/a", "/a/1", "/a/1/", "/a/1/2/3", "/b/1/2", "", "*", "a/1/2"] {
            assert!(router.find(path).is_none(), "{path}");
        }
    }

    #[test]
    fn faulty_routes_are_refused() {
        for routes in [&["a"][..], &["/.../a"], &["/:"], &["/:a-b"], &["/a", "/a/"], &["/:a", "/:b"]] {
            let given = routes.iter().map(|route| ((*route).to_owned(), ()));
            assert!(Router::new(given).is_err(), "{routes:?}");
        }
    }
}
