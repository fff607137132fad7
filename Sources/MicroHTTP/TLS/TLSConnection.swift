import CGnuTLS
import CMicroHTTPD
import Glibc

/// A TLS connection to a client, and the socket pair that carries its plain bytes to the rest of the server.
///
/// It has at most one record in memory for each direction. If one side does not read, the other side waits.
///
/// Used by the loop's thread only.
final class TLSConnection: Timed {
    private enum Stage {
        case handshake
        case open
        /// The server has closed its end. The remaining bytes are being sent.
        case closing
    }

    enum Progress {
        /// The connection waits for one of its sockets.
        case waiting
        /// The handshake is complete. Call `connect` next.
        case proven
        /// There is more to do in the next turn.
        case more
        case over
    }

    let descriptor: Int32
    /// This end of the socket pair; -1 before the handshake is complete.
    private(set) var inside: Int32 = -1
    let share: ClientConnectionLimit.Share?
    private let slot: ConnectionSlot
    var deadline = 0
    var deadlinePlace = -1
    /// Whether it is in the queue to be served.
    var isReady = false

    private unowned let set: TLSSet
    private let session: gnutls_session_t
    /// Kept because the session uses them.
    private let credentials: TLSCredentials
    private var stage = Stage.handshake
    /// Decrypted bytes that the server has not read yet.
    private var received: ArraySlice<UInt8> = []
    private var hasReceivedAll = false
    /// Whether GnuTLS has a record that the socket has not accepted.
    private var isHolding = false
    /// Whether the client has read bytes since the last call of `mayTakeLonger`.
    private var hasMoved = false

    /// Returns nil if memory is exhausted. Then the caller closes the socket.
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

    /// The server has closed its end. The remaining bytes are being sent.
    func serverHasClosed() {
        stage = .closing
        hasMoved = false
    }

    func deadlinePassed(at now: Int) { set.deadlinePassed(self, at: now) }

    /// Whether the connection may continue after its deadline. The handshake has a single deadline.
    /// After the server has closed its end, the deadline starts again if the client has read bytes
    /// since the last deadline. Between these stages, the deadlines of `ClientConnection` apply.
    func mayTakeLonger() -> Bool {
        defer { hasMoved = false }
        return stage == .open || hasMoved
    }

    /// Sets this end of the socket pair.
    func connect(to inside: Int32) {
        self.inside = inside
        stage = .open
    }

    /// Reads and writes without waiting. `buffer` is temporary memory of a record's size.
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

    /// The step after an error code. A code that is not fatal reports a message of TLS itself. Data
    /// may follow it.
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
        // The server reads no more, but may still send bytes.
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
