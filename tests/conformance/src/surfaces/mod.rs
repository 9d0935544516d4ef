//! The surfaces: native, component, HTTP and JavaScript.

mod component;
mod http;
mod javascript;
mod native;
mod verbs;

use hkdf::Hkdf;
use sha2::Sha256;

pub use component::Component;
pub use http::Http;
pub use javascript::JavaScript;
pub use native::Native;

/// The secret of the corpus, which every surface makes its hashes and tokens with.
pub const SECRET: [u8; 16] = *b"textveil-corpus!";
/// Its version.
pub const KEY_VERSION: u8 = 1;
/// The workspace of the corpus on the service.
pub const WORKSPACE: &str = "conformance";

/// The key that the service derives from [`SECRET`] for [`WORKSPACE`]. With it, the surfaces that take
/// their key from the caller make the same hashes and tokens as the service.
///
/// # Errors
/// None; HKDF-SHA256 gives far more than 32 bytes.
pub fn key() -> anyhow::Result<[u8; 32]> {
    let mut key = [0; 32];
    let derived = Hkdf::<Sha256>::new(None, &SECRET).expand(WORKSPACE.as_bytes(), &mut key);
    derived.map_err(|error| anyhow::anyhow!("cannot derive the key: {error}"))?;
    Ok(key)
}

/// The bytes in lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
