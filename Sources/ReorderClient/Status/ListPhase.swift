/// Whether a list is in sync with the server.
public enum ListPhase: Sendable, Equatable {
    /// The first attempt is not finished. If the list was displayed before, its rows are there.
    case connecting
    /// Changes of others arrive at once.
    case online
    /// The server can't be reached. Changes wait on the device; the client retries by itself.
    case offline(ConnectionProblem?)
    /// The user has to sign in: the server rejected the token, or the token does not allow reading this list or the changes that
    /// wait. They wait until the server accepts a token, or until ``LiveList/discardWaiting()``.
    case unauthorized
    /// The list does not exist, or was deleted. Changes wait until it exists again, or until ``LiveList/discardWaiting()``.
    case notFound
    /// The list can't be opened on this device, for example because its id is malformed or its file can't be read. If the file is
    /// the reason, the store tries again when the app comes to the foreground, and then at intervals.
    case failed(ClientError)
    /// The store has signed out.
    case signedOut

    var isFailed: Bool { if case .failed = self { true } else { false } }

    init(_ status: ListStatus) {
        switch status.connection {
        case .connecting: self = .connecting
        case .online: self = .online
        case .offline: self = .offline(status.problem)
        case .gone: self = .notFound
        case .unauthorized: self = .unauthorized
        }
    }
}
