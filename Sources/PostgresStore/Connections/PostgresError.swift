import ReorderStore

/// Why a call failed.
enum PostgresError: Error {
    /// The connection is lost. The statements may have been executed.
    case disconnected(reason: String)
    /// No response arrived in time, and a repetition would not help. The connection must be closed;
    /// the statements may have been executed.
    case timedOut(reason: String)
    /// The server returned an error; the statements and their transaction had no effect.
    case refused(state: String, message: String)
    /// The stored data is invalid.
    case corrupt(place: String, reason: String)
    /// The server is known to be unreachable, or the store is closed: nothing was sent.
    case unreachable(reason: String)

    static let closed = PostgresError.unreachable(reason: "the store is closed")

    var storeError: StoreError {
        switch self {
        case .disconnected(let reason), .timedOut(let reason), .unreachable(let reason):
            .unavailable(reason: reason)
        case .refused(let state, let message): .unavailable(reason: "\(message) (\(state))")
        case .corrupt(let place, let reason): .corrupt(place: place, reason: reason)
        }
    }

    /// The error for opening the store: `unavailable` only if a later attempt may succeed, because the
    /// server could not be reached, or did not respond.
    var openingError: StoreError {
        switch self {
        case .disconnected, .timedOut, .unreachable: storeError
        case .refused where isTransient || isTimeout: storeError
        case .refused, .corrupt: .refused(reason: storeError.reason)
        }
    }

    /// Whether a repetition may succeed immediately, over another connection or after others'
    /// commits.
    var isTransient: Bool {
        switch self {
        case .disconnected: true
        // A deadlock, a serialization failure, a row that another server inserted concurrently, an
        // idle transaction that was ended, or a server that closes its connections because it stops
        // or became a standby. Time-outs are not included: the caller has waited already.
        case .refused(let state, _):
            ["40001", "40P01", "23505", "25P03", "25006"].contains(state)
                || state.hasPrefix("57P") || state.hasPrefix("08")
        case .timedOut, .corrupt, .unreachable: false
        }
    }

    /// Whether a time limit was exceeded: this client's, or the server's for locks or statements.
    var isTimeout: Bool {
        switch self {
        case .timedOut: true
        case .refused(let state, _): ["55P03", "57014"].contains(state)
        case .disconnected, .corrupt, .unreachable: false
        }
    }

    /// Whether nothing was sent because the server is known to be unreachable.
    var isUnreachable: Bool { if case .unreachable = self { true } else { false } }

    /// Whether the connection must be closed.
    var endsConnection: Bool {
        switch self {
        case .disconnected, .timedOut: true
        case .refused(let state, _):
            state.hasPrefix("57P") || state.hasPrefix("08") || ["25P03", "25006"].contains(state)
        case .corrupt, .unreachable: false
        }
    }
}
