import Glibc
import Synchronization

/// Accepts connections on its own thread, and gives each to the event loop with the fewest.
///
/// If each loop accepted its own connections, the loop that wakes first would get most of them.
/// With several listening sockets (`SO_REUSEPORT`), a hash would distribute the connections
/// unevenly, and also to busy loops.
///
/// `@unchecked Sendable`: `socket`, `next` and `isShort` are used by the thread only; all else is constant or atomic.
final class Acceptor: @unchecked Sendable {
    private let loops: [EventLoop]
    private let room: ConnectionLimit
    private let shares: ClientConnectionLimit?
    private let clock: MonotonicClock
    private let isStopping = Atomic<Bool>(false)
    /// Closed when the thread ends.
    private var socket: ListeningSocket?
    /// The loop to compare first. It changes, so that loops with the same number of connections
    /// take turns.
    private var next = 0
    /// Whether descriptors or memory ran out.
    private var isShort = false

    init(
        _ socket: ListeningSocket, loops: [EventLoop], room: ConnectionLimit,
        shares: ClientConnectionLimit?, clock: @escaping MonotonicClock
    ) {
        self.socket = socket
        self.loops = loops
        self.room = room
        self.shares = shares
        self.clock = clock
    }

    /// Makes `run` return soon. Thread-safe.
    func stop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        room.wake()
    }

    /// Accepts connections until `stop`. While the connection limit is reached, new ones wait.
    func run() {
        guard let listener = socket?.descriptor else { return }
        defer { socket = nil }
        while !isStopping.load(ordering: .sequentiallyConsistent) {
            isShort = false
            acceptAll(from: listener)
            room.wait(for: isShort ? nil : listener, milliseconds: isShort ? 100 : -1)
        }
    }

    private func acceptAll(from listener: Int32) {
        while !isStopping.load(ordering: .relaxed), room.take() {
            var peer = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let socket = withUnsafeMutablePointer(to: &peer) { peer in
                peer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    accept(listener, address, &length)
                }
            }
            guard socket >= 0 else {
                let code = errno
                room.release()
                if code == EINTR || code == ECONNABORTED { continue }
                isShort = [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code)
                return
            }
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
            _ = fcntl(socket, F_SETFL, O_NONBLOCK)
            assign(socket, peer, length)
        }
    }

    private func assign(_ socket: Int32, _ peer: sockaddr_storage, _ length: socklen_t) {
        var share: ClientConnectionLimit.Share?
        let address = withUnsafePointer(to: peer) { peer in
            peer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ClientAddress($0) }
        }
        if let shares, let address {
            share = shares.take(address)
            guard share != nil else {
                room.release()
                close(socket)
                return
            }
        }
        let loop = leastLoaded()
        loop.inbox.put(
            AcceptedConnection(
                socket: socket, peer: peer, peerLength: length, share: share,
                slot: ConnectionSlot(loop.load, in: room)))
    }

    /// The loop with the fewest connections and streams. A loop is stuck if its current turn has
    /// taken over a second. A stuck loop is chosen only if all loops are stuck.
    private func leastLoaded() -> EventLoop {
        let now = clock()
        func rank(_ loop: EventLoop) -> (Int, Int) {
            let busyNanoseconds = loop.load.busyNanoseconds(at: now)
            let isStuck = busyNanoseconds > Self.stuckNanoseconds
            return (isStuck ? busyNanoseconds : 0, loop.load.count)
        }
        var best = loops[next % loops.count]
        var bestRank = rank(best)
        for offset in loops.indices.dropFirst() {
            let loop = loops[(next + offset) % loops.count]
            let rank = rank(loop)
            if rank < bestRank { (best, bestRank) = (loop, rank) }
        }
        next = (next + 1) % loops.count
        return best
    }

    private static let stuckNanoseconds = 1_000_000_000
}
