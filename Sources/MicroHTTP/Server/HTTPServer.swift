import Synchronization

/// An HTTP/1.1 server: a listening socket and the event loops that serve it.
package final class HTTPServer: Sendable {
    private enum State {
        case new
        case running(ServerThreads)
        case stopped
    }

    private let configuration: HTTPServerConfiguration
    private let router: Router
    /// What clients have not read yet.
    let budget: ResponseBudget
    private let state = Mutex(State.new)

    package init(
        _ configuration: HTTPServerConfiguration = HTTPServerConfiguration(), router: Router
    ) {
        self.configuration = configuration
        self.router = router
        budget = ResponseBudget(limitBytes: configuration.maximumResponsesBytes)
    }

    deinit {
        stop(graceSeconds: 0)
    }

    /// Starts to accept connections and returns the port. A server can be started only once.
    package func start() throws(HTTPServerError) -> Int {
        try state.withLock { (state: inout sending State) throws(HTTPServerError) in
            guard case .new = state else { throw .startedBefore }
            let socket =
                if let descriptor = configuration.listeningDescriptor {
                    try ListeningSocket(descriptor: descriptor)
                } else {
                    try ListeningSocket(host: configuration.host, port: configuration.port)
                }
            socket.probeClients(afterSeconds: configuration.heartbeatSeconds)
            state = .running(try ServerThreads(configuration, socket, router, budget))
            return socket.port
        }
    }

    /// Prepares for a stop: from now on, each response ends its connection, so that proxies have few open
    /// connections when the server stops. The server still accepts connections, and streams stay open.
    package func drain() {
        state.withLock { state in
            if case .running(let threads) = state { threads.endConnections() }
        }
    }

    /// Stops the server. It accepts no more connections, ends the streams with their closing
    /// events, and waits for running requests for at most `graceSeconds`. Then it responds 503 to
    /// the remaining requests, closes all connections and joins the threads.
    ///
    /// Blocks until the server has stopped. A second call does nothing. Must not be called from a
    /// handler.
    package func stop(graceSeconds: Double = 5) {
        let threads: ServerThreads? = state.withLock { state in
            defer { state = .stopped }
            guard case .running(let threads) = state else { return nil }
            return threads
        }
        threads?.stop(graceSeconds: graceSeconds)
    }
}
