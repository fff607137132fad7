/// The state of the synchronization between a list on this device and the server.
public struct ListStatus: Sendable, Equatable {
    /// Whether the server is connected.
    public var connection: ConnectionStatus
    /// The number of operations without a response from the server. They are stored on the device.
    public var pending: Int
    /// The version of the server's list that the displayed rows are based on.
    public var version: Int
}

/// Whether the server is connected.
public enum ConnectionStatus: String, Sendable {
    /// The first attempt is not finished.
    case connecting
    /// Changes arrive immediately.
    case online
    /// The server can't be reached. The client retries, at least once a minute.
    case offline
    /// The list was deleted. The client checks once a minute whether it exists again.
    case gone
    /// The server rejected the token, or the token does not allow the request. Operations wait.
    case unauthorized
}
