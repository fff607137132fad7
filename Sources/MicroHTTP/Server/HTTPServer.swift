import Glibc
import Synchronization

/// An HTTP/1.1 server: a listening socket and the event loops that serve it.
package final class HTTPServer: Sendable {
    package struct Configuration: Sendable {
        /// A name or an address, IPv4 or IPv6, with or without brackets.
        package var host = "127.0.0.1"
        /// 0 takes a free port.
        package var port = 0
        /// Event loops, each on a thread of its own. Default: the number of processors.
        package var threadCount = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        /// Connections open at once; more wait to be accepted.
        package var connectionLimit = 10_000
        /// The largest body that a handler gets.
        package var maximumBodyBytes = 8 << 20
        /// What all bodies may take together, from their first byte until their requests are answered. A
        /// body of over 64 KiB that finds no room is answered 503. Each loop has its share.
        package var maximumBodiesBytes = 256 << 20
        /// How much of a larger body is read, and forgotten, so that its client sees the refusal. A
        /// longer one is refused at once, and closed.
        package var maximumDiscardedBytes = 64 << 20
        /// A connection on which nothing happens is closed after this time. 0: never.
        package var idleTimeoutSeconds = 60
        /// A request whose last byte has not come this long after its line is answered 408; a connection
        /// that brings no request as long after it opened is closed. An answer that is not taken within
        /// the same time, and at `slowestAnswerBytesPerSecond` beyond it, is cut. 0: never.
        package var requestTimeoutSeconds = 30.0
        /// How fast a client has to take its answer, on average.
        package var slowestAnswerBytesPerSecond = 4 << 10
        /// The most time that a client has for an answer of any size, beside `requestTimeoutSeconds`.
        package var longestAnswerSeconds = 60.0
        /// The memory that response bodies of over 64 KiB may take until their clients have read them. A
        /// response that finds no room is answered 503. See `ResponseBudget` for each client's share.
        package var maximumResponsesBytes = 256 << 20
        /// Connections that one client, an IPv4 address or an IPv6 network of 64 bits, may have open at
        /// once, event streams too; others are closed as they come. 0: any number.
        package var connectionsPerClient = 0
        /// An event stream on which nothing was sent for this time gets a heartbeat. A client that
        /// takes nothing for as long is cut.
        package var heartbeatSeconds = 15.0
        /// The most that one request's line and header fields may take, and about the memory a
        /// connection needs beside its body.
        package var connectionMemoryBytes = 32 << 10
        /// Who the server is to clients that speak TLS, as all have to then; nil: none does. Event streams
        /// count as connections then.
        package var tls: TLSIdentity?
        /// A socket that listens already, instead of `host` and `port`. It becomes the server's.
        package var listeningDescriptor: Int32?

        package init() {}
    }

    private enum State {
        case new
        case running(Running)
        case stopped
    }

    private struct Running {
        var loops: [EventLoop] = []
        var threads: [LoopThread] = []
        var acceptor: (object: Acceptor, thread: LoopThread)?

        /// Accepts no more connections, then stops the loops.
        func stop(graceSeconds: Double) {
            // Before the listener closes, so that each response after that says that its connection ends.
            for loop in loops { loop.announceStop() }
            acceptor?.object.stop()
            acceptor?.thread.join()
            for loop in loops { loop.stop(graceSeconds: graceSeconds) }
            for thread in threads { thread.join() }
        }
    }

    private let configuration: Configuration
    private let router: Router
    private let state = Mutex(State.new)

    package init(_ configuration: Configuration = Configuration(), router: Router) {
        self.configuration = configuration
        self.router = router
    }

    deinit {
        stop(graceSeconds: 0)
    }

    /// Starts to accept connections and returns the port. A server is started once.
    package func start() throws(HTTPServerError) -> Int {
        try state.withLock { (state: inout sending State) throws(HTTPServerError) in
            guard case .new = state else { throw .startedBefore }
            let shares =
                configuration.connectionsPerClient > 0
                ? ClientConnectionLimit(limit: configuration.connectionsPerClient) : nil
            let socket =
                if let descriptor = configuration.listeningDescriptor {
                    try ListeningSocket(descriptor: descriptor)
                } else {
                    try ListeningSocket(host: configuration.host, port: configuration.port)
                }
            let budget = ResponseBudget(limitBytes: configuration.maximumResponsesBytes)
            var running = Running()
            for _ in 0..<configuration.threadCount {
                guard
                    let loop = EventLoop(configuration, budget: budget, router: router),
                    let thread = LoopThread({ loop.run() })
                else {
                    running.stop(graceSeconds: 0)
                    throw .noEventLoop
                }
                router.rechecks.add(loop)
                running.loops.append(loop)
                running.threads.append(thread)
            }
            let port = socket.port
            guard let room = ConnectionLimit(limit: configuration.connectionLimit) else {
                running.stop(graceSeconds: 0)
                throw .noEventLoop
            }
            let acceptor = Acceptor(socket, loops: running.loops, room: room, shares: shares)
            guard let thread = LoopThread({ acceptor.run() }) else {
                running.stop(graceSeconds: 0)
                throw .noEventLoop
            }
            running.acceptor = (acceptor, thread)
            state = .running(running)
            return port
        }
    }

    /// Stops: accepts no more connections, lets the running requests end for at most `graceSeconds`,
    /// has event streams say their last words, answers 503 to those that are left, closes every connection and joins the threads.
    ///
    /// Blocks until then. Stopping again does nothing. Not to be called from a handler.
    package func stop(graceSeconds: Double = 5) {
        let running: Running? = state.withLock { state in
            defer { state = .stopped }
            guard case .running(let running) = state else { return nil }
            return running
        }
        running?.stop(graceSeconds: graceSeconds)
    }
}

package enum HTTPServerError: Error, Equatable, Sendable {
    case cannotResolve(host: String, reason: String)
    /// The socket that was given is none that listens for TCP.
    case noListeningSocket(descriptor: Int32)
    case cannotListen(host: String, port: Int, reason: String)
    /// Descriptors, threads or memory ran out.
    case noEventLoop
    case startedBefore
}

extension HTTPServerError: CustomStringConvertible {
    /// What happened, for a person; without the address, which the caller knows.
    package var description: String {
        switch self {
        case .cannotResolve(_, let reason): "the host has no address (\(reason))"
        case .noListeningSocket: "the inherited descriptor is not a listening TCP socket"
        case .cannotListen(_, _, let reason): reason
        case .noEventLoop: "descriptors, threads or memory ran out"
        case .startedBefore: "the server was started before"
        }
    }
}
