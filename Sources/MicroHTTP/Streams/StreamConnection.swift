import CMicroHTTPD
import Glibc
import Synchronization

/// The socket of an event stream, duplicated from libmicrohttpd's, and the stream that is sent on it.
///
/// It has at most one piece of events in memory, which it shares with the other streams that send it. A stream that is
/// compressed also has a small part of it in compressed form. A large piece that the client does not read at once is
/// counted in the `ResponseBudget`; if the budget is used up, the stream ends, and its client connects again.
///
/// `@unchecked Sendable`: `isWoken` is atomic and the constants never change; all else is touched by
/// the loop's thread only.
final class StreamConnection: Wakeable, LoopWork, Timed, @unchecked Sendable {
    let descriptor: Int32
    let part: TopicPart
    private let isChunked: Bool
    /// Compresses the stream; nil if the client does not accept that.
    private var encoder: GzipEncoder?
    /// Counts the stream for its client; nil if connections per client are not limited.
    private let share: ClientConnectionLimit.Share?
    private let memory: ResponseBudget.Share
    private let isWoken = Atomic<Bool>(false)

    /// The index among the topic's streams on this loop.
    var topicPlace = 0
    var deadline = 0
    var deadlinePlace = -1
    /// Whether it is in the queue to be served.
    var isReady = false
    /// Whether the socket's send buffer is full.
    private(set) var isBlocked = false
    /// The time at which the socket last accepted bytes.
    private(set) var lastSent: Int

    /// nil after the stream has ended.
    private var source: (any EventSource)?
    /// The current piece, until it is sent.
    private var piece: EventBytes?
    /// The memory of a large piece that the socket did not accept at once.
    private var reservation: ResponseBudget.Reservation?
    /// The part of the current piece that is not compressed yet; empty if the stream is not compressed.
    private var uncompressed: ArraySlice<UInt8> = []
    /// The unsent bytes: the rest of the current piece, or of its last compressed part.
    private var rest: ArraySlice<UInt8> = []
    /// Whether the stream ends when the source has no more bytes.
    private var isEnding = false
    /// Whether the closing event was sent, but not the end of the body.
    private var hasSentClosingEvent = false

    init(
        _ descriptor: Int32, _ stream: EventStream, of streams: StreamSet,
        share: ClientConnectionLimit.Share?, memory: ResponseBudget.Share, now: Int,
        isChunked: Bool, encoder: GzipEncoder?
    ) {
        self.memory = memory
        self.encoder = encoder
        self.descriptor = descriptor
        self.isChunked = isChunked
        self.share = share
        part = streams.part(of: stream.topic)
        source = stream.source
        lastSent = now
    }

    /// Thread-safe.
    func wake() {
        guard !isWoken.exchange(true, ordering: .acquiringAndReleasing) else { return }
        part.streams.inbox.put(self)
    }

    // MARK: On the loop's thread

    func proceedOnLoop() {
        // Before the stream is served, so that a `wake` from now on is noticed.
        isWoken.store(false, ordering: .sequentiallyConsistent)
        part.streams.makeReady(self)
    }

    func deadlinePassed(at now: Int) { part.streams.deadlinePassed(self, at: now) }

    /// Whether the source has ended by itself.
    var isOver: Bool { source?.secondsLeft().map { $0 <= 0 } ?? false }

    /// The time at which the source ends by itself, or `latest` if that is earlier.
    func deadline(atMost latest: Int, now: Int) -> Int {
        guard let seconds = source?.secondsLeft(), seconds * 1000 < Double(latest - now) else {
            return latest
        }
        return now + max(1, Int((seconds * 1000).rounded(.up)))
    }

    enum Progress {
        /// The stream waits for the socket or for its source.
        case waiting
        /// There is more to send in the next turn.
        case more
        /// The stream has ended, or the client has disconnected.
        case over
    }

    /// Sends what the source has and the socket accepts.
    func proceed(now: Int) -> Progress {
        for _ in 0..<Self.piecesInOneTurn {
            if rest.isEmpty, !uncompressed.isEmpty { compressPart() }
            if rest.isEmpty {
                guard let next = nextPiece() else { return .over }
                switch next {
                case .bytes(let bytes): begin(bytes)
                case .nothing: return .waiting
                case .end:
                    source = nil
                    rest = lastBytes()
                }
            }
            switch send(now: now) {
            case .sent:
                if uncompressed.isEmpty { (piece, reservation) = (nil, nil) }
            case .blocked: return mayKeepPiece() ? .waiting : .over
            case .failed: return .over
            }
        }
        return .more
    }

    private static let piecesInOneTurn = 4
    private static let lastChunk = Array("0\r\n\r\n".utf8)

    /// The socket can accept bytes again.
    func unblock() { isBlocked = false }

    /// Queues a heartbeat, unless other bytes are being sent.
    func sendHeartbeat() {
        if piece == nil, rest.isEmpty { begin(.heartbeat) }
    }

    private func begin(_ bytes: EventBytes) {
        piece = bytes
        if encoder == nil {
            rest = bytes.wire(isChunked: isChunked)
        } else {
            uncompressed = bytes.text
            compressPart()
        }
    }

    /// Compresses the next part of the piece. The client can decompress it at once.
    private func compressPart() {
        guard let encoder else { return }
        // A part at the end of a long piece is not so short that it would be compressed.
        let isLast = uncompressed.count <= Self.storedBytes + Self.maximumCompressedBytes
        let part = isLast ? uncompressed : uncompressed.prefix(Self.storedBytes)
        let isStored = part.count > Self.maximumCompressedBytes
        rest = EventBytes { encoder.write(part, .flush, isStored: isStored, to: &$0) }
            .wire(isChunked: isChunked)
        uncompressed = isLast ? [] : uncompressed.dropFirst(part.count)
    }

    /// Longer pieces are sent uncompressed, because each stream compresses its own, and that delays
    /// the loop's other connections: 0.5 ms for this size.
    static let maximumCompressedBytes = 8 << 10
    /// The size of a part of a longer piece: each stream has its own copy of the part.
    static let storedBytes = 16 << 10

    /// Whether the stream may keep its piece until the client reads.
    private func mayKeepPiece() -> Bool {
        guard reservation == nil, let piece, piece.text.count > ResponseBudget.smallBytes else {
            return true
        }
        reservation = piece.reservation(in: memory)
        return reservation != nil
    }

    /// The end of the body.
    private func lastBytes() -> ArraySlice<UInt8> {
        let lastChunk = isChunked ? Self.lastChunk : []
        guard let encoder else { return lastChunk[...] }
        return EventBytes { encoder.write([], .finish, to: &$0) }.wire(isChunked: isChunked)
            + lastChunk
    }

    /// Ends the stream after it has sent the bytes that the source has now, and the closing event.
    func end() { isEnding = true }

    private func nextPiece() -> EventPiece? {
        guard let piece = source?.next(self) else {
            defer { hasSentClosingEvent = false }
            return hasSentClosingEvent ? .end : nil
        }
        guard case .nothing = piece, isEnding else { return piece }
        defer { source = nil }
        guard let closingEvent = source?.closingEvent() else { return .end }
        hasSentClosingEvent = true
        return .bytes(closingEvent)
    }

    /// Releases the source.
    func close() {
        source = nil
        (piece, reservation) = (nil, nil)
        (rest, uncompressed) = ([], [])
        encoder = nil
    }

    private enum Sending { case sent, blocked, failed }

    private func send(now: Int) -> Sending {
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                Glibc.send(
                    descriptor, bytes.baseAddress, bytes.count,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
                lastSent = now
            } else if errno == EAGAIN {
                isBlocked = true
                return .blocked
            } else if errno != EINTR {
                return .failed
            }
        }
        rest = []
        return .sent
    }
}
