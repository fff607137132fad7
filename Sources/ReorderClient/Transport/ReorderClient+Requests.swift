extension ReorderClient {
    /// Sends a request once, and returns its complete response.
    ///
    /// - Throws: `unreachable` if the response is incomplete; `cancelled`; `closed` after signing out.
    func response(
        to request: ClientRequest
    ) async throws(ClientError) -> (status: Int, body: [UInt8]) {
        guard !isSignedOut else { throw .closed }
        var status = 0
        var body: [UInt8] = []
        var isComplete = false
        for await event in events(of: request) {
            switch event {
            case .head(let code, _): status = code
            case .bytes(let bytes): body += bytes
            case .end(let complete): isComplete = complete
            }
        }
        guard isComplete else { throw .afterWaiting(otherwise: .unreachable) }
        return (status, body)
    }

    private func events(of request: ClientRequest) -> AsyncStream<TransportEvent> {
        AsyncStream { continuation in
            let cancel = transport.start(request) { event in
                continuation.yield(event)
                if case .end = event { continuation.finish() }
            }
            continuation.onTermination = { if case .cancelled = $0 { cancel() } }
        }
    }
}
