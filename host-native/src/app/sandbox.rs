//! The resources of one instance of a component.

use std::collections::BTreeMap;
use std::sync::Arc;

use wasmtime::Result;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpHooks, WasiHttpView};

use super::key_value::KeyValueStore;
use super::likeness::SpinHooks;
use super::manifest::Mount;
use super::memory::InstanceMemory;
use super::outbound::{Outbound, OutboundRules};

/// The grants of the manifest for a component. Everything else is denied.
pub(crate) struct Grants {
    /// Every store of the application by its label; `None` if this component may not open it.
    pub(crate) stores: BTreeMap<String, Option<Arc<dyn KeyValueStore>>>,
    pub(crate) variables: BTreeMap<String, String>,
    pub(crate) outbound: Arc<OutboundRules>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) mounts: Vec<Mount>,
    /// Whether what the component prints on its standard output is shown (on ours for errors).
    pub(crate) show_output: bool,
    /// [`Options::like_spin`](super::Options::like_spin)
    pub(crate) like_spin: bool,
}

/// The state of one instance.
pub(crate) struct Sandbox {
    pub(crate) grants: Arc<Grants>,
    pub(crate) table: ResourceTable,
    pub(crate) memory: InstanceMemory,
    wasi: WasiCtx,
    http: WasiHttpCtx,
    outbound: Outbound,
    spin: SpinHooks,
}

impl Sandbox {
    /// Makes one with the rights of `grants` and this memory.
    pub(crate) fn new(grants: &Arc<Grants>, memory: InstanceMemory) -> Result<Self> {
        let mut wasi = WasiCtx::builder();
        wasi.inherit_stderr().allow_ip_name_lookup(false).allow_tcp(false).allow_udp(false);
        if grants.show_output {
            // standard output belongs to this program, which prints its address there
            wasi.stdout(wasmtime_wasi::cli::stderr());
        }
        for (name, value) in &grants.environment {
            wasi.env(name, value);
        }
        for mount in &grants.mounts {
            wasi.preopened_dir(&mount.source, &mount.destination, FsPerms::ReadOnly)?;
        }
        Ok(Self {
            grants: grants.clone(),
            table: ResourceTable::new(),
            memory,
            wasi: wasi.build(),
            http: WasiHttpCtx::new(),
            outbound: Outbound(grants.outbound.clone()),
            spin: SpinHooks,
        })
    }

    /// Returns what hands requests over to the component.
    pub(crate) fn incoming(&mut self) -> WasiHttpCtxView<'_> {
        let hooks: &mut dyn WasiHttpHooks =
            if self.grants.like_spin { &mut self.spin } else { &mut self.outbound };
        WasiHttpCtxView { ctx: &mut self.http, table: &mut self.table, hooks }
    }
}

impl WasiView for Sandbox {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for Sandbox {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { ctx: &mut self.http, table: &mut self.table, hooks: &mut self.outbound }
    }
}
