import Glibc

/// Which addresses belong to the public internet. Others lead into the network of the server.
package enum PublicAddress {
    /// Whether an IPv4 address is public.
    ///
    /// - Parameter bytes: its 4 bytes.
    package static func contains(ipv4 bytes: [UInt8]) -> Bool {
        guard bytes.count == 4 else { return false }
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _): return false  // unspecified, private, loopback
        case (100, 64...127, _): return false  // a provider's own network
        case (169, 254, _), (192, 168, _), (172, 16...31, _): return false  // link-local, private
        case (192, 0, 0), (192, 0, 2), (198, 18...19, _), (198, 51, 100), (203, 0, 113):
            return false
        case (192, 88, 99): return false  // relays to IPv6
        case (224..., _, _): return false  // multicast, reserved, broadcast
        default: return true
        }
    }

    /// Whether an IPv6 address is public: in 2000::/3, and not of a range for documents or for IPv4
    /// addresses in IPv6. So IPv4-mapped, unique-local and link-local addresses and multicast are not.
    ///
    /// - Parameter bytes: its 16 bytes.
    package static func contains(ipv6 bytes: [UInt8]) -> Bool {
        guard bytes.count == 16, bytes[0] >> 5 == 1 else { return false }
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        case (0x20, 0x01, 0x00...0x01, _): return false  // Teredo, and other special purposes
        case (0x20, 0x01, 0x0D, 0xB8): return false  // documents
        case (0x20, 0x02, _, _): return false  // 6to4
        case (0x3F, 0xFF, 0x00...0x0F, _): return false  // documents
        default: return true
        }
    }

    /// Whether a socket's address is public.
    static func contains(_ address: UnsafePointer<sockaddr>) -> Bool {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                contains(ipv4: bytes(of: address.pointee.sin_addr))
            }
        case AF_INET6:
            address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                contains(ipv6: bytes(of: address.pointee.sin6_addr))
            }
        default: false
        }
    }

    private static func bytes(of number: some Any) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }
}
