import CMicroHTTPD
import Glibc

/// One connection, from being accepted to being closed: whose it is, and how long it may take for what
/// it is at. libmicrohttpd's own time-out counts from the last byte, so that one byte now and then would
/// hold a connection for ever.
///
/// `@unchecked Sendable`: touched by the loop's thread only.
final class ClientConnection: Timed, @unchecked Sendable {
    private enum Phase {
        /// Nothing has come yet.
        case fresh
        /// Between an answer and the next request's line.
        case idle
        /// From a request's line to its last byte.
        case receiving
        /// The answer is being made, or a stream is sent.
        case answering
        case sending(bytes: Int)
    }

    /// Whose it is; nil where it does not come over the internet's protocols.
    let address: ClientAddress?
    /// Held for as long as it, or the stream that took its socket over, is open.
    let share: ConnectionShares.Share?
    /// Held until libmicrohttpd closes it; nil if the connection is counted elsewhere.
    var slot: ConnectionSlot?
    var deadline = 0
    var deadlinePlace = -1

    private unowned let loop: EventLoop
    private let descriptor: Int32
    private var phase = Phase.fresh
    private var since: Int
    private var exchange: Exchange?

    init(
        _ descriptor: Int32, _ address: ClientAddress?, share: ConnectionShares.Share?,
        slot: ConnectionSlot?, on loop: EventLoop
    ) {
        self.descriptor = descriptor
        self.address = address
        self.share = share
        self.slot = slot
        self.loop = loop
        since = loop.now
    }

    func begins(_ exchange: Exchange) {
        self.exchange = exchange
        enter(.receiving)
    }

    func isAnswering() { enter(.answering) }

    func isSending(bytes: Int) { enter(.sending(bytes: bytes)) }

    func ended() {
        exchange = nil
        enter(.idle)
    }

    private func enter(_ phase: Phase) {
        self.phase = phase
        since = loop.now
    }

    /// When it has taken too long; nil where it may take any time.
    ///
    /// Nobody tells when the first byte of a request comes, only when its line is whole: for that it
    /// has the time in which it may be idle, too.
    func end(_ limits: EventLoop.Limits) -> Int? {
        switch phase {
        case .fresh, .receiving: since + limits.requestMilliseconds
        case .idle: since + limits.idleMilliseconds + limits.requestMilliseconds
        case .answering: nil
        case .sending(let bytes): since + limits.sendingMilliseconds(bytes: bytes)
        }
    }

    func deadlinePassed(at now: Int) { loop.look(at: self, now: now) }

    /// Ends it: libmicrohttpd hears of it as if the peer had left.
    func cut() {
        if case .receiving = phase, let exchange {
            let answer = exchange.lateAnswer()
            // What does not fit the socket at once is lost: who is that slow may not read it anyway.
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
    func connectionOpened(_ connection: OpaquePointer) -> ClientConnection {
        let client = ClientConnection(
            micro_mhd_socket(connection), ClientAddress(micro_mhd_client_address(connection)),
            share: pendingShare, slot: pendingSlot, on: self)
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

    /// Cuts it where its time is over. Else it is looked at again: requests come and go without touching
    /// the queue, and none that begins from now on may be over before.
    func look(at client: ClientConnection, now: Int) {
        let next = now + limits.requestMilliseconds
        let end = client.end(limits) ?? next
        guard end > now else { return client.cut() }
        client.deadline = min(end, next)
        deadlines.insert(client)
    }
}
