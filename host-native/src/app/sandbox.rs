//! What one instance of a component can reach, and how much memory it may use.

use std::collections::BTreeMap;
use std::sync::Arc;

use wasmtime::component::ResourceTable;
use wasmtime::{ResourceLimiter, Result};
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use super::key_value::KeyValueStore;
use super::manifest::Mount;
use super::outbound::{Outbound, OutboundRules};

/// What the manifest grants a component. Everything else is refused.
pub(crate) struct Grants {
    /// Every store of the application by its label; none where this component may not open it.
    pub(crate) stores: BTreeMap<String, Option<Arc<dyn KeyValueStore>>>,
    pub(crate) variables: BTreeMap<String, String>,
    pub(crate) outbound: Arc<OutboundRules>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) mounts: Vec<Mount>,
    /// Whether what the component prints on its standard output is shown (on ours for errors).
    pub(crate) show_output: bool,
}

/// The state behind one instance.
pub(crate) struct Sandbox {
    pub(crate) grants: Arc<Grants>,
    pub(crate) table: ResourceTable,
    pub(crate) memory: MemoryLimit,
    wasi: WasiCtx,
    http: WasiHttpCtx,
    outbound: Outbound,
}

impl Sandbox {
    /// A new one with the rights of `grants` and at most `memory` bytes.
    pub(crate) fn new(grants: &Arc<Grants>, memory: usize) -> Result<Self> {
        let mut wasi = WasiCtx::builder();
        wasi.inherit_stderr().allow_ip_name_lookup(false).allow_tcp(false).allow_udp(false);
        if grants.show_output {
            // standard output is this program's own: it says where it serves
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
            memory: MemoryLimit { limit: memory, used: 0 },
            wasi: wasi.build(),
            http: WasiHttpCtx::new(),
            outbound: Outbound(grants.outbound.clone()),
        })
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

/// Refuses memory beyond a limit; the component then traps as it would without memory.
pub(crate) struct MemoryLimit {
    limit: usize,
    /// Bytes of linear memory; they never shrink.
    pub(crate) used: usize,
}

impl ResourceLimiter for MemoryLimit {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        let used = self.used.saturating_add(desired.saturating_sub(current));
        let granted = used <= self.limit;
        if granted {
            self.used = used;
        }
        Ok(granted)
    }

    fn table_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        Ok(desired <= MAX_TABLE_ELEMENTS)
    }
}

/// Function references a table may hold; a large program has some ten thousand.
const MAX_TABLE_ELEMENTS: usize = 1_000_000;
