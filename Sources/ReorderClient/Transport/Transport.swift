/// A request as the client sends it.
struct ClientRequest: Sendable {
    var method: String
    /// From the server's address on, percent-encoded: `/lists/groceries/batch`.
    var target: String
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// How long nothing may arrive, in seconds, before the transport may give up by itself.
    var timeoutSeconds: Double = 60
}

/// What comes of a request: a head, then bytes, then an end; or an end at any moment.
enum TransportEvent: Sendable {
    case head(status: Int, headers: [String: String])
    case bytes([UInt8])
    /// The answer is whole, or with `isComplete` false the connection broke.
    case end(isComplete: Bool)
}

/// How requests get to the server. The URL session in apps; tests delay, cut and repeat.
protocol Transport: Sendable {
    /// Begins a request.
    ///
    /// - Parameter handler: called one event after another, on any thread, never from within this
    ///   call; header names are in lower case. Not after `.end`, and soon not after cancelling.
    /// - Returns: cancels the request. May be called at any time, on any thread, again too.
    func start(
        _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> @Sendable () -> Void
}
