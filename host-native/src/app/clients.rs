//! Connections and requests by client address.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The number of clients from which on those without a request are forgotten.
const MANY: usize = 1_024;

/// Counts the connections and the requests of each client address.
pub(crate) struct Clients {
    /// Most connections of one client; 0: no limit.
    limit: usize,
    /// Most requests in flight of one client.
    requests: usize,
    open: Mutex<HashMap<IpAddr, usize>>,
    in_flight: Mutex<HashMap<IpAddr, Weak<Semaphore>>>,
}

impl Clients {
    /// Allows `limit` connections and `requests` in flight for each client, and any number of both if `limit` is 0.
    pub(crate) fn new(limit: usize, requests: usize) -> Arc<Self> {
        Arc::new(Self { limit, requests, open: Mutex::default(), in_flight: Mutex::default() })
    }

    /// Waits until the client at this address may have one more request in flight.
    ///
    /// `None` without a limit.
    pub(crate) async fn enter(&self, address: IpAddr) -> Option<OwnedSemaphorePermit> {
        if self.limit == 0 {
            return None;
        }
        let permits = self.permits(client(address));
        permits.acquire_owned().await.ok()
    }

    fn permits(&self, client: IpAddr) -> Arc<Semaphore> {
        let mut clients = self.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(permits) = clients.get(&client).and_then(Weak::upgrade) {
            return permits;
        }
        if clients.len() >= MANY {
            // a permit keeps its semaphore
            clients.retain(|_, permits| permits.strong_count() > 0);
        }
        let permits = Arc::new(Semaphore::new(self.requests));
        clients.insert(client, Arc::downgrade(&permits));
        permits
    }

    /// Counts a connection of the client at this address; `None` if it has as many as it may have.
    pub(crate) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<ClientConnection> {
        let client = client(address);
        if self.limit > 0 {
            let mut clients = self.open();
            let open = clients.entry(client).or_default();
            if *open >= self.limit {
                return None;
            }
            *open += 1;
        }
        Some(ClientConnection { clients: self.clone(), client })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the address that identifies a client: an IPv6 client controls the 64 bits of its network.
fn client(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
        address => address,
    }
}

/// A counted connection; dropped, it is counted no longer.
pub(crate) struct ClientConnection {
    clients: Arc<Clients>,
    client: IpAddr,
}

impl Drop for ClientConnection {
    fn drop(&mut self) {
        if self.clients.limit == 0 {
            return;
        }
        if let Entry::Occupied(mut open) = self.clients.open().entry(self.client) {
            *open.get_mut() = open.get().saturating_sub(1);
            if *open.get() == 0 {
                open.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_as_many_connections_as_it_may_have() {
        for (limit, addresses, want) in [
            (2, &["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"][..], &[true, true, false, true][..]),
            (1, &["192.0.2.1", "::ffff:192.0.2.1"], &[true, false]),
            (1, &["2001:db8:1:2::3", "2001:db8:1:2:4::5", "2001:db8:1:3::3"], &[true, false, true]),
            (0, &["192.0.2.1"; 3], &[true; 3]),
        ] {
            let clients = Clients::new(limit, 1);
            let admit = || addresses.iter().map(|address| clients.admit(address.parse().unwrap()));
            // the second time: those of the first are closed
            for _ in 0..2 {
                let admitted: Vec<_> = admit().collect();
                assert_eq!(admitted.iter().map(Option::is_some).collect::<Vec<_>>(), want, "{addresses:?}");
            }
            assert!(clients.open().is_empty());
        }
    }

    #[tokio::test]
    async fn a_client_waits_for_its_own_requests_and_for_no_other() {
        use futures_util::FutureExt as _;
        for (limit, addresses, want) in [
            (9, &["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"][..], &[true, true, false, true][..]),
            (0, &["192.0.2.1"; 3], &[true; 3]),
        ] {
            let clients = Clients::new(limit, 2);
            for _ in 0..2 {
                let enter = |address: &&str| clients.enter(address.parse().unwrap()).now_or_never();
                let entered: Vec<_> = addresses.iter().map(enter).collect();
                assert_eq!(entered.iter().map(Option::is_some).collect::<Vec<_>>(), want, "{addresses:?}");
            }
        }
        let clients = Clients::new(1, 1);
        for number in 0..3 * u32::try_from(MANY).unwrap() {
            drop(clients.enter(IpAddr::V4(number.into())).await);
        }
        assert!(clients.in_flight.lock().unwrap().len() <= MANY);
    }
}
