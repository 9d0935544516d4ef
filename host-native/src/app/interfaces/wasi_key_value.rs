//! `wasi:keyvalue@0.2.0-draft2`: stores again, with atomic operations and batches.

use std::sync::Arc;

use wasmtime::Result;
use wasmtime::component::Resource;

use super::bindings::wasi::keyvalue::store::{Error, KeyResponse};
use super::bindings::wasi::keyvalue::{atomics, batch, store};
use super::{NotOpened, OpenStore};
use crate::app::key_value::{KeyValueStore, StoreError};
use crate::app::sandbox::Sandbox;

/// A compare-and-swap that a component prepares.
pub struct Swap {
    store: Arc<dyn KeyValueStore>,
    key: String,
    /// The value that must still be there.
    current: Option<Vec<u8>>,
}

impl Swap {
    async fn prepare(store: Arc<dyn KeyValueStore>, key: String) -> Result<Self, StoreError> {
        let current = store.get(&key).await?;
        Ok(Self { store, key, current })
    }
}

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

impl store::Host for Sandbox {
    async fn open(&mut self, label: String) -> Result<Result<Resource<OpenStore>, Error>> {
        match self.granted_store(&label) {
            Ok(store) => Ok(Ok(self.table.push(store)?)),
            Err(refused) => Ok(Err(refused.into())),
        }
    }
}

impl store::HostBucket for Sandbox {
    async fn get(
        &mut self,
        bucket: Resource<OpenStore>,
        key: String,
    ) -> Result<Result<Option<Vec<u8>>, Error>> {
        Ok(self.store(&bucket)?.get(&key).await.map_err(Error::from))
    }

    async fn set(
        &mut self,
        bucket: Resource<OpenStore>,
        key: String,
        value: Vec<u8>,
    ) -> Result<Result<(), Error>> {
        Ok(self.store(&bucket)?.set(&key, value).await.map_err(Error::from))
    }

    async fn delete(&mut self, bucket: Resource<OpenStore>, key: String) -> Result<Result<(), Error>> {
        Ok(self.store(&bucket)?.delete(&key).await.map_err(Error::from))
    }

    async fn exists(&mut self, bucket: Resource<OpenStore>, key: String) -> Result<Result<bool, Error>> {
        Ok(self.store(&bucket)?.exists(&key).await.map_err(Error::from))
    }

    async fn list_keys(
        &mut self,
        bucket: Resource<OpenStore>,
        cursor: Option<String>,
    ) -> Result<Result<KeyResponse, Error>> {
        if cursor.is_some() {
            return Ok(Err(Error::Other("there is only one page of keys; give no cursor".into())));
        }
        let keys = self.store(&bucket)?.keys().await;
        Ok(keys.map(|keys| KeyResponse { keys, cursor: None }).map_err(Error::from))
    }

    async fn drop(&mut self, bucket: Resource<OpenStore>) -> Result<()> {
        self.table.delete(bucket)?;
        Ok(())
    }
}

impl atomics::Host for Sandbox {
    async fn increment(
        &mut self,
        bucket: Resource<OpenStore>,
        key: String,
        delta: i64,
    ) -> Result<Result<i64, Error>> {
        Ok(self.store(&bucket)?.increment(&key, delta).await.map_err(Error::from))
    }

    async fn swap(&mut self, swap: Resource<Swap>, value: Vec<u8>) -> Result<Result<(), atomics::CasError>> {
        let Swap { store, key, current } = self.table.delete(swap)?;
        let retry = match store.compare_and_set(&key, current, value).await {
            Ok(true) => return Ok(Ok(())),
            Ok(false) => Swap::prepare(store, key).await,
            Err(error) => Err(error),
        };
        Ok(Err(match retry {
            Ok(swap) => atomics::CasError::CasFailed(self.table.push(swap)?),
            Err(error) => atomics::CasError::StoreError(error.into()),
        }))
    }
}

impl atomics::HostCas for Sandbox {
    async fn new(
        &mut self,
        bucket: Resource<OpenStore>,
        key: String,
    ) -> Result<Result<Resource<Swap>, Error>> {
        match Swap::prepare(self.store(&bucket)?, key).await {
            Ok(swap) => Ok(Ok(self.table.push(swap)?)),
            Err(error) => Ok(Err(error.into())),
        }
    }

    async fn current(&mut self, swap: Resource<Swap>) -> Result<Result<Option<Vec<u8>>, Error>> {
        Ok(Ok(self.table.get(&swap)?.current.clone()))
    }

    async fn drop(&mut self, swap: Resource<Swap>) -> Result<()> {
        self.table.delete(swap)?;
        Ok(())
    }
}

impl batch::Host for Sandbox {
    async fn get_many(
        &mut self,
        bucket: Resource<OpenStore>,
        keys: Vec<String>,
    ) -> Result<Result<Vec<(String, Option<Vec<u8>>)>, Error>> {
        let store = self.store(&bucket)?;
        let mut found = Vec::with_capacity(keys.len());
        for key in keys {
            match store.get(&key).await {
                Ok(value) => found.push((key, value)),
                Err(error) => return Ok(Err(error.into())),
            }
        }
        Ok(Ok(found))
    }

    async fn set_many(
        &mut self,
        bucket: Resource<OpenStore>,
        key_values: Vec<(String, Vec<u8>)>,
    ) -> Result<Result<(), Error>> {
        let store = self.store(&bucket)?;
        for (key, value) in key_values {
            if let Err(error) = store.set(&key, value).await {
                return Ok(Err(error.into()));
            }
        }
        Ok(Ok(()))
    }

    async fn delete_many(
        &mut self,
        bucket: Resource<OpenStore>,
        keys: Vec<String>,
    ) -> Result<Result<(), Error>> {
        let store = self.store(&bucket)?;
        for key in keys {
            if let Err(error) = store.delete(&key).await {
                return Ok(Err(error.into()));
            }
        }
        Ok(Ok(()))
    }
}
