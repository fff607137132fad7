import Foundation

/// The state of the synchronization between a list on this device and the server.
package struct ListStatus: Sendable, Equatable {
    /// Whether the server is connected.
    package var connection: ConnectionStatus
    /// The number of operations that the server has not answered. They are stored on the device.
    package var pending: Int
    /// The version of the server's list that the displayed rows are based on.
    package var version: Int
    /// Why the last request failed; nil if it succeeded.
    package var problem: ConnectionProblem?
    /// When the server last confirmed that the list had its newest version, or sent a change; nil if it has not since the
    /// app opened the list. A change of it alone is not delivered to `statuses`.
    package var lastContact: Date?
}

/// Whether the server is connected.
package enum ConnectionStatus: Sendable {
    /// The first attempt is not finished.
    case connecting
    /// Changes arrive immediately.
    case online
    /// The server can't be reached. The client retries, at least once a minute.
    case offline
    /// The list was deleted. Operations wait. The client checks once a minute whether the list exists again.
    case gone
    /// The server rejected the token, or the token does not allow reading the list or changing it. Operations wait.
    case unauthorized
}

/// Why a request failed.
public enum ConnectionProblem: Sendable, Equatable {
    /// No complete response arrived: there is no network, or the server does not respond.
    case noResponse
    /// The server responded with an error, or with something that the client does not understand.
    ///
    /// - `code`: the error code of the problem document, such as `overloaded`; empty if the response has none, for
    ///   example because another server sent it.
    /// - `detail`: one sentence in English; it can be empty.
    case response(status: Int, code: String, detail: String)
}
