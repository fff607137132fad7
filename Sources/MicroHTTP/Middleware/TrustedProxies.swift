/// Proxies whose `X-Forwarded-For` is trusted.
package struct TrustedProxies: Sendable {
    /// An address, or a network (`10.0.0.0/8`).
    package struct Network: Sendable, Equatable, CustomStringConvertible {
        package let description: String
        private let high: (value: UInt64, mask: UInt64)
        private let low: (value: UInt64, mask: UInt64)

        /// Returns nil if the text is not a network.
        package init?(_ text: String) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count <= 2, let address = ClientAddress(parts[0]) else { return nil }
            var bits = 128
            if parts.count == 2 {
                guard let given = Int(parts[1]), given >= 0 else { return nil }
                bits = address.isVersion4 ? given + 96 : given
                guard bits <= 128 else { return nil }
            }
            description = text
            let highMask = bits >= 64 ? UInt64.max : ~(UInt64.max >> UInt64(bits))
            let lowMask =
                bits >= 128 ? UInt64.max : bits <= 64 ? 0 : ~(UInt64.max >> UInt64(bits - 64))
            high = (address.high & highMask, highMask)
            low = (address.low & lowMask, lowMask)
        }

        package static func == (left: Network, right: Network) -> Bool {
            left.high == right.high && left.low == right.low
        }

        func contains(_ address: ClientAddress) -> Bool {
            address.high & high.mask == high.value && address.low & low.mask == low.value
        }
    }

    private let networks: [Network]

    package init(_ networks: [Network]) {
        self.networks = networks
    }

    /// The address of the client. It is the address of the connection's peer, unless the peer is a
    /// trusted proxy. Then it is the last address of `X-Forwarded-For` that is not a trusted proxy,
    /// without its port.
    /// A client can forge only the addresses before it.
    package func client(of request: Request) -> ClientAddress? {
        guard var client = request.client, isTrusted(client) else { return request.client }
        // Splits bytes, not characters: the comma after a client's value could combine with the
        // value's end into one character.
        let chain = request.headers.all("X-Forwarded-For").flatMap {
            $0.utf8.split(separator: UInt8(ascii: ","))
        }
        for hop in chain.reversed() {
            guard let address = ClientAddress(withPort: String(Substring(hop).trimmingBlanks()))
            else { break }
            client = address
            if !isTrusted(client) { break }
        }
        return client
    }

    /// The protocol that the client uses, as the trusted proxy before the server reports it in
    /// `X-Forwarded-Proto`; nil if the peer is not a trusted proxy, or does not report it.
    package func clientProtocol(of request: Request) -> String? {
        guard let peer = request.client, isTrusted(peer),
            let field = request.headers.all("X-Forwarded-Proto").last
        else { return nil }
        let hop = field.utf8.split(separator: UInt8(ascii: ",")).last
        return hop.map { Substring($0).trimmingBlanks().lowercased() }
    }

    private func isTrusted(_ address: ClientAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }
}
