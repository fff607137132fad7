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

    /// Verifies that the address can be bound, without accepting a connection.
    package static func checkAddress(host: String, port: Int) throws(HTTPServerError) {
        _ = try ListeningSocket(host: host, port: port, isListening: false)
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

/// The threads of a server, with what each of them runs: the event loops, and the acceptor.
///
/// They are started here, and stopped in reverse order. The acceptor is started last and stopped first, because it
/// gives connections to the loops: a loop that stops must not get another one.
private struct ServerThreads {
    private var loops: [(object: EventLoop, thread: LoopThread)] = []
    private var acceptor: (object: Acceptor, thread: LoopThread)?

    /// Starts all threads. If it can't start one, it stops those that it has started.
    init(
        _ configuration: HTTPServerConfiguration, _ socket: ListeningSocket, _ router: Router,
        _ budget: ResponseBudget
    ) throws(HTTPServerError) {
        do throws(HTTPServerError) {
            try startLoops(configuration, router, budget)
            try startAcceptor(configuration, socket)
        } catch {
            stop(graceSeconds: 0)
            throw error
        }
    }

    private mutating func startLoops(
        _ configuration: HTTPServerConfiguration, _ router: Router, _ budget: ResponseBudget
    ) throws(HTTPServerError) {
        let bodies = BodyBudget(
            limitBytes: max(configuration.maximumBodyBytes, configuration.maximumBodiesBytes))
        for _ in 0..<configuration.threadCount {
            guard
                let loop = EventLoop(configuration, budget: budget, bodies: bodies, router: router),
                let thread = LoopThread({ loop.run() })
            else { throw .noEventLoop }
            loops.append((loop, thread))
        }
    }

    private mutating func startAcceptor(
        _ configuration: HTTPServerConfiguration, _ socket: ListeningSocket
    ) throws(HTTPServerError) {
        let shares =
            configuration.connectionsPerClient > 0
            ? ClientConnectionLimit(limit: configuration.connectionsPerClient) : nil
        guard let room = ConnectionLimit(limit: configuration.connectionLimit) else {
            throw .noEventLoop
        }
        let acceptor = Acceptor(
            socket, loops: loops.map(\.object), room: room, shares: shares,
            clock: configuration.clock)
        guard let thread = LoopThread({ acceptor.run() }) else { throw .noEventLoop }
        self.acceptor = (acceptor, thread)
    }

    /// Makes each response end its connection.
    func endConnections() {
        for loop in loops { loop.object.announceStop() }
    }

    /// Stops the acceptor, then all loops at once, and waits for their ends.
    func stop(graceSeconds: Double) {
        // First, so that all responses have `Connection: close` once the listener is closed.
        endConnections()
        if let acceptor {
            acceptor.object.stop()
            acceptor.thread.join()
        }
        for loop in loops { loop.object.inbox.putStop(graceSeconds: graceSeconds) }
        for loop in loops { loop.thread.join() }
        assert(
            loops.allSatisfy { $0.object.bodies.usedBytes == 0 },
            "the content of bodies is counted without a request")
    }
}
