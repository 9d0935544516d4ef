//! `spin:variables@3.0.0`.

use wasmtime::Result;
use wasmtime::component::Accessor;

use super::HasSandbox;
use super::bindings::spin::variables::variables::{Error, Host, HostWithStore};
use crate::app::manifest::is_variable_name;
use crate::app::sandbox::Sandbox;

impl Host for Sandbox {}

impl HostWithStore<Sandbox> for HasSandbox {
    async fn get(accessor: &Accessor<Sandbox, Self>, name: String) -> Result<Result<String, Error>> {
        accessor.with(|mut access| {
            Ok(match access.get().grants.variables.get(&name) {
                Some(value) => Ok(value.clone()),
                None if is_variable_name(&name) => Err(Error::Undefined(format!("no variable `{name}`"))),
                None => Err(Error::InvalidName(format!("{name:?} is no variable name"))),
            })
        })
    }
}
