import CMicroHTTPD
import Glibc
import Synchronization

/// One daemon of libmicrohttpd, driven by one thread.
///
/// libmicrohttpd's own thread stalls when a full batch of its connections is ready at once: it
/// waits again before it handles them. So the loop calls MHD_run, which never waits, and waits
/// itself. It waits on libmicrohttpd's epoll descriptor, and on that of its inbox, where other
/// threads put work. The `Acceptor` accepts connections, not libmicrohttpd.
///
/// `@unchecked Sendable`: the constants never change; all else is touched by the loop's thread only,
/// or before that thread starts. For speed, overlapping accesses to `suspended` are not detected at run
/// time.
final class EventLoop: @unchecked Sendable {
    let router: Router
    let middleware: Middleware
    let limits: LoopLimits
    let streams: StreamSet
    let deadlines = DeadlineQueue()
    let disconnects: DisconnectWatch
    let load = LoopLoad()
    let inbox: LoopInbox

    private(set) var daemon: OpaquePointer?
    private var tls: TLSSet?
    /// The descriptors to wait on: of libmicrohttpd, the inbox, streams, TLS connections, `disconnects`.
    private var descriptors: [pollfd] = []
    private var batch = LoopInbox.Contents()
    /// Exchanges whose handlers have not responded yet, or whose body is being read.
    @exclusivity(unchecked) var suspended: [ConnectionExchange] = []
    /// Connections whose sockets now belong to streams. libmicrohttpd must clean them up.
    private var leaving: [OpaquePointer] = []
    private var liveCount = 0
    /// The memory of the bodies of all requests that have no response yet.
    var bodiesBytes = 0
    /// Limits what the readers of bodies have made of them.
    let bodies: BodyBudget
    /// The properties of the connection that libmicrohttpd opens next.
    var pendingShare: ClientConnectionLimit.Share?
    var pendingSlot: ConnectionSlot?
    private let clock: MonotonicClock
    /// The start of this turn, in nanoseconds of the clock and in milliseconds.
    private(set) var turnStart: Int
    private(set) var now: Int
    /// In milliseconds of the system's clock.
    private var stopDeadline = 0
    /// Whether the server stops: responses end their connections.
    private(set) var isStopping = false
    private let isStopAnnounced = Atomic(false)
    /// Whether the grace period is over: requests get 503.
    private(set) var isClosing = false

    /// Returns nil if descriptors or memory ran out.
    init?(
        _ configuration: HTTPServerConfiguration, budget: ResponseBudget, bodies: BodyBudget,
        router: Router
    ) {
        self.router = router
        self.bodies = bodies
        clock = configuration.clock
        turnStart = clock()
        now = turnStart / 1_000_000
        middleware = Middleware(router, budget: budget, clock: clock)
        limits = LoopLimits(configuration)
        guard let inbox = LoopInbox(), let disconnects = DisconnectWatch(),
            let streams = StreamSet(
                heartbeatSeconds: configuration.heartbeatSeconds, deadlines: deadlines,
                inbox: inbox)
        else { return nil }
        self.inbox = inbox
        self.streams = streams
        self.disconnects = disconnects
        daemon = micro_mhd_start(
            UInt32(clamping: configuration.connectionLimit),
            UInt32(clamping: configuration.idleTimeoutSeconds),
            configuration.connectionMemoryBytes, Unmanaged.passUnretained(self).toOpaque(),
            beginExchange, handleExchange, endExchange, notifyOfConnection, leaveEscaped)
        guard let daemon else { return nil }
        if let identity = configuration.tls {
            tls = TLSSet(
                identity, requestTimeoutSeconds: configuration.requestTimeoutSeconds,
                heartbeatSeconds: configuration.heartbeatSeconds, deadlines: deadlines
            ) { [unowned self] socket, peer, length, share in
                adopt(socket, peer, length, share, slot: nil)
            }
            guard tls != nil else { return nil }
        }
        descriptors = [
            micro_mhd_epoll_descriptor(daemon), inbox.descriptor, streams.descriptor,
            tls?.descriptor ?? -1, disconnects.descriptor,
        ].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    }

    deinit {
        stopDaemon()
    }

    /// Serves connections until the loop is stopped.
    func run() {
        while true {
            turnStart = clock()
            now = turnStart / 1_000_000
            load.turnBegins(at: turnStart)
            takeInbox()
            runDaemon()
            tls?.serve(now: now)
            serveStreams()
            if isStopping, hasStopped() { break }
            reportOpen()
            wait()
        }
        stopDaemon()
    }

    // MARK: From any thread

    /// From now on, responses close their connections.
    func announceStop() { isStopAnnounced.store(true, ordering: .relaxed) }

    /// Whether the server stops, or is about to: responses end their connections.
    var willStop: Bool { isStopping || isStopAnnounced.load(ordering: .relaxed) }

    // MARK: From the callbacks

    func exchangeBegan() { liveCount += 1 }
    func exchangeEnded() { liveCount -= 1 }

    /// Duplicates a connection's socket for its stream. libmicrohttpd closes its own descriptor.
    ///
    /// The connection's body reader then fails (see `readStream`). libmicrohttpd closes such a
    /// connection only when it handles the connection again. Suspending and resuming the connection
    /// makes it do so.
    func begin(
        _ stream: EventStream, of client: ClientConnection, _ memory: ResponseBudget.Share,
        isChunked: Bool, isCompressed: Bool
    ) {
        MHD_suspend_connection(client.connection)
        leaving.append(client.connection)
        let encoder = isCompressed ? GzipEncoder(.stream) : nil
        guard !isCompressed || encoder != nil else { return }
        let socket = fcntl(micro_mhd_socket(client.connection), F_DUPFD_CLOEXEC, 0)
        guard socket >= 0 else { return }
        streams.add(
            StreamConnection(
                socket, stream, of: streams, share: client.share, memory: memory, now: now,
                isChunked: isChunked, encoder: encoder))
    }

    // MARK: Exchanges that wait

    /// Suspends the connection of an exchange whose handler has not responded yet, or whose body is being read.
    func suspend(_ exchange: ConnectionExchange) {
        exchange.suspendedIndex = suspended.count
        suspended.append(exchange)
        MHD_suspend_connection(exchange.client.connection)
    }

    /// The connection proceeds in the next call of libmicrohttpd.
    func resume(_ exchange: ConnectionExchange) {
        let last = suspended.removeLast()
        if last !== exchange {
            last.suspendedIndex = exchange.suspendedIndex
            suspended[exchange.suspendedIndex] = last
        }
        MHD_resume_connection(exchange.client.connection)
    }

    func begin(_ timeout: ExchangeTimeout, seconds: Double, on connection: OpaquePointer) {
        timeout.deadline = milliseconds + (isStopping ? 0 : Int(seconds * 1000))
        deadlines.insert(timeout)
        disconnects.add(timeout, on: micro_mhd_socket(connection))
    }

    func cancel(_ timeout: ExchangeTimeout) {
        deadlines.remove(timeout)
        disconnects.remove(timeout)
    }

    // MARK: The loop's thread

    private func takeInbox() {
        inbox.take(into: &batch)
        for connection in batch.accepted { begin(connection) }
        for work in batch.work { work.proceedOnLoop() }
        if let graceSeconds = batch.graceSeconds { beginStopping(graceSeconds) }
        batch.removeAll()
    }

    private func begin(_ connection: AcceptedConnection) {
        if let tls { return tls.begin(connection, now: now) }
        _ = connection.withPeer { peer, length in
            adopt(connection.socket, peer, length, connection.share, slot: connection.slot)
        }
    }

    private func serveStreams() {
        if deadlines.first != nil || streams.hasReady {
            let now = milliseconds
            while let timed = deadlines.popPassed(at: now) { timed.deadlinePassed(at: now) }
            streams.serve(now: now)
        }
    }

    /// The current time of the clock.
    var milliseconds: Int { clock() / 1_000_000 }

    private func runDaemon() {
        MHD_run(daemon)
        guard !leaving.isEmpty else { return }
        for connection in leaving { MHD_resume_connection(connection) }
        leaving.removeAll(keepingCapacity: true)
        MHD_run(daemon)
    }

    /// Waits for events. Returns immediately if libmicrohttpd has more work.
    private func wait() {
        var milliseconds: CUnsignedLongLong = 0
        var timeout: Int32 = -1
        if MHD_get_timeout(daemon, &milliseconds) == .YES {
            timeout = Int32(clamping: milliseconds)
        }
        if isStopping { timeout = earlier(timeout, stopDeadline - monotonicMilliseconds()) }
        if let deadline = deadlines.first {
            timeout = earlier(timeout, deadline - self.milliseconds)
        }
        if timeout == 0 || streams.hasReady || tls?.hasReady == true || !leaving.isEmpty {
            tls?.handleEvents(now: now)
            disconnects.handleEvents(now: now)
            return streams.handleEvents()
        }
        guard inbox.beginWaiting() else { return }
        load.turnEnds()
        poll(&descriptors, nfds_t(descriptors.count), timeout)
        if descriptors[1].revents != 0 {
            inbox.endWaiting()
            // Lets the thread that has woken this one put more into the inbox first.
            sched_yield()
        }
        if descriptors[2].revents != 0 { streams.handleEvents() }
        if descriptors[3].revents != 0 { tls?.handleEvents(now: now) }
        if descriptors[4].revents != 0 { disconnects.handleEvents(now: now) }
    }

    /// The shorter of a time-out and the time that is left until a deadline. A negative time-out is infinite.
    private func earlier(_ timeout: Int32, _ millisecondsLeft: Int) -> Int32 {
        let left = max(0, Int32(clamping: millisecondsLeft))
        return timeout < 0 ? left : min(timeout, left)
    }

    private func reportOpen() {
        middleware.metrics.setOpen(
            connections: Int(micro_mhd_connection_count(daemon)), streams: streams.count)
        load.setStreams(streams.count)
    }

    // MARK: Stopping

    private func beginStopping(_ graceSeconds: Double) {
        isStopping = true
        stopDeadline = monotonicMilliseconds() + Int(graceSeconds * 1000)
        tls?.endHandshakes()
        streams.endAll()
        // Long polls end now.
        while let timed = deadlines.popPassed(at: .max) {
            if timed is ExchangeTimeout { timed.deadlinePassed(at: stopDeadline) }
        }
    }

    /// Whether the loop may end. It ends when no request and no stream is left. After the grace
    /// period, each suspended request gets 503, and the loop sends responses for one more second.
    private func hasStopped() -> Bool {
        guard leaving.isEmpty else { return false }
        if liveCount == 0, streams.isEmpty { return true }
        guard monotonicMilliseconds() >= stopDeadline else { return false }
        if !isClosing {
            isClosing = true
            stopDeadline += 1000
            streams.closeAll()
            for exchange in suspended {
                exchange.giveUp()
                resume(exchange)
            }
            runDaemon()
            return liveCount == 0 && leaving.isEmpty
        }
        // libmicrohttpd aborts the process when it is stopped with suspended connections.
        return suspended.isEmpty
    }

    private func stopDaemon() {
        guard let daemon else { return }
        streams.closeAll()
        tls?.endHandshakes()
        MHD_stop_daemon(daemon)
        self.daemon = nil
        assert(bodiesBytes == 0, "\(bodiesBytes) bytes of bodies are counted without a request")
        tls?.drain()
        inbox.end()
        middleware.metrics.setOpen(connections: 0, streams: 0)
    }
}
