import CMicroHTTPD
import Glibc

/// The encrypted connections of one loop. Each is decrypted here, and goes on in the clear over a pair of
/// sockets, of which libmicrohttpd, or a stream, has the other end: nothing behind knows of it.
///
/// libmicrohttpd's own TLS is not used: while a client is within its handshake and sends nothing, its loop
/// never waits; and streams could not take a socket over that only its session can write on.
///
/// Touched by the loop's thread only.
final class TLSSet {
    /// Readable when there is something to do.
    let descriptor: Int32
    private let identity: TLSIdentity
    private let deadlines: DeadlineQueue
    /// 0: any time.
    private let patienceMilliseconds: Int
    private let acknowledgeMilliseconds: Int
    /// Gives the server its end of a pair; false where it takes none.
    private let connect: Connect
    typealias Connect = (
        _ socket: Int32, _ peer: UnsafePointer<sockaddr>, _ length: socklen_t,
        _ share: ClientConnectionLimit.Share?
    ) -> Bool

    /// By both of their sockets.
    private var connections: [Int32: TLSConnection] = [:]
    private var count = 0
    /// Those before `served` have had their turn.
    private var ready: [TLSConnection] = []
    private var served = 0
    private var mayBegin = true
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)

    /// nil where descriptors ran out.
    init?(
        _ identity: TLSIdentity, _ configuration: HTTPServer.Configuration,
        deadlines: DeadlineQueue, connect: @escaping Connect
    ) {
        self.identity = identity
        self.deadlines = deadlines
        patienceMilliseconds = Int(configuration.requestTimeoutSeconds * 1000)
        acknowledgeMilliseconds = Int(configuration.heartbeatSeconds * 900)
        self.connect = connect
        descriptor = epoll_create1(0)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        for connection in connections.values { deadlines.remove(connection) }
        connections = [:]
        if descriptor >= 0 { close(descriptor) }
        buffer.deallocate()
    }

    var isEmpty: Bool { count == 0 }
    var hasReady: Bool { served < ready.count }

    /// Ends the connections whose handshake is not done, and those that come later.
    func endHandshakes() {
        mayBegin = false
        for connection in connections.values where connection.inside < 0 { remove(connection) }
    }

    // MARK: Turns

    /// Gives some of those that are ready their turn.
    func serve(now: Int) {
        let end = min(ready.count, served + Self.turnsInOneRound)
        while served < end {
            let connection = ready[served]
            served += 1
            connection.isReady = false
            guard connections[connection.descriptor] === connection else { continue }
            switch connection.proceed(buffer) {
            case .waiting: break
            case .more: makeReady(connection)
            case .proven:
                if open(connection) { makeReady(connection) } else { remove(connection) }
            case .over: remove(connection)
            }
        }
        if served == ready.count {
            ready.removeAll(keepingCapacity: true)
            served = 0
        }
    }

    /// Few: a handshake takes a millisecond.
    private static let turnsInOneRound = 16

    private func makeReady(_ connection: TLSConnection) {
        guard !connection.isReady else { return }
        connection.isReady = true
        ready.append(connection)
    }

    /// Handles the events of the sockets, and waits for them for a limited time.
    func handleEvents(now: Int, waitMilliseconds: Int32 = 0) {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsAtOnce) { events in
            let count = epoll_wait(
                descriptor, events.baseAddress, Int32(events.count), waitMilliseconds)
            for index in 0..<max(0, Int(count)) {
                var event = events[index]
                let socket = micro_epoll_descriptor(&event)
                if let connection = connections[socket] {
                    if socket == connection.inside, micro_epoll_is_over(&event) != 0 {
                        serverHasClosed(connection, now: now)
                    }
                    makeReady(connection)
                }
            }
        }
    }

    private static let eventsAtOnce = 128

    /// Sends what the server, which has closed all its ends, still had to say, for at most a second.
    func drain() {
        let end = monotonicMilliseconds() + 1000
        while !isEmpty {
            let now = monotonicMilliseconds()
            guard now < end else { return }
            handleEvents(now: now, waitMilliseconds: hasReady ? 0 : Int32(end - now))
            serve(now: now)
        }
    }

    // MARK: Beginning

    /// Shakes hands with a client that was accepted.
    func begin(_ accepted: AcceptedConnection, now: Int) {
        let socket = accepted.socket
        guard mayBegin else {
            close(socket)
            return
        }
        guard let connection = TLSConnection(accepted, identity.credentials, in: self) else {
            close(socket)
            return
        }
        set(socket, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(
            socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(clamping: acknowledgeMilliseconds))
        guard micro_epoll_watch_both(descriptor, socket) == 0 else { return }
        connections[socket] = connection
        count += 1
        begin(deadlineOf: connection, now: now)
        makeReady(connection)
    }

    /// Gives the server the other end of a new pair.
    private func open(_ connection: TLSConnection) -> Bool {
        var pair: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &pair) == 0 else { return false }
        deadlines.remove(connection)
        connection.connect(to: pair[0])
        connections[pair[0]] = connection
        // How much of an answer is on its way to a client that does not read.
        for socket in pair { set(socket, SOL_SOCKET, SO_SNDBUF, Self.pairBufferBytes) }
        guard micro_epoll_watch_both(descriptor, pair[0]) == 0 else {
            close(pair[1])
            return false
        }
        return withPeer(of: connection.descriptor) { peer, length in
            connect(pair[1], peer, length, connection.share)
        }
    }

    private static let pairBufferBytes: Int32 = 64 << 10

    // MARK: Ending

    private func serverHasClosed(_ connection: TLSConnection, now: Int) {
        connection.serverHasClosed()
        guard connection.deadlinePlace < 0 else { return }
        begin(deadlineOf: connection, now: now)
    }

    private func begin(deadlineOf connection: TLSConnection, now: Int) {
        guard patienceMilliseconds > 0 else { return }
        connection.deadline = now + patienceMilliseconds
        deadlines.insert(connection)
    }

    func deadlinePassed(_ connection: TLSConnection, at now: Int) {
        guard connection.mayTakeLonger() else { return remove(connection) }
        begin(deadlineOf: connection, now: now)
    }

    private func remove(_ connection: TLSConnection) {
        deadlines.remove(connection)
        for socket in [connection.descriptor, connection.inside] where socket >= 0 {
            _ = micro_epoll_forget(descriptor, socket)
            connections[socket] = nil
        }
        count -= 1
    }

    // MARK: Sockets

    private func withPeer<Result>(
        of socket: Int32, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getpeername(socket, address, &length)
                return body(address, length)
            }
        }
    }

    private func set(_ socket: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
