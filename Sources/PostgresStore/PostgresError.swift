import ReorderStore

/// Why a call did not come to its end.
enum PostgresError: Error {
    /// The connection is of no use any more. What was sent may have been done.
    case cut(reason: String)
    /// No answer came in time, and none would to the same again. The connection is of no use any more;
    /// what was sent may have been done.
    case late(reason: String)
    /// The server said no; what was sent, and the transaction that it belongs to, was not done.
    case refused(state: String, message: String)
    /// What is stored can't be right.
    case corrupt(place: String, reason: String)
    /// The store is away, or closed: nothing was sent.
    case away(reason: String)

    static let closed = PostgresError.away(reason: "the store is closed")

    var storeError: StoreError {
        switch self {
        case .cut(let reason), .late(let reason), .away(let reason): .unavailable(reason: reason)
        case .refused(let state, let message): .unavailable(reason: "\(message) (\(state))")
        case .corrupt(let place, let reason): .corrupt(place: place, reason: reason)
        }
    }

    /// Whether the same may go well at once, over another connection or after the others' commits.
    var isPassing: Bool {
        switch self {
        case .cut: true
        // A deadlock, transactions that could not be put in a row, what another server made at the same
        // moment, a transaction that stood still for too long, and a server that ends its connections: it
        // stops, or is no longer the one that may be written. But no time-out: whoever asked has waited.
        case .refused(let state, _):
            ["40001", "40P01", "23505", "25P03", "25006"].contains(state)
                || state.hasPrefix("57P") || state.hasPrefix("08")
        case .late, .corrupt, .away: false
        }
    }

    /// Whether it took too long: to lock what others hold, or for what the server was told of statements.
    var isTimeOut: Bool {
        switch self {
        case .late: true
        case .refused(let state, _): ["55P03", "57014"].contains(state)
        case .cut, .corrupt, .away: false
        }
    }

    /// Whether nothing was sent, as nobody is to wait for the server.
    var isAway: Bool { if case .away = self { true } else { false } }

    /// Whether the connection has to go too.
    var endsConnection: Bool {
        switch self {
        case .cut, .late: true
        case .refused(let state, _):
            state.hasPrefix("57P") || state.hasPrefix("08") || ["25P03", "25006"].contains(state)
        case .corrupt, .away: false
        }
    }
}
