/// The result of a write.
package struct WriteResult: Sendable {
    package var list: String
    /// The list's new version. A dry run does not change it.
    package var version: Int
    package var changed: Bool
    /// Whether the request created the list.
    package var created: Bool
    package var result: CommandResult
}

/// Renders responses that are stored with their changes.
package protocol WriteRenderer: Sendable {
    /// The response to a write.
    ///
    /// - Parameter withTasks: false for a response that is too large to be stored with its tasks.
    func bytes(of result: Result<WriteResult, ServiceError>, withTasks: Bool) -> [UInt8]
    /// The result of one op of a batch.
    func bytes(of result: Result<CommandResult, ServiceError>, at index: Int, withTasks: Bool)
        -> [UInt8]
}

/// The outcome of a write. Indirect, because it is passed through many functions.
package indirect enum WriteOutcome: Sendable {
    /// The result of a request without an idempotency key.
    case result(WriteResult)
    /// The rendered response to a request with a key, and what it was rendered from.
    case stored([UInt8], of: Result<WriteResult, ServiceError>)
    /// The stored response to an earlier request with the same key.
    case replayed([UInt8])
}
