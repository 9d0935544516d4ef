//! The IP addresses on the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(first: u16, second: u16, prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(first, second, 0, 0, 0, 0, 0, 0), prefix)
}

/// The IPv4 networks that are not public, from IANA's registry of special-purpose addresses, and one more.
const SPECIAL_V4: [Ipv4Net; 16] = [
    v4(0, 0, 0, 0, 8),        // this network
    v4(10, 0, 0, 0, 8),       // private
    v4(100, 64, 0, 0, 10),    // shared by customers of a carrier
    v4(127, 0, 0, 0, 8),      // loopback
    v4(168, 63, 129, 16, 32), // metadata of Azure's machines, in a range that is public
    v4(169, 254, 0, 0, 16),   // link-local, metadata of most clouds
    v4(172, 16, 0, 0, 12),    // private
    v4(192, 0, 0, 0, 24),     // protocols, metadata of Oracle's machines
    v4(192, 0, 2, 0, 24),     // documentation
    v4(192, 88, 99, 0, 24),   // relays of 6to4
    v4(192, 168, 0, 0, 16),   // private
    v4(198, 18, 0, 0, 15),    // benchmarks
    v4(198, 51, 100, 0, 24),  // documentation
    v4(203, 0, 113, 0, 24),   // documentation
    v4(224, 0, 0, 0, 4),      // multicast
    v4(240, 0, 0, 0, 4),      // reserved, broadcast
];

/// The assigned part of IPv6. Loopback, mapped IPv4, unique-local, link-local and multicast lie outside.
const GLOBAL_V6: Ipv6Net = v6(0x2000, 0, 3);

/// The networks in [`GLOBAL_V6`] that are not public.
const SPECIAL_V6: [Ipv6Net; 4] = [
    v6(0x2001, 0, 23),      // protocols, tunnels of Teredo
    v6(0x2001, 0x0db8, 32), // documentation
    v6(0x2002, 0, 16),      // tunnels of 6to4, which lead to IPv4
    v6(0x3fff, 0, 20),      // documentation
];

/// The prefix through which networks without IPv4 reach it (RFC 6052): the address follows.
const NAT64: Ipv6Net = v6(0x0064, 0xff9b, 96);

/// Whether `address` belongs to a machine on the public internet, rather than to this machine, its
/// network, its cloud or nobody.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !SPECIAL_V4.iter().any(|special| special.contains(&address)),
        IpAddr::V6(address) if NAT64.contains(&address) => {
            let [.., a, b, c, d] = address.octets();
            is_public(IpAddr::V4(Ipv4Addr::new(a, b, c, d)))
        }
        IpAddr::V6(address) => {
            GLOBAL_V6.contains(&address) && !SPECIAL_V6.iter().any(|special| special.contains(&address))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_machines_of_the_internet_are_public() {
        for (addresses, want) in [
            (
                "1.1.1.1 8.8.8.8 100.63.255.255 100.128.0.1 168.63.129.15 172.15.0.1 172.32.0.1 192.0.1.1",
                true,
            ),
            ("169.253.1.1 198.17.0.1 198.20.0.1 223.255.255.255 11.0.0.1 126.0.0.1 128.0.0.1", true),
            ("0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 127.0.0.1 127.1.2.3", false),
            ("168.63.129.16 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1", false),
            ("192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1", false),
            ("224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255", false),
            ("2606:4700:4700::1111 2a00:1450::1 2001:4860:4860::8888 64:ff9b::8.8.8.8", true),
            (":: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::8.8.8.8 64:ff9b::10.0.0.1 64:ff9b::a9fe:a9fe", false),
            ("64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:7f00:1::1 3fff::1 5f00::1", false),
            ("fc00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1", false),
        ] {
            for address in addresses.split(' ') {
                assert_eq!(is_public(address.parse().expect(address)), want, "{address}");
            }
        }
    }
}
