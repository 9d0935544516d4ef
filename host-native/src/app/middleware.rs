//! Middleware: components that requests pass before the one that answers them, composed into one component with it.
//!
//! Spin composes them the same way: the import `wasi:http/handler` of each is the export of the next one.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use wac_graph::{CompositionGraph, EncodeOptions, types::Package};

use super::manifest::{ComponentDeclaration, Inherited, Manifest, MiddlewareDeclaration};

/// The interface that a middleware exports and imports, and the next component exports.
const HANDLER: &str = "wasi:http/handler@0.3.0";

/// Interfaces whose functions are granted by a key of a component's declaration; an empty key is unknown to this host.
const GRANTED: [(&str, &str); 9] = [
    ("spin:variables/", "variables"),
    ("spin:key-value/", "key_value_stores"),
    ("wasi:keyvalue/", "key_value_stores"),
    ("wasi:config/", "variables"),
    ("wasi:http/client", "allowed_outbound_hosts"),
    ("wasi:http/outgoing-handler", "allowed_outbound_hosts"),
    ("wasi:sockets/", "allowed_outbound_hosts"),
    ("spin:", ""),
    ("fermyon:", ""),
];

/// A component and the middleware before it.
pub(crate) struct Chain {
    /// Of the component that answers.
    source: PathBuf,
    /// Outermost first.
    middleware: Vec<Middleware>,
}

struct Middleware {
    id: String,
    source: PathBuf,
    inherited: Inherited,
    /// The next component has files or environment variables, which every standard library can read.
    sees_system: bool,
}

impl Chain {
    /// Reads the middleware of the manifest.
    ///
    /// # Errors
    /// If a component is not a file of this machine.
    pub(crate) fn read(
        manifest: &Manifest,
        middleware: &[MiddlewareDeclaration],
        component: &ComponentDeclaration,
    ) -> Result<Self> {
        let sees_system = !component.environment.is_empty() || !manifest.mounts(component)?.is_empty();
        let middleware = middleware.iter().map(|declared| {
            let id = declared.component.clone();
            let declaration =
                manifest.component.get(&id).with_context(|| format!("there is no [component.{id}]"))?;
            let inherited = declared.inherit_configuration.clone();
            Ok(Middleware { id, source: manifest.source(declaration)?, inherited, sees_system })
        });
        Ok(Self { source: manifest.source(component)?, middleware: middleware.collect::<Result<_>>()? })
    }

    /// Returns the path of the component that answers.
    pub(crate) fn source(&self) -> &Path {
        &self.source
    }

    /// The bytes of the composed component; `None` without middleware.
    ///
    /// # Errors
    /// If a component cannot be read, is not a middleware, or imports what it does not inherit.
    pub(crate) fn composed(&self) -> Result<Option<Vec<u8>>> {
        if self.middleware.is_empty() {
            return Ok(None);
        }
        let mut graph = CompositionGraph::new();
        let read = |source: &Path| {
            std::fs::read(source).with_context(|| format!("cannot read {}", source.display()))
        };
        let package = Package::from_bytes("answers", None, read(&self.source)?, graph.types_mut())?;
        let package = graph.register_package(package)?;
        let instance = graph.instantiate(package);
        let mut handler = graph.alias_instance_export(instance, HANDLER)?;
        for (index, middleware) in self.middleware.iter().enumerate().rev() {
            let mut wire = || {
                let name = format!("middleware{index}");
                let package = Package::from_bytes(&name, None, read(&middleware.source)?, graph.types_mut())?;
                let imports: Vec<_> = graph.types()[package.ty()].imports.keys().cloned().collect();
                middleware.check(imports.iter().map(String::as_str))?;
                let package = graph.register_package(package)?;
                let instance = graph.instantiate(package);
                graph.set_instantiation_argument(instance, HANDLER, handler)?;
                Ok(graph.alias_instance_export(instance, HANDLER)?)
            };
            handler = Result::<_>::from(wire()).with_context(|| format!("middleware `{}`", middleware.id))?;
        }
        graph.export(handler, HANDLER)?;
        Ok(Some(graph.encode(EncodeOptions::default())?))
    }
}

impl Middleware {
    /// The composed component has the grants of the last one. A middleware that imports more than it inherits
    /// is rejected, since it could use that.
    fn check<'i>(&self, imports: impl Iterator<Item = &'i str>) -> Result<()> {
        let mut is_middleware = false;
        for import in imports {
            is_middleware |= import == HANDLER;
            let Some((_, key)) = GRANTED.iter().find(|(prefix, _)| import.starts_with(prefix)) else {
                continue;
            };
            ensure!(!key.is_empty(), "it imports {import}, which this host does not have");
            ensure!(
                self.inherited.has(key),
                "it imports {import}; add {key:?} to its `inherit_configuration`"
            );
        }
        ensure!(is_middleware, "it does not import {HANDLER}");
        let sees_system = self.inherited.has("files") && self.inherited.has("environment");
        ensure!(
            !self.sees_system || sees_system,
            "the component behind it has `files` or `environment`; add both to its `inherit_configuration`"
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_middleware_imports_no_more_than_it_inherits() {
        let check = |inherited: Inherited, sees_system: bool, imports: &[&str]| {
            let middleware = Middleware { id: "x".into(), source: PathBuf::new(), inherited, sees_system };
            middleware.check(imports.iter().copied())
        };
        let keys = |keys: &[&str]| Inherited::Keys(keys.iter().map(|key| (*key).to_owned()).collect());
        let variables = "spin:variables/variables@3.0.0";
        for (inherited, sees_system, imports, want) in [
            (Inherited::default(), false, &[HANDLER, "wasi:cli/environment@0.2.6"][..], true),
            (Inherited::default(), false, &["wasi:cli/environment@0.2.6"], false),
            (Inherited::default(), false, &[HANDLER, variables], false),
            (keys(&["variables"]), false, &[HANDLER, variables], true),
            (keys(&["variables"]), false, &[HANDLER, "spin:key-value/key-value@3.0.0"], false),
            (keys(&["variables"]), false, &[HANDLER, "wasi:http/client@0.3.0"], false),
            (keys(&["variables"]), false, &[HANDLER, "spin:redis/redis@3.0.0"], false),
            (Inherited::Whole(true), true, &[HANDLER, variables, "wasi:http/client@0.3.0"], true),
            (keys(&["variables"]), true, &[HANDLER], false),
            (keys(&["files", "environment"]), true, &[HANDLER], true),
        ] {
            assert_eq!(check(inherited, sees_system, imports).is_ok(), want, "{imports:?}");
        }
    }
}
