import CMicroHTTPD
import Glibc
import Synchronization

/// One daemon of libmicrohttpd, driven by one thread.
///
/// libmicrohttpd's own thread stalls once a full batch of its connections is ready at once: it waits
/// again before it handles them. MHD_run never waits; the waiting is done here, on its epoll
/// descriptor and on one of ours, by which other threads tell that answers are in the inbox. Nor does
/// libmicrohttpd accept connections: they come from the acceptor, which shares them out between the loops.
///
/// `@unchecked Sendable`: the inbox is behind its lock and the constants never change; all else is
/// touched by the loop's thread only, or before that thread starts.
final class EventLoop: RecheckListener, @unchecked Sendable {
    let router: Router
    /// Held here so that asking it copies nothing that all loops share: the counts of shared objects go
    /// from processor to processor with each request.
    private let readyAnswer: Router.ReadyAnswer?
    /// `Router.gate`, for the same reason.
    let gate: Gate?
    /// The route that it stands for, among the router's.
    let readyRoute: Int?
    let limits: Limits
    let streams: StreamSet
    let deadlines = DeadlineQueue()
    let disconnects: DisconnectWatch
    let load = LoopLoad()
    let budget: ResponseBudget
    let report: AnswerReport?
    let recorder: LoopRecorder
    private let wakeDescriptor: Int32
    private let inbox = Mutex(Inbox())

    private(set) var daemon: OpaquePointer?
    private var tls: TLSSet?
    /// libmicrohttpd's, `wakeDescriptor`, the streams', the encrypted connections', `disconnects`'.
    private var descriptors: [pollfd] = []
    private var scan = RequestScan()
    private var requestIDs = RequestIDSequence()
    private var batch = Inbox()
    /// Exchanges whose handlers have not responded yet.
    var suspended: [Exchange] = []
    /// Those of them that wait for a recheck, and how many they are.
    var held: [Exchange] = []
    let heldCount = Atomic<Int>(0)
    var isHandlingHeld = false
    var rechecked: [Exchange] = []
    /// Those whose sockets were taken over, for libmicrohttpd to clean up.
    private var leaving: [OpaquePointer] = []
    private var liveCount = 0
    /// What the bodies of all requests take that are not answered yet.
    var bodiesBytes = 0
    /// The connection that libmicrohttpd is about to open has these.
    var pendingShare: ConnectionShares.Share?
    var pendingSlot: ConnectionSlot?
    /// When this round began, in nanoseconds of the monotonic clock, and in milliseconds.
    private(set) var turnStart = monotonicNanoseconds()
    private(set) var now = monotonicMilliseconds()
    private var stopDeadline = 0
    /// The server stops: answers end their connections.
    private(set) var isStopping = false
    private let isStopAnnounced = Atomic(false)
    /// The grace is over: requests are answered 503.
    private(set) var isClosing = false

    /// nil where descriptors or memory ran out.
    init?(
        _ configuration: HTTPServer.Configuration, budget: ResponseBudget, router: Router
    ) {
        self.router = router
        self.budget = budget
        report = configuration.report
        recorder = router.recorder.part(of: router.routes)
        readyRoute = router.readyRoute
        readyAnswer = router.readyAnswers
        if let shared = router.gate { gate = { shared(&$0) } } else { gate = nil }
        limits = Limits(configuration)
        wakeDescriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard wakeDescriptor >= 0, let disconnects = DisconnectWatch(),
            let streams = StreamSet(
                heartbeatSeconds: configuration.heartbeatSeconds, deadlines: deadlines)
        else { return nil }
        self.streams = streams
        self.disconnects = disconnects
        daemon = micro_mhd_start(
            UInt32(clamping: configuration.connectionLimit),
            UInt32(clamping: configuration.idleTimeoutSeconds),
            configuration.connectionMemoryBytes, Unmanaged.passUnretained(self).toOpaque(),
            beginExchange, handleExchange, endExchange, notifyOfConnection, leaveEscaped)
        guard let daemon else { return nil }
        if let identity = configuration.tls {
            tls = makeTLSSet(identity, configuration)
            guard tls != nil else { return nil }
        }
        descriptors = [
            micro_mhd_epoll_descriptor(daemon), wakeDescriptor, streams.descriptor,
            tls?.descriptor ?? -1, disconnects.descriptor,
        ].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    }

    deinit {
        stopDaemon()
        if wakeDescriptor >= 0 { close(wakeDescriptor) }
    }

    /// Serves until it is stopped.
    func run() {
        while true {
            turnStart = monotonicNanoseconds()
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

    /// Has the loop call the handler of an exchange again.
    func resume(_ exchange: Exchange) { deliver { $0.resumed.append(exchange) } }

    /// Has the streams of a topic ask their sources.
    func hasNews(_ part: TopicPart) { deliver { $0.topics.append(part) } }

    /// Serves a connection from now on.
    func take(_ connection: AcceptedConnection) { deliver { $0.accepted.append(connection) } }

    func wake(_ stream: StreamConnection) { deliver { $0.streams.append(stream) } }

    func deliver(_ put: (inout Inbox) -> Void) {
        let mustWake = inbox.withLock { inbox in
            put(&inbox)
            defer { inbox.isWaiting = false }
            return inbox.isWaiting
        }
        if mustWake { eventfd_write(wakeDescriptor, 1) }
    }

    /// Has responses end their connections from now on.
    func announceStop() { isStopAnnounced.store(true, ordering: .relaxed) }

    /// Whether the server stops, or is about to: responses end their connections.
    var willStop: Bool { isStopping || isStopAnnounced.load(ordering: .relaxed) }

    func stop(graceSeconds: Double) {
        inbox.withLock { $0.stopGraceSeconds = graceSeconds }
        eventfd_write(wakeDescriptor, 1)
    }

    // MARK: From the callbacks

    /// The answer to a request that is ready, if it is.
    func readyAnswer(to request: Request) -> PreparedResponse? {
        guard let readyAnswer, request.method == .get else { return nil }
        return readyAnswer(request)
    }

    func exchangeBegan() { liveCount += 1 }
    func exchangeEnded() { liveCount -= 1 }

    func scanHead(
        _ connection: OpaquePointer, _ line: RequestLine, _ parts: HiddenQuery.Parts
    ) -> RequestScan.Summary {
        scan.begin(line, parts)
        withUnsafeMutablePointer(to: &scan) { scan in
            _ = MHD_get_connection_values_n(connection, .HEADER_KIND, scanField, scan)
        }
        return scan.finish(line, headerSize: micro_mhd_header_size(connection))
    }

    /// Takes a connection's socket over, for its stream. libmicrohttpd closes its own descriptor.
    ///
    /// It does so when it next looks at the connection, which for one that fails while its body is
    /// read it has no reason to: suspended and resumed, the connection is looked at.
    func begin(
        _ stream: EventStream, of client: ClientConnection, on connection: OpaquePointer,
        isChunked: Bool
    ) {
        MHD_suspend_connection(connection)
        leaving.append(connection)
        let socket = fcntl(micro_mhd_socket(connection), F_DUPFD_CLOEXEC, 0)
        guard socket >= 0 else { return }
        streams.add(
            StreamConnection(
                socket, stream, of: client, on: self, isChunked: isChunked))
    }

    func makeRequestID() -> String { requestIDs.next() }

    // MARK: The loop's thread

    private func takeInbox() {
        let (graceSeconds, isRecheckDue) = inbox.withLock { inbox in
            swap(&batch.accepted, &inbox.accepted)
            swap(&batch.resumed, &inbox.resumed)
            swap(&batch.topics, &inbox.topics)
            swap(&batch.streams, &inbox.streams)
            inbox.isWaiting = false
            defer { inbox.isRecheckDue = false }
            return (inbox.stopGraceSeconds, inbox.isRecheckDue)
        }
        for connection in batch.accepted { begin(connection) }
        batch.accepted.removeAll(keepingCapacity: true)
        for exchange in batch.resumed where exchange.isWaiting { handleAgain(exchange) }
        batch.resumed.removeAll(keepingCapacity: true)
        if isRecheckDue { handleHeld() }
        for part in batch.topics {
            for stream in part.look() { streams.makeReady(stream) }
        }
        batch.topics.removeAll(keepingCapacity: true)
        for stream in batch.streams {
            stream.acceptWaking()
            streams.makeReady(stream)
        }
        batch.streams.removeAll(keepingCapacity: true)
        if let graceSeconds, !isStopping { beginStopping(graceSeconds) }
    }

    private func begin(_ connection: AcceptedConnection) {
        if let tls { return tls.begin(connection, now: now) }
        _ = connection.withPeer { peer, length in
            adopt(connection.socket, peer, length, connection.share, slot: connection.slot)
        }
    }

    private func serveStreams() {
        if deadlines.first != nil || streams.hasReady {
            let now = monotonicMilliseconds()
            while let timed = deadlines.popPassed(at: now) { timed.deadlinePassed(at: now) }
            streams.serve(now: now)
        }
    }

    private func runDaemon() {
        MHD_run(daemon)
        guard !leaving.isEmpty else { return }
        for connection in leaving { MHD_resume_connection(connection) }
        leaving.removeAll(keepingCapacity: true)
        MHD_run(daemon)
    }

    /// Waits until there is something to do. Does not where libmicrohttpd has work left.
    private func wait() {
        var milliseconds: CUnsignedLongLong = 0
        var timeout: Int32 = -1
        if MHD_get_timeout(daemon, &milliseconds) == .YES {
            timeout = Int32(clamping: milliseconds)
        }
        if isStopping { timeout = sooner(timeout, stopDeadline) }
        if let deadline = deadlines.first { timeout = sooner(timeout, deadline) }
        if timeout == 0 || streams.hasReady || tls?.hasReady == true || !leaving.isEmpty {
            tls?.takeEvents(now: now)
            disconnects.takeEvents(now: now)
            return streams.takeEvents()
        }
        let mayWait = inbox.withLock { inbox in
            guard inbox.isEmpty, isStopping || inbox.stopGraceSeconds == nil else { return false }
            inbox.isWaiting = true
            return true
        }
        guard mayWait else { return }
        load.turnEnds()
        poll(&descriptors, nfds_t(descriptors.count), timeout)
        if descriptors[1].revents != 0 {
            var count: eventfd_t = 0
            eventfd_read(wakeDescriptor, &count)
        }
        if descriptors[2].revents != 0 { streams.takeEvents() }
        if descriptors[3].revents != 0 { tls?.takeEvents(now: now) }
        if descriptors[4].revents != 0 { disconnects.takeEvents(now: now) }
    }

    /// A time to wait that does not go beyond a deadline; less than 0 stands for any time.
    private func sooner(_ timeout: Int32, _ deadline: Int) -> Int32 {
        let left = max(0, Int32(clamping: deadline - monotonicMilliseconds()))
        return timeout < 0 ? left : min(timeout, left)
    }

    private func reportOpen() {
        recorder.setOpen(
            connections: Int(micro_mhd_connection_count(daemon)), streams: streams.count)
        load.setStreams(streams.count)
    }

    // MARK: Stopping

    private func beginStopping(_ graceSeconds: Double) {
        isStopping = true
        stopDeadline = monotonicMilliseconds() + Int(graceSeconds * 1000)
        tls?.endHandshakes()
        streams.endAll()
        // Who waits for something to happen need not wait any longer.
        while let timed = deadlines.popPassed(at: .max) {
            if timed is Alarm { timed.deadlinePassed(at: stopDeadline) }
        }
    }

    /// Whether the loop may end: at once where no request and no stream is left; after the grace
    /// every suspended request is answered, and those answers get a second to leave.
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
                resumeNow(exchange)
            }
            held = []
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
        tls?.drain()
        recorder.setOpen(connections: 0, streams: 0)
    }
}
