//! The lexicons of names as a module of their own, which a page loads when it wants names.

use textveil_names::wire;
use wasm_bindgen::prelude::*;

#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Finds names in `text`; `known` are those that were found before. Both as [`wire`] writes them. `explain` adds the reasons.
#[wasm_bindgen]
pub fn find(text: &str, known: &[u32], explain: bool) -> Vec<u32> {
    let (mut known, _) = wire::read(known);
    let candidates = textveil_names::find(text, &mut known, explain);
    wire::write(&known, &candidates)
}
