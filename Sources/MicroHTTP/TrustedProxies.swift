/// Proxies that are believed whose request it is that they pass on (`X-Forwarded-For`).
package struct TrustedProxies: Sendable {
    /// An address, or the addresses that begin alike (`10.0.0.0/8`).
    package struct Network: Sendable, Equatable {
        private let high: (value: UInt64, mask: UInt64)
        private let low: (value: UInt64, mask: UInt64)

        /// nil where it is none.
        package init?(_ text: String) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count <= 2, let address = ClientAddress(parts[0]) else { return nil }
            var bits = 128
            if parts.count == 2 {
                guard let given = Int(parts[1]), given >= 0 else { return nil }
                bits = address.isVersion4 ? given + 96 : given
                guard bits <= 128 else { return nil }
            }
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

    /// Whose request it is: who is at the other end of the connection, or, where that is a trusted proxy,
    /// the last in the chain that it tells who is none. What a client itself wrote there stands before.
    package func client(of request: Request) -> ClientAddress? {
        guard var client = request.client, isTrusted(client) else { return request.client }
        // Of bytes: a client could end what it writes so that a comma behind it is part of a character.
        let chain = request.headers.all("X-Forwarded-For").flatMap {
            $0.utf8.split(separator: UInt8(ascii: ","))
        }
        for hop in chain.reversed() {
            guard let address = ClientAddress(Substring(hop).trimming(" \t")) else { break }
            client = address
            if !isTrusted(client) { break }
        }
        return client
    }

    private func isTrusted(_ address: ClientAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }
}

extension Substring {
    fileprivate func trimming(_ characters: String) -> Substring {
        var rest = drop { characters.contains($0) }
        while let last = rest.last, characters.contains(last) { rest.removeLast() }
        return rest
    }
}
