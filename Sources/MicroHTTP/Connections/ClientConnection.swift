import CMicroHTTPD
import Glibc

/// One connection from accept to close: its client, the deadline of its phase, and what its requests share one after
/// the other. libmicrohttpd's own time-out is not enough. It begins again with each byte, so a client could keep a
/// connection forever by sending single bytes.
///
/// `@unchecked Sendable`: used by the loop's thread only.
final class ClientConnection: Timed, @unchecked Sendable {
    private enum Phase {
        /// No byte has been received yet.
        case fresh
        /// Between a response and the next request's line.
        case idle
        /// From a request's line to its last byte. It begins again with each slice for the body's reader.
        case receiving
        /// The body's reader or the handler runs or waits, or a stream is sent.
        case responding
        case sending(bytes: Int)
    }

    /// libmicrohttpd's connection.
    let connection: OpaquePointer
    /// The client's address; nil if the connection is not an internet connection.
    let address: ClientAddress?
    /// Released when the connection, or the stream on its socket, is closed.
    let share: ClientConnectionLimit.Share?
    /// Released when libmicrohttpd closes the connection; nil with TLS, because `TLSConnection` has
    /// it.
    var slot: ConnectionSlot?
    var deadline = 0
    var deadlinePlace = -1
    /// The memory of the last request, for the next one.
    @exclusivity(unchecked) var memory = Request.Memory()
    /// Memory for the bodies of the responses.
    @exclusivity(unchecked) var buffer = SendBuffer()

    private let loop: EventLoop
    private let descriptor: Int32
    private var phase = Phase.fresh
    private var since: Int
    /// The exchange of the current request.
    private var exchange: ConnectionExchange?

    init(
        _ connection: OpaquePointer, share: ClientConnectionLimit.Share?, slot: ConnectionSlot?,
        on loop: EventLoop
    ) {
        self.connection = connection
        descriptor = micro_mhd_socket(connection)
        address = ClientAddress(micro_mhd_client_address(connection))
        self.share = share
        self.slot = slot
        self.loop = loop
        since = loop.now
    }

    /// Creates the exchange of the next request, and keeps it until `ended`.
    func begin(target: UnsafePointer<CChar>?) -> ConnectionExchange {
        enter(.receiving)
        let next = ConnectionExchange(loop: loop, client: self, target: target, memory: &memory)
        exchange = next
        return next
    }

    func beginReceiving() { enter(.receiving) }

    func beginResponding() { enter(.responding) }

    func beginSending(bytes: Int) { enter(.sending(bytes: bytes)) }

    /// The exchange has ended.
    func ended() {
        enter(.idle)
        exchange = nil
    }

    private func enter(_ phase: Phase) {
        self.phase = phase
        since = loop.now
    }

    /// The time at which the client is disconnected; nil: no limit in this phase.
    ///
    /// libmicrohttpd does not report the first byte of a request, only its complete line. So an idle connection gets
    /// the time for a request as well.
    func end(_ limits: LoopLimits) -> Int? {
        switch phase {
        case .fresh, .receiving: since + limits.requestMilliseconds
        case .idle: since + limits.idleMilliseconds + limits.requestMilliseconds
        case .responding: nil
        case .sending(let bytes): since + limits.sendingMilliseconds(bytes: bytes)
        }
    }

    func deadlinePassed(at now: Int) { loop.checkDeadline(of: self, now: now) }

    /// Disconnects the client. libmicrohttpd handles this like a disconnect by the client.
    func cut() {
        if case .receiving = phase, let exchange {
            let answer = exchange.timeoutResponse()
            // Bytes that do not fit into the socket at once are lost: such a slow client may not read them anyway.
            _ = answer.withUnsafeBytes { bytes in
                send(
                    descriptor, bytes.baseAddress, bytes.count,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
        }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}

extension EventLoop {
    /// Passes a socket to libmicrohttpd. From now on libmicrohttpd owns it, even if this returns
    /// false.
    ///
    /// - Parameter slot: nil with TLS, because `TLSConnection` has it.
    func adopt(
        _ socket: Int32, _ peer: UnsafePointer<sockaddr>, _ length: socklen_t,
        _ share: ClientConnectionLimit.Share?, slot: ConnectionSlot?
    ) -> Bool {
        pendingShare = share
        pendingSlot = slot
        defer {
            pendingShare = nil
            pendingSlot = nil
        }
        return MHD_add_connection(daemon, socket, peer, length) == .YES
    }

    func connectionOpened(_ connection: OpaquePointer) -> ClientConnection {
        let client = ClientConnection(
            connection, share: pendingShare, slot: pendingSlot, on: self)
        if limits.requestMilliseconds > 0 {
            client.deadline = now + limits.requestMilliseconds
            deadlines.insert(client)
        }
        return client
    }

    func connectionClosed(_ client: ClientConnection) {
        deadlines.remove(client)
        client.slot = nil
    }

    /// Disconnects the client if its deadline has passed. Otherwise checks again at the deadline,
    /// or earlier: after the time for a request. So the queue need not change when requests begin
    /// and end, and a request that begins later can't expire before the next check.
    func checkDeadline(of client: ClientConnection, now: Int) {
        let next = now + limits.requestMilliseconds
        let end = client.end(limits) ?? next
        guard end > now else { return client.cut() }
        client.deadline = min(end, next)
        deadlines.insert(client)
    }
}
