/// How things stand between a list on this device and the server.
public struct ListStatus: Sendable, Equatable {
    /// Whether the server is heard.
    public var connection: ConnectionStatus
    /// How many operations the server has not answered yet. They are kept on the device.
    public var pending: Int
    /// The version of the server's list that the rows are built on.
    public var version: Int
}

/// Whether the server is heard.
public enum ConnectionStatus: String, Sendable {
    /// Not tried to the end yet.
    case connecting
    /// Changes arrive as they are made.
    case online
    /// The server is not reached. It is tried again by itself, at most a minute apart.
    case offline
    /// The list was deleted. It is looked for once a minute.
    case gone
    /// The server wants another token, or the one that it has is not for this. What was done waits.
    case unauthorized
}
