import CMicroHTTPD
import Glibc

/// The streams of one loop: their sockets, and the queue of streams to serve. Used by the loop's
/// thread only.
///
/// One event can make thousands of streams ready at once. A limited number is served in a turn, so
/// that requests on the same loop do not wait for all of them.
final class StreamSet {
    /// Readable when sockets can take more bytes or when clients have disconnected.
    let descriptor: Int32
    /// The loop's inbox, where other threads wake streams.
    let inbox: LoopInbox
    private let deadlines: DeadlineQueue
    private let heartbeatMilliseconds: Int
    private var streams: [Int32: StreamConnection] = [:]
    private var parts: [ObjectIdentifier: TopicPart] = [:]
    /// Streams to serve. Those before `served` have been served.
    private var ready: [StreamConnection] = []
    private var served = 0
    private var isEnding = false

    /// Returns nil if the process has no more descriptors.
    init?(heartbeatSeconds: Double, deadlines: DeadlineQueue, inbox: LoopInbox) {
        self.deadlines = deadlines
        self.inbox = inbox
        heartbeatMilliseconds = max(1, Int(heartbeatSeconds * 1000))
        descriptor = epoll_create1(0)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        closeAll()
        if descriptor >= 0 { close(descriptor) }
    }

    var isEmpty: Bool { streams.isEmpty }
    var count: Int { streams.count }
    /// Whether a stream can be served without waiting.
    var hasReady: Bool { served < ready.count }

    /// Adds a stream. Its socket is closed with it.
    func add(_ stream: StreamConnection) {
        prepare(stream.descriptor)
        streams[stream.descriptor] = stream
        stream.part.add(stream)
        stream.deadline = stream.deadline(
            atMost: stream.lastSent + heartbeatMilliseconds, now: stream.lastSent)
        deadlines.insert(stream)
        guard micro_epoll_watch(descriptor, stream.descriptor) == 0 else { return remove(stream) }
        if isEnding { stream.end() }
        makeReady(stream)
    }

    /// The streams of a topic, for a stream that is added next.
    func part(of topic: any StreamTopic) -> TopicPart {
        if let part = parts[ObjectIdentifier(topic)] { return part }
        let part = TopicPart(topic, of: self)
        parts[ObjectIdentifier(topic)] = part
        return part
    }

    func makeReady(_ stream: StreamConnection) {
        guard !stream.isReady, !stream.isBlocked, streams[stream.descriptor] === stream else {
            return
        }
        stream.isReady = true
        ready.append(stream)
    }

    /// Serves some of the streams that are ready.
    func serve(now: Int) {
        let end = min(ready.count, served + Self.turnsInOneRound)
        while served < end {
            let stream = ready[served]
            served += 1
            stream.isReady = false
            guard streams[stream.descriptor] === stream else { continue }
            switch stream.proceed(now: now) {
            case .waiting: break
            case .more: makeReady(stream)
            case .over: remove(stream)
            }
        }
        if served == ready.count {
            ready.removeAll(keepingCapacity: true)
            served = 0
        }
    }

    private static let turnsInOneRound = 64

    /// Handles the events of the sockets. Never waits.
    func handleEvents() {
        guard !streams.isEmpty else { return }
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsAtOnce) { events in
            var count: Int
            repeat {
                count = Int(epoll_wait(descriptor, events.baseAddress, Int32(events.count), 0))
                for index in 0..<max(0, count) {
                    var event = events[index]
                    guard let stream = streams[micro_epoll_descriptor(&event)] else { continue }
                    if micro_epoll_is_over(&event) != 0 {
                        remove(stream)
                    } else {
                        stream.unblock()
                        makeReady(stream)
                    }
                }
            } while count == events.count
        }
    }

    private static let eventsAtOnce = 128

    /// Nothing was sent for the heartbeat interval, or the source has ended by itself. Sends a heartbeat or the end,
    /// or closes the stream if the client reads nothing.
    func deadlinePassed(_ stream: StreamConnection, at now: Int) {
        let quiet = now - stream.lastSent
        let isQuiet = quiet >= heartbeatMilliseconds
        if isQuiet || stream.isOver {
            guard !stream.isBlocked else { return remove(stream) }
            if isQuiet { stream.sendHeartbeat() }
            makeReady(stream)
        }
        stream.deadline = stream.deadline(
            atMost: now + heartbeatMilliseconds - (isQuiet ? 0 : quiet), now: now)
        deadlines.insert(stream)
    }

    /// Ends all streams with their closing events, and from now on also each new stream.
    func endAll() {
        isEnding = true
        for stream in streams.values {
            stream.end()
            makeReady(stream)
        }
    }

    func closeAll() {
        for stream in streams.values { remove(stream) }
        // The streams refer to this object.
        ready = []
        served = 0
    }

    private func remove(_ stream: StreamConnection) {
        streams[stream.descriptor] = nil
        stream.part.remove(stream)
        if stream.part.isEmpty { parts[ObjectIdentifier(stream.part.topic)] = nil }
        deadlines.remove(stream)
        _ = micro_epoll_forget(descriptor, stream.descriptor)
        close(stream.descriptor)
        stream.close()
    }

    /// Sets the options of a socket. Events are sent at once, and the kernel's send buffer is
    /// limited. A client that does not acknowledge a heartbeat before the next heartbeat is
    /// noticed.
    private func prepare(_ socket: Int32) {
        setSocketOption(socket, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        setSocketOption(socket, Int32(IPPROTO_TCP), TCP_CORK, 0)
        setSocketOption(
            socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT,
            Int32(clamping: heartbeatMilliseconds * 9 / 10))
        setSocketOption(socket, SOL_SOCKET, SO_SNDBUF, Self.sendBufferBytes)
    }

    /// The kernel doubles it for its own use.
    private static let sendBufferBytes: Int32 = 64 << 10
}
