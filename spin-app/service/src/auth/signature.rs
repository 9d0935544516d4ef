//! Signatures of user tokens: HS256, RS256 and EdDSA, by the RustCrypto crates.
//!
//! The JWT library brings all algorithms of the standard or none. The elliptic curves that nobody asks for
//! are 300 kB of the component, so it gets these three.

use ed25519_dalek::VerifyingKey;
use hmac::{Hmac, KeyInit, Mac};
use jsonwebtoken::{
    Algorithm, DecodingKey, DecodingKeyKind, EncodingKey,
    crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils},
    errors::{Error, ErrorKind},
    signature::{self, Signer, Verifier},
};
use rsa::{
    BigUint, Pkcs1v15Sign, RsaPublicKey,
    pkcs1::{DecodeRsaPublicKey, EncodeRsaPublicKey},
    pkcs8::DecodePublicKey,
};
use sha2::{Digest, Sha256};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: signer,
    verifier_factory: verifier,
    // for making JWKs, which this service does not
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes the library use these algorithms. To call it again changes nothing.
pub(super) fn install() {
    let _ = PROVIDER.install_default();
}

/// The bytes that precede the 32 bytes of an Ed25519 key in its DER (RFC 8410 §4).
const ED25519_DER: &[u8] = &[0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// The public key in a PEM document, and the algorithm that it is for.
pub(super) fn public_key(pem: &str) -> Option<(Algorithm, DecodingKey)> {
    let (label, der) = pem_rfc7468::decode_vec(pem.as_bytes()).ok()?;
    if label == "PUBLIC KEY"
        && let Some(key) = der.strip_prefix(ED25519_DER)
    {
        return (key.len() == 32).then(|| (Algorithm::EdDSA, DecodingKey::from_ed_der(key)));
    }
    let key = match label {
        "PUBLIC KEY" => RsaPublicKey::from_public_key_der(&der).ok()?,
        "RSA PUBLIC KEY" => RsaPublicKey::from_pkcs1_der(&der).ok()?,
        _ => return None,
    };
    Some((Algorithm::RS256, DecodingKey::from_rsa_der(key.to_pkcs1_der().ok()?.as_bytes())))
}

fn signer(algorithm: &Algorithm, key: &EncodingKey) -> Result<Box<dyn JwtSigner>, Error> {
    match algorithm {
        Algorithm::HS256 => Ok(Box::new(Hs256::new(key.as_bytes())?)),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    if key.family() != algorithm.family() {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    match algorithm {
        Algorithm::HS256 => Ok(Box::new(Hs256::new(key.try_get_as_bytes()?)?)),
        Algorithm::RS256 => Ok(Box::new(Rs256::new(key)?)),
        Algorithm::EdDSA => Ok(Box::new(EdDsa::new(key.try_get_as_bytes()?)?)),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

/// HMAC with SHA-256 (RFC 7518 §3.2).
struct Hs256(Hmac<Sha256>);

impl Hs256 {
    fn new(secret: &[u8]) -> Result<Self, Error> {
        Hmac::new_from_slice(secret).map(Self).map_err(|_| ErrorKind::InvalidKeyFormat.into())
    }
}

impl Signer<Vec<u8>> for Hs256 {
    fn try_sign(&self, message: &[u8]) -> Result<Vec<u8>, signature::Error> {
        Ok(self.0.clone().chain_update(message).finalize().into_bytes().to_vec())
    }
}

impl Verifier<Vec<u8>> for Hs256 {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        // in constant time
        self.0.clone().chain_update(message).verify_slice(signature).map_err(|_| signature::Error::new())
    }
}

impl JwtSigner for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

impl JwtVerifier for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

/// RSA with PKCS #1 v1.5 and SHA-256 (RFC 7518 §3.3). Keys have at most 4096 bits.
struct Rs256(RsaPublicKey);

impl Rs256 {
    fn new(key: &DecodingKey) -> Result<Self, Error> {
        let key = match key.kind() {
            DecodingKeyKind::SecretOrDer(der) => RsaPublicKey::from_pkcs1_der(der).ok(),
            DecodingKeyKind::RsaModulusExponent { n, e } => {
                RsaPublicKey::new(BigUint::from_bytes_be(n), BigUint::from_bytes_be(e)).ok()
            }
        };
        key.map(Self).ok_or_else(|| ErrorKind::InvalidKeyFormat.into())
    }
}

impl Verifier<Vec<u8>> for Rs256 {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        // DER of the AlgorithmIdentifier of SHA-256 with the beginning of its digest (RFC 8017 §9.2)
        const SHA_256: &[u8] = &[
            0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05,
            0x00, 0x04, 0x20,
        ];
        let padding = Pkcs1v15Sign { hash_len: Some(32), prefix: SHA_256.into() };
        self.0.verify(padding, &Sha256::digest(message), signature).map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Rs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::RS256
    }
}

/// Ed25519 (RFC 8037).
struct EdDsa(VerifyingKey);

impl EdDsa {
    fn new(key: &[u8]) -> Result<Self, Error> {
        let bytes = key.try_into().ok();
        let key = bytes.and_then(|bytes| VerifyingKey::from_bytes(bytes).ok());
        key.map(Self).ok_or_else(|| ErrorKind::InvalidKeyFormat.into())
    }
}

impl Verifier<Vec<u8>> for EdDsa {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let signature =
            ed25519_dalek::Signature::from_slice(signature).map_err(|_| signature::Error::new())?;
        self.0.verify_strict(message, &signature).map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for EdDsa {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}
