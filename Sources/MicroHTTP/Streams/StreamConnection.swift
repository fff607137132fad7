import CMicroHTTPD
import Glibc
import Synchronization

/// A socket that was taken over from libmicrohttpd, and the stream that is sent on it.
///
/// It holds one piece at a time, shared with all streams that send the same: a client that does not
/// read costs that and what its socket buffers.
///
/// `@unchecked Sendable`: `isWoken` is atomic and the constants never change; all else is touched by
/// the loop's thread only.
final class StreamConnection: Wakeable, Timed, @unchecked Sendable {
    let descriptor: Int32
    let part: TopicPart
    private let isChunked: Bool
    /// The client's, of what it may have open.
    private let share: ClientConnectionLimit.Share?
    private let isWoken = Atomic<Bool>(false)

    /// Its place among the topic's streams on this loop.
    var topicPlace = 0
    var deadline = 0
    var deadlinePlace = -1
    /// Whether it waits to be served.
    var isReady = false
    /// Whether the socket takes no more bytes for now.
    private(set) var isBlocked = false
    /// When the socket last took some bytes.
    private(set) var lastSent: Int

    /// `nil` once the stream is over: the source is released.
    private var source: (any EventSource)?
    /// The rest of the current piece.
    private var rest: ArraySlice<UInt8> = []
    /// Whether the stream ends as soon as the source has nothing to give.
    private var isEnding = false
    /// Whether the last words were given, and the end was not.
    private var hasSentClosingEvent = false

    init(
        _ descriptor: Int32, _ stream: EventStream, of client: ClientConnection, on loop: EventLoop,
        isChunked: Bool
    ) {
        self.descriptor = descriptor
        self.isChunked = isChunked
        part = stream.topic.part(on: loop)
        source = stream.source
        lastSent = loop.now
        share = client.share
    }

    /// From any thread.
    func wake() {
        guard !isWoken.exchange(true, ordering: .acquiringAndReleasing) else { return }
        part.loop.wake(self)
    }

    // MARK: On the loop's thread

    /// From now on it can be woken again.
    func allowWaking() {
        isWoken.store(false, ordering: .sequentiallyConsistent)
    }

    func deadlinePassed(at now: Int) { part.loop.streams.deadlinePassed(self, at: now) }

    enum Progress {
        /// It waits for the socket, or for its source.
        case waiting
        /// It has more to send, after others had their turn.
        case more
        /// It is over, by its own end or the peer's.
        case over
    }

    /// Sends what there is and what the socket takes.
    func proceed(now: Int) -> Progress {
        for _ in 0..<Self.piecesInOneTurn {
            if rest.isEmpty {
                guard let piece = nextPiece() else { return .over }
                switch piece {
                case .bytes(let bytes): rest = bytes.wire(isChunked: isChunked)
                case .nothing: return .waiting
                case .end:
                    source = nil
                    rest = isChunked ? Self.lastChunk[...] : []
                }
            }
            switch send(now: now) {
            case .sent: continue
            case .blocked: return .waiting
            case .failed: return .over
            }
        }
        return .more
    }

    private static let piecesInOneTurn = 4
    private static let lastChunk = Array("0\r\n\r\n".utf8)

    /// The socket may take bytes again.
    func unblock() { isBlocked = false }

    /// Sends a heartbeat next if nothing else is being sent.
    func sendHeartbeat() {
        if rest.isEmpty { rest = EventBytes.heartbeat.wire(isChunked: isChunked) }
    }

    /// Ends the stream: after what there is by now, the source's last words.
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

    /// Releases the source, so that what it holds is free.
    func close() {
        source = nil
        rest = []
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
