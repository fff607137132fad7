import Synchronization

/// Limits the open connections of each client. IPv6 addresses count by networks of 64 bits.
final class ClientConnectionLimit: Sendable {
    private let limit: Int
    private let counts = Mutex<[ClientAddress: Int]>([:])

    /// - Parameter limit: at least 1.
    init(limit: Int) {
        self.limit = limit
    }

    /// Counts one connection of a client, until the last reference is released.
    final class Share: Sendable {
        private let shares: ClientConnectionLimit
        private let client: ClientAddress

        fileprivate init(_ shares: ClientConnectionLimit, _ client: ClientAddress) {
            self.shares = shares
            self.client = client
        }

        deinit { shares.release(client) }
    }

    /// Returns nil if the client already has the maximum.
    func take(_ address: ClientAddress) -> Share? {
        let client = address.network
        let isFree = counts.withLock { counts in
            let count = counts[client, default: 0]
            guard count < limit else { return false }
            counts[client] = count + 1
            return true
        }
        return isFree ? Share(self, client) : nil
    }

    private func release(_ client: ClientAddress) {
        counts.withLock { counts in
            let left = counts[client, default: 1] - 1
            counts[client] = left > 0 ? left : nil
        }
    }
}
