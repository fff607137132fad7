import Synchronization

/// Limits the memory of response bodies and of pieces of event streams that clients have not read yet, over all event
/// loops.
///
/// - Bodies of at most `smallBytes` are not counted: each connection has at most one of them.
/// - A body that several connections send at once is counted once, for the client that asked first.
/// - One client may hold a quarter of the limit.
/// - Of the bodies larger than that quarter, only one is sent at a time. It does not count against
///   the limit, so the total is at most the limit plus one body.
final class ResponseBudget: Sendable {
    /// Bodies up to this size are always sent.
    static let smallBytes = 64 << 10

    /// The name of a token, or the address of a client without a token; nil if neither is known.
    typealias Client = RateLimiter.Client?
    /// A body that other connections may send too.
    typealias SharedBody = any AnyObject & Sendable

    let limitBytes: Int
    let clientLimitBytes: Int
    private let state = Mutex(State())

    private struct State {
        var usedBytes = 0
        var hasOversized = false
        var clients: [Client: Int] = [:]
    }

    init(limitBytes: Int) {
        self.limitBytes = limitBytes
        clientLimitBytes = limitBytes / 4
    }

    /// The part of the budget that one body takes. It ends with the last reference.
    final class Reservation: Sendable {
        private let budget: ResponseBudget
        private let client: Client
        private let bytes: Int
        /// Kept so that later requests find it and share its reservation.
        private let body: SharedBody?

        fileprivate init(
            _ budget: ResponseBudget, _ client: Client, _ bytes: Int, _ body: SharedBody?
        ) {
            self.budget = budget
            self.client = client
            self.bytes = bytes
            self.body = body
        }

        deinit { budget.release(bytes, of: client) }
    }

    /// Reserves the memory of a body, or returns nil if the limit or the client's share is used up.
    /// Complexity: O(1).
    ///
    /// - Parameter body: nil: only one connection sends the body.
    func reserve(_ bytes: Int, for client: Client, body: SharedBody? = nil) -> Reservation? {
        let fits = state.withLock { state in
            if bytes > clientLimitBytes {
                guard !state.hasOversized else { return false }
                state.hasOversized = true
                return true
            }
            let held = state.clients[client, default: 0]
            guard state.usedBytes + bytes <= limitBytes, held + bytes <= clientLimitBytes else {
                return false
            }
            state.usedBytes += bytes
            state.clients[client] = held + bytes
            return true
        }
        return fits ? Reservation(self, client, bytes, body) : nil
    }

    private func release(_ bytes: Int, of client: Client) {
        state.withLock { state in
            if bytes > clientLimitBytes {
                state.hasOversized = false
                return
            }
            state.usedBytes -= bytes
            let left = state.clients[client, default: bytes] - bytes
            state.clients[client] = left > 0 ? left : nil
        }
    }

    /// The part of the budget of one client.
    struct Share {
        let budget: ResponseBudget
        let client: Client
    }

    /// The reservation of a body that several connections send. It exists while one of them sends it.
    final class SharedReservation: Sendable {
        private struct State {
            weak var current: Reservation?
        }
        private let state = Mutex(State())

        /// The reservation of the connections that send the body now, or a new one. Returns nil if the share is
        /// used up.
        func reservation(_ bytes: Int, of body: SharedBody, in share: Share) -> Reservation? {
            state.withLock { state in
                if let current = state.current { return current }
                let new = share.budget.reserve(bytes, for: share.client, body: body)
                state.current = new
                return new
            }
        }
    }

    /// The bytes that are reserved now, without a body that is larger than a client's share.
    var usedBytes: Int { state.withLock { $0.usedBytes } }
    /// The number of clients that have reservations now.
    var clientCount: Int { state.withLock { $0.clients.count } }
    /// Whether nothing is reserved now.
    var isFree: Bool {
        state.withLock { $0.usedBytes == 0 && $0.clients.isEmpty && !$0.hasOversized }
    }
}
