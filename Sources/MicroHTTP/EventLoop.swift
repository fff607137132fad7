import CMicroHTTPD
import Glibc
import Synchronization

/// One daemon of libmicrohttpd, driven by one thread.
///
/// libmicrohttpd's own thread stalls once a full batch of its connections is ready at once: it waits
/// again before it handles them. MHD_run never waits; the waiting is done here, on its epoll
/// descriptor and on one of ours, by which other threads tell that answers are in the inbox.
///
/// `@unchecked Sendable`: the inbox is behind its lock and the constants never change; all else is
/// touched by the loop's thread only, or before that thread starts.
final class EventLoop: @unchecked Sendable {
    struct Limits {
        let maximumBodyBytes: Int
        let maximumDiscardedBytes: Int
    }

    private struct Inbox {
        var answered: [Exchange] = []
        /// Set while the thread waits, or is about to: only then does a new answer have to wake it.
        var isWaiting = false
        var stopGraceSeconds: Double?
    }

    let router: Router
    let limits: Limits
    private let wakeDescriptor: Int32
    private let inbox = Mutex(Inbox())

    private var daemon: OpaquePointer?
    /// libmicrohttpd's, then `wakeDescriptor`.
    private var descriptors: [pollfd] = []
    private var scan = RequestScan()
    private var batch: [Exchange] = []
    private var suspended: [Exchange] = []
    private var liveCount = 0
    private var openConnections = 0
    private var stopDeadline = 0
    private var isAccepting = true
    /// The server stops: answers end their connections.
    private(set) var isStopping = false
    /// The grace is over: requests are answered 503.
    private(set) var isClosing = false

    /// nil where descriptors or memory ran out.
    init?(_ configuration: HTTPServer.Configuration, socket: ListeningSocket, router: Router) {
        self.router = router
        limits = Limits(
            maximumBodyBytes: configuration.maximumBodyBytes,
            maximumDiscardedBytes: configuration.maximumDiscardedBytes)
        wakeDescriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard wakeDescriptor >= 0 else { return nil }
        // A descriptor of its own, so that each loop stops accepting when it is ready to.
        let descriptor = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        let share = (configuration.connectionLimit - 1) / configuration.threadCount + 1
        daemon = micro_mhd_start(
            descriptor, UInt32(clamping: share), UInt32(clamping: configuration.idleTimeoutSeconds),
            configuration.connectionMemoryBytes, Unmanaged.passUnretained(self).toOpaque(),
            beginExchange, handleExchange, endExchange, leaveEscaped)
        guard let daemon else {
            close(descriptor)
            return nil
        }
        descriptors = [micro_mhd_epoll_descriptor(daemon), wakeDescriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
    }

    deinit {
        stopDaemon()
        if wakeDescriptor >= 0 { close(wakeDescriptor) }
    }

    /// Serves until it is stopped.
    func run() {
        while true {
            takeInbox()
            MHD_run(daemon)
            if isStopping, hasStopped() { break }
            if !hasClosedConnections() { wait() }
        }
        stopDaemon()
    }

    // MARK: From any thread

    /// Has the loop send the answer of an exchange, waking it where it is not awake already.
    func resume(_ exchange: Exchange) {
        let mustWake = inbox.withLock { inbox in
            inbox.answered.append(exchange)
            defer { inbox.isWaiting = false }
            return inbox.isWaiting
        }
        if mustWake { eventfd_write(wakeDescriptor, 1) }
    }

    func stop(graceSeconds: Double) {
        inbox.withLock { $0.stopGraceSeconds = graceSeconds }
        eventfd_write(wakeDescriptor, 1)
    }

    // MARK: From the callbacks

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

    func add(suspended exchange: Exchange) {
        exchange.suspendedIndex = suspended.count
        suspended.append(exchange)
    }

    // MARK: The loop's thread

    private func takeInbox() {
        let graceSeconds = inbox.withLock { inbox in
            swap(&batch, &inbox.answered)
            inbox.isWaiting = false
            return inbox.stopGraceSeconds
        }
        for exchange in batch { resumeNow(exchange) }
        batch.removeAll(keepingCapacity: true)
        if let graceSeconds, !isStopping { beginStopping(graceSeconds) }
    }

    private func resumeNow(_ exchange: Exchange) {
        let last = suspended.removeLast()
        if last !== exchange {
            last.suspendedIndex = exchange.suspendedIndex
            suspended[exchange.suspendedIndex] = last
        }
        MHD_resume_connection(exchange.connection)
    }

    /// Waits until there is something to do. Does not where libmicrohttpd has work left.
    private func wait() {
        var milliseconds: CUnsignedLongLong = 0
        var timeout: Int32 = -1
        if MHD_get_timeout(daemon, &milliseconds) == .YES {
            timeout = Int32(clamping: milliseconds)
        }
        if isStopping {
            let left = max(0, Int32(clamping: stopDeadline - monotonicMilliseconds()))
            timeout = timeout < 0 ? left : min(timeout, left)
        }
        guard timeout != 0 else { return }
        let mayWait = inbox.withLock { inbox in
            guard inbox.answered.isEmpty, isStopping || inbox.stopGraceSeconds == nil else {
                return false
            }
            inbox.isWaiting = true
            return true
        }
        guard mayWait else { return }
        poll(&descriptors, nfds_t(descriptors.count), timeout)
        if descriptors[1].revents != 0 {
            var count: eventfd_t = 0
            eventfd_read(wakeDescriptor, &count)
        }
    }

    /// Whether the last run closed connections. If that made room below the limit, libmicrohttpd
    /// listens again in its next run only, and nothing would wake the loop for that one.
    private func hasClosedConnections() -> Bool {
        let before = openConnections
        openConnections = Int(micro_mhd_connection_count(daemon))
        return openConnections < before
    }

    // MARK: Stopping

    private func beginStopping(_ graceSeconds: Double) {
        isStopping = true
        stopDeadline = monotonicMilliseconds() + Int(graceSeconds * 1000)
        stopAccepting()
    }

    /// Whether the loop may end: at once where no request is left; after the grace every suspended
    /// one is answered, and those answers get a second to leave.
    private func hasStopped() -> Bool {
        if liveCount == 0 { return true }
        guard monotonicMilliseconds() >= stopDeadline else { return false }
        if !isClosing {
            isClosing = true
            stopDeadline += 1000
            // Where a handler was first, its answer is on its way to the inbox.
            for exchange in suspended where exchange.giveUp() { resumeNow(exchange) }
            MHD_run(daemon)
            return liveCount == 0
        }
        // libmicrohttpd aborts the process when it is stopped with suspended connections.
        return suspended.isEmpty
    }

    /// Once only: libmicrohttpd returns the descriptor again, closed as it is by then.
    private func stopAccepting() {
        guard isAccepting else { return }
        isAccepting = false
        close(MHD_quiesce_daemon(daemon))
    }

    private func stopDaemon() {
        guard let daemon else { return }
        stopAccepting()
        MHD_stop_daemon(daemon)
        self.daemon = nil
    }
}

private func monotonicMilliseconds() -> Int {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec * 1000 + now.tv_nsec / 1_000_000
}
