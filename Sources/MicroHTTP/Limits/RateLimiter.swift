import Synchronization

/// Limits the requests per second of each client, and allows a burst after a pause.
///
/// A client's state is one time (GCRA). It is when the client could send the next request if it had
/// sent all requests at the steady rate. When this time has passed, the client is forgotten. If too
/// many clients are active, some are forgotten earlier, so that the memory is limited. A rate for
/// each client does not help against that number of clients anyway.
package final class RateLimiter: Sendable {
    /// A client whose requests are counted together.
    package enum Client: Hashable, Sendable {
        case name(String)
        /// An IPv4 address, or an IPv6 network of 64 bits.
        case network(ClientAddress)
    }

    package struct Verdict: Equatable, Sendable {
        package let isAllowed: Bool
        /// The number of further requests that are allowed now.
        package let remaining: Int
        /// The time until the whole burst is available again, in seconds, rounded up.
        package let resetSeconds: Int
        /// The time until the next request is allowed, in seconds, rounded up; 0: now.
        package let retrySeconds: Int
    }

    /// The number of requests that are allowed at once.
    package let burst: Int
    /// The time in which the whole burst is restored, in seconds, rounded up.
    package let windowSeconds: Int

    private let interval: Int
    private let maximumClients: Int
    private let times = Mutex<[Client: Int]>([:])

    /// - Parameters:
    ///   - perSecond: more than 0.
    ///   - burst: at least 1.
    ///   - maximumClients: the number of clients in memory, about 100 bytes each.
    package init(perSecond: Double, burst: Int, maximumClients: Int = 1 << 16) {
        self.burst = burst
        self.maximumClients = maximumClients
        interval = max(1, Int(1e9 / perSecond))
        windowSeconds = Self.seconds(interval * burst)
    }

    /// Counts a request if it is allowed.
    ///
    /// - Parameter now: in nanoseconds of a clock that never goes back.
    /// Complexity: O(1), amortized.
    func ask(_ client: Client, now: Int) -> Verdict {
        // How far the client is ahead of the steady rate, including this request if it is allowed.
        let (isAllowed, ahead) = times.withLock { times in
            let ahead = max(0, (times[client] ?? now) - now)
            guard ahead + interval <= interval * burst else { return (false, ahead) }
            if times[client] == nil, times.count >= maximumClients {
                makeRoom(in: &times, now: now)
            }
            times[client] = now + ahead + interval
            return (true, ahead + interval)
        }
        return Verdict(
            isAllowed: isAllowed, remaining: (interval * burst - ahead) / interval,
            resetSeconds: Self.seconds(ahead),
            retrySeconds: Self.seconds(max(0, ahead + interval - interval * burst)))
    }

    /// The number of clients in memory.
    package var clients: Int { times.withLock { $0.count } }

    private func makeRoom(in times: inout [Client: Int], now: Int) {
        times = times.filter { $0.value > now }
        // Frees more than one place, so that the next request does not have to search again.
        while times.count > maximumClients - maximumClients / 8, let index = times.indices.first {
            times.remove(at: index)
        }
    }

    private static func seconds(_ nanoseconds: Int) -> Int {
        (nanoseconds + 999_999_999) / 1_000_000_000
    }
}
