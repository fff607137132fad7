import Glibc

/// An IPv4 or IPv6 address. An IPv4 address is stored as the IPv6 address that it maps to.
package struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Whether it is an address of this machine only: 127.0.0.0/8 or `::1`.
    package var isLoopback: Bool {
        high == 0 && (low == 1 || low >> 24 == 0xFFFF_7F)
    }

    private init(version4 address: in_addr) {
        self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(UInt32(bigEndian: address.s_addr)))
    }

    private init(version6 address: in6_addr) {
        self = withUnsafeBytes(of: address) { bytes in
            ClientAddress(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }

    /// Returns nil if the socket is not an internet socket.
    init?(_ address: UnsafePointer<sockaddr>?) {
        guard let address else { return nil }
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self.init(
                version4: UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr)
        case AF_INET6:
            self.init(
                version6: UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default: return nil
        }
    }

    /// The address that a socket is bound to; nil if it is not an internet socket.
    package init?(boundTo socket: Int32) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let address = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(socket, address, &length) == 0 ? ClientAddress(address) : nil
            }
        }
        guard let address else { return nil }
        self = address
    }

    /// Parses an address, with or without brackets; nil if the text is not an address.
    package init?(_ text: some StringProtocol) {
        var text = String(text)
        if text.first == "[", text.last == "]" { text = String(text.dropFirst().dropLast()) }
        var version4 = in_addr()
        var version6 = in6_addr()
        if inet_pton(AF_INET, text, &version4) == 1 {
            self.init(version4: version4)
        } else if inet_pton(AF_INET6, text, &version6) == 1 {
            self.init(version6: version6)
        } else {
            return nil
        }
    }

    /// Parses an address of `X-Forwarded-For`, to which some proxies add the port: `192.0.2.1:1000`,
    /// `[2001:db8::1]:1000`.
    init?(withPort text: String) {
        let colon = text.lastIndex(of: ":")
        let host = text[..<(colon ?? text.endIndex)]
        // Without brackets, an address with several colons is an IPv6 address.
        guard let colon, host.last == "]" || !host.contains(":"),
            let port = UInt16(text[text.index(after: colon)...]), port > 0
        else {
            self.init(text)
            return
        }
        self.init(host)
    }

    var isVersion4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// Identifies a client: its IPv4 address, or its IPv6 network of 64 bits, because a client can use any address in
    /// its network.
    package var network: ClientAddress {
        isVersion4 ? self : ClientAddress(high: high, low: 0)
    }

    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        if isVersion4 {
            var address = in_addr(s_addr: UInt32(truncatingIfNeeded: low).bigEndian)
            inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
        } else {
            var words = (high.bigEndian, low.bigEndian)
            inet_ntop(AF_INET6, &words, &text, socklen_t(text.count))
        }
        return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }
}
