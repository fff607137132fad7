import ReorderStore

/// Why a call did not come to its end.
enum PostgresError: Error {
    /// The connection is of no use any more. What was sent may have been done.
    case cut(reason: String)
    /// The server said no; what was sent, and the transaction that it belongs to, was not done.
    case refused(state: String, message: String)
    /// What is stored can't be right.
    case corrupt(place: String, reason: String)
    /// The store is away, or closed: nothing was sent.
    case away(reason: String)

    var storeError: StoreError {
        switch self {
        case .cut(let reason), .away(let reason): .unavailable(reason: reason)
        case .refused(let state, let message): .unavailable(reason: "\(message) (\(state))")
        case .corrupt(let place, let reason): .corrupt(place: place, reason: reason)
        }
    }

    /// Whether the same may go well at once, over another connection or after the others' commits.
    var isPassing: Bool {
        switch self {
        case .cut: true
        // A deadlock, transactions that could not be put in a row, what another server made at the same
        // moment, a time-out, a transaction that stood still for too long, and a server that ends its
        // connections: it stops, or is no longer the one that may be written.
        case .refused(let state, _):
            ["40001", "40P01", "23505", "57014", "55P03", "25P03", "25006"].contains(state)
                || state.hasPrefix("57P") || state.hasPrefix("08")
        case .corrupt, .away: false
        }
    }

    /// Whether the connection has to go too.
    var endsConnection: Bool {
        switch self {
        case .cut: true
        case .refused(let state, _):
            state.hasPrefix("57P") || state.hasPrefix("08") || ["25P03", "25006"].contains(state)
        case .corrupt, .away: false
        }
    }
}
