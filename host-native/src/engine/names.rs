//! Names that outlive the component they came from.
//!
//! The engine's types name facts, signals and detectors by `&'static str`, since they are compiled
//! into it. Those that come out of a component are kept, each once, until the program ends.

use std::{
    collections::HashSet,
    sync::{PoisonError, RwLock},
};

/// Most bytes of names that are kept: many times what a catalogue has, and little enough that a
/// component which makes names up cannot fill the memory of its host.
const MOST_BYTES: usize = 1 << 20;

/// The names so far, and their bytes.
static NAMES: RwLock<Option<Names>> = RwLock::new(None);

#[derive(Default)]
struct Names {
    known: HashSet<&'static str>,
    bytes: usize,
}

/// The same name, for as long as the program runs.
///
/// # Errors
/// If there are more names than any catalogue has.
pub(super) fn lasting(name: String) -> wasmtime::Result<&'static str> {
    let names = NAMES.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.as_ref().and_then(|names| names.known.get(name.as_str())) {
        return Ok(known);
    }
    drop(names);
    let mut names = NAMES.write().unwrap_or_else(PoisonError::into_inner);
    let names = names.get_or_insert_default();
    if names.bytes + name.len() > MOST_BYTES {
        wasmtime::bail!("the component makes up names: is it Textveil's engine?");
    }
    if let Some(known) = names.known.get(name.as_str()) {
        return Ok(known);
    }
    names.bytes += name.len();
    let name: &'static str = Box::leak(name.into_boxed_str());
    names.known.insert(name);
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::lasting;

    #[test]
    fn a_name_is_kept_once() {
        let first = lasting("birth_date".into()).unwrap();
        assert_eq!(first, "birth_date");
        assert!(std::ptr::eq(first, lasting("birth_date".into()).unwrap()));
    }

    #[test]
    fn names_without_end_are_refused() {
        assert!(lasting("x".repeat(super::MOST_BYTES + 1)).is_err());
    }
}
