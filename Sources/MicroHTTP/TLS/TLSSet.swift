import CMicroHTTPD
import Glibc

/// Encrypts and decrypts the TLS connections of one loop. The plain bytes of each connection pass
/// through a socket pair. libmicrohttpd or a stream has the other end of the pair.
///
/// libmicrohttpd's own TLS is not used, for two reasons. While a client stalls in its handshake, it
/// keeps the processor busy. And a stream can't take over a socket on which libmicrohttpd has a TLS
/// session.
///
/// Used by the loop's thread only.
final class TLSSet {
    /// Readable when a socket has an event.
    let descriptor: Int32
    private let identity: TLSIdentity
    private let deadlines: DeadlineQueue
    /// 0: no limit.
    private let patienceMilliseconds: Int
    private let acknowledgeMilliseconds: Int
    /// Gives libmicrohttpd its end of a pair; returns false if libmicrohttpd refuses it.
    private let connect: Connect
    typealias Connect = (
        _ socket: Int32, _ peer: UnsafePointer<sockaddr>, _ length: socklen_t,
        _ share: ClientConnectionLimit.Share?
    ) -> Bool

    /// The connections by each of their two sockets.
    private var connections: [Int32: TLSConnection] = [:]
    private var count = 0
    /// Connections to serve. Those before `served` have been served.
    private var ready: [TLSConnection] = []
    private var served = 0
    private var mayBegin = true
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)

    /// Returns nil if the process has no more descriptors. The times are those of `HTTPServerConfiguration`.
    init?(
        _ identity: TLSIdentity, requestTimeoutSeconds: Double, heartbeatSeconds: Double,
        deadlines: DeadlineQueue, connect: @escaping Connect
    ) {
        self.identity = identity
        self.deadlines = deadlines
        patienceMilliseconds = Int(requestTimeoutSeconds * 1000)
        acknowledgeMilliseconds = Int(heartbeatSeconds * 900)
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

    /// Closes the connections whose handshake is not complete, and all connections that begin
    /// later.
    func endHandshakes() {
        mayBegin = false
        for connection in connections.values where connection.inside < 0 { remove(connection) }
    }

    // MARK: Turns

    /// Serves some of the connections that are ready.
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

    /// A small number, because a handshake takes a millisecond.
    private static let turnsInOneRound = 16

    private func makeReady(_ connection: TLSConnection) {
        guard !connection.isReady else { return }
        connection.isReady = true
        ready.append(connection)
    }

    /// Handles the events of the sockets. If there are none, waits for at most `waitMilliseconds`.
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

    /// Sends the remaining bytes for at most a second. Called after the server has closed its ends.
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

    /// Begins the handshake with a client.
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
        setSocketOption(socket, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        setSocketOption(
            socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(clamping: acknowledgeMilliseconds))
        guard micro_epoll_watch_both(descriptor, socket) == 0 else { return }
        connections[socket] = connection
        count += 1
        begin(deadlineOf: connection, now: now)
        makeReady(connection)
    }

    /// Creates the socket pair of a connection, and gives one end to the server.
    private func open(_ connection: TLSConnection) -> Bool {
        var pair: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &pair) == 0 else { return false }
        deadlines.remove(connection)
        connection.connect(to: pair[0])
        connections[pair[0]] = connection
        // Bounds the bytes in the pair for a client that does not read.
        for socket in pair { setSocketOption(socket, SOL_SOCKET, SO_SNDBUF, Self.pairBufferBytes) }
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
}
