//! The imports of a component in addition to WASI: Spin's key-value stores and variables.

mod key_value;
mod variables;
mod wasi_key_value;

use std::sync::Arc;

use wasmtime::component::{HasData, Linker, Resource};

use super::key_value::KeyValueStore;
use super::sandbox::Sandbox;

#[allow(missing_docs, reason = "generated from the WIT packages, which carry the documentation")]
mod bindings {
    wasmtime::component::bindgen!({
        path: "wit",
        world: "spin",
        imports: {
            "spin:key-value/key-value.[drop]store": trappable,
            default: async | trappable,
        },
        with: {
            "spin:key-value/key-value.store": super::OpenStore,
            "wasi:keyvalue/store.bucket": super::OpenStore,
            "wasi:keyvalue/atomics.cas": super::wasi_key_value::Swap,
        },
    });
}

/// A store that a component holds open.
pub struct OpenStore(Arc<dyn KeyValueStore>);

/// Why a store could not be opened.
enum NotOpened {
    /// The application has no such store.
    NoSuchStore,
    /// The manifest does not give it to this component.
    AccessDenied,
}

impl Sandbox {
    /// The store of this label, if the component may open it.
    fn granted_store(&self, label: &str) -> Result<OpenStore, NotOpened> {
        match self.grants.stores.get(label) {
            Some(Some(store)) => Ok(OpenStore(store.clone())),
            Some(None) => Err(NotOpened::AccessDenied),
            None => Err(NotOpened::NoSuchStore),
        }
    }

    /// Returns the store of a handle.
    fn store(&self, handle: &Resource<OpenStore>) -> wasmtime::Result<Arc<dyn KeyValueStore>> {
        Ok(self.table.get(handle)?.0.clone())
    }
}

struct HasSandbox;

impl HasData for HasSandbox {
    type Data<'a> = &'a mut Sandbox;
}

/// Adds all of them to what components are linked with.
pub(crate) fn add_to_linker(linker: &mut Linker<Sandbox>) -> wasmtime::Result<()> {
    bindings::Spin::add_to_linker::<_, HasSandbox>(linker, |sandbox| sandbox)
}
