/// A request and its response, for a log. It contains no secrets: of the header fields only the ids of the trace, no
/// query and no body.
package struct AccessLogEntry: Sendable {
    package let id: String
    package let method: HTTPMethod
    /// The path, undecoded, without the query, truncated to 512 bytes.
    package let path: String
    /// The pattern of the route; nil if no route was found.
    package let route: String?
    /// The client's address; behind trusted proxies, the one that they name.
    package let client: ClientAddress?
    /// The name of the client's credentials; nil without valid credentials.
    package let principal: String?
    package let trace: TraceContext?
    package let status: Int
    /// The application's code for the reason of a refusal.
    package let refusal: String?
    /// The size of the body; 0 for an event stream.
    package let bodyBytes: Int
    /// The time from the start of the event loop's turn in which the request was complete, until
    /// its response (or a stream's head) was ready.
    package let seconds: Double
}

/// Which responses are logged, and how.
package struct AccessLog: Sendable {
    /// Whether all responses are logged. If not, slow responses and those with the status 429 or one
    /// from 500 on are logged.
    package var logsAll: Bool
    /// The duration from which a response is slow; nil: no response is slow.
    package var slowSeconds: Double?
    /// Writes the entry. Called on an event loop's thread, which waits until it returns.
    package var write: @Sendable (AccessLogEntry) -> Void

    package init(
        logsAll: Bool, slowSeconds: Double?, write: @escaping @Sendable (AccessLogEntry) -> Void
    ) {
        self.logsAll = logsAll
        self.slowSeconds = slowSeconds
        self.write = write
    }

    func includes(status: Int, nanoseconds: Int) -> Bool {
        logsAll || status >= 500 || status == 429
            || slowSeconds.map { Double(nanoseconds) >= $0 * 1_000_000_000 } ?? false
    }
}
