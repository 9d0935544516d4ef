//! A socket that the server accepts connections on, and TLS over it.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result, ensure};
use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// The time after which a connection looks whether the files of a certificate have changed.
const RENEWAL_CHECK: Duration = Duration::from_secs(60);

/// A bound socket, with or without TLS.
///
/// # Examples
/// ```
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
/// assert!(!textveil::app::Listener::from(socket).is_encrypted());
/// # Ok::<(), std::io::Error>(())
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Listener {
    pub(super) socket: TcpListener,
    pub(super) tls: Option<TlsAcceptor>,
}

impl Listener {
    /// Encrypts the connections of `socket` with `tls`.
    ///
    /// # Examples
    /// ```
    /// use textveil::app::{Listener, Tls};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let (certificate, key) = (folder.path().join("certificate.pem"), folder.path().join("key.pem"));
    /// # let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    /// # std::fs::write(&certificate, made.cert.pem())?;
    /// # std::fs::write(&key, made.signing_key.serialize_pem())?;
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    /// assert!(Listener::encrypted(socket, Tls::read(&certificate, &key)?).is_encrypted());
    /// # Ok::<(), anyhow::Error>(())
    /// # })?;
    /// # Ok::<(), anyhow::Error>(())
    /// ```
    #[must_use]
    pub fn encrypted(socket: TcpListener, tls: Tls) -> Self {
        Self { socket, tls: Some(tls.0) }
    }

    /// Whether connections are encrypted.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }
}

impl From<TcpListener> for Listener {
    fn from(socket: TcpListener) -> Self {
        Self { socket, tls: None }
    }
}

/// TLS 1.2 and 1.3 of a server, with HTTP/2 and HTTP/1.1 (ALPN).
#[derive(Clone)]
pub struct Tls(TlsAcceptor);

impl Tls {
    /// Reads a certificate with its chain and key from PEM files.
    ///
    /// When the files change, connections get the new certificate within a minute. Files that do not fit each other,
    /// such as those of a renewal that is being written, change nothing.
    ///
    /// # Errors
    /// If a file cannot be read, has no certificate or key, or the key is not that of the certificate.
    ///
    /// # Examples
    /// ```
    /// use textveil::app::Tls;
    ///
    /// let error = Tls::read("missing.pem".as_ref(), "key.pem".as_ref()).err();
    /// assert_eq!(error.map(|error| error.to_string()).as_deref(), Some("cannot read missing.pem"));
    /// ```
    pub fn read(certificate: &Path, key: &Path) -> Result<Self> {
        let provider = Arc::new(ring::default_provider());
        let resolver = RenewedCertificate::read(certificate, key, &provider)?;
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(resolver));
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }
}

/// A certificate that is read again when its files change.
struct RenewedCertificate {
    files: CertificateFiles,
    provider: Arc<CryptoProvider>,
    current: Mutex<Current>,
}

struct Current {
    certificate: Arc<CertifiedKey>,
    /// The modification times of the files that were read last, whether they fitted or not.
    modified: Modified,
    checked: Instant,
}

/// When the files of the certificate and the key were modified; `None` for a file that cannot be read.
type Modified = [Option<SystemTime>; 2];

struct CertificateFiles {
    certificate: PathBuf,
    key: PathBuf,
}

impl CertificateFiles {
    fn modified(&self) -> Modified {
        [&self.certificate, &self.key].map(|path| fs::metadata(path).and_then(|file| file.modified()).ok())
    }

    fn read(&self, provider: &CryptoProvider) -> Result<CertifiedKey> {
        let (certificate, key) = (self.certificate.display(), self.key.display());
        let text = fs::read(&self.certificate).with_context(|| format!("cannot read {certificate}"))?;
        let chain: Vec<_> = CertificateDer::pem_slice_iter(&text)
            .collect::<Result<_, _>>()
            // the parser's own message could show what is there, also below
            .map_err(|_| anyhow::anyhow!("{certificate} must be PEM"))?;
        ensure!(!chain.is_empty(), "{certificate} has no certificate in PEM");
        let text = fs::read(&self.key).with_context(|| format!("cannot read {key}"))?;
        let private = PrivateKeyDer::from_pem_slice(&text)
            .map_err(|_| anyhow::anyhow!("{key} has no private key in PEM without a password"))?;
        CertifiedKey::from_der(chain, private, provider).with_context(|| {
            format!("the key in {key} is not that of the first certificate in {certificate}")
        })
    }
}

impl RenewedCertificate {
    fn read(certificate: &Path, key: &Path, provider: &Arc<CryptoProvider>) -> Result<Self> {
        let files = CertificateFiles { certificate: certificate.to_owned(), key: key.to_owned() };
        let modified = files.modified();
        let certificate = Arc::new(files.read(provider)?);
        let current = Mutex::new(Current { certificate, modified, checked: Instant::now() });
        Ok(Self { files, provider: provider.clone(), current })
    }

    /// The certificate at `now`, read again if a minute has passed and its files have changed.
    fn at(&self, now: Instant) -> Arc<CertifiedKey> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_duration_since(current.checked) >= RENEWAL_CHECK {
            current.checked = now;
            let modified = self.files.modified();
            if modified != current.modified {
                current.modified = modified;
                match self.files.read(&self.provider) {
                    Ok(certificate) => current.certificate = Arc::new(certificate),
                    Err(error) => eprintln!("textveil: the certificate was not renewed: {error:#}"),
                }
            }
        }
        current.certificate.clone()
    }
}

impl ResolvesServerCert for RenewedCertificate {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.at(Instant::now()))
    }
}

impl fmt::Debug for RenewedCertificate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RenewedCertificate").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertifiedKey as Generated, generate_simple_self_signed};

    use super::*;

    fn write(folder: &Path, name: &str, text: &str, age: u64) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + age);
        fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        path
    }

    fn generate() -> (String, String) {
        let Generated { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        (cert.pem(), signing_key.serialize_pem())
    }

    #[test]
    fn a_renewed_certificate_is_read_within_a_minute() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (generate(), generate());
        let certificate = write(folder.path(), "certificate.pem", &first.0, 0);
        let key = write(folder.path(), "key.pem", &first.1, 0);
        let provider = Arc::new(ring::default_provider());
        let renewed = RenewedCertificate::read(&certificate, &key, &provider).unwrap();
        let of = |pem: &str| CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
        let start = Instant::now();
        let at = |seconds| renewed.at(start + Duration::from_secs(seconds)).cert[0].clone();
        assert_eq!(at(0), of(&first.0));
        // the renewal has written one file of two
        write(folder.path(), "certificate.pem", &second.0, 1);
        assert_eq!(at(61), of(&first.0));
        write(folder.path(), "key.pem", &second.1, 1);
        assert_eq!(at(62), of(&first.0));
        assert_eq!(at(122), of(&second.0));
        fs::remove_file(&key).unwrap();
        assert_eq!(at(200), of(&second.0));
    }

    #[test]
    fn files_that_do_not_serve_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (generate(), generate());
        let certificate = write(folder.path(), "certificate.pem", &first.0, 0);
        let key = write(folder.path(), "key.pem", &first.1, 0);
        let other = write(folder.path(), "other.pem", &second.1, 0);
        let text = write(folder.path(), "text.pem", "hunter2", 0);
        for (certificate, key, want) in [
            (&certificate, &other, "other.pem is not that of the first certificate in"),
            (&certificate, &text, "text.pem has no private key in PEM"),
            (&text, &key, "text.pem has no certificate in PEM"),
            (&key, &key, "key.pem has no certificate in PEM"),
        ] {
            let error = format!("{:#}", Tls::read(certificate, key).err().unwrap());
            assert!(error.contains(want) && !error.contains("hunter2"), "{error}");
        }
        assert!(Tls::read(&certificate, &key).is_ok());
    }
}
