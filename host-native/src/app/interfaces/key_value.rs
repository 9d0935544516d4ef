//! `spin:key-value@3.0.0`.

use std::sync::Arc;

use wasmtime::Result;
use wasmtime::component::{Accessor, FutureReader, Resource, StreamReader};

use super::bindings::spin::key_value::key_value::{Error, Host, HostStore, HostStoreWithStore};
use super::{HasSandbox, NotOpened, OpenStore};
use crate::app::key_value::{KeyValueStore, StoreError};
use crate::app::sandbox::Sandbox;

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::Other(error.to_string())
    }
}

impl From<NotOpened> for Error {
    fn from(refused: NotOpened) -> Self {
        match refused {
            NotOpened::NoSuchStore => Self::NoSuchStore,
            NotOpened::AccessDenied => Self::AccessDenied,
        }
    }
}

impl Host for Sandbox {}

impl HostStore for Sandbox {
    fn drop(&mut self, store: Resource<OpenStore>) -> Result<()> {
        self.table.delete(store)?;
        Ok(())
    }
}

impl HostStoreWithStore<Sandbox> for HasSandbox {
    async fn open(
        accessor: &Accessor<Sandbox, Self>,
        label: String,
    ) -> Result<Result<Resource<OpenStore>, Error>> {
        accessor.with(|mut access| match access.get().granted_store(&label) {
            Ok(store) => Ok(Ok(access.get().table.push(store)?)),
            Err(refused) => Ok(Err(refused.into())),
        })
    }

    async fn get(
        accessor: &Accessor<Sandbox, Self>,
        store: Resource<OpenStore>,
        key: String,
    ) -> Result<Result<Option<Vec<u8>>, Error>> {
        Ok(resolve(accessor, &store)?.get(&key).await.map_err(Error::from))
    }

    async fn set(
        accessor: &Accessor<Sandbox, Self>,
        store: Resource<OpenStore>,
        key: String,
        value: Vec<u8>,
    ) -> Result<Result<(), Error>> {
        Ok(resolve(accessor, &store)?.set(&key, value).await.map_err(Error::from))
    }

    async fn delete(
        accessor: &Accessor<Sandbox, Self>,
        store: Resource<OpenStore>,
        key: String,
    ) -> Result<Result<(), Error>> {
        Ok(resolve(accessor, &store)?.delete(&key).await.map_err(Error::from))
    }

    async fn exists(
        accessor: &Accessor<Sandbox, Self>,
        store: Resource<OpenStore>,
        key: String,
    ) -> Result<Result<bool, Error>> {
        Ok(resolve(accessor, &store)?.exists(&key).await.map_err(Error::from))
    }

    async fn get_keys(
        accessor: &Accessor<Sandbox, Self>,
        store: Resource<OpenStore>,
    ) -> Result<(StreamReader<String>, FutureReader<Result<(), Error>>)> {
        let (keys, outcome) = match resolve(accessor, &store)?.keys().await {
            Ok(keys) => (keys, Ok(())),
            Err(error) => (Vec::new(), Err(Error::from(error))),
        };
        accessor.with(|mut access| {
            let keys = StreamReader::new(&mut access, keys)?;
            let outcome = FutureReader::new(&mut access, async { wasmtime::error::Ok(outcome) })?;
            Ok((keys, outcome))
        })
    }
}

fn resolve(
    accessor: &Accessor<Sandbox, HasSandbox>,
    handle: &Resource<OpenStore>,
) -> Result<Arc<dyn KeyValueStore>> {
    accessor.with(|mut access| access.get().store(handle))
}
