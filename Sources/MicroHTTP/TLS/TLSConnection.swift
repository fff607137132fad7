import CGnuTLS
import CMicroHTTPD
import Glibc

/// A client's encrypted connection, and the pair of sockets over which the rest of the server talks to it
/// in the clear.
///
/// It holds at most one piece in each direction: a side that does not read makes the other wait.
///
/// Touched by the loop's thread only.
final class TLSConnection: Timed {
    private enum Stage {
        case handshake
        case open
        /// The server has closed its end; the rest of its bytes is being sent.
        case closing
    }

    enum Progress {
        /// It waits for one of its sockets.
        case waiting
        /// The client has proved to understand: `connect` comes next.
        case proven
        /// It has more to do, after others had their turn.
        case more
        case over
    }

    let descriptor: Int32
    /// Our end of the pair; -1 before there is one.
    private(set) var inside: Int32 = -1
    let share: ClientConnectionLimit.Share?
    private let slot: ConnectionSlot
    var deadline = 0
    var deadlinePlace = -1
    /// Whether it waits for its turn.
    var isReady = false

    private unowned let set: TLSSet
    private let session: gnutls_session_t
    /// The session uses them.
    private let credentials: TLSCredentials
    private var stage = Stage.handshake
    /// Bytes that the server has not taken yet.
    private var received: ArraySlice<UInt8> = []
    private var hasReceivedAll = false
    /// Whether GnuTLS holds a piece that the socket did not take.
    private var isHolding = false
    /// Whether the client took anything since this was last asked.
    private var hasMoved = false

    /// nil where memory ran out: then the socket is the caller's.
    init?(
        _ accepted: AcceptedConnection, _ credentials: TLSCredentials, in set: TLSSet
    ) {
        guard let session = credentials.session(on: accepted.socket) else { return nil }
        descriptor = accepted.socket
        self.credentials = credentials
        self.session = session
        share = accepted.share
        slot = accepted.slot
        self.set = set
    }

    deinit {
        gnutls_deinit(session)
        close(descriptor)
        if inside >= 0 { close(inside) }
    }

    /// The server has closed its end; the rest of its bytes is being sent.
    func serverHasClosed() {
        stage = .closing
        hasMoved = false
    }

    func deadlinePassed(at now: Int) { set.deadlinePassed(self, at: now) }

    /// Whether it may live on: a handshake has one deadline, and so has each piece of what is left to be
    /// sent once the server is done. In between, the deadlines are the server's.
    func mayTakeLonger() -> Bool {
        defer { hasMoved = false }
        return stage == .open || hasMoved
    }

    /// Takes our end of the pair.
    func connect(to inside: Int32) {
        self.inside = inside
        stage = .open
    }

    /// Does what can be done without waiting. `buffer` is for anybody's use, of a record's size.
    func proceed(_ buffer: UnsafeMutableRawBufferPointer) -> Progress {
        if stage == .handshake { return continueHandshake() }
        for _ in 0..<Self.piecesInOneTurn {
            let taken = decrypt(buffer)
            let given = encrypt(buffer)
            if taken == .failed || given == .failed { return .over }
            if taken == .nothing, given == .nothing { return .waiting }
        }
        return .more
    }

    private static let piecesInOneTurn = 8

    private func continueHandshake() -> Progress {
        let code = gnutls_handshake(session)
        if code == GNUTLS_E_SUCCESS { return .proven }
        if code == GNUTLS_E_AGAIN { return .waiting }
        if gnutls_error_is_fatal(code) == 0 { return .more }
        gnutls_alert_send_appropriate(session, code)
        return .over
    }

    private enum Step { case moved, nothing, failed }

    /// Any other code is a message of TLS itself: more may have come behind it.
    private func step(afterError code: Int32) -> Step {
        if code == GNUTLS_E_AGAIN { return .nothing }
        return gnutls_error_is_fatal(code) == 0 ? .moved : .failed
    }

    /// From the client to the server.
    private func decrypt(_ buffer: UnsafeMutableRawBufferPointer) -> Step {
        if received.isEmpty {
            guard !hasReceivedAll, stage == .open else { return .nothing }
            let count = gnutls_record_recv(session, buffer.baseAddress, buffer.count)
            if count < 0 { return step(afterError: Int32(count)) }
            if count == 0 {
                hasReceivedAll = true
                shutdown(inside, Int32(SHUT_WR))
                return .moved
            }
            received = Array(buffer.prefix(count))[...]
        }
        let count = received.withUnsafeBytes { bytes in
            send(inside, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        if count > 0 {
            received = received.dropFirst(count)
            return .moved
        }
        if errno == EAGAIN || errno == EINTR { return .nothing }
        // The server takes no more, and may have something to say all the same.
        received = []
        hasReceivedAll = true
        return .moved
    }

    /// From the server to the client.
    private func encrypt(_ buffer: UnsafeMutableRawBufferPointer) -> Step {
        if isHolding {
            let sent = gnutls_record_send(session, nil, 0)
            if sent < 0 { return step(afterError: Int32(sent)) }
            isHolding = false
            hasMoved = true
        }
        let count = recv(inside, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0 { return errno == EAGAIN || errno == EINTR ? .nothing : .failed }
        if count == 0 {
            _ = micro_tls_end(session)
            return .failed
        }
        let sent = gnutls_record_send(session, buffer.baseAddress, count)
        if sent < 0 {
            guard gnutls_error_is_fatal(Int32(sent)) == 0 else { return .failed }
            isHolding = true
        }
        return .moved
    }
}
