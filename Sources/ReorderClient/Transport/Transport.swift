/// An HTTP request to the server.
package struct ClientRequest: Sendable {
    package var method: String
    /// The path and query after the server's URL, percent-encoded: `/lists/groceries/batch`.
    package var target: String
    package var headers: [(name: String, value: String)] = []
    package var body: [UInt8] = []
    /// The time without any received byte after which the transport may fail the request, in
    /// seconds.
    package var timeoutSeconds: Double = 60

    /// The field of a write whose response needs no tasks, because the stream of changes brings them.
    static let minimal = (name: "Prefer", value: "return=minimal")
    static let json = (name: "Content-Type", value: "application/json")
}

/// The events of a request: a head, then bytes, then an end; the end may come at any time.
package enum TransportEvent: Sendable {
    case head(status: Int, headers: [String: String])
    case bytes([UInt8])
    /// `isComplete`: the response is complete; otherwise the connection failed.
    case end(isComplete: Bool)
}

/// Sends requests to the server: with a URL session in apps, with simulated networks in tests.
protocol Transport: Sendable {
    /// Starts a request.
    ///
    /// - Parameter handler: receives the events in order, on any thread, never within this call;
    ///   header names are in lower case. It is not called after `.end`. After a cancellation, some
    ///   events may still arrive.
    /// - Returns: a function that cancels the request. It may be called at any time, on any thread,
    ///   repeatedly.
    func start(
        _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> @Sendable () -> Void
}
